/* Colliders: the shapes that bodies meet, by their signed distance.
 *
 * A shape is one file with one table. gap(x) < 0 inside; n = grad gap, unit, points to where the bodies may be; its own gradient is
 * curvature (I - n n^T) (plane 0, sphere from outside 1/r, from inside -1/r). */
#ifndef SN_CONTACT_COLLIDER_H
#define SN_CONTACT_COLLIDER_H

#include "sinew/world.h"

typedef struct sn_shape {
    const char *name;
    sn_status (*check)(const sn_collider *collider, sn_error *error);
    /* `offset`: how far the keys have moved it. */
    double (*gap)(const sn_collider *collider, const double offset[3], const double x[3], double n[3], double *curvature);
    /* Whether the straight way from a to b, both relative to the offset, leads through it from one side to the other. NULL: it never
     * does, the end of the way tells. */
    bool (*passed)(const sn_collider *collider, const double a[3], const double b[3]);
} sn_shape;

extern const sn_shape sn_shape_plane, sn_shape_sphere;
const sn_shape *sn_shape_of(const sn_collider *collider);

/* Checks shape, friction, response and keys. */
sn_status sn_collider_check(const sn_collider *collider, sn_error *error);
/* A collider of its own: normal of length 1, keys copied. Release with sn_collider_release. */
sn_status sn_collider_copy(sn_context *context, const sn_collider *source, sn_collider *collider, sn_error *error);
void sn_collider_release(sn_context *context, sn_collider *collider);
/* Offset and velocity by its keys at time t. */
void sn_collider_at(const sn_collider *collider, double t, double offset[3], double velocity[3]);
/* Whether a node that went from x0 at t0 to x1 at t1 has passed through the collider, so that x1 does not show that they met. */
bool sn_collider_passed(const sn_collider *collider, double t0, const double x0[3], double t1, const double x1[3]);

#endif
