/* What several experiments measure: volume, distance from the rest shape, inverted elements, worlds stepped under a watch. */
#ifndef SINEW_MEASURE_H
#define SINEW_MEASURE_H

#include "experiment.h"

/* Volume of a body's tets at positions x (node_count x 3). */
double measure_volume(const sn_mesh *mesh, const double *x);
/* How many tets have no positive volume. */
int measure_inverted(const sn_mesh *mesh, const double *x);
/* Largest distance of a node from its rest place after the best rigid motion, in diagonals of the body's box. */
double measure_distance(sn_context *context, const sn_mesh *mesh, const double *x);
double measure_diagonal(const sn_mesh *mesh);
/* Largest speed of a node of a body. */
double measure_speed(const sn_world *world, int body);
/* Positions (velocities) of a body in memory of its own: free() it. NULL without memory. */
double *measure_positions(const sn_world *world, int body);
double *measure_velocities(const sn_world *world, int body);
/* `steps` steps; *seconds per step (may be NULL), *retries in all (may be NULL). Stops at the first failure. */
sn_status measure_steps(sn_world *world, int steps, double *seconds, int *retries, sn_error *error);
/* The processor time of the fastest of some steps (what the machine does besides only adds) and the linear iterations of the last (may be
 * NULL). */
sn_status measure_fastest_step(sn_world *world, int repeats, double *seconds, double *iterations, sn_error *error);

#endif
