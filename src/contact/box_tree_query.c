/* Rays and nearest points; see box_tree_query.h. Both searches keep blocks to visit on a stack, the most promising one
 * on top. They skip every box that cannot hold anything better than the best result so far. */
#include "box_tree_query.h"

#include <math.h>

#include "base/math3.h"
#include "closest.h"

/* A box that waits: the block that it stands for, or a triangle when the level is -1. */
typedef struct waiting {
    double key; /* distance at which the box begins, or its square */
    int32_t index;
    int32_t level;
} waiting;

enum { STACK = SN_BOX_LEVELS * SN_BOX_FAN + SN_BOX_GROUP };

typedef struct search {
    waiting stack[STACK];
    int depth;
} search;

static void push(search *s, double key, int32_t index, int level) {
    s->stack[s->depth++] = (waiting){key, index, level};
}

/* Sorts the boxes from `begin` on: the one with the smallest key goes to the top. */
static void sort_top(search *s, int begin) {
    for (int i = begin + 1; i < s->depth; ++i) {
        const waiting w = s->stack[i];
        int k = i;
        for (; k > begin && s->stack[k - 1].key < w.key; --k) s->stack[k] = s->stack[k - 1];
        s->stack[k] = w;
    }
}

/* Puts all triangles of a group on the stack when the blocks in it are not fitted. They get the key of the group. */
static bool push_whole(const sn_box_tree *tree, waiting w, search *s) {
    if (w.level != 1 || tree->fitted[w.index]) return false;
    const int first = w.index * SN_BOX_GROUP;
    for (int p = first; p < first + SN_BOX_GROUP && p < tree->triangle_count; ++p) push(s, w.key, tree->order[p], -1);
    return true;
}

static const double *corner_of(const sn_box_surface *surface, int32_t triangle, int k) {
    return surface->position + 3 * (size_t)surface->triangle[3 * (size_t)triangle + (size_t)k];
}

/* ---- Rays ---- */

typedef struct ray {
    const double *origin, *direction;
    double inverse[3];
} ray;

static ray ray_of(const double origin[3], const double direction[3]) {
    ray r = {origin, direction, {0}};
    /* A direction of 0 becomes tiny: inside the slab the distances stay huge with both signs, and finite. */
    for (int a = 0; a < 3; ++a) r.inverse[a] = fabs(direction[a]) > 1e-200 ? 1 / direction[a] : 1e200;
    return r;
}

/* What a ray does with a triangle. */
typedef enum meeting { MISSES, MEETS, GRAZES } meeting;

/* The volumes of the ray with the three edges have one sign when it meets the triangle. Two triangles at an edge
 * compute the same volume with opposite signs, so no ray slips through between them. */
static meeting meet(const sn_box_surface *surface, int32_t triangle, const ray *r, int *facing, sn_box_hit *hit) {
    double p[3][3], n[3], edge[3], cross[3];
    for (int k = 0; k < 3; ++k) sn_subtract3(corner_of(surface, triangle, k), r->origin, p[k]);
    int signs = 0; /* bit 0: a positive volume; bit 1: a negative one; bit 2: zero */
    for (int k = 0; k < 3; ++k) {
        sn_cross3(p[(k + 1) % 3], p[(k + 2) % 3], cross);
        edge[k] = sn_dot3(r->direction, cross);
        signs |= edge[k] > 0 ? 1 : edge[k] < 0 ? 2 : 4;
        if ((signs & 3) == 3) return MISSES;
    }
    sn_area_vector3(p[0], p[1], p[2], n);
    const double along = sn_dot3(n, r->direction), sum = edge[0] + edge[1] + edge[2];
    if (along == 0 || sum == 0) return GRAZES;
    hit->triangle = triangle;
    hit->distance = sn_dot3(n, p[0]) / along;
    for (int k = 0; k < 3; ++k) hit->share[k] = edge[k] / sum;
    *facing = along > 0 ? 1 : -1;
    return signs & 4 ? GRAZES : MEETS;
}

/* Puts the boxes of a block that the ray enters on the stack. */
static void expand(const sn_box_tree *tree, waiting w, const ray *r, double reach, search *s) {
    if (push_whole(tree, w, s)) return;
    const sn_box_block *block = &tree->block[tree->first[w.level] + w.index];
    const int begin = s->depth;
    _Alignas(64) double key[SN_BOX_FAN];
    unsigned left = sn_box_kernels_for(tree->context)->enter(block, r->origin, r->inverse, reach, key);
    for (; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        const int32_t child = w.index * SN_BOX_FAN + c;
        push(s, key[c], w.level > 0 ? child : tree->order[child], w.level - 1);
    }
    sort_top(s, begin);
}

/* Takes a triangle of the wanted facing when the ray meets it no farther away than the best one. Of triangles at the
 * same distance the one with the least number counts: the order of visits does not matter. */
