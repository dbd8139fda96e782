/* A board: one thread writes a struct on it again and again, others read it at any time, and nobody takes a lock.
 *
 * The struct is held as words. `turn` is odd while they change. A reader takes the words and looks whether the turn was
 * even and stayed the same; otherwise it takes them again. The writer never waits. Each word is atomic: stores release
 * and loads acquire, so a reader that sees a new word also sees that the turn has changed. */
#ifndef SN_HAPTIC_BOARD_H
#define SN_HAPTIC_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SN_BOARD_WORDS = 96 };

typedef struct sn_board {
    atomic_uint turn;
    _Atomic uint64_t word[SN_BOARD_WORDS];
} sn_board;

/* `bytes`: a multiple of 8, at most 8 * SN_BOARD_WORDS. */
static inline void sn_board_write(sn_board *board, const void *data, size_t bytes) {
    const unsigned turn = atomic_load_explicit(&board->turn, memory_order_relaxed);
    atomic_store_explicit(&board->turn, turn + 1, memory_order_relaxed);
    for (size_t i = 0; i < bytes / 8; ++i) {
        uint64_t word;
        memcpy(&word, (const char *)data + 8 * i, 8);
        atomic_store_explicit(&board->word[i], word, memory_order_release);
    }
    atomic_store_explicit(&board->turn, turn + 2, memory_order_release);
}

/* False: the words changed meanwhile; `data` is then worth nothing. */
static inline bool sn_board_read(const sn_board *board, void *data, size_t bytes) {
    const unsigned turn = atomic_load_explicit(&board->turn, memory_order_acquire);
    for (size_t i = 0; i < bytes / 8; ++i) {
        const uint64_t word = atomic_load_explicit(&board->word[i], memory_order_acquire);
        memcpy((char *)data + 8 * i, &word, 8);
    }
    return turn % 2 == 0 && atomic_load_explicit(&board->turn, memory_order_relaxed) == turn;
}

#endif
