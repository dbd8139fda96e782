/* Embedding by moving least squares (Civit 5.3; Kaufmann, Martin, Botsch and Gross 2009).
 *
 * The vertex at X follows the affine map that fits the motion of the nodes around it best, with weights that fall with
 * the distance. With p_i = (1, (X_i - X) / R) and theta_i = (1 - |X_i - X|^2 / R^2)^3 for nodes nearer than R:
 *
 *     A = sum_i theta_i p_i p_i^T,     A a = (1, 0, 0, 0),     w_i = theta_i p_i . a
 *
 * Then sum w_i = 1 and sum w_i X_i = X: affine motion is followed exactly. The weights go to 0 where a node leaves the
 * reach R, so the surface is smooth across tets. A node counts only when a chain of edges inside the reach leads to it
 * from the tet that holds X: so two fingers side by side do not drag each other. At least four nodes that do not lie in
 * a plane are needed; when there are fewer, the reach grows. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math3.h"
#include "incidence.h"
#include "mesh/mesh_internal.h"
#include "sinew/embed.h"

static const double REACH = 1.5;    /* in mean edges of the tets */
static const double LEAST = 1e-4;   /* pivot of A, relative to its diagonal, below which the nodes lie in a plane */
enum { LEAST_NODES = 4, GROW = 4 }; /* times that the reach may grow by half */

const sn_listing *sn_embeddings(int *count) {
    static const sn_listing listing[] = {
        {"barycentric", "a vertex moves with the four nodes of its tet: fast, and it stays inside of the tet"},
        {"mls", "moving least squares: a vertex moves with all nodes around it, smoothly; it may leave the tets"},
    };
    *count = sizeof listing / sizeof *listing;
    return listing;
}

typedef struct smoothing {
    const sn_mesh *carrier;
    sn_incidence tets;
    int32_t *mark; /* nodes: the last vertex, plus 1, that counted the node */
    int32_t *near; /* nodes that count for the present vertex */
    int near_count;
    int32_t *node; /* the result, which grows */
    double *weight;
    int count, node_room, weight_room;
} smoothing;

static const double *place(const smoothing *s, int32_t node) { return s->carrier->position + 3 * (size_t)node; }

static double square_distance(const double a[3], const double b[3]) {
    double d[3];
    sn_subtract3(a, b, d);
    return sn_dot3(d, d);
}

static void count_node(smoothing *s, int32_t node, int32_t mark) {
    if (s->mark[node] == mark) return;
    s->mark[node] = mark;
    s->near[s->near_count++] = node;
}

/* Collects the nodes in reach, outwards from the corners of a tet. The corners themselves always come first. */
static void gather(smoothing *s, const int32_t corner[4], const double X[3], double reach, int32_t mark) {
    const int width = s->carrier->tet_nodes;
    s->near_count = 0;
    for (int i = 0; i < 4; ++i) count_node(s, corner[i], mark);
    for (int n = 0; n < s->near_count; ++n)
        for (int32_t t = s->tets.first[s->near[n]]; t < s->tets.first[s->near[n] + 1]; ++t) {
            const int32_t *tet = s->carrier->tet + (size_t)s->tets.item[t] * (size_t)width;
            for (int i = 0; i < 4; ++i)
                if (square_distance(place(s, tet[i]), X) < reach * reach) count_node(s, tet[i], mark);
        }
}

