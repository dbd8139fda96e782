/* Patches: small connected sets of triangles of a surface. Each patch gives at most one contact point per region
 * (Civit 5.4.1, 5.5.3.2).
 *
 * The more triangles share their carriers, the fewer points are needed. So
 *   - a surface inside tets has one patch for each connected set of triangles in one tet. A triangle with corners in
 *     several tets belongs to the tet of two of its corners, or to the tet of the first one;
 *   - the boundary of a body has one patch per triangle, as each face lies at one tet;
 *   - other surfaces (colliders, moving least squares) have connected clusters of fixed size. */
#ifndef SN_CONTACT_TOUCH_PATCHES_H
#define SN_CONTACT_TOUCH_PATCHES_H

#include "touch_surface.h"

typedef struct sn_touch_patches {
    int count;
    int32_t *of;       /* triangle_count: the patch of a triangle */
    int32_t *first;    /* count + 1 */
    int32_t *triangle; /* triangle_count: the triangles, patch by patch */

    /* The sides of a patch: numbers 3 triangle + corner, with a neighbour in another patch. */
    int32_t *side_first; /* count + 1 */
    int32_t *side;

    /* Connected parts of the surface. */
    int part_count;
    int32_t *part;       /* triangle_count */
    int32_t *part_begin; /* part_count: one triangle of each */
} sn_touch_patches;

sn_status sn_touch_patches_create(const sn_touch_surface *surface, sn_touch_patches *patches, sn_error *error);
void sn_touch_patches_release(const sn_context *context, sn_touch_patches *patches);

#endif
