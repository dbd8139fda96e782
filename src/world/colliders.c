/* The list of colliders: creation, default stiffness, editing, and where a collider is now. */
#include "colliders.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "inside.h"

sn_colliders *sn_world_colliders(const sn_world *world) {
    const sn_interaction *self = sn_interaction_of(world, &sn_kind_penalty);
    return self ? *(sn_colliders **)self->data : NULL;
}

/* ---- The list ---- */
static sn_status append(sn_world *world, sn_colliders *own, const sn_collider *collider, sn_error *error) {
    const int count = own->count + 1;
    int ids = own->count, colliders = own->count, penalties = own->count;
    sn_status status = sn_grow(world->context, (void **)&own->id, &ids, count, sizeof *own->id, error);
    if (!status)
        status = sn_grow(world->context, (void **)&own->collider, &colliders, count, sizeof *own->collider, error);
    if (!status)
        status = sn_grow(world->context, (void **)&own->penalty, &penalties, count, sizeof *own->penalty, error);
    sn_projection_follow(world);
    if (!status && own->point.count == 0) status = sn_contact_points_create(world, own, error);
    if (!status) status = sn_collider_model_create(world->context, collider, &own->collider[own->count], error);
    if (status) return status;
    own->id[own->count] = own->next_id++;
    own->penalty[own->count++] = (sn_penalty){0};
    return SN_OK;
}

sn_status sn_colliders_create(sn_world *world, const sn_world_options *options, sn_colliders **colliders,
                              sn_error *error) {
    sn_colliders *own = *colliders = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    for (int i = 0; i < options->collider_count; ++i) {
        const sn_status status = append(world, own, &options->collider[i], error);
        if (status) return sn_within(error, status, "colliders.%d", i);
    }
    return SN_OK;
}

void sn_colliders_destroy(sn_world *world, sn_colliders *own) {
    if (!own) return;
    for (int i = 0; i < own->count; ++i) sn_collider_model_destroy(world->context, &own->collider[i]);
    sn_contact_points_release(world, own);
    void *const array[] = {own->id, own->collider, own->penalty, own};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
}

double sn_contact_stiffness(const sn_world *world, double area) {
    const sn_parameters *p = &world->parameters;
    double modulus = 0, density = 0;
    for (int b = 0; b < world->model->body_count; ++b) {
        const sn_body *body = &world->model->body[b];
        /* Behind a place of a solid lies a body as deep as the place is wide; cloth has its thickness there. */
        const double part = body->element->lay && area > 0 ? fmin(body->thickness / sqrt(area), 1) : 1;
        for (int i = body->material_first; i < body->material_first + body->material_count; ++i) {
            modulus = fmax(modulus, part * sn_parameters_modulus(world->context, &p->material[i]));
            density = fmax(density, part * p->material[i].density);
        }
    }
    const double stiff = area > 0 ? 10 * modulus / sqrt(area) : 0, heavy = 1000 * density * sn_norm3(p->gravity);
    return fmax(stiff, heavy);
}

/* Sets the stiffness of the contact springs. A stiffness that the caller gave is taken as it is, and the spring stays
 * linear. Beyond a depth of a hundredth of the size of the largest body the default spring stiffens. */
void sn_colliders_adapt(const sn_world *world, sn_colliders *own) {
    double area = 0;
    for (int i = 0; i < own->point.count; ++i) area += own->point.area[i];
    if (own->point.count > 0) area /= own->point.count;
    sn_contact_points_weigh(world, own);
    const double stiffness = sn_contact_stiffness(world, area);
    for (int i = 0; i < own->count; ++i) {
        const sn_collider *collider = &own->collider[i].options;
        if (strcmp(collider->response, "spring-damper") == 0) {
            own->penalty[i] = (sn_penalty){.per_node = true,
                                           .stiffness = collider->spring.stiffness,
                                           .damping = collider->spring.damping,
                                           .drag = collider->spring.drag,
                                           .slip = 1e-3 * world->model->size};
            continue;
        }
        own->penalty[i] = (sn_penalty){.stiffness = collider->stiffness > 0 ? collider->stiffness : stiffness,
                                       .depth = collider->stiffness > 0 ? 0 : 0.01 * world->model->size,
                                       .damping = collider->damping,
                                       .friction = collider->friction,
                                       .slip = 1e-3 * world->model->size};
    }
}

const sn_contact_nodes *sn_colliders_met(const sn_colliders *own, int collider) {
    return own->penalty[collider].per_node ? &own->bare : &own->point;
}

