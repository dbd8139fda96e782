/* The law `stvk-volume`: Saint Venant-Kirchhoff with a penalty on the change of volume (Kikuuwe 4.1; Kikuuwe, Tabuchi
 * and Yamamoto 2009, section 4):
 *   psi = mu E : E + lambda / 2 tr^2 E + p K / 2 (J - 1)^2,   E = (F^T F - I) / 2,   K = lambda + 2/3 mu
 *   P   = F (2 mu E + lambda tr(E) I) + p K (J - 1) cof F
 * With p = 0.1 the penalty is the 0.1 E theta^2 / (6 (1 - 2 nu)) of the document, theta = J - 1.
 *
 * Plain stvk also rests mirrored: its energy does not see the sign of J. The penalty is 2 p K there, so an element that
 * is inside out turns back. The energy is finite and smooth at every F, and its differential can be indefinite.
 *
 * young, poisson and lame are those of the stvk part, as in the document: at small strains the bulk modulus is
 * (1 + p) K. Constants: lambda, mu, p K. */
#include "fem/names.h"

#include "invariants.h"
#include "law_parameters.h"

static const sn_parameter parameter[] = {
    SN_ISOTROPIC_PARAMETERS,
    {"penalty", "", "part of the bulk modulus that the penalty on the change of volume adds; default 0.1", 0, INFINITY,
     0, 1, 1, 1},
};

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *constant,
                         sn_error *error) {
    const sn_status status = sn_material_lame(material, time, &constant[0], &constant[1], error);
    if (status) return status;
    constant[2] = sn_material_value(material, "penalty", time, 0.1) * (constant[0] + 2.0 / 3.0 * constant[1]);
    return SN_OK;
}

static void scale(const sn_law *law, double shear, double bulk, double *constant) {
    scale_lame(shear, bulk, &constant[0], &constant[1]);
    constant[2] *= bulk;
}

static inline void density(const vd *c, const invariants *i, vd *psi) {
    *psi = vd_set(0.25) * c[1] * (i->k1 * i->k1 - vd_set(2) * i->h2) + vd_set(0.125) * c[0] * (i->k1 * i->k1) +
           vd_set(0.5) * c[2] * (i->j * i->j);
}

static inline void derivatives(const vd *c, const invariants *i, derivative *d) {
    const vd half = vd_set(0.5), quarter = vd_set(0.25);
    d->p1 = quarter * c[0] * i->k1 + half * c[1] * (i->I1 - vd_set(1));
    d->p2 = -half * c[1];
    d->pJ = c[2] * i->j;
    d->p11 = quarter * c[0] + half * c[1];
    d->pJJ = c[2];
}

SN_INVARIANT_KERNELS(0)

const sn_law SN_ISA(sn_law_stvk_volume) = {SN_LAW_stvk_volume, SN_INVARIANT_LAW(0, 3)};
