/* Fits of Prony series by Levenberg and Marquardt's method on the logarithms of all moduli and times, so that all of
 * them stay above 0. Rows of the least squares problem are relative errors. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "sinew/fit.h"

enum { UNKNOWNS = 2 * SN_PRONY_TERMS + 1, ITERATIONS = 400, BAND = 60 };

#define RISE 1.01 /* a relaxation that rises by less is a constant with noise */

static const double PI = 3.14159265358979323846;

/* A curve to fit. loss NULL: a relaxation, x are times; else x are angular frequencies. */
typedef struct curve {
    int count;
    const double *x, *value, *loss;
} curve;

/* p: logarithms of the long-term modulus, of the moduli and of the times. */
typedef struct series {
    int terms;
    double p[UNKNOWNS];
} series;

static double long_term(const series *s) { return exp(s->p[0]); }
static double modulus_of(const series *s, int i) { return exp(s->p[1 + i]); }
static double time_of(const series *s, int i) { return exp(s->p[1 + s->terms + i]); }

/* G at a point of the curve and its derivatives by p. */
static double complex evaluate(const series *s, bool relaxation, double x, double complex *slope) {
    double complex G = slope[0] = long_term(s);
    for (int i = 0; i < s->terms; ++i) {
        const double m = modulus_of(s, i), t = time_of(s, i);
        double complex part, turn;
        if (relaxation) {
            part = m * exp(-x / t);
            turn = part * (x / t);
        } else {
            const double complex z = I * x * t;
            part = m * z / (1 + z);
            turn = m * z / ((1 + z) * (1 + z));
        }
        G += part;
        slope[1 + i] = part, slope[1 + s->terms + i] = turn;
    }
    return G;
}

/* The relative error at point k: of G in a relaxation, of 1 / G over frequencies. Returns how many rows it has. */
static int rows_at(const curve *c, const series *s, int k, double r[2], double J[2][UNKNOWNS]) {
    const int unknowns = 1 + 2 * s->terms;
    double complex slope[UNKNOWNS];
    const double complex G = evaluate(s, !c->loss, c->x[k], slope);
    if (!c->loss) {
        r[0] = creal(G) / c->value[k] - 1;
        for (int i = 0; i < unknowns; ++i) J[0][i] = creal(slope[i]) / c->value[k];
        return 1;
    }
    const double complex target = c->value[k] + I * c->loss[k], e = target / G - 1;
    r[0] = creal(e), r[1] = cimag(e);
    for (int i = 0; i < unknowns; ++i) {
        const double complex d = -target / (G * G) * slope[i];
        J[0][i] = creal(d), J[1][i] = cimag(d);
    }
    return 2;
}

static double squares(const curve *c, const series *s, double *worst) {
    double sum = 0, J[2][UNKNOWNS];
    *worst = 0;
    for (int k = 0; k < c->count; ++k) {
        double r[2] = {0, 0};
        rows_at(c, s, k, r, J);
        const double e = r[0] * r[0] + r[1] * r[1];
        sum += e;
        *worst = fmax(*worst, sqrt(e));
    }
    return sum;
}

/* A x = b by Cholesky; false when A is not positive definite. A and b are overwritten. */
static bool solve(int n, double A[UNKNOWNS][UNKNOWNS], double *b) {
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < j; ++k) A[j][j] -= A[j][k] * A[j][k];
        if (!(A[j][j] > 0)) return false;
        A[j][j] = sqrt(A[j][j]);
        for (int i = j + 1; i < n; ++i) {
            for (int k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) b[i] -= A[i][k] * b[k];
        b[i] /= A[i][i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) b[i] -= A[k][i] * b[k];
        b[i] /= A[i][i];
    }
    return true;
}

/* Goes downhill from s; returns the sum of squares. */
static double descend(const curve *c, series *s, double *worst) {
    const int n = 1 + 2 * s->terms;
    double damping = 1e-3, best = squares(c, s, worst);
    for (int iteration = 0; iteration < ITERATIONS && damping < 1e12; ++iteration) {
        double A[UNKNOWNS][UNKNOWNS] = {{0}}, b[UNKNOWNS] = {0};
        for (int k = 0; k < c->count; ++k) {
            double r[2], J[2][UNKNOWNS];
            const int rows = rows_at(c, s, k, r, J);
            for (int row = 0; row < rows; ++row)
                for (int i = 0; i < n; ++i) {
                    b[i] -= J[row][i] * r[row];
                    for (int j = 0; j <= i; ++j) A[i][j] += J[row][i] * J[row][j];
                }
        }
        for (int i = 0; i < n; ++i) A[i][i] += damping * (A[i][i] + 1e-9 * c->count);
        series next = *s;
        bool good = solve(n, A, b);
        for (int i = 0; i < n && good; ++i) next.p[i] += fmax(-3, fmin(3, b[i]));
        double off = 0, sum = good ? squares(c, &next, &off) : INFINITY;
        if (!(sum < best)) {
            damping *= 8;
            continue;
        }
        const bool done = best - sum < 1e-13 * best;
        *s = next, best = sum, *worst = off;
        damping = fmax(damping / 5, 1e-14);
        if (done) break;
    }
    return best;
}

