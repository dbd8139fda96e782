/* From the raw triangles of a polygoniser to an even surface of a wanted size.
 *
 * Corner table: corner c of triangle c / 3 stands at vertex node[c]; across[c] is the corner that faces c over the edge
 * opposite to it. Collapsing an edge takes two triangles away; it is done only when its ends have exactly two common
 * neighbours (the link condition: the surface stays a two-manifold of the same topology) and no triangle turns over.
 * Afterwards edges are flipped where that helps the worse of two triangles, and vertices slide towards the middle of
 * their neighbours in the tangent plane and return to the surface along the gradient of the field. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "creature.h"

typedef struct table {
    sn_context *context;
    const sn_sampling *sampling;
    int corner_count, node_count, alive; /* alive: triangles left */
    int32_t *node;                       /* per corner; -1 in a removed triangle */
    int32_t *across;                     /* per corner */
    int32_t *corner;                     /* per vertex: one of its corners, -1 for a removed vertex */
    double *position;
    double *goal; /* per vertex: where relaxation wants it */
    bool project; /* whether relaxation returns to the surface */
} table;

enum { MOST_NEIGHBOURS = 24, WIDEST = 10 };

static int32_t next_of(int32_t c) { return c % 3 == 2 ? c - 2 : c + 1; }
static int32_t previous_of(int32_t c) { return c % 3 == 0 ? c + 2 : c - 1; }
/* The corner of the same vertex in the neighbouring triangle, counter-clockwise. */
static int32_t swing(const table *t, int32_t c) { return previous_of(t->across[previous_of(c)]); }
static const double *at(const table *t, int32_t vertex) { return t->position + (size_t)vertex * 3; }

/* ---- The largest piece ---- */
static int32_t root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void keep_largest(sn_soup *s, int32_t *parent, int32_t *count) {
    for (int i = 0; i < s->node_count; ++i) parent[i] = i, count[i] = 0;
    for (int t = 0; t < s->triangle_count; ++t) {
        const int32_t *v = s->triangle + (size_t)t * 3;
        for (int k = 1; k < 3; ++k) {
            const int32_t a = root_of(parent, v[0]), b = root_of(parent, v[k]);
            parent[a < b ? b : a] = a < b ? a : b;
        }
    }
    int32_t best = 0;
    for (int t = 0; t < s->triangle_count; ++t) ++count[root_of(parent, s->triangle[(size_t)t * 3])];
    for (int i = 0; i < s->node_count; ++i)
        if (count[i] > count[best]) best = i;
    int kept = 0;
    for (int t = 0; t < s->triangle_count; ++t) {
        if (root_of(parent, s->triangle[(size_t)t * 3]) != best) continue;
        memmove(s->triangle + (size_t)kept++ * 3, s->triangle + (size_t)t * 3, 3 * sizeof *s->triangle);
    }
    s->triangle_count = kept;
}

/* ---- The table ---- */
static sn_status link_corners(table *t, sn_error *error) {
    sn_edge_map edges;
    sn_status status = sn_edge_map_create(&edges, t->context, t->corner_count / 2, error);
    if (status) return status;
    for (int32_t c = 0; c < t->corner_count && !status; ++c) {
        int32_t *other = sn_edge_map_at(&edges, t->node[next_of(c)], t->node[previous_of(c)], c);
        if (!other)
            status = sn_no_memory(error);
        else if (*other != c)
            t->across[c] = *other, t->across[*other] = c;
    }
    sn_edge_map_destroy(&edges);
    for (int i = 0; i < t->node_count; ++i) t->corner[i] = -1;
    for (int32_t c = t->corner_count - 1; c >= 0; --c) t->corner[t->node[c]] = c;
    return status;
}

/* Neighbours of a vertex, at most MOST_NEIGHBOURS; more: returns a larger number. */
static int neighbours(const table *t, int32_t vertex, int32_t *list) {
    int count = 0;
    int32_t c = t->corner[vertex];
    do {
        if (count < MOST_NEIGHBOURS) list[count] = t->node[next_of(c)];
        ++count;
        c = swing(t, c);
    } while (c != t->corner[vertex] && count <= MOST_NEIGHBOURS);
    return count;
}

/* Whether the triangles around `vertex`, but those that hold `except`, keep their side and some area when the vertex
 * goes to x. */
