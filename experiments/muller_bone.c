/* Mueller 4.3, 4.4, and the ghost forces of 3. A spring turns a rigid bone in soft skin. A free body keeps or changes
 * its momentum, with and without the correction of ghost forces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define PI 3.14159265358979323846

static sn_status make_body(experiment_run *run, double E, double h, const char *method, const char *newton,
                           bool correction, sn_world **world, sn_error *error) {
    sn_scene *scene = NULL;
    const sn_status status = experiment_scene(
        run, &scene, world, error,
        "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"method\": \"%s\", \"step\": %g, \"newton\": {\"kind\": "
        "\"%s\"%s}}, \"solver\": {\"method\": \"cg\", \"tolerance\": 1e-8},"
        " \"bodies\": [{\"mesh\": {\"sphere\": {\"radius\": [0.1, 0.1, 0.16], \"cells\": %d}},"
        " \"material\": {\"law\": \"linear\", \"warping\": \"svd\", \"ghost_correction\": %s, \"young\": %g, "
        "\"poisson\": "
        "0.33, \"density\": 1000},"
        " \"rigid\": [{\"select\": {\"sphere\": {\"center\": [0, 0, 0], \"radius\": 0.065}}}]}]}",
        method, h, newton, strcmp(newton, "one-step") == 0 ? "" : ", \"iterations\": 30", run->quick ? 4 : 5,
        correction ? "true" : "false", E);
    sn_scene_destroy(scene);
    return status;
}

/* The mean angle about z by which the nodes in a shell of the rest shape have turned: a least-squares fit over their
 * arms. */
static double angle_of(const sn_mesh *mesh, const double *x, double inner, double outer) {
    double s = 0, c = 0;
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *X = mesh->position + 3 * i;
        const double r = sqrt(X[0] * X[0] + X[1] * X[1] + X[2] * X[2]);
        if (r < inner || r > outer) continue;
        s += X[0] * x[3 * i + 1] - X[1] * x[3 * i];
        c += X[0] * x[3 * i] + X[1] * x[3 * i + 1];
    }
    return atan2(s, c) * 180 / PI;
}

/* The node of the bone that is nearest to a point. */
static int nearest(const sn_mesh *mesh, double x, double y, double z) {
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *p = mesh->position + 3 * i;
        const double d = (p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) + (p[2] - z) * (p[2] - z);
        if (d < least && hypot(hypot(p[0], p[1]), p[2]) < 0.065) least = d, best = i;
    }
    return best;
}

/* The largest relative change of the distance between a node of the bone and another one. */
static double stretch_of_bone(const sn_mesh *mesh, const double *x, int from) {
    double worst = 0;
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *X = mesh->position + 3 * i, *Y = mesh->position + 3 * from, *y = x + 3 * from;
        if (i == from || hypot(hypot(X[0], X[1]), X[2]) > 0.065) continue;
        const double then = hypot(hypot(X[0] - Y[0], X[1] - Y[1]), X[2] - Y[2]);
        const double now = hypot(hypot(x[3 * i] - y[0], x[3 * i + 1] - y[1]), x[3 * i + 2] - y[2]);
        worst = fmax(worst, fabs(now / then - 1));
    }
    return worst;
}

static sn_status pull(sn_world *world, int handle, int node, const double target[3], double stiffness,
                      sn_error *error) {
    const int32_t nodes[4] = {node, 0, 0, 0};
    const double weight[4] = {1, 0, 0, 0};
    return sn_world_grab(world, handle, 0, nodes, weight, target, stiffness, 2 * sqrt(stiffness), error);
}

/* Turns the bone by 60 degrees about z in 0.15 s. Two springs hold its axis; a third spring turns it. */
static sn_status turn_bone(experiment_run *run, double E, FILE *table, double *lag, double *overshoot,
                           double *distortion, sn_error *error) {
    sn_world *world = NULL;
    sn_status status = make_body(run, E, 0.005, "implicit-euler", "one-step", true, &world, error);
    if (status) return status;
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    const int low = nearest(mesh, 0, 0, -0.06), high = nearest(mesh, 0, 0, 0.06), side = nearest(mesh, 0.06, 0, 0);
    const double *a = mesh->position + 3 * low, *b = mesh->position + 3 * high, *c = mesh->position + 3 * side;
    *lag = 0, *overshoot = 0;
    for (int i = 0; i < (run->quick ? 150 : 300) && !status; ++i) {
        const double t = 0.005 * (i + 1), angle = (t < 0.15 ? t / 0.15 : 1) * PI / 3;
        const double target[3] = {c[0] * cos(angle) - c[1] * sin(angle), c[0] * sin(angle) + c[1] * cos(angle), c[2]};
        status = pull(world, 0, low, a, 2e4, error);
        if (!status) status = pull(world, 1, high, b, 2e4, error);
        if (!status) status = pull(world, 2, side, target, 2e4, error);
        if (!status) status = sn_world_step(world, NULL, error);
        double *x = status ? NULL : measure_positions(world, 0);
        if (!x) break;
        const double bone = angle_of(mesh, x, 0, 0.065), skin = angle_of(mesh, x, 0.09, 1);
        *lag = fmax(*lag, bone - skin), *overshoot = fmax(*overshoot, skin - bone);
        if (table) fprintf(table, "%g,%g,%.6g,%.6g\n", E, t, bone, skin);
        *distortion = fmax(*distortion, stretch_of_bone(mesh, x, low));
        free(x);
    }
    sn_world_destroy(world);
    return status;
}

