/* Orders of elimination on the graph of nodes. */
#ifndef SN_LINEAR_ORDER_H
#define SN_LINEAR_ORDER_H

#include "linear/matrix/matrix.h"

/* order[k]: the node that is eliminated k-th, by approximate minimum degree. `order` has room for `nodes` numbers. */
sn_status sn_order_minimum_degree(sn_context *context, const sn_pattern *pattern, int32_t *order, sn_error *error);

#endif
