/* Colliders of a world: copies, motion, gap. See collider_model.h. */
#include "collider_model.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/keys.h"
#include "base/math3.h"

/* ---- Copies ---- */

static const double *copy_keys(sn_context *context, const double *key, int numbers) {
    double *copy = sn_allocate(context, (size_t)numbers, sizeof *copy);
    if (copy) memcpy(copy, key, (size_t)numbers * sizeof *copy);
    return copy;
}

static sn_status copy_options(sn_context *context, const sn_collider *source, sn_collider *own, sn_error *error) {
    *own = *source;
    own->key = own->turn.key = NULL;
    own->mesh = NULL;
    own->height = NULL;
    if (source->key_count > 0) {
        own->key = copy_keys(context, source->key, 4 * source->key_count);
        if (!own->key) return sn_no_memory(error);
    }
    if (source->turn.key_count > 0) {
        own->turn.key = copy_keys(context, source->turn.key, 2 * source->turn.key_count);
        if (!own->turn.key) return sn_no_memory(error);
    }
    if (source->height) {
        own->height = copy_keys(context, source->height, source->rows * source->columns);
        if (!own->height) return sn_no_memory(error);
    }
    if (!source->mesh) return SN_OK;
    sn_mesh *mesh = NULL;
    const sn_status status = sn_mesh_copy(source->mesh, &mesh, error);
    own->mesh = mesh;
    return status;
}

static sn_status create(sn_context *context, const sn_collider *options, sn_collider_model *c, sn_error *error) {
    sn_status status = sn_collider_check(options, error);
    if (!status) status = copy_options(context, options, &c->options, error);
    if (status) return status;
    c->shape = sn_shape_find(options->shape);
    c->data = sn_allocate_zero(context, 1, c->shape->size);
    if (!c->data) return sn_no_memory(error);
    status = c->shape->create(context, &c->options, c->data, c->centre, error);
    if (status) return status;
    c->bound = c->shape->bound && !options->inside ? c->shape->bound(c->data) : INFINITY;
    memcpy(c->pivot, options->turn.has_point ? options->turn.point : c->centre, sizeof c->pivot);
    return SN_OK;
}

sn_status sn_collider_model_create(sn_context *context, const sn_collider *options, sn_collider_model *collider,
                                   sn_error *error) {
    *collider = (sn_collider_model){0};
    const sn_status status = create(context, options, collider, error);
    if (status) sn_collider_model_destroy(context, collider);
    return status;
}

void sn_collider_model_destroy(sn_context *context, sn_collider_model *collider) {
    if (collider->data && collider->shape->destroy) collider->shape->destroy(context, collider->data);
    sn_release(context, collider->data);
    sn_release(context, (void *)(uintptr_t)collider->options.key);
    sn_release(context, (void *)(uintptr_t)collider->options.turn.key);
    sn_release(context, (void *)(uintptr_t)collider->options.height);
    sn_mesh_destroy((sn_mesh *)(uintptr_t)collider->options.mesh);
    *collider = (sn_collider_model){0};
}

/* ---- Motion ---- */

bool sn_collider_moves(const sn_collider_model *collider) {
    return collider->options.key_count > 0 || collider->options.turn.key_count > 0;
}

bool sn_collider_can_pass(const sn_collider_model *collider) {
    return collider->shape->passed && !collider->options.inside; /* a node inside stays inside or ends in the wall */
}

void sn_collider_at(const sn_collider_model *collider, double t, sn_pose *pose) {
    const sn_collider_turn *turn = &collider->options.turn;
    sn_keys_at(collider->options.key, collider->options.key_count, t, pose->offset, pose->velocity);
    pose->turned = turn->key_count > 0;
    if (!pose->turned) return;
    double degrees, rate;
    sn_key_values_at(turn->key, turn->key_count, 1, t, &degrees, &rate);
    sn_axis_rotation3(turn->axis, degrees, pose->R);
    const double length = sn_norm3(turn->axis);
    for (int a = 0; a < 3; ++a) pose->spin[a] = rate * 0.017453292519943295 * turn->axis[a] / length;
}

/* out = R^T v. */
static void turn_back(const double R[9], const double v[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
}

/* From the coordinates of the scene to those of the shape. */
static void own_place(const sn_collider_model *c, const sn_pose *pose, const double x[3], double own[3]) {
    for (int a = 0; a < 3; ++a) own[a] = x[a] - c->centre[a] - pose->offset[a];
    if (!pose->turned) return;
    double arm[3], from[3];
    sn_subtract3(c->pivot, c->centre, arm);
    sn_subtract3(own, arm, from);
    turn_back(pose->R, from, own);
    for (int a = 0; a < 3; ++a) own[a] += arm[a];
}

/* R A R^T. */
static void turn_matrix(const double R[9], double A[9]) {
    double B[9] = {0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) B[3 * i + j] += R[3 * i + k] * A[3 * k + j];
    memset(A, 0, 9 * sizeof *A);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) A[3 * i + j] += B[3 * i + k] * R[3 * j + k];
}

double sn_collider_gap(const sn_collider_model *collider, const sn_pose *pose, const double x[3], double reach,
                       double n[3], sn_bend *bend) {
    double own[3], straight[3];
    own_place(collider, pose, x, own);
    if (collider->bound < INFINITY) {
        const double far = sn_norm3(own) - collider->bound;
        if (far > reach) return far;
    }
    if (collider->shape->least && !collider->options.inside) {
        const double far = collider->shape->least(collider->data, own);
        if (far > reach) return far;
    }
    double gap = collider->shape->gap(collider->data, own, n, bend);
    if (pose->turned) {
        memcpy(straight, n, sizeof straight);
        sn_multiply_vector3(pose->R, straight, n);
        if (bend && bend->curvature != 0) turn_matrix(pose->R, bend->across);
    }
    if (collider->options.inside) {
        gap = -gap;
        for (int a = 0; a < 3; ++a) n[a] = -n[a];
        if (bend) bend->curvature = -bend->curvature;
    }
    return gap;
}

