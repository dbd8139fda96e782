/* sinew run: simulates a scene, once or for every combination of the values of --sweep. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run.h"

static int run(int count, char **word);

const tool_command tool_run = {
    "run",
    "run SCENE [--set KEY=VALUE]... [--sweep KEY=A,B]... [--out DIR] [--every N] [--threads N] [--json] "
    "[--quiet] [--picture F.png] [--video F.mp4] [--save F] [--restore F]",
    "simulate a scene",
    "  --set KEY=VALUE    replace a value of the scene: time.step=0.005, bodies.0.material.young=1e6\n"
    "  --sweep KEY=A,B,C  run once per value; several sweeps run all combinations\n"
    "  --out DIR          the folder for results: probes.csv and the output formats of the scene\n"
    "  --every N          write each N-th step (default: as in the scene)\n"
    "  --threads N        use N threads (default: one per core); results do not depend on N\n"
    "  --json             print one JSON object and nothing else on standard output\n"
    "  --quiet            show no progress bar and no summary\n"
    "  --picture F.png    write a picture of the last state\n"
    "  --video F.mp4      write a video of the run (needs ffmpeg)\n"
    "  --save F           save the last state; --restore F starts from a saved state\n",
    run};

/* One key of --sweep with its values. */
typedef struct sweep {
    const char *key;
    char *value[256];
    int count, at;
} sweep;

/* Splits the text at commas that are outside of brackets and quotes. */
static void split_values(char *text, sweep *s) {
    int depth = 0;
    bool quoted = false;
    s->value[s->count++] = text;
    for (char *p = text; *p; ++p) {
        if (*p == '"' && (p == text || p[-1] != '\\')) quoted = !quoted;
        if (!quoted && (*p == '[' || *p == '{')) ++depth;
        if (!quoted && (*p == ']' || *p == '}')) --depth;
        if (*p != ',' || depth > 0 || quoted || s->count == 256) continue;
        *p = 0;
        s->value[s->count++] = p + 1;
    }
}

static bool next_combination(sweep *s, int sweeps) {
    for (int i = sweeps - 1; i >= 0; --i) {
        if (++s[i].at < s[i].count) return true;
        s[i].at = 0;
    }
    return false;
}

/* Makes a folder and its parent folders. */
static bool make_folder(const char *path) {
    char text[1024];
    if (strlen(path) >= sizeof text || !*path) return false;
    strcpy(text, path);
    for (char *p = text + 1; *p; ++p) {
        if (*p != '/') continue;
        *p = 0;
        if (mkdir(text, 0777) && errno != EEXIST) return false;
        *p = '/';
    }
    struct stat about;
    if (mkdir(text, 0777) == 0) return true;
    if (errno != EEXIST || stat(text, &about)) return false;
    errno = ENOTDIR;
    return S_ISDIR(about.st_mode);
}

/* The file name for one run of a sweep: "dir/name.png" becomes "dir/name-003.png". */
static const char *numbered(const char *path, int number, char *text, size_t capacity) {
    if (!path || number < 0) return path;
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    if (!dot || (slash && dot < slash)) dot = path + strlen(path);
    snprintf(text, capacity, "%.*s-%03d%s", (int)(dot - path), path, number, dot);
    return text;
}

static int run_all(run_options *o, sweep *s, int sweeps) {
    json_t *runs = json_array();
    int code = TOOL_OK, number = 0;
    do {
        run_options one = *o;
        char out[1024], picture[1024], video[1024], save[1024];
        json_t *parameters = json_object();
        for (int i = 0; i < sweeps; ++i) {
            one.override[one.overrides++] = (sn_override){s[i].key, s[i].value[s[i].at]};
            json_t *value = json_loads(s[i].value[s[i].at], JSON_DECODE_ANY, NULL);
            json_object_set_new(parameters, s[i].key, value ? value : json_string(s[i].value[s[i].at]));
        }
        const int shown = sweeps ? number : -1;
        one.picture = numbered(o->picture, shown, picture, sizeof picture);
        one.video = numbered(o->video, shown, video, sizeof video);
        one.save = numbered(o->save, shown, save, sizeof save);
        if (o->out && sweeps) snprintf(out, sizeof out, "%.900s/run-%03d", o->out, number), one.out = out;
        json_t *result = NULL;
        if (one.out && !make_folder(one.out)) {
            code = tool_fail(TOOL_BAD_INPUT, "%s: cannot make the folder: %s", one.out, strerror(errno));
            json_decref(parameters);
            break;
        }
        const int this_code = run_scene(&one, &result);
        if (sweeps && result) json_object_set(result, "set", parameters);
        json_decref(parameters);
        if (result) json_array_append_new(runs, result);
        if (this_code > code) code = this_code;
        ++number;
        if (this_code == TOOL_BAD_INPUT) break;
    } while (next_combination(s, sweeps));
    if (!o->json) {
        json_decref(runs);
        return code;
    }
    json_t *only = sweeps ? json_pack("{s:O}", "runs", runs) : json_incref(json_array_get(runs, 0));
    if (only) tool_print_json(only);
    json_decref(runs);
    return code;
}

static int run(int count, char **word) {
    run_options o = {.every = -1};
    const char *set[TOOL_MANY], *swept[TOOL_MANY];
    int sets = 0, sweeps = 0, scenes;
    const tool_option option[] = {{.name = "--set", .many = set, .many_count = &sets},
                                  {.name = "--sweep", .many = swept, .many_count = &sweeps},
                                  {.name = "--out", .text = &o.out},
                                  {.name = "--every", .number = &o.every, .low = 0},
                                  {.name = "--threads", .number = &o.threads, .low = 0},
                                  {.name = "--json", .flag = &o.json},
                                  {.name = "--quiet", .flag = &o.quiet},
                                  {.name = "--picture", .text = &o.picture},
                                  {.name = "--video", .text = &o.video},
                                  {.name = "--save", .text = &o.save},
                                  {.name = "--restore", .text = &o.restore}};
    int code = tool_parse(&tool_run, count, word, option, (int)(sizeof option / sizeof *option), &o.scene, 1, &scenes);
    if (code) return code;
    if (scenes == 0) return tool_fail(TOOL_BAD_INPUT, "run needs a scene; usage: sinew %s", tool_run.usage);
    sn_error error = {0};
    if (o.picture && sn_picture_check(o.picture, NULL, &error)) return tool_error(&error);
    if (o.video && !tool_video_check(o.video)) return TOOL_BAD_INPUT;
    if (o.threads > 64)
        return tool_fail(TOOL_BAD_INPUT, "--threads is %d; allowed are 0 (one per core) to 64", o.threads);
    for (int i = 0; i < sets; ++i) {
        char *value;
        if (!tool_split((char *)set[i], &value))
            return tool_fail(TOOL_BAD_INPUT, "--set '%s' must be KEY=VALUE", set[i]);
        o.override[o.overrides++] = (sn_override){set[i], value};
    }
    sweep *s = calloc((size_t)sweeps + 1, sizeof *s);
    if (!s) return tool_fail(TOOL_FAILED, "out of memory");
    for (int i = 0; i < sweeps && !code; ++i) {
        char *value = NULL;
        if (!tool_split((char *)swept[i], &value) || !*value)
            code = tool_fail(TOOL_BAD_INPUT, "--sweep '%s%s' must be KEY=A,B,...", swept[i], value ? "=" : "");
        else
            s[i].key = swept[i], split_values(value, &s[i]);
    }
    if (!code) code = run_all(&o, s, sweeps);
    free(s);
    return code;
}
