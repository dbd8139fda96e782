/* See locate.h. The walker is a cursor with four moves (space, string, value, position); it never reads beyond the
 * text, whatever that holds. */
#include "locate.h"

#include <string.h>

typedef struct cursor {
    const char *begin, *at, *end;
} cursor;

static void skip_space(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) ++c->at;
}

static bool take(cursor *c, char wanted) {
    skip_space(c);
    if (c->at >= c->end || *c->at != wanted) return false;
    ++c->at;
    return true;
}

/* From the opening quote to behind the closing one. */
static void skip_string(cursor *c) {
    for (++c->at; c->at < c->end && *c->at != '"'; ++c->at)
        if (*c->at == '\\' && c->at + 1 < c->end) ++c->at;
    if (c->at < c->end) ++c->at;
}

/* Behind the value: brackets are counted, strings skipped. */
static void skip_value(cursor *c) {
    skip_space(c);
    int depth = 0;
    while (c->at < c->end) {
        const char letter = *c->at;
        if (letter == '"') {
            skip_string(c);
        } else if (letter == '{' || letter == '[') {
            ++depth, ++c->at;
        } else if (letter == '}' || letter == ']') {
            if (depth == 0) return;
            --depth, ++c->at;
        } else if (depth == 0 && letter == ',') {
            return;
        } else {
            ++c->at;
            if (depth > 0 || (c->at < c->end && !strchr(",]} \t\r\n", *c->at))) continue;
        }
        if (depth == 0) return;
    }
}

static void where(const cursor *c, const char *at, int *line, int *column) {
    *line = 1, *column = 1;
    for (const char *p = c->begin; p < at; ++p) {
        if (*p == '\n')
            ++*line, *column = 1;
        else if (((unsigned char)*p & 0xc0) != 0x80)
            ++*column;
    }
}

/* Moves to the value of `key` in the object at the cursor. */
static bool enter_key(cursor *c, const char *key, const char **key_at) {
    if (!take(c, '{')) return false;
    const size_t length = strlen(key);
    for (;;) {
        skip_space(c);
        if (c->at >= c->end || *c->at != '"') return false;
        const char *quote = c->at;
        skip_string(c);
        const bool same = (size_t)(c->at - quote) == length + 2 && memcmp(quote + 1, key, length) == 0;
        if (!take(c, ':')) return false;
        skip_space(c);
        if (same) {
            *key_at = quote;
            return true;
        }
        skip_value(c);
        if (!take(c, ',')) return false;
    }
}

static bool enter_index(cursor *c, int index) {
    if (!take(c, '[')) return false;
    for (; index > 0; --index) {
        skip_value(c);
        if (!take(c, ',')) return false;
    }
    skip_space(c);
    return c->at < c->end && *c->at != ']';
}

int sn_json_locate(const char *text, size_t bytes, const sn_json_step *path, int steps, sn_json_position *position) {
    cursor c = {text, text, text + bytes};
    skip_space(&c);
    const char *key_at = c.at, *value_at = c.at;
    int found = 0;
    for (; found < steps; ++found) {
        const char *key = NULL;
        if (path[found].key ? !enter_key(&c, path[found].key, &key) : !enter_index(&c, path[found].index)) break;
        value_at = c.at;
        key_at = key ? key : c.at;
    }
    where(&c, key_at, &position->key_line, &position->key_column);
    where(&c, value_at, &position->line, &position->column);
    return found;
}

bool sn_json_depth(const char *text, size_t bytes, int most, int *line, int *column) {
    cursor c = {text, text, text + bytes};
    int depth = 0;
    while (c.at < c.end) {
        if (*c.at == '"') {
            skip_string(&c);
            continue;
        }
        if (*c.at == '{' || *c.at == '[') ++depth;
        if (*c.at == '}' || *c.at == ']') --depth;
        if (depth > most) {
            where(&c, c.at, line, column);
            return false;
        }
        ++c.at;
    }
    return true;
}
