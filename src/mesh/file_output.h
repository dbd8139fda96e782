/* The file that the writers fill: a buffer in front of it, and the numbers that they print.
 *
 * A failed write is kept until sn_output_close, so that writers need not check each call. A number is printed with 15
 * digits, or with 17 when 15 do not read back to the same double. file.c puts the thread into the C locale around every
 * writer. */
#ifndef SN_MESH_FILE_OUTPUT_H
#define SN_MESH_FILE_OUTPUT_H

#include <stdio.h>

#include "base/context.h"

enum { SN_OUTPUT_BUFFER = 1 << 16 };

typedef struct sn_output {
    FILE *file;
    const char *place; /* the path that is written */
    const char *path;  /* the path that messages name */
    sn_error *error;
    int failure; /* errno of the first failed write */
    size_t used;
    char buffer[SN_OUTPUT_BUFFER];
} sn_output;

/* `output` is large: take it from the allocator. Writes to `place`; messages speak of `path`. */
sn_status sn_output_open(sn_output *output, const char *place, const char *path, sn_error *error);
/* Closes; removes the file when a write failed or `status` is a failure. Returns `status` or SN_IO. */
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
