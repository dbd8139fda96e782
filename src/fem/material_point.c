/* A material and a rotation at a single point. */
#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "law.h"
#include "material_fields.h"
#include "point_kernels.h"

static void spread(const double F[9], double out[9 * SN_LANES]) {
    for (int i = 0; i < 9; ++i)
        for (int l = 0; l < SN_LANES; ++l) out[SN_LANES * i + l] = F[i];
}

static void first_lane(const double *block, int count, double *out) {
    for (int i = 0; i < count; ++i) out[i] = block[SN_LANES * i];
}

static sn_status check_matrix(const double F[9], sn_error *error) {
    for (int i = 0; i < 9; ++i)
        if (!isfinite(F[i]))
            return sn_fail(error, SN_BAD_INPUT, "number %d of F is %g; all nine must be finite", i + 1, F[i]);
    return SN_OK;
}

static void rest_differential(const sn_law *law, const double *constant, double dP[81]) {
    const sn_law *plain = sn_law_find(NULL, law->name);
    const sn_rotation *rotation = law->flags & SN_LAW_ROTATION ? sn_rotation_find(NULL, "polar") : NULL;
    const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, degenerate[2] = {0, 1};
    alignas(64) double block[9 * SN_LANES], lanes[81 * SN_LANES];
    spread(rest, block);
    sn_point_kernels_for(NULL)->law(plain, rotation, degenerate, SN_DIFFERENTIAL_EXACT, constant, block, NULL, NULL,
                                    lanes);
    first_lane(lanes, 81, dP);
}

void sn_law_rest_moduli(const sn_law *law, const double *constant, double *lambda, double *mu) {
    double dP[81];
    rest_differential(law, constant, dP);
    *lambda = dP[4], *mu = dP[10]; /* d P_xx / d F_yy, d P_xy / d F_xy */
}

/* Voigt's means: C_iijj = 9 bulk, C_ijij = 3 bulk + 10 shear. */
void sn_law_mean_moduli(const sn_law *law, const double *constant, double *bulk, double *shear) {
    double dP[81], volume = 0, all = 0;
    rest_differential(law, constant, dP);
    for (int i = 0; i < 9; ++i) all += dP[10 * i];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) volume += dP[9 * (4 * i) + 4 * j];
    *bulk = volume / 9;
    *shear = (all - volume / 3) / 10;
}

sn_status sn_material_evaluate(sn_context *context, const sn_material *material, const double F[9], double *energy,
                               double stress[9], double differential[81], sn_error *error) {
    sn_status status = sn_material_check(context, material, error);
    if (!status) status = check_matrix(F, error);
    if (status) return status;
    const sn_law *law = sn_law_find(context, material->law);
    const sn_rotation *rotation = NULL;
    if (law->flags & SN_LAW_ROTATION)
        rotation = sn_rotation_find(context, material->rotation[0] ? material->rotation : "polar");
    if (differential && rotation && !rotation->differential)
        return sn_fail(error, SN_UNSUPPORTED, "there is no exact differential with rotation '%s'", rotation->name);
    double constant[SN_LAW_CONSTANTS];
    status = law->prepare(law, material, 0, constant, error);
    if (status) return status;
    const double J =
        F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
    if ((law->flags & SN_LAW_POSITIVE_J) && !(J > 0))
        return sn_fail(error, SN_INVERTED, "law '%s' needs det F above 0; it is %g", law->name, J);
    const double degenerate[2] = {material->alpha, material->beta};
    alignas(64) double block[9 * SN_LANES], psi[SN_LANES], P[9 * SN_LANES], dP[81 * SN_LANES];
    spread(F, block);
    sn_point_kernels_for(context)->law(law, rotation, degenerate, SN_DIFFERENTIAL_EXACT, constant, block, psi, P,
                                       differential ? dP : NULL);
    if (energy) *energy = psi[0];
    if (stress) first_lane(P, 9, stress);
    if (differential) first_lane(dP, 81, differential);
    return SN_OK;
}

/* The alpha and beta of a rotation, from a material with the defaults for those that are not given. */
static sn_status degenerate_options(const sn_rotation *rotation, const double *given, sn_material *usual,
                                    sn_error *error) {
    *usual = sn_material_default();
    if (!given) return SN_OK;
    if (!rotation->uses_history)
        return sn_fail_at(error, SN_BAD_INPUT, "alpha", "rotation '%s' has no alpha and no beta", rotation->name);
    snprintf(usual->rotation, sizeof usual->rotation, "%s", rotation->name);
    usual->alpha = given[0], usual->beta = given[1];
    return sn_material_check(NULL, usual, error);
}

sn_status sn_rotation_evaluate(sn_context *context, const char *method, const double *degenerate, const double F[9],
                               double R[9], double S[9], sn_error *error) {
    const sn_rotation *rotation = sn_rotation_find(context, method);
    if (!rotation) return sn_unknown_rotation(method, error);
    sn_material usual;
    sn_status status = check_matrix(F, error);
    if (!status) status = degenerate_options(rotation, degenerate, &usual, error);
    if (status) return status;
    alignas(64) double block[9 * SN_LANES], turned[9 * SN_LANES];
    spread(F, block);
    sn_point_kernels_for(context)->rotation(rotation, usual.alpha, usual.beta, block, turned, NULL);
    double r[9];
    first_lane(turned, 9, r);
    if (R) memcpy(R, r, sizeof r);
    for (int i = 0; S && i < 3; ++i)
        for (int j = 0; j < 3; ++j) S[3 * i + j] = r[i] * F[j] + r[3 + i] * F[3 + j] + r[6 + i] * F[6 + j];
    return SN_OK;
}
