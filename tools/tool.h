/* What the subcommands share: option parsing, JSON output, the progress bar, errors. */
#ifndef SINEW_TOOL_H
#define SINEW_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "sinew/sinew.h"

/* Exit codes. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_BAD_INPUT = 2 };

typedef struct tool_command {
    const char *name, *usage, *text;
    const char *help; /* options, one per line */
    int (*run)(int count, char **word);
} tool_command;

extern const tool_command tool_run, tool_check, tool_list, tool_mesh, tool_material, tool_rotation, tool_view, tool_bench, tool_experiment;

/* ---- args.c ---- */

enum { TOOL_MANY = 64 };

/* An option of a subcommand. Exactly one of the targets is set; `text` and `many` take a value. */
typedef struct tool_option {
    const char *name; /* "--out" */
    bool *flag;
    const char **text;
    const char **many; /* TOOL_MANY places, may be given several times */
    int *many_count;
    int *number; /* whole number from `low` */
    int low;
} tool_option;

/* Sorts words into options and positional arguments (at most `most`). Prints what is wrong and returns TOOL_BAD_INPUT, or TOOL_OK. */
int tool_parse(const tool_command *command, int count, char **word, const tool_option *option, int options, const char **positional,
               int most, int *positional_count);
/* "a,b,c" or "a b c" as numbers; false when there are not exactly `wanted` finite ones. */
bool tool_numbers(const char *text, double *value, int wanted);
/* Splits "KEY=VALUE" in place; false without '='. */
bool tool_split(char *text, char **value);
/* Prints "sinew: message" and gives the exit code of a status. */
int tool_error(const sn_error *error);
/* False after a message when a file of this name could not be written: better known before a long run than after it. */
bool tool_writable(const char *path);
int tool_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A context with so many threads (0: one per core), or NULL after a message. */
sn_context *tool_context(int threads);

/* ---- list_options.c ---- */
int tool_list_options(bool json);

/* ---- json.c ---- */
json_t *tool_number(double value); /* null when it is not finite */
json_t *tool_array(const double *value, int count);
void tool_print_json(json_t *object); /* 17 significant digits, on standard output; takes the reference */

/* ---- progress.c: on a terminal only ---- */
typedef struct tool_progress {
    bool shown;
    double begin, last;
    char label[64];
} tool_progress;
void tool_progress_begin(tool_progress *progress, const char *label, bool quiet);
void tool_progress_show(tool_progress *progress, double fraction);
void tool_progress_end(tool_progress *progress);
double tool_seconds(void);

/* ---- plot.c ---- */
typedef struct tool_curve {
    const char *name;
    const double *x, *y;
    int count;
} tool_curve;
/* A line plot as SVG; false when the file cannot be written. */
bool tool_plot_svg(const char *path, const char *title, const char *x_label, const char *y_label, const tool_curve *curve, int curves);

#endif
