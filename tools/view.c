/* sinew view: serves the page on loopback and runs the native engine behind it.
 *
 * One thread owns the engine; the server's threads only put messages into a queue. Several tabs may watch; a grab belongs to the tab that
 * made it until it lets go. Only this machine can connect, and only pages that this server served (Origin and Host are checked). A message
 * is the length of its JSON text (4 bytes, little-endian), the text, zeros up to a multiple of 8, then bytes. */
#include "tool.h"

#if !defined(SN_HAVE_CIVETWEB)

static int left_out(int count, char **word) {
    (void)count, (void)word;
    return tool_fail(TOOL_FAILED,
                     "view was left out of this build: it needs civetweb (Debian: libcivetweb-dev), then cmake and make again");
}
const tool_command tool_view = {"view", "view SCENE [--port N]",
                                "serve the page with the native engine on loopback (left out of this build)", "", left_out};

#else

#include <civetweb.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../web/engine.h"

static int view(int count, char **word);

const tool_command tool_view = {"view", "view SCENE [--port N] [--threads N]", "serve the page with the native engine on loopback",
                                "  --port N     default 8765; 0: any free one\n"
                                "  --threads N  threads of the engine (default: one per core)\n"
                                "Prints the address; ends with Ctrl-C. The page must have been built (make web).\n",
                                view};

enum { CLIENTS = 16, MESSAGE_MOST = 1 << 28 };

typedef struct client {
    struct mg_connection *connection; /* NULL: free place */
    bool ready, drawn;                /* opened; wants the next frame */
    char *partial;                    /* of a message in several frames */
    size_t partial_size;
} client;

typedef struct message {
    struct message *next;
    int client;
    size_t size;
    char data[];
} message;

typedef struct server {
    pthread_mutex_t mutex; /* clients, queue */
    pthread_cond_t wake;
    client client[CLIENTS];
    message *first, **last;
    engine *engine;
    int target; /* who gets what the engine says now; -1: all */
    int holder; /* of the mouse; -1: nobody */
    int port;
    bool failed; /* the engine reported an error while loading the first scene */
    char *packet;
    size_t capacity;
} server;

static volatile sig_atomic_t stopped;

static void stop(int signal) {
    (void)signal;
    stopped = 1;
}

/* ---- Out ---- */

static void send_packet(server *s, int only, bool frame, size_t size) {
    pthread_mutex_lock(&s->mutex);
    for (int i = 0; i < CLIENTS; ++i) {
        client *c = &s->client[i];
        if (!c->connection || !c->ready || (only >= 0 && i != only) || (frame && !c->drawn)) continue;
        if (frame) c->drawn = false;
        mg_websocket_write(c->connection, MG_WEBSOCKET_OPCODE_BINARY, s->packet, size);
    }
    pthread_mutex_unlock(&s->mutex);
}

static void engine_says(void *user, const char *text, size_t length, const void *bytes, size_t size) {
    server *s = user;
    static const char frame[] = "{\"type\":\"frame\"", error[] = "{\"type\":\"error\"";
    const size_t begin = (4 + length + 7) & ~(size_t)7, whole = begin + size;
    if (!s->port && strncmp(text, error, sizeof error - 1) == 0) {
        json_t *head = json_loadb(text, length, 0, NULL);
        const char *problem = json_string_value(json_object_get(head, "text"));
        tool_fail(TOOL_BAD_INPUT, "%s", problem ? problem : "");
        json_decref(head);
        s->failed = true;
        return;
    }
    if (whole > s->capacity) {
        char *larger = realloc(s->packet, whole + whole / 2);
        if (!larger) return;
        s->packet = larger, s->capacity = whole + whole / 2;
    }
    memset(s->packet, 0, begin);
    for (int i = 0; i < 4; ++i) s->packet[i] = (char)(length >> 8 * i & 255);
    memcpy(s->packet + 4, text, length);
    if (size) memcpy(s->packet + begin, bytes, size);
    send_packet(s, s->target, strncmp(text, frame, sizeof frame - 1) == 0, whole);
}

/* ---- In: the server's threads ---- */

static bool same_address(const server *s, const char *text, const char *before) {
    char allowed[2][64];
    snprintf(allowed[0], sizeof allowed[0], "%s127.0.0.1:%d", before, s->port);
    snprintf(allowed[1], sizeof allowed[1], "%slocalhost:%d", before, s->port);
    return text && (strcmp(text, allowed[0]) == 0 || strcmp(text, allowed[1]) == 0);
}

