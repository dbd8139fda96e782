/* sinew run: simulates a scene, once or for every combination of the values of --sweep. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static int run(int count, char **word);

static run_options given = {.every = -1};
static const char *set[TOOL_MANY], *swept[TOOL_MANY];
static int sets, sweeps;
static const tool_option options[] = {
    {.name = "--set",
     .value = "KEY=VALUE",
     .about = "replace a value of the scene: time.step=0.005, bodies.0.material.young=1e6",
     .many = set,
     .many_count = &sets},
    {.name = "--sweep",
     .value = "KEY=A,B,...",
     .about = "run once per value; several sweeps run all combinations; with --out also sweep.csv and sweep.svg",
     .many = swept,
     .many_count = &sweeps},
    {.name = "--out",
     .value = "DIR",
     .about = "the folder for results: steps.csv, probes.csv and the shapes",
     .offer = "folder",
     .text = &given.out},
    {.name = "--format",
     .value = "A,B,...",
     .about = "formats of the shapes in --out, or none (default: as in the scene, otherwise vtu)",
     .offer = "output-formats",
     .text = &given.format},
    {.name = "--every",
     .value = "N",
     .about = "write each N-th shape; 0 writes only the last one (default: as in the scene)",
     .number = &given.every},
    {.name = "--threads",
     .value = "N",
     .about = "use N threads (default: one per core); results do not depend on N",
     .number = &given.threads},
    TOOL_SIMD(&given.simd),
    {.name = "--realtime",
     .about = "let each step begin when its time on the clock has come, and move the tools by the clock",
     .flag = &given.realtime},
    {.name = "--json", .about = "print one JSON object and nothing else on standard output", .flag = &given.json},
    {.name = "--quiet", .about = "show no progress bar and no summary", .flag = &given.quiet},
    {.name = "--picture",
     .value = "F.png",
     .about = "write a picture of the last state",
     .offer = "file",
     .text = &given.picture},
    {.name = "--video",
     .value = "F.mp4",
     .about = "write a video of the run (needs ffmpeg)",
     .offer = "file",
     .text = &given.video},
    {.name = "--save", .value = "F", .about = "save the last state", .offer = "file", .text = &given.save},
    {.name = "--checkpoint",
     .value = "N",
     .about = "also save the state after each N-th step, to the file of --save",
     .number = &given.checkpoint,
     .low = 1},
    {.name = "--restore", .value = "F", .about = "start from a saved state", .offer = "file", .text = &given.restore},
};

const tool_command tool_run = {"run",
                               "SCENE",
                               "scenes",
                               "simulate a scene",
                               "SCENE is a file, or the name of a ready scene (see sinew list scenes). Ctrl-C ends the "
                               "run after the present step\n"
                               "and writes state, results and summary; a second Ctrl-C ends it at once.\n",
                               TOOL_OPTIONS(options),
                               run};

/* One key of --sweep with its values. */
typedef struct sweep {
    const char *key;
    char *value[256];
    int count, at;
} sweep;

/* ---- The values of a sweep ---- */

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

static bool next_combination(sweep *s) {
    for (int i = sweeps - 1; i >= 0; --i) {
        if (++s[i].at < s[i].count) return true;
        s[i].at = 0;
    }
    return false;
}

/* The last word of a key, or the whole key when another swept key ends with the same word. */
static const char *short_key(const sweep *s, int i) {
    const char *dot = strrchr(s[i].key, '.'), *word = dot ? dot + 1 : s[i].key;
    for (int k = 0; k < sweeps; ++k) {
        const char *other = strrchr(s[k].key, '.');
        if (k != i && strcmp(other ? other + 1 : s[k].key, word) == 0) return s[i].key;
    }
    return word;
}

/* The name of a run of a sweep, also for files: "young=1e5_step=0.02". */
static void name_run(const sweep *s, char *name, size_t capacity) {
    size_t used = 0;
    for (int i = 0; i < sweeps && used < capacity; ++i)
        used += (size_t)snprintf(name + used, capacity - used, "%s%s=%s", i ? "_" : "", short_key(s, i),
                                 s[i].value[s[i].at]);
    char *to = name;
    for (const char *p = name; *p; ++p)
        if (!strchr("[]{}\" ", *p)) *to++ = isalnum((unsigned char)*p) || strchr("._+-=,", *p) ? *p : '-';
    *to = 0;
}

/* The file of one run of a sweep: "dir/x.png" becomes "dir/x-young=1e5.png". */
static const char *named(const char *path, const char *name, char *text, size_t capacity) {
    if (!path || !name) return path;
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    if (!dot || (slash && dot < slash)) dot = path + strlen(path);
    snprintf(text, capacity, "%.*s-%s%s", (int)(dot - path), path, name, dot);
    return text;
}

/* ---- Runs ---- */

enum { NAME = 160 };

/* Everything that the runs of a sweep leave. */
typedef struct runs {
    json_t *result;
    run_history *history;
    char (*name)[NAME];
    int count;
} runs;

