/* The options of a collider: defaults, parameters and checks; the list of responses. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cookie.h"
#include "base/fields.h"
#include "base/words.h"
#include "shape.h"

static const sn_listing response_table[] = {
    {"penalty", "a spring and a damper per area on each surface node inside, with regularised Coulomb friction"},
    {"spring-damper", "a spring, a damper and a drag on each surface node inside; the damper may pull (Kikuuwe)"},
    {"projection",
     "the normal direction of touching nodes is constrained in the solver; Coulomb friction that sticks or slips"},
};
enum { RESPONSES = sizeof response_table / sizeof *response_table };

const sn_listing *sn_responses(int *count) {
    *count = RESPONSES;
    return response_table;
}

#define AT(member) offsetof(sn_collider, member)
#define ANY -1e300, 1e300, 0, 0
#define SHAPE(name, text)                                                                                              \
    {#name, SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "", "a shape, see `sinew list shapes`: " text},
static const sn_field fields[] = {
    SN_SHAPES(SHAPE){"friction", SN_FIELD_DOUBLE, AT(friction), 1, 0, 1e300, 0, 0, NULL, NULL, "",
                     "Coulomb's coefficient"},
    {"response", SN_FIELD_CHOICE, AT(response), 1, 0, 0, 0, 0, "penalty", sn_responses, "",
     "how the collider acts on nodes that touch it"},
    {"stiffness", SN_FIELD_DOUBLE, AT(stiffness), 1, 0, 1e300, 0, 0, NULL, NULL, "Pa/m",
     "response penalty: pressure per depth; 0 takes it from the stiffness, size and weight of the bodies"},
    {"damping", SN_FIELD_DOUBLE, AT(damping), 1, 0, 1e300, 0, 0.1, NULL, NULL, "",
     "response penalty: part of the critical damping of a contact"},
    {"spring.stiffness", SN_FIELD_DOUBLE, AT(spring.stiffness), 1, 0, 1e300, 1, 1e4, NULL, NULL, "N/m",
     "response spring-damper: force per depth on each node"},
    {"spring.damping", SN_FIELD_DOUBLE, AT(spring.damping), 1, 0, 1e300, 0, 0, NULL, NULL, "N s/m",
     "response spring-damper: force per speed along the normal on each node"},
    {"spring.drag", SN_FIELD_DOUBLE, AT(spring.drag), 1, 0, 1e300, 0, 0, NULL, NULL, "N s/m^2",
     "response spring-damper: force per depth and per speed along the surface on each node"},
    {"keys", SN_FIELD_KEYS, AT(key), 4, 0, 0, 0, 0, NULL, NULL, "s, m",
     "moves the collider by x, y, z at each time, linear between"},
    {"turn.axis", SN_FIELD_DIRECTION, AT(turn.axis), 3, ANY, NULL, NULL, "",
     "direction of the axis about which the collider turns; 0, 1, 0 when it is not given"},
    {"turn.point", SN_FIELD_DOUBLE, AT(turn.point), 3, ANY, NULL, NULL, "m",
     "a point of that axis; the centre of the shape when it is not given"},
    {"turn.keys", SN_FIELD_KEYS | SN_FIELD_NEEDED, AT(turn.key), 2, 0, 0, 0, 0, NULL, NULL, "s, degrees",
     "the angle at each time, linear between"},
};
enum { FIELDS = sizeof fields / sizeof *fields };

const sn_field *sn_collider_fields(int *count) {
    *count = FIELDS;
    return fields;
}

sn_collider sn_collider_default(void) {
    sn_collider collider = {.cookie = SN_COOKIE, .shape = "plane"};
    sn_fields_default(fields, FIELDS, &collider);
    collider.turn.axis[1] = 1;
    return collider;
}

/* Fails with "NAME 'word' is unknown; did you mean ...?" at the path NAME. */
static sn_status unknown(const char *name, const char *word, const void *names, int count, int stride,
                         sn_error *error) {
    char text[400];
    snprintf(text, sizeof text, "%s '%.31s' is unknown", name, word);
    sn_suggest(text, (int)sizeof text, word, names, count, stride);
    return sn_fail_at(error, SN_BAD_INPUT, name, "%s", text);
}

static sn_status find_shape(const sn_collider *collider, const sn_shape **shape, sn_error *error) {
    int count;
    const sn_listing *listing = sn_shapes(&count);
    *shape = sn_shape_find(collider->shape);
    return *shape ? SN_OK : unknown("shape", collider->shape, listing, count, (int)sizeof *listing, error);
}

/* ---- Parameters ---- */

sn_status sn_collider_set(sn_collider *collider, const char *name, const double *value, int count, sn_error *error) {
    const sn_shape *shape;
    const sn_status status = find_shape(collider, &shape, error);
    if (status) return status;
    const sn_shape_parameter *parameter = sn_shape_parameter_find(shape, name);
    if (!parameter) {
        char text[400];
        snprintf(text, sizeof text, "a collider of shape '%s' has no '%.31s'", collider->shape, name);
        sn_suggest(text, (int)sizeof text, name, shape->parameter, shape->parameter_count,
                   (int)sizeof *shape->parameter);
        return sn_fail_at(error, SN_BAD_INPUT, collider->shape, "%s", text);
    }
    if (count != parameter->count)
        return sn_within(
            error,
            sn_fail_at(error, SN_BAD_INPUT, name, "%s has %d numbers; it must have %d", name, count, parameter->count),
            "%s", collider->shape);
    int i = 0;
    while (i < collider->value_count && strcmp(collider->value[i].name, name) != 0) ++i;
    if (i == SN_COLLIDER_VALUES)
        return sn_fail_at(error, SN_BAD_INPUT, collider->shape, "a collider has at most %d parameters", i);
    if (i == collider->value_count) ++collider->value_count;
    collider->value[i] = (sn_constant){.count = count};
    snprintf(collider->value[i].name, sizeof collider->value[i].name, "%s", name);
    memcpy(collider->value[i].value, value, (size_t)count * sizeof *value);
    return SN_OK;
}

