/* Explicit Runge-Kutta methods from tableaus, with fixed or adaptive steps. See explicit.h. Hairer, Norsett, Wanner:
 * Solving Ordinary Differential Equations I, II.1, II.4 and II.5. */
#include <math.h>

#include "base/vector.h"
#include "explicit.h"

/* The most substeps of a step, and how many pass between two signs of life. */
enum { MOST_SUBSTEPS = 100000, SIGN = 1000 };

typedef struct work {
    double *position;         /* X_i */
    double *velocity, *force; /* V_i and A_i, all x count: the two halves of F_i */
    double *x1, *v1;
    double *x, *v; /* start of the substep */
    double *spare; /* 2 count */
} work;

int sn_tableau_scratch(const sn_tableau *tableau, int count) { return (2 * tableau->all + 7) * count; }

static work layout(const sn_step *step, const sn_tableau *tableau) {
    const int n = step->system->count;
    double *a = step->scratch;
    work w;
    w.velocity = a, a += tableau->all * n;
    w.force = a, a += tableau->all * n;
    w.position = a, w.x1 = a + n, w.v1 = a + 2 * n, w.x = a + 3 * n, w.v = a + 4 * n, w.spare = a + 5 * n;
    return w;
}

/* out = start + h sum_j weight_j list_j, where list_j is the j-th row of n numbers; two rows in each pass. */
static void combine(const sn_system *system, const double *start, double h, const double *weight, int rows,
                    const double *list, double *out) {
    const int n = system->count;
    const double *sum = start;
    int row[2], found = 0;
    for (int j = 0; j < rows; ++j) {
        if (h * weight[j] != 0) row[found++] = j;
        if (found < 2) continue;
        sn_vector_mix(system->context, n, 1, sum, h * weight[row[0]], list + row[0] * n, h * weight[row[1]],
                      list + row[1] * n, out);
        sum = out, found = 0;
    }
    if (found)
        sn_vector_mix(system->context, n, 1, sum, h * weight[row[0]], list + row[0] * n, 0, NULL, out);
    else if (sum != out)
        sn_vector_copy(system->context, n, sum, out);
}

/* Computes stage i of a step of h from (t, x, v). */
static sn_status stage(sn_step *step, const sn_tableau *tableau, const work *w, int i, double t, double h,
                       const double *x, const double *v) {
    sn_system *system = step->system;
    const int n = system->count;
    double *V = w->velocity + i * n;
    combine(system, x, h, tableau->a + i * tableau->all, i, w->velocity, w->position);
    combine(system, v, h, tableau->a + i * tableau->all, i, w->force, V);
    const double time = t + tableau->c[i] * h;
    system->table->constrain(system, time, w->position, V, NULL);
    return sn_acceleration(step, time, w->position, V, w->force + i * n, w->spare);
}

/* Computes (x1, v1) from (x, v), beginning with stage `first`. */
static sn_status advance(sn_step *step, const sn_tableau *tableau, const work *w, int first, double t, double h,
                         const double *x, const double *v) {
    for (int i = first; i < tableau->stages; ++i) {
        const sn_status status = stage(step, tableau, w, i, t, h, x, v);
        if (status) return status;
    }
    combine(step->system, x, h, tableau->b, tableau->stages, w->velocity, w->x1);
    combine(step->system, v, h, tableau->b, tableau->stages, w->force, w->v1);
    step->system->table->constrain(step->system, t + h, w->x1, w->v1, NULL);
    return SN_OK;
}

sn_status sn_tableau_step(sn_step *step, const sn_tableau *tableau) {
    const work w = layout(step, tableau);
    const sn_status status = advance(step, tableau, &w, 0, step->t, step->h, step->x, step->v);
    if (status == SN_NOT_FINITE) return sn_explicit_diverged(step, tableau->name, sn_tableau_limit, tableau);
    if (status) return status;
    return sn_explicit_finish(step, tableau->name, sn_tableau_limit, tableau, w.x1, w.v1,
                              w.force + (tableau->stages - 1) * step->system->count);
}

/* The mean square of h sum e_i F_i, relative to the tolerance. */
static double error_of(sn_step *step, const sn_tableau *tableau, const work *w, const double *e, double h,
                       double speed) {
    sn_system *system = step->system;
    const int n = system->count;
    double sum = 0;
    for (int part = 0; part < 2; ++part) {
        sn_vector_zero(system->context, n, w->spare);
        combine(system, w->spare, h, e, tableau->all, part ? w->force : w->velocity, w->spare);
        system->table->filter(system, w->spare);
        const double scale = step->options->tolerance * (part ? speed : system->size);
        sum += sn_vector_dot(system->context, n, w->spare, w->spare) / (scale * scale);
    }
    return sum / (2 * n);
}

