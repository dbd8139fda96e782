/* Values with their places; see reader.h. */
#include "reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

enum { STEPS = 2 * SN_SCENE_DEPTH };

static int collect_path(const sn_place *place, sn_json_step *step) {
    int steps = 0;
    for (const sn_place *p = place; p->parent && steps < STEPS; p = p->parent)
        step[steps++] = (sn_json_step){p->key, p->index};
    for (int i = 0; i < steps / 2; ++i) {
        const sn_json_step swap = step[i];
        step[i] = step[steps - 1 - i];
        step[steps - 1 - i] = swap;
    }
    return steps;
}

/* "bodies.0.material.young", as --set takes it. */
static void print_path(const sn_json_step *step, int steps, char *text, size_t capacity) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < steps && used + 1 < capacity; ++i) {
        if (step[i].key)
            snprintf(text + used, capacity - used, "%s%.80s", i ? "." : "", step[i].key);
        else
            snprintf(text + used, capacity - used, "%s%d", i ? "." : "", step[i].index);
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

/* "file:line:column" of the value, or of its key; of the nearest value around it when the file does not have it. Values
 * that come from the command line have no line: "--set key=value". */
static void print_position(const sn_reader *reader, const sn_json_step *step, int steps, bool at_key, char *text,
                           size_t capacity) {
    for (int i = reader->override_count - 1; i >= 0; --i) {
        if (!override_covers(reader->override[i].key, step, steps)) continue;
        snprintf(text, capacity, "--set %.80s=%.60s", reader->override[i].key, reader->override[i].value);
        return;
    }
    sn_json_position position;
    if (sn_json_locate(reader->text, reader->bytes, step, steps, &position) < steps) at_key = false;
    snprintf(text, capacity, "%.160s:%d:%d", reader->name, at_key ? position.key_line : position.line,
             at_key ? position.key_column : position.column);
}

static sn_status fail(const sn_place *place, bool at_key, sn_status status, const char *format, va_list arguments) {
    sn_json_step step[STEPS];
    const int steps = collect_path(place, step);
    sn_error *error = place->reader->error;
    char position[256], path[sizeof error->path], sentence[400];
    print_path(step, steps, path, sizeof path);
    print_position(place->reader, step, steps, at_key, position, sizeof position);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    sn_fail(error, status, "%s: %s %s", position, *path ? path : "the scene", sentence);
    if (error) memcpy(error->path, path, sizeof path);
    return status;
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

/* One step down the tree. A single object may stand for a list of one, so the item 0 of an object is the object itself.
 * Returns the value there, or NULL. */
static json_t *descend(json_t *value, char *name, sn_json_step *step, int *steps) {
    const bool number = *name && strspn(name, "0123456789") == strlen(name);
    json_t *child = NULL;
    if (json_is_array(value) && number) {
        child = json_array_get(value, (size_t)strtol(name, NULL, 10));
        step[*steps] = (sn_json_step){NULL, (int)strtol(name, NULL, 10)};
    } else if (json_is_object(value)) {
        if (number && strtol(name, NULL, 10) == 0) return value;
        child = json_object_get(value, name);
        step[*steps] = (sn_json_step){name, 0};
        if (!child && strcmp(name, "material") == 0) { /* "materials" is another name of this key */
            child = json_object_get(value, "materials");
            step[*steps].key = "materials";
        }
    }
    if (child) ++*steps;
    return child;
}

sn_status sn_place_wrap(const sn_place *place, const sn_error *inner) {
    sn_error *error = place->reader->error;
    if (inner->status == SN_NO_MEMORY) return sn_no_memory(error);
    sn_json_step step[STEPS];
    int steps = collect_path(place, step);
    char position[256], names[sizeof inner->path], path[2 * sizeof inner->path], before[sizeof inner->path];
    print_path(step, steps, before, sizeof before);
    snprintf(path, sizeof path, "%s%s%s", before, *before && *inner->path ? "." : "", inner->path);
    memcpy(names, inner->path, sizeof names);
    json_t *value = place->value;
    for (char *name = names, *next; value && *name && steps < STEPS; name = next) {
        next = name + strcspn(name, ".");
        if (*next) *next++ = 0;
        value = descend(value, name, step, &steps);
    }
    print_position(place->reader, step, steps, false, position, sizeof position);
    sn_fail(error, inner->status, "%s: %s%s%s", position, path, *path ? ": " : "", sn_error_sentence(inner));
    if (error) snprintf(error->path, sizeof error->path, "%.127s", path);
    return inner->status;
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
    static const char *const kind[] = {"an object", "a list", "a string", "a whole number",
                                       "a number",  "true",   "false",    "null"};
    const int type = (int)json_typeof(place->value);
    if (json_is_string(place->value))
        return sn_place_fail(place, SN_BAD_INPUT, "is the string '%.60s'; it must be %s",
                             json_string_value(place->value), wanted);
    return sn_place_fail(place, SN_BAD_INPUT, "is %s; it must be %s", kind[type], wanted);
}

sn_status sn_place_object(const sn_place *place) {
    return json_is_object(place->value) ? SN_OK : wrong_type(place, "an object { ... }");
}

sn_status sn_place_list(const sn_place *place, int least) {
    if (!json_is_array(place->value)) return wrong_type(place, "a list [ ... ]");
    if (json_array_size(place->value) > 1 << 28)
        return sn_place_fail(place, SN_BAD_INPUT, "is a list of more than 2^28 items");
    if (sn_place_count(place) < least)
        return sn_place_fail(place, SN_BAD_INPUT, "is a list of %d; it needs at least %d", sn_place_count(place),
                             least);
    return SN_OK;
}

sn_status sn_place_items(const sn_place *place, size_t size, void **array, int *count) {
    *count = 0;
    const sn_status status = sn_place_list(place, 0);
    if (status) return status;
    *array = sn_scene_allocate(place->reader, (size_t)sn_place_count(place), size);
    if (!*array) return sn_no_memory(place->reader->error);
    *count = sn_place_count(place);
    return SN_OK;
}

sn_status sn_place_known(const sn_place *object, const void *names, int count, int stride) {
    const sn_status status = sn_place_object(object);
    if (status) return status;
    const char *key;
    json_t *value;
    json_object_foreach(object->value, key, value) {
        bool known = false;
        for (int i = 0; i < count && !known; ++i)
            known = strcmp(*(const char *const *)((const char *)names + (long)i * stride), key) == 0;
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
    const bool low = range->low_open ? x > range->low : x >= range->low,
               high = range->high_open ? x < range->high : x <= range->high;
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
    if (!(x >= low && x <= high) || x != floor(x))
        return sn_place_fail(place, SN_BAD_INPUT, "is %.9g; it must be %s", x, allowed);
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
        return sn_place_fail(place, SN_BAD_INPUT, "is a string of %zu bytes; allowed are 1 to %d", length,
                             capacity - 1);
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
            return sn_place_fail(&item, SN_BAD_INPUT, "has the time %g after %g; times of keys must grow", row[0],
                                 row[-width]);
    }
    *key = array;
    *count = items;
    return SN_OK;
}

/* ---- Tables ---- */

static sn_status read_long(const sn_place *place, const sn_field *field, int64_t *value) {
    if (!json_is_integer(place->value)) return wrong_type(place, "a whole number");
    const json_int_t x = json_integer_value(place->value);
    if ((double)x < field->low || (double)x > field->high)
        return sn_place_fail(place, SN_BAD_INPUT, "is %lld; it must be a whole number of at least %g", (long long)x,
                             field->low);
    *value = x;
    return SN_OK;
}

static sn_status read_enum(const sn_place *place, const sn_field *field, int *value) {
    int count, index;
    const sn_listing *choice = field->choices(&count);
    const sn_status status = sn_read_choice(place, choice, count, &index);
    if (!status) *value = index + (int)field->low;
    return status;
}

static sn_status read_axes(const sn_place *place, bool axis[3]) {
    const char *text = json_string_value(place->value);
    bool right = text && *text, held[3] = {false, false, false};
    for (const char *at = text; right && *at; ++at) {
        const int i = *at - 'x';
        right = i >= 0 && i <= 2 && !held[i];
        if (right) held[i] = true;
    }
    if (!right) return sn_place_fail(place, SN_BAD_INPUT, "must be a string of axes, such as \"xyz\", \"xy\" or \"z\"");
    memcpy(axis, held, sizeof held);
    return SN_OK;
}

static sn_status read_ramp(const sn_place *place, sn_ramp *ramp) {
    double value[2];
    const sn_status status = sn_read_numbers(place, &sn_any_number, value, 2);
    if (status) return status;
    if (value[0] > value[1])
        return sn_place_fail(place, SN_BAD_INPUT, "ends at %g before it begins at %g", value[1], value[0]);
    *ramp = (sn_ramp){value[0], value[1], true};
    return SN_OK;
}

static sn_status read_field(const sn_place *place, const sn_field *field, void *target) {
    const sn_range range = {field->low, field->high, field->low_open != 0, false, field->unit};
    sn_field_keys *keys = target;
    int count;
    switch (SN_FIELD_KIND(field)) {
    case SN_FIELD_DOUBLE:
        return field->count == 1 ? sn_read_number(place, &range, target)
                                 : sn_read_numbers(place, &range, target, field->count);
    case SN_FIELD_INT:
        return sn_read_int(place, (int)field->low + (field->low_open != 0),
                           field->high >= INT32_MAX ? INT32_MAX : (int)field->high, target);
    case SN_FIELD_LONG:
        return read_long(place, field, target);
    case SN_FIELD_BOOL:
        return sn_read_bool(place, target);
    case SN_FIELD_CHOICE: {
        const sn_listing *choice = field->choices(&count);
        return sn_read_name(place, choice, count, target, SN_NAME);
    }
    case SN_FIELD_ENUM:
        return read_enum(place, field, target);
    case SN_FIELD_TEXT:
        return sn_read_text(place, target, field->count);
    case SN_FIELD_AXES:
        return read_axes(place, target);
    case SN_FIELD_DIRECTION:
        return sn_read_direction(place, target);
    case SN_FIELD_RAMP:
        return read_ramp(place, target);
    case SN_FIELD_KEYS:
        return sn_read_keys(place, field->count, &keys->key, &keys->count);
    case SN_FIELD_SELECT:
        return sn_read_selector(place, target);
    default: /* SN_FIELD_OWN: the owner reads it */
        return SN_OK;
    }
}

/* A part of a table: the fields below one object. "turn.axis" is the field "axis" of the level "turn.". */
typedef struct level {
    const sn_field *field;
    int count;
    const char *prefix;
    size_t length;
} level;

/* The rest of a field's name on this level; NULL for fields of other objects. */
static const char *name_on(const level *l, int i) {
    return strncmp(l->field[i].name, l->prefix, l->length) == 0 ? l->field[i].name + l->length : NULL;
}

enum { NAMES = 48, LONGEST = 32 };

/* The keys of the level, each once: "turn" stands for "turn.point", "turn.axis", ... */
static int keys_of(const level *l, char key[NAMES][LONGEST], const char *name[NAMES]) {
    int count = 0;
    for (int i = 0; i < l->count && count < NAMES; ++i) {
        const char *rest = name_on(l, i);
        if (!rest) continue;
        snprintf(key[count], LONGEST, "%.*s", (int)strcspn(rest, "."), rest);
        bool known = false;
        for (int k = 0; k < count; ++k) known = known || strcmp(key[k], key[count]) == 0;
        if (!known) name[count] = key[count], ++count;
    }
    return count;
}

static sn_status read_level(const sn_place *object, const level *l, void *options);

/* The value of one key: of the field of this name, or an object of the fields below it. */
static sn_status read_key(const sn_place *object, const level *l, const char *key, void *options) {
    char below[96];
    snprintf(below, sizeof below, "%.*s%s.", (int)l->length, l->prefix, key);
    const level inner = {l->field, l->count, below, strlen(below)};
    const sn_field *exact = NULL;
    bool deeper = false;
    for (int i = 0; i < l->count; ++i) {
        const char *rest = name_on(l, i);
        if (rest && strcmp(rest, key) == 0) exact = &l->field[i];
        deeper = deeper || name_on(&inner, i);
    }
    sn_place place;
    if (!sn_place_get(object, key, &place)) {
        if (exact && exact->type & SN_FIELD_NEEDED) return sn_place_fail(object, SN_BAD_INPUT, "needs '%s'", key);
        return SN_OK;
    }
    if (deeper && (!exact || json_is_object(place.value))) return read_level(&place, &inner, options);
    return read_field(&place, exact, (char *)options + exact->offset);
}

static sn_status read_level(const sn_place *object, const level *l, void *options) {
    char key[NAMES][LONGEST];
    const char *name[NAMES];
    const int names = keys_of(l, key, name);
    sn_status status = sn_place_known(object, name, names, (int)sizeof *name);
    for (int i = 0; i < names && !status; ++i) status = read_key(object, l, name[i], options);
    return status;
}

sn_status sn_read_fields(const sn_place *object, const sn_field *field, int count, void *options) {
    const level all = {field, count, "", 0};
    return read_level(object, &all, options);
}
