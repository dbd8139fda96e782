/* Penalty response; the equations are in penalty.h. */
#include "penalty.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "friction.h"

enum { GRIP = 100 }; /* d0 = sqrt(A) / GRIP */

/* What one touching node knows. */
typedef struct touch {
    double n[3], curvature;
    double normal;           /* f_n */
    double k, c, grip, rate; /* A p'(d); the damper's c; s(d); s'(d) */
    double un, ut[3], slip;  /* u_n, u_t, |u_t| */
    double phi, phi_rate;    /* phi(r), phi'(r) / r */
} touch;

/* The parts of sqrt and the node's weights are taken here, so that a free node costs one gap. False: it does not touch. */
static bool touch_at(const sn_collider *collider, const sn_penalty *p, const double offset[3], const double velocity[3], const double *x,
                     const double *v, double area, double mass, touch *at) {
    const double depth = -sn_shape_of(collider)->gap(collider, offset, x, at->n, &at->curvature);
    double u[3] = {0};
    if (!(area > 0) || (!(depth > 0) && p->ahead == 0)) return false;
    if (v) sn_subtract3(v, velocity, u);
    at->un = sn_dot3(u, at->n);
    const bool outside = !(depth > 0);
    const double full = sqrt(area) / GRIP;
    if (outside && !(depth - p->ahead * at->un > -1e-6 * full)) return false; /* what lies on it, but for rounding, counts */
    const double k = area * p->stiffness, part = p->depth > 0 && !outside ? depth / p->depth : 0;
    at->k = k * (1 + 3 * part * part);
    at->c = outside ? 0 : 2 * p->damping * sqrt(k * mass);
    at->grip = depth < full ? depth / full : 1;
    at->rate = depth < full ? 1 / full : 0;
    for (int a = 0; a < 3; ++a) at->ut[a] = u[a] - at->un * at->n[a];
    at->slip = sn_norm3(at->ut);
    at->normal = k * depth * (1 + part * part) - at->c * at->grip * at->un;
    if (!(at->normal > 0) && !outside) { /* the damper would pull: the node is let go */
        at->normal = at->k = at->c = 0;
    }
    const double e = p->slip, r = at->slip;
    at->phi = r < e ? (2 - r / e) / e : 1 / r;
    at->phi_rate = r < e ? (r > 0 ? -1 / (e * e * r) : 0) : -1 / (r * r * r);
    return true;
}

int sn_penalty_force(const sn_collider *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t, const double *x,
                     const double *v, const sn_friction *memory, double *f) {
    double offset[3], velocity[3];
    sn_collider_at(collider, t, offset, velocity);
    int touching = 0;
    for (int i = 0; i < nodes->count; ++i) {
        const size_t at = 3 * (size_t)nodes->node[i];
        touch it;
        if (!touch_at(collider, penalty, offset, velocity, x + at, v ? v + at : NULL, nodes->area[i], nodes->mass[i], &it)) continue;
        ++touching;
        const double drag = v ? penalty->friction * (memory ? memory[i].normal : it.normal) * it.phi : 0;
        for (int a = 0; a < 3; ++a) f[at + (size_t)a] += it.normal * it.n[a] - drag * it.ut[a];
    }
    return touching;
}

void sn_penalty_lag(const sn_collider *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t, const double *x,
                    const double *v, sn_friction *memory, double *square, double *change) {
    double offset[3], velocity[3];
    sn_collider_at(collider, t, offset, velocity);
    for (int i = 0; i < nodes->count; ++i) {
        const size_t at = 3 * (size_t)nodes->node[i];
        touch it;
        const bool touches = touch_at(collider, penalty, offset, velocity, x + at, v + at, nodes->area[i], nodes->mass[i], &it);
        const double now = touches ? it.normal : 0, was = memory[i].normal;
        memory[i].normal = now;
        *square += now * now, *change += (now - was) * (now - was);
    }
}

/* K and D of one node, row-major, exact. */
static void exact_blocks(const touch *it, double mu, double K[9], double D[9]) {
    double by_x[3], by_v[3], H[9], turn[9];
    for (int a = 0; a < 3; ++a) { /* gradients of f_n */
        by_x[a] = -(it->k - it->c * it->rate * it->un) * it->n[a] - it->c * it->grip * it->curvature * it->ut[a];
        by_v[a] = -it->c * it->grip * it->n[a];
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double tangent = (i == j) - it->n[i] * it->n[j];
            H[3 * i + j] = it->phi * (i == j) + it->phi_rate * it->ut[i] * it->ut[j];     /* d(phi u_t)/du_t */
            turn[3 * i + j] = -it->curvature * (it->n[i] * it->ut[j] + it->un * tangent); /* du_t/dx */
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double tangent = (i == j) - it->n[i] * it->n[j];
            double friction_x = 0, friction_v = 0;
            for (int k = 0; k < 3; ++k) {
                friction_x += H[3 * i + k] * turn[3 * k + j];
                friction_v += H[3 * i + k] * ((k == j) - it->n[k] * it->n[j]);
            }
            const double direction = it->n[i] - mu * it->phi * it->ut[i];
            K[3 * i + j] = -(direction * by_x[j] + it->normal * it->curvature * tangent - mu * it->normal * friction_x);
            D[3 * i + j] = -(direction * by_v[j] - mu * it->normal * friction_v);
        }
}

/* The symmetric, positive semidefinite part that is worth keeping. */
static void definite_blocks(const touch *it, double mu, double e, const sn_friction *memory, double K[9], double D[9]) {
    const double stiff = fmax(it->k - it->c * it->rate * it->un, 0), bend = fmax(-it->normal * it->curvature, 0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double across = it->n[i] * it->n[j], tangent = (i == j) - across;
            K[3 * i + j] = stiff * across + bend * tangent;
            D[3 * i + j] = it->c * it->grip * across;
        }
    if (mu > 0) sn_friction_add(memory, it->n, e, mu * memory->normal, D);
}

int sn_penalty_blocks(const sn_collider *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t, const double *x,
                      const double *v, bool definite, sn_friction *memory, int32_t *node, double *K, double *D) {
    double offset[3], velocity[3], k[9], d[9];
    sn_collider_at(collider, t, offset, velocity);
    int count = 0;
    for (int i = 0; i < nodes->count; ++i) {
        const size_t at = 3 * (size_t)nodes->node[i];
        touch it;
        if (!touch_at(collider, penalty, offset, velocity, x + at, v ? v + at : NULL, nodes->area[i], nodes->mass[i], &it)) continue;
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

double sn_penalty_energy(const sn_collider *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t, const double *x) {
    double offset[3], velocity[3], n[3], curvature, energy = 0;
    sn_collider_at(collider, t, offset, velocity);
    const sn_shape *shape = sn_shape_of(collider);
    for (int i = 0; i < nodes->count; ++i) {
        const double gap = shape->gap(collider, offset, x + 3 * (size_t)nodes->node[i], n, &curvature);
        const double part = penalty->depth > 0 ? gap / penalty->depth : 0;
        if (gap < 0) energy += 0.5 * nodes->area[i] * penalty->stiffness * gap * gap * (1 + 0.5 * part * part);
    }
    return energy;
}
