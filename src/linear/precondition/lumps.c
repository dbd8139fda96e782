/* See lumps.h. */
#include "lumps.h"

#include <string.h>

#include "linear/direct/direct.h"
#include "preconditioner.h"

enum {
    REACH = 3,       /* steps in the pattern from one seed to the next, at least */
    REACH_MOST = 12, /* at most */
    LUMPS = 1000,    /* larger matrices get larger lumps, until there are at most so many */
    LEAST = 4,       /* nodes of a lump */
    GRAIN = 16       /* lumps of a piece */
};
#define SOFT 1e-6 /* is added to the diagonal, so that lumps whose nodes lie on a line can be factored */

void sn_lumps_release(sn_context *context, sn_lumps *l) {
    if (l->factor) sn_direct_ldlt_factor.release(context, l->factor);
    sn_pattern_release(context, &l->pattern);
    void *memory[] = {l->lump, l->begin, l->node, l->arm, l->value, l->right, l->left};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) sn_release(context, memory[i]);
    *l = (sn_lumps){0};
}

/* ---- The lumps of a pattern ---- */
/* What sowing needs: nodes each. */
typedef struct sowing {
    int32_t *seed, *queue, *depth;
} sowing;

/* Every node that is more than `reach` steps away from all earlier seeds becomes a seed. Returns their number. */
static int sow(const sn_pattern *p, int reach, sowing *w) {
    int count = 0;
    for (int i = 0; i < p->nodes; ++i) w->depth[i] = INT32_MAX;
    for (int32_t s = 0; s < p->nodes; ++s) {
        if (w->depth[s] <= reach) continue;
        w->seed[count++] = s;
        w->queue[0] = s, w->depth[s] = 0;
        for (int head = 0, tail = 1; head < tail; ++head) {
            const int32_t i = w->queue[head];
            for (int32_t k = p->row_begin[i]; k < p->row_begin[i + 1] && w->depth[i] < reach; ++k) {
                const int32_t j = p->column[k];
                if (w->depth[j] <= w->depth[i] + 1) continue;
                w->depth[j] = w->depth[i] + 1;
                w->queue[tail++] = j;
            }
        }
    }
    return count;
}

/* Each node goes to the nearest seed. */
static void grow(const sn_pattern *p, int seeds, sowing *w, int32_t *lump) {
    int tail = 0;
    for (int i = 0; i < p->nodes; ++i) lump[i] = -1;
    for (int s = 0; s < seeds; ++s) lump[w->seed[s]] = s, w->queue[tail++] = w->seed[s];
    for (int head = 0; head < tail; ++head) {
        const int32_t i = w->queue[head];
        for (int32_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k)
            if (lump[p->column[k]] < 0) lump[p->column[k]] = lump[i], w->queue[tail++] = p->column[k];
    }
}

/* Drops lumps of few nodes and numbers the others. Fills begin and node. `number`: seeds + 2. */
static void number_lumps(sn_lumps *l, int seeds, int32_t *number) {
    memset(number, 0, ((size_t)seeds + 1) * sizeof *number);
    for (int i = 0; i < l->nodes; ++i) ++number[l->lump[i]];
    l->count = 0;
    l->begin[0] = 0;
    for (int s = 0; s < seeds; ++s) {
        const int size = number[s];
        number[s] = size < LEAST ? -1 : l->count++;
        if (size >= LEAST) l->begin[l->count] = l->begin[l->count - 1] + size;
    }
    for (int i = 0; i < l->nodes; ++i) {
        l->lump[i] = number[l->lump[i]];
        if (l->lump[i] >= 0) l->node[l->begin[l->lump[i]]++] = i;
    }
    for (int a = l->count; a > 0; --a) l->begin[a] = l->begin[a - 1];
    l->begin[0] = 0;
}

