/* Shapes of colliders. A shape is a solid, described by its signed distance.
 *
 * A shape is one file with one table sn_shape_<name>, and one line in the list below. Everything else reads the table:
 * the scene's keys, the checks, the C interface, the responses, pictures and the page.
 *
 * A shape uses coordinates with the origin at its centre and the axes of the scene before the collider turns.
 * collider_model.c does the moving, the turning and `inside` for all shapes.
 *
 *   gap(x)                       signed distance, negative inside of the solid; |grad gap| = 1
 *   n = grad gap                 the unit normal; it points out of the solid
 *   grad n = curvature * across  how n turns
 *
 * `across` is symmetric and positive semidefinite, and across n = 0. It projects on the directions in which n turns.
 * Around a point it is I - n n^T. Around an edge the direction of the edge is taken out too. On a face the curvature is
 * 0.
 *
 * gap, n and curvature are finite everywhere. At a jump of n (the centre of a ball, the axis of a capsule) n is any one
 * of its values, and the curvature is 0. */
#ifndef SN_CONTACT_SHAPE_H
#define SN_CONTACT_SHAPE_H

#include "base/fields.h"
#include "sinew/collider.h"

/* The fields of sn_collider, and one field for each shape. */
const sn_field *sn_collider_fields(int *count);

/* The list of shapes: name and one line about it. */
#define SN_SHAPES(X)                                                                                                   \
    X(plane, "the half-space below a plane")                                                                           \
    X(sphere, "a ball")                                                                                                \
    X(capsule, "everything within a radius of a straight line between two points")                                     \
    X(box, "a box, with rounded edges when it has a radius")                                                           \
    X(mesh, "the surface of a triangle mesh: a closed one is a solid, an open one a sheet with a thickness")           \
    X(heightfield, "ground over a grid of heights")

/* The parameter `rotate` of shapes that have one: an axis and degrees. */
#define SN_SHAPE_ROTATE(about)                                                                                         \
    { "rotate", NULL, SN_ROLE_TURN, 4, -1e300, 1e300, false, false, {0, 0, 1, 0}, "", about }

typedef struct sn_bend {
    double curvature; /* 1/m */
    double across[9]; /* not set where the curvature is 0 */
} sn_bend;

typedef struct sn_shape {
    const sn_shape_parameter *parameter;
    int parameter_count;
    bool takes_mesh, takes_heights;
    size_t size; /* bytes of its compiled data */

    /* Checks everything beyond the ranges of single parameters. NULL: there is nothing more to check. */
    sn_status (*check)(const sn_collider *collider, sn_error *error);
    /* Fills `data` (zero before) and `centre` from a collider that was checked. */
    sn_status (*create)(sn_context *context, const sn_collider *collider, void *data, double centre[3],
                        sn_error *error);
    /* Releases everything that `data` points to, also when `create` failed half-way. NULL: nothing to release. */
    void (*destroy)(sn_context *context, void *data);

    /* Returns the gap at x; sets n and *bend (may be NULL). */
    double (*gap)(const void *data, const double x[3], double n[3], sn_bend *bend);
    /* A number that the gap at x is never below, much cheaper than the gap. Bodies far away then cost little. NULL:
     * none. */
    double (*least)(const void *data, const double x[3]);
    /* Whether the straight path from a to b goes through the shape, from one side to another. The gap at b does not
     * show this. NULL: the shape has no other side. */
    bool (*passed)(const void *data, const double a[3], const double b[3]);
    /* Radius of a ball around the centre that holds the whole shape. NULL: computing the gap is as cheap as testing the
     * ball. */
    double (*bound)(const void *data);
    /* Makes the surface for display, in the coordinates of the shape. */
    sn_status (*draw)(const void *data, sn_drawing *drawing, sn_error *error);
} sn_shape;

#define SN_SHAPE_DECLARE(name, text) extern const sn_shape sn_shape_##name;
SN_SHAPES(SN_SHAPE_DECLARE)
#undef SN_SHAPE_DECLARE

/* The shape, or the parameter of a shape, of this name; NULL when there is none. */
const sn_shape *sn_shape_find(const char *name);
const sn_shape_parameter *sn_shape_parameter_find(const sn_shape *shape, const char *name);

/* ---- For the files of the shapes ---- */

/* Sets the bend around a point: curvature (I - n n^T). */
void sn_bend_round(double curvature, const double n[3], sn_bend *bend);
/* Sets the bend around an edge: e is its unit direction, at a right angle to n. */
void sn_bend_edge(double curvature, const double n[3], const double e[3], sn_bend *bend);

/* Makes room for so many vertices and triangles. */
sn_status sn_drawing_room(sn_drawing *drawing, int vertices, int triangles, sn_error *error);
/* Makes the surface of a rounded box: all points within `radius` of a box with half sizes `half`, turned by R (its
 * columns are the axes of the box). Half sizes of zero give a ball or a capsule; a radius of zero gives a sharp box. */
sn_status sn_drawing_rounded(sn_drawing *drawing, const double half[3], double radius, const double R[9],
                             sn_error *error);

#endif
