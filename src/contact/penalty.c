/* Penalty response; the equations are in penalty.h.
 *
 * The points of a large list are shared by threads: each piece of the list has its own sums, which are added in the
 * order of the pieces. A list with carried points is one piece, because points may have carriers in common. */
#include "penalty.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "friction.h"
#include "push.h"

/* Everything about one node that touches. */
typedef struct touch {
    sn_push push;
    sn_bend bend;
    const double *spin; /* spin of the collider; NULL: it does not turn */
} touch;

static void relative_velocity(const sn_collider_model *collider, const sn_pose *pose, const double *x, const double *v,
                              double u[3]) {
    double w[3];
    sn_collider_velocity(collider, pose, x, w);
    sn_subtract3(v, w, u);
}

static uint8_t *held_of(const sn_penalty *penalty, int i) { return penalty->held ? penalty->held + i : NULL; }

/* Fills *at when the node touches; otherwise returns false. The gap is computed first, so that a free node costs
 * little. */
static bool touch_at(const sn_collider_model *collider, const sn_penalty *p, const sn_pose *pose, const double *x,
                     const double *v, const sn_contact_nodes *nodes, int i, touch *at) {
    const double area = nodes->area[i], apart = sn_contact_apart(nodes, i);
    double u[3] = {0}, reach = 0;
    if (p->ahead != 0) {
        if (v) relative_velocity(collider, pose, x, v, u);
        reach = p->ahead * sn_norm3(u) + sqrt(area); /* a node farther away does not count */
    }
    const double depth = apart - sn_collider_gap(collider, pose, x, reach + apart, at->push.n, &at->bend);
    if (!(area > 0) || (!(depth > 0) && p->ahead == 0) || -depth > reach) return false;
    if (v && p->ahead == 0) relative_velocity(collider, pose, x, v, u);
    at->spin = pose->turned ? pose->spin : NULL;
    return sn_push_at(p, area, nodes->mass[i], depth, u, held_of(p, i), &at->push);
}

static bool point_touches(const sn_collider_model *collider, const sn_penalty *p, const sn_pose *pose,
                          const sn_contact_nodes *nodes, int i, const double *x, const double *v, touch *it) {
    double place[3], velocity[3];
    sn_contact_point_at(nodes, i, x, place);
    if (v) sn_contact_point_at(nodes, i, v, velocity);
    return touch_at(collider, p, pose, place, v ? velocity : NULL, nodes, i, it);
}

/* The gap of a point, less the distance that it keeps. `reach` as for sn_collider_gap. */
static double point_gap(const sn_collider_model *collider, const sn_pose *pose, const sn_contact_nodes *nodes, int i,
                        const double *x, double reach) {
    double place[3], n[3];
    sn_contact_point_at(nodes, i, x, place);
    const double apart = sn_contact_apart(nodes, i);
    return sn_collider_gap(collider, pose, place, reach + apart, n, NULL) - apart;
}

/* ---- Pieces of the list ---- */
enum { POINTS = 512, PIECES = 64 }; /* points of a piece, at least; pieces at most */

/* A loop over the points. Each loop uses what it needs. */
typedef struct sweep {
    const sn_collider_model *collider;
    const sn_penalty *penalty;
    const sn_contact_nodes *nodes;
    sn_pose pose;
    const double *x, *v;
    int grain;
    sn_friction *memory;
    double *f;     /* of sn_penalty_force */
    bool definite; /* of sn_penalty_blocks */
    int32_t *row, *column;
    double *K, *D;
    int count[PIECES]; /* what a piece found */
    double sum[PIECES][2];
} sweep;

/* Runs the loop in pieces; each gets the points from sweep_begin to before sweep_end. Returns their number. */
static int run_sweep(sweep *w, double t, void (*task)(void *data, int piece)) {
    const int count = w->nodes->count, least = (count + PIECES - 1) / PIECES;
    sn_collider_at(w->collider, t, &w->pose);
    w->grain = w->nodes->carried ? count : least > POINTS ? least : POINTS;
    if (count == 0) return 0;
    const int pieces = sn_pieces(count, w->grain);
    sn_parallel_pieces(w->nodes->context, pieces, task, w);
    return pieces;
}

static int sweep_begin(const sweep *w, int piece) { return (int)sn_piece_begin(w->nodes->count, w->grain, piece); }
static int sweep_end(const sweep *w, int piece) { return sweep_begin(w, piece + 1); }

static void force_piece(void *data, int piece) {
    sweep *w = data;
    const sn_contact_nodes *nodes = w->nodes;
    int touching = 0;
    for (int i = sweep_begin(w, piece); i < sweep_end(w, piece); ++i) {
        const int32_t node = nodes->node[i];
        touch it;
        double push[3];
        if (!point_touches(w->collider, w->penalty, &w->pose, nodes, i, w->x, w->v, &it)) continue;
        ++touching;
        const double normal = w->memory ? w->memory[i].normal : it.push.normal,
                     coulomb = w->penalty->friction * normal * it.push.phi, drag = w->v ? coulomb + it.push.drag : 0;
        for (int a = 0; a < 3; ++a) push[a] = it.push.normal * it.push.n[a] - drag * it.push.ut[a];
        if (node < 0) sn_carried_push(nodes->carried, -1 - node, push, w->f);
        for (size_t a = 0; a < 3 && node >= 0; ++a) w->f[3 * (size_t)node + a] += push[a];
    }
    w->count[piece] = touching;
}

