/* The last level of multigrid: a dense inverse for each connected part of its graph. A scene of many bodies has at
 * least one part per body. A body that fits into one cell is a part of eight corners. */
#include <math.h>
#include <string.h>

#include "multigrid.h"

static int32_t find(int32_t *root, int32_t i) {
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

/* Numbers the parts in the order of their first node, and writes the part of each node to `part`. Returns the number of
 * parts. */
static int number_parts(const sn_mg_level *level, int32_t *root, int32_t *part) {
    int count = 0;
    for (int i = 0; i < level->nodes; ++i) root[i] = i;
    for (int i = 0; i < level->nodes; ++i)
        for (int32_t k = level->row_begin[i]; k < level->row_begin[i + 1]; ++k) {
            const int32_t a = find(root, i), b = find(root, level->column[k]);
            root[a > b ? a : b] = a > b ? b : a; /* the lowest node is the root */
        }
    for (int i = 0; i < level->nodes; ++i) {
        const int32_t r = find(root, i);
        part[i] = r == i ? count++ : part[r];
    }
    return count;
}

void sn_mg_release_last(sn_context *context, sn_mg_last *l) {
    void *const array[] = {l->begin, l->member, l->local, l->at, l->inverse, l->vector, l->factor, l->work};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    *l = (sn_mg_last){0};
}

sn_status sn_mg_find_parts(sn_context *context, const sn_mg_level *level, sn_mg_last *l, double *work,
                           sn_error *error) {
    const size_t n = (size_t)level->nodes;
    sn_mg_release_last(context, l);
    l->local = sn_allocate(context, n, sizeof *l->local);
    l->member = sn_allocate(context, n, sizeof *l->member);
    l->begin = sn_allocate_zero(context, n + 2, sizeof *l->begin);
    if (!l->local || !l->member || !l->begin) return sn_no_memory(error);
    l->count = number_parts(level, l->member, l->local);
    for (size_t i = 0; i < n; ++i) ++l->begin[l->local[i] + 2];
    *work = 0;
    l->largest = 0;
    for (int p = 0; p < l->count; ++p) {
        const int size = l->begin[p + 2];
        *work += (double)size * size * size;
        if (size > l->largest) l->largest = size;
        l->begin[p + 2] += l->begin[p + 1];
    }
    for (int i = 0; i < level->nodes; ++i) l->member[l->begin[l->local[i] + 1]++] = i;
    for (int p = 0; p < l->count; ++p)
        for (int32_t k = l->begin[p]; k < l->begin[p + 1]; ++k) l->local[l->member[k]] = k - l->begin[p];
    return SN_OK;
}

sn_status sn_mg_create_last(sn_context *context, sn_mg_last *l, sn_error *error) {
    const size_t largest = 3 * (size_t)l->largest;
    l->at = sn_allocate(context, (size_t)l->count + 1, sizeof *l->at);
    if (!l->at) return sn_no_memory(error);
    int64_t size = 0;
    for (int p = 0; p < l->count; ++p) {
        const int64_t n = 3 * (int64_t)(l->begin[p + 1] - l->begin[p]);
        l->at[p] = size;
        size += n * n;
    }
    l->inverse = sn_allocate_zero(context, (size_t)size, sizeof *l->inverse);
    l->vector = sn_allocate(context, 2 * largest, sizeof *l->vector);
    l->factor = sn_allocate(context, largest * largest, sizeof *l->factor);
    l->work = sn_allocate(context, largest * largest, sizeof *l->work);
    return l->inverse && l->vector && l->factor && l->work ? SN_OK : sn_no_memory(error);
}

/* F^T F = the matrix, with F by rows in `f`. Directions without stiffness get a large pivot, so the inverse ignores
 * them. */
static void factorise(int64_t n, double *f, const double *original) {
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, original[i]);
    for (int j = 0; j < n; ++j) { /* column j of the factor goes to row j, so that the loops run along rows */
        double *row = f + j * n;
        const double pivot = row[j];
        const double root =
            pivot > 1e-6 * original[j] && original[j] > 1e-12 * most ? sqrt(pivot) : 1e6 * sqrt(most > 0 ? most : 1);
        row[j] = root;
        for (int i = j + 1; i < n; ++i) row[i] /= root;
        for (int i = j + 1; i < n; ++i) {
            const double factor = row[i];
            double *below = f + i * n;
            for (int k = i; k < n; ++k) below[k] -= factor * row[k];
        }
    }
}

/* Replaces that factor by the inverse: Y = L^-1 row by row, then Y^T Y. */
static void invert_factor(int64_t n, double *f, double *y) {
    for (int i = 0; i < n; ++i) {
        double *out = y + i * n;
        memset(out, 0, sizeof *out * (size_t)n);
        out[i] = 1;
        for (int k = 0; k < i; ++k) {
            const double factor = f[k * n + i], *from = y + k * n;
            for (int c = 0; c <= k; ++c) out[c] -= factor * from[c];
        }
        for (int c = 0; c <= i; ++c) out[c] /= f[i * n + i];
    }
    memset(f, 0, sizeof *f * (size_t)(n * n));
    for (int k = 0; k < n; ++k)
        for (int i = 0; i <= k; ++i) {
            const double factor = y[k * n + i], *from = y + k * n;
            double *out = f + i * n;
            for (int c = 0; c <= k; ++c) out[c] += factor * from[c];
        }
}

void sn_mg_invert_last(sn_mg_last *l, const sn_mg_level *level) {
    for (int p = 0; p < l->count; ++p) {
        const int nodes = l->begin[p + 1] - l->begin[p];
        const int64_t n = 3 * nodes;
        double *f = l->factor, *original = l->work;
        memset(f, 0, sizeof *f * (size_t)(n * n));
        for (int i = 0; i < nodes; ++i) {
            const int row = l->member[l->begin[p] + i];
            for (int32_t k = level->row_begin[row]; k < level->row_begin[row + 1]; ++k)
                for (int e = 0; e < 9; ++e)
                    f[(3 * i + e % 3) * n + 3 * l->local[level->column[k]] + e / 3] =
                        level->value[9 * (int64_t)(level->source ? level->source[k] : k) + e];
        }
        for (int i = 0; i < n; ++i) original[i] = f[i * n + i];
        factorise(n, f, original);
        invert_factor(n, f, l->work);
        for (int64_t k = 0; k < n * n; ++k) l->inverse[l->at[p] + k] = (float)f[k];
    }
}

void sn_mg_solve_last(const sn_mg_last *l, const sn_mg_level *level) {
    for (int p = 0; p < l->count; ++p) {
        const int32_t *member = l->member + l->begin[p];
        const int n = 3 * (l->begin[p + 1] - l->begin[p]);
        float *y = l->vector, *b = y + n;
        for (int i = 0; i < n; ++i)
            b[i] = level->b[4 * (int64_t)member[i / 3] + i % 3] * level->unscale[member[i / 3]], y[i] = 0;
        for (int64_t k = 0; k < n; ++k) { /* the inverse is symmetric, so its rows are its columns */
            const float *column = l->inverse + l->at[p] + k * n, factor = b[k];
            for (int i = 0; i < n; ++i) y[i] += factor * column[i];
        }
        for (int i = 0; i < n; ++i) level->x[4 * (int64_t)member[i / 3] + i % 3] = y[i] * level->unscale[member[i / 3]];
    }
}
