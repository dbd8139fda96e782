/* Material points: places inside the elements of a body that move with the body.
 *
 * A point p = sum w_i x_i has the shape functions w of its element as weights. With J = dp/dx, virtual work and the
 * mass matrix M give (Civit 3.26 to 3.34)
 *
 *   forces and impulses     f_e = J^T f_p,   j_e = J^T j_p
 *   effective mass          M_p^-1 = J M^-1 J^T;  with node masses m_i: 1 / m_p = sum w_i^2 / m_i
 *   change of velocity      dv_e = M^-1 J^T M_p dp';  with node masses: dv_i = w_i m_p / m_i dp'
 *   change of position      dx_e = M^-1 J^T M_p dp
 *
 * M^-1 respects fixes, pins, touching colliders with the response "projection" and rigid cores: what is held does not
 * move. When nothing is held, only the impulse changes the momentum. */
#ifndef SINEW_POINT_H
#define SINEW_POINT_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_POINT_NODES = 10 };

typedef struct sn_point {
    int body;
    int count;                     /* how many nodes carry the point: 1 to SN_POINT_NODES */
    int32_t node[SN_POINT_NODES];  /* of the body's mesh */
    double weight[SN_POINT_NODES]; /* their sum is 1, within 1e-6 */
} sn_point;

/* Finds the point of a body at a place of its rest shape (m). SN_BAD_INPUT when there is no such body, or when the
 * place is not inside the body. */
SN_API sn_status sn_world_find_point(const sn_world *world, int body, const double rest[3], sn_point *point,
                                     sn_error *error);

/* The functions below fail with SN_BAD_INPUT when the point does not belong to the world or its weights do not have the
 * sum 1, and with SN_NOT_FINITE when a number is not finite. The world is then unchanged. */

/* Position (m) and velocity (m/s) of the point; each may be NULL. */
SN_API sn_status sn_world_point_motion(const sn_world *world, const sn_point *point, double position[3],
                                       double velocity[3], sn_error *error);
/* M_p^-1, 3 x 3 numbers in 1/kg: the change of velocity per impulse. 0 in directions in which the point is held. */
SN_API sn_status sn_world_point_inverse_mass(sn_world *world, const sn_point *point, double inverse[9],
                                             sn_error *error);

/* Adds J^T f to the forces on nodes (N), as sn_world_set_forces sets them: it acts until they are set again. */
SN_API sn_status sn_world_add_force(sn_world *world, const sn_point *point, const double force[3], sn_error *error);
/* Applies an impulse (N s) at once. */
SN_API sn_status sn_world_add_impulse(sn_world *world, const sn_point *point, const double impulse[3], sn_error *error);
/* Changes the velocity (m/s) or the position (m) of the point by exactly so much, with the least kinetic energy.
 * SN_SINGULAR when the point is held in some direction. */
SN_API sn_status sn_world_change_velocity(sn_world *world, const sn_point *point, const double change[3],
                                          sn_error *error);
SN_API sn_status sn_world_change_position(sn_world *world, const sn_point *point, const double change[3],
                                          sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
