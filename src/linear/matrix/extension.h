/* A matrix with its coupling on one pattern, for methods that need all blocks in one place (direct factors).
 *
 * The pattern of the extension holds the pattern of the matrix and the pairs of nodes that were coupled so far. It is
 * made anew only when a pair appears that it does not hold, so a factor keeps its analysis while contacts stay among
 * the same nodes, open and close again. Old pairs are forgotten when they are far more than the present ones. */
#ifndef SN_LINEAR_EXTENSION_H
#define SN_LINEAR_EXTENSION_H

#include <stdbool.h>

#include "base/archive.h"
#include "coupling.h"

typedef struct sn_extension {
    /* Ordered pairs of nodes (i, j) beyond the pattern of the matrix, sorted, each with (j, i). */
    int pair_count;
    int32_t (*pair)[2], (*spare)[2];
    sn_pattern pattern; /* nodes: 0 as long as there are no pairs */
    int32_t *place;     /* block of the matrix's pattern -> block of `pattern` */
    sn_matrix matrix;
    int pairs, spares, columns, mirrors, values; /* capacities */
} sn_extension;

/* Takes up the pairs of the coupling. *changed: the pattern is a new one. */
sn_status sn_extension_update(const sn_context *context, const sn_matrix *matrix, sn_extension *extension,
                              bool *changed, sn_error *error);
/* The matrix on the pattern of the extension, with the blocks of the coupling; the matrix itself when no pair was ever
 * coupled. The values must be in double precision. The result stays valid until the next update. */
const sn_matrix *sn_extension_fill(sn_extension *extension, const sn_matrix *matrix);
/* The pattern of that matrix. */
const sn_pattern *sn_extension_pattern(const sn_extension *extension, const sn_pattern *pattern);
/* Visits the pairs in an archive. A reader makes the pattern. */
sn_status sn_extension_archive(const sn_context *context, const sn_pattern *pattern, sn_extension *extension,
                               sn_archive *archive, sn_error *error);
void sn_extension_release(sn_context *context, sn_extension *extension);

#endif
