/* Statics needs every connected piece of the bodies to be held. The check names the first piece that can move.
 *
 * A rigid motion of a piece is u(X) = d + w x (X - c) / l. A held component, axis a of a node at X, forbids motions
 * with e_a . u not 0,
 *
 *   e_a . u = e_a . d + ((X - c) / l x e_a) . w
 *
 * which is a row of 6 numbers for (d, w). The piece is held when its rows have rank 6: when the 6 x 6 sum of row^T row
 * has no small pivot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/math3.h"
#include "inside.h"

static int32_t root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* The root of a piece is its lowest node. */
static void join_elements(const sn_model *model, int32_t *parent) {
    for (int i = 0; i < model->node_count; ++i) parent[i] = i;
    for (int b = 0; b < model->body_count; ++b) {
        const sn_body *body = &model->body[b];
        const int nodes = body->element->nodes;
        for (int e = 0; e < body->mesh->tet_count; ++e) {
            const int32_t *node = body->node + (size_t)e * (size_t)nodes;
            for (int i = 1; i < nodes; ++i) {
                const int32_t p = root_of(parent, node[0]), q = root_of(parent, node[i]);
                parent[p > q ? p : q] = p > q ? q : p;
            }
        }
    }
}

/* Rank of a symmetric positive semidefinite 6x6 matrix by Cholesky with full pivoting. */
static int rank_of(double G[36]) {
    double largest = 0;
    for (int i = 0; i < 6; ++i) largest = fmax(largest, G[7 * i]);
    bool used[6] = {false};
    for (int rank = 0; rank < 6; ++rank) {
        int pivot = -1;
        for (int i = 0; i < 6; ++i)
            if (!used[i] && (pivot < 0 || G[7 * i] > G[7 * pivot])) pivot = i;
        if (!(G[7 * pivot] > 1e-10 * largest)) return rank;
        used[pivot] = true;
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6 && !used[i]; ++j)
                if (!used[j]) G[6 * i + j] -= G[6 * i + pivot] * G[6 * pivot + j] / G[7 * pivot];
    }
    return 6;
}

static void add_row(double G[36], const double row[6]) {
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) G[6 * i + j] += row[i] * row[j];
}

/* The row of axis a at X: lengths are measured from c in units of l. */
static void rigid_row(const double X[3], const double c[3], double l, int a, double row[6]) {
    double e[3] = {0}, arm[3];
    e[a] = 1;
    for (int i = 0; i < 3; ++i) arm[i] = (X[i] - c[i]) / l, row[i] = e[i];
    sn_cross3(arm, e, row + 3);
}

static sn_status check_piece(const sn_world *world, int32_t root, double *G, sn_error *error) {
    const int rank = rank_of(G);
    if (rank == 6) return SN_OK;
    const sn_model *model = world->model;
    int b = 0;
    while (b + 1 < model->body_count && model->body[b + 1].node_first <= root) ++b;
    const sn_body *body = &model->body[b];
    if (body->rigid) {
        char key[64];
        snprintf(key, sizeof key, "bodies.%d.rigid", b);
        return sn_fail_at(error, SN_BAD_INPUT, key, "body '%s' is rigid and free; mode '%s' needs bodies that are held",
                          body->name, world->parameters.time.mode);
    }
    int user = 0;
    while (model->compiled[body->node_first + user] != root) ++user;
    char path[64];
    snprintf(path, sizeof path, "bodies.%d.fix", b);
    return sn_fail_at(error, SN_BAD_INPUT, path,
                      "body '%s' (the piece with node %lld) can move as a rigid body in %d of 6 ways; in mode '%s' its "
                      "fixes must hold all six",
                      body->name, (long long)(body->mesh->node_label ? body->mesh->node_label[user] : user), 6 - rank,
                      world->parameters.time.mode);
}

typedef struct held_pieces {
    const sn_model *model;
    int32_t *parent, *piece;
    double *G; /* pieces x 36 */
} held_pieces;

static void hold(void *user, int count, const int32_t *node, const double *weight, int axis) {
    const held_pieces *p = user;
    const sn_model *model = p->model;
    const int32_t root = root_of(p->parent, node[0]);
    double point[3] = {0}, row[6];
    if (model->isolated[root]) return;
    for (int i = 0; i < count; ++i)
        for (int a = 0; a < 3; ++a) point[a] += weight[i] * model->rest[3 * (size_t)node[i] + (size_t)a];
    rigid_row(point, model->rest + 3 * (size_t)root, model->size, axis, row);
    add_row(p->G + 36 * (size_t)p->piece[root], row);
}

sn_status sn_rigid_check(const sn_world *world, sn_error *error) {
    const sn_model *model = world->model;
    const size_t n = (size_t)model->node_count;
    held_pieces p = {.model = model};
    p.parent = sn_allocate(world->context, n, sizeof *p.parent);
    p.piece = sn_allocate(world->context, n, sizeof *p.piece);
    sn_status status = p.parent && p.piece ? SN_OK : sn_no_memory(error);
    int pieces = 0;
    if (!status) join_elements(model, p.parent);
    for (int i = 0; i < model->node_count && !status; ++i)
        if (!model->isolated[i] && root_of(p.parent, i) == i) p.piece[i] = pieces++;
    p.G = sn_allocate_zero(world->context, (size_t)pieces * 36, sizeof *p.G);
    if (!status && !p.G) status = sn_no_memory(error);
    if (!status) sn_interactions_holds(world, hold, &p);
    for (int i = 0; i < model->node_count && !status; ++i)
        if (!model->isolated[i] && root_of(p.parent, i) == i)
            status = check_piece(world, i, p.G + 36 * (size_t)p.piece[i], error);
    sn_release(world->context, p.parent);
    sn_release(world->context, p.piece);
    sn_release(world->context, p.G);
    return status;
}
