/* Preconditioners of the scalar matrix (matrix/scalar.h), for the three columns of x at once:
 *   diagonal  z = r / A_ii
 *   ssor      A = D + L + L^T:  (D + w L) y = r,  (D + w L^T) z = w (2 - w) D y
 *   ic0       A ~ L D L^T on the pattern of A
 * The diagonal counts the mean of other blocks. A node that is held in all directions is left out: its row is that of
 * the identity. At a node that is held in some directions z is projected, so that the preconditioner S P S stays
 * symmetric and definite in the free directions. */
#include <math.h>
#include <string.h>

#include "linear/matrix/kernels.h"
#include "linear/matrix/scalar.h"
#include "preconditioner.h"

typedef struct scalar_data {
    sn_context *context;
    const sn_filter *filter;
    const sn_scalar *matrix;
    int64_t version;            /* of the matrix that it was made for; -1: none */
    double omega;               /* the same */
    uint8_t *held;              /* nodes */
    double *diagonal, *inverse; /* nodes: D and 1 / D */
    int32_t *begin, *column;    /* the strict lower triangle by rows */
    double *lower;              /* its numbers */
    double *scale, *vector;     /* nodes: the diagonal between the two sweeps; 4 x nodes: scratch */
} scalar_data;

static void release(sn_context *context, void *data) {
    scalar_data *s = data;
    if (!s) return;
    void *const memory[] = {s->held, s->diagonal, s->inverse, s->begin, s->column, s->lower, s->scale, s->vector, s};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) sn_release(context, memory[i]);
}

static void list_lower(const sn_scalar *matrix, scalar_data *s) {
    int32_t count = 0;
    for (int i = 0; i < matrix->nodes; ++i) {
        s->begin[i] = count;
        for (int32_t e = matrix->begin[i]; e < matrix->begin[i + 1] && matrix->column[e] < i; ++e)
            s->column[count++] = matrix->column[e];
    }
    s->begin[matrix->nodes] = count;
}

static sn_status create(sn_context *context, const sn_scalar *matrix, void **data, sn_error *error) {
    scalar_data *s = *data = sn_allocate_zero(context, 1, sizeof *s);
    if (!s) return sn_no_memory(error);
    const size_t nodes = (size_t)matrix->nodes, entries = (size_t)matrix->begin[nodes] / 2;
    *s = (scalar_data){.context = context, .version = -1};
    s->held = sn_allocate_zero(context, nodes, 1);
    s->diagonal = sn_allocate(context, nodes, sizeof *s->diagonal);
    s->inverse = sn_allocate(context, nodes, sizeof *s->inverse);
    s->begin = sn_allocate(context, nodes + 1, sizeof *s->begin);
    s->column = sn_allocate(context, entries + 1, sizeof *s->column);
    s->lower = sn_allocate(context, entries + 1, sizeof *s->lower);
    s->scale = sn_allocate(context, nodes, sizeof *s->scale);
    s->vector = sn_allocate(context, 4 * nodes, sizeof *s->vector);
    if (s->held && s->diagonal && s->inverse && s->begin && s->column && s->lower && s->scale && s->vector) {
        list_lower(matrix, s);
        return SN_OK;
    }
    release(context, s);
    *data = NULL;
    return sn_no_memory(error);
}

/* Takes matrix and filter. Returns whether it must be made again. */
static sn_status take(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data, bool *again,
                      sn_error *error) {
    const sn_status status = *data ? SN_OK : create(context, op->scalar, data, error);
    if (status) return status;
    scalar_data *s = *data;
    const double omega = sn_operator_options(op).omega;
    *again = s->version != op->scalar->version || s->omega != omega;
    s->matrix = op->scalar, s->filter = filter, s->version = op->scalar->version, s->omega = omega;
    for (int i = 0; i < s->matrix->nodes; ++i) {
        const uint8_t held = sn_filter_holds(filter, i);
        *again = *again || held != s->held[i];
        s->held[i] = held;
    }
    for (int i = 0; i < s->matrix->nodes && *again; ++i) {
        const double a = s->matrix->diagonal[i] + s->matrix->added[i];
        s->diagonal[i] = !s->held[i] && a > 0 && isfinite(1 / a) ? a : 1;
        s->inverse[i] = 1 / s->diagonal[i];
        const double *value = s->matrix->value + s->matrix->begin[i] - s->begin[i];
        for (int32_t e = s->begin[i]; e < s->begin[i + 1]; ++e)
            s->lower[e] = s->held[i] || s->held[s->column[e]] ? 0 : value[e];
    }
    return SN_OK;
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    bool again;
    return take(context, op, filter, data, &again, error);
}

