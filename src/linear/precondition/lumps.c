/* See lumps.h. */
#include "lumps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/direct/direct.h"
#include "preconditioner.h"

void sn_lumps_release(sn_context *context, sn_lumps *l) {
    if (l->factor) sn_direct_ldlt_factor.release(context, l->factor);
    sn_pattern_release(context, &l->pattern);
    void *memory[] = {l->lump, l->begin, l->node, l->arm, l->value, l->right, l->left};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) sn_release(context, memory[i]);
    *l = (sn_lumps){0};
}

static int reach(void) { return getenv("REACH") ? atoi(getenv("REACH")) : 3; }

/* Seeds: every node that is not within REACH steps of an earlier seed. Then each node goes to the nearest seed. */
static int sow(const sn_pattern *p, int32_t *lump, int32_t *queue, int32_t *depth) {
    int count = 0;
    for (int i = 0; i < p->nodes; ++i) lump[i] = -1, depth[i] = INT32_MAX;
    int32_t *seed = queue + p->nodes;
    for (int s = 0; s < p->nodes; ++s) {
        if (depth[s] <= reach()) continue;
        seed[count++] = s;
        int head = 0, tail = 0;
        queue[tail++] = s, depth[s] = 0;
        while (head < tail) {
            const int32_t i = queue[head++];
            if (depth[i] == reach()) continue;
            for (int32_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k) {
                const int32_t j = p->column[k];
                if (depth[j] <= depth[i] + 1) continue;
                depth[j] = depth[i] + 1;
                queue[tail++] = j;
            }
        }
    }
    int head = 0, tail = 0;
    for (int s = 0; s < count; ++s) lump[seed[s]] = s, queue[tail++] = seed[s];
    while (head < tail) {
        const int32_t i = queue[head++];
        for (int32_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k)
            if (lump[p->column[k]] < 0) lump[p->column[k]] = lump[i], queue[tail++] = p->column[k];
    }
    return count;
}

static sn_status create(sn_context *context, const sn_pattern *p, sn_lumps *l, sn_error *error) {
    const size_t n = (size_t)p->nodes;
    l->nodes = p->nodes;
    l->lump = sn_allocate(context, n, sizeof *l->lump);
    l->node = sn_allocate(context, n, sizeof *l->node);
    l->arm = sn_allocate(context, 3 * n, sizeof *l->arm);
    int32_t *queue = sn_allocate(context, 2 * n, sizeof *queue), *depth = sn_allocate(context, n, sizeof *depth);
    l->count = sow(p, l->lump, queue, depth);
    const size_t c = (size_t)l->count;
    l->begin = sn_allocate_zero(context, c + 2, sizeof *l->begin);
    for (size_t i = 0; i < n; ++i) ++l->begin[l->lump[i] + 2];
    for (size_t i = 0; i < c; ++i) l->begin[i + 2] += l->begin[i + 1];
    for (size_t i = 0; i < n; ++i) l->node[l->begin[l->lump[i] + 1]++] = (int32_t)i;
    /* pattern */
    int32_t *seen = depth;
    sn_pattern *q = &l->pattern;
    q->nodes = 2 * l->count;
    q->row_begin = sn_allocate(context, 2 * c + 1, sizeof(int32_t));
    q->diagonal = sn_allocate(context, 2 * c, sizeof(int32_t));
    for (int pass = 0; pass < 2; ++pass) {
        int32_t next = 0;
        for (size_t i = 0; i < n; ++i) seen[i] = -1;
        for (int32_t a = 0; a < l->count; ++a) {
            int count = 0;
            for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m) {
                const int32_t i = l->node[m];
                for (int32_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k) {
                    const int32_t b = l->lump[p->column[k]];
                    if (seen[b] == a) continue;
                    seen[b] = a;
                    int at = count++;
                    for (; at > 0 && queue[at - 1] > b; --at) queue[at] = queue[at - 1];
                    queue[at] = b;
                }
            }
            for (int half = 0; half < 2; ++half) {
                q->row_begin[2 * a + half] = next;
                for (int i = 0; i < count; ++i)
                    for (int side = 0; side < 2; ++side, ++next) {
                        if (pass == 0) continue;
                        q->column[next] = 2 * queue[i] + side;
                        if (queue[i] == a && side == half) q->diagonal[2 * a + half] = next;
                    }
            }
        }
        q->row_begin[2 * l->count] = next;
        if (pass == 0) {
            q->block_count = next;
            q->column = sn_allocate(context, (size_t)next, sizeof(int32_t));
            q->mirror = sn_allocate(context, (size_t)next, sizeof(int32_t));
        }
    }
    for (int r = 0; r < q->nodes; ++r)
        for (int32_t k = q->row_begin[r]; k < q->row_begin[r + 1]; ++k) q->mirror[k] = sn_pattern_find(q, q->column[k], r);
    l->value = sn_allocate_zero(context, 9 * (size_t)q->block_count + 8, sizeof(double));
    l->right = sn_allocate(context, 6 * c, sizeof(double));
    l->left = sn_allocate(context, 6 * c, sizeof(double));
    sn_release(context, queue);
    sn_release(context, depth);
    return SN_OK;
}

typedef struct fill_work {
    sn_lumps *l;
    const sn_matrix *matrix;
    const sn_filter *filter;
    const double *x;
} fill_work;

