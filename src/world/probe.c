/* Probes. Their nodes and elements are found once, at creation. Their values are computed from the present state:
 *
 *   displacement, position, velocity   mean over the nodes
 *   reaction   force of the supports on the body (colliders are supports too): M a - f, total over the held components
 * of the nodes. a is the change of velocity in the last step over the length of the step; it is 0 in statics volume
 * total over the elements whose nodes are all selected; of a probe at one node, over the elements that use the node
 *   stress     at a node the mean over the elements that use it; then the mean over the nodes */
#include <math.h>
#include <string.h>

#include "inside.h"

void sn_probes_destroy(sn_world *world) {
    for (int i = 0; i < world->probe_count; ++i) {
        sn_release(world->context, world->probe[i].node);
        sn_release(world->context, world->probe[i].element);
        sn_release(world->context, world->probe[i].share);
    }
    sn_release(world->context, world->probe);
}

/* Marks the nodes of a probe in `mask`, one byte per node of the mesh. */
static sn_status mark(const sn_mesh *mesh, const sn_probe *probe, uint8_t *mask, sn_error *error) {
    if (probe->at == SN_PROBE_SELECT)
        return sn_within(error, sn_mesh_select(mesh, &probe->select, mask, NULL, error), "select");
    if (probe->at == SN_PROBE_NODE) {
        for (int i = 0; i < mesh->node_count; ++i)
            if ((mesh->node_label ? mesh->node_label[i] : i) == probe->node) {
                mask[i] = 1;
                return SN_OK;
            }
        return sn_fail_at(error, SN_BAD_INPUT, "node", "there is no node %lld", (long long)probe->node);
    }
    int nearest = -1;
    double least = INFINITY;
    for (int i = 0; i < mesh->node_count; ++i) {
        double d = 0;
        for (int a = 0; a < 3; ++a)
            d += (mesh->position[3 * (size_t)i + (size_t)a] - probe->nearest[a]) *
                 (mesh->position[3 * (size_t)i + (size_t)a] - probe->nearest[a]);
        if (d < least) least = d, nearest = i;
    }
    if (nearest < 0)
        return sn_fail_at(error, SN_BAD_INPUT, "nearest", "nearest [%g, %g, %g] is not a place", probe->nearest[0],
                          probe->nearest[1], probe->nearest[2]);
    mask[nearest] = 1;
    return SN_OK;
}

static sn_status take_nodes(const sn_world *world, const sn_body *body, const uint8_t *mask, sn_probe_target *target,
                            sn_error *error) {
    int count = 0;
    for (int i = 0; i < body->mesh->node_count; ++i) count += mask[i];
    target->node = sn_allocate(world->context, (size_t)count, sizeof *target->node);
    if (!target->node) return sn_no_memory(error);
    for (int i = 0; i < body->mesh->node_count; ++i)
        if (mask[i]) target->node[target->node_count++] = world->model->compiled[body->node_first + i];
    return SN_OK;
}

/* Finds the elements of a probe. For stress it also finds their weights: the sum of 1 / (nodes of the probe x elements
 * at the node). */
static sn_status take_elements(const sn_world *world, const sn_body *body, const uint8_t *mask, sn_probe_target *target,
                               sn_error *error) {
    const sn_mesh *mesh = body->mesh;
    const bool stress = target->probe.quantity == SN_QUANTITY_STRESS,
               any = stress || target->probe.at != SN_PROBE_SELECT;
    int32_t *around = sn_allocate_zero(world->context, (size_t)mesh->node_count, sizeof *around);
    target->element = sn_allocate(world->context, (size_t)mesh->tet_count, sizeof *target->element);
    target->share = sn_allocate(world->context, (size_t)mesh->tet_count, sizeof *target->share);
    if (!around || !target->element || !target->share) {
        sn_release(world->context, around);
        return sn_no_memory(error);
    }
    for (int64_t i = 0; i < (int64_t)mesh->tet_count * mesh->tet_nodes; ++i) ++around[mesh->tet[i]];
    int used = 0;
    for (int i = 0; i < mesh->node_count; ++i) used += mask[i] && around[i] > 0;
    for (int e = 0; e < mesh->tet_count; ++e) {
        const int32_t *tet = mesh->tet + (size_t)e * (size_t)mesh->tet_nodes;
        int in = 0;
        double share = 0;
        for (int i = 0; i < mesh->tet_nodes; ++i)
            if (mask[tet[i]]) ++in, share += 1.0 / ((double)used * around[tet[i]]);
        if (any ? in == 0 : in < mesh->tet_nodes) continue;
        target->share[target->element_count] = share;
        target->element[target->element_count++] = body->element_first + e;
    }
    sn_release(world->context, around);
    if (target->element_count == 0)
        return sn_fail_at(error, SN_BAD_INPUT, "select", "the selector picks no whole element");
    return SN_OK;
}

