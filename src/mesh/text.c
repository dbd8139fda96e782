/* The cursor. Numbers take an exact short way when they have at most 19 digits that fit 53 bits and a power of ten up
 * to 22: then mantissa and power are both exact doubles and one multiplication or division rounds correctly (Clinger
 * 1990). The rest goes to strtod. */
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_text sn_text_open(const char *name, const char *data, size_t bytes, sn_error *error) {
    return (sn_text){.name = name, .begin = data, .at = data, .end = data + bytes, .line = 1, .error = error};
}

sn_status sn_text_fail(const sn_text *text, const char *format, ...) {
    char reason[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (text->binary)
        return sn_fail(text->error, SN_BAD_INPUT, "%s:byte %lld: %s", text->name, (long long)(text->at - text->begin),
                       reason);
    return sn_fail(text->error, SN_BAD_INPUT, "%s:%lld: %s", text->name, (long long)text->line, reason);
}

static inline bool is_blank(const sn_text *t, char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || (c && c == t->separator);
}

static void skip_comment(sn_text *t) {
    const char *newline = memchr(t->at, '\n', (size_t)(t->end - t->at));
    t->at = newline ? newline : t->end;
}

bool sn_text_more_in_line(sn_text *t) {
    while (t->at < t->end && is_blank(t, *t->at)) ++t->at;
    if (t->at < t->end && t->comment && *t->at == t->comment) skip_comment(t);
    return t->at < t->end && *t->at != '\n';
}

bool sn_text_more(sn_text *t) {
    for (;;) {
        if (sn_text_more_in_line(t)) return true;
        if (t->at >= t->end || t->in_line) return false;
        ++t->at, ++t->line;
    }
}

sn_status sn_text_end_line(sn_text *t, const char *what) {
    if (sn_text_more_in_line(t)) {
        char message[96];
        snprintf(message, sizeof message, "end of the line after %s", what);
        return sn_text_expected(t, message);
    }
    const bool in_line = t->in_line;
    t->in_line = false;
    sn_text_more(t);
    t->in_line = in_line;
    return SN_OK;
}

void sn_text_skip_line(sn_text *t) {
    skip_comment(t);
    if (t->at < t->end) ++t->at, ++t->line;
}

static inline bool ends_word(const sn_text *t, const char *p) {
    return p >= t->end || *p == '\n' || is_blank(t, *p) || (t->comment && *p == t->comment);
}

static int word_length(const sn_text *t) {
    const char *p = t->at;
    while (!ends_word(t, p)) ++p;
    return (int)(p - t->at < 1 << 30 ? p - t->at : 1 << 30);
}

sn_status sn_text_expected(sn_text *t, const char *what) {
    if (!sn_text_more(t))
        return sn_text_fail(t, "%s expected, but the %s ends", what, t->at < t->end ? "line" : "file");
    char shown[28];
    int length = word_length(t);
    const bool cut = length > 24;
    if (cut) length = 21;
    for (int i = 0; i < length; ++i) shown[i] = (t->at[i] >= 32 && t->at[i] < 127) ? t->at[i] : '?';
    memcpy(shown + length, cut ? "..." : "", cut ? 4 : 1);
    return sn_text_fail(t, "%s expected, found '%s'", what, shown);
}

sn_status sn_text_word(sn_text *t, const char *what, const char **word, int *length) {
    if (!sn_text_more(t)) return sn_text_expected(t, what);
    *word = t->at;
    *length = word_length(t);
    t->at += *length;
    return SN_OK;
}

bool sn_text_is(const char *word, int length, const char *other) {
    return strlen(other) == (size_t)length && memcmp(word, other, (size_t)length) == 0;
}

bool sn_text_is_any_case(const char *word, int length, const char *other) {
    if (strlen(other) != (size_t)length) return false;
    for (int i = 0; i < length; ++i) {
        const char a = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] + 32) : word[i];
        const char b = other[i] >= 'A' && other[i] <= 'Z' ? (char)(other[i] + 32) : other[i];
        if (a != b) return false;
    }
    return true;
}

void sn_text_rest(sn_text *t, const char **rest, int *length) {
    sn_text_more_in_line(t);
    const char *begin = t->at;
    skip_comment(t);
    const char *last = t->at;
    while (last > begin && (is_blank(t, last[-1]))) --last;
    *rest = begin;
    *length = (int)(last - begin < 1 << 30 ? last - begin : 1 << 30);
}

sn_status sn_text_integer(sn_text *t, const char *what, int64_t *value) {
    if (!sn_text_more(t)) return sn_text_expected(t, what);
    const char *p = t->at;
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    const char *digits = p;
    uint64_t sum = 0;
    while (*p >= '0' && *p <= '9' && p - digits < 18) sum = sum * 10 + (uint64_t)(*p++ - '0');
    if (p == digits || !ends_word(t, p)) return sn_text_expected(t, what);
    *value = negative ? -(int64_t)sum : (int64_t)sum;
    t->at = p;
    return SN_OK;
}

