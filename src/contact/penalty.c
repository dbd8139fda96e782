/* Penalty response; the equations are in penalty.h. */
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

int sn_penalty_force(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                     double t, const double *x, const double *v, const sn_friction *memory, double *f) {
    sn_pose pose;
    sn_collider_at(collider, t, &pose);
    int touching = 0;
    for (int i = 0; i < nodes->count; ++i) {
        const int32_t node = nodes->node[i];
        touch it;
        double push[3];
        if (!point_touches(collider, penalty, &pose, nodes, i, x, v, &it)) continue;
        ++touching;
        const double coulomb = penalty->friction * (memory ? memory[i].normal : it.push.normal) * it.push.phi;
        const double drag = v ? coulomb + it.push.drag : 0;
        for (int a = 0; a < 3; ++a) push[a] = it.push.normal * it.push.n[a] - drag * it.push.ut[a];
        if (node < 0) sn_carried_push(nodes->carried, -1 - node, push, f);
        for (size_t a = 0; a < 3 && node >= 0; ++a) f[3 * (size_t)node + a] += push[a];
    }
    return touching;
}

void sn_penalty_lag(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                    double t, const double *x, const double *v, sn_friction *memory, double *square, double *change) {
    sn_pose pose;
    sn_collider_at(collider, t, &pose);
    for (int i = 0; i < nodes->count; ++i) {
        touch it;
        const bool touches = point_touches(collider, penalty, &pose, nodes, i, x, v, &it);
        const double now = touches ? it.push.normal : 0, was = memory[i].normal;
        memory[i].normal = now;
        *square += now * now, *change += (now - was) * (now - was);
    }
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

int sn_penalty_blocks(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                      double t, const double *x, const double *v, bool definite, sn_friction *memory, int32_t *row,
                      int32_t *column, double *K, double *D) {
    sn_pose pose;
    double k[9], d[9], k_columns[9], d_columns[9];
    sn_collider_at(collider, t, &pose);
    int count = 0;
    if (nodes->carried) sn_carried_begin(nodes->carried);
    for (int i = 0; i < nodes->count; ++i) {
        const int32_t node = nodes->node[i];
        touch it;
        if (!point_touches(collider, penalty, &pose, nodes, i, x, v, &it)) continue;
        const double mu = v ? penalty->friction : 0;
        if (definite) {
            sn_friction fresh = {.normal = it.push.normal}, *friction = memory ? &memory[i] : &fresh;
            if (mu > 0) sn_friction_follow(friction, it.push.n, it.push.ut, penalty->slip);
            definite_blocks(&it, mu, penalty->slip, friction, k, d);
        } else {
            exact_blocks(&it, mu, k, d);
        }
        if (!v) memset(d, 0, sizeof d);
        for (int e = 0; e < 9; ++e) k_columns[e] = k[3 * (e % 3) + e / 3], d_columns[e] = d[3 * (e % 3) + e / 3];
        if (node < 0) {
            count = sn_carried_blocks(nodes->carried, -1 - node, k_columns, d_columns, count, row, column, K, D);
            continue;
        }
        row[count] = column[count] = node;
        memcpy(K + 9 * (size_t)count, k_columns, sizeof k_columns);
        memcpy(D + 9 * (size_t)count, d_columns, sizeof d_columns);
        ++count;
    }
    return count;
}

int64_t sn_penalty_block_count(const sn_contact_nodes *nodes) {
    const int carried = nodes->carried ? nodes->carried->count : 0;
    return nodes->count - carried + (carried > 0 ? nodes->carried->pair_count : 0);
}

double sn_penalty_energy(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                         double t, const double *x) {
    sn_pose pose;
    double energy = 0;
    sn_collider_at(collider, t, &pose);
    for (int i = 0; i < nodes->count; ++i) {
        const double gap = point_gap(collider, &pose, nodes, i, x, 0);
        energy += sn_push_energy(penalty, nodes->area[i], -gap);
    }
    return energy;
}

bool sn_penalty_release(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                        double t, const double *x) {
    sn_pose pose;
    bool any = false;
    sn_collider_at(collider, t, &pose);
    for (int i = 0; i < nodes->count; ++i) {
        const double full = sn_push_full(nodes->area[i]);
        if (penalty->held[i] != SN_AHEAD_HELD || !(point_gap(collider, &pose, nodes, i, x, full) > 1e-3 * full))
            continue;
        penalty->held[i] = SN_AHEAD_RELEASED;
        any = true;
    }
    return any;
}

bool sn_penalty_touches(const sn_collider_model *collider, const sn_contact_nodes *nodes, double t, const double *x) {
    sn_pose pose;
    sn_collider_at(collider, t, &pose);
    for (int i = 0; i < nodes->count; ++i)
        if (point_gap(collider, &pose, nodes, i, x, 0) < 0) return true;
    return false;
}
