/* Continuous collision detection: how far four corners can go along straight paths before a vertex and a triangle, or
 * two edges, come too near.
 *
 * Additive: no point of a feature moves faster than its fastest corner. So the distance d - gap lasts for the time
 * (d - gap) / l, where l is the sum of the largest speeds of both features. The corners advance by this time again and
 * again, until the distance has become a tenth of that at the start (Li et al. 2021, codimensional incremental
 * potential contact, 5). A motion that all corners share is taken out first. The result is conservative: a motion that
 * the number of advances cuts off ends early, never late. */
#ifndef SN_CONTACT_CCD_H
#define SN_CONTACT_CCD_H

/* The part of the paths d (at most `most`) for which the distance stays above gap + (distance at the start - gap) / 10.
 * x: the corners, as in closest.h. 0 when the start is not farther apart than the gap. */
double sn_ccd_vertex_face(const double *const x[4], const double *const d[4], double gap, double most);
double sn_ccd_edge_edge(const double *const x[4], const double *const d[4], double gap, double most);

#endif
