/* The order of a level's rows for Gauss-Seidel on threads. Runs of neighbouring rows become pieces. Pieces are coloured
 * so that pieces of one colour do not touch. Inside a piece, rows are sorted by the colours of nodes, so that
 * consecutive rows do not wait for each other. A sweep in ascending order of rows is then a sweep by colours. */
#include <stdlib.h>
#include <string.h>

#include "multigrid.h"

enum { PIECE = 96, COLORS = 64 };

/* The lowest colour that is not marked in `used`. */
static int lowest_free(uint64_t used) {
    int c = 0;
    while (c < COLORS - 1 && (used >> c & 1)) ++c;
    return c;
}

/* Colours runs of PIECE rows, so that runs of one colour do not touch. Returns the number of colours. Returns -1 when
 * the neighbours of a piece use all COLORS colours, which does not happen on ordinary meshes. */
static int color_pieces(const sn_mg_level *level, int pieces, int32_t *color) {
    int most = 0;
    for (int c = 0; c < pieces; ++c) color[c] = -1;
    for (int c = 0; c < pieces; ++c) {
        uint64_t used = 0;
        const int end = (c + 1) * PIECE < level->nodes ? (c + 1) * PIECE : level->nodes;
        for (int i = c * PIECE; i < end; ++i)
            for (int32_t k = level->row_begin[i]; k < level->row_begin[i + 1]; ++k) {
                const int other = level->column[k] / PIECE;
                if (other != c && color[other] >= 0) used |= (uint64_t)1 << color[other];
            }
        if (used == ~(uint64_t)0) return -1;
        color[c] = lowest_free(used);
        if (color[c] + 1 > most) most = color[c] + 1;
    }
    return most;
}

/* Colours the nodes inside one piece with at most 16 colours. A node that finds no free colour gets the last one. */
static void color_nodes(const sn_mg_level *level, int begin, int end, uint8_t *color) {
    for (int i = begin; i < end; ++i) {
        unsigned used = 0;
        for (int32_t k = level->row_begin[i]; k < level->row_begin[i + 1]; ++k) {
            const int j = level->column[k];
            if (j >= begin && j < i) used |= 1u << color[j - begin];
        }
        int c = 0;
        while (c < 15 && (used >> c & 1)) ++c;
        color[i - begin] = (uint8_t)c;
    }
}

/* Sorts the rows of one colour by length. Consecutive loops then have the same length, which the processor predicts
 * well. */
static void insert_by_length(const sn_mg_level *level, int32_t *sorted, int count, int row) {
    const int length = level->row_begin[row + 1] - level->row_begin[row];
    while (count > 0 && level->row_begin[sorted[count - 1] + 1] - level->row_begin[sorted[count - 1]] > length) {
        sorted[count] = sorted[count - 1];
        --count;
    }
    sorted[count] = row;
}

sn_status sn_mg_order_rows(sn_context *context, sn_mg_level *level, int32_t *order, sn_error *error) {
    const int pieces = sn_pieces(level->nodes, PIECE);
    int32_t *color = sn_allocate(context, (size_t)pieces + 1, sizeof *color);
    level->piece_begin = sn_allocate(context, (size_t)pieces + 1, sizeof *level->piece_begin);
    level->color_begin = sn_allocate(context, COLORS + 1, sizeof *level->color_begin);
    if (!color || !level->piece_begin || !level->color_begin) {
        sn_release(context, color);
        return sn_no_memory(error);
    }
    level->color_count = color_pieces(level, pieces, color);
    if (level->color_count < 0) { /* the graph is too dense to colour */
        sn_release(context, color);
        return sn_fail(error, SN_UNSUPPORTED, "the node graph is too dense for multigrid");
    }
    int row = 0, piece = 0;
    for (int c = 0; c < level->color_count; ++c) {
        level->color_begin[c] = piece;
        for (int k = 0; k < pieces; ++k) {
            if (color[k] != c) continue;
            const int begin = k * PIECE, end = begin + PIECE < level->nodes ? begin + PIECE : level->nodes;
            uint8_t node_color[PIECE];
            color_nodes(level, begin, end, node_color);
            level->piece_begin[piece++] = row;
            for (int nc = 0; nc < 16; ++nc) {
                const int first = row;
                for (int i = begin; i < end; ++i)
                    if (node_color[i - begin] == nc) insert_by_length(level, order + first, row++ - first, i);
            }
        }
    }
    level->color_begin[level->color_count] = piece;
    level->piece_begin[piece] = row;
    sn_release(context, color);
    return SN_OK;
}
