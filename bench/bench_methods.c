/* What a step of each method costs on the bar of Hauth's first example (144 tets, 63 nodes; Hauth 5.2.1), one thread,
 * in time of the processor.
 *
 * Implicit methods: 100 steps of 5 ms with the default Newton tolerance. Explicit ones: 2000 steps of 0.05 ms, within
 * all of their limits. Beside the time of a step stands that of a simulated second, and its ratio to implicit Euler's.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sinew/sinew.h"
#include "time/system.h"

static const char format[] =
    "{ \"sinew\": 1, \"gravity\": [0, -1, 0], \"time\": { \"method\": \"%s\", \"step\": %g, \"tolerance\": %g }, "
    "%s"
    "\"bodies\": [ { \"name\": \"bar\", \"mesh\": { \"box\": { \"size\": [0.3, 0.1, 0.1], \"cells\": [6, 2, 2], "
    "\"split\": 6 } }, \"material\": { "
    "\"law\": \"stvk\", \"lame\": [3e5, 3e3], \"density\": 1000, \"viscous\": { \"lambda\": 3000, \"mu\": 30 } }, "
    "\"fix\": [ { \"select\": { \"box\": "
    "[[-1, -1, -1], [1e-6, 1, 1]] } } ] } ] }";

typedef struct row {
    double seconds, newton, linear; /* per step; the best of three runs */
    sn_status status;
} row;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sn_status measure(sn_context *context, const sn_method *method, double h, double tolerance, int steps, row *out,
                         sn_error *error) {
    char text[2000];
    /* Explicit methods solve no linear system and refuse options of a solver. */
    const char *solver = method->implicit ? "\"solver\": { \"method\": \"ldlt\" }, " : "";
    snprintf(text, sizeof text, format, method->name, h, tolerance, solver);
    *out = (row){.seconds = 1e300};
    for (int trial = 0; trial < 3; ++trial) {
        sn_scene *scene = NULL;
        sn_world *world = NULL;
        sn_status status = sn_scene_parse(context, text, strlen(text), "bench", "", NULL, 0, &scene, error);
        if (!status) status = sn_scene_create_world(scene, &world, error);
        sn_scene_destroy(scene);
        if (status) return status;
        double seconds = 0, newton = 0, linear = 0;
        for (int i = 0; i < steps && !out->status; ++i) {
            sn_step_report report;
            const double before = processor_seconds();
            out->status = sn_world_step(world, &report, error);
            seconds += processor_seconds() - before, newton += report.newton_iterations,
                linear += report.linear_iterations;
        }
        sn_world_destroy(world);
        if (out->status) return SN_OK;
        if (seconds / steps < out->seconds) *out = (row){seconds / steps, newton / steps, linear / steps, SN_OK};
    }
    return SN_OK;
}

int main(void) {
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    sn_context *context = NULL;
    sn_error error = {0};
    if (sn_context_create(&options, &context, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int count;
    const sn_listing *listing = sn_methods(&count);
    double yardstick = 0;
    printf("A step of each method on a bar of 144 tets, one thread\n");
    printf("%-22s %5s %10s %12s %8s %8s %14s %10s\n", "method", "order", "step (ms)", "us per step", "newton", "linear",
           "s per second", "to Euler's");
    for (int i = 0; i < count; ++i) {
        const sn_method *method = sn_method_find(listing[i].name);
        if (method->tension) continue; /* for cloth of particles; the experiment hauth-cloth measures these methods */
        /* rock2 and the adaptive ones divide long steps by themselves. */
        const bool small = !method->implicit && !method->adaptive && strcmp(method->name, "rock2") != 0;
        const double h = small ? 5e-5 : 5e-3;
        row r;
        if (measure(context, method, h, 1e-6, small ? 2000 : 100, &r, &error)) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        if (r.status) {
            printf("%-22s %5d %10g  %s\n", method->name, method->order, 1e3 * h, error.text);
            continue;
        }
        if (i == 0) yardstick = r.seconds / h;
        printf("%-22s %5d %10g %12.1f %8.2f %8.2f %14.3f %10.2f\n", method->name, method->order, 1e3 * h,
               1e6 * r.seconds, r.newton, r.linear, r.seconds / h, r.seconds / h / yardstick);
        fflush(stdout);
    }
    sn_context_destroy(context);
    return 0;
}
