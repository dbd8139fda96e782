/* The data that a solver carries from one solve to the next ones, as bytes of an archive: the data of a preconditioner
 * that outlives its matrix (multigrid, direct factors), and the present linearisation when it will serve again
 * (simplified Newton). The next solve makes everything else anew, with the same bits. */
#include <string.h>

#include "solver_inside.h"

enum { NAME = 32 };

/* The place and the flags of the present linearisation. */
static void visit_place(sn_linear *linear, sn_archive *archive, const sn_element_view *view,
                        const sn_block_list *stiffness, const sn_block_list *damping, const double *rayleigh_mass) {
    const size_t bytes = 3 * (size_t)linear->model.nodes * sizeof(double);
    bool moving = linear->place.view.v != NULL, projected = linear->place.view.projected;
    double *x = linear->place.x, *v = linear->place.v;
    if (sn_archive_reads(archive)) x = linear->scratch, v = x + 3 * (size_t)linear->model.nodes;
    SN_ARCHIVE(archive, moving);
    SN_ARCHIVE(archive, projected);
    sn_archive_visit(archive, x, bytes);
    sn_archive_visit(archive, v, bytes);
    if (!sn_archive_reads(archive) || archive->bad) return;
    sn_element_view here = *view;
    here.x = x, here.v = moving ? v : NULL, here.projected = projected, here.kept = NULL;
    sn_linear_linearise(linear, &here, stiffness, damping, rayleigh_mass);
}

static void visit_made(sn_made *made, sn_archive *archive) {
    SN_ARCHIVE(archive, made->valid);
    SN_ARCHIVE(archive, made->m);
    SN_ARCHIVE(archive, made->d);
    SN_ARCHIVE(archive, made->k);
}

/* The volumes that the matrix lacks. */
static sn_status visit_volumes(sn_linear *linear, sn_archive *archive, sn_error *error) {
    const sn_status status = sn_linear_reserve_volumes(linear, error);
    if (status) return status;
    const sn_volumes *v = &linear->volumes;
    const size_t count = (size_t)v->count;
    sn_archive_visit(archive, v->row, 3 * (size_t)v->patches->begin[count] * sizeof(double));
    sn_archive_visit(archive, v->compliance, count * sizeof(double));
    sn_archive_visit(archive, v->schur, count * sizeof(double));
    sn_volumes_order(linear->context, &linear->volumes);
    return SN_OK;
}

/* The matrix, its diagonal and the linearised elements of the present linearisation, as far as they are made. */
static sn_status visit_matrix(sn_linear *linear, sn_archive *archive, sn_error *error) {
    sn_linear_place *place = &linear->place;
    const size_t values = (size_t)linear->pattern.block_count * 9,
                 items = (size_t)linear->model.elements->linearised_size;
    sn_made matrix = place->matrix, diagonal = place->diagonal, cache = place->cache;
    bool single = linear->matrix.single_ != NULL;
    visit_made(&matrix, archive);
    visit_made(&diagonal, archive);
    visit_made(&cache, archive);
    SN_ARCHIVE(archive, single);
    SN_ARCHIVE(archive, linear->symmetric);
    SN_ARCHIVE(archive, linear->exact);
    if (archive->bad) return SN_OK;
    if (matrix.valid && sn_archive_reads(archive)) {
        const sn_status status = sn_linear_reserve_matrix(linear, single, error);
        if (status) return status;
    }
    if (linear->model.elements->patches) {
        SN_ARCHIVE(archive, linear->parted);
        const sn_status status = matrix.valid && linear->parted ? visit_volumes(linear, archive, error) : SN_OK;
        if (status) return status;
    }
    if (matrix.valid && single) sn_archive_visit(archive, linear->matrix.single_, values * sizeof(float));
    if (matrix.valid && !single) sn_archive_visit(archive, linear->matrix.double_, values * sizeof(double));
    if (matrix.valid) {
        const sn_status status =
            sn_archive_reads(archive) ? sn_linear_couple(linear, matrix.d, matrix.k, NULL, error) : SN_OK;
        if (status) return status;
        int blocks = linear->coupling.block_count;
        SN_ARCHIVE(archive, blocks);
        if (blocks != linear->coupling.block_count) archive->bad = true;
        if (archive->bad) return SN_OK;
        sn_archive_visit(archive, linear->coupling.value, (size_t)blocks * 9 * sizeof(double));
    }
    if (diagonal.valid)
        sn_archive_visit(archive, linear->diagonal, (size_t)linear->model.nodes * 9 * sizeof *linear->diagonal);
    if (cache.valid && !sn_linear_have_cache(linear)) return sn_no_memory(error);
    if (cache.valid) sn_archive_visit(archive, linear->cache.value, items * sizeof(double));
    linear->cache.parameters = -1;
    place->matrix = matrix, place->diagonal = diagonal, place->cache = cache;
    return SN_OK;
}

/* The data of a preconditioner that remembers earlier matrices. */
static sn_status visit_data(sn_linear *linear, sn_archive *archive, sn_error *error) {
    const sn_preconditioner *own = linear->preconditioner;
    sn_linear_place *place = &linear->place;
    char name[NAME] = "";
    if (own && own->remember && linear->data) strncpy(name, own->name, NAME - 1);
    SN_ARCHIVE(archive, name);
    SN_ARCHIVE(archive, place->prepared);
    SN_ARCHIVE(archive, place->copied);
    name[NAME - 1] = 0;
    if (archive->bad || !*name) {
        if (sn_archive_reads(archive)) place->prepared = false;
        return SN_OK;
    }
    if (sn_archive_reads(archive)) {
        own = sn_direct_find(name) ? sn_direct_find(name) : sn_preconditioner_find(name);
        archive->bad = !own || !own->remember;
        if (archive->bad) return SN_OK;
        linear->preconditioner = own;
        linear->matrix.pattern = &linear->pattern;
    }
    const sn_operator op = sn_linear_operator(linear, true);
    return own->remember(linear->context, &op, &linear->filter.filter, &linear->data, &place->prepared, archive, error);
}

sn_status sn_linear_remember(sn_linear *linear, bool whole, sn_archive *archive, const sn_element_view *view,
                             const sn_block_list *stiffness, const sn_block_list *damping, const double *rayleigh_mass,
                             sn_error *error) {
    SN_ARCHIVE(archive, linear->misses);
    int64_t number = linear->place.number;
    SN_ARCHIVE(archive, number);
    SN_ARCHIVE(archive, linear->m);
    SN_ARCHIVE(archive, linear->d);
    SN_ARCHIVE(archive, linear->k);
    sn_status status = sn_filter_copy_archive(linear->context, linear->model.nodes, &linear->filter, archive, error);
    if (!status && whole) {
        visit_place(linear, archive, view, stiffness, damping, rayleigh_mass);
        status = visit_matrix(linear, archive, error);
    }
    if (sn_archive_reads(archive)) linear->place.number = number;
    SN_ARCHIVE(archive, linear->stiff);
    SN_ARCHIVE(archive, linear->place.stiff);
    if (!status) status = visit_data(linear, archive, error);
    if (!whole) linear->place.prepared = linear->place.prepared && !sn_archive_reads(archive);
    return status;
}
