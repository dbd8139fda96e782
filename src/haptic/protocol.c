/* See protocol.h. */
#include "protocol.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROWS = 1 << 14 }; /* a power of two; 16 s at 1 kHz */

struct sn_protocol {
    const sn_context *context;
    FILE *file;
    sn_protocol_row *row;
    _Alignas(64) atomic_uint in; /* rows that were put in, and taken out */
    _Alignas(64) atomic_uint out;
    pthread_t thread;
    bool running;
    atomic_bool stop;
    int failure; /* errno of the first failure; 0: none */
    char path[256];
};

sn_status sn_protocol_create(const sn_context *context, const char *path, sn_protocol **protocol, sn_error *error) {
    sn_protocol *p = sn_allocate_zero(context, 1, sizeof *p);
    if (!p) return sn_no_memory(error);
    p->context = context;
    snprintf(p->path, sizeof p->path, "%s", path);
    p->row = sn_allocate_zero(context, ROWS, sizeof *p->row);
    if (p->row) p->file = fopen(path, "wb");
    if (p->file && fputs("t,x,y,z,button,fx,fy,fz,depth,touches\n", p->file) >= 0 && fflush(p->file) == 0) {
        *protocol = p;
        return SN_OK;
    }
    const sn_status status = p->row ? sn_fail_at(error, SN_IO, "protocol", "%.200s: cannot be written: %s", path,
                                                 strerror(errno ? errno : EIO))
                                    : sn_no_memory(error);
    sn_protocol_destroy(p);
    return status;
}

bool sn_protocol_put(sn_protocol *protocol, const sn_protocol_row *row) {
    const unsigned in = atomic_load_explicit(&protocol->in, memory_order_relaxed);
    if (in - atomic_load_explicit(&protocol->out, memory_order_acquire) == ROWS) return false;
    protocol->row[in % ROWS] = *row;
    atomic_store_explicit(&protocol->in, in + 1, memory_order_release);
    return true;
}

static void print_row(FILE *file, const sn_protocol_row *r) {
    fprintf(file, "%.17g,%.17g,%.17g,%.17g,%d,%.17g,%.17g,%.17g,", r->time, r->position[0], r->position[1],
            r->position[2], r->button, r->force[0], r->force[1], r->force[2]);
    if (isfinite(r->depth)) fprintf(file, "%.17g", r->depth);
    fprintf(file, ",%d\n", r->touches);
}

static void drain(sn_protocol *p) {
    const unsigned in = atomic_load_explicit(&p->in, memory_order_acquire);
    unsigned out = atomic_load_explicit(&p->out, memory_order_relaxed);
    if (out == in) return;
    errno = 0;
    while (out != in) {
        print_row(p->file, &p->row[out % ROWS]);
        atomic_store_explicit(&p->out, ++out, memory_order_release);
    }
    if ((fflush(p->file) || ferror(p->file)) && !p->failure) p->failure = errno ? errno : EIO;
}

sn_status sn_protocol_write(sn_protocol *protocol, sn_error *error) {
    drain(protocol);
    if (!protocol->failure) return SN_OK;
    return sn_fail_at(error, SN_IO, "protocol", "%.200s: cannot be written: %s", protocol->path,
                      strerror(protocol->failure));
}

static void *write_rows(void *data) {
    sn_protocol *p = data;
    while (!atomic_load_explicit(&p->stop, memory_order_relaxed)) {
        drain(p);
        const struct timespec rest = {0, 50000000};
        nanosleep(&rest, NULL);
    }
    return NULL;
}

sn_status sn_protocol_start(sn_protocol *protocol, sn_error *error) {
    atomic_store(&protocol->stop, false);
    const int code = pthread_create(&protocol->thread, NULL, write_rows, protocol);
    if (code) return sn_fail(error, SN_UNSUPPORTED, "no thread for the protocol: %s", strerror(code));
    protocol->running = true;
    return SN_OK;
}

void sn_protocol_stop(sn_protocol *protocol) {
    if (!protocol->running) return;
    atomic_store(&protocol->stop, true);
    pthread_join(protocol->thread, NULL);
    protocol->running = false;
}

void sn_protocol_destroy(sn_protocol *protocol) {
    if (!protocol) return;
    if (protocol->file) fclose(protocol->file);
    sn_release(protocol->context, protocol->row);
    sn_release(protocol->context, protocol);
}
