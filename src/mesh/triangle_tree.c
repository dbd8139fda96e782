/* The tree of triangles; see triangle_tree.h. The nearest point of a triangle depends on the region of x: nearest to a
 * corner, an edge or the face (Ericson, Real-Time Collision Detection, 2005, 5.1.5). */
#include "triangle_tree.h"

#include <math.h>

#include "base/context.h"
#include "base/math3.h"
#include "base/sorted.h"

enum { LEAF = 4, STACK = 64 }; /* each fork halves the count, so that the depth is at most 31 */

static const double *corner_of(const sn_triangle_tree *tree, int32_t triangle, int k) {
    return tree->position + 3 * (size_t)tree->triangle[3 * (size_t)triangle + (size_t)k];
}

static double middle(const sn_triangle_tree *tree, int32_t triangle, int axis) {
    return corner_of(tree, triangle, 0)[axis] + corner_of(tree, triangle, 1)[axis] + corner_of(tree, triangle, 2)[axis];
}

/* The box around the triangles of a leaf. */
static void fit_leaf(const sn_triangle_tree *tree, sn_tree_node *node, int first, int count) {
    for (int a = 0; a < 3; ++a) node->low[a] = INFINITY, node->high[a] = -INFINITY;
    for (int i = first; i < first + count; ++i)
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) {
                const double x = corner_of(tree, tree->order[i], k)[a];
                node->low[a] = x < node->low[a] ? x : node->low[a]; /* fmin would be a call */
                node->high[a] = x > node->high[a] ? x : node->high[a];
            }
}

static void build(sn_triangle_tree *tree, sn_keyed *scratch, int first, int count) {
    sn_tree_node *node = &tree->node[tree->node_count++];
    double low[3], high[3];
    fit_leaf(tree, node, first, count);
    for (int a = 0; a < 3; ++a) low[a] = INFINITY, high[a] = -INFINITY;
    for (int i = first; i < first + count; ++i)
        for (int a = 0; a < 3; ++a) {
            const double m = middle(tree, tree->order[i], a);
            low[a] = m < low[a] ? m : low[a], high[a] = m > high[a] ? m : high[a];
        }
    if (count <= LEAF) {
        node->first = first, node->count = count;
        return;
    }
    int axis = 0;
    for (int a = 1; a < 3; ++a)
        if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    for (int i = 0; i < count; ++i)
        scratch[i] = (sn_keyed){middle(tree, tree->order[first + i], axis), tree->order[first + i]};
    sn_keyed_part(scratch, count, count / 2);
    for (int i = 0; i < count; ++i) tree->order[first + i] = scratch[i].index;
    build(tree, scratch, first, count / 2);
    node->first = tree->node_count;
    node->count = 0;
    build(tree, scratch, first + count / 2, count - count / 2);
}

/* The children of a fork come after it: the loop runs from the end. */
void sn_triangle_tree_refit(sn_triangle_tree *tree) {
    for (int i = tree->node_count - 1; i >= 0; --i) {
        sn_tree_node *node = &tree->node[i];
        if (node->count > 0) {
            fit_leaf(tree, node, node->first, node->count);
            continue;
        }
        const sn_tree_node *left = node + 1, *right = &tree->node[node->first];
        for (int a = 0; a < 3; ++a) {
            node->low[a] = left->low[a] < right->low[a] ? left->low[a] : right->low[a];
            node->high[a] = left->high[a] > right->high[a] ? left->high[a] : right->high[a];
        }
    }
}

sn_status sn_triangle_tree_create(sn_context *context, const double *position, const int32_t *triangle, int count,
                                  sn_triangle_tree *tree, sn_error *error) {
    *tree = (sn_triangle_tree){.position = position, .triangle = triangle};
    tree->order = sn_allocate(context, (size_t)count, sizeof *tree->order);
    tree->node = sn_allocate(context, 2 * (size_t)count, sizeof *tree->node);
    sn_keyed *scratch = sn_allocate(context, (size_t)count, sizeof *scratch);
    const bool enough = tree->order && tree->node && scratch;
    for (int i = 0; i < count && enough; ++i) tree->order[i] = i;
    if (enough) build(tree, scratch, 0, count);
    sn_release(context, scratch);
    return enough ? SN_OK : sn_no_memory(error);
}

