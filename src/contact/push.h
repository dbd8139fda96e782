/* The penalty law of one contact: spring, damper and the slip of friction (penalty.h has the equations). Colliders and
 * contacts between bodies use it. */
#ifndef SN_CONTACT_PUSH_H
#define SN_CONTACT_PUSH_H

#include <math.h>

#include "base/math3.h"
#include "penalty.h"

typedef struct sn_push {
    double n[3];             /* the caller sets it */
    double normal;           /* f_n */
    double k, c, grip, rate; /* A p'(d); the damper's c; s(d); s'(d) */
    double un, ut[3], slip;  /* u_n, u_t, |u_t| */
    double phi, phi_rate;    /* phi(r), phi'(r) / r */
    double drag, drag_rate;  /* C_T d, C_T */
} sn_push;

/* The depth d0 = sqrt(A) / 100 at which the damper acts fully. */
static inline double sn_push_full(double area) { return sqrt(area) / 100; }

/* The stiffness of the spring of a contact, N/m. */
static inline double sn_push_spring(const sn_penalty *p, double area) {
    return p->per_node ? p->stiffness : area * p->stiffness;
}

/* The stiffening part of the slope of p(d) / k: of the chord from depth d to `end`, which is not less. Between bodies a
 * solve that looks ahead takes the chord to the depth that the velocity predicts. With the slope at d it would meet a
 * much stiffer spring at its end than it reckoned with, and a fast node would gain energy. Colliders take the slope:
 * with the chord the tube of the experiment muller-tube is stable at 1 to 4 ms instead of 10 to 60 ms. */
static inline double sn_push_stiffening(const sn_penalty *p, double d, double end) {
    if (!(p->depth > 0) || !(end > 0)) return 0;
    const double square = p->depth * p->depth;
    return d > 0 ? (d * d + d * end + end * end) / square : end * end * end / (square * (end - d));
}

/* Fills *at for a contact of the given depth with the relative velocity u. Returns false when it does not act: it is
 * outside, and the look ahead does not reach it. `held` may be NULL. */
static inline bool sn_push_at(const sn_penalty *p, double area, double mass, double depth, const double u[3],
                              uint8_t *held, sn_push *at) {
    at->un = sn_dot3(u, at->n);
    const bool outside = !(depth > 0);
    const double full = sn_push_full(area);
    if (outside && !(depth - p->ahead * at->un > -1e-6 * full))
        return false; /* a node on the surface counts, up to rounding */
    if (outside && held) {
        if (*held == SN_AHEAD_RELEASED) return false;
        *held = SN_AHEAD_HELD;
    }
    const double k = sn_push_spring(p, area), part = p->depth > 0 && !outside ? depth / p->depth : 0;
    at->k = k * (1 + sn_push_stiffening(p, depth, p->chord ? fmax(depth, depth - p->ahead * at->un) : depth));
    const bool gradual = depth < full && !p->per_node;
    at->c = outside ? 0 : p->per_node ? p->damping : 2 * p->damping * sqrt(k * mass);
    at->grip = gradual ? depth / full : 1;
    at->rate = gradual ? 1 / full : 0;
    at->drag = p->drag * depth, at->drag_rate = p->drag;
    for (int a = 0; a < 3; ++a) at->ut[a] = u[a] - at->un * at->n[a];
    at->slip = sn_norm3(at->ut);
    at->normal = k * depth * (1 + part * part) - at->c * at->grip * at->un;
    if (!(at->normal > 0) && !outside && !p->per_node) { /* the damper would pull, so there is no force */
        at->normal = at->k = at->c = 0;
    }
    const double e = p->slip, r = at->slip;
    at->phi = r < e ? (2 - r / e) / e : 1 / r;
    at->phi_rate = r < e ? (r > 0 ? -1 / (e * e * r) : 0) : -1 / (r * r * r);
    return true;
}

/* The energy of the spring at a depth. */
static inline double sn_push_energy(const sn_penalty *p, double area, double depth) {
    const double part = p->depth > 0 ? depth / p->depth : 0;
    return depth > 0 ? 0.5 * sn_push_spring(p, area) * depth * depth * (1 + 0.5 * part * part) : 0;
}

#endif
