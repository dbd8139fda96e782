/* An order of the nodes in which parts of a matrix are factored at the same time.
 *
 * A part is a run of neighbouring nodes of the old order. Where a block couples two parts, the later node goes to the
 * joint; then no block couples two parts any more. The rows of the parts come first, those of the joint last. The order
 * depends only on the pattern, so the result has the same bits on any number of threads. */
#ifndef SN_LINEAR_PARTS_H
#define SN_LINEAR_PARTS_H

#include "linear/matrix/matrix.h"

enum { SN_PARTS_MOST = 2 };

typedef struct sn_parts {
    int count;
    int32_t first[SN_PARTS_MOST + 2]; /* the first row of each part, of the joint, and the number of rows */
    int32_t *node;                    /* of each row */
    int32_t *row;                     /* of each node */
} sn_parts;

/* One part in the old order for small patterns, and where the joint would be large. `most` is at most SN_PARTS_MOST. */
sn_status sn_parts_create(sn_context *context, const sn_pattern *pattern, int most, sn_parts *parts, sn_error *error);
void sn_parts_release(sn_context *context, sn_parts *parts);

#endif
