/* civit-contact: what contact determination costs, and what it gives, at three levels of surface detail (Civit 5.6).
 *
 * Two creatures in cages of a few hundred tets, an octopus and a dragon. Their surfaces are clipped at the tets, as in
 * the document. The dragon passes through the octopus in a series of still positions. The document takes an armadillo
 * and a horse with about 450 tets each and measures while it simulates; the shapes here are others, and still positions
 * give the same stages.
 *
 * civit_contact_motion.c has bodies in motion. Times are processor times of one thread, the least of a few runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "civit.h"
#include "contact/bdop.h"
#include "contact/determination_inside.h"
#include "contact/touch_clip.h"
#include "experiment.h"
#include "timing.h"

enum { LEVELS = 3, PLACES = 16, QUICK_PLACES = 8, REPEATS = 9, ROUNDS = 4, TETS = 450 };

/* ---- Two creatures ---- */

typedef struct creature {
    sn_mesh *cage;
    sn_touch_surface *surface; /* clipped */
    int triangles;             /* before clipping */
    int first_node;
    double middle[3];
} creature;

typedef struct couple {
    creature body[2];
    int node_count;
    double *x; /* positions of all nodes */
    sn_touch_finder *finder;
    sn_touch_rows rows;
    sn_bdop_tree *tree[2];
} couple;

static sn_status make_creature(experiment_run *run, const char *kind, int triangles, int body, int first_node,
                               creature *out, sn_error *error) {
    sn_mesh *mesh = NULL;
    const sn_generator_value value[] = {{"triangles", 1, {triangles}}};
    sn_status status = sn_mesh_generate(run->context, kind, value, 1, &mesh, error);
    if (status) return status;
    out->first_node = first_node, out->triangles = mesh->triangle_count;
    sn_embed_options options = sn_embed_options_default();
    options.elements = TETS;
    status = sn_embed_surface(mesh, &options, &out->cage, NULL, error);
    if (!status)
        status = sn_touch_clip(out->cage, mesh->position, mesh->node_count, mesh->triangle, mesh->triangle_count, body,
                               first_node, &out->surface, error);
    for (int a = 0; a < 3 && !status; ++a) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < mesh->node_count; ++i)
            low = fmin(low, mesh->position[3 * i + a]), high = fmax(high, mesh->position[3 * i + a]);
        out->middle[a] = 0.5 * (low + high);
    }
    sn_mesh_destroy(mesh);
    return status;
}

static void release_couple(couple *c) {
    if (c->rows.context) sn_touch_rows_release(&c->rows);
    sn_touch_finder_destroy(c->finder);
    for (int b = 0; b < 2; ++b) {
        sn_bdop_tree_destroy(c->tree[b]);
        sn_touch_surface_destroy(c->body[b].surface);
        sn_mesh_destroy(c->body[b].cage);
    }
    free(c->x);
    *c = (couple){0};
}

static sn_status make_couple(experiment_run *run, int triangles, couple *c, sn_error *error) {
    static const char *const kind[2] = {"octopus", "dragon"};
    *c = (couple){.rows = {.context = run->context}};
    sn_status status = SN_OK;
    for (int b = 0; b < 2 && !status; ++b) {
        status = make_creature(run, kind[b], triangles, b, c->node_count, &c->body[b], error);
        if (!status) c->node_count += c->body[b].cage->node_count;
        if (!status) status = sn_bdop_tree_create(c->body[b].surface, &c->tree[b], error);
    }
    if (status) return status;
    c->x = malloc(3 * (size_t)c->node_count * sizeof *c->x);
    if (!c->x) return sn_fail(error, SN_NO_MEMORY, "no memory");
    sn_touch_surface *surface[2] = {c->body[0].surface, c->body[1].surface};
    const sn_touch_pair pair = {0, 1};
    return sn_touch_finder_create(run->context, surface, 2, &pair, 1, &c->finder, error);
}

/* Puts the middles of both boxes at distance `y` along y. */
static void place(couple *c, double y) {
    for (int b = 0; b < 2; ++b) {
        const creature *body = &c->body[b];
        for (int i = 0; i < 3 * body->cage->node_count; ++i)
            c->x[3 * body->first_node + i] =
                body->cage->position[i] - body->middle[i % 3] + (b == 1 && i % 3 == 1 ? y : 0);
        sn_touch_surface_move(body->surface, c->x);
    }
}

