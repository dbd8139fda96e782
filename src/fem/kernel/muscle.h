/* Muscle of elements: fibres with the unit vector a at rest, added to the stress of any law (docs/muscle.md).
 *
 *   stretch   l = |F a|,  n = F a / l,  l' = n . F' a
 *   tension   T(l, l') = passive p(l) + active A(l) V(l')       active = activation times peak stress
 *   stress    P = T n a^T,       energy  psi(l) = int_1^l T(s, 0) ds
 *
 *   passive   p = s^2 for s = (l - 1) / 0.4 from 0 to 1, then its tangent 2 s - 1; 0 for s < 0
 *   length    A = (1 - u^2)^2 with u = (l / optimal - 1) / width, 0 for |u| > 1
 *   velocity  V = (1 + r) / (1 - r / k) for r = l' / (optimal speed) from -1 to 0, 0 below (Hill),
 *             V = (1 + N r / c) / (1 + r / c) above 0, with c = (N - 1) k / (1 + k) so that V' is continuous
 *
 * V is 1 at rest and grows with r. So the part active A (V - 1) opposes every motion: it never does work on the body.
 * Since width <= 1, the tension is 0 at l = 0, where n does not exist.
 *
 * With h = dF a, B = I - n n^T and w = B F' a / l:
 *
 *   dP  = M h a^T,   M = dT/dl n n^T + T / l B + dT/dl' n w^T
 *   and for a change of F':  dT/dl' n n^T
 *
 * T >= 0 and dT/dl' >= 0. So the projected differential cuts off negative dT/dl. The term with w is not symmetric: only
 * unsymmetric views have it. */
#ifndef SN_FEM_KERNEL_MUSCLE_H
#define SN_FEM_KERNEL_MUSCLE_H

#include "element_point.h"

/* Rows of sn_batch_settings.muscle: Pa, Pa, 1, 1, s. */
enum { ACTIVE, PASSIVE, PER_WIDTH, CENTRE, PER_SPEED }; /* u = PER_WIDTH l - CENTRE, r = PER_SPEED l' */

static const double FIBRE_TOE = 0.4;      /* strain up to which the passive stress is a parabola */
static const double FIBRE_HILL = 0.25;    /* k: curvature of Hill's hyperbola */
static const double FIBRE_LENGTHEN = 1.4; /* N: active stress of fibres that lengthen fast */

/* The fibres at a point. */
typedef struct fibre_state {
    vd c[SN_MUSCLE_ITEMS], a[3], n[3];
    vd stretch; /* at least 1e-12 */
} fibre_state;

INLINE void load_fibre(const slice *s, const vd *F, fibre_state *f) {
    load_rows(s->settings->muscle + s->block * SN_MUSCLE_ITEMS * SN_LANES + s->lane, SN_MUSCLE_ITEMS, f->c);
    load_rows(s->batch->fibre + s->block * 3 * SN_LANES + s->lane, 3, f->a);
    vd along[3];
    for (int i = 0; i < 3; ++i) along[i] = F[3 * i] * f->a[0] + F[3 * i + 1] * f->a[1] + F[3 * i + 2] * f->a[2];
    f->stretch = vd_max(vd_sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]), vd_set(1e-12));
    for (int i = 0; i < 3; ++i) f->n[i] = along[i] / f->stretch;
}

/* u, cut off at -1 and 1. */
static inline vd fibre_place(const fibre_state *f, vd stretch) {
    return vd_max(vd_min(f->c[PER_WIDTH] * stretch - f->c[CENTRE], vd_set(1)), vd_set(-1));
}

/* int (1 - u^2)^2 du */
static inline vd fibre_integral(vd u) {
    const vd square = u * u;
    return u * (vd_set(1) - square * (vd_set(2.0 / 3) - square * vd_set(0.2)));
}

APART vd muscle_energy(const slice *s, const vd *F) {
    fibre_state f;
    load_fibre(s, F, &f);
    const vd x = vd_max((f.stretch - vd_set(1)) / vd_set(FIBRE_TOE), vd_set(0)),
             p = vd_select((vi)(x < vd_set(1)), x * x * x / vd_set(3), x * x - x + vd_set(1.0 / 3)),
             A = fibre_integral(fibre_place(&f, f.stretch)) - fibre_integral(fibre_place(&f, vd_set(1)));
    return vd_set(FIBRE_TOE) * f.c[PASSIVE] * p + f.c[ACTIVE] * A / f.c[PER_WIDTH];
}