static void try_triangle(const sn_box_surface *surface, int32_t triangle, const ray *r, sn_box_facing facing,
                         sn_box_hit *hit) {
    sn_box_hit here;
    int side = 0;
    if (meet(surface, triangle, r, &side, &here) == MISSES || side != (int)facing) return;
    if (here.distance < 0 || here.distance > hit->distance) return;
    if (here.distance < hit->distance || hit->triangle < 0 || here.triangle < hit->triangle) *hit = here;
}

bool sn_box_tree_cast(const sn_box_surface *surface, const double origin[3], const double direction[3], double reach,
                      sn_box_facing facing, sn_box_hit *hit) {
    const sn_box_tree *tree = surface->tree;
    const sn_box_kernels *kernels = sn_box_kernels_for(tree->context);
    const ray r = ray_of(origin, direction);
    search s; /* not set to 0: the stack is large */
    s.depth = 0;
    hit->triangle = -1, hit->distance = reach;
    if (tree->triangle_count == 0) return false;
    push(&s, 0, 0, tree->levels - 1);
    while (s.depth > 0) {
        const waiting w = s.stack[--s.depth];
        if (w.key > hit->distance) continue;
        if (w.level > 0) {
            expand(tree, w, &r, hit->distance, &s);
        } else if (w.level < 0) {
            try_triangle(surface, w.index, &r, facing, hit);
        } else {
            _Alignas(64) double key[SN_BOX_FAN];
            unsigned left = kernels->enter(&tree->block[w.index], r.origin, r.inverse, hit->distance, key);
            for (; left; left &= left - 1)
                try_triangle(surface, tree->order[w.index * SN_BOX_FAN + __builtin_ctz(left)], &r, facing, hit);
        }
    }
    return hit->triangle >= 0;
}

/* How often the ray leaves minus how often it enters. Returns false when it grazes. */
static bool balance(const sn_box_surface *surface, const ray *r, int *count) {
    search s; /* not set to 0: the stack is large */
    s.depth = 0;
    *count = 0;
    push(&s, 0, 0, surface->tree->levels - 1);
    while (s.depth > 0) {
        const waiting w = s.stack[--s.depth];
        if (w.level >= 0) {
            expand(surface->tree, w, r, INFINITY, &s);
            continue;
        }
        sn_box_hit here;
        int side = 0;
        const meeting what = meet(surface, w.index, r, &side, &here);
        if (what == MISSES) continue;
        if (what == GRAZES) return false;
        if (here.distance >= 0) *count += side;
    }
    return true;
}

bool sn_box_tree_holds(const sn_box_surface *surface, const double x[3]) {
    static const double direction[4][3] = {
        {0.6131, 0.5717, 0.5451}, {-0.4973, 0.7043, 0.5067}, {0.3719, -0.6427, 0.6698}, {0.7351, 0.2213, -0.6407}};
    if (surface->tree->triangle_count == 0) return false;
    for (int i = 0; i < 4; ++i) {
        const ray r = ray_of(x, direction[i]);
        int count;
        if (balance(surface, &r, &count)) return count > 0;
    }
    return false;
}

/* ---- The nearest point ---- */

void sn_box_triangle_nearest(const sn_box_surface *surface, int32_t triangle, const double x[3], sn_box_hit *hit) {
    const double *const corner[4] = {x, corner_of(surface, triangle, 0), corner_of(surface, triangle, 1),
                                     corner_of(surface, triangle, 2)};
    sn_closest closest;
    sn_closest_vertex_face(corner, &closest);
    hit->triangle = triangle;
    hit->distance = sqrt(closest.square);
    for (int k = 0; k < 3; ++k) hit->share[k] = -closest.weight[k + 1];
}

bool sn_box_tree_nearest(const sn_box_surface *surface, const double x[3], double reach, sn_box_hit *hit) {
    const sn_box_tree *tree = surface->tree;
    search s; /* not set to 0: the stack is large */
    s.depth = 0;
    double best = reach * reach;
    hit->triangle = -1, hit->distance = reach;
    if (tree->triangle_count == 0) return false;
    push(&s, 0, 0, tree->levels - 1);
    while (s.depth > 0) {
        const waiting w = s.stack[--s.depth];
        if (w.key > best) continue;
        if (w.level < 0) {
            sn_box_hit here;
            sn_box_triangle_nearest(surface, w.index, x, &here);
            /* Of triangles at the same distance the one with the least number counts: the order of visits does not
             * matter. */
            if (here.distance < hit->distance || (here.distance == hit->distance && here.triangle < hit->triangle))
                *hit = here, best = here.distance * here.distance;
            continue;
        }
        if (push_whole(tree, w, &s)) continue;
        const int begin = s.depth;
        _Alignas(64) double square[SN_BOX_FAN];
        sn_box_kernels_for(tree->context)->squares(&tree->block[tree->first[w.level] + w.index], x, square);
        for (int c = 0; c < SN_BOX_FAN; ++c) {
            if (square[c] > best) continue;
            const int32_t child = w.index * SN_BOX_FAN + c;
            push(&s, square[c], w.level > 0 ? child : tree->order[child], w.level - 1);
        }
        sort_top(&s, begin);
    }
    return hit->triangle >= 0;
}
