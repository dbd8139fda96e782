/* Fixes and pins: nodes that are held in place or moved along a path.
 *
 * When several fixes hold the same axis of a node, the last one counts. A fix puts a node with rest position X at
 *
 *   x(t) = p + R(s(t) angle) (X - p) + d(t),   d(t) = s(t) displacement, or the keys;   s: the ramp
 *
 * and gives it the velocity x'(t). At a kink of the path this is the velocity of the piece that ends there.
 *
 * Pinned nodes, isolated nodes and the z axis of plane bodies stay at their place. The numbers in the state are the
 * pins: 1 or 0 per node. */
#include "fixes.h"

#include <math.h>
#include <string.h>

#include "adaptive.h"
#include "base/keys.h"
#include "base/math3.h"
#include "cores.h"
#include "fem/load.h"
#include "inside.h"

enum { FREE = -1, IN_PLACE = -2 };

typedef struct item {
    int id;
    sn_fix fix; /* owns its keys; its selector is empty, because the nodes are listed below */
    int node_count;
    int32_t *node; /* node_count, compiled numbers */
} item;

/* A held node. For each axis: the index of the fix that holds it, or FREE, or IN_PLACE. */
typedef struct held_node {
    int32_t node, fix[3];
} held_node;

/* The motion of a fix at one time: x = point + R (X - point) + offset. */
typedef struct motion {
    double point[3], R[9], offset[3], rate[3], spin[3];
} motion;

typedef struct fixes {
    int count, capacity, motion_capacity, next_id;
    item *item;
    motion *motion;  /* per item */
    int32_t *fix_of; /* nodes x 3: index of the item that holds the axis, or FREE, or IN_PLACE */
    int held_count, held_capacity, node_capacity, projection_capacity;
    held_node *held;
    sn_filter filter;
} fixes;

static fixes *fixes_of(const sn_world *world) { return sn_interaction_of(world, &sn_kind_fixes)->data; }

/* ---- The list ---- */
static void release_item(sn_context *context, item *it) {
    sn_release(context, (void *)(uintptr_t)it->fix.key);
    sn_release(context, it->node);
    *it = (item){0};
}

static sn_status copy_keys(sn_context *context, item *it, sn_error *error) {
    const double *source = it->fix.key;
    it->fix.key = NULL;
    if (it->fix.key_count == 0) return SN_OK;
    double *key = sn_allocate(context, (size_t)it->fix.key_count * 4, sizeof *key);
    if (!key) return sn_no_memory(error);
    memcpy(key, source, (size_t)it->fix.key_count * 4 * sizeof *key);
    it->fix.key = key;
    return SN_OK;
}

static sn_status take_nodes(const sn_world *world, int body, const sn_selector *select, item *it, sn_error *error) {
    const sn_mesh *mesh = world->model->body[body].mesh;
    uint8_t *mask = sn_allocate_zero(world->context, (size_t)mesh->node_count, 1);
    if (!mask) return sn_no_memory(error);
    sn_status status = sn_within(error, sn_mesh_select(mesh, select, mask, NULL, error), "select");
    for (int i = 0; i < mesh->node_count && !status; ++i) it->node_count += mask[i];
    if (!status) it->node = sn_allocate(world->context, (size_t)it->node_count, sizeof *it->node);
    if (!status && !it->node) status = sn_no_memory(error);
    for (int i = 0, n = 0; i < mesh->node_count && !status; ++i)
        if (mask[i]) it->node[n++] = sn_model_node(world->model, body, i);
    sn_release(world->context, mask);
    return status;
}

/* A slave of an adaptive body follows its parents, whatever holds it: a fix of slaves alone would hold nothing. */
static sn_status check_free(const sn_world *world, int body, const item *it, sn_error *error) {
    for (int i = 0; i < it->node_count; ++i)
        if (sn_adaptive_kind(world, it->node[i]) == SN_NODE_FREE) return SN_OK;
    return sn_fail_at(
        error, SN_BAD_INPUT, "select",
        "the fix would hold nothing: all its nodes (%d) lie inside coarser tets of the adaptive body '%s'; "
        "select more nodes, or keep the mesh fine there with adapt.select",
        it->node_count, world->model->body[body].name);
}

static sn_status make_item(const sn_world *world, int body, const sn_fix *fix, item *it, sn_error *error) {
    sn_status status = sn_fix_check(fix, error);
    if (status) return status;
    *it = (item){.fix = *fix};
    memset(&it->fix.select, 0, sizeof it->fix.select);
    status = copy_keys(world->context, it, error);
    if (!status) status = take_nodes(world, body, &fix->select, it, error);
    for (int i = 0; i < it->node_count && !status; ++i)
        if (sn_cores_hold(world, it->node[i]))
            status =
                sn_fail_at(error, SN_BAD_INPUT, "select",
                           "a selected node belongs to a rigid core, which moves freely; pull the core with a grab");
    if (!status) status = check_free(world, body, it, error);
    if (status) release_item(world->context, it);
    return status;
}

