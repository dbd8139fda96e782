/* A cursor over a whole file in memory: words and numbers of text with line numbers, values of binary with byte
 * offsets.
 *
 * The data must be followed by a zero byte (at `end`). Numbers are read with '.' as the decimal point: file.c puts the
 * thread into the C locale around every reader. Every failure becomes a message "file:line: reason", or "file:byte N:
 * reason" in binary parts. */
#ifndef SN_MESH_TEXT_H
#define SN_MESH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/base.h"

typedef struct sn_text {
    const char *name;             /* for messages */
    const char *begin, *at, *end; /* *end is 0 */
    int64_t line;                 /* of `at`, from 1 */
    char comment;                 /* starts a comment up to the end of the line; 0: none */
    char separator;               /* counts as a blank (',' in Vega); 0: none */
    bool in_line;                 /* numbers and words must stand on the current line */
    bool binary;                  /* values are binary; messages name the byte */
    bool swap;                    /* binary values have the other byte order than this machine */
    sn_error *error;
} sn_text;

sn_text sn_text_open(const char *name, const char *data, size_t bytes, sn_error *error);

/* "file:line: reason", SN_BAD_INPUT. */
sn_status sn_text_fail(const sn_text *text, const char *format, ...) SN_PRINTF(2, 3);
/* "file:line: `what` expected, found 'word'", or "..., but the line ends", or "..., but the file ends". */
sn_status sn_text_expected(sn_text *text, const char *what);

/* Goes to the next word: over blanks and comments, and over line ends unless `in_line`. False when there is none. */
bool sn_text_more(sn_text *text);
/* True when another word stands on this line (whatever `in_line` is). */
bool sn_text_more_in_line(sn_text *text);
/* Goes to the first word of a later line. Fails when something is left on the current line. `what` is the line's
 * content. */
sn_status sn_text_end_line(sn_text *text, const char *what);
void sn_text_skip_line(sn_text *text); /* to the first character of the next line, which may be blank */

/* The next word: `*word` points into the data, not zero-terminated. */
sn_status sn_text_word(sn_text *text, const char *what, const char **word, int *length);
bool sn_text_is(const char *word, int length, const char *other);          /* equal */
bool sn_text_is_any_case(const char *word, int length, const char *other); /* equal but for ASCII case */
/* The rest of the line without blanks at its ends; the cursor stays at the line's end. */
void sn_text_rest(sn_text *text, const char **rest, int *length);

sn_status sn_text_integer(sn_text *text, const char *what, int64_t *value);
sn_status sn_text_number(sn_text *text, const char *what, double *value); /* finite */
/* The number of items that follow: an integer from 0. Fails when the rest of the file is too short for so many items of
 * `least` bytes. */
sn_status sn_text_count(sn_text *text, const char *what, int64_t least, int *count);
sn_status sn_text_check_count(sn_text *text, const char *what, int64_t value, int64_t least, int *count);

/* ---- Binary values in the file's byte order ---- */
sn_status sn_text_bytes(sn_text *text, const char *what, int64_t count, const char **bytes);
sn_status sn_text_i32(sn_text *text, const char *what, int64_t *value);
sn_status sn_text_u64(sn_text *text, const char *what, int64_t *value); /* fails above INT64_MAX */
sn_status sn_text_f64(sn_text *text, const char *what, double *value);  /* finite */

/* A value of any of PLY's eight types at `bytes`. */
typedef enum sn_binary_type { SN_I8, SN_U8, SN_I16, SN_U16, SN_I32, SN_U32, SN_F32, SN_F64 } sn_binary_type;
extern const uint8_t sn_binary_size[8];
double sn_binary_value(const char *bytes, sn_binary_type type, bool swap);
bool sn_little_endian(void);

#endif
