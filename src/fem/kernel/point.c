/* Laws and rotations at single points; see fem/point_kernels.h. */
#include "fem/point_kernels.h"

#include "corotate.h"
#include "svd3.h"

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void load(const double *from, int rows, int lane, vd *out) {
    for (int i = 0; i < rows; ++i) out[i] = vd_load(from + i * SN_LANES + lane);
}
static void store(double *to, int rows, int lane, const vd *a) {
    for (int i = 0; i < rows; ++i) vd_store(to + i * SN_LANES + lane, a[i]);
}

/* A view of F on a path from rest, with the unit axes for edges. */
static sn_rotation_view path_from_rest(const vd *F, vd *Dm, vd *state) {
    for (int i = 0; i < 9; ++i) Dm[i] = vd_set(identity[i]);
    for (int i = 0; i < SN_ROTATION_STATE; ++i) state[i] = vd_set(0);
    return (sn_rotation_view){.F = F, .Dm = Dm, .dimension = 3, .state = state};
}

static void law_point(const sn_law *law, const sn_rotation *rotation, const double degenerate[2], sn_differential kind,
                      const double *constant, const double *F, double *psi, double *P, double *dP) {
    vd c[SN_LAW_CONSTANTS], f[9], Dm[9], state[SN_ROTATION_STATE], R[9], dR[81], out[81];
    for (int i = 0; i < law->constant_count; ++i) c[i] = vd_set(constant[i]);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        load(F, 9, lane, f);
        sn_rotation_view view = path_from_rest(f, Dm, state);
        view.alpha = degenerate[0], view.beta = degenerate[1];
        if (rotation) rotation->extract(&view, R);
        const vd *r = rotation ? R : NULL;
        if (psi) law->energy(law, c, f, r, out), store(psi, 1, lane, out);
        if (P) {
            law->stress(law, c, f, r, out);
            if (rotation && rotation->turning && vi_any(asymmetric_lanes(f, R))) {
                rotation->turning(&view, R, dR);
                add_turning_stress(f, R, dR, out);
            }
            store(P, 9, lane, out);
        }
        if (!dP) continue;
        const int turns =
            rotation && rotation->differential && (kind == SN_DIFFERENTIAL_EXACT || kind == SN_DIFFERENTIAL_PROJECTED);
        if (turns) rotation->differential(&view, R, dR);
        law->differential(law, kind, view.dimension, c, f, r, turns ? dR : NULL, out);
        store(dP, 81, lane, out);
    }
}

static void rotation_point(const sn_rotation *rotation, double alpha, double beta, const double *F, double *R,
                           double *dR) {
    vd f[9], Dm[9], state[SN_ROTATION_STATE], r[9], dr[81];
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        load(F, 9, lane, f);
        sn_rotation_view view = path_from_rest(f, Dm, state);
        view.alpha = alpha, view.beta = beta;
        rotation->extract(&view, r);
        store(R, 9, lane, r);
        if (dR && rotation->differential) rotation->differential(&view, r, dr), store(dR, 81, lane, dr);
    }
}

static void svd_point(const double *F, double *U, double *s, double *V) {
    vd f[9], u[9], d[3], v[9];
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        load(F, 9, lane, f);
        svd3(f, u, d, v);
        store(U, 9, lane, u);
        store(s, 3, lane, d);
        store(V, 9, lane, v);
    }
}

const sn_point_kernels SN_ISA(sn_point_kernels) = {law_point, rotation_point, svd_point};
