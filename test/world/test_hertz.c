/* Colliders against Hertz's law (experiments/contact_hertz.c). Contact between bodies: the experiment contact-physics.
 */
#include "contact_trials.h"
#include "stage.h"

static void test_sphere_on_plane(void **state) {
    sn_context *context = context_of(1);
    const contact_run run = {context, *state, true};
    double differs[CONTACT_FIGURES];
    sn_error error = {0};
    const sn_status status = contact_hertz_collider(&run, differs, &error);
    if (status) print_message("%s\n", error.text);
    assert_int_equal(status, SN_OK);
    print_message("collider, %s: the contact radius differs by %.3f, the force by %.3f\n", run.response, differs[0],
                  differs[1]);
    assert_true(differs[0] < 0.1);
    assert_true(differs[1] < 0.1);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_sphere_on_plane, (void *)(uintptr_t) "penalty"),
        cmocka_unit_test_prestate(test_sphere_on_plane, (void *)(uintptr_t) "projection"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
