/* Hauth's second example: pure shear by live loads (Hauth 5.2.2).
 *
 * Cube of 0.1 m, 384 tets, StVK with lambda 0.1 MPa, mu 1 kPa, viscous 0.02 MPa s and 0.1 kPa s, density 1000, no
 * gravity. Four tangential loads that turn with their faces grow to 200 N/m^2 within 1 s. The edge x = y = 0 is held.
 * Only the balance of the four loads keeps the cube from turning about this edge, so errors of the integrator show as a
 * rotation. The error is the RMS error of the positions at 1 s.
 *
 * A mesh that is symmetric in x and y keeps every method from turning, good or bad. So the cube that is held for 20 s
 * has 4 x 5 x 4 cells. Its exact motion (small steps of a method of order 4) turns slowly: while the loads grow, the
 * inner parts of the cube move a little unevenly on the uneven mesh, which gives the cube a small angular momentum
 * about the edge. Nothing brakes it afterwards. A method is judged by the angle between its cube and the exact one. */
#include <math.h>
#include <string.h>

#include "hauth.h"
#include "time/system.h"
#include "timing.h"

#define LOAD(normal, direction)                                                                                        \
    "{ \"select\": { \"normal\": [" normal "] }, \"shear\": { \"direction\": [" direction                              \
    "], \"value\": 200 }, \"follow\": true, \"ramp\": [0, 1] }"
#define CUBE(cells)                                                                                                    \
    "\"gravity\": [0, 0, 0], \"bodies\": [ { \"name\": \"cube\", \"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], "   \
    "\"cells\": [" cells "], \"split\": 6 } }, \"material\": { \"law\": \"stvk\", \"lame\": [1e5, 1e3], \"density\": " \
    "1000, \"viscous\": { \"lambda\": 2e4, \"mu\": 100 } }, \"fix\": [ { \"select\": { \"box\": [[-1, -1, -1], "       \
    "[1e-6, 1e-6, 1]] } } ], \"loads\": [ " LOAD("0, 1, 0", "1, 0, 0") ", " LOAD("0, -1, 0", "-1, 0, 0") ", " LOAD(    \
        "1, 0, 0", "0, 1, 0") ", " LOAD("-1, 0, 0", "0, -1, 0") " ] } ]"

static const char cube[] = CUBE("4, 4, 4");

/* A cube to be held: its cells, its nodes, and the far corner (0.1, 0.1, 0). */
typedef struct held_cube {
    const char *scene;
    int nodes, corner;
} held_cube;
static const held_cube uneven = {CUBE("4, 5, 4"), 150, 29}, mirrored = {CUBE("5, 4, 4"), 150, 29},
                       even = {CUBE("4, 4, 4"), 125, 24};

typedef struct watch {
    const held_cube *cube;
    double turn;   /* degrees: the angle of the far corner from the diagonal, with full turns */
    double length; /* m: distance of the far corner from the edge */
} watch;

static void look(void *user, double time, sn_world *world) {
    (void)time;
    watch *w = user;
    static double position[3 * 150];
    sn_world_get(world, 0, position, NULL);
    const double x = position[3 * w->cube->corner], y = position[3 * w->cube->corner + 1];
    const double angle = (atan2(y, x) - 0.78539816339744831) * 57.295779513082323;
    w->turn = angle + 360 * round((w->turn - angle) / 360);
    w->length = hypot(x, y);
}

static hauth_setting setting_of(const char *method, int steps, double newton) {
    return (hauth_setting){.method = method,
                           .steps = steps,
                           .newton = newton,
                           .solver = "cholesky",
                           .preconditioner = "auto",
                           .linear = 1e-12};
}

typedef struct holding {
    experiment_run *run;
    sn_context *context;
    FILE *table;
    double end;    /* s */
    double exact;  /* degrees by which the exact cube turns */
    double length; /* m: distance of its far corner from the edge */
    int done;
} holding;

