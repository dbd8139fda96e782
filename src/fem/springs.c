/* Springs from tets; see springs.h. */
#include "springs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "names.h"

enum { NUMBERS = 5 }; /* rest edge, reduced mass, rest length */

typedef struct edge {
    int32_t low, high, material;
    double volume;
} edge;

static int compare_edges(const void *left, const void *right) {
    const edge *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->material > b->material) - (a->material < b->material);
}

static int compare_with_volume(const void *left, const void *right) {
    const int order = compare_edges(left, right);
    if (order) return order;
    const edge *a = left, *b = right;
    return (a->volume > b->volume) - (a->volume < b->volume); /* sums have one order */
}

/* The edges of all tets, joined where nodes and material are the same. Returns how many. */
static sn_status list_edges(const sn_batch_source *tets, edge *out, int64_t *count, sn_error *error) {
    static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    int64_t n = 0;
    for (int e = 0; e < tets->element_count; ++e) {
        const int32_t *node = tets->node + (int64_t)e * tets->element->nodes;
        const double *X = tets->rest;
        const double volume = sn_volume6(X + 3 * (int64_t)node[0], X + 3 * (int64_t)node[1], X + 3 * (int64_t)node[2],
                                         X + 3 * (int64_t)node[3]) /
                              6;
        if (!(volume > 0))
            return sn_fail(error, SN_BAD_INPUT, "body '%s': element %lld is flat or inverted at rest (volume %g)",
                           tets->name, (long long)(tets->label ? tets->label[e] : e), volume);
        for (int k = 0; k < 6; ++k) {
            const int32_t a = node[ends[k][0]], b = node[ends[k][1]];
            out[n++] = (edge){a < b ? a : b, a < b ? b : a, tets->material[e], volume};
        }
    }
    qsort(out, (size_t)n, sizeof *out, compare_with_volume);
    *count = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (*count > 0 && compare_edges(&out[*count - 1], &out[i]) == 0)
            out[*count - 1].volume += out[i].volume;
        else
            out[(*count)++] = out[i];
    }
    return SN_OK;
}

sn_status sn_springs_create(sn_context *context, const sn_batch_source *tets, const double *node_mass,
                            sn_batch_source *springs, sn_error *error) {
    *springs = *tets;
    springs->element = &sn_element_springs;
    springs->node = springs->material = NULL;
    springs->label = NULL;
    edge *edges = sn_allocate(context, (size_t)tets->element_count * 6, sizeof *edges);
    if (!edges) return sn_no_memory(error);
    int64_t count = 0;
    sn_status status = list_edges(tets, edges, &count, error);
    int32_t *node = sn_allocate(context, (size_t)count * 2, sizeof *node),
            *material = sn_allocate(context, (size_t)count, sizeof *material);
    double *factor = sn_allocate(context, (size_t)count, sizeof *factor),
           *number = sn_allocate(context, (size_t)count * NUMBERS, sizeof *number);
    springs->element_count = (int)count;
    springs->node = node, springs->material = material, springs->factor = factor, springs->number = number;
    if (!status && (!node || !material || !factor || !number)) status = sn_no_memory(error);
    for (int64_t i = 0; i < count && !status; ++i) {
        double d[3];
        sn_subtract3(tets->rest + 3 * (int64_t)edges[i].high, tets->rest + 3 * (int64_t)edges[i].low, d);
        node[2 * i] = edges[i].low, node[2 * i + 1] = edges[i].high;
        material[i] = edges[i].material;
        factor[i] = edges[i].volume / sn_dot3(d, d);
        const double a = node_mass[edges[i].low], b = node_mass[edges[i].high];
        memcpy(number + NUMBERS * i, d, sizeof d);
        number[NUMBERS * i + 3] = a > 0 && b > 0 ? a * b / (a + b) : 0;
        number[NUMBERS * i + 4] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    sn_release(context, edges);
    if (status) sn_springs_release(context, springs);
    return status;
}

/* The damper of a spring: the same for all, or by its quality; the part in proportion to k is Rayleigh's. */
static void settle(const sn_batch *batch, int64_t n, const sn_material *material, double *lame, double damping[3]) {
    const double sum = lame[0] + lame[1], young = sum > 0 ? lame[1] * (3 * lame[0] + 2 * lame[1]) / sum : 0,
                 mass = batch->number[(n / SN_LANES * NUMBERS + 3) * SN_LANES + n % SN_LANES];
    damping[0] = material->spring_damper + sn_spring_damper(young * batch->weight[n], mass, material->spring_quality);
    damping[1] = 0, damping[2] = material->rayleigh[1];
}

/* Springs know a modulus, dampers of their own and Rayleigh's damping. */
static sn_status check(const sn_material *material, sn_error *error) {
    const char *law = material->law, *differential = material->differential;
    if (strcmp(law, "corotated") != 0 && strcmp(law, "linear") != 0)
        return sn_fail_at(error, SN_BAD_INPUT, "law",
                          "element springs goes with law 'corotated' (springs that turn) or 'linear' (for warping), "
                          "not '%s'",
                          law);
    if (*material->rotation)
        return sn_fail_at(error, SN_BAD_INPUT, "rotation",
                          "rotation '%s' has no effect on element springs: a spring turns with its two ends",
                          material->rotation);
    if (*differential && strcmp(differential, "exact") != 0 && strcmp(differential, "projected") != 0)
        return sn_fail_at(error, SN_BAD_INPUT, "differential",
                          "differential '%s' has no effect on element springs, which offers exact and projected",
                          differential);
    if (material->viscous[0] != 0 || material->viscous[1] != 0)
        return sn_fail_at(error, SN_BAD_INPUT, "viscous",
                          "viscous has no effect on element springs; 'springs' and 'rayleigh' damp them");
    return SN_OK;
}

const sn_element sn_element_springs = {SN_ELEMENT_springs,
                                       .nodes = 2,
                                       .points = 1,
                                       .corners = 2,
                                       .dimension = 1,
                                       .kernels = sn_spring_kernels_for,
                                       .point = sn_rule_one_point,
                                       .weight = sn_rule_one_weight,
                                       .carrier = &sn_element_tet4,
                                       .derive = sn_springs_create,
                                       .release = sn_springs_release,
                                       .numbers = NUMBERS,
                                       .linearised = 9,
                                       .check = check,
                                       .settle = settle};

void sn_springs_release(sn_context *context, sn_batch_source *springs) {
    if (springs->element != &sn_element_springs) return;
    sn_release(context, (void *)(uintptr_t)springs->node);
    sn_release(context, (void *)(uintptr_t)springs->material);
    sn_release(context, (void *)(uintptr_t)springs->factor);
    sn_release(context, (void *)(uintptr_t)springs->number);
    *springs = (sn_batch_source){0};
}

double sn_spring_damper(double k, double m, double Q) {
    if (!(Q > 0)) return 0;
    /* sqrt(Q^2 + 1) - Q = 1 / (sqrt(Q^2 + 1) + Q): no cancellation for large Q. */
    return sqrt(2 * k * m * Q / (sqrt(Q * Q + 1) + Q)) / Q;
}
