/* Values with their places; see reader.h. */
#include "reader.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "locate.h"

const sn_range sn_any_number = {-HUGE_VAL, HUGE_VAL, false, false, ""};
const sn_range sn_positive_number = {0, HUGE_VAL, true, false, ""};
const sn_range sn_number_from_zero = {0, HUGE_VAL, false, false, ""};

void *sn_scene_allocate(sn_reader *reader, size_t count, size_t size) {
    if (size && count > (SIZE_MAX - 64) / size) return NULL;
    char *memory = sn_allocate_zero(reader->context, 1, 64 + count * size); /* 64: the contents stay aligned */
    if (!memory) return NULL;
    sn_scene_block *block = (sn_scene_block *)(void *)memory;
    block->next = *reader->blocks;
    *reader->blocks = block;
    return memory + 64;
}

/* ---- Messages ---- */

enum { PATH = 2 * SN_SCENE_DEPTH };

static int collect_path(const sn_place *place, sn_json_step *step) {
    int steps = 0;
    for (const sn_place *p = place; p->parent && steps < PATH; p = p->parent) step[steps++] = (sn_json_step){p->key, p->index};
    for (int i = 0; i < steps / 2; ++i) {
        const sn_json_step swap = step[i];
        step[i] = step[steps - 1 - i];
        step[steps - 1 - i] = swap;
    }
    return steps;
}

static void print_path(const sn_json_step *step, int steps, char *text, size_t capacity) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < steps && used + 1 < capacity; ++i) {
        if (step[i].key)
            snprintf(text + used, capacity - used, "%s%.80s", i ? "." : "", step[i].key);
        else
            snprintf(text + used, capacity - used, "[%d]", step[i].index);
        used += strlen(text + used);
    }
}

/* True when the override's dotted key is the path or leads to it; keys of lists are numbers. */
static bool override_covers(const char *key, const sn_json_step *step, int steps) {
    for (int i = 0; i < steps; ++i) {
        const char *dot = strchr(key, '.');
        const size_t length = dot ? (size_t)(dot - key) : strlen(key);
        char number[16];
        snprintf(number, sizeof number, "%d", step[i].index);
        const char *name = step[i].key ? step[i].key : number;
        if (strlen(name) != length || memcmp(name, key, length) != 0) return false;
        if (!dot) return true;
        key = dot + 1;
    }
    return false;
}

static void print_position(const sn_place *place, bool at_key, char *text, size_t capacity, char *path_text, size_t path_capacity) {
    const sn_reader *reader = place->reader;
    sn_json_step step[PATH];
    const int steps = collect_path(place, step);
    print_path(step, steps, path_text, path_capacity);
    for (int i = reader->override_count - 1; i >= 0; --i) {
        if (!override_covers(reader->override[i].key, step, steps)) continue;
        snprintf(text, capacity, "--set %.80s=%.60s", reader->override[i].key, reader->override[i].value);
        return;
    }
    sn_json_position position;
    const bool exact = sn_json_locate(reader->text, reader->bytes, step, steps, &position) == steps;
    snprintf(text, capacity, "%.160s:%d:%d", reader->name, at_key || !exact ? position.key_line : position.line,
             at_key || !exact ? position.key_column : position.column);
}

static sn_status fail(const sn_place *place, bool at_key, sn_status status, const char *format, va_list arguments) {
    char position[256], path[160], text[400];
    print_position(place, at_key, position, sizeof position, path, sizeof path);
    vsnprintf(text, sizeof text, format, arguments);
    if (!*path) return sn_fail(place->reader->error, status, "%s: the scene %s", position, text);
    return sn_fail(place->reader->error, status, "%s: key '%s' %s", position, path, text);
}

sn_status sn_place_fail(const sn_place *place, sn_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    status = fail(place, false, status, format, arguments);
    va_end(arguments);
    return status;
}

