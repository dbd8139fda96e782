/* Functions of the experiments on viscoelastic materials; see hauth_memory.h. */
#include "hauth_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double memory_q = 4.8, memory_modulus = 2500, memory_at = 2, memory_poisson = 0.495;

static double lambda(void) { return 2 * memory_modulus * memory_poisson / (1 - 2 * memory_poisson); }
static double bulk(void) { return lambda() + 2 * memory_modulus / 3; }

void memory_material(const sn_fit *fit, char text[MEMORY_TEXT]) {
    int used = snprintf(text, MEMORY_TEXT,
                        "\"law\": \"stvk\", \"lame\": [%.17g, %.17g], \"viscous\": { \"lambda\": %.17g }, "
                        "\"prony\": { \"on\": \"shear\", \"terms\": [",
                        bulk() - 2 * fit->long_term / 3, fit->long_term, lambda() / 100);
    for (int i = 0; i < fit->count; ++i)
        used += snprintf(text + used, (size_t)(MEMORY_TEXT - used), "%s{ \"modulus\": %.17g, \"time\": %.17g }",
                         i ? ", " : "", fit->modulus[i], fit->time[i]);
    snprintf(text + used, (size_t)(MEMORY_TEXT - used), "] }");
}

void hooke_material(double mu, double viscosity, char text[MEMORY_TEXT]) {
    snprintf(text, MEMORY_TEXT,
             "\"law\": \"stvk\", \"lame\": [%.17g, %.17g], \"viscous\": { \"lambda\": %.17g, \"mu\": %.17g }",
             bulk() - 2 * mu / 3, mu, lambda() / 100, viscosity);
}

void hooke_matched(double frequency, double *mu, double *viscosity) {
    double loss;
    sn_constant_q_modulus(memory_q, memory_modulus, memory_at, frequency, mu, &loss);
    *viscosity = loss / (2 * acos(-1) * frequency);
}

static sn_status follow(sn_world *world, int steps, int axis, stopwatch *watch, memory_trace *trace, sn_error *error) {
    double value[SN_PROBE_VALUES] = {0};
    int count = 0;
    sn_status status = sn_world_probe(world, 0, value, &count, error);
    trace->value[0] = value[axis];
    trace->step = sn_world_time_options(world).step;
    while (!status && trace->count < steps) {
        sn_step_report report;
        status = stopwatch_step(watch, world, &report, error);
        trace->newton += report.newton_iterations, trace->linear += report.linear_iterations;
        trace->retries += report.retries;
        if (!status) status = sn_world_probe(world, 0, value, &count, error);
        trace->value[++trace->count] = value[axis];
    }
    trace->seconds = stopwatch_total(watch);
    return status;
}

sn_status memory_simulate(experiment_run *run, const char *scene, int steps, int axis, stopwatch *watch,
                          memory_trace *trace, sn_error *error) {
    stopwatch own = {0};
    *trace = (memory_trace){.value = calloc((size_t)steps + 1, sizeof(double))};
    if (!trace->value) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    /* One thread: the bodies are so small that more threads would be slower. */
    sn_context *context = NULL;
    sn_scene *parsed = NULL;
    sn_world *world = NULL;
    sn_status status = one_thread(run, &context, error);
    if (!status)
        status = sn_scene_parse(context, scene, strlen(scene), "experiment", run->out, NULL, 0, &parsed, error);
    if (!status) status = sn_scene_create_world(parsed, &world, error);
    if (!status) status = follow(world, steps, axis, watch ? watch : &own, trace, error);
    stopwatch_release(&own);
    sn_world_destroy(world);
    sn_scene_destroy(parsed);
    sn_context_destroy(context);
    return status;
}

double memory_value(const memory_trace *trace, double t) {
    const double at = t / trace->step;
    const int i = (int)fmin(fmax(at, 0), trace->count - 1);
    return trace->value[i] + (at - i) * (trace->value[i + 1] - trace->value[i]);
}

/* The n-th extreme speed and its step, from 0 on; false when there is none. A half of a period lies between two changes
 * of the speed's sign. Halves with less than a hundredth of the largest speed do not count. */
static bool extreme(const memory_trace *trace, int n, double *speed, int *step) {
    double most = 0, best = 0;
    for (int i = 0; i < trace->count; ++i) most = fmax(most, fabs(trace->value[i + 1] - trace->value[i]));
    for (int i = 0, seen = 0, at = 0; i < trace->count; ++i) {
        const double now = trace->value[i + 1] - trace->value[i];
        if (now * best < 0 || i + 1 == trace->count) { /* the end of a half */
            if (fabs(best) > 0.01 * most && seen++ == n) {
                *speed = fabs(best) / trace->step, *step = at;
                return true;
            }
            best = 0;
        }
        if (fabs(now) > fabs(best)) best = now, at = i;
    }
    return false;
}

double memory_quality(const memory_trace *trace, int halves) {
    double first, last;
    int step;
    if (!extreme(trace, 0, &first, &step) || !extreme(trace, halves, &last, &step)) return NAN;
    return acos(-1) * halves / (2 * log(first / last));
}

double memory_frequency(const memory_trace *trace, int halves) {
    double speed;
    int first, last;
    if (!extreme(trace, 0, &speed, &first) || !extreme(trace, halves, &speed, &last)) return NAN;
    return halves / (2 * (last - first) * trace->step);
}