const double *sn_collider_get(const sn_collider *collider, const char *name) {
    for (int i = 0; i < collider->value_count; ++i)
        if (strcmp(collider->value[i].name, name) == 0) return collider->value[i].value;
    const sn_shape *shape = sn_shape_find(collider->shape);
    const sn_shape_parameter *parameter = shape ? sn_shape_parameter_find(shape, name) : NULL;
    return parameter && !parameter->required ? parameter->value : NULL;
}

/* ---- Checks ---- */

/* Checks that a number is finite and in its range. */
static sn_status check_number(const char *name, double value, double low, double high, bool low_open, const char *unit,
                              sn_error *error) {
    const bool above = low_open ? value > low : value >= low;
    if (isfinite(value) && above && value <= high) return SN_OK;
    char allowed[96] = "finite";
    const char *space = *unit ? " " : "";
    if (low > -1e300 && high < 1e300)
        snprintf(allowed, sizeof allowed, "%s %g and at most %g%s%s", low_open ? "above" : "at least", low, high, space,
                 unit);
    else if (low > -1e300)
        snprintf(allowed, sizeof allowed, "%s %g%s%s", low_open ? "above" : "at least", low, space, unit);
    return sn_fail_at(error, SN_BAD_INPUT, name, "%s is %g%s%s; it must be %s", name, value, space, unit, allowed);
}

static sn_status check_parameter(const sn_collider *collider, const sn_shape_parameter *p, sn_error *error) {
    const double *value = sn_collider_get(collider, p->name);
    if (!value) return sn_fail_at(error, SN_BAD_INPUT, "", "needs '%s'", p->name);
    for (int i = 0; i < p->count; ++i) {
        const sn_status status = check_number(p->name, value[i], p->low, p->high, p->low_open, p->unit, error);
        if (status) return status;
    }
    const bool directed = p->role == SN_ROLE_DIRECTION || p->role == SN_ROLE_TURN;
    if (directed && value[0] == 0 && value[1] == 0 && value[2] == 0)
        return sn_fail_at(error, SN_BAD_INPUT, p->name, "%s is [0, 0, 0%s]; it has no direction", p->name,
                          p->count > 3 ? ", ..." : "");
    return SN_OK;
}

static sn_status check_shape(const sn_collider *c, const sn_shape *shape, sn_error *error) {
    for (int i = 0; i < c->value_count; ++i) {
        const sn_shape_parameter *parameter = sn_shape_parameter_find(shape, c->value[i].name);
        if (!parameter || parameter->count != c->value[i].count)
            return sn_fail_at(error, SN_BAD_INPUT, "", "'%.15s' with %d numbers is not a parameter of this shape",
                              c->value[i].name, c->value[i].count);
    }
    for (int i = 0; i < shape->parameter_count; ++i) {
        const sn_status status = check_parameter(c, &shape->parameter[i], error);
        if (status) return status;
    }
    if (shape->takes_mesh != (c->mesh != NULL))
        return sn_fail_at(error, SN_BAD_INPUT, "", "%s",
                          shape->takes_mesh ? "needs a mesh" : "this shape takes no mesh");
    if (shape->takes_heights != (c->height != NULL))
        return sn_fail_at(error, SN_BAD_INPUT, "", "%s",
                          shape->takes_heights ? "needs heights" : "this shape takes no heights");
    return shape->check ? shape->check(c, error) : SN_OK;
}

static sn_status no_effect(const char *name, const char *response, const char *with, sn_error *error) {
    return sn_fail_at(error, SN_BAD_INPUT, name, "%s has no effect with response '%s'; it is for '%s'", name, response,
                      with);
}

/* Refuses options that have no effect with the response. */
static sn_status check_used(const sn_collider *c, sn_error *error) {
    const bool springs = strcmp(c->response, "spring-damper") == 0,
               pushes = !*c->response || strcmp(c->response, "penalty") == 0;
    const sn_collider usual = sn_collider_default();
    if (!pushes && c->stiffness != usual.stiffness) return no_effect("stiffness", c->response, "penalty", error);
    if (!pushes && c->damping != usual.damping) return no_effect("damping", c->response, "penalty", error);
    if (springs && c->friction != usual.friction)
        return no_effect("friction", c->response, "penalty' and 'projection", error);
    const char *given = c->spring.stiffness != usual.spring.stiffness ? "spring.stiffness"
                        : c->spring.damping != usual.spring.damping   ? "spring.damping"
                        : c->spring.drag != usual.spring.drag         ? "spring.drag"
                                                                      : NULL;
    return given && !springs ? no_effect(given, c->response, "spring-damper", error) : SN_OK;
}

sn_status sn_collider_check(const sn_collider *c, sn_error *error) {
    const sn_shape *shape;
    sn_status status = sn_cookie_check(c->cookie, "sn_collider", error);
    if (!status) status = find_shape(c, &shape, error);
    if (!status) status = sn_within(error, check_shape(c, shape, error), "%s", c->shape);
    if (!status) status = sn_fields_check(fields, FIELDS, c, error);
    return status ? status : check_used(c, error);
}
