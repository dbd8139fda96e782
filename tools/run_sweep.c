/* The files of a sweep: one table of all runs, one plot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* ---- The table ---- */

static void put_value(tool_table *table, const json_t *value) {
    if (json_is_number(value)) {
        tool_table_number(table, json_number_value(value));
        return;
    }
    char *text = json_is_string(value) || !value ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    tool_table_text(table, json_is_string(value) ? json_string_value(value) : text ? text : "");
    free(text);
}

/* The columns beside the swept values: a path into the result of a run. */
static const struct {
    const char *name, *group;
} column[] = {{"status", NULL},         {"time", NULL},        {"steps", NULL},        {"kinetic", "energy"},
              {"elastic", "energy"},    {"gravity", "energy"}, {"total", "energy"},    {"iterations", "newton"},
              {"iterations", "linear"}, {"divided", "newton"}, {"per_step", "timing"}, {"hash", NULL}};
enum { COLUMNS = sizeof column / sizeof *column };

/* Calls for each cell of the probes: with a name for the head, or without. */
static void put_probes(tool_table *table, const json_t *probes, bool head) {
    const char *name;
    json_t *values;
    json_object_foreach((json_t *)probes, name, values) {
        for (size_t i = 0; i < json_array_size(values); ++i) {
            char text[128];
            if (!head) {
                put_value(table, json_array_get(values, i));
                continue;
            }
            const int count = (int)json_array_size(values);
            snprintf(text, sizeof text, "%.90s%s%s", name, count > 1 ? "." : "",
                     count > 1 ? run_component(count, (int)i) : "");
            tool_table_text(table, text);
        }
    }
}

static bool put_row(tool_table *table, const json_t *run, bool head, sn_error *error) {
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(run, "set"), key, value) {
        if (head)
            tool_table_text(table, key);
        else
            put_value(table, value);
    }
    for (int i = 0; i < COLUMNS; ++i) {
        const char *name = column[i].name, *group = column[i].group;
        const bool both = strcmp(name, "iterations") == 0;
        if (head)
            tool_table_text(table, both ? group : name);
        else
            put_value(table, json_object_get(group ? json_object_get(run, group) : run, name));
    }
    put_probes(table, json_object_get(run, "probes"), head);
    return tool_table_row(table, error);
}

static bool write_table(const char *path, const json_t *runs, sn_error *error) {
    tool_table *table = tool_table_open(path, error);
    bool good = table && put_row(table, json_array_get(runs, 0), true, error);
    for (size_t i = 0; good && i < json_array_size(runs); ++i)
        good = put_row(table, json_array_get(runs, i), false, error);
    return tool_table_close(table, good ? error : NULL) && good;
}

/* ---- The plot ---- */

/* The number of the first swept key; false when it is a name. */
static bool first_value(const json_t *run, double *value) {
    const json_t *set = json_object_get(run, "set");
    void *at = json_object_iter((json_t *)set);
    const json_t *first = at ? json_object_iter_value(at) : NULL;
    *value = json_number_value(first);
    return json_is_number(first);
}

/* Runs with a history over time get a curve each. Static runs have only a last value: it is drawn over the value of
 * the first key when this is a number. */
static bool write_plot(const char *path, const json_t *runs, const run_history *history, const char *const *name) {
    const int count = (int)json_array_size(runs);
    tool_curve *curve = calloc((size_t)count, sizeof *curve);
    double *last = calloc(2 * (size_t)count, sizeof *last);
    bool over_value = curve && last;
    int curves = 0;
    for (int i = 0; over_value && i < count; ++i) {
        over_value = history[i].count > 0 && history[i].count <= 2 && first_value(json_array_get(runs, i), &last[i]);
        if (over_value) last[count + i] = history[i].value[history[i].count - 1];
    }
    for (int i = 0; curve && !over_value && i < count; ++i)
        if (history[i].count)
            curve[curves++] = (tool_curve){name[i], history[i].time, history[i].value, history[i].count};
    if (over_value) curve[curves++] = (tool_curve){"", last, last + count, count};
    const json_t *set = json_object_get(json_array_get(runs, 0), "set");
    const char *key = json_object_iter_key(json_object_iter((json_t *)set));
    const bool good = curve && last &&
                      tool_plot_svg(path, json_string_value(json_object_get(json_array_get(runs, 0), "scene")),
                                    over_value ? key : "time [s]", history[0].label, curve, curves);
    free(curve);
    free(last);
    return good;
}

/* ---- Both ---- */

static void print_table(const json_t *runs, const run_history *history, const char *const *name) {
    int width = 4;
    for (size_t i = 0; i < json_array_size(runs); ++i)
        width = (int)strlen(name[i]) > width ? (int)strlen(name[i]) : width;
    printf("\n%-*s  %-14s %12s  %s\n", width, "run", "status", "ms/step", history[0].label);
    for (size_t i = 0; i < json_array_size(runs); ++i) {
        const json_t *run = json_array_get(runs, i);
        printf("%-*s  %-14s %12.4g  ", width, name[i], json_string_value(json_object_get(run, "status")),
               1e3 * json_number_value(json_object_get(json_object_get(run, "timing"), "per_step")));
        if (history[i].count) printf("%.9g", history[i].value[history[i].count - 1]);
        printf("\n");
    }
}

int run_write_sweep(const char *folder, const json_t *runs, const run_history *history, const char *const *name,
                    bool quiet) {
    char table[1100], plot[1100];
    sn_error error = {0};
    if (!quiet) print_table(runs, history, name);
    if (!folder) return TOOL_OK;
    snprintf(table, sizeof table, "%.1000s/sweep.csv", folder);
    snprintf(plot, sizeof plot, "%.1000s/sweep.svg", folder);
    if (!write_table(table, runs, &error)) return tool_fail(TOOL_FAILED, "%s", error.text);
    errno = 0;
    if (!write_plot(plot, runs, history, name))
        return tool_fail(TOOL_FAILED, "%s: the plot cannot be written: %s", plot, strerror(errno ? errno : EIO));
    if (!quiet) printf("\ntable: %s\nplot: %s\n", table, plot);
    return TOOL_OK;
}
