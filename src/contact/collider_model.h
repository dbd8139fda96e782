/* A collider as a world uses it: a copy of its options, and its shape with compiled data. This file moves and turns
 * colliders and handles `inside`, in one place for all shapes.
 *
 * A point of the collider that is at y before any motion is at time t at
 *
 *   x = o + p + R (y - p),   o: the offset by the keys,   R: the turn about an axis through the pivot p
 *
 * The surface at x has the velocity  w = o' + spin x (x - p - o).
 *
 * A collider without a turn does not use R. Its results therefore have no rounding errors from a multiplication with
 * R. */
#ifndef SN_CONTACT_COLLIDER_H
#define SN_CONTACT_COLLIDER_H

#include "shape.h"

typedef struct sn_collider_model {
    sn_collider options; /* the model owns keys and mesh */
    const sn_shape *shape;
    void *data;       /* compiled data of the shape */
    double centre[3]; /* origin of the coordinates that the shape uses */
    double bound;     /* radius of a ball around the centre that holds the whole shape; infinite when it is not used */
    double pivot[3];  /* p: a point on the axis of the turn */
} sn_collider_model;

/* The place of a collider at one time. */
typedef struct sn_pose {
    double offset[3], velocity[3]; /* o, o' */
    bool turned;                   /* false: R and spin are not set */
    double R[9], spin[3];          /* spin in rad/s */
} sn_pose;

/* Checks and copies the options. After a failure the model is empty. */
sn_status sn_collider_model_create(sn_context *context, const sn_collider *options, sn_collider_model *collider,
                                   sn_error *error);
void sn_collider_model_destroy(sn_context *context, sn_collider_model *collider);

bool sn_collider_moves(const sn_collider_model *collider);
/* Whether a node can pass through the collider to another side within a step. */
bool sn_collider_can_pass(const sn_collider_model *collider);

void sn_collider_at(const sn_collider_model *collider, double t, sn_pose *pose);
/* The signed gap at x, n = grad gap, and the bend of n (may be NULL). A gap above `reach` need not be exact: the result
 * is then some number between `reach` and the gap, and n and bend are not set. */
double sn_collider_gap(const sn_collider_model *collider, const sn_pose *pose, const double x[3], double reach,
                       double n[3], sn_bend *bend);
/* The velocity w of the collider's point at x. */
void sn_collider_velocity(const sn_collider_model *collider, const sn_pose *pose, const double x[3], double w[3]);
/* `unmove`: the place before any motion of the collider's point that is now at x. `move`: the way back. */
void sn_collider_unmove(const sn_collider_model *collider, const sn_pose *pose, const double x[3], double rest[3]);
void sn_collider_move(const sn_collider_model *collider, const sn_pose *pose, const double rest[3], double x[3]);
/* Whether a node that went from x0 at t0 to x1 at t1 has passed through the collider. The gap at x1 does not show
 * this. */
bool sn_collider_passed(const sn_collider_model *collider, double t0, const double x0[3], double t1,
                        const double x1[3]);

/* The options of the collider at time t: moved and turned, without keys. */
sn_collider sn_collider_shown(const sn_collider_model *collider, double t);
sn_status sn_collider_draw(sn_context *context, const sn_collider_model *collider, sn_drawing **drawing,
                           sn_error *error);

#endif
