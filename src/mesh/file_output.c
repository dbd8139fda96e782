/* The file that the writers fill: see file_output.h. */
#include "file_output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

sn_status sn_output_open(sn_output *o, const char *place, const char *path, sn_error *error) {
    o->place = place;
    o->path = path;
    o->error = error;
    o->failure = 0;
    o->used = 0;
    o->file = fopen(place, "wb");
    if (!o->file) return sn_fail(error, SN_IO, "%s: cannot be written: %s", path, strerror(errno));
    setvbuf(o->file, NULL, _IONBF, 0);
    return SN_OK;
}

static void flush(sn_output *o) {
    errno = 0;
    if (o->used && !o->failure && fwrite(o->buffer, 1, o->used, o->file) != o->used) o->failure = errno ? errno : EIO;
    o->used = 0;
}

sn_status sn_output_close(sn_output *o, sn_status status) {
    flush(o);
    errno = 0;
    if (fclose(o->file) != 0 && !o->failure) o->failure = errno ? errno : EIO;
    if (!status && o->failure)
        status = sn_fail(o->error, SN_IO, "%s: writing failed: %s", o->path, strerror(o->failure));
    if (status) remove(o->place);
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
