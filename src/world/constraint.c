/* Held and moved nodes.
 *
 * Each axis of a node belongs to the last fix that holds it. A fix puts a node with rest position X at
 *   x(t) = p + R(s(t) angle) (X - p) + d(t),   d = s(t) displacement, or the keys
 * with s its ramp, and gives it the velocity x'(t), at kinks that of the piece that ends there. Pins and isolated nodes stay where they
 * are. */
#include <math.h>
#include <string.h>

#include "base/keys.h"
#include "base/math3.h"
#include "world.h"

static sn_status check_fix(const sn_fix *fix, sn_error *error) {
    if (!fix->axis[0] && !fix->axis[1] && !fix->axis[2]) return sn_fail(error, SN_BAD_INPUT, "no axis is held; name some of x, y, z");
    for (int a = 0; a < 3; ++a)
        if (!isfinite(fix->displacement[a])) return sn_fail(error, SN_BAD_INPUT, "the displacement is not finite");
    if (fix->ramp.given && !(isfinite(fix->ramp.begin) && isfinite(fix->ramp.end) && fix->ramp.begin <= fix->ramp.end))
        return sn_fail(error, SN_BAD_INPUT, "ramp [%g, %g] must have two times in ascending order", fix->ramp.begin, fix->ramp.end);
    if (fix->key_count < 0 || (fix->key_count > 0 && !fix->key))
        return sn_fail(error, SN_BAD_INPUT, "%d keys without numbers", fix->key_count);
    for (int i = 0; i < 4 * fix->key_count; ++i)
        if (!isfinite(fix->key[i])) return sn_fail(error, SN_BAD_INPUT, "key %d is not finite", i / 4);
    for (int i = 1; i < fix->key_count; ++i)
        if (!(fix->key[4 * i] > fix->key[4 * i - 4]))
            return sn_fail(error, SN_BAD_INPUT, "the times of keys must ascend; key %d has %g after %g", i, fix->key[4 * i],
                           fix->key[4 * i - 4]);
    if (!fix->turning) return SN_OK;
    const double length = sn_norm3(fix->turn_axis);
    if (!(length > 0) || isinf(length)) return sn_fail(error, SN_BAD_INPUT, "the axis of the turn has no direction");
    if (!isfinite(fix->turn_degrees) || !isfinite(sn_norm3(fix->turn_point))) return sn_fail(error, SN_BAD_INPUT, "the turn is not finite");
    return SN_OK;
}

static sn_status take_fix(sn_world *world, int body, const sn_fix *fix, sn_error *error) {
    sn_model *model = &world->model;
    const sn_body *b = &model->body[body];
    sn_status status = check_fix(fix, error);
    if (status) return status;
    sn_fix *own = &model->fix[model->fix_count];
    *own = *fix;
    memset(&own->select, 0, sizeof own->select);
    own->key = NULL;
    if (fix->key_count > 0) {
        double *key = sn_allocate(world->context, (size_t)fix->key_count * 4, sizeof *key);
        if (!key) return sn_no_memory(error);
        memcpy(key, fix->key, (size_t)fix->key_count * 4 * sizeof *key);
        own->key = key;
    }
    const int index = model->fix_count++;
    uint8_t *mask = sn_allocate_zero(world->context, (size_t)b->mesh->node_count, 1);
    if (!mask) return sn_no_memory(error);
    status = sn_mesh_select(b->mesh, &fix->select, mask, NULL, error);
    for (int i = 0; i < b->mesh->node_count && !status; ++i)
        for (int a = 0; a < 3 && mask[i]; ++a)
            if (fix->axis[a]) model->fix_of[3 * (size_t)model->compiled[b->node_first + i] + (size_t)a] = index;
    sn_release(world->context, mask);
    return status;
}

sn_status sn_model_fixes(sn_world *world, const sn_world_options *options, sn_error *error) {
    sn_model *model = &world->model;
    int count = 0;
    for (int b = 0; b < options->body_count; ++b) count += options->body[b].fix_count;
    model->fix = sn_allocate_zero(world->context, (size_t)count, sizeof *model->fix);
    model->fix_of = sn_allocate(world->context, (size_t)model->node_count * 3, sizeof *model->fix_of);
    if (!model->fix || !model->fix_of) return sn_no_memory(error);
    for (int i = 0; i < 3 * model->node_count; ++i) model->fix_of[i] = SN_FREE;
    for (int b = 0; b < options->body_count; ++b)
        for (int i = 0; i < options->body[b].fix_count; ++i) {
            const sn_status status = take_fix(world, b, &options->body[b].fix[i], error);
            if (status) return sn_prefix(error, status, model->body[b].name, "fix", i);
        }
    for (int b = 0; b < model->body_count; ++b) /* plane bodies stay in their plane */
        for (int i = 0; i < 3 * model->body[b].mesh->node_count; ++i)
            if (model->body[b].element->held >> i % 3 & 1) model->fix_of[3 * (size_t)model->body[b].node_first + (size_t)i] = SN_IN_PLACE;
    for (int i = 0; i < model->node_count; ++i)
        for (int a = 0; a < 3 && model->isolated[i]; ++a) model->fix_of[3 * (size_t)i + (size_t)a] = SN_IN_PLACE;
    return SN_OK;
}

