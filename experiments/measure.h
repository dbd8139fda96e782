/* Measurements that several experiments use: volume, inverted elements, distance from the rest shape. */
#ifndef SINEW_MEASURE_H
#define SINEW_MEASURE_H

#include "experiment.h"

/* The total volume (m^3) of the tets at positions x (node_count x 3). */
double measure_volume(const sn_mesh *mesh, const double *x);
/* How many tets have a volume of 0 or less at positions x. */
int measure_inverted(const sn_mesh *mesh, const double *x);
/* The largest distance of a node from its rest position, after the best rigid motion, over the diagonal of the body's
 * bounding box. */
double measure_distance(sn_context *context, const sn_mesh *mesh, const double *x);
/* The diagonal of the bounding box at rest, m. */
double measure_diagonal(const sn_mesh *mesh);
/* The largest speed of a node of a body, m/s. */
double measure_speed(const sn_world *world, int body);
/* A new array with the positions (velocities) of a body, node_count x 3; release it with free(). NULL when there is no
 * memory. */
double *measure_positions(const sn_world *world, int body);
double *measure_velocities(const sn_world *world, int body);

#endif
