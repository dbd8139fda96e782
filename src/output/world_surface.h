/* The surface of all bodies in their current shape, for pictures and surface files: the detailed surface of a body that
 * has one, the boundary of its elements otherwise. */
#ifndef SN_OUTPUT_WORLD_SURFACE_H
#define SN_OUTPUT_WORLD_SURFACE_H

#include "base/context.h"
#include "sinew/output.h"

typedef struct sn_surface {
    sn_context *context;
    int bodies, nodes, elements;     /* of the world */
    int *first_node, *first_element; /* bodies + 1: body b's node i is first_node[b] + i over all bodies */
    int points;                      /* vertices of the detailed surfaces, nodes of the other bodies; all bodies */
    int *first_point;                /* bodies + 1 */
    double *position;                /* points x 3, current */
    int triangles;                   /* a face of a tet10 gives four */
    int32_t *triangle;               /* triangles x 3 points, outward */
    int32_t *body;                   /* triangles */
    uint8_t *edge; /* triangles: bit k set when the edge from corner k to k + 1 is an edge of an element */
} sn_surface;

sn_status sn_surface_create(sn_world *world, sn_surface **surface, sn_error *error);
void sn_surface_destroy(sn_surface *surface);

/* Values of the elements averaged to the nodes; either array is nodes or elements long, over all bodies. */
sn_status sn_surface_average(const sn_surface *surface, const sn_world *world, const double *element, double *node,
                             sn_error *error);
/* Values of the nodes, interpolated to the points. */
void sn_surface_carry(const sn_surface *surface, const sn_world *world, const double *node, double *point);

#endif
