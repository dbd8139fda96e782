/* The workspace: the linear solver and scratch memory. Everything in it can be rebuilt at any time; then the next steps
 * may differ in the last digits. A saved state holds the parts that matter (history.c). */
#ifndef SN_WORLD_WORKSPACE_H
#define SN_WORLD_WORKSPACE_H

#include "linear/solver.h"
#include "memory.h"
#include "solid.h"
#include "state.h"
#include "time/system.h"

/* `base` comes first in these structs, so that the functions of their tables can cast a pointer to it. */
typedef struct sn_world_linearisation {
    sn_linearisation base;
    sn_world *world;
} sn_world_linearisation;

typedef struct sn_world_system {
    sn_system base;
    sn_world *world;
    sn_world_linearisation linearisation;
} sn_world_system;

typedef struct sn_workspace {
    sn_world_system system;
    sn_linear *linear;
    sn_block_list stiffness, damping; /* blocks that the interactions add to the matrices of the elements */
    sn_memory memory;                 /* of materials with a Prony series */
    /* nodes x 3: the force of the elements at the place of the last evaluation, and that place. A request at the same
     * place, with nothing changed since, takes the force from here. The numbers of the place are compared. A promise of
     * the integrator instead could be wrong without anybody noticing; the comparison takes 0.14 % of a step of 50,625
     * tets (AMD EPYC with AVX-512, one thread). */
    double *inside, *inside_x, *inside_v;
    bool inside_known;
    double *x_before;         /* nodes x 3: positions after the last accepted part of a step */
    double *external;         /* nodes x 3: external forces */
    double *force;            /* nodes x 3: a force vector for short use */
    double *scaled, *product; /* nodes x 3: vectors for short use */
    double *partial;          /* one double per chunk of elements, for sums */
    double *scratch;          /* scratch of the integration method */
    sn_state before;          /* the state when the step began */
    double *own_before;       /* the numbers of the interactions when the present part of the step began */
    int own_capacity;
    double began;             /* s: when the present part of the step began */
    double force_scale;       /* N: the size of the forces at the last evaluation */
    double force_calm;        /* N: the same without steep forces */
    bool constraints_changed; /* statics must check again that all bodies are held */
} sn_workspace;

sn_status sn_workspace_create(sn_world *world, sn_error *error);
void sn_workspace_destroy(sn_world *world);
/* Makes a linear solver for a solid, with the options of the world. */
sn_status sn_workspace_linear(const sn_world *world, const sn_solid *solid, sn_linear **linear, sn_error *error);
/* SN_UNSUPPORTED when steps of the method would refuse these options of the solver. */
sn_status sn_workspace_allows(const sn_world *world, const sn_solver_options *solver, const sn_method *method,
                              sn_error *error);
/* Brings everything that can be rebuilt to the condition of a program that has just started. */
void sn_workspace_refresh(sn_world *world);
/* The history (history.c): the part of the workspace that the bits of the next step depend on, as bytes of an archive.
 * A reader has refreshed the workspace before. Only a world with the same key can use a history. */
sn_status sn_history_visit(sn_world *world, sn_archive *archive, sn_error *error);
uint64_t sn_history_key(const sn_world *world);
/* Drops the matrices that were kept from the last steps. */
void sn_workspace_forget(sn_world *world);
/* Makes scratch for the method in use, room for the blocks of all interactions, and the backup of the state. */
sn_status sn_workspace_fit(sn_world *world, sn_error *error);

#endif
