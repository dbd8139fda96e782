/* Degenerate elements: when did one collapse, which of its features met, and the virtual shape before that (Civit 4.4).
 *
 * An element whose J = det F fell below alpha is degenerate. Along the straight path F(t) = (1 - t) F0 + t F1 from the
 * last accepted step, or from rest, det F(t) is a cubic in Bernstein form (a quadratic for triangles). The collapse is
 * its first root; where J stays above zero, the first time of det F = alpha. There F v = 0 for the singular vector v of
 * the smallest singular value, so
 *   sum_i (g_i . v) x_i = 0   with the rest gradients g_i of the corners.
 * The signs of g_i . v split the corners into the two features A and B that meet: vertex and face or edge and edge
 * (vertex and edge of a triangle). This split is the witness. It is kept until J exceeds alpha again.
 *
 * Let g be the sum of the gradients of A. The common normal of the features is u = det(Dm) m, m = cof(F) g. Moving A
 * along m by a distance l changes F to F + l m / |m| (x) g and J to J + l |m|. So Civit's depth w, threshold h and
 * displacement lambda(w, h) are J / |m|, alpha / |m| and d / |m| with a function d(J) of J alone:
 *   F_moved = F + d(J) / |m|^2  m (x) g,   det F_moved = J + d(J)
 * This does not depend on the length of g. Where m vanishes, its direction is undefined. */
#ifndef SN_FEM_KERNEL_COLLAPSE_H
#define SN_FEM_KERNEL_COLLAPSE_H

#include "fem/law.h"

#include "plane2.h"
#include "polar3.h"

/* ---- Time of collapse, one lane ---- */
static inline double bernstein(const double b[4], double t) {
    const double s = 1 - t;
    return ((b[0] * s + 3 * b[1] * t) * s + 3 * b[2] * (t * t)) * s + b[3] * (t * t * t);
}

/* The first t in (0, 1] where the cubic falls to `level`, or -1. The cubic begins above it. Bisection between its
 * turning points. */
static inline double first_fall(const double b[4], double level) {
    /* p'(t) / 3 = c0 (1 - t)^2 + 2 c1 t (1 - t) + c2 t^2 */
    const double c0 = b[1] - b[0], c1 = b[2] - b[1], c2 = b[3] - b[2];
    const double A = c0 - 2 * c1 + c2, B = c1 - c0, D = B * B - A * c0;
    double stop[3] = {1, 1, 1}; /* ascending ends of monotone pieces */
    if (D > 0) {
        const double q = -(B + copysign(sqrt(D), B)); /* both roots without cancellation */
        double u = A != 0 ? q / A : 2, v = q != 0 ? c0 / q : 2;
        if (!(u > 0 && u < 1)) u = 1;
        if (!(v > 0 && v < 1)) v = 1;
        stop[0] = u < v ? u : v, stop[1] = u < v ? v : u;
    }
    double low = 0;
    for (int i = 0; i < 3; ++i) {
        double high = stop[i];
        if (bernstein(b, high) <= level) {
            for (int k = 0; k < 60; ++k) {
                const double middle = 0.5 * (low + high);
                if (bernstein(b, middle) <= level)
                    high = middle;
                else
                    low = middle;
            }
            return high;
        }
        low = high;
    }
    return -1;
}

static inline double collapse_time(const double b[4], double alpha) {
    double t = -1;
    if (b[0] > 0 && b[3] <= 0) t = first_fall(b, 0);
    if (t < 0 && b[0] > alpha) t = first_fall(b, alpha);
    return t < 0 ? 1 : t;
}

/* ---- Witnesses ---- */
/* Gradients of the corners 1..3 in the rest shape times det Dm: the columns of cof(Dm). */
static inline void corner_gradients(const sn_rotation_view *view, vd g[9]) { vm_cofactor(view->Dm, g); }

/* Entries of F so far from 1 that det and cof leave the range of doubles. */
static inline vi measurable(const vd F[9]) {
    const vd m = largest_entry(F);
    return (vi)(m > vd_set(1e-40)) & (vi)(m < vd_set(1e40));
}