static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The short way: true when it applies, with *stop behind the number. */
static bool short_number(const char *p, double *value, const char **stop) {
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    uint64_t mantissa = 0;
    int digits = 0, exponent = 0;
    for (; *p >= '0' && *p <= '9'; ++p, ++digits) {
        if (digits >= 19) return false;
        mantissa = mantissa * 10 + (uint64_t)(*p - '0');
    }
    if (*p == '.') {
        for (++p; *p >= '0' && *p <= '9'; ++p, ++digits, --exponent) {
            if (digits >= 19) return false;
            mantissa = mantissa * 10 + (uint64_t)(*p - '0');
        }
    }
    if (!digits) return false;
    if (*p == 'e' || *p == 'E') {
        ++p;
        const bool down = *p == '-';
        if (*p == '-' || *p == '+') ++p;
        if (*p < '0' || *p > '9') return false;
        int e = 0;
        for (; *p >= '0' && *p <= '9'; ++p) {
            if (e > 999) return false;
            e = e * 10 + (*p - '0');
        }
        exponent += down ? -e : e;
    }
    if (mantissa > (1ull << 53) || exponent < -22 || exponent > 22) return false;
    const double m = (double)mantissa, scaled = exponent < 0 ? m / power_of_ten[-exponent] : m * power_of_ten[exponent];
    *value = negative ? -scaled : scaled;
    *stop = p;
    return true;
}

/* Takes digits, one point and an exponent only. strtod would also take "0x10", "inf" and "nan(1)". */
static bool looks_decimal(const char *p, const char *end) {
    for (; p < end; ++p) {
        if (!((*p >= '0' && *p <= '9') || *p == '.' || *p == '-' || *p == '+' || *p == 'e' || *p == 'E')) return false;
    }
    return true;
}

sn_status sn_text_number(sn_text *t, const char *what, double *value) {
    if (!sn_text_more(t)) return sn_text_expected(t, what);
    const char *stop;
    if (short_number(t->at, value, &stop) && ends_word(t, stop)) {
        t->at = stop;
        return SN_OK;
    }
    const char *end = t->at + word_length(t);
    char *after;
    if (!looks_decimal(t->at, end)) {
        char message[96];
        snprintf(message, sizeof message, "finite number for %s", what);
        return sn_text_expected(t, message);
    }
    errno = 0;
    *value = strtod(t->at, &after);
    if (after != end) return sn_text_expected(t, what);
    if (!isfinite(*value)) return sn_text_expected(t, "number within the range of double");
    t->at = end;
    return SN_OK;
}

sn_status sn_text_check_count(sn_text *t, const char *what, int64_t value, int64_t least, int *count) {
    if (value < 0) return sn_text_fail(t, "%s is %lld; it cannot be negative", what, (long long)value);
    if (value > INT32_MAX / 16)
        return sn_text_fail(t, "%s is %lld; at most %d are possible", what, (long long)value, INT32_MAX / 16);
    const int64_t left = t->end - t->at;
    if (value * least > left + 1) {
        return sn_text_fail(t, "%s is %lld, but the %lld bytes left in the file cannot hold that many", what,
                            (long long)value, (long long)left);
    }
    *count = (int)value;
    return SN_OK;
}

sn_status sn_text_count(sn_text *t, const char *what, int64_t least, int *count) {
    int64_t value;
    sn_status status = t->binary ? sn_text_u64(t, what, &value) : sn_text_integer(t, what, &value);
    return status ? status : sn_text_check_count(t, what, value, least, count);
}

/* ---- Binary ---- */

bool sn_little_endian(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

const uint8_t sn_binary_size[8] = {1, 1, 2, 2, 4, 4, 4, 8};

static uint64_t raw(const char *bytes, int size, bool swap) {
    uint64_t value = 0;
    const bool little = sn_little_endian() != swap;
    for (int i = 0; i < size; ++i) value |= (uint64_t)(uint8_t)bytes[i] << (8 * (little ? i : size - 1 - i));
    return value;
}

double sn_binary_value(const char *bytes, sn_binary_type type, bool swap) {
    const uint64_t u = raw(bytes, sn_binary_size[type], swap);
    double f64;
    float f32;
    const uint32_t u32 = (uint32_t)u;
    switch (type) {
    case SN_I8:
        return (int8_t)u;
    case SN_U8:
        return (uint8_t)u;
    case SN_I16:
        return (int16_t)u;
    case SN_U16:
        return (uint16_t)u;
    case SN_I32:
        return (int32_t)u;
    case SN_U32:
        return (uint32_t)u;
    case SN_F32:
        memcpy(&f32, &u32, 4);
        return (double)f32;
    case SN_F64:
        break;
    }
    memcpy(&f64, &u, 8);
    return f64;
}

sn_status sn_text_bytes(sn_text *t, const char *what, int64_t count, const char **bytes) {
    if (t->end - t->at < count) return sn_text_fail(t, "the file ends inside %s", what);
    *bytes = t->at;
    t->at += count;
    return SN_OK;
}

sn_status sn_text_i32(sn_text *t, const char *what, int64_t *value) {
    const char *bytes = NULL;
    sn_status status = sn_text_bytes(t, what, 4, &bytes);
    if (status) return status;
    *value = (int32_t)raw(bytes, 4, t->swap);
    return SN_OK;
}

sn_status sn_text_u64(sn_text *t, const char *what, int64_t *value) {
    const char *bytes = NULL;
    sn_status status = sn_text_bytes(t, what, 8, &bytes);
    if (status) return status;
    const uint64_t u = raw(bytes, 8, t->swap);
    if (u > INT64_MAX) {
        t->at -= 8;
        return sn_text_fail(t, "%s is %llu, which is too large", what, (unsigned long long)u);
    }
    *value = (int64_t)u;
    return SN_OK;
}

sn_status sn_text_f64(sn_text *t, const char *what, double *value) {
    const char *bytes = NULL;
    sn_status status = sn_text_bytes(t, what, 8, &bytes);
    if (status) return status;
    *value = sn_binary_value(bytes, SN_F64, t->swap);
    if (!isfinite(*value)) {
        t->at -= 8;
        return sn_text_fail(t, "finite number for %s expected, found %g", what, *value);
    }
    return SN_OK;
}
