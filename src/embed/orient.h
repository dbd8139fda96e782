/* The sides of a surface: which way its triangles face. */
#ifndef SN_EMBED_ORIENT_H
#define SN_EMBED_ORIENT_H

#include <stdbool.h>

#include "base/context.h"
#include "mesh/weld.h"

typedef struct sn_orientation {
    int turned;  /* triangles that faced the other side than their neighbours */
    int patches; /* connected over edges of two triangles */
    sn_edge_counts edges;
    bool closed; /* every edge has two triangles, which now face one side */
} sn_orientation;

/* Turns triangles so that neighbours face one side: in each patch, the side with more area stays. No triangle may use a
 * point twice. */
sn_status sn_orient(const sn_context *context, const double *position, int32_t *triangle, int triangles,
                    sn_orientation *orientation, sn_error *error);

/* Makes the triangles of a surface (nodes x 3 `position`) face outwards: neighbours face one side, and the surface
 * holds no volume below 0. Nodes at one place become the first of them. Triangles without three points stay as they
 * are. */
sn_status sn_face_outwards(const sn_context *context, const double *position, int nodes, int32_t *triangle,
                           int triangles, sn_error *error);

#endif
