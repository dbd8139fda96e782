/* Functions of the experiments on time integration; see hauth.h. */
#include "hauth.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "timing.h"

const char *const hauth_newton_methods[] = {
    "implicit-euler", "implicit-midpoint", "trapezoidal", "newmark", "bdf2", "bdf3", "bdf4", "bdf5", "bdf6", NULL};
const char *const hauth_rosenbrock_methods[] = {"rosenbrock2-w",     "ros34pw2",          "rosenbrock4-shampine",
                                                "rosenbrock4-grk4a", "rosenbrock4-grk4t", "rosenbrock4-veldd",
                                                "rosenbrock4-velds", "rosenbrock4-lstab", NULL};
const char *const hauth_explicit_methods[] = {
    "explicit-euler", "symplectic-euler", "explicit-midpoint", "verlet", "rk4",
    "rk38",           "dopri5",           "dopri853",          "rock2",  NULL};

static bool is_in(const char *const *list, const char *method) {
    for (const char *const *name = list; *name; ++name)
        if (strcmp(*name, method) == 0) return true;
    return false;
}

static sn_status make_world(sn_context *context, const hauth_case *scene, const hauth_setting *s, sn_world **world,
                            sn_error *error) {
    char *text = NULL, newton[100] = "", solver[200] = "";
    if (s->kind && strcmp(s->kind, "one-step") == 0)
        snprintf(newton, sizeof newton, ", \"newton\": { \"kind\": \"one-step\" }");
    else if (is_in(hauth_newton_methods, s->method))
        snprintf(newton, sizeof newton, ", \"newton\": { \"kind\": \"%s\", \"tolerance\": %g, \"iterations\": 40 }",
                 s->kind ? s->kind : "full", s->newton);
    if (!is_in(hauth_explicit_methods, s->method))
        snprintf(solver, sizeof solver,
                 "\"solver\": { \"method\": \"%s\", \"preconditioner\": \"%s\", \"tolerance\": %g, \"precision\": "
                 "\"double\", \"iterations\": 5000 }, ",
                 s->solver, s->preconditioner, s->linear);
    const int length =
        asprintf(&text,
                 "{ \"sinew\": 1, \"time\": { \"method\": \"%s\", \"step\": %.17g, \"end\": %.17g, "
                 "\"tolerance\": %g%s }, %s%s }",
                 s->method, scene->end / s->steps, scene->end, s->tolerance, newton, solver, scene->scene);
    if (length < 0) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    sn_scene *parsed = NULL;
    sn_status status = sn_scene_parse(context, text, (size_t)length, "experiment", "", NULL, 0, &parsed, error);
    if (!status) status = sn_scene_create_world(parsed, world, error);
    sn_scene_destroy(parsed);
    free(text);
    return status;
}

static double distance(int count, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / count);
}

static sn_status simulate_once(sn_context *context, hauth_case *scene, const hauth_setting *setting, stopwatch *watch,
                               hauth_outcome *outcome, void (*progress)(void *user, double time, sn_world *world),
                               void *user, sn_error *error) {
    *outcome = (hauth_outcome){.error = NAN};
    sn_world *world = NULL;
    sn_status status = make_world(context, scene, setting, &world, error);
    if (status) return status;
    scene->nodes = sn_world_node_count(world);
    if (!scene->position) scene->position = calloc((size_t)scene->nodes * 3, sizeof *scene->position);
    if (!scene->position) {
        sn_world_destroy(world);
        return sn_fail(error, SN_NO_MEMORY, "out of memory");
    }
    int64_t newton = 0, linear = 0;
    int done = 0;
    while (done < setting->steps && !outcome->status) {
        sn_step_report report;
        sn_error why = {0};
        outcome->status = stopwatch_step(watch, world, &report, &why);
        outcome->retries += report.retries;
        if (outcome->status) snprintf(outcome->message, sizeof outcome->message, "%.199s", why.text);
        if (outcome->status) break;
        newton += report.newton_iterations, linear += report.linear_iterations;
        ++done;
        if (progress) progress(user, sn_world_time(world), world);
    }
    outcome->reached = sn_world_time(world);
    outcome->seconds = stopwatch_total(watch);
    outcome->newton = done ? (double)newton / done : 0;
    outcome->linear = done ? (double)linear / done : 0;
    sn_world_get(world, 0, scene->position, NULL);
    sn_world_destroy(world);
    if (!outcome->status && scene->reference)
        outcome->error = distance(3 * scene->nodes, scene->position, scene->reference);
    return SN_OK;
}

sn_status hauth_simulate(sn_context *context, hauth_case *scene, const hauth_setting *setting, hauth_outcome *outcome,
                         void (*progress)(void *user, double time, sn_world *world), void *user, sn_error *error) {
    stopwatch watch = {0};
    sn_status status = simulate_once(context, scene, setting, &watch, outcome, progress, user, error);
    for (int again = 0; again < setting->repeats && !status; ++again) {
        stopwatch_rewind(&watch);
        status = simulate_once(context, scene, setting, &watch, outcome, NULL, NULL, error);
    }
    stopwatch_release(&watch);
    return status;
}

sn_status hauth_keep_reference(hauth_case *scene, sn_error *error) {
    const size_t bytes = (size_t)scene->nodes * 3 * sizeof *scene->position;
    if (!scene->reference) scene->reference = malloc(bytes);
    if (!scene->reference) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    memcpy(scene->reference, scene->position, bytes);
    return SN_OK;
}

void hauth_release(hauth_case *scene) {
    free(scene->position);
    free(scene->reference);
    scene->position = scene->reference = NULL;
}

double hauth_order(const double *error, int count, double floor) {
    double order = NAN;
    for (int i = 1; i < count; ++i) {
        if (error[i] <= floor) break;
        if (isfinite(error[i - 1]) && isfinite(error[i])) order = log2(error[i - 1] / error[i]);
    }
    return order;
}

void hauth_plot(experiment_run *run, const char *file, const char *table, const char *title, const char *const *method,
                int x, int y, const char *x_label, const char *y_label, const char *extra) {
    static const char *const colour[] = {"#1f4e9c", "#c0392b", "#1b8a5a", "#8e44ad", "#b9770e",
                                         "#0e8fa8", "#d6498f", "#555555", "#7a9a01"};
    char *script = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&script, &size);
    if (!out) return;
    fprintf(out,
            "set title '%s'\nset logscale xy\nset format x '10^{%%T}'\nset format y '10^{%%T}'\nset xlabel '%s'\nset "
            "ylabel '%s'\nset key "
            "outside "
            "right\n%s\nplot",
            title, x_label, y_label, extra ? extra : "");
    for (int i = 0; method[i]; ++i)
        fprintf(out,
                "%s '%s' using (strcol(1) eq '%s' ? $%d : NaN):%d every ::1 with linespoints lw 1.6 pt %d ps 0.7 lc "
                "rgb '%s' title '%s'",
                i ? "," : "", table, method[i], x, y, i + 4, colour[i % 9], method[i]);
    fprintf(out, "\n");
    fclose(out);
    experiment_plot(run, file, script);
    free(script);
}
