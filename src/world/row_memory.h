/* The memory of a response: it keeps numbers of each contact row from one step to the next. Rows are found again by
 * their surfaces and features. The memory belongs to the history of the world: it is saved with the state. */
#ifndef SN_WORLD_ROW_MEMORY_H
#define SN_WORLD_ROW_MEMORY_H

#include "base/archive.h"

typedef struct sn_kept_row {
    int32_t key[4];
    double value[3];
} sn_kept_row;

typedef struct sn_row_memory {
    int count, capacity;
    sn_kept_row *row; /* sorted by key */
} sn_row_memory;

/* Makes room for `count` rows. To take new rows, the caller sets the count to 0, appends rows, and calls
 * sn_row_memory_sort. */
sn_status sn_row_memory_reserve(const sn_context *context, sn_row_memory *memory, int count, sn_error *error);
void sn_row_memory_sort(sn_row_memory *memory);
/* The values of the row with this key; NULL when it is not known. */
const double *sn_row_memory_find(const sn_row_memory *memory, const int32_t key[4]);
void sn_row_memory_visit(const sn_context *context, sn_row_memory *memory, sn_archive *archive);
void sn_row_memory_release(const sn_context *context, sn_row_memory *memory);

#endif