static sn_status make_lumps(sn_context *context, const sn_pattern *p, sn_lumps *l, sn_error *error) {
    const size_t n = (size_t)p->nodes;
    sowing w = {0};
    const sn_array array[] = {SN_ARRAY(l->lump, n), SN_ARRAY(l->node, n), SN_ARRAY(l->begin, n + 1),
                              SN_ARRAY(l->arm, 3 * n)},
                   scratch[] = {SN_ARRAY(w.seed, n), SN_ARRAY(w.queue, n + 1), SN_ARRAY(w.depth, n)};
    l->nodes = p->nodes;
    sn_status status = sn_allocate_arrays(context, array, sizeof array / sizeof *array, error);
    if (!status) status = sn_allocate_arrays(context, scratch, sizeof scratch / sizeof *scratch, error);
    for (int reach = REACH; !status && reach <= REACH_MOST; ++reach) {
        const int seeds = sow(p, reach, &w);
        grow(p, seeds, &w, l->lump);
        number_lumps(l, seeds, w.queue);
        if (l->count <= LUMPS) break;
    }
    sn_release(context, w.seed);
    sn_release(context, w.queue);
    sn_release(context, w.depth);
    return status;
}

/* ---- The pattern of E ---- */
/* The lumps that lump a meets in the pattern, ascending. seen[b] == a: lump b was met. Returns their number. */
static int neighbours(const sn_lumps *l, const sn_pattern *p, int32_t a, int32_t *seen, int32_t *met) {
    int count = 0;
    for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m)
        for (int32_t k = p->row_begin[l->node[m]]; k < p->row_begin[l->node[m] + 1]; ++k) {
            const int32_t b = l->lump[p->column[k]];
            if (b < 0 || seen[b] == a) continue;
            seen[b] = a;
            int at = count++;
            for (; at > 0 && met[at - 1] > b; --at) met[at] = met[at - 1];
            met[at] = b;
        }
    return count;
}

/* Fills the rows of E, or only their begins when there are no columns yet. */
static void fill_pattern(const sn_lumps *l, const sn_pattern *p, int32_t *seen, int32_t *met, sn_pattern *q) {
    int32_t next = 0;
    for (int a = 0; a < l->count; ++a) seen[a] = -1;
    for (int32_t a = 0; a < l->count; ++a) {
        const int count = neighbours(l, p, a, seen, met);
        for (int half = 0; half < 2; ++half) {
            q->row_begin[2 * a + half] = next;
            for (int32_t i = 0; i < 2 * count; ++i, ++next) {
                if (q->column) q->column[next] = 2 * met[i / 2] + i % 2;
                if (q->column && q->column[next] == 2 * a + half) q->diagonal[2 * a + half] = next;
            }
        }
    }
    q->row_begin[q->nodes] = next;
    q->block_count = next;
}

static sn_status make_pattern(sn_context *context, const sn_pattern *p, sn_lumps *l, sn_error *error) {
    const size_t n = (size_t)l->count;
    sn_pattern *q = &l->pattern;
    int32_t *seen = NULL, *met = NULL;
    const sn_array array[] = {SN_ARRAY(q->row_begin, 2 * n + 1), SN_ARRAY(q->diagonal, 2 * n),
                              SN_ARRAY(l->right, 6 * n), SN_ARRAY(l->left, 6 * n)},
                   scratch[] = {SN_ARRAY(seen, n), SN_ARRAY(met, n)};
    q->nodes = 2 * l->count;
    sn_status status = sn_allocate_arrays(context, array, sizeof array / sizeof *array, error);
    if (!status) status = sn_allocate_arrays(context, scratch, sizeof scratch / sizeof *scratch, error);
    if (!status) {
        fill_pattern(l, p, seen, met, q);
        const size_t blocks = (size_t)q->block_count;
        const sn_array block[] = {SN_ARRAY(q->column, blocks), SN_ARRAY(q->mirror, blocks),
                                  SN_ARRAY(l->value, 9 * blocks + 8)};
        status = sn_allocate_arrays(context, block, sizeof block / sizeof *block, error);
    }
    if (!status) fill_pattern(l, p, seen, met, q);
    for (int32_t r = 0; !status && r < q->nodes; ++r)
        for (int32_t k = q->row_begin[r]; k < q->row_begin[r + 1]; ++k)
            q->mirror[k] = sn_pattern_find(q, q->column[k], r);
    sn_release(context, seen);
    sn_release(context, met);
    return status;
}

