/* Rotations of vertices for stiffness warping; the equations are in fem/warping.h. */
#include "fem/warping.h"

#include "polar3.h"

/* A frame on the mean of the first three edges and the fourth; edge[3 k + a]. */
static void frame_of(const vd *edge, vd N[9]) {
    vd mean[3], other[3], scale = vd_set(1e-300);
    for (int i = 0; i < 3 * SN_WARPING_EDGE_ROWS; ++i) scale = vd_max(scale, vd_abs(edge[i]));
    for (int a = 0; a < 3; ++a) {
        mean[a] = (edge[a] / scale + edge[3 + a] / scale + edge[6 + a] / scale) / vd_set(3);
        other[a] = edge[9 + a] / scale;
    }
    orthonormal_basis(mean, other, N);
}

static void gather_edges(const int32_t *node, const int32_t *neighbour, const double *x, vd edge[3]) {
    for (int a = 0; a < 3; ++a) edge[a] = vd_gather(x + a, neighbour, 3) - vd_gather(x + a, node, 3);
}

static void store_rotation(const int32_t *node, const vd R[9], double *out) {
    for (int l = 0; l < SN_WIDTH; ++l)
        for (int k = 0; k < 9; ++k) out[9 * (int64_t)node[l] + k] = R[k][l];
}

sn_warping_kernel SN_ISA(sn_warping_rotations);
void SN_ISA(sn_warping_rotations)(const sn_warping *w, int begin, int end, const double *x, double *out) {
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const int32_t *node = w->node + (int64_t)block * SN_LANES + lane;
            const int64_t first = w->begin[block], count = w->begin[block + 1] - first;
            vd edge[3 * SN_WARPING_EDGE_ROWS], R[9];
            if (w->edges_only[block]) {
                vd now[9], N[9];
                for (int k = 0; k < SN_WARPING_EDGE_ROWS; ++k)
                    gather_edges(node, w->neighbour + (first + k) * SN_LANES + lane, x, edge + 3 * k);
                for (int k = 0; k < 9; ++k) N[k] = vd_load(w->frame + (9 * (int64_t)block + k) * SN_LANES + lane);
                frame_of(edge, now);
                vm_multiply_transpose(now, N, R);
            } else {
                vd A[9];
                for (int i = 0; i < 9; ++i) A[i] = vd_set(0);
                for (int64_t k = 0; k < count; ++k) {
                    gather_edges(node, w->neighbour + (first + k) * SN_LANES + lane, x, edge);
                    for (int b = 0; b < 3; ++b) {
                        const vd r = vd_load(w->rest + (3 * (first + k) + b) * SN_LANES + lane);
                        for (int a = 0; a < 3; ++a) A[3 * a + b] += edge[a] * r;
                    }
                }
                polar3(A, R);
            }
            store_rotation(node, R, out);
        }
}
