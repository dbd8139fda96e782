/* Mass-spring-damper meshes: a spring and a damper along every edge of the tets (Hauth 5.3.3 and appendix B).
 *
 * A spring is an element of two nodes in the batches; its kernels are in kernel/spring.h. Its constants follow from the
 * material:
 *
 *   k = E sum V / l^2          over the tets of that material around the edge (van Gelder 1998). This is right for
 *                              uniform strain and nu = 0
 *   r = damper + b k + r_Q     three kinds of damping: the same for all springs, proportional to k (the stiffness part
 *                              b of Rayleigh's damping), and by a quality factor Q
 *   r_Q = sqrt(2 k m Q sqrt(Q^2 + 1) - 2 k m Q^2) / Q
 *
 * With r_Q a pair of nodes has the quality factor Q = k / (w r) at its frequency w = sqrt(4 k / m + (r / m)^2) / 2,
 * with m the reduced mass of the two ends.
 *
 * Poisson's ratio has no effect: the topology of a spring mesh decides its ratio. */
#ifndef SN_FEM_SPRINGS_H
#define SN_FEM_SPRINGS_H

#include "batch.h"

/* The springs of a body of tets as a separate source: one per edge and material. node_mass: per compiled node. The
 * arrays of `springs` belong to it. Laws: "corotated" (springs that turn), "linear" (their rest Jacobian, for warping).
 */
sn_status sn_springs_create(sn_context *context, const sn_batch_source *tets, const double *node_mass,
                            sn_batch_source *springs, sn_error *error);
void sn_springs_release(sn_context *context, sn_batch_source *springs);

/* r_Q; 0 for quality 0 (no such damper). */
double sn_spring_damper(double stiffness, double mass, double quality);

#endif
