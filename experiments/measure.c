/* Measurements for experiments; see measure.h. */
#include "measure.h"

#include <math.h>
#include <stdlib.h>

static double volume6(const double *a, const double *b, const double *c, const double *d) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
    return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) + w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static double tet_volume(const sn_mesh *mesh, int e, const double *x) {
    const int32_t *t = mesh->tet + (size_t)e * (size_t)mesh->tet_nodes;
    return volume6(x + 3 * (size_t)t[0], x + 3 * (size_t)t[1], x + 3 * (size_t)t[2], x + 3 * (size_t)t[3]) / 6;
}

double measure_volume(const sn_mesh *mesh, const double *x) {
    double sum = 0;
    for (int e = 0; e < mesh->tet_count; ++e) sum += tet_volume(mesh, e, x);
    return sum;
}

int measure_inverted(const sn_mesh *mesh, const double *x) {
    int count = 0;
    for (int e = 0; e < mesh->tet_count; ++e) count += !(tet_volume(mesh, e, x) > 0);
    return count;
}

double measure_diagonal(const sn_mesh *mesh) {
    double low[3], high[3], square = 0;
    for (int a = 0; a < 3; ++a) low[a] = high[a] = mesh->position[a];
    for (int i = 0; i < 3 * mesh->node_count; ++i) {
        low[i % 3] = fmin(low[i % 3], mesh->position[i]);
        high[i % 3] = fmax(high[i % 3], mesh->position[i]);
    }
    for (int a = 0; a < 3; ++a) square += (high[a] - low[a]) * (high[a] - low[a]);
    return sqrt(square);
}

double measure_distance(sn_context *context, const sn_mesh *mesh, const double *x) {
    const int n = mesh->node_count;
    double c[3] = {0}, C[3] = {0}, F[9] = {0}, R[9], worst = 0;
    for (int i = 0; i < 3 * n; ++i) c[i % 3] += x[i] / n, C[i % 3] += mesh->position[i] / n;
    for (int i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) F[3 * a + b] += (x[3 * i + a] - c[a]) * (mesh->position[3 * i + b] - C[b]);
    if (sn_rotation_evaluate(context, "polar", NULL, F, R, NULL, NULL)) return INFINITY;
    for (int i = 0; i < n; ++i) {
        double square = 0;
        for (int a = 0; a < 3; ++a) {
            double d = x[3 * i + a] - c[a];
            for (int b = 0; b < 3; ++b) d -= R[3 * a + b] * (mesh->position[3 * i + b] - C[b]);
            square += d * d;
        }
        worst = fmax(worst, square);
    }
    return sqrt(worst) / measure_diagonal(mesh);
}

double *measure_positions(const sn_world *world, int body) {
    double *x = malloc((size_t)sn_world_body_mesh(world, body)->node_count * 3 * sizeof *x);
    if (x) sn_world_get(world, body, x, NULL);
    return x;
}

double *measure_velocities(const sn_world *world, int body) {
    double *v = malloc((size_t)sn_world_body_mesh(world, body)->node_count * 3 * sizeof *v);
    if (v) sn_world_get(world, body, NULL, v);
    return v;
}

double measure_speed(const sn_world *world, int body) {
    double *v = measure_velocities(world, body), fastest = 0;
    const int n = sn_world_body_mesh(world, body)->node_count;
    for (int i = 0; i < n && v; ++i) {
        const double square = v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2];
        if (!(square <= fastest)) fastest = square; /* also takes a NaN over */
    }
    free(v);
    return sqrt(fastest);
}
