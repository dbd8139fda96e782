/* Where tools meet the surfaces, once per step. See tools.h and tool_proxy.h. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "contact/box_tree_query.h"
#include "inside.h"
#include "surfaces.h"
#include "tools.h"

enum { LOOKS = 256 };              /* triangles that a search looks at */
static const double SHARP = 0.643; /* cos 50 degrees: an edge whose normals differ by more is sharp */

/* ---- Surfaces ---- */

static void rest_normal(const sn_touch_surface *s, int32_t triangle, double n[3]) {
    const int32_t *v = s->triangle + 3 * (size_t)triangle;
    sn_area_vector3(s->rest + 3 * (size_t)v[0], s->rest + 3 * (size_t)v[1], s->rest + 3 * (size_t)v[2], n);
}

static void find_sharp(sn_tool_ground *ground) {
    const sn_touch_surface *s = ground->surface;
    for (int32_t t = 0; t < s->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            const int32_t other = s->neighbour[3 * (size_t)t + (size_t)k];
            double a[3], b[3];
            rest_normal(s, t, a);
            if (other >= 0) rest_normal(s, other, b);
            const bool sharp = other < 0 || !(sn_dot3(a, b) >= SHARP * sn_norm3(a) * sn_norm3(b));
            ground->sharp[t] = (uint8_t)(ground->sharp[t] | (sharp << k));
        }
}

sn_status sn_tools_ground(const sn_world *world, sn_tools *own, int body, sn_error *error) {
    sn_tool_ground *ground = &own->ground[body];
    if (ground->surface) return SN_OK;
    sn_tool_ground made = {.sheet = world->model->body[body].element->lay != NULL};
    sn_status status = sn_world_surface(world, body, &made.surface, error);
    const sn_touch_surface *s = made.surface;
    if (!status)
        status = sn_box_tree_create(world->context, s->rest, s->vertex_count, s->triangle, s->triangle_count,
                                    &made.tree, error);
    if (!status) made.sharp = sn_allocate_zero(world->context, (size_t)s->triangle_count, 1);
    if (!status && !made.sharp) status = sn_no_memory(error);
    if (status) {
        sn_tools_ground_release(world->context, &made);
        return status;
    }
    find_sharp(&made);
    *ground = made;
    return SN_OK;
}

void sn_tools_ground_release(const sn_context *context, sn_tool_ground *ground) {
    sn_touch_surface_destroy(ground->surface);
    sn_box_tree_destroy(ground->tree);
    sn_release(context, ground->sharp);
}

/* ---- The surface at x, as far as a search looks at it ---- */

typedef struct skin {
    const sn_tool_ground *ground;
    const double *x; /* nodes x 3 */
} skin;

static void vertex_at(const sn_touch_surface *s, const double *x, int32_t vertex, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int32_t c = s->carrier_first[vertex]; c < s->carrier_first[vertex + 1]; ++c)
        for (int a = 0; a < 3; ++a) out[a] += s->carrier_weight[c] * x[3 * (size_t)s->carrier_node[c] + (size_t)a];
}

static void corners_at(const skin *own, int32_t triangle, double x[3][3]) {
    const sn_touch_surface *s = own->ground->surface;
    for (size_t k = 0; k < 3; ++k) vertex_at(s, own->x, s->triangle[3 * (size_t)triangle + k], x[k]);
}

static void add_weighed(const skin *own, int32_t triangle, int k, double sum[3]) {
    double x[3][3], n[3];
    corners_at(own, triangle, x);
    sn_tool_weigh_corner((const double *const[3]){x[0], x[1], x[2]}, k, n);
    for (int a = 0; a < 3; ++a) sum[a] += n[a];
}

/* Adds the triangles around corner k in one direction, up to a sharp edge. Returns whether it came round. */
static bool add_fan(const skin *own, int32_t start, int k, bool forward, double sum[3]) {
    const sn_touch_surface *s = own->ground->surface;
    const int32_t vertex = s->triangle[3 * (size_t)start + (size_t)k];
    int32_t here = start;
    for (int i = 0; i < 64; ++i) {
        const int edge = forward ? k : (k + 2) % 3;
        if (own->ground->sharp[here] >> edge & 1) return false;
        here = s->neighbour[3 * (size_t)here + (size_t)edge];
        if (here == start) return true;
        for (k = 0; k < 2 && s->triangle[3 * (size_t)here + (size_t)k] != vertex; ++k) continue;
        add_weighed(own, here, k, sum);
    }
    return true;
}

