/* Whether an operator is symmetric, judged by its parts. A mass is always symmetric. For the elements, the view tells.
 * Of the listed blocks, symmetric blocks of one node pass. For the others B, the test u.B v = v.B u is made with two
 * irregular vectors. Blocks that are symmetric only as a sum also pass this test. */
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

static bool list_symmetric(const sn_block_list *list, double factor) {
    double gap = 0, size = 0;
    for (int i = 0; list && factor != 0 && i < list->count; ++i) {
        if (list->row[i] == list->column[i] && own_symmetric(list->value + 9 * (int64_t)i)) continue;
        for (int k = 0; k < 9; ++k) {
            const uint32_t row = 3 * (uint32_t)list->row[i] + (uint32_t)(k % 3),
                           column = 3 * (uint32_t)list->column[i] + (uint32_t)(k / 3);
            const double value = list->value[9 * (int64_t)i + k];
            gap += value * (number(2 * row) * number(2 * column + 1) - number(2 * row + 1) * number(2 * column));
            size += fabs(value);
        }
    }
    return !(fabs(gap) > 1e-12 * size);
}

bool sn_assembly_symmetric(const sn_assembly *assembly) {
    if (assembly->view->unsymmetric) return false;
    return list_symmetric(assembly->stiffness, assembly->k) && list_symmetric(assembly->damping, assembly->d);
}
