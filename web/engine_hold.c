/* Holding a body: grabs pull a point of the surface with a spring, pins hold nodes where they are. */
#include <math.h>

#include "engine_internal.h"

/* ---- Grabs ---- */

static double body_mass(const engine_shape *s) {
    double sum = 0;
    for (int i = 0; i < s->mesh->node_count; ++i) sum += s->mass[i];
    return sum;
}

/* A spring pulls the point towards the target. The spring never pulls from farther away than the body is long: this
 * limits the force, and keeps the elements at the hand in shape however far and fast the hand goes. */
static sn_status apply_grab(engine *e, int handle, sn_error *error) {
    const engine_grab *g = &e->grab[handle];
    const engine_shape *s = &e->shape[g->body];
    double at[3] = {0}, target[3], far = 0;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3 && g->weight[i] != 0; ++k)
            at[k] += g->weight[i] * s->position[3 * (size_t)g->node[i] + (size_t)k];
    for (int k = 0; k < 3; ++k) far += (g->target[k] - at[k]) * (g->target[k] - at[k]);
    const double share = far > s->length * s->length ? s->length / sqrt(far) : 1;
    for (int k = 0; k < 3; ++k) target[k] = at[k] + share * (g->target[k] - at[k]);
    e->changed = true, e->shown = false;
    return sn_world_grab(e->world, handle, g->body, g->node, g->weight, target, g->on ? g->stiffness : 0, g->damping,
                         error);
}

void engine_renew_grabs(engine *e) {
    for (int h = 0; h < ENGINE_HANDLES; ++h) {
        if (!e->grab[h].on) continue;
        sn_world_get(e->world, e->grab[h].body, e->shape[e->grab[h].body].position, NULL);
        apply_grab(e, h, NULL);
    }
}

static bool read_vector(const json_t *list, double *v, int count) {
    if ((int)json_array_size(list) != count) return false;
    for (int i = 0; i < count; ++i) {
        v[i] = json_number_value(json_array_get(list, (size_t)i));
        if (!json_is_number(json_array_get(list, (size_t)i)) || !isfinite(v[i])) return false;
    }
    return true;
}

/* The point of the skin that a message names. */
static sn_status read_point(engine *e, const json_t *message, int *body, int32_t node[4], double weight[4],
                            sn_error *error) {
    double share[3];
    *body = (int)json_integer_value(json_object_get(message, "body"));
    if (*body < 0 || *body >= e->bodies)
        return sn_fail(error, SN_BAD_INPUT, "body %d; the scene has %d", *body, e->bodies);
    if (!read_vector(json_object_get(message, "share"), share, 3))
        return sn_fail(error, SN_BAD_INPUT, "'share' must be three numbers");
    return sn_embedding_point(e->shape[*body].skin, (int)json_integer_value(json_object_get(message, "triangle")),
                              share, node, weight, error);
}

/* The stiffness of the spring is the larger of two: (2 pi f)^2 m moves the whole body at about 2 Hz; E V^(1/3) deforms
 * the body by about as much as the point is moved. */
sn_status engine_grab_point(engine *e, const engine_request *request, sn_error *error) {
    const json_t *message = request->message;
    const int handle = (int)json_integer_value(json_object_get(message, "handle"));
    if (handle < 0 || handle >= ENGINE_HANDLES)
        return sn_fail(error, SN_BAD_INPUT, "handle %d; allowed are 0 to %d", handle, ENGINE_HANDLES - 1);
    engine_grab *g = &e->grab[handle];
    if (json_object_get(message, "triangle")) {
        sn_status status = read_point(e, message, &g->body, g->node, g->weight, error);
        if (status) return status;
        const sn_material *material = sn_world_material(e->world, g->body, 0);
        const double mass = body_mass(&e->shape[g->body]), size = cbrt(mass / material->density);
        g->stiffness = fmax(0.25 * engine_young(material) * size, 160 * mass);
        g->damping = 0.2 * sqrt(g->stiffness * mass);
        g->on = true;
    }
    if (!g->on) return SN_OK;
    json_t *target = json_object_get(message, "target");
    if (!target)
        g->on = false;
    else if (!read_vector(target, g->target, 3))
        return sn_fail(error, SN_BAD_INPUT, "'target' must be three numbers");
    return apply_grab(e, handle, error);
}

sn_status engine_release(engine *e, const engine_request *request, sn_error *error) {
    (void)error;
    const int handle = (int)json_integer_value(json_object_get(request->message, "handle"));
    for (int h = 0; h < ENGINE_HANDLES; ++h) {
        if (!e->grab[h].on || (handle >= 0 && h != handle)) continue;
        e->grab[h].on = false;
        apply_grab(e, h, NULL);
    }
    return SN_OK;
}

/* ---- Pins ---- */

static sn_status pin_node(engine *e, int body, int32_t node, bool on, sn_error *error) {
    engine_shape *s = &e->shape[body];
    const sn_status status = sn_world_pin(e->world, body, node, on, error);
    if (status) return status;
    s->held_count -= s->held[node] != 0;
    s->held[node] = (uint8_t)(on ? s->held[node] | 2 : s->held[node] & 1);
    s->held_count += s->held[node] != 0;
    return SN_OK;
}

static double distance2(const double *a, const double *b) {
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

/* Pins the nodes within `radius` of the point, and always the node with the largest weight. When one of them is pinned
 * already, all pins within the radius are removed instead. */
sn_status engine_pin(engine *e, const engine_request *request, sn_error *error) {
    const json_t *message = request->message;
    int body, heaviest = 0;
    int32_t node[4];
    double weight[4];
    sn_status status = read_point(e, message, &body, node, weight, error);
    if (status) return status;
    for (int i = 1; i < 4; ++i)
        if (weight[i] > weight[heaviest]) heaviest = i;
    engine_shape *s = &e->shape[body];
    const double *centre = s->position + 3 * (size_t)node[heaviest],
                 radius = json_number_value(json_object_get(message, "radius"));
    bool on = true;
    for (int i = 0; i < s->mesh->node_count; ++i)
        if ((s->held[i] & 2) &&
            (i == node[heaviest] || distance2(s->position + 3 * (size_t)i, centre) <= radius * radius))
            on = false;
    for (int i = 0; i < s->mesh->node_count && !status; ++i)
        if (i == node[heaviest] || distance2(s->position + 3 * (size_t)i, centre) <= radius * radius)
            if (on || (s->held[i] & 2)) status = pin_node(e, body, i, on, error);
    e->changed = true, e->shown = false;
    return status;
}

sn_status engine_unpin(engine *e, const engine_request *request, sn_error *error) {
    (void)request, (void)error;
    for (int b = 0; b < e->bodies; ++b)
        for (int i = 0; i < e->shape[b].mesh->node_count; ++i)
            if (e->shape[b].held[i] & 2) pin_node(e, b, i, false, NULL);
    e->changed = true, e->shown = false;
    return SN_OK;
}
