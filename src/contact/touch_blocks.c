/* The blocks of the matrix of a contact row (touch_rows.h): J_i^T m J_j for its nodes i and j, where J_k takes the
 * motion of node k to the motion of A relative to B. */
#include "base/math3.h"
#include "touch_rows.h"

int64_t sn_touch_rows_block_count(const sn_touch_rows *rows) {
    int64_t count = 0;
    for (int i = 0; i < rows->count; ++i) count += (int64_t)rows->row[i].count * rows->row[i].count;
    return count;
}

/* C = A^T B, row by row. */
static void transpose_product(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

/* block += A, where the block lies column by column; `turned`: += A^T. */
static void add(const double A[9], bool turned, double *block) {
    for (int k = 0; k < 9; ++k) block[k] += A[turned ? k : 3 * (k % 3) + k / 3];
}

/* ADDS J_i^T m J_j, and J_j^T m J_i when the nodes differ. With right_k = m^T J_k, J_i^T m J_j = right_i^T J_j. */
static void add_pair(const double Ji[9], const double right_i[9], const double Jj[9], const double right_j[9],
                     int32_t i, int32_t j, bool symmetric, sn_block_list *list) {
    double there[9], back[9];
    const bool upward = i <= j;
    double *first = sn_block_pair(list, upward ? i : j, upward ? j : i), *second = first + 9;
    transpose_product(right_i, Jj, there);
    if (i != j && !symmetric) transpose_product(right_j, Ji, back);
    add(there, false, upward ? first : second);
    if (i != j) add(symmetric ? there : back, symmetric, upward ? second : first);
}

void sn_touch_row_blocks(const sn_touch_rows *rows, const sn_touch_row *row, const double m[9], sn_block_list *list) {
    enum { ROOM = 24 };
    double right[ROOM][9];
    const double *J = rows->motion + 9 * (size_t)row->first;
    const bool symmetric = m[1] == m[3] && m[2] == m[6] && m[5] == m[7];
    for (int i = 0; i < row->count && i < ROOM; ++i) transpose_product(m, J + 9 * (size_t)i, right[i]);
    for (int i = 0; i < row->count; ++i) {
        double right_i[9];
        if (i >= ROOM) transpose_product(m, J + 9 * (size_t)i, right_i);
        for (int j = i; j < row->count; ++j) {
            double right_j[9];
            if (j >= ROOM) transpose_product(m, J + 9 * (size_t)j, right_j);
            add_pair(J + 9 * (size_t)i, i < ROOM ? right[i] : right_i, J + 9 * (size_t)j, j < ROOM ? right[j] : right_j,
                     rows->node[row->first + i], rows->node[row->first + j], symmetric, list);
        }
    }
}
