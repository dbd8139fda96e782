/* Nanoseconds per tet of each rotation on one thread, batched: a bar of 40,000 tets, at a shape that is stretched and
 * turned, and with a third of its elements inverted. The last columns are the force with that rotation, and the ratio
 * to polar's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "fem/batch.h"
#include "sinew/mesh.h"

enum { REPEATS = 15 };

typedef struct bar {
    sn_context *context;
    sn_elements_model model;
    sn_element_settings settings;
    sn_element_view view;
    double *state, *out, *scratch;
} bar;

static void rotations(bar *b) {
    const sn_element_kernels *kernels = sn_element_kernels_for(b->context);
    for (int block = 0; block < b->model.batch[0].block_count; ++block)
        kernels->rotation(&b->model.batch[0], block, &b->view, b->scratch);
}

static void forces(bar *b) { sn_elements_force(b->context, &b->model, &b->view, b->out, NULL); }

/* Best of REPEATS, per element. */
static double nanoseconds(bar *b, void (*run)(bar *), int elements) {
    double best = INFINITY;
    for (int i = 0; i < REPEATS; ++i) {
        const double start = sn_seconds();
        run(b);
        best = fmin(best, sn_seconds() - start);
    }
    return best * 1e9 / elements;
}

static double *numbers(sn_context *context, int64_t count) {
    double *p = sn_allocate_zero(context, (size_t)count + 8, sizeof *p);
    if (!p) exit(1);
    return p;
}

/* A twist with a stretch; noise of `rough` cells turns elements over. */
static void shape(const sn_mesh *mesh, double rough, double *x) {
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *X = mesh->position + 3 * i, c = cos(2 * X[0]), s = sin(2 * X[0]);
        x[3 * i] = 1.2 * X[0], x[3 * i + 1] = c * X[1] - s * X[2], x[3 * i + 2] = s * X[1] + c * X[2];
        for (int a = 0; a < 3; ++a) x[3 * i + a] += rough * 0.05 * sin(12.9898 * i + 78.233 * a + 0.37 * i * a);
    }
}

int main(void) {
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    sn_context *context = NULL;
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    const sn_generator_value value[] = {{"size", 3, {2, 1, 1}}, {"cells", 3, {40, 20, 10}}, {"split", 1, {5}}};
    if (sn_context_create(&options, &context, &error) || sn_mesh_generate(context, "box", value, 3, &mesh, &error)) {
        fprintf(stderr, "bench_rotations: %s\n", error.text);
        return 1;
    }
    const int elements = mesh->tet_count;
    int32_t *of = calloc((size_t)elements, sizeof *of);
    double *x = numbers(context, 3 * (int64_t)mesh->node_count), polar[2] = {0};
    int count;
    const sn_listing *method = sn_rotations(&count);
    printf("%d tets, one thread, ns per tet\n%-10s %10s %10s %10s %8s\n", elements, "rotation", "regular", "degenerate",
           "force", "ratio");
    for (int m = 0; m < count; ++m) {
        sn_material material = sn_material_default();
        snprintf(material.rotation, sizeof material.rotation, "%s", method[m].name);
        const sn_batch_source source = {.element = &sn_element_tet4,
                                        .element_count = elements,
                                        .node = mesh->tet,
                                        .rest = mesh->position,
                                        .material = of,
                                        .materials = &material,
                                        .material_count = 1,
                                        .name = "bar"};
        bar b = {.context = context};
        if (sn_elements_compile(context, &source, 1, mesh->node_count, &b.model, &error) ||
            sn_element_settings_create(context, &b.model, &material, 0, &b.settings, &error)) {
            fprintf(stderr, "bench_rotations: %s\n", error.text);
            return 1;
        }
        b.state = numbers(context, b.model.rotation_state_size);
        b.out = numbers(context, 3 * (int64_t)mesh->node_count);
        b.scratch = numbers(context, 9 * SN_LANES);
        b.view =
            (sn_element_view){.settings = &b.settings, .x = x, .x_before = mesh->position, .rotation_state = b.state};
        double time[3];
        for (int rough = 0; rough < 2; ++rough) {
            shape(mesh, rough, x);
            sn_elements_accept(context, &b.model, &b.view,
                               b.state); /* witnesses are found once, not in each evaluation */
            time[rough] = nanoseconds(&b, rotations, elements);
            if (rough == 0) time[2] = nanoseconds(&b, forces, elements);
        }
        if (m == 0) polar[0] = time[0];
        printf("%-10s %10.1f %10.1f %10.1f %8.2f\n", method[m].name, time[0], time[1], time[2], time[0] / polar[0]);
        sn_release(context, b.state), sn_release(context, b.out), sn_release(context, b.scratch);
        sn_element_settings_release(context, &b.settings);
        sn_elements_release(context, &b.model);
    }
    sn_release(context, x);
    free(of);
    sn_mesh_destroy(mesh);
    sn_context_destroy(context);
    return 0;
}
