/* See fields.h. */
#include "fields.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "words.h"

void sn_fields_default(const sn_field *field, int count, void *options) {
    for (int i = 0; i < count; ++i) {
        char *place = (char *)options + field[i].offset;
        switch (SN_FIELD_KIND(&field[i])) {
        case SN_FIELD_DOUBLE:
        case SN_FIELD_DIRECTION:
            for (int k = 0; k < field[i].count; ++k) ((double *)(void *)place)[k] = field[i].value;
            break;
        case SN_FIELD_INT:
        case SN_FIELD_ENUM:
            *(int *)(void *)place = (int)field[i].value;
            break;
        case SN_FIELD_LONG:
            *(int64_t *)(void *)place = (int64_t)field[i].value;
            break;
        case SN_FIELD_BOOL:
            *(bool *)place = field[i].value != 0;
            break;
        case SN_FIELD_CHOICE:
            snprintf(place, SN_NAME, "%s", field[i].choice ? field[i].choice : "");
            break;
        case SN_FIELD_TEXT:
            snprintf(place, (size_t)field[i].count, "%s", field[i].choice ? field[i].choice : "");
            break;
        case SN_FIELD_AXES:
            for (int k = 0; k < 3; ++k) ((bool *)place)[k] = field[i].value != 0;
            break;
        case SN_FIELD_RAMP:
            *(sn_ramp *)(void *)place = (sn_ramp){0, 0, false};
            break;
        case SN_FIELD_KEYS:
            *(sn_field_keys *)(void *)place = (sn_field_keys){NULL, 0};
            break;
        default: /* SN_FIELD_SELECT, SN_FIELD_OWN */
            break;
        }
    }
}

static void print_range(const sn_field *field, bool beyond, char *range, size_t capacity) {
    const char *above = field->low_open ? "above" : "at least";
    if (field->high >= 1e300 && !beyond)
        snprintf(range, capacity, "%s %g", above, field->low);
    else if (field->low <= -1e300)
        snprintf(range, capacity, "at most %g", field->high);
    else
        snprintf(range, capacity, "%s %g and at most %g", above, field->low, field->high);
}

/* item: of a vector; -1 for a single number. */
static sn_status check_number(const sn_field *field, int item, double value, sn_error *error) {
    const bool low_fails = field->low_open ? value <= field->low : value < field->low;
    if (isfinite(value) && !low_fails && value <= field->high) return SN_OK;
    char range[96], path[96];
    print_range(field, value > field->high, range, sizeof range);
    if (item < 0)
        snprintf(path, sizeof path, "%s", field->name);
    else
        snprintf(path, sizeof path, "%s.%d", field->name, item);
    if (!isfinite(value)) return sn_fail_at(error, SN_BAD_INPUT, path, "%s is %g; it must be finite", path, value);
    return sn_fail_at(error, SN_BAD_INPUT, path, "%s is %g; it must be %s%s%s", path, value, range,
                      *field->unit ? " " : "", field->unit);
}

static sn_status check_numbers(const sn_field *field, const double *value, sn_error *error) {
    for (int k = 0; k < field->count; ++k) {
        const sn_status status = check_number(field, field->count == 1 ? -1 : k, value[k], error);
        if (status) return status;
    }
    return SN_OK;
}

static sn_status check_choice(const sn_field *field, const char *value, sn_error *error) {
    if (!*value) return SN_OK;
    int count;
    const sn_listing *choice = field->choices(&count);
    for (int i = 0; i < count; ++i)
        if (strcmp(choice[i].name, value) == 0) return SN_OK;
    char text[380];
    snprintf(text, sizeof text, "%s '%.60s' is unknown", field->name, value);
    sn_suggest(text, (int)sizeof text, value, choice, count, (int)sizeof *choice);
    return sn_fail_at(error, SN_BAD_INPUT, field->name, "%s", text);
}

static sn_status check_enum(const sn_field *field, int value, sn_error *error) {
    int count;
    const sn_listing *choice = field->choices(&count);
    const int low = (int)field->low;
    if (value == (int)field->value || (value >= low && value < low + count)) return SN_OK;
    char text[300];
    snprintf(text, sizeof text, "%s %d is unknown", field->name, value);
    sn_suggest(text, (int)sizeof text, "", choice, count, (int)sizeof *choice);
    return sn_fail_at(error, SN_BAD_INPUT, field->name, "%s", text);
}

static sn_status check_text(const sn_field *field, const char *value, sn_error *error) {
    if (memchr(value, 0, (size_t)field->count)) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, field->name, "%s '%.20s...' does not end; it may have at most %d characters",
                      field->name, value, field->count - 1);
}

