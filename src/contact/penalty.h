/* Penalty response with friction: a spring and a damper push each surface node out of the collider.
 *
 * The node has area A, mass m and depth d = a - gap > 0. a is half the thickness of a cloth, and 0 for other bodies.
 * The surface of the collider moves there with velocity w. With u = v - w, u_n = u . n and u_t = u - u_n n the force is
 *
 *   f_n = max(0, A p(d) - c s(d) u_n),   p(d) = k d (1 + (d / D)^2),   c = 2 zeta sqrt(A k m),   s(d) = min(1, d / d0)
 *
 *   f   = f_n n - mu f_n phi(|u_t|) u_t,   phi(r) = (2 - r / e) / e for r < e, 1 / r above
 *
 * The damper s(d) begins gradually with the depth, so that f is continuous. The spring stiffens at depths around D, so
 * that fast soft bodies stop before they have gone deep into the collider. phi makes friction proportional to the slip
 * below the slip speed e (m/s): a body that friction holds creeps with a speed below e.
 *
 * Linearisation: K = -df/dx and D = -df/dv have one 3 x 3 block per node. They are unsymmetric, because friction
 * changes with f_n, and can be indefinite, because n turns on a convex collider. For solvers that need symmetric blocks
 * a memory (friction.h) keeps slip and f_n of each contact during a step. Without v (statics) there is no damping and
 * no friction.
 *
 * The response "spring-damper" (Kikuuwe 4.1, equation 33) has the same form with constants per node instead of per
 * area, a damper that acts at every depth, and viscous friction that grows with the depth:
 *
 *   f = (K_N d - C_N u_n) n - C_T d u_t   where d > 0
 *
 * The document prints the force with the opposite sign. Nothing stops the damper from pulling a node that leaves. The
 * symmetric blocks leave out the change of C_T d u_t with d: they are exact at u_t = 0, where the document expands the
 * force. Nothing looks ahead.
 *
 * Looking ahead: a step that is one linear solve uses only the contacts of its start. A fast node would go into the
 * collider by the length of its path in the step. For such a solve the spring also acts on nodes that their present
 * velocity takes inside during the step: d - ahead u_n > 0. The spring is continued outside of the collider, f_n = A k
 * d < 0. Together with K the force at the end of the step is then f_n = A k d(x1). The velocity alone cannot tell that
 * the body will stop a node before it arrives. The spring would then pull the node to the collider and feed energy.
 * Such nodes are released, and the step is solved again. (In the same way the solve lets the spring of a node that
 * leaves pull. This takes energy. Releasing such nodes by their velocity was tried; it makes bodies at rest jump.) */
#ifndef SN_CONTACT_PENALTY_H
#define SN_CONTACT_PENALTY_H

#include <stdint.h>

#include "carried.h"
#include "collider_model.h"
#include "friction.h"

typedef struct sn_penalty {
    bool per_node;    /* the response "spring-damper"; depth, friction and ahead are then 0 */
    double stiffness; /* k, Pa/m; per node: K_N, N/m */
    double depth;     /* D, m; 0: the spring is linear */
    double damping;   /* zeta: part of the critical damping; per node: C_N, N s/m */
    double drag;      /* per node: C_T, N s/m^2; otherwise 0 */
    double friction;  /* mu */
    double slip;      /* e, m/s */
    double ahead;     /* s, the time to look ahead; 0: only nodes inside feel a force */
    bool chord;       /* a solve that looks ahead takes the chord of the stiffening spring (push.h) */
    /* One per node: SN_AHEAD_HELD when the spring was continued outside of the collider for it, SN_AHEAD_RELEASED when
     * that must not happen any more. Only with `ahead`. */
    uint8_t *held;
} sn_penalty;

enum { SN_AHEAD_NONE, SN_AHEAD_HELD, SN_AHEAD_RELEASED };

/* The points that may touch a collider: nodes, each once, and the vertices of detailed surfaces. */
typedef struct sn_contact_nodes {
    int count;
    int32_t *node; /* a node (compiled number), or -1 - i: the point i of `carried` */
    double *area;  /* m^2 at rest */
    double *mass;  /* kg */
    double *apart; /* m: how far the point stays from a collider, half the thickness of a cloth; NULL: 0 for all */
    const sn_carried *carried;
    const sn_context *context; /* whose threads share the points; NULL: one thread */
} sn_contact_nodes;

static inline double sn_contact_apart(const sn_contact_nodes *nodes, int i) {
    return nodes->apart ? nodes->apart[i] : 0;
}

/* The place of a point, or its velocity: x has 3 numbers per node. */
static inline void sn_contact_point_at(const sn_contact_nodes *nodes, int i, const double *x, double out[3]) {
    const int32_t node = nodes->node[i];
    if (node < 0) sn_carried_gather(nodes->carried, -1 - node, x, out);
    for (size_t a = 0; a < 3 && node >= 0; ++a) out[a] = x[3 * (size_t)node + a];
}

/* Adds the forces of a collider at time t to f. Returns how many nodes touch. `memory` (one per node): friction uses
 * its N; NULL: friction uses the present N. */
int sn_penalty_force(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                     double t, const double *x, const double *v, const sn_friction *memory, double *f);
/* Writes the present N of each node into its memory. Adds the squares of N to *square and the squares of its changes to
 * *change. */
void sn_penalty_lag(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                    double t, const double *x, const double *v, sn_friction *memory, double *square, double *change);
/* Writes blocks of K and D (column-major): one of each per touching node, and one per pair of nodes that carry touching
 * vertices. Returns how many; at most sn_penalty_block_count. `definite`: the blocks are symmetric and positive
 * semidefinite, and friction updates the memory. Without a memory the blocks of friction are at least as large as the
 * exact ones. When `definite` is false, the blocks are exact. */
int sn_penalty_blocks(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                      double t, const double *x, const double *v, bool definite, sn_friction *memory, int32_t *row,
                      int32_t *column, double *K, double *D);
int64_t sn_penalty_block_count(const sn_contact_nodes *nodes);
/* A solve that looked ahead ended at x. Releases the nodes that the spring pulls towards the collider there. Returns
 * whether there were such nodes. */
bool sn_penalty_release(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                        double t, const double *x);
/* Whether a node is inside the collider. */
bool sn_penalty_touches(const sn_collider_model *collider, const sn_contact_nodes *nodes, double t, const double *x);
/* The energy of the springs: sum A k d^2 / 2 (1 + (d / D)^2 / 2), or sum K_N d^2 / 2. */
double sn_penalty_energy(const sn_collider_model *collider, const sn_penalty *penalty, const sn_contact_nodes *nodes,
                         double t, const double *x);

#endif