/* ---- The series ---- */

typedef struct sample {
    double cuts, points, seconds, join, flood;
} sample;

/* One position: counts, and the least times of the repeats, in *out too. */
static sn_status measure_place(couple *c, double y, sample *out, sn_error *error) {
    place(c, y);
    for (int i = 0; i < REPEATS; ++i) {
        const double begin = thread_seconds();
        const sn_status status = sn_touch_determine(c->finder, &c->rows, error);
        if (status) return status;
        out->seconds = fmin(out->seconds, thread_seconds() - begin);
        const sn_touch_counts *counts = sn_touch_finder_counts(c->finder);
        out->cuts = counts->intersecting, out->points = counts->points;
        out->join = fmin(out->join, counts->join), out->flood = fmin(out->flood, counts->flood);
    }
    return SN_OK;
}

static double mean(const sample *s, int count, size_t offset) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += *(const double *)((const char *)&s[i] + offset);
    return sum / count;
}

static double correlation(const sample *s, int count, size_t offset) {
    double x[PLACES], y[PLACES];
    for (int i = 0; i < count; ++i) x[i] = s[i].cuts, y[i] = *(const double *)((const char *)&s[i] + offset);
    return sqrt(fit_line(count, x, y).r2);
}

static void claim_series(experiment_run *run, sample s[LEVELS][PLACES], int places, const double triangles[LEVELS]) {
    double points[LEVELS], cuts[LEVELS], seconds[LEVELS];
    for (int i = 0; i < LEVELS; ++i) {
        points[i] = mean(s[i], places, offsetof(sample, points)), cuts[i] = mean(s[i], places, offsetof(sample, cuts));
        seconds[i] = mean(s[i], places, offsetof(sample, seconds));
    }
    const double most = fmax(points[0], fmax(points[1], points[2])),
                 least = fmin(points[0], fmin(points[1], points[2]));
    experiment_claim(run, "points-constant", most / least, "< 2", most < 2 * least,
                     "contact points stay about constant: %.0f, %.0f, %.0f at %.0f, %.0f, %.0f triangles", points[0],
                     points[1], points[2], triangles[0], triangles[1], triangles[2]);
    const double power = log(cuts[2] / cuts[0]) / log(triangles[2] / triangles[0]);
    experiment_claim(run, "cuts-sublinear", power, "< 0.7", power < 0.7,
                     "intersecting pairs grow as triangles to this power: %.0f, %.0f, %.0f", cuts[0], cuts[1], cuts[2]);
    const double cost = log(seconds[2] / seconds[0]) / log(triangles[2] / triangles[0]);
    experiment_claim(run, "cost-sublinear", cost, "< 0.9", cost < 0.9,
                     "the whole cost grows as triangles to this power: %.2f, %.2f, %.2f ms", 1e3 * seconds[0],
                     1e3 * seconds[1], 1e3 * seconds[2]);
    const double join = correlation(s[2], places, offsetof(sample, join)),
                 flood = correlation(s[2], places, offsetof(sample, flood));
    experiment_claim(run, "join-follows-cuts", join, "> 0.9", join > 0.9,
                     "correlation of the time for curves with the intersecting pairs (the document: 0.97)");
    experiment_claim(run, "flood-follows-cuts", flood, "> 0.75", flood > 0.75,
                     "correlation of the time for contact points with the intersecting pairs (the document: 0.92)");
}

/* ---- Table 5.2 and the box tree ---- */

/* How the pairs of triangles are found. */
typedef struct finding {
    const char *name;
    bool boxes; /* with the box trees; otherwise with the document's */
    sn_bdop_search search;
    int repeats;
    double seconds; /* the least time of refit, search and cuts */
    int64_t candidates;
    int cuts;
} finding;

static sn_status find_candidates(couple *c, const finding *f, sn_box_pairs *pairs, sn_error *error) {
    int64_t tets;
    if (f->boxes) {
        for (int b = 0; b < 2; ++b)
            sn_box_tree_refit(c->finder->surface[b].tree, c->body[b].surface->position, NULL, 0);
        return sn_box_tree_pairs(c->finder->surface[0].tree, c->finder->surface[1].tree, pairs, error);
    }
    pairs->count = 0;
    for (int b = 0; b < 2; ++b) sn_bdop_tree_refit(c->tree[b], c->x);
    return sn_bdop_tree_pairs(c->tree[0], c->tree[1], c->x, &f->search, pairs, &tets, error);
}

