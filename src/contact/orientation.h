/* Signs of volumes and of cross products that are right for all numbers, and never 0 where two surfaces meet.
 *
 * A sign is computed in double precision first. When the result is smaller than its error can be, the sign is computed
 * exactly: the value as an unevaluated sum of doubles that do not overlap (Shewchuk, Adaptive Precision Floating-Point
 * Arithmetic and Fast Robust Geometric Predicates, 1997).
 *
 * An exact 0 means that points lie in one plane. Then surface A is thought of as moved by an infinitesimal vector
 * (e, e^2, e^3), e > 0: the sign of the first term that is not 0 counts (simulation of simplicity; Edelsbrunner and
 * Muecke 1990). All decisions about two surfaces then belong to one real position of both. So curves of intersection
 * close, also when faces of boxes lie on each other. */
#ifndef SN_CONTACT_ORIENTATION_H
#define SN_CONTACT_ORIENTATION_H

/* The exact sign (-1, 0 or 1) of (b - a) . ((c - a) x (d - a)): 1 when d is on the side of the normal of abc. */
int sn_orientation(const double a[3], const double b[3], const double c[3], const double d[3]);

/* The exact sign of a component of (q - p) x (b - a). */
int sn_cross_sign(const double p[3], const double q[3], const double a[3], const double b[3], int axis);

/* On which side of triangle abc the point p is: 1 or -1. `moved` is 1 when p belongs to A, and -1 when the triangle
 * does. A triangle without area has every point on side 1. */
int sn_side_of_triangle(const double a[3], const double b[3], const double c[3], const double p[3], int moved);

/* The sign of (q - p) . ((a - p) x (b - p)) for an edge pq of A and an edge ab of B: how they pass each other. */
int sn_side_of_edges(const double p[3], const double q[3], const double a[3], const double b[3]);

#endif
