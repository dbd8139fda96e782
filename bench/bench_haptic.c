/* A servo at 1 kHz beside a simulation that uses every core: how long a call of sn_haptic_force takes, and how late the
 * ticks come, for steps of 15 and of 40 ms.
 *
 *     bench_haptic [SECONDS [CELLS]]
 *
 * The simulation takes step after step without a pause. Each part runs SECONDS (default 60). A part without
 * simulation comes first: late ticks there are those of the machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sinew/sinew.h"

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool read_place(void *user, double time, sn_device_sample *sample) {
    (void)user;
    sample->position[1] = 0.1 - 0.01 * sin(6 * time);
    return true;
}

static bool write_force(void *user, double time, const double force[3]) {
    (void)user, (void)time;
    return isfinite(force[1]);
}

static const char *const block =
    "{ \"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": { \"method\": \"bdf3\", \"step\": %g }, \"bodies\": [ {\n"
    "  \"mesh\": { \"box\": { \"size\": [0.2, 0.1, 0.2], \"cells\": [%d, %d, %d] }, \"move\": [-0.1, 0, -0.1] },\n"
    "  \"material\": { \"law\": \"corotated\", \"young\": 5000, \"poisson\": 0.4, \"rayleigh\": { \"stiffness\": 0.005 "
    "} },\n"
    "  \"fix\": [ { \"select\": { \"normal\": [0, -1, 0] } } ] } ], \"tools\": [ { \"radius\": 0.005 } ] }";

/* `busy` false: the simulation rests, which shows what the machine itself does to a thread. */
static sn_status measure(sn_context *context, double step, double length, int cells, bool busy, sn_error *error) {
    char text[1200];
    snprintf(text, sizeof text, block, step, 2 * cells, cells, 2 * cells);
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_servo *servo = NULL;
    sn_device_table device = sn_device_table_default();
    device.read = read_place, device.write = write_force;
    sn_status status = sn_scene_parse(context, text, strlen(text), "block", "", NULL, 0, &scene, error);
    if (!status) status = sn_scene_create_world(scene, &world, error);
    if (!status) status = sn_servo_create_own(world, 0, &device, NULL, NULL, &servo, error);
    if (!status) status = sn_servo_start(servo, 0, error);
    const double begin = seconds();
    while (!status && seconds() - begin < length) {
        sn_servo_delay(servo, seconds() - begin - sn_world_time(world));
        const struct timespec rest = {0, 10000000};
        if (busy)
            status = sn_world_step(world, NULL, error);
        else
            nanosleep(&rest, NULL);
    }
    if (!status) {
        const double taken = seconds() - begin;
        sn_servo_report r;
        sn_servo_look(servo, &r);
        if (busy)
            printf("step %2.0f ms, %d tets, %d threads, %.3g ms per step", 1e3 * step, sn_world_element_count(world),
                   sn_context_threads(context), 1e3 * taken / (double)sn_world_steps(world));
        else
            printf("no simulation");
        printf(", %.0f s: %lld ticks, %lld late, %lld skipped\n", taken, (long long)r.ticks, (long long)r.late,
               (long long)r.skipped);
        printf("  call      mean %.3g us, 99.9 %% under %.3g us, most %.3g us\n", 1e6 * r.call_mean, 1e6 * r.call_high,
               1e6 * r.call_most);
        printf("  lateness  mean %.3g us, 99.9 %% under %.3g us, most %.3g us\n", 1e6 * r.lateness_mean,
               1e6 * r.lateness_high, 1e6 * r.lateness_most);
        if (*r.message) printf("  %s\n", r.message);
    }
    sn_servo_destroy(servo);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

int main(int count, char **word) {
    const double length = count > 1 ? atof(word[1]) : 60;
    const int cells = count > 2 ? atoi(word[2]) : 8;
    sn_context *context = NULL;
    sn_error error = {0};
    sn_status status = sn_context_create(NULL, &context, &error);
    if (!status) status = measure(context, 0.015, length, cells, false, &error);
    if (!status) status = measure(context, 0.015, length, cells, true, &error);
    if (!status) status = measure(context, 0.04, length, cells, true, &error);
    if (status) fprintf(stderr, "%s\n", error.text);
    sn_context_destroy(context);
    return status != SN_OK;
}
