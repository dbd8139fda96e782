/* Hinges from triangles; see hinges.h. */
#include "hinges.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "hinge_weights.h"
#include "kernel/angle.h"
#include "triangle_edges.h"

extern const sn_element_kernels sn_hinge_kernels_baseline, sn_hinge_kernels_avx2, sn_hinge_kernels_avx512;
extern const sn_element_kernels sn_hinge_flat_kernels_baseline, sn_hinge_flat_kernels_avx2,
    sn_hinge_flat_kernels_avx512;

const sn_element_kernels *sn_hinge_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_hinge_kernels);
}
const sn_element_kernels *sn_hinge_flat_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_hinge_flat_kernels);
}

enum { FLAT_NUMBERS = 3 };
static const double flat_angle = 1e-4; /* rad: up to this a rest shape counts as flat */

static bool is_flat(const sn_material *material) { return strcmp(material->bending_model, "quadratic") == 0; }

static bool wants(const sn_element *element, const sn_material *material) {
    return sn_material_bends(material) && is_flat(material) == (element == &sn_element_hinge_flat);
}

/* The angle at rest, as the kernels have it. */
static double rest_angle(const int32_t *node, const double *rest) {
    double e[3], f0[3], f1[3], N0[3], N1[3], across[3];
    sn_subtract3(rest + 3 * (size_t)node[1], rest + 3 * (size_t)node[0], e);
    sn_subtract3(rest + 3 * (size_t)node[2], rest + 3 * (size_t)node[0], f0);
    sn_subtract3(rest + 3 * (size_t)node[3], rest + 3 * (size_t)node[0], f1);
    sn_cross3(e, f0, N0);
    sn_cross3(f1, e, N1);
    sn_cross3(f0, f1, across);
    return angle_of(vd_set(-sn_norm3(e) * sn_dot3(e, across)), vd_set(sn_dot3(N0, N1)))[0];
}

/* a_1, a_2, a_3 of s = u0 + u1: the opposite corners count 1 / h, the foot of each on the edge takes that away. */
static void flat_numbers(const int32_t *node, const double *rest, double *a) {
    double e[3];
    sn_subtract3(rest + 3 * (size_t)node[1], rest + 3 * (size_t)node[0], e);
    const double ee = sn_dot3(e, e);
    a[0] = 0;
    for (int s = 0; s < 2; ++s) {
        double f[3], N[3];
        sn_subtract3(rest + 3 * (size_t)node[2 + s], rest + 3 * (size_t)node[0], f);
        sn_cross3(e, f, N);
        a[1 + s] = sqrt(ee) / sn_norm3(N);
        a[0] -= a[1 + s] * sn_dot3(e, f) / ee;
    }
}

/* The hinges of one derived source on their way. */
typedef struct making {
    const sn_batch_source *cloth;
    const sn_element *element;
    int count;
    int32_t *node, *material;
    double *factor, *number;
} making;

static sn_status add_hinge(making *m, const int32_t node[4], int32_t material, double factor, sn_error *error) {
    const double angle = rest_angle(node, m->cloth->rest);
    const int numbers = m->element->numbers;
    memcpy(m->node + 4 * (size_t)m->count, node, 4 * sizeof *node);
    m->material[m->count] = material, m->factor[m->count] = factor;
    double *number = m->number + (size_t)m->count++ * (size_t)numbers;
    if (m->element == &sn_element_hinge) {
        *number = angle;
        return SN_OK;
    }
    if (fabs(angle) > flat_angle)
        return sn_within(error,
                         sn_fail_at(error, SN_BAD_INPUT, "bending.model",
                                    "body '%s' is bent at rest, by up to %g degrees or more at an edge; model "
                                    "'quadratic' is for cloth that is flat at rest, take 'dihedral'",
                                    m->cloth->name, fabs(angle) * 57.29577951308232),
                         "material.%d", material);
    flat_numbers(node, m->cloth->rest, number);
    return SN_OK;
}

/* The hinges of an edge: one, or one for each material. */
static sn_status add_edge(making *m, const sn_cloth_edge pair[2], const double *weight, sn_error *error) {
    const sn_batch_source *cloth = m->cloth;
    const int32_t *first = cloth->node + 3 * (size_t)pair[0].triangle,
                  *second = cloth->node + 3 * (size_t)pair[1].triangle;
    const int k = pair[0].corner;
    const int32_t node[4] = {first[(k + 1) % 3], first[(k + 2) % 3], first[k], second[pair[1].corner]};
    const int32_t material[2] = {cloth->material[pair[0].triangle], cloth->material[pair[1].triangle]};
    double share[2];
    for (int s = 0; s < 2; ++s) share[s] = weight[3 * pair[s].triangle + pair[s].corner];
    const bool same = material[0] == material[1];
    sn_status status = SN_OK;
    for (int s = 0; s < (same ? 1 : 2) && !status; ++s)
        if (wants(m->element, &cloth->materials[material[s]]))
            status = add_hinge(m, node, material[s], same ? share[0] + share[1] : share[s], error);
    return status;
}

