/* See extension.h. */
#include "extension.h"

#include <string.h>

enum { OLD = 4 /* pairs are kept up to this many times the present number */, FEW = 1024 /* or up to this number */ };

void sn_extension_release(sn_context *context, sn_extension *e) {
    sn_release(context, e->pair);
    sn_release(context, e->spare);
    sn_release(context, e->place);
    sn_release(context, e->matrix.double_);
    sn_pattern_release(context, &e->pattern);
    *e = (sn_extension){0};
}

const sn_pattern *sn_extension_pattern(const sn_extension *e, const sn_pattern *pattern) {
    return e->pair_count ? &e->pattern : pattern;
}

/* ---- Pairs ---- */
static int compare(const int32_t a[2], const int32_t b[2]) {
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

/* Whether the extension holds all pairs of the coupling. Both are sorted. */
static bool holds(const sn_extension *e, const sn_coupling *c) {
    int at = 0;
    for (int r = 0; r < c->row_count; ++r)
        for (int b = c->begin[r]; b < c->begin[r + 1]; ++b) {
            const int32_t wanted[2] = {c->row[r], c->column[b]};
            while (at < e->pair_count && compare(e->pair[at], wanted) < 0) ++at;
            if (at == e->pair_count || compare(e->pair[at], wanted) != 0) return false;
        }
    return true;
}

/* Sets spare to the pairs of the coupling and, if wanted, the old ones. Returns their number. */
static int merge(const sn_extension *e, const sn_coupling *c, bool keep) {
    int count = 0, at = 0;
    for (int r = 0; r < c->row_count; ++r)
        for (int b = c->begin[r]; b < c->begin[r + 1]; ++b) {
            const int32_t new[2] = {c->row[r], c->column[b]};
            for (; keep && at < e->pair_count && compare(e->pair[at], new) <= 0; ++at)
                if (compare(e->pair[at], new) < 0) memcpy(e->spare[count++], e->pair[at], sizeof new);
            memcpy(e->spare[count++], new, sizeof new);
        }
    for (; keep && at < e->pair_count; ++at) memcpy(e->spare[count++], e->pair[at], sizeof *e->pair);
    return count;
}

/* ---- Pattern ---- */
static sn_status reserve(const sn_context *context, const sn_pattern *base, sn_extension *e, sn_error *error) {
    const int64_t blocks = base->block_count + e->pair_count;
    if (blocks > INT32_MAX / 9)
        return sn_fail(error, SN_UNSUPPORTED, "the matrix of %d nodes has too many blocks", base->nodes);
    sn_pattern *p = &e->pattern;
    const size_t n = (size_t)base->nodes;
    if (!p->row_begin) p->row_begin = sn_allocate(context, n + 1, sizeof *p->row_begin);
    if (!p->diagonal) p->diagonal = sn_allocate(context, n, sizeof *p->diagonal);
    if (!e->place) e->place = sn_allocate(context, (size_t)base->block_count, sizeof *e->place);
    if (!p->row_begin || !p->diagonal || !e->place) return sn_no_memory(error);
    sn_status status = sn_grow(context, (void **)&p->column, &e->columns, (int)blocks, sizeof *p->column, error);
    if (!status) status = sn_grow(context, (void **)&p->mirror, &e->mirrors, (int)blocks, sizeof *p->mirror, error);
    if (!status)
        status = sn_grow(context, (void **)&e->matrix.double_, &e->values, (int)blocks + 1, 9 * sizeof(double), error);
    p->nodes = base->nodes, p->block_count = blocks;
    return status;
}

/* Merges the rows of the base pattern with the pairs. */
static sn_status build(const sn_context *context, const sn_pattern *base, sn_extension *e, sn_error *error) {
    const sn_status status = reserve(context, base, e, error);
    if (status) return status;
    sn_pattern *p = &e->pattern;
    int32_t next = 0;
    int at = 0;
    for (int32_t i = 0; i < base->nodes; ++i) {
        p->row_begin[i] = next;
        for (int32_t k = base->row_begin[i]; k <= base->row_begin[i + 1]; ++k) {
            const int32_t column = k < base->row_begin[i + 1] ? base->column[k] : INT32_MAX;
            while (at < e->pair_count && e->pair[at][0] == i && e->pair[at][1] < column)
                p->column[next++] = e->pair[at++][1];
            if (column == INT32_MAX) break;
            if (column == i) p->diagonal[i] = next;
            e->place[k] = next;
            p->column[next++] = column;
        }
    }
    p->row_begin[base->nodes] = next;
    for (int32_t i = 0; i < p->nodes; ++i)
        for (int32_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k)
            p->mirror[k] = sn_pattern_find(p, p->column[k], i);
    e->matrix.pattern = p;
    return SN_OK;
}

sn_status sn_extension_update(const sn_context *context, const sn_matrix *matrix, sn_extension *e, bool *changed,
                              sn_error *error) {
    const sn_coupling *c = matrix->coupling;
    *changed = false;
    if (!c || holds(e, c)) return SN_OK;
    const sn_status status =
        sn_grow(context, (void **)&e->spare, &e->spares, e->pair_count + c->block_count, sizeof *e->spare, error);
    if (status) return status;
    int count = merge(e, c, true);
    if (count > OLD * c->block_count && count > FEW) count = merge(e, c, false);
    int32_t(*pair)[2] = e->pair;
    const int capacity = e->pairs;
    e->pair = e->spare, e->pairs = e->spares;
    e->spare = pair, e->spares = capacity;
    e->pair_count = count;
    *changed = true;
    return build(context, matrix->pattern, e, error);
}

const sn_matrix *sn_extension_fill(sn_extension *e, const sn_matrix *matrix) {
    if (!e->pair_count) return matrix;
    const sn_coupling *c = matrix->coupling;
    double *value = e->matrix.double_;
    memset(value, 0, ((size_t)e->pattern.block_count + 1) * 9 * sizeof *value);
    for (int64_t k = 0; k < matrix->pattern->block_count; ++k)
        memcpy(value + 9 * (int64_t)e->place[k], matrix->double_ + 9 * k, 9 * sizeof *value);
    for (int r = 0; c && r < c->row_count; ++r)
        for (int b = c->begin[r]; b < c->begin[r + 1]; ++b)
            memcpy(value + 9 * (int64_t)sn_pattern_find(&e->pattern, c->row[r], c->column[b]),
                   c->value + 9 * (int64_t)b, 9 * sizeof *value);
    return &e->matrix;
}

sn_status sn_extension_archive(const sn_context *context, const sn_pattern *pattern, sn_extension *e,
                               sn_archive *archive, sn_error *error) {
    int count = e->pair_count;
    SN_ARCHIVE(archive, count);
    if (sn_archive_reads(archive)) {
        if (count < 0 || (size_t)count > (archive->size - archive->at) / sizeof *e->pair) archive->bad = true;
        if (archive->bad) return SN_OK;
        const sn_status status = sn_grow(context, (void **)&e->pair, &e->pairs, count, sizeof *e->pair, error);
        if (status) return status;
    }
    if (count) sn_archive_nodes(archive, e->pair[0], 2 * count, pattern->nodes);
    if (!sn_archive_reads(archive) || archive->bad) return SN_OK;
    e->pair_count = count;
    for (int i = 0; i < count && !archive->bad; ++i) /* sorted, off the pattern */
        archive->bad = (i > 0 && compare(e->pair[i - 1], e->pair[i]) >= 0) ||
                       sn_pattern_find(pattern, e->pair[i][0], e->pair[i][1]) >= 0;
    if (archive->bad) e->pair_count = 0;
    return e->pair_count ? build(context, pattern, e, error) : SN_OK;
}
