/* Penalty response; the equations are in penalty.h. */
#include "penalty.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "friction.h"

enum { GRIP = 100 }; /* d0 = sqrt(A) / GRIP */

/* Everything about one node that touches. */
typedef struct touch {
    double n[3];
    sn_bend bend;
    const double *spin;      /* spin of the collider; NULL: it does not turn */
    double normal;           /* f_n */
    double k, c, grip, rate; /* A p'(d); the damper's c; s(d); s'(d) */
    double un, ut[3], slip;  /* u_n, u_t, |u_t| */
    double phi, phi_rate;    /* phi(r), phi'(r) / r */
    double drag, drag_rate;  /* C_T d, C_T */
} touch;

static void relative_velocity(const sn_collider_model *collider, const sn_pose *pose, const double *x, const double *v,
                              double u[3]) {
    double w[3];
    sn_collider_velocity(collider, pose, x, w);
    sn_subtract3(v, w, u);
}

/* The stiffness of the spring of a node, N/m. */
static double spring_of(const sn_penalty *p, double area) { return p->per_node ? p->stiffness : area * p->stiffness; }

/* Fills *at when the node touches; otherwise returns false. The gap is computed first, so that a free node costs
 * little. */
static bool touch_at(const sn_collider_model *collider, const sn_penalty *p, const sn_pose *pose, const double *x,
                     const double *v, double area, double mass, uint8_t *held, touch *at) {
    double u[3] = {0}, reach = 0;
    if (p->ahead != 0) {
        if (v) relative_velocity(collider, pose, x, v, u);
        reach = p->ahead * sn_norm3(u) + sqrt(area); /* a node farther away does not count */
    }
    const double depth = -sn_collider_gap(collider, pose, x, reach, at->n, &at->bend);
    if (!(area > 0) || (!(depth > 0) && p->ahead == 0) || -depth > reach) return false;
    if (v && p->ahead == 0) relative_velocity(collider, pose, x, v, u);
    at->spin = pose->turned ? pose->spin : NULL;
    at->un = sn_dot3(u, at->n);
    const bool outside = !(depth > 0);
    const double full = sqrt(area) / GRIP;
    if (outside && !(depth - p->ahead * at->un > -1e-6 * full))
        return false; /* a node on the surface counts, up to rounding */
    if (outside && held) {
        if (*held == SN_AHEAD_RELEASED) return false;
        *held = SN_AHEAD_HELD;
    }
    const double k = spring_of(p, area), part = p->depth > 0 && !outside ? depth / p->depth : 0;
    at->k = k * (1 + 3 * part * part);
    const bool gradual = depth < full && !p->per_node;
    at->c = outside ? 0 : p->per_node ? p->damping : 2 * p->damping * sqrt(k * mass);
    at->grip = gradual ? depth / full : 1;
    at->rate = gradual ? 1 / full : 0;
    at->drag = p->drag * depth, at->drag_rate = p->drag;
    for (int a = 0; a < 3; ++a) at->ut[a] = u[a] - at->un * at->n[a];
    at->slip = sn_norm3(at->ut);
    at->normal = k * depth * (1 + part * part) - at->c * at->grip * at->un;
    if (!(at->normal > 0) && !outside && !p->per_node) { /* the damper would pull, so there is no force */
        at->normal = at->k = at->c = 0;
    }
    const double e = p->slip, r = at->slip;
    at->phi = r < e ? (2 - r / e) / e : 1 / r;
    at->phi_rate = r < e ? (r > 0 ? -1 / (e * e * r) : 0) : -1 / (r * r * r);
    return true;
}

static uint8_t *held_of(const sn_penalty *penalty, int i) { return penalty->held ? penalty->held + i : NULL; }

int sn_penalty_force(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                     double t, const double *x, const double *v, const sn_friction *memory, double *f) {
    sn_pose pose;
    sn_collider_at(collider, t, &pose);
    int touching = 0;
    for (int i = 0; i < nodes->count; ++i) {
        const size_t at = 3 * (size_t)nodes->node[i];
        touch it;
        if (!touch_at(collider, penalty, &pose, x + at, v ? v + at : NULL, nodes->area[i], nodes->mass[i],
                      held_of(penalty, i), &it))
            continue;
        ++touching;
        const double coulomb = penalty->friction * (memory ? memory[i].normal : it.normal) * it.phi;
        const double drag = v ? coulomb + it.drag : 0;
        for (int a = 0; a < 3; ++a) f[at + (size_t)a] += it.normal * it.n[a] - drag * it.ut[a];
    }
    return touching;
}

void sn_penalty_lag(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                    double t, const double *x, const double *v, sn_friction *memory, double *square, double *change) {
    sn_pose pose;
    sn_collider_at(collider, t, &pose);
    for (int i = 0; i < nodes->count; ++i) {
        const size_t at = 3 * (size_t)nodes->node[i];
        touch it;
        const bool touches = touch_at(collider, penalty, &pose, x + at, v + at, nodes->area[i], nodes->mass[i],
                                      held_of(penalty, i), &it);
        const double now = touches ? it.normal : 0, was = memory[i].normal;
        memory[i].normal = now;
        *square += now * now, *change += (now - was) * (now - was);
    }
}

/* How u_n and u_t change with x. W is the matrix with W r = spin x r:  du/dx = -W,  grad u_n = (grad n) u_t + spin x n,
 * du_t/dx = -W - n (grad u_n)^T - u_n grad n. */
