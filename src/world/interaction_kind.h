/* Interactions: everything that acts on the bodies except their own elements.
 *
 * Gravity, loads, fixes and pins, rigid cores, colliders, links, grabs and forces from outside are interactions. A kind
 * of interaction is one file with one table, and one line in the list SN_INTERACTIONS below.
 *
 * The world has a list of interactions: one of each kind, then the ones that the caller supplies. It treats all of them
 * alike. An interaction holds all items of its kind (all loads, all fixes), because some items act together: of several
 * fixes the last one counts, and all links share one small system of equations.
 *
 * Four things belong to an interaction:
 *   - `data`: its items and its scratch memory. The rest of the world does not look inside;
 *   - `number`: its numbers in the state. They are copied, saved and restored with the state. When a step is rejected,
 * the world restores the numbers of the start of the step;
 *   - the forces, the energy and the blocks of the matrix that it adds;
 *   - the directions that it constrains.
 *
 * Each function of a table may be NULL. The world calls the interactions in the order of the list. Vectors have 3
 * numbers per node and are in compiled node numbers (model.h). In the comments below, "it" is the interaction. */
#ifndef SN_WORLD_INTERACTION_H
#define SN_WORLD_INTERACTION_H

#include <stddef.h>
#include <string.h>

#include "linear/matrix/filter.h"
#include "linear/matrix/matrix.h"
#include "sinew/world.h"
#include "time/system.h"

typedef struct sn_interaction sn_interaction;

/* The place at which the world asks for forces. */
typedef struct sn_place {
    double t;        /* s; in mode "static" the load fraction */
    const double *x; /* m */
    const double *v; /* m/s; NULL in modes without inertia: then there is no damping and no friction */
    double ahead;    /* s; above 0: the step of this length is one linear solve, and contacts look ahead
                        (contact/penalty.h) */
} sn_place;

/* A linear system A x = b, A = m M + d D + k K, that was solved without the unknowns of the interactions (multipliers
 * of links). */
typedef struct sn_bordered {
    double m, d, k;
    double *x; /* the solution, in and out */
    double tolerance;
} sn_bordered;

/* Receives one held direction: the sum of weight_i u(node_i) along `axis` (0, 1, 2) is zero. */
typedef void sn_hold(void *user, int count, const int32_t *node, const double *weight, int axis);

