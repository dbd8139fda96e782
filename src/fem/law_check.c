/* The conformance of a law with the constants of one material, by numbers alone: rest, rigid invariance, and energy,
 * stress and differential against differences of each other.
 *
 * Differences are of fourth order with a step of 1e-5; F is without a unit and near 1. */
#include <math.h>
#include <string.h>

#include "law.h"

enum { STATES = 14, POSITIVE_STATES = 11 };

/* The last three are inverted: for laws that need det F > 0 they do not count. */
static const struct {
    const char *name;
    double F[9];
} states[STATES] = {
    {"at rest", {1, 0, 0, 0, 1, 0, 0, 0, 1}},
    {"nearly at rest", {1.00001, 2e-5, 0, -1e-5, 0.99999, 3e-5, 0, 1e-5, 1.00002}},
    {"stretched", {1.6, 0, 0, 0, 0.9, 0, 0, 0, 0.9}},
    {"sheared", {1, 0.7, 0, 0, 1, 0.2, 0, 0, 1}},
    {"turned", {0, -1, 0, 1, 0, 0, 0, 0, 1}},
    {"turned and strained", {0.3, -1.1, 0.2, 0.9, 0.1, -0.3, 0.1, 0.2, 1.2}},
    {"squashed", {1.2, 0.05, 0, 0.1, 0.35, 0.02, 0, 0.03, 1.1}},
    {"blown up", {1.4, 0, 0, 0, 1.4, 0, 0, 0, 1.4}},
    {"shrunk", {0.7, 0, 0, 0, 0.7, 0, 0, 0, 0.7}},
    {"strongly strained", {1.9, 0.4, -0.6, 0.3, 0.8, 0.5, -0.2, 0.7, 1.3}},
    {"drawn to a needle", {2.5, 0.1, 0.2, -0.3, 0.5, 0.1, 0.2, 0.05, 0.4}},
    {"inverted", {1.1, 0.2, 0.1, 0, 0.9, -0.2, 0.1, 0, -0.6}},
    {"inverted twice", {1.2, 0.1, 0, 0, -0.9, 0.1, 0.2, 0, 0.7}},
    {"mirrored", {-1.3, 0.1, 0, 0.1, 0.9, 0, 0, 0.2, 0.8}},
};

/* Rotations about three axes, by angles without pattern. */
static const double turns[3][9] = {
    {0.28, -0.96, 0, 0.96, 0.28, 0, 0, 0, 1},
    {1, 0, 0, 0, -0.6, -0.8, 0, 0.8, -0.6},
    {2.0 / 3, -1.0 / 3, 2.0 / 3, 2.0 / 3, 2.0 / 3, -1.0 / 3, -1.0 / 3, 2.0 / 3, 2.0 / 3},
};

typedef struct trial {
    sn_context *context;
    const sn_material *material;
    const sn_law *law;
    double size; /* the largest entry of dP / dF at rest by differences, Pa */
    sn_error *error;
} trial;

static double largest(const double *a, int count) {
    double most = 0;
    for (int i = 0; i < count; ++i) most = fabs(a[i]) > most || isnan(a[i]) ? fabs(a[i]) : most;
    return most;
}

static void multiply(const double *a, const double *b, double *out) {
    for (int i = 0; i < 9; ++i)
        out[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3] + a[i / 3 * 3 + 2] * b[6 + i % 3];
}

static sn_status at(const trial *t, const double *F, double *psi, double *P, double *dP) {
    return sn_material_evaluate(t->context, t->material, F, psi, P, dP, t->error);
}