/* Solves A a = (1, 0, 0, 0) by Cholesky's method. False when a pivot is too small. */
static bool solve(double A[4][4], double a[4]) {
    for (int j = 0; j < 4; ++j) {
        const double diagonal = A[j][j];
        for (int k = 0; k < j; ++k) A[j][j] -= A[j][k] * A[j][k];
        if (!(A[j][j] > LEAST * diagonal)) return false;
        A[j][j] = sqrt(A[j][j]);
        for (int i = j + 1; i < 4; ++i) {
            for (int k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
    }
    for (int i = 0; i < 4; ++i) {
        a[i] = i == 0;
        for (int k = 0; k < i; ++k) a[i] -= A[i][k] * a[k];
        a[i] /= A[i][i];
    }
    for (int i = 3; i >= 0; --i) {
        for (int k = i + 1; k < 4; ++k) a[i] -= A[k][i] * a[k];
        a[i] /= A[i][i];
    }
    return true;
}

/* theta and p of a node; false when it is out of reach. */
static bool node_terms(const double X[3], const double Xi[3], double reach, double *theta, double p[4]) {
    const double part = 1 - square_distance(X, Xi) / (reach * reach);
    if (!(part > 0)) return false;
    *theta = part * part * part;
    p[0] = 1;
    for (int k = 0; k < 3; ++k) p[k + 1] = (Xi[k] - X[k]) / reach;
    return true;
}

static bool weigh(const smoothing *s, const double X[3], double reach, int room, int32_t *node, double *weight,
                  int *count) {
    double A[4][4] = {{0}}, a[4], p[4], theta;
    for (int n = 0; n < s->near_count; ++n) {
        if (!node_terms(X, place(s, s->near[n]), reach, &theta, p)) continue;
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k <= i; ++k) A[i][k] += theta * p[i] * p[k];
    }
    if (!solve(A, a)) return false;
    *count = 0;
    for (int n = 0; n < s->near_count && *count < room; ++n) {
        if (!node_terms(X, place(s, s->near[n]), reach, &theta, p)) continue;
        node[*count] = s->near[n];
        weight[(*count)++] = theta * (p[0] * a[0] + p[1] * a[1] + p[2] * a[2] + p[3] * a[3]);
    }
    return *count >= LEAST_NODES;
}

/* The carriers of one vertex. When no reach gives a body of nodes around it, the tet keeps it. */
static sn_status smooth_vertex(smoothing *s, const sn_embedding *e, int v, double reach, sn_error *error) {
    const int32_t *corner = e->node + 4 * (size_t)v;
    const double *X = e->rest + 3 * (size_t)v;
    for (int grow = 0; grow <= GROW; ++grow, reach *= 1.5) {
        int count = 0;
        gather(s, corner, X, reach, (int32_t)((GROW + 1) * v + grow + 1));
        void *node = s->node, *weight = s->weight;
        sn_status status = sn_grow(e->context, &node, &s->node_room, s->count + s->near_count, sizeof *s->node, error);
        s->node = node;
        if (!status)
            status = sn_grow(e->context, &weight, &s->weight_room, s->count + s->near_count, sizeof *s->weight, error);
        s->weight = weight;
        if (status) return status;
        if (!weigh(s, X, reach, s->near_count, s->node + s->count, s->weight + s->count, &count)) continue;
        s->count += count;
        return SN_OK;
    }
    memcpy(s->node + s->count, corner, 4 * sizeof *corner); /* gather made room for the corners */
    memcpy(s->weight + s->count, e->weight + 4 * (size_t)v, 4 * sizeof *e->weight);
    s->count += 4;
    return SN_OK;
}

static double mean_edge(const sn_mesh *mesh) {
    double sum = 0;
    for (int t = 0; t < mesh->tet_count; ++t)
        for (int k = 0; k < 6; ++k) {
            const int32_t *n = mesh->tet + (size_t)t * (size_t)mesh->tet_nodes;
            sum += sqrt(square_distance(mesh->position + 3 * (size_t)n[sn_tet_edge[k][0]],
                                        mesh->position + 3 * (size_t)n[sn_tet_edge[k][1]]));
        }
    return sum / (6.0 * mesh->tet_count);
}

static sn_status smooth(smoothing *s, const sn_embedding *e, int32_t *first, sn_error *error) {
    const sn_mesh *m = s->carrier;
    const double reach = REACH * mean_edge(m);
    s->mark = sn_allocate_zero(e->context, (size_t)m->node_count, sizeof *s->mark);
    s->near = sn_allocate(e->context, (size_t)m->node_count, sizeof *s->near);
    if (!s->mark || !s->near) return sn_no_memory(error);
    sn_status status =
        sn_incidence_create(e->context, m->tet, m->tet_count, 4, m->tet_nodes, m->node_count, &s->tets, error);
    first[0] = 0;
    for (int v = 0; v < e->vertex_count && !status; ++v) {
        status = smooth_vertex(s, e, v, reach, error);
        first[v + 1] = s->count;
    }
    return status;
}

static void release(const sn_context *context, const sn_embedding *e) {
    if (e->carrier_node != e->node) sn_release(context, e->carrier_node);
    if (e->carrier_weight != e->weight) sn_release(context, e->carrier_weight);
    sn_release(context, e->carrier_first);
}

sn_status sn_embedding_smooth(const sn_mesh *carrier, sn_embedding *e, sn_error *error) {
    sn_status status = sn_mesh_check_tets(carrier, error);
    for (int i = 0; i < 4 * e->vertex_count && !status; ++i)
        if (e->node[i] >= carrier->node_count)
            status = sn_fail(error, SN_BAD_INPUT, "the mesh is not the one that the surface is embedded in");
    if (status) return status;
    smoothing s = {.carrier = carrier};
    int32_t *first = sn_allocate(e->context, (size_t)e->vertex_count + 1, sizeof *first);
    status = first ? smooth(&s, e, first, error) : sn_no_memory(error);
    sn_incidence_destroy(e->context, &s.tets);
    sn_release(e->context, s.mark), sn_release(e->context, s.near);
    if (status) {
        sn_release(e->context, s.node), sn_release(e->context, s.weight), sn_release(e->context, first);
        return status;
    }
    release(e->context, e);
    e->carrier_first = first, e->carrier_node = s.node, e->carrier_weight = s.weight;
    return SN_OK;
}
