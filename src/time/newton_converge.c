/* Newton's iteration until its tolerance is met, for the kinds that differ only in their rules (newton.h). The
 * iteration ends when
 *
 *   |r| <= tolerance max(|external|, |internal|, |inertia|)   or   max |d| <= tolerance size.
 *
 * A line search shortens each correction (line_search.h), with these special rules:
 *   - An iteration with prescribed motion is taken whole, unless the new place cannot be evaluated. The free residual
 *     before it does not contain the prescribed motion, so it cannot judge the iteration.
 *   - The system may limit how far a correction goes. No trial goes farther. Prescribed motion that is left over goes
 *     on in the next iteration. A limited correction never ends the iteration by being small.
 *   - Systems with a barrier have a search of their own (search_slope).
 *   - A few steps in a row may raise |r| before the line search becomes strict (the watchdog of Chamberlain et al.
 *     1982).
 *   - With the linearised tension alone only the residual counts: corrections that are too short say nothing.
 *   - Statics has no inertia that keeps the matrix definite. It uses the exact K. When that fails (the solver gives up,
 *     the energy rises along d, or there is no better place), it uses the projected K for this iteration. */
#include <math.h>

#include "base/vector.h"
#include "line_search.h"
#include "newton.h"

enum { TRIALS = 10, STEEP = 8 }; /* STEEP: times as many iterations for systems with a barrier */
static const double NEAR = 0.1;  /* of the forces: a predicted place with such a residual is not compared further */

/* How one iteration ended. */
typedef struct iteration {
    sn_status status; /* SN_NOT_CONVERGED: no better place was found */
    bool done;        /* converged */
    bool uphill;      /* the linear solver stopped early with a direction that is not useful */
} iteration;

static void keep_best(sn_newton *w, const double *y) {
    if (w->best_residual >= 0 && w->residual >= w->best_residual) return;
    w->best_residual = w->residual;
    w->best_relative = sn_newton_relative(w);
    w->climbs = 0;
    sn_vector_copy(w->system->context, w->n, y, w->best);
}

static bool keeps(const sn_newton *w, const sn_newton_rules *rules) {
    return rules->monitor && w->linearisation && w->linearisation->served > 0;
}

/* The most steps in a row that may go uphill. Straight corrections stretch a rotating body: |r| rises by orders of
 * magnitude before it falls, and a strict search would be very slow. Statics starts far from the solution and gets more
 * of these steps. */
static int most_climbs(const sn_newton *w) { return w->problem->m != 0 ? 3 : 8; }

/* Whether the next step may go uphill. In dynamics, kinds that keep their linearisation have a strict search (Hauth
 * 3.3.5). */
static bool may_climb(const sn_newton *w, const sn_newton_rules *rules) {
    return w->fresh && w->climbs < most_climbs(w) && (!rules->monitor || w->problem->m == 0);
}

static bool can_project(const sn_newton *w) { return w->linearisation && w->linearisation->projectable; }

/* r . u */
static double along(const sn_newton *w, const double *u) { return sn_vector_dot(w->system->context, w->n, w->r, u); }

/* The linear tolerance in dynamics is relative to the forces, not to a residual that a good start has made small. It is
 * at most a tenth of what Newton's tolerance needs. */
static double of_forces(const sn_newton *w) {
    const double tolerance = w->problem->linear_tolerance;
    const double loose = w->residual > 0 ? tolerance * w->scale / w->residual : 1;
    return fmax(tolerance, fmin(0.1, fmin(loose, 0.2 * sn_newton_enough(w))));
}

