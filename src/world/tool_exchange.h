/* Passes the newest item from one thread to another without a lock (a triple buffer).
 *
 * There are three items. One belongs to the writer, one to the reader, and one lies in the middle. The writer fills its
 * item and exchanges it for the one in the middle; the reader exchanges its item for the middle one when that is new.
 * Each exchange is one atomic operation, so both sides are wait-free. The reader may miss items, but never sees half of
 * one. One thread writes and one thread reads. The items lie beside this struct, in an array of three. */
#ifndef SN_WORLD_TOOL_EXCHANGE_H
#define SN_WORLD_TOOL_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>

enum { SN_EXCHANGE_ITEMS = 3, SN_EXCHANGE_NEW = 4 };

typedef struct sn_exchange {
    _Alignas(64) atomic_uint middle; /* number of the item in the middle, + SN_EXCHANGE_NEW when nobody has read it */
    _Alignas(64) unsigned write;     /* the writer's item */
    _Alignas(64) unsigned read;      /* the reader's item */
} sn_exchange;

static inline void sn_exchange_start(sn_exchange *exchange) {
    exchange->write = 0, exchange->read = 2;
    atomic_init(&exchange->middle, 1u);
}

/* The writer has filled item `write`. Afterwards it has another item, with old contents. */
static inline void sn_exchange_publish(sn_exchange *exchange) {
    exchange->write =
        atomic_exchange_explicit(&exchange->middle, exchange->write | SN_EXCHANGE_NEW, memory_order_acq_rel) & 3u;
}

/* Returns whether item `read` has become a newer one. */
static inline bool sn_exchange_take(sn_exchange *exchange) {
    if (!(atomic_load_explicit(&exchange->middle, memory_order_relaxed) & SN_EXCHANGE_NEW)) return false;
    exchange->read = atomic_exchange_explicit(&exchange->middle, exchange->read, memory_order_acq_rel) & 3u;
    return true;
}

#endif
