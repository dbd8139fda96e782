/* The tree of boxes of box_tree.h: its order, and the loops over its pieces. */
#include "box_tree.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const sn_box_kernels sn_box_kernels_baseline;
#if defined(SN_HAVE_X86_KERNELS)
extern const sn_box_kernels sn_box_kernels_avx2, sn_box_kernels_avx512;
#endif

const sn_box_kernels *sn_box_kernels_for(const sn_context *context) { return SN_BUILD(context, sn_box_kernels); }

enum { FIT_GRAIN = 128, PAIR_GRAIN = 16, MOVE_GRAIN = 4096 };

/* ---- The order along Morton's curve ---- */
typedef struct place {
    uint64_t code;
    int32_t group, triangle;
} place;

/* Spreads the 21 low bits of v: two zero bits after each. */
static uint64_t spread(uint64_t v) {
    v &= 0x1fffff;
    v = (v | v << 32) & 0x1f00000000ffff;
    v = (v | v << 16) & 0x1f0000ff0000ff;
    v = (v | v << 8) & 0x100f00f00f00f00f;
    v = (v | v << 4) & 0x10c30c30c30c30c3;
    return (v | v << 2) & 0x1249249249249249;
}

static int by_code(const void *a, const void *b) {
    const place *p = a, *q = b;
    if (p->group != q->group) return p->group < q->group ? -1 : 1;
    if (p->code != q->code) return p->code < q->code ? -1 : 1;
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

static double centre(const double *position, const int32_t *corner, int axis) {
    return (position[3 * (size_t)corner[0] + axis] + position[3 * (size_t)corner[1] + axis] +
            position[3 * (size_t)corner[2] + axis]) /
           3;
}

/* Fills tree->order. All axes have the same scale, so that cells of the curve are cubes. */
static sn_status sort(sn_box_tree *tree, const double *position, const int32_t *triangle, const int32_t *group,
                      sn_error *error) {
    const int n = tree->triangle_count;
    place *list = sn_allocate(tree->context, (size_t)n, sizeof *list);
    if (!list) return sn_no_memory(error);
    double low[3] = {INFINITY, INFINITY, INFINITY}, size = 0;
    for (int a = 0; a < 3; ++a) {
        double high = -INFINITY;
        for (int i = 0; i < n; ++i) {
            const double c = centre(position, triangle + 3 * (size_t)i, a);
            low[a] = fmin(low[a], c), high = fmax(high, c);
        }
        size = fmax(size, high - low[a]);
    }
    const double scale = size > 0 && isfinite(size) ? 0x1fffff / size : 0;
    for (int i = 0; i < n; ++i) {
        list[i].triangle = i, list[i].group = group ? group[i] : 0, list[i].code = 0;
        for (int a = 0; a < 3; ++a) {
            const double cell = (centre(position, triangle + 3 * (size_t)i, a) - low[a]) * scale;
            list[i].code |= spread(cell > 0 ? (uint64_t)cell : 0) << a;
        }
    }
    qsort(list, (size_t)n, sizeof *list, by_code);
    for (int i = 0; i < n; ++i) tree->order[i] = list[i].triangle;
    sn_release(tree->context, list);
    return SN_OK;
}

/* ---- Life ---- */
/* Counts the blocks of the levels, until a level has one. */
static void divide(sn_box_tree *tree) {
    int blocks = tree->triangle_count > 0 ? sn_pieces(tree->triangle_count, SN_BOX_FAN) : 1;
    for (int last = 0; tree->levels < 2 || last > 1; last = blocks, blocks = sn_pieces(blocks, SN_BOX_FAN)) {
        tree->first[tree->levels + 1] = tree->first[tree->levels] + blocks;
        ++tree->levels;
    }
}

static void fill_corners(sn_box_tree *tree, const int32_t *triangle) {
    for (int p = 0; tree->triangle_count > 0 && p < tree->first[1] * SN_BOX_FAN; ++p) {
        const int t = tree->order[p < tree->triangle_count ? p : tree->triangle_count - 1];
        for (int k = 0; k < 3; ++k)
            tree->corner[(p / SN_BOX_FAN * 3 + k) * SN_BOX_FAN + p % SN_BOX_FAN] = triangle[3 * (size_t)t + k];
    }
}

sn_status sn_box_tree_create(sn_context *context, const double *position, int vertex_count, const int32_t *triangle,
                             int triangle_count, sn_box_tree **tree, sn_error *error) {
    return sn_box_tree_create_groups(context, position, vertex_count, triangle, triangle_count, NULL, tree, error);
}

sn_status sn_box_tree_create_groups(sn_context *context, const double *position, int vertex_count,
                                    const int32_t *triangle, int triangle_count, const int32_t *group,
                                    sn_box_tree **out, sn_error *error) {
    *out = NULL;
    sn_box_tree *tree = sn_allocate_zero(context, 1, sizeof *tree);
    if (!tree) return sn_no_memory(error);
    tree->context = context;
    tree->triangle_count = triangle_count, tree->vertex_count = vertex_count;
    divide(tree);
    tree->block = sn_allocate_zero(context, (size_t)tree->first[tree->levels], sizeof *tree->block);
    tree->order = sn_allocate(context, (size_t)triangle_count, sizeof *tree->order);
    tree->corner = sn_allocate_zero(context, (size_t)tree->first[1] * 3 * SN_BOX_FAN, sizeof *tree->corner);
    tree->reference = sn_allocate_zero(context, 3 * (size_t)vertex_count, sizeof *tree->reference);
    sn_status status = tree->block && tree->order && tree->corner && tree->reference
                           ? sort(tree, position, triangle, group, error)
                           : sn_no_memory(error);
    if (status != SN_OK) {
        sn_box_tree_destroy(tree);
        return status;
    }
    fill_corners(tree, triangle);
    *out = tree;
    return SN_OK;
}

void sn_box_tree_destroy(sn_box_tree *tree) {
    if (!tree) return;
    sn_release(tree->context, tree->block);
    sn_release(tree->context, tree->order);
    sn_release(tree->context, tree->corner);
    sn_release(tree->context, tree->reference);
    sn_release(tree->context, tree);
}

/* ---- Fitting ---- */
typedef struct fitting {
    sn_box_tree *tree;
    const double *position, *target;
    double margin;
    const sn_box_kernels *kernels;
} fitting;

static void fit_piece(void *data, int piece) {
    const fitting *f = data;
    const int n = f->tree->first[1];
    f->kernels->fit_leaves(f->tree, f->position, f->target, f->margin, (int)sn_piece_begin(n, FIT_GRAIN, piece),
                           (int)sn_piece_begin(n, FIT_GRAIN, piece + 1));
}

void sn_box_tree_refit(sn_box_tree *tree, const double *position, const double *target, double margin) {
    fitting f = {tree, position, target, margin, sn_box_kernels_for(tree->context)};
    if (tree->triangle_count > 0)
        sn_parallel_pieces(tree->context, sn_pieces(tree->first[1], FIT_GRAIN), fit_piece, &f);
    for (int level = 1; level < tree->levels; ++level)
        f.kernels->fit_level(tree, level, 0, tree->first[level + 1] - tree->first[level]);
    memcpy(tree->reference, position, 3 * (size_t)tree->vertex_count * sizeof *position);
    tree->margin = margin;
}

bool sn_box_tree_moved(const sn_box_tree *tree, const double *position, double way) {
    for (int i = 0; i < tree->vertex_count; ++i) {
        double square = 0;
        for (int a = 0; a < 3; ++a) {
            const double d = position[3 * (size_t)i + a] - tree->reference[3 * (size_t)i + a];
            square += d * d;
        }
        if (!(square <= way * way)) return true;
    }
    return false;
}

void sn_box_tree_bounds(const sn_box_tree *tree, float low[3], float high[3]) {
    const sn_box_block *top = &tree->block[tree->first[tree->levels - 1]];
    for (int a = 0; a < 3; ++a) {
        low[a] = INFINITY, high[a] = -INFINITY;
        for (int c = 0; c < SN_BOX_FAN && tree->triangle_count > 0; ++c) {
            low[a] = fminf(low[a], top->low[a][c]);
            high[a] = fmaxf(high[a], top->high[a][c]);
        }
    }
}

/* ---- Pairs ---- */
void sn_box_pairs_release(sn_box_pairs *pairs) {
    for (int i = 0; i < pairs->piece_capacity; ++i) sn_release(pairs->context, pairs->piece[i].pair);
    sn_release(pairs->context, pairs->piece);
    sn_release(pairs->context, pairs->pair);
    *pairs = (sn_box_pairs){.context = pairs->context};
}

typedef struct querying {
    const sn_box_tree *a, *b;
    sn_box_pairs *pairs;
    const sn_box_kernels *kernels;
} querying;

/* A piece whose list is too short is only counted. */
static void query_piece(void *data, int i) {
    const querying *q = data;
    struct sn_box_piece *piece = &q->pairs->piece[i];
    piece->count =
        q->kernels->pairs(q->a, q->b, (int)sn_piece_begin(q->a->first[1], PAIR_GRAIN, i),
                          (int)sn_piece_begin(q->a->first[1], PAIR_GRAIN, i + 1), piece->pair, piece->capacity);
}

static sn_status make_pieces(sn_box_pairs *pairs, int count, sn_error *error) {
    const int before = pairs->piece_capacity;
    void *piece = pairs->piece;
    const sn_status status =
        sn_grow(pairs->context, &piece, &pairs->piece_capacity, count, sizeof *pairs->piece, error);
    pairs->piece = piece;
    if (pairs->piece_capacity > before)
        memset(pairs->piece + before, 0, (size_t)(pairs->piece_capacity - before) * sizeof *pairs->piece);
    pairs->piece_count = count;
    return status;
}

/* Makes the lists that were too short longer, and fills them. *total: how many pairs there are. */
static sn_status finish_pieces(querying *q, int64_t *total, sn_error *error) {
    sn_box_pairs *pairs = q->pairs;
    *total = 0;
    for (int i = 0; i < pairs->piece_count; ++i) {
        struct sn_box_piece *piece = &pairs->piece[i];
        *total += piece->count;
        if (piece->count <= piece->capacity) continue;
        void *list = piece->pair;
        const sn_status status =
            sn_grow(pairs->context, &list, &piece->capacity, piece->count, sizeof *piece->pair, error);
        piece->pair = list;
        if (status != SN_OK) return status;
        query_piece(q, i);
    }
    return SN_OK;
}

sn_status sn_box_tree_pairs(const sn_box_tree *a, const sn_box_tree *b, sn_box_pairs *pairs, sn_error *error) {
    querying q = {a, b ? b : a, pairs, sn_box_kernels_for(a->context)};
    pairs->count = 0;
    if (a->triangle_count == 0 || q.b->triangle_count == 0) return SN_OK;
    sn_status status = make_pieces(pairs, sn_pieces(a->first[1], PAIR_GRAIN), error);
    if (status != SN_OK) return status;
    sn_parallel(pairs->context, pairs->piece_count, query_piece, &q);
    int64_t total;
    status = finish_pieces(&q, &total, error);
    if (status == SN_OK && total > INT_MAX) status = sn_fail(error, SN_NO_MEMORY, "too many pairs of triangles");
    if (status != SN_OK) return status;
    void *list = pairs->pair;
    status = sn_grow(pairs->context, &list, &pairs->capacity, (int)total, sizeof *pairs->pair, error);
    pairs->pair = list;
    for (int i = 0; i < pairs->piece_count && status == SN_OK; ++i) {
        if (pairs->piece[i].count == 0) continue;
        memcpy(pairs->pair + pairs->count, pairs->piece[i].pair, (size_t)pairs->piece[i].count * sizeof *pairs->pair);
        pairs->count += pairs->piece[i].count;
    }
    return status;
}
