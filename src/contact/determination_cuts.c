/* Stage 3 of contact determination: which candidates intersect.
 *
 * The candidates are cut into pieces of fixed size. A piece writes its cuts to its own slots and counts them. A piece
 * with more cuts than slots is done once more when the place of its cuts is known. So the list has one order for any
 * number of threads, and no piece needs a list of its own. */
#include <string.h>

#include "determination_inside.h"

enum { GRAIN = 512, SLOTS = 64 };

typedef struct cutting {
    sn_touch_finder *finder;
    const sn_touch_surface *a, *b;
} cutting;

static bool share_vertex(const sn_touch_surface *surface, int32_t s, int32_t t) {
    const int32_t *p = &surface->triangle[3 * (size_t)s], *q = &surface->triangle[3 * (size_t)t];
    for (int i = 0; i < 9; ++i)
        if (p[i / 3] == q[i % 3]) return true;
    return false;
}

/* Writes at most `room` cuts of a piece; returns how many there are. */
static int cut_piece(const cutting *c, int piece, sn_touch_cut *out, int room) {
    const sn_box_pairs *candidates = &c->finder->candidates;
    const int end = (int)sn_piece_begin(candidates->count, GRAIN, piece + 1);
    int count = 0;
    for (int i = (int)sn_piece_begin(candidates->count, GRAIN, piece); i < end; ++i) {
        const int32_t ta = candidates->pair[i][0], tb = candidates->pair[i][1];
        if (c->a == c->b && share_vertex(c->a, ta, tb)) continue;
        sn_touch_cut cut;
        if (!sn_touch_cut_triangles(c->a, ta, c->b, tb, &cut)) continue;
        if (count < room) out[count] = cut;
        ++count;
    }
    return count;
}

static void first_pass(void *data, int piece) {
    const cutting *c = data;
    c->finder->piece[piece] = cut_piece(c, piece, c->finder->slot + (size_t)piece * SLOTS, SLOTS);
}

/* Here piece[i] is the place of the first cut of the piece. */
static void second_pass(void *data, int piece) {
    const cutting *c = data;
    const int begin = c->finder->piece[piece], count = c->finder->piece[piece + 1] - begin;
    if (count > SLOTS)
        cut_piece(c, piece, c->finder->cut + begin, count);
    else if (count > 0)
        memcpy(c->finder->cut + begin, c->finder->slot + (size_t)piece * SLOTS, (size_t)count * sizeof(sn_touch_cut));
}

sn_status sn_finder_cut(sn_touch_finder *finder, const sn_finder_pair *pair, sn_error *error) {
    cutting c = {finder, finder->surface[pair->surface[0]].surface, finder->surface[pair->surface[1]].surface};
    const int pieces = sn_pieces(finder->candidates.count, GRAIN);
    sn_status status = SN_OK;
    if (pieces * SLOTS > finder->slot_capacity)
        status = sn_grow(finder->context, (void **)&finder->slot, &finder->slot_capacity, pieces * SLOTS,
                         sizeof *finder->slot, error);
    if (!status && pieces + 1 > finder->piece_capacity)
        status = sn_grow(finder->context, (void **)&finder->piece, &finder->piece_capacity, pieces + 1,
                         sizeof *finder->piece, error);
    if (status) return status;
    sn_parallel(finder->context, pieces, first_pass, &c);
    int total = finder->cut_count;
    for (int i = 0; i < pieces; ++i) {
        const int count = finder->piece[i];
        finder->piece[i] = total, total += count;
    }
    finder->piece[pieces] = total;
    if (total > finder->cut_capacity)
        status =
            sn_grow(finder->context, (void **)&finder->cut, &finder->cut_capacity, total, sizeof *finder->cut, error);
    if (status) return status;
    sn_parallel(finder->context, pieces, second_pass, &c);
    finder->cut_count = total;
    return SN_OK;
}
