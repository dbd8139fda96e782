/* The device "udp": a driver, which is any program on the same machine, sends the place and gets the force
 * (docs/haptics.md). The port is on the loopback address, so no other machine can send or listen.
 *
 * A packet has 40 bytes, both ways, in the byte order of the machine. The servo takes the newest packet that is there
 * and answers it once per tick. It listens to one driver at a time: the first that sends, until that one has been
 * silent for 100 ms. */
#include "device.h"

#if defined(__EMSCRIPTEN__) || defined(_WIN32)

static sn_status create(const sn_context *context, const sn_device_options *options, void **data, sn_error *error) {
    return sn_fail(error, SN_UNSUPPORTED, "the device 'udp' is not in this build");
}
const sn_device_kind sn_device_udp = {.name = "udp", .create = create};

#else

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 64 };                /* packets that one tick takes */
static const double silence = 0.1; /* s: then the driver is gone */

typedef struct packet {
    char mark[4]; /* "SNHP" place, "SNHF" force */
    uint32_t number;
    double vector[3]; /* m, or N */
    uint32_t button, zero;
} packet;
_Static_assert(sizeof(packet) == 40, "the layout of a packet");

typedef struct udp {
    int socket;
    bool heard; /* the driver sent within the last 100 ms */
    struct sockaddr_in driver;
    packet newest;
    double when; /* of the clock: the newest packet came */
    int64_t ignored;
} udp;

static sn_status create(const sn_context *context, const sn_device_options *options, void **data, sn_error *error) {
    udp *u = sn_allocate_zero(context, 1, sizeof *u);
    if (!u) return sn_no_memory(error);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options->port)};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    u->socket = socket(AF_INET, SOCK_DGRAM, 0);
    if (u->socket >= 0 && fcntl(u->socket, F_SETFD, FD_CLOEXEC) == 0 && fcntl(u->socket, F_SETFL, O_NONBLOCK) == 0 &&
        bind(u->socket, (const struct sockaddr *)&here, sizeof here) == 0) {
        *data = u;
        return SN_OK;
    }
    const sn_status status =
        sn_fail_at(error, SN_IO, "udp.port", "port %d of the loopback address cannot be opened: %s", options->port,
                   strerror(errno));
    if (u->socket >= 0) close(u->socket);
    sn_release(context, u);
    return status;
}

static bool same_driver(const struct sockaddr_in *a, const struct sockaddr_in *b) {
    return a->sin_port == b->sin_port && a->sin_addr.s_addr == b->sin_addr.s_addr;
}

/* Whether the packet is a place from the driver, and newer than the last one. */
static bool counts(const udp *u, const packet *p, ssize_t bytes, const struct sockaddr_in *from) {
    if (bytes != sizeof *p || memcmp(p->mark, "SNHP", 4) != 0 || p->button > 1 || p->zero != 0) return false;
    if (!u->heard) return true;
    return same_driver(from, &u->driver) && (int32_t)(p->number - u->newest.number) > 0;
}

static bool receive(void *data, double time, sn_device_sample *sample) {
    (void)time;
    udp *u = data;
    const double now = sn_seconds();
    if (u->heard && now - u->when > silence) u->heard = false;
    for (int i = 0; i < MOST; ++i) {
        packet p = {0};
        struct sockaddr_in from = {0};
        socklen_t size = sizeof from;
        const ssize_t bytes =
            recvfrom(u->socket, &p, sizeof p, MSG_TRUNC, (struct sockaddr *)&from, &size); /* the whole length */
        if (bytes < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (bytes < 0) continue; /* of an answer that nobody took */
        if (!counts(u, &p, bytes, &from)) {
            ++u->ignored;
            continue;
        }
        u->heard = true, u->newest = p, u->driver = from, u->when = now;
    }
    memcpy(sample->position, u->newest.vector, sizeof sample->position);
    sample->button = u->newest.button != 0;
    return u->heard;
}

/* An answer that the driver does not take is lost, as packets are. */
static bool answer(void *data, double time, const double force[3]) {
    (void)time;
    udp *u = data;
    if (!u->heard) return true;
    packet p = {{'S', 'N', 'H', 'F'}, u->newest.number, {force[0], force[1], force[2]}, u->newest.button, 0};
    (void)!sendto(u->socket, &p, sizeof p, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&u->driver,
                  sizeof u->driver);
    return true;
}

static int64_t ignored(const void *data) { return ((const udp *)data)->ignored; }

static void destroy(const sn_context *context, void *data) {
    udp *u = data;
    close(u->socket);
    sn_release(context, u);
}

const sn_device_kind sn_device_udp = {
    .name = "udp", .create = create, .read = receive, .write = answer, .destroy = destroy, .ignored = ignored};
#endif
