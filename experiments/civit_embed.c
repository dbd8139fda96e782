/* Civit 5.3.1: a closed surface becomes a bounding tetrahedralization. The fit takes 0, 1, 5 and 10 steps with k_ODT
 * 0.1, as in figure 5.2; the claims are checked after each of the steps 0 to 10. Then the surface is broken in several
 * ways.
 *
 * The check shares the separating axes with the library, but not its search: it goes through all boundary faces and
 * asks a tree for all triangles near each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "embed/separate.h"
#include "experiment.h"
#include "mesh/triangle_tree.h"

/* ---- Checks ---- */

typedef struct face_check {
    const sn_mesh *surface;
    const double *corner[4]; /* the last two are the same: a flat tet */
} face_check;

static bool face_meets(void *data, int32_t triangle) {
    const face_check *c = data;
    const double *x[3];
    for (int k = 0; k < 3; ++k) x[k] = c->surface->position + 3 * c->surface->triangle[3 * triangle + k];
    return !sn_tet_apart(c->corner, x, 0);
}

/* The boundary faces of the body that meet the surface. */
static sn_status count_meeting(const sn_mesh *body, const sn_mesh *surface, const sn_triangle_tree *tree, int *meeting,
                               sn_error *error) {
    int faces;
    int32_t *face;
    const sn_status status = sn_mesh_boundary(body, &faces, &face, NULL, NULL, error);
    for (int f = 0; f < faces && !status; ++f) {
        face_check c = {.surface = surface};
        double low[3], high[3];
        for (int k = 0; k < 3; ++k) c.corner[k] = body->position + 3 * face[3 * f + k];
        c.corner[3] = c.corner[2];
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(c.corner[0][k], fmin(c.corner[1][k], c.corner[2][k]));
            high[k] = fmax(c.corner[0][k], fmax(c.corner[1][k], c.corner[2][k]));
        }
        *meeting += sn_triangle_tree_overlap(tree, low, high, face_meets, &c);
    }
    if (!status) sn_mesh_release(body, face);
    return status;
}

typedef struct course {
    int bodies;           /* that were made */
    int meeting;          /* boundary faces that meet the surface */
    double least, most;   /* barycentric coordinates of surface vertices */
    double worst;         /* quality of a tet */
    int growing;          /* steps after which the volume was not smaller */
    double before, after; /* volume over that of the surface, mean over the surfaces: 0 steps and 10 */
} course;

static sn_status check_body(const sn_mesh *body, const sn_mesh *surface, course *c, sn_error *error) {
    sn_triangle_tree tree;
    sn_embedding *e = NULL;
    sn_mesh_report shape;
    sn_status status = sn_triangle_tree_create(surface->context, surface->position, surface->triangle,
                                               surface->triangle_count, &tree, error);
    if (!status) status = count_meeting(body, surface, &tree, &c->meeting, error);
    if (!status) status = sn_embedding_create(body, surface, 180, &e, error);
    for (int i = 0; !status && i < 4 * e->vertex_count; ++i)
        c->least = fmin(c->least, e->weight[i]), c->most = fmax(c->most, e->weight[i]);
    if (!status) status = sn_mesh_inspect(body, &shape, error);
    if (!status) c->worst = fmin(c->worst, shape.quality_min), ++c->bodies;
    sn_embedding_destroy(e);
    sn_triangle_tree_destroy(surface->context, &tree);
    return status;
}

static sn_status embed(const sn_mesh *surface, int elements, double cell, int fit, course *c, sn_embed_report *report,
                       sn_error *error) {
    sn_embed_options options = sn_embed_options_default();
    sn_mesh *body = NULL;
    options.elements = elements, options.cell = cell, options.fit = fit;
    sn_status status = sn_embed_surface(surface, &options, &body, report, error);
    if (!status) status = check_body(body, surface, c, error);
    sn_mesh_destroy(body);
    return status;
}

/* ---- Steps of the fit ---- */

enum { STEPS = 10, SURFACES = 3 };
static const char *const names[SURFACES] = {"octopus", "dragon", "torus"};

/* A creature, or the boundary of a torus. */
static sn_status make_surface(experiment_run *run, int which, int triangles, sn_mesh **mesh, sn_error *error) {
    const sn_generator_value fine = {"triangles", 1, {triangles}}, cells = {"cells", 2, {triangles / 200.0, 4}};
    sn_mesh *solid = NULL;
    if (which < 2) return sn_mesh_generate(run->context, names[which], &fine, 1, mesh, error);
    int faces;
    int32_t *face;
    sn_status status = sn_mesh_generate(run->context, names[which], &cells, 1, &solid, error);
    if (status) return status;
    status = sn_mesh_boundary(solid, &faces, &face, NULL, NULL, error);
    if (!status) status = sn_mesh_create(run->context, solid->node_count, 0, 4, faces, mesh, error);
    if (!status) {
        memcpy((*mesh)->position, solid->position, 3 * (size_t)solid->node_count * sizeof(double));
        memcpy((*mesh)->triangle, face, 3 * (size_t)faces * sizeof(int32_t));
    }
    sn_mesh_release(solid, face);
    sn_mesh_destroy(solid);
    return status;
}

