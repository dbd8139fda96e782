/* Rotations of degenerate elements: proper on every matrix, the right witnesses, smoothness, derivatives, in space and
 * in the plane. */
#include "fixture.h"

#include <stdalign.h>

#include "fem/point_kernels.h"
#define largest matrix_largest /* fixture.h has one of its own */
#include "matrices.h"
#undef largest

static const char *const with_history[] = {"csvd", "project", "reflect", "dapd"};

static void proper_on_every_matrix(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    int count;
    const sn_listing *method = sn_rotations(&count);
    uint64_t seed = 3;
    for (int m = 0; m < count; ++m)
        for (int class = 0; class < MATRIX_CLASSES; ++class)
            for (int n = 0; n < 300; ++n) {
                double F[9], R[9];
                const char *name = nasty_matrix(class, &seed, F);
                assert_int_equal(sn_rotation_evaluate(context, method[m].name, NULL, F, R, NULL, NULL), SN_OK);
                if (strcmp(method[m].name, "higham") == 0) continue;
                if (!(orthogonality(R) < 1e-14 && fabs(det(R) - 1) < 1e-13))
                    fail_msg("%s of %s: orthogonality %g, det %g", method[m].name, name, orthogonality(R), det(R));
            }
    sn_context_destroy(context);
}

/* While det F is above alpha they are all the polar rotation. */
static void polar_while_regular(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    uint64_t seed = 7;
    for (int m = 0; m < 4; ++m)
        for (int n = 0; n < 200; ++n) {
            double F[9], R[9], P[9];
            from_singular(&seed, 1.5 + 0.4 * draw(&seed), 1 + 0.3 * draw(&seed), 0.3 + 0.05 * draw(&seed), F);
            assert_int_equal(sn_rotation_evaluate(context, with_history[m], NULL, F, R, NULL, NULL), SN_OK);
            assert_int_equal(sn_rotation_evaluate(context, "polar", NULL, F, P, NULL, NULL), SN_OK);
            for (int i = 0; i < 9; ++i) assert_true(fabs(R[i] - P[i]) < 1e-15);
        }
    sn_context_destroy(context);
}

/* ---- One element ---- */
typedef struct single {
    fixture s;
    double *state;
} single;

/* The regular-ish tet or triangle with a rotation. */
static void one_element(single *e, sn_context *context, const char *element, const char *law, const char *rotation,
                        double alpha, double beta) {
    static const double tet[12] = {0, 0, 0, 1, 0.1, 0, 0.2, 0.9, 0.1, 0.3, 0.3, 1},
                        triangle[9] = {0, 0, 0, 1, 0, 0, 0.4, 0.9, 0};
    const int plane = strcmp(element, "tri3") == 0;
    memset(e, 0, sizeof *e);
    fixture *s = &e->s;
    s->context = context;
    s->nodes = plane ? 3 : 4, s->elements = 1;
    s->rest = doubles(3 * s->nodes), s->x = doubles(3 * s->nodes), s->v = doubles(3 * s->nodes);
    memcpy(s->rest, plane ? triangle : tet, (size_t)s->nodes * 3 * sizeof *s->rest);
    memcpy(s->x, s->rest, (size_t)s->nodes * 3 * sizeof *s->x);
    s->node = calloc(4, sizeof *s->node), s->material_of = calloc(1, sizeof *s->material_of);
    for (int i = 0; i < s->nodes; ++i) s->node[i] = i;
    s->material[0] = sn_material_default();
    const int known = set_law(context, &s->material[0], law, SN_DIFFERENTIAL_EXACT, 1000);
    assert_true(known);
    snprintf(s->material[0].rotation, sizeof s->material[0].rotation, "%s", rotation);
    if (!sn_rotation_find(context, rotation)->differential) s->material[0].differential[0] = 0;
    s->material[0].alpha = alpha, s->material[0].beta = beta;
    s->source = (sn_batch_source){.element = sn_element_find(element),
                                  .element_count = 1,
                                  .node = s->node,
                                  .rest = s->rest,
                                  .material = s->material_of,
                                  .material_count = 1,
                                  .name = "one"};
    compile_fixture(s);
    e->state = doubles((int)s->model.rotation_state_size + 8);
}

