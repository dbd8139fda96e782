/* Embedded surfaces: a detailed triangle mesh that coarse tets carry.
 *
 * Each vertex X of the surface lies in one tet of the carrier's rest shape: X = sum_i w_i X_i with sum_i w_i = 1 over
 * the tet's corners. When the corners move to x_i, the vertex moves to x = sum_i w_i x_i. A vertex outside of all tets
 * belongs to the nearest one, and some of its weights are below 0. Source: Hauth 5.1, Civit 5.3. Moving least squares
 * (sn_embedding_smooth) take more nodes for a vertex, and the surface has no edges where it passes from tet to tet.
 *
 * Unless a comment says otherwise: a pointer must not be NULL; `error` may be NULL; a function that fails leaves its
 * results untouched and says why in `error`; indices out of range and coordinates that are not finite are SN_BAD_INPUT.
 */
#ifndef SINEW_EMBED_H
#define SINEW_EMBED_H

#include "mesh.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A surface with its carriers. A vertex on a crease is split, one for each side: normals are smooth everywhere else and
 * sharp there. The arrays belong to the embedding; read them only. */
typedef struct sn_embedding {
    sn_context *context; /* outlives the embedding */
    int vertex_count;
    int32_t *node;  /* vertex_count x 4: node indices of the carrier, the corners of the tet that holds the vertex */
    double *weight; /* vertex_count x 4: barycentric, sum 1 */

    /* What moves vertex v: the nodes carrier_node[i] with the weights carrier_weight[i], sum 1, for i from
     * carrier_first[v] to carrier_first[v + 1] - 1. The same as node and weight until sn_embedding_smooth. */
    int32_t *carrier_first; /* vertex_count + 1 */
    int32_t *carrier_node;
    double *carrier_weight;

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

/* Lets moving least squares carry the vertices: at least 4 nodes each, those in reach that the tets join. The surface
 * then moves smoothly, but it may leave the tets. An affine motion is still followed exactly. `carrier` is the mesh
 * that the embedding was made with. docs/embedding.md has the equations. */
SN_API sn_status sn_embedding_smooth(const sn_mesh *carrier, sn_embedding *embedding, sn_error *error);
/* The names of the embeddings, for sn_body_options.embedding: "barycentric" and "mls". */
SN_API const sn_listing *sn_embeddings(int *count);

/* Where the vertices are. `position`: 3 numbers per node of the carrier, m; `out`: vertex_count x 3, m. */
SN_API void sn_embedding_positions(const sn_embedding *embedding, const double *position, float *out);
/* Unit normals, larger faces counting more. `position`: vertex_count x 3 of sn_embedding_positions; `normal`:
 * vertex_count x 3. */
SN_API void sn_embedding_normals(const sn_embedding *embedding, const float *position, float *normal);
/* Interpolates values. `value`: one number per node of the carrier; `out`: vertex_count. */
SN_API void sn_embedding_values(const sn_embedding *embedding, const double *value, float *out);
/* The nodes and weights that carry a point of a triangle, in the form that sn_world_grab takes. `triangle` is 0 to
 * triangle_count - 1; `share` are the weights of its three vertices, sum 1. With moving least squares the point is
 * that of the tet. */
SN_API sn_status sn_embedding_point(const sn_embedding *embedding, int triangle, const double share[3], int32_t node[4],
                                    double weight[4], sn_error *error);

/* ---- A body around a surface ---- */

/* How tets are laid around a surface. One of `cell` and `elements` must be given. docs/embedding.md explains the steps.
 */
typedef struct sn_embed_options {
    uint32_t cookie; /* set by sn_embed_options_default(); a struct without it is refused */
    double cell;     /* side of the cubic cells, each of five tets: m, at least 0; default 0: `elements` decides */
    int elements;    /* about so many tets, 0 to 1e7; default 0: `cell` decides */
    int fit;         /* steps that draw the tets to the surface, 0 to 1000; default 10 */
    double relax;    /* k_ODT: the part of the way to its best place that a node goes in a step. Above 0, at most 1;
                        default 0.1 */
} sn_embed_options;

SN_API sn_embed_options sn_embed_options_default(void);
/* Checks ranges, and that one of `cell` and `elements` is given. */
SN_API sn_status sn_embed_options_check(const sn_embed_options *options, sn_error *error);

/* What was found in the surface, and what was made of it. */
typedef struct sn_embed_report {
    /* The surface. Vertices at one place count as one; unused vertices and duplicate triangles are left out. */
    int vertices, triangles;
    int unused_vertices;     /* of no triangle */
    int joined_vertices;     /* at the place of another vertex */
    int flat_triangles;      /* without area */
    int duplicate_triangles; /* with the corners of an earlier triangle */
    int turned_triangles;    /* that faced the other side than most of their patch: turned around */
    int patches;             /* pieces that hang together by edges of two triangles */
    int open_edges;          /* of one triangle: the rims of holes */
    int crowded_edges;       /* of more than two triangles */
    int crossings;           /* pairs of triangles that cross each other */
    double surface_volume;   /* m^3: enclosed, holes closed by flat cones */

    /* The body. Strictly bounding: no face of its boundary meets the surface. */
    double cell;                                    /* m */
    int tets, nodes, pieces;                        /* pieces hang together by nodes */
    int pierced;                                    /* tets that the surface meets; the others are inside */
    int split_nodes;                                /* nodes that were added to part what the surface parts */
    int stopped;                                    /* moves of the fit that the surface stopped */
    double volume_before, volume;                   /* m^3: before and after the fit */
    double quality_min_before, quality_mean_before; /* 3 inradius / circumradius; 1 regular, 0 flat */
    double quality_min, quality_mean;               /* after the fit */
} sn_embed_report;

/* Lays tets around a surface. Cubic cells of five tets each fill the surface's box; tets that the surface meets
 * or that are inside of it stay. Neighbours whose common face lies outside come apart. Then the nodes of the boundary
 * are drawn to the surface. A triangle mesh with holes, crossings, turned or duplicate triangles gives a body, too:
 * inside is where the winding number is above 1/2. Of a mesh without triangles the boundary of its tets is taken.
 * `report` may be NULL. The caller frees *body with sn_mesh_destroy. The same surface and options give the same body.
 */
SN_API sn_status sn_embed_surface(const sn_mesh *surface, const sn_embed_options *options, sn_mesh **body,
                                  sn_embed_report *report, sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
