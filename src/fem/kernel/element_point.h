/* SN_WIDTH elements at one quadrature point: deformation, rotation, damping stress and the linearised stress.
 *
 *   F = F0 + sum_{i>=1} (x_i - x_0) (x) g_i,   F' alike from velocities.
 * Viscous stress, linear in F', with G = F (Green's strain), R (corotated) or I (Cauchy's):
 *   P_v = d_lambda (G : F') G + d_mu (G G^T F' + G F'^T G)
 * For Green's strain this is F (d_lambda tr(E') I + 2 d_mu E') with E' = sym(F^T F').
 * Rayleigh damping: P_r = b G C sym(G^T F') with C the stiffness at rest. For an isotropic C this is the viscous stress
 * with b lambda and b mu, and the settings add these to d_lambda and d_mu. */
#ifndef SN_FEM_KERNEL_ELEMENT_POINT_H
#define SN_FEM_KERNEL_ELEMENT_POINT_H

#include "fem/batch.h"

#include "corotate.h"
#include "polar3.h"

#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline, unused)) /* off the fast paths: one copy for all element types */

enum { EDGES = 3 * (SN_ELEMENT_NODES - 1), ITEMS = 9 * SN_ELEMENT_NODES + 2 }; /* ITEMS: most linearised_items */

/* SN_WIDTH neighbouring lanes of one block. Rows are SN_LANES apart. */
typedef struct slice {
    const sn_batch *batch;
    const sn_batch_settings *settings;
    const sn_element_view *view;
    int64_t block;
    int lane;
    const int32_t *node, *element_of;
    const double *gradient, *weight;
} slice;

INLINE const sn_batch_settings *settings_of(const sn_batch *batch, const sn_element_view *view) {
    return &view->settings->batch[batch->index];
}

/* settings, view: NULL where they do not matter. */
INLINE slice slice_at(const int N, const int Q, const sn_batch *batch, const sn_batch_settings *settings,
                      const sn_element_view *view, int block, int lane) {
    const int64_t b = block;
    return (slice){batch,
                   settings,
                   view,
                   b,
                   lane,
                   batch->node + b * N * SN_LANES + lane,
                   batch->element_of + b * SN_LANES + lane,
                   batch->gradient ? batch->gradient + b * Q * (N - 1) * 3 * SN_LANES + lane : NULL,
                   batch->weight + b * Q * SN_LANES + lane};
}

/* Asks memory for rows of SN_LANES doubles that lie AHEAD blocks further on: the kernels run through arrays larger than
 * the caches. */
enum { AHEAD = 4 };
INLINE void ask_ahead(const double *p, int rows) {
    for (int i = 0; i < rows; ++i) __builtin_prefetch(p + (AHEAD * rows + i) * SN_LANES);
}

INLINE void load_rows(const double *p, int count, vd *out) {
    for (int i = 0; i < count; ++i) out[i] = vd_load(p + i * SN_LANES);
}

INLINE void store_rows(const vd *in, int count, double *p) {
    for (int i = 0; i < count; ++i) vd_store(p + i * SN_LANES, in[i]);
}

/* Sets at first, then adds. */
INLINE void accumulate(vd *sum, vd a, int first) {
    if (first)
        *sum = a;
    else
        *sum += a;
}

INLINE void load_constants(const slice *s, vd *c) {
    const int count = s->batch->constants;
    load_rows(s->settings->constant + s->block * count * SN_LANES + s->lane, count, c);
}

/* edge[3 (i - 1) + a] = p_i - p_0, axis a. */
INLINE void gather_edges(const int N, const slice *s, const double *p, vd *edge) {
    vd first[3];
    vd_gather3(p, s->node, first);
    for (int i = 1; i < N; ++i) {
        vd_gather3(p, s->node + i * SN_LANES, edge + 3 * (i - 1));
        for (int a = 0; a < 3; ++a) edge[3 * (i - 1) + a] -= first[a];
    }
}

INLINE const double *gradient_at(const int N, const slice *s, int q) {
    return s->gradient + q * (N - 1) * 3 * SN_LANES;
}

/* sum_i edge_i (x) g_i */
INLINE void outer_sum(const int N, const double *gradient, const vd *edge, vd *out) {
    for (int i = 0; i < N - 1; ++i) {
        vd g[3];
        load_rows(gradient + 3 * i * SN_LANES, 3, g);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) accumulate(&out[3 * a + b], edge[3 * i + a] * g[b], i == 0);
    }
}