/* out = B W, W w = w x a */
static void turn_columns(const double B[9], const double a[3], double out[9]) {
    for (int r = 0; r < 3; ++r) {
        out[r] = a[1] * B[6 + r] - a[2] * B[3 + r];
        out[3 + r] = a[2] * B[r] - a[0] * B[6 + r];
        out[6 + r] = a[0] * B[3 + r] - a[1] * B[r];
    }
}
/* out += W^T B */
static void add_turned_rows(const double B[9], const double a[3], double *out) {
    for (int c = 0; c < 3; ++c) {
        const double *b = B + 3 * c;
        out[3 * c] += a[1] * b[2] - a[2] * b[1];
        out[3 * c + 1] += a[2] * b[0] - a[0] * b[2];
        out[3 * c + 2] += a[0] * b[1] - a[1] * b[0];
    }
}

static void fill_lump(void *data, int a) {
    const fill_work *w = data;
    sn_lumps *l = w->l;
    const sn_pattern *p = w->matrix->pattern, *q = &l->pattern;
    const int32_t first = q->row_begin[2 * a], second = q->row_begin[2 * a + 1];
    memset(l->value + 9 * (int64_t)first, 0, 9 * sizeof(double) * (size_t)(q->row_begin[2 * a + 2] - first));
    for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m) {
        const int32_t i = l->node[m];
        const double *S = sn_filter_find(w->filter, i), *arm = l->arm + 3 * (int64_t)i;
        for (int32_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k) {
            const int32_t j = p->column[k], b = l->lump[j];
            if (b > a) continue;
            double raw[9], B[9], T[9];
            sn_matrix_block(w->matrix, k, raw);
            sn_project_pair(raw, S, sn_filter_find(w->filter, j), B);
            turn_columns(B, l->arm + 3 * (int64_t)j, T);
            int32_t at = 0;
            while (q->column[first + at] != 2 * b) at += 2;
            double *tt = l->value + 9 * (int64_t)(first + at), *rt = l->value + 9 * (int64_t)(second + at);
            for (int c = 0; c < 9; ++c) tt[c] += B[c], tt[9 + c] += T[c];
            add_turned_rows(B, arm, rt);
            add_turned_rows(T, arm, rt + 9);
        }
    }
    /* soft rotations */
    for (int half = 0; half < 2; ++half) {
        double *own = l->value + 9 * (int64_t)q->diagonal[2 * a + half];
        const double trace = own[0] + own[4] + own[8], shift = trace > 0 ? 1e-6 * trace : 1;
        for (int c = 0; c < 9; c += 4) own[c] += shift;
    }
}

static void place_arms(sn_lumps *l, const double *x) {
    for (int a = 0; a < l->count; ++a) {
        double centre[3] = {0};
        const double size = l->begin[a + 1] - l->begin[a];
        for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m)
            for (int c = 0; c < 3; ++c) centre[c] += x[3 * (int64_t)l->node[m] + c] / size;
        for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m)
            for (int c = 0; c < 3; ++c)
                l->arm[3 * (int64_t)l->node[m] + c] = x[3 * (int64_t)l->node[m] + c] - centre[c];
    }
}

sn_status sn_lumps_update(sn_context *context, const sn_operator *op, const sn_filter *filter, sn_lumps *l,
                          sn_error *error) {
    l->usable = false;
    if (!op->source || !op->source->now) return SN_OK;
    sn_status status = l->count ? SN_OK : create(context, op->matrix->pattern, l, error);
    if (status) return status;
    place_arms(l, op->source->now);
    fill_work w = {l, op->matrix, filter, op->source->now};
    sn_parallel(context, l->count, fill_lump, &w);
    const sn_matrix matrix = {.pattern = &l->pattern, .double_ = l->value};
    const sn_operator inside = {.context = context, .n = 6 * l->count, .matrix = &matrix, .symmetric = true};
    status = sn_direct_ldlt_factor.update(context, &inside, NULL, &l->factor, NULL);
    l->usable = status == SN_OK;
    return status == SN_NO_MEMORY ? sn_no_memory(error) : SN_OK;
}

void sn_lumps_add(const sn_context *context, const sn_lumps *l, const sn_filter *filter, const double *r, double *z) {
    if (!l->usable) return;
    for (int a = 0; a < l->count; ++a) {
        double *t = l->right + 6 * (int64_t)a;
        for (int c = 0; c < 6; ++c) t[c] = 0;
        for (int32_t m = l->begin[a]; m < l->begin[a + 1]; ++m) {
            const double *f = r + 3 * (int64_t)l->node[m], *arm = l->arm + 3 * (int64_t)l->node[m];
            for (int c = 0; c < 3; ++c) t[c] += f[c];
            t[3] += arm[1] * f[2] - arm[2] * f[1];
            t[4] += arm[2] * f[0] - arm[0] * f[2];
            t[5] += arm[0] * f[1] - arm[1] * f[0];
        }
    }
    sn_direct_ldlt_factor.apply(l->factor, l->right, l->left);
    for (int i = 0; i < l->nodes; ++i) {
        const double *t = l->left + 6 * (int64_t)l->lump[i], *a = l->arm + 3 * (int64_t)i;
        z[3 * (int64_t)i] += t[0] + (t[4] * a[2] - t[5] * a[1]);
        z[3 * (int64_t)i + 1] += t[1] + (t[5] * a[0] - t[3] * a[2]);
        z[3 * (int64_t)i + 2] += t[2] + (t[3] * a[1] - t[4] * a[0]);
    }
    sn_filter_apply(filter, z);
}
