/* Area response on contact rows; the equations are in touch_area.h. */
#include "touch_area.h"

#include <string.h>

#include "base/math3.h"

enum { SWEEPS = 10 };

void sn_touch_area_count(const sn_touch_area *area, int node_count) {
    const sn_touch_rows *rows = area->rows;
    memset(area->node_rows, 0, (size_t)node_count * sizeof *area->node_rows);
    for (int i = 0; i < rows->count; ++i)
        for (int32_t k = rows->row[i].first; k < rows->row[i].first + rows->row[i].count; ++k)
            ++area->node_rows[rows->node[k]];
    for (int i = 0; i < rows->count; ++i) {
        area->crowd[i] = 1;
        for (int32_t k = rows->row[i].first; k < rows->row[i].first + rows->row[i].count; ++k)
            if (area->node_rows[rows->node[k]] > area->crowd[i] && area->inverse_mass[rows->node[k]] > 0)
                area->crowd[i] = area->node_rows[rows->node[k]];
    }
}

/* 1 / m_n */
static double inverse_along(const sn_touch_area *area, const sn_touch_row *row) {
    double sum = 0;
    for (int32_t k = row->first; k < row->first + row->count; ++k)
        sum += area->rows->weight[k] * area->rows->weight[k] * area->inverse_mass[area->rows->node[k]];
    return sum;
}

/* 1 / m_t for the direction of `across`, which has any length except zero. */
static double inverse_across(const sn_touch_area *area, const sn_touch_row *row, const double across[3]) {
    double sum = 0;
    for (int32_t k = row->first; k < row->first + row->count; ++k) {
        const double *M = area->rows->moment + 9 * (size_t)k;
        double part[3];
        for (int j = 0; j < 3; ++j) part[j] = M[j] * across[0] + M[3 + j] * across[1] + M[6 + j] * across[2];
        sum += sn_dot3(part, part) * area->inverse_mass[area->rows->node[k]];
    }
    return sum / sn_dot3(across, across);
}

/* The change of the row's impulse that stops the motion u, as far as friction and the sign allow. `total` is the impulse
 * so far. */
static void stop_row(const sn_touch_area *area, int index, const double u[3], double change[3]) {
    const sn_touch_row *row = &area->rows->row[index];
    const double *total = area->impulse + 3 * (size_t)index, share = 1.0 / area->crowd[index];
    const double inverse = inverse_along(area, row), along = sn_dot3(row->n, u), had = sn_dot3(row->n, total);
    double has = inverse > 0 ? had - share * along / inverse : had, across[3], wanted[3];
    if (!(has > 0)) has = 0;
    for (int k = 0; k < 3; ++k) across[k] = u[k] - along * row->n[k], wanted[k] = total[k] - had * row->n[k];
    if (sn_dot3(across, across) > 0 && area->friction > 0) {
        const double slip = inverse_across(area, row, across);
        for (int k = 0; k < 3; ++k) wanted[k] -= slip > 0 ? share * across[k] / slip : 0;
    }
    const double length = sn_norm3(wanted), most = area->friction * has;
    for (int k = 0; k < 3; ++k) {
        const double part = length > most ? wanted[k] * most / length : wanted[k];
        change[k] = has * row->n[k] + part - total[k];
    }
}

/* D += M^-1 change at the nodes of the rows; the changes become zero. */
static void apply(const sn_touch_area *area, double *D) {
    const sn_touch_rows *rows = area->rows;
    for (int32_t k = 0; k < rows->carrier_count; ++k)
        for (size_t a = 0; a < 3; ++a) {
            const size_t at = 3 * (size_t)rows->node[k] + a;
            D[at] += area->inverse_mass[rows->node[k]] * area->change[at];
            area->change[at] = 0;
        }
}

void sn_touch_area_stop(const sn_touch_area *area, int node_count, double *D) {
    const sn_touch_rows *rows = area->rows;
    memset(area->change, 0, 3 * (size_t)node_count * sizeof *area->change);
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (int i = 0; i < rows->count; ++i) {
            double u[3], change[3];
            sn_touch_row_motion(rows, &rows->row[i], D, u);
            stop_row(area, i, u, change);
            for (int k = 0; k < 3; ++k) area->impulse[3 * i + k] += change[k];
            sn_touch_row_push(rows, &rows->row[i], change, area->change);
        }
        apply(area, D);
    }
}

void sn_touch_area_stabilise(const sn_touch_area *area, int node_count, double relaxation, double slop, double *shift) {
    const sn_touch_rows *rows = area->rows;
    memset(area->change, 0, 3 * (size_t)node_count * sizeof *area->change);
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (int i = 0; i < rows->count; ++i) {
            const sn_touch_row *row = &rows->row[i];
            double u[3], push[3];
            sn_touch_row_gather(rows, row, shift, u);
            const double inverse = inverse_along(area, row),
                         missing = relaxation * (-row->gap - slop) - sn_dot3(row->n, u);
            if (!(missing > 0 && inverse > 0)) continue;
            for (int k = 0; k < 3; ++k) push[k] = missing / inverse / area->crowd[i] * row->n[k];
            sn_touch_row_push(rows, row, push, area->change);
        }
        apply(area, shift);
    }
}
