/* P_e^T K_e P_e of one element on the eight corners of a cell (multigrid_cells.c).
 *
 * The matrix of the cell has the blocks p <= q. Each block is a vector of sixteen numbers, of which nine count. */
#include "slab.h"

/* The transpose of a block. */
static inline v16 turned(v16 a) {
    return __builtin_shufflevector(a, a, 0, 3, 6, 1, 4, 7, 2, 5, 8, 9, 10, 11, 12, 13, 14, 15);
}

static inline v16 times(v16 a, float w) { return a * (v16){w, w, w, w, w, w, w, w, w, w, w, w, w, w, w, w}; }

/* Trilinear weights at f, also outside the cell. */
static inline void weights_at(const double f[3], float weight[SN_MG_PARENTS]) {
    const float x = (float)f[0], y = (float)f[1], z = (float)f[2], xy = x * y, yz = y * z, zx = z * x, xyz = xy * z;
    /* For every f the weights sum to one and reproduce f, up to rounding. */
    weight[7] = xyz, weight[6] = yz - xyz, weight[5] = zx - xyz, weight[3] = xy - xyz;
    weight[1] = x - xy - weight[5], weight[2] = y - xy - weight[6], weight[4] = z - zx - weight[6];
    weight[0] = 1 - x - weight[2] - weight[4] - weight[6];
}

/* Inlined for elements of four nodes. */
static inline __attribute__((always_inline)) void add_element(const int nodes, const double *matrix,
                                                              const double (*f)[3], v16 *sum) {
    v16 block[nodes * (nodes + 1) / 2], product[nodes][SN_MG_PARENTS]; /* K_e P_e */
    float weight[nodes][SN_MG_PARENTS];
    for (int i = 0, pair = 0; i < nodes; ++i) {
        weights_at(f[i], weight[i]);
        for (int j = i; j < nodes; ++j, ++pair) {
            const double *from = matrix + (int64_t)(i * nodes + j) * 9 * SN_LANES;
            block[pair] = (v16){0};
            for (int e = 0; e < 9; ++e) ((float *)&block[pair])[e] = (float)from[e * SN_LANES];
        }
    }
    for (int i = 0; i < nodes; ++i) {
        v16 row[nodes];
        for (int j = 0; j < nodes; ++j)
            row[j] =
                j < i ? turned(block[j * nodes - j * (j - 1) / 2 + i - j]) : block[i * nodes - i * (i - 1) / 2 + j - i];
        for (int q = 0; q < SN_MG_PARENTS; ++q) {
            v16 s = times(row[0], weight[0][q]);
            for (int j = 1; j < nodes; ++j) s += times(row[j], weight[j][q]);
            product[i][q] = s;
        }
    }
    for (int p = 0; p < SN_MG_PARENTS; ++p)
        for (int q = p; q < SN_MG_PARENTS; ++q, ++sum) {
            v16 s = times(product[0][q], weight[0][p]);
            for (int i = 1; i < nodes; ++i) s += times(product[i][q], weight[i][p]);
            *sum += s;
        }
}

/* `matrix`: [i][j][9][SN_LANES], its blocks i <= j, only the first lane. `f`: the positions of the nodes in the cell,
 * in spacings. */
void SN_ISA(sn_mg_cell)(int nodes, const double *matrix, const double (*f)[3], float *sum);
void SN_ISA(sn_mg_cell)(int nodes, const double *matrix, const double (*f)[3], float *sum) {
    if (nodes == 4)
        add_element(4, matrix, f, (v16 *)sum);
    else
        add_element(nodes, matrix, f, (v16 *)sum);
}
