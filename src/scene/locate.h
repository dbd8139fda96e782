/* Where a value stands in a JSON text. jansson forgets positions once a text is parsed, so an error about a value's
 * meaning walks the text again along the value's path: nothing is stored for the scenes that are right. */
#ifndef SN_SCENE_LOCATE_H
#define SN_SCENE_LOCATE_H

#include <stdbool.h>
#include <stddef.h>

/* One step of a path: a key of an object, or (key NULL) an index of a list. */
typedef struct sn_json_step {
    const char *key;
    int index;
} sn_json_step;

/* Lines and columns from 1; columns count code points. */
typedef struct sn_json_position {
    int key_line, key_column; /* of the key; for items of lists and the root the same as the value's */
    int line, column;         /* of the value */
} sn_json_position;

/* Follows `path` through a text that is known to be valid JSON. Returns how many steps were found and gives the
 * position of the last of them. */
int sn_json_locate(const char *text, size_t bytes, const sn_json_step *path, int steps, sn_json_position *position);

/* False when brackets nest deeper than `most`, with the position of the first bracket that does. */
bool sn_json_depth(const char *text, size_t bytes, int most, int *line, int *column);

#endif
