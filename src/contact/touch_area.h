/* Area response: pseudo-impulses that correct the displacements of a step at reduced contact points (Civit 3.4.2.2 to
 * 3.4.2.4).
 *
 * A step without contact gives each node a displacement D. A row moves by u = sum_k w_k D_k along its normal n, and by
 * u_t across it (touch_rows.h). With the inverse masses of the nodes, the row has the inverse effective masses
 *
 *   1 / m_n = sum_k w_k^2 / m_k,   1 / m_t = sum_k |M_k^T t|^2 / m_k   (t: the direction of u_t)
 *
 * A pseudo-impulse P (kg m) on A, and -P on B, changes D_k by M_k^T P / m_k. This is the document's distribution by the
 * weights w_A = (1/m_A) / (1/m_A + 1/m_B). P has three parts:
 *   - it stops the approach: u >= 0 (a row never pulls: P_n >= 0);
 *   - Coulomb's law on displacements: |P_t| <= mu P_n, and P_t never reverses the slip;
 *   - stabilisation: a part of the depth is taken away in each step. It moves positions and leaves velocities alone.
 *
 * Redundant rows: many rows share nodes. All rows look at the same D, and their corrections are applied at once. Each is
 * divided by the largest number of rows at one of its nodes. The document averages at each node; that would destroy the
 * balance of action and reaction, because the numbers differ on both sides. The averaged correction is repeated, so
 * that it still reaches its goal.
 *
 * What differs from the document: the total P of a step is kept as a force for the next step (warm start), so that the
 * bodies feel the contact while they are solved. A contact at rest then carries the weight exactly, and also stiff
 * bodies stay above each other. */
#ifndef SN_CONTACT_TOUCH_AREA_H
#define SN_CONTACT_TOUCH_AREA_H

#include "touch_rows.h"

typedef struct sn_touch_area {
    const sn_touch_rows *rows;
    double friction;
    const double *inverse_mass; /* per node, 1/kg; 0: held */
    double *impulse;            /* rows x 3, kg m: P of the step so far, on A */
    int32_t *crowd;             /* rows: the largest number of rows at one of its nodes */
    int32_t *node_rows;         /* nodes: scratch */
    double *change;             /* nodes x 3: scratch */
} sn_touch_area;

/* Counts the rows at the nodes, into `crowd`. */
void sn_touch_area_count(const sn_touch_area *area, int node_count);
/* Corrects the displacements D (nodes x 3) of a step, and adds to `impulse`. */
void sn_touch_area_stop(const sn_touch_area *area, int node_count, double *D);
/* Adds the displacements to `shift` (nodes x 3, zero before) that take the part `relaxation` of the depth beyond `slop`
 * (m) away. `impulse` is not used. */
void sn_touch_area_stabilise(const sn_touch_area *area, int node_count, double relaxation, double slop, double *shift);

#endif