/* 1 when the request has been answered. */
static int begin_request(struct mg_connection *connection) {
    const struct mg_request_info *info = mg_get_request_info(connection);
    const server *s = mg_get_user_data(mg_get_context(connection));
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

static int connect_client(const struct mg_connection *connection, void *user) {
    server *s = user;
    if (!same_address(s, mg_get_header(connection, "Origin"), "http://") || !same_address(s, mg_get_header(connection, "Host"), ""))
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

static int place_of(const struct mg_connection *connection) { return (int)(intptr_t)mg_get_user_connection_data(connection) - 1; }

static void client_ready(struct mg_connection *connection, void *user) {
    server *s = user;
    pthread_mutex_lock(&s->mutex);
    s->client[place_of(connection)].ready = s->client[place_of(connection)].drawn = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->mutex);
}

/* Under the mutex. */
static void enqueue(server *s, int place, const char *data, size_t size) {
    message *m = malloc(sizeof *m + size);
    if (!m) return;
    *m = (message){.client = place, .size = size};
    if (size) memcpy(m->data, data, size);
    *s->last = m;
    s->last = &m->next;
    pthread_cond_signal(&s->wake);
}

static int client_data(struct mg_connection *connection, int bits, char *data, size_t size, void *user) {
    server *s = user;
    const int place = place_of(connection), kind = bits & 15;
    client *c = &s->client[place];
    if (kind == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE) return 0;
    if (kind != MG_WEBSOCKET_OPCODE_BINARY && kind != MG_WEBSOCKET_OPCODE_CONTINUATION) return 1;
    if (c->partial_size + size > MESSAGE_MOST) return 0;
    pthread_mutex_lock(&s->mutex);
    char *all = realloc(c->partial, c->partial_size + size + 1);
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
    server *s = user;
    const int place = place_of(connection);
    if (place < 0) return;
    pthread_mutex_lock(&s->mutex);
    free(s->client[place].partial);
    s->client[place] = (client){0};
    enqueue(s, place, NULL, 0); /* let go what it held */
    pthread_mutex_unlock(&s->mutex);
}

/* ---- The engine's thread ---- */

static void say_to(server *s, int place, const char *text) {
    s->target = place;
    engine_says(s, text, strlen(text), NULL, 0);
    s->target = -1;
}

static void let_go(server *s) {
    static const char text[] = "{\"do\": \"release\", \"handle\": -1}";
    engine_message(s->engine, text, sizeof text - 1, NULL, 0);
    s->holder = -1;
}

/* False when another tab holds the mouse. */
static bool may_grab(server *s, int place, const char *what, const json_t *head) {
    const bool grabs = strcmp(what, "grab") == 0, releases = strcmp(what, "release") == 0;
    if (!grabs && !releases) return true;
    if (s->holder >= 0 && s->holder != place) {
        if (grabs && json_object_get(head, "triangle")) say_to(s, place, "{\"type\":\"note\",\"text\":\"another tab holds the mouse\"}");
        return false;
    }
    s->holder = grabs ? place : -1;
    return true;
}

static void handle(server *s, const message *m) {
    if (m->size == 0) {
        if (s->holder == m->client) let_go(s);
        return;
    }
    size_t length = 0;
    for (int i = 0; i < 4 && m->size >= 4; ++i) length |= (size_t)(unsigned char)m->data[i] << 8 * i;
    const size_t begin = (4 + length + 7) & ~(size_t)7;
    if (m->size < 4 || length > m->size - 4) return;
    json_t *head = json_loadb(m->data + 4, length, 0, NULL);
    const char *what = json_string_value(json_object_get(head, "do"));
    if (what && strcmp(what, "drawn") == 0) {
        pthread_mutex_lock(&s->mutex);
        s->client[m->client].drawn = true;
        pthread_mutex_unlock(&s->mutex);
    } else if (what && may_grab(s, m->client, what, head)) {
        const bool private_answer =
            strcmp(what, "hello") == 0 || strcmp(what, "describe") == 0 || strcmp(what, "save") == 0 || strcmp(what, "hash") == 0;
        s->target = private_answer ? m->client : -1;
        const size_t size = m->size > begin ? m->size - begin : 0;
        engine_message(s->engine, m->data + 4, length, m->data + (size ? begin : 0), size);
        s->target = -1;
    }
    json_decref(head);
}

/* Waits for messages at most so long, then handles all of them. Returns how many clients there are; *wants: one of them wants a frame. */
static int handle_all(server *s, double seconds, bool *wants) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double whole = (double)until.tv_nsec + 1e9 * seconds;
    until.tv_sec += (time_t)(whole / 1e9);
    until.tv_nsec = (long)(whole - 1e9 * (double)(time_t)(whole / 1e9));
    pthread_mutex_lock(&s->mutex);
    if (!s->first && seconds > 0) pthread_cond_timedwait(&s->wake, &s->mutex, &until);
    message *list = s->first;
    s->first = NULL, s->last = &s->first;
    pthread_mutex_unlock(&s->mutex);
    while (list) {
        message *next = list->next;
        handle(s, list);
        free(list);
        list = next;
    }
    int clients = 0;
    *wants = false;
    pthread_mutex_lock(&s->mutex);
    for (int i = 0; i < CLIENTS; ++i) {
        if (!s->client[i].ready) continue;
        ++clients;
        *wants = *wants || s->client[i].drawn;
    }
    pthread_mutex_unlock(&s->mutex);
    return clients;
}

