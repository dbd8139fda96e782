/* The servo's side of a tool: the force at the tool's place, against the newest buffer.
 *
 * The plane of a buffer was at p_b at the time t_b of the state and moves on with the velocity v of the proxy (buffer
 * "still-plane": it stays). So at the time t of a call the tool at q is inside by
 *
 *   d = r + n . (p_b + v min(t - t_b, 2 interval) - q)
 *
 * and the force is that of tool_force.h. The other buffers change d:
 *
 *   patch       n and p come from a search on the triangles around the proxy, which move with their corners
 *   compliance  the surface yields to the tool, within a step by C (m/N) along n. The velocity v belongs to the force
 *               F_b with which the tool pressed in the last step; to the difference it yields at once:
 *                 d' = d - C (F - F_b),  F = s k d'   so   d' = (d + C F_b) / (1 + s k C)
 *               The rise R of the force in the last step explains the part -C R / interval of the velocity along n. The
 *               plane moves with the rest only: the other part would count twice, too late, and give the hand energy.
 *               For a body without inertia C is the whole compliance, and F is the force of the body and the spring in
 *               series, whenever the last step was.
 *
 * A new buffer differs a little from what the old one foretold. The servo keeps the difference, in n and in d, from the
 * moment of the arrival. It lets the difference fade over one interval, linearly, so that the force never jumps with an
 * update. Outside, d <= 0, the force is zero at once. A tool that presses in the fading part of an old plane may feel a
 * force up to one interval after it has left the body. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "tool_shared.h"

enum { PATCH_LOOKS = 12 };             /* triangles that a call looks at */
static const double SMOOTHING = 0.004; /* s: time constant of the tool's velocity */

/* ---- Life ---- */

sn_tool *sn_tool_create(void) {
    const size_t size = (sizeof(sn_tool) + 63) / 64 * 64;
    sn_tool *tool = aligned_alloc(64, size);
    if (!tool) return NULL;
    memset(tool, 0, size);
    atomic_init(&tool->holders, 1);
    atomic_init(&tool->gone, false);
    sn_exchange_start(&tool->samples);
    sn_exchange_start(&tool->buffers);
    return tool;
}

sn_tool *sn_tool_hold(sn_tool *tool) {
    if (tool) atomic_fetch_add(&tool->holders, 1);
    return tool;
}

void sn_tool_release(sn_tool *tool) {
    if (tool && atomic_fetch_sub(&tool->holders, 1) == 1) free(tool);
}

double sn_tool_depth(const sn_tool *tool) { return tool->servo.depth; }

/* ---- The surface at the time of a call ---- */

/* The gap e from the tool's contact point to the proxy, the normal and the depth. */
typedef struct meeting {
    bool near;
    double normal[3], gap[3], depth;
} meeting;

static double ahead(const sn_tool_buffer *buffer, double time) {
    return buffer->kind == SN_TOOL_STILL_PLANE ? 0 : fmin(fmax(time - buffer->time, 0), 2 * buffer->interval);
}

typedef struct patch {
    const sn_tool_buffer *buffer;
    double ahead;
} patch;

static void patch_face(const void *data, int32_t triangle, bool normals, sn_tool_face *face) {
    (void)normals;
    const patch *own = data;
    *face = own->buffer->face[triangle];
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3; ++a) face->x[k][a] += own->ahead * own->buffer->speed[triangle][k][a];
}

