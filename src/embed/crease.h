/* Splitting the vertices of a triangle mesh along sharp edges. */
#ifndef SN_EMBED_CREASE_H
#define SN_EMBED_CREASE_H

#include "base/context.h"

/* Two triangles that share an edge go on sharing its ends when their normals are at most `crease` degrees apart. With
 * 180 degrees there are no creases: the corners at a node are one vertex.
 * `corner` (triangles x 3) gets the new vertex of each corner, `source` (triangles x 3, *count of them used) the old
 * one of each new vertex. */
sn_status sn_crease_split(sn_context *context, const double *position, const int32_t *triangle, int triangles,
                          double crease, int32_t *corner, int32_t *source, int *count, sn_error *error);

#endif
