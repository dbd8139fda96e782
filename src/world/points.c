/* See points.h and sinew/point.h. */
#include "points.h"

#include <math.h>
#include <string.h>

#include "base/keys.h"
#include "base/math3.h"

/* ---- Finding ---- */
sn_status sn_world_find_point(const sn_world *world, int body, const double rest[3], sn_point *point, sn_error *error) {
    const sn_status status = sn_model_check_body(world->model, body, error);
    if (status) return status;
    const sn_body *b = &world->model->body[body];
    const int nodes = b->element->nodes;
    double best = -INFINITY, at[4] = {0};
    int found = -1;
    for (int e = 0; e < b->mesh->tet_count; ++e) {
        double L[4];
        const double inside =
            sn_element_locate(b->element, b->node + (size_t)e * (size_t)nodes, world->model->rest, rest, L);
        if (inside > best) best = inside, found = e, memcpy(at, L, sizeof at);
    }
    if (found < 0 || best < -1e-6)
        return sn_fail(error, SN_BAD_INPUT, "the point [%g, %g, %g] is not inside the body '%s' (of its rest shape)",
                       rest[0], rest[1], rest[2], b->name);
    double value[SN_ELEMENT_NODES], derivative[4 * SN_ELEMENT_NODES];
    b->element->shape(at, value, derivative);
    *point = (sn_point){.body = body};
    for (int i = 0; i < nodes; ++i) {
        if (fabs(value[i]) < 1e-12) continue;
        point->node[point->count] = b->mesh->tet[(size_t)found * (size_t)nodes + (size_t)i];
        point->weight[point->count++] = value[i];
    }
    return SN_OK;
}

/* ---- Gaps ---- */
static void add_point(const sn_world *world, const sn_point *point, double s, sn_gap *gap) {
    for (int i = 0; i < point->count; ++i) {
        const int32_t node = sn_model_node(world->model, point->body, point->node[i]);
        int k = 0;
        while (k < gap->count && gap->node[k] != node) ++k;
        if (k == gap->count) gap->node[k] = node, gap->weight[k] = 0, ++gap->count;
        gap->weight[k] += s * point->weight[i];
    }
}

sn_status sn_gap_create(const sn_world *world, int body, const double point[3], const char *other, const double to[3],
                        const double *key, int key_count, sn_gap *gap, sn_error *error) {
    sn_point found;
    *gap = (sn_gap){0};
    sn_status status = sn_world_find_point(world, body, point, &found, error);
    if (status) return sn_within(error, status, "point");
    add_point(world, &found, 1, gap);
    gap->first = gap->count;
    if (*other) {
        const int index = sn_model_find_body(world->model, other);
        if (index < 0) return sn_fail_at(error, SN_BAD_INPUT, "to.body", "there is no body '%.63s'", other);
        status = sn_world_find_point(world, index, to, &found, error);
        if (status) return sn_within(error, status, "to.at");
        add_point(world, &found, -1, gap);
    } else {
        memcpy(gap->target, to, sizeof gap->target);
    }
    if (key_count == 0) return SN_OK;
    gap->key = sn_allocate(world->context, (size_t)key_count * 4, sizeof *gap->key);
    if (!gap->key) return sn_no_memory(error);
    memcpy(gap->key, key, (size_t)key_count * 4 * sizeof *gap->key);
    gap->key_count = key_count;
    return SN_OK;
}

void sn_gap_release(const sn_world *world, sn_gap *gap) {
    sn_release(world->context, gap->key);
    gap->key = NULL;
}

void sn_gap_at(const sn_gap *gap, double t, const double *x, const double *v, double h[3], double *rate) {
    double offset[3], speed[3];
    sn_keys_at(gap->key, gap->key_count, t, offset, speed);
    for (int a = 0; a < 3; ++a) {
        h[a] = -gap->target[a] - offset[a];
        if (rate) rate[a] = -speed[a];
    }
    for (int i = 0; i < gap->count; ++i)
        for (int a = 0; a < 3; ++a) {
            const size_t at = 3 * (size_t)gap->node[i] + (size_t)a;
            h[a] += gap->weight[i] * x[at];
            if (rate && v) rate[a] += gap->weight[i] * v[at];
        }
}

void sn_gap_pull(const sn_gap *gap, const double pull[3], double *f) {
    for (int i = 0; i < gap->count; ++i)
        for (int a = 0; a < 3; ++a) f[3 * (size_t)gap->node[i] + (size_t)a] += gap->weight[i] * pull[a];
}

void sn_gap_draw(const sn_gap *gap, double t, const double *x, sn_glyph *glyph) {
    double h[3];
    sn_gap_at(gap, t, x, NULL, h, NULL);
    for (int a = 0; a < 3; ++a) {
        double from = 0;
        for (int i = 0; i < gap->first; ++i) from += gap->weight[i] * x[3 * (size_t)gap->node[i] + (size_t)a];
        glyph->from[a] = from, glyph->to[a] = from - h[a];
    }
}

