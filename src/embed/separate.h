/* Whether a tet and a triangle are apart: separating axes (Gottschalk, Lin and Manocha 1996).
 *
 * Two convex shapes do not meet when their projections on some axis do not overlap. For polyhedra it is enough to try
 * the face normals of both and the cross products of their edges. The answer "apart" is certain: rounding errors are
 * far below the margin, and any axis may serve as a witness. The answer "not apart" is safe: flat tets may lack an axis
 * and then count as meeting the triangle. So a tet that is a triangle (two equal corners) or thinner may be given. */
#ifndef SN_EMBED_SEPARATE_H
#define SN_EMBED_SEPARATE_H

#include <stdbool.h>

/* True when the tet and the triangle have a gap of more than `margin` (m). */
bool sn_tet_apart(const double *const tet[4], const double *const triangle[3], double margin);

#endif
