/* The blocks of the matrix of a contact row (touch_rows.h): J_i^T m J_j for its nodes i and j, where J_k takes the
 * motion of node k to the motion of A relative to B. */
#include "base/math3.h"
#include "touch_rows.h"

int64_t sn_touch_rows_block_count(const sn_touch_rows *rows) {
    int64_t count = 0;
    for (int i = 0; i < rows->count; ++i) count += (int64_t)rows->row[i].count * rows->row[i].count;
    return count;
}

/* C = A^T B. A and B lie row by row, C column by column. */
static void transpose_product(const double A[9], const double B[9], double C[9]) {
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) C[3 * j + i] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

static void turn(const double A[9], double out[9]) {
    for (int k = 0; k < 9; ++k) out[k] = A[3 * (k % 3) + k / 3];
}

void sn_touch_row_blocks(const sn_touch_rows *rows, const sn_touch_row *row, const double m[9], sn_block_list *list) {
    const double *J = rows->motion + 9 * (size_t)row->first;
    const int32_t *node = rows->node + row->first;
    const bool symmetric = m[1] == m[3] && m[2] == m[6] && m[5] == m[7];
    double turned[9], product[9], left[9], right[9];
    turn(m, turned);
    for (int i = 0; i < row->count; ++i) {
        /* J_i^T m J_j = right^T J_j with right = m^T J_i, and J_j^T m J_i = J_j^T left with left = m J_i. */
        transpose_product(m, J + 9 * (size_t)i, product), turn(product, right);
        if (!symmetric) transpose_product(turned, J + 9 * (size_t)i, product), turn(product, left);
        for (int j = i; j < row->count; ++j) {
            const bool upward = node[i] <= node[j];
            double *first = sn_block_pair(list, node[upward ? i : j], node[upward ? j : i]), *second = first + 9;
            double there[9], back[9];
            transpose_product(right, J + 9 * (size_t)j, there);
            for (int k = 0; k < 9; ++k) (upward ? first : second)[k] += there[k];
            if (i == j) continue;
            if (symmetric)
                turn(there, back);
            else
                transpose_product(J + 9 * (size_t)j, left, back);
            for (int k = 0; k < 9; ++k) (upward ? second : first)[k] += back[k];
        }
    }
}
