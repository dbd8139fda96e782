/* The penalty response: forces against their definition, K and D against central differences, checks of colliders. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/math3.h"
#include "contact/penalty.h"

static void close_to(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) {
        print_message("%.17g, expected %.17g\n", a, b);
        fail();
    }
}

static int32_t one_node[1] = {0};
static double one_area[1] = {0.04}, one_mass[1] = {0.7};
static const sn_contact_nodes one = {.count = 1, .node = one_node, .area = one_area, .mass = one_mass};

static void check_definite(const double K[9], const double D[9]) {
    for (int t = 0; t < 30; ++t) {
        const double u[3] = {sin(1.0 * t), cos(2.3 * t), sin(0.7 * t + 1)};
        double k = 0, d = 0;
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s) {
                k += u[r] * K[3 * s + r] * u[s], d += u[r] * D[3 * s + r] * u[s];
                close_to(K[3 * s + r], K[3 * r + s], 1e-12);
                close_to(D[3 * s + r], D[3 * r + s], 1e-12);
            }
        assert_true(k >= -1e-9 && d >= -1e-9);
    }
}

/* A collider that is ready for use; released with the context of the tests. */
static sn_context *context;
static sn_collider_model compiled[64];
static int compiled_count;

static const sn_collider_model *make(const sn_collider *options) {
    sn_collider_model *model = &compiled[compiled_count++];
    assert_true(compiled_count <= 64);
    sn_error error = {0};
    if (sn_collider_model_create(context, options, model, &error)) print_message("%s\n", error.text), fail();
    return model;
}

static void check_blocks(const sn_collider_model *c, const sn_penalty *p, const double x0[3], const double v0[3]) {
    double x[3], v[3], K[9], D[9];
    int32_t node[1];
    memcpy(x, x0, sizeof x);
    memcpy(v, v0, sizeof v);
    assert_int_equal(sn_penalty_blocks(c, p, &one, 0.5, x, v, false, NULL, node, node, K, D), 1);
    for (int j = 0; j < 3; ++j) {
        const double h = 1e-7;
        double plus[3] = {0}, minus[3] = {0};
        x[j] = x0[j] + h, sn_penalty_force(c, p, &one, 0.5, x, v, NULL, plus);
        x[j] = x0[j] - h, sn_penalty_force(c, p, &one, 0.5, x, v, NULL, minus);
        x[j] = x0[j];
        for (int r = 0; r < 3; ++r) close_to(K[3 * j + r], -(plus[r] - minus[r]) / (2 * h), 1e-5);
        memset(plus, 0, sizeof plus), memset(minus, 0, sizeof minus);
        v[j] = v0[j] + h, sn_penalty_force(c, p, &one, 0.5, x, v, NULL, plus);
        v[j] = v0[j] - h, sn_penalty_force(c, p, &one, 0.5, x, v, NULL, minus);
        v[j] = v0[j];
        for (int r = 0; r < 3; ++r) close_to(D[3 * j + r], -(plus[r] - minus[r]) / (2 * h), 1e-5);
    }
    /* With a memory: symmetric, not negative, whatever the memory holds. */
    static const double held[3][3] = {{0, 0, 0}, {0.6, 0.3, -0.7}, {-0.5, 0.1, 0.8}};
    for (int k = 0; k < 3; ++k) {
        sn_friction memory = {.normal = 12, .slip = {0.3, -0.1, 0.2}, .known = true};
        memcpy(memory.lambda, held[k], sizeof memory.lambda);
        sn_penalty_blocks(c, p, &one, 0.5, x, v, true, &memory, node, node, K, D);
        check_definite(K, D);
    }
    sn_penalty_blocks(c, p, &one, 0.5, x, v, true, NULL, node, node, K, D);
    check_definite(K, D);
}

static void test_blocks(void **state) {
    (void)state;
    const double key[8] = {0, 0, 0, 0, 1, 0.1, 0.02, -0.05};
    const double origin[3] = {0}, slope[3] = {0.6, 0.8, 0};
    sn_collider plane = sn_collider_plane(origin, slope), ball = sn_collider_sphere(origin, 1), bowl = ball;
    plane.key = key, plane.key_count = 2;
    bowl.inside = true;
    const sn_penalty p = {.stiffness = 2000, .depth = 0.3, .damping = 0.3, .friction = 0.6, .slip = 0.05};
    const double slow[3] = {0.01, -0.2, 0.015}, fast[3] = {0.4, -0.3, -0.5}, away[3] = {0.1, 0.05, 0.1};
    const double *const speeds[] = {slow, fast, away};
    const double deep[3] = {0.2, -0.3, 0.1}, barely[3] = {-0.0001, 0, 0.1};
    const double in_ball[3] = {0.3, 0.6, 0.5}, out_of_bowl[3] = {0.5, -0.9, 0.4};
    for (int i = 0; i < 3; ++i) {
        check_blocks(make(&plane), &p, deep, speeds[i]);
        check_blocks(make(&ball), &p, in_ball, speeds[i]);
        check_blocks(make(&bowl), &p, out_of_bowl, speeds[i]);
    }
    plane.key_count = 0;
    check_blocks(make(&plane), &p, barely, slow); /* where the damper grips gradually */
}

