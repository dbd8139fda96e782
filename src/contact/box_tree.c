/* The tree of boxes of box_tree.h: its order, and the loops over its pieces. */
#include "box_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

extern const sn_box_kernels sn_box_kernels_baseline;
#if defined(SN_HAVE_X86_KERNELS)
extern const sn_box_kernels sn_box_kernels_avx2, sn_box_kernels_avx512;
#endif

const sn_box_kernels *sn_box_kernels_for(const sn_context *context) { return SN_BUILD(context, sn_box_kernels); }

enum { FIT_GRAIN = 16, GROUP_GRAIN = 64 }; /* groups */

/* ---- The order ---- */
/* The multiple of the largest power of SN_BOX_FAN that lies inside a range, nearest to its middle; 0: none does. */
static int cut_of(int begin, int end) {
    int64_t unit = SN_BOX_FAN;
    if (begin / unit == (end - 1) / unit) return 0;
    while (begin / (unit * SN_BOX_FAN) != (end - 1) / (unit * SN_BOX_FAN)) unit *= SN_BOX_FAN;
    const int64_t first = (begin / unit + 1) * unit, last = (end - 1) / unit * unit;
    const int64_t middle = ((int64_t)begin + end + unit) / 2 / unit * unit;
    return (int)(middle < first ? first : middle > last ? last : middle);
}

typedef struct cutting {
    double *centre;    /* triangles x 3: three times the centres */
    int32_t *order;    /* triangles */
    sn_keyed *scratch; /* triangles */
} cutting;

/* Cuts the places begin to end in two along their longest axis, and both parts again, down to the blocks. */
static void cut(const cutting *c, int begin, int end) {
    for (int middle; (middle = cut_of(begin, end)) > 0; begin = middle) {
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int i = begin; i < end; ++i)
            for (int a = 0; a < 3; ++a) {
                const double x = c->centre[3 * (size_t)c->order[i] + (size_t)a];
                low[a] = x < low[a] ? x : low[a], high[a] = x > high[a] ? x : high[a];
            }
        int axis = 0;
        for (int a = 1; a < 3; ++a)
            if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
        for (int i = begin; i < end; ++i)
            c->scratch[i] = (sn_keyed){c->centre[3 * (size_t)c->order[i] + (size_t)axis], c->order[i]};
        sn_keyed_part(c->scratch + begin, end - begin, middle - begin);
        for (int i = begin; i < end; ++i) c->order[i] = c->scratch[i].index;
        cut(c, begin, middle);
    }
}

static void fill_order(const cutting *c, int count, const double *position, const int32_t *triangle,
                       const int32_t *group) {
    for (int i = 0; i < count; ++i) {
        const int32_t *corner = triangle + 3 * (size_t)i;
        double *centre = c->centre + 3 * (size_t)i;
        for (int a = 0; a < 3; ++a)
            centre[a] = position[3 * (size_t)corner[0] + (size_t)a] + position[3 * (size_t)corner[1] + (size_t)a] +
                        position[3 * (size_t)corner[2] + (size_t)a];
        c->scratch[i] = (sn_keyed){group ? group[i] : 0, i};
    }
    if (group && count > 0) qsort(c->scratch, (size_t)count, sizeof *c->scratch, sn_compare_keyed);
    for (int i = 0; i < count; ++i) c->order[i] = c->scratch[i].index;
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && (!group || group[c->order[end]] == group[c->order[begin]]);) ++end;
        cut(c, begin, end);
    }
}

