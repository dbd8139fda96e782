/* The memory of contact rows; see row_memory.h. */
#include "row_memory.h"

#include <stdlib.h>

static int by_key(const void *p, const void *q) {
    const int32_t *a = p, *b = q;
    for (int k = 0; k < 4; ++k)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

sn_status sn_row_memory_reserve(const sn_context *context, sn_row_memory *memory, int count, sn_error *error) {
    return sn_grow(context, (void **)&memory->row, &memory->capacity, count, sizeof *memory->row, error);
}

void sn_row_memory_sort(sn_row_memory *memory) {
    if (memory->count > 0) qsort(memory->row, (size_t)memory->count, sizeof *memory->row, by_key);
}

const double *sn_row_memory_find(const sn_row_memory *memory, const int32_t key[4]) {
    if (memory->count == 0) return NULL;
    const sn_kept_row *row = bsearch(key, memory->row, (size_t)memory->count, sizeof *memory->row, by_key);
    return row ? row->value : NULL;
}

void sn_row_memory_visit(const sn_context *context, sn_row_memory *memory, sn_archive *archive) {
    int count = memory->count;
    SN_ARCHIVE(archive, count);
    if (count < 0 || (sn_archive_reads(archive) && (size_t)count > archive->size / sizeof *memory->row))
        archive->bad = true;
    if (!archive->bad && sn_archive_reads(archive) && sn_row_memory_reserve(context, memory, count, NULL))
        archive->bad = true;
    if (archive->bad) return;
    sn_archive_visit(archive, memory->row, (size_t)count * sizeof *memory->row);
    memory->count = archive->bad ? 0 : count;
}

void sn_row_memory_release(const sn_context *context, sn_row_memory *memory) {
    sn_release(context, memory->row);
    *memory = (sn_row_memory){0};
}