typedef struct sn_interaction_kind {
    /* ---- Life ---- */
    /* Takes its items from the options of the world. Called once, in the order of the list; `data` is NULL before. */
    sn_status (*create)(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error);
    /* Releases everything that `create` made, also when `create` failed half-way. */
    void (*destroy)(sn_world *world, sn_interaction *self);
    /* How many numbers the state keeps for it. */
    int64_t (*numbers)(const sn_world *world, const sn_interaction *self);
    /* The world was made, or its materials, masses, gravity or options have changed. */
    void (*adapt)(sn_world *world, sn_interaction *self);
    /* The world stands at its start. Returns SN_BAD_INPUT when it cannot begin there. */
    sn_status (*start)(sn_world *world, sn_interaction *self, sn_error *error);
    /* Returns SN_UNSUPPORTED when it cannot take part in steps of this method. */
    sn_status (*allows)(const sn_world *world, const sn_interaction *self, const sn_method *method, sn_error *error);
    /* Forgets everything that can be rebuilt, as if the program had just started. */
    void (*refresh)(sn_world *world, sn_interaction *self);
    /* Visits in an archive the numbers besides those of the state that the bits of the next step depend on. */
    void (*remember)(const sn_world *world, const sn_interaction *self, sn_archive *archive);

    /* ---- Constraints ---- */
    /* Returns the filter `before` plus the directions that it constrains now; `before` itself when it constrains
     * none. */
    const sn_filter *(*filter)(const sn_world *world, const sn_interaction *self, const sn_filter *before);
    /* Sets the constrained components of x, v and a (each may be NULL) to the prescribed values at time t. */
    void (*prescribe)(sn_world *world, sn_interaction *self, double t, double *x, double *v, double *a);
    /* Moves x to the nearest positions that its curved constraints allow. */
    void (*retract)(const sn_world *world, const sn_interaction *self, double *x);
    /* Calls `hold` for each direction that keeps a body from moving in statics. */
    void (*holds)(const sn_world *world, const sn_interaction *self, sn_hold *hold, void *user);

    /* ---- Forces ---- */
    /* Prepares for forces at x. */
    void (*arrive)(sn_world *world, sn_interaction *self, const double *x);
    /* Corrects f, the forces of the elements at x. */
    void (*correct)(const sn_world *world, const sn_interaction *self, const double *x, double *f);
    /* Add its forces to f, its potential energy to *energy, and the rate df/dt of its forces to `rate`. */
    void (*force)(sn_world *world, sn_interaction *self, const sn_place *place, double *f);
    void (*energy)(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy);
    void (*rate)(sn_world *world, sn_interaction *self, const sn_place *place, double *rate);
    /* The largest number of blocks that the next call of `blocks` adds to K (damping: to D). The world asks before each
     * call, after `arrive`, so the number may grow from step to step: there is no limit for contacts. */
    int64_t (*block_count)(const sn_world *world, const sn_interaction *self, bool damping);
    /* Adds its blocks of K = -df/dx and D = -df/dv. A block may couple any two nodes, also of different bodies. Blocks
     * of the same two nodes are added up. When `exact` is false, it adds symmetric blocks if it has both. */
    void (*blocks)(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D);
    /* Adds k K u to out, for the part of K that its last `blocks` left out because it couples all nodes. `solve` then
     * corrects solutions for it. */
    void (*product)(const sn_world *world, const sn_interaction *self, double k, const double *u, double *out);
    /* system->x is A^-1 b. Adds the part of the solution that comes from its unknowns, and adds its work to
     * `report`. */
    sn_status (*solve)(sn_world *world, sn_interaction *self, const sn_bordered *system, sn_linear_report *report,
                       sn_error *error);

    /* ---- Steps ---- */
    /* A step begins. Returns true when the world must call `settle` at the end of the step. */
    bool (*begin)(sn_world *world, sn_interaction *self, double t, const double *x, const double *v);
    /* Newton's method has converged. Renews quantities that the solve kept constant (such as normal forces). Returns
     * true when they have changed, so that Newton's method must go on. */
    bool (*renew)(sn_world *world, sn_interaction *self, double t, const double *x, const double *v);
    /* One linear solve that looked ahead (sn_place) ended at x. Releases contacts that pull there. Returns true when it
     * released some, so that the solve must be repeated. */
    bool (*release)(sn_world *world, sn_interaction *self, double t, const double *x);
    /* The largest part s of the straight way from x to x + d that is safe, 0 < s <= 1: on the way to x + s d nothing
     * passes through anything. Newton's method asks before it moves the bodies and never goes farther. Methods that do
     * not call Newton's method (sn_method.newton) do not ask; refuse them in `allows`. */
    double (*limit)(sn_world *world, sn_interaction *self, double t, const double *x, const double *d);
    /* Shortens the motions d of single nodes, so that the way from x to x + d, or most of it, becomes safe. Returns
     * whether it shortened one. `limit` is asked afterwards. Methods that take a correction as it is ask this: where
     * one node meets something, the others go on. */
    bool (*stop)(sn_world *world, sn_interaction *self, double t, const double *x, double *d);
    /* Between steps, coarsened tets will move the nodes from x by d, in no time. Sets stay[node] to 1 for nodes that
     * must not take their way. */
    void (*keep)(sn_world *world, sn_interaction *self, const double *x, const double *d, uint8_t *stay);
    /* Judges the step. Sets *settled to false when its constraints have changed and the step must be taken again. May
     * move x a little. */
    sn_status (*settle)(sn_world *world, sn_interaction *self, const sn_trial *trial, bool *settled, sn_error *error);
    /* Whether it is a contact that acts at (t, x), or that acted at the last evaluation of the present step. */
    bool (*touches)(const sn_world *world, const sn_interaction *self, double t, const double *x);
    /* The step is over. `place` is its end when the step was accepted, and NULL when it was rejected. */
    void (*end)(sn_world *world, sn_interaction *self, const sn_place *place);

    /* ---- Looking ---- */
    /* Adds its counts to the report of a step. */
    void (*report)(const sn_world *world, const sn_interaction *self, sn_step_report *report);
    /* Writes its force on the nodes that it supports to `force`, for reactions. A constraint copies it from `balance` =
     * M a - f; other interactions add their forces. */
    void (*support)(const sn_world *world, const sn_interaction *self, const double *balance, double *force);
    /* Writes the lines with which a viewer shows it, at most `room`. Returns how many there are. */
    int (*draw)(const sn_world *world, const sn_interaction *self, sn_glyph *glyph, int room);

    /* ---- Traits; they come after all functions ---- */
    bool still; /* no step changes its numbers in the state: only the caller does, between steps */
    bool steep; /* its forces grow without bound near some places */
} sn_interaction_kind;

