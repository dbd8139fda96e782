/* Embedded surfaces: a detailed triangle mesh that is carried by coarse tets.
 *
 * Each vertex X of the surface lies in one tet of the carrier's rest shape, X = sum_i w_i X_i with sum_i w_i = 1, and is shown at
 * x = sum_i w_i x_i. Vertices outside of every tet hang on the nearest one, with weights below 0. Source: Hauth 5.1. */
#ifndef SINEW_EMBED_H
#define SINEW_EMBED_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A surface with its carriers. Vertices are split along creases, so that normals are smooth elsewhere and sharp there. */
typedef struct sn_embedding {
    sn_context *context;
    int vertex_count;
    int32_t *node;   /* vertex_count x 4: nodes of the carrier, the corners of one tet */
    double *weight;  /* vertex_count x 4, sum 1 */
    double *rest;    /* vertex_count x 3, m */
    int32_t *source; /* vertex_count: node of the surface mesh (of the carrier for its boundary) that the vertex came from */
    int triangle_count;
    int32_t *triangle; /* triangle_count x 3 vertices, counter-clockwise seen from outside */
    double farthest;   /* m: how far the worst vertex lies outside of the carrier; 0: all inside */
} sn_embedding;

/* Embeds the triangles of `surface` in the tets of `carrier`, both at rest. Edges whose faces meet at more than `crease` degrees (0 to 180)
 * are kept sharp; 180: none. Triangles of tets without triangles are their boundary. */
SN_API sn_status sn_embedding_create(const sn_mesh *carrier, const sn_mesh *surface, double crease, sn_embedding **embedding,
                                     sn_error *error);
/* The carrier's own boundary; each face of a quadratic tet gives four triangles. */
SN_API sn_status sn_embedding_boundary(const sn_mesh *carrier, double crease, sn_embedding **embedding, sn_error *error);
SN_API void sn_embedding_destroy(sn_embedding *embedding);

/* The vertices where the carrier's nodes are: `position` has carrier nodes x 3 numbers, `out` vertex_count x 3. */
SN_API void sn_embedding_positions(const sn_embedding *embedding, const double *position, float *out);
/* Unit normals from vertex positions, faces weighted by area: vertex_count x 3. */
SN_API void sn_embedding_normals(const sn_embedding *embedding, const float *position, float *normal);
/* A number per carrier node, taken to the vertices. */
SN_API void sn_embedding_values(const sn_embedding *embedding, const double *value, float *out);
/* The carrier of one point of a triangle, weights `share` of its vertices: what sn_world_grab takes. SN_BAD_INPUT for a triangle that is
 * not there. */
SN_API sn_status sn_embedding_point(const sn_embedding *embedding, int triangle, const double share[3], int32_t node[4], double weight[4],
                                    sn_error *error);

/* Tets around a closed surface: of a grid with `cells` (2 to 256) cells along the longest side, those that touch the surface or lie inside
 * of it, each cut into five. The surface lies inside of the result. */
SN_API sn_status sn_embedding_cage(const sn_mesh *surface, int cells, sn_mesh **cage, sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
