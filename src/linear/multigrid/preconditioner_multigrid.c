/* Multigrid as a preconditioner: one cycle per application (multigrid.h).
 *
 * The matrix of the smoother is kept for a few steps while the body only moves. The coarse matrices cost more. They
 * rotate with the body and are kept until the solves show that they are too old: a solve gains clearly fewer digits per
 * iteration than the first solve after the last refresh. These rules count iterations and never read a clock, so that
 * runs can be repeated. */
#include <math.h>

#include "linear/matrix/assembly.h"
#include "linear/solver.h"
#include "multigrid.h"

typedef struct data {
    sn_multigrid *multigrid;
    /* Digits per iteration of the first solve with the present coarse matrices, and of the last solve; 0: not known
     * yet. */
    double fresh, last;
    int kept; /* solves since the smoother was made */
    /* The settings of the last update. */
    double m, d, k;
    bool listed; /* there were blocks that do not come from elements, such as contacts, which come and go */
    sn_filter_copy filter;
} multigrid_data;

#define STALE 0.7     /* below this part of the fresh digits per iteration, the coarse matrices are made anew */
#define OLD 0.85      /* below this part, the smoother is made anew */
#define HOPELESS 0.01 /* digits per iteration; below this nothing is kept */
enum { KEEP = 7 };    /* number of steps for which the smoother is kept */

static const sn_multigrid_options options = {.spacing = 2.0};

static void release(sn_context *context, void *pointer) {
    multigrid_data *data = pointer;
    if (!data) return;
    sn_multigrid_destroy(data->multigrid);
    sn_filter_copy_release(context, &data->filter);
    sn_release(context, data);
}

static bool any(const sn_block_list *list) { return list && list->count > 0; }

/* Notes the settings of the update. *moved: since the last update the body has moved, and nothing else has changed. */
static sn_status note(sn_context *context, const sn_assembly *a, const sn_filter *filter, multigrid_data *data,
                      bool *moved, sn_error *error) {
    bool changed;
    const sn_status status = sn_filter_copy_update(context, filter, &data->filter, &changed, error);
    const bool listed = !a || any(a->stiffness) || any(a->damping); /* an unknown matrix may have any blocks */
    *moved = !changed && !listed && !data->listed && a->m == data->m && a->d == data->d && a->k == data->k;
    if (a) data->m = a->m, data->d = a->d, data->k = a->k;
    data->listed = listed;
    return status;
}

/* Makes the levels without values, if there are none yet. */
static sn_status ensure(sn_context *context, const sn_operator *op, void **pointer, sn_error *error) {
    const sn_source *source = op->source;
    if (!op->matrix || !source || !source->rest)
        return sn_fail(error, SN_UNSUPPORTED, "the preconditioner 'multigrid' needs the assembled operator of a mesh");
    if (*pointer) return SN_OK;
    multigrid_data *data = sn_allocate_zero(context, 1, sizeof *data);
    if (!data) return sn_no_memory(error);
    const sn_assembly *a = source->assembly;
    const sn_status status =
        sn_multigrid_create(context, op->matrix->pattern, source->rest,
                            a && !a->patches && !a->folded ? a->elements : NULL, &options, &data->multigrid, error);
    if (status)
        release(context, data);
    else
        *pointer = data;
    return status;
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **pointer,
                        sn_error *error) {
    const sn_source *source = op->source;
    sn_status status = ensure(context, op, pointer, error);
    if (status) return status;
    multigrid_data *data = *pointer;
    bool moved;
    status = note(context, source->assembly, filter, data, &moved, error);
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

/* A solve that made no progress (because its matrix was indefinite, for example) is no measure for the next ones. The
 * coarse matrices are then not kept. */
static void feedback(void *pointer, int iterations, double digits) {
    multigrid_data *data = pointer;
    data->last = digits / iterations;
    if (!(data->last > HOPELESS))
        data->fresh = 0;
    else if (data->fresh == 0)
        data->fresh = data->last;
}

static sn_status remember(sn_context *context, const sn_operator *op, const sn_filter *filter, void **pointer,
                          bool *prepared, sn_archive *archive, sn_error *error) {
    (void)filter, (void)prepared;
    sn_status status = sn_archive_reads(archive) ? ensure(context, op, pointer, error) : SN_OK;
    if (status) return status;
    multigrid_data *data = *pointer;
    SN_ARCHIVE(archive, data->fresh);
    SN_ARCHIVE(archive, data->last);
    SN_ARCHIVE(archive, data->kept);
    SN_ARCHIVE(archive, data->m);
    SN_ARCHIVE(archive, data->d);
    SN_ARCHIVE(archive, data->k);
    SN_ARCHIVE(archive, data->listed);
    status = sn_filter_copy_archive(context, op->n / 3, &data->filter, archive, error);
    if (!status) sn_multigrid_archive(data->multigrid, archive);
    return status;
}

static void apply(void *pointer, const double *r, double *z) {
    const multigrid_data *data = pointer;
    sn_multigrid_apply(data->multigrid, r, z);
    sn_filter_apply_range(&data->filter.filter, 0, INT32_MAX,
                          z); /* the cycle leaves oblique constraint planes a little */
}

const sn_preconditioner sn_preconditioner_multigrid = {
    SN_LISTED(preconditioner_multigrid),
    .needs_matrix = true,
    .update = update,
    .apply = apply,
    .feedback = feedback,
    .remember = remember,
    .release = release,
};
