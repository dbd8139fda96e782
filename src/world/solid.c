/* The solid: compiles the bodies and their materials into batches of elements, mass, weights of gravity and Rayleigh
 * mass damping.
 *
 * Weights of gravity (kg): with a lumped mass w_i = m_i, so that every node of a free body falls with g. Statics uses
 * w_i = int rho N_i dV; the consistent mass gives the same. For tet4 all of them agree. */
#include <string.h>

#include "fem/coarse.h"
#include "fem/load.h"
#include "inside.h"
#include "rigid_body.h"

/* Cloth buckles in almost every step. In dynamics it takes the projected differential, with which Newton's method and
 * CG go on. */
static bool takes_exact(const sn_world *world, const sn_body *body) {
    return sn_parameters_exact(&world->parameters) && (world->parameters.no_inertia || !body->element->lay);
}

/* Whether other elements stand for those of the body. */
static bool derives(const sn_body *body) { return body->type && body->type->derive; }

static void fill_sources(const sn_world *world, sn_solid *solid) {
    const sn_model *model = world->model;
    for (int b = 0; b < model->body_count; ++b) {
        const sn_body *body = &model->body[b];
        solid->source[b] = (sn_batch_source){.element = body->element,
                                             .thickness = body->thickness,
                                             .element_count = body->rigid ? 0 : body->mesh->tet_count,
                                             .node = body->node,
                                             .rest = model->rest,
                                             .material = body->material,
                                             .materials = world->parameters.material + body->material_first,
                                             .material_count = body->material_count,
                                             .material_offset = body->material_first,
                                             .element_offset = body->element_first,
                                             .fibre = body->fibre,
                                             .green = body->corotate.from >= 0,
                                             .green_level = body->corotate.from,
                                             .green_every = body->corotate.every,
                                             .exact = takes_exact(world, body),
                                             .name = body->name,
                                             .label = body->mesh->tet_label};
        solid->consistent[b] = body->consistent;
    }
}

static void add_weights(const sn_batch_source *source, double *weight) {
    const int nodes = source->element->nodes;
    for (int e = 0; e < source->element_count; ++e) {
        const int32_t *node = source->node + (size_t)e * (size_t)nodes;
        double share[SN_ELEMENT_NODES] = {0};
        sn_load_volume_shares(source->element, source->thickness, node, source->rest, share);
        for (int i = 0; i < nodes; ++i) weight[node[i]] += sn_source_density(source, e) * share[i];
    }
}

static void fill_rigid_mass(const sn_model *model, const sn_body *body, const sn_material *material, sn_solid *solid) {
    const double scale = sn_rigid_body_scale(body, material);
    for (int i = 0; i < body->mesh->node_count; ++i) {
        const int32_t node = model->compiled[body->node_first + i];
        solid->mass[node] = solid->weight[node] = solid->weight_exact[node] = scale * body->rigid->mass[i];
    }
}

/* Masses and weights of the finest meshes. */
static sn_status fill_mass(const sn_world *world, sn_solid *solid, sn_error *error) {
    const sn_model *model = world->model;
    for (int b = 0; b < model->body_count; ++b) {
        const sn_batch_source *source = &solid->source[b];
        if (model->body[b].rigid) {
            fill_rigid_mass(model, &model->body[b], source->materials, solid);
            continue;
        }
        add_weights(source, solid->weight_exact);
        if (solid->consistent[b]) {
            add_weights(source, solid->weight);
            continue;
        }
        const sn_status status = sn_within(error, sn_mass_lumped(source, solid->mass, error), "bodies.%d.mesh", b);
        if (status) return status;
        for (int i = 0; i < world->model->body[b].mesh->node_count; ++i) {
            const int n = model->body[b].node_first + i;
            solid->weight[n] = solid->mass[n];
            if (source->element->row_sums) solid->weight_exact[n] = solid->mass[n];
        }
    }
    for (int i = 0; i < model->node_count; ++i)
        if (model->isolated[i]) solid->mass[i] = 1;
    return SN_OK;
}

