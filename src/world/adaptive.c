/* Adaptive worlds: what they are made of, and what they do not go with. See adaptive.h. */
#include "adaptive.h"

#include <string.h>

#include "base/sorted.h"

#include "inside.h"

sn_adaptive_body *sn_adaptive_find(const sn_world *world, int body) {
    const sn_adaptive *a = world->adaptive;
    for (int i = 0; a && i < a->count; ++i)
        if (a->body[i].body == body) return &a->body[i];
    return NULL;
}

sn_adaptive_body *sn_adaptive_at(const sn_world *world, int32_t node) {
    const sn_adaptive *a = world->adaptive;
    for (int i = 0; a && i < a->count; ++i) {
        const sn_body *body = &world->model->body[a->body[i].body];
        if (node >= body->node_first && node < body->node_first + body->mesh->node_count) return &a->body[i];
    }
    return NULL;
}

sn_node_kind sn_adaptive_kind(const sn_world *world, int32_t node) {
    const sn_adaptive_body *own = sn_adaptive_at(world, node);
    return own ? sn_forest_kind(&own->forest, node) : SN_NODE_FREE;
}

/* ---- What does not go together ---- */
static const char *refused_of_body(const sn_body_options *b, const sn_body *body) {
    return body->rigid                             ? "a rigid body"
           : b->rigid_count > 0                    ? "rigid cores"
           : strcmp(body->type->name, "tet4") != 0 ? "another element than tet4"
           : body->muscle                          ? "muscles"
                                                   : NULL;
}

/* What no body of the world may have. */
static const char *refused_of_all(const sn_model *model) {
    for (int b = 0; b < model->body_count; ++b)
        if (model->body[b].hierarchical || model->body[b].consistent)
            return model->body[b].consistent ? "a consistent mass of any body" : "the basis 'hierarchical' of any body";
    return NULL;
}

sn_status sn_adaptive_allows_elements(const sn_elements_model *elements, bool warps, sn_error *error) {
    const char *what = elements->rotation_state_size > 0 ? "a rotation that depends on its past"
                       : elements->frame_size > 0        ? "frames that stay for a time"
                       : warps                           ? "stiffness warping"
                       : elements->patches               ? "elements with patches"
                                                         : NULL;
    for (int b = 0; b < elements->batch_count; ++b) /* the order of the elements has no room for their memory */
        if (elements->batch[b].element->derive && elements->batch[b].terms) what = "springs with a Prony series";
    return what ? sn_fail(error, SN_UNSUPPORTED, "'adapt' of a body does not support %s", what) : SN_OK;
}

bool sn_adaptive_measures(const sn_adaptive_body *body) {
    return *body->options.measure && strcmp(body->options.measure, "none") != 0;
}

sn_status sn_adaptive_allows(const sn_world *world, const sn_solver_options *solver, sn_error *error) {
    if (!world->adaptive) return SN_OK;
    for (int i = 0; i < world->adaptive->count && world->parameters.no_inertia; ++i) {
        const sn_adaptive_body *body = &world->adaptive->body[i];
        if (!sn_adaptive_measures(body)) continue;
        const sn_status status = sn_fail_at(
            error, SN_UNSUPPORTED, "adapt.measure",
            "adapt.measure '%s' needs a mode with time and inertia; give 'select' alone", body->options.measure);
        return sn_within(error, status, "bodies.%d", body->body);
    }
    if (strcmp(solver->operator_, "assembly-free") == 0)
        return sn_fail_at(error, SN_UNSUPPORTED, "solver.operator",
                          "solver.operator 'assembly-free' does not support a body with 'adapt'; take assembled");
    return SN_OK;
}

