/* How much a bent sheet gives way between its nodes (hinge_weights.h).
 *
 * A sheet is bent to a sphere of curvature 1: hinge e has the angle theta_e = ((p0^2 - l^2/4) / h0 + (p1^2 - l^2/4) /
 * h1 + h0 + h1) / 2, whatever the direction. Its nodes then move by u along the normal, so that sum w (theta + a . u)^2
 * falls; a are the numbers of a flat hinge (hinges.h). A few sweeps of Jacobi's method find the part of u that differs
 * from node to node, and leave the sheet as a whole as it is.
 *
 * On a mesh that prefers no direction, the motion of the nodes depends on the mean curvature alone. So the energy falls
 * by c tr(K)^2 for every curvature tensor K: by 4 c for the sphere, by c for a cylinder. A cylinder has the energy A,
 * the area, without that motion. The softness is 1 - c / A, over the triangles that are far from the rim. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "hinge_weights.h"

enum { SWEEPS = 40, DEPTH = 4 };
static const double step = 0.45; /* of Jacobi's method: it converges below 0.5, as a hinge has four nodes */

typedef struct sphere_hinge {
    int32_t node[4], triangle[2];
    double a[4], theta, share[2]; /* share: the weights that its two triangles give */
} sphere_hinge;

static void fill(const int32_t *triangle, const double *rest, const sn_cloth_edge pair[2], const double *weight,
                 sphere_hinge *h) {
    const int32_t *first = triangle + 3 * (size_t)pair[0].triangle;
    const int k = pair[0].corner;
    h->node[0] = first[(k + 1) % 3], h->node[1] = first[(k + 2) % 3];
    h->a[0] = h->a[1] = h->theta = 0;
    for (int s = 0; s < 2; ++s) {
        double l, p, high;
        h->triangle[s] = pair[s].triangle;
        h->node[2 + s] = triangle[3 * (size_t)pair[s].triangle + (size_t)pair[s].corner];
        h->share[s] = weight[3 * (size_t)pair[s].triangle + (size_t)pair[s].corner];
        sn_hinge_corner(rest + 3 * (size_t)h->node[0], rest + 3 * (size_t)h->node[1], rest + 3 * (size_t)h->node[2 + s],
                        &l, &p, &high);
        h->a[2 + s] = 1 / high;
        h->a[0] -= (0.5 - p / l) / high, h->a[1] -= (0.5 + p / l) / high;
        h->theta += 0.5 * ((p * p - l * l / 4) / high + high);
    }
}

static double angle_of(const sphere_hinge *h, const double *u) {
    double sum = h->theta;
    for (int i = 0; i < 4; ++i) sum += h->a[i] * u[h->node[i]];
    return sum;
}

static void sweep(const sphere_hinge *hinge, int hinges, int nodes, double *u, double *slope, double *diagonal) {
    memset(slope, 0, (size_t)nodes * sizeof *slope), memset(diagonal, 0, (size_t)nodes * sizeof *diagonal);
    for (int e = 0; e < hinges; ++e) {
        const sphere_hinge *h = &hinge[e];
        const double w = h->share[0] + h->share[1], pull = w * angle_of(h, u);
        for (int i = 0; i < 4; ++i) slope[h->node[i]] += pull * h->a[i], diagonal[h->node[i]] += w * h->a[i] * h->a[i];
    }
    for (int i = 0; i < nodes; ++i)
        if (diagonal[i] > 0) u[i] -= step * slope[i] / diagonal[i];
}

/* depth[node]: how many triangles away from the rim, at most DEPTH. Returns the largest of a triangle. */
static int find_depths(int nodes, int triangles, const int32_t *triangle, const sn_cloth_edge *edge, int32_t *depth) {
    for (int i = 0; i < nodes; ++i) depth[i] = DEPTH;
    for (int i = 0, run; i < 3 * triangles; i += run) {
        run = sn_cloth_edge_run(edge, 3 * triangles, i);
        if (run == 1) depth[edge[i].low] = depth[edge[i].high] = 0;
    }
    int most = 0;
    for (int pass = 0; pass <= DEPTH; ++pass) {
        most = 0;
        for (int t = 0; t < triangles; ++t) {
            const int32_t *n = triangle + 3 * (size_t)t;
            int32_t least = depth[n[0]];
            for (int i = 1; i < 3; ++i) least = depth[n[i]] < least ? depth[n[i]] : least;
            most = least > most ? least : most;
            for (int i = 0; i < 3; ++i) depth[n[i]] = depth[n[i]] > least + 1 ? least + 1 : depth[n[i]];
        }
    }
    return most;
}

static double triangle_area(const int32_t *n, const double *rest) {
    double area[3];
    sn_area_vector3(rest + 3 * (size_t)n[0], rest + 3 * (size_t)n[1], rest + 3 * (size_t)n[2], area);
    return 0.5 * sn_norm3(area);
}

/* 1 - c / A over the triangles that are as far from the rim as any. */
static double softness_of(const sphere_hinge *hinge, int hinges, int triangles, const int32_t *triangle,
                          const double *rest, const int32_t *depth, int most, const double *u) {
    double fall = 0, area = 0;
    for (int t = 0; t < triangles; ++t) {
        const int32_t *n = triangle + 3 * (size_t)t;
        if (depth[n[0]] >= most && depth[n[1]] >= most && depth[n[2]] >= most) area += triangle_area(n, rest);
    }
    for (int e = 0; e < hinges; ++e)
        for (int s = 0; s < 2; ++s) {
            const int32_t *n = triangle + 3 * (size_t)hinge[e].triangle[s];
            const double now = angle_of(&hinge[e], u);
            if (depth[n[0]] >= most && depth[n[1]] >= most && depth[n[2]] >= most)
                fall += hinge[e].share[s] * (hinge[e].theta * hinge[e].theta - now * now);
        }
    const double softness = area > 0 ? 1 - fall / (4 * area) : 1;
    return softness < 0.5 ? 0.5 : softness > 1 ? 1 : softness; /* no mesh is worse */
}

sn_status sn_hinge_softness(sn_context *context, int node_count, int triangle_count, const int32_t *triangle,
                            const double *rest, const sn_cloth_edge *edge, const double *weight, double *softness,
                            sn_error *error) {
    const int edges = 3 * triangle_count;
    const size_t n = (size_t)node_count;
    sphere_hinge *hinge = sn_allocate(context, (size_t)edges, sizeof *hinge);
    double *u = sn_allocate_zero(context, 3 * n, sizeof *u);
    int32_t *depth = sn_allocate(context, n, sizeof *depth);
    const bool room = hinge && u && depth;
    int hinges = 0;
    for (int i = 0, run; i < edges && room; i += run) {
        run = sn_cloth_edge_run(edge, edges, i);
        if (run == 2) fill(triangle, rest, edge + i, weight, &hinge[hinges++]);
    }
    if (room) {
        const int most = find_depths(node_count, triangle_count, triangle, edge, depth);
        for (int i = 0; i < SWEEPS; ++i) sweep(hinge, hinges, node_count, u, u + n, u + 2 * n);
        *softness = softness_of(hinge, hinges, triangle_count, triangle, rest, depth, most, u);
    }
    sn_release(context, hinge);
    sn_release(context, u);
    sn_release(context, depth);
    return room ? SN_OK : sn_no_memory(error);
}
