/* Options of time integration: one table of fields. See options.h. */
#include "time_options.h"

#include <string.h>

#include "base/cookie.h"

#define AT(type, member) offsetof(type, member)
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static const sn_listing mode_listing[] = {
    {"dynamic", "motion in time: inertia, damping and forces"},
    {"static", "equilibrium under the whole load, applied in load_steps equal fractions"},
    {"quasi-static", "equilibrium at each time step, without inertia and without viscous force"},
};

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
     "how the nonlinear equations are solved"},
    {"newton.iterations", SN_FIELD_INT, AT(sn_time_options, newton.iterations), 1, 1, 1e6, 0, 10, NULL, NULL, "",
     "most per step"},
    {"newton.tolerance", SN_FIELD_DOUBLE, AT(sn_time_options, newton.tolerance), 1, 0, 1, 1, 1e-6, NULL, NULL, "",
     "of the residual relative to the largest of external, internal and inertia force, or of the correction relative "
     "to the body's size"},
    {"newton.line_search", SN_FIELD_BOOL, AT(sn_time_options, newton.line_search), 1, 0, 1, 0, 1, NULL, NULL, "",
     "shorten corrections that do not lower the residual"},
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
