/* Devices: paths and their files, the mouse, drivers by udp with the client of docs/udp-client.c, wrong options.
 */
#define main client_main
#include "../../docs/udp-client.c"
#undef main

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "stage.h"

#include "haptic/device.h"
#include "shared_context.h"

/* ---- Paths ---- */

static bool read_at(const sn_device_kind *kind, void *data, double time, sn_device_sample *sample) {
    *sample = (sn_device_sample){.present = true};
    return kind->read(data, time, sample);
}

static void test_path(void **state) {
    (void)state;
    static const double row[][5] = {{1, 0, 0, 0, 0}, {2, 1, 2, 4, 1}, {4, 1, 0, 0, 0}, {4.5, 7, 0, 0, 0}};
    const struct {
        double t, x, y;
        bool present, button;
    } ask[] = {{0.99, 0, 0, false, false}, {1, 0, 0, true, false},    {1.25, 0.25, 0.5, true, false},
               {2, 1, 2, true, true},      {3, 1, 1, true, true},     {4.25, 4, 0, true, false},
               {4.5, 7, 0, true, false},   {4.6, 0, 0, false, false}, {1.5, 0.5, 1, true, false},
               {4.25, 4, 0, true, false},  {-1, 0, 0, false, false},  {3, 1, 1, true, true}};
    sn_device_options options = stage_device("recorded");
    options.row = row[0], options.row_count = 4;
    assert_int_equal(sn_device_options_check(&options, NULL), SN_OK);
    void *data;
    assert_int_equal(sn_device_recorded.create(context, &options, &data, NULL), SN_OK);
    for (int i = 0; i < (int)(sizeof ask / sizeof *ask); ++i) {
        sn_device_sample sample;
        assert_true(read_at(&sn_device_recorded, data, ask[i].t, &sample)); /* it answers, also when nobody holds it */
        assert_int_equal(sample.present, ask[i].present);
        if (!ask[i].present) continue;
        assert_true(sample.position[0] == ask[i].x && sample.position[1] == ask[i].y);
        assert_int_equal(sample.button, ask[i].button);
    }
    sn_device_recorded.destroy(context, data);
}

static sn_status read_text(const char *text, double **row, int *count, sn_error *error) {
    char path[] = "/tmp/sinew-path-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    const sn_status status = sn_path_read(context, path, row, count, error);
    unlink(path);
    return status;
}

static void test_path_file(void **state) {
    (void)state;
    double *row;
    int count;
    sn_error error = {0};
    if (read_text("# a path\n\ny, t,\"x\",z,force,button\r\n2,0,1,3,?,1\n\n# then\n 5 ,1e0,4,6,,0", &row, &count,
                  &error))
        fail_msg("%s", error.text);
    static const double wanted[] = {0, 1, 2, 3, 1, 1, 4, 5, 6, 0};
    assert_int_equal(count, 2);
    assert_memory_equal(row, wanted, sizeof wanted);
    sn_release(context, row);
    static const char *const bad[][3] = {
        {"", "", "no rows"},
        {"t,x,y,z\n", "", "no rows"},
        {"0,1,2,3\n", ":1:", "no column 't'"},
        {"t,x,z\n0,1,2\n", ":1:", "no column 'y'"},
        {"t,x,y,z\n0,1,2\n", ":2:", "has 3 columns; the first line names 4"},
        {"t,x,y,z\n0,1,2,3,4\n", ":2:", "has 5 columns"},
        {"t,x,y,z\n0,1,2,3\n0,1,2,3\n", ":3:", "the time 0 comes after 0"},
        {"t,x,y,z\n1,1,2,3\n\n0.5,1,2,3\n", ":4:", "times must grow"},
        {"t,x,y,z\n0,1,inf,3\n", ":2:", "y is inf"},
        {"t,x,y,z\nnan,1,0,3\n", ":2:", "t is nan"},
        {"t,x,y,z\n0,1,two,3\n", ":2:", "'two' is not a number"},
        {"t,x,y,z\n0,1,,3\n", ":2:", "'' is not a number"},
        {"t,x,y,z,button\n0,1,2,3,2\n", ":2:", "button is 2"},
    };
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); ++i) {
        error = (sn_error){0};
        if (read_text(bad[i][0], &row, &count, &error) != SN_BAD_INPUT) fail_msg("case %d passes: %s", i, bad[i][0]);
        if (!strstr(error.text, bad[i][1]) || !strstr(error.text, bad[i][2]))
            fail_msg("case %d: '%s' lacks '%s' or '%s'", i, error.text, bad[i][1], bad[i][2]);
    }
    assert_int_equal(sn_path_read(context, "/tmp/sinew-no-such-path.csv", &row, &count, &error), SN_NOT_FOUND);
}

/* ---- Options ---- */

