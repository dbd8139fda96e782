/* A surface that touches other surfaces: a triangle mesh whose vertices are carried by nodes of the world.
 *
 * Vertex i is at x_i = sum_k w_k x(node_k). The sum runs over its carriers. There are three cases:
 *   - a body without a detailed surface: its boundary. Each vertex is one node, with the weight 1;
 *   - a body with a detailed surface: each vertex lies in a tet and has the 4 nodes of the tet as carriers, or it
 *     is embedded by moving least squares and has more;
 *   - a surface without nodes (a static or moving collider): it has no carriers. Its owner moves `position`.
 *
 * Contact never looks at tets: detection reads `position`, and a force on a point of a triangle goes to the nodes
 * through the carriers of its three vertices.
 *
 * Triangles are counter-clockwise seen from outside. A surface may be open (cloth); then `neighbour` is -1 at its
 * rim. */
#ifndef SN_CONTACT_TOUCH_SURFACE_H
#define SN_CONTACT_TOUCH_SURFACE_H

#include <stdbool.h>

#include "base/context.h"
#include "sinew/base.h"

typedef struct sn_touch_surface {
    sn_context *context;
    int body;     /* of the world; -1: a collider */
    bool closed;  /* every edge has two triangles: the surface has an inside */
    bool resting; /* the positions never change: trees are built once */

    int vertex_count;
    int triangle_count;
    int edge_count;
    int32_t *triangle;      /* triangle_count x 3 vertices */
    int32_t *neighbour;     /* triangle_count x 3: the triangle behind the edge from corner k to k + 1; -1: none */
    int32_t *edge;          /* edge_count x 2 vertices, the smaller one first */
    int32_t *triangle_edge; /* triangle_count x 3: the edge from corner k to k + 1 */

    /* Each vertex and each edge belongs to one of its triangles. So a pair of features is found once, although several
     * pairs of triangles hold it. Bits 0 to 2: corner k belongs to this triangle; bits 3 to 5: edge k does. */
    uint8_t *owns; /* triangle_count */

    int32_t *carrier_first; /* vertex_count + 1 */
    int32_t *carrier_node;  /* compiled numbers; NULL for a collider */
    double *carrier_weight;

    double *rest;     /* vertex_count x 3, m */
    double *position; /* vertex_count x 3, m: the present place */
    double *area;     /* vertex_count, m^2: the part of the rest area that belongs to the vertex */
    double thickness; /* m: of cloth, half on each side of the triangles; 0: of a solid */
} sn_touch_surface;

/* Makes a surface from triangles at rest. `position` and `triangle` are copied. `carrier_first` NULL: vertex i is
 * carried by node i when `carrier_node` is given (vertex_count numbers), and the surface has no carriers otherwise.
 * Fails with SN_BAD_INPUT (an index out of range, a position that is not finite) or SN_NO_MEMORY. An edge with more
 * than two triangles, or with two that do not turn alike, is allowed: `closed` is false, and the triangles behind it
 * are no neighbours. */
typedef struct sn_touch_surface_source {
    int body;
    int vertex_count, triangle_count;
    const double *position;       /* vertex_count x 3, m, at rest */
    const int32_t *triangle;      /* triangle_count x 3 */
    const int32_t *carrier_first; /* vertex_count + 1, or NULL */
    const int32_t *carrier_node;
    const double *carrier_weight;
    double thickness;
} sn_touch_surface_source;
sn_status sn_touch_surface_create(sn_context *context, const sn_touch_surface_source *source,
                                  sn_touch_surface **surface, sn_error *error);
void sn_touch_surface_destroy(sn_touch_surface *surface);

/* Computes `position` from the positions x of the nodes (3 per node). Runs on the threads of the context. A surface
 * without carriers stays as it is. */
void sn_touch_surface_move(sn_touch_surface *surface, const double *x);
/* The same into `out`, vertex_count x 3, for velocities and for positions at other times. A surface without carriers
 * leaves `out` as it is. */
void sn_touch_surface_carry(const sn_touch_surface *surface, const double *x, double *out);

#endif
