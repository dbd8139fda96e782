/* Adaptive bodies: bodies whose elements are the leaves of a forest (mesh/forest.h). A world may have several, beside
 * any others.
 *
 * Positions, velocities and everything that acts on a body keep the numbers of the finest mesh. Of the nodes of an
 * adaptive body, those that are free in the active set are unknowns. All others are slaves: hanging nodes and nodes
 * that no active tet uses. A slave has the mean of its two parents, level by level, x = T u. Forces on slaves go to
 * their parents, f_u = T^T f. The nodes of other bodies are all unknowns.
 *
 * The elements, the matrix and the vectors of the linear solver have compact numbers: the nodes of other bodies and
 * those that active tets use, in ascending order. Hanging nodes are slaves there too (linear/matrix/slaves.h). So a
 * solve costs in proportion to the active tets. With frozen details slaves lie beside the means: x = T u + d
 * (adaptive_details.c). The functions sn_world_... below stand between both numberings; in worlds without adaptive
 * bodies they pass the call on.
 *
 * The mass of a free node is its row sum, the lumped mass of the finest mesh given to the parents: T^T m. A change of
 * the active set keeps the total mass and the momentum exactly. */
#ifndef SN_WORLD_ADAPTIVE_H
#define SN_WORLD_ADAPTIVE_H

#include "interaction_kind.h"
#include "linear/krylov/span.h"
#include "linear/matrix/slaves.h"
#include "linear/solver.h"
#include "mesh/forest.h"
#include "sinew/world.h"
#include "time/system.h"

/* What a change leaves as it was: elements and rows of the matrix. It is of use while the next set is compiled. */
typedef struct sn_kept {
    const struct sn_solid *before; /* NULL: nothing is kept */
    int64_t *place;                /* leaf_count: the place of the same tet in the elements before; -1: it is new */
    int32_t *row;                  /* count: the node before that has the same row of the matrix; -1: a new row */
    int32_t *node;                 /* nodes before: their numbers now; -1: no longer in use */
} sn_kept;

/* The active set in the numbers of elements and solver; it belongs to the solid. Compiled again after each change.
 * Here the elements of other bodies are leaves too: each stands for itself. */
typedef struct sn_active {
    int leaf_count;
    int32_t *begin;    /* bodies + 1: the leaves of body b are begin[b] .. begin[b + 1] - 1 */
    int64_t *corner;   /* bodies + 1: the place of its first node in `node` */
    int32_t *node;     /* nodes of the leaves, compact */
    int32_t *material; /* leaf_count: the material of most of its finest elements */
    int64_t *label;    /* leaf_count: the first of its finest elements, for messages */
    int32_t *leaf;     /* per finest element: its leaf; -1: of a rigid body */
    uint8_t *depth;    /* leaf_count: levels between it and the finest */
    int32_t *first;    /* leaf_count: the first of its finest elements with its material */
    sn_kept kept;      /* what the set before gives to this one */
    int count;         /* compact nodes */
    int32_t *full;     /* count: the compiled number of each, ascending */
    int32_t *compact;  /* per compiled number; -1: no active tet uses the node */
    sn_slaves hanging; /* compact */
    int slave_count;
    int32_t (*slave)[3]; /* slave_count: node and parents, compiled; parents come before their children */
    uint8_t *slaved;     /* per compiled number: 1 for a slave */
    double *rest;        /* count x 3 */
    double *mass;        /* count: kg, 0 for hanging nodes */
    double *rayleigh;    /* count; NULL: none */
} sn_active;

/* One adaptive body. */
typedef struct sn_adaptive_body {
    int body;
    sn_adapt options; /* without the selector */
    sn_forest forest;
    uint8_t *kept; /* forest.count: 1 for tets that the selector keeps refined */
    /* Changes (adaptive_change.c). */
    int32_t *quiet;        /* forest.count: checks in a row with a measure below the lower threshold */
    uint8_t *wanted;       /* forest.count: scratch */
    double *value;         /* finest tets: scratch, the measures of the leaves */
    double *value_of;      /* all tets: scratch */
    int32_t *coarse;       /* forest.count: scratch */
    struct sn_keyed *fine; /* forest.count: scratch */
    int coarse_count, fine_count;
    sn_adapt_report report;
    /* Frozen details (adaptive_details.c): scratch; NULL: details are dropped. */
    double *frame;   /* forest.count x 9 */
    uint8_t *framed; /* forest.count */
} sn_adaptive_body;

