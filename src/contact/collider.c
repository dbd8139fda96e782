/* Colliders: defaults, checks, copies, motion; the list of responses. */
#include "collider.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/keys.h"
#include "base/math3.h"
#include "base/words.h"

static const sn_listing response_table[] = {
    {"penalty", "a spring and a damper per area on each surface node inside, with regularised Coulomb friction"},
    {"projection", "the normal direction of touching nodes is constrained in the solver; Coulomb friction that sticks or slips"},
};
enum { RESPONSES = sizeof response_table / sizeof *response_table };

const sn_listing *sn_responses(int *count) {
    *count = RESPONSES;
    return response_table;
}

sn_collider sn_collider_default(void) { return (sn_collider){.normal = {0, 1, 0}, .radius = 1, .response = "penalty", .damping = 0.1}; }

const sn_shape *sn_shape_of(const sn_collider *collider) {
    switch (collider->kind) {
    case SN_COLLIDER_PLANE:
        return &sn_shape_plane;
    case SN_COLLIDER_SPHERE:
        return &sn_shape_sphere;
    }
    return NULL;
}

static sn_status check_response(const sn_collider *c, sn_error *error) {
    for (int i = 0; i < RESPONSES; ++i)
        if (c->response[0] == 0 || strcmp(c->response, response_table[i].name) == 0) return SN_OK;
    char text[256];
    snprintf(text, sizeof text, "response '%.31s' is unknown", c->response);
    sn_suggest(text, sizeof text, c->response, response_table, RESPONSES, sizeof *response_table);
    return sn_fail_at(error, SN_BAD_INPUT, "response", "%s", text);
}

sn_status sn_collider_check(const sn_collider *c, sn_error *error) {
    const sn_shape *shape = sn_shape_of(c);
    if (!shape) return sn_fail(error, SN_BAD_INPUT, "the kind of the collider is %d; allowed are plane and sphere", (int)c->kind);
    for (int a = 0; a < 3; ++a)
        if (!isfinite(c->point[a]))
            return sn_fail_at(error, SN_BAD_INPUT, c->kind == SN_COLLIDER_PLANE ? "plane.point" : "sphere.center",
                              "the point is not finite");
    if (!(c->friction >= 0) || isinf(c->friction))
        return sn_fail_at(error, SN_BAD_INPUT, "friction", "friction is %g; it must be 0 or more", c->friction);
    if (!(c->stiffness >= 0) || isinf(c->stiffness))
        return sn_fail_at(error, SN_BAD_INPUT, "stiffness", "stiffness is %g Pa/m; it must be 0 (automatic) or more", c->stiffness);
    if (!(c->damping >= 0) || isinf(c->damping))
        return sn_fail_at(error, SN_BAD_INPUT, "damping", "damping is %g; it must be 0 or more", c->damping);
    for (int i = 0; i < 4 * c->key_count; ++i)
        if (!isfinite(c->key[i])) return sn_fail_at(error, SN_BAD_INPUT, "keys", "key %d is not finite", i / 4);
    for (int i = 1; i < c->key_count; ++i)
        if (!(c->key[4 * i] > c->key[4 * i - 4]))
            return sn_fail_at(error, SN_BAD_INPUT, "keys", "the times of keys must ascend; key %d has %g after %g", i, c->key[4 * i],
                              c->key[4 * i - 4]);
    const sn_status status = check_response(c, error);
    return status ? status : shape->check(c, error);
}

sn_status sn_collider_copy(sn_context *context, const sn_collider *source, sn_collider *collider, sn_error *error) {
    *collider = *source;
    collider->key = NULL;
    if (collider->kind == SN_COLLIDER_PLANE) {
        const double length = sn_norm3(source->normal);
        for (int a = 0; a < 3; ++a) collider->normal[a] /= length;
    }
    if (source->key_count == 0) return SN_OK;
    double *key = sn_allocate(context, (size_t)source->key_count * 4, sizeof *key);
    if (!key) return sn_no_memory(error);
    memcpy(key, source->key, (size_t)source->key_count * 4 * sizeof *key);
    collider->key = key;
    return SN_OK;
}

void sn_collider_release(sn_context *context, sn_collider *collider) {
    sn_release(context, (void *)(uintptr_t)collider->key);
    collider->key = NULL;
}

void sn_collider_at(const sn_collider *collider, double t, double offset[3], double velocity[3]) {
    sn_keys_at(collider->key, collider->key_count, t, offset, velocity);
}

bool sn_collider_passed(const sn_collider *collider, double t0, const double x0[3], double t1, const double x1[3]) {
    const sn_shape *shape = sn_shape_of(collider);
    double from[3], to[3], velocity[3], a[3], b[3];
    if (!shape->passed) return false;
    sn_collider_at(collider, t0, from, velocity);
    sn_collider_at(collider, t1, to, velocity);
    sn_subtract3(x0, from, a);
    sn_subtract3(x1, to, b);
    return shape->passed(collider, a, b);
}
