/* Newton's method for r(y) = m M (y - base) - f(t1, y, a (y - origin) + w) - extra = 0.
 *
 *   (m M + a D + K) d = -r(y),   y <- y + s d,   0 < s <= 1 by line search (line_search.h)
 *
 * In the constrained directions position, velocity and acceleration are known functions of time and enter r as such. Prescribed motion
 * enters as given components of d, in the first iteration and while any of it is left; such an iteration is taken whole (the free residual
 * before it says nothing about it) unless it cannot be evaluated. A few steps in a row may raise |r| before the line search gets strict
 * (the watchdog of Chamberlain et al. 1982). Statics has no inertia to keep the matrix definite: it takes the exact K, and where that leads
 * nowhere (the solver gives up, the energy rises along d, no better place) the projected one for this iteration. The iteration ends when
 *
 *   |r| <= tolerance max(|external|, |internal|, |inertia|)   or   max |d| <= tolerance size
 *
 * Kinds: "full"; "one-step", one linear solve and no more; "inexact", the linear tolerance follows the progress (Eisenstat and Walker 1996,
 * choice 2); "simplified", the linearisation is kept while |r| falls by half or better in each iteration, across steps too (Hauth 3.3);
 * "fixed", `iterations` whole corrections at most, no search, and what is reached is taken: the work of a frame is bounded (Civit 3.3). */
#include <string.h>

#include "base/context.h"
#include "line_search.h"
#include "base/vector.h"
#include "system.h"
#include "vector.h"

enum { VECTORS = 7, TRIALS = 10 };

int sn_newton_scratch(int count) { return VECTORS * count; }

typedef enum newton_kind { FULL, ONE_STEP, INEXACT, SIMPLIFIED, FIXED } newton_kind;

typedef struct newton {
    const sn_newton_problem *problem;
    sn_system *system;
    newton_kind kind;
    int n;
    double *r, *f, *d, *trial, *velocity, *best, *work;
    double residual;      /* |r| at the last evaluated point */
    double scale;         /* what it is measured against */
    double force;         /* largest |f| seen: the scale of systems that do not know their own */
    double best_residual; /* |r| of `best`; negative: none yet */
    double best_relative;
    int climbs;       /* steps since `best` that went uphill */
    double eta, last; /* inexact: the last forcing term, and |r| before the last iteration */
    bool fresh;       /* the linearisation is of the present y */
    bool ready;       /* the linearisation for the next iteration has been taken */
    bool given;       /* d has prescribed components */
    bool uphill;      /* the linear solver stopped early with a direction that does not serve */
} newton;

static newton_kind kind_of(const char *name) {
    if (strcmp(name, "one-step") == 0) return ONE_STEP;
    if (strcmp(name, "inexact") == 0) return INEXACT;
    if (strcmp(name, "fixed") == 0) return FIXED;
    return strcmp(name, "simplified") == 0 ? SIMPLIFIED : FULL;
}

static double relative(const newton *w) { return w->residual > 0 ? w->residual / w->scale : w->residual; }

static void take_velocity(newton *w, const double *y) {
    const sn_newton_problem *p = w->problem;
    const int n = w->n;
    if (p->a != 0)
        sn_vector_difference(w->system->context, n, p->a, y, p->origin, w->velocity);
    else
        sn_vector_zero(w->system->context, n, w->velocity);
    if (p->offset) sn_vector_add(w->system->context, n, 1, p->offset, w->velocity);
    if (p->a != 0) w->system->table->constrain(w->system, p->t1, NULL, w->velocity);
}

/* m (y - base) in the free directions; in the constrained ones the prescribed value, when the system knows it. */
static void take_inertia(newton *w, const double *y, double *out) {
    const sn_newton_problem *p = w->problem;
    const sn_system_table *table = w->system->table;
    sn_vector_difference(w->system->context, w->n, p->m, y, p->base, out);
    if (!table->acceleration) return;
    if (p->inertia) {
        table->filter(w->system, out);
        sn_vector_add(w->system->context, w->n, 1, p->inertia, out);
    } else {
        table->acceleration(w->system, p->t1, out);
    }
}

