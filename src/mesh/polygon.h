/* Polygons of surface files as triangles. */
#ifndef SN_MESH_POLYGON_H
#define SN_MESH_POLYGON_H

#include <stdint.h>

/* Cuts a polygon of `count` corners, nodes of `position`, into count - 2 triangles that lie in it, also when it is
 * concave. A convex polygon becomes a fan about its first corner. `ring` has the corners and is used up; `bend` is
 * scratch for `count` nodes; `triangle` has room for 3 (count - 2) nodes. */
void sn_polygon_cut(const double *position, int32_t *ring, int count, int32_t *bend, int32_t *triangle);

#endif
