/* Contact between bodies: which bodies touch each other, and how they respond.
 *
 *     sn_world_options options = sn_world_options_default();
 *     options.contact.use = true;
 *     options.contact.friction = 0.5;
 *
 * Without `use`, bodies pass through each other; they only touch colliders. A body touches with its detailed surface
 * (sn_body_options.surface) when it has one, and with the boundary of its mesh otherwise. SI units. */
#ifndef SINEW_CONTACT_H
#define SINEW_CONTACT_H

#include <stdbool.h>

#include "base.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ---- */

/* Two bodies that touch each other, by name. Twice the same name: the body touches itself. */
typedef struct sn_contact_pair {
    char body[2][64];
} sn_contact_pair;

typedef struct sn_contact_options {
    uint32_t cookie; /* set by sn_contact_options_default(); a struct without it is refused */
    bool use;        /* bodies touch each other; default false. Without it the other fields have no effect */

    /* The pairs that touch. NULL with a count of 0 (default): each body touches each other one. The caller's array is
     * copied. */
    const sn_contact_pair *pair;
    int pair_count; /* at least 0; default 0 */

    bool self;     /* each body also touches itself; default false */
    bool untangle; /* response "exact": cloth that starts with intersections is parted before the first step, when it
                      can be; default false: such a start is refused */
    char response[32]; /* a name of sn_contact_responses(); default "area", also for "". Cloth needs "exact" */
    double friction;   /* Coulomb's coefficient, at least 0; default 0.3 */

    /* Responses "penalty" and "exact": m, at least 0; default 0. Surfaces touch when they are nearer than this. 0:
     * "exact" chooses a small distance, and "penalty" acts when the surfaces intersect. "area" takes only 0. Cloth
     * adds the thickness of its body. */
    double thickness;

    /* Response "penalty": pressure per depth, Pa/m, at least 0. 0 (default): from the stiffness, size and weight of the
     * bodies. */
    double stiffness;

    double damping; /* response "penalty": part of the critical damping of a contact, at least 0; default 0.1 */

    double
        relaxation; /* response "area": the part of the depth that a step takes away, above 0, at most 1; default 0.1 */
} sn_contact_options;

SN_API sn_contact_options sn_contact_options_default(void);

/* Checks names and ranges. SN_BAD_INPUT when one is wrong. Whether the bodies of the pairs exist is checked by
 * sn_world_create. */
SN_API sn_status sn_contact_options_check(const sn_contact_options *options, sn_error *error);

/* The responses: what happens where bodies touch. `count` may not be NULL. */
SN_API const sn_listing *sn_contact_responses(int *count);

/* ---- Looking ---- */

/* A place where body[0] touches body[1], as the last step left it. */
typedef struct sn_contact {
    int body[2];      /* equal for self-contact */
    double point[3];  /* m: on the surface of body[0] */
    double normal[3]; /* unit length, from body[1] to body[0] */
    double gap;       /* m along the normal; below 0: the surfaces intersect */
    double area;      /* m^2 */

    /* N: the force of this contact on body[0] at the end of the last step; the opposite force acts on body[1]. */
    double force[3];
} sn_contact;

/* Two bodies began to touch in the last step, or they do not touch any more. */
typedef struct sn_contact_event {
    int body[2]; /* body[0] <= body[1] */
    bool began;  /* false: the contact has ended */
} sn_contact_event;

#ifdef __cplusplus
}
#endif
#endif
