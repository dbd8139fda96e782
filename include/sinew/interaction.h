/* Interactions that the caller supplies: functions that add forces to the bodies of a world, inside its implicit steps.
 *
 *     static void pull(void *user, const sn_interaction_place *place, double *force) {
 *         ...
 *         force[3 * node + 1] -= ...;
 *     }
 *
 *     sn_interaction_table table = sn_interaction_table_default();
 *     snprintf(table.name, sizeof table.name, "magnet");
 *     table.force = pull;
 *     sn_world_add_interaction(world, &table, &magnet, &id, &error);
 *
 * The library calls the functions of the table many times in a step. It asks for forces at every place that Newton's
 * method tries, and for blocks whenever it needs a matrix. The functions must depend only on the place, on the numbers
 * of the interaction and on constants. Otherwise a step cannot be repeated.
 *
 * Vectors have node_count x 3 numbers, where node_count counts the nodes of all bodies. sn_world_node gives the place
 * of a body's node in them. */
#ifndef SINEW_INTERACTION_H
#define SINEW_INTERACTION_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The place at which the library asks for forces. The pointers are valid during the call only. */
typedef struct sn_interaction_place {
    double time;          /* s; in mode "static" the load fraction, 0 to 1 */
    int node_count;       /* nodes of all bodies */
    const double *rest;   /* node_count x 3, m: the rest shape */
    const double *x;      /* node_count x 3, m: positions */
    const double *v;      /* node_count x 3, m/s: velocities. NULL in modes without inertia, and in `end` */
    const double *number; /* number_count: the numbers of the interaction in the state */
} sn_interaction_place;

/* A 3 x 3 block of a matrix between two nodes. */
typedef struct sn_block {
    int32_t row, column; /* nodes: their places in the vectors. Blocks with other numbers are left out */
    double value[9];     /* row by row */
} sn_block;

typedef struct sn_interaction_table {
    uint32_t cookie;  /* set by sn_interaction_table_default; leave it as it is */
    char name[32];    /* not empty; no other part of the world's state may have this name */
    int number_count; /* how many numbers the state keeps for the interaction, at least 0; default 0. They start at
                         zero */
    int block_count;  /* `blocks` writes at most so many blocks to each list, at least 0; default 0 */

    /* Adds forces (N) to `force`, node_count x 3. Must not be NULL. */
    void (*force)(void *user, const sn_interaction_place *place, double *force);

    /* Returns the potential energy (J). The force must be its negative gradient. NULL: there is no energy. */
    double (*energy)(void *user, const sn_interaction_place *place);

    /* Writes the blocks of -df/dx (N/m) to `stiffness` and those of -df/dv (N s/m) to `damping`. Each list has room for
     * block_count blocks. Writes how many blocks it wrote to the two counts, which are 0 before. NULL: no blocks; the
     * steps then treat the force as a constant. A block may couple any two nodes. A pair of nodes needs both blocks,
     * (i, j) and (j, i). */
    void (*blocks)(void *user, const sn_interaction_place *place, sn_block *stiffness, int *stiffness_count,
                   sn_block *damping, int *damping_count);

    /* `begin`: a step begins at the place. `end`: the step has ended there and was accepted, or not. `end` may change
     * the number_count numbers at `number` after an accepted step. Each function may be NULL. */
    void (*begin)(void *user, const sn_interaction_place *place);
    void (*end)(void *user, const sn_interaction_place *place, bool accepted, double *number);
} sn_interaction_table;

/* A table without a name and without functions. */
SN_API sn_interaction_table sn_interaction_table_default(void);

/* Adds an interaction. The table is copied. `user` (may be NULL) is handed to its functions and must live as long as
 * the interaction. *id (`id` may be NULL) gets the number that sn_world_remove_interaction takes. Fails with
 * SN_BAD_INPUT (cookie, name, counts or `force` wrong) or SN_NO_MEMORY. */
SN_API sn_status sn_world_add_interaction(sn_world *world, const sn_interaction_table *table, void *user, int *id,
                                          sn_error *error);

/* Removes an interaction that the caller added. SN_BAD_INPUT when there is none with this id. */
SN_API sn_status sn_world_remove_interaction(sn_world *world, int id, sn_error *error);

/* How well the functions of an interaction agree with each other at the present state. The check compares them with
 * central differences along eight fixed directions. Each number is the largest error relative to the size of the
 * derivative. It is 0 when the interaction has no such function. */
typedef struct sn_interaction_errors {
    double energy;    /* the force against the negative gradient of the energy */
    double stiffness; /* the blocks against -df/dx */
    double damping;   /* the blocks against -df/dv; 0 in modes without inertia */
    double rate;      /* the rate of the force against df/dt; 0 for interactions that the caller supplies */
} sn_interaction_errors;

/* Checks one interaction. `name`: the name of a caller's interaction, or a name of sn_interactions(). Fails with
 * SN_NOT_FOUND (the world has no interaction of this name) or SN_NO_MEMORY. */
SN_API sn_status sn_world_check_interaction(sn_world *world, const char *name, sn_interaction_errors *errors,
                                            sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