/* The material direction that vanishes at the collapse on the way to F. */
static inline void collapse_direction(const sn_rotation_view *view, vi lanes, vd v[3]) {
    vd from[9], cof0[9], cof1[9], at[9], U[9], s[3], V[9];
    vi good = lanes & ~lanes;
    if (view->F_before) good = (vi)(vm_determinant(view->F_before) > vd_set(0)) & measurable(view->F_before);
    for (int i = 0; i < 9; ++i) {
        const vd rest = vd_set(i % 4 == 0);
        from[i] = view->F_before ? vd_select(good, view->F_before[i], rest) : rest;
    }
    vm_cofactor(from, cof0);
    vm_cofactor(view->F, cof1);
    const vd third = vd_set(1) / vd_set(3);
    const vd b0 = vm_determinant(from), b1 = third * vm_dot(cof0, view->F), b2 = third * vm_dot(from, cof1),
             b3 = vm_determinant(view->F);
    vd t = vd_set(1);
    for (int l = 0; l < SN_WIDTH; ++l) {
        if (!lanes[l]) continue;
        const double b[4] = {b0[l], b1[l], b2[l], b3[l]};
        t[l] = collapse_time(b, view->alpha);
    }
    for (int i = 0; i < 9; ++i) at[i] = (vd_set(1) - t) * from[i] + t * view->F[i];
    svd3(at, U, s, V);
    for (int i = 0; i < 3; ++i) v[i] = V[3 * i + 2];
    if (view->dimension == 2) { /* the smaller of the two in the plane */
        for (int k = 1; k >= 0; --k) {
            const vi out = (vi)(vd_abs(v[2]) > vd_set(0.5));
            for (int i = 0; i < 3; ++i) v[i] = vd_select(out, V[3 * i + k], v[i]);
        }
    }
}

/* The corners of feature A as a sum of 2^i, the side without corner 0. */
static inline vd find_witness(const sn_rotation_view *view, vi lanes) {
    vd v[3], g[9], along[4];
    const int corners = view->dimension + 1;
    collapse_direction(view, lanes, v);
    corner_gradients(view, g);
    along[0] = along[3] = vd_set(0);
    for (int i = 1; i < corners; ++i) {
        along[i] = g[i - 1] * v[0] + g[3 + i - 1] * v[1] + g[6 + i - 1] * v[2];
        along[0] -= along[i];
    }
    const vd zero = vd_set(0);
    vd witness = zero, most = zero, largest = vd_set(2);
    for (int i = 1; i < corners; ++i) {
        const vi other = (vi)(along[i] * along[0] < zero) | ((vi)(along[0] == zero) & (vi)(along[i] < zero));
        witness += vd_select(other, vd_set(1 << i), zero);
        largest = vd_select((vi)(vd_abs(along[i]) > most), vd_set(1 << i), largest);
        most = vd_max(vd_abs(along[i]), most);
    }
    return vd_select((vi)(witness == zero), largest, witness);
}

/* Where J < level: the witness in the state, or a new one. Zero elsewhere. */
static inline vd current_witness(const sn_rotation_view *view, vi degenerate) {
    vd witness = vd_select(degenerate, view->state[0], vd_set(0));
    const vi fresh = degenerate & (vi)(witness == vd_set(0));
    if (!vi_any(fresh)) return witness;
    return vd_select(fresh, find_witness(view, fresh), witness);
}

/* The direction g of a witness, of length 1. */
static inline void witness_direction(const sn_rotation_view *view, vd witness, vd n[3]) {
    vd g[9];
    corner_gradients(view, g);
    const double first[3] = {1, 0, 0};
    for (int a = 0; a < 3; ++a) {
        n[a] = vd_set(0);
        for (int l = 0; l < SN_WIDTH; ++l) {
            const int set = (int)witness[l];
            double sum = 0;
            for (int i = 1; i < 4; ++i)
                if (set >> i & 1) sum += g[3 * a + i - 1][l];
            n[a][l] = set ? sum : first[a];
        }
    }
    const vd scale = vd_set(1) / vd_sqrt(vector_dot(n, n));
    for (int a = 0; a < 3; ++a) n[a] *= scale;
}

/* ---- The virtual shape ---- */
typedef struct moved {
    vi degenerate, undefined; /* J < alpha; of these: no direction, F_moved is F */
    vd J, witness;
    vd n[3], m[3], mm; /* direction at rest, m = cof(F) n, |m|^2 */
    vd d;              /* d(J) */
    vd F[9];           /* F_moved */
} moved;

typedef vd (*depth_function)(vd J, double alpha, double beta, vd *slope); /* d and d' */

