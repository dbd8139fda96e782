/* Fused loops over vectors, for sums that base/vector.h has no function for. They run in the pieces of base/vector.h
 * and share these among the threads in the same way.
 *
 *   SN_LOOP(name, statement)   defines a loop: it runs `statement` for each i, with the fields of `l`
 *   sn_loop(context, n, name, (sn_operands){...})   runs the loop */
#ifndef SN_TIME_LOOP_H
#define SN_TIME_LOOP_H

#include "base/vector.h"

typedef struct sn_operands {
    int n; /* set by sn_loop */
    double p, q, r;
    const double *a, *b, *c, *d;
    double *out, *other;
} sn_operands;

#define SN_LOOP(name, ...)                                                                                             \
    static void name(void *data, int piece) {                                                                          \
        const sn_operands l = *(const sn_operands *)data;                                                              \
        const int64_t begin = (int64_t)piece * SN_PIECE, end = begin + SN_PIECE < l.n ? begin + SN_PIECE : l.n;        \
        for (int64_t i = begin; i < end; ++i) {                                                                        \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    }

static inline void sn_loop(const sn_context *context, int n, void (*loop)(void *data, int piece),
                           sn_operands operands) {
    operands.n = n;
    sn_parallel_pieces(context, sn_pieces(n, SN_PIECE), loop, &operands);
}

#endif
