/* Tables of option fields. One table drives the defaults, the checks, the scene keys and the reference of an options
 * struct, so these four cannot drift apart. A row of a table is the public struct sn_option (sinew/options.h). */
#ifndef SN_BASE_FIELDS_H
#define SN_BASE_FIELDS_H

#include <stddef.h>

#include "sinew/options.h"

typedef sn_option sn_field;

/* The pointer and the count of keys, in the order in which an options struct holds them. */
typedef struct sn_field_keys {
    const double *key;
    int count;
} sn_field_keys;

#define SN_FIELD_KIND(field) ((field)->type & ~SN_FIELD_NEEDED)

/* Sets every field of `options` to its default. Fields of type SN_FIELD_OWN stay unchanged. */
void sn_fields_default(const sn_field *field, int count, void *options);

/* Checks every field, or one field. The path of an error is the name of the field; for vectors and keys, the number of
 * the item follows. */
sn_status sn_fields_check(const sn_field *field, int count, const void *options, sn_error *error);
sn_status sn_field_check(const sn_field *field, const void *options, sn_error *error);

/* The first field whose value differs from that of `usual`; NULL when there is none. Fields of the types
 * SN_FIELD_SELECT, SN_FIELD_OWN, SN_FIELD_RAMP and SN_FIELD_KEYS do not count. An empty name counts as the default. */
const sn_field *sn_fields_changed(const sn_field *field, int count, const void *options, const void *usual);

/* Finds the field of this name; NULL when there is none. */
const sn_field *sn_field_find(const sn_field *field, int count, const char *name);

#endif
