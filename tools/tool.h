/* Functions that the subcommands share: options, JSON output, progress bar, plots, messages. */
#ifndef SINEW_TOOL_H
#define SINEW_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "sinew/sinew.h"

/* Exit codes: success; a run failed; bad usage or input. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_BAD_INPUT = 2 };

typedef struct tool_command {
    const char *name, *usage, *text;
    const char *help; /* the options, one per line */
    int (*run)(int count, char **word);
} tool_command;

extern const tool_command tool_run, tool_check, tool_list, tool_mesh, tool_material, tool_rotation, tool_view,
    tool_bench, tool_experiment;

/* ---- args.c ---- */

enum { TOOL_MANY = 64 };

/* An option of a subcommand. Exactly one of `flag`, `text`, `many` and `number` is set. It points to the variable that
 * the option changes. All but a flag take a value. */
typedef struct tool_option {
    const char *name; /* "--out" */
    bool *flag;
    const char **text;
    const char **many; /* TOOL_MANY places: the option may be given several times */
    int *many_count;
    int *number; /* a whole number of at least `low` */
    int low;
} tool_option;

/* Reads the words of a command line: options, and at most `most` other arguments, which go to `positional`. Returns
 * TOOL_OK, or prints a message and returns TOOL_BAD_INPUT. */
int tool_parse(const tool_command *command, int count, char **word, const tool_option *option, int options,
               const char **positional, int most, int *positional_count);
/* Reads numbers from "a,b,c" or "a b c". Returns false unless there are exactly `wanted` finite numbers. */
bool tool_numbers(const char *text, double *value, int wanted);
/* Splits "KEY=VALUE" in place. Returns false when there is no '='. */
bool tool_split(char *text, char **value);
/* Prints "sinew: message" and returns the exit code for the status of the error. */
int tool_error(const sn_error *error);
/* Whether a file of this name can be written; prints a message when not. Called before a long run, so that the run is
 * not in vain. */
bool tool_writable(const char *path);
/* Prints "sinew: message" and returns `code`. */
int tool_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes a context with so many threads (0: one per core). Prints a message and returns NULL when it cannot. */
sn_context *tool_context(int threads);

/* ---- list_options.c ---- */
int tool_list_options(bool json);

/* ---- json.c ---- */
json_t *tool_number(double value); /* JSON null when the value is not finite */
json_t *tool_array(const double *value, int count);
void tool_print_json(json_t *object); /* on standard output, with 17 significant digits; releases the object */

/* ---- progress.c: shown only on a terminal ---- */
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
/* Writes a line plot as SVG. Returns false when the file cannot be written. */
bool tool_plot_svg(const char *path, const char *title, const char *x_label, const char *y_label,
                   const tool_curve *curve, int curves);

#endif