/* Makes room for one more item. */
static sn_status reserve_item(const sn_world *world, fixes *own, sn_error *error) {
    sn_status status =
        sn_grow(world->context, (void **)&own->item, &own->capacity, own->count + 1, sizeof *own->item, error);
    if (!status)
        status = sn_grow(world->context, (void **)&own->motion, &own->motion_capacity, own->count + 1,
                         sizeof *own->motion, error);
    return status;
}

static void fill_axes(const sn_world *world, fixes *own) {
    const sn_model *model = world->model;
    for (int i = 0; i < 3 * model->node_count; ++i) own->fix_of[i] = FREE;
    for (int f = 0; f < own->count; ++f)
        for (int i = 0; i < own->item[f].node_count; ++i)
            for (int a = 0; a < 3; ++a)
                if (own->item[f].fix.axis[a]) own->fix_of[3 * (size_t)own->item[f].node[i] + (size_t)a] = f;
    for (int b = 0; b < model->body_count; ++b) /* plane bodies stay in their plane */
        for (int i = 0; i < 3 * model->body[b].mesh->node_count; ++i)
            if (model->body[b].element->held >> i % 3 & 1)
                own->fix_of[3 * (size_t)model->body[b].node_first + (size_t)i] = IN_PLACE;
    for (int i = 0; i < model->node_count; ++i)
        for (int a = 0; a < 3 && model->isolated[i]; ++a) own->fix_of[3 * (size_t)i + (size_t)a] = IN_PLACE;
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    fixes *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    own->fix_of = sn_allocate(world->context, (size_t)world->model->node_count * 3, sizeof *own->fix_of);
    if (!own->fix_of) return sn_no_memory(error);
    for (int b = 0; b < options->body_count; ++b)
        for (int i = 0; i < options->body[b].fix_count; ++i) {
            sn_status status = reserve_item(world, own, error);
            if (!status) status = make_item(world, b, &options->body[b].fix[i], &own->item[own->count], error);
            if (status) return sn_within(error, status, "bodies.%d.fix.%d", b, i);
            own->item[own->count++].id = own->next_id++;
        }
    fill_axes(world, own);
    return SN_OK;
}

static void destroy(sn_world *world, sn_interaction *self) {
    fixes *own = self->data;
    if (!own) return;
    for (int i = 0; i < own->count; ++i) release_item(world->context, &own->item[i]);
    void *const array[] = {own->item, own->motion, own->fix_of, own->held, own->filter.node, own->filter.projection,
                           own};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
}

static int64_t numbers(const sn_world *world, const sn_interaction *self) {
    (void)self;
    return world->model->node_count;
}

/* ---- Held nodes ---- */
static held_node held_at(const fixes *own, const double *pinned, int32_t node) {
    const int32_t *fix = own->fix_of + 3 * (size_t)node;
    held_node held = {.node = node, .fix = {fix[0], fix[1], fix[2]}};
    for (int a = 0; a < 3; ++a)
        if (held.fix[a] == FREE && pinned[node] != 0) held.fix[a] = IN_PLACE;
    return held;
}

static bool is_free(const held_node *held) {
    return held->fix[0] == FREE && held->fix[1] == FREE && held->fix[2] == FREE;
}

sn_status sn_fixes_update(sn_world *world, sn_error *error) {
    const sn_interaction *self = sn_interaction_of(world, &sn_kind_fixes);
    fixes *own = self->data;
    int count = 0;
    for (int i = 0; i < world->model->node_count; ++i) {
        const held_node held = held_at(own, self->number, i);
        count += !is_free(&held);
    }
    sn_filter *filter = &own->filter;
    sn_status status =
        sn_grow(world->context, (void **)&own->held, &own->held_capacity, count, sizeof *own->held, error);
    if (!status)
        status =
            sn_grow(world->context, (void **)&filter->node, &own->node_capacity, count, sizeof *filter->node, error);
    if (!status)
        status = sn_grow(world->context, (void **)&filter->projection, &own->projection_capacity, count,
                         9 * sizeof *filter->projection, error);
    if (status) return status;
    own->held_count = 0;
    for (int i = 0; i < world->model->node_count; ++i) {
        const held_node held = held_at(own, self->number, i);
        if (is_free(&held)) continue;
        double *projection = filter->projection + 9 * (size_t)own->held_count;
        memset(projection, 0, 9 * sizeof *projection);
        for (int a = 0; a < 3; ++a) projection[4 * a] = held.fix[a] == FREE ? 1 : 0;
        filter->node[own->held_count] = i;
        own->held[own->held_count++] = held;
    }
    filter->count = own->held_count;
    world->workspace.constraints_changed = true;
    return SN_OK;
}

