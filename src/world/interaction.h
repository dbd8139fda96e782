/* Interactions: everything that acts on the bodies beside their own elements.
 *
 * Gravity, loads, fixes and pins, rigid cores, colliders, links, grabs and forces from outside are interactions. A kind of interaction is
 * one file with one table and one line in interactions.c. The world holds a list with one interaction of each kind, and those that the
 * caller supplies; it treats all of them alike. An interaction holds all items of its kind (all loads, all fixes), because some items act
 * together: the last fix wins, links share one small system.
 *
 * Four things belong to an interaction:
 *   - `data`, its items and its scratch; the rest of the world does not look inside;
 *   - `number`, its own numbers in the state: they are copied, saved, hashed and restored with the state. When a step is rejected, the
 *     world puts them back to the values that they had at the start of the step;
 *   - the forces, the energy and the blocks of the matrix that it adds;
 *   - the directions that it constrains.
 *
 * All functions of a table may be NULL. The world calls them in the order of the list. Vectors are in compiled numbers, 3 per node. */
#ifndef SN_WORLD_INTERACTION_H
#define SN_WORLD_INTERACTION_H

#include "linear/matrix/filter.h"
#include "linear/matrix/matrix.h"
#include "sinew/world.h"
#include "time/system.h"

typedef struct sn_interaction sn_interaction;

/* Where forces are taken. */
typedef struct sn_place {
    double t;
    const double *x;
    const double *v; /* NULL in modes without inertia: then nothing damps and nothing rubs */
    double ahead;    /* s; above 0: the forces are for one linear solve of so long a step (contact/penalty.h) */
} sn_place;

/* A step from (t, x0, v0) to (t + h, x, v) that is to be judged. */
typedef struct sn_trial {
    double t, h;
    const double *x0, *v0;
    double *x, *v;
} sn_trial;

/* A linear system (m M + d D + k K) x = b that was solved without the interactions' own unknowns. */
typedef struct sn_bordered {
    double m, d, k;
    double *x; /* the solution, in and out */
    double tolerance;
} sn_bordered;

/* Receives a direction that is held: sum weight_i u(node_i) along `axis`. */
typedef void sn_hold(void *user, int count, const int32_t *node, const double *weight, int axis);

typedef struct sn_interaction_kind {
    /* ---- Life ---- */
    /* Takes its items from the options of the world. Called once, in the order of the table; data is NULL before. */
    sn_status (*create)(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error);
    /* Releases what `create` made, also after a failure half-way. */
    void (*destroy)(sn_world *world, sn_interaction *self);
    /* How many numbers of its own the state holds. */
    int64_t (*numbers)(const sn_world *world, const sn_interaction *self);
    /* The world was made, or its materials, masses, gravity or options have changed. */
    void (*adapt)(sn_world *world, sn_interaction *self);
    /* SN_UNSUPPORTED when it cannot take part in steps of the method. */
    sn_status (*allows)(const sn_world *world, const sn_interaction *self, const sn_method *method, sn_error *error);
    /* Forgets everything that can be rebuilt, as in a fresh process. */
    void (*refresh)(sn_world *world, sn_interaction *self);

    /* ---- Constraints ---- */
    /* The filter `before` with the directions added that it constrains now; `before` itself when there are none. */
    const sn_filter *(*filter)(const sn_world *world, const sn_interaction *self, const sn_filter *before);
    /* Sets the constrained components of x, v and a (each may be NULL) to the prescribed values at time t. */
    void (*prescribe)(sn_world *world, sn_interaction *self, double t, double *x, double *v, double *a);
    /* Puts x back onto the positions that curved constraints allow. */
    void (*retract)(const sn_world *world, const sn_interaction *self, double *x);
    /* Reports each direction that keeps a body from moving in statics. */
    void (*holds)(const sn_world *world, const sn_interaction *self, sn_hold *hold, void *user);

    /* ---- Forces ---- */
    /* Forces are about to be taken at x. */
    void (*arrive)(sn_world *world, sn_interaction *self, const double *x);
    /* Changes the forces f of the elements at x. */
    void (*correct)(const sn_world *world, const sn_interaction *self, const double *x, double *f);
    /* Adds its forces, its potential energy, the rate df/dt of its forces. */
    void (*force)(sn_world *world, sn_interaction *self, const sn_place *place, double *f);
    void (*energy)(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy);
    void (*rate)(sn_world *world, sn_interaction *self, const sn_place *place, double *rate);
    /* How many blocks of K (and of D) it may add at most. */
    int64_t (*block_count)(const sn_world *world, const sn_interaction *self, bool damping);
    /* Adds its blocks of K = -df/dx and D = -df/dv. Not `exact`: symmetric ones, where it has the choice. */
    void (*blocks)(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K, sn_block_list *D);
    /* x = A^-1 b comes in; adds the part of x that its own unknowns bring. `report` adds up. */
    sn_status (*solve)(sn_world *world, sn_interaction *self, const sn_bordered *system, sn_linear_report *report, sn_error *error);

    /* ---- Steps ---- */
    /* A step begins. Returns whether it must be asked to `settle` the step. */
    bool (*begin)(sn_world *world, sn_interaction *self, double t, const double *x, const double *v);
    /* Newton's method has converged: true when constants of the solve were renewed and have changed, so that it must go on. */
    bool (*renew)(sn_world *world, sn_interaction *self, double t, const double *x, const double *v);
    /* Judges the step. *settled = false: its constraints have changed, and the step must be taken again. May move x a little. */
    sn_status (*settle)(sn_world *world, sn_interaction *self, const sn_trial *trial, bool *settled, sn_error *error);
    /* The step is over, accepted or rejected. */
    void (*end)(sn_world *world, sn_interaction *self, bool accepted);

    /* ---- Looking ---- */
    /* Adds to the report of a step. */
    void (*report)(const sn_world *world, const sn_interaction *self, sn_step_report *report);
    /* Its force on the nodes that it supports, for reactions: takes it from `balance` = M a - f, or adds it. */
    void (*support)(const sn_world *world, const sn_interaction *self, const double *balance, double *force);
    /* Writes what a viewer draws of it, at most `room` lines; returns how many there are. */
    int (*draw)(const sn_world *world, const sn_interaction *self, sn_glyph *glyph, int room);
} sn_interaction_kind;

