/* Contact rows: the list, and the sums over the nodes of a row (touch_rows.h). */
#include "touch_rows.h"

#include <string.h>

#include "base/math3.h"

void sn_touch_rows_release(sn_touch_rows *rows) {
    sn_release(rows->context, rows->row);
    sn_release(rows->context, rows->node);
    sn_release(rows->context, rows->weight);
    sn_release(rows->context, rows->motion);
    *rows = (sn_touch_rows){.context = rows->context};
}

static sn_status reserve_carriers(sn_touch_rows *rows, int needed, sn_error *error) {
    if (needed <= rows->carrier_capacity) return SN_OK;
    int nodes = rows->carrier_capacity, weights = nodes, motions = nodes;
    sn_status status = sn_grow(rows->context, (void **)&rows->node, &nodes, needed, sizeof *rows->node, error);
    if (status) return status;
    status = sn_grow(rows->context, (void **)&rows->weight, &weights, needed, sizeof *rows->weight, error);
    if (status) return status;
    status = sn_grow(rows->context, (void **)&rows->motion, &motions, needed, 9 * sizeof *rows->motion, error);
    if (!status) rows->carrier_capacity = nodes < weights ? nodes : weights;
    if (!status && motions < rows->carrier_capacity) rows->carrier_capacity = motions;
    return status;
}

/* The matrices of the three corners of a triangle for a point that is apart from the triangle by r (touch_rows.h).
 * `share` are the shape functions at the point of the triangle. */
static void attach(const sn_touch_surface *surface, const sn_touch_point *point, const double r[3],
                   double matrix[3][9]) {
    const double *corner[3];
    double area[3], gradient[3][3], side[3], N[3], lowest = INFINITY;
    for (int k = 0; k < 3; ++k)
        corner[k] = surface->position + 3 * (size_t)surface->triangle[3 * (size_t)point->triangle + (size_t)k];
    sn_area_vector3(corner[0], corner[1], corner[2], area);
    const double twice = sn_norm3(area), length = sn_norm3(r);
    for (int a = 0; a < 3; ++a) N[a] = twice > 0 ? area[a] / twice : 0;
    for (int k = 0; k < 3; ++k) { /* grad phi_k = N x (side across corner k) / twice the area */
        sn_subtract3(corner[(k + 2) % 3], corner[(k + 1) % 3], side);
        sn_cross3(N, side, gradient[k]);
        for (int a = 0; a < 3; ++a) gradient[k][a] = twice > 0 ? gradient[k][a] / twice : 0;
        lowest = fmin(lowest, twice > 0 ? twice / sn_norm3(side) : 0);
    }
    const double part = length > lowest ? lowest / length : 1, normal = part * sn_dot3(r, N);
    for (int k = 0; k < 3; ++k) {
        const double along = point->share[k] + part * sn_dot3(gradient[k], r);
        for (int i = 0; i < 9; ++i) matrix[k][i] = (i % 4 == 0 ? along : 0) - normal * gradient[k][i / 3] * N[i % 3];
    }
}

/* Adds a carrier to the row that begins at `first`; a node that is there already gets the sums. */
static void add(sn_touch_rows *rows, int first, int32_t node, double weight, double factor, const double matrix[9]) {
    int at = first;
    while (at < rows->carrier_count && rows->node[at] != node) ++at;
    double *motion = rows->motion + 9 * (size_t)at;
    if (at == rows->carrier_count) {
        rows->node[at] = node, rows->weight[at] = 0, ++rows->carrier_count;
        memset(motion, 0, 9 * sizeof *motion);
    }
    rows->weight[at] += weight;
    for (int i = 0; i < 9; ++i) motion[i] += factor * matrix[i];
}

/* Adds the carriers of a point. r: the vector from it to the point of A. */
static sn_status add_point(sn_touch_rows *rows, int first, const sn_touch_surface *surface, const sn_touch_point *point,
                           double sign, const double r[3], sn_error *error) {
    double matrix[3][9] = {{0}};
    if (!surface || !surface->carrier_node) return SN_OK;
    const bool apart = r[0] != 0 || r[1] != 0 || r[2] != 0;
    if (apart)
        attach(surface, point, r, matrix);
    else
        for (int k = 0; k < 3; ++k) matrix[k][0] = matrix[k][4] = matrix[k][8] = point->share[k];
    for (int k = 0; k < 3; ++k) {
        const int32_t vertex = surface->triangle[3 * (size_t)point->triangle + (size_t)k];
        const int32_t begin = surface->carrier_first[vertex], end = surface->carrier_first[vertex + 1];
        if (point->share[k] == 0 && !apart) continue;
        const sn_status status = reserve_carriers(rows, rows->carrier_count + (end - begin), error);
        if (status) return status;
        for (int32_t i = begin; i < end; ++i) {
            const double weight = sign * surface->carrier_weight[i];
            add(rows, first, surface->carrier_node[i], weight * point->share[k], weight, matrix[k]);
        }
    }
    return SN_OK;
}

