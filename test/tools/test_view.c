/* sinew view from outside: it finds its page beside an installed command, it keeps serving while many connections are
 * open that ask for nothing, and a message that asks for endless work does not stop it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

#include "command.h"

static int port;
static pid_t server;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int connect_to(void) {
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(s >= 0);
    assert_int_equal(connect(s, (const struct sockaddr *)&address, sizeof address), 0);
    return s;
}

/* Reads until `wanted` is in the text or the time is over. */
static bool answers(int s, const char *wanted, double patience) {
    static char text[1 << 20];
    size_t used = 0;
    const double end = seconds() + patience;
    while (seconds() < end) {
        struct pollfd wait = {.fd = s, .events = POLLIN};
        if (poll(&wait, 1, 50) <= 0) continue;
        const ssize_t got = recv(s, text + used, sizeof text - used, 0);
        if (got <= 0) return false;
        used += (size_t)got;
        if (memmem(text, used, wanted, strlen(wanted))) return true;
        if (used > sizeof text / 2) memmove(text, text + used - 256, 256), used = 256;
    }
    return false;
}

static bool page_comes(double patience) {
    char request[200];
    const int s = connect_to();
    snprintf(request, sizeof request, "GET /index.html HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port);
    assert_true(send(s, request, strlen(request), 0) > 0);
    const bool came = answers(s, "a page for tests", patience);
    close(s);
    return came;
}

/* A WebSocket to the engine. */
static int open_tab(void) {
    char request[400];
    const int s = connect_to();
    snprintf(request, sizeof request,
             "GET /engine HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\nConnection: Upgrade\r\n"
             "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
             port, port);
    assert_true(send(s, request, strlen(request), 0) > 0);
    assert_true(answers(s, "101", 5));
    return s;
}

/* A binary frame with a mask of zeros: the length of the text, the text, zeros up to a multiple of 8. */
static void tell(int s, const char *text) {
    const size_t length = strlen(text), size = (4 + length + 7) & ~(size_t)7;
    unsigned char frame[200] = {0x82, (unsigned char)(0x80 | size)};
    assert_true(size < 126);
    frame[6] = (unsigned char)length;
    memcpy(frame + 10, text, length);
    assert_true(send(s, frame, 6 + size, 0) > 0);
}

static void test_page(void **state) {
    (void)state;
    assert_true(page_comes(5));
}

static void test_idle_connections(void **state) {
    (void)state;
    enum { IDLE = 200 };
    int idle[IDLE];
    for (int i = 0; i < IDLE; ++i) idle[i] = connect_to();
    assert_true(page_comes(2));
    const int tab = open_tab();
    tell(tab, "{\"do\": \"hello\"}");
    assert_true(answers(tab, "\"type\":\"hello\"", 2));
    close(tab);
    /* connections that ask for nothing are closed */
    struct pollfd end = {.fd = idle[0], .events = POLLIN};
    char byte;
    assert_int_equal(poll(&end, 1, 8000), 1);
    assert_true(recv(idle[0], &byte, 1, 0) <= 0);
    for (int i = 0; i < IDLE; ++i) close(idle[i]);
}

static void test_endless_work(void **state) {
    (void)state;
    const int first = open_tab(), second = open_tab();
    tell(first, "{\"do\": \"advance\", \"steps\": 9007199254740992}");
    usleep(100000);
    tell(second, "{\"do\": \"hash\"}");
    assert_true(answers(second, "\"type\":\"hash\"", 8));
    assert_true(answers(first, "the rest is given up", 8));
    close(first);
    close(second);
}

/* An installation in a folder of its own: bin/sinew and share/sinew/web. */
static int start_server(void **state) {
    if (set_up(state)) return -1;
    char line[600], path[128];
    snprintf(line, sizeof line,
             "mkdir -p %s/bin %s/share/sinew/web && cp %s %s/bin/sinew && echo 'a page for tests' "
             ">%s/share/sinew/web/index.html",
             folder, folder, SN_COMMAND, folder, folder);
    if (system(line) != 0) return -1;
    snprintf(path, sizeof path, "%s/bin/sinew", folder);
    int ends[2];
    if (pipe(ends)) return -1;
    server = fork();
    if (server == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        execl(path, path, "view", scene, "--port", "0", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *printed = fdopen(ends[0], "r");
    const bool started = fscanf(printed, "http://127.0.0.1:%d/", &port) == 1;
    if (!started) fprintf(stderr, "no server\n");
    return started ? 0 : -1;
}

static int stop_server(void **state) {
    int status;
    kill(server, SIGINT);
    waitpid(server, &status, 0);
    return tear_down(state);
}

int main(void) {
    char line[128];
    snprintf(line, sizeof line, "%s help view | grep -q 'left out'", SN_COMMAND);
    if (system(line) == 0) return 0; /* a build without the server has nothing to test */
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_page), cmocka_unit_test(test_idle_connections),
                                       cmocka_unit_test(test_endless_work)};
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