static void free_element(single *e) {
    free_fixture(&e->s);
    free(e->state);
}

/* Goes straight from `before` (or rest) to e->s.x. */
static void go(single *e, const double *before) {
    const sn_element_view view = {.settings = &e->s.settings,
                                  .unsymmetric = e->s.unsymmetric,
                                  .x = e->s.x,
                                  .x_before = before ? before : e->s.rest,
                                  .rotation_state = e->state};
    sn_elements_accept(e->s.context, &e->s.model, &view, e->state);
}

/* A vertex through its face, and an edge through another: the corners that met, as sums of 2^i, without corner 0. */
static void witnesses(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    single e;
    for (int k = 0; k < 4; ++k) {
        one_element(&e, context, "tet4", "corotated", "dapd", 0.1, 3);
        double centre[3] = {0}, *X = e.s.rest;
        for (int i = 0; i < 4; ++i)
            for (int a = 0; a < 3 && i != k; ++a) centre[a] += X[3 * i + a] / 3;
        for (int a = 0; a < 3; ++a) e.s.x[3 * k + a] = X[3 * k + a] + 1.7 * (centre[a] - X[3 * k + a]);
        go(&e, NULL);
        assert_int_equal(e.state[0], k == 0 ? 14 : 1 << k);
        /* kept while it moves on inverted, whatever comes nearer now; dropped when it is well again */
        double before[12];
        memcpy(before, e.s.x, sizeof before);
        for (int a = 0; a < 3; ++a)
            e.s.x[3 * ((k + 1) % 4) + a] += 0.3 * (e.s.x[3 * ((k + 2) % 4) + a] - e.s.x[3 * ((k + 1) % 4) + a]);
        go(&e, before);
        assert_int_equal(e.state[0], k == 0 ? 14 : 1 << k);
        memcpy(before, e.s.x, sizeof before);
        memcpy(e.s.x, e.s.rest, sizeof before);
        go(&e, before);
        for (int i = 0; i < SN_ROTATION_STATE; ++i) assert_true(e.state[i * SN_LANES] == 0);
        free_element(&e);
    }
    for (int k = 1; k < 4; ++k) { /* the edge 0k through the other two */
        one_element(&e, context, "tet4", "corotated", "dapd", 0.1, 3);
        const int p = k % 3 + 1, q = p % 3 + 1;
        double *X = e.s.rest;
        for (int a = 0; a < 3; ++a) {
            const double gap = (X[3 * p + a] + X[3 * q + a] - X[a] - X[3 * k + a]) / 2;
            e.s.x[a] = X[a] + 1.5 * gap, e.s.x[3 * k + a] = X[3 * k + a] + 1.5 * gap;
        }
        go(&e, NULL);
        assert_int_equal(e.state[0], 14 - (1 << k));
        free_element(&e);
    }
    for (int k = 0; k < 3; ++k) {
        one_element(&e, context, "tri3", "corotated", "dapd", 0.1, 3);
        double *X = e.s.rest;
        for (int a = 0; a < 2; ++a)
            e.s.x[3 * k + a] += 1.6 * ((X[3 * ((k + 1) % 3) + a] + X[3 * ((k + 2) % 3) + a]) / 2 - X[3 * k + a]);
        go(&e, NULL);
        assert_int_equal(e.state[0], k == 0 ? 6 : 1 << k);
        free_element(&e);
    }
    sn_context_destroy(context);
}

/* Inverted within one step by a path that turns over: the first collapse counts. A vertex goes through its face, then
 * drags on sideways until another feature is the nearest: a heuristic on the last shape alone would choose that. */