void sn_triangle_tree_destroy(sn_context *context, sn_triangle_tree *tree) {
    sn_release(context, tree->order);
    sn_release(context, tree->node);
    *tree = (sn_triangle_tree){0};
}

/* ---- The nearest point ---- */

static void along(const double a[3], const double b[3], double part, double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = a[i] + part * (b[i] - a[i]);
}

void sn_triangle_nearest(const double a[3], const double b[3], const double c[3], const double x[3],
                         sn_nearest_point *at) {
    double ab[3], ac[3], bc[3], p[3];
    sn_subtract3(b, a, ab);
    sn_subtract3(c, a, ac);
    sn_subtract3(c, b, bc);
    sn_subtract3(x, a, p);
    const double d1 = sn_dot3(ab, p), d2 = sn_dot3(ac, p);
    sn_subtract3(x, b, p);
    const double d3 = sn_dot3(ab, p), d4 = sn_dot3(ac, p);
    sn_subtract3(x, c, p);
    const double d5 = sn_dot3(ab, p), d6 = sn_dot3(ac, p);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    at->part = SN_PART_CORNER;
    if (d1 <= 0 && d2 <= 0) {
        at->k = 0, along(a, a, 0, at->point);
    } else if (d3 >= 0 && d4 <= d3) {
        at->k = 1, along(b, b, 0, at->point);
    } else if (d6 >= 0 && d5 <= d6) {
        at->k = 2, along(c, c, 0, at->point);
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        at->part = SN_PART_EDGE, at->k = 0, along(a, b, d1 / (d1 - d3), at->point);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        at->part = SN_PART_EDGE, at->k = 2, along(a, c, d2 / (d2 - d6), at->point);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        at->part = SN_PART_EDGE, at->k = 1, along(b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)), at->point);
    } else {
        const double sum = va + vb + vc;
        at->part = SN_PART_FACE, at->k = 0;
        for (int i = 0; i < 3; ++i) at->point[i] = a[i] + vb / sum * ab[i] + vc / sum * ac[i];
    }
    sn_subtract3(x, at->point, p);
    at->square = sn_dot3(p, p);
}

static double box_square(const sn_tree_node *node, const double x[3]) {
    double square = 0;
    for (int a = 0; a < 3; ++a) {
        const double d = x[a] < node->low[a] ? node->low[a] - x[a] : x[a] > node->high[a] ? x[a] - node->high[a] : 0;
        square += d * d;
    }
    return square;
}

bool sn_triangle_tree_search(const sn_triangle_tree *tree, const double x[3], double limit,
                             bool (*accepts)(const void *user, int32_t triangle), const void *user,
                             sn_nearest_point *nearest) {
    struct {
        int32_t node;
        double square;
    } stack[STACK];
    int top = 0;
    nearest->square = limit * limit;
    nearest->triangle = -1;
    stack[top].node = 0, stack[top++].square = 0;
    while (top > 0) {
        --top;
        if (stack[top].square >= nearest->square) continue;
        const int32_t at = stack[top].node;
        const sn_tree_node *node = &tree->node[at];
        for (int i = node->first; i < node->first + node->count; ++i) {
            sn_nearest_point here = {.triangle = tree->order[i]};
            if (accepts && !accepts(user, here.triangle)) continue;
            sn_triangle_nearest(corner_of(tree, here.triangle, 0), corner_of(tree, here.triangle, 1),
                                corner_of(tree, here.triangle, 2), x, &here);
            if (here.square < nearest->square) *nearest = here;
        }
        if (node->count > 0) continue;
        const double left = box_square(node + 1, x), right = box_square(&tree->node[node->first], x);
        const bool left_first = left <= right; /* the nearer box goes on top of the stack */
        stack[top].node = left_first ? node->first : at + 1, stack[top++].square = left_first ? right : left;
        stack[top].node = left_first ? at + 1 : node->first, stack[top++].square = left_first ? left : right;
    }
    return nearest->triangle >= 0;
}

