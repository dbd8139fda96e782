/* The surface of all bodies in their current shape, for pictures and surface files. */
#ifndef SN_OUTPUT_WORLD_SURFACE_H
#define SN_OUTPUT_WORLD_SURFACE_H

#include "base/context.h"
#include "sinew/output.h"

typedef struct sn_surface {
    sn_context *context;
    int nodes;         /* of all bodies, in order: body b's node i is first_node[b] + i */
    double *position;  /* nodes x 3, current */
    double *rest;      /* nodes x 3 */
    double *velocity;  /* nodes x 3 */
    int64_t *label;    /* nodes */
    int triangles;     /* a face of a tet10 gives four */
    int32_t *triangle; /* triangles x 3, outward */
    int32_t *owner;    /* triangles: element, counted over all bodies */
    int32_t *body;     /* triangles */
    uint8_t *edge;     /* triangles: bit k set when the edge from corner k to k + 1 is an edge of the element */
    int bodies, elements;
    int *first_node, *first_element; /* bodies + 1 */
} sn_surface;

sn_status sn_surface_create(sn_world *world, sn_surface **surface, sn_error *error);
void sn_surface_destroy(sn_surface *surface);

/* Values of the elements averaged to the nodes; either array is nodes or elements long, over all bodies. */
sn_status sn_surface_average(const sn_surface *surface, const sn_world *world, const double *element, double *node,
                             sn_error *error);

#endif
