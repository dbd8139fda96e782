/* The state: one block of plain numbers. The result of the next step depends, bit for bit, on the state (and on model
 * and parameters).
 *
 * The block consists of named parts. The names and sizes of the parts are the layout; only state.c knows it. A state is
 * copied as a whole to a state of the same layout. To a state of another layout each part is copied that has the same
 * name and size in both.
 *
 * The part "memory" is large and changes as a whole in every step. So it lies in a second, separate block: a step
 * writes the new memory to the block of another state and exchanges the two blocks (memory.h). */
#ifndef SN_WORLD_STATE_H
#define SN_WORLD_STATE_H

#include <stdbool.h>

#include "base/context.h"
#include "sinew/world.h"

typedef struct sn_part {
    char name[32];
    int64_t begin, count; /* in doubles, from the start of the whole state */
} sn_part;

typedef struct sn_state {
    double time; /* s; in mode "static" the load fraction */
    int64_t steps;
    double base_time; /* time = base_time + (steps - base_steps) step; a sum of steps would collect rounding errors */
    int64_t base_steps;
    int part_count;
    sn_part *part;
    int64_t count; /* how many doubles the state has, with the memory */
    double *value; /* all parts but the memory */
    /* Pointers to parts of `value`: */
    double *x, *v;   /* "positions" (m), "velocities" (m/s): nodes x 3, compiled numbers */
    double *a;       /* "accelerations": change of v in the last step, over the length of the step; for reactions */
    double *history; /* "history": numbers that the integrator keeps */
    double *frame;   /* "frames": of elements that keep theirs for a time; aligned to 64 bytes */
    double *vertex_frame; /* "vertex-frames": nodes x 9, of warped vertices */
    double *rotation;     /* "rotations": of elements whose rotation depends on its past; aligned to 64 bytes */
    /* Where in `value` the numbers of interactions begin that a step can change, and how many there are. A step changes
     * these, all numbers after them, positions and velocities. */
    int64_t own, own_count;
    int64_t history_count, rotation_count, frame_count, vertex_frame_count;
    double *memory; /* "memory": of materials with a Prony series; aligned to 64 bytes; NULL when it is empty */
    int64_t memory_begin, memory_count; /* of this part */
} sn_state;

/* Makes a state at rest, with the layout that the world's interactions, method and solid need. */
sn_status sn_state_create(const sn_world *world, sn_state *state, sn_error *error);
void sn_state_destroy(sn_context *context, sn_state *state);
/* Copies all numbers. Both states have the same layout. */
void sn_state_copy(const sn_context *context, const sn_state *from, sn_state *to);
/* Copies the numbers that a step can change, without the memory. */
void sn_state_copy_motion(const sn_context *context, const sn_state *from, sn_state *to);
/* Copies all numbers to or from `numbers`, in the order of the parts. */
void sn_state_write(const sn_state *state, void *numbers);
void sn_state_read(sn_state *state, const void *numbers);
/* Copies between layouts: time, counters, and all parts that have the same name and size in both. */
void sn_state_carry(const sn_state *from, sn_state *to);
/* The numbers of a part; NULL when there is no part of this name. */
double *sn_state_part(const sn_state *state, const char *name);
void sn_state_forget(sn_state *state, const char *name); /* sets a part to zero */
/* Whether time, positions and velocities of all nodes are finite. */
bool sn_state_finite(const sn_context *context, const sn_state *state);

/* Replaces the state of the world by `state`, which the world then owns, and tells the interactions where their numbers
 * are. */
void sn_world_adopt(sn_world *world, sn_state *state);
/* Call this after a change of the layout. Makes a new state and carries the old one over (sn_state_carry). */
sn_status sn_world_relayout(sn_world *world, sn_error *error);
/* Sets the rotations as if the elements had gone straight from rest to the present positions, and takes all frames
 * there. */
void sn_world_rotations(sn_world *world);
/* Takes the frames anew, at x, that are due on the way from time `from` to `to` (sn_frames_due). Returns whether any
 * was due. */
bool sn_world_frames(sn_world *world, double from, double to, const double *x);

#endif
