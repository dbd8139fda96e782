/* The memory of materials with a Prony series (fem/prony.h), in a world.
 *
 * The state keeps the memory itself. The workspace keeps the stress at the begin of the step and the recalled stress at
 * the present time; both can be computed again from the state. */
#ifndef SN_WORLD_MEMORY_H
#define SN_WORLD_MEMORY_H

#include <stdbool.h>

#include "sinew/world.h"

typedef struct sn_memory {
    double *before;   /* stress without rotation at the begin of the present part of the step */
    double *recalled; /* the recalled stress; what the element kernels read */
    double begin;     /* s: the time of `before` */
    bool current;     /* `recalled` belongs to the present settings of the elements */
} sn_memory;

/* Room for the memory of a solid; both arrays stay NULL when no material has a series. */
sn_status sn_memory_create(sn_context *context, int64_t recalled_size, sn_memory *memory, sn_error *error);
void sn_memory_destroy(sn_context *context, sn_memory *memory);

/* The bodies went suddenly from rest to the present positions, at the present time. */
void sn_memory_start(sn_world *world);
/* Nothing is remembered: the bodies have been in the present positions for ever. */
void sn_memory_forget(sn_world *world);
/* The state was restored, or the parameters have changed: computes the workspace again. */
void sn_memory_refresh(sn_world *world);

/* Brings moduli and recalled stress to time t, for forces at this time. In mode "static" the time is infinite. */
void sn_memory_reach(sn_world *world, double t);
/* A part of a step begins at time t, or it was accepted with the positions x and velocities v at time t. */
void sn_memory_begin(sn_world *world, double t);
void sn_memory_accept(sn_world *world, double t, const double *x, const double *v);

/* Adds the rate at which the forces at (t, x) change because the materials relax. */
void sn_memory_rate(sn_world *world, double t, const double *x, double *rate);
/* The elastic energy: that of the stress which stays for ever, and that of the memory by the moduli at rest. */
sn_status sn_memory_energy(sn_world *world, double *energy, sn_error *error);

#endif
