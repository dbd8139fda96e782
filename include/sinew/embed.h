/* Embedded surfaces: a detailed triangle mesh that coarse tets carry.
 *
 * Each vertex X of the surface lies in one tet of the carrier's rest shape: X = sum_i w_i X_i with sum_i w_i = 1 over
 * the tet's corners. When the corners move to x_i, the vertex moves to x = sum_i w_i x_i. A vertex outside of all tets
 * belongs to the nearest one, and some of its weights are below 0. Source: Hauth 5.1.
 *
 * Unless a comment says otherwise: a pointer must not be NULL; `error` may be NULL; a function that fails leaves its
 * results untouched and says why in `error`; indices out of range and coordinates that are not finite are SN_BAD_INPUT.
 */
#ifndef SINEW_EMBED_H
#define SINEW_EMBED_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A surface with its carriers. A vertex on a crease is split, one for each side: normals are smooth everywhere else and
 * sharp there. The arrays belong to the embedding; read them only. */
typedef struct sn_embedding {
    sn_context *context; /* outlives the embedding */
    int vertex_count;
    int32_t *node;   /* vertex_count x 4: node indices of the carrier, the corners of one tet */
    double *weight;  /* vertex_count x 4: sum 1 */
    double *rest;    /* vertex_count x 3, m: at rest */
    int32_t *source; /* vertex_count: the node of the surface mesh that the vertex came from; of the carrier for its own
                        boundary */
    int triangle_count;
    int32_t *triangle; /* triangle_count x 3 vertices, counter-clockwise seen from outside */
    double farthest;   /* m: distance of the farthest vertex from the carrier; 0 when all are inside */
} sn_embedding;

/* Embeds the triangles of `surface` in the tets of `carrier`, both at rest. A surface mesh that has tets but no
 * triangles gives the boundary of its tets. Edges whose faces meet at more than `crease` degrees (0 to 180) are sharp;
 * 180: none. Neither mesh is kept. The caller frees *embedding with sn_embedding_destroy. */
SN_API sn_status sn_embedding_create(const sn_mesh *carrier, const sn_mesh *surface, double crease,
                                     sn_embedding **embedding, sn_error *error);
/* The same for the boundary of the carrier itself; each face of a tet of 10 nodes gives four triangles. */
SN_API sn_status sn_embedding_boundary(const sn_mesh *carrier, double crease, sn_embedding **embedding,
                                       sn_error *error);
SN_API void sn_embedding_destroy(sn_embedding *embedding); /* NULL: does nothing */

/* Where the vertices are. `position`: 3 numbers per node of the carrier, m; `out`: vertex_count x 3, m. */
SN_API void sn_embedding_positions(const sn_embedding *embedding, const double *position, float *out);
/* Unit normals, larger faces counting more. `position`: vertex_count x 3 of sn_embedding_positions; `normal`:
 * vertex_count x 3. */
SN_API void sn_embedding_normals(const sn_embedding *embedding, const float *position, float *normal);
/* Interpolates values. `value`: one number per node of the carrier; `out`: vertex_count. */
SN_API void sn_embedding_values(const sn_embedding *embedding, const double *value, float *out);
/* The nodes and weights that carry a point of a triangle, in the form that sn_world_grab takes. `triangle` is 0 to
 * triangle_count - 1; `share` are the weights of its three vertices, sum 1. */
SN_API sn_status sn_embedding_point(const sn_embedding *embedding, int triangle, const double share[3], int32_t node[4],
                                    double weight[4], sn_error *error);

/* Tets around a closed surface. A grid with `cells` (2 to 256) cells along the longest side of the surface's box is
 * laid over it; cells that touch the surface or lie inside of it are cut into five tets each. The caller frees *cage
 * with sn_mesh_destroy. */
SN_API sn_status sn_embedding_cage(const sn_mesh *surface, int cells, sn_mesh **cage, sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