/* Rayleigh's mass damping a per node: the mean over the elements at the node, weighted by volume and density. */
static sn_status fill_rayleigh(const sn_world *world, sn_solid *solid, sn_error *error) {
    bool any = false;
    for (int m = 0; m < world->parameters.material_count; ++m)
        any = any || world->parameters.material[m].rayleigh[0] != 0;
    if (!any) return SN_OK;
    const size_t n = (size_t)world->model->node_count;
    solid->rayleigh = sn_allocate_zero(world->context, n, sizeof(double));
    double *total = sn_allocate_zero(world->context, n, sizeof(double));
    if (!solid->rayleigh || !total) {
        sn_release(world->context, total);
        return sn_no_memory(error);
    }
    for (int b = 0; b < world->model->body_count; ++b) {
        const sn_batch_source *source = &solid->source[b];
        for (int e = 0; e < source->element_count; ++e) {
            const int32_t *node = source->node + (size_t)e * (size_t)source->element->nodes;
            double share[SN_ELEMENT_NODES] = {0}, mass = 0;
            sn_load_volume_shares(source->element, source->thickness, node, source->rest, share);
            for (int i = 0; i < source->element->nodes; ++i) mass += sn_source_density(source, e) * share[i];
            for (int i = 0; i < source->element->nodes; ++i) {
                total[node[i]] += mass;
                solid->rayleigh[node[i]] += mass * source->materials[source->material[e]].rayleigh[0];
            }
        }
    }
    for (size_t i = 0; i < n; ++i)
        if (total[i] > 0) solid->rayleigh[i] /= total[i];
    sn_release(world->context, total);
    return SN_OK;
}

/* ---- Adaptive bodies ---- */
/* Masses and weights do not depend on the active set until it takes them. */
static void copy_mass(const sn_world *world, const sn_solid *before, sn_solid *solid) {
    const size_t bytes = (size_t)world->model->node_count * sizeof(double);
    memcpy(solid->mass, before->mass, bytes);
    memcpy(solid->weight, before->weight, bytes);
    memcpy(solid->weight_exact, before->weight_exact, bytes);
}

/* The order of the finest elements. It depends on their materials, not on the active set. */
static sn_status take_order(const sn_world *world, const sn_solid *before, sn_solid *solid, sn_error *error) {
    const sn_model *model = world->model;
    sn_element_order *order = &solid->order;
    if (before) {
        const size_t ranks = (size_t)before->order.rank_count, materials = (size_t)model->material_count;
        order->memory = before->order.memory, order->rank_count = before->order.rank_count;
        order->rank = sn_allocate(world->context, ranks, sizeof *order->rank);
        order->count = sn_allocate(world->context, materials, sizeof *order->count);
        if (!order->rank || !order->count) return sn_no_memory(error);
        memcpy(order->rank, before->order.rank, ranks * sizeof *order->rank);
        memcpy(order->count, before->order.count, materials * sizeof *order->count);
        return SN_OK;
    }
    sn_batch_source *source = sn_allocate(world->context, (size_t)model->body_count, sizeof *source);
    if (!source) return sn_no_memory(error);
    memcpy(source, solid->source, (size_t)model->body_count * sizeof *source);
    for (int b = 0; b < model->body_count; ++b)
        if (derives(&model->body[b])) source[b].element_count = 0; /* they have no batch of their own */
    const sn_status status =
        sn_elements_order(world->context, source, model->body_count, model->node_count, order, error);
    sn_release(world->context, source);
    return sn_within(error, status, "bodies");
}

/* Replaces the elements of the meshes by the leaves of the active set. */
static void take_leaves(const sn_world *world, const sn_solid *before, sn_solid *solid) {
    const sn_active *active = solid->active;
    for (int b = 0; b < world->model->body_count; ++b) {
        sn_batch_source *source = &solid->source[b];
        const int begin = active->begin[b];
        source->element_count = active->begin[b + 1] - begin, source->element_offset = begin;
        source->node = active->node + active->corner[b], source->rest = active->rest;
        source->material = active->material + begin, source->label = active->label + begin;
        if (derives(&world->model->body[b])) continue;
        source->order = &solid->order, source->stands_for = active->first + begin;
        source->before = before ? &before->elements : NULL;
        source->place_before = before ? active->kept.place + begin : NULL;
    }
}

/* Slaves give what they have of a number per kg to their parents. It stays as it is at nodes that get nothing. */
static void share(const sn_world *world, const sn_solid *solid, double *each) {
    const int nodes = world->model->node_count;
    double *all = world->adaptive->weight;
    for (int n = 0; n < nodes; ++n) all[n] = each[n] * solid->weight[n];
    sn_active_give_numbers(solid->active, all);
    for (int n = 0; n < nodes; ++n)
        if (solid->carried[n] != solid->weight[n]) each[n] = solid->carried[n] > 0 ? all[n] / solid->carried[n] : 0;
}