INLINE void deformation(const int N, const slice *s, int q, const vd *edge, vd *F) {
    outer_sum(N, gradient_at(N, s, q), edge, F);
    if (N == 3 && sn_element_is_plane(s->batch->element)) F[8] += 1; /* plane strain: it keeps its thickness */
}

/* The numbers of a derived element. */
INLINE const double *number_at(const slice *s) {
    return s->batch->number + s->block * s->batch->element->numbers * SN_LANES + s->lane;
}

/* F of cloth has no third column. This gives it the unit normal: then det F is the ratio of areas. */
APART void add_normal(vd *F) {
    const vd n[3] = {F[3] * F[7] - F[6] * F[4], F[6] * F[1] - F[0] * F[7], F[0] * F[4] - F[3] * F[1]};
    const vd size = vd_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), scale = vd_max(size, vd_set(1e-150));
    for (int i = 0; i < 3; ++i) F[3 * i + 2] = n[i] / scale;
}

static inline void set_identity(vd *m) {
    for (int i = 0; i < 9; ++i) m[i] = vd_set(i % 4 == 0 ? 1 : 0);
}

/* What the rotation sees: `buffer` takes F_before, Dm and the state. */
typedef struct history {
    vd F_before[9], Dm[9], state[SN_ROTATION_STATE];
} history;

/* Where the rotation state of a point begins. */
INLINE int64_t state_at(const slice *s, const int Q, int q) {
    return s->batch->rotation_state + (s->block * Q + q) * SN_ROTATION_STATE * SN_LANES + s->lane;
}

APART void load_history(const int N, const int Q, const slice *s, int q, history *buffer, sn_rotation_view *r) {
    if (s->view->x_before) {
        vd edge[EDGES];
        gather_edges(N, s, s->view->x_before, edge);
        deformation(N, s, q, edge, buffer->F_before);
        r->F_before = buffer->F_before;
    }
    const double *state = s->view->rotation_state;
    for (int i = 0; i < SN_ROTATION_STATE; ++i) {
        buffer->state[i] = vd_set(0);
        if (state) buffer->state[i] = vd_load(state + state_at(s, Q, q) + i * SN_LANES);
    }
    r->state = buffer->state;
}

INLINE sn_rotation_view rotation_view(const int N, const int Q, const slice *s, int q, const vd *F, history *buffer) {
    sn_rotation_view r = {
        .F = F, .dimension = s->batch->element->dimension, .alpha = s->batch->alpha, .beta = s->batch->beta};
    if (s->batch->rest_edge) {
        load_rows(s->batch->rest_edge + s->block * 9 * SN_LANES + s->lane, 9, buffer->Dm);
        r.Dm = buffer->Dm;
    }
    if (s->batch->rotation->uses_history) load_history(N, Q, s, q, buffer, &r);
    return r;
}

/* The frame of node i of each element (fem/warping.h). */
INLINE void vertex_frame(const slice *s, int i, vd *R) {
    for (int row = 0; row < 3; ++row)
        vd_gather_rows(s->view->vertex_rotation + 3 * row, s->node + i * SN_LANES, 9, R + 3 * row);
}

/* The nearest rotation to the mean of an element's vertex frames. */
APART void mean_frame(const int N, const slice *s, vd *R) {
    vd sum[9], frame[9];
    for (int i = 0; i < N; ++i) {
        vertex_frame(s, i, frame);
        for (int k = 0; k < 9; ++k) accumulate(&sum[k], frame[k], i == 0);
    }
    polar3(sum, R);
}

/* Takes up a frame that stays, with dR = 0; false when there is none. */
INLINE int frame_at(const int Q, const slice *s, int q, vd *R, vd *dR) {
    if (s->batch->frames < 0 || !s->view->frame) return 0;
    load_rows(s->view->frame + s->batch->frames + (s->block * Q + q) * 9 * SN_LANES + s->lane, 9, R);
    for (int i = 0; i < 81 && dR; ++i) dR[i] = vd_set(0);
    return 1;
}

extern const sn_rotation SN_ISA(sn_rotation_polar);

