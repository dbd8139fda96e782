/* Limits of strain from triangles; see limit.h. */
#include "limit.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "kernel/sheet.h"
#include "particles.h"

extern const sn_element_kernels sn_limit_kernels_baseline, sn_limit_kernels_avx2, sn_limit_kernels_avx512;

static const sn_element_kernels *kernels_for(const sn_context *context) { return SN_BUILD(context, sn_limit_kernels); }

enum { NUMBERS = 3 };

static void release(sn_context *context, sn_batch_source *out) {
    if (!out->number) return; /* not derived */
    sn_release(context, (void *)(uintptr_t)out->node);
    sn_release(context, (void *)(uintptr_t)out->material);
    sn_release(context, (void *)(uintptr_t)out->factor);
    sn_release(context, (void *)(uintptr_t)out->number);
    *out = (sn_batch_source){0};
}

/* The volume of a triangle, and the columns of F by its edges: the first one runs along the first axis. */
static double measure(const sn_batch_source *cloth, const int32_t *node, double number[NUMBERS]) {
    double d[3], e[3], n[3];
    sn_subtract3(cloth->rest + 3 * (size_t)node[1], cloth->rest + 3 * (size_t)node[0], d);
    sn_subtract3(cloth->rest + 3 * (size_t)node[2], cloth->rest + 3 * (size_t)node[0], e);
    sn_cross3(d, e, n);
    const double length = sn_norm3(d), along = sn_dot3(d, e) / length, height = sn_norm3(n) / length;
    number[0] = 1 / length;
    number[1] = -along / (length * height);
    number[2] = 1 / height;
    return 0.5 * length * height * cloth->thickness;
}

static sn_status derive(sn_context *context, const sn_batch_source *cloth, const sn_element *element,
                        sn_batch_source *out, sn_error *error) {
    *out = *cloth;
    out->element = element, out->element_count = 0;
    out->node = out->material = NULL, out->label = NULL, out->fibre = NULL, out->factor = out->number = NULL;
    int count = 0;
    for (int t = 0; t < cloth->element_count; ++t) count += cloth->materials[cloth->material[t]].limit_strain > 0;
    if (count == 0) return SN_OK;
    int32_t *node = sn_allocate(context, 3 * (size_t)count, sizeof *node),
            *material = sn_allocate(context, (size_t)count, sizeof *material);
    double *factor = sn_allocate(context, (size_t)count, sizeof *factor),
           *number = sn_allocate(context, NUMBERS * (size_t)count, sizeof *number);
    if (!node || !material || !factor || !number) {
        void *const array[] = {node, material, factor, number};
        for (int i = 0; i < 4; ++i) sn_release(context, array[i]);
        return sn_no_memory(error);
    }
    out->node = node, out->material = material, out->factor = factor, out->number = number;
    for (int t = 0; t < cloth->element_count; ++t) {
        if (!(cloth->materials[cloth->material[t]].limit_strain > 0)) continue;
        const int n = out->element_count++;
        memcpy(node + 3 * (size_t)n, cloth->node + 3 * (size_t)t, 3 * sizeof *node);
        material[n] = cloth->material[t];
        factor[n] = measure(cloth, node + 3 * (size_t)n, number + NUMBERS * (size_t)n);
    }
    return SN_OK;
}

static sn_status derive_cloth(sn_context *context, const sn_batch_source *cloth, const double *node_mass,
                              sn_batch_source *out, sn_error *error) {
    (void)node_mass;
    return derive(context, cloth, &sn_element_limit, out, error);
}

static sn_status derive_grid(sn_context *context, const sn_batch_source *cloth, const double *node_mass,
                             sn_batch_source *out, sn_error *error) {
    (void)node_mass;
    return derive(context, cloth, &sn_element_limit_grid, out, error);
}

/* k and the limit, in place of the constants of the law. */
static void settle(const sn_batch *batch, int64_t n, const sn_material *material, double *constant, double damping[3]) {
    (void)batch, (void)n;
    constant[0] = material->limit_stiffness * fmax(constant[SHEET_C11], constant[SHEET_C22]);
    constant[1] = material->limit_strain;
    damping[0] = damping[1] = damping[2] = 0;
}

#define LIMIT                                                                                                          \
    .nodes = 3, .points = 1, .corners = 3, .dimension = 1, .point = sn_rule_one_point, .weight = sn_rule_one_weight,   \
    .release = release, .constants = 2, .settle = settle, .kernels = kernels_for, .numbers = NUMBERS, .linearised = 36

const sn_element sn_element_limit = {"limit", "limit of the strain of cloth", LIMIT, .carrier = &sn_element_cloth,
                                     .derive = derive_cloth};
const sn_element sn_element_limit_grid = {"limit", "limit of the strain of particles", LIMIT,
                                          .carrier = &sn_element_cloth_grid, .derive = derive_grid};
