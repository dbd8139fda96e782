/* Multigrid as a preconditioner: one cycle per application (multigrid.h).
 *
 * The fine level always takes the new matrix; the coarse matrices, which cost more, stay until the iteration counts say that they are too old: when a
 * solve needs clearly more iterations than the first one after the last refresh. Counts, not clocks, so that runs repeat. */
#include <math.h>

#include "multigrid.h"
#include "solver.h"

typedef struct data {
    sn_multigrid *multigrid;
    int fresh, last;    /* iterations of the first solve after the coarse matrices were made, and of the last solve; 0: not known yet */
} multigrid_data;

static const sn_multigrid_options options = {.spacing = 2.5};

static void release(sn_context *context, void *pointer) {
    multigrid_data *data = pointer;
    if (!data) return;
    sn_multigrid_destroy(data->multigrid);
    sn_release(context, data);
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **pointer, sn_error *error) {
    multigrid_data *data = *pointer;
    if (!op->matrix || !op->position) return sn_fail(error, SN_UNSUPPORTED, "the preconditioner 'multigrid' needs the assembled operator of a mesh");
    if (!data) {
        data = sn_allocate_zero(context, 1, sizeof *data);
        if (!data) return sn_no_memory(error);
        const sn_status status = sn_multigrid_create(context, op->matrix->pattern, op->position, &options, &data->multigrid, error);
        if (status) {
            release(context, data);
            return status;
        }
        *pointer = data;
    }
    const bool stale = data->fresh == 0 || data->last > data->fresh + 1 + data->fresh / 4;
    if (stale) data->fresh = 0;
    sn_multigrid_update(data->multigrid, op->matrix, filter, stale);
    return SN_OK;
}

static void feedback(void *pointer, int iterations) {
    multigrid_data *data = pointer;
    if (data->fresh == 0) data->fresh = iterations;
    data->last = iterations;
}

static void apply(const void *pointer, const double *r, double *z) {
    const multigrid_data *data = pointer;
    sn_multigrid_apply(data->multigrid, r, z);
}

const sn_preconditioner sn_preconditioner_multigrid = {
    .name = "multigrid",
    .text = "a cycle of multigrid on lattices over the mesh; the choice for large bodies",
    .needs_matrix = true,
    .update = update,
    .apply = apply,
    .feedback = feedback,
    .release = release,
};