bool sn_fixes_hold(const sn_world *world, int32_t node) {
    const int32_t *fix = fixes_of(world)->fix_of + 3 * (size_t)node;
    return fix[0] != FREE || fix[1] != FREE || fix[2] != FREE;
}

static const sn_filter *filter(const sn_world *world, const sn_interaction *self, const sn_filter *before) {
    (void)world, (void)before; /* fixes come first in the list: there is no filter before them */
    return &((const fixes *)self->data)->filter;
}

static void holds(const sn_world *world, const sn_interaction *self, sn_hold *hold, void *user) {
    (void)world;
    const fixes *own = self->data;
    const double one = 1;
    for (int h = 0; h < own->held_count; ++h)
        for (int a = 0; a < 3; ++a)
            if (own->held[h].fix[a] != FREE) hold(user, 1, &own->held[h].node, &one, a);
}

static void support(const sn_world *world, const sn_interaction *self, const double *balance, double *force) {
    (void)world;
    const fixes *own = self->data;
    for (int h = 0; h < own->held_count; ++h)
        for (int a = 0; a < 3; ++a) {
            const size_t at = 3 * (size_t)own->held[h].node + (size_t)a;
            if (own->held[h].fix[a] != FREE) force[at] = balance[at];
        }
}

/* ---- Motion ---- */
static void motion_at(const sn_fix *fix, double t, bool is_static, motion *m) {
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

static void place(const sn_fix *fix, const motion *m, const double X[3], double x[3], double v[3]) {
    if (!fix->turning) {
        for (int a = 0; a < 3; ++a) x[a] = X[a] + m->offset[a], v[a] = m->rate[a] + 0.0; /* no negative zero */
        return;
    }
    double from[3], arm[3], whirl[3];
    sn_subtract3(X, m->point, from);
    sn_multiply_vector3(m->R, from, arm);
    sn_cross3(m->spin, arm, whirl);
    for (int a = 0; a < 3; ++a) {
        x[a] = m->point[a] + arm[a] + m->offset[a];
        v[a] = m->rate[a] + whirl[a];
    }
}

static void move_all(const sn_world *world, fixes *own, double t) {
    for (int i = 0; i < own->count; ++i) motion_at(&own->item[i].fix, t, world->parameters.is_static, &own->motion[i]);
}

/* The acceleration of a node with rest position X in a turn: towards its axis. */
static void turn_inwards(const fixes *own, int32_t fix, const double X[3], double inwards[3]) {
    double to[3], speed[3];
    place(&own->item[fix].fix, &own->motion[fix], X, to, speed);
    sn_subtract3(speed, own->motion[fix].rate, speed);
    sn_cross3(own->motion[fix].spin, speed, inwards);
}

/* Writes the accelerations of held nodes. Displacements have none, because they go in straight pieces; a turn has
 * one. */
static void accelerate(const sn_world *world, fixes *own, double t, double *a) {
    move_all(world, own, t);
    for (int i = 0; i < own->held_count; ++i) {
        const held_node *held = &own->held[i];
        const size_t at = 3 * (size_t)held->node;
        for (int axis = 0; axis < 3; ++axis) {
            const int32_t fix = held->fix[axis];
            if (fix == FREE) continue;
            a[at + (size_t)axis] = 0;
            if (fix == IN_PLACE || !own->item[fix].fix.turning) continue;
            double inwards[3];
            turn_inwards(own, fix, world->model->rest + at, inwards);
            a[at + (size_t)axis] = inwards[axis];
        }
    }
}

static void prescribe(sn_world *world, sn_interaction *self, double t, double *x, double *v, double *acceleration) {
    fixes *own = self->data;
    if (acceleration) accelerate(world, own, t, acceleration);
    if (!x && !v) return;
    const double *rest = world->model->rest, *before = world->workspace.x_before;
    move_all(world, own, t);
    for (int i = 0; i < own->held_count; ++i) {
        const held_node *held = &own->held[i];
        const size_t at = 3 * (size_t)held->node;
        int32_t last = FREE;
        double to[3] = {0}, speed[3] = {0};
        for (int a = 0; a < 3; ++a) {
            const int32_t fix = held->fix[a];
            if (fix == FREE) continue;
            if (fix >= 0 && fix != last) place(&own->item[fix].fix, &own->motion[fix], rest + at, to, speed);
            if (fix >= 0) last = fix;
            if (x) x[at + (size_t)a] = fix >= 0 ? to[a] : before[at + (size_t)a];
            if (v) v[at + (size_t)a] = fix >= 0 && !world->parameters.no_inertia ? speed[a] : 0;
        }
    }
}

/* A node that becomes a slave follows its parents. It stays where it is held and they are not. */
static void keep(sn_world *world, sn_interaction *self, const double *x, const double *d, uint8_t *stay) {
    (void)x, (void)d;
    const fixes *own = self->data;
    const sn_levels *levels = &world->model->levels;
    for (int i = 0; i < own->held_count; ++i) {
        const int32_t node = own->held[i].node, at = levels->place[node];
        if (at < levels->begin[1] || !sn_adaptive_at(world, node) || sn_adaptive_kind(world, node) != SN_NODE_FREE)
            continue;
        for (int k = 0; k < 2; ++k) {
            const held_node parent = held_at(own, self->number, levels->parent[2 * (size_t)at + (size_t)k]);
            for (int a = 0; a < 3; ++a)
                if (own->held[i].fix[a] != FREE && parent.fix[a] == FREE) stay[node] = 1;
        }
    }
}

const sn_interaction_kind sn_kind_fixes = {.create = create,
                                           .destroy = destroy,
                                           .numbers = numbers,
                                           .still = true,
                                           .filter = filter,
                                           .prescribe = prescribe,
                                           .holds = holds,
                                           .keep = keep,
                                           .support = support};

/* ---- Editing ---- */
/* Renews the held nodes after the list has changed. */
static sn_status refit(sn_world *world, fixes *own, sn_error *error) {
    fill_axes(world, own);
    const sn_status status = sn_fixes_update(world, error);
    if (!status) sn_world_edited(world);
    return status;
}

static int find(const fixes *own, int id) {
    for (int i = 0; i < own->count; ++i)
        if (own->item[i].id == id) return i;
    return -1;
}

static void remove_at(sn_world *world, fixes *own, int at) {
    release_item(world->context, &own->item[at]);
    memmove(own->item + at, own->item + at + 1, (size_t)(own->count - at - 1) * sizeof *own->item);
    --own->count;
}

sn_status sn_world_add_fix(sn_world *world, int body, const sn_fix *fix, int *id, sn_error *error) {
    fixes *own = fixes_of(world);
    sn_status status = sn_model_check_body(world->model, body, error);
    if (!status) status = reserve_item(world, own, error);
    if (!status) status = make_item(world, body, fix, &own->item[own->count], error);
    if (status) return status;
    own->item[own->count++].id = own->next_id++;
    status = refit(world, own, error);
    if (status) {
        remove_at(world, own, own->count - 1);
        fill_axes(world, own);
        return status;
    }
    if (id) *id = own->next_id - 1;
    return SN_OK;
}

sn_status sn_world_change_fix(sn_world *world, int id, int body, const sn_fix *fix, sn_error *error) {
    fixes *own = fixes_of(world);
    const int at = find(own, id);
    if (at < 0) return sn_fail(error, SN_BAD_INPUT, "there is no fix %d", id);
    item made, old = own->item[at];
    sn_status status = sn_model_check_body(world->model, body, error);
    if (!status) status = make_item(world, body, fix, &made, error);
    if (status) return status;
    made.id = id;
    own->item[at] = made;
    status = refit(world, own, error);
    if (status) {
        own->item[at] = old;
        fill_axes(world, own);
    }
    release_item(world->context, status ? &made : &old);
    return status;
}

sn_status sn_world_remove_fix(sn_world *world, int id, sn_error *error) {
    fixes *own = fixes_of(world);
    const int at = find(own, id);
    if (at < 0) return sn_fail(error, SN_BAD_INPUT, "there is no fix %d", id);
    remove_at(world, own, at);
    return refit(world, own, error);
}

sn_status sn_world_pin(sn_world *world, int body, int32_t node, bool pinned, sn_error *error) {
    sn_status status = sn_model_check_node(world->model, body, node, error);
    if (status) return status;
    const int32_t compiled = sn_model_node(world->model, body, node);
    if (pinned && sn_cores_hold(world, compiled))
        return sn_fail(error, SN_BAD_INPUT, "body '%s': node %d belongs to a rigid core and cannot be pinned",
                       world->model->body[body].name, node);
    double *pin = &sn_interaction_of(world, &sn_kind_fixes)->number[compiled], before = *pin;
    *pin = pinned ? 1 : 0;
    status = sn_fixes_update(world, error);
    if (status) {
        *pin = before;
        return status;
    }
    sn_interactions_prescribe(world, world->state.time, NULL, world->state.v, NULL);
    sn_world_edited(world);
    return SN_OK;
}

bool sn_world_pinned(const sn_world *world, int body, int32_t node) {
    if (sn_model_check_node(world->model, body, node, NULL)) return false;
    return sn_interaction_of(world, &sn_kind_fixes)->number[sn_model_node(world->model, body, node)] != 0;
}
