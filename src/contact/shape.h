/* Shapes: the solids that bodies meet, by their signed distance.
 *
 * A shape is one file with one table sn_shape_<name>, and one line in the list below. Everything else reads the table: the scene's keys,
 * the checks, the C interface, both responses, pictures and the page.
 *
 * A shape works in its own frame: the origin is its centre, the axes are those of the scene before the collider turns. Moving, turning
 * and `inside` are applied outside of it, in collider.c.
 *
 *   gap(x) < 0 inside of the solid, |grad gap| = 1
 *   n = grad gap: the unit normal, to where the bodies may be
 *   grad n = curvature * across: `across` is symmetric and positive semidefinite with across n = 0. It is the projector on the directions
 *   in which n turns: I - n n^T around a point, with the axis taken out as well along an edge, nothing on a face (curvature 0).
 *
 * gap, n and curvature are finite everywhere. Where n jumps (the centre of a ball, the axis of a capsule) any of its values serves, and
 * the curvature is 0. */
#ifndef SN_CONTACT_SHAPE_H
#define SN_CONTACT_SHAPE_H

#include "sinew/collider.h"

/* The list: name and one line about it. */
#define SN_SHAPES(X)                                                                                                                       \
    X(plane, "the half-space below a plane")                                                                                               \
    X(sphere, "a ball")                                                                                                                    \
    X(capsule, "everything within a radius of a straight line between two points")                                                         \
    X(box, "a box, with rounded edges when it has a radius")                                                                               \
    X(mesh, "the surface of a triangle mesh: a closed one is a solid, an open one a sheet with a thickness")

typedef struct sn_bend {
    double curvature; /* 1/m */
    double across[9]; /* not set where the curvature is 0 */
} sn_bend;

typedef struct sn_shape {
    const sn_shape_parameter *parameter;
    int parameter_count;
    bool takes_mesh;
    size_t size; /* bytes of its data */

    /* What the range of each parameter does not say. NULL: nothing. */
    sn_status (*check)(const sn_collider *collider, sn_error *error);
    /* Fills zeroed data from a collider that was checked, and its centre. */
    sn_status (*create)(sn_context *context, const sn_collider *collider, void *data, double centre[3], sn_error *error);
    /* Releases what the data point to, also after a create that failed half-way. NULL: nothing. */
    void (*destroy)(sn_context *context, void *data);

    /* `bend` may be NULL. */
    double (*gap)(const void *data, const double x[3], double n[3], sn_bend *bend);
    /* Whether the straight way from a to b leads through it from one side to the other, so that the gap at b does not show that they met.
     * NULL: it has no other side. */
    bool (*passed)(const void *data, const double a[3], const double b[3]);
    /* Radius of a ball around the centre that holds all of it. NULL: not worth asking, the gap is as cheap. */
    double (*bound)(const void *data);
    /* Its surface in its own frame. */
    sn_status (*draw)(const void *data, sn_drawing *drawing, sn_error *error);
} sn_shape;

#define SN_SHAPE_DECLARE(name, text) extern const sn_shape sn_shape_##name;
SN_SHAPES(SN_SHAPE_DECLARE)
#undef SN_SHAPE_DECLARE

/* NULL when there is none. */
const sn_shape *sn_shape_find(const char *name);
const sn_shape_parameter *sn_shape_parameter_find(const sn_shape *shape, const char *name);

/* ---- For the shapes' files ---- */

/* The bend around a point: curvature (I - n n^T). */
void sn_bend_round(double curvature, const double n[3], sn_bend *bend);
/* The bend around an edge along the unit vector e, across n. */
void sn_bend_edge(double curvature, const double n[3], const double e[3], sn_bend *bend);

/* Room for the surface. */
sn_status sn_drawing_room(sn_drawing *drawing, int vertices, int triangles, sn_error *error);
/* The surface of a box of half sizes `half`, turned by R (columns: its axes), with a ball of `radius` moved over it. Half sizes of zero
 * make a ball or a capsule, a radius of zero a sharp box. */
sn_status sn_drawing_rounded(sn_drawing *drawing, const double half[3], double radius, const double R[9], sn_error *error);

#endif
