/* Hauth's second example: pure shear by live loads (Hauth 5.2.2).
 *
 * Cube of 0.1 m, 384 tets, StVK with lambda 0.1 MPa, mu 1 kPa, viscous 0.02 MPa s and 0.1 kPa s, density 1000, no
 * gravity. Four tangential loads that turn with their faces grow to 200 N/m^2 within 1 s. The edge x = y = 0 is held.
 * Only the balance of the four loads keeps the cube from turning about this edge, so errors of the integrator show as a
 * rotation. The problem and its mesh are symmetric in x and y, so the rotation is the angle between the far edge and
 * the diagonal. The error is the RMS error of the positions at 1 s. */
#include <math.h>
#include <string.h>

#include "hauth.h"
#include "time/system.h"

#define LOAD(normal, direction)                                                                                        \
    "{ \"select\": { \"normal\": [" normal "] }, \"shear\": { \"direction\": [" direction                              \
    "], \"value\": 200 }, \"follow\": true, \"ramp\": [0, 1] }"

static const char cube[] =
    "\"gravity\": [0, 0, 0], \"bodies\": [ { \"name\": \"cube\", \"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], "
    "\"cells\": [4, 4, 4], "
    "\"split\": 6 } }, \"material\": { \"law\": \"stvk\", \"lame\": [1e5, 1e3], \"density\": 1000, \"viscous\": { "
    "\"lambda\": 2e4, \"mu\": "
    "100 } }, "
    "\"fix\": [ { \"select\": { \"box\": [[-1, -1, -1], [1e-6, 1e-6, 1]] } } ], \"loads\": [ " LOAD(
        "0, 1, 0", "1, 0, 0") ", " LOAD("0, -1, 0", "-1, 0, 0") ", " LOAD("1, 0, 0",
                                                                          "0, 1, 0") ", " LOAD("-1, 0, 0",
                                                                                               "0, -1, 0") " ] } ]";

enum { FAR_CORNER = 24 }; /* (0.1, 0.1, 0) of 5 x 5 x 5 nodes */

typedef struct watch {
    double turn, middle; /* largest |angle| in degrees; x of the far corner at 10 s */
    double last;
} watch;

static void look(void *user, double time, sn_world *world) {
    watch *w = user;
    static double position[3 * 125];
    sn_world_get(world, 0, position, NULL);
    const double x = position[3 * FAR_CORNER], y = position[3 * FAR_CORNER + 1];
    w->turn = fmax(w->turn, fabs(atan2(y, x) - 0.78539816339744831) * 57.295779513082323);
    if (time < 10.0001) w->middle = x;
    w->last = x;
}

static hauth_setting setting_of(const char *method, int steps, double newton) {
    return (hauth_setting){.method = method,
                           .steps = steps,
                           .newton = newton,
                           .solver = "cholesky",
                           .preconditioner = "auto",
                           .linear = 1e-12};
}

/* Runs every implicit method for 20 s with 25 steps per second. */
static sn_status hold(experiment_run *run, sn_context *context, sn_error *error) {
    static const char *const few[] = {"implicit-euler", "implicit-midpoint", "bdf3", "rosenbrock4-grk4t", NULL};
    const char *const *const family[] = {run->quick ? few : hauth_newton_methods,
                                         run->quick ? few + 4 : hauth_rosenbrock_methods};
    FILE *table = experiment_table(
        run, "hold.csv",
        "method,step,reached (s),largest rotation (degrees),change from 10 to 20 s (m),seconds,retries,status", error);
    if (!table) return error->status;
    sn_status status = SN_OK;
    for (int f = 0; f < 2 && !status; ++f)
        for (int i = 0; family[f][i] && !status; ++i) {
            hauth_case scene = {.scene = cube, .end = 20};
            const hauth_setting setting = setting_of(family[f][i], run->quick ? 200 : 500, 1e-9);
            hauth_outcome o;
            watch w = {0};
            status = hauth_simulate(context, &scene, &setting, &o, look, &w, error);
            hauth_release(&scene);
            if (status) break;
            const double change = fabs(w.last - w.middle);
            fprintf(table, "%s,%g,%g,%.3g,%.3g,%.3g,%d,%s\n", setting.method, 20.0 / setting.steps, o.reached, w.turn,
                    change, o.seconds, o.retries, sn_status_name(o.status));
            fflush(table);
            char id[60];
            snprintf(id, sizeof id, "holds-%s", setting.method);
            experiment_claim(
                run, id, w.turn, "< 0.01 degrees", !o.status && w.turn < 0.01 && change < 1e-6,
                "%s at %g s reaches %g s; largest rotation in degrees, the corner moves %.1e m from 10 to 20 s",
                setting.method, 20.0 / setting.steps, o.reached, change);
            experiment_progress(run, 0.5 * (i + 1) / 18 + 0.25 * f);
        }
    fclose(table);
    return status;
}