static void corner_normal(const skin *own, int32_t triangle, int k, double n[3]) {
    n[0] = n[1] = n[2] = 0;
    add_weighed(own, triangle, k, n);
    if (!add_fan(own, triangle, k, true, n)) add_fan(own, triangle, k, false, n);
    const double size = sn_norm3(n);
    for (int a = 0; a < 3; ++a) n[a] /= size > 0 ? size : 1;
}

static void skin_face(const void *data, int32_t triangle, bool normals, sn_tool_face *face) {
    const skin *own = data;
    const sn_touch_surface *s = own->ground->surface;
    corners_at(own, triangle, face->x);
    for (int k = 0; k < 3; ++k) {
        face->vertex[k] = s->triangle[3 * (size_t)triangle + (size_t)k];
        face->neighbour[k] = s->neighbour[3 * (size_t)triangle + (size_t)k];
        face->sharp[k] = own->ground->sharp[triangle] >> k & 1;
        if (normals) corner_normal(own, triangle, k, face->n[k]);
    }
}

/* ---- The material point ---- */

static bool add_carriers(const sn_world *world, const sn_touch_surface *s, int32_t vertex, double share,
                         sn_tool_item *item) {
    for (int32_t c = s->carrier_first[vertex]; c < s->carrier_first[vertex + 1]; ++c) {
        const double weight = share * s->carrier_weight[c];
        int i = 0;
        while (i < item->count && item->node[i] != s->carrier_node[c]) ++i;
        if (weight == 0) continue;
        int capacity = item->capacity;
        if (sn_grow(world->context, (void **)&item->node, &capacity, i + 1, sizeof *item->node, NULL)) return false;
        if (sn_grow(world->context, (void **)&item->weight, &item->capacity, i + 1, sizeof *item->weight, NULL))
            return false;
        if (i == item->count) item->node[i] = s->carrier_node[c], item->weight[i] = 0, ++item->count;
        item->weight[i] += weight;
    }
    return true;
}

/* Finds the nodes that carry the point of the numbers. Without memory for them the tool does not touch. */
static void carry(const sn_world *world, const sn_tools *own, sn_tool_item *item) {
    sn_tool_numbers *now = &item->now;
    item->count = 0;
    if (now->near == 0) return;
    const sn_touch_surface *s = own->ground[(int)now->body].surface;
    for (size_t k = 0; k < 3; ++k)
        if (!add_carriers(world, s, s->triangle[3 * (size_t)now->triangle + k], now->share[k], item))
            now->near = now->touches = now->clamped = 0, item->count = 0;
}

static void point_at(const sn_tool_item *item, const double *x, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < item->count; ++i)
        for (int a = 0; a < 3; ++a) out[a] += item->weight[i] * x[3 * (size_t)item->node[i] + (size_t)a];
}

/* ---- The search ---- */

/* What a search found. */
typedef struct find {
    int body; /* -1: nothing */
    double side, radius;
    sn_tool_spot spot;
} find;

static sn_tool_faces faces_of(const skin *own, double side) { return (sn_tool_faces){skin_face, own, side}; }

static double radius_of(const sn_tools *own, const sn_tool_item *item, int body) {
    return item->options.radius + 0.5 * own->ground[body].surface->thickness;
}

/* Goes on from the triangle that was pressed in the last step. */
static find follow(const sn_tools *own, const sn_tool_item *item, const double *x, const double q[3]) {
    const sn_tool_numbers *now = &item->now;
    find found = {.body = (int)now->body, .side = now->side, .radius = radius_of(own, item, (int)now->body)};
    const skin here = {&own->ground[found.body], x};
    const sn_tool_faces faces = faces_of(&here, found.side);
    sn_tool_track(&faces, (int32_t)now->triangle, q, LOOKS, &found.spot);
    const bool holds = found.spot.distance < found.radius && found.spot.distance > -item->options.reach;
    if (!holds) found.body = -1;
    return found;
}