/* The response "spring-damper": the force by its definition, exact blocks, and blocks that are exact without slip. */
static void test_spring_damper(void **state) {
    (void)state;
    const double key[8] = {0, 0, 0, 0, 1, 0.1, 0.02, -0.05};
    const double origin[3] = {0}, up[3] = {0, 1, 0}, slope[3] = {0.6, 0.8, 0};
    const sn_penalty p = {.per_node = true, .stiffness = 2000, .damping = 30, .drag = 400, .slip = 0.05};
    sn_collider plane = sn_collider_plane(origin, up), ball = sn_collider_sphere(origin, 1);
    const double in[3] = {0.3, -0.1, 0}, v[3] = {0.2, -0.4, 0.5};
    double f[3] = {0};
    assert_int_equal(sn_penalty_force(make(&plane), &p, &one, 0, in, v, NULL, f), 1);
    close_to(f[1], 2000 * 0.1 + 30 * 0.4, 1e-12); /* K_N d - C_N u_n */
    close_to(f[0], -400 * 0.1 * 0.2, 1e-12);      /* -C_T d u_t */
    close_to(f[2], -400 * 0.1 * 0.5, 1e-12);
    close_to(sn_penalty_energy(make(&plane), &p, &one, 0, in), 0.5 * 2000 * 0.01, 1e-12);
    const double leaving[3] = {0, 20, 0}; /* the damper pulls */
    memset(f, 0, sizeof f);
    sn_penalty_force(make(&plane), &p, &one, 0, in, leaving, NULL, f);
    close_to(f[1], 2000 * 0.1 - 30 * 20, 1e-12);
    plane = sn_collider_plane(origin, slope);
    plane.key = key, plane.key_count = 2;
    const double deep[3] = {0.2, -0.3, 0.1}, in_ball[3] = {0.3, 0.6, 0.5};
    check_blocks(make(&plane), &p, deep, v);
    check_blocks(make(&ball), &p, in_ball, v);
    /* Without slip the symmetric blocks are the exact ones. */
    double w[3], K[2][9], D[2][9];
    int32_t node[1];
    sn_pose pose;
    const sn_collider_model *moved = make(&plane);
    sn_collider_at(moved, 0.5, &pose);
    sn_collider_velocity(moved, &pose, deep, w);
    for (int definite = 0; definite < 2; ++definite)
        sn_penalty_blocks(moved, &p, &one, 0.5, deep, w, definite, NULL, node, node, K[definite], D[definite]);
    for (int i = 0; i < 9; ++i) close_to(K[0][i], K[1][i], 1e-10), close_to(D[0][i], D[1][i], 1e-10);
}

/* With N held and lambda = u / w, D is the derivative of friction, K has none of it; and a memory that follows a
 * sequence of slips that converges ends there. */
static void test_friction(void **state) {
    (void)state;
    const double n[3] = {0, 0.6, 0.8}, e = 0.05, N = 7;
    const double slips[3][3] = {{0.4, 0.08, -0.06}, {0.01, 0.016, -0.012}, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        sn_friction memory = {.normal = N};
        double u[3], D[9] = {0};
        for (int i = 0; i < 40; ++i) {
            const double far = i < 39 ? exp2(-i) : 0; /* turns over at first */
            for (int a = 0; a < 3; ++a) u[a] = slips[k][a] * (1 - 3 * far);
            sn_friction_follow(&memory, n, u, e);
        }
        sn_friction_add(&memory, n, e, N, D);
        for (int j = 0; j < 3; ++j) {
            const double h = 1e-8;
            double side[2][3], direction[3] = {-n[0] * n[j], -n[1] * n[j], -n[2] * n[j]};
            direction[j] += 1;
            for (int s = 0; s < 2; ++s)
                for (int a = 0; a < 3; ++a) side[s][a] = slips[k][a] + (s ? h : -h) * direction[a];
            for (int r = 0; r < 3; ++r) {
                const double plus = N * sn_friction_phi(sn_norm3(side[1]), e, NULL) * side[1][r];
                const double minus = N * sn_friction_phi(sn_norm3(side[0]), e, NULL) * side[0][r];
                close_to(D[3 * r + j], (plus - minus) / (2 * h), 2e-4 * N / e);
            }
        }
    }
}

