/* Decompression of zlib streams (RFC 1950, RFC 1951). Written here because the build for web pages has no zlib and
 * reads the same mesh files. */
#ifndef SN_MESH_INFLATE_H
#define SN_MESH_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills exactly `size` bytes of `out` from a whole zlib stream. False when the stream is broken, has another size or
 * another check sum. */
bool sn_inflate(const uint8_t *in, size_t bytes, uint8_t *out, size_t size);

#endif