/* Cloth is touched from the side on which the tool is. */
static void choose_side(const sn_tool_ground *ground, find *found) {
    found->side = 1;
    if (!ground->sheet || found->spot.distance >= 0) return;
    found->side = -1, found->spot.distance = -found->spot.distance;
    for (int a = 0; a < 3; ++a) found->spot.normal[a] = -found->spot.normal[a];
}

/* Whether the way of the tool from `from` to q leads through the surface of a body: it went in, and perhaps through a
 * thin body. */
static bool pierce(const sn_box_surface *surface, const skin *here, const double from[3], const double q[3],
                   find *found) {
    double way[3];
    sn_box_hit hit;
    sn_subtract3(q, from, way);
    for (int side = 1; side >= (here->ground->sheet ? -1 : 1); side -= 2) {
        if (!sn_box_tree_cast(surface, from, way, 1, side > 0 ? SN_BOX_ENTERING : SN_BOX_LEAVING, &hit)) continue;
        find there = {.body = found->body, .side = side, .radius = found->radius};
        const sn_tool_faces faces = faces_of(here, side);
        sn_tool_track(&faces, hit.triangle, q, LOOKS, &there.spot);
        if (!(there.spot.distance < 0)) continue;
        *found = there;
        return true;
    }
    return false;
}

/* Looks for the nearest point of one body, and for a way through its surface. */
static find look_at(const sn_world *world, sn_tools *own, const sn_tool_item *item, int body, const double *x,
                    const double *v, const sn_tool_sample *sample) {
    const sn_tool_numbers *now = &item->now;
    const double *q = sample->position;
    sn_tool_ground *ground = &own->ground[body];
    find found = {.body = body, .radius = radius_of(own, item, body)};
    sn_touch_surface_move(ground->surface, x);
    sn_box_tree_refit_groups(ground->tree, ground->surface->position);
    const sn_box_surface surface = {ground->tree, ground->surface->position, ground->surface->triangle};
    const skin here = {ground, x};
    const sn_tool_faces faces = faces_of(&here, 1);
    sn_box_hit hit;
    const bool near = sn_box_tree_nearest(&surface, q, item->options.reach + found.radius, &hit);
    if (near) {
        sn_tool_track(&faces, hit.triangle, q, LOOKS, &found.spot);
        choose_side(ground, &found);
    }
    /* Cloth has no inside: a tool that touches it may have come from the other side. */
    const bool inside = near && !ground->sheet && found.spot.distance < found.radius;
    if (!inside && now->present != 0 && sample->epoch == now->epoch) {
        double from[3];
        memcpy(from, now->position, sizeof from);
        for (size_t k = 0; k < 3 && near && v; ++k) { /* as seen from the surface */
            double speed[3];
            vertex_at(ground->surface, v, ground->surface->triangle[3 * (size_t)hit.triangle + k], speed);
            for (int a = 0; a < 3; ++a) from[a] += hit.share[k] * speed[a] * world->parameters.time.step;
        }
        if (pierce(&surface, &here, from, q, &found)) return found;
    }
    if (!near) found.body = -1;
    return found;
}

static find search(const sn_world *world, sn_tools *own, const sn_tool_item *item, const double *x, const double *v,
                   const sn_tool_sample *sample) {
    find best = {.body = -1};
    for (int b = 0; b < world->model->body_count; ++b) {
        if (!own->ground[b].surface || (item->body >= 0 && item->body != b)) continue;
        const find found = look_at(world, own, item, b, x, v, sample);
        if (found.body < 0) continue;
        if (best.body < 0 || found.spot.distance - found.radius < best.spot.distance - best.radius) best = found;
    }
    return best;
}

/* ---- Friction ---- */

/* The anchor stays where it is while the tool pulls less than the friction; else it follows to the edge of the cone.
 * Writes the shares of the anchor to the spot. */
