/* Nanoseconds per tet of the element kernels on one thread: the box beam of 15 x 15 x 45 cells, 5 tets each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "fem/batch.h"
#include "sinew/mesh.h"

enum { REPEATS = 20 };

typedef struct beam {
    sn_context *context;
    const sn_element_kernels *kernels;
    sn_elements_model model;
    sn_element_settings settings;
    sn_element_view view;
    int nodes;
    double *x, *out, *scratch, *linearised, *partial;
} beam;

static void stop(const sn_error *error) {
    fprintf(stderr, "bench_kernels: %s\n", error->text);
    exit(1);
}

static void *need(void *memory) {
    if (!memory) exit(1);
    return memory;
}

static void run_energy(beam *b) {
    double energy;
    sn_elements_energy(b->context, &b->model, &b->view, b->partial, &energy, NULL);
}
static void run_force(beam *b) { sn_elements_force(b->context, &b->model, &b->view, b->out, NULL); }
static void run_product(beam *b) { sn_elements_product(b->context, &b->model, &b->view, 1, 0, NULL, b->x, b->out); }
static void run_linearise(beam *b) { sn_elements_linearise(b->context, &b->model, &b->view, 1, 0, b->linearised); }
static void run_kept_product(beam *b) {
    sn_elements_product(b->context, &b->model, &b->view, 1, 0, b->linearised, b->x, b->out);
}
static void run_stiffness(beam *b) {
    for (int i = 0; i < b->model.batch_count; ++i)
        for (int block = 0; block < b->model.batch[i].block_count; ++block)
            b->kernels->stiffness(&b->model.batch[i], block, &b->view, 1, 0, 1, NULL, b->scratch);
}
static void run_rotation(beam *b) {
    for (int i = 0; i < b->model.batch_count; ++i)
        for (int block = 0; block < b->model.batch[i].block_count; ++block)
            b->kernels->rotation(&b->model.batch[i], block, &b->view, b->scratch);
}

/* Best of REPEATS. */
static double nanoseconds(beam *b, void (*run)(beam *), int elements) {
    double best = INFINITY;
    for (int i = 0; i < REPEATS; ++i) {
        const double start = sn_seconds();
        run(b);
        best = fmin(best, sn_seconds() - start);
    }
    return best * 1e9 / elements;
}

static void measure(const char *simd, const char *element_name, const char *law, const char *differential) {
    sn_error error;
    beam b = {0};
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    options.simd = simd;
    if (sn_context_create(&options, &b.context, &error)) return; /* this processor does not have the set */
    b.kernels = sn_element_kernels_for(b.context);
    const sn_generator_value values[] = {{"size", 3, {0.3, 0.3, 1}}, {"cells", 3, {15, 15, 45}}, {"split", 1, {5}}};
    const sn_element *element = sn_element_find(element_name);
    sn_mesh *mesh = NULL, *fine = NULL;
    if (sn_mesh_generate(b.context, "box", values, 3, &mesh, &error)) stop(&error);
    if (element->nodes == 10) {
        if (sn_mesh_to_tet10(mesh, &fine, &error)) stop(&error);
        sn_mesh_destroy(mesh);
        mesh = fine;
    }
    const int nodes = b.nodes = mesh->node_count, elements = mesh->tet_count;
    int32_t *new_of_old = need(malloc((size_t)nodes * sizeof *new_of_old)),
            *material_of = need(calloc((size_t)elements, sizeof *material_of));
    if (sn_mesh_order(mesh, new_of_old, &error)) stop(&error);
    double *rest = need(malloc((size_t)nodes * 3 * sizeof *rest));
    b.x = need(malloc((size_t)nodes * 3 * sizeof *b.x));
    b.out = need(calloc((size_t)nodes * 3, sizeof *b.out));
    for (int n = 0; n < nodes; ++n) memcpy(&rest[3 * new_of_old[n]], &mesh->position[3 * n], 3 * sizeof *rest);
    for (int i = 0; i < elements * element->nodes; ++i) mesh->tet[i] = new_of_old[mesh->tet[i]];
    for (int n = 0; n < nodes; ++n) { /* bent and a little stretched */
        const double angle = rest[3 * n + 2], radius = 1.1 + rest[3 * n];
        b.x[3 * n] = radius * cos(angle), b.x[3 * n + 1] = 1.05 * rest[3 * n + 1], b.x[3 * n + 2] = radius * sin(angle);
    }
    sn_material material = sn_material_default();
    snprintf(material.law, sizeof material.law, "%s", law);
    snprintf(material.differential, sizeof material.differential, "%s", differential);
    const sn_batch_source source = {.element = element,
                                    .element_count = elements,
                                    .node = mesh->tet,
                                    .rest = rest,
                                    .material = material_of,
                                    .materials = &material,
                                    .material_count = 1,
                                    .name = "beam"};
    if (sn_elements_compile(b.context, &source, 1, nodes, &b.model, &error)) stop(&error);
    if (sn_element_settings_create(b.context, &b.model, &material, 0, &b.settings, &error)) stop(&error);
    b.view = (sn_element_view){.settings = &b.settings, .x = b.x};
    b.partial = need(malloc((size_t)b.model.chunk_count * sizeof *b.partial));
    b.scratch = need(aligned_alloc(64, 900 * SN_LANES * sizeof *b.scratch));
    b.linearised = need(sn_allocate(b.context, (size_t)b.model.linearised_size, sizeof *b.linearised));
    printf("%-9s %-10s %-12s %-12s %6d %6d %4d %4d", sn_context_simd(b.context), element_name, law,
           differential[0] ? differential : "default", elements, nodes, b.model.chunk_count, b.model.color_count);
    void (*const run[])(beam *) = {run_rotation, run_energy,    run_force,       run_stiffness,
                                   run_product,  run_linearise, run_kept_product};
    for (size_t i = 0; i < sizeof run / sizeof *run; ++i) printf(" %9.1f", nanoseconds(&b, run[i], elements));
    printf("\n");
    sn_release(b.context, b.linearised);
    sn_element_settings_release(b.context, &b.settings);
    sn_elements_release(b.context, &b.model);
    sn_mesh_destroy(mesh);
    free(rest), free(b.x), free(b.out), free(b.partial), free(b.scratch), free(new_of_old), free(material_of);
    sn_context_destroy(b.context);
}

int main(void) {
    printf("%-9s %-10s %-12s %-12s %6s %6s %4s %4s %9s %9s %9s %9s %9s %9s %9s   (ns per tet, one thread)\n", "simd",
           "element", "law", "differential", "tets", "nodes", "chk", "col", "rotation", "energy", "force", "stiffness",
           "product", "linearise", "kept-prod");
    static const char *const simd[] = {"baseline", "avx2", "avx512"};
    for (int i = 0; i < 3; ++i) measure(simd[i], "tet4", "corotated", "");
    measure("auto", "tet4", "corotated", "exact");
    measure("auto", "tet4", "linear", "");
    measure("auto", "tet10", "corotated", "");
    return 0;
}
