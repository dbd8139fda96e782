/* Fits of Prony series: from a measured curve, or from a constant-Q material, to the terms of sn_material.prony.
 *
 *     sn_fit fit;
 *     sn_fit_constant_q(4.8, 2500, 2, 0.1, 1e4, 3, 0, &fit, &error);
 *     for (int i = 0; i < fit.count; ++i) use(fit.modulus[i], fit.time[i]);
 *
 * A series is a relaxing modulus G(t) = long_term + sum_i modulus_i exp(-t / time_i). Its complex modulus is
 * G(w) = long_term + sum_i modulus_i i w time_i / (1 + i w time_i). All moduli and times of a fit are above 0. */
#ifndef SINEW_FIT_H
#define SINEW_FIT_H

#include "material.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_fit {
    double long_term;               /* Pa */
    int count;                      /* terms, 1 to SN_PRONY_TERMS */
    double modulus[SN_PRONY_TERMS]; /* Pa */
    double time[SN_PRONY_TERMS];    /* s, ascending */
    double error;                   /* root mean square of the relative errors at the points of the curve */
    double worst;                   /* the largest relative error */
} sn_fit;

/* terms: 1 to SN_PRONY_TERMS; 0: the smallest number with which `error` is at most `wanted`, or the last number that
 * still makes the error clearly smaller. wanted: 0 to 1; only used when terms is 0.
 *
 * SN_BAD_INPUT when a curve is not sorted, has a value that is not finite or not above 0, or has too few points, and
 * when the second half of a relaxation lies more than 1 % above its whole first half. The error's path names the point:
 * "point 4". */

/* The relaxing modulus G (Pa, above 0) at `count` times (s, at least 0, ascending). */
SN_API sn_status sn_fit_relaxation(int count, const double *time, const double *modulus, int terms, double wanted,
                                   sn_fit *fit, sn_error *error);

/* Storage modulus (Pa, above 0) and loss modulus (Pa, at least 0) at `count` frequencies (Hz, above 0, ascending). The
 * error is that of the complex compliance 1 / G. */
SN_API sn_status sn_fit_frequency(int count, const double *frequency, const double *storage, const double *loss,
                                  int terms, double wanted, sn_fit *fit, sn_error *error);

/* A material whose quality factor does not depend on the frequency: |G| = `modulus` (Pa) at the frequency `at` (Hz).
 * The error is that of the complex compliance at 60 frequencies, evenly spaced in their logarithm from `low` to `high`
 * (Hz). */
SN_API sn_status sn_fit_constant_q(double q, double modulus, double at, double low, double high, int terms,
                                   double wanted, sn_fit *fit, sn_error *error);

/* The complex modulus of a constant-Q material, and of a fit, at a frequency (Hz): storage and loss modulus. */
SN_API void sn_constant_q_modulus(double q, double modulus, double at, double frequency, double *storage, double *loss);
SN_API void sn_fit_modulus(const sn_fit *fit, double frequency, double *storage, double *loss);
SN_API double sn_fit_relaxed(const sn_fit *fit, double time); /* G(time) */

#ifdef __cplusplus
}
#endif
#endif
