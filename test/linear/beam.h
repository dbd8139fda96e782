/* The clamped beam of the benchmarks as a linear system: shared by the tests of the linear solver and its benchmark. */
#ifndef SN_TEST_LINEAR_BEAM_H
#define SN_TEST_LINEAR_BEAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fem/batch.h"
#include "linear/solver.h"
#include "mesh/levels.h"
#include "sinew/mesh.h"

typedef struct beam {
    sn_context *context;
    int nodes, tets;
    double *rest, *mass, *x; /* x: current positions, a little away from rest */
    int32_t *tet, *material;
    sn_material parameters;
    sn_batch_source source;
    sn_elements_model elements;
    sn_element_settings settings;
    sn_filter filter; /* nodes at z = 0 fixed */
    sn_levels levels; /* of a refined beam; count 0 for others */
} beam;

static inline void beam_destroy(beam *b) {
    sn_elements_release(b->context, &b->elements);
    sn_levels_release(b->context, &b->levels);
    sn_element_settings_release(b->context, &b->settings);
    free(b->rest), free(b->mass), free(b->x), free(b->tet), free(b->material), free(b->filter.node),
        free(b->filter.projection);
}

/* A smooth bend and twist, so that rotations and the stiffness differ from element to element. */
static inline void beam_deform(const double *rest, int nodes, double amount, double *x) {
    for (int i = 0; i < nodes; ++i) {
        const double *p = rest + 3 * i;
        const double z = p[2];
        x[3 * i] = p[0] + amount * z * z * (0.3 + 0.5 * p[1]);
        x[3 * i + 1] = p[1] - amount * z * (0.2 + 0.7 * p[0] * z);
        x[3 * i + 2] = p[2] + amount * 0.4 * p[0] * z;
    }
}

/* cells: a, a, c of 0.3 x 0.3 x 1 m, five tets each, then refined; nodes in the order for locality. */
static inline sn_status beam_create_refined(beam *b, sn_context *context, const sn_element *element, int a, int c,
                                            int refine, double poisson, sn_error *error) {
    memset(b, 0, sizeof *b);
    b->context = context;
    const sn_generator_value values[] = {{"size", 3, {0.3, 0.3, 1}}, {"cells", 3, {a, a, c}}, {"split", 1, {5}}};
    sn_mesh *box, *mesh;
    sn_status status = sn_mesh_generate(context, "box", values, 3, &box, error);
    if (status) return status;
    for (int i = 0; i < refine && !status; ++i) {
        status = sn_mesh_refine(box, &mesh, error);
        sn_mesh_destroy(box);
        box = mesh;
    }
    if (status) return status;
    status = element->take(box, &mesh, error);
    sn_mesh_destroy(box);
    if (status) return status;
    const int tet_nodes = mesh->tet_nodes;
    b->nodes = mesh->node_count, b->tets = mesh->tet_count;
    int32_t *place = malloc((size_t)b->nodes * sizeof *place);
    status = sn_mesh_order(mesh, place, error);
    b->rest = calloc((size_t)b->nodes * 3, sizeof(double)), b->x = calloc((size_t)b->nodes * 3, sizeof(double));
    b->mass = calloc((size_t)b->nodes, sizeof(double));
    b->tet = calloc((size_t)b->tets * (size_t)tet_nodes, sizeof(int32_t)),
    b->material = calloc((size_t)b->tets, sizeof(int32_t));
    b->filter.node = calloc((size_t)b->nodes, sizeof(int32_t)),
    b->filter.projection = calloc((size_t)b->nodes * 9, sizeof(double));
    for (int i = 0; i < b->nodes; ++i) memcpy(b->rest + 3 * place[i], mesh->position + 3 * i, 3 * sizeof(double));
    for (int i = 0; i < tet_nodes * b->tets; ++i) b->tet[i] = place[mesh->tet[i]];
    const sn_levels_body body = {mesh, place, refine == 0};
    if (!status) status = sn_levels_create(context, &body, 1, b->nodes, &b->levels, error);
    free(place);
    sn_mesh_destroy(mesh);
    for (int i = 0; i < b->nodes; ++i)
        if (b->rest[3 * i + 2] < 1e-9) b->filter.node[b->filter.count++] = i;
    beam_deform(b->rest, b->nodes, 0.1, b->x);
    b->parameters = sn_material_default();
    if (!status) status = sn_material_set(&b->parameters, "poisson", &poisson, 1, error);
    b->source = (sn_batch_source){.element = element,
                                  .element_count = b->tets,
                                  .node = b->tet,
                                  .rest = b->rest,
                                  .material = b->material,
                                  .materials = &b->parameters,
                                  .material_count = 1,
                                  .name = "beam"};
    if (!status) status = sn_elements_compile(context, &b->source, 1, b->nodes, &b->elements, error);
    if (!status) status = sn_element_settings_create(context, &b->elements, &b->parameters, 0, &b->settings, error);
    if (!status) status = sn_mass_lumped(&b->source, b->mass, error);
    return status;
}

static inline sn_status beam_create_with(beam *b, sn_context *context, const sn_element *element, int a, int c,
                                         double poisson, sn_error *error) {
    return beam_create_refined(b, context, element, a, c, 0, poisson, error);
}

/* A beam for a preconditioner: about the same cells, but two levels where it needs levels. */
static inline sn_status beam_create_for(beam *b, sn_context *context, const char *preconditioner, int a, int c,
                                        double poisson, sn_error *error) {
    const sn_preconditioner *p = sn_preconditioner_find(preconditioner);
    const bool levels = p && p->needs_levels;
    return beam_create_refined(b, context, &sn_element_tet4, levels ? (a + 1) / 2 : a, levels ? (c + 1) / 2 : c, levels,
                               poisson, error);
}

static inline sn_status beam_create(beam *b, sn_context *context, int a, int c, double poisson, sn_error *error) {
    return beam_create_with(b, context, &sn_element_tet4, a, c, poisson, error);
}

static inline sn_linear_model beam_model(const beam *b) {
    return (sn_linear_model){.nodes = b->nodes,
                             .elements = &b->elements,
                             .position = b->rest,
                             .mass = b->mass,
                             .levels = b->levels.count ? &b->levels : NULL};
}

#endif
