/* Which tets, or which faces, meet each node. */
#ifndef SN_EMBED_INCIDENCE_H
#define SN_EMBED_INCIDENCE_H

#include "base/context.h"

/* The items of node n are item[first[n]] to item[first[n + 1] - 1], ascending. */
typedef struct sn_incidence {
    int32_t *first, *item;
} sn_incidence;

/* Item i has the nodes node[stride i] to node[stride i + width - 1], each below `nodes`. On failure nothing is kept. */
sn_status sn_incidence_create(const sn_context *context, const int32_t *node, int items, int width, int stride,
                              int nodes, sn_incidence *incidence, sn_error *error);
void sn_incidence_destroy(const sn_context *context, sn_incidence *incidence);

#endif