/* ---- Diagonal ---- */
static void scale_range(void *data, int begin, int end, const double *r, double *z) {
    const scalar_data *s = data;
    for (int64_t i = begin; i < end; ++i)
        for (int a = 0; a < 3; ++a) z[3 * i + a] = s->inverse[i] * r[3 * i + a];
    sn_filter_apply_range(s->filter, begin, end, z);
}

static void scale(void *data, const double *r, double *z) {
    const scalar_data *s = data;
    sn_apply_ranges(s->context, &sn_scalar_diagonal, data, s->matrix->nodes, r, z);
}

const sn_preconditioner sn_scalar_diagonal = {SN_LISTED(preconditioner_diagonal), .update = update, .apply = scale,
                                              .apply_range = scale_range, .release = release};

/* ---- Sweeps ---- */
/* z = (I + L^T)^-1 (factor / D) (I + L)^-1 r, projected. */
static void sweep(const scalar_data *s, double factor, const double *r, double *z) {
    const int nodes = s->matrix->nodes;
    for (int i = 0; i < nodes; ++i) s->scale[i] = factor * s->inverse[i];
    sn_linear_kernels_for(s->context)->sweep(nodes, s->begin, s->column, s->lower, s->scale, s->vector, r, z);
    sn_filter_apply(s->filter, z);
}

/* P = (I + w L D^-1) D (I + w D^-1 L^T) / (w (2 - w)); `lower` becomes w L D^-1. */
static sn_status update_ssor(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                             sn_error *error) {
    bool again;
    const sn_status status = take(context, op, filter, data, &again, error);
    if (status || !again) return status;
    scalar_data *s = *data;
    for (int32_t e = 0; e < s->begin[s->matrix->nodes]; ++e) s->lower[e] *= s->omega * s->inverse[s->column[e]];
    return SN_OK;
}

static void ssor(void *data, const double *r, double *z) {
    const scalar_data *s = data;
    sweep(s, s->omega * (2 - s->omega), r, z);
}

const sn_preconditioner sn_scalar_ssor = {SN_LISTED(preconditioner_ssor), .update = update_ssor, .apply = ssor,
                                          .release = release};

/* ---- IC(0) ---- */
/* l_ij = (a_ij - sum_k l_ik d_k l_jk) / d_j, d_i = a_ii - sum_j l_ij^2 d_j; `lower` holds a and becomes l. */
static void factor(scalar_data *s) {
    const int32_t *begin = s->begin, *column = s->column;
    for (int i = 0; i < s->matrix->nodes; ++i) {
        double d = s->diagonal[i];
        for (int32_t e = begin[i]; e < begin[i + 1]; ++e) {
            const int32_t j = column[e];
            double sum = s->lower[e];
            for (int32_t p = begin[i], q = begin[j]; p < e && q < begin[j + 1];) {
                if (column[p] == column[q]) {
                    sum -= s->lower[p] * s->diagonal[column[p]] * s->lower[q];
                    ++p, ++q;
                } else if (column[p] < column[q]) {
                    ++p;
                } else {
                    ++q;
                }
            }
            s->lower[e] = sum * s->inverse[j];
            d -= s->lower[e] * s->lower[e] * s->diagonal[j];
        }
        if (d > 1e-6 * s->diagonal[i]) s->diagonal[i] = d; /* else the pivot of the matrix stays */
        s->inverse[i] = 1 / s->diagonal[i];
    }
}

static sn_status update_factor(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                               sn_error *error) {
    bool again;
    const sn_status status = take(context, op, filter, data, &again, error);
    if (!status && again) factor(*data);
    return status;
}

static void solve_factor(void *data, const double *r, double *z) { sweep(data, 1, r, z); }

const sn_preconditioner sn_scalar_ic0 = {SN_LISTED(preconditioner_ic0), .update = update_factor, .apply = solve_factor,
                                         .release = release};