/* r at y with the force at (y, w->velocity), filtered, with its norm and its scale. */
static sn_status evaluate_there(newton *w, const double *y, sn_error *error) {
    const sn_newton_problem *p = w->problem;
    sn_system *system = w->system;
    const int n = w->n;
    const double start = sn_seconds();
    const sn_status status = system->table->force(system, p->t1, y, w->velocity, w->f, error);
    p->info->assembly_seconds += sn_seconds() - start;
    ++p->info->force_evaluations;
    if (status) return status;
    double inertia = 0;
    if (p->m != 0) {
        take_inertia(w, y, w->work);
        system->table->mass_product(system, w->work, w->r);
        inertia = sn_vector_norm(system->context, n, w->r);
    } else {
        sn_vector_zero(w->system->context, n, w->r);
    }
    const double f = sn_vector_norm(system->context, n, w->f);
    if (f > w->force) w->force = f;
    const double forces = system->table->force_scale ? system->table->force_scale(system) : w->force;
    w->scale = forces > inertia ? forces : inertia;
    sn_vector_add(system->context, n, -1, w->f, w->r);
    if (p->extra) sn_vector_add(w->system->context, n, -1, p->extra, w->r);
    system->table->filter(system, w->r);
    w->residual = sn_vector_norm(system->context, n, w->r);
    if (!isfinite(w->residual)) return sn_fail(error, SN_NOT_FINITE, "the force is not finite at t = %g s", p->t1);
    return SN_OK;
}

static sn_status evaluate(newton *w, const double *y, sn_error *error) {
    take_velocity(w, y);
    return evaluate_there(w, y, error);
}

static void keep_best(newton *w, const double *y) {
    if (w->best_residual >= 0 && w->residual >= w->best_residual) return;
    w->best_residual = w->residual;
    w->best_relative = relative(w);
    w->climbs = 0;
    sn_vector_copy(w->system->context, w->n, y, w->best);
}

/* The prescribed part of the correction into d; returns whether there is any worth the name. */
static bool prescribe(newton *w, const double *y) {
    sn_vector_copy(w->system->context, w->n, y, w->trial);
    w->system->table->constrain(w->system, w->problem->t1, w->trial, NULL);
    sn_vector_subtract(w->system->context, w->n, w->trial, y, w->d);
    const double largest = sn_vector_largest(w->system->context, w->n, w->d);
    w->given = largest > 1e-14 * w->system->size;
    return largest > 1e-10 * w->system->size;
}

static sn_status linearise_there(newton *w, const double *y) {
    const sn_newton_problem *p = w->problem;
    const double start = sn_seconds();
    const sn_status status = w->system->table->linearise(w->system, p->t1, y, w->velocity, p->error);
    p->info->assembly_seconds += sn_seconds() - start;
    ++p->info->linearisations;
    w->fresh = status == SN_OK;
    w->system->kept = 0;
    return status;
}

static sn_status linearise(newton *w, const double *y) {
    take_velocity(w, y);
    return linearise_there(w, y);
}

/* Eisenstat-Walker forcing term, choice 2: eta = 0.9 (|r| / |r last|)^2, not falling too fast, and never more exact than the end needs. */
static double forcing(newton *w, int iteration) {
    const sn_newton_problem *p = w->problem;
    if (iteration == 0) return w->eta = 0.1;
    const double ratio = w->residual / w->last, memory = 0.9 * w->eta * w->eta;
    double eta = 0.9 * ratio * ratio;
    if (memory > 0.1 && memory > eta) eta = memory;
    const double enough = w->residual > 0 ? 0.5 * p->options->tolerance * w->scale / w->residual : 1;
    if (eta < enough) eta = enough;
    if (eta > 0.5) eta = 0.5;
    if (eta < p->linear_tolerance) eta = p->linear_tolerance;
    return w->eta = eta;
}

