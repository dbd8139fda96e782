/* See lumps.h. */
#include "lumps.h"

#include <string.h>

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
    sn_rigid_factor_release(context, &l->factor);
    void *memory[] = {l->lump, l->begin, l->node, l->arm};
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
                              SN_ARRAY(l->arm, 4 * n)},
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

/* ---- The places of E ---- */
/* What making them needs: a number for each lump. */
typedef struct making {
    sn_pattern pattern; /* of lumps: row_begin, column */
    int32_t *seen, *met, *part, *place, *begin, *node;
} making;

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

/* Fills the rows of the pattern of lumps, or only their begins when there are no columns yet. */
static void fill_pattern(const sn_lumps *l, const sn_pattern *p, making *m) {
    sn_pattern *q = &m->pattern;
    int32_t next = 0;
    for (int a = 0; a < l->count; ++a) m->seen[a] = -1;
    for (int32_t a = 0; a < l->count; ++a) {
        const int count = neighbours(l, p, a, m->seen, m->met);
        q->row_begin[a] = next;
        if (q->column) memcpy(q->column + next, m->met, (size_t)count * sizeof *m->met);
        next += count;
    }
    q->row_begin[l->count] = next;
    q->block_count = next;
}

/* The part of a lump. */
static int part_of(const sn_lumps *l, int a) {
    const sn_parts *parts = l->parts;
    for (int p = 0; p < parts->count; ++p) {
        bool all = true;
        for (int32_t m = l->begin[a]; m < l->begin[a + 1] && all; ++m) {
            const int32_t row = parts->row[l->node[m]];
            all = row >= parts->first[p] && row < parts->first[p + 1];
        }
        if (all) return p;
    }
    return parts->count;
}

/* Numbers the lumps as the factor does. */
static void renumber(sn_lumps *l, making *m) {
    for (int a = 0; a < l->count; ++a) m->begin[m->place[a] + 1] = l->begin[a + 1] - l->begin[a];
    for (int a = 0; a < l->count; ++a) m->begin[a + 1] += m->begin[a];
    for (int a = 0; a < l->count; ++a)
        memcpy(m->node + m->begin[m->place[a]], l->node + l->begin[a],
               (size_t)(l->begin[a + 1] - l->begin[a]) * sizeof *m->node);
    memcpy(l->begin, m->begin, ((size_t)l->count + 1) * sizeof *l->begin);
    memcpy(l->node, m->node, (size_t)l->nodes * sizeof *l->node);
    for (int i = 0; i < l->nodes; ++i)
        if (l->lump[i] >= 0) l->lump[i] = m->place[l->lump[i]];
}

static sn_status make_factor(sn_context *context, const sn_pattern *p, sn_lumps *l, sn_error *error) {
    const size_t n = (size_t)l->count;
    making m = {.pattern = {.nodes = l->count}};
    const sn_array scratch[] = {SN_ARRAY(m.pattern.row_begin, n + 1),
                                SN_ARRAY(m.seen, n),
                                SN_ARRAY(m.met, n),
                                SN_ARRAY(m.part, n),
                                SN_ARRAY(m.place, n),
                                SN_ARRAY(m.begin, n + 1),
                                SN_ARRAY(m.node, (size_t)l->nodes)};
    sn_status status = sn_allocate_arrays(context, scratch, sizeof scratch / sizeof *scratch, error);
    if (!status) {
        fill_pattern(l, p, &m);
        const sn_array column[] = {SN_ARRAY(m.pattern.column, (size_t)m.pattern.block_count)};
        status = sn_allocate_arrays(context, column, 1, error);
    }
    if (!status) {
        fill_pattern(l, p, &m);
        for (int a = 0; a < l->count; ++a) m.part[a] = part_of(l, a);
        status = sn_rigid_factor_create(context, &m.pattern, m.part, l->parts->count, m.place, &l->factor, error);
    }
    if (!status) renumber(l, &m);
    sn_pattern_release(context, &m.pattern);
    void *memory[] = {m.seen, m.met, m.part, m.place, m.begin, m.node};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) sn_release(context, memory[i]);
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
        for (int c = 0; c < 3; ++c)
            l->arm[4 * (int64_t)l->node[m] + c] = x ? (float)(x[3 * (int64_t)l->node[m] + c] - centre[c] / size) : 0;
}

/* Adds the blocks B and T = B W of a row, and W^T B and W^T T with the arm a of the row, to a padded block. W w = w x
 * a. B and T have columns of four numbers. */
static void add_block(const double *B, const double *T, const float *a, double *out) {
    const double x = (double)a[0], y = (double)a[1], z = (double)a[2];
    for (int c = 0; c < SN_RIGID; ++c, out += SN_RIGID_WIDE) {
        const double *b = c < 3 ? B + 4 * c : T + 4 * c - 12;
        for (int r = 0; r < 3; ++r) out[r] += b[r];
        out[3] += y * b[2] - z * b[1];
        out[4] += z * b[0] - x * b[2];
        out[5] += x * b[1] - y * b[0];
    }
}

