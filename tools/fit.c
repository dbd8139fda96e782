/* sinew fit: fits a Prony series to a measured curve or to a constant-Q material (sinew/fit.h). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static int fit_command(int count, char **word);

static const char *q, *modulus, *at, *band, *wanted, *plot_path, *material_path;
static bool as_json;
static int terms;
static const tool_option options[] = {
    {.name = "--q", .value = "Q", .about = "constant-q: the quality factor", .text = &q},
    {.name = "--modulus", .value = "G", .about = "constant-q: |G| in Pa at the frequency --at", .text = &modulus},
    {.name = "--at", .value = "HZ", .about = "constant-q: the frequency of --modulus (default 1)", .text = &at},
    {.name = "--band",
     .value = "LOW HIGH",
     .about = "constant-q: the frequencies in Hz that the fit covers (default 0.1 10000)",
     .text = &band},
    {.name = "--terms",
     .value = "N",
     .about = "so many terms, 1 to 8; without it as many as --error asks for",
     .number = &terms,
     .low = 1},
    {.name = "--error",
     .value = "E",
     .about = "add terms until the error is at most E (default 0.01) or falls no more",
     .text = &wanted},
    {.name = "--json", .about = "print JSON", .flag = &as_json},
    {.name = "--plot", .value = "F.svg", .about = "draw the curve and the fit", .offer = "file", .text = &plot_path},
    {.name = "--material",
     .value = "F.json",
     .about = "write the keys `lame` and `prony` of a material, for a scene",
     .offer = "file",
     .text = &material_path},
};

const tool_command tool_fit = {
    "fit",
    "constant-q | relaxation FILE.csv | frequency FILE.csv",
    "file",
    "fit a Prony series to a constant-Q material or to a measured curve",
    "A relaxation file has the columns time (s) and modulus (Pa). A frequency file has the columns frequency (Hz),\n"
    "storage modulus (Pa) and loss modulus (Pa). A first line with names is skipped. Lines that begin with # are "
    "skipped.\n",
    TOOL_OPTIONS(options),
    fit_command};

enum { CONSTANT_Q, RELAXATION, FREQUENCY };
static const char *const kind_name[] = {"constant-q", "relaxation", "frequency"};

/* A curve to fit and to draw: times or frequencies, and one or two columns. */
typedef struct curve {
    int kind, count, capacity;
    double *x, *value[2];
    int *line; /* of the file, per point */
} curve;

static void release(curve *c) { free(c->x), free(c->value[0]), free(c->value[1]), free(c->line); }

static bool reserve(curve *c) {
    if (c->count < c->capacity) return true;
    c->capacity = c->capacity ? 2 * c->capacity : 64;
    double **const column[] = {&c->x, &c->value[0], &c->value[1]};
    for (int i = 0; i < 3; ++i) {
        double *grown = realloc(*column[i], (size_t)c->capacity * sizeof *grown);
        if (!grown) return false;
        *column[i] = grown;
    }
    int *grown = realloc(c->line, (size_t)c->capacity * sizeof *grown);
    if (grown) c->line = grown;
    return grown != NULL;
}

/* ---- Input ---- */

