/* sinew experiment: runs the experiments of the source documents and checks their claims. */
#include "experiment.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "claims.h"
#include "tool.h"

static int run_command(int count, char **word);

static const char *out_folder;
static bool quick_run, busy_machine, as_json;
static int thread_count;
static const char *simd_name;
static const tool_option options[] = {
    {.name = "--out",
     .value = "DIR",
     .about = "the folder for tables (CSV), plots (SVG) and result.json (default: out/NAME)",
     .offer = "folder",
     .text = &out_folder},
    {.name = "--quick", .about = "use smaller meshes and shorter runs", .flag = &quick_run},
    {.name = "--busy",
     .about = "the machine has other work: claims that compare times do not decide",
     .flag = &busy_machine},
    {.name = "--json", .about = "print the claims as JSON on standard output", .flag = &as_json},
    {.name = "--threads",
     .value = "N",
     .about = "use N threads (default: one per core)",
     .number = &thread_count,
     .low = 1},
    TOOL_SIMD(&simd_name),
};

const tool_command tool_experiment = {"experiment",
                                      "list | run NAME | run all",
                                      "experiments",
                                      "run the experiments of the source documents and check their claims",
                                      "",
                                      TOOL_OPTIONS(options),
                                      run_command};

struct experiment_report {
    json_t *claims, *notes;
    claim_tally tally;
    bool json;
    tool_progress progress;
};

static void record(struct experiment_report *report, const char *id, double value, const char *expected, bool pass,
                   const char *text) {
    json_t *claim = json_object();
    json_object_set_new(claim, "id", json_string(id));
    json_object_set_new(claim, "text", json_string(text));
    json_object_set_new(claim, "value", tool_number(value));
    json_object_set_new(claim, "expected", json_string(expected));
    json_object_set_new(claim, "pass", json_boolean(pass));
    json_array_append_new(report->claims, claim);
    tool_progress_end(&report->progress);
    fprintf(report->json ? stderr : stdout, "  %s  %-28s %-12.6g expected %-28s %s\n", pass ? "PASS" : "FAIL", id,
            value, expected, text);
}

void experiment_claim(experiment_run *run, const char *id, double value, const char *expected, bool pass,
                      const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *wrong = claim_count(&run->report->tally, id, pass);
    record(run->report, id, value, wrong ? wrong : expected, pass && !wrong, text);
}

/* Claims that the run did not check do not hold. */
static void record_missing(struct experiment_report *report) {
    char id[CLAIM_ID];
    for (int i = 0; claim_missing(&report->tally, &i, id);)
        record(report, id, NAN, "to be checked", false, "this run did not check the claim");
}

void experiment_note(experiment_run *run, const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_array_append_new(run->report->notes, json_string(text));
    tool_progress_end(&run->report->progress);
    fprintf(run->report->json ? stderr : stdout, "  note: %s\n", text);
}

void experiment_progress(experiment_run *run, double fraction) { tool_progress_show(&run->report->progress, fraction); }

FILE *experiment_table(experiment_run *run, const char *file, const char *header, sn_error *error) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", run->out, file);
    FILE *table = fopen(path, "w");
    if (!table) {
        sn_fail(error, SN_IO, "%s: cannot be written: %s", path, strerror(errno));
        return NULL;
    }
    fprintf(table, "%s\n", header);
    return table;
}

void experiment_plot(experiment_run *run, const char *file, const char *script) {
    char path[1024], command[1200];
    snprintf(path, sizeof path, "%s/%s.gp", run->out, file);
    FILE *f = fopen(path, "w");
    if (!f) {
        experiment_note(run, "%s cannot be written", path);
        return;
    }
    fprintf(f,
            "set terminal svg size 900,640 font 'sans,13' background '#ffffff'\nset output '%s'\nset datafile "
            "separator ','\nset grid\n%s\n",
            file, script);
    fclose(f);
    snprintf(command, sizeof command, "cd '%s' && gnuplot '%s.gp' >/dev/null 2>&1", run->out, file);
    if (system(command) != 0)
        experiment_note(run, "no plot %s: gnuplot is missing or failed; the table is there", file);
}

sn_status experiment_scene(experiment_run *run, sn_scene **scene_out, sn_world **world_out, sn_error *error,
                           const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_status status = sn_scene_parse(run->context, text, (size_t)length, "experiment", "", NULL, 0, &scene, error);
    if (!status) status = sn_scene_create_world(scene, &world, error);
    free(text);
    if (status) {
        sn_scene_destroy(scene);
        return status;
    }
    *scene_out = scene;
    *world_out = world;
    return SN_OK;
}