/* ---- Connectors ---- */
static sn_status check(const sn_world *world, const sn_point *point, const double *vector, sn_error *error) {
    sn_status status = sn_model_check_body(world->model, point->body, error);
    if (!status && (point->count < 1 || point->count > SN_POINT_NODES))
        status =
            sn_fail(error, SN_BAD_INPUT, "a point has %d nodes; allowed are 1 to %d", point->count, SN_POINT_NODES);
    double sum = 0;
    for (int i = 0; i < point->count && !status; ++i) {
        status = sn_model_check_node(world->model, point->body, point->node[i], error);
        if (!status && !isfinite(point->weight[i]))
            status = sn_fail(error, SN_NOT_FINITE, "weight %d of a point is not finite", i);
        sum += point->weight[i];
    }
    if (!status && !(fabs(sum - 1) <= 1e-6))
        status = sn_fail(error, SN_BAD_INPUT, "the weights of a point have the sum %g; it must be 1", sum);
    for (int a = 0; a < 3 && vector && !status; ++a)
        if (!isfinite(vector[a]))
            status = sn_fail(error, SN_NOT_FINITE, "[%g, %g, %g] is not finite", vector[0], vector[1], vector[2]);
    return status;
}

/* p = J u */
static void gather(const sn_world *world, const sn_point *point, const double *u, double p[3]) {
    p[0] = p[1] = p[2] = 0;
    for (int i = 0; i < point->count; ++i) {
        const size_t at = 3 * (size_t)sn_model_node(world->model, point->body, point->node[i]);
        for (int a = 0; a < 3; ++a) p[a] += point->weight[i] * u[at + (size_t)a];
    }
}

/* f += J^T p */
static void spread(const sn_world *world, const sn_point *point, const double p[3], double *f) {
    for (int i = 0; i < point->count; ++i) {
        const size_t at = 3 * (size_t)sn_model_node(world->model, point->body, point->node[i]);
        for (int a = 0; a < 3; ++a) f[at + (size_t)a] += point->weight[i] * p[a];
    }
}

/* workspace.product = M^-1 J^T j in the free directions. */
static sn_status respond(sn_world *world, const sn_point *point, const double j[3], sn_error *error) {
    sn_workspace *work = &world->workspace;
    memset(work->scaled, 0, 3 * (size_t)world->model->node_count * sizeof *work->scaled);
    spread(world, point, j, work->scaled);
    return sn_world_mass_solve(world, work->scaled, work->product, error);
}

sn_status sn_world_point_motion(const sn_world *world, const sn_point *point, double position[3], double velocity[3],
                                sn_error *error) {
    const sn_status status = check(world, point, NULL, error);
    if (!status && position) gather(world, point, world->state.x, position);
    if (!status && velocity) gather(world, point, world->state.v, velocity);
    return status;
}

sn_status sn_world_point_inverse_mass(sn_world *world, const sn_point *point, double inverse[9], sn_error *error) {
    sn_status status = check(world, point, NULL, error);
    double column[3];
    for (int c = 0; c < 3 && !status; ++c) {
        const double unit[3] = {c == 0, c == 1, c == 2};
        status = respond(world, point, unit, error);
        if (!status) gather(world, point, world->workspace.product, column);
        for (int r = 0; r < 3 && !status; ++r) inverse[3 * r + c] = column[r];
    }
    return status;
}

/* The impulse that changes the velocity of the point by `change`: M_p change. */
static sn_status impulse_for(sn_world *world, const sn_point *point, const double change[3], double j[3],
                             sn_error *error) {
    double inverse[9], mass[9] = {0}, largest = 0;
    sn_status status = check(world, point, change, error);
    if (!status) status = sn_world_point_inverse_mass(world, point, inverse, error);
    if (status) return status;
    for (int i = 0; i < 3; ++i) largest = fmax(largest, inverse[4 * i]);
    const double determinant = sn_inverse3(inverse, mass);
    if (!(determinant > 1e-12 * largest * largest * largest))
        return sn_fail(error, SN_SINGULAR, "the point is held, so it cannot move in every direction");
    for (int r = 0; r < 3; ++r)
        j[r] = mass[3 * r] * change[0] + mass[3 * r + 1] * change[1] + mass[3 * r + 2] * change[2];
    return SN_OK;
}

sn_status sn_world_add_force(sn_world *world, const sn_point *point, const double force[3], sn_error *error) {
    const sn_status status = check(world, point, force, error);
    if (status) return status;
    sn_interaction *self = sn_interaction_of(world, &sn_kind_forces);
    spread(world, point, force, self->number);
    self->kind->refresh(world, self);
    sn_workspace_forget(world);
    return SN_OK;
}

sn_status sn_world_add_impulse(sn_world *world, const sn_point *point, const double impulse[3], sn_error *error) {
    sn_status status = check(world, point, impulse, error);
    if (!status) status = respond(world, point, impulse, error);
    if (status) return status;
    for (int i = 0; i < 3 * world->model->node_count; ++i) world->state.v[i] += world->workspace.product[i];
    sn_world_edited(world);
    return SN_OK;
}

sn_status sn_world_change_velocity(sn_world *world, const sn_point *point, const double change[3], sn_error *error) {
    double j[3];
    const sn_status status = impulse_for(world, point, change, j, error);
    return status ? status : sn_world_add_impulse(world, point, j, error);
}

sn_status sn_world_change_position(sn_world *world, const sn_point *point, const double change[3], sn_error *error) {
    const int n = 3 * world->model->node_count;
    double j[3];
    sn_status status = impulse_for(world, point, change, j, error);
    if (!status) status = respond(world, point, j, error);
    if (status) return status;
    for (int i = 0; i < n; ++i) world->state.x[i] += world->workspace.product[i];
    sn_interactions_retract(world, world->state.x);
    memcpy(world->workspace.x_before, world->state.x, (size_t)n * sizeof(double));
    sn_world_frames(world, world->state.time, world->state.time, world->state.x);
    sn_world_edited(world);
    return SN_OK;
}
