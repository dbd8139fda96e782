/* See preconditioner.h. */
#include "preconditioner.h"

#include <math.h>

#include "linear/matrix/kernels.h"

void sn_project_pair(const double A[9], const double *S, const double *T, double out[9]) {
    double half[9];
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
            half[3 * c + r] =
                S ? S[3 * r] * A[3 * c] + S[3 * r + 1] * A[3 * c + 1] + S[3 * r + 2] * A[3 * c + 2] : A[3 * c + r];
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
            out[3 * c + r] = T ? half[r] * T[c] + half[3 + r] * T[3 + c] + half[6 + r] * T[6 + c] : half[3 * c + r];
}

void sn_projected_block(const double A[9], const double *S, double out[9]) {
    double B[9];
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) B[3 * c + r] = r == c ? A[3 * c + r] : 0.5 * (A[3 * c + r] + A[3 * r + c]);
    if (!S) {
        for (int i = 0; i < 9; ++i) out[i] = B[i];
        return;
    }
    const double mean = (B[0] + B[4] + B[8]) / 3, scale = mean > 0 ? mean : 1;
    sn_project_pair(B, S, S, out);
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) out[3 * c + r] += scale * ((r == c) - S[3 * r + c]);
}

bool sn_invert_definite(const double A[9], double clear, double out[9]) {
    double L[3][3] = {{0}}, inverse[3][3] = {{0}};
    for (int j = 0; j < 3; ++j) {
        double pivot = A[4 * j];
        for (int k = 0; k < j; ++k) pivot -= L[j][k] * L[j][k];
        if (!(pivot > clear * A[4 * j]) || !isfinite(pivot)) return false;
        L[j][j] = sqrt(pivot);
        for (int i = j + 1; i < 3; ++i) {
            double sum = A[3 * j + i];
            for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
            L[i][j] = sum / L[j][j];
        }
    }
    for (int j = 0; j < 3; ++j) { /* inverse of L */
        inverse[j][j] = 1 / L[j][j];
        for (int i = j + 1; i < 3; ++i) {
            double sum = 0;
            for (int k = j; k < i; ++k) sum -= L[i][k] * inverse[k][j];
            inverse[i][j] = sum / L[i][i];
        }
    }
    bool finite = true;
    for (int c = 0; c < 3; ++c)
        for (int r = c; r < 3; ++r) {
            double sum = 0;
            for (int k = r; k < 3; ++k) sum += inverse[k][r] * inverse[k][c];
            out[3 * c + r] = out[3 * r + c] = sum;
            finite = finite && isfinite(sum);
        }
    return finite;
}

void sn_invert_node_block(const double A[9], const double *S, double clear, double out[9]) {
    double block[9];
    sn_projected_block(A, S, block);
    if (!sn_invert_definite(block, clear, out)) {
        for (int k = 0; k < 9; ++k) out[k] = 0;
        for (int k = 0; k < 3; ++k) out[4 * k] = block[4 * k] > 0 && isfinite(1 / block[4 * k]) ? 1 / block[4 * k] : 1;
    }
    if (!S) return;
    double half[9]; /* S out, then (S out) S */
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
            half[3 * c + r] = S[3 * r] * out[3 * c] + S[3 * r + 1] * out[3 * c + 1] + S[3 * r + 2] * out[3 * c + 2];
    for (int c = 0; c < 3; ++c)
        for (int r = c; r < 3; ++r)
            out[3 * c + r] = out[3 * r + c] = half[r] * S[c] + half[3 + r] * S[3 + c] + half[6 + r] * S[6 + c];
}

typedef struct range_work {
    const sn_preconditioner *preconditioner;
    void *data;
    int nodes;
    const double *r;
    double *z;
} range_work;

static void range_piece(void *data, int piece) {
    const range_work *w = data;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < w->nodes ? begin + SN_PIECE_NODES : w->nodes;
    w->preconditioner->apply_range(w->data, begin, end, w->r, w->z);
}

void sn_apply_ranges(const sn_context *context, const sn_preconditioner *preconditioner, void *data, int nodes,
                     const double *r, double *z) {
    range_work w = {preconditioner, data, nodes, r, z};
    sn_parallel_pieces(context, sn_pieces(nodes, SN_PIECE_NODES), range_piece, &w);
}