static sn_status fit_steps(experiment_run *run, FILE *table, const char *name, const sn_mesh *surface, int elements,
                           course *c, sn_error *error) {
    double cell = 0, volume = HUGE_VAL;
    sn_status status = SN_OK;
    for (int step = 0; step <= STEPS && !status; ++step) {
        sn_embed_report r;
        const clock_t start = clock();
        status = embed(surface, cell > 0 ? 0 : elements, cell, step, c, &r, error);
        if (status) break;
        const double ratio = r.volume / r.surface_volume;
        cell = r.cell; /* the later steps need no search */
        c->growing += r.volume >= volume;
        volume = r.volume;
        if (step == 0) c->before += ratio / SURFACES;
        if (step == STEPS) c->after += ratio / SURFACES;
        fprintf(table, "%s,%d,%d,%d,%d,%.4f,%.4f,%.4f,%d,%.2f\n", name, step, r.triangles, r.tets, r.split_nodes, ratio,
                r.quality_min, r.quality_mean, r.stopped, (double)(clock() - start) / CLOCKS_PER_SEC);
        if (step == 0 || step == 1 || step == 5 || step == 10)
            experiment_note(
                run,
                "%s, %d triangles, %d tets, %d steps: quality min %.3f, mean %.3f; volume %.3f times that of "
                "the surface",
                name, r.triangles, r.tets, step, r.quality_min, r.quality_mean, ratio);
    }
    return status;
}

/* ---- Broken surfaces ---- */

static void turn(int32_t *t) {
    const int32_t swap = t[0];
    t[0] = t[1], t[1] = swap;
}

static void cut_hole(sn_mesh *m) { /* the triangles around one of them */
    const double *centre = m->position + 3 * m->triangle[0];
    int kept = 0;
    for (int t = 1; t < m->triangle_count; ++t) {
        double square = 0;
        for (int k = 0; k < 3; ++k) square += pow(m->position[3 * m->triangle[3 * t] + k] - centre[k], 2);
        if (square > 0.01) memmove(m->triangle + 3 * kept++, m->triangle + 3 * t, 3 * sizeof *m->triangle);
    }
    m->triangle_count = kept;
}
static void turn_every_third(sn_mesh *m) {
    for (int t = 0; t < m->triangle_count; t += 3) turn(m->triangle + 3 * t);
}
static void turn_all(sn_mesh *m) {
    for (int t = 0; t < m->triangle_count; ++t) turn(m->triangle + 3 * t);
}
static void repeat(sn_mesh *m) { /* the first tenth takes the place of the last */
    const int part = m->triangle_count / 10;
    memcpy(m->triangle + 3 * (m->triangle_count - part), m->triangle, 3 * (size_t)part * sizeof *m->triangle);
}
static void cross(sn_mesh *m) { /* the arms on one side reach through the body */
    for (int i = 0; i < m->node_count; ++i)
        if (m->position[3 * i] > 0.4) m->position[3 * i] -= 0.6;
}
static void loosen(sn_mesh *m) { /* every fifth triangle is missing, and its corners may be used by none */
    int kept = 0;
    for (int t = 0; t < m->triangle_count; ++t)
        if (t % 5) memmove(m->triangle + 3 * kept++, m->triangle + 3 * t, 3 * sizeof *m->triangle);
    m->triangle_count = kept;
}

static const struct {
    const char *name;
    void (*act)(sn_mesh *mesh);
} damages[] = {{"a hole", cut_hole},       {"every third triangle turned", turn_every_third},
               {"inside out", turn_all},   {"a tenth doubled, a tenth missing", repeat},
               {"crossing itself", cross}, {"every fifth triangle missing", loosen}};
enum { DAMAGES = sizeof damages / sizeof *damages };

static sn_status break_surface(experiment_run *run, const sn_mesh *surface, int elements, course *c, int *full,
                               sn_error *error) {
    sn_status status = SN_OK;
    for (int i = 0; i < DAMAGES && !status; ++i) {
        sn_mesh *broken;
        sn_embed_report r;
        status = sn_mesh_copy(surface, &broken, error);
        if (status) break;
        damages[i].act(broken);
        status = embed(broken, elements, 0, STEPS, c, &r, error);
        sn_mesh_destroy(broken);
        if (status) break;
        *full += r.tets > r.pierced;
        experiment_note(
            run,
            "%s: %d open edges, %d crowded edges, %d triangles turned, %d duplicates, %d crossings; %d tets, "
            "%d of them inside, %d pieces",
            damages[i].name, r.open_edges, r.crowded_edges, r.turned_triangles, r.duplicate_triangles, r.crossings,
            r.tets, r.tets - r.pierced, r.pieces);
    }
    return status;
}

/* ---- Parting ---- */

