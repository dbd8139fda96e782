/* Cutting the elements of a batch into compact chunks, and colouring the chunks. Used by the compilation only. */
#ifndef SN_FEM_CHUNK_H
#define SN_FEM_CHUNK_H

#include "batch.h"

/* One element on its way into a batch. */
typedef struct sn_batch_item {
    double center[3]; /* of its corners at rest */
    int64_t place;    /* sum of its corners' node numbers; or its rank (sn_element_order) */
    int32_t source, element;
} sn_batch_item;

/* Elements per chunk, a multiple of SN_LANES: about equal work for every type of element, and some sixteen chunks for
 * small batches. */
int64_t sn_chunk_size(const sn_element *element, int64_t elements);

/* Orders the items so that each run of `size` is compact in space, and by place within a run. */
void sn_chunk_order(sn_batch_item *item, int64_t count, int64_t size);

/* Cuts ordered items into chunks of at most `size` and appends their lengths. `ranks`: the places are ranks below this
 * number; a chunk then has the items of a run of chunks of all ranks, as those that are short of items join. 0: all
 * chunks but the last one are full. Returns the number of chunks, at most one for each `size` of ranks or items. */
int sn_chunk_cut(const sn_batch_item *item, int64_t count, int64_t ranks, int64_t size, int32_t *length);

/* Colours model->chunk, sorts it by colour and fills color_begin. */
sn_status sn_chunk_color(const sn_context *context, sn_elements_model *model, sn_error *error);

#endif