/* Gives the masses of slaves to their parents, and the solver those of the unknowns. */
static sn_status take_mass(const sn_world *world, sn_solid *solid, sn_error *error) {
    const size_t nodes = (size_t)world->model->node_count;
    solid->carried = sn_allocate(world->context, nodes, sizeof *solid->carried);
    if (!solid->carried) return sn_no_memory(error);
    memcpy(solid->carried, solid->weight, nodes * sizeof *solid->carried);
    sn_active_give_numbers(solid->active, solid->carried);
    for (int i = 0; i < world->adaptive->count; ++i) {
        const sn_body *body = &world->model->body[world->adaptive->body[i].body];
        const size_t first = (size_t)body->node_first;
        memcpy(solid->mass + first, solid->carried + first, (size_t)body->mesh->node_count * sizeof *solid->mass);
    }
    if (solid->rayleigh) share(world, solid, solid->rayleigh);
    return sn_active_weigh(world, solid->mass, solid->rayleigh, solid->active, error);
}

static sn_status take_active(const sn_world *world, const sn_solid *before, sn_solid *solid, sn_error *error) {
    if (!world->adaptive) return SN_OK;
    sn_status status = take_order(world, before, solid, error);
    if (!status) status = sn_active_create(world, before, &solid->active, error);
    if (!status) status = take_mass(world, solid, error);
    if (!status) take_leaves(world, before, solid);
    return status;
}

/* ---- Batches ---- */
/* Fills the sources of the batches: the elements of each body, or its springs; then those that count beside them. */
static sn_status fill_compiled(const sn_world *world, const double *node_mass, sn_solid *solid, sn_error *error) {
    sn_status status = SN_OK;
    const sn_model *model = world->model;
    for (int b = 0; b < model->body_count && !status; ++b) {
        solid->compiled[b] = solid->source[b];
        const sn_body *body = &model->body[b];
        if (!derives(body)) continue;
        status = body->type->derive(world->context, &solid->source[b], node_mass, &solid->compiled[b], error);
        status = sn_within(error, status, "bodies.%d", b);
    }
    int next = model->body_count;
    for (int b = 0; b < model->body_count; ++b) {
        const sn_element *const *beside = model->body[b].element->beside;
        for (int i = 0; beside && beside[i] && !status; ++i) {
            sn_batch_source *made = &solid->compiled[next++];
            status = beside[i]->derive(world->context, &solid->source[b], node_mass, made, error);
            made->order = NULL; /* that of the carriers */
            status = sn_within(error, status, "bodies.%d", b);
        }
    }
    return status;
}

/* The same in the numbers of the solver. */
static sn_status compile_sources(const sn_world *world, sn_solid *solid, sn_error *error) {
    const sn_active *active = solid->active;
    if (!active) return fill_compiled(world, solid->weight_exact, solid, error);
    double *mass = sn_allocate(world->context, (size_t)active->count, sizeof *mass);
    if (!mass) return sn_no_memory(error);
    for (int i = 0; i < active->count; ++i) mass[i] = solid->weight_exact[active->full[i]];
    const sn_status status = fill_compiled(world, mass, solid, error);
    sn_release(world->context, mass);
    return status;
}

static int count_compiled(const sn_model *model) {
    int count = model->body_count;
    for (int b = 0; b < model->body_count; ++b)
        for (int i = 0; model->body[b].element->beside && model->body[b].element->beside[i]; ++i) ++count;
    return count;
}

/* The places of the elements that are compiled. */
static void list_places(const sn_elements_model *elements, int count, int64_t *place) {
    for (int e = 0; e < count; ++e) place[e] = -1;
    for (int b = 0; b < elements->batch_count; ++b) {
        const sn_batch *batch = &elements->batch[b];
        for (int64_t i = 0; i < (int64_t)batch->block_count * SN_LANES; ++i)
            if (batch->element_of[i] >= 0 && !batch->element->derive)
                place[batch->element_of[i]] = (int64_t)b << 40 | i;
    }
}

/* The place of a finest element is that of its leaf. */
static sn_status fill_places(const sn_world *world, sn_solid *solid, sn_error *error) {
    const sn_active *active = solid->active;
    const int finest = world->model->element_count;
    if (!active) {
        list_places(&solid->elements, finest, solid->place);
        return SN_OK;
    }
    int64_t *place = sn_allocate(world->context, (size_t)active->leaf_count, sizeof *place);
    if (!place) return sn_no_memory(error);
    list_places(&solid->elements, active->leaf_count, place);
    for (int e = 0; e < finest; ++e) solid->place[e] = active->leaf[e] < 0 ? -1 : place[active->leaf[e]];
    sn_release(world->context, place);
    return SN_OK;
}

