/* Orders of elimination on the graph of nodes. */
#ifndef SN_LINEAR_ORDER_H
#define SN_LINEAR_ORDER_H

#include "base/room.h"
#include "linear/matrix/matrix.h"

/* order[k]: the node that is eliminated k-th, by approximate minimum degree. `order` has room for `nodes` numbers. The
 * scratch memory comes from `room`; its next buffers may be used again afterwards. */
sn_status sn_order_minimum_degree(const sn_context *context, const sn_pattern *pattern, sn_room *room, int32_t *order,
                                  sn_error *error);

#endif
