/* Depth, speed and height of the frames of a run. Brute force behind bounding boxes: it shares nothing with the contact
 * of any engine. */
#include "frames.h"

#include <math.h>
#include <stdlib.h>

#include "shared.h"

enum { POINTS = 7 }; /* of a triangle: its corners, the middles of its edges, its middle */

static const double point_weight[POINTS][3] = {
    {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {.5, .5, 0}, {0, .5, .5}, {.5, 0, .5}, {1. / 3, 1. / 3, 1. / 3}};

static size_t frame_numbers(const touch_scene *scene) {
    return 3 * (size_t)scene->node_count * (size_t)scene->body_count;
}

touch_run touch_run_make(const touch_scene *scene) {
    touch_run run = {0};
    run.frame = bench_need(calloc(frame_numbers(scene) * (size_t)touch_frame_count(scene), sizeof(double)));
    return run;
}

void touch_run_free(touch_run *run) {
    free(run->frame);
    run->frame = NULL;
}

/* ---- Geometry ---- */

static void subtract(const double *a, const double *b, double *r) {
    for (int k = 0; k < 3; ++k) r[k] = a[k] - b[k];
}
static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static double triple(const double *a, const double *b, const double *c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Inside by barycentric coordinates; also for a tet that is inside out. */
static bool inside_tet(const double *x, const int32_t *n, const double *p) {
    double e[3][3], q[3], w[3];
    for (int k = 0; k < 3; ++k) subtract(&x[3 * n[k + 1]], &x[3 * n[0]], e[k]);
    subtract(p, &x[3 * n[0]], q);
    const double volume = triple(e[0], e[1], e[2]);
    if (volume == 0) return false;
    w[0] = triple(q, e[1], e[2]) / volume;
    w[1] = triple(e[0], q, e[2]) / volume;
    w[2] = triple(e[0], e[1], q) / volume;
    return w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[0] + w[1] + w[2] <= 1;
}

static double segment_distance(const double *a, const double *b, const double *p) {
    double ab[3], ap[3];
    subtract(b, a, ab), subtract(p, a, ap);
    const double length = dot(ab, ab), t = length > 0 ? fmin(1, fmax(0, dot(ap, ab) / length)) : 0;
    for (int k = 0; k < 3; ++k) ap[k] -= t * ab[k];
    return sqrt(dot(ap, ap));
}

/* To the plane when the foot of the point is in the triangle, otherwise to the nearest edge. */
static double triangle_distance(const double *a, const double *b, const double *c, const double *p) {
    double u[3], v[3], q[3];
    subtract(b, a, u), subtract(c, a, v), subtract(p, a, q);
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uq = dot(u, q), vq = dot(v, q);
    const double determinant = uu * vv - uv * uv;
    if (determinant > 0) {
        const double s = (vv * uq - uv * vq) / determinant, t = (uu * vq - uv * uq) / determinant;
        if (s >= 0 && t >= 0 && s + t <= 1) {
            for (int k = 0; k < 3; ++k) q[k] -= s * u[k] + t * v[k];
            return sqrt(dot(q, q));
        }
    }
    return fmin(segment_distance(a, b, p), fmin(segment_distance(b, c, p), segment_distance(c, a, p)));
}

/* ---- Depth ---- */

typedef struct box {
    double low[3], high[3];
} box;

static const box empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void grow(box *b, const double *p) {
    for (int a = 0; a < 3; ++a) b->low[a] = fmin(b->low[a], p[a]), b->high[a] = fmax(b->high[a], p[a]);
}
static bool holds(const box *b, const double *p) {
    for (int a = 0; a < 3; ++a)
        if (p[a] < b->low[a] || p[a] > b->high[a]) return false;
    return true;
}
static bool meet(const box *b, const box *c) {
    for (int a = 0; a < 3; ++a)
        if (b->high[a] < c->low[a] || c->high[a] < b->low[a]) return false;
    return true;
}

/* One frame: the nodes, and the boxes of bodies and tets. */
typedef struct snapshot {
    const touch_scene *scene;
    const double *position;
    box *body, *tet;
} snapshot;

static const double *body_position(const snapshot *s, int body) {
    return &s->position[3 * (size_t)s->scene->node_count * (size_t)body];
}

static void fill_boxes(snapshot *s) {
    for (int b = 0; b < s->scene->body_count; ++b) {
        const double *x = body_position(s, b);
        s->body[b] = empty_box;
        for (int i = 0; i < s->scene->node_count; ++i) grow(&s->body[b], &x[3 * i]);
        for (int t = 0; t < s->scene->tet_count; ++t) {
            box *around = &s->tet[b * s->scene->tet_count + t];
            *around = empty_box;
            for (int k = 0; k < 4; ++k) grow(around, &x[3 * s->scene->tet[4 * t + k]]);
        }
    }
}

static double point_depth(const snapshot *s, int body, const double *p) {
    const touch_scene *scene = s->scene;
    const double *x = body_position(s, body);
    bool inside = false;
    for (int t = 0; t < scene->tet_count && !inside; ++t)
        inside = holds(&s->tet[body * scene->tet_count + t], p) && inside_tet(x, &scene->tet[4 * t], p);
    if (!inside) return 0;
    double least = INFINITY;
    for (int t = 0; t < scene->triangle_count; ++t) {
        const int32_t *n = &scene->triangle[3 * t];
        least = fmin(least, triangle_distance(&x[3 * n[0]], &x[3 * n[1]], &x[3 * n[2]], p));
    }
    return least;
}

/* The deepest point of the surface of body `a` in body `b`. */
static double pair_depth(const snapshot *s, int a, int b) {
    const touch_scene *scene = s->scene;
    const double *x = body_position(s, a);
    double deepest = 0;
    for (int t = 0; t < scene->triangle_count; ++t) {
        const int32_t *n = &scene->triangle[3 * t];
        for (int k = 0; k < POINTS; ++k) {
            double p[3];
            for (int c = 0; c < 3; ++c)
                p[c] = point_weight[k][0] * x[3 * n[0] + c] + point_weight[k][1] * x[3 * n[1] + c] +
                       point_weight[k][2] * x[3 * n[2] + c];
            if (holds(&s->body[b], p)) deepest = fmax(deepest, point_depth(s, b, p));
        }
    }
    return deepest;
}

static double frame_depth(snapshot *s) {
    fill_boxes(s);
    double deepest = 0;
    for (int a = 0; a < s->scene->body_count; ++a)
        for (int b = 0; b < s->scene->body_count; ++b)
            if (a != b && meet(&s->body[a], &s->body[b])) deepest = fmax(deepest, pair_depth(s, a, b));
    return deepest;
}

/* ---- All frames ---- */

static bool frames_finite(const double *x, size_t numbers) {
    for (size_t i = 0; i < numbers; ++i)
        if (!(fabs(x[i]) < 100)) return false; /* m */
    return true;
}

touch_measure touch_measure_run(const touch_scene *scene, const touch_run *run) {
    const size_t numbers = frame_numbers(scene), bodies = (size_t)scene->body_count;
    const int frames = touch_frame_count(scene);
    touch_measure m = {.finite = frames_finite(run->frame, numbers * (size_t)frames), .height_end = -INFINITY};
    if (!m.finite) return m;
    snapshot s = {scene, NULL, bench_need(malloc(sizeof(box) * bodies)),
                  bench_need(malloc(sizeof(box) * bodies * (size_t)scene->tet_count))};
    for (int f = 0; f < frames; ++f) {
        s.position = &run->frame[numbers * (size_t)f];
        m.depth_end = frame_depth(&s);
        m.depth = fmax(m.depth, m.depth_end);
        for (size_t i = 1; i < numbers; i += 3) m.floor = fmax(m.floor, -s.position[i]);
    }
    for (size_t i = 0; i < numbers; i += 3) {
        double moved[3];
        subtract(&s.position[i], &s.position[i] - numbers, moved);
        m.speed_end = fmax(m.speed_end, sqrt(dot(moved, moved)) / scene->frame);
        m.height_end = fmax(m.height_end, s.position[i + 1]);
    }
    free(s.body), free(s.tet);
    return m;
}
