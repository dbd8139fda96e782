/* The hash of states: FNV-1a with 64 bits. */
#ifndef SN_BASE_HASH_H
#define SN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SN_HASH_START 14695981039346656037u

static inline uint64_t sn_hash(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 1099511628211u;
    return hash;
}

#endif
