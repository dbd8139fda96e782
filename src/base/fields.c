/* See fields.h. */
#include "fields.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "words.h"

void sn_fields_default(const sn_field *field, int count, void *options) {
    for (int i = 0; i < count; ++i) {
        char *place = (char *)options + field[i].offset;
        switch (field[i].type) {
        case SN_FIELD_DOUBLE:
            for (int k = 0; k < field[i].count; ++k) ((double *)place)[k] = field[i].value;
            break;
        case SN_FIELD_INT:
            *(int *)place = (int)field[i].value;
            break;
        case SN_FIELD_BOOL:
            *(bool *)place = field[i].value != 0;
            break;
        case SN_FIELD_CHOICE:
            snprintf(place, SN_NAME, "%s", field[i].choice ? field[i].choice : "");
            break;
        }
    }
}

static sn_status check_number(const sn_field *field, double value, const char *prefix, sn_error *error) {
    const bool low_fails = field->low_open ? value <= field->low : value < field->low;
    if (isfinite(value) && !low_fails && value <= field->high) return SN_OK;
    char range[96];
    if (field->high >= 1e300 && value <= field->high)
        snprintf(range, sizeof range, "%s %g", field->low_open ? "above" : "at least", field->low);
    else if (field->low <= -1e300)
        snprintf(range, sizeof range, "at most %g", field->high);
    else
        snprintf(range, sizeof range, "%s %g and at most %g", field->low_open ? "above" : "at least", field->low, field->high);
    if (field->low <= -1e300 && field->high >= 1e300) snprintf(range, sizeof range, "finite");
    return sn_fail_at(error, SN_BAD_INPUT, field->name, "%s%s is %g; it must be %s%s%s", prefix, field->name, value, range,
                      *field->unit ? " " : "", field->unit);
}

static sn_status check_choice(const sn_field *field, const char *value, const char *prefix, sn_error *error) {
    if (!*value) return SN_OK;
    int count;
    const sn_listing *choice = field->choices(&count);
    for (int i = 0; i < count; ++i)
        if (strcmp(choice[i].name, value) == 0) return SN_OK;
    char text[400];
    snprintf(text, sizeof text, "%s%s '%s' is unknown", prefix, field->name, value);
    sn_suggest(text, (int)sizeof text, value, choice, count, (int)sizeof *choice);
    return sn_fail_at(error, SN_BAD_INPUT, field->name, "%s", text);
}

sn_status sn_fields_check(const sn_field *field, int count, const void *options, const char *prefix, sn_error *error) {
    for (int i = 0; i < count; ++i) {
        const char *place = (const char *)options + field[i].offset;
        sn_status status = SN_OK;
        switch (field[i].type) {
        case SN_FIELD_DOUBLE:
            for (int k = 0; k < field[i].count && !status; ++k) status = check_number(&field[i], ((const double *)place)[k], prefix, error);
            break;
        case SN_FIELD_INT:
            status = check_number(&field[i], *(const int *)place, prefix, error);
            break;
        case SN_FIELD_BOOL:
            break;
        case SN_FIELD_CHOICE:
            status = check_choice(&field[i], place, prefix, error);
            break;
        }
        if (status) return status;
    }
    return SN_OK;
}
