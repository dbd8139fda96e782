/* The blocks of the matrix of a contact row (touch_rows.h): J_i^T m J_j for its nodes i and j, where J_k takes the
 * motion of node k to the motion of A relative to B. */
#include "base/math3.h"
#include "touch_rows.h"

int64_t sn_touch_rows_block_count(const sn_touch_rows *rows) {
    int64_t count = 0;
    for (int i = 0; i < rows->count; ++i) count += (int64_t)rows->row[i].count * rows->row[i].count;
    return count;
}

/* J of a carrier, row by row: w n n^T + (1 - n n^T) M. */
static void motion_matrix(const sn_touch_rows *rows, const sn_touch_row *row, int carrier, double J[9]) {
    const double *M = rows->moment + 9 * (size_t)carrier, *n = row->n;
    for (int j = 0; j < 3; ++j) {
        const double along = n[0] * M[j] + n[1] * M[3 + j] + n[2] * M[6 + j];
        for (int i = 0; i < 3; ++i) J[3 * i + j] = M[3 * i + j] + (rows->weight[carrier] * n[j] - along) * n[i];
    }
}

/* block = J_i^T m J_j, column by column. */
static void product(const double Ji[9], const double m[9], const double Jj[9], double *block) {
    double right[9];
    for (int i = 0; i < 9; ++i)
        right[i] = m[3 * (i / 3)] * Jj[i % 3] + m[3 * (i / 3) + 1] * Jj[3 + i % 3] + m[3 * (i / 3) + 2] * Jj[6 + i % 3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            block[3 * j + i] = Ji[i] * right[j] + Ji[3 + i] * right[3 + j] + Ji[6 + i] * right[6 + j];
}

void sn_touch_row_blocks(const sn_touch_rows *rows, const sn_touch_row *row, const double m[9], sn_block_list *list) {
    for (int32_t i = row->first; i < row->first + row->count; ++i) {
        double Ji[9], Jj[9];
        motion_matrix(rows, row, i, Ji);
        for (int32_t j = row->first; j < row->first + row->count; ++j) {
            motion_matrix(rows, row, j, Jj);
            product(Ji, m, Jj, sn_block_append(list, rows->node[i], rows->node[j]));
        }
    }
}
