/* The server of `sinew view`; see view_server.h. */
#include "view_server.h"

#if defined(SN_HAVE_CIVETWEB)

#include <civetweb.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLIENTS = 16, QUEUE = 64, MESSAGE_MOST = 1 << 28 };

typedef struct packet {
    int users;
    size_t size;
    char data[];
} packet;

typedef struct client {
    struct mg_connection *connection; /* NULL: this place is free */
    bool ready, drawn;                /* the connection is open; the client wants the next frame */
    bool leaving, broken;             /* the connection closes; the client did not read in time */
    packet *queue[QUEUE];             /* a ring buffer of packets to send */
    int first, count;
    pthread_t writer;
    pthread_cond_t work; /* signalled when the queue has a packet, or when the client leaves */
    char *partial;       /* the first frames of a message that comes in several frames */
    size_t partial_size;
} client;

struct view_server {
    pthread_mutex_t mutex; /* protects everything below */
    pthread_cond_t wake;   /* signalled when a message has arrived */
    client client[CLIENTS];
    view_message *first, **last;
    struct mg_context *context;
    int port;
};

/* The argument of a writer thread. */
typedef struct task {
    view_server *server;
    int place;
} task;

/* ---- Out ---- */

/* Under the mutex. */
static void drop(packet *p) {
    if (--p->users == 0) free(p);
}

static void *write_out(void *user) {
    const task job = *(task *)user;
    free(user);
    view_server *s = job.server;
    client *c = &s->client[job.place];
    pthread_mutex_lock(&s->mutex);
    for (;;) {
        while (!c->leaving && c->count == 0) pthread_cond_wait(&c->work, &s->mutex);
        if (c->leaving) break;
        packet *p = c->queue[c->first];
        c->first = (c->first + 1) % QUEUE, --c->count;
        const bool broken = c->broken;
        pthread_mutex_unlock(&s->mutex);
        const bool sent =
            !broken && mg_websocket_write(c->connection, MG_WEBSOCKET_OPCODE_BINARY, p->data, p->size) > 0;
        pthread_mutex_lock(&s->mutex);
        c->broken = c->broken || !sent;
        drop(p);
    }
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

void view_server_send(view_server *s, int only, bool frame, const char *data, size_t size) {
    packet *p = malloc(sizeof *p + size);
    if (!p) return;
    *p = (packet){.users = 1, .size = size};
    memcpy(p->data, data, size);
    pthread_mutex_lock(&s->mutex);
    for (int i = 0; i < CLIENTS; ++i) {
        client *c = &s->client[i];
        if (!c->ready || c->broken || (only >= 0 && i != only) || (frame && !c->drawn)) continue;
        if (frame) c->drawn = false;
        if (c->count == QUEUE) {
            c->broken = true;
            continue;
        }
        c->queue[(c->first + c->count++) % QUEUE] = p;
        ++p->users;
        pthread_cond_signal(&c->work);
    }
    drop(p);
    pthread_mutex_unlock(&s->mutex);
}

void view_server_drawn(view_server *s, int place) {
    pthread_mutex_lock(&s->mutex);
    s->client[place].drawn = true;
    pthread_mutex_unlock(&s->mutex);
}

/* ---- In: these functions run in the threads of civetweb ---- */

static bool same_address(const view_server *s, const char *text, const char *before) {
    char allowed[2][64];
    snprintf(allowed[0], sizeof allowed[0], "%s127.0.0.1:%d", before, s->port);
    snprintf(allowed[1], sizeof allowed[1], "%slocalhost:%d", before, s->port);
    return text && (strcmp(text, allowed[0]) == 0 || strcmp(text, allowed[1]) == 0);
}

/* Returns 1 when it has answered the request. */
static int begin_request(struct mg_connection *connection) {
    const struct mg_request_info *info = mg_get_request_info(connection);
    const view_server *s = mg_get_user_data(mg_get_context(connection));
    if (!same_address(s, mg_get_header(connection, "Host"), "")) {
        mg_send_http_error(connection, 403, "this server only answers to its own address");
        return 1;
    }
    if (strcmp(info->local_uri, "/") == 0 && !info->query_string) {
        mg_send_http_redirect(connection, "/?native", 302);
        return 1;
    }
    return 0;
}

/* Returns 0 to accept the client. */
static int connect_client(const struct mg_connection *connection, void *user) {
    view_server *s = user;
    if (!same_address(s, mg_get_header(connection, "Origin"), "http://") ||
        !same_address(s, mg_get_header(connection, "Host"), ""))
        return 1;
    int place = -1;
    pthread_mutex_lock(&s->mutex);
    for (int i = CLIENTS - 1; i >= 0; --i)
        if (!s->client[i].connection) place = i;
    if (place >= 0) {
        s->client[place] = (client){.connection = (struct mg_connection *)connection};
        mg_set_user_connection_data(connection, (void *)(intptr_t)(place + 1));
    }
    pthread_mutex_unlock(&s->mutex);
    return place < 0;
}

static int place_of(const struct mg_connection *connection) {
    return (int)(intptr_t)mg_get_user_connection_data(connection) - 1;
}

static void client_ready(struct mg_connection *connection, void *user) {
    view_server *s = user;
    const int place = place_of(connection);
    client *c = &s->client[place];
    task *job = malloc(sizeof *job);
    if (!job) return; /* without a writer the client gets no messages */
    *job = (task){s, place};
    pthread_mutex_lock(&s->mutex);
    pthread_cond_init(&c->work, NULL);
    if (pthread_create(&c->writer, NULL, write_out, job) == 0)
        c->ready = c->drawn = true;
    else
        pthread_cond_destroy(&c->work), free(job);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->mutex);
}

