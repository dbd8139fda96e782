/* Looking at a world: positions and velocities in user numbers, energies, momentum, hash. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/math3.h"
#include "inside.h"

double sn_world_time(const sn_world *world) { return world->state.time; }
int64_t sn_world_steps(const sn_world *world) { return world->state.steps; }
int sn_world_node_count(const sn_world *world) { return world->model->node_count; }
int sn_world_element_count(const sn_world *world) { return world->model->element_count; }
int sn_world_body_count(const sn_world *world) { return world->model->body_count; }
int sn_world_find_body(const sn_world *world, const char *name) { return sn_model_find_body(world->model, name); }

const sn_mesh *sn_world_body_mesh(const sn_world *world, int body) {
    return sn_model_check_body(world->model, body, NULL) ? NULL : world->model->body[body].mesh;
}

const sn_embedding *sn_world_body_surface(const sn_world *world, int body) {
    return sn_model_check_body(world->model, body, NULL) ? NULL : world->model->body[body].surface;
}

const char *sn_world_body_name(const sn_world *world, int body) {
    return sn_model_check_body(world->model, body, NULL) ? NULL : world->model->body[body].name;
}

sn_status sn_world_element_materials(const sn_world *world, int body, int32_t *material) {
    const sn_status status = sn_model_check_body(world->model, body, NULL);
    if (status) return status;
    const sn_body *b = &world->model->body[body];
    memcpy(material, b->material, (size_t)b->mesh->tet_count * sizeof *material);
    return SN_OK;
}

int sn_world_node(const sn_world *world, int body, int node) {
    return sn_model_check_node(world->model, body, node, NULL) ? -1 : sn_model_node(world->model, body, node);
}

sn_status sn_world_get(const sn_world *world, int body, double *position, double *velocity) {
    const sn_status status = sn_model_check_body(world->model, body, NULL);
    if (status) return status;
    const sn_body *b = &world->model->body[body];
    for (int i = 0; i < b->mesh->node_count; ++i) {
        const size_t at = 3 * (size_t)world->model->compiled[b->node_first + i];
        if (position) memcpy(position + 3 * (size_t)i, world->state.x + at, 3 * sizeof(double));
        if (velocity) memcpy(velocity + 3 * (size_t)i, world->state.v + at, 3 * sizeof(double));
    }
    return SN_OK;
}

/* Sets positions and velocities. Held components stay on their path; multi-step methods start anew. */
sn_status sn_world_put(sn_world *world, int body, const double *position, const double *velocity, sn_error *error) {
    const sn_status status = sn_model_check_body(world->model, body, error);
    if (status) return status;
    const sn_body *b = &world->model->body[body];
    for (int i = 0; i < 3 * b->mesh->node_count; ++i)
        if ((position && !isfinite(position[i])) || (velocity && !isfinite(velocity[i])))
            return sn_fail(error, SN_NOT_FINITE, "body '%s': a position or velocity of node %d is not finite", b->name,
                           i / 3);
    for (int i = 0; i < b->mesh->node_count; ++i) {
        const size_t at = 3 * (size_t)world->model->compiled[b->node_first + i];
        if (position) memcpy(world->state.x + at, position + 3 * (size_t)i, 3 * sizeof(double));
        if (velocity) memcpy(world->state.v + at, velocity + 3 * (size_t)i, 3 * sizeof(double));
    }
    sn_details_settle(world);
    sn_state_forget(&world->state, "history");
    sn_state_forget(&world->state, "accelerations");
    sn_workspace_refresh(world);
    sn_world_constrain(world, world->state.time, world->state.x, world->state.v, NULL);
    sn_workspace_refresh(world);
    sn_world_rotations(world);
    sn_memory_start(world);
    return SN_OK;
}

sn_status sn_world_energies(sn_world *world, sn_energies *energies, sn_error *error) {
    const int n = world->model->node_count;
    sn_workspace *work = &world->workspace;
    sn_energies e = {0};
    const sn_status status = sn_memory_energy(world, &e.elastic, error);
    if (status) return status;
    e.kinetic = sn_world_kinetic(world, world->state.v, work->product);
    const double *weight = world->parameters.no_inertia ? world->solid->weight_exact : world->solid->weight;
    double moment[3];
    sn_vector_moment(world->context, n, weight, world->state.x, moment);
    e.gravity = -sn_dot3(world->parameters.gravity, moment);
    e.total = e.kinetic + e.elastic + e.gravity;
    *energies = e;
    return SN_OK;
}

void sn_world_momentum(const sn_world *world, double linear[3], double angular[3]) {
    double *p = world->workspace.product;
    sn_world_mass_product(world, world->state.v, p);
    for (int a = 0; a < 3; ++a) linear[a] = angular[a] = 0;
    for (int i = 0; i < world->model->node_count; ++i) {
        double turn[3];
        sn_cross3(world->state.x + 3 * (size_t)i, p + 3 * (size_t)i, turn);
        for (int a = 0; a < 3; ++a) linear[a] += p[3 * (size_t)i + (size_t)a], angular[a] += turn[a];
    }
}

void sn_world_hash(const sn_world *world, char text[17]) {
    uint64_t hash = sn_hash(SN_HASH_START, &world->state.time, sizeof world->state.time);
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < world->model->node_count; ++i)
            hash = sn_hash(hash, (pass ? world->state.v : world->state.x) + 3 * (size_t)world->model->compiled[i],
                           3 * sizeof(double));
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}