static meeting meet(const sn_tool_buffer *b, const double q[3], double time, double scale, int32_t *face) {
    meeting m = {.near = b->near};
    const double later = ahead(b, time);
    if (!b->near) return m;
    memcpy(m.normal, b->normal, sizeof m.normal);
    for (int a = 0; a < 3; ++a) m.gap[a] = b->point[a] + later * b->velocity[a] - q[a];
    if (b->kind == SN_TOOL_PATCHED && b->count > 0 && !b->clamped) {
        const patch own = {b, later};
        const sn_tool_faces faces = {patch_face, &own, b->side};
        sn_tool_spot spot;
        sn_tool_track(&faces, *face < b->count ? *face : 0, q, PATCH_LOOKS, &spot);
        *face = spot.triangle;
        memcpy(m.normal, spot.normal, sizeof m.normal);
        const double along = sn_dot3(m.gap, m.normal);
        for (int a = 0; a < 3; ++a) m.gap[a] -= (along + spot.distance) * m.normal[a];
    }
    for (int a = 0; a < 3; ++a) m.gap[a] += b->radius * m.normal[a];
    m.depth = sn_dot3(m.gap, m.normal);
    if (b->kind == SN_TOOL_COMPLIANCE && !b->clamped) {
        const double yields = (m.depth + b->compliance * b->force) / (1 + scale * b->law.spring * b->compliance);
        for (int a = 0; a < 3; ++a) m.gap[a] += (yields - m.depth) * m.normal[a];
        m.depth = yields;
    }
    return m;
}

/* Adds what is left of the difference to the last buffer. */
static void fade(const sn_tool_servo *servo, double time, meeting *m) {
    const double past = time - servo->began;
    if (!servo->fades || !m->near || past < 0 || past >= servo->length) return;
    const double part = 1 - past / servo->length, depth = m->depth + part * servo->missing_depth;
    for (int a = 0; a < 3; ++a) m->normal[a] += part * servo->missing_normal[a];
    const double size = sn_norm3(m->normal);
    for (int a = 0; a < 3; ++a) m->normal[a] /= size > 0 ? size : 1;
    for (int a = 0; a < 3; ++a) m->gap[a] += part * servo->missing_gap[a];
    const double along = sn_dot3(m->gap, m->normal);
    for (int a = 0; a < 3; ++a) m->gap[a] += (depth - along) * m->normal[a];
    m->depth = depth;
}

static meeting look(sn_tool_servo *servo, const sn_tool_buffer *b, const double q[3], double time) {
    meeting m = meet(b, q, time, servo->sample.scale, &servo->face);
    fade(servo, time, &m);
    return m;
}

/* Takes the newest buffer; `q`: the tool, which feels no jump. */
static const sn_tool_buffer *take_buffer(sn_tool *tool, const double q[3], double time) {
    sn_tool_servo *servo = &tool->servo;
    const sn_tool_buffer *old = &tool->buffer[tool->buffers.read];
    const double epoch = servo->sample.epoch;
    const bool felt = servo->known && servo->sample.scale > 0 && old->near && old->sample.epoch == epoch;
    meeting before = {0};
    if (felt) before = look(servo, old, q, time); /* before the exchange gives the old buffer away */
    const bool clamped = old->clamped;
    if (!sn_exchange_take(&tool->buffers)) return old;
    const sn_tool_buffer *b = &tool->buffer[tool->buffers.read];
    servo->fades = false, servo->face = 0;
    if (!felt || !b->near || b->sample.epoch != epoch || b->clamped != clamped) return b;
    const meeting now = meet(b, q, time, servo->sample.scale, &servo->face);
    if (before.depth <= 0 && now.depth <= 0 && !clamped) return b;
    servo->fades = true, servo->began = time, servo->length = b->interval;
    servo->missing_depth = (clamped ? before.depth : fmax(before.depth, 0)) - now.depth;
    for (int a = 0; a < 3; ++a) {
        servo->missing_normal[a] = before.normal[a] - now.normal[a];
        servo->missing_gap[a] = before.gap[a] - now.gap[a];
    }
    return b;
}

/* ---- The place of the tool ---- */

static void publish(sn_tool *tool) {
    tool->servo.sample.button = tool->servo.pressed;
    tool->sample[tool->samples.write] = tool->servo.sample;
    sn_exchange_publish(&tool->samples);
}

/* The tool came, or jumped: there is no force until the simulation has seen it. */
static void arrive(sn_tool_servo *servo, const double q[3], double time) {
    servo->sample = (sn_tool_sample){.present = true, .time = time, .epoch = servo->sample.epoch + 1};
    memcpy(servo->sample.position, q, sizeof servo->sample.position);
    servo->known = true, servo->fades = false, servo->face = 0;
}

