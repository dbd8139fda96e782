/* Clips a surface at the tets that carry it, so that no triangle reaches over several tets (Civit 5.4.1).
 *
 * A piece of a triangle in a tet is a convex polygon. Its corners are corners of the triangle, places where an edge of
 * the surface passes a face of a tet, and places where an edge of a tet passes the triangle. Each corner is known by
 * what makes it, not by its position. So the pieces of neighbouring triangles and tets share their corners, and the
 * clipped surface has the topology of the old one.
 *
 * A corner of the surface is carried by the four nodes of its tet, a place on a face by three, a place on an edge by
 * two. So the carriers of all corners of a clipped triangle are the four nodes of one tet. */
#ifndef SN_CONTACT_TOUCH_CLIP_H
#define SN_CONTACT_TOUCH_CLIP_H

#include "sinew/mesh.h"
#include "touch_surface.h"

/* Clips the surface at rest (position, triangle) at the tets of `carrier`, which must cover it; what lies outside of
 * all tets is lost. Node i of the carrier becomes node first_node + i. The result is a surface with carriers. */
sn_status sn_touch_clip(const sn_mesh *carrier, const double *position, int vertex_count, const int32_t *triangle,
                        int triangle_count, int body, int first_node, sn_touch_surface **surface, sn_error *error);

#endif