/* ---- E ---- */
typedef struct fill_work {
    sn_lumps *lumps;
    const sn_operator *op;
    const sn_filter *filter;
    const double *x; /* NULL: unknown */
} fill_work;

/* The arms of the nodes of a lump. */
static void place_arms(sn_lumps *l, const double *x, int a) {
    const double size = l->begin[a + 1] - l->begin[a];
    double centre[3] = {0};
    for (int32_t m = l->begin[a]; x && m < l->begin[a + 1]; ++m)
        for (int c = 0; c < 3; ++c) centre[c] += x[3 * (int64_t)l->node[m] + c];
    for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m)
        for (int c = 0; c < 3; ++c) {
            const int64_t at = 3 * (int64_t)l->node[m] + c;
            l->arm[at] = x ? x[at] - centre[c] / size : 0;
        }
}

/* out = B W, where W w = w x a. */
static void turn_columns(const double B[9], const double a[3], double out[9]) {
    for (int r = 0; r < 3; ++r) {
        out[r] = a[1] * B[6 + r] - a[2] * B[3 + r];
        out[3 + r] = a[2] * B[r] - a[0] * B[6 + r];
        out[6 + r] = a[0] * B[3 + r] - a[1] * B[r];
    }
}

/* out += W^T B. */
static void add_turned_rows(const double B[9], const double a[3], double out[9]) {
    for (int c = 0; c < 3; ++c) {
        const double *b = B + 3 * c;
        out[3 * c] += a[1] * b[2] - a[2] * b[1];
        out[3 * c + 1] += a[2] * b[0] - a[0] * b[2];
        out[3 * c + 2] += a[0] * b[1] - a[1] * b[0];
    }
}

/* Adds the blocks of row i of S A S to the rows of its lump a, left of the diagonal and on it. */
static void add_row(const fill_work *w, int32_t i, int32_t a) {
    sn_lumps *l = w->lumps;
    const sn_matrix *matrix = w->op->matrix;
    const sn_pattern *p = matrix->pattern, *q = &l->pattern;
    const double *S = sn_filter_find(w->filter, i), *arm = l->arm + 3 * (int64_t)i;
    const int32_t first = q->row_begin[2 * a], size = q->row_begin[2 * a + 1] - first;
    int32_t place = first;
    for (int32_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k) {
        const int32_t j = p->column[k], b = l->lump[j];
        if (b > a || b < 0) continue;
        double B[9], raw[9], T[9];
        const double *R = sn_filter_find(w->filter, j);
        sn_matrix_block(matrix, k, B);
        if (S || R) {
            memcpy(raw, B, sizeof raw);
            sn_project_pair(raw, S, R, B);
        }
        if (q->column[place] != 2 * b)
            for (place = first; q->column[place] != 2 * b;) place += 2;
        turn_columns(B, l->arm + 3 * (int64_t)j, T);
        double *moved = l->value + 9 * (int64_t)place, *turned = moved + 9 * (int64_t)size;
        for (int c = 0; c < 9; ++c) moved[c] += B[c], moved[9 + c] += T[c];
        add_turned_rows(B, arm, turned);
        add_turned_rows(T, arm, turned + 9);
    }
}

static void fill_lump(const fill_work *w, int a) {
    sn_lumps *l = w->lumps;
    const sn_pattern *q = &l->pattern;
    const int64_t first = q->row_begin[2 * a], end = q->row_begin[2 * a + 2];
    memset(l->value + 9 * first, 0, 9 * (size_t)(end - first) * sizeof *l->value);
    for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m) add_row(w, l->node[m], a);
    for (int half = 0; half < 2; ++half) {
        double *own = l->value + 9 * (int64_t)q->diagonal[2 * a + half];
        const double mean = (own[0] + own[4] + own[8]) / 3;
        for (int c = 0; c < 9; c += 4) own[c] += mean > 0 ? SOFT * mean : 1;
    }
}

