/* Saving and restoring, and the same bits whatever runs them: threads, instruction sets, a host's scheduler, a restart.
 */
#include "scene.h"

#include <unistd.h>

#include "simd_sets.h"
/* A busy scene: contact with friction, a following load, a keyed fix, damping, two bodies. */
typedef struct busy {
    scene s;
    sn_body_options body[2];
    sn_mesh *second;
} busy;

static const double busy_key[8] = {0, 0, 0, 0, 0.1, 0, 0.05, 0};

static void busy_start(busy *b, const sn_context_options *context) {
    scene *s = &b->s;
    scene_start(s, context, 0.6, 0.2, 0.2, 6, 3, 3);
    clamp_left(s);
    s->fix[0].key = busy_key, s->fix[0].key_count = 2;
    s->load[0].kind = SN_LOAD_PRESSURE;
    s->load[0].select = normal_selector(0, 1, 0);
    s->load[0].scalar = 500;
    s->load[0].follow = true;
    s->body.load_count = 1;
    s->material.viscous[1] = 20;
    b->second = box_mesh(s->context, 0.2, 0.2, 0.2, 2, 2, 2, 6);
    sn_mesh_move(b->second, (double[3]){0.3, -0.25, 0});
    b->body[0] = b->body[1] = s->body;
    strcpy(b->body[1].name, "cube");
    b->body[1].mesh = b->second;
    b->body[1].fix_count = b->body[1].load_count = 0;
    strcpy(b->body[1].element, "tet10");
    b->body[1].initial.velocity[0] = 0.5;
    set_place(&s->collider[0], "point", 0, -0.27, 0);
    s->collider[0].friction = 0.4;
    s->options.collider_count = 1;
    s->options.body = b->body;
    s->options.body_count = 2;
    scene_create(s);
}

static void busy_end(busy *b) {
    sn_mesh_destroy(b->second);
    scene_end(&b->s);
}

static void run_hash(const sn_context_options *options, char text[17]) {
    busy b;
    busy_start(&b, options);
    step(&b.s, 8);
    sn_world_hash(b.s.world, text);
    busy_end(&b);
}

static void backwards(void *host, int count, void (*task)(void *data, int index), void *data) {
    (void)host;
    for (int i = count - 1; i >= 0; --i) task(data, i);
}

static void test_same_bits(void **state) {
    (void)state;
    char first[17], text[17];
    sn_context_options o = sn_context_options_default();
    o.threads = 1;
    o.simd = "baseline";
    run_hash(&o, first);
    static const char *const simd[] = {"baseline", "avx2", "avx512"};
    for (int i = 1; i < 3; ++i) {
        o.simd = simd_or_widest(simd[i]);
        run_hash(&o, text);
        assert_string_equal(text, first);
    }
    for (int threads = 2; threads <= 4; threads *= 2) {
        o.threads = threads;
        run_hash(&o, text);
        assert_string_equal(text, first);
    }
    o.threads = 1;
    o.parallel_for = backwards;
    run_hash(&o, text);
    assert_string_equal(text, first);
}

static void test_restore_goes_on(void **state) {
    (void)state;
    const char *const path = "test_save.state";
    busy a, b;
    busy_start(&a, NULL);
    busy_start(&b, NULL);
    char one[17], two[17];
    step(&a.s, 6);
    assert_int_equal(sn_world_pin(a.s.world, 1, 3, true, NULL), SN_OK);
    step(&a.s, 1);
    assert_int_equal(sn_world_save(a.s.world, path, &a.s.error), SN_OK);
    step(&a.s, 6);
    sn_world_hash(a.s.world, one);
    step(&b.s, 3); /* something else before */
    assert_int_equal(sn_world_restore(b.s.world, path, &b.s.error), SN_OK);
    assert_int_equal(sn_world_steps(b.s.world), 7);
    step(&b.s, 6);
    sn_world_hash(b.s.world, two);
    assert_string_equal(one, two);
    /* Memory does the same as a file. */
    const size_t size = sn_world_state_size(a.s.world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(a.s.world, bytes, size, NULL), SN_OK);
    step(&a.s, 2);
    sn_world_hash(a.s.world, one);
    assert_int_equal(sn_world_restore_state(a.s.world, bytes, size, NULL), SN_OK);
    step(&a.s, 2);
    sn_world_hash(a.s.world, two);
    assert_string_equal(one, two);
    free(bytes);
    busy_end(&a);
    busy_end(&b);
    unlink(path);
}

