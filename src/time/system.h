/* The contract of a step between an integrator and the system that it moves. A system is a soft body, a cloth or a mass
 * on a spring, for example.
 *
 *   M x'' = f(t, x, v),   v = x',   some directions prescribed in time (the constraint filter)
 *
 * Vectors have `count` scalars. D = -df/dv and K = -df/dx.
 *
 * The integrator sends a request. A request names a place (t, x, v) and the quantities that the integrator wants there.
 * The system computes these quantities and returns a result. There are no hidden arguments: the integrator never stores
 * a wish in the system. */
#ifndef SN_TIME_SYSTEM_H
#define SN_TIME_SYSTEM_H

#include "linearisation.h"

typedef struct sn_system sn_system;

typedef enum sn_wanted {
    SN_LINEARISE_NONE,
    SN_LINEARISE_EXACT,     /* the true derivatives of the material laws */
    SN_LINEARISE_PROJECTED, /* without the parts that can make K indefinite, if the system offers this choice */
    /* The linearised tension of edges alone: constant and definite, one number per pair of nodes instead of a block.
     * Blocks of interactions count as usual. SN_UNSUPPORTED from systems that have other stiff forces. */
    SN_LINEARISE_TENSION,
} sn_wanted;

/* The energies of a place, J. */
typedef struct sn_energy {
    double kinetic;
    double stored;  /* by the elements */
    double outside; /* the potential of all other forces that have one; only its differences count */
} sn_energy;

typedef struct sn_request {
    double t;            /* s */
    const double *x, *v; /* the place, count scalars each; v may be NULL for `check` and `energy` */
    /* The caller promises that the place is that of the last request for a force, and that nothing that the forces
     * depend on has changed since. The system may then use its results from that request again (rotations). Nobody
     * checks the promise. */
    bool here;
    /* The same promise about the last request for a linearisation: since then only contacts were released. The system
     * may then keep the part of the elements. */
    bool again;
    double *force;       /* out: f(t, x, v), reactions excluded; NULL: not wanted */
    bool scale;          /* with `force`: the result also has the size of the forces */
    double *rate;        /* out: df/dt of the forces that depend on t explicitly (ramps, keys); NULL: not wanted */
    double *energy;      /* out: potential energy of everything conservative, J; NULL: not wanted */
    sn_energy *energies; /* out: the energies apart, for the judge; NULL: not wanted */
    bool stored;         /* with `energies`: also the energy that the elements store, which is 0 otherwise */
    bool inside;         /* the result has the force of the elements */
    bool touch;          /* the result says whether a contact acts */
    sn_wanted linearise; /* which linearisation to make at the place; it keeps copies of x and v */
    /* s. Above 0: force and linearisation serve one linear solve of a step of this length (contact/penalty.h). */
    double ahead;
    /* Only answer whether f can be computed at the place; SN_INVERTED when it cannot. */
    bool check;
} sn_request;

typedef struct sn_result {
    /* With `scale`: the larger of two norms, that of the external and that of the internal force. Residuals are
     * measured against it. */
    double scale;
    /* Of a steep system: the same without the forces that grow without bound. */
    double calm;
    /* With `inside`: the force of the elements at the place, valid until the next request for a force. It is cheap at
     * the place of the last request for a force, and it makes the next request at this place cheap. NULL: the system
     * does not tell the forces of elements from others. */
    const double *inside;
    bool touches; /* with `touch`: a contact acts at (t, x) */
    /* The requested linearisation. Without such a request: the last one, which may be used again while its `served` is
     * above 0. NULL: none was made yet. */
    sn_linearisation *linearisation;
} sn_result;

/* A finished step from (t, x0, v0) to (t + h, x, v), which the system accepts or not. */
typedef struct sn_trial {
    double t, h;
    const double *x0, *v0;
    double *x, *v;
} sn_trial;