void sn_triangle_tree_nearest(const sn_triangle_tree *tree, const double x[3], sn_nearest_point *nearest) {
    sn_triangle_tree_search(tree, x, INFINITY, NULL, NULL, nearest);
}

/* ---- Crossings ---- */

/* Whether the path from a to b meets the box. */
static bool meets(const sn_tree_node *node, const double a[3], const double b[3]) {
    double low = 0, high = 1;
    for (int i = 0; i < 3; ++i) {
        const double way = b[i] - a[i];
        if (way == 0) {
            if (a[i] < node->low[i] || a[i] > node->high[i]) return false;
            continue;
        }
        const double s = (node->low[i] - a[i]) / way, t = (node->high[i] - a[i]) / way;
        low = fmax(low, fmin(s, t)), high = fmin(high, fmax(s, t));
    }
    return low <= high;
}

/* The part of the path (0 to 1) at which it crosses the triangle, or -1. The three volumes with the edges must have the
 * same sign. */
static double crossing(const sn_triangle_tree *tree, int32_t triangle, const double a[3], const double b[3]) {
    const double *p = corner_of(tree, triangle, 0), *q = corner_of(tree, triangle, 1),
                 *r = corner_of(tree, triangle, 2);
    const double before = sn_volume6(p, q, r, a), behind = sn_volume6(p, q, r, b);
    if ((before > 0) == (behind > 0) || before == behind) return -1;
    const double u = sn_volume6(a, b, p, q), v = sn_volume6(a, b, q, r), w = sn_volume6(a, b, r, p);
    if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0))) return -1;
    return before / (before - behind);
}

int sn_triangle_tree_cross(const sn_triangle_tree *tree, const double a[3], const double b[3],
                           sn_crossings *crossings) {
    int32_t stack[STACK];
    int top = 0, count = 0;
    *crossings = (sn_crossings){-1, -1, INFINITY, -INFINITY};
    stack[top++] = 0;
    while (top > 0) {
        const int32_t at = stack[--top];
        const sn_tree_node *node = &tree->node[at];
        if (!meets(node, a, b)) continue;
        for (int i = node->first; i < node->first + node->count; ++i) {
            const double part = crossing(tree, tree->order[i], a, b);
            if (part < 0) continue;
            ++count;
            if (part < crossings->first_part) crossings->first = tree->order[i], crossings->first_part = part;
            if (part > crossings->last_part) crossings->last = tree->order[i], crossings->last_part = part;
        }
        if (node->count > 0) continue;
        stack[top++] = node->first;
        stack[top++] = at + 1;
    }
    return count;
}

/* ---- Triangles near a box ---- */

static bool boxes_meet(const double *a_low, const double *a_high, const double *b_low, const double *b_high) {
    return a_low[0] <= b_high[0] && b_low[0] <= a_high[0] && a_low[1] <= b_high[1] && b_low[1] <= a_high[1] &&
           a_low[2] <= b_high[2] && b_low[2] <= a_high[2];
}

static bool triangle_meets_box(const sn_triangle_tree *tree, int32_t triangle, const double low[3],
                               const double high[3]) {
    const double *a = corner_of(tree, triangle, 0), *b = corner_of(tree, triangle, 1),
                 *c = corner_of(tree, triangle, 2);
    for (int k = 0; k < 3; ++k)
        if ((a[k] < low[k] && b[k] < low[k] && c[k] < low[k]) || (a[k] > high[k] && b[k] > high[k] && c[k] > high[k]))
            return false;
    return true;
}

bool sn_triangle_tree_overlap(const sn_triangle_tree *tree, const double low[3], const double high[3],
                              sn_triangle_visit *visit, void *data) {
    int32_t stack[STACK];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const int32_t at = stack[--top];
        const sn_tree_node *node = &tree->node[at];
        if (!boxes_meet(node->low, node->high, low, high)) continue;
        for (int i = node->first; i < node->first + node->count; ++i)
            if (triangle_meets_box(tree, tree->order[i], low, high) && visit(data, tree->order[i])) return true;
        if (node->count > 0) continue;
        stack[top++] = node->first;
        stack[top++] = at + 1;
    }
    return false;
}