static sn_status check_direction(const sn_field *field, const double *value, sn_error *error) {
    const double length = sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2]);
    if (length > 0 && isfinite(length)) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, field->name,
                      "%s [%g, %g, %g] has no direction; it must be finite and not zero", field->name, value[0],
                      value[1], value[2]);
}

static sn_status check_ramp(const sn_field *field, const sn_ramp *ramp, sn_error *error) {
    if (!ramp->given || (isfinite(ramp->begin) && isfinite(ramp->end) && ramp->begin <= ramp->end)) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, field->name, "%s [%g, %g] must have two times, the first at most the second",
                      field->name, ramp->begin, ramp->end);
}

static sn_status check_keys(const sn_field *field, const sn_field_keys *keys, sn_error *error) {
    if (keys->count < 0 || (keys->count > 0 && !keys->key))
        return sn_fail_at(error, SN_BAD_INPUT, field->name, "%s has %d rows but no numbers", field->name, keys->count);
    const int width = field->count;
    for (int i = 0; i < keys->count; ++i) {
        const double *row = keys->key + (ptrdiff_t)i * width;
        char path[96];
        snprintf(path, sizeof path, "%s.%d", field->name, i);
        for (int k = 0; k < width; ++k)
            if (!isfinite(row[k]))
                return sn_fail_at(error, SN_BAD_INPUT, path, "number %d of key %d is %g; it must be finite", k, i,
                                  row[k]);
        if (i && !(row[0] > row[-width]))
            return sn_fail_at(error, SN_BAD_INPUT, path,
                              "key %d has the time %g after %g; the times of keys must ascend", i, row[0], row[-width]);
    }
    return SN_OK;
}

sn_status sn_field_check(const sn_field *field, const void *options, sn_error *error) {
    const void *place = (const char *)options + field->offset;
    switch (SN_FIELD_KIND(field)) {
    case SN_FIELD_DOUBLE:
        return check_numbers(field, place, error);
    case SN_FIELD_INT:
        return check_number(field, -1, *(const int *)place, error);
    case SN_FIELD_LONG:
        return check_number(field, -1, (double)*(const int64_t *)place, error);
    case SN_FIELD_CHOICE:
        return check_choice(field, place, error);
    case SN_FIELD_ENUM:
        return check_enum(field, *(const int *)place, error);
    case SN_FIELD_TEXT:
        return check_text(field, place, error);
    case SN_FIELD_AXES:
        for (int k = 0; k < 3; ++k)
            if (((const bool *)place)[k]) return SN_OK;
        return sn_fail_at(error, SN_BAD_INPUT, field->name, "%s names no axis; it must name some of x, y, z",
                          field->name);
    case SN_FIELD_DIRECTION:
        return check_direction(field, place, error);
    case SN_FIELD_RAMP:
        return check_ramp(field, place, error);
    case SN_FIELD_KEYS:
        return check_keys(field, place, error);
    default: /* a bool is right; SN_FIELD_SELECT and SN_FIELD_OWN are checked where they are used */
        return SN_OK;
    }
}

sn_status sn_fields_check(const sn_field *field, int count, const void *options, sn_error *error) {
    for (int i = 0; i < count; ++i) {
        const sn_status status = sn_field_check(&field[i], options, error);
        if (status) return status;
    }
    return SN_OK;
}

static bool changed(const sn_field *field, const char *value, const char *usual) {
    switch (SN_FIELD_KIND(field)) {
    case SN_FIELD_DOUBLE:
    case SN_FIELD_DIRECTION:
        for (int k = 0; k < field->count; ++k)
            if (((const double *)(const void *)value)[k] != ((const double *)(const void *)usual)[k]) return true;
        return false;
    case SN_FIELD_INT:
    case SN_FIELD_ENUM:
        return *(const int *)(const void *)value != *(const int *)(const void *)usual;
    case SN_FIELD_LONG:
        return *(const int64_t *)(const void *)value != *(const int64_t *)(const void *)usual;
    case SN_FIELD_BOOL:
        return *(const bool *)value != *(const bool *)usual;
    case SN_FIELD_AXES:
        return memcmp(value, usual, 3 * sizeof(bool)) != 0;
    case SN_FIELD_CHOICE:
    case SN_FIELD_TEXT:
        return *value && strcmp(value, usual) != 0;
    default:
        return false;
    }
}

const sn_field *sn_fields_changed(const sn_field *field, int count, const void *options, const void *usual) {
    for (int i = 0; i < count; ++i)
        if (changed(&field[i], (const char *)options + field[i].offset, (const char *)usual + field[i].offset))
            return &field[i];
    return NULL;
}

const sn_field *sn_field_find(const sn_field *field, int count, const char *name) {
    for (int i = 0; i < count; ++i)
        if (strcmp(field[i].name, name) == 0) return &field[i];
    return NULL;
}
