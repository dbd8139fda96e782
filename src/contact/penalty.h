/* Penalty response with friction, per surface node.
 *
 * A node with area A and mass m at depth d = -gap > 0 in a collider whose surface moves there with velocity w, u = v - w, u_n = u . n,
 * u_t = u - u_n n:
 *
 *   f_n = max(0, A p(d) - c s(d) u_n),   p(d) = k d (1 + (d / D)^2),   c = 2 zeta sqrt(A k m),   s(d) = min(1, d / d0)
 *
 *   f   = f_n n - mu f_n phi(|u_t|) u_t,   phi(r) = (2 - r / e) / e for r < e, 1 / r above
 *
 * The damper grips gradually, so that f is continuous. The spring stiffens at depths around D, so that fast soft bodies are stopped before
 * they have passed into the collider. phi turns the friction force over within the slip speed e (m/s): a body held by friction creeps by
 * less than e.
 *
 * Linearisation: K = -df/dx, D = -df/dv, one 3x3 block per node; the change of friction with f_n and the turning of n on a convex collider
 * make it unsymmetric or indefinite. Solvers that want symmetric blocks keep a memory of each contact's friction for the length of a step
 * (friction.h), with f_n in it. Without v (statics) there is neither damping nor friction.
 *
 * A step of one linear solve sees the contacts of its start alone, and a fast node would pass into the collider by the way of a step. For
 * such a solve the spring also holds nodes that will be inside at the end of it by their present velocity, d - ahead u_n > 0: it is taken
 * beyond its rest, f_n = A k d < 0, so that with K it is f_n = A k d(x1) where the node arrives. (The same solve takes the spring of a node
 * that leaves for one that pulls. To let it go by its velocity makes bodies at rest jump: it is left at that.) */
#ifndef SN_CONTACT_PENALTY_H
#define SN_CONTACT_PENALTY_H

#include "collider.h"
#include "friction.h"

typedef struct sn_penalty {
    double stiffness; /* k, Pa/m */
    double depth;     /* D, m; 0: the spring is linear */
    double damping;   /* zeta, of critical */
    double friction;  /* mu */
    double slip;      /* e, m/s */
    double ahead;     /* s; 0: what does not touch feels nothing */
} sn_penalty;

/* The nodes that may touch. */
typedef struct sn_contact_nodes {
    int count;
    int32_t *node;
    double *area; /* m^2 at rest */
    double *mass; /* kg */
} sn_contact_nodes;

/* Adds the forces of a collider at time t; returns how many nodes touch. `memory` (per node): friction with the N it holds; NULL: with the
 * present one. */
int sn_penalty_force(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t, const double *x,
                     const double *v, const sn_friction *memory, double *f);
/* The present N of each node into its memory. Adds the squares of N and of its change to *square and *change. */
void sn_penalty_lag(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t, const double *x,
                    const double *v, sn_friction *memory, double *square, double *change);
/* One block of K and one of D (column-major) per touching node, at most nodes->count; returns how many. Exact, or symmetric and positive
 * semidefinite: then friction takes the memory along; without one its blocks are at least as large as the exact ones. */
int sn_penalty_blocks(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t,
                      const double *x, const double *v, bool definite, sn_friction *memory, int32_t *node, double *K, double *D);
/* Energy of the springs, sum A k d^2 / 2 (1 + (d / D)^2 / 2). */
double sn_penalty_energy(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes, double t,
                         const double *x);

#endif
