/* Probes. Their nodes and elements are found once, at creation. Their values are computed from the present state:
 *
 *   displacement, position, velocity   mean over the nodes
 *   reaction   force of the supports on the body (colliders and other bodies are supports too): M a - f, total over
 *              the held components of the nodes. a is the change of velocity in the last step over the length of the
 *              step; it is 0 in statics
 *   force      force of one kind of interaction, total over the nodes
 *   position and force of a tool   where it is, and its force on the hand
 *   contacts   how many of the nodes get a force from a collider or from another body
 *   kinetic, gravity, momentum, angular_momentum   total over the nodes; p = M v
 *   volume, elastic   total over the elements whose nodes are all selected; of a probe at one node, over the elements
 *              that use the node
 *   stress, strain, deformation   at a node the mean over the elements that use it; then the mean over the nodes */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "inside.h"
#include "tools_edit.h"

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

/* Finds the elements of a probe. For means it also finds their weights: the sum of 1 / (nodes of the probe x elements
 * at the node). */
static sn_status take_elements(const sn_world *world, const sn_body *body, const uint8_t *mask, sn_probe_target *target,
                               sn_error *error) {
    const sn_mesh *mesh = body->mesh;
    const bool mean = !sn_quantity_is_total(target->probe.quantity), any = mean || target->probe.at != SN_PROBE_SELECT;
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

static bool reads_elements(sn_quantity quantity) {
    return quantity == SN_QUANTITY_VOLUME || quantity == SN_QUANTITY_STRESS || quantity == SN_QUANTITY_STRAIN ||
           quantity == SN_QUANTITY_DEFORMATION || quantity == SN_QUANTITY_ELASTIC || quantity == SN_QUANTITY_ENERGY;
}

/* The energy of springs and of particles belongs to edges, which no probe selects. */
static sn_status check_energy(const sn_world *world, const sn_body *body, sn_error *error) {
    if (world->solid->place[body->element_first] >= 0) return SN_OK;
    return sn_fail_at(error, SN_UNSUPPORTED, "quantity",
                      "the elements of a body of springs or particles have no energy; measure 'kinetic' or 'gravity'");
}

static sn_interaction *find_interaction(const sn_world *world, const char *name) {
    for (int i = 0; i < world->interaction_count; ++i)
        if (strcmp(world->interaction[i]->name, name) == 0) return world->interaction[i];
    return NULL;
}

static sn_status check_force(const sn_world *world, const sn_probe *probe, sn_error *error) {
    const sn_interaction *self = find_interaction(world, probe->interaction);
    if (self && (self->kind->support || self->kind->force)) return SN_OK;
    return sn_fail_at(error, SN_UNSUPPORTED, "interaction",
                      "the interaction '%.31s' has no force that a probe can measure", probe->interaction);
}

static sn_status take_probe(sn_world *world, const sn_probe *probe, sn_probe_target *target, sn_error *error) {
    sn_status status = sn_probe_check(probe, error);
    if (status) return status;
    target->probe = *probe;
    memset(&target->probe.select, 0, sizeof target->probe.select);
    if (probe->tool[0]) {
        if (sn_world_find_tool(world, probe->tool) >= 0) return SN_OK;
        return sn_fail_at(error, SN_BAD_INPUT, "tool", "there is no tool '%s'", probe->tool);
    }
    target->body = probe->body[0] ? sn_model_find_body(world->model, probe->body) : 0;
    if (target->body < 0) return sn_fail_at(error, SN_BAD_INPUT, "body", "there is no body '%s'", probe->body);
    const sn_body *body = &world->model->body[target->body];
    uint8_t *mask = sn_allocate_zero(world->context, (size_t)body->mesh->node_count, 1);
    if (!mask) return sn_no_memory(error);
    status = mark(body->mesh, probe, mask, error);
    if (!status) status = take_nodes(world, body, mask, target, error);
    if (!status && reads_elements(probe->quantity)) status = take_elements(world, body, mask, target, error);
    if (!status && (probe->quantity == SN_QUANTITY_ELASTIC || probe->quantity == SN_QUANTITY_ENERGY))
        status = check_energy(world, body, error);
    if (!status && probe->quantity == SN_QUANTITY_FORCE) status = check_force(world, probe, error);
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

/* M a - f at the present state, into workspace.product. */
static sn_status balance(sn_world *world, sn_error *error) {
    sn_workspace *work = &world->workspace;
    const sn_status status = sn_world_forces(world, error);
    if (status) return status;
    sn_world_mass_product(world, world->state.a, work->product);
    for (int i = 0; i < 3 * world->model->node_count; ++i) work->product[i] -= work->force[i];
    return SN_OK;
}

static void clear_force(sn_world *world) {
    memset(world->workspace.force, 0, 3 * (size_t)world->model->node_count * sizeof(double));
}

/* Writes the forces of the supports on the nodes to workspace.force. Free components get zero. */
static sn_status reactions(sn_world *world, sn_error *error) {
    const sn_status status = balance(world, error);
    if (status) return status;
    clear_force(world);
    sn_interactions_support(world, world->workspace.product, world->workspace.force);
    return SN_OK;
}

/* Adds the force of one interaction to workspace.force: of a support from the balance, of the others directly. */
static void add_force(sn_world *world, sn_interaction *self) {
    const sn_place place = {
        .t = world->state.time, .x = world->state.x, .v = world->parameters.no_inertia ? NULL : world->state.v};
    if (self->kind->support)
        self->kind->support(world, self, world->workspace.product, world->workspace.force);
    else if (self->kind->force)
        self->kind->force(world, self, &place, world->workspace.force);
}

/* Writes the force of one kind to workspace.force; of colliders and of other bodies when `name` is NULL. */
static sn_status kind_force(sn_world *world, const char *name, sn_error *error) {
    const sn_status status = balance(world, error);
    if (status) return status;
    clear_force(world);
    if (name) {
        add_force(world, find_interaction(world, name));
    } else {
        add_force(world, sn_interaction_of(world, &sn_kind_penalty));
        add_force(world, sn_interaction_of(world, &sn_kind_projection));
        add_force(world, sn_interaction_of(world, &sn_kind_contact));
    }
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

static void node_mean(const sn_probe_target *target, const double *vector, const double *minus, double *value) {
    for (int i = 0; i < target->node_count; ++i)
        for (int a = 0; a < 3; ++a) {
            const size_t at = 3 * (size_t)target->node[i] + (size_t)a;
            value[a] += (vector[at] - (minus ? minus[at] : 0)) / target->node_count;
        }
}

static void node_total(const sn_probe_target *target, const double *vector, double *value) {
    for (int i = 0; i < target->node_count; ++i)
        for (int a = 0; a < 3; ++a) value[a] += vector[3 * (size_t)target->node[i] + (size_t)a];
}

/* Energies and momentum of the nodes of a probe; p = M v. */
static void node_motion(const sn_world *world, const sn_probe_target *target, double *kinetic, double *gravity,
                        double momentum[3], double angular[3]) {
    const double *p = world->workspace.product,
                 *weight = world->parameters.no_inertia ? world->solid->weight_exact : world->solid->weight;
    sn_world_mass_product(world, world->state.v, world->workspace.product);
    for (int i = 0; i < target->node_count; ++i) {
        const size_t at = 3 * (size_t)target->node[i];
        double turn[3];
        *kinetic += 0.5 * sn_dot3(world->state.v + at, p + at);
        *gravity -= weight[target->node[i]] * sn_dot3(world->parameters.gravity, world->state.x + at);
        sn_cross3(world->state.x + at, p + at, turn);
        for (int a = 0; a < 3; ++a) momentum[a] += p[at + (size_t)a], angular[a] += turn[a];
    }
}

static sn_status elastic(const sn_world *world, const sn_probe_target *target, double *value, sn_error *error) {
    for (int i = 0; i < target->element_count; ++i) {
        sn_element_sample s;
        sn_element_values(world, target->element[i], SN_SAMPLE_ENERGY, &s);
        *value += s.energy_density * s.rest_volume;
    }
    if (isfinite(*value)) return SN_OK;
    return sn_fail(error, SN_INVERTED, "probe '%s': an element is inverted and has no energy", target->probe.name);
}

/* Volume, or the means of stress, strain and F. */
static void element_values(sn_world *world, const sn_probe_target *target, int count, double *value) {
    const sn_quantity quantity = target->probe.quantity;
    const unsigned parts = quantity == SN_QUANTITY_STRESS ? SN_SAMPLE_STRESS : 0;
    sn_element_values_begin(world, parts);
    for (int i = 0; i < target->element_count; ++i) {
        sn_element_sample s;
        sn_element_values(world, target->element[i], parts, &s);
        const double *from = quantity == SN_QUANTITY_STRESS   ? s.stress
                             : quantity == SN_QUANTITY_STRAIN ? s.strain
                                                              : s.gradient;
        if (quantity == SN_QUANTITY_VOLUME) value[0] += s.volume;
        for (int k = 0; k < count && quantity != SN_QUANTITY_VOLUME; ++k) value[k] += target->share[i] * from[k];
    }
}

/* How many numbers a quantity has. */
static int quantity_values(sn_quantity quantity) {
    switch (quantity) {
    case SN_QUANTITY_VOLUME:
    case SN_QUANTITY_KINETIC:
    case SN_QUANTITY_ELASTIC:
    case SN_QUANTITY_GRAVITY:
    case SN_QUANTITY_ENERGY:
    case SN_QUANTITY_CONTACTS:
        return 1;
    case SN_QUANTITY_STRESS:
    case SN_QUANTITY_STRAIN:
        return 6;
    case SN_QUANTITY_DEFORMATION:
        return 9;
    default:
        return 3;
    }
}

/* Quantities that come from motion, height and energy. */
static sn_status energy_values(const sn_world *world, const sn_probe_target *target, double *value, sn_error *error) {
    double kinetic = 0, gravity = 0, stored = 0, momentum[3] = {0}, angular[3] = {0};
    const sn_quantity quantity = target->probe.quantity;
    node_motion(world, target, &kinetic, &gravity, momentum, angular);
    const bool needs = quantity == SN_QUANTITY_ELASTIC || quantity == SN_QUANTITY_ENERGY;
    const sn_status status = needs ? elastic(world, target, &stored, error) : SN_OK;
    if (quantity == SN_QUANTITY_KINETIC) value[0] = kinetic;
    if (quantity == SN_QUANTITY_GRAVITY) value[0] = gravity;
    if (quantity == SN_QUANTITY_ELASTIC) value[0] = stored;
    if (quantity == SN_QUANTITY_ENERGY) value[0] = kinetic + stored + gravity;
    if (quantity == SN_QUANTITY_MOMENTUM) memcpy(value, momentum, sizeof momentum);
    if (quantity == SN_QUANTITY_ANGULAR_MOMENTUM) memcpy(value, angular, sizeof angular);
    return status;
}

static sn_status force_values(sn_world *world, const sn_probe_target *target, double *value, sn_error *error) {
    const bool contacts = target->probe.quantity == SN_QUANTITY_CONTACTS;
    const sn_status status = target->probe.quantity == SN_QUANTITY_REACTION
                                 ? reactions(world, error)
                                 : kind_force(world, contacts ? NULL : target->probe.interaction, error);
    if (status) return status;
    if (!contacts) node_total(target, world->workspace.force, value);
    for (int i = 0; i < target->node_count && contacts; ++i) {
        const double *f = world->workspace.force + 3 * (size_t)target->node[i];
        value[0] += f[0] != 0 || f[1] != 0 || f[2] != 0;
    }
    return SN_OK;
}

/* The place of a tool, or its force on the hand. The tool may have been removed. */
static sn_status tool_values(const sn_world *world, const sn_probe_target *target, double *value, sn_error *error) {
    sn_tool_state state;
    const int tool = sn_world_find_tool(world, target->probe.tool);
    if (tool < 0)
        return sn_fail(error, SN_BAD_INPUT, "probe '%s': there is no tool '%s'", target->probe.name,
                       target->probe.tool);
    const sn_status status = sn_world_tool_state(world, tool, &state, error);
    if (!status)
        memcpy(value, target->probe.quantity == SN_QUANTITY_FORCE ? state.force : state.position, sizeof state.force);
    return status;
}

sn_status sn_world_probe(sn_world *world, int probe, double *value, int *count, sn_error *error) {
    if (probe < 0 || probe >= world->probe_count)
        return sn_fail(error, SN_BAD_INPUT, "probe %d; the world has %d", probe, world->probe_count);
    const sn_probe_target *target = &world->probe[probe];
    *count = quantity_values(target->probe.quantity);
    for (int k = 0; k < (*count > 6 ? *count : 6); ++k) value[k] = 0;
    if (target->probe.tool[0]) return tool_values(world, target, value, error);
    switch (target->probe.quantity) {
    case SN_QUANTITY_DISPLACEMENT:
        node_mean(target, world->state.x, world->model->rest, value);
        return SN_OK;
    case SN_QUANTITY_POSITION:
        node_mean(target, world->state.x, NULL, value);
        return SN_OK;
    case SN_QUANTITY_VELOCITY:
        node_mean(target, world->state.v, NULL, value);
        return SN_OK;
    case SN_QUANTITY_VOLUME:
    case SN_QUANTITY_STRESS:
    case SN_QUANTITY_STRAIN:
    case SN_QUANTITY_DEFORMATION:
        element_values(world, target, *count, value);
        return SN_OK;
    case SN_QUANTITY_REACTION:
    case SN_QUANTITY_CONTACTS:
    case SN_QUANTITY_FORCE:
        return force_values(world, target, value, error);
    default:
        sn_memory_recall(world);
        return energy_values(world, target, value, error);
    }
}
