/* The limit of strain: cloth that is soft at first and hardly gives way beyond a given strain.
 *
 * Every triangle has one more energy per volume, beside that of its law, in its principal stretches s_1 and s_2:
 *   psi = phi(s_1) + phi(s_2),   phi'' = k clamp(t, 0, 1),   t = (s - 1 - e / 2) / (e / 2)
 * with the limit e (`limit.strain`) and k = `limit.stiffness` times the largest modulus of the law. So the stiffness
 * begins at half of the limit, is whole at the limit, and is continuous. At the limit the stress is k e / 4.
 *
 * phi is convex and never falls, so psi is a convex function of F (J. Ball, 1977): its differential has no negative
 * eigenvalues, and the exact and the projected one are the same. Compression is free. */
#ifndef SN_CLOTH_LIMIT_H
#define SN_CLOTH_LIMIT_H

#include "fem/batch.h"

extern const sn_element sn_element_limit;      /* beside the triangles of cloth */
extern const sn_element sn_element_limit_grid; /* beside the particles of a grid */

#endif