struct sn_interaction {
    const sn_interaction_kind *kind;
    void *data;
    double *number; /* its part of the state */
    char name[32];  /* name of this part: the name of the kind, or the name that the caller gave */
};

/* The world calls one function of all interactions that have it. A step makes many such calls, and most kinds have few
 * functions: so there is a list of interactions for each function. The lists are numbered like the functions of the
 * table. */
enum { SN_INTERACTION_FUNCTION_COUNT = offsetof(sn_interaction_kind, still) / sizeof(void (*)(void)) };
#define SN_FUNCTION_NUMBER(function) (offsetof(sn_interaction_kind, function) / sizeof(void (*)(void)))

typedef struct sn_interaction_list {
    int count;
    sn_interaction **item;
} sn_interaction_list;

/* ---- The list (interactions.c) ---- */
sn_status sn_interactions_create(sn_world *world, const sn_world_options *options, sn_error *error);
void sn_interactions_destroy(sn_world *world);
/* Appends an interaction to the list. On success the list owns `data`. */
sn_status sn_interactions_append(sn_world *world, const sn_interaction_kind *kind, const char *name, void *data,
                                 sn_error *error);
/* Makes the lists for the functions. Call it when the list of interactions has changed. */
void sn_interactions_sort(sn_world *world);
/* The first interaction of a kind; NULL when there is none. The kinds of SN_INTERACTIONS have one interaction each. */
sn_interaction *sn_interaction_of(const sn_world *world, const sn_interaction_kind *kind);

