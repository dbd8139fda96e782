/* The contract of a step: what an integrator and the thing that it moves know of each other. The thing, a system, is a soft body, a cloth
 * or a mass on a spring.
 *
 *   M x'' = f(t, x, v),   v = x',   some directions prescribed in time (the constraint filter)
 *
 * Vectors have `count` scalars. D = -df/dv and K = -df/dx. The integrator sends a request: a place (t, x, v) and what it wants to know
 * there. The system fills what was asked for and returns a result. There are no other arguments: nothing that an integrator wants stands in
 * the system itself. */
#ifndef SN_TIME_SYSTEM_H
#define SN_TIME_SYSTEM_H

#include "linearisation.h"

typedef struct sn_system sn_system;

typedef enum sn_wanted {
    SN_LINEARISE_NONE,
    SN_LINEARISE_EXACT,     /* as the differentials of the laws say */
    SN_LINEARISE_PROJECTED, /* without the parts that can make K indefinite, where the system has the choice */
} sn_wanted;

typedef struct sn_request {
    double t;            /* s */
    const double *x, *v; /* the place, count scalars each; v may be NULL for `check` and `energy` */
    /* The place is that of the last request for a force, and nothing that forces depend on has changed since: what that request computed
     * there (rotations) serves again. The caller promises it, nobody compares. */
    bool here;
    double *force;       /* out: f(t, x, v), reactions excluded; NULL: not wanted */
    double *rate;        /* out: df/dt of what depends on t explicitly (ramps, keys); NULL: not wanted */
    double *energy;      /* out: potential energy of everything conservative, J; NULL: not wanted */
    sn_wanted linearise; /* the linearisation of the place; it keeps its own copies of x and v */
    double ahead;        /* s; above 0: force and linearisation are for one linear solve of so long a step (contact/penalty.h) */
    bool check;          /* only: can f be had here? SN_INVERTED when not */
} sn_request;

typedef struct sn_result {
    double scale; /* with `force`: the larger of the norms of the external and of the internal force; residuals are measured against it */
    /* The one that was asked for, or else the last one: it may be used again while its `served` is above 0. NULL: none was made yet. */
    sn_linearisation *linearisation;
} sn_result;

/* All functions must be there, except for those that may be NULL. */
typedef struct sn_system_table {
    void (*mass_product)(sn_system *system, const double *v, double *out);
    /* out = M^-1 f in the free directions, 0 in the constrained ones. */
    sn_status (*mass_solve)(sn_system *system, const double *f, double *out, sn_error *error);
    /* Answers a request. SN_INVERTED or SN_NOT_FINITE when f cannot be had at the place. */
    sn_status (*evaluate)(sn_system *system, const sn_request *request, sn_result *result, sn_error *error);
    /* Sets the constrained components of x, v and a (each may be NULL) to the prescribed values at time t. The others stay. */
    void (*constrain)(sn_system *system, double t, double *x, double *v, double *a);
    /* Puts positions back onto the surface that curved constraints allow (a rigid core), without prescribed motion. NULL: none are curved.
     */
    void (*retract)(sn_system *system, double *x);
    /* Zeroes the constrained components. */
    void (*filter)(sn_system *system, double *u);

    /* A step begins at (t, x, v). Returns whether it must be settled. NULL: nothing to do, and no step is settled. */
    bool (*begin)(sn_system *system, double t, const double *x, const double *v);
    /* After a step of h from (t, x0, v0) to (x, v), before it is accepted: *settled false when the system has changed its constraints
     * (contacts made or released) and the step is to be taken again from its start; a bounded number of times. It may still move x a
     * little when settled. NULL when `begin` never asks for it. */
    sn_status (*settle)(sn_system *system, double t, double h, const double *x0, const double *v0, double *x, double *v, bool *settled,
                        sn_error *error);
    /* The step was accepted with the new (t, x, v); or it was rejected. Each may be NULL. */
    void (*accept)(sn_system *system, double t, const double *x, const double *v);
    void (*reject)(sn_system *system);
    /* Newton's method has converged at (t, x, v): true when values that the forces keep constant during a solve (the normal forces of
     * friction) were renewed and have changed, so that the solution is to be corrected; a bounded number of times. NULL: nothing lags. */
    bool (*renew)(sn_system *system, double t, const double *x, const double *v);
} sn_system_table;

struct sn_system {
    const sn_system_table *table;
    sn_context *context;
    int count;          /* scalars in x, in v, in f */
    double size;        /* typical length of the body, m: corrections are measured against it */
    const double *rest; /* positions where it is calm, for estimates of what steps it bears; NULL: none */
    int auxiliary;      /* first-order variables beside x and v; 0 */
};

/* ---- Methods ---- */

/* What a step did. Times in seconds, for reports only. */
typedef struct sn_step_info {
    int newton_iterations, linear_iterations, force_evaluations, linearisations, retries, line_searches, loose;
    int linear_misses;                       /* linear solves that ended above their tolerance */
    double newton_residual, linear_residual; /* of the last iteration */
    double assembly_seconds, solve_seconds;
    double suggested_step; /* what adaptive control would take next; 0 when it has no opinion */
    const char *solver, *preconditioner;
} sn_step_info;

