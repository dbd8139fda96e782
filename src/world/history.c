/* The history of a world: everything in the workspace that the bits of the next step depend on. Solvers keep old
 * factors and coarse matrices, simplified Newton keeps its linearisation, links keep their last solutions. All of this
 * could be made anew, but then the next steps would differ in the last digits. A saved state therefore holds it. */
#include <string.h>

#include "base/hash.h"
#include "fem/patch.h"
#include "inside.h"

static uint64_t hash_text(uint64_t hash, const char *text) { return sn_hash(hash, text, strlen(text) + 1); }

uint64_t sn_history_key(const sn_world *world) {
    const sn_parameters *p = &world->parameters;
    uint64_t hash = hash_text(hash_text(SN_HASH_START, p->time.mode), p->time.newton.kind);
    hash = hash_text(hash_text(hash, p->solver.method), p->solver.preconditioner);
    hash = hash_text(hash_text(hash, p->solver.operator_), p->solver.precision);
    hash = sn_hash(sn_hash(hash, &p->solver.omega, sizeof(double)), &p->solver.drop, sizeof(double));
    for (int b = 0; b < p->elements.batch_count; ++b) {
        const sn_batch *batch = sn_settings_batch(&world->solid->elements, b);
        const size_t lanes = (size_t)batch->block_count * SN_LANES;
        hash = sn_hash(hash, p->elements.batch[b].constant, lanes * (size_t)batch->constants * sizeof(double));
        hash = sn_hash(hash, p->elements.batch[b].damping, lanes * 3 * sizeof(double));
        if (batch->muscle) hash = sn_hash(hash, p->elements.batch[b].muscle, lanes * SN_MUSCLE_ITEMS * sizeof(double));
    }
    return hash;
}

static void visit_blocks(const sn_context *context, sn_block_list *list, int nodes, sn_archive *archive) {
    int count = list->count;
    SN_ARCHIVE(archive, count);
    const size_t most = sn_archive_reads(archive) ? (archive->size - archive->at) / sizeof *list->value : INT32_MAX;
    if (count < 0 || (size_t)count > most) archive->bad = true;
    if (archive->bad || sn_block_list_reserve(context, list, count, NULL)) archive->bad = true;
    if (archive->bad) return;
    sn_archive_nodes(archive, list->row, count, nodes);
    sn_archive_nodes(archive, list->column, count, nodes);
    sn_archive_visit(archive, list->value, (size_t)count * 9 * sizeof *list->value);
    list->count = archive->bad ? 0 : count;
}

sn_status sn_history_visit(sn_world *world, sn_archive *archive, sn_error *error) {
    sn_workspace *work = &world->workspace;
    sn_linearisation *linearisation = &work->system.linearisation.base;
    sn_block_list *K = &work->stiffness, *D = &work->damping;
    SN_ARCHIVE(archive, linearisation->damped);
    SN_ARCHIVE(archive, linearisation->projectable);
    SN_ARCHIVE(archive, linearisation->served);
    SN_ARCHIVE(archive, linearisation->contraction);
    const bool whole = linearisation->served > 0;
    if (whole) visit_blocks(world->context, K, world->model->node_count, archive);
    if (whole) visit_blocks(world->context, D, world->model->node_count, archive);
    const sn_element_view view = sn_world_view(world, NULL, NULL);
    sn_listed_blocks listed;
    sn_status status = sn_world_blocks(world, &listed, error);
    if (!status)
        status = sn_linear_remember(work->linear, whole, archive, &view, listed.stiffness, listed.damping,
                                    listed.rayleigh, error);
    if (!status) sn_interactions_remember(world, archive);
    return status;
}