/* Solves for d; *slope receives phi'(0) = r . A d. A solve that stopped early is used when d goes downhill. */
static iteration correct(sn_newton *w, const double *y, const sn_newton_rules *rules, int number, double prescribed,
                         double *slope) {
    const sn_newton_problem *p = w->problem;
    const bool relative = p->m == 0 || sn_newton_carries(w, prescribed);
    const double tolerance = rules->tolerance ? rules->tolerance(w, number)
                             : relative       ? p->linear_tolerance
                                              : of_forces(w);
    const sn_status status = sn_newton_correct(w, y, number == 0, prescribed, tolerance);
    if (status && status != SN_NOT_CONVERGED) return (iteration){.status = status};
    *slope = -w->residual * w->residual;
    if ((!status && !rules->tolerance) || sn_newton_carries(w, prescribed)) return (iteration){.status = SN_OK};
    sn_linearisation_product(w->linearisation, p->m, p->a, 1, w->d, w->work);
    *slope = along(w, w->work);
    /* Downhill means that |r| falls or that the energy falls. Iterates of a symmetric definite solve lower the
     * energy. */
    if (status && !(*slope < 0) && !(along(w, w->d) < 0)) return (iteration){.status = status, .uphill = true};
    if (!(*slope < 0)) *slope = -w->residual * w->residual;
    return (iteration){.status = SN_OK};
}

/* Moves y to a better place along d and evaluates there. *s: the part of d that was taken. `climbs`: the step may go
 * uphill. `whole`: any place that can be evaluated is good. */
static sn_status search(sn_newton *w, double *y, double slope, bool climbs, bool whole, double *s) {
    const sn_newton_problem *p = w->problem;
    const sn_system_table *table = w->system->table;
    const sn_context *context = w->system->context;
    sn_line_search search = sn_line_search_start(0.5 * w->residual * w->residual, slope);
    bool evaluable = false;
    sn_status status = SN_OK;
    search.s = sn_newton_limit(w, y, w->d, NULL);
    while (search.trials < TRIALS) {
        if (!sn_newton_go(w, y, &search.s, w->d, w->trial)) return SN_NOT_CONVERGED;
        if (search.s == 1) table->constrain(w->system, p->t1, w->trial, NULL, NULL);
        status = sn_newton_evaluate(w, w->trial, p->error);
        if (status && status != SN_INVERTED && status != SN_NOT_FINITE) return status;
        const double phi = status ? NAN : 0.5 * w->residual * w->residual;
        const bool good = whole || !p->options->line_search || sn_line_search_good(&search, phi);
        if (!status && (good || climbs)) {
            *s = search.s;
            if (!good) ++w->climbs;
            sn_vector_copy(context, w->n, w->trial, y);
            return SN_OK;
        }
        evaluable = evaluable || !status;
        sn_line_search_next(&search, phi);
        ++p->info->line_searches;
    }
    return evaluable ? SN_NOT_CONVERGED : status;
}

/* The same for a system with a barrier. |r| says little there: it rises by orders of magnitude where the solution is
 * near. r is the gradient of the potential that the step minimises, so the potential has the slope g(s) = r(y + s d) .
 * d along d. A place before the minimum (g < 0), or not far behind it, is good (Matthies and Strang 1979). */
static sn_status search_slope(sn_newton *w, double *y, double start, double *s) {
    enum { SLOPE_TRIALS = 24 };
    const double BEHIND = 0.5;
    const sn_newton_problem *p = w->problem;
    bool evaluable = false;
    sn_status status = SN_OK;
    *s = sn_newton_limit(w, y, w->d, NULL);
    for (int trial = 0; trial < SLOPE_TRIALS; ++trial, ++p->info->line_searches) {
        if (!sn_newton_go(w, y, s, w->d, w->trial)) return SN_NOT_CONVERGED;
        if (*s == 1) w->system->table->constrain(w->system, p->t1, w->trial, NULL, NULL);
        status = sn_newton_evaluate(w, w->trial, p->error);
        if (status && status != SN_INVERTED && status != SN_NOT_FINITE) return status;
        const double g = status ? INFINITY : along(w, w->d);
        if (g <= -BEHIND * start) {
            sn_vector_copy(w->system->context, w->n, w->trial, y);
            return SN_OK;
        }
        evaluable = evaluable || !status;
        *s *= fmin(fmax(start / (start - g), 0.2), 0.7); /* where a straight line through both slopes is 0 */
    }
    return evaluable ? SN_NOT_CONVERGED : status;
}

