/* Adaptive worlds: what they are made of, and what they do not go with. See adaptive.h. */
#include "adaptive.h"

#include <string.h>

#include "base/sorted.h"

#include "inside.h"

/* ---- What does not go together ---- */
static const char *refused_of_body(const sn_world_options *o, const sn_body_options *b, const sn_body *body) {
    return o->body_count > 1                          ? "several bodies"
           : body->rigid                              ? "a rigid body"
           : b->rigid_count > 0                       ? "rigid cores"
           : strcmp(body->type->name, "tet4") != 0    ? "another element than tet4"
           : body->consistent                         ? "a consistent mass"
           : body->hierarchical                       ? "the basis 'hierarchical'"
           : body->muscle                             ? "muscles"
           : b->link_count > 0 || b->seam_count > 0   ? "links and seams"
           : b->gas.pressure != 0                     ? "gas"
           : o->contact.self || o->contact.pair_count ? "contact of the body with itself"
                                                      : NULL;
}

sn_status sn_adaptive_allows_elements(const sn_elements_model *elements, bool warps, sn_error *error) {
    const char *what = elements->rotation_state_size > 0 ? "a rotation that depends on its past"
                       : elements->frame_size > 0        ? "frames that stay for a time"
                       : warps                           ? "stiffness warping"
                       : elements->patches               ? "elements with patches"
                                                         : NULL;
    return what ? sn_fail(error, SN_UNSUPPORTED, "'adapt' of a body does not support %s", what) : SN_OK;
}

sn_status sn_adaptive_allows(const sn_world *world, const sn_solver_options *solver, sn_error *error) {
    if (!world->adaptive) return SN_OK;
    const char *measure = world->adaptive->options.measure;
    if (world->parameters.no_inertia && *measure && strcmp(measure, "none") != 0)
        return sn_fail_at(error, SN_UNSUPPORTED, "adapt.measure",
                          "adapt.measure '%s' needs a mode with time and inertia; give 'select' alone", measure);
    if (strcmp(solver->operator_, "assembly-free") == 0)
        return sn_fail_at(error, SN_UNSUPPORTED, "solver.operator",
                          "solver.operator 'assembly-free' does not support a body with 'adapt'; take assembled");
    return SN_OK;
}

static sn_status check(const sn_world *world, const sn_world_options *options, sn_error *error) {
    const sn_body_options *own = &options->body[0];
    const char *what = refused_of_body(options, own, &world->model->body[0]);
    if (what) return sn_fail_at(error, SN_UNSUPPORTED, "adapt", "'adapt' of a body does not support %s", what);
    const sn_adapt *o = &own->adapt;
    if (!*o->measure || strcmp(o->measure, "none") == 0)
        return strcmp(o->details, "freeze") != 0
                   ? SN_OK
                   : sn_fail_at(error, SN_BAD_INPUT, "adapt.details",
                                "adapt.details 'freeze' has no effect without 'measure', which makes tets coarser");
    if (!(o->refine > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "adapt.refine",
                          "adapt.refine is %g; the measure '%s' needs a threshold above 0", o->refine, o->measure);
    if (!(o->coarsen < o->refine))
        return sn_fail_at(error, SN_BAD_INPUT, "adapt.coarsen",
                          "adapt.coarsen is %g; it must be below adapt.refine, which is %g", o->coarsen, o->refine);
    return SN_OK;
}

/* ---- Creation ---- */
static sn_status allocate(const sn_world *world, sn_adaptive *a, sn_error *error) {
    const sn_context *context = world->context;
    const size_t nodes = (size_t)world->model->node_count;
    double **const vector[] = {&a->x, &a->v, &a->force, &a->next, &a->right, &a->solution};
    bool complete = true;
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i)
        complete = (*vector[i] = sn_allocate_zero(context, 3 * nodes, sizeof(double))) && complete;
    for (int i = 0; i < SN_SPAN; ++i)
        complete = (a->direction[i] = sn_allocate_zero(context, 3 * nodes, sizeof(double))) && complete;
    complete = (a->mass = sn_allocate_zero(context, nodes, sizeof *a->mass)) && complete;
    complete = (a->weight = sn_allocate(context, nodes, sizeof *a->weight)) && complete;
    complete = (a->held = sn_allocate(context, nodes, sizeof *a->held)) && complete;
    complete = (a->projection = sn_allocate(context, 9 * nodes, sizeof *a->projection)) && complete;
    const size_t tets = (size_t)a->forest.count, finest = (size_t)world->model->element_count;
    complete = (a->quiet = sn_allocate_zero(context, tets, sizeof *a->quiet)) && complete;
    complete = (a->wanted = sn_allocate_zero(context, tets, 1)) && complete;
    complete = (a->value = sn_allocate_zero(context, finest, sizeof *a->value)) && complete;
    complete = (a->value_of = sn_allocate_zero(context, tets + finest, sizeof *a->value_of)) && complete;
    complete = (a->room = sn_allocate_zero(context, 7 * nodes, sizeof *a->room)) && complete;
    complete = (a->touched = sn_allocate_zero(context, nodes, 1)) && complete;
    complete = (a->coarse = sn_allocate(context, tets, sizeof *a->coarse)) && complete;
    complete = (a->fine = sn_allocate(context, tets, sizeof *a->fine)) && complete;
    a->impulse = a->room;
    if (strcmp(a->options.details, "freeze") == 0) {
        complete = (a->offset = sn_allocate_zero(context, 3 * nodes, sizeof *a->offset)) && complete;
        complete = (a->frame = sn_allocate(context, 9 * tets, sizeof *a->frame)) && complete;
        complete = (a->framed = sn_allocate_zero(context, tets, 1)) && complete;
    }
    complete = (a->kept = sn_allocate_zero(context, (size_t)a->forest.count, 1)) && complete;
    return complete ? SN_OK : sn_no_memory(error);
}