/* Solves for d; *slope receives phi'(0) = r . A d. A solve that stopped early serves when it goes downhill. */
static sn_status correct(newton *w, int iteration, bool carries, double *slope) {
    const sn_newton_problem *p = w->problem;
    sn_system *system = w->system;
    const int n = w->n;
    /* b = -r. Velocity and inertia of the prescribed motion are right in r already, only its K d is still to come: the rest of A d is taken
     * back. */
    if (w->given && p->a != 0)
        system->table->product(system, system->table->acceleration ? p->m : 0, p->a, 0, w->d, w->work);
    else
        sn_vector_zero(w->system->context, n, w->work);
    sn_vector_add(w->system->context, n, -1, w->r, w->work);
    if (iteration == 0 && p->guess) {
        sn_vector_copy(w->system->context, n, p->guess, w->trial);
        system->table->filter(system, w->trial);
        sn_vector_add(w->system->context, n, 1, w->trial, w->d);
        if (system->table->expect) system->table->expect(system, p->expected, p->direction);
    }
    sn_linear_report report = {0};
    const double tolerance = w->kind == INEXACT ? forcing(w, iteration) : p->linear_tolerance;
    const double start = sn_seconds();
    const sn_status status = system->table->solve(system, p->m, p->a, 1, w->work, w->d, tolerance, &report, p->error);
    p->info->solve_seconds += sn_seconds() - start - report.assembly_seconds;
    p->info->assembly_seconds += report.assembly_seconds;
    p->info->linear_iterations += report.iterations;
    p->info->linear_residual = report.residual;
    p->info->linear_misses += status == SN_NOT_CONVERGED;
    p->info->solver = report.method, p->info->preconditioner = report.preconditioner;
    ++system->kept;
    if (status && status != SN_NOT_CONVERGED) return status;
    if (!isfinite(sn_vector_largest(system->context, n, w->d)))
        return sn_fail(p->error, SN_NOT_FINITE, "the linear solver gave a value that is not finite at t = %g s", p->t1);
    *slope = -w->residual * w->residual;
    if (w->kind == ONE_STEP || w->kind == FIXED) return SN_OK; /* as far as it got */
    if ((status == SN_NOT_CONVERGED || w->kind == INEXACT) && !carries) {
        system->table->product(system, p->m, p->a, 1, w->d, w->work);
        *slope = sn_vec_dot(n, w->r, w->work);
        /* Downhill for |r| or, as the iterates of a symmetric definite solve are, for the energy. One step takes what there is. */
        w->uphill = status && !(*slope < 0) && !(sn_vec_dot(n, w->r, w->d) < 0) && w->kind != ONE_STEP;
        if (w->uphill) return status;
        if (!(*slope < 0)) *slope = -w->residual * w->residual;
    }
    return SN_OK;
}

/* How many steps in a row may go uphill. Bodies that turn are stretched by the straight corrections: |r| rises by orders before it falls,
 * and a strict search would creep. Statics, far from the solution, gets more of them. */
static int most_climbs(const newton *w) { return w->problem->m != 0 ? 3 : 8; }

/* Takes y to a better place along d and evaluates there; *s: the part of d taken. `whole`: anything that can be evaluated is good. */
static sn_status search(newton *w, double *y, double slope, bool whole, double *s) {
    const sn_newton_problem *p = w->problem;
    const int n = w->n;
    const bool climbs = w->fresh && w->climbs < most_climbs(w);
    sn_line_search search = sn_line_search_start(0.5 * w->residual * w->residual, slope);
    bool evaluable = false;
    sn_status status = SN_OK;
    while (search.trials < TRIALS) {
        sn_vec_sum(n, y, search.s, w->d, w->trial);
        if (w->system->table->retract) w->system->table->retract(w->system, w->trial);
        if (search.s == 1) w->system->table->constrain(w->system, p->t1, w->trial, NULL);
        status = evaluate(w, w->trial, p->error);
        if (status && status != SN_INVERTED && status != SN_NOT_FINITE) return status;
        const double phi = status ? NAN : 0.5 * w->residual * w->residual;
        const bool good = whole || !p->options->line_search || sn_line_search_good(&search, phi);
        if (!status && (good || climbs)) {
            *s = search.s;
            if (!good) ++w->climbs, ++p->info->line_searches;
            sn_vector_copy(w->system->context, n, w->trial, y);
            return SN_OK;
        }
        evaluable = evaluable || !status;
        sn_line_search_next(&search, phi);
        ++p->info->line_searches;
    }
    return evaluable ? SN_NOT_CONVERGED : status;
}

/* The first iteration of dynamics: r and the linearisation at (y, u), u the velocity of the problem: f at the velocity q that belongs to y
 * is taken as f(y, u) - D (q - u), so that forces that are not linear in the velocity are met where they are (Baraff and Witkin 1998). */
