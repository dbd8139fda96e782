/* The projected differential of every law: definite, the same where the exact one is definite, and the nearest. */
#include "law_samples.h"

/* The smallest eigenvalue of a symmetric 9x9 matrix, by shifted Cholesky: is m + shift positive definite? */
static int definite(const double m[81], double shift) {
    double a[81];
    memcpy(a, m, sizeof a);
    for (int k = 0; k < 9; ++k) {
        double pivot = a[10 * k] + shift;
        for (int j = 0; j < k; ++j) pivot -= a[9 * k + j] * a[9 * k + j];
        if (!(pivot > 0)) return 0;
        a[10 * k] = sqrt(pivot);
        for (int i = k + 1; i < 9; ++i) {
            for (int j = 0; j < k; ++j) a[9 * i + k] -= a[9 * i + j] * a[9 * k + j];
            a[9 * i + k] /= a[10 * k];
        }
    }
    return 1;
}

static void projection(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    uint64_t seed = 3;
    int indefinite = 0, kept = 0;
    for (int m = 0; m < tried_count; ++m) {
        const sn_material material = material_of(&tried[m]);
        const point p = point_of(context, &material);
        if (!(p.law->differentials >> SN_DIFFERENTIAL_PROJECTED & 1u)) continue;
        int mine = 0;
        for (int n = 0; n < 400; ++n) {
            double F[9], exact[81], projected[81], other[81];
            if (n < state_count(p.law))
                deformation(n, F);
            else if (p.law->flags & SN_LAW_POSITIVE_J)
                from_singular(&seed, 1 + 0.8 * draw(&seed), 1 + 0.8 * draw(&seed), 1 + 0.8 * draw(&seed), F);
            else
                from_singular(&seed, 2 * draw(&seed), 2 * draw(&seed), 2 * draw(&seed), F);
            at(&p, SN_DIFFERENTIAL_EXACT, F, NULL, NULL, exact);
            at(&p, SN_DIFFERENTIAL_PROJECTED, F, NULL, NULL, projected);
            const double size = largest(exact, 81);
            for (int a = 0; a < 9; ++a)
                for (int b = 0; b < a; ++b)
                    if (fabs(exact[9 * a + b] - exact[9 * b + a]) > 1e-10 * size ||
                        projected[9 * a + b] != projected[9 * b + a])
                        fail_msg("%s: not symmetric", tried[m].law);
            if (!definite(projected, 1e-9 * size))
                fail_msg("%s: the projected differential is not positive", tried[m].law);
            const int positive = definite(exact, 1e-13 * size);
            if (positive && apart(exact, projected, 81) > 1e-8 * size)
                fail_msg("%s: a positive differential was changed by %g", tried[m].law,
                         apart(exact, projected, 81) / size);
            mine += !definite(exact, 1e-9 * size);
            kept += positive;
            for (int k = SN_DIFFERENTIAL_TRUNCATED_1; k < SN_DIFFERENTIAL_COUNT; ++k) {
                if (!(p.law->differentials >> k & 1u)) continue;
                at(&p, (sn_differential)k, F, NULL, NULL, other);
                if (!definite(other, 1e-10 * size)) fail_msg("%s: differential %d is not positive", tried[m].law, k);
            }
        }
        indefinite += mine;
        assert_true((mine > 0) == ((p.law->flags & SN_LAW_INDEFINITE) != 0));
    }
    assert_true(indefinite > 100 && kept > 100);
    sn_context_destroy(context);
}

/* The projection of an indefinite matrix changes nothing on the positive side: exact - projected is negative, and their
 * product is zero. */
static void projection_is_nearest(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    for (int m = 0; m < tried_count; ++m) {
        const sn_material material = material_of(&tried[m]);
        const point p = point_of(context, &material);
        if (!(p.law->differentials >> SN_DIFFERENTIAL_PROJECTED & 1u)) continue;
        for (int s = 0; s < state_count(p.law); ++s) {
            double F[9], exact[81], projected[81], rest[81];
            deformation(s, F);
            at(&p, SN_DIFFERENTIAL_EXACT, F, NULL, NULL, exact);
            at(&p, SN_DIFFERENTIAL_PROJECTED, F, NULL, NULL, projected);
            const double size = largest(exact, 81);
            for (int i = 0; i < 81; ++i) rest[i] = projected[i] - exact[i];
            if (!definite(rest, 1e-9 * size))
                fail_msg("%s %s: the projection takes away too much", tried[m].law, state_name[s]);
            for (int a = 0; a < 9; ++a)
                for (int b = 0; b < 9; ++b) {
                    double sum = 0;
                    for (int k = 0; k < 9; ++k) sum += projected[9 * a + k] * rest[9 * k + b];
                    if (fabs(sum) > 1e-9 * size * size)
                        fail_msg("%s %s: the projection is not the nearest", tried[m].law, state_name[s]);
                }
        }
    }
    sn_context_destroy(context);
}

int main(void) {
    collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection),
        cmocka_unit_test(projection_is_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
