/* Bending of cloth: a hinge on every edge between two triangles, beside the triangles.
 *
 * A hinge is an element of four nodes: x0 and x1 of the edge, x2 and x3 opposite to it. With the bending stiffness k
 * (N m: moment per width and curvature) and a weight w that follows from the rest shape (hinge_weights.h):
 *   hinge       E = k w (theta - theta0)^2 / 2, theta the angle between the triangles, theta0 that at rest
 *               (E. Grinspun, A. Hirani, M. Desbrun, P. Schroeder, Discrete shells, 2003)
 *   hinge_flat  E = k w |u0 + u1|^2 / 2, u the vectors from the edge to x2 and x3 at right angles to it, over their
 *               lengths: for triangles that keep their shape these are unit vectors, and |u0 + u1| = 2 sin(theta / 2).
 *               It is quadratic in x, so that its matrix is constant. The rest shape is flat
 *               (M. Bergou and others, A quadratic bending model for inextensible surfaces, 2006)
 * Damping: moments that are proportional to the rates of theta and of u0 + u1. An edge between triangles of two
 * materials has a hinge of each, with the share of its own triangle. */
#ifndef SN_CLOTH_HINGES_H
#define SN_CLOTH_HINGES_H

#include "fem/batch.h"

extern const sn_element sn_element_hinge, sn_element_hinge_flat;

const sn_element_kernels *sn_hinge_kernels_for(const sn_context *context);
const sn_element_kernels *sn_hinge_flat_kernels_for(const sn_context *context);

#endif