/* The rotation at a point (the identity without one), and dR when asked for. */
INLINE void rotation_at(const int N, const int Q, const slice *s, int q, const vd *F, vd *R, vd *dR) {
    if (s->batch->warping) {
        mean_frame(N, s, R);
        return;
    }
    if (!s->batch->rotation) {
        set_identity(R);
        return;
    }
    if (frame_at(Q, s, q, R, dR)) return;
    if (!dR && s->batch->rotation == &SN_ISA(sn_rotation_polar) && s->batch->element->dimension == 3) {
        polar3(F, R); /* the default one, without a call through a pointer */
        return;
    }
    history buffer;
    const sn_rotation_view view = rotation_view(N, Q, s, q, F, &buffer);
    s->batch->rotation->extract(&view, R);
    if (dR) s->batch->rotation->differential(&view, R, dR);
}

APART void turning_stress(const int N, const int Q, const slice *s, int q, const vd *F, const vd *R, vd *P) {
    if (!vi_any(asymmetric_lanes(F, R))) return;
    vd dR[81];
    history buffer;
    const sn_rotation_view view = rotation_view(N, Q, s, q, F, &buffer);
    s->batch->rotation->turning(&view, R, dR);
    add_turning_stress(F, R, dR, P);
}

/* Adds the change of R to the stress, for rotations that ask for it (sn_rotation.turning). */
INLINE void complete_stress(const int N, const int Q, const slice *s, int q, const vd *F, const vd *R, vd *P) {
    const sn_rotation *rotation = s->batch->rotation;
    if (rotation && rotation->turning && s->batch->frames < 0) turning_stress(N, Q, s, q, F, R, P);
}

INLINE double *linearised_at(const int Q, const slice *s, int q, double *linearised) {
    return linearised + s->batch->linearised + (s->block * Q + q) * s->batch->linearised_items * SN_LANES + s->lane;
}

INLINE double *kept_at(const int Q, const slice *s, int q) {
    return s->view->kept->value + s->batch->kept + (s->block * Q + q) * 9 * SN_LANES + s->lane;
}

/* out_i = R g_i */
INLINE void turn_gradients(const int N, const slice *s, int q, const vd *R, vd *out) {
    for (int i = 0; i < N - 1; ++i) {
        vd g[3];
        load_rows(gradient_at(N, s, q) + 3 * i * SN_LANES, 3, g);
        for (int a = 0; a < 3; ++a) out[3 * i + a] = R[3 * a] * g[0] + R[3 * a + 1] * g[1] + R[3 * a + 2] * g[2];
    }
}

/* Leaves a rotation for the linearisation to come. */
INLINE void keep_rotation(const int N, const int Q, const slice *s, int q, const vd *R) {
    const sn_kept_rotations *kept = s->view->kept;
    if (!kept) return;
    if (kept->linearised) {
        vd c[EDGES];
        double *out = linearised_at(Q, s, q, kept->linearised);
        turn_gradients(N, s, q, R, c);
        for (int i = 0; i < 3 * (N - 1); ++i) vd_store(out + i * SN_LANES, c[i]);
    } else if (s->batch->kept >= 0) {
        for (int i = 0; i < 9; ++i) vd_store(kept_at(Q, s, q) + i * SN_LANES, R[i]);
    }
}

INLINE int has_kept(const slice *s) {
    const sn_kept_rotations *kept = s->view->kept;
    return kept && (kept->linearised || s->batch->kept >= 0);
}

/* Takes the rotation up again; false when there is none. */
INLINE int kept_rotation(const int Q, const slice *s, int q, vd *R) {
    if (!has_kept(s) || s->view->kept->linearised) return 0;
    load_rows(kept_at(Q, s, q), 9, R);
    return 1;
}

/* Or R g. */
INLINE int kept_gradients(const int N, const int Q, const slice *s, int q, vd *out) {
    if (!has_kept(s) || !s->view->kept->linearised) return 0;
    load_rows(linearised_at(Q, s, q, s->view->kept->linearised), 3 * (N - 1), out);
    return 1;
}

/* Whether the law's chosen differential takes dR. The projected one stands for the exact one only, so that the view has
 * no say. */
static inline int wants_dR(const sn_batch *batch) {
    return batch->rotation && (batch->rotation->differential || batch->frames >= 0) &&
           (batch->differential == SN_DIFFERENTIAL_EXACT || batch->differential == SN_DIFFERENTIAL_PROJECTED);
}