static bool may_move(const table *t, int32_t vertex, int32_t except, const double x[3]) {
    int32_t c = t->corner[vertex];
    do {
        const int32_t p = t->node[next_of(c)], q = t->node[previous_of(c)];
        if (p != except && q != except) {
            double before[3], after[3], e[3];
            sn_area_vector3(at(t, vertex), at(t, p), at(t, q), before);
            sn_area_vector3(x, at(t, p), at(t, q), after);
            const double b = sn_norm3(before), a = sn_norm3(after);
            double longest = 0;
            const double *const v[3] = {x, at(t, p), at(t, q)};
            for (int k = 0; k < 3; ++k) {
                sn_subtract3(v[k], v[(k + 1) % 3], e);
                longest = fmax(longest, sn_dot3(e, e));
            }
            if (a < 0.02 * longest || sn_dot3(before, after) < 0.3 * a * b) return false;
        }
        c = swing(t, c);
    } while (c != t->corner[vertex]);
    return true;
}

/* ---- Collapse ---- */
static void remove_triangle(table *t, int32_t c) {
    const int32_t p = t->across[next_of(c)], q = t->across[previous_of(c)];
    t->across[p] = q;
    t->across[q] = p;
}

/* Collapses the edge that faces corner c; returns whether it could. */
static bool collapse(table *t, int32_t c) {
    const int32_t d = t->across[c], keep = t->node[next_of(c)], drop = t->node[previous_of(c)], left = t->node[c],
                  right = t->node[d];
    int32_t a[MOST_NEIGHBOURS], b[MOST_NEIGHBOURS], wing[MOST_NEIGHBOURS];
    const int na = neighbours(t, keep, a), nb = neighbours(t, drop, b);
    if (na + nb - 4 > WIDEST || na > MOST_NEIGHBOURS || nb > MOST_NEIGHBOURS || left == right) return false;
    if (neighbours(t, left, wing) <= 3 || neighbours(t, right, wing) <= 3) return false;
    int common = 0;
    for (int i = 0; i < na; ++i)
        for (int j = 0; j < nb; ++j) common += a[i] == b[j];
    if (common != 2) return false;
    double middle[3];
    for (int i = 0; i < 3; ++i) middle[i] = 0.5 * (at(t, keep)[i] + at(t, drop)[i]);
    if (!may_move(t, keep, drop, middle) || !may_move(t, drop, keep, middle)) return false;
    /* Corners that survive at the four vertices: those beyond the edges of the two triangles. */
    const int32_t beyond_left = t->across[next_of(c)], beyond_right = t->across[next_of(d)];
    const int32_t start = t->corner[drop];
    int32_t s = start;
    do {
        const int32_t following = swing(t, s);
        t->node[s] = keep;
        s = following;
    } while (s != start);
    /* next_of(c) was at keep, so the edge across it joins left and drop. */
    t->corner[left] = t->node[next_of(beyond_left)] == left ? next_of(beyond_left) : previous_of(beyond_left);
    t->corner[keep] = t->node[next_of(beyond_left)] == left ? previous_of(beyond_left) : next_of(beyond_left);
    t->corner[right] = t->node[next_of(beyond_right)] == right ? next_of(beyond_right) : previous_of(beyond_right);
    t->corner[drop] = -1;
    remove_triangle(t, c);
    remove_triangle(t, d);
    for (int k = 0; k < 3; ++k) t->node[c - c % 3 + k] = t->node[d - d % 3 + k] = -1;
    memcpy(t->position + (size_t)keep * 3, middle, sizeof middle);
    t->alive -= 2;
    return true;
}

static double edge_square(const table *t, int32_t c) {
    double e[3];
    sn_subtract3(at(t, t->node[next_of(c)]), at(t, t->node[previous_of(c)]), e);
    return sn_dot3(e, e);
}

/* Rounds over all edges below a length that grows by a tenth: nearly shortest first. Two rounds of the longest length
 * without a collapse end it. */
static void collapse_to(table *t, int target) {
    double sum = 0;
    for (int32_t c = 0; c < t->corner_count; ++c) sum += edge_square(t, c);
    double limit = 0.04 * sum / t->corner_count;
    const double last = 400 * limit * t->alive / (target > 0 ? target : 1);
    for (; t->alive > target && limit < last; limit *= 1.21)
        for (int32_t c = 0; c < t->corner_count && t->alive > target; ++c)
            if (t->node[c] >= 0 && c < t->across[c] && edge_square(t, c) < limit) collapse(t, c);
}