/* Fills tree->order. */
static sn_status sort(sn_box_tree *tree, const double *position, const int32_t *triangle, const int32_t *group,
                      sn_error *error) {
    const size_t n = (size_t)tree->triangle_count;
    const cutting c = {sn_allocate(tree->context, 3 * n, sizeof *c.centre), tree->order,
                       sn_allocate(tree->context, n, sizeof *c.scratch)};
    const bool enough = c.centre && c.scratch;
    if (enough) fill_order(&c, tree->triangle_count, position, triangle, group);
    sn_release(tree->context, c.centre);
    sn_release(tree->context, c.scratch);
    return enough ? SN_OK : sn_no_memory(error);
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

/* Lists the vertices of the groups, and the places of the corners in these lists. `last` (vertex_count): scratch, where
 * a vertex was listed last. */
static void fill_groups(sn_box_tree *tree, const int32_t *triangle, int32_t *last) {
    int count = 0;
    for (int i = 0; i < tree->vertex_count; ++i) last[i] = -1;
    for (int p = 0; p < tree->triangle_count; ++p) {
        const int group = p / SN_BOX_GROUP;
        if (p % SN_BOX_GROUP == 0) tree->group_first[group] = count;
        for (int k = 0; k < 3; ++k) {
            const int32_t vertex = triangle[3 * (size_t)tree->order[p] + k];
            if (last[vertex] < tree->group_first[group]) last[vertex] = count, tree->group_vertex[count++] = vertex;
            tree->corner[3 * (size_t)p + (size_t)k] = (uint8_t)(last[vertex] - tree->group_first[group]);
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
    tree->corner = sn_allocate(context, 3 * (size_t)triangle_count, sizeof *tree->corner);
    tree->reference = sn_allocate_zero(context, 3 * (size_t)vertex_count, sizeof *tree->reference);
    sn_status status = tree->block && tree->order && tree->corner && tree->reference
                           ? sort(tree, position, triangle, group, error)
                           : sn_no_memory(error);
    if (status == SN_OK) status = make_groups(tree, triangle, error);
    if (status != SN_OK) {
        sn_box_tree_destroy(tree);
        return status;
    }
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
    sn_release(tree->context, tree->way);
    sn_release(tree->context, tree);
}

sn_status sn_box_tree_follow(sn_box_tree *tree, sn_error *error) {
    if (!tree->way) tree->way = sn_allocate_zero(tree->context, (size_t)tree->first[1], sizeof *tree->way);
    return tree->way ? SN_OK : sn_no_memory(error);
}

/* ---- Fitting ---- */
typedef struct fitting {
    sn_box_tree *tree;
    const double *position, *target;
    double margin;
    const sn_box_kernels *kernels;
} fitting;

static int group_count(const sn_box_tree *tree) { return tree->first[2] - tree->first[1]; }

static void fit_piece(void *data, int piece) {
    const fitting *f = data;
    const int n = group_count(f->tree);
    f->kernels->fit_inside(f->tree, f->position, f->target, f->margin, (int)sn_piece_begin(n, FIT_GRAIN, piece),
                           (int)sn_piece_begin(n, FIT_GRAIN, piece + 1));
}

void sn_box_tree_refit(sn_box_tree *tree, const double *position, const double *target, double margin) {
    fitting f = {tree, position, target, margin, sn_box_kernels_for(tree->context)};
    if (tree->triangle_count > 0)
        sn_parallel_pieces(tree->context, sn_pieces(group_count(tree), FIT_GRAIN), fit_piece, &f);
    for (int level = 2; level < tree->levels; ++level)
        f.kernels->fit_level(tree, level, 0, tree->first[level + 1] - tree->first[level]);
    memcpy(tree->reference, position, 3 * (size_t)tree->vertex_count * sizeof *position);
    memset(tree->fitted, true, (size_t)group_count(tree) * sizeof *tree->fitted);
    tree->margin = margin;
    tree->moves = tree->way && target;
}

static void group_piece(void *data, int piece) {
    const fitting *f = data;
    const int n = group_count(f->tree);
    f->kernels->fit_groups(f->tree, f->position, (int)sn_piece_begin(n, GROUP_GRAIN, piece),
                           (int)sn_piece_begin(n, GROUP_GRAIN, piece + 1));
}

void sn_box_tree_refit_groups(sn_box_tree *tree, const double *position) {
    fitting f = {tree, position, NULL, 0, sn_box_kernels_for(tree->context)};
    const int groups = group_count(tree);
    tree->position = position;
    tree->moves = false;
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