static void turn_of_slip(const touch *it, double by_x[3], double turn[9]) {
    static const double still[3] = {0};
    const double *w = it->spin ? it->spin : still, *n = it->n, bend = it->bend.curvature;
    const double W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    double H[9] = {0};
    for (int i = 0; i < 9 && bend != 0; ++i) H[i] = bend * it->bend.across[i];
    sn_multiply_vector3(H, it->ut, by_x);
    for (int i = 0; i < 3; ++i) by_x[i] += W[3 * i] * n[0] + W[3 * i + 1] * n[1] + W[3 * i + 2] * n[2];
    for (int i = 0; i < 9; ++i) turn[i] = -W[i] - n[i / 3] * by_x[i % 3] - it->un * H[i];
}

/* K and D of one node, row-major, exact. */
static void exact_blocks(const touch *it, double mu, double K[9], double D[9]) {
    double slope[3], by_x[3], by_v[3], H[9], turn[9];
    turn_of_slip(it, slope, turn);
    for (int a = 0; a < 3; ++a) { /* gradients of f_n */
        by_x[a] = -(it->k - it->c * it->rate * it->un) * it->n[a] - it->c * it->grip * slope[a];
        by_v[a] = -it->c * it->grip * it->n[a];
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            H[3 * i + j] = it->phi * (i == j) + it->phi_rate * it->ut[i] * it->ut[j]; /* d(phi u_t)/du_t */
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double bent = it->bend.curvature != 0 ? it->bend.curvature * it->bend.across[3 * i + j] : 0;
            double friction_x = 0, friction_v = 0;
            for (int k = 0; k < 3; ++k) {
                friction_x += H[3 * i + k] * turn[3 * k + j];
                friction_v += H[3 * i + k] * ((k == j) - it->n[k] * it->n[j]);
            }
            const double direction = it->n[i] - mu * it->phi * it->ut[i];
            K[3 * i + j] = -(direction * by_x[j] + it->normal * bent - mu * it->normal * friction_x) -
                           it->drag_rate * it->ut[i] * it->n[j] + it->drag * turn[3 * i + j];
            D[3 * i + j] =
                -(direction * by_v[j] - mu * it->normal * friction_v) + it->drag * ((i == j) - it->n[i] * it->n[j]);
        }
}

/* Symmetric, positive semidefinite blocks, close to the exact ones. */
static void definite_blocks(const touch *it, double mu, double e, const sn_friction *memory, double K[9], double D[9]) {
    const double stiff = fmax(it->k - it->c * it->rate * it->un, 0), bend = fmax(-it->normal * it->bend.curvature, 0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double across = it->n[i] * it->n[j];
            K[3 * i + j] = stiff * across + (bend > 0 ? bend * it->bend.across[3 * i + j] : 0);
            D[3 * i + j] = it->c * it->grip * across + it->drag * ((i == j) - across);
        }
    if (mu > 0) sn_friction_add(memory, it->n, e, mu * memory->normal, D);
}

int sn_penalty_blocks(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                      double t, const double *x, const double *v, bool definite, sn_friction *memory, int32_t *node,
                      double *K, double *D) {
    sn_pose pose;
    double k[9], d[9];
    sn_collider_at(collider, t, &pose);
    int count = 0;
    for (int i = 0; i < nodes->count; ++i) {
        const size_t at = 3 * (size_t)nodes->node[i];
        touch it;
        if (!touch_at(collider, penalty, &pose, x + at, v ? v + at : NULL, nodes->area[i], nodes->mass[i],
                      held_of(penalty, i), &it))
            continue;
        const double mu = v ? penalty->friction : 0;
        if (definite) {
            sn_friction fresh = {.normal = it.normal}, *friction = memory ? &memory[i] : &fresh;
            if (mu > 0) sn_friction_follow(friction, it.n, it.ut, penalty->slip);
            definite_blocks(&it, mu, penalty->slip, friction, k, d);
        } else {
            exact_blocks(&it, mu, k, d);
        }
        if (!v) memset(d, 0, sizeof d);
        node[count] = nodes->node[i];
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                K[9 * (size_t)count + (size_t)(3 * c + r)] = k[3 * r + c];
                D[9 * (size_t)count + (size_t)(3 * c + r)] = d[3 * r + c];
            }
        ++count;
    }
    return count;
}

double sn_penalty_energy(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                         double t, const double *x) {
    sn_pose pose;
    double n[3], energy = 0;
    sn_collider_at(collider, t, &pose);
    for (int i = 0; i < nodes->count; ++i) {
        const double gap = sn_collider_gap(collider, &pose, x + 3 * (size_t)nodes->node[i], 0, n, NULL);
        const double part = penalty->depth > 0 ? gap / penalty->depth : 0;
        if (gap < 0) energy += 0.5 * spring_of(penalty, nodes->area[i]) * gap * gap * (1 + 0.5 * part * part);
    }
    return energy;
}

bool sn_penalty_release(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                        double t, const double *x) {
    sn_pose pose;
    double n[3];
    bool any = false;
    sn_collider_at(collider, t, &pose);
    for (int i = 0; i < nodes->count; ++i) {
        const double full = sqrt(nodes->area[i]) / GRIP;
        if (penalty->held[i] != SN_AHEAD_HELD ||
            !(sn_collider_gap(collider, &pose, x + 3 * (size_t)nodes->node[i], full, n, NULL) > 1e-3 * full))
            continue;
        penalty->held[i] = SN_AHEAD_RELEASED;
        any = true;
    }
    return any;
}

bool sn_penalty_touches(const sn_collider_model *collider, const sn_contact_nodes *nodes, double t, const double *x) {
    sn_pose pose;
    double n[3];
    sn_collider_at(collider, t, &pose);
    for (int i = 0; i < nodes->count; ++i)
        if (sn_collider_gap(collider, &pose, x + 3 * (size_t)nodes->node[i], 0, n, NULL) < 0) return true;
    return false;
}