static void run(server *s) {
    double wait = 0.1;
    while (!stopped) {
        bool wants;
        const int clients = handle_all(s, wait, &wants);
        wait = clients ? engine_tick(s->engine, wants) : 0.2; /* nobody looks: nothing moves */
    }
}

/* ---- Start and end ---- */

/* Where the page is: beside the command, or installed. */
static bool find_site(char *folder, size_t capacity) {
    char self[1024];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    for (int attempt = 0; attempt < 2; ++attempt) {
        char file[1400];
        if (attempt == 0 && length > 0) {
            self[length] = 0;
            char *slash = strrchr(self, '/');
            if (slash) *slash = 0;
            snprintf(folder, capacity, "%.900s/web", self);
        } else {
            snprintf(folder, capacity, "%s", SN_WEB_FOLDER);
        }
        snprintf(file, sizeof file, "%.1300s/index.html", folder);
        if (access(file, R_OK) == 0) return true;
    }
    return false;
}

static void remove_folder(const char *folder) {
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        char path[1400];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%.1000s/%.300s", folder, entry->d_name);
        unlink(path);
    }
    if (dir) closedir(dir);
    rmdir(folder);
}

static struct mg_context *start_server(server *s, const char *site, int port) {
    char ports[64];
    snprintf(ports, sizeof ports, "127.0.0.1:%d", port);
    const char *options[] = {"document_root",
                             site,
                             "listening_ports",
                             ports,
                             "num_threads",
                             "20",
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
    s->port = port ? port : 1; /* from now on errors go to the page */
    struct mg_context *context = mg_start(&callbacks, s, options);
    struct mg_server_port used[4];
    if (!context) return NULL;
    if (mg_get_server_ports(context, 4, used) > 0) s->port = used[0].port;
    mg_set_websocket_handler(context, "/engine", connect_client, client_ready, client_data, client_closed, s);
    return context;
}

static int serve(server *s, const char *scene, const char *site, const char *files, int port, int threads) {
    s->engine = engine_create(threads, files, engine_says, s);
    if (!s->engine) return tool_fail(TOOL_FAILED, "the engine cannot be started");
    static const char play[] = "{\"do\": \"play\", \"on\": true}";
    engine_open(s->engine, scene);
    if (s->failed) return TOOL_BAD_INPUT;
    engine_message(s->engine, play, sizeof play - 1, NULL, 0);
    mg_init_library(0);
    struct mg_context *context = start_server(s, site, port);
    if (!context) {
        mg_exit_library();
        return tool_fail(TOOL_FAILED, "port %d of 127.0.0.1 cannot be used: %s", port, strerror(errno));
    }
    printf("http://127.0.0.1:%d/  (Ctrl-C ends it)\n", s->port);
    fflush(stdout);
    run(s);
    mg_stop(context);
    mg_exit_library();
    return TOOL_OK;
}

static int view(int count, char **word) {
    const char *scene = NULL;
    int port = 8765, threads = 0, scenes;
    const tool_option option[] = {{.name = "--port", .number = &port, .low = 0}, {.name = "--threads", .number = &threads, .low = 0}};
    int code = tool_parse(&tool_view, count, word, option, 2, &scene, 1, &scenes);
    if (code) return code;
    if (scenes == 0) return tool_fail(TOOL_BAD_INPUT, "view needs a scene; usage: sinew %s", tool_view.usage);
    if (port > 65535) return tool_fail(TOOL_BAD_INPUT, "--port is %d; allowed are 0 to 65535", port);
    if (threads > 64) return tool_fail(TOOL_BAD_INPUT, "--threads is %d; allowed are 0 (one per core) to 64", threads);
    char site[1024], files[] = "/tmp/sinew-view-XXXXXX";
    if (!find_site(site, sizeof site)) return tool_fail(TOOL_FAILED, "the page is not built: make web");
    if (!mkdtemp(files)) return tool_fail(TOOL_FAILED, "%s: cannot make a folder: %s", files, strerror(errno));
    server s = {.target = -1, .holder = -1};
    s.last = &s.first;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&s.mutex, NULL);
    pthread_cond_init(&s.wake, &clock);
    const struct sigaction action = {.sa_handler = stop};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    code = serve(&s, scene, site, files, port, threads);
    engine_destroy(s.engine);
    while (s.first) {
        message *next = s.first->next;
        free(s.first);
        s.first = next;
    }
    free(s.packet);
    pthread_cond_destroy(&s.wake);
    pthread_mutex_destroy(&s.mutex);
    pthread_condattr_destroy(&clock);
    remove_folder(files);
    return code;
}

#endif