/* Lanes that are not degenerate keep F. Inlined with the depth function. */
static inline __attribute__((always_inline)) void move_features(const sn_rotation_view *view, depth_function depth,
                                                                moved *out) {
    const vd zero = vd_set(0), one = vd_set(1);
    const vi good = measurable(view->F);
    out->J = vm_determinant(view->F);
    out->degenerate = ~good | (vi)(out->J < vd_set(view->alpha));
    out->undefined = out->degenerate & ~good;
    for (int i = 0; i < 9; ++i) out->F[i] = view->F[i];
    if (!vi_any(out->degenerate)) return;
    out->witness = current_witness(view, out->degenerate & good);
    witness_direction(view, out->witness, out->n);
    vd cof[9], slope;
    vm_cofactor(view->F, cof);
    for (int i = 0; i < 3; ++i)
        out->m[i] = cof[3 * i] * out->n[0] + cof[3 * i + 1] * out->n[1] + cof[3 * i + 2] * out->n[2];
    out->mm = vector_dot(out->m, out->m);
    const vd size = vm_dot(view->F, view->F);
    out->undefined |= out->degenerate & ~(vi)(out->mm > vd_set(1e-24) * size * size);
    const vi moves = out->degenerate & ~out->undefined;
    out->mm = vd_select(moves, out->mm, one);
    out->d = vd_select(moves, depth(out->J, view->alpha, view->beta, &slope), zero);
    const vd scale = out->d / out->mm;
    for (int i = 0; i < 9; ++i)
        out->F[i] = vd_select(moves, view->F[i] + scale * (out->m[i / 3] * out->n[i % 3]), view->F[i]);
}

/* The rotation of the virtual shape, and of `kept` where that has no direction. */
static inline void polar_of(int dimension, const vd F[9], vd R[9]) {
    if (dimension == 2)
        plane_polar(F, R);
    else
        polar3(F, R);
}

/* The rotation of the last accepted step, from the vector part of its quaternion in state[1..3]. */
static inline void kept_rotation(const sn_rotation_view *view, vd R[9]) {
    const vd one = vd_set(1), two = vd_set(2), zero = vd_set(0);
    vd q[3] = {view->state[1], view->state[2], view->state[3]};
    const vd w = vd_sqrt(vd_max(one - vector_dot(q, q), zero));
    const vd s = two / (vector_dot(q, q) + w * w);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        R[4 * i] = one - s * (q[j] * q[j] + q[k] * q[k]);
        R[3 * i + j] = s * (q[i] * q[j] - w * q[k]);
        R[3 * i + k] = s * (q[i] * q[k] + w * q[j]);
    }
}

static inline void rotation_of_moved(const sn_rotation_view *view, const moved *at, vd R[9]) {
    polar_of(view->dimension, at->F, R);
    const vi keeps = at->undefined & ~(vi)(view->state[0] == vd_set(0));
    if (!vi_any(keeps)) return;
    vd before[9];
    kept_rotation(view, before);
    for (int i = 0; i < 9; ++i) R[i] = vd_select(keeps, before[i], R[i]);
}

/* The vector part of R's quaternion, its scalar part not negative. One lane. */
static inline void quaternion(const double R[9], double q[3]) {
    const double square[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                              1 - R[0] - R[4] + R[8]};
    int best = 0;
    for (int i = 1; i < 4; ++i)
        if (square[i] > square[best]) best = i;
    const double skew[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]}, scale = 0.5 / sqrt(square[best]);
    double w = square[best];
    if (best == 0) {
        for (int i = 0; i < 3; ++i) q[i] = skew[i];
    } else {
        const int i = best - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = square[best];
        q[j] = R[3 * i + j] + R[3 * j + i];
        q[k] = R[3 * i + k] + R[3 * k + i];
        w = skew[i];
    }
    for (int i = 0; i < 3; ++i) q[i] *= w < 0 ? -scale : scale;
}

/* Remembers witness and rotation of degenerate lanes, forgets those of the others. */
static inline void keep_witness(const sn_rotation_view *view, const moved *at, const vd R[9]) {
    for (int l = 0; l < SN_WIDTH; ++l) {
        double q[3] = {0, 0, 0}, r[9];
        for (int i = 0; i < 9; ++i) r[i] = R[i][l];
        const int keeps = at->degenerate[l] != 0;
        if (keeps) quaternion(r, q);
        double witness = keeps ? at->witness[l] : 0;
        if (keeps && witness == 0) witness = view->state[0][l]; /* out of range for a moment */
        view->state[0][l] = witness;
        for (int i = 0; i < 3; ++i) view->state[1 + i][l] = witness != 0 ? q[i] : 0;
    }
}

/* ---- The two functions of a rotation with a depth function of its own ---- */
static inline __attribute__((always_inline)) void extract_moved(const sn_rotation_view *view, depth_function depth,
                                                                vd R[9]) {
    moved at;
    move_features(view, depth, &at);
    if (vi_any(at.degenerate))
        rotation_of_moved(view, &at, R);
    else
        polar_of(view->dimension, view->F, R);
}

static inline __attribute__((always_inline)) void accept_moved(const sn_rotation_view *view, depth_function depth) {
    moved at;
    vd R[9];
    at.witness = vd_set(0);
    move_features(view, depth, &at);
    rotation_of_moved(view, &at, R);
    keep_witness(view, &at, R);
}

#endif