/* A program that restored a state goes on with the ramp and the velocity of the tool. */
static void resume(sn_tool *tool) {
    sn_tool_servo *servo = &tool->servo;
    sn_exchange_take(&tool->buffers);
    const sn_tool_buffer *b = &tool->buffer[tool->buffers.read];
    servo->called = true;
    servo->sample = b->sample;
    servo->known = b->sample.present;
}

/* Moves the tool from its last place to q. */
static void move(sn_tool *tool, const double q[3], double time) {
    sn_tool_servo *servo = &tool->servo;
    sn_tool_sample *s = &servo->sample;
    const sn_tool_buffer *b = &tool->buffer[tool->buffers.read];
    double way[3];
    sn_subtract3(q, s->position, way);
    if (!servo->known || sn_norm3(way) > b->jump) {
        arrive(servo, q, time);
        return;
    }
    const double step = time - s->time;
    if (step > 0) {
        const double part = step / (step + SMOOTHING);
        for (int a = 0; a < 3; ++a) s->velocity[a] += part * (way[a] / step - s->velocity[a]);
        if (b->sample.epoch == s->epoch) s->scale = b->ramp > step ? fmin(1, s->scale + step / b->ramp) : 1;
    }
    memcpy(s->position, q, sizeof s->position);
    s->time = time;
}

/* ---- The force ---- */

static void press(const sn_tool_buffer *b, const meeting *m, const sn_tool_sample *s, double force[3]) {
    double rate[3], along = 0;
    for (int a = 0; a < 3; ++a) rate[a] = (b->kind == SN_TOOL_STILL_PLANE ? 0 : b->velocity[a]) - s->velocity[a];
    if (b->clamped) {
        sn_tool_pull(&b->law, s->scale, m->gap, rate, force, NULL);
        return;
    }
    const double N = sn_tool_press(&b->law, s->scale, m->depth, sn_dot3(m->normal, rate), NULL);
    double side[3];
    for (int a = 0; a < 3; ++a) side[a] = m->gap[a] - m->depth * m->normal[a], along += side[a] * side[a];
    const double T = s->scale * b->law.spring * sqrt(along), limit = s->scale * b->law.limit,
                 most = fmin(b->law.friction * N, sqrt(fmax(limit * limit - N * N, 0))), part = T > most ? most / T : 1;
    for (int a = 0; a < 3; ++a) force[a] = N * m->normal[a] + part * s->scale * b->law.spring * side[a];
}

void sn_haptic_force(sn_tool *tool, const double position[3], double time, double force[3]) {
    force[0] = force[1] = force[2] = 0;
    if (!tool || atomic_load_explicit(&tool->gone, memory_order_acquire)) return;
    sn_tool_servo *servo = &tool->servo;
    if (!isfinite(time) || !isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2])) {
        sn_haptic_lost(tool);
        return;
    }
    if (!servo->called) resume(tool);
    move(tool, position, time);
    const sn_tool_buffer *b = take_buffer(tool, position, time);
    sn_tool_sample *s = &servo->sample;
    servo->depth = 0;
    if (b->sample.epoch == s->epoch && b->sample.present) {
        const meeting m = look(servo, b, position, time);
        if (!m.near || (m.depth <= 0 && !b->clamped)) s->scale = 1; /* outside: nothing is left to rise */
        servo->depth = m.near ? m.depth : 0;
        if (m.near) press(b, &m, s, force);
    }
    publish(tool);
}

void sn_haptic_button(sn_tool *tool, bool pressed) {
    if (tool) tool->servo.pressed = pressed;
}

void sn_haptic_lost(sn_tool *tool) {
    if (!tool) return;
    sn_tool_servo *servo = &tool->servo;
    if (!servo->called) resume(tool);
    servo->known = servo->fades = false;
    servo->depth = 0;
    servo->sample = (sn_tool_sample){.epoch = servo->sample.epoch};
    publish(tool);
}