void sn_collider_velocity(const sn_collider_model *collider, const sn_pose *pose, const double x[3], double w[3]) {
    memcpy(w, pose->velocity, 3 * sizeof *w);
    if (!pose->turned) return;
    double arm[3], turning[3];
    for (int a = 0; a < 3; ++a) arm[a] = x[a] - collider->pivot[a] - pose->offset[a];
    sn_cross3(pose->spin, arm, turning);
    for (int a = 0; a < 3; ++a) w[a] += turning[a];
}

void sn_collider_unmove(const sn_collider_model *collider, const sn_pose *pose, const double x[3], double rest[3]) {
    sn_subtract3(x, pose->offset, rest);
    if (!pose->turned) return;
    double arm[3];
    sn_subtract3(rest, collider->pivot, arm);
    turn_back(pose->R, arm, rest);
    for (int a = 0; a < 3; ++a) rest[a] += collider->pivot[a];
}

void sn_collider_move(const sn_collider_model *collider, const sn_pose *pose, const double rest[3], double x[3]) {
    double arm[3], turned[3];
    memcpy(turned, rest, sizeof turned);
    if (pose->turned) {
        sn_subtract3(rest, collider->pivot, arm);
        sn_multiply_vector3(pose->R, arm, turned);
        for (int a = 0; a < 3; ++a) turned[a] += collider->pivot[a];
    }
    for (int a = 0; a < 3; ++a) x[a] = turned[a] + pose->offset[a];
}

bool sn_collider_passed(const sn_collider_model *collider, double t0, const double x0[3], double t1,
                        const double x1[3]) {
    if (!sn_collider_can_pass(collider)) return false;
    sn_pose pose;
    double a[3], b[3];
    sn_collider_at(collider, t0, &pose);
    own_place(collider, &pose, x0, a);
    sn_collider_at(collider, t1, &pose);
    own_place(collider, &pose, x1, b);
    return collider->shape->passed(collider->data, a, b);
}

/* ---- Looking ---- */

/* First the turn [axis, degrees], then R: both together, again as axis and degrees. */
static void combine_turns(const double R[9], double turn[4]) {
    double own[9], all[9] = {0};
    sn_axis_rotation3(turn, turn[3], own);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) all[3 * i + j] += R[3 * i + k] * own[3 * k + j];
    /* The quaternion: its largest part is computed first, so that no division is by a small number. */
    const double w = 1 + all[0] + all[4] + all[8], x = 1 + all[0] - all[4] - all[8], y = 1 - all[0] + all[4] - all[8],
                 z = 1 - all[0] - all[4] + all[8];
    double q[4];
    if (w >= x && w >= y && w >= z)
        q[0] = w, q[1] = all[7] - all[5], q[2] = all[2] - all[6], q[3] = all[3] - all[1];
    else if (x >= y && x >= z)
        q[0] = all[7] - all[5], q[1] = x, q[2] = all[1] + all[3], q[3] = all[2] + all[6];
    else if (y >= z)
        q[0] = all[2] - all[6], q[1] = all[1] + all[3], q[2] = y, q[3] = all[5] + all[7];
    else
        q[0] = all[3] - all[1], q[1] = all[2] + all[6], q[2] = all[5] + all[7], q[3] = z;
    const double length = sn_norm3(q + 1);
    for (int a = 0; a < 3; ++a) turn[a] = length > 0 ? q[1 + a] / length : a == 2;
    turn[3] = 2 * atan2(length, q[0]) * 57.295779513082323;
}

sn_collider sn_collider_shown(const sn_collider_model *collider, double t) {
    sn_collider shown = collider->options;
    sn_pose pose;
    sn_collider_at(collider, t, &pose);
    for (int i = 0; i < collider->shape->parameter_count; ++i) {
        const sn_shape_parameter *parameter = &collider->shape->parameter[i];
        double value[4];
        memcpy(value, sn_collider_get(&collider->options, parameter->name), (size_t)parameter->count * sizeof *value);
        if (parameter->role == SN_ROLE_PLACE) sn_collider_move(collider, &pose, value, value);
        if (parameter->role == SN_ROLE_DIRECTION && pose.turned) {
            const double straight[3] = {value[0], value[1], value[2]};
            sn_multiply_vector3(pose.R, straight, value);
        }
        if (parameter->role == SN_ROLE_TURN && pose.turned) combine_turns(pose.R, value);
        sn_collider_set(&shown, parameter->name, value, parameter->count, NULL);
    }
    shown.key = shown.turn.key = NULL;
    shown.key_count = shown.turn.key_count = 0;
    return shown;
}

sn_status sn_collider_draw(sn_context *context, const sn_collider_model *collider, sn_drawing **drawing,
                           sn_error *error) {
    sn_drawing *d = sn_allocate_zero(context, 1, sizeof *d);
    if (!d) return sn_no_memory(error);
    d->context = context;
    d->inside = collider->options.inside;
    const sn_status status = collider->shape->draw(collider->data, d, error);
    if (status) {
        sn_drawing_destroy(d);
        return status;
    }
    for (int i = 0; i < 3 * d->vertex_count; ++i) d->position[i] += collider->centre[i % 3];
    *drawing = d;
    return SN_OK;
}
