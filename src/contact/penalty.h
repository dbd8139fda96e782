/* Penalty response with friction, per surface node.
 *
 * A node with area A and mass m at depth d = -gap > 0 in a collider that moves with velocity w, u = v - w, u_n = u . n, u_t = u - u_n n:
 *   f_n = max(0, A k d - c s(d) u_n),   c = 2 zeta sqrt(A k m),   s(d) = min(1, d / d0)   (the damper grips gradually: f is continuous)
 *   f   = f_n n - mu f_n phi(|u_t|) u_t,   phi(r) = (2 - r / e) / e for r < e, 1 / r above
 * phi turns the friction force over within the slip speed e (m/s): a body held by friction creeps by less than e.
 * Linearisation: K = -df/dx, D = -df/dv, one 3x3 block per node; the change of friction with f_n and the turning of n on a convex collider
 * make it unsymmetric or indefinite, and are left out when it must be definite. A sliding node's friction does not change with its speed,
 * so its D is zero along the motion; a single correction from there would take the whole friction force of the present normal force, which
 * may turn the motion round and feed it. The secant, D = mu f_n phi (I - n n^T), cannot: it only slows down. Without v (statics) there is
 * neither damping nor friction. */
#ifndef SN_CONTACT_PENALTY_H
#define SN_CONTACT_PENALTY_H

#include "collider.h"

typedef struct sn_penalty {
    double stiffness; /* k, Pa/m */
    double damping;   /* zeta, of critical */
    double friction;  /* mu */
    double slip;      /* e, m/s */
} sn_penalty;

/* The nodes that may touch. */
typedef struct sn_contact_nodes {
    int count;
    int32_t *node;
    double *area; /* m^2 at rest */
    double *mass; /* kg */
} sn_contact_nodes;

typedef enum sn_penalty_kind { SN_PENALTY_EXACT, SN_PENALTY_DEFINITE, SN_PENALTY_SECANT } sn_penalty_kind;

/* Adds the forces of a collider at time t; returns how many nodes touch. */
int sn_penalty_force(const sn_collider *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t, const double *x,
                     const double *v, double *f);
/* One block of K and one of D (column-major) per touching node, at most nodes->count; returns how many. */
int sn_penalty_blocks(const sn_collider *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t, const double *x,
                      const double *v, sn_penalty_kind kind, int32_t *node, double *K, double *D);
/* Energy of the springs, sum A k d^2 / 2. */
double sn_penalty_energy(const sn_collider *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t, const double *x);

#endif
