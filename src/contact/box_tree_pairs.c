/* The search for pairs of triangles of box_tree.h: pairs of groups, then the blocks inside these groups where they are
 * not fitted yet, then pairs of triangles. */
#include <limits.h>
#include <string.h>

#include "box_tree.h"

enum { GROUP_GRAIN = 32, RUN_GRAIN = 2, FIT_GRAIN = 16 };
enum { FEW = 8 }; /* pieces: a second thread would take longer to wake than to do its share */

void sn_box_pairs_release(sn_box_pairs *pairs) {
    for (int i = 0; i < pairs->piece_capacity; ++i) sn_release(pairs->context, pairs->piece[i].pair);
    sn_release(pairs->context, pairs->piece);
    sn_release(pairs->context, pairs->pair);
    sn_release(pairs->context, pairs->group);
    sn_release(pairs->context, pairs->run);
    *pairs = (sn_box_pairs){.context = pairs->context, .keep = pairs->keep, .user = pairs->user};
}

typedef struct querying {
    sn_box_tree *a, *b;
    sn_box_pairs *pairs;
    const sn_box_kernels *kernels;
} querying;

static int group_count(const sn_box_tree *tree) { return tree->first[2] - tree->first[1]; }

/* ---- Lists that pieces fill ---- */

/* A piece whose list is too short is only counted. */
static void group_piece(void *data, int i) {
    const querying *q = data;
    struct sn_box_piece *piece = &q->pairs->piece[i];
    const int n = group_count(q->a);
    piece->count = q->kernels->groups(q->a, q->b, (int)sn_piece_begin(n, GROUP_GRAIN, i),
                                      (int)sn_piece_begin(n, GROUP_GRAIN, i + 1), piece->pair, piece->capacity);
}

/* Keeps the wanted pairs, in their order. */
static void sift(const sn_box_pairs *pairs, struct sn_box_piece *piece) {
    int kept = 0;
    for (int i = 0; i < piece->count; ++i)
        if (pairs->keep(pairs->user, piece->pair[i])) memmove(piece->pair[kept++], piece->pair[i], sizeof *piece->pair);
    piece->count = kept;
}

static void pair_piece(void *data, int i) {
    const querying *q = data;
    struct sn_box_piece *piece = &q->pairs->piece[i];
    const sn_box_pairs *pairs = q->pairs;
    const int end = (int)sn_piece_begin(pairs->run_count, RUN_GRAIN, i + 1);
    piece->count = 0;
    for (int r = (int)sn_piece_begin(pairs->run_count, RUN_GRAIN, i); r < end; ++r) {
        const int32_t begin = pairs->run[r];
        const int room = piece->capacity > piece->count ? piece->capacity - piece->count : 0;
        piece->count += q->kernels->pairs(q->a, q->b, pairs->group + begin, pairs->run[r + 1] - begin,
                                          room > 0 ? piece->pair + piece->count : NULL, room);
    }
    if (pairs->keep && piece->count <= piece->capacity) sift(pairs, piece);
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
static sn_status finish_pieces(querying *q, void (*task)(void *data, int piece), int64_t *total, sn_error *error) {
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
        task(q, i);
    }
    return SN_OK;
}

/* Runs the pieces and puts what they find into one list. */
static sn_status collect(querying *q, void (*task)(void *data, int piece), int pieces, int32_t (**list)[2], int *count,
                         int *capacity, sn_error *error) {
    sn_box_pairs *pairs = q->pairs;
    int64_t total;
    *count = 0;
    sn_status status = make_pieces(pairs, pieces, error);
    if (status != SN_OK) return status;
    if (pieces < FEW)
        sn_parallel_runs(NULL, pieces, task, q);
    else
        sn_parallel(pairs->context, pieces, task, q);
    status = finish_pieces(q, task, &total, error);
    if (status == SN_OK && total > INT_MAX) status = sn_fail(error, SN_NO_MEMORY, "too many pairs of triangles");
    if (status != SN_OK) return status;
    void *grown = *list;
    status = sn_grow(pairs->context, &grown, capacity, (int)total, sizeof **list, error);
    *list = grown;
    for (int i = 0; i < pieces && status == SN_OK; ++i) {
        if (pairs->piece[i].count == 0) continue;
        memcpy(*list + *count, pairs->piece[i].pair, (size_t)pairs->piece[i].count * sizeof **list);
        *count += pairs->piece[i].count;
    }
    return status;
}

/* ---- Groups ---- */

/* Where each group of A begins in the list of pairs of groups. */
static sn_status make_runs(sn_box_pairs *pairs, sn_error *error) {
    const sn_status status = sn_grow(pairs->context, (void **)&pairs->run, &pairs->run_capacity, pairs->group_count + 1,
                                     sizeof *pairs->run, error);
    if (status != SN_OK) return status;
    pairs->run_count = 0;
    for (int i = 0; i < pairs->group_count; ++i)
        if (i == 0 || pairs->group[i][0] != pairs->group[i - 1][0]) pairs->run[pairs->run_count++] = i;
    pairs->run[pairs->run_count] = pairs->group_count;
    return SN_OK;
}

typedef struct fitting {
    sn_box_tree *tree;
    int count;
    const sn_box_kernels *kernels;
} fitting;

static void fit_piece(void *data, int piece) {
    const fitting *f = data;
    const int end = (int)sn_piece_begin(f->count, FIT_GRAIN, piece + 1);
    for (int i = (int)sn_piece_begin(f->count, FIT_GRAIN, piece); i < end; ++i) {
        const int group = f->tree->waiting[i];
        f->kernels->fit_inside(f->tree, f->tree->position, NULL, 0, group, group + 1);
    }
}

/* Fits the groups of one side of the pairs of groups. */
static void fit(sn_box_tree *tree, const sn_box_pairs *pairs, int side) {
    fitting f = {tree, 0, sn_box_kernels_for(tree->context)};
    for (int i = 0; i < pairs->group_count; ++i) {
        const int32_t group = pairs->group[i][side];
        if (tree->fitted[group]) continue;
        tree->fitted[group] = true;
        tree->waiting[f.count++] = group;
    }
    sn_parallel(tree->context, sn_pieces(f.count, FIT_GRAIN), fit_piece, &f);
}

sn_status sn_box_tree_pairs(sn_box_tree *a, sn_box_tree *b, sn_box_pairs *pairs, sn_error *error) {
    querying q = {a, b ? b : a, pairs, sn_box_kernels_for(a->context)};
    pairs->count = 0;
    if (a->triangle_count == 0 || q.b->triangle_count == 0) return SN_OK;
    sn_status status = collect(&q, group_piece, sn_pieces(group_count(a), GROUP_GRAIN), &pairs->group,
                               &pairs->group_count, &pairs->group_capacity, error);
    if (status == SN_OK) status = make_runs(pairs, error);
    if (status != SN_OK) return status;
    fit(a, pairs, 0);
    fit(q.b, pairs, 1);
    return collect(&q, pair_piece, sn_pieces(pairs->run_count, RUN_GRAIN), &pairs->pair, &pairs->count,
                   &pairs->capacity, error);
}