/* ---- A detailed surface around the skin ---- */
typedef struct rider {
    sn_embedding *embedding;
    float *now; /* vertices x 3 */
} rider;

/* The angle (degrees) about the y axis through the origin, of the vertices that are farther from this axis than
 * `arm`. */
static double surface_angle(const rider *r, double arm) {
    double s = 0, c = 0;
    for (int i = 0; i < r->embedding->vertex_count; ++i) {
        const double *X = r->embedding->rest + 3 * i;
        const float *x = r->now + 3 * i;
        if (hypot(X[0], X[2]) < arm) continue;
        s += X[2] * (double)x[0] - X[0] * (double)x[2];
        c += X[0] * (double)x[0] + X[2] * (double)x[2];
    }
    return atan2(s, c) * 180 / PI;
}

static double surface_volume(const rider *r, bool rest) {
    double volume = 0;
    for (int t = 0; t < r->embedding->triangle_count; ++t) {
        double p[3][3];
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) {
                const int32_t at = 3 * r->embedding->triangle[3 * t + k] + a;
                p[k][a] = rest ? r->embedding->rest[at] : (double)r->now[at];
            }
        volume +=
            (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
             p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
            6;
    }
    return volume;
}

/* The node of the bone that is nearest to a point. The bone is the ball of radius 0.09 m around the origin. */
static int bone_node(const sn_mesh *mesh, double x, double y, double z) {
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *p = mesh->position + 3 * i;
        const double d = hypot(hypot(p[0] - x, p[1] - y), p[2] - z);
        if (d < least && hypot(hypot(p[0], p[1]), p[2]) < 0.09) least = d, best = i;
    }
    return best;
}

/* Turns by 60 degrees about y in 0.15 s, then holds. */
static sn_status swing(experiment_run *run, sn_world *world, rider *r, FILE *table, double *lag, double *left,
                       double *swelling, sn_error *error) {
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    const int low = bone_node(mesh, 0, -0.08, 0), high = bone_node(mesh, 0, 0.08, 0),
              side = bone_node(mesh, 0.08, 0, 0);
    const double *a = mesh->position + 3 * low, *b = mesh->position + 3 * high, *c = mesh->position + 3 * side;
    const double volume = surface_volume(r, true);
    const int steps = 400;
    sn_status status = SN_OK;
    for (int i = 0; i < steps && !status; ++i) {
        const double t = 0.005 * (i + 1), angle = (t < 0.15 ? t / 0.15 : 1) * PI / 3;
        const double target[3][3] = {
            {a[0] * cos(angle) + a[2] * sin(angle), a[1], a[2] * cos(angle) - a[0] * sin(angle)},
            {b[0] * cos(angle) + b[2] * sin(angle), b[1], b[2] * cos(angle) - b[0] * sin(angle)},
            {c[0] * cos(angle) + c[2] * sin(angle), c[1], c[2] * cos(angle) - c[0] * sin(angle)}};
        const int node[3] = {low, high, side};
        for (int k = 0; k < 3 && !status; ++k) status = pull(world, k, node[k], target[k], 2e4, error);
        if (!status) status = sn_world_step(world, NULL, error);
        double *x = status ? NULL : measure_positions(world, 0);
        if (!x) break;
        sn_embedding_positions(r->embedding, x, r->now);
        free(x);
        const double skin = surface_angle(r, 0.12), behind = angle * 180 / PI - skin;
        *lag = fmax(*lag, behind), *left = behind;
        *swelling = fmax(*swelling, fabs(surface_volume(r, false) / volume - 1));
        if (i % 30 == 29 && i < 120)
            for (int v = 0; v < r->embedding->vertex_count; ++v)
                fprintf(table, "%g,%.5g,%.5g,%.5g\n", t, (double)r->now[3 * v], (double)r->now[3 * v + 1],
                        (double)r->now[3 * v + 2]);
    }
    return status;
}

/* A dragon of 5000 triangles, in tets that are laid around it. There is no fit: the limbs of a fitted dragon are
 * thinner, swing farther, and stiffness warping gains energy. */
