/* Multigrid as a preconditioner: one cycle per application (multigrid.h).
 *
 * The smoother's matrix lasts for a few steps while the body moves and nothing else changes. The coarse matrices, which cost more, turn
 * with the body and stay until the solves say that they are too old: when one gains clearly fewer digits per iteration than the first one
 * after the last refresh. Counts, not clocks, so that runs repeat. */
#include <math.h>

#include "linear/matrix/assembly.h"
#include "linear/solver.h"
#include "multigrid.h"

typedef struct data {
    sn_multigrid *multigrid;
    double fresh, last; /* digits per iteration: of the first solve after the coarse matrices were made, of the last one; 0: unknown yet */
    int kept;           /* solves since the smoother was made */
    /* What the last update was for. */
    double m, d, k;
    bool listed; /* there were blocks beside those of the elements: contacts and the like come and go */
    sn_filter_copy filter;
} multigrid_data;

#define STALE 0.7     /* of the digits per iteration: the coarse matrices are made anew */
#define OLD 0.85      /* the smoother is */
#define HOPELESS 0.01 /* digits per iteration: nothing is kept */
enum { KEEP = 7 };    /* steps that the smoother lasts */

static const sn_multigrid_options options = {.spacing = 2.0};

static void release(sn_context *context, void *pointer) {
    multigrid_data *data = pointer;
    if (!data) return;
    sn_multigrid_destroy(data->multigrid);
    sn_filter_copy_release(context, &data->filter);
    sn_release(context, data);
}

static bool any(const sn_block_list *list) { return list && list->count > 0; }

/* Notes what the update is for; *moved: since the last one the body has moved, and nothing else has changed. */
static sn_status note(sn_context *context, const sn_assembly *a, const sn_filter *filter, multigrid_data *data, bool *moved,
                      sn_error *error) {
    bool changed;
    const sn_status status = sn_filter_copy_update(context, filter, &data->filter, &changed, error);
    const bool listed = !a || any(a->stiffness) || any(a->damping); /* an unknown matrix may have any blocks */
    *moved = !changed && !listed && !data->listed && a->m == data->m && a->d == data->d && a->k == data->k;
    if (a) data->m = a->m, data->d = a->d, data->k = a->k;
    data->listed = listed;
    return status;
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **pointer, sn_error *error) {
    multigrid_data *data = *pointer;
    const sn_source *source = op->source;
    if (!op->matrix || !source || !source->rest)
        return sn_fail(error, SN_UNSUPPORTED, "the preconditioner 'multigrid' needs the assembled operator of a mesh");
    if (!data) {
        data = sn_allocate_zero(context, 1, sizeof *data);
        if (!data) return sn_no_memory(error);
        const sn_status status =
            sn_multigrid_create(context, op->matrix->pattern, source->rest, source->assembly ? source->assembly->elements : NULL, &options,
                                &data->multigrid, error);
        if (status) {
            release(context, data);
            return status;
        }
        *pointer = data;
    }
    bool moved;
    const sn_status status = note(context, source->assembly, filter, data, &moved, error);
    if (status) return status;
    const bool stale = data->fresh == 0 || data->last < STALE * data->fresh;
    const bool good = !stale && moved && data->last > OLD * data->fresh && data->kept < KEEP;
    if (good && sn_multigrid_keep(data->multigrid, source->now)) {
        ++data->kept;
        return SN_OK;
    }
    data->kept = 0;
    if (stale) data->fresh = 0;
    sn_multigrid_update(data->multigrid, op->matrix, source->assembly, filter, source->now, stale);
    return SN_OK;
}

/* A solve that got nowhere (its matrix was indefinite, say) is no measure for the next ones: the coarse matrices are not kept. */
static void feedback(void *pointer, int iterations, double digits) {
    multigrid_data *data = pointer;
    data->last = digits / iterations;
    if (!(data->last > HOPELESS))
        data->fresh = 0;
    else if (data->fresh == 0)
        data->fresh = data->last;
}

static void apply(void *pointer, const double *r, double *z) {
    const multigrid_data *data = pointer;
    sn_multigrid_apply(data->multigrid, r, z);
    sn_filter_apply_range(&data->filter.filter, 0, INT32_MAX, z); /* the cycle leaves oblique planes a little */
}

const sn_preconditioner sn_preconditioner_multigrid = {
    SN_LISTED(preconditioner_multigrid), .needs_matrix = true, .update = update, .apply = apply, .feedback = feedback, .release = release,
};