sn_status sn_place_fail_key(const sn_place *place, sn_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    status = fail(place, true, status, format, arguments);
    va_end(arguments);
    return status;
}

/* Where `word` stands in the text as a word of its own, or -1. */
static long find_word(const char *text, const char *word) {
    const size_t length = strlen(word);
    if (!length) return -1;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        const bool left = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_' && at[-1] != '-');
        const unsigned char behind = (unsigned char)at[length];
        if (left && !isalnum(behind) && behind != '_' && behind != '-') return at - text;
    }
    return -1;
}

sn_status sn_place_wrap(const sn_place *place, const sn_error *inner) {
    const char *nearest = NULL;
    long first = -1;
    if (json_is_object(place->value)) {
        const char *key;
        json_t *value;
        json_object_foreach(place->value, key, value) {
            const long at = find_word(inner->text, key);
            if (at >= 0 && (first < 0 || at < first)) first = at, nearest = key;
        }
    }
    sn_place child;
    if (nearest && sn_place_get(place, nearest, &child)) {
        int item; /* "fix.2" speaks of an item */
        if (json_is_array(child.value) && sscanf(inner->text + first + strlen(nearest), ".%d", &item) == 1 && item >= 0 &&
            item < sn_place_count(&child)) {
            const sn_place entry = sn_place_at(&child, item);
            return sn_place_wrap(&entry, inner);
        }
        return sn_place_wrap(&child, inner);
    }
    char position[256], path[160];
    print_position(place, true, position, sizeof position, path, sizeof path);
    if (!*path) return sn_fail(place->reader->error, inner->status, "%s: %.240s", position, inner->text);
    return sn_fail(place->reader->error, inner->status, "%s: key '%s': %.300s", position, path, inner->text);
}

/* ---- Ways down ---- */

bool sn_place_get(const sn_place *object, const char *key, sn_place *child) {
    json_t *value = json_object_get(object->value, key);
    if (!value) return false;
    *child = (sn_place){object->reader, object, key, 0, value};
    return true;
}

sn_place sn_place_at(const sn_place *list, int index) {
    return (sn_place){list->reader, list, NULL, index, json_array_get(list->value, (size_t)index)};
}

int sn_place_count(const sn_place *list) { return (int)json_array_size(list->value); }

/* The value as a reader would write it, cut short. */
static sn_status wrong_type(const sn_place *place, const char *wanted) {
    static const char *const kind[] = {"an object", "a list", "a string", "a whole number", "a number", "true", "false", "null"};
    const int type = (int)json_typeof(place->value);
    if (json_is_string(place->value))
        return sn_place_fail(place, SN_BAD_INPUT, "is the string '%.60s'; it must be %s", json_string_value(place->value), wanted);
    return sn_place_fail(place, SN_BAD_INPUT, "is %s; it must be %s", kind[type], wanted);
}

sn_status sn_place_object(const sn_place *place) { return json_is_object(place->value) ? SN_OK : wrong_type(place, "an object { ... }"); }

sn_status sn_place_list(const sn_place *place, int least) {
    if (!json_is_array(place->value)) return wrong_type(place, "a list [ ... ]");
    if (json_array_size(place->value) > 1 << 28) return sn_place_fail(place, SN_BAD_INPUT, "is a list of more than 2^28 items");
    if (sn_place_count(place) < least)
        return sn_place_fail(place, SN_BAD_INPUT, "is a list of %d; it needs at least %d", sn_place_count(place), least);
    return SN_OK;
}

sn_status sn_place_known(const sn_place *object, const void *names, int count, int stride) {
    const sn_status status = sn_place_object(object);
    if (status) return status;
    const char *key;
    json_t *value;
    json_object_foreach(object->value, key, value) {
        bool known = false;
        for (int i = 0; i < count && !known; ++i) known = strcmp(*(const char *const *)((const char *)names + (long)i * stride), key) == 0;
        if (known) continue;
        char text[380] = "is unknown";
        sn_suggest(text, (int)sizeof text, key, names, count, stride);
        const sn_place child = {object->reader, object, key, 0, value};
        return sn_place_fail_key(&child, SN_BAD_INPUT, "%s", text);
    }
    return SN_OK;
}

