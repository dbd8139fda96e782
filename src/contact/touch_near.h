/* Proximity of surfaces: rows for vertices that are near a triangle of another surface, or inside of it.
 *
 * A vertex x of A with the normal N_A looks for the nearest point p of those triangles of B that face it:
 * N_B . N_A < -0.1. So the corner of a box that stands on another box is pushed up by the top, although a side may be
 * nearer. The sign of the gap comes from the pseudonormal at p (Baerentzen and Aanaes 2005): the normal of the face,
 * the sum of the normals of the two faces at an edge, and the normals of the faces at a corner weighted by their
 * angles.
 *
 *   n = (x - p) / |x - p| outside, the opposite inside;   gap = n . (x - p);   area = half of the vertex's area
 *
 * A surface may meet itself. The other side of its own wall is behind a vertex too; so such a vertex is inside only
 * when the winding number of the surface says so just above it.
 *
 * Vertices of A meet triangles of B, and vertices of B meet triangles of A. Each side has half of the area, so that a
 * pressure counts once. Two edges that cross without a vertex inside the other body give no row: thin bodies with sharp
 * edges can pass into each other a little there. */
#ifndef SN_CONTACT_TOUCH_NEAR_H
#define SN_CONTACT_TOUCH_NEAR_H

#include "touch_rows.h"
#include "touch_surface.h"

typedef struct sn_touch_near sn_touch_near;

/* Makes trees for `count` surfaces, which the caller keeps as long as the result. */
sn_status sn_touch_near_create(sn_context *context, sn_touch_surface *const *surface, int count, sn_touch_near **near,
                               sn_error *error);
void sn_touch_near_destroy(sn_touch_near *near); /* NULL allowed */

/* Takes the present positions of all surfaces, and their velocities from those of the nodes (3 per node; NULL: none).
 */
void sn_touch_near_update(sn_touch_near *near, const double *v);

/* Appends the rows of the surfaces a and b, which may be equal: vertices at a gap below `thickness` plus the way that
 * the surfaces can come nearer to each other in `ahead` seconds, and vertices inside down to half of the smaller body.
 */
sn_status sn_touch_near_rows(sn_touch_near *near, int a, int b, double thickness, double ahead, sn_touch_rows *rows,
                             sn_error *error);

#endif
