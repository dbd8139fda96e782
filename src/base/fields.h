/* Tables of option fields. One table drives the defaults, the checks, the scene's keys and the reference of an options struct, so that they
 * cannot drift apart. The struct sn_option of a table's row is public: see sinew/options.h. */
#ifndef SN_BASE_FIELDS_H
#define SN_BASE_FIELDS_H

#include <stddef.h>

#include "sinew/options.h"

typedef sn_option sn_field;

/* Pointer and count of keys as they stand side by side in an options struct. */
typedef struct sn_field_keys {
    const double *key;
    int count;
} sn_field_keys;

#define SN_FIELD_KIND(field) ((field)->type & ~SN_FIELD_NEEDED)

/* Sets every field of `options` to its default. Fields of type SN_FIELD_OWN are left alone. */
void sn_fields_default(const sn_field *field, int count, void *options);

/* Checks every field. The path of an error is the field's name, with the number of the item for vectors and keys. */
sn_status sn_fields_check(const sn_field *field, int count, const void *options, sn_error *error);
sn_status sn_field_check(const sn_field *field, const void *options, sn_error *error);

/* The field of this name, or NULL. */
const sn_field *sn_field_find(const sn_field *field, int count, const char *name);

#endif
