/* The connectivity of a surface: which points are one point, and which triangles share an edge. */
#ifndef SN_MESH_WELD_H
#define SN_MESH_WELD_H

#include "base/context.h"

/* Points with equal coordinates (0 and -0 are equal) become one point. `face` has faces x 3 nodes of `position`
 * (nodes x 3). new_of_old (nodes) gets the new number of each node that a face uses, and -1 for the others; *count is
 * how many new numbers there are. They are in the order of the coordinates. */
sn_status sn_weld(const sn_context *context, const double *position, int nodes, const int32_t *face, int faces,
                  int32_t *new_of_old, int *count, sn_error *error);

/* What edges belong to. */
typedef struct sn_edge_counts {
    int open;     /* to one triangle */
    int crowded;  /* to more than two */
    int opposing; /* to two that face opposite sides */
} sn_edge_counts;

/* Edge 3 t + k goes from corner k of triangle t to the next corner, which is number sn_next_in_triangle(3 t + k) of
 * `triangle`. */
static inline int32_t sn_next_in_triangle(int32_t edge) { return edge % 3 == 2 ? edge - 2 : edge + 1; }

/* partner[i] is the other edge with the same ends, or
 * -1 when there is none or more than one. partner: triangles x 3. No triangle may use a node twice. */
sn_status sn_pair_edges(const sn_context *context, const int32_t *triangle, int triangles, int32_t *partner,
                        sn_edge_counts *counts, sn_error *error);

#endif