static void release(sn_context *context, sn_batch_source *hinges) {
    sn_release(context, (void *)(uintptr_t)hinges->node);
    sn_release(context, (void *)(uintptr_t)hinges->material);
    sn_release(context, (void *)(uintptr_t)hinges->factor);
    sn_release(context, (void *)(uintptr_t)hinges->number);
    *hinges = (sn_batch_source){0};
}

static sn_status derive(sn_context *context, const sn_batch_source *cloth, const sn_element *element,
                        sn_batch_source *hinges, sn_error *error) {
    *hinges = *cloth;
    hinges->element = element, hinges->element_count = 0;
    hinges->node = hinges->material = NULL, hinges->label = NULL, hinges->fibre = NULL;
    bool any = false;
    for (int m = 0; m < cloth->material_count; ++m) any = any || wants(element, &cloth->materials[m]);
    if (!any) return SN_OK;
    const size_t edges = 3 * (size_t)cloth->element_count;
    making m = {.cloth = cloth, .element = element};
    sn_cloth_edge *edge = sn_cloth_edges(context, cloth->element_count, cloth->node);
    double *weight = sn_allocate(context, edges, sizeof *weight);
    hinges->node = m.node = sn_allocate(context, 4 * edges, sizeof *m.node);
    hinges->material = m.material = sn_allocate(context, edges, sizeof *m.material);
    hinges->factor = m.factor = sn_allocate(context, edges, sizeof *m.factor);
    hinges->number = m.number = sn_allocate(context, edges * (size_t)element->numbers, sizeof *m.number);
    sn_status status = edge && weight && m.node && m.material && m.factor && m.number ? SN_OK : sn_no_memory(error);
    int nodes = 0;
    double softness = 1;
    for (size_t i = 0; i < edges; ++i) nodes = cloth->node[i] >= nodes ? cloth->node[i] + 1 : nodes;
    if (!status) {
        sn_hinge_weights(cloth->element_count, cloth->node, cloth->rest, edge, weight);
        status = sn_hinge_softness(context, nodes, cloth->element_count, cloth->node, cloth->rest, edge, weight,
                                   &softness, error);
    }
    for (size_t i = 0; i < edges && !status; ++i) weight[i] /= softness;
    for (int i = 0, run; i < (int)edges && !status; i += run) {
        run = sn_cloth_edge_run(edge, (int)edges, i);
        if (run == 2) status = add_edge(&m, edge + i, weight, error);
    }
    hinges->element_count = m.count;
    sn_release(context, edge);
    sn_release(context, weight);
    if (status) release(context, hinges);
    return status;
}

static sn_status derive_hinges(sn_context *context, const sn_batch_source *cloth, const double *node_mass,
                               sn_batch_source *hinges, sn_error *error) {
    (void)node_mass;
    return derive(context, cloth, &sn_element_hinge, hinges, error);
}

static sn_status derive_flat(sn_context *context, const sn_batch_source *cloth, const double *node_mass,
                             sn_batch_source *hinges, sn_error *error) {
    (void)node_mass;
    return derive(context, cloth, &sn_element_hinge_flat, hinges, error);
}

/* k, and the damping of bending with Rayleigh's part. */
static void settle(const sn_batch *batch, int64_t n, const sn_material *material, double *constant, double damping[3]) {
    (void)batch, (void)n;
    constant[0] = material->bending_stiffness;
    damping[0] = material->bending_damping + material->rayleigh[1] * material->bending_stiffness;
    damping[1] = damping[2] = 0;
}

#define HINGE                                                                                                          \
    .nodes = 4, .points = 1, .corners = 4, .dimension = 1, .point = sn_rule_one_point, .weight = sn_rule_one_weight,   \
    .carrier = &sn_element_cloth, .release = release, .constants = 1, .settle = settle

const sn_element sn_element_hinge = {"hinge",
                                     "bending of cloth by the angle between triangles",
                                     HINGE,
                                     .kernels = sn_hinge_kernels_for,
                                     .numbers = 1,
                                     .linearised = 81,
                                     .derive = derive_hinges};
const sn_element sn_element_hinge_flat = {"hinge-flat",
                                          "bending of cloth by a constant matrix",
                                          HINGE,
                                          .kernels = sn_hinge_flat_kernels_for,
                                          .numbers = FLAT_NUMBERS,
                                          .linearised = 1,
                                          .derive = derive_flat};
