/* Tables of numbers with commas (CSV). Each row is flushed, so that a run that ends suddenly leaves its rows, and a
 * full disk is found at the row that does not fit. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

struct tool_table {
    FILE *file;
    bool begun; /* the row has a cell */
    char path[];
};

tool_table *tool_table_open(const char *path, sn_error *error) {
    tool_table *table = malloc(sizeof *table + strlen(path) + 1);
    if (!table) {
        sn_fail(error, SN_NO_MEMORY, "out of memory");
        return NULL;
    }
    strcpy(table->path, path);
    table->begun = false;
    table->file = fopen(path, "wb");
    if (table->file) return table;
    sn_fail(error, SN_IO, "%.300s: cannot be written: %s", path, strerror(errno));
    free(table);
    return NULL;
}

static void separate(tool_table *table) {
    if (table->begun) fputc(',', table->file);
    table->begun = true;
}

void tool_table_text(tool_table *table, const char *text) {
    separate(table);
    const bool quoted = strpbrk(text, ",\"\n\r") != NULL;
    if (quoted) fputc('"', table->file);
    for (; *text; ++text) {
        if (*text == '"') fputc('"', table->file);
        fputc(*text, table->file);
    }
    if (quoted) fputc('"', table->file);
}

void tool_table_number(tool_table *table, double value) {
    separate(table);
    if (isfinite(value)) fprintf(table->file, "%.17g", value);
}

static bool failed(const tool_table *table, sn_error *error) {
    sn_fail(error, SN_IO, "%.300s: cannot be written: %s", table->path, strerror(errno ? errno : EIO));
    return false;
}

bool tool_table_row(tool_table *table, sn_error *error) {
    errno = 0;
    fputc('\n', table->file);
    table->begun = false;
    return fflush(table->file) == 0 && !ferror(table->file) ? true : failed(table, error);
}

bool tool_table_close(tool_table *table, sn_error *error) {
    if (!table) return true;
    errno = 0;
    const bool bad = ferror(table->file) != 0;
    const bool good = fclose(table->file) == 0 && !bad ? true : failed(table, error);
    free(table);
    return good;
}
