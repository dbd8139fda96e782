/* The 3x3 singular value decomposition on thousands of easy and hard matrices, on every instruction set, with the same
 * bits. */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fem/point_kernels.h"
#include "matrices.h"
#include "simd_sets.h"

static const char *const isa[] = {"baseline", "avx2", "avx512"};

static sn_context *context_for(const char *simd) {
    sn_context_options options = sn_context_options_default();
    options.simd = simd_or_widest(simd);
    options.threads = 1;
    sn_context *context = NULL;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

/* Exact power-of-two scale, so that products of 1e300 do not overflow in the check itself. */
static double unit_scale(const double F[9]) {
    const double m = largest(F, 9);
    return m > 0 ? m : 1;
}

static void check_one(const char *name, const double F[9], const double U[9], const double s[3], const double V[9]) {
    double T[9], Vt[9], back[9];
    const double scale = unit_scale(F);
    const double ortho = fmax(orthogonality(U), orthogonality(V));
    for (int i = 0; i < 9; ++i) T[i] = U[i] * (s[i % 3] / scale);
    transpose(V, Vt);
    multiply(T, Vt, back);
    double error = 0;
    for (int i = 0; i < 9; ++i) error = fmax(error, fabs(back[i] - F[i] / scale));
    /* Denormal numbers themselves are no finer than 2^-1074. */
    const double fine = 0x1p-1074 / scale;
    if (!(ortho < 1e-14) || !(error < 1e-14 + 4 * fine) || !(det(U) > 0) || !(det(V) > 0) ||
        s[0] < s[1] - 1e-14 * scale || s[1] < fabs(s[2]) - 1e-14 * scale || s[1] < 0)
        fail_msg("%s: orthogonality %g, error %g, det %g %g, s %g %g %g", name, ortho, error, det(U), det(V), s[0],
                 s[1], s[2]);
}

static void every_matrix(void **state) {
    (void)state;
    for (int v = 0; v < 3; ++v) {
        sn_context *context = context_for(isa[v]);
        const sn_point_kernels *kernels = sn_point_kernels_for(context);
        uint64_t seed = 7;
        for (int class = 0; class < MATRIX_CLASSES; ++class)
            for (int block = 0; block < 250; ++block) {
                alignas(64) double F[72], U[72], s[24], V[72];
                double f[SN_LANES][9], u[9], d[3], w[9];
                const char *name = "";
                for (int l = 0; l < SN_LANES; ++l) {
                    name = nasty_matrix(class, &seed, f[l]);
                    for (int i = 0; i < 9; ++i) F[SN_LANES * i + l] = f[l][i];
                }
                kernels->svd(F, U, s, V);
                for (int l = 0; l < SN_LANES; ++l) {
                    for (int i = 0; i < 9; ++i) u[i] = U[SN_LANES * i + l], w[i] = V[SN_LANES * i + l];
                    for (int i = 0; i < 3; ++i) d[i] = s[SN_LANES * i + l];
                    check_one(name, f[l], u, d, w);
                }
            }
        sn_context_destroy(context);
    }
}

/* The singular values of a matrix made from known ones, to the rounding of the largest. */
static void known_values(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    uint64_t seed = 11;
    const double known[6][3] = {{3, 2, 1}, {3, 2, -1}, {1, 1, 1}, {5, 1e-5, 1e-9}, {2, 2, -1e-12}, {1, 0, 0}};
    for (int k = 0; k < 6; ++k) {
        alignas(64) double F[72], U[72], s[24], V[72];
        double f[9];
        from_singular(&seed, known[k][0], known[k][1], known[k][2], f);
        for (int i = 0; i < 72; ++i) F[i] = f[i / SN_LANES];
        sn_point_kernels_for(context)->svd(F, U, s, V);
        for (int i = 0; i < 3; ++i) assert_true(fabs(s[SN_LANES * i] - known[k][i]) < 5e-15);
    }
    sn_context_destroy(context);
}

/* A lane's bits depend neither on its neighbours nor on the instruction set. */
static void same_bits(void **state) {
    (void)state;
    sn_context *context[3];
    for (int v = 0; v < 3; ++v) context[v] = context_for(isa[v]);
    uint64_t seed = 3;
    for (int block = 0; block < 500; ++block) {
        alignas(64) double F[72], U[3][72], s[3][24], V[3][72], F1[72], U1[72], s1[24], V1[72];
        for (int l = 0; l < SN_LANES; ++l) {
            double f[9];
            nasty_matrix((block + 5 * l) % MATRIX_CLASSES, &seed, f);
            for (int i = 0; i < 9; ++i) F[SN_LANES * i + l] = f[i];
        }
        for (int v = 0; v < 3; ++v) sn_point_kernels_for(context[v])->svd(F, U[v], s[v], V[v]);
        for (int v = 1; v < 3; ++v) {
            assert_memory_equal(U[v], U[0], sizeof U[0]);
            assert_memory_equal(s[v], s[0], sizeof s[0]);
            assert_memory_equal(V[v], V[0], sizeof V[0]);
        }
        for (int i = 0; i < 72; ++i) F1[i] = F[i / SN_LANES * SN_LANES + 3];
        sn_point_kernels_for(context[2])->svd(F1, U1, s1, V1);
        for (int i = 0; i < 9; ++i) {
            assert_memory_equal(&U1[SN_LANES * i], &U[2][SN_LANES * i + 3], sizeof(double));
            assert_memory_equal(&V1[SN_LANES * i], &V[2][SN_LANES * i + 3], sizeof(double));
        }
    }
    for (int v = 0; v < 3; ++v) sn_context_destroy(context[v]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_matrix), cmocka_unit_test(known_values),
                                       cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
