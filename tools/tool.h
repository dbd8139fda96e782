/* Functions that the subcommands share: options, JSON output, progress bar, plots, messages. */
#ifndef SINEW_TOOL_H
#define SINEW_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "sinew/sinew.h"

/* Exit codes: success; a run failed; bad usage or input. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_BAD_INPUT = 2 };

enum { TOOL_MANY = 64 };

/* An option of a subcommand. Exactly one of `flag`, `text`, `many` and `number` is set. It points to the variable that
 * the option changes. All but a flag take a value. Parser, help, man page and shell completion read this table. */
typedef struct tool_option {
    const char *name;  /* "--out" */
    const char *value; /* what help calls the value: "DIR"; NULL for a flag */
    const char *about; /* a line of help */
    const char *offer; /* what a shell offers as the value: "file", "folder" or a kind of `sinew list`; NULL: nothing */
    bool *flag;
    const char **text;
    const char **many; /* TOOL_MANY places: the option may be given several times */
    int *many_count;
    int *number; /* a whole number of at least `low` */
    int low;
} tool_option;

typedef struct tool_command {
    const char *name;
    const char *words; /* the other arguments in the usage line: "SCENE"; "" for none */
    const char *offer; /* what a shell offers for them, as in tool_option */
    const char *text;  /* one line about the command */
    const char *more;  /* further lines of help, each with a newline; "" for none */
    const tool_option *option;
    int options;
    int (*run)(int count, char **word);
} tool_command;

#define TOOL_OPTIONS(table) (table), (int)(sizeof(table) / sizeof *(table))

extern const tool_command tool_run, tool_check, tool_list, tool_mesh, tool_material, tool_rotation, tool_view,
    tool_bench, tool_experiment, tool_fit, tool_help;
extern const tool_command *const tool_commands[];
extern const int tool_command_count;

/* ---- help.c ---- */

/* The usage of a command: "run SCENE [--out DIR]". Valid until the next call. */
const char *tool_usage(const tool_command *command);
void tool_print_help(const tool_command *command);
void tool_print_commands(FILE *file);
/* The command of this name. Prints a message with the nearest name and returns NULL when there is none. */
const tool_command *tool_find_command(const char *name);

/* ---- args.c ---- */

/* Reads the words of a command line: the options of the command, and at most `most` other arguments, which go to
 * `positional`. Returns TOOL_OK, or prints a message and returns TOOL_BAD_INPUT. */
int tool_parse(const tool_command *command, int count, char **word, const char **positional, int most,
               int *positional_count);
/* Reads numbers from "a,b,c" or "a b c". Returns false unless there are exactly `wanted` finite numbers. */
bool tool_numbers(const char *text, double *value, int wanted);
/* Splits "KEY=VALUE" in place. Returns false when there is no '='. */
bool tool_split(char *text, char **value);
/* Prints "sinew: message" and returns the exit code for the status of the error. */
int tool_error(const sn_error *error);
/* Whether a file of this name can be written; prints a message when not. Called before a long run, so that the run is
 * not in vain. `replaced`: a new file takes the place of an old one, so the folder must be writable too. */
bool tool_writable(const char *path, bool replaced);
/* The same for a plot, whose name must end in .svg. */
bool tool_svg_writable(const char *path);
/* Prints "sinew: message" and returns `code`. */
int tool_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes a folder and its parent folders. Returns false and sets errno when it cannot. */
bool tool_make_folder(const char *path);
/* Makes a context with so many threads (0: one per core) and this instruction set (NULL: the widest). Returns TOOL_OK,
 * or prints a message and returns the exit code; *context is then NULL, and *error (may be NULL) has the message. */
int tool_context(int threads, const char *simd, sn_context **context, sn_error *error);
/* The option --simd of commands that simulate. `variable`: the text of the set. */
#define TOOL_SIMD(variable)                                                                                            \
    {                                                                                                                  \
        .name = "--simd", .value = "SET",                                                                              \
        .about = "use the kernels for this instruction set: auto (default), baseline, avx2 or avx512; "                \
                 "results do not depend on it",                                                                        \
        .text = (variable)                                                                                             \
    }

/* ---- overlap.c ---- */

/* Finds pairs of bodies whose elements overlap now, and writes a warning for each, at most `room`. Returns how many. */
enum { TOOL_WARNING = 300 };
int tool_find_overlaps(const sn_world *world, char (*warning)[TOOL_WARNING], int room);

/* ---- find.c: what was installed with the command ---- */

/* Finds the folder of data `name` ("scenes", "web") that has the file `file`: beside the command, or installed. With
 * `sources` also in the working folder and in the source tree. */
bool tool_find_folder(const char *name, const char *file, bool sources, char *folder, size_t capacity);
/* The path of a scene: the word itself when it is a file, or the ready scene of this name. `path` has TOOL_PATH bytes.
 * Prints a message and returns NULL when the word is nearly the name of a ready scene. */
enum { TOOL_PATH = 1400 };
const char *tool_find_scene(const char *word, char *path);
/* The ready scenes. */
const sn_listing *tool_scenes(int *count);

/* ---- list_options.c ---- */
int tool_list_options(bool json);

/* "1 tet", "2 tets": the ending of a noun after its number. */
static inline const char *tool_ending(int64_t count) { return count == 1 ? "" : "s"; }

/* ---- json.c ---- */
json_t *tool_number(double value); /* JSON null when the value is not finite */
json_t *tool_array(const double *value, int count);
void tool_print_json(json_t *object); /* on standard output, with 17 significant digits; releases the object */

/* ---- progress.c: shown only on a terminal ---- */
typedef struct tool_progress {
    bool shown;
    double begin, last;
    char label[64];
    char note[48]; /* the caller may set it: where the work is; "" for nothing */
} tool_progress;
void tool_progress_begin(tool_progress *progress, const char *label, bool quiet);
void tool_progress_show(tool_progress *progress, double fraction);
void tool_progress_end(tool_progress *progress);
double tool_seconds(void);

/* ---- stop.c: the first Ctrl-C (or SIGTERM) asks a run to end, the second one ends the program ---- */
void tool_stop_watch(void);
int tool_stop_asked(void); /* the number of the signal; 0: none has come */

/* ---- table.c: tables of numbers with commas (CSV). A row is on the disk when its end has been written ---- */
typedef struct tool_table tool_table;
/* Returns NULL and fills `error` when the file cannot be made or memory runs out. */
tool_table *tool_table_open(const char *path, sn_error *error);
void tool_table_text(tool_table *table, const char *text); /* the next cell */
void tool_table_number(tool_table *table, double value);   /* the next cell; empty when the value is not finite */
bool tool_table_row(tool_table *table, sn_error *error);   /* ends the row; false when it could not be written */
bool tool_table_close(tool_table *table, sn_error *error); /* NULL does nothing */

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
