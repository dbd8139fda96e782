/* The model: bodies, numbering and rest shape. Nothing in it changes after its creation.
 *
 * Node numbers: "user" ones count through the bodies in order, each in its mesh's order; "compiled" ones index the vectors. Bodies stay
 * contiguous: compiled = first node of the body + place in sn_mesh_order. */
#ifndef SN_WORLD_MODEL_H
#define SN_WORLD_MODEL_H

#include "base/context.h"
#include "fem/element.h"
#include "sinew/world.h"

typedef struct sn_body {
    char name[64];
    sn_mesh *mesh;             /* a copy, with the mid-edge nodes of tet10 */
    const sn_element *type;    /* as it was asked for */
    const sn_element *element; /* its carrier: of the cells of the mesh, the mass, the loads and the surface */
    bool consistent;           /* mass */
    double thickness;          /* of plane bodies; else 1 */
    int node_first, element_first, material_first, material_count;
    int32_t *node;     /* tets x element nodes, compiled */
    int32_t *material; /* tets: index from material_first */
} sn_body;

typedef struct sn_model {
    int body_count;
    sn_body *body;
    int node_count, element_count, material_count;
    int32_t *compiled; /* user -> compiled */
    double *rest;      /* compiled, x 3 */
    uint8_t *isolated; /* compiled: 1 for a node that no element uses. Such nodes never move */
    double size;       /* m: diagonal of the largest body's box */
} sn_model;

sn_status sn_model_create(sn_context *context, const sn_world_options *options, const sn_model **model, sn_error *error);
void sn_model_destroy(sn_context *context, const sn_model *model);
int sn_model_find_body(const sn_model *model, const char *name); /* -1 when there is none */

/* SN_BAD_INPUT unless there is such a body; and, for a node of the body's mesh, such a node. */
sn_status sn_model_check_body(const sn_model *model, int body, sn_error *error);
sn_status sn_model_check_node(const sn_model *model, int body, int node, sn_error *error);
/* The number of a node of a body's mesh in the vectors. */
static inline int32_t sn_model_node(const sn_model *model, int body, int node) {
    return model->compiled[model->body[body].node_first + node];
}

/* centroids.c: mask[element] = 1 for the elements whose centroid is in a selector. */
sn_status sn_select_centroids(const sn_mesh *mesh, const sn_selector *selector, uint8_t *mask, sn_error *error);
/* contact_nodes.c: boundary faces of a body with compiled nodes (3 or 6 each); release with sn_release. */
sn_status sn_body_faces(const sn_model *model, int body, int *count, int32_t **face, sn_error *error);

#endif
