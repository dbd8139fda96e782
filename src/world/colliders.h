/* The colliders of a world and the nodes that may touch them. The two responses, collider_penalty.c and
 * collider_projection.c, share this data. */
#ifndef SN_WORLD_COLLIDERS_H
#define SN_WORLD_COLLIDERS_H

#include "contact/penalty.h"
#include "contact/projection.h"
#include "sinew/world.h"

typedef struct sn_colliders {
    int count, next_id;
    int *id;
    sn_collider_model *collider;
    sn_penalty *penalty;    /* per collider: stiffness, damping, friction */
    sn_contact_nodes point; /* what may touch a collider; empty without colliders. See sn_contact_points_create */
    sn_contact_nodes node;  /* those points that are nodes: the first ones of `point` */
    int core_count;         /* how many of the nodes belong to rigid cores; they are the last nodes */
    sn_carried carried;     /* the other points: vertices of detailed surfaces */
    sn_contact_nodes bare; /* what "spring-damper" meets: the surface nodes of all bodies, whose constants are per node.
                              First the nodes under detailed surfaces, then `node`; the lists share their memory */
} sn_colliders;

/* The colliders of the world; NULL before they are made. */
sn_colliders *sn_world_colliders(const sn_world *world);
/* colliders.c: `create` makes the list from the options; `adapt` renews stiffness and masses after an edit. */
sn_status sn_colliders_create(sn_world *world, const sn_world_options *options, sn_colliders **colliders,
                              sn_error *error);
void sn_colliders_destroy(sn_world *world, sn_colliders *colliders);
void sn_colliders_adapt(const sn_world *world, sn_colliders *colliders);
/* The default stiffness of contact springs, Pa/m: ten times the stiffness of the material behind a surface node,
 * (lambda + 2 mu) / l, where l is the square root of `area`, the mean area of a node. It is at least so large that the
 * weight of a body presses it in by less than a thousandth of its size. */
double sn_contact_stiffness(const sn_world *world, double area);
/* The points that a collider pushes with penalty forces. With the response "penalty" these are all points. With
 * "projection" these are the nodes of rigid cores and the vertices of detailed surfaces: the nodes of a core, and the
 * nodes that carry several vertices, cannot be constrained one by one. */
sn_contact_nodes sn_colliders_pushed(const sn_colliders *colliders, int collider);

/* How many steps were taken again because contacts had changed. */
int64_t sn_world_contact_repeats(const sn_world *world);
/* The points that a collider may meet, pushed or constrained. */
const sn_contact_nodes *sn_colliders_met(const sn_colliders *colliders, int collider);
/* contact_nodes.c: fills `point`, `node`, `core_count`, `carried` and `bare`. A body with a detailed surface touches
 * with the vertices of that surface, any other body with its surface nodes. First come the nodes, those of rigid cores
 * last, then the vertices. */
sn_status sn_contact_points_create(const sn_world *world, sn_colliders *colliders, sn_error *error);
void sn_contact_points_release(const sn_world *world, sn_colliders *colliders);
/* Renews the masses of the points after an edit. */
void sn_contact_points_weigh(const sn_world *world, sn_colliders *colliders);
/* collider_projection.c: call this after the list has moved in memory. */
void sn_projection_follow(sn_world *world);
/* collider_penalty.c, collider_projection.c: make scratch and numbers for the present list. */
sn_status sn_penalty_fit(sn_world *world, sn_error *error);
sn_status sn_projection_fit(sn_world *world, sn_error *error);

#endif
