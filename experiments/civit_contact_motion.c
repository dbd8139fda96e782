/* civit-contact, the bodies in motion (Civit 5.6): a dragon starts deep inside an octopus, a dragon falls into a soft
 * nest, and an octopus rides on a dragon that runs to and fro. Surfaces of 1e3, 1e4 and 1e5 triangles in about 450 tets
 * each, with the response `area`. The document's bodies are an armadillo, a horse and a nest of its own. */
#include <math.h>
#include <stdlib.h>

#include "civit.h"

enum { LEVELS = 3, STEPS = 100, ROOM = 20000 };
static const double step_length = 0.01;

typedef struct motion {
    const char *name;
    const char *lower, *upper; /* surface of both bodies; %d are numbers that give about so many triangles */
    const char *fix;           /* of the lower body */
    double gravity, height;    /* m/s^2, m: the place of the upper body */
} motion;

static const motion motions[] = {
    {"deep", "\"octopus\": {\"triangles\": %d}", "\"dragon\": {\"triangles\": %d}", "", 0, 0.5},
    {"nest", "\"torus\": {\"radius\": 0.6, \"minor\": 0.3, \"cells\": [%d, %d]}", "\"dragon\": {\"triangles\": %d}",
     ", \"fix\": [{\"select\": {\"halfspace\": {\"point\": [0, -0.15, 0], \"normal\": [0, -1, 0]}}}]", -9.81, 0.35},
    {"riding", "\"dragon\": {\"triangles\": %d}", "\"octopus\": {\"triangles\": %d}",
     ", \"fix\": [{\"select\": {\"halfspace\": {\"point\": [0, 0.3, 0], \"normal\": [0, -1, 0]}}, \"keys\": [[0, 0, 0, "
     "0], "
     "[0.4, 0, 0, 0], [0.6, 0.1, 0.05, 0], [0.8, 0, 0, 0], [1, 0.1, 0.05, 0]]}]",
     -9.81, 0.95},
};
enum { DEEP, NEST, RIDING, MOTIONS };

/* What a run has shown. */
typedef struct course {
    double points;  /* contact points in a step, the mean over the second half of the run */
    double start;   /* m: the deepest point after the first step */
    double deepest; /* m: at the end */
    double until;   /* s: the last time with a point deeper than a hundredth of the size */
    double seconds; /* a step, the mean of the run */
} course;

static sn_status make_world(experiment_run *run, const motion *m, int triangles, sn_scene **scene, sn_world **world,
                            sn_error *error) {
    char lower[200], upper[200];
    const int around = (int)lround(sqrt(triangles)), across = (int)fmax(1, round(triangles / (12.0 * around)));
    if (m == &motions[NEST])
        snprintf(lower, sizeof lower, m->lower, around, across);
    else
        snprintf(lower, sizeof lower, m->lower, triangles);
    snprintf(upper, sizeof upper, m->upper, triangles);
    return experiment_scene(
        run, scene, world, error,
        "{\"sinew\": 1, \"gravity\": [0, %g, 0], \"time\": {\"step\": %g, \"newton\": {\"kind\": \"one-step\"}}, "
        "\"solver\": {\"tolerance\": 1e-4}, \"contact\": {\"response\": \"area\", \"friction\": 0.5}, \"bodies\": ["
        "{\"name\": \"lower\", \"mesh\": {\"embed\": {\"surface\": {%s}, \"elements\": 450}}, \"material\": "
        "{\"young\": 1e5, "
        "\"poisson\": 0.35, \"density\": 1000}%s}, "
        "{\"name\": \"upper\", \"mesh\": {\"embed\": {\"surface\": {%s, \"move\": [0, %g, 0]}, \"elements\": 450}}, "
        "\"material\": {\"young\": 1e5, \"poisson\": 0.35, \"density\": 1000}}]}",
        m->gravity, step_length, lower, m->fix, upper, m->height);
}

static sn_status follow(sn_world *world, course *out, sn_error *error) {
    sn_contact *contact = malloc(ROOM * sizeof *contact);
    sn_status status = contact ? SN_OK : sn_fail(error, SN_NO_MEMORY, "no memory");
    *out = (course){0};
    for (int i = 1; i <= STEPS && !status; ++i) {
        sn_step_report report;
        status = sn_world_step(world, &report, error);
        const int count = status ? 0 : sn_world_contacts(world, contact, ROOM);
        out->deepest = 0;
        for (int k = 0; k < count && k < ROOM; ++k) out->deepest = fmax(out->deepest, -contact[k].gap);
        if (i == 1) out->start = out->deepest;
        if (out->deepest > 0.01) out->until = i * step_length;
        if (i > STEPS / 2) out->points += count / (STEPS - STEPS / 2.0);
        out->seconds += report.seconds / STEPS;
    }
    free(contact);
    return status;
}

static double spread(const course c[LEVELS]) {
    double most = 0, least = INFINITY;
    for (int i = 0; i < LEVELS; ++i) most = fmax(most, c[i].points), least = fmin(least, c[i].points);
    return most / least;
}

static void claim(experiment_run *run, course c[MOTIONS][LEVELS], const int triangles[LEVELS]) {
    double until = 0, start = INFINITY, deepest = 0;
    for (int i = 0; i < LEVELS; ++i) {
        until = fmax(until, c[DEEP][i].until), start = fmin(start, c[DEEP][i].start);
        deepest = fmax(deepest, c[DEEP][i].deepest);
    }
    experiment_claim(
        run, "recovery", until, "< 1", until < 1 && start > 0.1,
        "time until a dragon that starts %.2g m deep in an octopus (both 1.8 m long) is nowhere deeper than "
        "0.01 m, s, the worst of %d, %d and %d triangles; %.2g m after 1 s",
        start, triangles[0], triangles[1], triangles[2], deepest);
    for (int m = NEST; m <= RIDING; ++m) {
        const double ratio = spread(c[m]);
        experiment_claim(run, m == NEST ? "nest-points" : "riding-points", ratio, "< 2", ratio < 2,
                         "%s: contact points stay about constant: %.0f, %.0f, %.0f at %d, %d, %d triangles",
                         m == NEST ? "a dragon falls into a nest" : "an octopus rides on a dragon", c[m][0].points,
                         c[m][1].points, c[m][2].points, triangles[0], triangles[1], triangles[2]);
    }
}

sn_status civit_contact_motion(experiment_run *run, sn_error *error) {
    static const int full[LEVELS] = {1000, 10000, 100000}, quick[LEVELS] = {1000, 2000, 4000};
    const int *triangles = run->quick ? quick : full;
    course c[MOTIONS][LEVELS];
    FILE *table = experiment_table(run, "motion.csv", "motion,triangles,points,start,deepest,until,step_ms", error);
    if (!table) return SN_IO;
    sn_status status = SN_OK;
    for (int i = 0; i < MOTIONS * LEVELS && !status; ++i) {
        const motion *m = &motions[i / LEVELS];
        course *out = &c[i / LEVELS][i % LEVELS];
        sn_scene *scene = NULL;
        sn_world *world = NULL;
        status = make_world(run, m, triangles[i % LEVELS], &scene, &world, error);
        if (!status) status = follow(world, out, error);
        if (!status)
            fprintf(table, "%s,%d,%.1f,%.4g,%.4g,%.2f,%.3g\n", m->name, triangles[i % LEVELS], out->points, out->start,
                    out->deepest, out->until, 1e3 * out->seconds);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
    fclose(table);
    if (!status) claim(run, c, triangles);
    return status;
}
