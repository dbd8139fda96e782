/* Servos: simulated time gives the same bits; devices that fail give no force and cost nothing; threads start, stop and
 * end in any order. No test here depends on how fast the machine is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stage.h"

#include "haptic/histogram.h"
#include <unistd.h>

static char folder[64];

static int set_up(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew-servo-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    return system(line);
}

static const char *path_of(const char *name) {
    static char path[4][128];
    static int next;
    char *text = path[next++ % 4];
    snprintf(text, sizeof *path, "%s/%s", folder, name);
    return text;
}

/* ---- Simulated time ---- */

/* Plays the path; the hash of the world, the protocol and the report. */
static char *play(int threads, double save_at, char hash[17], sn_servo_report *report) {
    const sn_device_options device = stage_recorded();
    sn_context *context = stage_context(threads);
    sn_world *world = world_of_text(context, STAGE);
    sn_servo *servo = stage_servo(world, &device, path_of("protocol.csv"));
    if (save_at > 0) {
        sn_error error = {0};
        stage_run(world, servo, save_at);
        if (sn_world_save(world, path_of("state"), &error)) fail_msg("%s", error.text);
        sn_servo_destroy(servo);
        sn_world_destroy(world);
        world = world_of_text(context, STAGE);
        if (sn_world_restore(world, path_of("state"), &error)) fail_msg("%s", error.text);
        servo = stage_servo(world, &device, path_of("protocol.csv"));
    }
    stage_run(world, servo, 0.9);
    sn_world_hash(world, hash);
    sn_servo_look(servo, report);
    sn_servo_destroy(servo);
    sn_world_destroy(world);
    sn_context_destroy(context);
    return stage_text(path_of("protocol.csv"));
}

static void test_same_bits(void **state) {
    (void)state;
    char hash[3][17];
    sn_servo_report report[3];
    char *text[3];
    for (int i = 0; i < 3; ++i) text[i] = play(i < 2 ? 1 : 2, 0, hash[i], &report[i]);
    for (int i = 1; i < 3; ++i) {
        assert_string_equal(hash[i], hash[0]);
        assert_string_equal(text[i], text[0]);
    }
    assert_int_equal(report[0].ticks, 901);
    assert_int_equal(report[0].faults, 0);
    assert_string_equal(report[0].message, "");
    for (int i = 0; i < 3; ++i) free(text[i]);
}

/* The protocol has a row per tick; the force is there while the tool presses, and only then. */
static void test_protocol(void **state) {
    (void)state;
    char hash[17];
    sn_servo_report report;
    char *text = play(1, 0, hash, &report), *line = text;
    assert_memory_equal(text, "t,x,y,z,button,fx,fy,fz,depth,touches\n", 38);
    double most = 0, held = 0;
    int rows = 0, wrong = 0;
    for (line = strchr(line, '\n') + 1; *line; line = strchr(line, '\n') + 1, ++rows) {
        double v[10];
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", v, v + 1, v + 2, v + 3, v + 4, v + 5,
                                v + 6, v + 7, v + 8, v + 9),
                         10);
        most = fmax(most, v[6]);
        if (fabs(v[0] - 0.49) < 1e-9) held = v[6];
        wrong += fabs(v[0] - rows * 1e-3) > 1e-12;
        wrong += (v[5] != 0 || v[6] != 0 || v[7] != 0) != (v[9] != 0);
        wrong += v[2] > 0.1001 && v[0] < 0.3 && v[9] != 0; /* above the block before it was ever touched */
        wrong += v[0] > 0.7 && v[9] != 0;
    }
    assert_int_equal(rows, 901);
    assert_int_equal(wrong, 0);
    assert_true(held > 0.2 && most < 4.001); /* at most the spring by 2 cm */
    free(text);
}

/* A run that was saved and restored ends with the same bits. */
static void test_restored(void **state) {
    (void)state;
    char whole[17], halves[17];
    sn_servo_report report;
    free(play(1, 0, whole, &report));
    free(play(1, 0.405, halves, &report));
    assert_string_equal(halves, whole);
}