/* Makes room for all held nodes, then lists them. */
sn_status sn_constraints_update(sn_world *world, sn_error *error) {
    sn_workspace *work = &world->workspace;
    const int nodes = world->model.node_count;
    int count = 0;
    for (int i = 0; i < nodes; ++i) {
        const int32_t *fix = world->model.fix_of + 3 * (size_t)i;
        count += fix[0] != SN_FREE || fix[1] != SN_FREE || fix[2] != SN_FREE || world->state.pinned[i] != 0;
    }
    sn_status status = sn_grow(world->context, (void **)&work->held, &work->held_capacity, count, sizeof *work->held, error);
    if (!status)
        status = sn_grow(world->context, (void **)&work->filter.node, &work->filter_capacity, count, sizeof *work->filter.node, error);
    if (!status)
        status = sn_grow(world->context, (void **)&work->filter.projection, &work->projection_capacity, count,
                         9 * sizeof *work->filter.projection, error);
    if (!status) status = sn_projection_reserve(&work->projection, count, error);
    if (status) return status;
    work->held_count = 0;
    for (int i = 0; i < nodes; ++i) {
        const int32_t *fix = world->model.fix_of + 3 * (size_t)i;
        sn_held held = {.node = i, .fix = {fix[0], fix[1], fix[2]}};
        for (int a = 0; a < 3; ++a)
            if (held.fix[a] == SN_FREE && world->state.pinned[i] != 0) held.fix[a] = SN_IN_PLACE;
        if (held.fix[0] == SN_FREE && held.fix[1] == SN_FREE && held.fix[2] == SN_FREE) continue;
        double *projection = work->filter.projection + 9 * (size_t)work->held_count;
        memset(projection, 0, 9 * sizeof *projection);
        for (int a = 0; a < 3; ++a) projection[4 * a] = held.fix[a] == SN_FREE ? 1 : 0;
        work->filter.node[work->held_count] = i;
        work->held[work->held_count++] = held;
    }
    work->filter.count = work->held_count;
    work->constraints_changed = true;
    return SN_OK;
}

static void motion_at(const sn_fix *fix, double t, bool is_static, sn_motion *m) {
    double rate;
    const double s = sn_ramp_value(&fix->ramp, t, is_static, &rate);
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(m->R, one, sizeof one);
    for (int a = 0; a < 3; ++a) {
        m->point[a] = fix->turn_point[a];
        m->offset[a] = s * fix->displacement[a];
        m->rate[a] = rate * fix->displacement[a];
        m->spin[a] = 0;
    }
    if (fix->key_count > 0) sn_keys_at(fix->key, fix->key_count, t, m->offset, m->rate);
    if (!fix->turning) return;
    sn_axis_rotation3(fix->turn_axis, s * fix->turn_degrees, m->R);
    const double speed = rate * fix->turn_degrees * 0.017453292519943295 / sn_norm3(fix->turn_axis);
    for (int a = 0; a < 3; ++a) m->spin[a] = speed * fix->turn_axis[a];
}

static void place(const sn_fix *fix, const sn_motion *m, const double X[3], double x[3], double v[3]) {
    double arm[3] = {0}, whirl[3] = {0};
    if (fix->turning) {
        double from[3];
        sn_subtract3(X, m->point, from);
        sn_multiply_vector3(m->R, from, arm);
        sn_cross3(m->spin, arm, whirl);
    }
    for (int a = 0; a < 3; ++a) {
        x[a] = (fix->turning ? m->point[a] + arm[a] : X[a]) + m->offset[a];
        v[a] = m->rate[a] + whirl[a];
    }
}

void sn_constraints_apply(sn_world *world, double t, double *x, double *v) {
    const sn_model *model = &world->model;
    if (x) sn_cores_retract(world, x, v);
    sn_workspace *work = &world->workspace;
    for (int i = 0; i < model->fix_count; ++i) motion_at(&model->fix[i], t, world->parameters.is_static, &work->motion[i]);
    for (int i = 0; i < work->held_count; ++i) {
        const sn_held *held = &work->held[i];
        const size_t at = 3 * (size_t)held->node;
        int32_t last = SN_FREE;
        double to[3] = {0}, speed[3] = {0};
        for (int a = 0; a < 3; ++a) {
            const int32_t fix = held->fix[a];
            if (fix == SN_FREE) continue;
            if (fix >= 0 && fix != last) place(&model->fix[fix], &work->motion[fix], model->rest + at, to, speed);
            if (fix >= 0) last = fix;
            if (x) x[at + (size_t)a] = fix >= 0 ? to[a] : work->x_before[at + (size_t)a];
            if (v) v[at + (size_t)a] = fix >= 0 && !world->parameters.no_inertia ? speed[a] : 0;
        }
    }
    sn_projection_apply(&work->projection, t, x, world->parameters.no_inertia ? NULL : v);
}

void sn_constraints_acceleration(sn_world *world, double t, double *a) {
    const sn_model *model = &world->model;
    sn_workspace *work = &world->workspace;
    for (int i = 0; i < model->fix_count; ++i) motion_at(&model->fix[i], t, world->parameters.is_static, &work->motion[i]);
    for (int i = 0; i < work->held_count; ++i) {
        const sn_held *held = &work->held[i];
        const size_t at = 3 * (size_t)held->node;
        for (int axis = 0; axis < 3; ++axis) {
            const int32_t fix = held->fix[axis];
            if (fix == SN_FREE) continue;
            double to[3], speed[3], inwards[3] = {0};
            if (fix >= 0 && model->fix[fix].turning) {
                place(&model->fix[fix], &work->motion[fix], model->rest + at, to, speed);
                sn_subtract3(speed, work->motion[fix].rate, speed);
                sn_cross3(work->motion[fix].spin, speed, inwards);
            }
            a[at + (size_t)axis] = inwards[axis];
        }
    }
}