void sn_interactions_adapt(sn_world *world);
sn_status sn_interactions_start(sn_world *world, sn_error *error);
sn_status sn_interactions_allow(const sn_world *world, const sn_method *method, sn_error *error);
void sn_interactions_refresh(sn_world *world);
void sn_interactions_remember(const sn_world *world, sn_archive *archive);
/* The constraints of the interactions that come before `end` in the list; of all when `end` is NULL. */
const sn_filter *sn_interactions_filter(const sn_world *world, const sn_interaction *end);
void sn_interactions_prescribe(sn_world *world, double t, double *x, double *v, double *a);
void sn_interactions_retract(const sn_world *world, double *x);
void sn_interactions_holds(const sn_world *world, sn_hold *hold, void *user);
void sn_interactions_arrive(sn_world *world, const double *x);
void sn_interactions_correct(const sn_world *world, const double *x, double *f);
/* Those of steep interactions, or those of all others. */
void sn_interactions_force(sn_world *world, const sn_place *place, bool steep, double *f);
void sn_interactions_energy(const sn_world *world, const sn_place *place, double *energy);
void sn_interactions_rate(sn_world *world, const sn_place *place, double *rate);
/* Makes room for as many blocks as the interactions may add. */
sn_status sn_interactions_reserve(const sn_world *world, sn_block_list *K, sn_block_list *D, sn_error *error);
void sn_interactions_blocks(sn_world *world, const sn_place *place, bool exact, sn_block_list *K, sn_block_list *D);
void sn_interactions_product(const sn_world *world, double k, const double *u, double *out);
sn_status sn_interactions_solve(sn_world *world, const sn_bordered *system, sn_linear_report *report, sn_error *error);
bool sn_interactions_begin(sn_world *world, double t, const double *x, const double *v);
bool sn_interactions_renew(sn_world *world, double t, const double *x, const double *v);
bool sn_interactions_release(sn_world *world, double t, const double *x);
/* The smallest limit of all interactions; 1 when none has a limit. */
double sn_interactions_limit(sn_world *world, double t, const double *x, const double *d);
/* Lets all interactions shorten d. Returns whether one did. */
bool sn_interactions_stop(sn_world *world, double t, const double *x, double *d);
void sn_interactions_keep(sn_world *world, const double *x, const double *d, uint8_t *stay);
/* Whether one of them looks at such ways. */
bool sn_interactions_keeps(const sn_world *world);
sn_status sn_interactions_settle(sn_world *world, const sn_trial *trial, bool *settled, sn_error *error);
bool sn_interactions_touch(const sn_world *world, double t, const double *x);
void sn_interactions_end(sn_world *world, const sn_place *place);
void sn_interactions_report(const sn_world *world, sn_step_report *report);
void sn_interactions_support(const sn_world *world, const double *balance, double *force);

/* ---- The kinds ---- */
/* X(symbol, name, text), in the order of the list. The order matters: fixes come before the constraints that build on
 * them, and the world adds forces in this order. The line `X(cloth, "cloth", "...")` stands for the table
 * sn_kind_cloth. */
#define SN_INTERACTIONS(X)                                                                                             \
    X(fixes, "fixes", "nodes held in place or moved along a path; pins")                                               \
    X(cores, "cores", "nodes that move as one rigid body inside a soft one")                                           \
    X(balance, "balance", "net force and torque taken out of warped elastic forces")                                   \
    X(gravity, "gravity", "weight of the bodies")                                                                      \
    X(loads, "loads", "tractions, pressures, forces on faces, nodes or volumes")                                       \
    X(wind, "wind", "drag and lift of a fluid that moves or rests around a body")                                      \
    X(gas, "gas", "gas in closed cloth, which presses on it from inside")                                              \
    X(penalty, "penalty", "colliders that push by springs, dampers and friction")                                      \
    X(projection, "projection", "colliders that constrain the nodes they touch")                                       \
    X(contact, "contact", "bodies that touch each other: their surfaces, and the list of contacts")                    \
    X(contact_penalty, "contact-penalty", "contacts between bodies that push by springs, dampers and friction")        \
    X(contact_exact, "contact-exact", "contacts between bodies that never intersect: a barrier and limited steps")     \
    X(contact_area, "contact-area", "contacts between bodies that carry loads exactly and part bodies that intersect") \
    X(grabs, "grabs", "springs that pull points of bodies to targets")                                                 \
    X(tethers, "tethers", "springs and dampers from points of bodies to anchors or to points of other bodies")         \
    X(tools, "tools", "tools of haptic devices that press on bodies by springs")                                       \
    X(links, "links", "points of bodies tied to places or to points of other bodies")                                  \
    X(forces, "forces", "forces on nodes that the caller sets")

#define SN_INTERACTION_DECLARE(symbol, name, text) extern const sn_interaction_kind sn_kind_##symbol;
SN_INTERACTIONS(SN_INTERACTION_DECLARE)
#undef SN_INTERACTION_DECLARE

/* Appends the block value I. */
static inline void sn_block_append_identity(sn_block_list *list, int32_t row, int32_t column, double value) {
    double *block = sn_block_append(list, row, column);
    memset(block, 0, 9 * sizeof *block);
    block[0] = block[4] = block[8] = value;
}

#endif