/* Times evenly spaced in their logarithm over the part `width` of the curve, moduli equal. */
static series first_guess(const curve *c, int terms, double width) {
    const double first = c->x[0] > 0 ? c->x[0] : c->x[1], last = c->x[c->count - 1]; /* a relaxation may begin at 0 */
    const double low = c->loss ? 1 / last : first, high = c->loss ? 1 / first : last;
    const double least = c->loss ? c->value[0] : c->value[c->count - 1],
                 most = c->loss ? c->value[c->count - 1] : c->value[0];
    series s = {.terms = terms};
    s.p[0] = log(0.5 * least);
    for (int i = 0; i < terms; ++i) {
        const double at = 0.5 + width * ((i + 0.5) / terms - 0.5);
        s.p[1 + i] = log(fmax(most - 0.5 * least, 0.5 * least) / terms);
        s.p[1 + terms + i] = log(low) + at * log(high / low);
    }
    return s;
}

static double fit_terms(const curve *c, int terms, series *out, double *worst) {
    static const double widths[] = {1, 0.7, 1.3, 0.4};
    double best = INFINITY;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
        double off;
        series s = first_guess(c, terms, widths[i]);
        const double sum = descend(c, &s, &off);
        if (sum < best) best = sum, *out = s, *worst = off;
    }
    return best;
}

static void take(const curve *c, const series *s, double sum, double worst, sn_fit *fit) {
    *fit = (sn_fit){.long_term = long_term(s), .count = s->terms, .error = sqrt(sum / c->count), .worst = worst};
    for (int i = 0; i < s->terms; ++i) { /* sorted by time */
        int at = i;
        for (; at > 0 && fit->time[at - 1] > time_of(s, i); --at)
            fit->time[at] = fit->time[at - 1], fit->modulus[at] = fit->modulus[at - 1];
        fit->time[at] = time_of(s, i), fit->modulus[at] = modulus_of(s, i);
    }
}

static sn_status fit_curve(const curve *c, int terms, double wanted, sn_fit *fit, sn_error *error) {
    const int rows = c->loss ? 2 * c->count : c->count;
    if (terms < 0 || terms > SN_PRONY_TERMS)
        return sn_fail_at(error, SN_BAD_INPUT, "terms", "the number of terms is %d; allowed are 1 to %d", terms,
                          SN_PRONY_TERMS);
    if (rows < (terms ? 2 * terms + 1 : 3) || c->count < 2)
        return sn_fail(error, SN_BAD_INPUT, "the curve has %d %s; that is too few for %d %s with %d unknowns", c->count,
                       c->count == 1 ? "point" : "points", terms ? terms : 1, terms > 1 ? "terms" : "term",
                       2 * (terms ? terms : 1) + 1);
    series s;
    double worst, sum = INFINITY;
    if (terms) {
        sum = fit_terms(c, terms, &s, &worst);
        take(c, &s, sum, worst, fit);
        return SN_OK;
    }
    for (int k = 1; k <= SN_PRONY_TERMS && 2 * k + 1 <= rows; ++k) {
        const double next = fit_terms(c, k, &s, &worst);
        if (k > 1 && !(next < 0.8 * sum)) break; /* a further term hardly helps: the rest is noise */
        sum = next;
        take(c, &s, sum, worst, fit);
        if (fit->error <= wanted) break;
    }
    return SN_OK;
}

/* `open`: 0 itself is not allowed. */
static sn_status check_column(const char *name, int count, const double *value, bool open, sn_error *error) {
    for (int i = 0; i < count; ++i)
        if (!isfinite(value[i]) || value[i] < 0 || (open && value[i] == 0))
            return sn_within(error,
                             sn_fail(error, SN_BAD_INPUT, "the %s is %g; it must be finite and %s 0", name, value[i],
                                     open ? "above" : "at least"),
                             "point %d", i + 1);
    return SN_OK;
}