/* The functions of a system. Every function is required unless its comment allows NULL. */
typedef struct sn_system_table {
    void (*mass_product)(sn_system *system, const double *v, double *out);
    /* out = M^-1 f in the free directions, 0 in the constrained ones. */
    sn_status (*mass_solve)(sn_system *system, const double *f, double *out, sn_error *error);
    /* Answers a request. SN_INVERTED or SN_NOT_FINITE: f cannot be computed at the place. */
    sn_status (*evaluate)(sn_system *system, const sn_request *request, sn_result *result, sn_error *error);
    /* Sets the constrained components of x, v and a (each may be NULL) to the prescribed values at time t. The other
     * components stay. */
    void (*constrain)(sn_system *system, double t, double *x, double *v, double *a);
    /* Moves positions back onto the surface that curved constraints (a rigid core) allow. Prescribed motion is not
     * applied. NULL: no constraint is curved. */
    void (*retract)(sn_system *system, double *x);
    /* Zeroes the constrained components. */
    void (*filter)(sn_system *system, double *u);

    /* A step begins at (t, x, v). Returns whether the step must be settled. NULL: there is nothing to do, and no step
     * is settled. */
    bool (*begin)(sn_system *system, double t, const double *x, const double *v);
    /* Called after a step, before the step is accepted. *settled is false when the system has changed its constraints
     * (contacts were made or released); the step is then taken again from its start. This happens a bounded number of
     * times. A settled step may still move trial->x a little. NULL when `begin` never asks for it. */
    sn_status (*settle)(sn_system *system, const sn_trial *trial, bool *settled, sn_error *error);
    /* The step is over. `trial` is the accepted step; NULL: the step was rejected. May be NULL. */
    void (*end)(sn_system *system, const sn_trial *trial);
    /* Newton's method has converged at (t, x, v). Some values stay constant during a solve (the normal forces of
     * friction). This function renews them. It returns true when they changed, so that the solution must be corrected.
     * This happens a bounded number of times. NULL: the system has no such values. */
    bool (*renew)(sn_system *system, double t, const double *x, const double *v);

    /* The largest part s of the straight way from x to x + d that is safe, 0 < s <= 1: on x + s d nothing has passed
     * through anything. s d must be safe as well. Newton's method never goes farther. The result must not depend on
     * anything but the arguments and the state at the begin of the step.
     *
     * `cut` is NULL when d must stay as it is. Otherwise the system may first shorten d, node by node, until less of it
     * runs into something. *cut says whether it did, and s is the safe part of the shortened d. The kinds of Newton's
     * method that take a bounded number of corrections ask for this. NULL: every way is safe. */
    double (*limit)(sn_system *system, double t, const double *x, double *d, bool *cut);

    /* A solve whose requests had `ahead` ended at (t, x). Releases contacts that pull there. Returns true when it
     * released some: the solve must be repeated. NULL: there is nothing to release. */
    bool (*release)(sn_system *system, double t, const double *x);

    /* For the judge of a step (judge.h): the work that prescribed motion and forces without a potential did in the
     * step, estimated with the forces at its end. Each of the two counts when it is positive. `moved`: the change of
     * the potential of the outside. NULL: no step is judged. Otherwise the system answers requests for `inside` and
     * `energies`. */
    sn_status (*work)(sn_system *system, const sn_trial *trial, double moved, double *work, sn_error *error);
} sn_system_table;

struct sn_system {
    const sn_system_table *table;
    sn_context *context;
    int count;          /* scalars in x, in v, in f */
    double size;        /* typical length of the body, m; corrections are measured against it */
    const double *rest; /* positions at rest, to estimate how long steps may be; NULL: none */

    /* Forces grow without bound near some places (a barrier). Newton's method then judges a correction by the slope of
     * the potential along it, and may take several times as many iterations. */
    bool steep;
};

/* ---- Methods ---- */

/* The record of a step. Times are in seconds, for reports only. */
typedef struct sn_step_info {
    int newton_iterations, linear_iterations, force_evaluations, linearisations, retries, line_searches, loose;
    int linear_misses;                       /* linear solves that ended above their tolerance */
    double newton_residual, linear_residual; /* of the last iteration */
    double assembly_seconds, solve_seconds;
    double suggested_step; /* the next step that adaptive control would take; 0: no suggestion */
    const char *solver, *preconditioner;
    sn_correction_report correction; /* "kikuuwe" */
} sn_step_info;

/* The integrator's part of the state: plain numbers that are copied and saved with the state. */
typedef struct sn_history {
    int count; /* doubles */
    double *value;
} sn_history;

/* The start of a step: positions, velocities and history. */
typedef struct sn_motion {
    double *x, *v, *history;
} sn_motion;

typedef struct sn_step {
    sn_system *system;
    const sn_time_options *options;
    double tolerance; /* of the linear solver */
    bool warm_start;
    /* Newton's best iterate is accepted, although it did not converge, when its residual is below this fraction of the
     * forces. 0: it is never accepted. */
    double loose;
    double t, h;   /* from t to t + h */
    double *x, *v; /* in: at t; out: at t + h. Unchanged on failure */
    /* method->history(count) doubles. They are zero at the start of a run and after x, v or t were edited from outside.
     * Unchanged on failure. */
    double *history;
    /* A copy of x, v and history at the start of the step, when the caller has one. NULL: the step control makes it. */
    const sn_motion *start;
    double speed; /* out: the largest component of v */
    /* SN_JUDGE_NUMBERS doubles that are kept like the history (judge.h). NULL: the step is not judged. */
    double *account;
    double *scratch; /* method->scratch(count) doubles */
    sn_step_info *info;
    sn_error *error;
    /* Set by explicit methods of fixed steps: the longest stable step for a mode of frequency omega and damping delta,
     * for messages. NULL: unknown. */
    double (*limit)(const void *self, double omega, double delta);
    const void *limit_self;
    /* Called before each further part of a step that was divided, and from time to time in a step of very many
     * substeps. Returning false gives the step up. May be NULL. */
    bool (*go_on)(void *user, const struct sn_step *part);
    void *user;
} sn_step;