/* sum += B and turned += B W for the blocks from place k to before `end` of row i of S A S. */
static void add_run(const fill_work *w, int32_t i, int32_t k, int32_t end, double *sum, double *turned) {
    const sn_matrix *matrix = w->op->matrix;
    const int32_t *column = matrix->pattern->column;
    const sn_lumps *l = w->lumps;
    const sn_rigid_kernels *kernels = l->factor.kernels;
    if (matrix->double_ && (!w->filter || w->filter->count == 0)) {
        kernels->turn(end - k, column + k, l->arm, matrix->double_ + 9 * (int64_t)k, sum, turned);
        return;
    }
    const double *S = sn_filter_find(w->filter, i);
    for (; k < end; ++k) {
        double raw[9], B[10] = {0};
        sn_matrix_block(matrix, k, raw);
        sn_project_pair(raw, S, sn_filter_find(w->filter, column[k]), B);
        kernels->turn(1, column + k, l->arm, B, sum, turned);
    }
}

/* Adds the blocks of row i to the row of its lump a, left of the diagonal and on it. Blocks behind each other that
 * belong to the same lump are added up first. */
static void add_row(const fill_work *w, int32_t i, int32_t a) {
    const sn_lumps *l = w->lumps;
    const sn_rigid_factor *f = &l->factor;
    const sn_pattern *p = w->op->matrix->pattern;
    for (int32_t k = p->row_begin[i], next; k < p->row_begin[i + 1]; k = next) {
        const int32_t b = l->lump[p->column[k]];
        for (next = k + 1; next < p->row_begin[i + 1] && l->lump[p->column[next]] == b;) ++next;
        if (b > a || b < 0) continue;
        double sum[12] = {0}, turned[12] = {0};
        add_run(w, i, k, next, sum, turned);
        int32_t place = f->begin[a + 1] - 1;
        while (f->column[place] != b) --place;
        add_block(sum, turned, l->arm + 4 * (int64_t)i, f->value + SN_RIGID_PADDED * (int64_t)place);
    }
}

static void fill_lump(const fill_work *w, int a) {
    const sn_lumps *l = w->lumps;
    const sn_rigid_factor *f = &l->factor;
    const int64_t first = f->begin[a], end = f->begin[a + 1];
    memset(f->value + SN_RIGID_PADDED * first, 0, SN_RIGID_PADDED * (size_t)(end - first) * sizeof *f->value);
    for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m) add_row(w, l->node[m], a);
    double *own = f->value + SN_RIGID_PADDED * (end - 1);
    for (int half = 0; half < SN_RIGID; half += 3) {
        double mean = 0;
        for (int c = half; c < half + 3; ++c) mean += own[(SN_RIGID_WIDE + 1) * c] / 3;
        for (int c = half; c < half + 3; ++c) own[(SN_RIGID_WIDE + 1) * c] += mean > 0 ? SOFT * mean : 1;
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

sn_status sn_lumps_update(sn_context *context, const sn_operator *op, const sn_filter *filter, const sn_parts *parts,
                          sn_lumps *l, sn_error *error) {
    l->usable = false;
    sn_status status = SN_OK;
    if (!l->made) {
        sn_lumps_release(context, l);
        l->context = context, l->parts = parts;
        status = make_lumps(context, op->matrix->pattern, l, error);
        if (!status && l->count) status = make_factor(context, op->matrix->pattern, l, error);
        l->made = !status;
    }
    if (status || l->count == 0) return status;
    fill_work w = {l, op, filter, op->source ? op->source->now : NULL};
    const int pieces = sn_pieces(l->count, GRAIN);
    sn_parallel_pieces(context, pieces, arms_piece, &w);
    sn_parallel_pieces(context, pieces, fill_piece, &w);
    l->usable = sn_rigid_factor_update(&l->factor);
    return SN_OK;
}

/* ---- Application ---- */
/* The forces and moments on lumps: Z^T r. */
static void gather(const sn_lumps *l, int first, int end, const double *r) {
    const sn_rigid_factor *f = &l->factor;
    for (int a = first; a < end; ++a)
        f->kernels->gather(l->begin[a + 1] - l->begin[a], l->node + l->begin[a], l->arm, r,
                           f->vector + SN_RIGID_WIDE * (int64_t)a);
}

/* A part also gathers its share of the joint. */
void sn_lumps_forward(const sn_lumps *l, int part, const double *r) {
    if (!l->usable) return;
    const sn_rigid_factor *f = &l->factor;
    const int joint = f->first[f->parts], size = f->count - joint;
    gather(l, f->first[part], f->first[part + 1], r);
    gather(l, joint + size * part / f->parts, joint + size * (part + 1) / f->parts, r);
    sn_rigid_factor_forward(f, part);
}

void sn_lumps_middle(const sn_lumps *l) {
    if (l->usable) sn_rigid_factor_middle(&l->factor);
}

void sn_lumps_back(const sn_lumps *l, int part) {
    if (l->usable) sn_rigid_factor_back(&l->factor, part);
}

void sn_lumps_move(const sn_lumps *l, int part, double *z) {
    const int32_t *row = l->parts->first + part;
    if (l->usable)
        l->factor.kernels->move(row[1] - row[0], l->parts->node + row[0], l->lump, l->arm, l->factor.vector, z);
}