static sn_status turn_dragon(experiment_run *run, sn_error *error) {
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_status status = experiment_scene(
        run, &scene, &world, error,
        "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005, \"newton\": {\"kind\": \"one-step\"}},"
        " \"solver\": {\"method\": \"cg\", \"tolerance\": 1e-5},"
        " \"bodies\": [{\"mesh\": {\"embed\": {\"surface\": {\"dragon\": {\"triangles\": 5000, \"size\": 0.3}, "
        "\"move\": [0.03, -0.13, 0]},"
        " \"elements\": 2500, \"fit\": 0}}, \"material\": {\"law\": \"linear\", \"warping\": \"svd\","
        " \"ghost_correction\": true, \"young\": 1e5, \"poisson\": 0.33, \"density\": 1000, \"rayleigh\": {\"mass\": "
        "2}},"
        " \"rigid\": [{\"select\": {\"sphere\": {\"center\": [0, 0, 0], \"radius\": 0.09}}}]}]}");
    rider r = {0};
    FILE *table = status ? NULL : experiment_table(run, "surface.csv", "time,x,y,z", error);
    if (!status && !table) status = error->status;
    if (!status)
        status =
            sn_embedding_create(sn_world_body_mesh(world, 0), sn_scene_surface(scene, 0), 180, &r.embedding, error);
    if (!status) r.now = malloc((size_t)r.embedding->vertex_count * 3 * sizeof *r.now);
    if (!status && !r.now) status = sn_fail(error, SN_NO_MEMORY, "out of memory");
    double lag = 0, left = 0, swelling = 0;
    if (!status) status = swing(run, world, &r, table, &lag, &left, &swelling, error);
    if (table) fclose(table);
    if (!status) {
        const double size = measure_diagonal(sn_world_body_mesh(world, 0));
        experiment_claim(
            run, "surface-inside", r.embedding->farthest / size, "0", r.embedding->farthest == 0,
            "a surface of %d triangles in %d tets with a bone: its farthest vertex outside of them, in body sizes",
            r.embedding->triangle_count, sn_world_element_count(world));
        experiment_claim(run, "surface-lags", lag, "> 2 degrees", lag > 2,
                         "what lies outside of the bone behind it, at most");
        experiment_claim(run, "surface-arrives", fabs(left), "< 1 degree", fabs(left) < 1, "and 1.85 s after the turn");
        experiment_claim(run, "surface-volume", swelling, "< 0.1", swelling < 0.1,
                         "largest change of the volume in the surface");
        experiment_plot(run, "surface.svg",
                        "set terminal svg size 1200,400 font 'sans,11' background '#ffffff'\nset multiplot layout "
                        "1,3\nset size ratio -1\n"
                        "unset key\nset xrange [-0.35:0.35]\nset yrange [-0.35:0.35]\n"
                        "do for [at in '0.15 0.3 0.45'] { set title 'from above, '.at.' s'\n"
                        "plot 'surface.csv' using (abs($1-(at+0))<1e-6?$2:1/0):(-$4) skip 1 with points pt 7 ps 0.1 lc "
                        "rgb '#1f77b4' }");
    }
    sn_embedding_destroy(r.embedding);
    free(r.now);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

/* A free body starts twisted and stretched. Compares its |P| and |L| with momenta that the motion could have. */
static sn_status let_go(experiment_run *run, bool correction, FILE *table, double *linear, double *angular,
                        sn_error *error) {
    sn_world *world = NULL;
    sn_status status = make_body(run, 1e4, 0.002, "implicit-midpoint", "full", correction, &world, error);
    if (status) return status;
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    double *x = measure_positions(world, 0);
    if (!x) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    for (int i = 0; i < mesh->node_count; ++i) { /* bend about y, and twist about z, unevenly along z */
        double *p = x + 3 * i;
        const double bend = 4 * p[2], twist = 5 * p[2] + 10 * p[0], y = p[1], X = p[0];
        p[0] = X * cos(twist) - y * sin(twist) + 0.6 * p[2] * sin(bend);
        p[1] = X * sin(twist) + y * cos(twist);
        p[2] = p[2] * cos(bend);
    }
    status = sn_world_put(world, 0, x, NULL, error);
    free(x);
    *linear = *angular = 0;
    double size = 0;
    for (int i = 0; i < (run->quick ? 100 : 400) && !status; ++i) {
        status = sn_world_step(world, NULL, error);
        double p[3], l[3];
        sn_energies energies = {0};
        sn_world_momentum(world, p, l);
        if (!status) status = sn_world_energies(world, &energies, error);
        const double mass = 1000 * measure_volume(mesh, mesh->position);
        size = fmax(size, sqrt(2 * energies.kinetic * mass)); /* a momentum that the motion could have */
        *linear = fmax(*linear, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
        *angular = fmax(*angular, sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]));
        fprintf(table, "%d,%g,%.6g,%.6g\n", correction, sn_world_time(world), *linear, *angular);
    }
    *linear /= size, *angular /= 0.1 * size; /* arms of about 0.1 m */
    sn_world_destroy(world);
    return status;
}