/* The G of the law's own strain: F, R or (then R is the identity) I. */
static inline const vd *strain_frame(const sn_law *law, const vd *F, const vd *R) {
    return law->strain == SN_STRAIN_GREEN ? F : R;
}

/* out += lambda (G : H) G + mu (G G^T H + G H^T G) */
static inline void add_viscous(vd lambda, vd mu, const vd *G, const vd *H, vd *out) {
    const vd trace = lambda * vm_dot(G, H);
    vd e[9], s[9];
    vm_transpose_multiply(G, H, e); /* G^T H */
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) s[3 * i + j] = mu * (e[3 * i + j] + e[3 * j + i]);
    for (int i = 0; i < 3; ++i) s[4 * i] += trace;
    vd p[9];
    vm_multiply(G, s, p);
    for (int i = 0; i < 9; ++i) out[i] += p[i];
}

/* A += the tensor of the above: lambda G_ij G_kl + mu ((G G^T)_ik d_jl + G_il G_kj), at [3 i + j][3 k + l]. It is
 * symmetric: blocks with k > i are copied. */
APART void add_viscous_tensor(vd lambda, vd mu, const vd *G, vd *A) {
    vd B[9];
    vm_multiply_transpose(G, G, B);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k <= i; ++k) {
            const vd *g = G + 3 * i, *h = G + 3 * k, same = mu * B[3 * i + k];
            vd *block = A + 27 * i + 3 * k, *mirror = A + 27 * k + 3 * i;
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 3; ++l) {
                    vd a = lambda * (g[j] * h[l]) + mu * (g[l] * h[j]);
                    if (j == l) a += same;
                    block[9 * j + l] += a;
                    if (k < i) mirror[9 * l + j] += a;
                }
        }
}

/* A += k dP_v / dF at fixed F' for Green's strain: dF S + F (d_lambda tr(dE') I + 2 d_mu dE'), dE' = sym(dF^T F'). */
APART void add_viscous_change_green(double k, vd lambda, vd mu, const vd *F, const vd *rate, vd *A) {
    vd E[9], S[9], B[9];
    const vd scale = vd_set(k);
    vm_transpose_multiply(F, rate, E);
    vm_multiply_transpose(F, rate, B);
    const vd trace = lambda * vm_trace(E);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) S[3 * i + j] = mu * (E[3 * i + j] + E[3 * j + i]);
    for (int i = 0; i < 3; ++i) S[4 * i] += trace;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int m = 0; m < 3; ++m)
                for (int l = 0; l < 3; ++l) {
                    vd a = lambda * (F[3 * i + j] * rate[3 * m + l]) + mu * (F[3 * i + l] * rate[3 * m + j]);
                    if (i == m) a += S[3 * l + j];
                    if (j == l) a += mu * B[3 * i + m];
                    A[9 * (3 * i + j) + 3 * m + l] += scale * a;
                }
}

/* A += k dP_v / dF for the corotated strain: dR S + R (d_lambda tr(de) I + 2 d_mu de), e = sym(R^T F'), de = sym(dR^T
 * F'). */
APART void add_viscous_change_corotated(double k, vd lambda, vd mu, const vd *R, const vd *dR, const vd *rate, vd *A) {
    vd E[9], S[9];
    const vd scale = vd_set(k);
    vm_transpose_multiply(R, rate, E);
    const vd trace = lambda * vm_trace(E);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) S[3 * i + j] = mu * (E[3 * i + j] + E[3 * j + i]);
    for (int i = 0; i < 3; ++i) S[4 * i] += trace;
    for (int b = 0; b < 9; ++b) {
        vd D[9], e[9], s[9], p[9], r[9];
        for (int a = 0; a < 9; ++a) D[a] = dR[9 * a + b];
        vm_transpose_multiply(D, rate, e);
        const vd t = lambda * vm_trace(e);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) s[3 * i + j] = mu * (e[3 * i + j] + e[3 * j + i]);
        for (int i = 0; i < 3; ++i) s[4 * i] += t;
        vm_multiply(D, S, p);
        vm_multiply(R, s, r);
        for (int a = 0; a < 9; ++a) A[9 * a + b] += scale * (p[a] + r[a]);
    }
}

