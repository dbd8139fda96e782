/* Bullet's deformable world on a clamped beam: the yardstick of bench_beams. */
#ifndef BENCH_PEER_BULLET_H
#define BENCH_PEER_BULLET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_result {
    double seconds_per_step;
    double drop; /* m, of the probed node along -y */
} peer_result;

/* nodes x 3 positions, tets x 4 corners, mass per node (0: fixed). Steps of `step` seconds with gravity along -y. */
peer_result peer_bullet_run(int nodes, const double *position, int tets, const int32_t *tet, const double *mass,
                            double lambda, double mu, double gravity, double step, int steps, int probe);

#ifdef __cplusplus
}
#endif
#endif