/* Under the mutex. */
static void enqueue(view_server *s, int place, const char *data, size_t size) {
    view_message *m = malloc(sizeof *m + size);
    if (!m) return;
    *m = (view_message){.client = place, .size = size};
    if (size) memcpy(m->data, data, size);
    *s->last = m;
    s->last = &m->next;
    pthread_cond_signal(&s->wake);
}

/* Returns 0 to close the connection. */
static int client_data(struct mg_connection *connection, int bits, char *data, size_t size, void *user) {
    view_server *s = user;
    const int place = place_of(connection), kind = bits & 15;
    client *c = &s->client[place];
    if (kind == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE) return 0;
    if (kind != MG_WEBSOCKET_OPCODE_BINARY && kind != MG_WEBSOCKET_OPCODE_CONTINUATION) return 1;
    pthread_mutex_lock(&s->mutex);
    char *all =
        c->broken || c->partial_size + size > MESSAGE_MOST ? NULL : realloc(c->partial, c->partial_size + size + 1);
    if (all) {
        memcpy(all + c->partial_size, data, size);
        c->partial = all, c->partial_size += size;
        if (bits & 128) {
            enqueue(s, place, c->partial, c->partial_size);
            free(c->partial);
            c->partial = NULL, c->partial_size = 0;
        }
    }
    pthread_mutex_unlock(&s->mutex);
    return all != NULL;
}

static void client_closed(const struct mg_connection *connection, void *user) {
    view_server *s = user;
    const int place = place_of(connection);
    if (place < 0) return;
    client *c = &s->client[place];
    pthread_mutex_lock(&s->mutex);
    const bool writing = c->ready;
    c->ready = false, c->leaving = true;
    enqueue(s, place, NULL, 0); /* tells the engine that the client has left, so that its grabs end */
    if (writing) {
        pthread_cond_signal(&c->work);
        pthread_mutex_unlock(&s->mutex);
        pthread_join(c->writer, NULL);
        pthread_mutex_lock(&s->mutex);
        pthread_cond_destroy(&c->work);
    }
    for (int i = 0; i < c->count; ++i) drop(c->queue[(c->first + i) % QUEUE]);
    free(c->partial);
    *c = (client){0};
    pthread_mutex_unlock(&s->mutex);
}

/* ---- For the engine's thread ---- */

view_message *view_server_receive(view_server *s, double seconds, int *clients, bool *wants) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double whole = (double)until.tv_nsec + 1e9 * seconds;
    until.tv_sec += (time_t)(whole / 1e9);
    until.tv_nsec = (long)(whole - 1e9 * (double)(time_t)(whole / 1e9));
    pthread_mutex_lock(&s->mutex);
    if (!s->first && seconds > 0) pthread_cond_timedwait(&s->wake, &s->mutex, &until);
    view_message *list = s->first;
    s->first = NULL, s->last = &s->first;
    *clients = 0, *wants = false;
    for (int i = 0; i < CLIENTS; ++i) {
        const client *c = &s->client[i];
        *clients += c->ready;
        *wants = *wants || (c->ready && c->drawn && !c->broken);
    }
    pthread_mutex_unlock(&s->mutex);
    return list;
}

int view_server_port(const view_server *s) { return s->port; }

view_server *view_server_start(const char *site, int port) {
    view_server *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->last = &s->first, s->port = port;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->wake, &clock);
    pthread_condattr_destroy(&clock);
    char ports[64];
    snprintf(ports, sizeof ports, "127.0.0.1:%d", port);
    const char *options[] = {"document_root",
                             site,
                             "listening_ports",
                             ports,
                             "num_threads",
                             "256", /* a thread per connection: connections that ask for nothing must not take all */
                             "request_timeout_ms",
                             "3000", /* then such a connection is closed */
                             "enable_directory_listing",
                             "no",
                             "enable_websocket_ping_pong",
                             "yes",
                             "websocket_timeout_ms",
                             "3600000",
                             "extra_mime_types",
                             ".mjs=text/javascript,.wasm=application/wasm",
                             "additional_header",
                             "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp",
                             NULL};
    const struct mg_callbacks callbacks = {.begin_request = begin_request};
    mg_init_library(0);
    errno = 0;
    s->context = mg_start(&callbacks, s, options);
    if (!s->context) {
        const int problem = errno;
        view_server_stop(s);
        errno = problem;
        return NULL;
    }
    struct mg_server_port used[4];
    if (mg_get_server_ports(s->context, 4, used) > 0) s->port = used[0].port;
    mg_set_websocket_handler(s->context, "/engine", connect_client, client_ready, client_data, client_closed, s);
    return s;
}

void view_server_stop(view_server *s) {
    if (!s) return;
    if (s->context) mg_stop(s->context);
    mg_exit_library();
    while (s->first) {
        view_message *next = s->first->next;
        free(s->first);
        s->first = next;
    }
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

#endif
