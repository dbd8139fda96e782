/* The tree of boxes of box_tree.h: its order, and the loops over its pieces. */
#include "box_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const sn_box_kernels sn_box_kernels_baseline;
#if defined(SN_HAVE_X86_KERNELS)
extern const sn_box_kernels sn_box_kernels_avx2, sn_box_kernels_avx512;
#endif

const sn_box_kernels *sn_box_kernels_for(const sn_context *context) { return SN_BUILD(context, sn_box_kernels); }

enum { FIT_GRAIN = 128, GROUP_GRAIN = 64 };

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
    for (int last = 0; tree->levels < 3 || last > 1; last = blocks, blocks = sn_pieces(blocks, SN_BOX_FAN)) {
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

/* Lists the vertices of the groups. `last` (vertex_count): scratch, the last group that has listed a vertex. */
static void fill_groups(sn_box_tree *tree, const int32_t *triangle, int32_t *last) {
    int count = 0;
    for (int i = 0; i < tree->vertex_count; ++i) last[i] = -1;
    for (int p = 0; p < tree->triangle_count; ++p) {
        const int group = p / SN_BOX_GROUP;
        if (p % SN_BOX_GROUP == 0) tree->group_first[group] = count;
        for (int k = 0; k < 3; ++k) {
            const int32_t vertex = triangle[3 * (size_t)tree->order[p] + k];
            if (last[vertex] != group) tree->group_vertex[count++] = vertex;
            last[vertex] = group;
        }
        if (p % SN_BOX_GROUP < SN_BOX_GROUP - 1 && p < tree->triangle_count - 1) continue;
        for (; count % SN_BOX_FAN != 0; ++count) tree->group_vertex[count] = tree->group_vertex[count - 1];
        tree->group_first[group + 1] = count;
    }
}

static sn_status make_groups(sn_box_tree *tree, const int32_t *triangle, sn_error *error) {
    const int groups = tree->first[2] - tree->first[1];
    tree->group_first = sn_allocate_zero(tree->context, (size_t)groups + 1, sizeof *tree->group_first);
    tree->group_vertex = sn_allocate(tree->context, (size_t)groups * 3 * SN_BOX_GROUP, sizeof *tree->group_vertex);
    tree->fitted = sn_allocate_zero(tree->context, (size_t)groups, sizeof *tree->fitted);
    tree->waiting = sn_allocate(tree->context, (size_t)groups, sizeof *tree->waiting);
    int32_t *last = sn_allocate(tree->context, (size_t)tree->vertex_count, sizeof *last);
    const bool made = tree->group_first && tree->group_vertex && tree->fitted && tree->waiting && last;
    if (made) fill_groups(tree, triangle, last);
    sn_release(tree->context, last);
    return made ? SN_OK : sn_no_memory(error);
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
    if (status == SN_OK) status = make_groups(tree, triangle, error);
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
    sn_release(tree->context, tree->group_first);
    sn_release(tree->context, tree->group_vertex);
    sn_release(tree->context, tree->fitted);
    sn_release(tree->context, tree->waiting);
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
    memset(tree->fitted, true, (size_t)(tree->first[2] - tree->first[1]) * sizeof *tree->fitted);
    tree->margin = margin;
}

static void group_piece(void *data, int piece) {
    const fitting *f = data;
    const int n = f->tree->first[2] - f->tree->first[1];
    f->kernels->fit_groups(f->tree, f->position, (int)sn_piece_begin(n, GROUP_GRAIN, piece),
                           (int)sn_piece_begin(n, GROUP_GRAIN, piece + 1));
}

void sn_box_tree_refit_groups(sn_box_tree *tree, const double *position) {
    fitting f = {tree, position, NULL, 0, sn_box_kernels_for(tree->context)};
    const int groups = tree->first[2] - tree->first[1];
    tree->position = position;
    if (tree->triangle_count == 0) return;
    memset(tree->fitted, false, (size_t)groups * sizeof *tree->fitted);
    for (int c = groups % SN_BOX_FAN; c > 0 && c < SN_BOX_FAN; ++c) /* the slots of level 2 without a group */
        for (int a = 0; a < 3; ++a) {
            sn_box_block *last = &tree->block[tree->first[2] + groups / SN_BOX_FAN];
            last->low[a][c] = INFINITY, last->high[a][c] = -INFINITY;
        }
    sn_parallel_pieces(tree->context, sn_pieces(groups, GROUP_GRAIN), group_piece, &f);
    for (int level = 3; level < tree->levels; ++level)
        f.kernels->fit_level(tree, level, 0, tree->first[level + 1] - tree->first[level]);
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