/* The uphill steps did not help. Goes back to the best place and continues with a strict search. */
static sn_status turn_back(sn_newton *w, double *y) {
    sn_vector_copy(w->system->context, w->n, w->best, y);
    sn_newton_forget(w);
    return sn_newton_evaluate(w, y, w->problem->error);
}

static iteration iterate_once(sn_newton *w, const sn_newton_rules *rules, double *y, int number) {
    const sn_newton_problem *p = w->problem;
    sn_status status = SN_OK;
    if (w->climbs == most_climbs(w) && w->best_residual >= 0 && !w->system->steep) status = turn_back(w, y);
    if (status) return (iteration){.status = status};
    const double goal = p->options->tolerance * w->system->size, before = w->residual,
                 prescribed = sn_newton_prescribe(w, y);
    const bool carries = sn_newton_carries(w, prescribed);
    if (!w->fresh && !keeps(w, rules)) status = sn_newton_linearise(w, y);
    if (status) return (iteration){.status = status};
    double slope = 0, s = 1;
    const iteration corrected = correct(w, y, rules, number, prescribed, &slope);
    if (corrected.status) return corrected;
    const double correction = sn_vector_largest(w->system->context, w->n, w->d);
    const bool small = correction <= goal;
    if (can_project(w) && !carries && !small && !(along(w, w->d) < 0)) return (iteration){.status = SN_NOT_CONVERGED};
    const double downhill = along(w, w->d);
    if (w->system->steep && p->options->line_search && downhill < 0 && !carries && !small)
        status = search_slope(w, y, downhill, &s);
    else
        status = search(w, y, slope, w->system->steep || may_climb(w, rules), carries || small, &s);
    if (status == SN_NOT_CONVERGED && !w->fresh) {
        /* The old linearisation did not help: try again from here with a new one. */
        sn_newton_forget(w);
        return (iteration){.status = sn_newton_evaluate(w, y, p->error)};
    }
    if (status) return (iteration){.status = status};
    w->last = before;
    w->fresh = false;
    if (s == 1 || !carries) keep_best(w, y);
    if (carries) w->correction = 0; /* it has the prescribed motion in it: the next one says nothing beside it */
    /* The matrix of tension alone is too stiff for folds: its corrections are small long before they are enough. */
    const bool sure =
        w->wanted != SN_LINEARISE_TENSION && (carries || !rules->monitor || rules->monitor(w, correction, s, number));
    return (iteration){.done = s == 1 && small && sure};
}

/* One iteration. In statics there is a second attempt with the projected K when the exact K fails. */
static iteration iterate(sn_newton *w, const sn_newton_rules *rules, double *y, int number) {
    const iteration exact = iterate_once(w, rules, y, number);
    const bool nowhere =
        exact.status == SN_NOT_CONVERGED || exact.status == SN_SINGULAR || exact.status == SN_NOT_FINITE;
    if (!nowhere || !can_project(w)) return exact;
    w->wanted = SN_LINEARISE_PROJECTED;
    w->fresh = false;
    sn_newton_forget(w);
    const sn_status status = sn_newton_evaluate(w, y, w->problem->error);
    const iteration projected = status ? (iteration){.status = status} : iterate_once(w, rules, y, number);
    w->wanted = SN_LINEARISE_EXACT; /* the tension alone is never projected */
    return projected;
}

static sn_newton_result give_up(sn_newton *w, double *y, int iterations, bool uphill, double residual) {
    const sn_newton_problem *p = w->problem;
    if (w->best_residual >= 0) sn_vector_copy(w->system->context, w->n, w->best, y);
    const double best = w->best_residual >= 0 ? w->best_relative : sn_newton_relative(w);
    if (w->best_residual >= 0 && best <= p->loose) {
        sn_newton_velocity(w, y);
        return (sn_newton_result){SN_OK, best, true};
    }
    const char *advice = p->m != 0 ? "a smaller step" : "more load steps or a smaller step";
    if (uphill)
        sn_fail(p->error, SN_NOT_CONVERGED,
                "Newton's method did not converge at t = %g: the linear solver stopped early at a relative residual of "
                "%.3g; "
                "raise solver.iterations, or take %s",
                p->t1, p->info->linear_residual, advice);
    else
        sn_fail(p->error, SN_NOT_CONVERGED,
                "Newton's method did not converge at t = %g: relative residual %.3g after %d iterations (tolerance "
                "%g); take %s, or "
                "raise time.newton.iterations",
                p->t1, best, iterations, p->options->tolerance, advice);
    return (sn_newton_result){SN_NOT_CONVERGED, residual, false};
}