int sn_penalty_force(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                     double t, const double *x, const double *v, const sn_friction *memory, double *f) {
    sweep w = {.collider = collider, .penalty = penalty, .nodes = nodes, .x = x, .v = v, .f = f};
    w.memory = (sn_friction *)memory; /* only read */
    const int pieces = run_sweep(&w, t, force_piece);
    int touching = 0;
    for (int p = 0; p < pieces; ++p) touching += w.count[p];
    return touching;
}

static void lag_piece(void *data, int piece) {
    sweep *w = data;
    double square = 0, change = 0;
    for (int i = sweep_begin(w, piece); i < sweep_end(w, piece); ++i) {
        touch it;
        const bool touches = point_touches(w->collider, w->penalty, &w->pose, w->nodes, i, w->x, w->v, &it);
        const double now = touches ? it.push.normal : 0, was = w->memory[i].normal;
        w->memory[i].normal = now;
        square += now * now, change += (now - was) * (now - was);
    }
    w->sum[piece][0] = square, w->sum[piece][1] = change;
}

void sn_penalty_lag(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                    double t, const double *x, const double *v, sn_friction *memory, double *square, double *change) {
    sweep w = {.collider = collider, .penalty = penalty, .nodes = nodes, .x = x, .v = v, .memory = memory};
    const int pieces = run_sweep(&w, t, lag_piece);
    for (int p = 0; p < pieces; ++p) *square += w.sum[p][0], *change += w.sum[p][1];
}

/* How u_n and u_t change with x. W is the matrix with W r = spin x r:  du/dx = -W,  grad u_n = (grad n) u_t + spin x n,
 * du_t/dx = -W - n (grad u_n)^T - u_n grad n. */
static void turn_of_slip(const touch *it, double by_x[3], double turn[9]) {
    static const double still[3] = {0};
    const double *w = it->spin ? it->spin : still, *n = it->push.n, bend = it->bend.curvature;
    const double W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    double H[9] = {0};
    for (int i = 0; i < 9 && bend != 0; ++i) H[i] = bend * it->bend.across[i];
    sn_multiply_vector3(H, it->push.ut, by_x);
    for (int i = 0; i < 3; ++i) by_x[i] += W[3 * i] * n[0] + W[3 * i + 1] * n[1] + W[3 * i + 2] * n[2];
    for (int i = 0; i < 9; ++i) turn[i] = -W[i] - n[i / 3] * by_x[i % 3] - it->push.un * H[i];
}

/* K and D of one node, row-major, exact. */
static void exact_blocks(const touch *it, double mu, double K[9], double D[9]) {
    double slope[3], by_x[3], by_v[3], H[9], turn[9];
    turn_of_slip(it, slope, turn);
    for (int a = 0; a < 3; ++a) { /* gradients of f_n */
        by_x[a] = -(it->push.k - it->push.c * it->push.rate * it->push.un) * it->push.n[a] -
                  it->push.c * it->push.grip * slope[a];
        by_v[a] = -it->push.c * it->push.grip * it->push.n[a];
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            H[3 * i + j] =
                it->push.phi * (i == j) + it->push.phi_rate * it->push.ut[i] * it->push.ut[j]; /* d(phi u_t)/du_t */
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double bent = it->bend.curvature != 0 ? it->bend.curvature * it->bend.across[3 * i + j] : 0;
            double friction_x = 0, friction_v = 0;
            for (int k = 0; k < 3; ++k) {
                friction_x += H[3 * i + k] * turn[3 * k + j];
                friction_v += H[3 * i + k] * ((k == j) - it->push.n[k] * it->push.n[j]);
            }
            const double direction = it->push.n[i] - mu * it->push.phi * it->push.ut[i];
            K[3 * i + j] = -(direction * by_x[j] + it->push.normal * bent - mu * it->push.normal * friction_x) -
                           it->push.drag_rate * it->push.ut[i] * it->push.n[j] + it->push.drag * turn[3 * i + j];
            D[3 * i + j] = -(direction * by_v[j] - mu * it->push.normal * friction_v) +
                           it->push.drag * ((i == j) - it->push.n[i] * it->push.n[j]);
        }
}

/* Symmetric, positive semidefinite blocks, close to the exact ones. */
static void definite_blocks(const touch *it, double mu, double e, const sn_friction *memory, double K[9], double D[9]) {
    const double stiff = fmax(it->push.k - it->push.c * it->push.rate * it->push.un, 0),
                 bend = fmax(-it->push.normal * it->bend.curvature, 0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double across = it->push.n[i] * it->push.n[j];
            K[3 * i + j] = stiff * across + (bend > 0 ? bend * it->bend.across[3 * i + j] : 0);
            D[3 * i + j] = it->push.c * it->push.grip * across + it->push.drag * ((i == j) - across);
        }
    if (mu > 0) sn_friction_add(memory, it->push.n, e, mu * memory->normal, D);
}

