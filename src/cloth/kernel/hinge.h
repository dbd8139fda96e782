/* A hinge at positions: e = x1 - x0, f0 = x2 - x0, f1 = x3 - x0, and for each of its triangles s
 *   N0 = e x f0, N1 = f1 x e,   q_s = N_s / |N_s|^2,   l = |e|
 *   theta = angle of (N0 . N1, -l e . (f0 x f1)): 0 when flat
 *   d theta = -sum_s (c_s q_s . dx1 + l q_s . dx_s),   c_s = -f_s . e / l;   x0: minus the sum of the others
 * The second derivative follows from d q = (I - 2 n n^T) dN / |N|^2 (R. Tamstorf and E. Grinspun, Discrete bending
 * forces and their Jacobians, 2013, have it in closed form). A triangle whose sine is below 1e-4 counts as one of that
 * sine, so that all stays finite. */
#ifndef SN_CLOTH_KERNEL_HINGE_H
#define SN_CLOTH_KERNEL_HINGE_H

#include "fem/kernel/element_matrix.h"

#include "angle.h"

static inline vd hinge_dot(const vd *a, const vd *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void hinge_cross(const vd *a, const vd *b, vd *out) {
    for (int i = 0; i < 3; ++i) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

typedef struct hinge_side {
    vd f[3], N[3], q[3];
    vd square; /* |N|^2, bounded */
    vd c;
} hinge_side;

typedef struct hinge {
    vd e[3], unit[3], l, theta;
    hinge_side side[2];
} hinge;

/* edge: x_i - x_0 of the three other nodes. */
static inline void hinge_at(const vd *edge, hinge *h) {
    vd across[3];
    const vd ee = hinge_dot(edge, edge), tiny = vd_set(1e-290);
    h->l = vd_sqrt(ee);
    const vd bounded = vd_max(h->l, vd_set(1e-140));
    for (int i = 0; i < 3; ++i) h->e[i] = edge[i], h->unit[i] = edge[i] / bounded;
    for (int s = 0; s < 2; ++s) {
        hinge_side *side = &h->side[s];
        for (int i = 0; i < 3; ++i) side->f[i] = edge[3 + 3 * s + i];
        hinge_cross(s ? side->f : h->e, s ? h->e : side->f, side->N);
        side->square = vd_max(hinge_dot(side->N, side->N), vd_set(1e-8) * ee * hinge_dot(side->f, side->f) + tiny);
        for (int i = 0; i < 3; ++i) side->q[i] = side->N[i] / side->square;
        side->c = -hinge_dot(side->f, h->unit);
    }
    hinge_cross(h->side[0].f, h->side[1].f, across);
    h->theta = angle_of(-h->l * hinge_dot(h->e, across), hinge_dot(h->side[0].N, h->side[1].N));
}

/* d theta / dx of the nodes 1, 2 and 3. */
static inline void hinge_gradient(const hinge *h, vd *g) {
    for (int i = 0; i < 3; ++i) {
        g[i] = -(h->side[0].c * h->side[0].q[i] + h->side[1].c * h->side[1].q[i]);
        g[3 + i] = -h->l * h->side[0].q[i];
        g[6 + i] = -h->l * h->side[1].q[i];
    }
}

/* theta - theta0, the shorter way round. */
static inline vd hinge_bend(const hinge *h, vd rest) {
    const vd pi = vd_set(3.14159265358979323846), turn = pi + pi, bend = h->theta - rest;
    return bend - vd_select((vi)(bend > pi), turn, vd_set(0)) + vd_select((vi)(bend < -pi), turn, vd_set(0));
}

/* m <- (I - 2 n n^T) / |N|^2 [a]x times sign, [a]x b = a x b: the change of q when e or f moves. */
static inline void hinge_turn(const hinge_side *side, const vd *a, double sign, vd *m) {
    const vd cross[9] = {vd_set(0), -a[2], a[1], a[2], vd_set(0), -a[0], -a[1], a[0], vd_set(0)};
    const vd scale = vd_set(sign) / side->square;
    vd along[3]; /* q^T [a]x */
    for (int j = 0; j < 3; ++j)
        along[j] = side->q[0] * cross[j] + side->q[1] * cross[3 + j] + side->q[2] * cross[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) m[3 * i + j] = scale * cross[3 * i + j] - vd_set(2 * sign) * side->q[i] * along[j];
}

/* H <- H + factor d2 theta / dx2, 9 x 9 over the nodes 1, 2 and 3. */
static inline void hinge_add_second(const hinge *h, vd factor, vd *H) {
    const vd bounded = vd_max(h->l, vd_set(1e-140));
    for (int s = 0; s < 2; ++s) {
        const hinge_side *side = &h->side[s];
        const int own = 3 + 3 * s;
        const double sign = s ? -1 : 1;
        vd by_e[9], by_f[9];
        hinge_turn(side, side->f, -sign, by_e); /* dN = sign (e x df - f x de) */
        hinge_turn(side, h->e, sign, by_f);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                /* d l = unit . de;   d c = -unit . df - (f - unit (unit . f)) . de / l */
                const vd rest = (side->f[j] + h->unit[j] * side->c) / bounded;
                H[9 * i + j] -= factor * (side->c * by_e[3 * i + j] - side->q[i] * rest);
                H[9 * i + own + j] -= factor * (side->c * by_f[3 * i + j] - side->q[i] * h->unit[j]);
                H[9 * (own + i) + j] -= factor * (h->l * by_e[3 * i + j] + side->q[i] * h->unit[j]);
                H[9 * (own + i) + own + j] -= factor * (h->l * by_f[3 * i + j]);
            }
    }
}

#endif