static sn_status run_bone(experiment_run *run, sn_error *error) {
    static const double young[] = {1e2, 1e3, 1e4, 1e5, 1e6};
    FILE *table = experiment_table(run, "turn.csv", "young,time,bone_degrees,skin_degrees", error);
    if (!table) return error->status;
    double lag[5] = {0}, overshoot[5] = {0}, distortion = 0;
    sn_status status = SN_OK;
    for (int e = 0; e < 5 && !status; e += run->quick ? 2 : 1) {
        status = turn_bone(run, young[e], table, &lag[e], &overshoot[e], &distortion, error);
        experiment_progress(run, 0.12 * (e + 1));
    }
    fclose(table);
    if (status) return status;
    experiment_plot(run, "turn.svg",
                    "set xlabel 'time (s)'; set ylabel 'angle (degrees)'\n"
                    "plot 'turn.csv' using ($1==1e4?$2:1/0):3 skip 1 with lines title 'bone', '' using "
                    "($1==1e2?$2:1/0):4 skip 1 with "
                    "lines title 'skin, 1e2 Pa',"
                    " '' using ($1==1e4?$2:1/0):4 skip 1 with lines title 'skin, 1e4 Pa', '' using ($1==1e6?$2:1/0):4 "
                    "skip 1 with lines "
                    "title 'skin, 1e6 Pa'");
    experiment_claim(run, "bone-rigid", distortion, "< 1e-10", distortion < 1e-10,
                     "largest relative change of the distance of a node of the bone from another one");
    experiment_claim(run, "skin-lags", lag[2], "> 2 degrees", lag[2] > 2, "skin of 1e4 Pa behind its bone, at most");
    experiment_claim(run, "skin-swings", overshoot[2], "> 0.5 degrees", overshoot[2] > 0.5,
                     "and ahead of it afterwards");
    experiment_claim(run, "softer-lags-more", lag[0] / lag[4], "> 3",
                     lag[0] > lag[2] && lag[2] > lag[4] && lag[0] > 3 * lag[4],
                     "lag at 1e2 Pa (%.3g degrees) by that at 1e6 Pa (%.3g degrees)", lag[0], lag[4]);
    table = experiment_table(run, "momentum.csv", "correction,time,linear,angular", error);
    if (!table) return error->status;
    double linear[2], angular[2];
    for (int c = 0; c < 2 && !status; ++c) status = let_go(run, c == 1, table, &linear[c], &angular[c], error);
    fclose(table);
    if (status) return status;
    experiment_plot(run, "momentum.svg",
                    "set logscale y; set format y '%g'; set xlabel 'time (s)'; set ylabel 'largest momentum so far'\n"
                    "plot 'momentum.csv' using ($1==0?$2:1/0):3 skip 1 with lines title 'linear, without', '' using "
                    "($1==1?$2:1/0):3 skip "
                    "1 with lines title 'linear, with correction',"
                    " '' using ($1==0?$2:1/0):4 skip 1 with lines title 'angular, without', '' using ($1==1?$2:1/0):4 "
                    "skip 1 with lines "
                    "title 'angular, with correction'");
    experiment_claim(run, "drifts-without", linear[0], "> 1e-3", linear[0] > 1e-3,
                     "linear momentum of a free body from rest, relative to its motion");
    experiment_claim(run, "turns-without", angular[0], "> 1e-3", angular[0] > 1e-3, "angular momentum, likewise");
    experiment_claim(run, "linear-kept", linear[1], "< 1e-6", linear[1] < 1e-6, "linear momentum with the correction");
    experiment_claim(run, "angular-kept", angular[1], "< 1e-5", angular[1] < 1e-5,
                     "angular momentum with the correction, implicit midpoint");
    experiment_note(run,
                    "until now the limit of the angular momentum was 0.1 of that without the correction (measured: "
                    "1e-6 of it), and one length of the bone stood for all");
    sn_world *world = NULL;
    status = make_body(run, 1e4, 0.005, "implicit-euler", "one-step", true, &world, error);
    if (status) return status;
    experiment_note(run, "an ellipsoid of %d tets and a dragon stand for the bunny and the dog",
                    sn_world_element_count(world));
    sn_world_destroy(world);
    return turn_dragon(run, error);
}

const experiment experiment_muller_bone = {
    "muller-bone", "a rigid bone in soft skin; ghost forces with and without correction", "Mueller 3, 4.3, 4.4",
    run_bone,
    "bone-rigid skin-lags skin-swings softer-lags-more drifts-without turns-without linear-kept "
    "angular-kept surface-inside surface-lags surface-volume surface-arrives"};