static sn_status measure_finding(couple *c, finding *f, sn_error *error) {
    sn_box_pairs pairs = {.context = c->rows.context};
    sn_status status = SN_OK;
    f->seconds = INFINITY;
    for (int i = 0; i < f->repeats && !status; ++i) {
        const double begin = thread_seconds();
        status = find_candidates(c, f, &pairs, error);
        f->cuts = 0;
        for (int k = 0; k < pairs.count && !status; ++k) {
            sn_touch_cut cut;
            f->cuts += sn_touch_cut_triangles(c->body[0].surface, pairs.pair[k][0], c->body[1].surface,
                                              pairs.pair[k][1], &cut);
        }
        f->seconds = fmin(f->seconds, thread_seconds() - begin);
    }
    f->candidates = pairs.count;
    sn_box_pairs_release(&pairs);
    return status;
}

/* The least time of the flood, by whole patches or by triangles alone. */
static sn_status measure_flood(couple *c, bool by_patch, double *seconds, sn_error *error) {
    sn_status status = SN_OK;
    *seconds = INFINITY;
    for (int b = 0; b < 2; ++b) c->finder->surface[b].flood.by_patch = by_patch;
    for (int i = 0; i < 2 * REPEATS && !status; ++i) {
        status = sn_touch_determine(c->finder, &c->rows, error);
        *seconds = fmin(*seconds, sn_touch_finder_counts(c->finder)->flood);
    }
    for (int b = 0; b < 2; ++b) c->finder->surface[b].flood.by_patch = true;
    return status;
}

static void claim_table(experiment_run *run, const finding f[4], const double flood[2], const sn_touch_counts *counts) {
    int differ = 0;
    for (int i = 0; i < 4; ++i) differ += abs(f[i].cuts - counts->intersecting);
    experiment_claim(run, "same-cuts", differ, "= 0", differ == 0,
                     "all trees find the same intersecting pairs: %d in %d curves, %d points, %lld triangles inside",
                     counts->intersecting, counts->curves, counts->points, (long long)counts->interior);
    const double plain = f[2].seconds / f[0].seconds, leaf = f[1].seconds / f[0].seconds;
    experiment_claim(
        run, "bdop-tree", plain, "> 5", plain > 5,
        "without b-DOP trees the search takes this many times as long: %.1f against %.1f ms (the document: "
        "1705 against 17)",
        1e3 * f[2].seconds, 1e3 * f[0].seconds);
    experiment_claim(run, "t-int", leaf, "0.6 to 1.6", leaf > 0.6 && leaf < 1.6,
                     "the size of the leaves matters little: leaves of one pair take this many times as long as leaves "
                     "of 8 (the document: 20 against 17 ms)");
    experiment_claim(run, "patch-flood", flood[1] / flood[0], "> 1", flood[1] > flood[0],
                     "without the flood of whole patches it takes this many times as long: %.2f against %.2f ms (the "
                     "document: 13 against 9)",
                     1e3 * flood[1], 1e3 * flood[0]);
    const double boxes = f[0].seconds / f[3].seconds;
    experiment_claim(run, "box-tree", boxes, "> 1", boxes > 1,
                     "box trees, refitted, find the pairs this many times as fast as b-DOP trees: %.2f ms",
                     1e3 * f[3].seconds);
}

static sn_status measure_table(experiment_run *run, couple *c, sn_error *error) {
    finding f[4] = {{"b-DOP trees", false, {8, false}, REPEATS, 0, 0, 0},
                    {"b-DOP trees with T_int 1", false, {1, false}, REPEATS, 0, 0, 0},
                    {"tets alone", false, {8, true}, 1, 0, 0, 0},
                    {"box trees", true, {0, false}, REPEATS, 0, 0, 0}};
    double flood[2];
    sn_status status = SN_OK;
    for (int i = 0; i < 2 && !status; ++i) status = measure_flood(c, i == 0, &flood[i], error);
    const sn_touch_counts counts = *sn_touch_finder_counts(c->finder);
    for (int i = 0; i < 4 && !status; ++i) status = measure_finding(c, &f[i], error);
    if (status) return status;
    FILE *table = experiment_table(run, "trees.csv", "trees,milliseconds,candidates,intersecting", error);
    if (!table) return SN_IO;
    for (int i = 0; i < 4; ++i)
        fprintf(table, "%s,%.6g,%lld,%d\n", f[i].name, 1e3 * f[i].seconds, (long long)f[i].candidates, f[i].cuts);
    fclose(table);
    claim_table(run, f, flood, &counts);
    return SN_OK;
}

