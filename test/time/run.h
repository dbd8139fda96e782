/* Runs a method over a toy. Include cmocka.h first. */
#ifndef TIME_RUN_H
#define TIME_RUN_H

#include <stdlib.h>

#include "toy_system.h"

typedef struct run {
    sn_status status;
    sn_error error;
    sn_step_info info;
    double reached;
} run;

/* `steps` equal steps from t0 to t1; controlled or bare. */
static inline run run_method(const sn_method *method, sn_system *system, const sn_time_options *options,
                             bool controlled, double t0, double t1, int steps, double *x, double *v) {
    run result = {0};
    const int n = system->count, past = method->history(n);
    double *history = calloc((size_t)past + 1, sizeof *history),
           *scratch = calloc((size_t)sn_control_scratch(method, n), sizeof *scratch);
    result.reached = t0;
    for (int i = 0; i < steps && !result.status; ++i) {
        sn_step step = {.system = system,
                        .options = options,
                        .tolerance = 1e-12,
                        .warm_start = true,
                        .t = t0 + (t1 - t0) * i / steps,
                        .h = (t1 - t0) / steps,
                        .x = x,
                        .v = v,
                        .history = history,
                        .scratch = scratch,
                        .info = &result.info,
                        .error = &result.error};
        result.status = controlled ? sn_step_controlled(method, &step) : method->step(&step);
        if (!result.status) result.reached = t0 + (t1 - t0) * (i + 1) / steps;
    }
    assert_int_equal(toy_of(system)->lies, 0);
    free(history);
    free(scratch);
    return result;
}

static inline sn_time_options strict_options(void) {
    sn_time_options options = sn_time_options_default();
    options.newton.tolerance = 1e-13;
    options.newton.iterations = 30;
    options.tolerance = 0;
    return options;
}

#endif
