/* The model: bodies, numbering and rest shape. Nothing in it changes after its creation.
 *
 * There are two kinds of node numbers. User numbers count through the bodies in order, and within a body in the order
 * of its mesh. Compiled numbers are the places in the vectors; they put neighbours near each other. The nodes of a body
 * are contiguous in both: compiled number = first node of the body + place in sn_mesh_order. */
#ifndef SN_WORLD_MODEL_H
#define SN_WORLD_MODEL_H

#include "base/context.h"
#include "fem/element.h"
#include "mesh/levels.h"
#include "sinew/world.h"

typedef struct sn_body {
    char name[64];
    sn_mesh *mesh;          /* a copy of the caller's mesh, with the mid-edge nodes of tet10 */
    sn_embedding *surface;  /* the detailed surface that the mesh carries; NULL: none */
    const sn_element *type; /* as it was asked for */
    const sn_element
        *element;      /* its carrier: the type of the cells of the mesh, of the mass, the loads and the surface */
    bool consistent;   /* the mass matrix is consistent, not lumped */
    bool hierarchical; /* the unknowns of the linear solver are those of the hierarchical basis */
    double thickness;  /* m, of plane bodies and cloth; 1 for others */
    sn_corotate corotate;
    int node_first, element_first, material_first, material_count;
    int32_t *node;     /* elements x element nodes: compiled node numbers */
    int32_t *material; /* per element: material, counted from material_first */
    double *fibre;     /* elements x 3: unit vectors of the fibres, zero without muscle; NULL: no muscle (fibres.h) */
    bool *muscle;      /* material_count: the material is a muscle; NULL: none is */
    struct sn_rigid *rigid; /* the body is rigid: its masses (rigid_body.h); NULL: it is soft */
} sn_body;

typedef struct sn_model {
    int body_count;
    sn_body *body;
    int node_count, element_count, material_count;
    int32_t *compiled; /* per user number: the compiled number */
    double *rest;      /* nodes x 3, compiled: rest positions in m */
    uint8_t *isolated; /* nodes, compiled: 1 for a node that no element uses. Such nodes never move */
    sn_levels levels;  /* nested levels of all soft bodies that have them; count 0: none has */
    sn_levels basis;   /* those of the bodies with hierarchical unknowns; count 0: none */
    double size;       /* m: largest diagonal of a body's bounding box */
} sn_model;

sn_status sn_model_create(sn_context *context, const sn_world_options *options, const sn_model **model,
                          sn_error *error);
void sn_model_destroy(sn_context *context, const sn_model *model);
int sn_model_find_body(const sn_model *model, const char *name); /* -1 when there is none */

/* SN_BAD_INPUT when there is no such body, or no such node in the mesh of the body. */
sn_status sn_model_check_body(const sn_model *model, int body, sn_error *error);
sn_status sn_model_check_node(const sn_model *model, int body, int node, sn_error *error);
/* The compiled number of a node of a body's mesh. */
static inline int32_t sn_model_node(const sn_model *model, int body, int node) {
    return model->compiled[model->body[body].node_first + node];
}

/* centroids.c: sets mask[element] to 1 for each element whose centroid is in the selector, to 0 for the others. */
sn_status sn_select_centroids(const sn_mesh *mesh, const sn_selector *selector, uint8_t *mask, sn_error *error);
/* contact_nodes.c: the boundary faces of a body, element->face_nodes compiled nodes each. Release *face with
 * sn_release. */
sn_status sn_body_faces(const sn_model *model, int body, int *count, int32_t **face, sn_error *error);

#endif