/* Every kind of history: multi-step, second order, explicit, and a Newton that keeps its linearisation over steps. */
static void test_methods_go_on(void **state) {
    (void)state;
    static const char *const methods[] = {"implicit-euler", "bdf3", "newmark", "rosenbrock2-w", "dopri5", "verlet"};
    for (int k = 0; k < 12; ++k) {
        scene s;
        scene_start(&s, NULL, 0.4, 0.2, 0.2, 3, 2, 2);
        clamp_left(&s);
        strcpy(s.options.time.method, methods[k % 6]);
        if (k >= 6) set_newton(&s, "simplified", 10, 1e-6);
        s.options.time.step = 1e-3;
        scene_create(&s);
        char one[17], two[17];
        step(&s, 9);
        const size_t size = sn_world_state_size(s.world);
        void *bytes = malloc(size);
        assert_int_equal(sn_world_save_state(s.world, bytes, size, NULL), SN_OK);
        step(&s, 9);
        sn_world_hash(s.world, one);
        sn_world_destroy(s.world);
        scene_create(&s);
        assert_int_equal(sn_world_restore_state(s.world, bytes, size, NULL), SN_OK);
        step(&s, 9);
        sn_world_hash(s.world, two);
        assert_string_equal(one, two);
        free(bytes);
        scene_end(&s);
    }
}

static void refused(sn_world *world, const void *bytes, size_t size, const char *word) {
    sn_error error = {0};
    char before[17], after[17];
    sn_world_hash(world, before);
    assert_int_not_equal(sn_world_restore_state(world, bytes, size, &error), SN_OK);
    if (!strstr(error.text, word)) {
        print_message("'%s' should name '%s'\n", error.text, word);
        fail();
    }
    sn_world_hash(world, after);
    assert_string_equal(before, after);
}

static void test_bad_states(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.3, 0.2, 0.2, 2, 1, 1);
    scene_create(&s);
    step(&s, 2);
    const size_t size = sn_world_state_size(s.world);
    char *bytes = malloc(size + 1), *copy = malloc(size + 1);
    assert_int_equal(sn_world_save_state(s.world, bytes, size - 1, NULL), SN_BAD_INPUT);
    assert_int_equal(sn_world_save_state(s.world, bytes, size, NULL), SN_OK);
    for (size_t cut = 0; cut < size; cut += 13) refused(s.world, bytes, cut, "cut off");
    bytes[size] = 0;
    refused(s.world, bytes, size + 1, "too many");
    for (size_t at = 0; at < size; at += 7) { /* every damage is noticed */
        memcpy(copy, bytes, size);
        copy[at] ^= 0x10;
        refused(s.world, copy, size, "");
    }
    memcpy(copy, bytes, size);
    copy[size - 3] ^= 1;
    refused(s.world, copy, size, "damaged");
    copy[0] = 'X';
    refused(s.world, copy, size, "not a saved state");
    sn_world_destroy(s.world);
    s.mesh->position[0] += 0.01; /* another model */
    scene_create(&s);
    refused(s.world, bytes, size, "another model");
    sn_error error = {0};
    assert_int_equal(sn_world_restore(s.world, "no-such-file.state", &error), SN_NOT_FOUND);
    assert_non_null(strstr(error.text, "no-such-file.state"));
    assert_int_equal(sn_world_save(s.world, "/no-such-folder/x.state", &error), SN_IO);
    free(bytes);
    free(copy);
    scene_end(&s);
}

/* A memory of the whole stress is none of its deviatoric part. */
static void test_another_memory(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.3, 0.2, 0.2, 2, 1, 1);
    s.material.prony_count = 1;
    s.material.prony[0][0] = s.material.prony[0][1] = 1;
    scene_create(&s);
    step(&s, 2);
    const size_t size = sn_world_state_size(s.world);
    char *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s.world, bytes, size, NULL), SN_OK);
    sn_world_destroy(s.world);
    strcpy(s.material.prony_on, "all"); /* the same by name */
    scene_create(&s);
    assert_int_equal(sn_world_restore_state(s.world, bytes, size, NULL), SN_OK);
    sn_world_destroy(s.world);
    strcpy(s.material.prony_on, "shear");
    scene_create(&s);
    refused(s.world, bytes, size, "prony.on");
    free(bytes);
    scene_end(&s);
}

/* Two boxes with a stiff tether between them: its blocks have no place in the pattern of the matrix. With solvers that
 * keep factors, levels and linearisations over the steps, a restored run goes on with the same bits. */