void sn_touch_point_place(const sn_touch_surface *surface, const sn_touch_point *point, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 3; ++k) {
        const double *x = surface->position + 3 * (size_t)surface->triangle[3 * (size_t)point->triangle + (size_t)k];
        for (int a = 0; a < 3; ++a) out[a] += point->share[k] * x[a];
    }
}

/* The motion along n is that of the two points, with their weights: J = w n n^T + (1 - n n^T) M. The nodes before
 * `begin` have M = w I, and so J = M. */
static void take_points(sn_touch_rows *rows, const sn_touch_row *row, int32_t begin) {
    const double *n = row->n;
    for (int32_t i = begin; i < row->first + row->count; ++i) {
        double *J = rows->motion + 9 * (size_t)i;
        for (int j = 0; j < 3; ++j) {
            const double change = rows->weight[i] * n[j] - (n[0] * J[j] + n[1] * J[3 + j] + n[2] * J[6 + j]);
            for (int k = 0; k < 3; ++k) J[3 * k + j] += change * n[k];
        }
    }
}

sn_status sn_touch_rows_append(sn_touch_rows *rows, const sn_touch_surface *surface_a, const sn_touch_point *a,
                               const sn_touch_surface *surface_b, const sn_touch_point *b, const sn_touch_row *row,
                               sn_error *error) {
    const int first = rows->carrier_count;
    const double none[3] = {0};
    double r[3] = {0}, from[3];
    sn_status status = SN_OK;
    if (surface_a && surface_b) {
        sn_touch_point_place(surface_a, a, r);
        sn_touch_point_place(surface_b, b, from);
        sn_subtract3(r, from, r);
    }
    if (rows->count == rows->capacity)
        status =
            sn_grow(rows->context, (void **)&rows->row, &rows->capacity, rows->count + 1, sizeof *rows->row, error);
    if (!status) status = add_point(rows, first, surface_a, a, 1, none, error);
    const int plain = surface_a != surface_b ? rows->carrier_count : first;
    if (!status) status = add_point(rows, first, surface_b, b, -1, r, error);
    if (status) {
        rows->carrier_count = first;
        return status;
    }
    sn_touch_row *own = &rows->row[rows->count++];
    *own = *row;
    own->at[0] = *a, own->at[1] = *b;
    own->first = first, own->count = rows->carrier_count - first;
    take_points(rows, own, plain);
    return SN_OK;
}

sn_status sn_touch_rows_copy(const sn_touch_rows *from, sn_touch_rows *to, sn_error *error) {
    sn_touch_rows_clear(to);
    sn_status status = sn_grow(to->context, (void **)&to->row, &to->capacity, from->count, sizeof *to->row, error);
    if (!status) status = reserve_carriers(to, from->carrier_count, error);
    if (status || from->count == 0) return status;
    to->count = from->count, to->carrier_count = from->carrier_count;
    memcpy(to->row, from->row, (size_t)from->count * sizeof *to->row);
    memcpy(to->node, from->node, (size_t)from->carrier_count * sizeof *to->node);
    memcpy(to->weight, from->weight, (size_t)from->carrier_count * sizeof *to->weight);
    memcpy(to->motion, from->motion, 9 * (size_t)from->carrier_count * sizeof *to->motion);
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

void sn_touch_row_motion(const sn_touch_rows *rows, const sn_touch_row *row, const double *u, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int32_t i = row->first; i < row->first + row->count; ++i) {
        double part[3];
        sn_multiply_vector3(rows->motion + 9 * (size_t)i, u + 3 * (size_t)rows->node[i], part);
        for (int k = 0; k < 3; ++k) out[k] += part[k];
    }
}

void sn_touch_row_push(const sn_touch_rows *rows, const sn_touch_row *row, const double force[3], double *f) {
    for (int32_t i = row->first; i < row->first + row->count; ++i) {
        const double *J = rows->motion + 9 * (size_t)i;
        double *at = f + 3 * (size_t)rows->node[i];
        for (int k = 0; k < 3; ++k) at[k] += J[k] * force[0] + J[3 + k] * force[1] + J[6 + k] * force[2];
    }
}
