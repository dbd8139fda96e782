/* The kernels of laws that the caller supplied: each lane goes through the functions of law->table by itself.
 *
 * A law that needs det F > 0 is not called for other F; energy, stress and differential are then 0, and the element
 * kernels count the element as inverted. Without a differential of its own, dP / dF is taken by central differences of
 * the stress. */
#include <string.h>

#include "fem/law.h"

#include "project9.h"

static const double STEP = 0x1p-17; /* of the differences; about the third root of the rounding of a double */

static double determinant(const double F[9]) {
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

/* One lane of F and of the constants. False when the law cannot be asked there. */
static bool take_lane(const sn_law *law, const vd *c, const vd *F, int lane, double *constant, double f[9]) {
    for (int i = 0; i < law->constant_count; ++i) constant[i] = c[i][lane];
    for (int i = 0; i < 9; ++i) f[i] = F[i][lane];
    return !law->table->needs_positive_volume || determinant(f) > 0;
}

/* The last constant is a factor of the whole law. */
static double factor_of(const sn_law *law, const double *constant) { return constant[law->constant_count - 1]; }

static void scale(const sn_law *law, double shear, double bulk, double *constant) {
    constant[law->constant_count - 1] *= shear;
}

static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    const sn_law_table *t = law->table;
    double constant[SN_LAW_CONSTANTS], f[9];
    for (int l = 0; l < SN_WIDTH; ++l)
        (*psi)[l] =
            take_lane(law, c, F, l, constant, f) ? factor_of(law, constant) * t->energy(t->user, constant, f) : 0;
}

static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    const sn_law_table *t = law->table;
    double constant[SN_LAW_CONSTANTS], f[9];
    for (int l = 0; l < SN_WIDTH; ++l) {
        double p[9] = {0};
        if (take_lane(law, c, F, l, constant, f)) t->stress(t->user, constant, f, p);
        for (int i = 0; i < 9; ++i) P[i][l] = factor_of(law, constant) * p[i];
    }
}

static void by_differences(const sn_law_table *t, const double *constant, double f[9], double dp[81]) {
    for (int b = 0; b < 9; ++b) {
        double less[9], more[9];
        const double x = f[b];
        f[b] = x - STEP;
        t->stress(t->user, constant, f, less);
        f[b] = x + STEP;
        t->stress(t->user, constant, f, more);
        f[b] = x;
        for (int a = 0; a < 9; ++a) dp[9 * a + b] = (more[a] - less[a]) / (2 * STEP);
    }
}

static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F, const vd *R,
                         const vd *dR, vd *dP) {
    const sn_law_table *t = law->table;
    double constant[SN_LAW_CONSTANTS], f[9], dp[81];
    for (int l = 0; l < SN_WIDTH; ++l) {
        const bool good = take_lane(law, c, F, l, constant, f);
        if (!good)
            memset(dp, 0, sizeof dp);
        else if (t->differential)
            t->differential(t->user, constant, f, dp);
        else
            by_differences(t, constant, f, dp);
        for (int i = 0; i < 81; ++i) dP[i][l] = factor_of(law, constant) * dp[i];
    }
    if (kind != SN_DIFFERENTIAL_PROJECTED) return;
    const vd half = vd_set(0.5);
    for (int a = 0; a < 9; ++a) /* the projection wants a symmetric matrix */
        for (int b = a + 1; b < 9; ++b) dP[9 * a + b] = dP[9 * b + a] = half * (dP[9 * a + b] + dP[9 * b + a]);
    project9(dP);
}

/* dP[ij][kl] = sum G_im C[mj][nl] G_kn with C = d P / d F at rest. */
static void rest_stiffness(const sn_law *law, const vd *c, const vd *G, vd *dP) {
    static const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    vd F[9], C[81], half[81];
    for (int i = 0; i < 9; ++i) F[i] = vd_set(rest[i]);
    differential(law, SN_DIFFERENTIAL_EXACT, 3, c, F, NULL, NULL, C);
    for (int a = 0; a < 81; ++a) half[a] = dP[a] = vd_set(0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int m = 0; m < 3; ++m)
                for (int b = 0; b < 9; ++b) half[9 * (3 * i + j) + b] += G[3 * i + m] * C[9 * (3 * m + j) + b];
    for (int a = 0; a < 9; ++a)
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                for (int n = 0; n < 3; ++n) dP[9 * a + 3 * k + l] += half[9 * a + 3 * n + l] * G[3 * k + n];
}

/* The constants are the values of the parameters in their order; each parameter has count_max places. A factor
 * follows. */
static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *constant,
                         sn_error *error) {
    for (int k = 0, at = 0; k < law->parameter_count; at += law->parameter[k++].count_max) {
        const sn_parameter *parameter = &law->parameter[k];
        const sn_constant *given = sn_material_constant(material, parameter->name);
        if (!given)
            return sn_fail_at(error, SN_BAD_INPUT, parameter->name, "material of law '%s' lacks '%s'", law->name,
                              parameter->name);
        for (int i = 0; i < parameter->count_max; ++i) constant[at + i] = i < given->count ? given->value[i] : 0;
        if (given->key_count > 0) constant[at] = sn_material_value(material, parameter->name, time, 0);
    }
    constant[law->constant_count - 1] = 1;
    return SN_OK;
}

extern const sn_law SN_ISA(sn_own_law);
const sn_law SN_ISA(sn_own_law) = {
    .flags = SN_LAW_INDEFINITE,
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_PROJECTED,
    .default_differential = SN_DIFFERENTIAL_PROJECTED,
    .prepare = prepare,
    .scale = scale,
    .energy = energy,
    .stress = stress,
    .differential = differential,
    .rest_stiffness = rest_stiffness,
    .strain = SN_STRAIN_GREEN,
};
