/* The factor of 6x6 blocks (linear/precondition/rigid_factor.h): it solves systems in one part and in two parts with a
 * joint, gives the same bits on any number of threads, and refuses matrices that are not definite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/precondition/rigid_factor.h"

enum { SIDE = 9, COUNT = SIDE * SIDE, N = SN_RIGID * COUNT };

static double noise(int i) { return sin(12.9898 * i * i + 78.233 * i); }

/* Neighbours on a grid, diagonals included. */
static void make_pattern(sn_pattern *p, int32_t *begin, int32_t *column) {
    *p = (sn_pattern){.nodes = COUNT, .row_begin = begin, .column = column};
    int32_t next = 0;
    for (int i = 0; i < COUNT; ++i) {
        begin[i] = next;
        for (int j = 0; j < COUNT; ++j)
            if (abs(i / SIDE - j / SIDE) <= 1 && abs(i % SIDE - j % SIDE) <= 1) column[next++] = j;
    }
    begin[COUNT] = next;
    p->block_count = next;
}

/* Entry (r, c) of the matrix in the old order: symmetric, and definite when `diagonal` is large. */
static double entry(int r, int c, double diagonal) {
    const int low = r < c ? r : c, high = r < c ? c : r;
    return r == c ? diagonal + noise(r) : noise(7 * low + 1001 * high);
}

static void fill(const sn_rigid_factor *f, const int32_t *place, double diagonal) {
    int32_t old[COUNT];
    for (int i = 0; i < COUNT; ++i) old[place[i]] = i;
    for (int i = 0; i < COUNT; ++i)
        for (int32_t e = f->begin[i]; e < f->begin[i + 1]; ++e)
            for (int c = 0; c < SN_RIGID; ++c)
                for (int r = 0; r < SN_RIGID; ++r)
                    f->value[SN_RIGID_PADDED * e + SN_RIGID_WIDE * c + r] =
                        entry(SN_RIGID * old[i] + r, SN_RIGID * old[f->column[e]] + c, diagonal);
}

static void forward(void *f, int part) { sn_rigid_factor_forward(f, part); }
static void back(void *f, int part) { sn_rigid_factor_back(f, part); }

/* Solves for a right side and writes the solution in the old order. Returns the relative residual; 2 when the factor is
 * refused. `simd` and threads as in the options of a context. */
static double solve(int parts, const char *simd, int threads, double diagonal, double *x) {
    static int32_t begin[COUNT + 1], column[9 * COUNT], part[COUNT], place[COUNT];
    sn_context_options options = sn_context_options_default();
    options.simd = simd, options.threads = threads;
    sn_context *context;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    sn_pattern pattern;
    make_pattern(&pattern, begin, column);
    for (int i = 0; i < COUNT; ++i) /* the middle row of the grid is the joint of two parts */
        part[i] = parts == 1 || i / SIDE < SIDE / 2 ? 0 : i / SIDE == SIDE / 2 ? 2 : 1;
    sn_rigid_factor f = {0};
    assert_int_equal(sn_rigid_factor_create(context, &pattern, part, parts, place, &f, NULL), SN_OK);
    double worst = 2, b[N];
    for (int round = 0; round < 2; ++round) { /* a second factor in the same memory */
        fill(&f, place, diagonal);
        if (!sn_rigid_factor_update(&f)) continue;
        for (int i = 0; i < N; ++i) b[i] = noise(3 * i + 5);
        for (int i = 0; i < COUNT; ++i)
            memcpy(f.vector + SN_RIGID_WIDE * place[i], b + SN_RIGID * i, SN_RIGID * sizeof *b);
        sn_parallel(context, parts, forward, &f);
        sn_rigid_factor_middle(&f);
        sn_parallel(context, parts, back, &f);
        for (int i = 0; i < COUNT; ++i)
            memcpy(x + SN_RIGID * i, f.vector + SN_RIGID_WIDE * place[i], SN_RIGID * sizeof *x);
        double square = 0, size = 0;
        for (int i = 0; i < N; ++i) {
            double sum = b[i];
            for (int32_t k = begin[i / SN_RIGID]; k < begin[i / SN_RIGID + 1]; ++k)
                for (int c = 0; c < SN_RIGID; ++c)
                    sum -= entry(i, SN_RIGID * column[k] + c, diagonal) * x[SN_RIGID * column[k] + c];
            square += sum * sum, size += b[i] * b[i];
        }
        worst = sqrt(square / size);
    }
    sn_rigid_factor_release(context, &f);
    sn_context_destroy(context);
    return worst;
}

static void solves(void **state) {
    (void)state;
    static double x[N], y[N];
    for (int parts = 1; parts <= 2; ++parts) {
        const double residual = solve(parts, "auto", 1, 40, x);
        print_message("%d parts: residual %.2g\n", parts, residual);
        assert_true(residual < 1e-6); /* L is used in single precision */
        assert_true(solve(parts, "auto", 2, 40, y) == residual);
        assert_memory_equal(x, y, sizeof x);
        assert_true(solve(parts, "baseline", 1, 40, y) == residual);
        assert_memory_equal(x, y, sizeof x);
    }
}

static void refuses_indefinite(void **state) {
    (void)state;
    static double x[N];
    for (int parts = 1; parts <= 2; ++parts) assert_true(solve(parts, "auto", 2, 5, x) == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(refuses_indefinite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