/* The lumps of a piece. */
static int piece_end(const sn_lumps *l, int piece) {
    return (piece + 1) * GRAIN < l->count ? (piece + 1) * GRAIN : l->count;
}

static void arms_piece(void *data, int piece) {
    const fill_work *w = data;
    for (int a = piece * GRAIN; a < piece_end(w->lumps, piece); ++a) place_arms(w->lumps, w->x, a);
}

static void fill_piece(void *data, int piece) {
    const fill_work *w = data;
    for (int a = piece * GRAIN; a < piece_end(w->lumps, piece); ++a) fill_lump(w, a);
}

sn_status sn_lumps_update(sn_context *context, const sn_operator *op, const sn_filter *filter, sn_lumps *l,
                          sn_error *error) {
    l->usable = false;
    l->context = context, l->filter = filter;
    sn_status status = SN_OK;
    if (!l->made) {
        sn_lumps_release(context, l);
        l->context = context, l->filter = filter;
        status = make_lumps(context, op->matrix->pattern, l, error);
        if (!status) status = make_pattern(context, op->matrix->pattern, l, error);
        l->made = !status;
    }
    if (status || l->count == 0) return status;
    fill_work w = {l, op, filter, op->source ? op->source->now : NULL};
    const int pieces = sn_pieces(l->count, GRAIN);
    sn_parallel_pieces(context, pieces, arms_piece, &w);
    sn_parallel_pieces(context, pieces, fill_piece, &w);
    const sn_matrix matrix = {.pattern = &l->pattern, .double_ = l->value};
    const sn_operator inside = {.context = context, .n = 6 * l->count, .matrix = &matrix, .symmetric = true};
    status = sn_direct_ldlt_factor.update(context, &inside, NULL, &l->factor, NULL);
    l->usable = !status && sn_direct_ldlt_definite(l->factor);
    return status == SN_NO_MEMORY ? sn_no_memory(error) : SN_OK;
}

/* ---- Application ---- */
typedef struct motion {
    const sn_lumps *lumps;
    const double *r;
    double *z;
} motion;

/* The forces and moments on the lumps of a piece: Z^T r. */
static void gather_piece(void *data, int piece) {
    const motion *w = data;
    const sn_lumps *l = w->lumps;
    for (int a = piece * GRAIN; a < piece_end(l, piece); ++a) {
        double sum[6] = {0};
        for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m) {
            const double *f = w->r + 3 * (int64_t)l->node[m], *arm = l->arm + 3 * (int64_t)l->node[m];
            for (int c = 0; c < 3; ++c) sum[c] += f[c];
            sum[3] += arm[1] * f[2] - arm[2] * f[1];
            sum[4] += arm[2] * f[0] - arm[0] * f[2];
            sum[5] += arm[0] * f[1] - arm[1] * f[0];
        }
        memcpy(l->right + 6 * (int64_t)a, sum, sizeof sum);
    }
}

/* z += Z left */
static void move_piece(void *data, int piece) {
    const motion *w = data;
    const sn_lumps *l = w->lumps;
    for (int a = piece * GRAIN; a < piece_end(l, piece); ++a) {
        const double *t = l->left + 6 * (int64_t)a;
        for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m) {
            const double *arm = l->arm + 3 * (int64_t)l->node[m];
            double *z = w->z + 3 * (int64_t)l->node[m];
            z[0] += t[0] + (t[4] * arm[2] - t[5] * arm[1]);
            z[1] += t[1] + (t[5] * arm[0] - t[3] * arm[2]);
            z[2] += t[2] + (t[3] * arm[1] - t[4] * arm[0]);
        }
    }
}

void sn_lumps_add(const sn_lumps *l, const double *r, double *z) {
    if (!l->usable) return;
    motion w = {l, r, z};
    const int pieces = sn_pieces(l->count, GRAIN);
    sn_parallel_pieces(l->context, pieces, gather_piece, &w);
    sn_direct_ldlt_factor.apply(l->factor, l->right, l->left);
    sn_parallel_pieces(l->context, pieces, move_piece, &w);
    sn_filter_apply(l->filter, z);
}
