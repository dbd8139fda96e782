/* Points that nodes carry: the vertices of detailed surfaces, as colliders meet them.
 *
 * Point i is at x_i = sum_k w_k x(node_k). A force f on it becomes w_k f on node k, and a 3x3 block B = -df/dx_i
 * becomes w_k w_l B between the nodes k and l. Many points lie in one tet, so their blocks are summed up for each pair
 * of nodes: a matrix gets as many blocks as the tets have pairs of nodes, however fine the surface is. */
#ifndef SN_CONTACT_CARRIED_H
#define SN_CONTACT_CARRIED_H

#include <stddef.h>

#include "base/context.h"

typedef struct sn_carried {
    int count;
    int32_t *first; /* count + 1: where the carriers of a point begin */
    int32_t *node;  /* compiled numbers */
    double *weight;
    int64_t *square; /* count + 1: where the pairs of a point begin in `pair` */
    int32_t *pair;   /* for each point, carriers x carriers: the pair of nodes, 0 to pair_count - 1 */
    int pair_count;
    int32_t *row, *column; /* pair_count: the nodes of a pair */
    int32_t *slot; /* pair_count, scratch: where the block of the pair is in the list in the making; -1: not yet */
} sn_carried;

/* Makes the pairs of points whose carriers (`count`, `first`, `node`, `weight`) are set. */
sn_status sn_carried_pair(sn_context *context, sn_carried *carried, sn_error *error);
void sn_carried_release(sn_context *context, sn_carried *carried);

/* sum_k w_k u_k */
static inline void sn_carried_gather(const sn_carried *carried, int point, const double *u, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int32_t k = carried->first[point]; k < carried->first[point + 1]; ++k)
        for (size_t a = 0; a < 3; ++a) out[a] += carried->weight[k] * u[3 * (size_t)carried->node[k] + a];
}

/* f_k += w_k force */
static inline void sn_carried_push(const sn_carried *carried, int point, const double force[3], double *f) {
    for (int32_t k = carried->first[point]; k < carried->first[point + 1]; ++k)
        for (size_t a = 0; a < 3; ++a) f[3 * (size_t)carried->node[k] + a] += carried->weight[k] * force[a];
}

/* Forgets all slots: a new list of blocks begins. */
void sn_carried_begin(const sn_carried *carried);
/* Adds the blocks of a point, K and D (9 numbers each), to the lists `to_K` and `to_D`, which have `count` blocks.
 * Returns how many they have then. */
int sn_carried_blocks(const sn_carried *carried, int point, const double K[9], const double D[9], int count,
                      int32_t *row, int32_t *column, double *to_K, double *to_D);

#endif
