/* An archive: bytes that variables are written to or read from. One function visits the variables of a struct in a
 * fixed order. The same function counts the bytes, writes them and reads them, so the three always agree. */
#ifndef SN_BASE_ARCHIVE_H
#define SN_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "context.h"

typedef enum sn_archive_use { SN_ARCHIVE_COUNT, SN_ARCHIVE_WRITE, SN_ARCHIVE_READ } sn_archive_use;

typedef struct sn_archive {
    sn_archive_use use;
    char *bytes; /* NULL when only counting */
    size_t size; /* of `bytes` */
    size_t at;   /* how many bytes were visited */
    bool bad;    /* the bytes ended too early, or a reader met a number that cannot be */
} sn_archive;

static inline bool sn_archive_reads(const sn_archive *archive) { return archive->use == SN_ARCHIVE_READ; }

/* Visits `bytes` bytes at `variable`. A reader that finds too few bytes leaves the variable as it is. */
static inline void sn_archive_visit(sn_archive *archive, void *variable, size_t bytes) {
    if (archive->use != SN_ARCHIVE_COUNT && (archive->bad || bytes > archive->size - archive->at)) {
        archive->bad = true;
        return;
    }
    if (archive->use == SN_ARCHIVE_WRITE && bytes) memcpy(archive->bytes + archive->at, variable, bytes);
    if (archive->use == SN_ARCHIVE_READ && bytes) memcpy(variable, archive->bytes + archive->at, bytes);
    archive->at += bytes;
}

#define SN_ARCHIVE(archive, variable) sn_archive_visit(archive, &(variable), sizeof(variable))

/* Visits a list of numbered nodes. A reader refuses numbers outside 0 to limit - 1. */
static inline void sn_archive_nodes(sn_archive *archive, int32_t *node, int count, int limit) {
    sn_archive_visit(archive, node, (size_t)count * sizeof *node);
    for (int i = 0; i < count && sn_archive_reads(archive) && !archive->bad; ++i)
        if (node[i] < 0 || node[i] >= limit) archive->bad = true;
}

#endif
