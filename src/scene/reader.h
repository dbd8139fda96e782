/* Reading values out of a parsed scene. Errors name the place: "beam.json:12:5: bodies.0.material.yung is unknown; did
 * you mean 'young'?".
 *
 * A place is a value together with the way to it. Places live on the stack of the functions that descend; a function
 * that reads a place returns a status and has already left its message. */
#ifndef SN_SCENE_READER_H
#define SN_SCENE_READER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/context.h"
#include "base/fields.h"
#include "sinew/scene.h"

enum { SN_SCENE_DEPTH = 48 }; /* deepest nesting of brackets that a scene may have */

/* Memory that lives as long as the scene. */
typedef struct sn_scene_block {
    struct sn_scene_block *next;
} sn_scene_block;

typedef struct sn_reader {
    sn_context *context;
    const char *text; /* of the file, for positions */
    size_t bytes;
    const char *name;   /* in messages */
    const char *folder; /* relative paths start here */
    const sn_override *override;
    int override_count;
    sn_scene_block **blocks;
    sn_error *error;
} sn_reader;

typedef struct sn_place {
    sn_reader *reader;
    const struct sn_place *parent; /* NULL: the root */
    const char *key;               /* NULL: an item of a list */
    int index;
    json_t *value;
} sn_place;

/* Zeroed memory of the scene, or NULL. */
void *sn_scene_allocate(sn_reader *reader, size_t count, size_t size);

/* Leaves a message with the place in front and returns `status`. `format` continues the sentence "bodies.0.name ...".
 */
sn_status sn_place_fail(const sn_place *place, sn_status status, const char *format, ...) SN_PRINTF(3, 4);
/* The same at the key instead of the value. */
sn_status sn_place_fail_key(const sn_place *place, sn_status status, const char *format, ...) SN_PRINTF(3, 4);
/* A message of the library about the value at `place`, with the position of the option that its path names in front.
 * When the file does not give that option, its default is at fault: then the position is that of the nearest object
 * around it. */
sn_status sn_place_wrap(const sn_place *place, const sn_error *inner);

bool sn_place_get(const sn_place *object, const char *key, sn_place *child); /* false: the object has no such key */
sn_place sn_place_at(const sn_place *list, int index);
int sn_place_count(const sn_place *list);

sn_status sn_place_object(const sn_place *place); /* errors when it is something else */
sn_status sn_place_list(const sn_place *place, int least);
/* A list and an array of the scene, one zeroed element of `size` bytes per item. On failure *count is 0. */
sn_status sn_place_items(const sn_place *place, size_t size, void **array, int *count);
/* An object none of whose keys is outside `names` (pointers to names, `stride` bytes apart). */
sn_status sn_place_known(const sn_place *object, const void *names, int count, int stride);

/* Allowed numbers. */
typedef struct sn_range {
    double low, high;
    bool low_open, high_open;
    const char *unit;
} sn_range;
extern const sn_range sn_any_number, sn_positive_number, sn_number_from_zero;

sn_status sn_read_number(const sn_place *place, const sn_range *range, double *value);
sn_status sn_read_numbers(const sn_place *place, const sn_range *range, double *value,
                          int count);                                /* a list of exactly `count` */
sn_status sn_read_direction(const sn_place *place, double value[3]); /* three numbers, not all zero */
sn_status sn_read_int(const sn_place *place, int low, int high, int *value);
sn_status sn_read_bool(const sn_place *place, bool *value);
sn_status sn_read_text(const sn_place *place, char *value, int capacity); /* not empty, fits */
sn_status sn_read_choice(const sn_place *place, const sn_listing *choice, int count, int *index);
sn_status sn_read_name(const sn_place *place, const sn_listing *choice, int count, char *value, int capacity);
/* [[t, a, b, ...], ...] with `width` numbers each and ascending times; the array belongs to the scene. */
sn_status sn_read_keys(const sn_place *place, int width, const double **key, int *count);
sn_status sn_read_selector(const sn_place *place, sn_selector *selector);
/* Reads an object by a table: the fields that the object gives, and an error for a key that the table does not have.
 * Fields of type SN_FIELD_OWN are left to the caller. */
sn_status sn_read_fields(const sn_place *object, const sn_field *field, int count, void *options);

#endif
