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

/* block += w C for nine numbers. */
static void add_scaled(double w, const double C[9], double *block) {
    for (int k = 0; k < 9; ++k) block[k] += w * C[k];
}

/* Whether J is w I: the point of the node is that of the row. */
static bool is_plain(const double J[9]) {
    return J[1] == 0 && J[2] == 0 && J[3] == 0 && J[5] == 0 && J[6] == 0 && J[7] == 0 && J[0] == J[4] && J[0] == J[8];
}

/* J_i^T m J_j = J_i^T left with left = m J_j, and J_j^T m J_i = right^T J_i with right = m^T J_j. Where J_i = w I,
 * these are w left and w right^T: most blocks are. */
void sn_touch_row_blocks(const sn_touch_rows *rows, const sn_touch_row *row, const double m[9], int later,
                         sn_block_list *list) {
    const double *J = rows->motion + 9 * (size_t)row->first;
    const int32_t *node = rows->node + row->first;
    const double turned[9] = {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
    const bool symmetric = m[1] == m[3] && m[2] == m[6] && m[5] == m[7];
    int plain = 0; /* nodes at the front of the row */
    while (plain < row->count && is_plain(J + 9 * (size_t)plain)) ++plain;
    for (int j = 0; j < row->count; ++j) {
        const double *Jj = J + 9 * (size_t)j;
        double left[9], other[9], columns[9]; /* columns: left, column by column */
        const double *right = symmetric ? left : other;
        transpose_product(turned, Jj, left);
        if (!symmetric) transpose_product(m, Jj, other);
        for (int k = 0; k < 9; ++k) columns[k] = left[3 * (k % 3) + k / 3];
        for (int i = 0; i <= j; ++i) {
            const double *Ji = J + 9 * (size_t)i;
            const bool upward = node[i] <= node[j];
            double *first = sn_block_pair(list, node[upward ? i : j], node[upward ? j : i]), *second = first + 9;
            double *there = upward ? first : second, *back = upward ? second : first;
            const bool half = i == j || first >= list->value + 9 * (size_t)later;
            if (half && !upward) { /* the block itself is filled later */
                if (i < plain)
                    add_scaled(Ji[0], right, back);
                else
                    add(left, Ji, back, NULL);
                continue;
            }
            if (i < plain) {
                add_scaled(Ji[0], columns, there);
                if (!half) add_scaled(Ji[0], right, back);
                continue;
            }
            add(Ji, left, there, symmetric && !half ? back : NULL);
            if (!symmetric && !half) add(right, Ji, back, NULL);
        }
    }
}
