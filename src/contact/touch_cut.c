/* The segment of two triangles that intersect; see touch_cut.h. */
#include "touch_cut.h"

#include <math.h>

#include "base/math3.h"
#include "orientation.h"

extern const sn_cut_filter sn_cut_filter_baseline;
#if defined(SN_HAVE_X86_KERNELS)
extern const sn_cut_filter sn_cut_filter_avx2, sn_cut_filter_avx512;
#endif

const sn_cut_filter *sn_cut_filter_for(const sn_context *context) { return SN_BUILD(context, sn_cut_filter); }

/* A triangle of a surface with its corners. */
typedef struct face {
    const sn_touch_surface *surface;
    int32_t triangle;
    const double *corner[3];
} face;

static face face_of(const sn_touch_surface *surface, int32_t triangle) {
    face f = {surface, triangle, {NULL}};
    for (int k = 0; k < 3; ++k)
        f.corner[k] = surface->position + 3 * (size_t)surface->triangle[3 * (size_t)triangle + (size_t)k];
    return f;
}

static double largest(const double v[3]) {
    const double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]), larger = x > y ? x : y;
    return larger > z ? larger : z;
}

/* Whether the triangle has no area, exactly. Products of two differences have an error below 1e-14 of their largest
 * factors. */
static bool is_flat(const face *f) {
    double u[3], v[3], n[3];
    sn_subtract3(f->corner[1], f->corner[0], u);
    sn_subtract3(f->corner[2], f->corner[0], v);
    sn_cross3(u, v, n);
    if (largest(n) > 1e-14 * largest(u) * largest(v)) return false;
    for (int axis = 0; axis < 3; ++axis)
        if (sn_cross_sign(f->corner[0], f->corner[1], f->corner[0], f->corner[2], axis)) return false;
    return true;
}

/* Completes the sides of the corners of p at the plane of q. Returns false when all corners are on one side of a plane:
 * then the triangles do not intersect. A triangle q without area has no plane: no edge pierces it, but its edges may
 * pierce p. `moved`: 1 when p belongs to A. */
static bool split(const face *q, const face *p, int moved, int side[3]) {
    const bool clear = side[0] || side[1] || side[2];
    for (int k = 0; k < 3; ++k)
        if (!side[k]) side[k] = sn_side_of_triangle(q->corner[0], q->corner[1], q->corner[2], p->corner[k], moved);
    return side[0] != side[1] || side[1] != side[2] || (!clear && is_flat(q));
}

/* The place where edge k of p pierces q. The edge is taken from its smaller to its larger vertex. */
static void pierce(const face *p, int k, const face *q, sn_touch_end *end) {
    const int32_t *vertex = &p->surface->triangle[3 * (size_t)p->triangle];
    const bool forward = vertex[k] < vertex[(k + 1) % 3];
    const double *low = p->corner[forward ? k : (k + 1) % 3], *high = p->corner[forward ? (k + 1) % 3 : k];
    const double below = sn_volume6(q->corner[0], q->corner[1], q->corner[2], low);
    const double above = sn_volume6(q->corner[0], q->corner[1], q->corner[2], high);
    double part = below / (below - above);
    if (!(part >= 0)) part = below == above ? 0.5 : 0; /* the edge lies in the plane, or rounding */
    if (part > 1) part = 1;
    end->corner = (int8_t)k;
    end->part = forward ? part : 1 - part;
    for (int i = 0; i < 3; ++i) end->point[i] = low[i] + part * (high[i] - low[i]);
}

/* How edge i of A passes edge j of B, computed when it is first needed. */
static int pass(const face *a, int i, const face *b, int j, int known[9]) {
    int *sign = &known[3 * i + j];
    if (!*sign) *sign = sn_side_of_edges(a->corner[i], a->corner[(i + 1) % 3], b->corner[j], b->corner[(j + 1) % 3]);
    return *sign;
}

/* known: the signs of the volumes in the order of sn_cut_signs, 0 where they are in doubt. */
static bool cut_known(const face *p, const face *q, int known[15], sn_touch_cut *cut) {
    if (!split(q, p, 1, known) || !split(p, q, -1, known + 3)) return false;
    unsigned ends = 0; /* bit 0: the begin is there; bit 1: the end is there */
    for (int k = 0; k < 6; ++k) {
        const int i = k % 3, next = (i + 1) % 3, owner = k / 3;
        const int *side = known + 3 * owner;
        if (side[i] == side[next]) continue;
        int sum = 0;
        for (int j = 0; j < 3; ++j) sum += owner ? pass(p, j, q, i, known + 6) : pass(p, i, q, j, known + 6);
        if (sum != 3 && sum != -3) continue;
        /* The segment begins where A leaves B, or where B enters A. */
        const bool leaves = side[i] < 0;
        sn_touch_end *end = &cut->end[leaves != (owner == 1) ? 0 : 1];
        end->side = (int8_t)owner;
        pierce(owner ? q : p, i, owner ? p : q, end);
        ends |= leaves != (owner == 1) ? 1u : 2u;
    }
    cut->triangle[0] = p->triangle, cut->triangle[1] = q->triangle, cut->curve = -1;
    return ends == 3;
}

bool sn_touch_cut_signed(const sn_touch_surface *a, int32_t ta, const sn_touch_surface *b, int32_t tb,
                         const sn_cut_signs *signs, int lane, sn_touch_cut *cut) {
    const face p = face_of(a, ta), q = face_of(b, tb);
    int known[15];
    for (int i = 0; i < 15; ++i) known[i] = (signs->above[i] >> lane & 1) - (signs->below[i] >> lane & 1);
    return cut_known(&p, &q, known, cut);
}

/* The sides of the corners of p at the plane of q that are certain; 0 for the others. Products of three differences
 * have an error below 1e-14 of their largest factors. */
static void sides(const face *q, const face *p, int side[3]) {
    double u[3], v[3], n[3], w[3];
    sn_subtract3(q->corner[1], q->corner[0], u);
    sn_subtract3(q->corner[2], q->corner[0], v);
    sn_cross3(u, v, n);
    const double size = 1e-14 * largest(u) * largest(v);
    for (int k = 0; k < 3; ++k) {
        sn_subtract3(p->corner[k], q->corner[0], w);
        const double height = sn_dot3(n, w), error = size * largest(w);
        side[k] = (height > error) - (height < -error);
    }
}

bool sn_touch_cut_triangles(const sn_touch_surface *a, int32_t ta, const sn_touch_surface *b, int32_t tb,
                            sn_touch_cut *cut) {
    const face p = face_of(a, ta), q = face_of(b, tb);
    int known[15] = {0};
    sides(&q, &p, known);
    sides(&p, &q, known + 3);
    return cut_known(&p, &q, known, cut);
}
