/* See kikuuwe.h. */
#include "kikuuwe.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "measure.h"
#include "timing.h"

#define CREATURE(name, size, options)                                                                                  \
    "\"mesh\": {\"embed\": {\"surface\": {\"" name "\": {\"triangles\": 12000, \"size\": " size "}}, " options

/* The document uses the Armadillo with 975 nodes and 2968 tets, a bunny, a dinosaur and a coarser Armadillo. Here the
 * bodies come from the generators. */
const kikuuwe_body kikuuwe_bodies[KIKUUWE_BODIES] = {
    {"dragon", CREATURE("dragon", "0.136", "\"elements\": 2968}}")},
    {"octopus", CREATURE("octopus", "0.2", "\"elements\": 2968}}")},
    {"cylinder", "\"mesh\": {\"cylinder\": {\"radius\": 0.05, \"length\": 0.15, \"cells\": [4, 11]}}"},
    {"block", "\"mesh\": {\"box\": {\"size\": [0.08, 0.15, 0.08], \"cells\": [6, 11, 6], \"split\": 5}}"},
};
const kikuuwe_body kikuuwe_thick = {"dragon",
                                    CREATURE("dragon", "0.136", "\"elements\": 371, \"fit\": 0}, \"refine\": 1}")};
static const double pi = 3.14159265358979323846;

/* ---- The plate (equation 34), in m ---- */
static void plate_at(double t, double p[3]) {
    const double s = t < 6 ? t - 1 : 5;
    p[0] = t < 1 ? 0 : 0.1 * sin(2 * pi * s / 1.3);
    p[2] = t < 1 ? 0 : -0.1 * sin(2 * pi * s / 0.7);
    p[1] = t < 1 ? 0.02 + 0.3 * (1 - t) : t < 6 ? fmax(0, 0.02 - 0.1 * sin(2 * pi * s)) : 0.02 + 0.3 * (t - 6);
}

/* The keys of the plate as JSON: one every 10 ms, so that the ends of all steps are keys. */
static void write_plate(FILE *out) {
    enum { KEYS = 1001 }; /* the last one holds: the plate stays up */
    for (int i = 0; i < KEYS; ++i) {
        double p[3];
        plate_at(0.01 * i, p);
        fprintf(out, "%s[%.17g, %.17g, %.17g, %.17g]", i ? ", " : "", 0.01 * i, p[0], p[1], p[2]);
    }
}

/* ---- The scene ---- */
static void write_colliders(FILE *out) {
    const char *contact =
        "\"response\": \"spring-damper\", \"spring\": {\"stiffness\": 1e6, \"damping\": 1e4, \"drag\": 1e7}";
    fprintf(out,
            ", \"colliders\": [{\"plane\": {\"point\": [0, 0, 0]}, %s}, {\"plane\": {\"point\": [0, 0, 0], "
            "\"normal\": [0, -1, 0]}, %s, \"keys\": [",
            contact, contact);
    write_plate(out);
    fprintf(out, "]}]");
}

static void write_scene(FILE *out, const kikuuwe_body *body, const kikuuwe_scheme *s, bool plate) {
    fprintf(out,
            "{\"sinew\": 1, \"gravity\": [0, -9.8, 0], \"time\": {\"method\": \"%s\", \"step\": %g, \"judge\": false",
            s->method ? s->method : "kikuuwe", KIKUUWE_STEP);
    if (s->method)
        fprintf(out, ", \"newton\": {\"kind\": \"one-step\"}");
    else if (!s->corrected)
        fprintf(out, ", \"correction\": {\"use\": false}");
    else
        fprintf(out, ", \"correction\": {\"speed\": %.17g, \"measure\": %s}", s->speed, s->measure ? "true" : "false");
    fprintf(out,
            "}, \"solver\": {\"method\": \"%s\", \"preconditioner\": \"none\", \"precision\": \"double\", \"guard\": "
            "false, \"iterations\": %d, \"tolerance\": %g},",
            s->solver, s->iterations, s->tolerance > 0 ? s->tolerance : 1e-300);
    fprintf(out,
            " \"bodies\": [{%s, \"material\": {%s, \"density\": 1000, \"rayleigh\": {\"mass\": 0.001, \"stiffness\": "
            "0.001}}}]",
            body->mesh, s->law ? s->law : "\"law\": \"stvk-volume\", \"young\": 1e6, \"poisson\": 0.49");
    if (plate) write_colliders(out);
    fprintf(out, "}");
}

sn_status kikuuwe_world(experiment_run *run, const kikuuwe_body *body, const kikuuwe_scheme *scheme, bool plate,
                        sn_world **world, sn_error *error) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    write_scene(out, body, scheme, plate);
    fclose(out);
    sn_scene *scene = NULL;
    const sn_status status = experiment_scene(run, &scene, world, error, "%s", text);
    free(text);
    sn_scene_destroy(scene);
    return status;
}

sn_status kikuuwe_tie(sn_world *world, int node, const double offset[3], const double *key, int key_count,
                      sn_error *error) {
    const double *p = sn_world_body_mesh(world, 0)->position + 3 * (size_t)node;
    sn_tether tether = sn_tether_default();
    for (int a = 0; a < 3; ++a) tether.point[a] = p[a], tether.to[a] = p[a] + offset[a];
    tether.stiffness = 1e6, tether.damping = 1e4;
    tether.key = key, tether.key_count = key_count;
    return sn_world_add_tether(world, 0, &tether, NULL, error);
}

/* Puts the body on the floor, moves its nodes a little for a trial, and ties its feet to the floor: the nodes of the
 * lowest 6 mm, about half an edge. */