/* A solve that is repeated at its place keeps the secant, which resists a slip along itself. */
static void test_repeated_friction(void **state) {
    (void)state;
    const double n[3] = {0, 1, 0}, u[3] = {0.3, 0, 0.4}, e = 0.05, N = 7;
    sn_friction memory = {.normal = N};
    double D[2][9] = {{0}, {0}};
    for (int k = 0; k < 2; ++k) {
        sn_friction_follow(&memory, n, u, e);
        sn_friction_add(&memory, n, e, N, D[k]);
    }
    assert_memory_equal(D[0], D[1], sizeof D[0]);
    double Du[3];
    sn_multiply_vector3(D[1], u, Du);
    assert_float_equal(sn_dot3(u, Du), N * 0.5, 1e-12); /* N |u|^2 / |u| */
}

/* K is minus the derivative of the energy's, the force minus the energy's, also where the spring stiffens. */
static void test_energy(void **state) {
    (void)state;
    const double origin[3] = {0};
    const sn_collider options = sn_collider_sphere(origin, 1);
    const sn_collider_model *ball = make(&options);
    const sn_penalty p = {.stiffness = 2000, .depth = 0.02, .slip = 0.01};
    const double depth[3] = {0.001, 0.02, 0.1};
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3; ++a) {
            double x[3] = {0.6 * (1 - depth[k]), 0, 0.8 * (1 - depth[k])}, f[3] = {0};
            sn_penalty_force(ball, &p, &one, 0, x, NULL, NULL, f);
            const double h = 1e-7;
            x[a] += h;
            const double plus = sn_penalty_energy(ball, &p, &one, 0, x);
            x[a] -= 2 * h;
            const double minus = sn_penalty_energy(ball, &p, &one, 0, x);
            close_to(f[a], -(plus - minus) / (2 * h), 1e-6 * (1 + fabs(f[a])));
        }
}

/* Ways through a ball are seen, those beside it, into it and inside a bowl are not taken for it. */
static void test_passed(void **state) {
    (void)state;
    const double key[8] = {0, 0, 0, 0, 1, 10, 0, 0};
    const double origin[3] = {0};
    sn_collider ball = sn_collider_sphere(origin, 1);
    const double left[3] = {-3, 0.1, 0}, right[3] = {2, 0.2, 0}, above[3] = {0, 4, 0}, in[3] = {-0.9, 0, 0},
                 beyond[3] = {0.5, 0, 0};
    assert_true(sn_collider_passed(make(&ball), 0, left, 1, right));
    assert_true(sn_collider_passed(make(&ball), 0, left, 1, beyond));
    assert_false(sn_collider_passed(make(&ball), 0, left, 1, above));
    assert_false(sn_collider_passed(make(&ball), 0, left, 1, in));
    assert_false(sn_collider_passed(make(&ball), 0, left, 1, left));
    assert_false(sn_collider_passed(make(&ball), 0, in, 1, right));
    ball.key = key, ball.key_count = 2; /* now the ball moves along */
    assert_true(sn_collider_passed(make(&ball), 0, right, 1, right));
    ball.key_count = 0, ball.inside = true;
    assert_false(sn_collider_passed(make(&ball), 0, in, 1, beyond));
    sn_collider plane = sn_collider_default();
    assert_false(sn_collider_passed(make(&plane), 0, left, 1, right));
}

