/* SSOR by 3 x 3 blocks (Young 1971; Hauth 3.4): z = M^-1 r = W^-T K W^-1 r, with W and K of ssor.h.
 *
 * The two sweeps cost as much as one product with the matrix. Each node needs the results of its neighbours, so the
 * sweeps run on one thread. */
#include <math.h>
#include <string.h>

#include "linear/matrix/block.h"
#include "preconditioner.h"
#include "ssor.h"

void sn_ssor_forward(sn_ssor *s, const double *r, double *y) {
    ++s->halves;
    const sn_triangle *t = &s->triangle;
    for (int i = 0; i < t->nodes; ++i) {
        double sum[3];
        memcpy(sum, r + 3 * (int64_t)i, sizeof sum);
        for (int32_t e = t->begin[i]; e < t->begin[i + 1]; ++e)
            sn_block_take(t->value + 9 * (int64_t)e, y + 3 * (int64_t)t->column[e], sum);
        sn_block_apply(s->inverse + 9 * (int64_t)i, sum, y + 3 * (int64_t)i);
    }
}

/* Row i of L is column i of L^T. When z_i is known, its share is therefore subtracted from all rows above. */
void sn_ssor_backward(sn_ssor *s, double *z, double *Kz) {
    ++s->halves;
    const sn_triangle *t = &s->triangle;
    for (int i = t->nodes - 1; i >= 0; --i) {
        double own[3];
        for (int c = 0; c < 3 && Kz; ++c) Kz[3 * (int64_t)i + c] = (2 - s->omega) * z[3 * (int64_t)i + c];
        sn_block_apply(s->inverse + 9 * (int64_t)i, z + 3 * (int64_t)i, own);
        memcpy(z + 3 * (int64_t)i, own, sizeof own);
        for (int32_t e = t->begin[i]; e < t->begin[i + 1]; ++e)
            sn_block_take_transpose(t->value + 9 * (int64_t)e, own, z + 3 * (int64_t)t->column[e]);
    }
}

void sn_ssor_scale(const sn_ssor *s, const double *x, double *y) {
    const double factor = (2 - s->omega) / s->omega;
    for (int64_t i = 0; i < s->triangle.nodes; ++i) {
        double out[3];
        sn_block_apply(s->triangle.diagonal + 9 * i, x + 3 * i, out);
        for (int c = 0; c < 3; ++c) y[3 * i + c] = factor * out[c];
    }
}

void sn_ssor_product(sn_ssor *s, const double *x, double *y) {
    ++s->halves;
    const sn_triangle *t = &s->triangle;
    for (int64_t i = t->nodes - 1; i >= 0; --i) {
        double sum[3];
        sn_block_apply(t->diagonal + 9 * i, x + 3 * i, sum);
        for (int c = 0; c < 3; ++c) sum[c] /= -s->omega;
        for (int32_t e = t->begin[i]; e < t->begin[i + 1]; ++e)
            sn_block_take(t->value + 9 * (int64_t)e, x + 3 * (int64_t)t->column[e], sum);
        for (int c = 0; c < 3; ++c) y[3 * i + c] = -sum[c];
    }
}

static void release(sn_context *context, void *data) {
    sn_ssor *s = data;
    if (!s) return;
    sn_triangle_release(context, &s->triangle);
    sn_release(context, s->inverse);
    sn_release(context, s);
}

/* A block of D that is not definite is replaced by its positive diagonal. */
static bool invert(double D[9], double omega, double out[9]) {
    const bool definite = sn_invert_definite(D, 1e-13, out);
    if (!definite) {
        for (int k = 0; k < 9; ++k) {
            const bool good = k % 4 == 0 && D[k] > 0 && isfinite(D[k]) && isfinite(1 / D[k]);
            D[k] = good ? D[k] : k % 4 == 0;
            out[k] = k % 4 == 0 ? 1 / D[k] : 0;
        }
    }
    for (int k = 0; k < 9; ++k) out[k] *= omega;
    return definite;
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    sn_ssor *s = *data ? *data : sn_allocate_zero(context, 1, sizeof *s);
    if (!s) return sn_no_memory(error);
    s->context = context;
    s->filter = filter;
    s->omega = sn_operator_options(op).omega;
    *data = s;
    const sn_status status = sn_triangle_update(context, op, filter, &s->triangle, error);
    if (status) return status;
    if (!s->inverse) s->inverse = sn_allocate(context, (size_t)s->triangle.nodes * 9, sizeof *s->inverse);
    if (!s->inverse) return sn_no_memory(error);
    s->definite = true;
    for (int64_t i = 0; i < s->triangle.nodes; ++i)
        s->definite = invert(s->triangle.diagonal + 9 * i, s->omega, s->inverse + 9 * i) && s->definite;
    return SN_OK;
}

static void apply(void *data, const double *r, double *z) {
    sn_ssor *s = data;
    sn_ssor_forward(s, r, z);
    sn_ssor_scale(s, z, z);
    sn_ssor_backward(s, z, NULL);
    sn_filter_apply(s->filter, z); /* remove rounding in the constrained directions */
}

const sn_preconditioner sn_preconditioner_ssor = {
    SN_LISTED(preconditioner_ssor),
    .scalar = &sn_scalar_ssor,
    .needs_matrix = true,
    .update = update,
    .apply = apply,
    .release = release,
};
