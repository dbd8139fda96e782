/* Particles: cloth by finite differences on a grid of rectangles (M. Hauth, Visual simulation of deformable models,
 * chapter 4; O. Etzmuss, J. Gross, W. Strasser, Deriving a particle system from continuum mechanics, 2003).
 *
 * The document has, per area and with d = x_i - x_j,
 *   rho x_i'' = -sum_j [ k / l^2 (|d| - l) d / |d| + D / l^2 (v_i - v_j) ] + shear + bend
 * and does not define shear and bend. Sinew takes the simplest finite differences, as energies. A is the area of a
 * cell:
 *
 *   edge                E = k w / l^2 (|d| - l)^2 / 2                w: half the area of the cells beside it
 *                       damping force -D w / l^2 (v_i - v_j), in all directions: it slows turning too
 *   corner of a cell    E = k_s A / 4 (e_u . e_v / (l_u l_v))^2 / 2  e_u, e_v: the edges of the cell at this corner
 *   second difference   E = k_b w |x_a - 2 x_b + x_c|^2 / l^4 / 2    of three particles in a line, w as for edges
 *
 * Inside a uniform sheet this is the document's equation. With k = modulus times thickness, edges and corners have the
 * energy of cloth-baraff-witkin in the limit of small cells, and k_b is the moment per width and curvature.
 *
 * The elements are derived from the triangles of a grid: each has a right angle, and two of them share a diagonal.
 * Edges stand in place of the triangles, the others beside them. A particle has a quarter of the mass of the cells
 * around it. The grid is flat and even at rest. */
#ifndef SN_CLOTH_PARTICLES_H
#define SN_CLOTH_PARTICLES_H

#include "fem/batch.h"

extern const sn_element sn_element_cloth_grid; /* the carrier of particles */
extern const sn_element sn_element_corners, sn_element_second_differences;

const sn_element_kernels *sn_tension_kernels_for(const sn_context *context);
const sn_element_kernels *sn_corner_kernels_for(const sn_context *context);

/* The corner of a triangle X (3 x 3) that is opposite to its longest side. */
int sn_right_corner(const double *X);

#endif