static sn_status anchor(sn_world *world, int trial, sn_error *error) {
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    double low = INFINITY, *x = measure_positions(world, 0);
    if (!x) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    for (int i = 0; i < mesh->node_count; ++i) low = fmin(low, mesh->position[3 * i + 1]);
    for (int i = 0; i < 3 * mesh->node_count; ++i)
        x[i] += (i % 3 == 1 ? -low : 0) + (trial > 0 ? 1e-6 * sin(0.7 * i + 1.3 * trial) : 0);
    sn_status status = sn_world_put(world, 0, x, NULL, error);
    free(x);
    for (int i = 0; i < mesh->node_count && !status; ++i)
        if (mesh->position[3 * i + 1] < low + 0.006)
            status = kikuuwe_tie(world, i, (const double[]){0, -low, 0}, NULL, 0, error);
    return status;
}

sn_status kikuuwe_crush_world(experiment_run *run, const kikuuwe_body *body, const kikuuwe_scheme *scheme,
                              sn_world **world, sn_error *error) {
    const sn_status status = kikuuwe_world(run, body, scheme, true, world, error);
    return status ? status : anchor(*world, scheme->trial, error);
}

/* ---- Runs ---- */
static double height(const sn_mesh *mesh, const double *x) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < mesh->node_count; ++i) low = fmin(low, x[3 * i + 1]), high = fmax(high, x[3 * i + 1]);
    return high - low;
}

static void add_step(kikuuwe_outcome *o, const sn_step_report *report, double time, double speed, int *slowed) {
    if (speed > o->fastest) o->fastest = speed, o->fastest_at = time;
    o->spikes += speed > KIKUUWE_FAST;
    o->blew_up = o->blew_up || !(speed < KIKUUWE_WILD);
    o->reached = time;
    o->residual = fmax(o->residual, report->linear_residual);
    o->iterations += report->linear_iterations;
    if (report->correction.nodes == 0) return;
    ++*slowed;
    o->least = fmin(o->least, report->correction.least);
    o->commutes = fmax(o->commutes, report->correction.commutes), o->commutes_mean += report->correction.commutes;
    o->squares = fmax(o->squares, report->correction.squares), o->squares_mean += report->correction.squares;
}

sn_status kikuuwe_crush(experiment_run *run, const kikuuwe_body *body, const kikuuwe_scheme *scheme, double end,
                        FILE *table, kikuuwe_outcome *o, sn_error *error) {
    sn_world *world = NULL;
    sn_status status = kikuuwe_crush_world(run, body, scheme, &world, error);
    if (status) return status;
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    const double tall = height(mesh, mesh->position);
    *o = (kikuuwe_outcome){.shape = INFINITY, .recovered = INFINITY, .flattest = INFINITY, .least = 1};
    int steps = 0, slowed = 0;
    while (!o->blew_up && sn_world_time(world) < end - 0.5 * KIKUUWE_STEP) {
        sn_step_report report;
        if (sn_world_step(world, &report, NULL)) {
            o->blew_up = true;
            break;
        }
        ++steps;
        const double t = sn_world_time(world), speed = measure_speed(world, 0);
        double *x = measure_positions(world, 0);
        if (!x) break;
        const double flat = height(mesh, x) / tall;
        add_step(o, &report, t, speed, &slowed);
        o->flattest = fmin(o->flattest, flat);
        o->shape = measure_distance(run->context, mesh, x);
        o->recovered = o->shape < 0.01 ? fmin(o->recovered, t) : INFINITY;
        o->inverted = measure_inverted(mesh, x);
        if (table)
            fprintf(table, "%s,%g,%g,%d,%g,%g,%g,%g,%g\n", scheme->name, t, speed, report.linear_iterations,
                    report.linear_residual, report.correction.nodes ? report.correction.least : 1,
                    report.correction.commutes, report.correction.squares, flat);
        free(x);
    }
    if (o->blew_up) o->shape = INFINITY;
    if (steps) o->iterations /= steps;
    if (slowed) o->commutes_mean /= slowed, o->squares_mean /= slowed;
    sn_world_destroy(world);
    return SN_OK;
}

/* ---- Many runs ---- */
typedef struct batch_of_jobs {
    const experiment_run *run;
    kikuuwe_job *job;
    double end;
} batch_of_jobs;

static void run_job(void *data, int index) {
    const batch_of_jobs *b = data;
    kikuuwe_job *job = &b->job[index];
    experiment_run own = *b->run;
    job->error = (sn_error){0};
    if (one_thread(b->run, &own.context, &job->error)) return;
    (void)kikuuwe_crush(&own, job->body, &job->scheme, b->end, NULL, &job->outcome, &job->error);
    sn_context_destroy(own.context);
}

sn_status kikuuwe_crush_all(experiment_run *run, kikuuwe_job *job, int count, double end, sn_error *error) {
    sn_parallel(run->context, count, run_job, &(batch_of_jobs){run, job, end});
    for (int i = 0; i < count; ++i)
        if (job[i].error.status) {
            *error = job[i].error;
            return error->status;
        }
    return SN_OK;
}

sn_status kikuuwe_keep(experiment_run *run, const kikuuwe_body *body, kikuuwe_kept *kept, sn_error *error) {
    const kikuuwe_scheme any = {.solver = "cg", .iterations = 1};
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.msh", run->out, body->name);
    snprintf(kept->mesh, sizeof kept->mesh, "\"mesh\": {\"file\": \"%s\"}", path);
    kept->body = (kikuuwe_body){body->name, kept->mesh};
    sn_world *world = NULL;
    sn_status status = kikuuwe_world(run, body, &any, false, &world, error);
    if (!status) status = sn_mesh_write(sn_world_body_mesh(world, 0), path, NULL, error);
    sn_world_destroy(world);
    return status;
}
