/* Hooke's law in the plane on Green's strain, for the laws cloth-stvk and cloth-orthotropic.
 *   psi = E : C E / 2,   S = C E,   P = F S,   dP = dF S + F C sym(F^T dF). See sheet.h. */
#ifndef SN_CLOTH_KERNEL_GREEN_SHEET_H
#define SN_CLOTH_KERNEL_GREEN_SHEET_H

#include "sheet.h"

typedef struct green_sheet {
    vd e11, e22, e12, s11, s22, s12;
} green_sheet;

static inline green_sheet green_at(const vd *c, const vd *F) {
    const vd half = vd_set(0.5);
    green_sheet g = {.e11 = half * sheet_square(F, 0), .e22 = half * sheet_square(F, 1), .e12 = half * sheet_dot(F)};
    g.s11 = c[SHEET_C11] * g.e11 + c[SHEET_C12] * g.e22;
    g.s22 = c[SHEET_C12] * g.e11 + c[SHEET_C22] * g.e22;
    g.s12 = vd_set(2) * c[SHEET_SHEAR] * g.e12;
    return g;
}

static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    const green_sheet g = green_at(c, F);
    *psi = vd_set(0.5) * (g.s11 * g.e11 + g.s22 * g.e22) + g.s12 * g.e12;
}

static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    const green_sheet g = green_at(c, F);
    sheet_stress(F, g.s11, g.s12, g.s22, P);
}

static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F, const vd *R,
                         const vd *dR, vd *dP) {
    const green_sheet g = green_at(c, F);
    sheet_clear(dP);
    sheet_add_through(c, F, dP);
    sheet_add_stress(g.s11, g.s12, g.s22, dP);
    if (kind == SN_DIFFERENTIAL_PROJECTED) sheet_project(F, dP);
}

#define SN_GREEN_SHEET                                                                                                 \
    SN_SHEET_LAW, .parameter = parameter, .parameter_count = sizeof parameter / sizeof *parameter, .prepare = prepare, \
                  .energy = energy, .stress = stress, .differential = differential

#endif
