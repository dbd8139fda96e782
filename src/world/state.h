/* The state: everything the next step's bits depend on, one block of plain numbers.
 *
 * The block consists of named parts. Their names and sizes are the layout; this is the only place that knows it. A state is copied as a
 * whole; between two layouts it is carried over part by part, by name and size. */
#ifndef SN_WORLD_STATE_H
#define SN_WORLD_STATE_H

#include <stdbool.h>

#include "base/context.h"
#include "sinew/world.h"

typedef struct sn_part {
    char name[32];
    int64_t begin, count; /* doubles */
} sn_part;

typedef struct sn_state {
    double time; /* s; the load fraction in statics */
    int64_t steps;
    double base_time; /* time = base_time + (steps - base_steps) step, so that it does not drift */
    int64_t base_steps;
    int part_count;
    sn_part *part;
    int64_t count; /* doubles of `value` */
    double *value;
    /* Into `value`: */
    double *x, *v;     /* "positions", "velocities": compiled, x 3 */
    double *a;         /* "accelerations": change of v over the last step by its length, for reactions */
    double *history;   /* "history": of the integrator */
    double *rotation;  /* "rotations": of elements whose rotation has a past; aligned to 64 bytes */
    int64_t own;       /* where the numbers of the interactions begin, */
    int64_t own_count; /* and how many there are */
    int64_t history_count, rotation_count;
} sn_state;

/* A state of the size that the world's interactions, method and solid ask for, at rest. */
sn_status sn_state_create(const sn_world *world, sn_state *state, sn_error *error);
void sn_state_destroy(sn_context *context, sn_state *state);
/* Between states of one layout. */
void sn_state_copy(const sn_context *context, const sn_state *from, sn_state *to);
/* Between layouts: counters, and all parts that have the same name and size in both. */
void sn_state_carry(const sn_state *from, sn_state *to);
/* The numbers of a part; NULL when there is none of the name. */
double *sn_state_part(const sn_state *state, const char *name);
void sn_state_forget(sn_state *state, const char *name); /* sets a part to zero */
bool sn_state_finite(const sn_state *state, int nodes);

/* Puts a new state in the place of the world's, and tells the interactions where their numbers are. Takes `state` over. */
void sn_world_adopt(sn_world *world, sn_state *state);
/* The layout has changed: a new state that carries over what it can. */
sn_status sn_world_relayout(sn_world *world, sn_error *error);
/* The rotations' path from rest to the present positions. */
void sn_world_rotations(sn_world *world);

#endif