/* The adaptive bodies of a world, and what they share. */
typedef struct sn_adaptive {
    int count;
    sn_adaptive_body *body;           /* ascending */
    double *weight;                   /* scratch: per compiled number */
    double *x, *v, *force, *next;     /* compact vectors; room for all nodes */
    double *right, *solution;         /* the same */
    double *direction[SN_SPAN];       /* the same */
    sn_block_list stiffness, damping; /* the blocks of the interactions at free nodes, compact */
    int32_t *held;                    /* nodes and projections of the compact filter */
    double *projection;
    int group_capacity;
    sn_filter_group *group; /* the groups of the compact filter */
    int32_t *group_node;    /* their nodes */
    sn_filter filter;
    double *offset;   /* per compiled number x 3: d of adaptive_details.c, 0 for free nodes; NULL: no body freezes */
    double *room;     /* 7 numbers per compiled number: scratch */
    double *impulse;  /* the same place: 3 numbers */
    uint8_t *touched; /* per compiled number: scratch */
} sn_adaptive;

/* The adaptive body with this number in the world; NULL: it is none. */
sn_adaptive_body *sn_adaptive_find(const sn_world *world, int body);
/* Whether a measure changes the active set of the body. */
bool sn_adaptive_measures(const sn_adaptive_body *body);
/* The adaptive body to which a node belongs; NULL: none. */
sn_adaptive_body *sn_adaptive_at(const sn_world *world, int32_t node);
/* What a node is at present; nodes of other bodies are free. */
sn_node_kind sn_adaptive_kind(const sn_world *world, int32_t node);
/* Makes world->adaptive if a body has levels to adapt, with the tets that its selector refines. */
sn_status sn_adaptive_create(sn_world *world, const sn_world_options *options, sn_error *error);
void sn_adaptive_destroy(sn_world *world);
/* SN_UNSUPPORTED when an adaptive world does not go with the mode or the solver. */
sn_status sn_adaptive_allows(const sn_world *world, const sn_solver_options *solver, sn_error *error);
/* The same of elements that keep something from step to step. */
sn_status sn_adaptive_allows_elements(const sn_elements_model *elements, bool warps, sn_error *error);

/* adaptive_change.c: after a step: changes the active set if the measures ask for it. */
sn_status sn_adaptive_step(sn_world *world, sn_error *error);
/* Writes the active set to the state, and takes it from there. */
void sn_adaptive_note(const sn_world *world);
sn_status sn_adaptive_restore(sn_world *world, sn_error *error);
/* adaptive_details.c: the slaves of a new set, or at new positions: they go between their parents, or their places
 * become details. */
void sn_details_settle(sn_world *world);
/* The state was restored; and a step was taken. */
void sn_details_restore(sn_world *world);
void sn_details_step(sn_world *world);
/* Places the slaves by their details and the rotations of their tets. Returns whether some detail has turned. */
bool sn_details_turn(sn_world *world);
/* adaptive_measure.c: the measures of all leaves of a body at the present state. room: 7 numbers per compact node. */
void sn_adaptive_measure(const sn_world *world, const sn_adaptive_body *body, double *room, double *value);
/* The deformation gradient of a tet, row-major. Returns its volume at rest. */
double sn_tet_gradient(const double *rest, const double *x, const int32_t node[4], double F[9]);
/* parameters.c: compiles the elements and the solver again for another active set. `carry`: the state is that of the
 * set before, and its memory is carried over. Else the state belongs to the new set. */
sn_status sn_world_reactivate(sn_world *world, bool carry, sn_error *error);
/* adaptive_memory.c: puts the slaves of the new set where they belong, and gives the memory of the solid before, which
 * had these settings and the positions workspace.x_before, to the elements of the new one. */