/* ---- Flips ---- */
/* Area over the sum of the squared edges, scaled: 1 regular, 0 flat. */
static double roundness(const double *a, const double *b, const double *c, double normal[3]) {
    double e[3], sum = 0;
    const double *const v[3] = {a, b, c};
    for (int k = 0; k < 3; ++k) {
        sn_subtract3(v[k], v[(k + 1) % 3], e);
        sum += sn_dot3(e, e);
    }
    sn_area_vector3(a, b, c, normal);
    return 3.4641016151377544 * sn_norm3(normal) / sum;
}

/* Turns the edge ab between triangles lab and rba into lr when the worse of lar and rbl is better than the worse of
 * those, and the surface bends little there: the new normals within 45 degrees of the old. */
static bool flip(table *t, int32_t c) {
    const int32_t d = t->across[c], nc = next_of(c), pc = previous_of(c), nd = next_of(d), pd = previous_of(d);
    const int32_t l = t->node[c], a = t->node[nc], b = t->node[pc], r = t->node[d];
    double n[4][3];
    const double before =
        fmin(roundness(at(t, l), at(t, a), at(t, b), n[0]), roundness(at(t, r), at(t, b), at(t, a), n[1]));
    const double after =
        fmin(roundness(at(t, l), at(t, a), at(t, r), n[2]), roundness(at(t, r), at(t, b), at(t, l), n[3]));
    if (!(after > 1.1 * before) || l == r) return false;
    /* A sliver's own normal means nothing: compare with the larger of the two. */
    const double *old = sn_dot3(n[0], n[0]) > sn_dot3(n[1], n[1]) ? n[0] : n[1];
    for (int k = 2; k < 4; ++k)
        if (sn_dot3(old, n[k]) < 0.7 * sn_norm3(old) * sn_norm3(n[k])) return false;
    int32_t list[MOST_NEIGHBOURS];
    if (neighbours(t, a, list) <= 3 || neighbours(t, b, list) <= 3 || neighbours(t, r, list) >= WIDEST) return false;
    const int count = neighbours(t, l, list);
    if (count >= WIDEST) return false;
    for (int i = 0; i < count; ++i)
        if (list[i] == r) return false;
    const int32_t beyond_lb = t->across[nc], beyond_ra = t->across[nd];
    t->node[pc] = r;
    t->node[pd] = l;
    t->across[c] = beyond_ra, t->across[beyond_ra] = c;
    t->across[d] = beyond_lb, t->across[beyond_lb] = d;
    t->across[nc] = nd, t->across[nd] = nc;
    t->corner[l] = c, t->corner[a] = nc, t->corner[r] = d, t->corner[b] = nd;
    return true;
}

static void flip_all(table *t) {
    for (int32_t c = 0; c < t->corner_count; ++c)
        if (t->node[c] >= 0 && c < t->across[c]) flip(t, c);
}

/* ---- Relaxation ---- */
static void field_gradient(const sn_sampling *s, const double x[3], double h, double out[3]) {
    for (int a = 0; a < 3; ++a) {
        double p[3] = {x[0], x[1], x[2]};
        p[a] = x[a] + h;
        out[a] = sn_sampling_field(s, p, NULL);
        p[a] = x[a] - h;
        out[a] = (out[a] - sn_sampling_field(s, p, NULL)) / (2 * h);
    }
}

enum { GRAIN = 1024 };

static void aim_vertex(table *t, int32_t v) {
    double *goal = t->goal + (size_t)v * 3, mean[3] = {0}, normal[3] = {0}, n[3];
    int count = 0;
    double size = 0;
    memcpy(goal, at(t, v), 3 * sizeof *goal);
    if (t->corner[v] < 0) return;
    int32_t c = t->corner[v];
    do {
        const double *p = at(t, t->node[next_of(c)]), *q = at(t, t->node[previous_of(c)]);
        sn_area_vector3(at(t, v), p, q, n);
        double e[3];
        sn_subtract3(p, at(t, v), e);
        size += sn_norm3(e);
        for (int a = 0; a < 3; ++a) mean[a] += p[a], normal[a] += n[a];
        ++count;
        c = swing(t, c);
    } while (c != t->corner[v]);
    const double length = sn_norm3(normal);
    size /= count;
    double move[3];
    for (int a = 0; a < 3; ++a) move[a] = 0.6 * (mean[a] / count - goal[a]);
    const double out = length > 0 ? sn_dot3(move, normal) / length : 0;
    for (int a = 0; a < 3; ++a) goal[a] += move[a] - (length > 0 ? out * normal[a] / length : 0);
    if (!t->project) return;
    double g[3];
    field_gradient(t->sampling, goal, fmin(0.05 * size, 0.1 * t->sampling->spacing), g);
    const double slope = sn_dot3(g, g);
    if (!(slope > 0.01)) return;
    const double step = sn_sampling_field(t->sampling, goal, NULL) / slope, most = 0.3 * size / sqrt(slope);
    for (int a = 0; a < 3; ++a) goal[a] -= fmin(fmax(step, -most), most) * g[a];
}