static sn_status expand(newton *w, const double *y) {
    const sn_newton_problem *p = w->problem;
    sn_system *system = w->system;
    const int n = w->n;
    const bool keeps = w->kind == SIMPLIFIED && system->kept > 0;
    w->ready = true;
    if (!p->velocity || p->a == 0) {
        const sn_status status = evaluate(w, y, p->error);
        return status || keeps ? status : linearise(w, y);
    }
    sn_vector_copy(w->system->context, n, p->velocity, w->velocity);
    system->table->constrain(system, p->t1, NULL, w->velocity);
    sn_status status = evaluate_there(w, y, p->error);
    if (!status && !keeps) status = linearise_there(w, y);
    if (status) return status;
    if (system->undamped) {
        take_velocity(w, y);
        return SN_OK;
    }
    sn_vector_copy(w->system->context, n, w->velocity, w->trial);
    take_velocity(w, y);
    sn_vector_subtract(system->context, n, w->velocity, w->trial, w->work);
    system->table->product(system, 0, 1, 0, w->work, w->trial);
    system->table->filter(system, w->trial);
    sn_vector_add(w->system->context, n, 1, w->trial, w->r);
    w->residual = sn_vector_norm(system->context, n, w->r);
    return SN_OK;
}

/* One whole correction, from a linearised y. */
static sn_status take_correction(newton *w, double *y) {
    const sn_newton_problem *p = w->problem;
    double slope;
    const bool carries = prescribe(w, y);
    const sn_status status = correct(w, 0, carries, &slope);
    if (status) return status;
    ++p->info->newton_iterations;
    p->info->newton_residual = relative(w);
    sn_vector_add(w->system->context, w->n, 1, w->d, y);
    w->system->table->constrain(w->system, p->t1, y, NULL);
    return w->system->table->check ? w->system->table->check(w->system, p->t1, y, p->error) : SN_OK;
}

static sn_status one_step(newton *w, double *y) {
    const double a = w->problem->a;
    w->system->ahead = a > 0 ? 1 / a : 0;
    const sn_status status = expand(w, y);
    w->system->ahead = 0;
    return status ? status : take_correction(w, y);
}

static sn_status fixed_steps(newton *w, double *y) {
    const sn_newton_problem *p = w->problem;
    sn_status status = one_step(w, y);
    for (int i = 1; i < p->options->iterations && !status; ++i) {
        status = evaluate(w, y, p->error);
        if (!status && w->residual <= p->options->tolerance * w->scale) break;
        if (!status) status = linearise(w, y);
        if (!status) status = take_correction(w, y);
    }
    return status;
}

static bool can_project(const newton *w) { return w->problem->m == 0 && !w->system->projected; }

static sn_status give_up(newton *w, double *y, int iterations) {
    const sn_newton_problem *p = w->problem;
    if (w->best_residual >= 0) sn_vector_copy(w->system->context, w->n, w->best, y);
    const double residual = w->best_residual >= 0 ? w->best_relative : relative(w);
    if (w->best_residual >= 0 && residual <= w->system->loose) {
        ++p->info->loose;
        p->info->newton_residual = residual;
        take_velocity(w, y);
        return SN_OK;
    }
    const char *advice = p->m != 0 ? "a smaller step" : "more load steps or a smaller step";
    if (w->uphill)
        return sn_fail(p->error, SN_NOT_CONVERGED,
                       "Newton's method did not converge at t = %g: the linear solver stopped at a residual of %.3g after its last "
                       "iteration; allow it more (solver.iterations), or take %s",
                       p->t1, p->info->linear_residual, advice);
    return sn_fail(p->error, SN_NOT_CONVERGED,
                   "Newton's method did not converge at t = %g: relative residual %.3g after %d iterations (tolerance %g); take %s, or "
                   "allow more iterations",
                   p->t1, residual, iterations, p->options->tolerance, advice);
}