static void test_coupled_goes_on(void **state) {
    (void)state;
    static const char *const kind[][3] = {{"ldlt", "auto", "simplified"},
                                          {"cg", "multigrid", "simplified"},
                                          {"cg", "multigrid", "full"},
                                          {"cg", "block-jacobi", "full"},
                                          {"ldlt", "auto", "full"}};
    for (int k = 0; k < 5; ++k) {
        char hash[2][17];
        void *bytes = NULL;
        size_t length = 0;
        for (int run = 0; run < 2; ++run) {
            scene s;
            scene_start(&s, NULL, 0.3, 0.2, 0.2, 3, 2, 2);
            sn_tether tether = sn_tether_default();
            tether.stiffness = 1e6;
            snprintf(tether.body, sizeof tether.body, "other");
            tether.point[0] = 0.25, tether.point[1] = tether.point[2] = 0.1;
            tether.to[0] = 0.05, tether.to[1] = tether.to[2] = 0.1;
            sn_body_options body[2] = {s.body, s.body};
            body[0].tether = &tether, body[0].tether_count = 1;
            body[0].initial.velocity[0] = 1;
            snprintf(body[1].name, sizeof body[1].name, "other");
            s.options.body = body, s.options.body_count = 2;
            snprintf(s.options.solver.method, sizeof s.options.solver.method, "%s", kind[k][0]);
            snprintf(s.options.solver.preconditioner, sizeof s.options.solver.preconditioner, "%s", kind[k][1]);
            set_newton(&s, kind[k][2], 20, 1e-8);
            scene_create(&s);
            if (run == 0) {
                step(&s, 4);
                length = sn_world_state_size(s.world);
                bytes = malloc(length);
                assert_int_equal(sn_world_save_state(s.world, bytes, length, NULL), SN_OK);
            } else {
                assert_int_equal(sn_world_restore_state(s.world, bytes, length, NULL), SN_OK);
            }
            step(&s, 4);
            sn_world_hash(s.world, hash[run]);
            scene_end(&s);
        }
        free(bytes);
        if (strcmp(hash[0], hash[1]) != 0) fail_msg("%s, %s, %s", kind[k][0], kind[k][1], kind[k][2]);
    }
}

static void test_put(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.3, 0.2, 0.2, 2, 1, 1);
    clamp_left(&s);
    scene_create(&s);
    const int n = s.mesh->node_count;
    double x[3 * 40], y[3 * 40], v[3 * 40];
    for (int i = 0; i < 3 * n; ++i) x[i] = 1.1 * s.mesh->position[i] + 0.01, v[i] = i;
    assert_int_equal(sn_world_put(s.world, 0, x, v, NULL), SN_OK);
    sn_world_get(s.world, 0, y, NULL);
    for (int i = 0; i < 3 * n; ++i) assert_near(y[i], s.mesh->position[i / 3 * 3] == 0 ? s.mesh->position[i] : x[i], 0);
    x[4] = NAN;
    assert_int_equal(sn_world_put(s.world, 0, x, NULL, NULL), SN_NOT_FINITE);
    sn_world_get(s.world, 0, v, NULL);
    assert_memory_equal(v, y, (size_t)n * 3 * sizeof *v);
    step(&s, 1);
    scene_end(&s);
}

/* A body with inverted elements: its witnesses are part of the state. A world that is only given the same positions and
 * velocities finds others, on the path from rest, and goes on differently. */
static void test_witnesses(void **state) {
    (void)state;
    scene a, b, c;
    scene *const all[] = {&a, &b, &c};
    for (int i = 0; i < 3; ++i) {
        scene *s = all[i];
        scene_start(s, NULL, 0.3, 0.2, 0.2, 3, 2, 2); /* 36 nodes */
        set_constant(&s->material, "young", 1000);
        snprintf(s->material.rotation, sizeof s->material.rotation, "dapd");
        s->options.gravity[1] = 0;
        s->body.initial.scrambled = true, s->body.initial.scramble = 5;
        scene_create(s);
    }
    step(&a, 4);
    const size_t size = sn_world_state_size(a.world);
    char one[17], two[17], three[17];
    void *bytes = malloc(size);
    double x[3 * 36], v[3 * 36];
    assert_int_equal(a.mesh->node_count, 36);
    assert_int_equal(sn_world_save_state(a.world, bytes, size, NULL), SN_OK);
    sn_world_get(a.world, 0, x, v);
    assert_int_equal(sn_world_restore_state(b.world, bytes, size, NULL), SN_OK);
    step(&c, 4);
    assert_int_equal(sn_world_put(c.world, 0, x, v, NULL), SN_OK);
    for (int i = 0; i < 3; ++i) step(all[i], 3);
    sn_world_hash(a.world, one);
    sn_world_hash(b.world, two);
    sn_world_hash(c.world, three);
    assert_string_equal(one, two);
    assert_string_not_equal(one, three);
    free(bytes);
    for (int i = 0; i < 3; ++i) scene_end(all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_witnesses),       cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_restore_goes_on), cmocka_unit_test(test_methods_go_on),
                                       cmocka_unit_test(test_bad_states),      cmocka_unit_test(test_another_memory),
                                       cmocka_unit_test(test_coupled_goes_on), cmocka_unit_test(test_put)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
