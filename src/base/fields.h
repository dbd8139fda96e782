/* Tables of option fields. One table drives the defaults, the validation, the scene keys and the reference
 * documentation of an options struct, so these four cannot drift apart. */
#ifndef SN_BASE_FIELDS_H
#define SN_BASE_FIELDS_H

#include <stddef.h>

#include "sinew/base.h"

typedef enum sn_field_type {
    SN_FIELD_DOUBLE, /* double[count] */
    SN_FIELD_INT,    /* int */
    SN_FIELD_BOOL,   /* bool */
    SN_FIELD_CHOICE, /* char[SN_NAME]: one of `choices()`; the empty string means automatic */
} sn_field_type;

/* Room for the name of a building block, including the closing zero. */
#define SN_NAME 32

typedef struct sn_field {
    const char *name; /* the scene's key */
    sn_field_type type;
    size_t offset;
    int count;        /* of SN_FIELD_DOUBLE; 1 otherwise */
    double low, high; /* allowed range; low_open: the value `low` is not allowed */
    int low_open;
    double value;       /* default (numbers and bools) */
    const char *choice; /* default (choices) */
    const sn_listing *(*choices)(int *count);
    const char *unit; /* "" when there is none */
    const char *text;
} sn_field;

/* Sets every field of `options` to its default. */
void sn_fields_default(const sn_field *field, int count, void *options);

/* Checks every field; `prefix` ("time.") goes before the field's name in messages. */
sn_status sn_fields_check(const sn_field *field, int count, const void *options, const char *prefix, sn_error *error);

#endif
