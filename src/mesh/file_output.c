/* The file that the writers fill: see file_output.h. */
#include "file_output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

sn_status sn_enter_c_locale(sn_c_locale *l, sn_error *error) {
    l->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!l->c) return sn_no_memory(error);
    l->before = uselocale(l->c);
    return SN_OK;
}

void sn_leave_c_locale(sn_c_locale *l) {
    uselocale(l->before);
    freelocale(l->c);
}

static void release(sn_output *o) {
    if (!o) return;
    sn_release(o->context, o->place);
    sn_release(o->context, o->path);
    sn_release(o->context, (void *)o);
}

/* The path with `ending` behind it. */
static char *copy_path(const sn_context *context, const char *path, const char *ending) {
    const size_t length = strlen(path), more = strlen(ending);
    char *copy = sn_allocate(context, length + more + 1, 1);
    if (!copy) return NULL;
    memcpy(copy, path, length);
    memcpy(copy + length, ending, more + 1);
    return copy;
}

sn_status sn_output_open(const sn_context *context, const char *path, sn_output **output, sn_error *error) {
    struct stat about;
    const bool special = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    sn_output *o = sn_allocate(context, 1, sizeof *o);
    if (!o) return sn_no_memory(error);
    o->context = context, o->error = error, o->failure = 0, o->used = 0;
    o->path = copy_path(context, path, "");
    o->place = copy_path(context, path, special ? "" : ".part");
    sn_status status = o->path && o->place ? SN_OK : sn_no_memory(error);
    o->file = status ? NULL : fopen(o->place, "wb");
    if (!status && !o->file) status = sn_fail(error, SN_IO, "%s: cannot be written: %s", path, strerror(errno));
    if (!status) {
        setvbuf(o->file, NULL, _IONBF, 0);
        status = sn_enter_c_locale(&o->locale, error);
        if (status) fclose(o->file);
    }
    if (status) {
        release(o);
        return status;
    }
    *output = o;
    return SN_OK;
}

static void flush(sn_output *o) {
    errno = 0;
    if (o->used && !o->failure && fwrite(o->buffer, 1, o->used, o->file) != o->used) o->failure = errno ? errno : EIO;
    o->used = 0;
}

sn_status sn_output_close(sn_output *o, sn_status status) {
    const bool moved = strcmp(o->place, o->path) != 0;
    flush(o);
    errno = 0;
    if (fclose(o->file) != 0 && !o->failure) o->failure = errno ? errno : EIO;
    if (!status && !o->failure && moved && rename(o->place, o->path) != 0) o->failure = errno;
    if (!status && o->failure)
        status = sn_fail(o->error, SN_IO, "%s: writing failed: %s", o->path, strerror(o->failure));
    if (status && moved) remove(o->place);
    sn_leave_c_locale(&o->locale);
    release(o);
    return status;
}

void sn_put_bytes(sn_output *o, const void *data, size_t bytes) {
    const char *from = data;
    while (bytes) {
        if (o->used == SN_OUTPUT_BUFFER) flush(o);
        const size_t room = SN_OUTPUT_BUFFER - o->used, part = bytes < room ? bytes : room;
        memcpy(o->buffer + o->used, from, part);
        o->used += part;
        from += part;
        bytes -= part;
    }
}

void sn_put_text(sn_output *o, const char *text) { sn_put_bytes(o, text, strlen(text)); }

void sn_put_format(sn_output *o, const char *format, ...) {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0) sn_put_bytes(o, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void sn_put_integer(sn_output *o, int64_t value, char after) {
    char digits[24];
    char *p = digits + sizeof digits;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    *--p = after;
    do {
        *--p = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (value < 0) *--p = '-';
    sn_put_bytes(o, p, (size_t)(digits + sizeof digits - p));
}

void sn_put_number(sn_output *o, double value, char after) {
    char text[40];
    int length = snprintf(text, sizeof text - 1, "%.15g", value);
    if (strtod(text, NULL) != value) length = snprintf(text, sizeof text - 1, "%.17g", value);
    text[length] = after;
    sn_put_bytes(o, text, (size_t)length + 1);
}

void sn_put_i32(sn_output *o, int64_t value) {
    const int32_t v = (int32_t)value;
    sn_put_bytes(o, &v, 4);
}

void sn_put_u64(sn_output *o, int64_t value) { sn_put_bytes(o, &value, 8); }
void sn_put_f64(sn_output *o, double value) { sn_put_bytes(o, &value, 8); }