/* Holds a cube. *turn: by how many degrees it turned. *length: m, distance of its far corner from the edge. */
static sn_status hold(holding *h, const held_cube *cube_, const char *label, hauth_setting setting, double *turn,
                      double *length, sn_status *outcome, sn_error *error) {
    hauth_case scene = {.scene = cube_->scene, .end = h->end};
    hauth_outcome o;
    watch w = {.cube = cube_};
    const sn_status status = hauth_simulate(h->context, &scene, &setting, &o, look, &w, error);
    hauth_release(&scene);
    if (status) return status;
    *turn = w.turn, *length = w.length, *outcome = o.status;
    fprintf(h->table, "%s,%g,%g,%.6g,%.9g,%.3g,%d,%s\n", label, h->end / setting.steps, o.reached, w.turn, *length,
            o.seconds, o.retries, sn_status_name(o.status));
    fflush(h->table);
    experiment_progress(h->run, fmin(0.6, 0.025 * ++h->done));
    return SN_OK;
}

/* Every implicit method with 25 steps per second, converged. */
static sn_status hold_strict(holding *h, sn_error *error) {
    const char *const *const family[] = {hauth_newton_methods, hauth_rosenbrock_methods};
    for (int f = 0; f < 2; ++f)
        for (int i = 0; family[f][i]; ++i) {
            double turn, length;
            sn_status outcome;
            const hauth_setting setting = setting_of(family[f][i], (int)lround(25 * h->end), 1e-9);
            const sn_status status = hold(h, &uneven, setting.method, setting, &turn, &length, &outcome, error);
            if (status) return status;
            const double off = fabs(turn - h->exact), longer = fabs(length - h->length);
            char id[60];
            snprintf(id, sizeof id, "holds-%s", setting.method);
            experiment_claim(
                h->run, id, off, "< 0.05 degrees", !outcome && off < 0.05 && longer < 1e-5,
                "%s at 0.04 s: degrees between its cube and the exact one after %g s; their diagonals differ by "
                "%.1e m (below 1e-5)",
                setting.method, h->end, longer);
        }
    return SN_OK;
}

/* Methods that do not solve their equations accurately enough are meant to fail. */
static sn_status hold_loosely(holding *h, sn_error *error) {
    hauth_setting one_step = setting_of("implicit-euler", (int)lround(25 * h->end), 1e-9);
    one_step.kind = "one-step";
    double turn[3], length;
    sn_status outcome, status = hold(h, &uneven, "one-step", one_step, &turn[0], &length, &outcome, error);
    if (!status) status = hold(h, &even, "one-step-even", one_step, &turn[2], &length, &outcome, error);
    if (status) return status;
    experiment_claim(h->run, "one-step-turns", fabs(turn[0] - h->exact), "> 1 degree", fabs(turn[0] - h->exact) > 1,
                     "implicit Euler with one linear solve per step is not accurate enough: degrees after %g s",
                     h->end);
    experiment_note(h->run,
                    "bdf3 whose Newton method stops at 1e-2 was meant to fail too, by 128 degrees. Since a step "
                    "starts at the place which the last steps predict, it is off by 0.002 degrees only, with "
                    "any tolerance up to 0.3");
    experiment_note(
        h->run,
        "until now the cube had 4 x 4 x 4 cells, the limit was 0.01 degrees, and the corner had to move less than "
        "1e-6 m from 10 to 20 s, which the slow rotation of this mesh does not allow; on the old mesh even one "
        "linear solve per step turns by %.1e degrees only, because the mesh is symmetric: the check could "
        "not fail. The limit is now 0.05 degrees from the exact cube, and 1e-5 m for the diagonal, because bdf6 rings "
        "by 2e-6 m",
        fabs(turn[2]));
    return SN_OK;
}

/* The exact motion on the uneven mesh and on its mirror image. */
static sn_status hold_exactly(holding *h, sn_error *error) {
    const hauth_setting fine = setting_of("rosenbrock4-grk4t", (int)lround(50 * h->end), 1e-9);
    double mirror, length;
    sn_status outcome[2], status = hold(h, &uneven, "exact", fine, &h->exact, &h->length, &outcome[0], error);
    if (!status) status = hold(h, &mirrored, "exact-mirrored", fine, &mirror, &length, &outcome[1], error);
    if (status) return status;
    experiment_claim(h->run, "mesh-turns", fabs(mirror + h->exact), "< 1e-6 degrees",
                     !outcome[0] && !outcome[1] && fabs(mirror + h->exact) < 1e-6 && fabs(h->exact) > 0.01,
                     "the exact cube turns by %.4f degrees in %g s, the one with the mirrored mesh (5 x 4 x 4) by "
                     "%.4f; their sum: the mesh makes this rotation, not the method",
                     h->exact, h->end, mirror);
    return SN_OK;
}

