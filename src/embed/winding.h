/* The generalised winding number of a triangle mesh (Jacobson, Kavan and Sorkine-Hornung 2013).
 *
 *     w(p) = 1 / (4 pi) sum over triangles of the signed solid angle that the triangle covers seen from p
 *
 * A closed surface that faces outwards has w = 1 inside and w = 0 outside. Holes make w change smoothly, so that "more
 * than 1/2" still is a good answer. A tree sums far triangles as one dipole (Barill and others 2018): a group with the
 * area vector A, the sum of n dA, around the centre c adds A . (c - p) / |c - p|^3 / (4 pi). */
#ifndef SN_EMBED_WINDING_H
#define SN_EMBED_WINDING_H

#include "mesh/triangle_tree.h"

typedef struct sn_dipole {
    double area[3];   /* m^2: the area vector */
    double centre[3]; /* m: of the area */
    double reach;     /* m^2: a point is far when its squared distance is larger */
    double scalar;    /* m^2: the area */
} sn_dipole;

typedef struct sn_winding {
    const sn_triangle_tree *tree; /* outlives it */
    sn_dipole *part;              /* one per node of the tree */
} sn_winding;

sn_status sn_winding_create(sn_context *context, const sn_triangle_tree *tree, sn_winding *winding, sn_error *error);
/* Sums anew, after a refit of the tree. */
void sn_winding_refit(sn_winding *winding);
void sn_winding_destroy(sn_context *context, sn_winding *winding);
double sn_winding_number(const sn_winding *winding, const double point[3]);

#endif