static void first_collapse_counts(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    single e;
    one_element(&e, context, "tri3", "corotated", "dapd", 0.1, 3);
    e.s.x[6] = 0.45, e.s.x[7] = -2; /* straight down through the edge 01 */
    go(&e, NULL);
    assert_int_equal(e.state[0], 4);
    free_element(&e);
    one_element(&e, context, "tri3", "corotated", "isvd", 0.1,
                3); /* for such depths isvd has turned the element over */
    const sn_element_view view = {
        .settings = &e.s.settings, .unsymmetric = e.s.unsymmetric, .x = e.s.x, .x_before = e.s.rest};
    e.s.x[6] = 0.45, e.s.x[7] = -2;
    alignas(64) double R[72];
    sn_element_kernels_for(context)->rotation(&e.s.model.batch[0], 0, &view, R);
    assert_true(R[0] < 0);
    free_element(&e);
    sn_context_destroy(context);
}

/* ---- Smoothness and derivatives ---- */
static void rotation_of(const single *e, const double *x, double R[9]) {
    const sn_element_view view = {.settings = &e->s.settings,
                                  .unsymmetric = e->s.unsymmetric,
                                  .x = x,
                                  .x_before = e->s.rest,
                                  .rotation_state = e->state};
    alignas(64) double block[72];
    sn_element_kernels_for(e->s.context)->rotation(&e->s.model.batch[0], 0, &view, block);
    for (int i = 0; i < 9; ++i) R[i] = block[SN_LANES * i];
}

/* Along a path through det F = alpha and 0 the slope of R has no jump with dapd, and one with project. */
static void once_differentiable(void **state) {
    (void)state;
    const char *const element[] = {"tet4", "tri3"}, *const method[] = {"dapd", "project", "reflect"};
    sn_context *context = make_context("auto", 1);
    for (int k = 0; k < 2; ++k)
        for (int m = 0; m < 3; ++m) {
            single e;
            one_element(&e, context, element[k], "corotated", method[m], 0.1, 3);
            const int last = e.s.nodes - 1,
                      up = k == 0 ? 2 : 1; /* the last corner falls through z = 0 or y = 0, turning the shape */
            double jump = 0, before[9], slope[9] = {0}, R[9];
            const int steps = 4000;
            for (int i = 0; i <= steps; ++i) {
                const double t = (double)i / steps;
                e.s.x[3 * last + up] = e.s.rest[3 * last + up] * (0.4 - 0.8 * t);
                e.s.x[3 * last] = e.s.rest[3 * last] + 0.7 * t;
                rotation_of(&e, e.s.x, R);
                for (int a = 0; a < 9; ++a) {
                    const double now = i > 0 ? (R[a] - before[a]) * steps : 0;
                    if (i > 1) jump = fmax(jump, fabs(now - slope[a]));
                    slope[a] = now, before[a] = R[a];
                }
            }
            if (m == 0 && !(jump < 0.05)) fail_msg("dapd of %s: its slope jumps by %g", element[k], jump);
            if (m > 0 && !(jump > 0.08)) fail_msg("%s of %s: its slope should jump; %g", method[m], element[k], jump);
            free_element(&e);
        }
    sn_context_destroy(context);
}

/* The exact differential of the force, with the witness kept, against differences; regular, between 0 and alpha, and
 * inverted. */
