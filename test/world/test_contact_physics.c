/* The physical trials of contact between bodies (experiments/contact_trials.h): each response passes what it promises.
 */
#include "contact_trials.h"
#include "stage.h"

static void test_promises(void **state) {
    const contact_trial *trial = *state;
    sn_context *context = context_of(1);
    for (int r = 0; r < CONTACT_RESPONSES; ++r) {
        const contact_run run = {context, contact_response[r], true};
        double value[CONTACT_FIGURES];
        sn_error error = {0};
        if (!contact_promised(trial, r)) continue;
        const sn_status status = trial->run(&run, value, &error);
        if (status) print_message("%s: %s\n", run.response, error.text);
        assert_int_equal(status, SN_OK);
        for (int i = 0; i < trial->figure_count; ++i) {
            const contact_figure *figure = &trial->figure[i];
            const bool promised = figure->promised & 1 << r;
            print_message("%s: %.3g %s %s %g: %s\n", run.response, value[i],
                          promised ? "must be" : "is not promised to be", figure->above ? ">" : "<=", figure->limit,
                          figure->text);
            assert_true(!promised || contact_passes(figure, value[i]));
        }
    }
    sn_context_destroy(context);
}

int main(void) {
    struct CMUnitTest tests[32];
    assert_true(contact_trial_count <= 32);
    for (int i = 0; i < contact_trial_count; ++i)
        tests[i] = (struct CMUnitTest){contact_trials[i].figure[0].id, test_promises, NULL, NULL,
                                       (void *)(uintptr_t)&contact_trials[i]};
    return _cmocka_run_group_tests("contact physics", tests, (size_t)contact_trial_count, NULL, NULL);
}
