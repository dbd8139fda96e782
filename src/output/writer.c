/* The list of result formats, single files by ending, and the series of files that a run leaves. */
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/cookie.h"
#include "base/words.h"
#include "frame.h"

#define EXTERN(name, table, text) extern const sn_frame_format sn_frame_##table;
#define TABLE(name, table, text) &sn_frame_##table,
SN_FRAME_FORMATS(EXTERN)
static const sn_frame_format *const formats[] = {SN_FRAME_FORMATS(TABLE)};

/* The format of a name, or NULL. */
static const sn_frame_format *find(const char *name) {
    int count;
    const sn_listing *listing = sn_output_formats(&count);
    for (int i = 0; i < count; ++i)
        if (strcmp(listing[i].name, name) == 0) return formats[i];
    return NULL;
}

/* The message `begin`, continued with the nearest name of the list, or with the whole list. */
static sn_status unknown(const char *begin, const char *name, const sn_listing *(*list)(int *count), sn_error *error) {
    char text[400];
    int count;
    const sn_listing *listing = list(&count);
    snprintf(text, sizeof text, "%s", begin);
    sn_suggest(text, (int)sizeof text, name, listing, count, (int)sizeof *listing);
    return sn_fail(error, SN_BAD_INPUT, "%s", text);
}

static bool is_field(const char *name) {
    int count;
    const sn_listing *field = sn_output_fields(&count);
    for (int i = 0; i < count; ++i)
        if (strcmp(field[i].name, name) == 0) return true;
    return false;
}

sn_status sn_world_write(sn_world *world, const char *path, sn_error *error) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const char *ending = dot ? dot + 1 : "";
    const sn_frame_format *format = find(ending);
    if (format) return format->write(world, path, NULL, error);
    char begin[400];
    snprintf(begin, sizeof begin, "%.200s: '%.40s' is no ending of a result file", path, ending);
    return unknown(begin, ending, sn_output_formats, error);
}

/* ---- A series ---- */

struct sn_writer {
    sn_context *context;
    char folder[1024], stem[160];
    sn_output_options options;
    int frames;
};

static sn_status check_options(const sn_output_options *o, sn_error *error) {
    const int most_formats = (int)(sizeof o->formats / sizeof *o->formats),
              most_fields = (int)(sizeof o->fields / sizeof *o->fields);
    const sn_status status = sn_cookie_check(o->cookie, "sn_output_options", error);
    if (status) return status;
    if (o->format_count < 0 || o->format_count > most_formats)
        return sn_fail(error, SN_BAD_INPUT, "format_count is %d; allowed are 0 to %d", o->format_count, most_formats);
    if (o->field_count < 0 || o->field_count > most_fields)
        return sn_fail(error, SN_BAD_INPUT, "field_count is %d; allowed are 0 to %d", o->field_count, most_fields);
    for (int i = 0; i < o->format_count; ++i) {
        char begin[100];
        if (find(o->formats[i])) continue;
        snprintf(begin, sizeof begin, "the output format '%s' is unknown", o->formats[i]);
        return unknown(begin, o->formats[i], sn_output_formats, error);
    }
    for (int i = 0; i < o->field_count; ++i) {
        char begin[100];
        if (is_field(o->fields[i])) continue;
        snprintf(begin, sizeof begin, "the output field '%s' is unknown", o->fields[i]);
        return unknown(begin, o->fields[i], sn_output_fields, error);
    }
    return SN_OK;
}

sn_status sn_writer_create(sn_context *context, const char *folder, const char *stem, const sn_output_options *options,
                           sn_writer **writer, sn_error *error) {
    if (strlen(folder) >= sizeof(*writer)->folder || strlen(stem) >= sizeof(*writer)->stem)
        return sn_fail(error, SN_BAD_INPUT, "the path %.200s/%.100s is too long", folder, stem);
    const sn_status status = check_options(options, error);
    if (status) return status;
    sn_writer *w = sn_allocate_zero(context, 1, sizeof *w);
    if (!w) return sn_no_memory(error);
    w->context = context;
    w->options = *options;
    strcpy(w->folder, folder);
    strcpy(w->stem, stem);
    *writer = w;
    return SN_OK;
}

sn_status sn_writer_frame(sn_writer *w, sn_world *world, sn_error *error) {
    const sn_series series = {
        .context = w->context, .folder = w->folder, .stem = w->stem, .frame = w->frames, .time = sn_world_time(world)};
    sn_status status = SN_OK;
    for (int i = 0; i < w->options.format_count && !status; ++i) {
        char path[1300];
        const char *name = w->options.formats[i];
        snprintf(path, sizeof path, "%s/%s-%05d.%s", w->folder, w->stem, w->frames, name);
        status = find(name)->write(world, path, &w->options, error);
    }
    if (status) return status;
    ++w->frames;
    for (int i = 0; i < w->options.format_count && !status; ++i) {
        const sn_frame_format *format = find(w->options.formats[i]);
        if (format->index) status = format->index(&series, error);
    }
    return status;
}

void sn_writer_destroy(sn_writer *writer) {
    if (!writer) return;
    sn_release(writer->context, writer);
}