static sn_status take_probe(sn_world *world, const sn_probe *probe, sn_probe_target *target, sn_error *error) {
    sn_status status = sn_probe_check(probe, error);
    if (status) return status;
    target->probe = *probe;
    memset(&target->probe.select, 0, sizeof target->probe.select);
    target->body = probe->body[0] ? sn_model_find_body(world->model, probe->body) : 0;
    if (target->body < 0) return sn_fail_at(error, SN_BAD_INPUT, "body", "there is no body '%s'", probe->body);
    const sn_body *body = &world->model->body[target->body];
    uint8_t *mask = sn_allocate_zero(world->context, (size_t)body->mesh->node_count, 1);
    if (!mask) return sn_no_memory(error);
    status = mark(body->mesh, probe, mask, error);
    if (!status) status = take_nodes(world, body, mask, target, error);
    if (!status && (probe->quantity == SN_QUANTITY_STRESS || probe->quantity == SN_QUANTITY_VOLUME))
        status = take_elements(world, body, mask, target, error);
    sn_release(world->context, mask);
    return status;
}

sn_status sn_probes_create(sn_world *world, const sn_world_options *options, sn_error *error) {
    world->probe = sn_allocate_zero(world->context, (size_t)options->probe_count, sizeof *world->probe);
    if (!world->probe) return sn_no_memory(error);
    for (int i = 0; i < options->probe_count; ++i) {
        ++world->probe_count;
        const sn_status status = take_probe(world, &options->probe[i], &world->probe[i], error);
        if (status) return sn_within(error, status, "probes.%d", i);
    }
    return SN_OK;
}

int sn_world_probe_count(const sn_world *world) { return world->probe_count; }
const char *sn_world_probe_name(const sn_world *world, int probe) {
    return probe >= 0 && probe < world->probe_count ? world->probe[probe].probe.name : NULL;
}

/* Writes the forces of the supports on the nodes to workspace.force. Free components get zero. */
static sn_status reactions(sn_world *world, sn_error *error) {
    sn_workspace *work = &world->workspace;
    const sn_status status = sn_world_forces(world, error);
    if (status) return status;
    sn_linear_mass_product(work->linear, world->state.a, work->product);
    for (int i = 0; i < 3 * world->model->node_count; ++i) work->product[i] -= work->force[i];
    memset(work->force, 0, 3 * (size_t)world->model->node_count * sizeof(double));
    sn_interactions_support(world, work->product, work->force);
    return SN_OK;
}

sn_status sn_world_reactions(sn_world *world, int body, double *force, sn_error *error) {
    sn_status status = sn_model_check_body(world->model, body, error);
    if (!status) status = reactions(world, error);
    if (status) return status;
    const sn_body *b = &world->model->body[body];
    for (int i = 0; i < b->mesh->node_count; ++i)
        memcpy(force + 3 * (size_t)i, world->workspace.force + 3 * (size_t)world->model->compiled[b->node_first + i],
               3 * sizeof(double));
    return SN_OK;
}

static void node_mean(const sn_probe_target *target, const double *vector, const double *minus, double value[6]) {
    for (int i = 0; i < target->node_count; ++i)
        for (int a = 0; a < 3; ++a) {
            const size_t at = 3 * (size_t)target->node[i] + (size_t)a;
            value[a] += (vector[at] - (minus ? minus[at] : 0)) / target->node_count;
        }
}

sn_status sn_world_probe(sn_world *world, int probe, double value[6], int *count, sn_error *error) {
    if (probe < 0 || probe >= world->probe_count)
        return sn_fail(error, SN_BAD_INPUT, "probe %d; the world has %d", probe, world->probe_count);
    const sn_probe_target *target = &world->probe[probe];
    sn_status status = SN_OK;
    for (int k = 0; k < 6; ++k) value[k] = 0;
    *count = 3;
    switch (target->probe.quantity) {
    case SN_QUANTITY_DISPLACEMENT:
        node_mean(target, world->state.x, world->model->rest, value);
        break;
    case SN_QUANTITY_POSITION:
        node_mean(target, world->state.x, NULL, value);
        break;
    case SN_QUANTITY_VELOCITY:
        node_mean(target, world->state.v, NULL, value);
        break;
    case SN_QUANTITY_REACTION:
        status = reactions(world, error);
        for (int i = 0; i < target->node_count && !status; ++i)
            for (int a = 0; a < 3; ++a) value[a] += world->workspace.force[3 * (size_t)target->node[i] + (size_t)a];
        break;
    case SN_QUANTITY_VOLUME:
        *count = 1;
        for (int i = 0; i < target->element_count; ++i) {
            double volume;
            sn_element_values(world, target->element[i], NULL, NULL, NULL, &volume);
            value[0] += volume;
        }
        break;
    case SN_QUANTITY_STRESS:
        *count = 6;
        sn_memory_reach(world, world->state.time);
        for (int i = 0; i < target->element_count; ++i) {
            double stress[6];
            sn_element_values(world, target->element[i], stress, NULL, NULL, NULL);
            for (int k = 0; k < 6; ++k) value[k] += target->share[i] * stress[k];
        }
        break;
    }
    return status;
}