/* The error of the substep in units of the tolerance; NaN or inf when it cannot be computed. */
static double measure(sn_step *step, const sn_tableau *tableau, const work *w, double h) {
    const int n = step->system->count;
    const double speed = fmax(
        fmax(sn_vector_largest(step->system->context, n, w->v), sn_vector_largest(step->system->context, n, w->v1)),
        1e-3 * step->system->size);
    const double e = error_of(step, tableau, w, tableau->e, h, speed);
    if (!tableau->e3) return sqrt(e);
    const double e3 = error_of(step, tableau, w, tableau->e3, h, speed);
    return e == 0 ? 0 : e / sqrt(e + 0.01 * e3);
}

/* Ends a step that needs too many or too small substeps. `status`: of the last substep. */
static sn_status give_up(const sn_step *step, const sn_tableau *tableau, sn_status status, double t, double part,
                         int count) {
    if (status) return status; /* no substep helps where the force cannot be computed; its message says why */
    return sn_fail(step->error, SN_NOT_CONVERGED,
                   "method '%s' needs more than %d substeps of %g s to keep its tolerance of %g at t = %g s; take an "
                   "implicit method, a smaller step, or a larger time.tolerance",
                   tableau->name, count, part, step->options->tolerance, t);
}

sn_status sn_tableau_step_adaptive(sn_step *step, const sn_tableau *tableau) {
    if (step->options->tolerance <= 0) return sn_tableau_step(step, tableau);
    const work w = layout(step, tableau);
    sn_system *system = step->system;
    const int n = system->count, last = tableau->all - 1;
    const bool reuses = tableau->all > tableau->stages; /* the last stage is the first of the next step */
    double done = 0, h = step->history[0] > 0 ? step->history[0] : step->h;
    bool first_known = false, refused = false;
    sn_status status = SN_OK;
    sn_vector_copy(system->context, n, step->x, w.x);
    sn_vector_copy(system->context, n, step->v, w.v);
    for (int count = 0; done < step->h; ++count) {
        const bool final = h >= 0.999999 * (step->h - done);
        const double part = final ? step->h - done : h, t = step->t + done;
        if (count >= MOST_SUBSTEPS || (part < 1e-10 * step->h && !final))
            return give_up(step, tableau, status, t, part, count);
        if (count > 0 && count % SIGN == 0 && sn_step_alive(step, t)) return SN_STOPPED;
        status = advance(step, tableau, &w, first_known ? 1 : 0, t, part, w.x, w.v);
        first_known = true;
        if (!status && reuses)
            status = stage(step, tableau, &w, last, t, part, w.x, w.v);
        else if (!status)
            status = sn_step_check(step, t + part, w.x1);
        if (status && status != SN_INVERTED && status != SN_NOT_FINITE) return status;
        const double error = status ? INFINITY : measure(step, tableau, &w, part);
        double factor = isfinite(error) ? 0.9 * pow(fmax(error, 1e-12), -tableau->exponent) : 0.1;
        factor = fmin(fmax(factor, 0.1), refused ? 1 : 5);
        refused = !(error <= 1);
        /* A step that was shortened to the end of the whole step says nothing about the length of the next one, unless
         * it was refused. */
        if (!final || refused || factor * part > h) h = factor * part;
        if (refused) {
            ++step->info->retries;
            continue;
        }
        sn_vector_copy(system->context, n, w.x1, w.x);
        sn_vector_copy(system->context, n, w.v1, w.v);
        if (reuses) {
            sn_vector_copy(system->context, n, w.velocity + last * n, w.velocity);
            sn_vector_copy(system->context, n, w.force + last * n, w.force);
        } else {
            first_known = false;
        }
        done = final ? step->h : done + part;
    }
    status = sn_step_finish(step, w.x, w.v);
    if (!status) step->info->suggested_step = step->history[0] = h;
    return status;
}

/* |R(z)|^2 of the stability function at z = h lambda. */
static double growth(const sn_tableau *tableau, double re, double im) {
    double g[16][2], r[2] = {1, 0};
    for (int i = 0; i < tableau->stages; ++i) {
        double s[2] = {0, 0};
        for (int j = 0; j < i; ++j)
            for (int k = 0; k < 2; ++k) s[k] += tableau->a[i * tableau->all + j] * g[j][k];
        g[i][0] = 1 + re * s[0] - im * s[1], g[i][1] = re * s[1] + im * s[0];
        r[0] += tableau->b[i] * (re * g[i][0] - im * g[i][1]), r[1] += tableau->b[i] * (re * g[i][1] + im * g[i][0]);
    }
    return r[0] * r[0] + r[1] * r[1];
}

double sn_tableau_limit(const void *self, double omega, double delta) {
    const double inside = omega * omega - 0.25 * delta * delta;
    /* lambda^2 + delta lambda + omega^2 = 0: take the larger root. */
    const double re = inside >= 0 ? -0.5 * delta : -0.5 * delta - sqrt(-inside), im = inside >= 0 ? sqrt(inside) : 0;
    const double size = sqrt(re * re + im * im);
    if (size == 0) return INFINITY;
    double z = 0;
    while (z < 40 && growth(self, (z + 0.01) * re / size, (z + 0.01) * im / size) <= 1 + 2e-4) z += 0.01;
    return z / size;
}