static void test_force(void **state) {
    (void)state;
    const sn_collider options = sn_collider_default();
    const sn_collider_model *plane = make(&options);
    const sn_penalty p = {.stiffness = 1000, .damping = 0, .friction = 0.5, .slip = 0.01};
    double x[3] = {0, -0.1, 0}, v[3] = {3, 0, 4}, f[3] = {0};
    assert_int_equal(sn_penalty_force(plane, &p, &one, 0, x, v, NULL, f), 1);
    const double normal = 0.04 * 1000 * 0.1; /* area stiffness depth */
    close_to(f[1], normal, 1e-12);
    close_to(f[0], -0.5 * normal * 0.6, 1e-12);
    close_to(f[2], -0.5 * normal * 0.8, 1e-12);
    close_to(sn_penalty_energy(plane, &p, &one, 0, x), 0.5 * 0.04 * 1000 * 0.01, 1e-12);
    /* Without velocity: the spring alone. */
    memset(f, 0, sizeof f);
    sn_penalty_force(plane, &p, &one, 0, x, NULL, NULL, f);
    close_to(f[0], 0, 0);
    close_to(f[1], normal, 1e-12);
    /* Out of reach. */
    x[1] = 1e-9;
    memset(f, 0, sizeof f);
    assert_int_equal(sn_penalty_force(plane, &p, &one, 0, x, v, NULL, f), 0);
    close_to(f[1], 0, 0);
    /* A damper never pulls. */
    const sn_penalty damped = {.stiffness = 1000, .damping = 5, .slip = 0.01};
    x[1] = -0.01, v[1] = 100;
    sn_penalty_force(plane, &damped, &one, 0, x, v, NULL, f);
    close_to(f[1], 0, 0);
}

/* A long list in pieces, on two threads, against each of its points alone. */
static void test_pieces(void **state) {
    (void)state;
    enum { MANY = 1700 };
    static int32_t node[MANY], row[MANY], column[MANY];
    static double area[MANY], mass[MANY], x[3 * MANY], v[3 * MANY], f[3 * MANY], own[3 * MANY], K[9 * MANY],
        D[9 * MANY];
    static sn_friction memory[MANY];
    static uint8_t held[MANY];
    sn_context_options two = sn_context_options_default();
    two.threads = 2;
    sn_context *context;
    assert_int_equal(sn_context_create(&two, &context, NULL), SN_OK);
    const sn_collider options = sn_collider_default();
    const sn_collider_model *plane = make(&options);
    const sn_penalty p = {
        .stiffness = 1000, .damping = 0.1, .friction = 0.5, .slip = 0.01, .ahead = 0.01, .held = held};
    const sn_contact_nodes all = {.count = MANY, .node = node, .area = area, .mass = mass, .context = context};
    for (int i = 0; i < MANY; ++i) {
        node[i] = (i + 31) % MANY, area[i] = 0.01 + 1e-5 * i, mass[i] = 0.1;
        for (int a = 0; a < 3; ++a)
            x[3 * i + a] = 0.02 * sin(17.0 * i + a), v[3 * i + a] = 3 * cos(5.0 * i * a + 2 * i);
    }
    int touching = 0, released = 0;
    double square = 0, change = 0, energy = 0, squares = 0, changes = 0;
    const int found = sn_penalty_force(plane, &p, &all, 0, x, v, NULL, f),
              blocks = sn_penalty_blocks(plane, &p, &all, 0, x, v, true, NULL, row, column, K, D);
    sn_penalty_lag(plane, &p, &all, 0, x, v, memory, &square, &change);
    for (int i = 0; i < MANY; ++i) {
        const sn_contact_nodes single = {.count = 1, .node = node + i, .area = area + i, .mass = mass + i};
        const sn_penalty of = {
            .stiffness = 1000, .damping = 0.1, .friction = 0.5, .slip = 0.01, .ahead = 0.01, .held = held + i};
        int32_t at = -1;
        double k[9], d[9];
        sn_friction alone = {.normal = 0};
        sn_penalty_force(plane, &of, &single, 0, x, v, NULL, own);
        sn_penalty_lag(plane, &of, &single, 0, x, v, &alone, &squares, &changes);
        close_to(memory[i].normal, alone.normal, 0);
        energy += sn_penalty_energy(plane, &of, &single, 0, x);
        if (sn_penalty_blocks(plane, &of, &single, 0, x, v, true, NULL, &at, &at, k, d) == 0) continue;
        assert_int_equal(row[touching], at), assert_int_equal(column[touching], at);
        assert_memory_equal(K + 9 * touching, k, sizeof k);
        assert_memory_equal(D + 9 * touching, d, sizeof d);
        ++touching;
    }
    assert_true(touching > MANY / 4 && touching < MANY);
    assert_int_equal(found, touching);
    assert_int_equal(blocks, touching);
    assert_memory_equal(f, own, sizeof f);
    close_to(square, squares, 1e-12 * squares), close_to(change, changes, 1e-12 * changes);
    close_to(sn_penalty_energy(plane, &p, &all, 0, x), energy, 1e-12 * energy);
    for (int i = 0; i < MANY; ++i) x[3 * i + 1] += 1, released += held[i] == SN_AHEAD_HELD;
    assert_true(released > 0 && sn_penalty_release(plane, &p, &all, 0, x));
    for (int i = 0; i < MANY; ++i) released -= held[i] == SN_AHEAD_RELEASED;
    assert_int_equal(released, 0);
    assert_false(sn_penalty_release(plane, &p, &all, 0, x));
    sn_context_destroy(context);
}

