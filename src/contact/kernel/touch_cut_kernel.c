/* The filter of touch_cut.h, built once per instruction set: which of eight pairs of triangles are certainly apart.
 *
 * A pair is apart when all corners of one triangle are on one side of the plane of the other, each farther from it than
 * the rounding error. The bound of the error is that of touch_cut.c, so the filter drops only pairs that the exact
 * signs drop too. */
#include "base/simd.h"
#include "contact/touch_cut.h"

static inline vd largest(const vd v[3]) { return vd_max(vd_max(vd_abs(v[0]), vd_abs(v[1])), vd_abs(v[2])); }

static inline vi one_side(vd q[3][3], vd p[3][3]) {
    vd u[3], v[3], n[3], w[3];
    for (int a = 0; a < 3; ++a) u[a] = q[1][a] - q[0][a], v[a] = q[2][a] - q[0][a];
    for (int a = 0; a < 3; ++a) n[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
    const vd size = vd_set(1e-14) * largest(u) * largest(v);
    vi above = ~(vi){0}, below = ~(vi){0};
    for (int k = 0; k < 3; ++k) {
        for (int a = 0; a < 3; ++a) w[a] = p[k][a] - q[0][a];
        const vd height = n[0] * w[0] + n[1] * w[1] + n[2] * w[2], error = size * largest(w);
        above &= (vi)(height > error), below &= (vi)(height < -error);
    }
    return above | below;
}

static unsigned apart(const double *a, const int32_t *corner_a, const double *b, const int32_t *corner_b) {
    unsigned bits = 0;
    for (int part = 0; part < SN_LANES; part += SN_WIDTH) {
        vd p[3][3], q[3][3];
        for (int k = 0; k < 3; ++k) {
            vd_gather3(a, corner_a + k * SN_LANES + part, p[k]);
            vd_gather3(b, corner_b + k * SN_LANES + part, q[k]);
        }
        const vi mask = one_side(q, p) | one_side(p, q);
        for (int l = 0; l < SN_WIDTH; ++l) bits |= (unsigned)(mask[l] & 1) << (part + l);
    }
    return bits;
}

extern const sn_cut_filter SN_ISA(sn_cut_filter);
const sn_cut_filter SN_ISA(sn_cut_filter) = {apart};