/* A protocol is a path: played again, it gives the same protocol. */
static void test_played_again(void **state) {
    (void)state;
    char hash[17], again[17];
    sn_servo_report report;
    free(play(1, 0, hash, &report));
    rename(path_of("protocol.csv"), path_of("path.csv"));
    sn_device_options device = stage_device("recorded");
    snprintf(device.file, sizeof device.file, "%s", path_of("path.csv"));
    sn_context *context = stage_context(1);
    sn_world *world = world_of_text(context, STAGE);
    sn_servo *servo = stage_servo(world, &device, NULL);
    stage_run(world, servo, 0.9);
    sn_world_hash(world, again);
    sn_servo_destroy(servo);
    sn_world_destroy(world);
    sn_context_destroy(context);
    assert_string_equal(again, hash);
}

/* ---- Devices that fail ---- */

/* Presses steadily; fails as told from tick `from` on, for `ticks` ticks. */
typedef struct failing {
    enum { SILENT, NOT_A_NUMBER, JUMPS, DEAF, AWAY } way;
    int tick, from, ticks, written;
    double written_force;
    bool refuse_open, closed;
} failing;

static bool fails_now(const failing *f) { return f->tick >= f->from && f->tick < f->from + f->ticks; }

static sn_status failing_open(void *user, sn_error *error) {
    return ((failing *)user)->refuse_open ? sn_fail(error, SN_IO, "no device here") : SN_OK;
}
static bool failing_read(void *user, double time, sn_device_sample *sample) {
    failing *f = user;
    (void)time;
    ++f->tick;
    assert_true(sample->present);
    sample->position[0] = 0, sample->position[1] = 0.09, sample->position[2] = 0.004;
    if (!fails_now(f)) return true;
    if (f->way == NOT_A_NUMBER) sample->position[1] = NAN;
    if (f->way == JUMPS) sample->position[0] = 0.3;
    if (f->way == AWAY) sample->present = false;
    return f->way != SILENT;
}
static bool failing_write(void *user, double time, const double force[3]) {
    failing *f = user;
    (void)time;
    f->written_force = fabs(force[0]) + fabs(force[1]) + fabs(force[2]);
    ++f->written;
    return f->way != DEAF || !fails_now(f);
}
static void failing_close(void *user) { ((failing *)user)->closed = true; }

static sn_device_table failing_table(void) {
    sn_device_table table = sn_device_table_default();
    snprintf(table.name, sizeof table.name, "shaky");
    table.open = failing_open, table.read = failing_read, table.write = failing_write, table.close = failing_close;
    return table;
}

static void fail_once(int way, int faults, const char *word) {
    failing f = {.way = way, .from = 301, .ticks = 100};
    const sn_device_table table = failing_table();
    sn_context *context = stage_context(1);
    sn_world *world = world_of_text(context, STAGE);
    sn_servo *servo = NULL;
    sn_servo_report report;
    assert_int_equal(sn_servo_create_own(world, 0, &table, &f, NULL, &servo, NULL), SN_OK);
    stage_run(world, servo, 0.3); /* ticks 1 to 301: the last one fails */
    sn_servo_look(servo, &report);
    assert_int_equal(report.ticks, 301);
    if (fabs(report.force[0]) + fabs(report.force[1]) + fabs(report.force[2]) != 0) fail_msg("way %d: a force", way);
    if (!strstr(report.message, word)) fail_msg("way %d: '%s' lacks '%s'", way, report.message, word);
    assert_int_equal(report.answers, way != SILENT && way != DEAF);
    stage_run(world, servo, 0.39);
    if (way != DEAF && way != JUMPS && f.written_force != 0) fail_msg("way %d: a force is written", way);
    sn_tool_state tool;
    assert_int_equal(sn_world_tool_state(world, 0, &tool, NULL), SN_OK);
    if (way != JUMPS) assert_false(tool.present);
    stage_run(world, servo, 0.9); /* everything goes on, and the force comes back */
    sn_servo_look(servo, &report);
    assert_int_equal(report.ticks, 901);
    assert_int_equal(f.written, 901);
    assert_int_equal(report.faults, faults);
    if (!(report.force[1] > 0.1)) fail_msg("way %d: the force does not come back", way);
    sn_servo_destroy(servo);
    assert_true(f.closed);
    sn_world_destroy(world);
    sn_context_destroy(context);
}

