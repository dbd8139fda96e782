/* Options of time integration: one table of fields. See options.h. */
#include "time_options.h"

#include <string.h>

#include "base/cookie.h"
#include "system.h"

#define AT(type, member) offsetof(type, member)
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static const sn_listing mode_listing[] = {
    {"dynamic", "motion in time: inertia, damping and forces"},
    {"static", "equilibrium under the whole load, applied in load_steps equal fractions"},
    {"quasi-static", "equilibrium at each time step, without inertia and without viscous force"},
};

static const sn_listing jacobian_listing[] = {
    {"exact", "the derivatives of all forces"},
    {"approximate", "of the elements only the linearised tension, one number per edge: law cloth-particles"},
};

static const sn_listing *jacobians(int *count) {
    *count = COUNT(jacobian_listing);
    return jacobian_listing;
}

static const sn_field time_fields[] = {
    {"mode", SN_FIELD_CHOICE, AT(sn_time_options, mode), 1, 0, 0, 0, 0, "dynamic", sn_modes, "", "what is solved for"},
    {"method", SN_FIELD_CHOICE, AT(sn_time_options, method), 1, 0, 0, 0, 0, "implicit-euler", sn_methods, "",
     "time integrator of dynamics"},
    {"step", SN_FIELD_DOUBLE, AT(sn_time_options, step), 1, 0, 1e300, 1, 0.01, NULL, NULL, "s",
     "length of a time step"},
    {"end", SN_FIELD_DOUBLE, AT(sn_time_options, end), 1, 0, 1e300, 0, 1, NULL, NULL, "s", "time at which a run ends"},
    {"load_steps", SN_FIELD_INT, AT(sn_time_options, load_steps), 1, 1, 1e6, 0, 1, NULL, NULL, "",
     "equal fractions in which statics applies the load"},
    {"tolerance", SN_FIELD_DOUBLE, AT(sn_time_options, tolerance), 1, 0, 1, 0, 1e-6, NULL, NULL, "",
     "of adaptive methods: error of a step relative to the size of the body and its speeds; 0 takes fixed steps"},
    {"newton.kind", SN_FIELD_CHOICE, AT(sn_time_options, newton.kind), 1, 0, 0, 0, 0, "full", sn_newton_kinds, "",
     "how the nonlinear equations are solved; with W-methods: in steps with contact"},
    {"newton.iterations", SN_FIELD_INT, AT(sn_time_options, newton.iterations), 1, 1, 1e6, 0, 10, NULL, NULL, "",
     "most per step"},
    {"newton.tolerance", SN_FIELD_DOUBLE, AT(sn_time_options, newton.tolerance), 1, 0, 1, 1, 1e-6, NULL, NULL, "",
     "of the residual relative to the largest of external, internal and inertia force, or of the correction relative "
     "to the body's size"},
    {"newton.line_search", SN_FIELD_BOOL, AT(sn_time_options, newton.line_search), 1, 0, 1, 0, 1, NULL, NULL, "",
     "shorten corrections that do not lower the residual"},
    {"newton.jacobian", SN_FIELD_CHOICE, AT(sn_time_options, newton.jacobian), 1, 0, 0, 0, 0, "exact", jacobians, "",
     "the matrix of the corrections"},
    {"updates", SN_FIELD_INT, AT(sn_time_options, updates), 1, 0, 1000, 0, 0, NULL, NULL, "",
     "methods imex-euler, imex-midpoint: how often a step evaluates the explicit forces again"},
    {"correction.use", SN_FIELD_BOOL, AT(sn_time_options, correction.use), 1, 0, 1, 0, 1, NULL, NULL, "",
     "method kikuuwe: shorten the velocities of nodes at which the linear solve misses the forces of the law"},
    {"correction.speed", SN_FIELD_DOUBLE, AT(sn_time_options, correction.speed), 1, 0, 1e300, 1, 0.1, NULL, NULL, "m/s",
     "method kikuuwe: V, about the speed that a node may have however large the error of its forces is"},
    {"correction.measure", SN_FIELD_BOOL, AT(sn_time_options, correction.measure), 1, 0, 1, 0, 0, NULL, NULL, "",
     "method kikuuwe: report how well the assumptions behind the correction hold; changes no result"},
    {"judge", SN_FIELD_BOOL, AT(sn_time_options, judge), 1, 0, 1, 0, 1, NULL, NULL, "",
     "dynamics: refuse steps that gain energy that no force explains; false accepts every finite step"},
};

const sn_field *sn_time_fields(int *count) {
    *count = COUNT(time_fields);
    return time_fields;
}

const sn_listing *sn_modes(int *count) {
    *count = COUNT(mode_listing);
    return mode_listing;
}

