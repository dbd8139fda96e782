/* sinew view: serves the page on the loopback address and simulates with the native engine.
 *
 * One thread owns the engine. The server (view_server.h) gives this thread the messages of the browser tabs. Several
 * tabs may watch. The first tab that grabs a body owns the mouse until it has released everything.
 *
 * A message is the length of its JSON text (4 bytes, little-endian), the text, zeros up to a multiple of 8, then binary
 * data. */
#include "tool.h"

static int port = 8765, threads;
static const tool_option options[] = {
    {.name = "--port", .value = "N", .about = "the port (default 8765); 0 takes any free port", .number = &port},
    {.name = "--threads", .value = "N", .about = "use N threads (default: one per core)", .number = &threads},
};
static int view(int count, char **word);

#if defined(SN_HAVE_CIVETWEB)
#define LEFT_OUT ""
#else
#define LEFT_OUT " (left out of this build)"
#endif

const tool_command tool_view = {"view",
                                "SCENE",
                                "scenes",
                                "serve the page with the native engine on loopback" LEFT_OUT,
                                "Prints the address of the page. Ctrl-C ends it. Build the page first: make web\n",
                                TOOL_OPTIONS(options),
                                view};

#if !defined(SN_HAVE_CIVETWEB)

static int view(int count, char **word) {
    (void)count, (void)word;
    return tool_fail(
        TOOL_FAILED,
        "view was left out of this build: it needs civetweb (Debian: libcivetweb-dev), then cmake and make again");
}

#else

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../web/engine.h"
#include "view_server.h"

typedef struct viewer {
    view_server *server; /* NULL while the first scene is loaded; errors then go to the terminal */
    engine *engine;
    int target;       /* the tab that gets the present messages of the engine; -1: all tabs */
    int holder;       /* the tab that owns the mouse; -1: none */
    unsigned handles; /* the grabs of the holder, one bit each */
    bool failed;      /* the first scene cannot be loaded */
    char *packet;
    size_t capacity;
} viewer;

static void engine_says(void *user, const char *text, size_t length, const void *bytes, size_t size) {
    viewer *s = user;
    static const char frame[] = "{\"type\":\"frame\"", error[] = "{\"type\":\"error\"";
    const size_t begin = (4 + length + 7) & ~(size_t)7, whole = begin + size;
    if (!s->server) {
        if (strncmp(text, error, sizeof error - 1) != 0) return;
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
    view_server_send(s->server, s->target, strncmp(text, frame, sizeof frame - 1) == 0, s->packet, whole);
}

static void say_to(viewer *s, int place, const char *text) {
    s->target = place;
    engine_says(s, text, strlen(text), NULL, 0);
    s->target = -1;
}

static void let_go(viewer *s) {
    static const char text[] = "{\"do\": \"release\", \"handle\": -1}";
    engine_message(s->engine, text, sizeof text - 1, NULL, 0);
    s->holder = -1, s->handles = 0;
}

/* Whether the tab may send this message. False when another tab holds the mouse. */
static bool may_grab(viewer *s, int place, const char *what, const json_t *head) {
    const bool grabs = strcmp(what, "grab") == 0, releases = strcmp(what, "release") == 0;
    if (!grabs && !releases) return true;
    if (s->holder >= 0 && s->holder != place) {
        if (grabs && json_object_get(head, "triangle"))
            say_to(s, place, "{\"type\":\"note\",\"text\":\"another tab holds the mouse\"}");
        return false;
    }
    const json_int_t handle = json_integer_value(json_object_get(head, "handle"));
    const unsigned bit = handle >= 0 && handle < 16 ? 1u << handle : 0;
    if (grabs && json_object_get(head, "triangle")) s->handles |= bit;
    if (releases) s->handles = handle < 0 ? 0 : s->handles & ~bit;
    s->holder = s->handles ? place : -1;
    return true;
}

static void handle(viewer *s, const view_message *m) {
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
        view_server_drawn(s->server, m->client);
    } else if (what && may_grab(s, m->client, what, head)) {
        const bool private_answer = strcmp(what, "hello") == 0 || strcmp(what, "describe") == 0 ||
                                    strcmp(what, "save") == 0 || strcmp(what, "hash") == 0;
        s->target = private_answer ? m->client : -1;
        const size_t size = m->size > begin ? m->size - begin : 0;
        engine_message(s->engine, m->data + 4, length, m->data + (size ? begin : 0), size);
        s->target = -1;
    }
    json_decref(head);
}

static void run(viewer *s) {
    for (double wait = 0.1; !tool_stop_asked();) {
        int clients;
        bool wants;
        view_message *list = view_server_receive(s->server, wait, &clients, &wants);
        wait = list ? 0 : 0.2; /* a message may change whether a tab wants a frame: look again */
        for (double last = tool_seconds(); list;) {
            view_message *next = list->next;
            if (!tool_stop_asked()) handle(s, list);
            free(list);
            list = next;
            if (tool_seconds() - last < 0.05) continue;
            engine_tick(s->engine, wants); /* messages that take long do not keep frames from the other tabs */
            last = tool_seconds();
        }
        if (wait > 0 && clients)
            wait = engine_tick(s->engine, wants); /* the simulation stands still while no tab is open */
    }
}

/* ---- Start and end ---- */

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

static int serve(viewer *s, const char *scene, const char *site, const char *files) {
    s->engine = engine_create(threads, files, engine_says, s);
    if (!s->engine) return tool_fail(TOOL_FAILED, "the engine cannot be started");
    engine_limit(s->engine, 5);
    static const char play[] = "{\"do\": \"play\", \"on\": true}";
    engine_open(s->engine, scene);
    if (s->failed) return TOOL_BAD_INPUT;
    engine_message(s->engine, play, sizeof play - 1, NULL, 0);
    s->server = view_server_start(site, port);
    if (!s->server) return tool_fail(TOOL_FAILED, "port %d of 127.0.0.1 cannot be used: %s", port, strerror(errno));
    printf("http://127.0.0.1:%d/  (Ctrl-C ends it)\n", view_server_port(s->server));
    fflush(stdout);
    run(s);
    return TOOL_OK;
}

static int view(int count, char **word) {
    const char *scene = NULL;
    char found[TOOL_PATH];
    int scenes;
    int code = tool_parse(&tool_view, count, word, &scene, 1, &scenes);
    if (code) return code;
    if (scenes == 0) return tool_fail(TOOL_BAD_INPUT, "view needs a scene; usage: sinew %s", tool_usage(&tool_view));
    scene = tool_find_scene(scene, found);
    if (!scene) return TOOL_BAD_INPUT;
    if (port > 65535) return tool_fail(TOOL_BAD_INPUT, "--port is %d; allowed are 0 to 65535", port);
    if (threads > 64) return tool_fail(TOOL_BAD_INPUT, "--threads is %d; allowed are 0 (one per core) to 64", threads);
    char site[1024], files[] = "/tmp/sinew-view-XXXXXX";
    if (!tool_find_folder("web", "index.html", false, site, sizeof site))
        return tool_fail(TOOL_FAILED, "the page is not built: make web");
    if (!mkdtemp(files)) return tool_fail(TOOL_FAILED, "%s: cannot make a folder: %s", files, strerror(errno));
    viewer s = {.target = -1, .holder = -1};
    tool_stop_watch();
    signal(SIGPIPE, SIG_IGN);
    code = serve(&s, scene, site, files);
    view_server_stop(s.server);
    engine_destroy(s.engine);
    free(s.packet);
    remove_folder(files);
    return code;
}

#endif
