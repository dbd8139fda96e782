/* Regularised Coulomb friction of one contact, f_t = -mu N lambda(u_t), and the matrix that Newton's method gets for
 * it.
 *
 *   lambda(u) = u / w(|u|),   w(r) = e / (2 - r / e) for r < e, r above      (|lambda| <= 1; e: the slip speed)
 *
 * The derivative of lambda along u is almost 0 while the contact slides, and 2/e while it sticks. Plain Newton
 * corrections jump over the narrow zone between and reverse the slip again and again; with a line search they become
 * very small. Chan, Golub and Mulet (1999) solve the same difficulty for total variation: lambda becomes an unknown,
 * and the equation w(|u|) lambda - u = 0 is linearised,
 *
 *   lambda <- (u + du - w' lambda (u . du) / |u|) / w,  cut to |lambda| <= 1
 *   D = mu N / w (I - w' sym(lambda u^T) / |u|)
 *
 * The residual still uses lambda(u). D is positive semidefinite, and it approaches the derivative as lambda approaches
 * lambda(u). The first D, with lambda = 0, is the secant of Kacanov's iteration.
 *
 * A solve that is repeated at the same place (newton_one_step.c, when contacts were released) gets the same D. With
 * du = 0 the update would give the derivative, which is 0 along a slip. A method with one linear solve per step would
 * then treat friction explicitly, reverse slips and gain energy.
 *
 * The normal force N is constant during a solve. The first solve takes N from the beginning of the step, the next ones
 * from the last solution, until N does not change any more (Li et al. 2020, incremental potential contact). Then each
 * solve has a potential and a symmetric matrix. The first guesses of the normal force in an impact are far too large;
 * friction does not use them.
 *
 * The memory (lambda, u and N of each contact) lasts for one step. */
#ifndef SN_CONTACT_FRICTION_H
#define SN_CONTACT_FRICTION_H

#include <math.h>
#include <stdbool.h>

#include "base/math3.h"

/* The memory of one pair of a node and a collider. All zero: nothing is known yet. */
typedef struct sn_friction {
    double lambda[3], slip[3];
    double normal; /* N of the last solution */
    bool known;    /* `slip` and `lambda` are set */
} sn_friction;

/* Returns phi = 1 / w(r), and writes w'(r) to *rate (may be NULL). */
static inline double sn_friction_phi(double r, double e, double *rate) {
    const double phi = r < e ? (2 - r / e) / e : 1 / r;
    if (rate) *rate = r < e ? 1 / ((2 - r / e) * (2 - r / e)) : 1;
    return phi;
}

/* Updates lambda for the new slip velocity ut. The part of lambda along the normal n is removed, because n turns on
 * curved colliders. At the same slip nothing changes. */
static inline void sn_friction_follow(sn_friction *memory, const double n[3], const double ut[3], double e) {
    if (memory->known && ut[0] == memory->slip[0] && ut[1] == memory->slip[1] && ut[2] == memory->slip[2]) return;
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

/* Adds the matrix D of a contact with normal n. strength: mu N. */
static inline void sn_friction_add(const sn_friction *memory, const double n[3], double e, double strength,
                                   double D[9]) {
    double rate;
    const double r = sn_norm3(memory->slip), phi = sn_friction_phi(r, e, &rate);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double tangent = (i == j) - n[i] * n[j];
            const double turn =
                r > 0 ? 0.5 * rate * (memory->lambda[i] * memory->slip[j] + memory->slip[i] * memory->lambda[j]) / r
                      : 0;
            D[3 * i + j] += strength * phi * (tangent - turn);
        }
}

#endif