/* Iterates from an evaluated y to the solution. */
static sn_newton_result iterate_all(sn_newton *w, const sn_newton_rules *rules, double *y) {
    const sn_newton_problem *p = w->problem;
    for (int number = 0;; ++number) {
        const double residual = sn_newton_relative(w);
        const bool balanced =
            w->residual <= p->options->tolerance * w->scale && !sn_newton_carries(w, sn_newton_prescribe(w, y));
        if (balanced && (number > 0 || p->m == 0 || w->residual == 0))
            return (sn_newton_result){SN_OK, residual, false};
        if (number == (w->system->steep ? STEEP : 1) * p->options->iterations)
            return give_up(w, y, number, false, residual);
        if (number == 0 && !sn_newton_carries(w, sn_newton_prescribe(w, y))) keep_best(w, y);
        const iteration one = iterate(w, rules, y, number);
        ++p->info->newton_iterations;
        if (one.status == SN_NOT_CONVERGED) return give_up(w, y, number + 1, one.uphill, residual);
        if (one.status) {
            if (w->best_residual >= 0) sn_vector_copy(w->system->context, w->n, w->best, y);
            return (sn_newton_result){one.status, residual, false};
        }
        if (one.done) return (sn_newton_result){SN_OK, sn_newton_relative(w), false};
    }
}

/* Begins a step of dynamics at the place that extrapolation predicts (Hauth 3.3.3), if the forces there are nearly in
 * balance or at least better balanced than at the last positions. Prescribed motion is not extrapolated: its first
 * iteration starts at the last positions. Returns false when the iteration must start there. */
static bool predict(sn_newton *w, double *y) {
    const sn_newton_problem *p = w->problem;
    const sn_system_table *table = w->system->table;
    const sn_context *context = w->system->context;
    if (!p->guess || sn_newton_carries(w, sn_newton_prescribe(w, y))) return false;
    sn_vector_copy(context, w->n, p->guess, w->d);
    table->filter(w->system, w->d);
    double s = sn_newton_limit(w, y, w->d, NULL);
    if (!sn_newton_go(w, y, &s, w->d, w->best) || s < 1) return false; /* something is in the way */
    if (sn_newton_evaluate(w, w->best, p->error)) return false;
    const double ahead = w->residual;
    if (ahead > NEAR * w->scale) {
        if (sn_newton_evaluate(w, y, p->error) || w->residual <= ahead) return false;
        if (sn_newton_evaluate(w, w->best, p->error)) return false;
    }
    sn_vector_copy(context, w->n, w->best, y);
    return w->predicted = true;
}

static sn_status start(sn_newton *w, const sn_newton_rules *rules, double *y) {
    const sn_newton_problem *p = w->problem;
    if (p->m == 0) return sn_newton_evaluate(w, y, p->error);
    return predict(w, y) ? SN_OK : sn_newton_expand(w, y, rules->monitor != NULL);
}

sn_newton_result sn_newton_converge(sn_newton *w, double *y, const sn_newton_rules *rules) {
    const sn_newton_problem *p = w->problem;
    sn_newton_result result = {.residual = p->info->newton_residual};
    result.status = start(w, rules, y);
    if (!result.status) result = iterate_all(w, rules, y);
    bool loose = result.loose;
    while (!result.status && w->system->table->renew && w->system->table->renew(w->system, p->t1, y, w->velocity)) {
        w->best_residual = -1, w->climbs = 0, w->fresh = false;
        result.status = sn_newton_evaluate(w, y, p->error);
        if (!result.status) result = iterate_all(w, rules, y);
        loose = loose || result.loose;
    }
    result.loose = loose;
    return result;
}