/* d psi / dF and d P / dF by differences. */
static sn_status differences(const trial *t, const double *F, double *gradient, double *rate) {
    const double h = 1e-5;
    static const double step[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    memset(gradient, 0, 9 * sizeof *gradient);
    memset(rate, 0, 81 * sizeof *rate);
    for (int b = 0; b < 9; ++b)
        for (int k = 0; k < 4; ++k) {
            double near[9], psi, P[9];
            memcpy(near, F, sizeof near);
            near[b] += step[k] * h;
            const sn_status status = at(t, near, &psi, P, NULL);
            if (status) return status;
            gradient[b] += weight[k] * psi / (12 * h);
            for (int a = 0; a < 9; ++a) rate[9 * a + b] += weight[k] * P[a] / (12 * h);
        }
    return SN_OK;
}

static sn_status try_rest(trial *t) {
    double psi, P[9], gradient[9], rate[81];
    sn_status status = at(t, states[0].F, &psi, P, NULL);
    if (!status) status = differences(t, states[0].F, gradient, rate);
    if (status) return status;
    t->size = largest(rate, 81);
    if (!isfinite(t->size))
        return sn_fail(t->error, SN_BAD_INPUT, "law '%s': its stress is not finite near rest", t->law->name);
    if (!(fabs(psi) <= 1e-13 * t->size))
        return sn_fail(t->error, SN_BAD_INPUT, "law '%s': its energy at rest is %g J/m^3; it must be 0", t->law->name,
                       psi);
    if (!(largest(P, 9) <= 1e-12 * t->size))
        return sn_fail(t->error, SN_BAD_INPUT, "law '%s': its stress at rest is %g Pa; it must be 0", t->law->name,
                       largest(P, 9));
    return SN_OK;
}

/* psi(Q F) = psi(F) and P(Q F) = Q P(F). */
static sn_status try_turns(const trial *t, int state) {
    double psi, P[9], moved[9], turned, Pt[9], expected[9];
    sn_status status = at(t, states[state].F, &psi, P, NULL);
    for (int k = 0; k < 3 && !status; ++k) {
        multiply(turns[k], states[state].F, moved);
        status = at(t, moved, &turned, Pt, NULL);
        if (status) return status;
        multiply(turns[k], P, expected);
        if (!(fabs(psi - turned) <= 1e-12 * (t->size + fabs(psi))))
            return sn_fail(t->error, SN_BAD_INPUT,
                           "law '%s', %s: a rigid turn changes its energy from %.12g to %.12g J/m^3", t->law->name,
                           states[state].name, psi, turned);
        for (int i = 0; i < 9; ++i)
            if (!(fabs(expected[i] - Pt[i]) <= 1e-11 * (t->size + largest(P, 9))))
                return sn_fail(t->error, SN_BAD_INPUT,
                               "law '%s', %s: its stress does not turn with the body: P[%d] is %.12g, not %.12g",
                               t->law->name, states[state].name, i, Pt[i], expected[i]);
    }
    return status;
}

static sn_status try_derivatives(const trial *t, int state) {
    const char *law = t->law->name, *where = states[state].name;
    double psi, P[9], dP[81], gradient[9], rate[81];
    sn_status status = at(t, states[state].F, &psi, P, dP);
    if (!status) status = differences(t, states[state].F, gradient, rate);
    if (status) return status;
    const double size = fmax(largest(dP, 81), largest(rate, 81)), force = fmax(largest(P, 9), 1e-3 * size);
    if (!isfinite(psi) || !isfinite(largest(P, 9)) || !isfinite(largest(dP, 81)))
        return sn_fail(t->error, SN_BAD_INPUT,
                       "law '%s', %s: energy %g, stress %g, differential %g; all must be finite", law, where, psi,
                       largest(P, 9), largest(dP, 81));
    const bool potential = !(t->law->flags & SN_LAW_NO_POTENTIAL);
    for (int i = 0; i < 9 && potential; ++i)
        if (!(fabs(gradient[i] - P[i]) <= 1e-6 * force))
            return sn_fail(t->error, SN_BAD_INPUT,
                           "law '%s', %s: its stress P[%d] is %.12g, but d energy / dF is %.12g", law, where, i, P[i],
                           gradient[i]);
    for (int i = 0; i < 81; ++i)
        if (!(fabs(rate[i] - dP[i]) <= 1e-6 * size))
            return sn_fail(t->error, SN_BAD_INPUT,
                           "law '%s', %s: its differential [%d][%d] is %.12g, but dP / dF is %.12g", law, where, i / 9,
                           i % 9, dP[i], rate[i]);
    return SN_OK;
}

sn_status sn_law_check(sn_context *context, const sn_material *material, sn_error *error) {
    const sn_law *law = sn_law_find(context, material->law);
    trial t = {.context = context, .material = material, .law = law, .error = error};
    sn_status status = sn_material_check(context, material, error);
    if (!status) status = try_rest(&t);
    const int count = law && law->flags & SN_LAW_POSITIVE_J ? POSITIVE_STATES : STATES;
    for (int s = 0; s < count && !status; ++s) {
        if (law->strain != SN_STRAIN_CAUCHY)
            status = try_turns(&t, s); /* the linear strain sees turns, by its definition */
        if (!status) status = try_derivatives(&t, s);
    }
    return status;
}
