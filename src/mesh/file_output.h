/* The file that the writers of meshes and results fill: a buffer in front of it, and the numbers that they print.
 *
 * A failed write is kept until sn_output_close, so that writers need not check each call. The file is written under
 * another name and moved to its place when it is whole: a failure leaves an older file as it was. A number is printed
 * with 15 digits, or with 17 when 15 do not read back to the same double. While an output is open its thread is in the
 * C locale, so that the decimal point is '.' in every host. */
#ifndef SN_MESH_FILE_OUTPUT_H
#define SN_MESH_FILE_OUTPUT_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/context.h"

enum { SN_OUTPUT_BUFFER = 1 << 16 };

/* The thread's locale, put back by sn_leave_c_locale. */
typedef struct sn_c_locale {
    locale_t c, before;
} sn_c_locale;
sn_status sn_enter_c_locale(sn_c_locale *locale, sn_error *error);
void sn_leave_c_locale(sn_c_locale *locale);

typedef struct sn_output {
    const sn_context *context;
    FILE *file;
    char *place; /* "path.part"; the path itself for what is no regular file, such as a pipe */
    char *path;  /* messages name it */
    sn_error *error;
    sn_c_locale locale;
    int failure; /* errno of the first failed write */
    size_t used;
    char buffer[SN_OUTPUT_BUFFER];
} sn_output;

/* Opens a file and enters the C locale. Each output that was opened must be closed. */
sn_status sn_output_open(const sn_context *context, const char *path, sn_output **output, sn_error *error);
/* Closes, moves the file to its place and leaves the locale; removes the file when a write failed or `status` is a
 * failure. Returns `status` or SN_IO with the path in the message. */
sn_status sn_output_close(sn_output *output, sn_status status);

void sn_put_bytes(sn_output *output, const void *data, size_t bytes);
void sn_put_text(sn_output *output, const char *text);
void sn_put_format(sn_output *output, const char *format, ...) SN_PRINTF(2, 3); /* up to 255 characters */
void sn_put_integer(sn_output *output, int64_t value, char after);
void sn_put_number(sn_output *output, double value, char after);
void sn_put_i32(sn_output *output, int64_t value); /* binary, this machine's byte order */
void sn_put_u64(sn_output *output, int64_t value);
void sn_put_f64(sn_output *output, double value);

#endif