/* Green's strain on a coarse level (fem/coarse.h): what a material of the body must be like. */
static sn_status check_green(const sn_material *material, sn_error *error) {
    if (strcmp(material->law, "corotated") != 0)
        return sn_fail(error, SN_BAD_INPUT, "'corotate' goes with law 'corotated' only, not with '%s'", material->law);
    const sn_rotation *rotation = sn_rotation_find(NULL, material->rotation);
    const char *other = material->frames_every > 0           ? "'frames' of the material"
                        : material->differential[0]          ? "'differential' of the material"
                        : material->prony_count              ? "'prony' of the material"
                        : rotation && rotation->uses_history ? "a rotation that has a history"
                                                             : NULL;
    return other ? sn_fail(error, SN_UNSUPPORTED, "'corotate' does not go with %s", other) : SN_OK;
}

/* What the body must be like. */
static sn_status check_coarse(const sn_world *world, const sn_body *body, sn_error *error) {
    const sn_corotate *own = &body->corotate;
    if (own->from < 0 && own->every > 0)
        return sn_fail_at(error, SN_BAD_INPUT, "every", "'every' has no effect without 'from'; give both or none");
    if (own->from < 0) return SN_OK;
    if (!(own->every > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "every", "'every' is %g s; with 'from' it must be above 0", own->every);
    if (world->parameters.no_inertia)
        return sn_fail_at(error, SN_BAD_INPUT, "every", "'corotate' is for mode 'dynamic'");
    for (int m = 0; m < body->material_count; ++m) {
        const sn_status status = check_green(&world->parameters.material[body->material_first + m], error);
        if (status) return status;
    }
    if (body->rigid) return sn_fail(error, SN_UNSUPPORTED, "'corotate' has no effect on a rigid body");
    if (body->type->corners != 4 || body->type->patches || body->type->derive)
        return sn_fail(error, SN_UNSUPPORTED, "'corotate' needs a body of tets; body '%s' has elements '%s'",
                       body->name, body->type->name);
    if (body->consistent || body->muscle)
        return sn_fail(error, SN_UNSUPPORTED, "'corotate' does not go with %s",
                       body->muscle ? "muscles" : "mass 'consistent'");
    const int finest = body->mesh->level_count ? body->mesh->level_count - 1 : 0;
    if (own->from < finest) return SN_OK;
    return sn_fail_at(
        error, SN_BAD_INPUT, "from",
        "'from' is %d, but the finest level of body '%s' is %d; it must be a coarser one: refine the mesh "
        "(key 'refine' of the mesh)",
        own->from, body->name, finest);
}

sn_status sn_solid_allows(const sn_world *world, const sn_method *method, sn_error *error) {
    bool green = false;
    for (int b = 0; b < world->model->body_count; ++b) {
        const sn_status status = check_coarse(world, &world->model->body[b], error);
        if (status) return sn_within(error, status, "bodies.%d.corotate", b);
        green = green || world->model->body[b].corotate.from >= 0;
    }
    if (!green || (method->newton && !method->exact && !method->tension && !method->corrects)) return SN_OK;
    return sn_fail_at(error, SN_UNSUPPORTED, "time.method",
                      "time.method '%s' does not go with 'corotate' of a body, which needs Newton's method without "
                      "the exact Jacobian; take implicit-euler, for example",
                      method->name);
}

/* Frames of a level need that level. */
static sn_status check_level(const sn_body *body, const sn_material *material, sn_error *error) {
    const int levels = body->mesh->level_count;
    if (material->frames_level < 0 || material->frames_level < levels) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, "frames.level",
                      "'frames.level' is %d, but the mesh of body '%s' has %d levels; refine it (key 'refine' of the "
                      "mesh)",
                      material->frames_level, body->name, levels ? levels : 1);
}

static sn_status check_levels(const sn_world *world, sn_error *error) {
    for (int b = 0; b < world->model->body_count; ++b)
        for (int m = 0; m < world->model->body[b].material_count; ++m) {
            const sn_material *material = sn_world_material(world, b, m);
            if (!material || world->model->body[b].rigid) continue;
            const sn_status status = check_level(&world->model->body[b], material, error);
            if (status) return sn_within(error, status, "bodies.%d.material.%d", b, m);
        }
    return SN_OK;
}