/* The patches of the surface and the pieces of the body, for two tori side by side with faces of the cells between. */
static sn_status part_two(experiment_run *run, int triangles, course *c, int *pieces, int *split, sn_error *error) {
    sn_mesh *one = NULL, *two = NULL;
    sn_embed_report r = {0};
    sn_status status = make_surface(run, 2, triangles, &one, error);
    if (!status) status = sn_mesh_create(run->context, 2 * one->node_count, 0, 4, 2 * one->triangle_count, &two, error);
    if (!status) {
        const int nodes = one->node_count, count = one->triangle_count;
        double high = -HUGE_VAL, low = HUGE_VAL;
        for (int i = 0; i < nodes; ++i) high = fmax(high, one->position[3 * i]), low = fmin(low, one->position[3 * i]);
        const double step = 1.02 * (high - low);
        for (int i = 0; i < 6 * nodes; ++i)
            two->position[i] = one->position[i % (3 * nodes)] + (i >= 3 * nodes && i % 3 == 0 ? step : 0);
        for (int i = 0; i < 6 * count; ++i)
            two->triangle[i] = one->triangle[i % (3 * count)] + (i >= 3 * count ? nodes : 0);
        status = embed(two, 0, (high - low + step) / 23.5 /* an even number of cells: their faces lie in the gap */,
                       STEPS, c, &r, error);
    }
    *pieces = r.pieces, *split = r.split_nodes;
    sn_mesh_destroy(one), sn_mesh_destroy(two);
    return status;
}

static void plot(experiment_run *run) {
    experiment_plot(run, "embed.svg",
                    "set terminal svg size 1000,420 font 'sans,13' background '#ffffff'\nset output 'embed.svg'\n"
                    "set datafile separator ','\nset multiplot layout 1,2\nset xlabel 'fitting steps'\n"
                    "set ylabel 'volume over that of the surface'\n"
                    "plot for [n in 'octopus dragon torus'] 'embed.csv' using (strcol(1) eq n ? $2 : NaN):6 with "
                    "linespoints title n\n"
                    "set ylabel 'quality of the tets: mean, and least (thin)'\nset yrange [0:1]\n"
                    "plot for [n in 'octopus dragon torus'] 'embed.csv' using (strcol(1) eq n ? $2 : NaN):8 with "
                    "linespoints title n, for [n in 'octopus dragon torus'] 'embed.csv' using (strcol(1) eq n ? $2 : "
                    "NaN):7 with lines dashtype 2 notitle\n");
}

static sn_status run_embed(experiment_run *run, sn_error *error) {
    const int triangles = run->quick ? 2000 : 20000, elements = run->quick ? 1000 : 4000;
    FILE *table = experiment_table(
        run, "embed.csv",
        "surface,step,triangles,tets,split_nodes,volume_ratio,quality_min,quality_mean,stopped,seconds", error);
    if (!table) return SN_IO;
    course c = {.least = 1, .most = 0, .worst = 1}, broken = {.least = 1, .most = 0, .worst = 1};
    int full = 0, pieces = 0, split = 0;
    sn_status status = SN_OK;
    for (int s = 0; s < SURFACES && !status; ++s) {
        sn_mesh *surface = NULL;
        status = make_surface(run, s, triangles, &surface, error);
        if (!status) status = fit_steps(run, table, names[s], surface, elements, &c, error);
        if (!status && s == 0) status = break_surface(run, surface, elements, &broken, &full, error);
        sn_mesh_destroy(surface);
        experiment_progress(run, (s + 1.0) / (SURFACES + 1));
    }
    if (!status) status = part_two(run, triangles, &broken, &pieces, &split, error);
    fclose(table);
    if (status) return status;
    plot(run);
    experiment_claim(run, "bounding", c.meeting, "0", c.meeting == 0 && c.bodies == SURFACES * (STEPS + 1),
                     "boundary faces that meet the surface, after each of %d steps of %d surfaces", STEPS, SURFACES);
    experiment_claim(run, "coordinates-low", c.least, ">= 0", c.least >= 0,
                     "the least barycentric coordinate of a surface vertex, over all steps");
    experiment_claim(run, "coordinates-high", c.most, "<= 1", c.most <= 1,
                     "the largest barycentric coordinate of a surface vertex, over all steps");
    experiment_claim(run, "nearer", c.growing, "0", c.growing == 0 && c.after < 0.9 * c.before,
                     "steps that do not make the body smaller; its volume over that of the surface falls from %.3f to "
                     "%.3f in %d steps",
                     c.before, c.after, STEPS);
    experiment_claim(run, "quality", c.worst, "> 0.3", c.worst > 0.3, "the least quality of a tet, over all steps");
    experiment_claim(run, "broken", full, "6", full == DAMAGES && broken.meeting == 0 && broken.least >= 0,
                     "broken surfaces, of %d, that give a body with an inside, strictly bounding", DAMAGES);
    experiment_claim(run, "parted", pieces, "2", pieces == 2 && split > 0,
                     "pieces of the body around two tori with a gap of a quarter of a cell (%d nodes split)", split);
    return SN_OK;
}

const experiment experiment_civit_embed = {
    "civit-embed",
    "surfaces become bounding tets: strictly bounding at every step of the fit, broken surfaces too",
    "Civit 5.3.1, figure 5.2",
    run_embed,
    "bounding coordinates-low coordinates-high nearer quality broken parted",
};