/* ---- Values ---- */

/* `far`: the value is beyond the largest that is allowed, which is not worth a word otherwise. */
static void print_range(const sn_range *range, bool far, char *text, size_t capacity) {
    const char *space = range->unit && *range->unit ? " " : "", *unit = range->unit ? range->unit : "";
    const bool low = range->low > -1e300, high = range->high < 1e300 || far;
    const char *above = range->low_open ? "above" : "at least", *below = range->high_open ? "below" : "at most";
    if (low && high)
        snprintf(text, capacity, "a number %s %g and %s %g%s%s", above, range->low, below, range->high, space, unit);
    else if (low)
        snprintf(text, capacity, "a number %s %g%s%s", above, range->low, space, unit);
    else if (high)
        snprintf(text, capacity, "a number %s %g%s%s", below, range->high, space, unit);
    else
        snprintf(text, capacity, "a number%s%s%s", *unit ? " (" : "", unit, *unit ? ")" : "");
}

sn_status sn_read_number(const sn_place *place, const sn_range *range, double *value) {
    char allowed[120];
    print_range(range, json_number_value(place->value) > range->high, allowed, sizeof allowed);
    if (!json_is_number(place->value)) return wrong_type(place, allowed);
    const double x = json_number_value(place->value);
    const bool low = range->low_open ? x > range->low : x >= range->low, high = range->high_open ? x < range->high : x <= range->high;
    if (!isfinite(x) || !low || !high) return sn_place_fail(place, SN_BAD_INPUT, "is %g; it must be %s", x, allowed);
    *value = x;
    return SN_OK;
}

sn_status sn_read_numbers(const sn_place *place, const sn_range *range, double *value, int count) {
    if (!json_is_array(place->value) || sn_place_count(place) != count) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "a list of %d numbers", count);
        if (json_is_array(place->value))
            return sn_place_fail(place, SN_BAD_INPUT, "is a list of %d; it must be %s", sn_place_count(place), wanted);
        return wrong_type(place, wanted);
    }
    for (int i = 0; i < count; ++i) {
        const sn_place item = sn_place_at(place, i);
        const sn_status status = sn_read_number(&item, range, &value[i]);
        if (status) return status;
    }
    return SN_OK;
}

sn_status sn_read_direction(const sn_place *place, double value[3]) {
    const sn_status status = sn_read_numbers(place, &sn_any_number, value, 3);
    if (status) return status;
    if (value[0] == 0 && value[1] == 0 && value[2] == 0)
        return sn_place_fail(place, SN_BAD_INPUT, "is [0, 0, 0]; a direction must not be zero");
    return SN_OK;
}

sn_status sn_read_int(const sn_place *place, int low, int high, int *value) {
    char allowed[80];
    if (high == INT32_MAX)
        snprintf(allowed, sizeof allowed, "a whole number of at least %d", low);
    else
        snprintf(allowed, sizeof allowed, "a whole number from %d to %d", low, high);
    if (!json_is_number(place->value)) return wrong_type(place, allowed);
    const double x = json_number_value(place->value);
    if (!(x >= low && x <= high) || x != floor(x)) return sn_place_fail(place, SN_BAD_INPUT, "is %.9g; it must be %s", x, allowed);
    *value = (int)x;
    return SN_OK;
}

sn_status sn_read_bool(const sn_place *place, bool *value) {
    if (!json_is_boolean(place->value)) return wrong_type(place, "true or false");
    *value = json_is_true(place->value);
    return SN_OK;
}

