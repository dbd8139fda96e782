/* Edits between steps: the state survives a change that compiles the bodies again. */
#include "scene.h"

/* A bar that hangs from a link and meets a projecting ground, with a method that remembers its last steps. Half-way an edit compiles the
 * body again without changing its physics (law stvk uses no rotation, so `alpha` has no effect). */
static void run(const char *method, bool edited, double *position) {
    sn_link link = sn_link_default();
    scene s;
    scene_start(&s, NULL, 0.3, 0.1, 0.1, 3, 1, 1);
    snprintf(s.material.law, sizeof s.material.law, "stvk");
    set_constant(&s.material, "young", 1e5);
    const double at[3] = {0.02, 0.05, 0.05};
    memcpy(link.point, at, sizeof at), memcpy(link.to, at, sizeof at);
    s.body.link = &link, s.body.link_count = 1;
    snprintf(s.options.time.method, sizeof s.options.time.method, "%s", method);
    s.options.time.step = 0.005;
    s.options.collider_count = 1;
    s.collider[0].point[1] = -0.03;
    snprintf(s.collider[0].response, sizeof s.collider[0].response, "projection");
    scene_create(&s);
    step(&s, 20);
    s.material.alpha = 0.2;
    if (edited) assert_int_equal(sn_world_set_material(s.world, 0, 0, &s.material, &s.error), SN_OK);
    step(&s, 20);
    sn_world_get(s.world, 0, position, NULL);
    scene_end(&s);
}

static void test_recompile_keeps_the_state(void **state) {
    (void)state;
    const char *method[3] = {"bdf2", "bdf4", "implicit-euler"};
    for (int k = 0; k < 3; ++k) {
        double plain[3 * 16], edited[3 * 16];
        run(method[k], false, plain);
        run(method[k], true, edited);
        for (int i = 0; i < 3 * 16; ++i) assert_near(edited[i], plain[i], 1e-5 * 0.3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recompile_keeps_the_state)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