sn_time_options sn_time_options_default(void) {
    sn_time_options options;
    memset(&options, 0, sizeof options);
    options.cookie = SN_COOKIE;
    sn_fields_default(time_fields, COUNT(time_fields), &options);
    return options;
}

sn_status sn_time_options_check(const sn_time_options *options, sn_error *error) {
    const sn_status status = sn_cookie_check(options->cookie, "sn_time_options", error);
    return status ? status : sn_fields_check(time_fields, COUNT(time_fields), options, error);
}

/* Newton's options that the kind does not look at. */
static sn_status check_newton(const sn_newton_options *o, const sn_newton_options *usual, sn_error *error) {
    const bool one = strcmp(o->kind, "one-step") == 0, fixed = strcmp(o->kind, "fixed") == 0;
    if (strcmp(o->jacobian, "approximate") == 0 && strcmp(o->kind, "simplified") == 0)
        return sn_fail_at(error, SN_BAD_INPUT, "jacobian",
                          "time.newton.jacobian 'approximate' stays the same anyway; time.newton.kind 'simplified' has "
                          "no effect with it");
    const char *name = one && o->iterations != usual->iterations                ? "iterations"
                       : one && o->tolerance != usual->tolerance                ? "tolerance"
                       : (one || fixed) && o->line_search != usual->line_search ? "line_search"
                                                                                : NULL;
    return name ? sn_fail_at(error, SN_BAD_INPUT, name, "time.newton.%s has no effect with time.newton.kind '%s'", name,
                             o->kind)
                : SN_OK;
}

/* Options of the correction that the method does not look at. */
static sn_status check_correction(const sn_correction_options *o, const sn_correction_options *usual,
                                  const sn_method *method, sn_error *error) {
    const char *name = o->speed != usual->speed       ? "speed"
                       : o->measure != usual->measure ? "measure"
                       : o->use != usual->use         ? "use"
                                                      : NULL;
    if (name && !method->corrects)
        return sn_fail_at(error, SN_BAD_INPUT, name,
                          "time.correction.%s has no effect; it is for time.method 'kikuuwe'", name);
    if (name && strcmp(name, "use") != 0 && !o->use)
        return sn_fail_at(error, SN_BAD_INPUT, name, "time.correction.%s has no effect without time.correction.use",
                          name);
    return SN_OK;
}

static bool same_newton(const sn_newton_options *a, const sn_newton_options *b) {
    return strcmp(a->kind, b->kind) == 0 && a->iterations == b->iterations && a->tolerance == b->tolerance &&
           a->line_search == b->line_search && strcmp(a->jacobian, b->jacobian) == 0;
}

sn_status sn_time_options_used(const sn_time_options *o, sn_error *error) {
    const sn_time_options usual = sn_time_options_default();
    const sn_method *method = sn_method_choose(o);
    const bool dynamic = !*o->mode || strcmp(o->mode, usual.mode) == 0;
    if (!method) return SN_OK;
    if (!dynamic && *o->method && strcmp(o->method, usual.method) != 0)
        return sn_fail_at(error, SN_BAD_INPUT, "method", "time.method has no effect in time.mode '%s'", o->mode);
    if (o->load_steps != usual.load_steps && strcmp(o->mode, "static") != 0)
        return sn_fail_at(error, SN_BAD_INPUT, "load_steps", "time.load_steps has no effect in time.mode '%s'",
                          o->mode);
    if (o->tolerance != usual.tolerance && o->tolerance != 0 && !method->adaptive)
        return sn_fail_at(error, SN_BAD_INPUT, "tolerance",
                          "time.tolerance has no effect with time.method '%s', which takes fixed steps", o->method);
    if (o->updates != 0 && !method->tension)
        return sn_fail_at(error, SN_BAD_INPUT, "updates",
                          "time.updates has no effect; it is for time.method 'imex-euler' and 'imex-midpoint'");
    if (!dynamic && strcmp(o->newton.jacobian, usual.newton.jacobian) != 0)
        return sn_within(error,
                         sn_fail_at(error, SN_BAD_INPUT, "jacobian",
                                    "time.newton.jacobian 'approximate' is for time.mode 'dynamic'"),
                         "newton");
    if ((!method->implicit || method->exact || method->corrects || method->tension) &&
        !same_newton(&o->newton, &usual.newton))
        return sn_fail_at(error, SN_BAD_INPUT, "newton",
                          "time.newton has no effect with time.method '%s', which does not use Newton's method",
                          o->method);
    if (!o->judge && !dynamic)
        return sn_fail_at(error, SN_BAD_INPUT, "judge", "time.judge has no effect in time.mode '%s'", o->mode);
    const sn_status status = sn_within(error, check_newton(&o->newton, &usual.newton, error), "newton");
    return status ? status
                  : sn_within(error, check_correction(&o->correction, &usual.correction, method, error), "correction");
}
