/* Bodies that touch: the data that the responses share. The interaction "contact" (touching.c) owns this data. It makes
 * the surfaces, knows which of them may touch, and keeps the list of contacts, their forces and the events. The
 * responses are interactions that follow it in the list: they fill `rows` and `force`.
 *
 * A step runs like this:
 *   - `begin` of the interaction "contact" moves the surfaces to the start of the step;
 *   - the response finds its rows, and acts on them in the step;
 *   - at the end of an accepted step the response writes the force of each row to `force`;
 *   - then the world can read the list of contacts. */
#ifndef SN_WORLD_TOUCHING_H
#define SN_WORLD_TOUCHING_H

#include "contact/contact_options.h"
#include "contact/touch_rows.h"
#include "contact/touch_surface.h"
#include "interaction_kind.h"

typedef struct sn_touching {
    sn_contact_options options; /* `pair` is a copy of our own */
    int surface_count;          /* 0: bodies do not touch */
    sn_touch_surface **surface; /* surface i belongs to body i */
    int32_t *allowed;           /* pairs of bodies that may touch, a <= b, sorted; NULL: all (see sn_touching_may) */
    int allowed_count;

    sn_touch_rows rows; /* the contacts of the present step, by the response */
    double *force;      /* rows x 3, N: on surface A, at the end of the last step */
    int force_capacity;

    int32_t *pair, *pair_before; /* pairs of bodies that touched at the end of the last step and of the one before */
    int pair_count, pair_before_count, pair_capacity, pair_before_capacity;
    int64_t step; /* to which `pair` belongs */

    sn_status status; /* of `begin`, which cannot fail itself: `settle` returns it */
    sn_error error;
} sn_touching;

/* The data of a world; `surface_count` is 0 when its bodies do not touch. */
sn_touching *sn_world_touching(const sn_world *world);
/* Whether surfaces a and b may touch; a may be equal to b. */
bool sn_touching_may(const sn_touching *touching, int a, int b);
/* The default stiffness of contact, Pa/m (sn_contact_stiffness). */
double sn_touching_stiffness(const sn_world *world, const sn_touching *touching);
/* The mass of a row of the world's contacts, kg: 1 / m = sum_k w_k^2 / m_k. */
double sn_touching_mass(const sn_world *world, const sn_touch_row *row);
/* The rows of a step were found: makes room for the force of each row, and sets the forces to zero. On failure there
 * are no rows. */
sn_status sn_touching_forces(sn_touching *touching, sn_error *error);
/* The forces of an accepted step are known: takes the pairs that touch, for the events. It cannot fail when
 * sn_touching_forces made the room. */
sn_status sn_touching_finish(sn_touching *touching, sn_error *error);

/* angular.c: gives free bodies the angular momentum back that a step of implicit Euler took from them: that of the
 * forces inside the bodies, and that of forces f (3 per node) that have no torque together about the places `place`. */
sn_status sn_angular_restore(sn_world *world, const sn_trial *trial, sn_error *error);
void sn_angular_give(const sn_world *world, const sn_trial *trial, const double *place, const double *f);
/* The same for the forces that hold rigid bodies together. f: the force on the nodes in the solution of the step. */
void sn_angular_give_rigid(const sn_world *world, const sn_trial *trial, const double *f);
/* Whether the steps of a world lose angular momentum in this way. */
bool sn_angular_lost(const sn_world *world);

#endif