/* The integrator's part of the state: plain numbers, copied and saved with it. */
typedef struct sn_history {
    int count; /* doubles */
    double *value;
} sn_history;

typedef struct sn_step {
    sn_system *system;
    const sn_time_options *options;
    double tolerance; /* of the linear solver */
    bool warm_start;
    /* Newton's best iterate is good enough, when it does not converge, if its residual is below this part of the forces; 0: it is not. */
    double loose;
    double t, h;   /* from t to t + h */
    double *x, *v; /* in: at t; out: at t + h. Untouched on failure */
    /* method->history(count) doubles: zero at the start of a run and after x, v or t were edited from outside. Untouched on failure. */
    double *history;
    double *scratch; /* method->scratch(count) doubles */
    sn_step_info *info;
    sn_error *error;
    /* Asked before each further part of a step that had to be divided; false gives the step up. May be NULL. */
    bool (*go_on)(void *user, const struct sn_step *part);
    void *user;
} sn_step;

typedef struct sn_method {
    const char *name, *text;
    int order;
    bool implicit;
    bool exact;       /* keeps its order only with the exact K and D; the others bear symmetric copies of them */
    bool multipliers; /* can carry the multipliers of links: each step solves one system for the state at its end */
    bool adaptive;
    const char *stability;     /* "A", "L", "explicit: h < 2/omega", ... */
    int (*history)(int count); /* doubles wanted */
    int (*scratch)(int count);
    sn_status (*step)(sn_step *step);
} sn_method;

/* How a method ends: prescribes the constrained components of x and v at t + h, refuses what is not finite, hands the rest to step->x and
 * step->v. */
sn_status sn_step_finish(sn_step *step, double *x, double *v);

/* Whether the forces can be had at x: asked by methods that end a step without a force evaluation. */
sn_status sn_step_check(sn_step *step, double t, const double *x);

/* NULL when unknown; "" is the default method. */
const sn_method *sn_method_find(const char *name);

/* Equilibrium at t + h, f(t + h, x, 0) = 0: one step of "quasi-static", and of "static" where t is the fraction of the load. Not in
 * sn_methods(). */
const sn_method *sn_method_equilibrium(void);
/* What a mode and a method name mean: the equilibrium for "static" and "quasi-static". NULL when unknown. */
const sn_method *sn_method_choose(const sn_time_options *options);

/* ---- Step control ---- */

/* Takes one step from t to t + h with `method`, whatever it takes: a step that does not converge, inverts or goes non-finite is retried
 * with half of it, and substeps go on (growing again after successes) until t + h is reached; never below h / 1024. On failure x, v and
 * history are as they were. Calls begin, accept and reject of the system for each substep; when a frame fails after accepted substeps, the
 * owner restores what it keeps beside x and v. Parts of h / 16 and less that do not converge may end with Newton's best
 * iterate, counted in info->loose. step->scratch holds sn_control_scratch doubles. info->retries counts the refused steps. */
int sn_control_scratch(const sn_method *method, int count);
sn_status sn_step_controlled(const sn_method *method, sn_step *step);

/* Statics: from load fraction step->t to 1 in options->load_steps equal fractions of the whole, each by sn_step_controlled (so a failed
 * increment is halved and regrows). step->t is the fraction reached; on failure x is the equilibrium at step->t. v is zero afterwards.
 * `reached` (may be NULL) is called after each load step; false stops with SN_STOPPED. */
sn_status sn_static_solve(sn_step *step, bool (*reached)(void *user, const sn_step *step), void *user);

/* ---- Newton ---- */

/* Solves r(y) = 0 for y = x(t + h), with r = m M (y - base) - f(t1, y, a (y - origin) + w) - extra and its Jacobian m M + a D + K.
 *   implicit Euler: m = 1/h^2, base = x + h v, a = 1/h, origin = x, w = 0.   statics: m = 0, a = 0.
 * `y` comes in with the start (last positions), the wanted positions of the constrained components are taken from the system at t1: the
 * first iteration carries them in by the linear problem. On failure y is the best iterate. */
typedef struct sn_newton_problem {
    sn_system *system;
    double t1;
    double m, a;
    const double *base, *origin; /* count; NULL when m or a is 0 */
    const double *offset;        /* w, or NULL */
    const double *extra;         /* a constant force, or NULL */
    /* What m (y - base) stands for in the constrained components, 0 in the others; NULL: the acceleration prescribed at t1. */
    const double *inertia;
    /* Where the first iteration takes force and linearisation, beside y: the last velocity. NULL: where y puts it. */
    const double *velocity;
    const sn_newton_options *options;
    double linear_tolerance;
    double loose;        /* as in sn_step */
    const double *guess; /* start of the first linear solve (warm start), or NULL */
    int expected;        /* directions that likely hold what the guess lacks */
    const double *const *direction;
    double *scratch;    /* sn_newton_scratch(count) doubles */
    sn_step_info *info; /* counts are added to it */
    sn_error *error;
} sn_newton_problem;

int sn_newton_scratch(int count);
sn_status sn_newton_solve(const sn_newton_problem *problem, double *y);

#endif
