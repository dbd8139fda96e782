/* Interactions that the caller supplies: forces of your own on the bodies of a world, inside of its implicit steps.
 *
 *     static void pull(void *user, const sn_interaction_place *place, double *force) { ... force[3 * node + 1] -= ...; }
 *
 *     sn_interaction_table table = sn_interaction_table_default();
 *     snprintf(table.name, sizeof table.name, "magnet");
 *     table.force = pull;
 *     sn_world_add_interaction(world, &table, &magnet, &id, &error);
 *
 * The library calls the functions of the table many times in a step: forces at every place that Newton's method tries, blocks where it
 * takes a matrix. They must depend on nothing but the place, the interaction's own numbers and constants, or a step cannot be repeated.
 * Vectors have node_count x 3 numbers; sn_world_node tells where a body's node is in them. */
#ifndef SINEW_INTERACTION_H
#define SINEW_INTERACTION_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where forces are taken. */
typedef struct sn_interaction_place {
    double time; /* s; the load fraction in statics */
    int node_count;
    const double *rest;   /* node_count x 3, m */
    const double *x;      /* node_count x 3, m */
    const double *v;      /* node_count x 3, m/s; NULL in modes without inertia */
    const double *number; /* the interaction's own numbers */
} sn_interaction_place;

/* A 3 x 3 block of a matrix between two nodes, row by row. */
typedef struct sn_block {
    int32_t row, column;
    double value[9];
} sn_block;

typedef struct sn_interaction_table {
    uint32_t cookie;  /* set by sn_interaction_table_default */
    char name[32];    /* not empty, and unlike the other interactions of the world */
    int number_count; /* numbers of its own in the state, at least 0 (default 0): they are zero at first, and saved and restored with it */
    int block_count;  /* most blocks that `blocks` writes to each list, at least 0; default 0 */
    /* Adds forces (N) to `force`, node_count x 3. Must be there. */
    void (*force)(void *user, const sn_interaction_place *place, double *force);
    /* The potential energy (J) whose negative gradient the force is; NULL: there is none. */
    double (*energy)(void *user, const sn_interaction_place *place);
    /* Writes blocks of -df/dx (N/m) and of -df/dv (N s/m), and how many. NULL: none; the steps then see the force as a constant. Blocks
     * between nodes that share no element have no place in the assembled matrix and are left out of it. */
    void (*blocks)(void *user, const sn_interaction_place *place, sn_block *stiffness, int *stiffness_count, sn_block *damping,
                   int *damping_count);
    /* A step begins at the place; it has ended there, accepted or not. `end` may change the numbers (number_count of them) of an accepted
     * step. Each may be NULL. */
    void (*begin)(void *user, const sn_interaction_place *place);
    void (*end)(void *user, const sn_interaction_place *place, bool accepted, double *number);
} sn_interaction_table;

SN_API sn_interaction_table sn_interaction_table_default(void);
/* Adds an interaction; the table is copied, `user` is handed to its functions. *id (may be NULL) names it. */
SN_API sn_status sn_world_add_interaction(sn_world *world, const sn_interaction_table *table, void *user, int *id, sn_error *error);
SN_API sn_status sn_world_remove_interaction(sn_world *world, int id, sn_error *error);

/* How well the functions of an interaction agree with each other at the present state, by central differences along eight fixed
 * directions. Each number is the largest error relative to the size of the derivative; 0 where the interaction has no such function. */
typedef struct sn_interaction_errors {
    double energy;    /* of the force, as the negative gradient of the energy */
    double stiffness; /* of the blocks -df/dx */
    double damping;   /* of the blocks -df/dv */
    double rate;      /* of df/dt */
} sn_interaction_errors;
/* `name`: of a caller's interaction, or one of sn_interactions(). SN_NOT_FOUND when the world has none of that name. */
SN_API sn_status sn_world_check_interaction(sn_world *world, const char *name, sn_interaction_errors *errors, sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