static int read_curve(const char *path, curve *c) {
    FILE *file = fopen(path, "rb");
    if (!file) return tool_fail(TOOL_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    const int columns = c->kind == FREQUENCY ? 3 : 2;
    char line[512], *rest;
    bool first = true;
    int code = TOOL_OK;
    for (int number = 1; !code && fgets(line, sizeof line, file); ++number) {
        double row[3] = {0};
        line[strcspn(line, "\r\n")] = 0;
        if (!line[strspn(line, " \t")] || line[0] == '#') continue;
        strtod(line, &rest);
        const bool head = first && rest == line; /* names, not numbers */
        first = false;
        if (head) continue;
        if (!tool_numbers(line, row, columns))
            code = tool_fail(TOOL_BAD_INPUT, "%s:%d: a line must have %d numbers with commas between them", path,
                             number, columns);
        else if (!reserve(c))
            code = tool_fail(TOOL_FAILED, "out of memory");
        else
            c->line[c->count] = number, c->x[c->count] = row[0], c->value[0][c->count] = row[1],
            c->value[1][c->count++] = row[2];
    }
    fclose(file);
    return code;
}

static int read_number(const char *name, const char *text, double *value) {
    if (!text || tool_numbers(text, value, 1)) return TOOL_OK;
    return tool_fail(TOOL_BAD_INPUT, "%s is '%s'; it must be a finite number", name, text);
}

/* "--band 0.1 10000": the second number is a word of its own. "--band 0.1,10000" has both. */
static int read_band(const char *high, double value[2]) {
    value[0] = 0.1, value[1] = 1e4;
    if (!band && !high) return TOOL_OK;
    if (band && !high && tool_numbers(band, value, 2)) return TOOL_OK;
    if (band && high && tool_numbers(band, value, 1) && tool_numbers(high, value + 1, 1)) return TOOL_OK;
    return tool_fail(TOOL_BAD_INPUT, "--band needs two finite numbers: --band 0.1 10000");
}

/* ---- Output ---- */

static json_t *terms_of(const sn_fit *fit) {
    json_t *list = json_array();
    for (int i = 0; i < fit->count; ++i)
        json_array_append_new(list, json_pack("{s:o, s:o}", "ratio", tool_number(fit->modulus[i] / fit->long_term),
                                              "time", tool_number(fit->time[i])));
    return list;
}

/* The shear modulus is that of the fit; lambda is 0, because a fit knows nothing about the volume. */
static int write_material(const sn_fit *fit) {
    json_t *material = json_pack("{s:[f, f], s:{s:s, s:s, s:o}}", "lame", 0.0, fit->long_term, "prony", "on", "shear",
                                 "moduli", "long-term", "terms", terms_of(fit));
    errno = 0;
    const bool written = json_dump_file(material, material_path, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0;
    json_decref(material);
    if (written) return TOOL_OK;
    return tool_fail(TOOL_FAILED, "%s: cannot be written: %s", material_path, strerror(errno ? errno : EIO));
}

static int draw(const curve *c, const sn_fit *fit) {
    double *x = malloc(4 * (size_t)c->count * sizeof *x);
    if (!x) return tool_fail(TOOL_FAILED, "out of memory");
    double *fitted = x + c->count, *loss = x + 2 * c->count;
    const int first = c->x[0] > 0 ? 0 : 1, count = c->count - first; /* time 0 has no logarithm */
    for (int i = 0; i < c->count; ++i) {
        x[i] = c->x[i] > 0 ? log10(c->x[i]) : 0;
        if (c->kind == RELAXATION)
            fitted[i] = sn_fit_relaxed(fit, c->x[i]);
        else
            sn_fit_modulus(fit, c->x[i], &fitted[i], &loss[i]);
    }
    const tool_curve curves[] = {
        {c->kind == RELAXATION ? "measured" : "storage", x + first, c->value[0] + first, count},
        {c->kind == RELAXATION ? "fitted" : "fitted storage", x + first, fitted + first, count},
        {"loss", x, c->value[1], count},
        {"fitted loss", x, loss, count}};
    const bool drawn = tool_plot_svg(plot_path, kind_name[c->kind],
                                     c->kind == RELAXATION ? "log10 of time [s]" : "log10 of frequency [Hz]",
                                     "modulus [Pa]", curves, c->kind == RELAXATION ? 2 : 4);
    free(x);
    return drawn ? TOOL_OK : tool_fail(TOOL_FAILED, "%s: cannot be written: %s", plot_path, strerror(errno));
}

/* How far the quality factor (storage over loss modulus) of the fit is from that of the curve, relative. */
typedef struct quality_error {
    double mean, worst, least, most; /* root mean square; the largest; the least and the largest factor of the fit */
} quality_error;

static quality_error compare_quality(const curve *c, const sn_fit *fit) {
    quality_error e = {.least = INFINITY};
    for (int i = 0; i < c->count; ++i) {
        double storage, loss;
        sn_fit_modulus(fit, c->x[i], &storage, &loss);
        const double own = storage / loss, off = own * c->value[1][i] / c->value[0][i] - 1;
        e.mean += off * off / c->count;
        e.worst = fmax(e.worst, fabs(off)), e.least = fmin(e.least, own), e.most = fmax(e.most, own);
    }
    e.mean = sqrt(e.mean);
    return e;
}

static int print(const curve *c, const sn_fit *fit, double error_wanted) {
    const bool constant = c->kind == CONSTANT_Q, reached = fit->error <= error_wanted;
    const quality_error quality = constant ? compare_quality(c, fit) : (quality_error){0};
    if (as_json) {
        json_t *answer = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "fit", kind_name[c->kind], "long_term",
                                   tool_number(fit->long_term), "modulus", tool_array(fit->modulus, fit->count), "time",
                                   tool_array(fit->time, fit->count), "error", tool_number(fit->error), "worst",
                                   tool_number(fit->worst), "terms", terms_of(fit));
        if (constant) json_object_set_new(answer, "q_error", tool_number(quality.mean));
        if (constant) json_object_set_new(answer, "q_worst", tool_number(quality.worst));
        if (!terms) json_object_set_new(answer, "reached", json_boolean(reached));
        tool_print_json(answer);
        return TOOL_OK;
    }
    printf("long-term modulus  %.6g Pa\n\n%14s %14s %14s\n", fit->long_term, "modulus [Pa]", "time [s]", "ratio");
    for (int i = 0; i < fit->count; ++i)
        printf("%14.6g %14.6g %14.6g\n", fit->modulus[i], fit->time[i], fit->modulus[i] / fit->long_term);
    printf("\nerror  %.3g (root mean square, relative), %.3g at worst, of the %s\n", fit->error, fit->worst,
           c->kind == RELAXATION ? "modulus" : "complex compliance");
    if (constant)
        printf("error  %.3g (root mean square, relative), %.3g at worst, of Q, which is %.3g to %.3g in the band\n",
               quality.mean, quality.worst, quality.least, quality.most);
    if (!terms && !reached)
        printf("the wanted error %g is not reached; the best fit has %d term%s\n", error_wanted, fit->count,
               fit->count == 1 ? "" : "s");
    return TOOL_OK;
}

/* ---- The command ---- */

static int fit_constant_q(const char *high, double error_wanted, curve *c, sn_fit *fit) {
    double quality = 0, size = 0, frequency = 1, limit[2];
    sn_error error = {0};
    if (!q || !modulus) return tool_fail(TOOL_BAD_INPUT, "fit constant-q needs --q and --modulus");
    if (high && !band)
        return tool_fail(TOOL_BAD_INPUT, "fit constant-q takes no file; '%s' is one word too many", high);
    int code = read_number("--q", q, &quality);
    if (!code) code = read_number("--modulus", modulus, &size);
    if (!code) code = read_number("--at", at, &frequency);
    if (!code) code = read_band(high, limit);
    if (code) return code;
    if (sn_fit_constant_q(quality, size, frequency, limit[0], limit[1], terms, error_wanted, fit, &error))
        return tool_error(&error);
    for (int i = 0; i < 121; ++i) {
        if (!reserve(c)) return tool_fail(TOOL_FAILED, "out of memory");
        c->x[i] = limit[0] * pow(limit[1] / limit[0], i / 120.0);
        sn_constant_q_modulus(quality, size, frequency, c->x[i], &c->value[0][i], &c->value[1][i]);
        c->count = i + 1;
    }
    return TOOL_OK;
}

static int fit_file(const char *path, double error_wanted, curve *c, sn_fit *fit) {
    sn_error error = {0};
    if (!path) return tool_fail(TOOL_BAD_INPUT, "fit %s needs a file", kind_name[c->kind]);
    if (q || modulus || at || band)
        return tool_fail(TOOL_BAD_INPUT, "--q, --modulus, --at and --band belong to fit constant-q");
    const int code = read_curve(path, c);
    if (code) return code;
    const sn_status status =
        c->kind == RELAXATION
            ? sn_fit_relaxation(c->count, c->x, c->value[0], terms, error_wanted, fit, &error)
            : sn_fit_frequency(c->count, c->x, c->value[0], c->value[1], terms, error_wanted, fit, &error);
    int point;
    if (!status) return TOOL_OK;
    if (sscanf(error.path, "point %d", &point) == 1)
        return tool_fail(TOOL_BAD_INPUT, "%s:%d: %s", path, c->line[point - 1], error.text);
    return tool_fail(TOOL_BAD_INPUT, "%s: %s", path, error.text);
}

static int fit_command(int count, char **word) {
    const char *positional[2] = {NULL, NULL};
    int words, kind = 0;
    int code = tool_parse(&tool_fit, count, word, positional, 2, &words);
    if (code) return code;
    while (kind < 3 && (words == 0 || strcmp(positional[0], kind_name[kind]) != 0)) ++kind;
    if (kind == 3) {
        const char *nearest = words ? sn_nearest(positional[0], kind_name, 3, (int)sizeof *kind_name) : NULL;
        return tool_fail(TOOL_BAD_INPUT, "fit needs constant-q, relaxation or frequency%s%s%s; usage: sinew %s",
                         nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
                         tool_usage(&tool_fit));
    }
    if (terms && wanted) return tool_fail(TOOL_BAD_INPUT, "--error has no effect with --terms; give one of them");
    if (plot_path && !tool_svg_writable(plot_path)) return TOOL_BAD_INPUT;
    double error_wanted = 0.01;
    code = read_number("--error", wanted, &error_wanted);
    if (code) return code;
    curve c = {.kind = kind};
    sn_fit fit;
    code = kind == CONSTANT_Q ? fit_constant_q(positional[1], error_wanted, &c, &fit)
                              : fit_file(positional[1], error_wanted, &c, &fit);
    if (!code) code = print(&c, &fit, error_wanted);
    if (!code && plot_path) code = draw(&c, &fit);
    if (!code && material_path) code = write_material(&fit);
    release(&c);
    return code;
}
