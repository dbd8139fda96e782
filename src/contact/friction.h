/* Regularised Coulomb friction of one contact, f_t = -mu N lambda(u_t), and the matrix that Newton's method gets for it.
 *
 *   lambda(u) = u / w(|u|),   w(r) = e / (2 - r / e) for r < e, r above      (|lambda| <= 1; e: the slip speed)
 *
 * The derivative of lambda along u is next to nothing while the contact slides and 2/e while it sticks: whole corrections overshoot the
 * narrow zone between and turn the slip over, again and again, and a search creeps. The cure is that of Chan, Golub and Mulet (1999) for
 * the like problem of total variation: lambda is an unknown of its own, w(|u|) lambda - u = 0 is what is linearised,
 *
 *   lambda <- (u + du - w' lambda (u . du) / |u|) / w,  cut to |lambda| <= 1,      D = mu N / w (I - w' sym(lambda u^T) / |u|)
 *
 * and the residual stays that of lambda(u). D is positive semidefinite; it tends to the derivative as lambda and u come to agree. The
 * start, lambda = 0, is the secant of Kacanov's iteration.
 *
 * N lags: during a solve it is a constant, first that of the beginning of the step, then that of the last solution, until it changes no
 * more (Li et al. 2020, incremental potential contact). Each solve is then that of a potential, with a symmetric matrix, and the first
 * guesses of the normal force, orders too large in an impact, do not reach the friction.
 *
 * The memory lasts for one step. */
#ifndef SN_CONTACT_FRICTION_H
#define SN_CONTACT_FRICTION_H

#include <math.h>
#include <stdbool.h>

#include "base/math3.h"

/* Of one pair of a node and a collider, between the linearisations of a step. All zero: none yet. */
typedef struct sn_friction {
    double lambda[3], slip[3];
    double normal; /* N, lagging */
    bool known;    /* there is a slip */
} sn_friction;

/* 1 / w; w' into *rate when not NULL. */
static inline double sn_friction_phi(double r, double e, double *rate) {
    const double phi = r < e ? (2 - r / e) / e : 1 / r;
    if (rate) *rate = r < e ? 1 / ((2 - r / e) * (2 - r / e)) : 1;
    return phi;
}

/* Takes the memory along to the slip velocity ut, across the normal n (which turns on curved colliders). */
static inline void sn_friction_follow(sn_friction *memory, const double n[3], const double ut[3], double e) {
    if (memory->known) {
        double rate, along = 0, off = 0, square = 0;
        const double r = sn_norm3(memory->slip), phi = sn_friction_phi(r, e, &rate);
        for (int a = 0; a < 3; ++a) along += r > 0 ? memory->slip[a] / r * (ut[a] - memory->slip[a]) : 0;
        for (int a = 0; a < 3; ++a) {
            memory->lambda[a] = phi * (ut[a] - rate * along * memory->lambda[a]);
            off += memory->lambda[a] * n[a];
        }
        for (int a = 0; a < 3; ++a) {
            memory->lambda[a] -= off * n[a];
            square += memory->lambda[a] * memory->lambda[a];
        }
        if (square > 1)
            for (int a = 0; a < 3; ++a) memory->lambda[a] /= sqrt(square);
    }
    for (int a = 0; a < 3; ++a) memory->slip[a] = ut[a];
    memory->known = true;
}

/* Adds D of a contact with normal n; strength: mu N. */
static inline void sn_friction_add(const sn_friction *memory, const double n[3], double e, double strength, double D[9]) {
    double rate;
    const double r = sn_norm3(memory->slip), phi = sn_friction_phi(r, e, &rate);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double tangent = (i == j) - n[i] * n[j];
            const double turn = r > 0 ? 0.5 * rate * (memory->lambda[i] * memory->slip[j] + memory->slip[i] * memory->lambda[j]) / r : 0;
            D[3 * i + j] += strength * phi * (tangent - turn);
        }
}

#endif