static void test_failing(void **state) {
    (void)state;
    fail_once(SILENT, 100, "'shaky' does not answer");
    fail_once(NOT_A_NUMBER, 100, "nan");
    fail_once(DEAF, 100, "does not take the force");
    fail_once(JUMPS, 2, "jumped"); /* away, and back */
    fail_once(AWAY, 0, "");
}

static void test_refused(void **state) {
    (void)state;
    failing f = {.refuse_open = true};
    sn_device_table table = failing_table();
    sn_context *context = stage_context(1);
    sn_world *world = world_of_text(context, STAGE);
    sn_servo *servo = NULL;
    sn_error error = {0};
    assert_int_equal(sn_servo_create_own(world, 0, &table, &f, NULL, &servo, &error), SN_IO);
    assert_string_equal(error.text, "no device here");
    assert_false(f.closed);
    table.read = NULL;
    assert_int_equal(sn_servo_create_own(world, 0, &table, &f, NULL, &servo, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "read");
    table = (sn_device_table){.read = failing_read};
    assert_int_equal(sn_servo_create_own(world, 0, &table, &f, NULL, &servo, &error), SN_BAD_INPUT);
    sn_device_options device = stage_recorded();
    assert_int_equal(sn_servo_create(world, 1, &device, NULL, &servo, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "tool is 1"));
    sn_servo_options options = sn_servo_options_default();
    options.rate = 5;
    assert_int_equal(sn_servo_create(world, 0, &device, &options, &servo, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "rate");
    options = sn_servo_options_default();
    snprintf(options.protocol, sizeof options.protocol, "%s/none/protocol.csv", folder);
    assert_int_equal(sn_servo_create(world, 0, &device, &options, &servo, &error), SN_IO);
    assert_string_equal(error.path, "protocol");
    assert_null(servo);
    sn_world_destroy(world);
    sn_context_destroy(context);
}

/* A disk that is full is found at the latest when the servo stops. */
static void test_full_disk(void **state) {
    (void)state;
    if (access("/dev/full", W_OK)) skip();
    const sn_device_options device = stage_recorded();
    sn_context *context = stage_context(1);
    sn_world *world = world_of_text(context, STAGE);
    sn_servo_options options = sn_servo_options_default();
    sn_servo *servo = NULL;
    sn_error error = {0};
    snprintf(options.protocol, sizeof options.protocol, "/dev/full");
    assert_int_equal(sn_servo_create(world, 0, &device, &options, &servo, &error), SN_IO);
    assert_string_equal(error.path, "protocol");
    assert_null(servo);
    sn_world_destroy(world);
    sn_context_destroy(context);
}

/* ---- Threads ---- */

static void wait_for_ticks(sn_servo *servo, int64_t ticks) {
    sn_servo_report report;
    do {
        usleep(500);
        sn_servo_look(servo, &report);
    } while (report.ticks < ticks);
}

static void test_thread(void **state) {
    (void)state;
    failing f = {.from = 1 << 30};
    const sn_device_table table = failing_table();
    sn_context *context = stage_context(2);
    sn_world *world = world_of_text(context, STAGE);
    sn_servo *servo = NULL;
    sn_servo_report report;
    sn_error error = {0};
    sn_servo_options options = sn_servo_options_default();
    snprintf(options.protocol, sizeof options.protocol, "%s", path_of("thread.csv"));
    assert_int_equal(sn_servo_create_own(world, 0, &table, &f, &options, &servo, NULL), SN_OK);
    for (int round = 0; round < 2; ++round) {
        if (sn_servo_start(servo, sn_world_time(world), &error)) fail_msg("%s", error.text);
        assert_int_equal(sn_servo_start(servo, 0, &error), SN_BAD_INPUT);
        assert_int_equal(sn_servo_advance(servo, 0, &error), SN_BAD_INPUT);
        for (int i = 0; i < 20; ++i) {
            stage_step(world);
            sn_servo_delay(servo, 0.001 * i);
            wait_for_ticks(servo, 20 * round + i + 2);
        }
        wait_for_ticks(servo, 200 * round + 200); /* the ramp has ended */
        sn_servo_look(servo, &report);
        assert_true(report.answers && report.present);
        assert_int_equal(sn_servo_stop(servo, &error), SN_OK);
        sn_servo_look(servo, &report);
        assert_false(report.present);
        assert_true(report.force[1] == 0);
    }
    assert_true(report.ticks >= 400 && report.ticks == f.tick);
    assert_true(report.call_most >= report.call_high && report.call_high >= report.call_mean && report.call_mean > 0);
    assert_true(report.lateness_most >= report.lateness_high);
    assert_int_equal(report.dropped, 0);
    char *text = stage_text(path_of("thread.csv"));
    int64_t rows = -1;
    for (const char *at = text; *at; ++at) rows += *at == '\n';
    assert_int_equal(rows, report.ticks);
    free(text);
    sn_servo_destroy(servo);
    sn_world_destroy(world);
    sn_context_destroy(context);
}

/* World and servo end in any order, also while the thread runs. */
static void test_ends(void **state) {
    (void)state;
    const sn_device_options device = stage_recorded();
    for (int way = 0; way < 4; ++way) {
        sn_context *context = stage_context(2);
        sn_world *world = world_of_text(context, STAGE);
        sn_servo *servo = stage_servo(world, &device, NULL);
        sn_servo_report report;
        if (way > 0) assert_int_equal(sn_servo_start(servo, 0, NULL), SN_OK);
        stage_step(world);
        if (way > 1) wait_for_ticks(servo, 20);
        if (way == 3) { /* the servo ends, the world goes on */
            sn_servo_destroy(servo);
            stage_step(world);
            sn_world_destroy(world);
        } else {
            sn_world_destroy(world);
            if (way > 0) {
                sn_servo_look(servo, &report);
                wait_for_ticks(servo, report.ticks + 5);
                sn_servo_look(servo, &report);
                assert_true(report.force[1] == 0);
            } else
                assert_int_equal(sn_servo_advance(servo, 0.3, NULL), SN_OK);
            sn_servo_destroy(servo);
        }
        sn_context_destroy(context);
    }
    sn_servo_destroy(NULL);
}

/* ---- Marks ---- */

static void test_histogram(void **state) {
    (void)state;
    for (int64_t ns = 0; ns < (int64_t)1 << 41; ns = ns < 100 ? ns + 1 : ns + ns / 7) {
        const int bin = sn_histogram_bin(ns);
        assert_in_range(bin, 0, SN_HISTOGRAM_BINS - 1);
        if (ns >> 40) continue;
        assert_true(ns < sn_histogram_end(bin) && (bin == 0 || ns >= sn_histogram_end(bin - 1)));
        assert_true((double)(sn_histogram_end(bin) - ns) <= 1 + (double)ns / 32);
    }
    static sn_histogram h;
    double mean, high, most;
    sn_histogram_marks(&h, &mean, &high, &most);
    assert_true(mean == 0 && high == 0 && most == 0);
    for (int i = 0; i < 9990; ++i) sn_histogram_add(&h, 1000);
    for (int i = 0; i < 10; ++i) sn_histogram_add(&h, 50000);
    sn_histogram_marks(&h, &mean, &high, &most);
    assert_true(fabs(mean - 1.049e-6) < 1e-12 && high >= 1e-6 && high < 1.04e-6 && fabs(most - 5e-5) < 1e-12);
    sn_histogram_add(&h, 50000); /* now more than one in a thousand */
    sn_histogram_marks(&h, &mean, &high, &most);
    assert_true(high > 4.9e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),    cmocka_unit_test(test_protocol), cmocka_unit_test(test_restored),
        cmocka_unit_test(test_played_again), cmocka_unit_test(test_failing),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_full_disk),    cmocka_unit_test(test_thread),   cmocka_unit_test(test_ends),
        cmocka_unit_test(test_histogram),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
