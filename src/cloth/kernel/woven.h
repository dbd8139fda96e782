/* What the laws of woven threads share: cloth-baraff-witkin, and cloth-particles as a continuum.
 *
 *   psi = (k_u (|f1| - 1)^2 + k_v (|f2| - 1)^2 + k_s (f1 . f2)^2) / 2
 * c12 is zero but for the deviatoric part of the law, which memory may take. */
#ifndef SN_CLOTH_KERNEL_WOVEN_H
#define SN_CLOTH_KERNEL_WOVEN_H

#include "sheet.h"

#define WOVEN_PARAMETERS                                                                                               \
    {"stretch", "Pa", "stiffness against stretch, one for both or warp and weft", 0, INFINITY, 1, 1, 1, 2},            \
        {"shear", "Pa", "stiffness against shear", 0, INFINITY, 0, 1, 1, 1}, {                                         \
        "direction", "", "the warp in the rest shape, [x, y, z] of any length; default [1, 0, 0]", -INFINITY,          \
            INFINITY, 1, 1, 3, 3                                                                                       \
    }

static inline sn_status woven_prepare(const sn_law *law, const sn_material *material, double time, double *c,
                                      sn_error *error) {
    static const char *const needed[2] = {"stretch", "shear"};
    for (int i = 0; i < 2; ++i)
        if (!sn_material_constant(material, needed[i]))
            return sn_fail_at(error, SN_BAD_INPUT, needed[i], "law '%s' needs '%s'", material->law, needed[i]);
    const sn_constant *stretch = sn_material_constant(material, "stretch");
    c[SHEET_C11] = stretch->value[0], c[SHEET_C22] = stretch->value[stretch->count > 1];
    c[SHEET_C12] = 0, c[SHEET_SHEAR] = sn_material_value(material, "shear", time, 0);
    return sheet_check_direction(material, error);
}

/* Lengths of the columns, what they are longer than 1, the tensions t / l, and f1 . f2. */
typedef struct conditions {
    vd l[2], e[2], pull[2], shear;
} conditions;

static inline conditions conditions_at(const vd *c, const vd *F) {
    conditions s = {.shear = sheet_dot(F)};
    for (int k = 0; k < 2; ++k) {
        const vd square = sheet_square(F, k), now = vd_sqrt(vd_max(square + vd_set(1), vd_set(0)));
        s.e[k] = square / (now + vd_set(1));
        s.l[k] = vd_max(now, vd_set(1e-9)); /* a thread without length has no direction */
    }
    s.pull[0] = (c[SHEET_C11] * s.e[0] + c[SHEET_C12] * s.e[1]) / s.l[0];
    s.pull[1] = (c[SHEET_C12] * s.e[0] + c[SHEET_C22] * s.e[1]) / s.l[1];
    return s;
}

static inline void woven_energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    const conditions s = conditions_at(c, F);
    const vd both =
        c[SHEET_C11] * s.e[0] * s.e[0] + c[SHEET_C22] * s.e[1] * s.e[1] + c[SHEET_SHEAR] * s.shear * s.shear;
    *psi = vd_set(0.5) * both + c[SHEET_C12] * s.e[0] * s.e[1];
}

static inline void woven_stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    const conditions s = conditions_at(c, F);
    sheet_stress(F, s.pull[0], c[SHEET_SHEAR] * s.shear, s.pull[1], P);
}

/* dP = dF S + F dS with d S_kk = (c_kk - S_kk) / l_k^2 f_k . df_k + c12 / (l_1 l_2) f_m . df_m: the form of sheet.h. */
static inline void woven_differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F,
                                      const vd *R, const vd *dR, vd *dP) {
    const conditions s = conditions_at(c, F);
    const vd own[4] = {(c[SHEET_C11] - s.pull[0]) / (s.l[0] * s.l[0]), c[SHEET_C12] / (s.l[0] * s.l[1]),
                       (c[SHEET_C22] - s.pull[1]) / (s.l[1] * s.l[1]), c[SHEET_SHEAR]};
    sheet_clear(dP);
    sheet_add_through(own, F, dP);
    sheet_add_stress(s.pull[0], c[SHEET_SHEAR] * s.shear, s.pull[1], dP);
    if (kind == SN_DIFFERENTIAL_PROJECTED) sheet_project(F, dP);
}

#endif