static sn_status check_order(const char *name, int count, const double *x, bool open, sn_error *error) {
    sn_status status = check_column(name, count, x, open, error);
    for (int i = 1; i < count && !status; ++i)
        if (!(x[i] > x[i - 1]))
            status = sn_within(
                error,
                sn_fail(error, SN_BAD_INPUT, "the %s %g follows %g; the points must be sorted", name, x[i], x[i - 1]),
                "point %d", i + 1);
    return status;
}

/* A sum of falling terms cannot rise: refuses a curve whose second half lies above its whole first half. */
static sn_status check_fall(int count, const double *modulus, sn_error *error) {
    double most = 0, least = INFINITY;
    for (int i = 0; i < count / 2; ++i) most = fmax(most, modulus[i]);
    for (int i = count / 2; i < count; ++i) least = fmin(least, modulus[i]);
    if (count < 2 || !(least > RISE * most)) return SN_OK;
    return sn_within(error,
                     sn_fail(error, SN_BAD_INPUT, "the curve rises from the modulus %g to %g; a relaxation falls",
                             modulus[0], modulus[count - 1]),
                     "point %d", count);
}

sn_status sn_fit_relaxation(int count, const double *time, const double *modulus, int terms, double wanted, sn_fit *fit,
                            sn_error *error) {
    sn_status status = check_order("time", count, time, false, error);
    if (!status) status = check_column("modulus", count, modulus, true, error);
    if (!status) status = check_fall(count, modulus, error);
    const curve c = {count, time, modulus, NULL};
    return status ? status : fit_curve(&c, terms, wanted, fit, error);
}

sn_status sn_fit_frequency(int count, const double *frequency, const double *storage, const double *loss, int terms,
                           double wanted, sn_fit *fit, sn_error *error) {
    sn_status status = check_order("frequency", count, frequency, true, error);
    if (!status) status = check_column("storage modulus", count, storage, true, error);
    if (!status) status = check_column("loss modulus", count, loss, false, error);
    if (status) return status;
    double *omega = malloc((size_t)(count > 0 ? count : 1) * sizeof *omega);
    if (!omega) return sn_no_memory(error);
    for (int i = 0; i < count; ++i) omega[i] = 2 * PI * frequency[i];
    const curve c = {count, omega, storage, loss};
    status = fit_curve(&c, terms, wanted, fit, error);
    free(omega);
    return status;
}

void sn_constant_q_modulus(double q, double modulus, double at, double frequency, double *storage, double *loss) {
    const double power = 2 * atan(1 / q) / PI, size = modulus * pow(frequency / at, power), angle = 0.5 * PI * power;
    *storage = size * cos(angle), *loss = size * sin(angle);
}

sn_status sn_fit_constant_q(double q, double modulus, double at, double low, double high, int terms, double wanted,
                            sn_fit *fit, sn_error *error) {
    const struct {
        const char *name;
        double value;
    } given[] = {{"q", q}, {"modulus", modulus}, {"at", at}, {"band", low}, {"band", high}};
    for (size_t i = 0; i < sizeof given / sizeof *given; ++i)
        if (!(given[i].value > 0) || !isfinite(given[i].value))
            return sn_fail_at(error, SN_BAD_INPUT, given[i].name, "%s is %g; it must be finite and above 0",
                              given[i].name, given[i].value);
    if (!(low < high))
        return sn_fail_at(error, SN_BAD_INPUT, "band",
                          "the band goes from %g to %g Hz; its end must be above its begin", low, high);
    double frequency[BAND], storage[BAND], loss[BAND];
    for (int i = 0; i < BAND; ++i) {
        frequency[i] = low * pow(high / low, i / (BAND - 1.0));
        sn_constant_q_modulus(q, modulus, at, frequency[i], &storage[i], &loss[i]);
    }
    return sn_fit_frequency(BAND, frequency, storage, loss, terms, wanted, fit, error);
}

void sn_fit_modulus(const sn_fit *fit, double frequency, double *storage, double *loss) {
    double complex G = fit->long_term;
    for (int i = 0; i < fit->count; ++i) {
        const double complex z = I * (2 * PI * frequency * fit->time[i]);
        G += fit->modulus[i] * z / (1 + z);
    }
    *storage = creal(G), *loss = cimag(G);
}

double sn_fit_relaxed(const sn_fit *fit, double time) {
    double G = fit->long_term;
    for (int i = 0; i < fit->count; ++i) G += fit->modulus[i] * exp(-time / fit->time[i]);
    return G;
}