static sn_status hold_all(experiment_run *run, sn_context *context, sn_error *error) {
    holding h = {.run = run, .context = context, .end = run->quick ? 4 : 20};
    h.table = experiment_table(run, "hold.csv",
                               "method,step,reached (s),rotation (degrees),diagonal (m),seconds,retries,status", error);
    if (!h.table) return error->status;
    sn_status status = hold_exactly(&h, error);
    if (!status) status = hold_strict(&h, error);
    if (!status) status = hold_loosely(&h, error);
    fclose(h.table);
    return status;
}

enum { ROSENBROCK2 = 6 }; /* the first method without Newton in work_precision */

static sn_status work_precision(experiment_run *run, sn_context *context, hauth_case *scene, FILE *table,
                                sn_error *error) {
    static const char *const method[] = {
        "implicit-euler", "implicit-midpoint", "trapezoidal",      "bdf2", "bdf3", "bdf4",
        "rosenbrock2-w",  "rosenbrock4-grk4t", "rosenbrock4-lstab"};
    int better = 0;
    double largest[9]; /* errors with the largest step */
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
        largest[m] = errors[0];
        if (m < 6) {
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
    experiment_note(run,
                    "the orders were once asked to be within 0.15; bdf3 has 4.1 here like bdf4, because the motion "
                    "follows the ramp and its leading error all but vanishes, so now they have a lower limit only");
    double newton = 0;
    for (int m = 0; m < ROSENBROCK2; ++m) newton = fmax(newton, largest[m]);
    experiment_claim(run, "low-rosenbrock-worst", largest[ROSENBROCK2] / newton, "> 1", largest[ROSENBROCK2] > newton,
                     "error of rosenbrock2-w with steps of 0.1 s by the largest of the methods with Newton: Rosenbrock "
                     "methods of low order have difficulties with large steps here");
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
    sn_status status = hold_all(run, context, error);
    if (!status) status = explicit_fails(run, context, error);
    if (status) return status;
    hauth_case scene = {.scene = cube, .end = 1};
    hauth_setting setting = setting_of(run->quick ? "rosenbrock4-grk4t" : "dopri853", run->quick ? 320 : 10, 1e-11);
    setting.tolerance = run->quick ? 0 : 1e-14;
    hauth_outcome o;
    status = hauth_simulate(context, &scene, &setting, &o, NULL, NULL, error);
    if (!status && o.status) status = sn_fail(error, o.status, "the reference: %s", o.message);
    if (!status) status = hauth_keep_reference(&scene, error);
    if (run->quick)
        experiment_note(run, "the reference is rosenbrock4-grk4t with 320 steps; the full run takes dopri853 at 1e-14");
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
    sn_status status = one_thread(run, &context, error);
    if (!status) status = run_all(run, context, error);
    sn_context_destroy(context);
    return status;
}

const experiment experiment_hauth_shear = {
    "hauth-shear", "a cube under live shear loads keeps its place", "Hauth 5.2.2", run_shear,
    "mesh-turns one-step-turns explicit-limit accurate low-rosenbrock-worst "
    "holds-implicit-euler holds-implicit-midpoint holds-trapezoidal holds-newmark holds-bdf2 holds-bdf3 holds-bdf4 "
    "holds-bdf5 holds-bdf6 "
    "holds-rosenbrock2-w holds-ros34pw2 holds-rosenbrock4-shampine holds-rosenbrock4-grk4a holds-rosenbrock4-grk4t "
    "holds-rosenbrock4-veldd holds-rosenbrock4-velds holds-rosenbrock4-lstab "
    "order-implicit-euler order-implicit-midpoint order-trapezoidal order-bdf2 order-bdf3 order-bdf4"};