sn_contact_nodes sn_colliders_pushed(const sn_colliders *own, int collider) {
    sn_contact_nodes pushed = *sn_colliders_met(own, collider);
    if (!sn_collider_projects(&own->collider[collider])) return pushed;
    const int first = own->node.count - own->core_count;
    if (first == pushed.count) return (sn_contact_nodes){0};
    pushed.count -= first, pushed.node += first, pushed.area += first, pushed.mass += first;
    pushed.apart += first;
    return pushed;
}

/* ---- Editing ---- */
/* Fits everything to the changed list. All contacts are forgotten; the next step finds them again. */
static sn_status refit(sn_world *world, sn_error *error) {
    sn_status status = sn_interactions_allow(world, world->parameters.method, error);
    if (status) return status;
    sn_colliders_adapt(world, sn_world_colliders(world));
    status = sn_penalty_fit(world, error);
    if (!status) status = sn_projection_fit(world, error);
    if (!status) status = sn_world_relayout(world, error);
    if (status) return status;
    sn_state_forget(&world->state, "projection");
    sn_workspace_forget(world);
    return SN_OK;
}

static int find(const sn_colliders *own, int id, sn_error *error) {
    for (int i = 0; i < own->count; ++i)
        if (own->id[i] == id) return i;
    sn_fail(error, SN_BAD_INPUT, "there is no collider %d", id);
    return -1;
}

static void remove_at(const sn_world *world, sn_colliders *own, int at) {
    sn_collider_model_destroy(world->context, &own->collider[at]);
    const size_t behind = (size_t)(own->count - at - 1);
    memmove(own->id + at, own->id + at + 1, behind * sizeof *own->id);
    memmove(own->collider + at, own->collider + at + 1, behind * sizeof *own->collider);
    memmove(own->penalty + at, own->penalty + at + 1, behind * sizeof *own->penalty);
    --own->count;
}

sn_status sn_world_add_collider(sn_world *world, const sn_collider *collider, int *id, sn_error *error) {
    sn_colliders *own = sn_world_colliders(world);
    sn_status status = append(world, own, collider, error);
    if (status) return status;
    status = refit(world, error);
    if (status) {
        remove_at(world, own, own->count - 1);
        refit(world, NULL);
        return status;
    }
    if (id) *id = own->next_id - 1;
    return SN_OK;
}

sn_status sn_world_change_collider(sn_world *world, int id, const sn_collider *collider, sn_error *error) {
    sn_colliders *own = sn_world_colliders(world);
    const int at = find(own, id, error);
    if (at < 0) return SN_BAD_INPUT;
    sn_collider_model made, old = own->collider[at];
    sn_status status = sn_collider_model_create(world->context, collider, &made, error);
    if (status) return status;
    own->collider[at] = made;
    status = refit(world, error);
    if (status) own->collider[at] = old;
    sn_collider_model_destroy(world->context, status ? &made : &old);
    if (status) refit(world, NULL);
    return status;
}

sn_status sn_world_remove_collider(sn_world *world, int id, sn_error *error) {
    sn_colliders *own = sn_world_colliders(world);
    const int at = find(own, id, error);
    if (at < 0) return SN_BAD_INPUT;
    remove_at(world, own, at);
    return refit(world, error);
}

/* ---- Looking ---- */
int sn_world_collider_count(const sn_world *world) { return sn_world_colliders(world)->count; }

static const sn_collider_model *find_model(const sn_world *world, int collider) {
    const sn_colliders *own = sn_world_colliders(world);
    return collider >= 0 && collider < own->count ? &own->collider[collider] : NULL;
}

sn_collider sn_world_collider(const sn_world *world, int collider) {
    const sn_collider_model *model = find_model(world, collider);
    return model ? sn_collider_shown(model, world->state.time) : sn_collider_default();
}

sn_status sn_world_collider_pose(const sn_world *world, int collider, double pose[12]) {
    const sn_collider_model *model = find_model(world, collider);
    if (!model) return SN_BAD_INPUT;
    sn_pose now;
    double origin[3] = {0}, b[3];
    sn_collider_at(model, world->state.time, &now);
    sn_collider_move(model, &now, origin, b);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) pose[4 * i + j] = now.turned ? now.R[3 * i + j] : i == j;
        pose[4 * i + 3] = b[i];
    }
    return SN_OK;
}

sn_status sn_world_collider_drawing(const sn_world *world, int collider, sn_drawing **drawing, sn_error *error) {
    const sn_collider_model *model = find_model(world, collider);
    if (!model)
        return sn_fail(error, SN_BAD_INPUT, "collider %d; the world has %d", collider, sn_world_collider_count(world));
    return sn_collider_draw(world->context, model, drawing, error);
}
