/* The rotation `csvd`: the invertible singular value decomposition with a direction of inversion that is coherent in
 * time (Schmedding and Teschner 2008; Civit 4.2).
 *
 * `isvd` takes an inverted element as inverted along its shortest axis, which may be another one in each step. Here the
 * negative sign stays with the axis v_k that is nearest to the direction d kept in the state: that which vanished when
 * the element collapsed (see collapse.h), then the axis of the last step, until det F is positive again. S = R^T F is
 * symmetric, but R jumps where the nearest axis changes, and there is no derivative. */
#include "fem/names.h"

#include "collapse.h"

/* R, and the axis that carries the sign. */
static void coherent(const sn_rotation_view *view, vi inverted, vd *R, vd axis[3]) {
    vd U[9], s[3], V[9], d[3];
    collapse_direction(view, inverted & (vi)(view->state[0] == vd_set(0)), d);
    const vi known = ~(vi)(view->state[0] == vd_set(0));
    for (int i = 0; i < 3; ++i) d[i] = vd_select(known, view->state[1 + i], d[i]);
    svd3(view->F, U, s, V);
    const int plane = view->dimension == 2;
    vd most = vd_set(-1), chosen = vd_set(0);
    for (int k = 2; k >= 0; --k) {
        vd along = vd_abs(V[k] * d[0] + V[3 + k] * d[1] + V[6 + k] * d[2]);
        if (plane) along = vd_select((vi)(vd_abs(V[6 + k]) > vd_set(0.5)), vd_set(-1), along);
        const vi nearer = (vi)(along > most);
        most = vd_select(nearer, along, most);
        chosen = vd_select(nearer, vd_set(k), chosen);
    }
    /* svd3 has the sign on the last column of U; it goes to the chosen one. */
    for (int k = 0; k < 3; ++k) {
        const vi here = (vi)(chosen == vd_set(k));
        for (int i = 0; i < 3; ++i) axis[i] = k == 0 ? V[3 * i] : vd_select(here, V[3 * i + k], axis[i]);
        vi turn = inverted & here;
        if (k == 2) turn = inverted & ~here;
        for (int r = 0; r < 9; r += 3) U[r + k] = vd_select(turn, -U[r + k], U[r + k]);
    }
    vm_multiply_transpose(U, V, R);
    if (!plane) return;
    vd flat[9]; /* without the rounding off the plane */
    plane_polar(R, flat);
    memcpy(R, flat, sizeof flat);
}

static vi inverted_lanes(const sn_rotation_view *view) {
    return (vi)(vm_determinant(view->F) < vd_set(0)) & measurable(view->F);
}

static void extract(const sn_rotation_view *view, vd *R) {
    const vi inverted = inverted_lanes(view);
    polar_of(view->dimension, view->F, R);
    if (!vi_any(inverted)) return;
    vd turned[9], axis[3];
    coherent(view, inverted, turned, axis);
    for (int i = 0; i < 9; ++i) R[i] = vd_select(inverted, turned[i], R[i]);
}

static void accept(const sn_rotation_view *view) {
    const vi inverted = inverted_lanes(view);
    vd R[9], axis[3];
    coherent(view, inverted, R, axis);
    view->state[0] = vd_select(inverted, vd_set(1), vd_set(0));
    for (int i = 0; i < 3; ++i) view->state[1 + i] = vd_select(inverted, axis[i], vd_set(0));
}

const sn_rotation SN_ISA(sn_rotation_csvd) = {
    SN_ROTATION_csvd,
    .uses_history = 1,
    .extract = extract,
    .accept = accept,
};