/* dP += d(G H) / dF with a constant symmetric H: dF H or dR H. */
static inline void add_recalled_change(const sn_law *law, const vd *H, const vd *dR, vd *dP) {
    if (sn_law_remembers_by_F(law)) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 3; ++l) dP[9 * (3 * i + j) + 3 * i + l] += H[3 * l + j];
        return;
    }
    const vd xx = H[0], yy = H[4], zz = H[8], xy = H[1], yz = H[5], zx = H[2]; /* in registers during the loop */
    for (int i = 0; i < 3 && dR; ++i)
        for (int b = 0; b < 9; ++b) {
            const vd *d = dR + 27 * i + b, x = d[0], y = d[9], z = d[18];
            vd *to = dP + 27 * i + b;
            const vd change[3] = {x * xx + y * xy + z * zx, x * xy + y * yy + z * yz, x * zx + y * yz + z * zz};
            for (int j = 0; j < 3; ++j) to[9 * j] += change[j];
        }
}

/* dP as the view wants it, with the change of a recalled stress H (prony.h; may be NULL). R is not looked at for laws
 * without rotation. */
APART void law_differential(const slice *s, const vd *c, const vd *F, const vd *R, const vd *dR, const vd *H, vd *dP) {
    const sn_batch *batch = s->batch;
    batch->law->differential(batch->law, sn_batch_differential(batch, s->view->projected), batch->element->dimension, c,
                             F, batch->rotation ? R : NULL, dR, dP);
    if (H) add_recalled_change(batch->law, H, dR, dP);
    if (s->view->unsymmetric) return;
    const vd half = vd_set(0.5);
    for (int a = 0; a < 9; ++a)
        for (int b = a + 1; b < 9; ++b) {
            const vd mean = half * (dP[9 * a + b] + dP[9 * b + a]);
            dP[9 * a + b] = mean, dP[9 * b + a] = mean;
        }
}

/* A = k (dP + change of viscous stress) + d (viscous tensor + b stiffness at rest). `rate` (F') and the recalled stress
 * H may be NULL. */
APART void tangent(const slice *s, const vd *c, const vd *damping, const vd *F, const vd *R, const vd *dR,
                   const vd *rate, const vd *H, double k, double d, vd *A) {
    const sn_law *law = s->batch->law;
    const unsigned damped = s->settings->damped;
    if (k != 0)
        law_differential(s, c, F, R, dR, H, A);
    else
        memset(A, 0, 81 * sizeof *A);
    const vd scale = vd_set(k);
    for (int i = 0; i < 81 && k != 0 && k != 1; ++i) A[i] *= scale;
    if (damped & SN_DAMPED_RAYLEIGH && d != 0) {
        vd C[81];
        law->rest_stiffness(law, c, strain_frame(law, F, R), C);
        for (int i = 0; i < 81; ++i) A[i] += d * damping[2] * C[i];
    }
    if (!(damped & SN_DAMPED_VISCOUS)) return;
    if (d != 0) add_viscous_tensor(d * damping[0], d * damping[1], strain_frame(law, F, R), A);
    if (!s->view->unsymmetric || !rate || k == 0) return;
    if (law->strain == SN_STRAIN_GREEN)
        add_viscous_change_green(k, damping[0], damping[1], F, rate, A);
    else if (law->strain == SN_STRAIN_COROTATED && dR)
        add_viscous_change_corotated(k, damping[0], damping[1], R, dR, rate, A);
}

/* P += viscous and Rayleigh stress at the rate F'. */
APART void add_damping_stress(const slice *s, const vd *c, const vd *damping, const vd *F, const vd *R, const vd *rate,
                              vd *P) {
    const sn_law *law = s->batch->law;
    const unsigned damped = s->settings->damped;
    const vd *G = strain_frame(law, F, R);
    if (damped & SN_DAMPED_VISCOUS) add_viscous(damping[0], damping[1], G, rate, P);
    if (!(damped & SN_DAMPED_RAYLEIGH)) return;
    vd C[81];
    law->rest_stiffness(law, c, G, C);
    for (int a = 0; a < 9; ++a) {
        vd sum = C[9 * a] * rate[0];
        for (int b = 1; b < 9; ++b) sum += C[9 * a + b] * rate[b];
        P[a] += damping[2] * sum;
    }
}

#endif
