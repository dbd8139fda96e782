/* The weights of the hinges of a mesh: how much area each of them stands for.
 *
 * A cylinder of curvature 1 in the direction d bends the hinge of an edge by theta(d), which follows from the two
 * triangles: with t along the edge of length l, n across, and the opposite corners at (p0, h0) and (p1, -h1) from its
 * middle,
 *   theta = d_t^2 ((p0^2 - l^2/4) / h0 + (p1^2 - l^2/4) / h1) / 2 + d_t d_n (p0 - p1) + d_n^2 (h0 + h1) / 2
 * A triangle of area A gives its (up to three) hinges weights w with sum w theta(d)^2 = A for all d, as nearly as
 * least squares make it. Then a sheet bends equally hard in all directions on every mesh where that can be done: on the
 * grids with alternating diagonals and on equilateral triangles it is exact. Grinspun's |e|^2 / A is the same on
 * equilateral triangles; on a grid it makes the diagonals half as hard again.
 *
 * The nodes of a bent sheet do not stay on the cylinder. They give way, each to its neighbours, and the sheet is softer
 * (hinge_relax.c). On the grid with alternating diagonals by a quarter, on equilateral triangles not at all. One factor
 * for the whole mesh makes up for it, so that the sheet has the plate's modulus. */
#ifndef SN_CLOTH_HINGE_WEIGHTS_H
#define SN_CLOTH_HINGE_WEIGHTS_H

#include <stdbool.h>

#include "triangle_edges.h"

/* Where the corner opposite to an edge a-b lies: p along the edge from its middle, h away from it. l: its length. */
void sn_hinge_corner(const double *a, const double *b, const double *c, double *l, double *p, double *h);

/* weight: 3 x triangle count; that of the hinge opposite to each corner, as this triangle gives it. 0 at the rim. edge:
 * all edges, sorted. rest: positions by node. */
void sn_hinge_weights(int triangle_count, const int32_t *triangle, const double *rest, const sn_cloth_edge *edge,
                      double *weight);

/* How much softer the sheet is than its hinges with these weights: 1 for not at all. node_count: of all nodes. */
sn_status sn_hinge_softness(sn_context *context, int node_count, int triangle_count, const int32_t *triangle,
                            const double *rest, const sn_cloth_edge *edge, const double *weight, double *softness,
                            sn_error *error);

#endif