static int run_one(const experiment *e, const char *out, sn_context *context, json_t *results) {
    char folder[1024], path[1100];
    if (out)
        snprintf(folder, sizeof folder, "%s", out);
    else
        snprintf(folder, sizeof folder, "out/%s", e->name);
    if (!tool_make_folder(folder)) return tool_fail(TOOL_BAD_INPUT, "%s: cannot be made: %s", folder, strerror(errno));
    struct experiment_report report = {
        .claims = json_array(), .notes = json_array(), .json = as_json, .tally = {.claims = e->claims}};
    const claim_tally *tally = &report.tally;
    experiment_run run = {context, folder, quick_run, &report};
    fprintf(as_json ? stderr : stdout, "%s: %s (%s)\n", e->name, e->text, e->source);
    tool_progress_begin(&report.progress, e->name, false);
    sn_error error = {0};
    const double start = tool_seconds();
    const sn_status status = e->run(&run, &error);
    tool_progress_end(&report.progress);
    record_missing(&report);
    json_t *result = json_object();
    json_object_set_new(result, "name", json_string(e->name));
    json_object_set_new(result, "source", json_string(e->source));
    json_object_set_new(result, "quick", json_boolean(quick_run));
    json_object_set_new(result, "busy", json_boolean(busy_machine));
    json_object_set_new(result, "claims", report.claims);
    json_object_set_new(result, "notes", report.notes);
    if (status) json_object_set_new(result, "error", json_string(error.text));
    const bool pass = !status && claim_verdict(tally, busy_machine);
    json_object_set_new(result, "pass", json_boolean(pass));
    json_object_set_new(result, "hold", json_integer(tally->held));
    json_object_set_new(result, "fail", json_integer(tally->failed));
    json_object_set_new(result, "seconds", tool_number(tool_seconds() - start));
    snprintf(path, sizeof path, "%s/result.json", folder);
    errno = 0;
    const bool kept = json_dump_file(result, path, JSON_REAL_PRECISION(17) | JSON_INDENT(1)) == 0;
    if (!kept) tool_fail(0, "%s: cannot be written: %s", path, strerror(errno ? errno : EIO));
    json_array_append_new(results, result);
    if (status) fprintf(stderr, "sinew: %s: %s\n", e->name, error.text);
    fprintf(as_json ? stderr : stdout, "  %d claims hold, %d do not; results in %s\n", tally->held, tally->failed,
            folder);
    if (busy_machine && tally->late > 0)
        fprintf(as_json ? stderr : stdout, "  %d of those that do not hold compare times and do not decide\n",
                tally->late);
    return pass && kept ? TOOL_OK : TOOL_FAILED;
}

/* One line for each experiment of `results`, and the claims that do not hold. */
static void print_table(const json_t *results, FILE *out) {
    size_t i, k;
    const json_t *result, *claim;
    int failed = 0;
    fprintf(out, "\n%-22s %6s %6s %9s\n", "experiment", "hold", "fail", "seconds");
    json_array_foreach(results, i, result) {
        const char *why = json_string_value(json_object_get(result, "error"));
        const bool pass = json_is_true(json_object_get(result, "pass"));
        fprintf(out, "%-22s %6d %6d %9.1f  %s%s%s\n", json_string_value(json_object_get(result, "name")),
                (int)json_integer_value(json_object_get(result, "hold")),
                (int)json_integer_value(json_object_get(result, "fail")),
                json_number_value(json_object_get(result, "seconds")), pass ? "PASS" : "FAIL", why ? ": " : "",
                why ? why : "");
        failed += !pass;
        json_array_foreach(json_object_get(result, "claims"), k, claim) {
            if (json_is_true(json_object_get(claim, "pass"))) continue;
            fprintf(out, "    %s: %g, expected %s\n", json_string_value(json_object_get(claim, "id")),
                    json_number_value(json_object_get(claim, "value")),
                    json_string_value(json_object_get(claim, "expected")));
        }
    }
    fprintf(out, "%d of %d experiments do not hold\n", failed, (int)json_array_size(results));
}

static int list_experiments(void) {
    for (int i = 0; i < experiment_count; ++i)
        printf("%-22s %s (%s)\n", experiments[i]->name, experiments[i]->text, experiments[i]->source);
    return TOOL_OK;
}

static int run_command(int count, char **word) {
    const char *positional[2] = {0};
    int positionals = 0;
    const int bad = tool_parse(&tool_experiment, count, word, positional, 2, &positionals);
    if (bad) return bad;
    if (positionals == 1 && strcmp(positional[0], "list") == 0) return list_experiments();
    if (positionals != 2 || strcmp(positional[0], "run") != 0)
        return tool_fail(TOOL_BAD_INPUT, "usage: sinew %s", tool_usage(&tool_experiment));
    const bool all = strcmp(positional[1], "all") == 0;
    const char *name[256];
    int chosen = -1;
    for (int i = 0; i < experiment_count; ++i) {
        name[i] = experiments[i]->name;
        if (strcmp(positional[1], name[i]) == 0) chosen = i;
    }
    if (!all && chosen < 0) {
        const char *nearest = sn_nearest(positional[1], name, experiment_count, (int)sizeof *name);
        return tool_fail(TOOL_BAD_INPUT, "there is no experiment '%s'%s%s%s", positional[1],
                         nearest ? "; did you mean '" : "; see sinew experiment list", nearest ? nearest : "",
                         nearest ? "'?" : "");
    }
    sn_context *context;
    int code = tool_context(thread_count, simd_name, &context, NULL);
    if (code) return code;
    json_t *results = json_array();
    for (int i = 0; i < experiment_count; ++i) {
        if (!all && i != chosen) continue;
        char folder[1024];
        if (all && out_folder) snprintf(folder, sizeof folder, "%s/%s", out_folder, name[i]);
        const int one = run_one(experiments[i], all && out_folder ? folder : out_folder, context, results);
        if (one > code) code = one;
    }
    if (all) print_table(results, as_json ? stderr : stdout);
    if (as_json && !all) tool_print_json(json_incref(json_array_get(results, 0)));
    if (as_json && all) tool_print_json(json_incref(results));
    json_decref(results);
    sn_context_destroy(context);
    return code;
}
