/* Symplectic (semi-implicit) Euler: v1 = v + h M^-1 f(t, x, v), x1 = x + h v1. Order 1. Without damping, its energy
 * error stays bounded up to h = 2 / omega. */
#include <math.h>

#include "base/vector.h"
#include "explicit.h"
#include "methods.h"

int sn_symplectic_euler_history(int count) {
    (void)count;
    return 0;
}

int sn_symplectic_euler_scratch(int count) { return 5 * count; }

/* A mode is stable while h^2 omega^2 + 2 h delta < 4. */
static double limit(const void *self, double omega, double delta) {
    (void)self;
    if (omega == 0) return delta > 0 ? 2 / delta : INFINITY;
    return (sqrt(delta * delta + 4 * omega * omega) - delta) / (omega * omega);
}

sn_status sn_symplectic_euler_step(sn_step *step) {
    const int n = step->system->count;
    double *x = step->scratch, *v = x + n, *a = v + n;
    const sn_status status = sn_acceleration(step, step->t, step->x, step->v, a, a + n);
    if (status == SN_NOT_FINITE) return sn_explicit_diverged(step, "symplectic-euler", limit, NULL);
    if (status) return status;
    sn_vector_mix(step->system->context, n, 1, step->v, step->h, a, 0, NULL, v);
    sn_vector_mix(step->system->context, n, 1, step->x, step->h, v, 0, NULL, x);
    return sn_explicit_finish(step, "symplectic-euler", limit, NULL, x, v, a);
}
