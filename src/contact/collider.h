/* A collider as a world uses it: its options with copies of everything they point to, and its shape with compiled data. Moving, turning
 * and `inside` happen here, in one place for all shapes.
 *
 * A point y of the collider, before anything moves, is at  x = o + p + R (y - p)  at time t: o is the offset by its keys, R its turn about
 * an axis through the pivot p. The surface at x has the velocity  w = o' + spin x (x - p - o).
 *
 * Without a turn there is no R, so that a collider which moves straight keeps the bits of its plain differences. */
#ifndef SN_CONTACT_COLLIDER_H
#define SN_CONTACT_COLLIDER_H

#include "shape.h"

typedef struct sn_collider_model {
    sn_collider options; /* keys and mesh are its own */
    const sn_shape *shape;
    void *data;       /* of the shape */
    double centre[3]; /* origin of the shape's frame */
    double bound;     /* radius around the centre that holds all of it; infinite when that is not worth a look */
    double pivot[3];  /* the axis goes through it */
} sn_collider_model;

/* Where a collider is at a time. */
typedef struct sn_pose {
    double offset[3], velocity[3]; /* o, o' */
    bool turned;                   /* false: R and spin are not set */
    double R[9], spin[3];          /* spin in rad/s */
} sn_pose;

/* Checks and copies. A model that could not be created is empty. */
sn_status sn_collider_model_create(sn_context *context, const sn_collider *options, sn_collider_model *collider, sn_error *error);
void sn_collider_model_destroy(sn_context *context, sn_collider_model *collider);

bool sn_collider_moves(const sn_collider_model *collider);
/* Whether a node can get to another side of it within a step. */
bool sn_collider_can_pass(const sn_collider_model *collider);

void sn_collider_at(const sn_collider_model *collider, double t, sn_pose *pose);
/* The signed gap at x, n = grad gap, and the bend of n (NULL: not wanted). Above `reach` the gap may be any lower bound of itself above
 * `reach`; then n and bend mean nothing. */
double sn_collider_gap(const sn_collider_model *collider, const sn_pose *pose, const double x[3], double reach, double n[3], sn_bend *bend);
/* Velocity w of the collider's point at x. */
void sn_collider_velocity(const sn_collider_model *collider, const sn_pose *pose, const double x[3], double w[3]);
/* From x back to where this point of the collider was before anything moved, and forth. */
void sn_collider_unmove(const sn_collider_model *collider, const sn_pose *pose, const double x[3], double rest[3]);
void sn_collider_move(const sn_collider_model *collider, const sn_pose *pose, const double rest[3], double x[3]);
/* Whether a node that went from x0 at t0 to x1 at t1 has passed through the collider, so that x1 does not show that they met. */
bool sn_collider_passed(const sn_collider_model *collider, double t0, const double x0[3], double t1, const double x1[3]);

/* The collider as it is at t, without keys. */
sn_collider sn_collider_shown(const sn_collider_model *collider, double t);
sn_status sn_collider_draw(sn_context *context, const sn_collider_model *collider, sn_drawing **drawing, sn_error *error);

#endif
