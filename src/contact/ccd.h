/* Continuous collision detection: how far four corners can go along straight paths before a vertex and a triangle, or
 * two edges, come too near.
 *
 * Additive: no point of a feature moves faster than its fastest corner. So the distance d - gap lasts for the time
 * (d - gap) / l, where l is the sum of the largest speeds of both features. The corners advance by this time again and
 * again, until only a part of the distance is left (Li et al. 2021, codimensional incremental
 * potential contact, 5). A motion that all corners share is taken out first. The result is conservative: a motion that
 * the number of advances cuts off ends early, never late. */
#ifndef SN_CONTACT_CCD_H
#define SN_CONTACT_CCD_H

/* The part of the paths d (at most `most`) for which the distance minus the gap stays above `kept` (m), or above a
 * fifth of what it is at the start when this is less. x: the corners, as in closest.h. 0 when the start is not farther
 * apart than the gap. A pair that never comes nearer than 1.5 times `kept` plus the gap gets `most`. */
double sn_ccd_vertex_face(const double *const x[4], const double *const d[4], double gap, double kept, double most);
double sn_ccd_edge_edge(const double *const x[4], const double *const d[4], double gap, double kept, double most);

#endif