static int run_one(const sweep *s, const char *name, run_history *history, json_t **result) {
    run_options one = given;
    char out[1400], picture[1400], video[1400], save[1400];
    json_t *values = json_object();
    for (int i = 0; i < sweeps; ++i) {
        one.override[one.overrides++] = (sn_override){s[i].key, s[i].value[s[i].at]};
        json_t *value = json_loads(s[i].value[s[i].at], JSON_DECODE_ANY, NULL);
        json_object_set_new(values, s[i].key, value ? value : json_string(s[i].value[s[i].at]));
    }
    one.history = history;
    one.picture = named(given.picture, name, picture, sizeof picture);
    one.video = named(given.video, name, video, sizeof video);
    one.save = named(given.save, name, save, sizeof save);
    if (given.out && name) snprintf(out, sizeof out, "%.900s/%s", given.out, name), one.out = out;
    int code = TOOL_OK;
    if (one.out && !tool_make_folder(one.out))
        code = tool_fail(TOOL_BAD_INPUT, "%s: cannot make the folder: %s", one.out, strerror(errno));
    if (!code) code = run_scene(&one, result);
    if (name && *result) json_object_set(*result, "set", values);
    json_decref(values);
    return code;
}

/* A name that no run before has: equal values may be swept twice. */
static void name_apart(runs *all, const sweep *s) {
    char *name = all->name[all->count];
    name_run(s, name, NAME - 16);
    const size_t length = strlen(name);
    for (int i = 0, again = 2; i < all->count; ++i)
        if (strcmp(all->name[i], name) == 0) snprintf(name + length, 16, "-%d", again++), i = -1;
}

static int run_sweep(sweep *s) {
    size_t most = 1;
    for (int i = 0; i < sweeps; ++i) most *= (size_t)s[i].count;
    if (most > 100000) return tool_fail(TOOL_BAD_INPUT, "the sweeps have %zu combinations; at most 100000", most);
    runs all = {json_array(), calloc(most, sizeof *all.history), calloc(most, sizeof *all.name), 0};
    const char **name = calloc(most, sizeof *name);
    int code = all.history && all.name && name ? TOOL_OK : tool_fail(TOOL_FAILED, "out of memory");
    if (!code) do {
            json_t *result = NULL;
            name_apart(&all, s);
            name[all.count] = all.name[all.count];
            const int one = run_one(s, name[all.count], &all.history[all.count], &result);
            if (result) json_array_append_new(all.result, result), ++all.count;
            if (one > code) code = one;
            if (one == TOOL_BAD_INPUT) break;
        } while (!tool_stop_asked() && next_combination(s));
    if (all.count) {
        const int written = run_write_sweep(given.out, all.result, all.history, name, given.quiet || given.json);
        if (!code) code = written;
    }
    if (given.json && all.count) tool_print_json(json_pack("{s:O}", "runs", all.result));
    for (int i = 0; all.history && i < (int)most; ++i) free(all.history[i].time), free(all.history[i].value);
    json_decref(all.result);
    free(all.history), free(all.name), free(name);
    return code;
}

/* ---- The command ---- */

static int check_options(void) {
    if (given.threads > 64)
        return tool_fail(TOOL_BAD_INPUT, "--threads is %d; allowed are 0 (one per core) to 64", given.threads);
    if (given.checkpoint && !given.save)
        return tool_fail(TOOL_BAD_INPUT, "--checkpoint needs --save F: the file for the state");
    if (given.format && !given.out)
        return tool_fail(TOOL_BAD_INPUT, "--format needs --out DIR: the folder for the results");
    if (given.every >= 0 && !given.out && !given.video)
        return tool_fail(TOOL_BAD_INPUT, "--every needs --out DIR or --video F: it chooses the steps that are written");
    sn_error error = {0};
    if (given.picture && sn_picture_check(given.picture, NULL, &error)) return tool_error(&error);
    if (given.video && !tool_video_check(given.video)) return TOOL_BAD_INPUT;
    for (int i = 0; i < sets; ++i) {
        char *value;
        if (!tool_split((char *)set[i], &value))
            return tool_fail(TOOL_BAD_INPUT, "--set '%s' must be KEY=VALUE", set[i]);
        given.override[given.overrides++] = (sn_override){set[i], value};
    }
    return TOOL_OK;
}

static int run(int count, char **word) {
    int scenes;
    char found[TOOL_PATH];
    int code = tool_parse(&tool_run, count, word, &given.scene, 1, &scenes);
    if (code) return code;
    if (scenes == 0) return tool_fail(TOOL_BAD_INPUT, "run needs a scene; usage: sinew %s", tool_usage(&tool_run));
    given.scene = tool_find_scene(given.scene, found);
    code = given.scene ? check_options() : TOOL_BAD_INPUT;
    if (code) return code;
    tool_stop_watch();
    if (!sweeps) {
        json_t *result = NULL;
        code = run_one(NULL, NULL, NULL, &result);
        if (given.json && result) tool_print_json(json_incref(result));
        json_decref(result);
        return code;
    }
    sweep *s = calloc((size_t)sweeps, sizeof *s);
    if (!s) return tool_fail(TOOL_FAILED, "out of memory");
    for (int i = 0; i < sweeps && !code; ++i) {
        char *value = NULL;
        if (!tool_split((char *)swept[i], &value) || !*value)
            code = tool_fail(TOOL_BAD_INPUT, "--sweep '%s%s' must be KEY=A,B,...", swept[i], value ? "=" : "");
        else
            s[i].key = swept[i], split_values(value, &s[i]);
    }
    if (!code) code = run_sweep(s);
    free(s);
    return code;
}