/* V and dV/dr. */
static inline vd fibre_velocity(vd r, vd *slope) {
    const double k = FIBRE_HILL, N = FIBRE_LENGTHEN, c = (N - 1) * k / (1 + k);
    const vd one = vd_set(1), shorter = vd_max(vd_min(r, vd_set(0)), vd_set(-1)), longer = vd_max(r, vd_set(0)),
             below = one - shorter / vd_set(k), above = one + longer / vd_set(c);
    const vi shortens = (vi)(r < vd_set(0)), stops = (vi)(r < vd_set(-1));
    const vd fall = vd_select(stops, vd_set(0), vd_set(1 + 1 / k) / (below * below));
    *slope = vd_select(shortens, fall, vd_set((N - 1) / c) / (above * above));
    return vd_select(shortens, (one + shorter) / below, (one + longer * vd_set(N / c)) / above);
}

/* T, and its derivatives by l and l'. rate: l'. */
static inline vd fibre_tension(const fibre_state *f, vd rate, vd *by_stretch, vd *by_rate) {
    const vd x = vd_max((f->stretch - vd_set(1)) / vd_set(FIBRE_TOE), vd_set(0)), u = fibre_place(f, f->stretch),
             rest = vd_set(1) - u * u, A = f->c[ACTIVE] * (rest * rest);
    const vi toe = (vi)(x < vd_set(1));
    vd steep;
    const vd V = fibre_velocity(f->c[PER_SPEED] * rate, &steep);
    *by_stretch = f->c[PASSIVE] * vd_set(2 / FIBRE_TOE) * vd_min(x, vd_set(1)) -
                  f->c[ACTIVE] * V * (vd_set(4) * u * rest * f->c[PER_WIDTH]);
    *by_rate = A * steep * f->c[PER_SPEED];
    return f->c[PASSIVE] * vd_select(toe, x * x, vd_set(2) * x - vd_set(1)) + A * V;
}

/* F' a, and l' = n . F' a. */
static inline vd fibre_rate(const fibre_state *f, const vd *rate, vd along[3]) {
    for (int i = 0; i < 3; ++i)
        along[i] = rate[3 * i] * f->a[0] + rate[3 * i + 1] * f->a[1] + rate[3 * i + 2] * f->a[2];
    return f->n[0] * along[0] + f->n[1] * along[1] + f->n[2] * along[2];
}

/* P += T n a^T. rate: F', or NULL at rest. */
APART void add_muscle_stress(const slice *s, const vd *F, const vd *rate, vd *P) {
    fibre_state f;
    vd along[3], by_stretch, by_rate;
    load_fibre(s, F, &f);
    const vd T = fibre_tension(&f, rate ? fibre_rate(&f, rate, along) : vd_set(0), &by_stretch, &by_rate);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) P[3 * i + j] += T * f.n[i] * f.a[j];
}

/* A += k dP + d dP for a change of F'. Only the exact differential takes a falling tension. */
APART void add_muscle_tangent(const slice *s, const vd *F, const vd *rate, double k, double d, vd *A) {
    fibre_state f;
    vd along[3] = {vd_set(0), vd_set(0), vd_set(0)}, by_stretch, by_rate, M[9];
    load_fibre(s, F, &f);
    const vd speed = rate ? fibre_rate(&f, rate, along) : vd_set(0),
             across = fibre_tension(&f, speed, &by_stretch, &by_rate) / f.stretch;
    if (sn_batch_differential(s->batch, s->view->projected) != SN_DIFFERENTIAL_EXACT)
        by_stretch = vd_max(by_stretch, vd_set(0));
    const vd axial = k * (by_stretch - across) + d * by_rate, turning = k * by_rate / f.stretch;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            M[3 * i + j] = axial * f.n[i] * f.n[j];
            if (i == j) M[3 * i + j] += k * across;
            if (s->view->unsymmetric) M[3 * i + j] += turning * f.n[i] * (along[j] - speed * f.n[j]);
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int m = 0; m < 3; ++m)
                for (int l = 0; l < 3; ++l) A[9 * (3 * i + j) + 3 * m + l] += M[3 * i + m] * f.a[j] * f.a[l];
}

#endif
