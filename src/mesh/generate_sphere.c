/* Sphere: the 20 tets between the centre and the faces of an icosahedron, which are nearly regular, each cut into n^3.
 *
 * A lattice point of coarse tet (centre, A, B, C) has weights (a, b, c) with a + b + c = k <= n and goes to the shell
 * of radius k / n in the direction a A + b B + c C. Upright lattice tets, octahedra (cut around their shortest
 * diagonal) and upside-down tets fill the layers between shells, so that no tet has more than one face on the surface
 * and none is flattened by it. Three radii make an ellipsoid.
 *
 * Nodes: the centre, then shell by shell: 12 vertices, 30 (k - 1) on edges, 20 (k - 1)(k - 2) / 2 on faces. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "generate.h"

enum { RADIUS, CELLS };

typedef struct icosahedron {
    double vertex[12][3]; /* on the unit sphere */
    int face[20][3];      /* outward */
    int edge[12][12];     /* number of the edge between two vertices, -1 for none */
} icosahedron;

static void make_icosahedron(icosahedron *s) {
    const double golden = 1.618033988749895, length = sqrt(1 + golden * golden);
    int count = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int sign = 0; sign < 4; ++sign) {
            double *v = s->vertex[count++];
            v[axis] = (sign & 1 ? 1 : -1) / length;
            v[(axis + 1) % 3] = (sign & 2 ? golden : -golden) / length;
            v[(axis + 2) % 3] = 0;
        }
    count = 0;
    for (int i = 0; i < 12; ++i)
        for (int j = i + 1; j < 12; ++j) {
            const bool near = sn_dot3(s->vertex[i], s->vertex[j]) > 0; /* neighbours: 1 / sqrt 5, all others negative */
            s->edge[i][j] = s->edge[j][i] = near ? count++ : -1;
        }
    count = 0;
    for (int i = 0; i < 12; ++i)
        for (int j = i + 1; j < 12; ++j)
            for (int k = j + 1; k < 12; ++k) {
                if (s->edge[i][j] < 0 || s->edge[j][k] < 0 || s->edge[i][k] < 0) continue;
                double n[3];
                sn_cross3(s->vertex[j], s->vertex[k], n);
                const bool outward = sn_dot3(n, s->vertex[i]) > 0;
                const int face[3] = {i, outward ? j : k, outward ? k : j};
                memcpy(s->face[count++], face, sizeof face);
            }
}

/* The node of weights w on face f. Edges count from their smaller vertex, so both faces agree. */
static int32_t node_of(const icosahedron *s, int f, const int64_t w[3]) {
    const int64_t k = w[0] + w[1] + w[2];
    if (k == 0) return 0;
    const int64_t shell = 1 + 10 * (k - 1) * k * (2 * k - 1) / 6 + 2 * (k - 1);
    const int *v = s->face[f];
    for (int i = 0; i < 3; ++i)
        if (w[i] == k) return (int32_t)(shell + v[i]);
    for (int i = 0; i < 3; ++i) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        if (w[i] == 0) return (int32_t)(shell + 12 + s->edge[v[p]][v[q]] * (k - 1) + (v[p] < v[q] ? w[q] : w[p]) - 1);
    }
    const int64_t row = w[2] - 1,
                  inside = row * (k - 2) - row * (row - 1) / 2 + w[1] - 1; /* rows of k - 2, k - 3, ... */
    return (int32_t)(shell + 12 + 30 * (k - 1) + f * ((k - 1) * (k - 2) / 2) + inside);
}

static void place(const icosahedron *s, int f, const int64_t w[3], int64_t n, const double radius[3], double out[3]) {
    const double k = (double)(w[0] + w[1] + w[2]);
    double d[3];
    for (int a = 0; a < 3; ++a) {
        d[a] = 0;
        for (int i = 0; i < 3; ++i) d[a] += (double)w[i] * s->vertex[s->face[f][i]][a];
    }
    const double length = sn_norm3(d);
    for (int a = 0; a < 3; ++a) out[a] = length > 0 ? radius[a] * (k / (double)n) * d[a] / length : 0;
}

