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

/* block += A^T B and, unless it is NULL, mirror += B^T A. Both lie column by column. */
static void add(const double A[9], const double B[9], double *block, double *mirror) {
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            const double value = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
            block[3 * j + i] += value;
            if (mirror) mirror[3 * i + j] += value;
        }
}

void sn_touch_row_blocks(const sn_touch_rows *rows, const sn_touch_row *row, const double m[9], sn_block_list *list) {
    const double *J = rows->motion + 9 * (size_t)row->first;
    const int32_t *node = rows->node + row->first;
    const double turned[9] = {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
    const bool symmetric = m[1] == m[3] && m[2] == m[6] && m[5] == m[7];
    for (int i = 0; i < row->count; ++i) {
        /* J_i^T m J_j = right^T J_j with right = m^T J_i, and J_j^T m J_i = J_j^T left with left = m J_i. */
        double right[9], left[9];
        transpose_product(m, J + 9 * (size_t)i, right);
        if (!symmetric) transpose_product(turned, J + 9 * (size_t)i, left);
        for (int j = i; j < row->count; ++j) {
            const double *Jj = J + 9 * (size_t)j;
            const bool upward = node[i] <= node[j];
            double *first = sn_block_pair(list, node[upward ? i : j], node[upward ? j : i]), *second = first + 9;
            double *there = upward ? first : second, *back = upward ? second : first;
            add(right, Jj, there, symmetric && i != j ? back : NULL);
            if (!symmetric && i != j) add(Jj, left, back, NULL);
        }
    }
}
