/* The list of experiments: each has a list of claims, and a run that checks other claims than its list is found. The
 * functions that record claims belong to the command; the experiments do not run here, so they do nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "claims.h"
#include "experiment.h"

#include <cmocka.h>

void experiment_claim(experiment_run *run, const char *id, double value, const char *expected, bool pass,
                      const char *text, ...) {
    (void)run, (void)id, (void)value, (void)expected, (void)pass, (void)text;
}
void experiment_note(experiment_run *run, const char *format, ...) { (void)run, (void)format; }
void experiment_progress(experiment_run *run, double fraction) { (void)run, (void)fraction; }
FILE *experiment_table(experiment_run *run, const char *file, const char *header, sn_error *error) {
    (void)run, (void)file, (void)header, (void)error;
    return NULL;
}
void experiment_plot(experiment_run *run, const char *file, const char *script) { (void)run, (void)file, (void)script; }
sn_status experiment_scene(experiment_run *run, sn_scene **scene, sn_world **world, sn_error *error, const char *format,
                           ...) {
    (void)run, (void)scene, (void)world, (void)error, (void)format;
    return SN_UNSUPPORTED;
}

/* A list has claims, none twice, and all of its text can be read, with the marks of claims on time. */
static void test_lists(void **state) {
    (void)state;
    for (int e = 0; e < experiment_count; ++e) {
        const char *claims = experiments[e]->claims;
        if (!claims) fail_msg("%s has no list of claims", experiments[e]->name);
        char id[CLAIM_ID], other[CLAIM_ID];
        size_t letters = 0, read = 0;
        for (const char *c = claims; *c; ++c) letters += *c != ' ';
        int count = 0;
        bool timed;
        for (; claim_at(claims, count, id, &timed); ++count) {
            read += strlen(id) + (timed ? strlen("time:") : 0);
            if (strchr(id, ':')) fail_msg("%s has the claim %s", experiments[e]->name, id);
            for (int k = 0; k < count; ++k)
                if (claim_at(claims, k, other, NULL) && strcmp(id, other) == 0)
                    fail_msg("%s lists the claim %s twice", experiments[e]->name, id);
        }
        if (count == 0 || read != letters)
            fail_msg("%s: only %d claims of its list can be read", experiments[e]->name, count);
    }
}

/* Unknown claims, claims that are checked twice and claims that are left out are found. */
static void test_tally(void **state) {
    (void)state;
    claim_tally tally = {.claims = " first second  third "};
    char id[CLAIM_ID];
    int index = 0;
    assert_null(claim_count(&tally, "second", true));
    assert_non_null(claim_count(&tally, "second", true));
    assert_non_null(claim_count(&tally, "fourth", true));
    assert_non_null(claim_count(&tally, "sec", true));
    assert_true(claim_missing(&tally, &index, id));
    assert_string_equal(id, "first");
    assert_true(claim_missing(&tally, &index, id));
    assert_string_equal(id, "third");
    assert_false(claim_missing(&tally, &index, id));
    assert_null(claim_count(&tally, "first", true));
    assert_null(claim_count(&tally, "third", true));
    index = 0;
    assert_false(claim_missing(&tally, &index, id));
}

/* On a busy machine only claims on time are excused, and only when they were measured. */
static void test_verdict(void **state) {
    (void)state;
    static const struct {
        const char *checked; /* the first letters of the claims that are checked, a capital for one that fails */
        bool quiet, busy;    /* the verdicts */
    } trial[] = {{"rt", true, true},  {"rT", false, true},   {"Rt", false, false}, {"RT", false, false},
                 {"r", false, false}, {"rtT", false, false}, {"T", false, false},  {"t", false, false}};
    for (size_t i = 0; i < sizeof trial / sizeof *trial; ++i) {
        claim_tally tally = {.claims = "result time:time"};
        char id[CLAIM_ID];
        for (const char *c = trial[i].checked; *c; ++c)
            (void)claim_count(&tally, strchr("tT", *c) ? "time" : "result", *c >= 'a');
        for (int k = 0; claim_missing(&tally, &k, id);) continue;
        assert_int_equal(claim_verdict(&tally, false), trial[i].quiet);
        assert_int_equal(claim_verdict(&tally, true), trial[i].busy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_tally),
                                       cmocka_unit_test(test_verdict)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