static void rub(const sn_tools *own, const sn_tool_item *item, const find *found, const double *x,
                const sn_tool_sample *sample, sn_tool_numbers *next, sn_tool_spot *spot) {
    const double *n = found->spot.normal, depth = found->radius - found->spot.distance, k = item->options.spring;
    double anchor[3], e[3], target[3];
    point_at(item, x, anchor); /* the carriers are still those of the last step */
    for (int a = 0; a < 3; ++a) e[a] = anchor[a] - sample->position[a] + found->radius * n[a];
    const double along = sn_dot3(e, n);
    for (int a = 0; a < 3; ++a) e[a] -= along * n[a];
    const double size = sn_norm3(e), way = item->options.limit / k,
                 most = fmin(item->options.friction * depth, sqrt(fmax(way * way - depth * depth, 0)));
    if (size <= most) {
        spot->triangle = (int32_t)item->now.triangle;
        memcpy(spot->share, item->now.share, sizeof spot->share);
        return;
    }
    const skin here = {&own->ground[found->body], x};
    const sn_tool_faces faces = faces_of(&here, found->side);
    for (int a = 0; a < 3; ++a) {
        target[a] = found->spot.point[a] + e[a] * most / size;
        next->friction[a] = sample->scale * k * e[a] * most / size;
    }
    next->slips = 1;
    sn_tool_descend(&faces, found->spot.triangle, target, LOOKS, spot);
}

/* ---- The rendezvous ---- */

static void take_sample(const sn_tool_sample *sample, sn_tool_numbers *next) {
    next->present = sample->present, next->button = sample->button, next->scale = sample->scale;
    next->epoch = sample->epoch, next->time = sample->time;
    memcpy(next->position, sample->position, sizeof next->position);
    memcpy(next->velocity, sample->velocity, sizeof next->velocity);
}

static sn_tool_sample sample_of(const sn_tool_numbers *now) {
    sn_tool_sample sample = {.present = now->present != 0,
                             .button = now->button != 0,
                             .time = now->time,
                             .scale = now->scale,
                             .epoch = now->epoch};
    memcpy(sample.position, now->position, sizeof sample.position);
    memcpy(sample.velocity, now->velocity, sizeof sample.velocity);
    return sample;
}

static void take_find(const sn_tools *own, sn_tool_item *item, const find *found, const double *x,
                      const sn_tool_sample *sample, bool went_on, sn_tool_numbers *next) {
    sn_tool_spot spot = found->spot;
    next->near = 1;
    next->touches = found->spot.distance < found->radius;
    if (went_on && item->options.friction > 0 && next->touches != 0) rub(own, item, found, x, sample, next, &spot);
    next->body = found->body, next->triangle = spot.triangle;
    next->side = found->side, next->radius = found->radius;
    memcpy(next->share, spot.share, sizeof next->share);
    memcpy(next->normal, found->spot.normal, sizeof next->normal);
    next->clamped = next->touches != 0 && item->options.clamp && sample->button;
}

/* Whether the tool pressed in the last step: also when a body that moves has come upon it. */
static bool pressed_at(const sn_tool_item *item, const double *x) {
    const sn_tool_numbers *now = &item->now;
    double point[3], gap[3];
    if (now->near == 0) return false;
    point_at(item, x, point);
    sn_subtract3(point, now->position, gap);
    return now->touches != 0 || sn_dot3(gap, now->normal) + now->radius > 0;
}

void sn_tools_meet(const sn_world *world, sn_tools *own, sn_tool_item *item, double t, const double *x,
                   const double *v) {
    const sn_tool_numbers *now = &item->now;
    sn_tool_numbers next = {0};
    sn_tool_sample sample = sample_of(now);
    if (sn_exchange_take(&item->shared->samples)) sample = item->shared->sample[item->shared->samples.read];
    take_sample(&sample, &next);
    next.state_time = t, next.interval = world->parameters.time.step;
    if (now->state_time < t && t - now->state_time < 4 * next.interval) next.interval = t - now->state_time;
    const bool same = sample.present && now->present != 0 && now->epoch == sample.epoch,
               pressed = same && pressed_at(item, x);
    if (pressed && now->clamped != 0 && sample.button && item->options.clamp) {
        const size_t first = offsetof(sn_tool_numbers, near), end = offsetof(sn_tool_numbers, point);
        memcpy((char *)&next + first, (const char *)now + first, end - first);
    } else if (sample.present) {
        find found = {.body = -1};
        if (pressed) found = follow(own, item, x, sample.position);
        const bool went_on = found.body >= 0;
        if (!went_on) found = search(world, own, item, x, v, &sample);
        if (found.body >= 0) take_find(own, item, &found, x, &sample, went_on, &next);
    }
    if (same && next.near != 0 && next.body == now->body) {
        next.force = next.start = now->force, next.rise = now->force - now->start;
        memcpy(next.compliance, now->compliance, sizeof next.compliance);
    }
    item->now = next;
    carry(world, own, item);
    point_at(item, x, item->now.point);
    if (v) point_at(item, v, item->now.speed);
    sn_tools_publish(own, item, x, v);
}

