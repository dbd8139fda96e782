/* See winding.h. The solid angle of a triangle: van Oosterom and Strackee 1983. */
#include "winding.h"

#include <math.h>

#include "base/context.h"
#include "base/math3.h"

enum { STACK = 64 };         /* the tree halves its triangles at each fork */
static const double FAR = 3; /* a group is far from this multiple of its radius on; the error of w stays below 0.05 */

static const double *corner(const sn_triangle_tree *tree, int32_t triangle, int k) {
    return tree->position + 3 * (size_t)tree->triangle[3 * (size_t)triangle + (size_t)k];
}

/* Adds a triangle, or a group, of area vector A and area `scalar` around c. The centre holds a sum for now. */
static void add(sn_dipole *d, const double A[3], const double c[3], double scalar) {
    for (int k = 0; k < 3; ++k) d->area[k] += A[k], d->centre[k] += scalar * c[k];
    d->scalar += scalar;
}

static void sum_leaf(const sn_triangle_tree *tree, const sn_tree_node *node, sn_dipole *d) {
    for (int i = node->first; i < node->first + node->count; ++i) {
        const double *x[3];
        double A[3], c[3];
        for (int k = 0; k < 3; ++k) x[k] = corner(tree, tree->order[i], k);
        sn_area_vector3(x[0], x[1], x[2], A);
        for (int k = 0; k < 3; ++k) A[k] *= 0.5, c[k] = (x[0][k] + x[1][k] + x[2][k]) / 3;
        add(d, A, c, sn_norm3(A));
    }
}

/* The centre from its sum, and the reach from the farthest corner of the box. */
static void finish(const sn_tree_node *node, sn_dipole *d) {
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        d->centre[k] = d->scalar > 0 ? d->centre[k] / d->scalar : 0.5 * (node->low[k] + node->high[k]);
        const double r = fmax(d->centre[k] - node->low[k], node->high[k] - d->centre[k]);
        square += r * r;
    }
    d->reach = FAR * FAR * square;
}

void sn_winding_refit(sn_winding *winding) {
    const sn_triangle_tree *tree = winding->tree;
    sn_dipole *part = winding->part;
    for (int n = tree->node_count - 1; n >= 0; --n) { /* children come behind their fork */
        const sn_tree_node *node = &tree->node[n];
        part[n] = (sn_dipole){0};
        if (node->count > 0) {
            sum_leaf(tree, node, &part[n]);
        } else {
            const sn_dipole *a = &part[n + 1], *b = &part[node->first];
            add(&part[n], a->area, a->centre, a->scalar);
            add(&part[n], b->area, b->centre, b->scalar);
        }
        finish(node, &part[n]);
    }
}

sn_status sn_winding_create(sn_context *context, const sn_triangle_tree *tree, sn_winding *winding, sn_error *error) {
    sn_dipole *part = sn_allocate(context, (size_t)tree->node_count, sizeof *part);
    if (!part) return sn_no_memory(error);
    *winding = (sn_winding){tree, part};
    sn_winding_refit(winding);
    return SN_OK;
}

void sn_winding_destroy(sn_context *context, sn_winding *winding) {
    sn_release(context, winding->part);
    winding->part = NULL;
}

/* tan(solid angle / 2) = a . (b x c) / (|a| |b| |c| + (a . b) |c| + (b . c) |a| + (c . a) |b|), with the corners
 * relative to the point. */
static double solid_angle(const sn_triangle_tree *tree, int32_t triangle, const double point[3]) {
    double a[3], b[3], c[3], n[3];
    sn_subtract3(corner(tree, triangle, 0), point, a);
    sn_subtract3(corner(tree, triangle, 1), point, b);
    sn_subtract3(corner(tree, triangle, 2), point, c);
    sn_cross3(b, c, n);
    const double above = sn_dot3(a, n), A = sn_norm3(a), B = sn_norm3(b), C = sn_norm3(c);
    const double below = A * B * C + sn_dot3(a, b) * C + sn_dot3(b, c) * A + sn_dot3(c, a) * B;
    return above == 0 ? 0 : 2 * atan2(above, below);
}

double sn_winding_number(const sn_winding *winding, const double point[3]) {
    const sn_triangle_tree *tree = winding->tree;
    int32_t stack[STACK];
    int top = 0;
    double sum = 0;
    stack[top++] = 0;
    while (top > 0) {
        const int32_t at = stack[--top];
        const sn_tree_node *node = &tree->node[at];
        const sn_dipole *d = &winding->part[at];
        double r[3];
        sn_subtract3(d->centre, point, r);
        const double square = sn_dot3(r, r);
        if (square > d->reach) {
            sum += sn_dot3(d->area, r) / (square * sqrt(square));
            continue;
        }
        for (int i = node->first; i < node->first + node->count; ++i) sum += solid_angle(tree, tree->order[i], point);
        if (node->count > 0) continue;
        stack[top++] = node->first;
        stack[top++] = at + 1;
    }
    return sum / 12.566370614359172;
}