static void refused(const sn_device_options *options, const char *path, const char *word) {
    sn_error error = {0};
    assert_int_equal(sn_device_options_check(options, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, path);
    if (!strstr(error.text, word)) fail_msg("'%s' lacks '%s'", error.text, word);
}

static void test_options(void **state) {
    (void)state;
    int count;
    const sn_listing *listing = sn_devices(&count);
    assert_int_equal(count, 3);
    for (int i = 0; i < count; ++i) assert_string_equal(sn_device_find(listing[i].name)->name, listing[i].name);
    sn_device_options options = {.kind = "mouse"};
    refused(&options, "", "sn_device_options");
    options = stage_device("mouze");
    refused(&options, "kind", "did you mean 'mouse'");
    options = stage_device("recorded");
    refused(&options, "recorded", "either rows or a file");
    options = stage_recorded();
    strcpy(options.file, "path.csv");
    refused(&options, "recorded", "either rows or a file");
    options = stage_recorded();
    options.row_count = -1;
    refused(&options, "recorded.rows", "-1");
    static const double bad[][5] = {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
    options.row = bad[0], options.row_count = 2;
    refused(&options, "recorded.rows", "row 1");
    options = stage_recorded();
    strcpy(options.kind, "mouse");
    refused(&options, "recorded.rows", "no effect");
    options = stage_device("mouse");
    strcpy(options.file, "path.csv");
    refused(&options, "recorded.file", "no effect");
    options = stage_device("mouse");
    options.port = 5000;
    refused(&options, "udp.port", "no effect");
    options = stage_device("udp");
    options.port = 70000;
    refused(&options, "udp.port", "70000");
}

/* ---- The mouse ---- */

static void test_mouse(void **state) {
    (void)state;
    const sn_device_options device = stage_device("mouse");
    sn_world *world = world_of_text(context, STAGE);
    sn_servo *servo = stage_servo(world, &device, NULL);
    sn_servo_report report;
    stage_run(world, servo, 0.15);
    sn_servo_look(servo, &report);
    assert_true(report.ticks > 100 && !report.present && report.faults == 0);
    sn_servo_point(servo, (const double[]){0, 0.09, 0.004}, true, true);
    stage_run(world, servo, 0.6);
    sn_servo_look(servo, &report);
    assert_true(report.present && report.force[1] > 0.1);
    sn_servo_point(servo, (const double[]){0, 0.09, 0.004}, false, false);
    stage_run(world, servo, 0.75);
    sn_servo_look(servo, &report);
    assert_true(!report.present && report.force[1] == 0 && report.faults == 0);
    sn_servo_destroy(servo);
    sn_world_destroy(world);
}

/* Two threads point, one reads: it never sees half of a place. */
static void *point_often(void *data) {
    static atomic_int next;
    const double base = atomic_fetch_add(&next, 1);
    for (int i = 0; i < 20000; ++i) {
        const double v = base + 1e-5 * i;
        sn_device_mouse.point(data, (const double[]){v, v, v}, false, true);
    }
    return NULL;
}

static void test_mouse_threads(void **state) {
    (void)state;
    void *data;
    const sn_device_options options = stage_device("mouse");
    assert_int_equal(sn_device_mouse.create(context, &options, &data, NULL), SN_OK);
    pthread_t thread[2];
    for (int i = 0; i < 2; ++i) assert_int_equal(pthread_create(&thread[i], NULL, point_often, data), 0);
    sn_device_sample sample;
    for (int i = 0; i < 20000; ++i) {
        assert_true(read_at(&sn_device_mouse, data, 0, &sample));
        if (sample.position[0] != sample.position[1] || sample.position[1] != sample.position[2])
            fail_msg("half a place");
    }
    for (int i = 0; i < 2; ++i) pthread_join(thread[i], NULL);
    read_at(&sn_device_mouse, data, 0, &sample);
    assert_true(sample.present && sample.position[0] > 0.19);
    sn_device_mouse.destroy(context, data);
}

/* ---- Drivers ---- */

/* A device on a free port. */
static void *open_udp(int *port) {
    sn_device_options options = stage_device("udp");
    void *data = NULL;
    for (options.port = 40000 + getpid() % 20000; options.port < 65000; ++options.port)
        if (sn_device_udp.create(context, &options, &data, NULL) == SN_OK) break;
    assert_non_null(data);
    *port = options.port;
    return data;
}

static int connect_to(int port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int channel = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(connect(channel, (struct sockaddr *)&to, sizeof to), 0);
    return channel;
}

static void send_place(int channel, uint32_t number, double x) {
    const struct packet p = {{'S', 'N', 'H', 'P'}, number, {x, 0, 0}, 1, 0};
    assert_int_equal(send(channel, &p, sizeof p, 0), sizeof p);
}

static void test_udp_packets(void **state) {
    (void)state;
    int port;
    void *data = open_udp(&port);
    const int driver = connect_to(port), other = connect_to(port);
    const sn_device_kind *udp = &sn_device_udp;
    sn_device_sample sample;
    assert_false(read_at(udp, data, 0, &sample)); /* nobody has sent */
    assert_true(udp->write(data, 0, (const double[]){1, 2, 3}));
    send_place(driver, 7, 0.7);
    send_place(driver, 9, 0.9);
    send_place(driver, 8, 0.8); /* overtaken */
    assert_true(read_at(udp, data, 0, &sample));
    assert_true(sample.position[0] == 0.9 && sample.button);
    assert_int_equal(udp->ignored(data), 1);
    assert_true(udp->write(data, 0, (const double[]){1, 2, 3}));
    struct packet back;
    assert_int_equal(recv(driver, &back, sizeof back, 0), sizeof back);
    assert_memory_equal(back.mark, "SNHF", 4);
    assert_int_equal(back.number, 9);
    assert_true(back.vector[0] == 1 && back.vector[1] == 2 && back.vector[2] == 3);
    /* Malformed: too short, too long, empty, another mark, another button, a tail that is not zero, another driver. */
    struct packet p[2] = {{{'S', 'N', 'H', 'P'}, 20, {5, 5, 5}, 0, 0}, {{0}, 0, {0}, 0, 0}};
    (void)!send(driver, p, 39, 0), (void)!send(driver, p, 41, 0), (void)!send(driver, p, 0, 0);
    (void)!send(driver, p, 80, 0);
    p[0].mark[3] = 'F', (void)!send(driver, p, 40, 0);
    p[0].mark[3] = 'P', p[0].button = 2, (void)!send(driver, p, 40, 0);
    p[0].button = 0, p[0].zero = 1, (void)!send(driver, p, 40, 0);
    send_place(driver, 10, 1.0);
    send_place(other, 11, 1.1);
    assert_true(read_at(udp, data, 0, &sample));
    assert_true(sample.position[0] == 1.0 || sample.position[0] == 1.1); /* 1.1: 100 ms have passed meanwhile */
    if (sample.position[0] == 1.0) assert_int_equal(udp->ignored(data), 9);
    /* Numbers may run over. */
    usleep(120000);
    assert_false(read_at(udp, data, 0, &sample)); /* silent for 100 ms */
    send_place(driver, UINT32_MAX, 2);
    send_place(driver, 0, 3);
    assert_true(read_at(udp, data, 0, &sample));
    assert_true(sample.position[0] == 3);
    usleep(120000);
    send_place(other, 5, 4); /* another driver takes over */
    assert_true(read_at(udp, data, 0, &sample));
    assert_true(sample.position[0] == 4);
    /* A port that is taken. */
    sn_device_options options = stage_device("udp");
    options.port = port;
    sn_error error = {0};
    void *second = NULL;
    assert_int_equal(udp->create(context, &options, &second, &error), SN_IO);
    assert_string_equal(error.path, "udp.port");
    close(driver), close(other);
    udp->destroy(context, data);
}

/* The client of the documentation, in a process of its own, moves a tool. */
static void test_client(void **state) {
    (void)state;
    int port;
    void *data = open_udp(&port);
    sn_device_udp.destroy(context, data);
    sn_device_options device = stage_device("udp");
    device.port = port;
    sn_world *world = world_of_text(context, STAGE);
    sn_servo *servo = stage_servo(world, &device, NULL);
    assert_int_equal(sn_servo_start(servo, 0, NULL), SN_OK);
    const pid_t client = fork();
    assert_true(client >= 0);
    if (client == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", port);
        if (!freopen("/dev/null", "w", stdout)) _exit(3);
        char *word[] = {"client", number, "2100", NULL};
        _exit(client_main(3, word)); /* 0: there were answers */
    }
    sn_servo_report report;
    double most = 0;
    int code = -1;
    while (waitpid(client, &code, WNOHANG) == 0) {
        stage_step(world);
        sn_servo_look(servo, &report);
        most = fmax(most, report.force[1]);
        usleep(5000);
    }
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    assert_true(most > 0.05);
    assert_true(report.ignored == 0);
    for (int i = 0; i < 2000 && report.answers; ++i) usleep(1000), sn_servo_look(servo, &report);
    assert_false(report.answers);
    assert_true(report.faults > 0 && report.force[1] == 0);
    assert_non_null(strstr(report.message, "'udp' does not answer"));
    sn_servo_destroy(servo);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),   cmocka_unit_test(test_path_file),     cmocka_unit_test(test_options),
        cmocka_unit_test(test_mouse),  cmocka_unit_test(test_mouse_threads), cmocka_unit_test(test_udp_packets),
        cmocka_unit_test(test_client),
    };
    return cmocka_run_group_tests(tests, start, end);
}
