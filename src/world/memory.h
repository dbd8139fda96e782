/* The memory of materials with a Prony series (fem/prony.h), in a world.
 *
 * The state keeps the memory itself. The workspace keeps the stress at the begin of the step and the recalled stress at
 * the present time; both can be computed again from the state.
 *
 * A step must not cost a pass over the elements more because of its memory. The force at the end of a step and the
 * force of the next step at the same place differ, because the material forgets. So one pass computes both and the new
 * memory, ahead of the end of the step; when the step is accepted at this place, the new arrays take the place of the
 * old ones. Which evaluation will be the last one of a step is guessed: as many as in the last step. A wrong guess
 * costs time and changes no bits. */
#ifndef SN_WORLD_MEMORY_H
#define SN_WORLD_MEMORY_H

#include <stdbool.h>

#include "fem/batch.h"
#include "sinew/world.h"

typedef struct sn_memory {
    double *before;   /* stress without rotation at the begin of the present part of the step */
    double *recalled; /* the recalled stress; what the element kernels read */
    double begin;     /* s: the time of `before` */
    bool current;     /* `recalled` belongs to the present settings of the elements */
    bool read;        /* `recalled` was read in the present part, so that the next part will probably read it too */
    /* What comes after the present part, if it ends at workspace.inside_x: `before`, `recalled` and workspace.inside.
     * The memory itself is in workspace.before. */
    double *next_before, *next_recalled, *next_inside;
    bool ahead;          /* they are known, as long as workspace.inside is */
    bool ahead_recalled; /* next_recalled too */
    bool guarded;        /* workspace.before has the memory at the begin of the step, because a part was accepted */
    int evaluations;     /* of the force in the present part */
    int expected; /* evaluations until the force at the end of a part is known, as in the last part; 0: it was not */
} sn_memory;

/* Room for the memory of a solid with so many nodes; all arrays stay NULL when no material has a series. */
sn_status sn_memory_create(sn_context *context, const sn_elements_model *elements, int nodes, sn_memory *memory,
                           sn_error *error);
void sn_memory_destroy(sn_context *context, sn_memory *memory);

/* The bodies went suddenly from rest to the present positions, at the present time. */
void sn_memory_start(sn_world *world);
/* Nothing is remembered: the bodies have been in the present positions for ever. */
void sn_memory_forget(sn_world *world);
/* The state was restored, or the parameters have changed: computes the workspace again. */
void sn_memory_refresh(sn_world *world);

/* Brings the moduli to time t, for forces at this time. In mode "static" the time is infinite. */
void sn_memory_reach(sn_world *world, double t);
/* Brings the recalled stress to the time of the moduli. Steps of many materials never read it: their one evaluation per
 * step takes it from the terms. */
void sn_memory_recall(sn_world *world);
/* A step begins; or it has failed, and the memory is again that of its begin. */
void sn_memory_guard(sn_world *world);
void sn_memory_restore(sn_world *world);
/* A part of a step begins at time t, or it was accepted with the positions x and velocities v at time t. */
void sn_memory_begin(sn_world *world, double t);
void sn_memory_accept(sn_world *world, double t, const double *x, const double *v);
/* A step has ended at the time of the state, which differs from the sum of its parts by rounding. A restored world has
 * only this time, and the moduli must be the same. */
void sn_memory_end(sn_world *world);
/* Whether the evaluation of the force that begins now shall look ahead; then `view` is told to. */
bool sn_memory_look_ahead(sn_world *world, sn_memory_arrays *arrays, sn_element_view *view);

/* Adds the rate at which the forces at (t, x) change because the materials relax. */
void sn_memory_rate(sn_world *world, double t, const double *x, double *rate);
/* The elastic energy: that of the stress which stays for ever, and that of the memory by the moduli at rest. */
sn_status sn_memory_energy(sn_world *world, double *energy, sn_error *error);

#endif
