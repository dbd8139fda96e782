/* Kernels of patches (fem/patch.h): the law at the mean deformation gradient of SN_LANES patches. */
#include "fem/patch.h"

#include "element_look.h"

/* out = sum_i (p_i - p_0) (x) g_i of each lane, [9][SN_LANES]; plus the identity in lanes without nodes. */
static void gather(const sn_patches *patches, int block, const double *p, double *out) {
    for (int l = 0; l < SN_LANES; ++l) {
        const int64_t begin = patches->begin[(int64_t)block * SN_LANES + l],
                      end = patches->begin[(int64_t)block * SN_LANES + l + 1];
        double sum[9] = {0};
        if (begin == end) sum[0] = sum[4] = sum[8] = 1;
        for (int64_t k = begin; k < end; ++k) {
            const double *x = p + 3 * (int64_t)patches->node[k], *x0 = p + 3 * (int64_t)patches->node[begin],
                         *g = patches->gradient + 3 * k;
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b) sum[3 * a + b] += (x[a] - x0[a]) * g[b];
        }
        for (int i = 0; i < 9; ++i) out[i * SN_LANES + l] = sum[i];
    }
}

/* The lanes of a block as a slice of the batch, which has no nodes of its own. */
static slice lanes_of(const sn_patches *patches, int block, const sn_element_view *view, int lane) {
    const sn_batch *batch = &patches->batch[patches->batch_of[block]];
    return (slice){.batch = batch,
                   .settings = settings_of(batch, view),
                   .view = view,
                   .block = patches->block_in[block],
                   .lane = lane,
                   .weight = patches->weight + (int64_t)block * SN_LANES + lane};
}

static int count_collapsed(const slice *s, vd J) {
    int count = 0;
    for (int l = 0; l < SN_WIDTH && s->batch->law->flags & SN_LAW_POSITIVE_J; ++l) count += !(J[l] > 0);
    return count;
}

static int energy(const sn_patches *patches, int block, const sn_element_view *view, double *out) {
    _Alignas(64) double now[9 * SN_LANES];
    int bad = 0;
    gather(patches, block, view->x, now);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = lanes_of(patches, block, view, lane);
        const sn_law *law = s.batch->law;
        vd c[SN_LAW_CONSTANTS], F[9], R[9], psi;
        load_constants(&s, c);
        load_rows(now + lane, 9, F);
        rotation_at(4, 1, &s, 0, F, R, NULL);
        law->energy(law, c, F, s.batch->rotation ? R : NULL, &psi);
        if (has_memory(&s)) psi += recalled_energy(1, &s, 0, F, R);
        vd_store(out + lane, vd_load(s.weight) * psi);
        bad += count_collapsed(&s, vm_determinant(F));
    }
    return bad;
}

static int stress(const sn_patches *patches, int block, const sn_element_view *view, bool cauchy, double *out) {
    _Alignas(64) double now[9 * SN_LANES], rates[9 * SN_LANES];
    const slice first = lanes_of(patches, block, view, 0);
    const bool damped = !cauchy && view->v && first.settings->damped;
    int bad = 0;
    gather(patches, block, view->x, now);
    if (damped) gather(patches, block, view->v, rates);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = lanes_of(patches, block, view, lane);
        const sn_law *law = s.batch->law;
        vd c[SN_LAW_CONSTANTS], F[9], R[9], P[9], damping[3], rate[9];
        load_constants(&s, c);
        load_rows(now + lane, 9, F);
        rotation_at(4, 1, &s, 0, F, R, NULL);
        law->stress(law, c, F, s.batch->rotation ? R : NULL, P);
        complete_stress(4, 1, &s, 0, F, R, P);
        if (has_memory(&s)) add_recalled(1, &s, 0, view->recalled, F, R, P);
        if (damped) {
            load_rows(s.settings->damping + s.block * 3 * SN_LANES + lane, 3, damping);
            load_rows(rates + lane, 9, rate);
            add_damping_stress(&s, c, damping, F, R, rate, P);
        }
        vd value[9];
        if (cauchy)
            cauchy_stress(law, F, P, value);
        else
            for (int i = 0; i < 9; ++i) value[i] = vd_load(s.weight) * P[i];
        for (int i = 0; i < 9; ++i)
            for (int l = 0; l < SN_WIDTH; ++l) out[9 * (lane + l) + i] = value[i][l];
        bad += count_collapsed(&s, vm_determinant(F));
    }
    return bad;
}

static void linearise(const sn_patches *patches, int block, const sn_element_view *view, double k, double d,
                      double *out) {
    _Alignas(64) double now[9 * SN_LANES], rates[9 * SN_LANES];
    const slice first = lanes_of(patches, block, view, 0);
    const int with_dR = wants_dR(first.batch);
    const bool moving = view->unsymmetric && view->v && first.settings->damped & SN_DAMPED_VISCOUS;
    gather(patches, block, view->x, now);
    if (moving) gather(patches, block, view->v, rates);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = lanes_of(patches, block, view, lane);
        vd c[SN_LAW_CONSTANTS], F[9], R[9], dR[81], damping[3], rate[9], H[9], A[81];
        load_constants(&s, c);
        load_rows(s.settings->damping + s.block * 3 * SN_LANES + lane, 3, damping);
        load_rows(now + lane, 9, F);
        if (moving) load_rows(rates + lane, 9, rate);
        rotation_at(4, 1, &s, 0, F, R, with_dR ? dR : NULL);
        tangent(&s, c, damping, F, R, with_dR ? dR : NULL, moving ? rate : NULL, recalled_of_tangent(1, &s, 0, H), k, d,
                A);
        const vd w = vd_load(s.weight);
        for (int i = 0; i < 81; ++i) vd_store(out + i * SN_LANES + lane, w * A[i]);
    }
}

static void remember(const sn_patches *patches, int block, const sn_element_view *view,
                     const sn_memory_arrays *memory) {
    _Alignas(64) double now[9 * SN_LANES];
    gather(patches, block, view->x, now);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = lanes_of(patches, block, view, lane);
        vd F[9], R[9];
        load_rows(now + lane, 9, F);
        rotation_at(4, 1, &s, 0, F, R, NULL);
        remember_shape(1, &s, 0, F, R, memory);
    }
}

static void product(const sn_patches *patches, int block, const double *tangent, const double *u, double *out) {
    _Alignas(64) double change[9 * SN_LANES];
    gather(patches, block, u, change);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        vd H[9];
        load_rows(change + lane, 9, H);
        for (int a = 0; a < 9; ++a) {
            vd sum = vd_load(tangent + 9 * a * SN_LANES + lane) * H[0];
            for (int b = 1; b < 9; ++b) sum += vd_load(tangent + (9 * a + b) * SN_LANES + lane) * H[b];
            for (int l = 0; l < SN_WIDTH; ++l) out[9 * (lane + l) + a] = sum[l];
        }
    }
}

extern const sn_patch_kernels SN_ISA(sn_patch_kernels);
const sn_patch_kernels SN_ISA(sn_patch_kernels) = {energy, stress, linearise, product, remember};
