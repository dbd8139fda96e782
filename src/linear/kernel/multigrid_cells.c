/* P_e^T K_e P_e of one element on the eight corners of a cell: see multigrid_cells.c.
 *
 * The cell's matrix has the blocks p <= q, each a vector of sixteen of which nine count. */
#include "slab.h"

/* `matrix`: [i][j][9][SN_LANES], its blocks i <= j; only the first lane. */
void SN_ISA(sn_mg_cell)(int nodes, const double *matrix, const float (*weight)[SN_MG_PARENTS], float *sum);
void SN_ISA(sn_mg_cell)(int nodes, const double *matrix, const float (*weight)[SN_MG_PARENTS], float *sum) {
    static const int turned[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};
    v16 product[nodes][SN_MG_PARENTS]; /* K_e P_e */
    for (int i = 0; i < nodes; ++i) {
        for (int q = 0; q < SN_MG_PARENTS; ++q) product[i][q] = all(0);
        for (int j = 0; j < nodes; ++j) {
            const double *block = matrix + (int64_t)(i <= j ? i * nodes + j : j * nodes + i) * 9 * SN_LANES;
            v16 k = all(0);
            for (int e = 0; e < 9; ++e) k[e] = (float)block[(i <= j ? e : turned[e]) * SN_LANES];
            for (int q = 0; q < SN_MG_PARENTS; ++q) product[i][q] += k * all(weight[j][q]);
        }
    }
    v16 *out = (v16 *)sum;
    for (int p = 0; p < SN_MG_PARENTS; ++p)
        for (int q = p; q < SN_MG_PARENTS; ++q, ++out) {
            v16 s = *out;
            for (int i = 0; i < nodes; ++i) s += product[i][q] * all(weight[i][p]);
            *out = s;
        }
}
