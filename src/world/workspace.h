/* The workspace: solver and scratch. Everything in it can be rebuilt at any time. */
#ifndef SN_WORLD_WORKSPACE_H
#define SN_WORLD_WORKSPACE_H

#include "linear/solver.h"
#include "solid.h"
#include "state.h"
#include "time/system.h"

typedef struct sn_world_linearisation {
    sn_linearisation base; /* first: the functions of the table cast */
    sn_world *world;
} sn_world_linearisation;

typedef struct sn_world_system {
    sn_system base; /* first: the functions of the table cast */
    sn_world *world;
    sn_world_linearisation linearisation;
} sn_world_system;

typedef struct sn_workspace {
    sn_world_system system;
    sn_linear *linear;
    sn_block_list stiffness, damping; /* of the linearisation, beside the elements */
    double *vertex_rotation;          /* of warped nodes, x 9; NULL without warping */
    double *x_before;                 /* positions at the last accepted (sub)step */
    double *external;                 /* forces */
    double *force;
    double *scaled, *product; /* vectors for short use */
    double *partial;          /* chunk_count doubles */
    double *scratch;          /* of the method */
    sn_state before;          /* the state when the step began */
    double *own_before;       /* the interactions' numbers when the part of a step began */
    int own_capacity;
    double force_scale;
    bool constraints_changed; /* the rigid modes of statics are to be checked again */
} sn_workspace;

sn_status sn_workspace_create(sn_world *world, sn_error *error);
void sn_workspace_destroy(sn_world *world);
/* A solver for a solid, with the options of the world. */
sn_status sn_workspace_linear(const sn_world *world, const sn_solid *solid, sn_linear **linear, sn_error *error);
/* Room for the frames of warped nodes of a solid; NULL without warping. */
sn_status sn_workspace_frames(const sn_world *world, const sn_solid *solid, double **rotation, sn_error *error);
/* Everything rebuildable as in a fresh process. */
void sn_workspace_refresh(sn_world *world);
/* The matrices kept from the last steps no longer serve. */
void sn_workspace_forget(sn_world *world);
/* Scratch for the method in use, room for the blocks of all interactions, and the backup of the state. */
sn_status sn_workspace_fit(sn_world *world, sn_error *error);
/* Takes the frames of warped nodes at x. */
void sn_workspace_warp(sn_world *world, const double *x);

#endif
