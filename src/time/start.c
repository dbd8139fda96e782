/* The first steps of multistep methods: implicit midpoint with n = 2, 4, 6 substeps, extrapolated.
 *
 * The midpoint rule is symmetric, so its error has only even powers of h/n, and each further n gains two orders
 * (Aitken-Neville; Hairer, Norsett, Wanner I, II.9). n is even because each substep flips the sign of stiff modes; an
 * even number keeps them bounded. */
#include "implicit.h"
#include "loop.h"

/* out = a + p (a - out) */
SN_LOOP(extrapolate, l.out[i] = l.a[i] + l.p * (l.a[i] - l.out[i]))

int sn_start_scratch(int count) { return 10 * count + sn_midpoint_scratch(count); }

sn_status sn_start(sn_step *step, int columns, double *x1, double *v1, double *scratch) {
    static const int substeps[3] = {2, 4, 6};
    const int n = step->system->count;
    double *result[3], *x = scratch + 6 * n, *v = x + n, *nx = v + n, *nv = nx + n;
    for (int k = 0; k < columns; ++k) {
        result[k] = scratch + 2 * k * n;
        sn_vector_copy(step->system->context, n, step->x, x);
        sn_vector_copy(step->system->context, n, step->v, v);
        const double h = step->h / substeps[k];
        for (int i = 0; i < substeps[k]; ++i) {
            const sn_status status = sn_midpoint(step, step->t + i * h, h, x, v, nx, nv, nv + n);
            if (status) return status;
            sn_vector_copy(step->system->context, n, nx, x);
            sn_vector_copy(step->system->context, n, nv, v);
        }
        sn_vector_copy(step->system->context, n, x, result[k]);
        sn_vector_copy(step->system->context, n, v, result[k] + n);
        for (int j = k - 1; j >= 0; --j) {
            const double ratio = (double)substeps[k] / substeps[j], weight = 1 / (ratio * ratio - 1);
            sn_loop(step->system->context, 2 * n, extrapolate,
                    (sn_operands){.p = weight, .a = result[j + 1], .out = result[j]});
        }
    }
    sn_vector_copy(step->system->context, n, result[0], x1);
    sn_vector_copy(step->system->context, n, result[0] + n, v1);
    return SN_OK;
}