/* Whether restored numbers can be used. */
static bool sound(const sn_world *world, const sn_tools *own, const sn_tool_numbers *n) {
    double value[SN_TOOL_NUMBERS];
    memcpy(value, n, sizeof value);
    for (int i = 0; i < SN_TOOL_NUMBERS; ++i)
        if (!isfinite(value[i])) return false;
    if (n->near == 0) return true;
    if (!(n->body >= 0 && n->body < world->model->body_count)) return false;
    const sn_touch_surface *s = own->ground[(int)n->body].surface;
    return s && n->triangle >= 0 && n->triangle < s->triangle_count;
}

void sn_tools_recall(const sn_world *world, sn_tools *own, sn_tool_item *item, const sn_tool_numbers *numbers) {
    item->now = *numbers;
    if (!sound(world, own, numbers)) item->now = (sn_tool_numbers){0};
    carry(world, own, item);
    sn_tools_publish(own, item, NULL, NULL);
}

/* ---- The buffer ---- */

static int kind_of(const sn_tool_options *options) {
    int count;
    const sn_listing *listing = sn_tool_buffers(&count);
    for (int i = 0; i < count; ++i)
        if (strcmp(listing[i].name, options->buffer) == 0) return i;
    return SN_TOOL_PLANE; /* "": the default */
}

/* The triangles around the proxy, ring by ring, with numbers of their own. */
static void take_patch(const sn_tools *own, const sn_tool_item *item, const double *x, const double *v,
                       sn_tool_buffer *b) {
    const skin here = {&own->ground[(int)item->now.body], x};
    const sn_touch_surface *s = here.ground->surface;
    int32_t number[SN_TOOL_PATCH];
    number[0] = (int32_t)item->now.triangle, b->count = 1;
    for (int i = 0; i < b->count; ++i) {
        sn_tool_face *face = &b->face[i];
        skin_face(&here, number[i], true, face);
        for (size_t k = 0; k < 3; ++k) {
            memset(b->speed[i][k], 0, sizeof b->speed[i][k]);
            if (v) vertex_at(s, v, face->vertex[k], b->speed[i][k]);
            if (face->neighbour[k] < 0) continue;
            int other = 0;
            while (other < b->count && number[other] != face->neighbour[k]) ++other;
            if (other == b->count && b->count < SN_TOOL_PATCH) number[b->count++] = face->neighbour[k];
            face->neighbour[k] = other < b->count ? other : -1;
        }
    }
}

void sn_tools_publish(const sn_tools *own, sn_tool_item *item, const double *x, const double *v) {
    const sn_tool_options *o = &item->options;
    const sn_tool_numbers *now = &item->now;
    sn_tool_buffer *b = &item->shared->buffer[item->shared->buffers.write];
    double turned[3];
    b->law = (sn_tool_law){o->spring, o->damping, o->limit, o->friction};
    b->radius = now->radius, b->ramp = o->ramp, b->jump = o->jump;
    b->kind = (sn_tool_buffer_kind)kind_of(o);
    b->sample = sample_of(now);
    b->time = now->state_time, b->interval = now->interval;
    b->near = now->near != 0, b->clamped = now->clamped != 0;
    memcpy(b->point, now->point, sizeof b->point);
    memcpy(b->velocity, now->speed, sizeof b->velocity);
    memcpy(b->normal, now->normal, sizeof b->normal);
    b->side = now->side, b->force = now->force, b->count = 0;
    sn_multiply_vector3(now->compliance, now->normal, turned);
    b->compliance = fmax(sn_dot3(turned, now->normal), 0);
    if (b->kind == SN_TOOL_COMPLIANCE && b->interval > 0) /* the rest of the velocity, see tool_servo.c */
        for (int a = 0; a < 3; ++a) b->velocity[a] += b->compliance * now->rise / b->interval * b->normal[a];
    if (b->kind == SN_TOOL_PATCHED && b->near && x) take_patch(own, item, x, v, b);
    sn_exchange_publish(&item->shared->buffers);
}