struct sn_interaction {
    const sn_interaction_kind *kind;
    void *data;
    double *number; /* its part of the state */
    char name[32];  /* of that part: the name of the kind, or of a caller's interaction */
};

/* ---- The list (interactions.c) ---- */
sn_status sn_interactions_create(sn_world *world, const sn_world_options *options, sn_error *error);
void sn_interactions_destroy(sn_world *world);
/* Appends an interaction. */
sn_status sn_interactions_append(sn_world *world, const sn_interaction_kind *kind, const char *name, void *data, sn_error *error);
/* The first interaction of a kind: the only one for the kinds of the table. */
sn_interaction *sn_interaction_of(const sn_world *world, const sn_interaction_kind *kind);

void sn_interactions_adapt(sn_world *world);
sn_status sn_interactions_allow(const sn_world *world, const sn_method *method, sn_error *error);
void sn_interactions_refresh(sn_world *world);
/* The filter of the interactions before `end` in the list; NULL: of all. */
const sn_filter *sn_interactions_filter(const sn_world *world, const sn_interaction *end);
void sn_interactions_prescribe(sn_world *world, double t, double *x, double *v, double *a);
void sn_interactions_retract(const sn_world *world, double *x);
void sn_interactions_holds(const sn_world *world, sn_hold *hold, void *user);
void sn_interactions_arrive(sn_world *world, const double *x);
void sn_interactions_correct(const sn_world *world, const double *x, double *f);
void sn_interactions_force(sn_world *world, const sn_place *place, double *f);
void sn_interactions_energy(const sn_world *world, const sn_place *place, double *energy);
void sn_interactions_rate(sn_world *world, const sn_place *place, double *rate);
/* Makes room for all blocks that may come. */
sn_status sn_interactions_reserve(const sn_world *world, sn_block_list *K, sn_block_list *D, sn_error *error);
void sn_interactions_blocks(sn_world *world, const sn_place *place, bool exact, sn_block_list *K, sn_block_list *D);
sn_status sn_interactions_solve(sn_world *world, const sn_bordered *system, sn_linear_report *report, sn_error *error);
bool sn_interactions_begin(sn_world *world, double t, const double *x, const double *v);
bool sn_interactions_renew(sn_world *world, double t, const double *x, const double *v);
sn_status sn_interactions_settle(sn_world *world, const sn_trial *trial, bool *settled, sn_error *error);
void sn_interactions_end(sn_world *world, bool accepted);
void sn_interactions_report(const sn_world *world, sn_step_report *report);
void sn_interactions_support(const sn_world *world, const double *balance, double *force);

/* ---- The kinds ---- */
/* X(symbol, name, text), in the order of the list. The order matters: fixes come before the constraints that build on them, and forces
 * are added in this order. A line `X(cloth, "cloth", "...")` names the table sn_kind_cloth of its file. */
#define SN_INTERACTIONS(X)                                                                                                                 \
    X(fixes, "fixes", "nodes held in place or moved along a path; pins")                                                                   \
    X(cores, "cores", "nodes that move as one rigid body inside a soft one")                                                               \
    X(balance, "balance", "net force and torque taken out of warped elastic forces")                                                       \
    X(gravity, "gravity", "weight of the bodies")                                                                                          \
    X(loads, "loads", "tractions, pressures, forces on faces, nodes or volumes")                                                           \
    X(penalty, "penalty", "colliders that push by springs, dampers and friction")                                                          \
    X(projection, "projection", "colliders that constrain the nodes they touch")                                                           \
    X(grabs, "grabs", "springs that pull points of bodies to targets")                                                                     \
    X(links, "links", "points of bodies tied to places or to points of other bodies")                                                      \
    X(forces, "forces", "forces on nodes that the caller sets")

#define SN_INTERACTION_DECLARE(symbol, name, text) extern const sn_interaction_kind sn_kind_##symbol;
SN_INTERACTIONS(SN_INTERACTION_DECLARE)
#undef SN_INTERACTION_DECLARE

/* Adds one block to a list that has room for it. */
static inline double *sn_block_append(sn_block_list *list, int32_t row, int32_t column) {
    list->row[list->count] = row, list->column[list->count] = column;
    return list->value + 9 * (size_t)list->count++;
}

#endif