sn_status sn_read_text(const sn_place *place, char *value, int capacity) {
    if (!json_is_string(place->value)) return wrong_type(place, "a string");
    const size_t length = json_string_length(place->value);
    if (length == 0 || length >= (size_t)capacity)
        return sn_place_fail(place, SN_BAD_INPUT, "is a string of %zu bytes; allowed are 1 to %d", length, capacity - 1);
    memcpy(value, json_string_value(place->value), length + 1);
    return SN_OK;
}

sn_status sn_read_choice(const sn_place *place, const sn_listing *choice, int count, int *index) {
    char text[360] = "a string; known are ";
    if (!json_is_string(place->value)) {
        for (int i = 0; i < count; ++i) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", choice[i].name);
        }
        return wrong_type(place, text);
    }
    const char *word = json_string_value(place->value);
    for (int i = 0; i < count; ++i) {
        if (strcmp(choice[i].name, word) != 0) continue;
        *index = i;
        return SN_OK;
    }
    snprintf(text, sizeof text, "is '%.60s', which is unknown", word);
    sn_suggest(text, (int)sizeof text, word, choice, count, (int)sizeof *choice);
    return sn_place_fail(place, SN_BAD_INPUT, "%s", text);
}

sn_status sn_read_name(const sn_place *place, const sn_listing *choice, int count, char *value, int capacity) {
    int index;
    const sn_status status = sn_read_choice(place, choice, count, &index);
    if (!status) snprintf(value, (size_t)capacity, "%s", choice[index].name);
    return status;
}

sn_status sn_read_axis(const sn_place *place, int *axis) {
    static const sn_listing axes[] = {{"x", ""}, {"y", ""}, {"z", ""}};
    const sn_status status = sn_read_choice(place, axes, 3, axis);
    if (!status) ++*axis;
    return status;
}

sn_status sn_read_keys(const sn_place *place, int width, const double **key, int *count) {
    sn_status status = sn_place_list(place, 1);
    if (status) return status;
    const int items = sn_place_count(place);
    double *array = sn_scene_allocate(place->reader, (size_t)items * (size_t)width, sizeof *array);
    if (!array) return sn_no_memory(place->reader->error);
    for (int i = 0; i < items; ++i) {
        const sn_place item = sn_place_at(place, i);
        double *row = array + (size_t)i * (size_t)width;
        status = sn_read_numbers(&item, &sn_any_number, row, width);
        if (status) return status;
        if (i && row[0] <= row[-width])
            return sn_place_fail(&item, SN_BAD_INPUT, "has the time %g after %g; times of keys must grow", row[0], row[-width]);
    }
    *key = array;
    *count = items;
    return SN_OK;
}

static sn_status read_field(const sn_place *place, const sn_field *field, char *target) {
    const sn_range range = {field->low, field->high, field->low_open != 0, false, field->unit};
    switch (field->type) {
    case SN_FIELD_DOUBLE:
        if (field->count == 1) return sn_read_number(place, &range, (double *)(void *)target);
        return sn_read_numbers(place, &range, (double *)(void *)target, field->count);
    case SN_FIELD_INT: {
        const int low = field->low_open ? (int)field->low + 1 : (int)field->low;
        return sn_read_int(place, low, field->high >= INT32_MAX ? INT32_MAX : (int)field->high, (int *)(void *)target);
    }
    case SN_FIELD_BOOL:
        return sn_read_bool(place, (bool *)target);
    case SN_FIELD_CHOICE: {
        int count;
        const sn_listing *choice = field->choices(&count);
        return sn_read_name(place, choice, count, target, SN_NAME);
    }
    }
    return SN_OK;
}

sn_status sn_read_fields(const sn_place *object, const sn_field *field, int count, void *options) {
    for (int i = 0; i < count; ++i) {
        sn_place place;
        if (!sn_place_get(object, field[i].name, &place)) continue;
        const sn_status status = read_field(&place, &field[i], (char *)options + field[i].offset);
        if (status) return status;
    }
    return SN_OK;
}