static void exact_differential(void **state) {
    (void)state;
    const char *const element[] = {"tet4", "tri3"}, *const law[] = {"corotated", "corrected-corotated",
                                                                    "hybrid-strain"};
    sn_context *context = make_context("auto", 1);
    uint64_t seed = 11;
    for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 3; ++l)
            for (int n = 0; n < 60; ++n) {
                single e;
                one_element(&e, context, element[k], law[l], "dapd", 0.3, 1 + n % 4);
                e.s.unsymmetric = true;
                const int last = e.s.nodes - 1, up = k == 0 ? 2 : 1, count = 3 * e.s.nodes;
                const double height[3] = {0.6, 0.15, -0.5};
                for (int i = 0; i < count; ++i)
                    if (k == 0 || i % 3 != 2) e.s.x[i] += 0.1 * draw(&seed);
                e.s.x[3 * last + up] = e.s.rest[3 * last + up] * height[n % 3];
                go(&e, NULL);
                double u[12], f[2][12], *K = doubles(count);
                const sn_element_view view = {.settings = &e.s.settings,
                                              .unsymmetric = e.s.unsymmetric,
                                              .x = e.s.x,
                                              .x_before = e.s.rest,
                                              .rotation_state = e.state};
                for (int i = 0; i < count; ++i) u[i] = k == 0 || i % 3 != 2 ? draw(&seed) : 0;
                sn_elements_product(context, &e.s.model, &view, 1, 0, NULL, u, K);
                const double h = 1e-6;
                for (int side = 0; side < 2; ++side) {
                    double x[12];
                    memset(f[side], 0, sizeof f[side]);
                    for (int i = 0; i < count; ++i) x[i] = e.s.x[i] + (side ? h : -h) * u[i];
                    const sn_element_view near = {.settings = &e.s.settings,
                                                  .unsymmetric = e.s.unsymmetric,
                                                  .x = x,
                                                  .x_before = e.s.rest,
                                                  .rotation_state = e.state};
                    assert_int_equal(sn_elements_force(context, &e.s.model, &near, f[side], NULL), SN_OK);
                }
                double off = 0;
                for (int i = 0; i < count; ++i) off = fmax(off, fabs(K[i] + (f[1][i] - f[0][i]) / (2 * h)));
                if (!(off < 1e-5 * fmax(largest(K, count), 100)))
                    fail_msg("%s %s height %g: off by %g of %g", element[k], law[l], height[n % 3], off,
                             largest(K, count));
                free(K);
                free_element(&e);
            }
    sn_context_destroy(context);
}

/* The force of dapd-exact is minus the gradient of the energy, regular, flat and inverted. That of dapd is not where
 * the element is degenerate. */
static void exact_stress(void **state) {
    (void)state;
    static const char *const element[] = {"tet4", "tri3"}, *const rotation[] = {"dapd", "dapd-exact"};
    static const char *const law[] = {"corotated", "corrected-corotated", "hybrid-strain"};
    sn_context *context = make_context("auto", 1);
    uint64_t seed = 23;
    for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 3; ++l) {
            double worst[2] = {0};
            for (int n = 0; n < 120; ++n) {
                single e;
                one_element(&e, context, element[k], law[l], rotation[n % 2], 0.3, 1 + n % 4);
                const int last = e.s.nodes - 1, up = k == 0 ? 2 : 1, count = 3 * e.s.nodes;
                const double height[3] = {0.6, 0.15, -0.5}, h = 1e-6;
                for (int i = 0; i < count; ++i)
                    if (k == 0 || i % 3 != 2) e.s.x[i] += 0.3 * draw(&seed);
                e.s.x[3 * last + up] = e.s.rest[3 * last + up] * height[n / 2 % 3];
                go(&e, NULL);
                double u[12], f[12] = {0}, along = 0, energy[2], partial[8], size = 0;
                sn_element_view view = {
                    .settings = &e.s.settings, .x = e.s.x, .x_before = e.s.rest, .rotation_state = e.state};
                assert_int_equal(sn_elements_force(context, &e.s.model, &view, f, NULL), SN_OK);
                for (int i = 0; i < count; ++i) {
                    u[i] = k == 0 || i % 3 != 2 ? draw(&seed) : 0;
                    along -= f[i] * u[i], size = fmax(size, fabs(f[i]));
                }
                for (int side = 0; side < 2; ++side) {
                    double x[12];
                    for (int i = 0; i < count; ++i) x[i] = e.s.x[i] + (side ? h : -h) * u[i];
                    view.x = x;
                    assert_int_equal(sn_elements_energy(context, &e.s.model, &view, partial, &energy[side], NULL),
                                     SN_OK);
                }
                worst[n % 2] = fmax(worst[n % 2], fabs((energy[1] - energy[0]) / (2 * h) - along) / size);
                free_element(&e);
            }
            if (!(worst[1] < 1e-6 && worst[0] > 1e-2))
                fail_msg("%s %s: off by %g, and %g without the change of R", element[k], law[l], worst[1], worst[0]);
        }
    sn_context_destroy(context);
}