/* Writes the blocks of a piece from the place of its first point on. */
static void blocks_piece(void *data, int piece) {
    sweep *w = data;
    const sn_contact_nodes *nodes = w->nodes;
    const int begin = sweep_begin(w, piece);
    int count = begin;
    double k[9], d[9], k_columns[9], d_columns[9];
    for (int i = begin; i < sweep_end(w, piece); ++i) {
        const int32_t node = nodes->node[i];
        touch it;
        if (!point_touches(w->collider, w->penalty, &w->pose, nodes, i, w->x, w->v, &it)) continue;
        const double mu = w->v ? w->penalty->friction : 0, slip = w->penalty->slip;
        if (w->definite) {
            sn_friction fresh = {.normal = it.push.normal}, *friction = w->memory ? &w->memory[i] : &fresh;
            if (mu > 0) sn_friction_follow(friction, it.push.n, it.push.ut, slip);
            definite_blocks(&it, mu, slip, friction, k, d);
        } else {
            exact_blocks(&it, mu, k, d);
        }
        if (!w->v) memset(d, 0, sizeof d);
        for (int e = 0; e < 9; ++e) k_columns[e] = k[3 * (e % 3) + e / 3], d_columns[e] = d[3 * (e % 3) + e / 3];
        if (node < 0) {
            count = sn_carried_blocks(nodes->carried, -1 - node, k_columns, d_columns, count, w->row, w->column, w->K,
                                      w->D);
            continue;
        }
        w->row[count] = w->column[count] = node;
        memcpy(w->K + 9 * (size_t)count, k_columns, sizeof k_columns);
        memcpy(w->D + 9 * (size_t)count, d_columns, sizeof d_columns);
        ++count;
    }
    w->count[piece] = count - begin;
}

int sn_penalty_blocks(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                      double t, const double *x, const double *v, bool definite, sn_friction *memory, int32_t *row,
                      int32_t *column, double *K, double *D) {
    sweep w = {.collider = collider,
               .penalty = penalty,
               .nodes = nodes,
               .x = x,
               .v = v,
               .memory = memory,
               .definite = definite,
               .row = row,
               .column = column,
               .K = K,
               .D = D};
    if (nodes->carried) sn_carried_begin(nodes->carried);
    const int pieces = run_sweep(&w, t, blocks_piece);
    int count = 0;
    for (int p = 0; p < pieces; ++p) { /* close the gaps */
        const size_t from = (size_t)sweep_begin(&w, p), to = (size_t)count, moved = (size_t)w.count[p];
        memmove(row + to, row + from, moved * sizeof *row);
        memmove(column + to, column + from, moved * sizeof *column);
        memmove(K + 9 * to, K + 9 * from, 9 * moved * sizeof *K);
        memmove(D + 9 * to, D + 9 * from, 9 * moved * sizeof *D);
        count += w.count[p];
    }
    return count;
}

int64_t sn_penalty_block_count(const sn_contact_nodes *nodes) {
    const int carried = nodes->carried ? nodes->carried->count : 0;
    return nodes->count - carried + (carried > 0 ? nodes->carried->pair_count : 0);
}

static void energy_piece(void *data, int piece) {
    sweep *w = data;
    double energy = 0;
    for (int i = sweep_begin(w, piece); i < sweep_end(w, piece); ++i)
        energy +=
            sn_push_energy(w->penalty, w->nodes->area[i], -point_gap(w->collider, &w->pose, w->nodes, i, w->x, 0));
    w->sum[piece][0] = energy;
}

double sn_penalty_energy(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                         double t, const double *x) {
    sweep w = {.collider = collider, .penalty = penalty, .nodes = nodes, .x = x};
    const int pieces = run_sweep(&w, t, energy_piece);
    double energy = 0;
    for (int p = 0; p < pieces; ++p) energy += w.sum[p][0];
    return energy;
}

static void release_piece(void *data, int piece) {
    sweep *w = data;
    w->count[piece] = 0;
    for (int i = sweep_begin(w, piece); i < sweep_end(w, piece); ++i) {
        const double full = sn_push_full(w->nodes->area[i]);
        if (w->penalty->held[i] != SN_AHEAD_HELD ||
            !(point_gap(w->collider, &w->pose, w->nodes, i, w->x, full) > 1e-3 * full))
            continue;
        w->penalty->held[i] = SN_AHEAD_RELEASED;
        ++w->count[piece];
    }
}

bool sn_penalty_release(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                        double t, const double *x) {
    sweep w = {.collider = collider, .penalty = penalty, .nodes = nodes, .x = x};
    const int pieces = run_sweep(&w, t, release_piece);
    bool any = false;
    for (int p = 0; p < pieces; ++p) any = any || w.count[p] > 0;
    return any;
}

bool sn_penalty_touches(const sn_collider_model *collider, const sn_contact_nodes *nodes, double t, const double *x) {
    sn_pose pose;
    sn_collider_at(collider, t, &pose);
    for (int i = 0; i < nodes->count; ++i)
        if (point_gap(collider, &pose, nodes, i, x, 0) < 0) return true;
    return false;
}