static sn_status work_precision(experiment_run *run, sn_context *context, hauth_case *scene, FILE *table,
                                sn_error *error) {
    static const char *const method[] = {
        "implicit-euler", "implicit-midpoint", "trapezoidal",      "bdf2", "bdf3", "bdf4",
        "rosenbrock2-w",  "rosenbrock4-grk4t", "rosenbrock4-lstab"};
    int better = 0;
    const int last = run->quick ? 80 : 320;
    for (int m = 0; m < 9; ++m) {
        double errors[16];
        int count = 0;
        for (int steps = 10; steps <= last; steps *= 2, ++count) {
            const hauth_setting setting = setting_of(method[m], steps, 1e-11);
            hauth_outcome o;
            const sn_status status = hauth_simulate(context, scene, &setting, &o, NULL, NULL, error);
            if (status) return status;
            errors[count] = o.error;
            fprintf(table, "%s,strict,%g,0,%.4g,%.6g,%.4g,%.4g,%d,%s\n", setting.method, 1.0 / steps, o.seconds,
                    o.error, o.newton, o.linear, o.retries, sn_status_name(o.status));
            fflush(table);
        }
        better += errors[count - 1] < 1e-5;
        if (m < 6 && !run->quick) {
            const sn_method *known = sn_method_find(method[m]);
            const double order = hauth_order(errors, count, 1e-11);
            char id[60], expected[40];
            snprintf(id, sizeof id, "order-%s", method[m]);
            snprintf(expected, sizeof expected, "at least %d - 0.15", known->order);
            experiment_claim(run, id, order, expected, order > known->order - 0.15, "order of %s under live loads",
                             method[m]);
        }
        experiment_progress(run, 0.6 + 0.4 * (m + 1) / 9);
    }
    if (!run->quick)
        experiment_note(
            run, "bdf3 converges like bdf4 here: the motion follows the ramp, and its leading error all but vanishes");
    experiment_claim(run, "accurate", better, "9 of 9", better == 9,
                     "methods with an RMS error below 0.01 mm at their smallest step of %g s", 1.0 / last);
    return SN_OK;
}

/* With ten times their largest stable step, explicit methods report the failure and suggest a step that works. */
static sn_status explicit_fails(experiment_run *run, sn_context *context, sn_error *error) {
    hauth_case scene = {.scene = cube, .end = 0.005};
    hauth_outcome o;
    hauth_setting setting = setting_of("rk4", 5, 1e-9);
    sn_status status = hauth_simulate(context, &scene, &setting, &o, NULL, NULL, error);
    const char *advice = status ? NULL : strstr(o.message, "up to about ");
    double step = 0;
    if (advice) sscanf(advice, "up to about %lf", &step);
    hauth_outcome second = {.status = SN_NOT_CONVERGED};
    if (step > 0) {
        setting.steps = (int)ceil(0.005 / step);
        status = hauth_simulate(context, &scene, &setting, &second, NULL, NULL, error);
    }
    hauth_release(&scene);
    if (status) return status;
    experiment_claim(run, "explicit-limit", step, "> 0, and it holds", o.status && step > 0 && !second.status,
                     "rk4 diverges at 1 ms and advises this step, s; with it the cube is held");
    return SN_OK;
}

static sn_status run_all(experiment_run *run, sn_context *context, sn_error *error) {
    sn_status status = hold(run, context, error);
    if (!status) status = explicit_fails(run, context, error);
    if (status) return status;
    hauth_case scene = {.scene = cube, .end = 1};
    hauth_setting setting = setting_of(run->quick ? "bdf4" : "dopri853", run->quick ? 320 : 10, 1e-11);
    setting.tolerance = run->quick ? 0 : 1e-14;
    hauth_outcome o;
    status = hauth_simulate(context, &scene, &setting, &o, NULL, NULL, error);
    if (!status && o.status) status = sn_fail(error, o.status, "the reference: %s", o.message);
    if (!status) status = hauth_keep_reference(&scene, error);
    if (run->quick) experiment_note(run, "the reference is bdf4 with 320 steps; the full run takes dopri853 at 1e-14");
    FILE *table =
        status
            ? NULL
            : experiment_table(
                  run, "work-precision.csv",
                  "method,setting,step,tolerance,seconds,error,newton per step,linear per step,retries,status", error);
    if (!status && !table) status = error->status;
    if (!status) status = work_precision(run, context, &scene, table, error);
    if (table) fclose(table);
    hauth_release(&scene);
    static const char *const shown[] = {
        "implicit-euler", "implicit-midpoint", "trapezoidal",       "bdf2", "bdf3", "bdf4",
        "rosenbrock2-w",  "rosenbrock4-grk4t", "rosenbrock4-lstab", NULL};
    if (!status)
        hauth_plot(run, "work-precision.svg", "work-precision.csv",
                   "Pure shear by live loads: implicit methods, strict Newton", shown, 5, 6,
                   "processor seconds for 1 s, one thread", "RMS error at 1 s (m)", NULL);
    return status;
}

static sn_status run_shear(experiment_run *run, sn_error *error) {
    sn_context *context = NULL;
    sn_status status = hauth_context(&context, error);
    if (!status) status = run_all(run, context, error);
    sn_context_destroy(context);
    return status;
}

const experiment experiment_hauth_shear = {"hauth-shear", "a cube under live shear loads keeps its place",
                                           "Hauth 5.2.2", run_shear};