static void aim(void *data, int piece) {
    table *t = data;
    const int64_t end = sn_piece_begin(t->node_count, GRAIN, piece + 1);
    for (int64_t v = sn_piece_begin(t->node_count, GRAIN, piece); v < end; ++v) aim_vertex(t, (int32_t)v);
}

/* Goals for all vertices at once, then one by one the moves that turn no triangle over; half the way where the whole is
 * too far. */
static void relax(table *t) {
    sn_parallel(t->context, sn_pieces(t->node_count, GRAIN), aim, t);
    for (int32_t v = 0; v < t->node_count; ++v) {
        if (t->corner[v] < 0) continue;
        double *goal = t->goal + (size_t)v * 3;
        for (int attempt = 0; attempt < 3; ++attempt) {
            if (may_move(t, v, -1, goal)) {
                memcpy(t->position + (size_t)v * 3, goal, 3 * sizeof *goal);
                break;
            }
            for (int a = 0; a < 3; ++a) goal[a] = 0.5 * (goal[a] + at(t, v)[a]);
        }
    }
}

/* ---- Back to the soup: vertices and triangles that are left, in their old order ---- */
static void compact(sn_soup *s, const table *t, int32_t *new_of_old) {
    s->node_count = 0;
    for (int v = 0; v < t->node_count; ++v) {
        new_of_old[v] = -1;
        if (t->corner[v] < 0) continue;
        memmove(s->position + (size_t)s->node_count * 3, s->position + (size_t)v * 3, 3 * sizeof *s->position);
        new_of_old[v] = s->node_count++;
    }
    s->triangle_count = 0;
    for (int32_t c = 0; c < t->corner_count; c += 3) {
        if (t->node[c] < 0) continue;
        for (int k = 0; k < 3; ++k) s->triangle[(size_t)s->triangle_count * 3 + (size_t)k] = new_of_old[t->node[c + k]];
        ++s->triangle_count;
    }
}

sn_status sn_soup_improve(sn_soup *soup, const sn_sampling *sampling, int target, sn_error *error) {
    if (soup->triangle_count > INT32_MAX / 3)
        return sn_fail(error, SN_BAD_INPUT, "%s: too many triangles", sampling->creature->name);
    table t = {
        .context = soup->context, .sampling = sampling, .node_count = soup->node_count, .position = soup->position};
    int32_t *scratch = sn_allocate(soup->context, (size_t)soup->node_count, sizeof *scratch);
    t.corner = sn_allocate(soup->context, (size_t)soup->node_count, sizeof *t.corner);
    t.node = sn_allocate(soup->context, (size_t)soup->triangle_count * 3, sizeof *t.node);
    t.across = sn_allocate(soup->context, (size_t)soup->triangle_count * 3, sizeof *t.across);
    t.goal = sn_allocate(soup->context, (size_t)soup->node_count * 3, sizeof *t.goal);
    sn_status status = scratch && t.corner && t.node && t.across && t.goal ? SN_OK : sn_no_memory(error);
    if (!status) {
        keep_largest(soup, scratch, t.corner);
        t.alive = soup->triangle_count;
        t.corner_count = soup->triangle_count * 3;
        memcpy(t.node, soup->triangle, (size_t)t.corner_count * sizeof *t.node);
        status = link_corners(&t, error);
    }
    if (!status) {
        collapse_to(&t, target);
        for (int round = 0; round < 6; ++round) {
            flip_all(&t);
            t.project = round == 3 || round == 5; /* most of the time goes there */
            relax(&t);
        }
        compact(soup, &t, scratch);
    }
    void *const memory[] = {scratch, t.corner, t.node, t.across, t.goal};
    for (int i = 0; i < 5; ++i) sn_release(soup->context, memory[i]);
    return status;
}
