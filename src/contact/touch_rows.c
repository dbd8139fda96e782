/* Contact rows: the list, and the sums over the nodes of a row (touch_rows.h). */
#include "touch_rows.h"

void sn_touch_rows_release(sn_touch_rows *rows) {
    sn_release(rows->context, rows->row);
    sn_release(rows->context, rows->node);
    sn_release(rows->context, rows->weight);
    *rows = (sn_touch_rows){.context = rows->context};
}

static sn_status reserve_carriers(sn_touch_rows *rows, int needed, sn_error *error) {
    if (needed <= rows->carrier_capacity) return SN_OK;
    int nodes = rows->carrier_capacity, weights = rows->carrier_capacity;
    sn_status status = sn_grow(rows->context, (void **)&rows->node, &nodes, needed, sizeof *rows->node, error);
    if (status) return status;
    status = sn_grow(rows->context, (void **)&rows->weight, &weights, needed, sizeof *rows->weight, error);
    if (!status) rows->carrier_capacity = nodes < weights ? nodes : weights;
    return status;
}

/* Adds a carrier to the row that begins at `first`; a node that is there already gets the sum of the weights. */
static sn_status add(sn_touch_rows *rows, int first, int32_t node, double weight, sn_error *error) {
    for (int k = first; k < rows->carrier_count; ++k)
        if (rows->node[k] == node) {
            rows->weight[k] += weight;
            return SN_OK;
        }
    const sn_status status = reserve_carriers(rows, rows->carrier_count + 1, error);
    if (status) return status;
    rows->node[rows->carrier_count] = node, rows->weight[rows->carrier_count++] = weight;
    return SN_OK;
}

static sn_status add_point(sn_touch_rows *rows, int first, const sn_touch_surface *surface, const sn_touch_point *point,
                           double sign, sn_error *error) {
    sn_status status = SN_OK;
    if (!surface || !surface->carrier_node) return status;
    for (int k = 0; k < 3; ++k) {
        const int32_t vertex = surface->triangle[3 * (size_t)point->triangle + (size_t)k];
        if (point->share[k] == 0) continue;
        for (int32_t i = surface->carrier_first[vertex]; i < surface->carrier_first[vertex + 1] && !status; ++i)
            status =
                add(rows, first, surface->carrier_node[i], sign * point->share[k] * surface->carrier_weight[i], error);
    }
    return status;
}

sn_status sn_touch_rows_append(sn_touch_rows *rows, const sn_touch_surface *surface_a, const sn_touch_point *a,
                               const sn_touch_surface *surface_b, const sn_touch_point *b, const sn_touch_row *row,
                               sn_error *error) {
    const int first = rows->carrier_count;
    sn_status status = SN_OK;
    if (rows->count == rows->capacity)
        status =
            sn_grow(rows->context, (void **)&rows->row, &rows->capacity, rows->count + 1, sizeof *rows->row, error);
    if (!status) status = add_point(rows, first, surface_a, a, 1, error);
    if (!status) status = add_point(rows, first, surface_b, b, -1, error);
    if (status) {
        rows->carrier_count = first;
        return status;
    }
    sn_touch_row *own = &rows->row[rows->count++];
    *own = *row;
    own->first = first, own->count = rows->carrier_count - first;
    return SN_OK;
}

void sn_touch_row_gather(const sn_touch_rows *rows, const sn_touch_row *row, const double *u, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int32_t i = row->first; i < row->first + row->count; ++i)
        for (int k = 0; k < 3; ++k) out[k] += rows->weight[i] * u[3 * (size_t)rows->node[i] + (size_t)k];
}

void sn_touch_row_scatter(const sn_touch_rows *rows, const sn_touch_row *row, const double value[3], double *u) {
    for (int32_t i = row->first; i < row->first + row->count; ++i)
        for (int k = 0; k < 3; ++k) u[3 * (size_t)rows->node[i] + (size_t)k] += rows->weight[i] * value[k];
}