/* One iteration. *done: converged. */
static sn_status iterate_once(newton *w, double *y, int iteration, bool *done) {
    const sn_newton_problem *p = w->problem;
    if (w->climbs == most_climbs(w) && w->best_residual >= 0) {
        /* The way over the hill led nowhere: back to the best place, from there with a strict search. */
        sn_vector_copy(w->system->context, w->n, w->best, y);
        w->system->kept = 0;
        const sn_status status = evaluate(w, y, p->error);
        if (status) return status;
    }
    const double goal = p->options->tolerance * w->system->size, before = w->residual;
    const bool carries = prescribe(w, y);
    if (!w->ready && !(w->kind == SIMPLIFIED && w->system->kept > 0)) {
        const sn_status status = linearise(w, y);
        if (status) return status;
    }
    w->ready = false;
    double slope = 0, s = 1;
    sn_status status = correct(w, iteration, carries, &slope);
    if (status) return status;
    const double correction = sn_vector_largest(w->system->context, w->n, w->d);
    const bool small = correction <= goal;
    if (can_project(w) && !carries && !small && !(sn_vec_dot(w->n, w->r, w->d) < 0)) return SN_NOT_CONVERGED;
    status = search(w, y, slope, carries || small, &s);
    if (status == SN_NOT_CONVERGED && !w->fresh) {
        /* An old linearisation led nowhere: once more from here with a new one. */
        w->system->kept = 0;
        return evaluate(w, y, p->error);
    }
    if (status) return status;
    const double rate = before > 0 ? w->residual / before : 0;
    w->last = before;
    if (carries || rate > 0.5 || s < 1) w->system->kept = 0;
    w->fresh = false;
    const bool arrived = s == 1 || !carries;
    if (arrived) keep_best(w, y);
    /* The correction of an old linearisation leaves rate / (1 - rate) of itself. */
    const bool sure = w->kind != SIMPLIFIED || carries || (rate < 1 && correction * fmax(1, rate / (1 - rate)) <= goal);
    *done = s == 1 && small && sure;
    return SN_OK;
}

static sn_status iterate(newton *w, double *y, int iteration, bool *done) {
    sn_system *system = w->system;
    sn_status status = iterate_once(w, y, iteration, done);
    if (!status || !can_project(w) || (status != SN_NOT_CONVERGED && status != SN_SINGULAR && status != SN_NOT_FINITE)) return status;
    system->projected = true, system->kept = 0;
    w->uphill = w->ready = false;
    status = evaluate(w, y, w->problem->error);
    if (!status) status = iterate_once(w, y, iteration, done);
    system->projected = false;
    return status;
}

/* Iterations from an evaluated y to the solution. */
static sn_status converge(newton *w, double *y) {
    const sn_newton_problem *problem = w->problem;
    const int n = w->n, most = problem->options->iterations;
    sn_status status;
    for (int iteration = 0;; ++iteration) {
        problem->info->newton_residual = relative(w);
        const bool balanced = w->residual <= problem->options->tolerance * w->scale && !prescribe(w, y);
        if (balanced && (iteration > 0 || problem->m == 0 || w->residual == 0)) return SN_OK;
        if (iteration == most) return give_up(w, y, iteration);
        if (iteration == 0 && !prescribe(w, y)) keep_best(w, y);
        bool done = false;
        status = iterate(w, y, iteration, &done);
        ++problem->info->newton_iterations;
        if (status == SN_NOT_CONVERGED) return give_up(w, y, iteration + 1);
        if (status) {
            if (w->best_residual >= 0) sn_vector_copy(w->system->context, n, w->best, y);
            return status;
        }
        if (done) {
            problem->info->newton_residual = relative(w);
            return SN_OK;
        }
    }
}

static sn_status solve(const sn_newton_problem *problem, double *y) {
    sn_system *system = problem->system;
    const int n = system->count;
    double *a = problem->scratch;
    newton work = {.problem = problem,
                   .system = system,
                   .kind = kind_of(problem->options->kind),
                   .n = n,
                   .r = a,
                   .f = a + n,
                   .d = a + 2 * n,
                   .trial = a + 3 * n,
                   .velocity = a + 4 * n,
                   .best = a + 5 * n,
                   .work = a + 6 * n,
                   .best_residual = -1};
    newton *w = &work;
    if (w->kind == ONE_STEP) return one_step(w, y);
    if (w->kind == FIXED) return fixed_steps(w, y);
    sn_status status = problem->m != 0 ? expand(w, y) : evaluate(w, y, problem->error);
    if (!status) status = converge(w, y);
    while (!status && system->table->renew && system->table->renew(system, problem->t1, y, w->velocity)) {
        w->best_residual = -1, w->climbs = 0, w->ready = false;
        status = evaluate(w, y, problem->error);
        if (!status) status = converge(w, y);
    }
    return status;
}

sn_status sn_newton_solve(const sn_newton_problem *problem, double *y) {
    const sn_status status = solve(problem, y);
    if (status) problem->system->kept = 0; /* a linearisation from where it went wrong is not worth keeping */
    return status;
}
