/* Whether an operator is symmetric, judged by its parts. A mass is always symmetric. For the elements, the view tells.
 * Of the listed blocks, symmetric blocks of one node pass, and pairs of blocks that mirror each other. For the others
 * B, the test u.B v = v.B u is made with two irregular vectors. Blocks that are symmetric only as a sum also pass this
 * test. */
#include <math.h>

#include "assembly.h"

/* Numbers between -1 and 1 that look random but are the same on every machine. */
static double number(uint32_t i) {
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return (double)(i ^ (i >> 16)) / 2147483648.0 - 1;
}

/* Whether a block of one node is symmetric. */
static bool own_symmetric(const double *value) {
    const double size = fabs(value[0]) + fabs(value[4]) + fabs(value[8]);
    return fabs(value[1] - value[3]) + fabs(value[2] - value[6]) + fabs(value[5] - value[7]) <= 1e-15 * size;
}

/* Whether block i + 1 is the mirror of block i, bit for bit: contacts list their blocks in such pairs. */
static bool mirrored(const sn_block_list *list, int i) {
    if (i + 1 >= list->count || list->row[i] != list->column[i + 1] || list->column[i] != list->row[i + 1])
        return false;
    const double *here = list->value + 9 * (int64_t)i, *there = here + 9;
    bool same = true;
    for (int k = 0; k < 9; ++k) same = same && here[k] == there[3 * (k % 3) + k / 3];
    return same;
}

static bool list_symmetric(const sn_block_list *list, double factor) {
    double gap = 0, size = 0;
    for (int i = 0; list && factor != 0 && i < list->count; ++i) {
        const double *value = list->value + 9 * (int64_t)i;
        if (list->row[i] == list->column[i] && own_symmetric(value)) continue;
        if (mirrored(list, i)) {
            ++i;
            continue;
        }
        const uint32_t row = 3 * (uint32_t)list->row[i], column = 3 * (uint32_t)list->column[i];
        double u[2][3], v[2][3]; /* the two vectors at the row and at the column */
        for (uint32_t a = 0; a < 3; ++a)
            for (uint32_t way = 0; way < 2; ++way)
                u[way][a] = number(2 * (row + a) + way), v[way][a] = number(2 * (column + a) + way);
        for (int k = 0; k < 9; ++k) {
            gap += value[k] * (u[0][k % 3] * v[1][k / 3] - u[1][k % 3] * v[0][k / 3]);
            size += fabs(value[k]);
        }
    }
    return !(fabs(gap) > 1e-12 * size);
}

bool sn_assembly_symmetric(const sn_assembly *assembly) {
    if (assembly->view->unsymmetric) return false;
    return list_symmetric(assembly->stiffness, assembly->k) && list_symmetric(assembly->damping, assembly->d);
}