/* ---- All ---- */

/* The distance of the middles at a position, m. */
static double distance(int i, int places) { return 0.15 + 0.4 * i / (places - 1); }

static sn_status measure(experiment_run *run, sn_error *error) {
    static const int full[LEVELS] = {1000, 10000, 100000}, quick[LEVELS] = {1000, 3000, 10000};
    const int places = run->quick ? QUICK_PLACES : PLACES;
    sample s[LEVELS][PLACES];
    double triangles[LEVELS] = {0};
    FILE *table = experiment_table(
        run, "contact.csv", "triangles,clipped,distance,intersecting,points,milliseconds,join_ms,flood_ms", error);
    if (!table) return SN_IO;
    sn_status status = SN_OK;
    for (int level = 0; level < LEVELS && !status; ++level) {
        couple c;
        status = make_couple(run, run->quick ? quick[level] : full[level], &c, error);
        if (!status) triangles[level] = c.body[0].triangles;
        for (int i = 0; i < places; ++i)
            s[level][i] = (sample){.seconds = INFINITY, .join = INFINITY, .flood = INFINITY};
        /* The repeats of a position lie apart in time, so that other work of the machine does not meet all of them. */
        for (int i = 0; i < ROUNDS * places && !status; ++i) {
            status = measure_place(&c, distance(i % places, places), &s[level][i % places], error);
            experiment_progress(run, (level + (i + 1.0) / (ROUNDS * places)) / LEVELS);
        }
        for (int i = 0; i < places && !status; ++i)
            fprintf(table, "%d,%d,%g,%.0f,%.0f,%.6g,%.6g,%.6g\n", c.body[0].triangles,
                    c.body[0].surface->triangle_count, distance(i, places), s[level][i].cuts, s[level][i].points,
                    1e3 * s[level][i].seconds, 1e3 * s[level][i].join, 1e3 * s[level][i].flood);
        if (!status && level == LEVELS - 1) {
            experiment_note(run, "cages of %d and %d tets; %d triangles become %d, %d become %d",
                            c.body[0].cage->tet_count, c.body[1].cage->tet_count, c.body[0].triangles,
                            c.body[0].surface->triangle_count, c.body[1].triangles, c.body[1].surface->triangle_count);
            place(&c, 0.45);
            status = measure_table(run, &c, error);
        }
        release_couple(&c);
    }
    fclose(table);
    if (status) return status;
    experiment_plot(
        run, "contact.svg",
        "set datafile separator ','\nset xlabel 'intersecting pairs'\nset ylabel 'ms'\nset key left top\nplot "
        "'contact.csv' using 4:6 skip 1 with points title 'all stages', '' using 4:8 skip 1 with points "
        "title 'flood', '' using 4:7 skip 1 with points title 'curves'");
    experiment_note(run,
                    "the times are the least of %d calls in %d rounds over all positions. Before, the %d calls of a "
                    "position followed each other, and other work of the machine could meet all of them: "
                    "flood-follows-cuts was then 0.42 on a busy machine",
                    REPEATS * ROUNDS, ROUNDS, REPEATS);
    claim_series(run, s, places, triangles);
    return civit_contact_motion(run, error);
}

static sn_status run_experiment(experiment_run *run, sn_error *error) { return run_on_one_thread(run, measure, error); }

const experiment experiment_civit_contact = {
    "civit-contact", "cost and result of contact determination at three levels of detail", "Civit 5.4, 5.5, 5.6",
    run_experiment,
    "points-constant cuts-sublinear time:cost-sublinear time:join-follows-cuts time:flood-follows-cuts same-cuts "
    "time:bdop-tree time:t-int "
    "time:patch-flood time:box-tree recovery nest-points riding-points"};
