/* Statics needs every piece to be held: the check names the first one that can move.
 *
 * A rigid motion u(X) = d + w x (X - c) / l of a connected piece is killed by the held components of its nodes. Each gives a row
 *   e_a . u = e_a . d + ((X - c) / l x e_a) . w
 * of 6 numbers; the piece is held when the rows have rank 6, that is when the 6x6 sum of row^T row has no small pivot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/math3.h"
#include "world.h"

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

/* The row of a unit force along axis a at X, measured from c in lengths l. */
static void rigid_row(const double X[3], const double c[3], double l, int a, double row[6]) {
    double e[3] = {0}, arm[3];
    e[a] = 1;
    for (int i = 0; i < 3; ++i) arm[i] = (X[i] - c[i]) / l, row[i] = e[i];
    sn_cross3(arm, e, row + 3);
}

static sn_status check_piece(const sn_world *world, int32_t root, double *G, sn_error *error) {
    const int rank = rank_of(G);
    if (rank == 6) return SN_OK;
    const sn_model *model = &world->model;
    int b = 0;
    while (b + 1 < model->body_count && model->body[b + 1].node_first <= root) ++b;
    const sn_body *body = &model->body[b];
    int user = 0;
    while (model->compiled[body->node_first + user] != root) ++user;
    char path[64];
    snprintf(path, sizeof path, "bodies.%d.fix", b);
    return sn_fail_at(
        error, SN_BAD_INPUT, path,
        "body '%s' (the piece with node %lld) can move as a rigid body in %d of 6 ways; in mode '%s' its fixes must hold all six",
        body->name, (long long)(body->mesh->node_label ? body->mesh->node_label[user] : user), 6 - rank, world->parameters.time.mode);
}

sn_status sn_rigid_check(sn_world *world, sn_error *error) {
    const sn_model *model = &world->model;
    const sn_workspace *work = &world->workspace;
    const size_t n = (size_t)model->node_count;
    int32_t *parent = sn_allocate(world->context, n, sizeof *parent);
    int32_t *piece = sn_allocate(world->context, n, sizeof *piece);
    if (!parent || !piece) {
        sn_release(world->context, parent);
        sn_release(world->context, piece);
        return sn_no_memory(error);
    }
    join_elements(model, parent);
    int pieces = 0;
    for (int i = 0; i < model->node_count; ++i)
        if (!model->isolated[i] && root_of(parent, i) == i) piece[i] = pieces++;
    double *G = sn_allocate_zero(world->context, (size_t)pieces * 36, sizeof *G);
    sn_status status = G ? SN_OK : sn_no_memory(error);
    for (int h = 0; h < work->held_count && !status; ++h) {
        const int32_t node = work->held[h].node;
        if (model->isolated[node]) continue;
        const int32_t root = root_of(parent, node);
        double row[6];
        for (int a = 0; a < 3; ++a) {
            if (work->held[h].fix[a] == SN_FREE) continue;
            rigid_row(model->rest + 3 * (size_t)node, model->rest + 3 * (size_t)root, model->size, a, row);
            add_row(G + 36 * (size_t)piece[root], row);
        }
    }
    for (int g = 0; g < SN_HANDLES && !status; ++g) {
        const sn_grab_spring *grab = &world->parameters.grab[g];
        if (!grab->on) continue;
        const int32_t root = root_of(parent, grab->node[0]);
        double point[3] = {0}, row[6];
        for (int i = 0; i < 4; ++i)
            for (int a = 0; a < 3; ++a) point[a] += grab->weight[i] * model->rest[3 * (size_t)grab->node[i] + (size_t)a];
        for (int a = 0; a < 3 && !model->isolated[root]; ++a) {
            rigid_row(point, model->rest + 3 * (size_t)root, model->size, a, row);
            add_row(G + 36 * (size_t)piece[root], row);
        }
    }
    for (int i = 0; i < model->node_count && !status; ++i)
        if (!model->isolated[i] && root_of(parent, i) == i) status = check_piece(world, i, G + 36 * (size_t)piece[i], error);
    sn_release(world->context, parent);
    sn_release(world->context, piece);
    sn_release(world->context, G);
    return status;
}