static sn_status check(const sn_world *world, const sn_world_options *options, int b, sn_error *error) {
    const sn_body_options *own = &options->body[b];
    const char *what = refused_of_body(own, &world->model->body[b]);
    if (!what) what = refused_of_all(world->model);
    if (what) return sn_fail_at(error, SN_UNSUPPORTED, "adapt", "'adapt' of a body does not support %s", what);
    const sn_adapt *o = &own->adapt;
    if (o->reaction != world->adaptive->body[0].options.reaction)
        return sn_fail_at(error, SN_UNSUPPORTED, "adapt.reaction",
                          "adapt.reaction is %s, but the bodies before have the other value: all or none have it",
                          o->reaction ? "true" : "false");
    const bool measures = *o->measure && strcmp(o->measure, "none") != 0;
    if (!measures && strcmp(o->details, "freeze") == 0)
        return sn_fail_at(error, SN_BAD_INPUT, "adapt.details",
                          "adapt.details 'freeze' has no effect without 'measure', which makes tets coarser");
    if (!measures && o->refine > 0)
        return sn_fail_at(error, SN_BAD_INPUT, "adapt.refine",
                          "adapt.refine has no effect without 'measure', which is compared with it");
    if (!measures) return SN_OK;
    if (!(o->refine > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "adapt.refine",
                          "adapt.refine is %g; the measure '%s' needs a threshold above 0", o->refine, o->measure);
    if (!(o->coarsen < o->refine))
        return sn_fail_at(error, SN_BAD_INPUT, "adapt.coarsen",
                          "adapt.coarsen is %g; it must be below adapt.refine, which is %g", o->coarsen, o->refine);
    return SN_OK;
}

/* ---- Creation ---- */
/* What the bodies share. */
static sn_status allocate(const sn_world *world, sn_adaptive *a, sn_error *error) {
    const size_t nodes = (size_t)world->model->node_count;
    const sn_array array[] = {
        SN_ARRAY(a->x, 3 * nodes),     SN_ARRAY(a->v, 3 * nodes),        SN_ARRAY(a->force, 3 * nodes),
        SN_ARRAY(a->right, 3 * nodes), SN_ARRAY(a->solution, 3 * nodes), SN_ARRAY(a->next, 3 * nodes),
        SN_ARRAY(a->weight, nodes),    SN_ARRAY(a->held, nodes),         SN_ARRAY(a->projection, 9 * nodes),
        SN_ARRAY(a->room, 7 * nodes),  SN_ARRAY(a->touched, nodes),      SN_ARRAY(a->group_node, nodes)};
    sn_status status = sn_allocate_arrays(world->context, array, sizeof array / sizeof *array, error);
    a->impulse = a->room;
    for (int i = 0; i < SN_SPAN && !status; ++i) {
        a->direction[i] = sn_allocate_zero(world->context, 3 * nodes, sizeof(double));
        if (!a->direction[i]) status = sn_no_memory(error);
    }
    return status;
}

/* What a body with frozen details needs; the first one also makes the offsets of all nodes. */
static sn_status allocate_details(const sn_world *world, sn_adaptive_body *a, sn_error *error) {
    const size_t tets = (size_t)a->forest.count;
    const sn_array array[] = {SN_ARRAY(a->frame, 9 * tets), SN_ARRAY(a->framed, tets),
                              SN_ARRAY(world->adaptive->offset, 3 * (size_t)world->model->node_count)};
    return sn_allocate_arrays(world->context, array, world->adaptive->offset ? 2 : 3, error);
}

static sn_status allocate_body(const sn_world *world, sn_adaptive_body *a, sn_error *error) {
    const size_t tets = (size_t)a->forest.count, finest = (size_t)world->model->body[a->body].mesh->tet_count;
    const sn_array array[] = {SN_ARRAY(a->quiet, tets),   SN_ARRAY(a->wanted, tets),
                              SN_ARRAY(a->value, finest), SN_ARRAY(a->value_of, tets + finest),
                              SN_ARRAY(a->coarse, tets),  SN_ARRAY(a->fine, tets),
                              SN_ARRAY(a->kept, tets)};
    const sn_status status = sn_allocate_arrays(world->context, array, sizeof array / sizeof *array, error);
    return status || strcmp(a->options.details, "freeze") != 0 ? status : allocate_details(world, a, error);
}

/* Refines every tet that holds the centroid of a selected finest tet. These tets stay refined. */
static sn_status refine_selected(const sn_world *world, const sn_selector *select, sn_adaptive_body *a,
                                 sn_error *error) {
    if (!select) return SN_OK;
    const sn_mesh *mesh = world->model->body[a->body].mesh;
    sn_forest *f = &a->forest;
    uint8_t *mask = sn_allocate(world->context, (size_t)mesh->tet_count, 1);
    if (!mask) return sn_no_memory(error);
    sn_status status = sn_within(error, sn_select_centroids(mesh, select, mask, error), "adapt.select");
    for (int e = 0; e < mesh->tet_count && !status; ++e) {
        if (!mask[e]) continue;
        const int tet = f->first[f->levels - 1] + e / 8;
        if (!sn_forest_refine(f, tet, a->options.budget))
            status = sn_fail_at(error, SN_BAD_INPUT, "adapt.select",
                                "the tets that 'select' refines are more than the budget of %d", a->options.budget);
    }
    for (int t = 0; t < f->count; ++t) a->kept[t] = f->refined[t];
    sn_release(world->context, mask);
    return status;
}

static sn_status make(sn_world *world, const sn_body_options *own, sn_adaptive_body *a, sn_error *error) {
    if (a->options.wait < 1) a->options.wait = 1;
    if (a->options.budget == 0) a->options.budget = INT32_MAX;
    const sn_body *body = &world->model->body[a->body];
    sn_status status = sn_forest_create(world->context, body->mesh, world->model->compiled + body->node_first,
                                        world->model->node_count, own->adapt.levels, &a->forest, error);
    if (status)
        return sn_fail_at(error, status, "adapt.levels",
                          "adapt.levels is %d, and the mesh was refined %d times: refine it as often at least",
                          own->adapt.levels, body->mesh->level_count ? body->mesh->level_count - 1 : 0);
    if (a->forest.leaf_count > a->options.budget)
        return sn_fail_at(error, SN_BAD_INPUT, "adapt.budget",
                          "adapt.budget is %d, and the coarsest mesh has %d tets; it must be at least as large",
                          a->options.budget, a->forest.leaf_count);
    status = allocate_body(world, a, error);
    return status ? status : refine_selected(world, own->adapt.select, a, error);
}

sn_status sn_adaptive_create(sn_world *world, const sn_world_options *options, sn_error *error) {
    int count = 0;
    for (int b = 0; b < options->body_count; ++b) count += options->body[b].adapt.levels > 0;
    if (count == 0) return SN_OK;
    sn_adaptive *a = world->adaptive = sn_allocate_zero(world->context, 1, sizeof *a);
    if (!a) return sn_no_memory(error);
    a->body = sn_allocate_zero(world->context, (size_t)count, sizeof *a->body);
    sn_status status = a->body ? allocate(world, a, error) : sn_no_memory(error);
    for (int b = 0; b < options->body_count && !status; ++b) {
        if (options->body[b].adapt.levels <= 0) continue;
        sn_adaptive_body *own = &a->body[a->count++];
        own->body = b, own->options = options->body[b].adapt;
        own->options.select = NULL;
        status = check(world, options, b, error);
        if (!status) status = make(world, &options->body[b], own, error);
        status = sn_within(error, status, "bodies.%d", b);
    }
    return status;
}

static void release_body(const sn_world *world, sn_adaptive_body *a) {
    void *const array[] = {a->quiet, a->wanted, a->value, a->value_of, a->coarse,
                           a->fine,  a->kept,   a->frame, a->framed};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
    sn_forest_release(world->context, &a->forest);
}

void sn_adaptive_destroy(sn_world *world) {
    sn_adaptive *a = world->adaptive;
    if (!a) return;
    for (int i = 0; i < a->count; ++i) release_body(world, &a->body[i]);
    sn_block_list_release(world->context, &a->stiffness);
    sn_block_list_release(world->context, &a->damping);
    for (int i = 0; i < SN_SPAN; ++i) sn_release(world->context, a->direction[i]);
    void *const array[] = {a->weight, a->x,     a->v,          a->next, a->force, a->right,   a->solution,   a->held,
                           a->offset, a->group, a->group_node, a->room, a->body,  a->touched, a->projection, a};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
    world->adaptive = NULL;
}