void sn_adaptive_carry(sn_world *world, const struct sn_solid *before, const sn_element_settings *settings);

/* before: the solid of the set before, whose elements and rows may be taken over; NULL: none. */
sn_status sn_active_create(const sn_world *world, const struct sn_solid *before, sn_active **active, sn_error *error);
void sn_active_destroy(sn_context *context, sn_active *active);
/* Takes the masses and the mass damping (NULL: none) of the unknowns from numbers per compiled node. */
sn_status sn_active_weigh(const sn_world *world, const double *mass, const double *rayleigh, sn_active *active,
                          sn_error *error);
/* active_kept.c: finds what the set before gives to a new one; and drops it when both are compiled. */
sn_status sn_active_keep(const sn_world *world, const struct sn_solid *before, sn_active *active, sn_error *error);
void sn_active_drop(const sn_context *context, sn_active *active);
/* full <- T full + offset (NULL: 0), full <- T full, and full <- T^T full (slaves then have 0). active NULL: nothing to
 * do. */
void sn_active_place(const sn_active *active, const double *offset, double *full);
void sn_active_follow(const sn_active *active, double *full);
void sn_active_give(const sn_active *active, double *full);
/* T^T of one number per node. */
void sn_active_give_numbers(const sn_active *active, double *full);
/* The free nodes that carry a node, and their shares. Adds to `carriers`, which is empty at first. */
enum { SN_CARRIERS = 256 }; /* at most eight for each of the nodes of a row of contact */
typedef struct sn_carriers {
    int count;
    int32_t node[SN_CARRIERS]; /* compiled numbers */
    double weight[SN_CARRIERS];
} sn_carriers;
void sn_world_carriers(const sn_world *world, int32_t node, double weight, sn_carriers *carriers);
/* Copies to and from compact numbers; `spread` leaves the other nodes as they are. */
void sn_active_gather(const sn_active *active, const double *full, double *compact);
void sn_active_spread(const sn_active *active, const double *compact, double *full);

/* Sets the constrained components of x, v and a (each may be NULL) to the prescribed values at time t, and the slaves
 * to the means of their parents. */
void sn_world_constrain(sn_world *world, double t, double *x, double *v, double *a);

/* ---- The linear solver of a world, in the numbers of the model ---- */
void sn_world_mass_product(const sn_world *world, const double *v, double *out);
double sn_world_kinetic(const sn_world *world, const double *v, double *scratch);
sn_status sn_world_mass_solve(sn_world *world, const double *f, double *out, sn_error *error);
void sn_world_product(sn_world *world, double m, double d, double k, const double *u, double *out);
/* Adds compact forces of the elements of an adaptive world. Hanging nodes give theirs to their parents, in `compact`.
 */
void sn_world_collect(const sn_world *world, double *compact, double *full);
/* The trace of the diagonal block of each node; 0 for slaves. */
void sn_world_trace(sn_world *world, double m, double d, double k, double *out);
void sn_world_elements_product(sn_world *world, double d, double k, const double *u, double *out);
sn_status sn_world_linear_solve(sn_world *world, const sn_solve *solve, sn_linear_report *report, sn_error *error);
/* The same with one right-hand side more, f, for the multipliers of interactions. */
sn_status sn_world_solve_for(sn_world *world, const sn_bordered *system, const double *f, double *x,
                             sn_linear_report *report, sn_error *error);
/* `view` has compact vectors (sn_world_view). again: only the blocks have changed. */
sn_status sn_world_linearise(sn_world *world, const sn_element_view *view, bool again, sn_error *error);
/* The blocks of the interactions and Rayleigh's damping as the solver takes them. NULL for none. */
typedef struct sn_listed_blocks {
    const sn_block_list *stiffness, *damping;
    const double *rayleigh;
} sn_listed_blocks;
sn_status sn_world_blocks(sn_world *world, sn_listed_blocks *listed, sn_error *error);

#endif