typedef struct sn_method {
    const char *name, *text;
    int order;
    bool implicit;
    bool newton;   /* calls Newton's method */
    bool exact;    /* needs the exact K and D for its order; other methods also work with symmetric copies */
    bool tension;  /* takes SN_LINEARISE_TENSION; has time.updates and does not look at time.newton */
    bool corrects; /* takes the exact differential of the laws without Newton's safeguards; has time.correction */
    /* Can carry the multipliers of links: each step solves one system for the state at its end. */
    bool multipliers;
    bool adaptive;
    const char *stability;     /* "A", "L", "explicit: h < 2/omega", ... */
    int (*history)(int count); /* number of doubles */
    int (*scratch)(int count);
    sn_status (*step)(sn_step *step);
} sn_method;

/* Prescribes the constrained components of x and v at t + h, and sets step->speed. Returns whether x and v are
 * finite. */
bool sn_step_arrive(sn_step *step, double *x, double *v);

/* Ends a step of a method: sn_step_arrive, a refusal of values that are not finite, and copies to step->x and
 * step->v. */
sn_status sn_step_finish(sn_step *step, double *x, double *v);

/* A sign of life at the time t, for methods that take many substeps. SN_STOPPED when the caller gives the step up. */
sn_status sn_step_alive(sn_step *step, double t);

/* Whether the forces can be computed at x, for methods that end a step without a force evaluation. */
sn_status sn_step_check(sn_step *step, double t, const double *x);

/* Finds a method by name. NULL when the name is unknown; "" is the default method. */
const sn_method *sn_method_find(const char *name);

/* The equilibrium at t + h, f(t + h, x, 0) = 0. It is one step of "quasi-static". It is also one step of "static",
 * where t is the fraction of the load. sn_methods() does not list it. */
const sn_method *sn_method_equilibrium(void);
/* The method for the mode and the method name in the options. Modes "static" and "quasi-static" give the equilibrium.
 * NULL when unknown. */
const sn_method *sn_method_choose(const sn_time_options *options);

/* ---- Step control ---- */

/* Goes from t to t + h with `method`, in several parts if necessary. A part that does not converge, inverts an element
 * or is not finite is retried with half its length. Parts continue until t + h is reached, grow again after
 * successes, and are never below h / 1024. A part of h / 16 or less that does not converge may end with Newton's
 * best iterate; info->loose counts these. info->retries counts the refused parts.
 *
 * Calls begin, accept and reject of the system for each part. On failure x, v and history are unchanged. When a
 * step fails after accepted parts, the owner of the system restores the state that it keeps beside x and v.
 * step->scratch holds sn_control_scratch doubles. */
int sn_control_scratch(const sn_method *method, int count);
sn_status sn_step_controlled(const sn_method *method, sn_step *step);

/* Statics: goes from load fraction step->t to 1 in options->load_steps equal fractions of the whole load. Each is taken
 * by sn_step_controlled, so a failed increment is halved and grows again. step->t is the fraction reached. On failure x
 * is the equilibrium at step->t. v is zero afterwards. `reached` (may be NULL) is called after each load step;
 * returning false stops with SN_STOPPED. */
sn_status sn_static_solve(sn_step *step, bool (*reached)(void *user, const sn_step *step), void *user);

/* ---- Newton ---- */

/* Solves r(y) = 0 for y = x(t + h), with
 *   r = m M (y - base) - f(t1, y, a (y - origin) + w) - extra   and its Jacobian m M + a D + K.
 *
 * Implicit Euler: m = 1/h^2, base = x + h v, a = 1/h, origin = x, w = 0. Statics: m = 0, a = 0.
 *
 * y comes in as the start (the last positions). The system gives the wanted positions of the constrained components at
 * t1. The first iteration moves these components there as part of its linear problem. On failure y is the best
 * iterate. */
typedef struct sn_newton_problem {
    sn_system *system;
    double t1;
    double m, a;
    const double *base, *origin; /* count; NULL when m or a is 0 */
    const double *offset;        /* w, or NULL */
    const double *extra;         /* a constant force, or NULL */
    /* The value of m (y - base) in the constrained components, and 0 in the others. NULL: the acceleration prescribed
     * at t1. */
    const double *inertia;
    /* The velocity at which the first iteration takes force and linearisation, together with y: the last velocity.
     * NULL: the velocity that belongs to y. */
    const double *velocity;
    const sn_newton_options *options;
    double linear_tolerance;
    double loose;        /* as in sn_step */
    const double *guess; /* start of the first linear solve (warm start), or NULL */
    int expected;        /* number of directions that likely contain the error of the guess */
    const double *const *direction;
    double *scratch;    /* sn_newton_scratch(count) doubles */
    sn_step_info *info; /* the counts of this solve are added to it */
    sn_error *error;
} sn_newton_problem;

int sn_newton_scratch(int count);
/* Whether this kind of Newton's method iterates until its tolerance is met. */
bool sn_newton_converges(const char *kind);
/* Whether its corrections have the matrix of SN_LINEARISE_TENSION. */
bool sn_newton_splits(const sn_newton_options *options);
sn_status sn_newton_solve(const sn_newton_problem *problem, double *y);

#endif