/* Masses of the finest mesh, and Rayleigh's mass damping a m. */
sn_status sn_adaptive_weigh(sn_world *world, sn_error *error) {
    sn_adaptive *a = world->adaptive;
    if (!a) return SN_OK;
    const sn_body *body = &world->model->body[0];
    const sn_material *material = world->parameters.material + body->material_first;
    const sn_batch_source source = {.element = body->element,
                                    .element_count = body->mesh->tet_count,
                                    .node = body->node,
                                    .rest = world->model->rest,
                                    .material = body->material,
                                    .materials = material,
                                    .material_count = body->material_count,
                                    .name = body->name,
                                    .label = body->mesh->tet_label};
    memset(a->mass, 0, (size_t)world->model->node_count * sizeof *a->mass);
    sn_release(world->context, a->drag);
    a->drag = NULL;
    const sn_status status = sn_within(error, sn_mass_lumped(&source, a->mass, error), "bodies.0.mesh");
    bool any = false;
    for (int m = 0; m < body->material_count; ++m) any = any || material[m].rayleigh[0] != 0;
    if (status || !any) return status;
    a->drag = sn_allocate_zero(world->context, (size_t)world->model->node_count, sizeof *a->drag);
    if (!a->drag) return sn_no_memory(error);
    for (int e = 0; e < body->mesh->tet_count; ++e) {
        double mass[SN_ELEMENT_NODES * SN_ELEMENT_NODES], row[4] = {0};
        sn_mass_element(&source, e, mass);
        for (int i = 0; i < 16; ++i) row[i / 4] += mass[i];
        for (int i = 0; i < 4; ++i)
            a->drag[body->node[4 * (size_t)e + (size_t)i]] += row[i] * material[body->material[e]].rayleigh[0];
    }
    return SN_OK;
}

/* Refines every tet that holds the centroid of a selected finest tet. These tets stay refined. */
static sn_status refine_selected(const sn_world *world, const sn_selector *select, sn_adaptive *a, sn_error *error) {
    if (!select) return SN_OK;
    const sn_mesh *mesh = world->model->body[0].mesh;
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

static sn_status make(sn_world *world, const sn_world_options *options, sn_error *error) {
    const sn_body_options *own = &options->body[0];
    sn_adaptive *a = sn_allocate_zero(world->context, 1, sizeof *a);
    world->adaptive = a;
    if (!a) return sn_no_memory(error);
    a->options = own->adapt;
    a->options.select = NULL;
    if (a->options.wait < 1) a->options.wait = 1;
    if (a->options.budget == 0) a->options.budget = INT32_MAX;
    const sn_body *body = &world->model->body[0];
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
    status = allocate(world, a, error);
    if (!status) status = sn_adaptive_weigh(world, error);
    return status ? status : refine_selected(world, own->adapt.select, a, error);
}

sn_status sn_adaptive_create(sn_world *world, const sn_world_options *options, sn_error *error) {
    int adapted = -1;
    for (int b = 0; b < options->body_count; ++b)
        if (options->body[b].adapt.levels > 0) adapted = b;
    if (adapted < 0) return SN_OK;
    sn_status status = check(world, options, error);
    if (!status) status = make(world, options, error);
    return sn_within(error, status, "bodies.%d", adapted);
}

void sn_adaptive_destroy(sn_world *world) {
    sn_adaptive *a = world->adaptive;
    if (!a) return;
    sn_forest_release(world->context, &a->forest);
    sn_block_list_release(world->context, &a->stiffness);
    sn_block_list_release(world->context, &a->damping);
    for (int i = 0; i < SN_SPAN; ++i) sn_release(world->context, a->direction[i]);
    void *const array[] = {a->quiet, a->wanted,   a->value, a->value_of,   a->room,   a->touched, a->coarse, a->fine,
                           a->kept,  a->mass,     a->drag,  a->weight,     a->x,      a->v,       a->next,   a->force,
                           a->right, a->solution, a->held,  a->projection, a->offset, a->frame,   a->framed, a};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
    world->adaptive = NULL;
}