static sn_status build(const sn_world *world, const sn_solid *before, sn_solid *solid, sn_error *error) {
    const sn_model *model = world->model;
    sn_context *context = world->context;
    const size_t n = (size_t)model->node_count;
    solid->source = sn_allocate_zero(context, (size_t)model->body_count, sizeof *solid->source);
    solid->compiled_count = count_compiled(model);
    solid->compiled = sn_allocate_zero(context, (size_t)solid->compiled_count, sizeof *solid->compiled);
    solid->consistent = sn_allocate_zero(context, (size_t)model->body_count, 1);
    solid->place = sn_allocate_zero(context, (size_t)model->element_count, sizeof *solid->place);
    solid->mass = sn_allocate_zero(context, n, sizeof(double));
    solid->weight = sn_allocate_zero(context, n, sizeof(double));
    solid->weight_exact = sn_allocate_zero(context, n, sizeof(double));
    solid->carried = solid->weight;
    if (!solid->source || !solid->compiled || !solid->consistent || !solid->place || !solid->mass || !solid->weight ||
        !solid->weight_exact)
        return sn_no_memory(error);
    fill_sources(world, solid);
    sn_status status = sn_solid_allows(world, world->parameters.method, error);
    if (!status) status = check_levels(world, error);
    if (before)
        copy_mass(world, before, solid);
    else if (!status)
        status = fill_mass(world, solid, error);
    if (!status) status = fill_rayleigh(world, solid, error);
    if (!status) status = take_active(world, before, solid, error);
    if (!status) status = compile_sources(world, solid, error);
    const sn_active *active = solid->active;
    const int nodes = active ? active->count : model->node_count;
    const double *rest = active ? active->rest : model->rest;
    if (!status) {
        status = sn_elements_compile(context, solid->compiled, solid->compiled_count, nodes, &solid->elements, error);
        status = sn_within(error, status, "bodies");
    }
    if (!status && !active) {
        status = sn_coarse_create(context, &model->levels, model->rest, &solid->elements, error);
        status = sn_within(error, status, "bodies");
    }
    if (!status) status = fill_places(world, solid, error);
    if (!status) status = sn_warping_create(context, &solid->elements, rest, &solid->warping, error);
    if (status) return status;
    bool consistent = false;
    for (int b = 0; b < model->body_count; ++b) consistent = consistent || solid->consistent[b];
    solid->linear = (sn_linear_model){.nodes = nodes,
                                      .position = rest,
                                      .elements = &solid->elements,
                                      .mass = active ? active->mass : solid->mass,
                                      .levels = model->levels.count && !active ? &model->levels : NULL,
                                      .basis = model->basis.count ? &model->basis : NULL,
                                      .slaves = active && active->hanging.count ? &active->hanging : NULL,
                                      .source = consistent ? solid->source : NULL,
                                      .source_consistent = solid->consistent,
                                      .source_count = model->body_count};
    if (!active) return SN_OK;
    if (active->hanging.one_sided) solid->elements.unsymmetric = solid->elements.one_sided = true;
    return sn_within(error, sn_adaptive_allows_elements(&solid->elements, solid->warping.block_count > 0, error),
                     "bodies.%d.adapt", world->adaptive->body[0].body);
}

static void release(sn_context *context, sn_solid *solid) {
    sn_elements_release(context, &solid->elements);
    sn_warping_release(context, &solid->warping);
    sn_active_destroy(context, solid->active);
    sn_element_order_release(context, &solid->order);
    for (int b = 0; solid->compiled && b < solid->compiled_count; ++b) {
        const sn_element *element = solid->compiled[b].element;
        if (element && element->release) element->release(context, &solid->compiled[b]);
    }
    if (solid->carried != solid->weight) sn_release(context, solid->carried);
    void *const array[] = {solid->compiled, solid->source, solid->consistent,   solid->place,
                           solid->mass,     solid->weight, solid->weight_exact, solid->rayleigh};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_release(context, solid);
}

sn_status sn_solid_create(const sn_world *world, const sn_solid *before, const sn_solid **solid, sn_error *error) {
    *solid = NULL;
    sn_solid *own = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    const sn_status status = build(world, before, own, error);
    if (status)
        release(world->context, own);
    else
        *solid = own;
    return status;
}

void sn_solid_settle(const sn_world *world, const sn_solid *solid) {
    if (!solid || !solid->active) return;
    sn_active_drop(world->context, solid->active);
    for (int b = 0; b < world->model->body_count; ++b) solid->source[b].before = NULL;
    for (int i = 0; i < solid->compiled_count; ++i) solid->compiled[i].before = NULL;
}

void sn_solid_destroy(sn_context *context, const sn_solid *solid) {
    if (solid) release(context, (sn_solid *)(uintptr_t)solid);
}

sn_status sn_solid_settings(sn_world *world, double t, sn_error *error) {
    return sn_elements_parameters(&world->solid->elements, world->parameters.material, t, &world->parameters.elements,
                                  error);
}

void sn_solid_activate(sn_world *world, double t) {
    sn_element_settings *settings = &world->parameters.elements;
    settings->share = world->parameters.is_static ? t : 1;
    sn_elements_activate(&world->solid->elements, world->parameters.material, t, settings);
    world->workspace.inside_known = false;
}
