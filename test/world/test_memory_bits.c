/* Materials with a memory: the same bits on any number of threads, in a run that was saved, and whenever the memory is
 * computed. */
#include "memory_stage.h"

/* Saves the state and restores it, with some steps between. */
static void save_and_restore(scene *s, int steps) {
    const size_t size = sn_world_state_size(s->world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s->world, bytes, size, NULL), SN_OK);
    step(s, steps);
    assert_int_equal(sn_world_restore_state(s->world, bytes, size, NULL), SN_OK);
    free(bytes);
}

static void test_same_bits(void **state) {
    (void)state;
    char text[3][17];
    for (int k = 0; k < 3; ++k) {
        sn_context_options o = sn_context_options_default();
        o.threads = k == 1 ? 3 : 1;
        o.simd = k == 1 ? "baseline" : "auto";
        scene s;
        cantilever(&s, &o, "bdf2", 4e-3);
        scene_create(&s);
        step(&s, 10);
        if (k == 2) save_and_restore(&s, 7);
        step(&s, 10);
        sn_world_hash(s.world, text[k]);
        scene_end(&s);
    }
    assert_string_equal(text[1], text[0]);
    assert_string_equal(text[2], text[0]);
}

/* The last evaluation of a step also makes the memory and the force of the next step. A look at the energy between
 * steps makes the world compute the force again. After the state was restored, the world does not know which evaluation
 * is the last one, and computes the memory apart. The bits stay the same. */
static void test_apart(void **state) {
    (void)state;
    static const char *const law[] = {"corotated", "stvk", "linear", "corotated", "corotated", "linear", "corotated"},
                             *const element[] = {"tet4", "tet10", "tet4", "springs", "tet4", "tet4", "tet4-smooth"};
    for (int k = 0; k < 14; ++k) {
        char hash[3][17];
        for (int apart = 0; apart < 3; ++apart) {
            scene s;
            free_box(&s, NULL, 2 * SIDE, SIDE, 3, 2, law[k % 7], element[k % 7]);
            set_constant(&s.material, "young", YOUNG);
            if (k % 7 != 3) set_constant(&s.material, "poisson", 0.3);
            if (k % 7 == 4) s.material.viscous[0] = s.material.viscous[1] = 5;
            if (k % 7 == 5) strcpy(s.material.warping, "svd");
            if (k >= 7) strcpy(s.options.time.newton.kind, "one-step");
            set_term(&s.material, 0.3, 0.01);
            set_term(&s.material, 0.2, 0.1);
            s.options.gravity[1] = -10;
            s.options.time.step = 0.005;
            scene_create(&s);
            for (int i = 0; i < 6; ++i) {
                sn_energies energies;
                step(&s, 1);
                if (apart == 1) assert_int_equal(sn_world_energies(s.world, &energies, NULL), SN_OK);
                if (apart == 2) save_and_restore(&s, 0);
            }
            sn_world_hash(s.world, hash[apart]);
            scene_end(&s);
        }
        for (int i = 1; i < 3; ++i)
            if (strcmp(hash[0], hash[i]) != 0) fail_msg("case %d: %s and %s (%d)", k, hash[0], hash[i], i);
    }
}

/* The end of a step is the sum of its parts, which differs from the time of the state by rounding. Short terms notice
 * it, and a state that is saved then must still hold the linearisation that the next step uses. */
static void test_rounded_time(void **state) {
    (void)state;
    char hash[2][17];
    for (int restored = 0; restored < 2; ++restored) {
        scene s;
        cantilever(&s, NULL, "implicit-euler", 0.01);
        s.material.prony_count = 0;
        set_term(&s.material, 0.9, 1e-3);
        strcpy(s.options.time.newton.kind, "simplified");
        scene_create(&s);
        for (int i = 0; i < 25; ++i) {
            step(&s, 1);
            if (restored) save_and_restore(&s, 0);
        }
        sn_world_hash(s.world, hash[restored]);
        scene_end(&s);
    }
    assert_string_equal(hash[1], hash[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_apart),
                                       cmocka_unit_test(test_rounded_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
