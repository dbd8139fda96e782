/* Stage 3 of contact determination: which candidates intersect. Most of them do not: a filter drops them, eight at a
 * time.
 *
 * The candidates are cut into pieces of fixed size. A piece writes its cuts to its own slots and counts them. A piece
 * with more cuts than slots runs once more when the place of its cuts is known. So the list has one order for any
 * number of threads, and all pieces share one list. */
#include <string.h>

#include "determination_inside.h"

enum { GRAIN = 512, SLOTS = 64, LANES = 8 };
enum { FEW = 4 }; /* pieces: a second thread would take longer to wake than to do its share */

typedef struct cutting {
    sn_touch_finder *finder;
    const sn_touch_surface *a, *b;
    const sn_cut_filter *filter;
} cutting;

static bool share_vertex(const sn_touch_surface *surface, int32_t s, int32_t t) {
    const int32_t *p = &surface->triangle[3 * (size_t)s], *q = &surface->triangle[3 * (size_t)t];
    for (int i = 0; i < 9; ++i)
        if (p[i / 3] == q[i % 3]) return true;
    return false;
}

/* One bit for each of the candidates first to end, at most 8, that may intersect, and their signs. */
static unsigned filter(const cutting *c, int first, int end, sn_cut_signs *signs) {
    const sn_box_pairs *candidates = &c->finder->candidates;
    int32_t corner[2][3 * LANES];
    for (int l = 0; l < LANES; ++l) {
        const int32_t *pair = candidates->pair[first + l < end ? first + l : end - 1];
        for (int k = 0; k < 3; ++k) {
            corner[0][k * LANES + l] = c->a->triangle[3 * (size_t)pair[0] + (size_t)k];
            corner[1][k * LANES + l] = c->b->triangle[3 * (size_t)pair[1] + (size_t)k];
        }
    }
    const unsigned all = end - first < LANES ? (1u << (end - first)) - 1 : (1u << LANES) - 1;
    return all & ~c->filter->apart(c->a->position, corner[0], c->b->position, corner[1], signs);
}

/* Writes at most `room` cuts of the candidates begin to before end; returns how many there are. */
static int cut_range(const cutting *c, int begin, int end, sn_touch_cut *out, int room) {
    const sn_box_pairs *candidates = &c->finder->candidates;
    sn_cut_signs signs;
    int count = 0;
    for (int first = begin; first < end; first += LANES)
        for (unsigned left = filter(c, first, end, &signs); left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            const int32_t *pair = candidates->pair[first + lane];
            if (c->a == c->b && share_vertex(c->a, pair[0], pair[1])) continue;
            sn_touch_cut cut;
            if (!sn_touch_cut_signed(c->a, pair[0], c->b, pair[1], &signs, lane, &cut)) continue;
            if (count < room) out[count] = cut;
            ++count;
        }
    return count;
}

static int cut_piece(const cutting *c, int piece, sn_touch_cut *out, int room) {
    const int64_t count = c->finder->candidates.count;
    return cut_range(c, (int)sn_piece_begin(count, GRAIN, piece), (int)sn_piece_begin(count, GRAIN, piece + 1), out,
                     room);
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

/* Few candidates: one thread, with room for all of them behind the cuts. */
static sn_status cut_few(const cutting *c, sn_error *error) {
    sn_touch_finder *finder = c->finder;
    const int room = finder->candidates.count, most = finder->cut_count + room;
    const sn_status status =
        sn_grow(finder->context, (void **)&finder->cut, &finder->cut_capacity, most, sizeof *finder->cut, error);
    if (!status && room > 0) finder->cut_count += cut_range(c, 0, room, finder->cut + finder->cut_count, room);
    return status;
}

static sn_status cut_many(cutting *c, int pieces, sn_error *error) {
    sn_touch_finder *finder = c->finder;
    sn_status status = sn_grow(finder->context, (void **)&finder->slot, &finder->slot_capacity, pieces * SLOTS,
                               sizeof *finder->slot, error);
    if (!status)
        status = sn_grow(finder->context, (void **)&finder->piece, &finder->piece_capacity, pieces + 1,
                         sizeof *finder->piece, error);
    if (status) return status;
    sn_parallel(finder->context, pieces, first_pass, c);
    int total = finder->cut_count;
    for (int i = 0; i < pieces; ++i) {
        const int count = finder->piece[i];
        finder->piece[i] = total, total += count;
    }
    finder->piece[pieces] = total;
    status = sn_grow(finder->context, (void **)&finder->cut, &finder->cut_capacity, total, sizeof *finder->cut, error);
    if (status) return status;
    sn_parallel(finder->context, pieces, second_pass, c);
    finder->cut_count = total;
    return SN_OK;
}

sn_status sn_finder_cut(sn_touch_finder *finder, const sn_finder_pair *pair, sn_error *error) {
    cutting c = {finder, finder->surface[pair->surface[0]].surface, finder->surface[pair->surface[1]].surface,
                 sn_cut_filter_for(finder->context)};
    const int pieces = sn_pieces(finder->candidates.count, GRAIN);
    return pieces < FEW ? cut_few(&c, error) : cut_many(&c, pieces, error);
}