/* Appends the tets of the lattice cell at w; returns how many numbers were written. */
static int cell_tets(const icosahedron *s, int f, const int64_t w[3], int64_t n, const double *position, int32_t *tet) {
    /* Local numbers as in a tet10: the cell's corner and its three axes' ends, then sums of axes in the places of
     * mid-edge nodes. */
    static const uint8_t step[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    static const uint8_t place_of[6] = {4, 6, 7, 5, 8, 9}; /* A B C AB AC BC as edges 01 02 03 12 13 23 */
    const int64_t k = w[0] + w[1] + w[2];
    int32_t node[7], ten[10] = {0};
    const double *x[10] = {0};
    for (int i = 0; i < 7; ++i) {
        const int64_t at[3] = {w[0] + step[i][0], w[1] + step[i][1], w[2] + step[i][2]};
        node[i] = at[0] + at[1] + at[2] <= n ? node_of(s, f, at) : -1;
        if (i < 6) ten[place_of[i]] = node[i], x[place_of[i]] = node[i] < 0 ? NULL : position + (size_t)node[i] * 3;
    }
    int written = 0;
    const int32_t upright[4] = {node_of(s, f, w), node[0], node[1], node[2]};
    memcpy(tet, upright, sizeof upright);
    written += 4;
    if (k + 2 <= n) {
        const int diagonal = sn_shortest_diagonal(x);
        for (int t = 0; t < 4; ++t)
            for (int c = 0; c < 4; ++c) tet[written++] = ten[sn_octahedron_tet[diagonal][t][c]];
    }
    if (k + 3 <= n) {
        const int32_t down[4] = {node[6], node[4], node[5], node[3]};
        memcpy(tet + written, down, sizeof down);
        written += 4;
    }
    return written;
}

static void fill(sn_mesh *m, int64_t n, const double radius[3]) {
    icosahedron s;
    make_icosahedron(&s);
    for (int f = 0; f < 20; ++f)
        for (int64_t c = 0; c <= n; ++c)
            for (int64_t b = 0; b + c <= n; ++b)
                for (int64_t a = 0; a + b + c <= n; ++a) {
                    const int64_t w[3] = {a, b, c};
                    place(&s, f, w, n, radius, m->position + (size_t)node_of(&s, f, w) * 3);
                }
    int32_t *tet = m->tet;
    for (int f = 0; f < 20; ++f)
        for (int64_t c = 0; c < n; ++c)
            for (int64_t b = 0; b + c < n; ++b)
                for (int64_t a = 0; a + b + c < n; ++a) {
                    const int64_t w[3] = {a, b, c};
                    tet += cell_tets(&s, f, w, n, m->position, tet);
                }
}

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    const int64_t n = (int64_t)value[CELLS][0], inside = 1 + 10 * (n - 1) * n * (2 * n - 1) / 6 + 2 * (n - 1);
    sn_mesh *m;
    sn_status status = sn_generate_create(context, "sphere", inside + 10 * n * n + 2, 20 * n * n * n, 0, &m, error);
    if (status) return status;
    fill(m, n, value[RADIUS]);
    uint8_t *mark = sn_allocate(context, (size_t)m->node_count, 1);
    if (mark) {
        for (int i = 0; i < m->node_count; ++i) mark[i] = i >= inside;
        status = sn_mesh_add_marked(m, "surface", mark, 1, error);
        sn_release(context, mark);
    } else {
        status = sn_no_memory(error);
    }
    if (status)
        sn_mesh_destroy(m);
    else
        *mesh = m;
    return status;
}

const sn_generator sn_generator_sphere = {
    .parameter = {{"radius", 3, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {0.5, 0.5, 0.5}},
                  {"cells", 1, true, 1, 1e5, {6}}},
    .generate = generate};
