/* The grid of heights of a collider: a list of rows in the scene, or a text file with one row per line. Numbers in a
 * line are separated by spaces, tabs, commas or semicolons. Empty lines, and lines that begin with #, are left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_internal.h"

/* The grid while it grows. */
typedef struct grid {
    double *value;
    int64_t count, capacity;
    int rows, columns;
} grid;

static bool add(grid *g, double value) {
    if (g->count == g->capacity) {
        const int64_t larger = g->capacity ? 2 * g->capacity : 1024;
        double *grown = realloc(g->value, (size_t)larger * sizeof *grown);
        if (!grown) return false;
        g->value = grown, g->capacity = larger;
    }
    g->value[g->count++] = value;
    return true;
}

/* Ends a row of `columns` numbers. Returns false when the rows have different lengths. */
static bool end_row(grid *g, int columns) {
    if (g->rows == 0) g->columns = columns;
    ++g->rows;
    return columns == g->columns;
}

static sn_status read_line(const sn_place *place, char *line, int number, grid *g) {
    static const char apart[] = " \t\r\n,;";
    int columns = 0;
    char *rest;
    for (char *word = strtok_r(line, apart, &rest); word; word = strtok_r(NULL, apart, &rest), ++columns) {
        char *end;
        const double value = strtod(word, &end);
        if (*end || !isfinite(value))
            return sn_place_fail(place, SN_BAD_INPUT, "has '%.40s' in line %d, which is not a number", word, number);
        if (!add(g, value)) return sn_no_memory(place->reader->error);
    }
    if (columns == 0 || end_row(g, columns)) return SN_OK;
    return sn_place_fail(place, SN_BAD_INPUT, "has %d numbers in line %d and %d in the first row", columns, number,
                         g->columns);
}

static sn_status read_file(const sn_place *place, grid *g) {
    char path[SN_SCENE_PATH];
    sn_status status = sn_scene_read_path(place, path);
    if (status) return status;
    FILE *file = fopen(path, "r");
    if (!file) return sn_place_fail(place, SN_NOT_FOUND, "names '%.200s', which cannot be opened", path);
    char *line = NULL;
    size_t room = 0;
    for (int number = 1; !status && getline(&line, &room, file) >= 0; ++number)
        if (line[strspn(line, " \t")] != '#') status = read_line(place, line, number, g);
    free(line);
    fclose(file);
    return status;
}

static sn_status read_rows(const sn_place *place, grid *g) {
    sn_status status = sn_place_list(place, 2);
    for (int i = 0; !status && i < sn_place_count(place); ++i) {
        const sn_place row = sn_place_at(place, i);
        status = sn_place_list(&row, 2);
        const int columns = status ? 0 : sn_place_count(&row);
        for (int j = 0; j < columns && !status; ++j) {
            const sn_place item = sn_place_at(&row, j);
            double value;
            status = sn_read_number(&item, &sn_any_number, &value);
            if (!status && !add(g, value)) status = sn_no_memory(place->reader->error);
        }
        if (!status && !end_row(g, columns))
            status = sn_place_fail(&row, SN_BAD_INPUT, "has %d heights; the first row has %d", columns, g->columns);
    }
    return status;
}

sn_status sn_scene_read_heights(const sn_place *place, sn_collider *collider) {
    sn_place heights, file;
    const bool listed = sn_place_get(place, "heights", &heights), filed = sn_place_get(place, "file", &file);
    if (listed == filed)
        return sn_place_fail(place, SN_BAD_INPUT, "needs either 'heights' (a list of rows) or a 'file'");
    grid g = {0};
    sn_status status = listed ? read_rows(&heights, &g) : read_file(&file, &g);
    double *own = status ? NULL : sn_scene_allocate(place->reader, (size_t)g.count + 1, sizeof *own);
    if (!status && !own) status = sn_no_memory(place->reader->error);
    if (!status && g.count) memcpy(own, g.value, (size_t)g.count * sizeof *own);
    free(g.value);
    collider->height = own, collider->rows = g.rows, collider->columns = g.columns;
    return status;
}
