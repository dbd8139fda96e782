/* Memory of a material: a Prony series on the stress of its law (Hauth 2.6; docs/memory.md).
 *
 *   P = share P_law + sum_i ratio_i G h_i,   h_i' = S' - h_i / time_i
 *
 * S is the stress of the law (or of its deviatoric part) without rotation, P_law = G S. A term h_i of S is called a
 * *memory*. When S is linear in a step that began `elapsed` seconds ago, the exact solution is
 *
 *   h_i = decay_i h_i(begin) + gain_i (S - S(begin)),   decay = exp(-z),  gain = (1 - exp(-z)) / z,  z = elapsed / time
 *
 * So during a step the elements behave as elements of the same law with moduli times a factor, plus a constant stress
 * without rotation, which is called the *recalled* stress:
 *
 *   P = (share + sum_i ratio_i gain_i) P_law + G sum_i ratio_i (decay_i h_i(begin) - gain_i S(begin))
 *
 * A series on the *coefficients* (Hauth 2.7.2) has a ratio per term and coefficient a_n of the law:
 *
 *   a_n(t) = share_n a_n + sum_i ratio_n,i a_n exp(-t / time_i)
 *
 * The stress is linear in the a_n. So term i has a stress S_i of its own, that of the law with the coefficients
 * ratio_n,i a_n and without volume, and the moduli of a step have a factor per coefficient.
 *
 * G is F for laws on Green's strain, R for laws on the corotated strain, and I for the linear law. All three make the
 * memory turn with the element. */
#ifndef SN_FEM_PRONY_H
#define SN_FEM_PRONY_H

#include <stdbool.h>

#include "law.h"
#include "sinew/material.h"

/* One term at a time after the begin of the step; with `rate`: the derivatives of both numbers by that time. */
typedef struct sn_prony_term {
    double decay, gain;
} sn_prony_term;

sn_prony_term sn_prony_at(double time, double elapsed, bool rate);

/* Whether the series acts on each coefficient of the law on its own. */
bool sn_prony_on_coefficients(const sn_material *material);
/* The share of coefficient n that stays for ever. */
double sn_prony_share_of(const sn_material *material, int n);
/* Multiplies each coefficient by share + sum of ratio gain; with `rate` by its derivative, and the volume by 0. */
void sn_prony_relax(const sn_law *law, const sn_material *material, double elapsed, bool rate, double *constant);
/* The constants of S_i. */
void sn_prony_base(const sn_law *law, const sn_material *material, int term, const double *constant, double *base);
/* The shear modulus of S_i at rest as a part of that of the law; 0 when one of them has none. */
double sn_prony_rest_ratio(const sn_law *law, const sn_material *material, int term, const double *constant);

/* share + sum of ratio gain; with `rate` its derivative. */
double sn_prony_factor(const sn_material *material, double elapsed, bool rate);

/* The share of the law's stress that stays for ever: 1, or 1 less the ratios when the moduli are instantaneous. */
double sn_prony_share(const sn_material *material);

/* Whether the series acts on the deviatoric part of the stress only. */
bool sn_prony_on_shear(const sn_material *material);

#endif