static void test_motion(void **state) {
    (void)state;
    const double key[12] = {1, 0, 0, 0, 2, 0, 2, 0, 4, 0, 3, 0};
    sn_collider plane = sn_collider_default();
    plane.key = key, plane.key_count = 3;
    const sn_collider_model *model = make(&plane);
    sn_pose pose;
    sn_collider_at(model, 0.5, &pose);
    close_to(pose.offset[1], 0, 0), close_to(pose.velocity[1], 0, 0);
    sn_collider_at(model, 1.5, &pose);
    close_to(pose.offset[1], 1, 1e-15), close_to(pose.velocity[1], 2, 1e-15);
    sn_collider_at(model, 2, &pose);
    close_to(pose.offset[1], 2, 0), close_to(pose.velocity[1], 2, 1e-15);
    sn_collider_at(model, 3, &pose);
    close_to(pose.offset[1], 2.5, 1e-15), close_to(pose.velocity[1], 0.5, 1e-15);
    sn_collider_at(model, 9, &pose);
    close_to(pose.offset[1], 3, 0), close_to(pose.velocity[1], 0, 0);
}

static void refused(const sn_collider *c, const char *path, const char *word) {
    sn_error error = {0};
    assert_int_equal(sn_collider_check(c, &error), SN_BAD_INPUT);
    if (strcmp(error.path, path) != 0 || !strstr(error.text, word)) {
        print_message("'%s': '%s' should be about '%s' and name '%s'\n", error.path, error.text, path, word);
        fail();
    }
}

static void test_checks(void **state) {
    (void)state;
    const double key[8] = {1, 0, 0, 0, 1, 0, 2, 0}, zero[3] = {0}, one_number = 1, up[3] = {0, 1, 0},
                 bad[3] = {0, NAN, 0};
    sn_collider c = sn_collider_default();
    assert_int_equal(sn_collider_check(&c, NULL), SN_OK);
    c.friction = -1, refused(&c, "friction", "at least 0");
    c = sn_collider_plane(zero, zero), refused(&c, "plane.normal", "no direction");
    c = sn_collider_plane(bad, up), refused(&c, "plane.point", "finite");
    c = sn_collider_default(), c.inside = true, refused(&c, "plane.inside", "no inside");
    c = sn_collider_sphere(zero, 0), refused(&c, "sphere.radius", "above 0 m");
    c = sn_collider_sphere(zero, 1), c.value_count = 0, refused(&c, "sphere", "'radius'");
    c = sn_collider_default(), strcpy(c.shape, "spher"), refused(&c, "shape", "'sphere'");
    c = sn_collider_default(), strcpy(c.response, "penalti"), refused(&c, "response", "'penalty'");
    c = sn_collider_default(), c.stiffness = -2, refused(&c, "stiffness", "Pa/m");
    c = sn_collider_default(), c.damping = NAN, refused(&c, "damping", "nan");
    c = sn_collider_default(), c.key = key, c.key_count = 2, refused(&c, "keys.1", "ascend");
    c = sn_collider_default(), c.turn.key = key, c.turn.key_count = 4, refused(&c, "turn.keys.1", "ascend");
    c = sn_collider_default(), c.turn.key = key + 3, c.turn.key_count = 1, c.turn.axis[1] = 0,
    refused(&c, "turn.axis", "direction");
    sn_error error = {0};
    c = sn_collider_default();
    assert_int_equal(sn_collider_set(&c, "norml", up, 3, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "'normal'"));
    assert_int_equal(sn_collider_set(&c, "normal", &one_number, 1, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "plane.normal");
}

static int start(void **state) {
    (void)state;
    return sn_context_create(NULL, &context, NULL);
}

static int end(void **state) {
    (void)state;
    for (int i = 0; i < compiled_count; ++i) sn_collider_model_destroy(context, &compiled[i]);
    sn_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks),   cmocka_unit_test(test_spring_damper),
                                       cmocka_unit_test(test_friction), cmocka_unit_test(test_repeated_friction),
                                       cmocka_unit_test(test_energy),   cmocka_unit_test(test_passed),
                                       cmocka_unit_test(test_force),    cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_motion),   cmocka_unit_test(test_checks)};
    return cmocka_run_group_tests(tests, start, end);
}
