/* Paths of the device "recorded": rows of t, x, y, z, button.
 *
 * The first line of a file names its columns, with commas. The columns t, x, y, z and button may be in any order;
 * button may be missing, and other columns are left out. Empty lines, and lines that begin with #, are left out too. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

static const char *const columns[SN_PATH_WIDTH] = {"t", "x", "y", "z", "button"};

/* The first wrong number of a row, or -1. `before`: the row above it; NULL: none. */
static int find_wrong(const double *row, const double *before) {
    for (int i = 0; i < SN_PATH_WIDTH; ++i)
        if (!isfinite(row[i])) return i;
    if (row[4] != 0 && row[4] != 1) return 4;
    return before && row[0] <= before[0] ? 0 : -1;
}

/* Leaves a message about a row at `place`: "row 3", "path.csv:12". */
static sn_status check_row(const double *row, const double *before, const char *place, sn_error *error) {
    const int wrong = find_wrong(row, before);
    if (wrong < 0) return SN_OK;
    if (!isfinite(row[wrong]))
        return sn_fail(error, SN_BAD_INPUT, "%s: %s is %g; it must be finite", place, columns[wrong], row[wrong]);
    if (wrong == 4) return sn_fail(error, SN_BAD_INPUT, "%s: button is %g; it must be 0 or 1", place, row[4]);
    return sn_fail(error, SN_BAD_INPUT, "%s: the time %.9g comes after %.9g; times must grow", place, row[0],
                   before[0]);
}

sn_status sn_path_check(const double *row, int count, sn_error *error) {
    if (count < 1 || !row)
        return sn_fail_at(error, SN_BAD_INPUT, "recorded.rows", "row_count is %d; a path needs at least 1 row", count);
    for (int i = 0; i < count; ++i) {
        char place[32];
        const double *at = row + (size_t)i * SN_PATH_WIDTH;
        snprintf(place, sizeof place, "row %d", i);
        const sn_status status = check_row(at, i ? at - SN_PATH_WIDTH : NULL, place, error);
        if (status) return sn_within(error, status, "recorded.rows");
    }
    return SN_OK;
}

/* A file while it is read. */
typedef struct reading {
    const sn_context *context;
    const char *file;
    FILE *stream;
    int line;
    int column[SN_PATH_WIDTH]; /* of each number; -1: there is none */
    int width;                 /* columns of the file */
    double *row;
    int count, capacity;
} reading;

/* The next cell of a line, without spaces around it; NULL after the last one. */
static char *next_cell(char **rest) {
    char *cell = *rest;
    if (!cell) return NULL;
    char *comma = strchr(cell, ',');
    *rest = comma ? comma + 1 : NULL;
    if (comma) *comma = 0;
    cell += strspn(cell, " \t\"");
    for (size_t n = strlen(cell); n > 0 && strchr(" \t\r\n\"", cell[n - 1]); --n) cell[n - 1] = 0;
    return cell;
}

static sn_status read_head(reading *r, char *line, sn_error *error) {
    for (int i = 0; i < SN_PATH_WIDTH; ++i) r->column[i] = -1;
    char *rest = line;
    for (char *cell; (cell = next_cell(&rest)); ++r->width)
        for (int i = 0; i < SN_PATH_WIDTH; ++i)
            if (r->column[i] < 0 && strcmp(cell, columns[i]) == 0) r->column[i] = r->width;
    for (int i = 0; i < 4; ++i)
        if (r->column[i] < 0)
            return sn_fail(error, SN_BAD_INPUT,
                           "%.200s:%d: no column '%s'; the first line must name the columns t, x, y, z and perhaps "
                           "button",
                           r->file, r->line, columns[i]);
    return SN_OK;
}

static sn_status read_row(reading *r, char *line, sn_error *error) {
    void *grown = r->row;
    sn_status status = sn_grow(r->context, &grown, &r->capacity, r->count + 1, SN_PATH_WIDTH * sizeof *r->row, error);
    r->row = grown;
    if (status) return status;
    double *row = r->row + (size_t)r->count * SN_PATH_WIDTH;
    row[4] = 0;
    char *rest = line, place[300];
    int cells = 0;
    for (char *cell; (cell = next_cell(&rest)); ++cells)
        for (int i = 0; i < SN_PATH_WIDTH; ++i) {
            if (r->column[i] != cells) continue;
            char *end;
            row[i] = strtod(cell, &end);
            if (*end || end == cell)
                return sn_fail(error, SN_BAD_INPUT, "%.200s:%d: '%.40s' is not a number", r->file, r->line, cell);
        }
    if (cells != r->width)
        return sn_fail(error, SN_BAD_INPUT, "%.200s:%d: has %d columns; the first line names %d", r->file, r->line,
                       cells, r->width);
    snprintf(place, sizeof place, "%.200s:%d", r->file, r->line);
    status = check_row(row, r->count ? row - SN_PATH_WIDTH : NULL, place, error);
    r->count += !status;
    return status;
}

static sn_status read_lines(reading *r, sn_error *error) {
    char *line = NULL;
    size_t room = 0;
    sn_status status = SN_OK;
    while (!status && getline(&line, &room, r->stream) >= 0) {
        ++r->line;
        const char first = line[strspn(line, " \t\r\n")];
        if (first == 0 || first == '#') continue;
        if (r->count >= 100000000)
            status = sn_fail(error, SN_BAD_INPUT, "%.200s: the path has more than 1e8 rows", r->file);
        else
            status = r->width ? read_row(r, line, error) : read_head(r, line, error);
    }
    if (!status && ferror(r->stream)) status = sn_fail(error, SN_IO, "%.200s: reading failed", r->file);
    if (!status && r->count == 0) status = sn_fail(error, SN_BAD_INPUT, "%.200s: the path has no rows", r->file);
    free(line);
    return status;
}

sn_status sn_path_read(const sn_context *context, const char *file, double **row, int *count, sn_error *error) {
    reading r = {.context = context, .file = file, .stream = fopen(file, "r")};
    if (!r.stream) return sn_fail(error, SN_NOT_FOUND, "%.200s: cannot be opened: %s", file, strerror(errno));
    const sn_status status = read_lines(&r, error);
    fclose(r.stream);
    if (status) {
        sn_release(context, r.row);
        return status;
    }
    *row = r.row, *count = r.count;
    return SN_OK;
}