/* In the plane every method turns about z alone and is proper, inverted or not. */
static void plane_rotations(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    int count;
    const sn_listing *method = sn_rotations(&count);
    uint64_t seed = 29;
    for (int m = 0; m < count; ++m) {
        single e;
        one_element(&e, context, "tri3", "corotated", method[m].name, 0.1, 3);
        for (int n = 0; n < 400; ++n) {
            for (int i = 0; i < 9; ++i) e.s.x[i] = i % 3 == 2 ? 0 : n == 0 ? 0 : 2 * draw(&seed);
            double R[9];
            memset(e.state, 0, (size_t)e.s.model.rotation_state_size * sizeof(double));
            rotation_of(&e, e.s.x, R);
            if (!(orthogonality(R) < 1e-14)) fail_msg("%s: orthogonality %g", method[m].name, orthogonality(R));
            assert_true(R[8] == 1 && R[2] == 0 && R[5] == 0 && R[6] == 0 && R[7] == 0);
            if (strcmp(method[m].name, "higham") != 0) assert_true(det(R) > 0);
        }
        free_element(&e);
    }
    sn_context_destroy(context);
}

static void ranges(void **state) {
    (void)state;
    sn_material m = sn_material_default();
    sn_error error = {0};
    snprintf(m.rotation, sizeof m.rotation, "dapd");
    assert_int_equal(sn_material_check(NULL, &m, &error), SN_OK);
    m.alpha = 1;
    assert_int_equal(sn_material_check(NULL, &m, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "alpha is 1"));
    m.alpha = 0.1, m.beta = 0.5;
    assert_int_equal(sn_material_check(NULL, &m, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "beta is 0.5"));
    sn_context *context = make_context("auto", 1);
    const double F[9] = {1, 0.2, 0, 0, 1, 0, 0.3, 0.1, -0.5}, usual[2] = {0.1, 3}, other[2] = {0.4, 1},
                 wrong[2] = {1, 3};
    double R[3][9];
    assert_int_equal(sn_rotation_evaluate(context, "dapd", NULL, F, R[0], NULL, NULL), SN_OK);
    assert_int_equal(sn_rotation_evaluate(context, "dapd", usual, F, R[1], NULL, NULL), SN_OK);
    assert_int_equal(sn_rotation_evaluate(context, "dapd", other, F, R[2], NULL, NULL), SN_OK);
    assert_memory_equal(R[0], R[1], sizeof R[0]);
    assert_true(fabs(R[0][0] - R[2][0]) > 1e-3);
    assert_int_equal(sn_rotation_evaluate(context, "dapd", wrong, F, R[0], NULL, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "alpha");
    assert_int_equal(sn_rotation_evaluate(context, "polar", usual, F, R[0], NULL, &error), SN_BAD_INPUT);
    m = sn_material_default();
    snprintf(m.law, sizeof m.law, "corotated-updated");
    snprintf(m.rotation, sizeof m.rotation, "dapd-exact");
    assert_int_equal(sn_material_check(NULL, &m, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "rotation");
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proper_on_every_matrix),
        cmocka_unit_test(polar_while_regular),
        cmocka_unit_test(witnesses),
        cmocka_unit_test(first_collapse_counts),
        cmocka_unit_test(once_differentiable),
        cmocka_unit_test(exact_differential),
        cmocka_unit_test(exact_stress),
        cmocka_unit_test(plane_rotations),
        cmocka_unit_test(ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
