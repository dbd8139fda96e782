/* See measure.h. Intersections are found by the tests' own brute force (experiments/intersections.h) behind a sweep
 * along x, which shares nothing with the contact of any engine. */
#include "measure.h"

#include <math.h>
#include <stdlib.h>

#include "intersections.h"
#include "shared.h"

typedef struct spread {
    double low, high; /* along x */
    int triangle;
} spread;

static int by_low(const void *a, const void *b) {
    const spread *p = a, *q = b;
    return p->low < q->low ? -1 : p->low > q->low;
}

static int count_cuts(const cloth_scene *scene, double *position) {
    skin s = {.count = scene->triangle_count, .position = position, .corner = scene->triangle};
    spread *x = bench_need(malloc(sizeof *x * (size_t)s.count));
    int cuts = 0;
    for (int i = 0; i < s.count; ++i) {
        x[i] = (spread){INFINITY, -INFINITY, i};
        for (int c = 0; c < 3; ++c) {
            const double at = position[3 * s.corner[3 * i + c]];
            x[i].low = fmin(x[i].low, at), x[i].high = fmax(x[i].high, at);
        }
    }
    qsort(x, (size_t)s.count, sizeof *x, by_low);
    for (int i = 0; i < s.count; ++i)
        for (int j = i + 1; j < s.count && x[j].low <= x[i].high; ++j)
            cuts += triangles_intersect(&s, x[i].triangle, x[j].triangle);
    free(x);
    return cuts;
}

static double distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

cloth_measure cloth_measure_run(const cloth_scene *scene, const cloth_run *run) {
    cloth_measure m = {.finite = true, .height_end = INFINITY};
    const int frames = cloth_frame_count(scene);
    const size_t numbers = 3 * (size_t)scene->node_count;
    double *end = run->frame + numbers * (size_t)(frames - 1);
    for (size_t i = 0; i < numbers * (size_t)frames; i += 3) {
        const double length = distance(run->frame + i, (double[3]){0});
        m.finite = m.finite && length < 100;
        m.depth = fmax(m.depth, scene->radius - length);
    }
    if (!m.finite) return m;
    for (int e = 0; e < scene->edge_count; ++e) {
        const size_t a = 3 * (size_t)scene->edge[2 * e], b = 3 * (size_t)scene->edge[2 * e + 1];
        const double strain = distance(end + a, end + b) / distance(scene->position + a, scene->position + b) - 1;
        m.strain = fmax(m.strain, fabs(strain)), m.stretch = fmax(m.stretch, strain);
    }
    for (size_t i = 1; i < numbers; i += 3) m.height_end = fmin(m.height_end, end[i]);
    m.cuts = count_cuts(scene, end);
    return m;
}
