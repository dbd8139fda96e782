/* See inflate.h. Codes are canonical: those of one length are consecutive numbers, in the order of their symbols, so a
 * code is decoded bit by bit by comparing it with the first code of its length (RFC 1951, 3.2.2). */
#include "inflate.h"

#include <string.h>

enum { LONGEST = 15, LITERALS = 288, DISTANCES = 30 };

typedef struct stream {
    const uint8_t *in, *end;
    uint32_t bits; /* read but not used, the next one lowest */
    int count;     /* of them */
    uint8_t *out;
    size_t size, used;
    bool failed; /* sticky */
} stream;

typedef struct code {
    uint16_t count[LONGEST + 1]; /* symbols by length */
    uint16_t symbol[LITERALS];   /* by length, then ascending */
} code;

static uint32_t take_bits(stream *s, int count) {
    while (s->count < count) {
        if (s->in == s->end) {
            s->failed = true;
            return 0;
        }
        s->bits |= (uint32_t)*s->in++ << s->count;
        s->count += 8;
    }
    const uint32_t value = s->bits & ((1u << count) - 1);
    s->bits >>= count;
    s->count -= count;
    return value;
}

/* False when the lengths are more than a prefix code can have. */
static bool make_code(code *c, const uint8_t *length, int symbols) {
    uint16_t next[LONGEST + 1] = {0};
    int left = 1;
    memset(c->count, 0, sizeof c->count);
    for (int i = 0; i < symbols; ++i) ++c->count[length[i]];
    c->count[0] = 0;
    for (int i = 1; i <= LONGEST; ++i) {
        left = 2 * left - c->count[i];
        if (left < 0) return false;
        next[i] = (uint16_t)(next[i - 1] + c->count[i - 1]);
    }
    for (int i = 0; i < symbols; ++i)
        if (length[i]) c->symbol[next[length[i]]++] = (uint16_t)i;
    return true;
}

static int take_symbol(stream *s, const code *c) {
    int value = 0, first = 0, place = 0;
    for (int length = 1; length <= LONGEST && !s->failed; ++length) {
        value |= (int)take_bits(s, 1);
        const int count = c->count[length];
        if (value - first < count) return c->symbol[place + value - first];
        place += count;
        first = 2 * (first + count);
        value *= 2;
    }
    s->failed = true;
    return 0;
}

static void put_byte(stream *s, uint8_t byte) {
    if (s->used == s->size)
        s->failed = true;
    else
        s->out[s->used++] = byte;
}

/* Literals, and copies of what came before, up to the end of the block (symbol 256). */
static void take_block(stream *s, const code *literal, const code *distance) {
    static const uint16_t length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                             31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_more[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                            2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distance_base[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                               33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                               1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!s->failed) {
        const int symbol = take_symbol(s, literal);
        if (s->failed || symbol == 256) return;
        if (symbol < 256) {
            put_byte(s, (uint8_t)symbol);
            continue;
        }
        const int l = symbol - 257;
        if (l >= 29) break;
        int length = length_base[l] + (int)take_bits(s, length_more[l]);
        const int d = take_symbol(s, distance);
        if (s->failed || d >= DISTANCES) break;
        const size_t back = distance_base[d] + (size_t)take_bits(s, d < 4 ? 0 : d / 2 - 1);
        if (s->failed || back > s->used) break;
        for (; length > 0 && !s->failed; --length) put_byte(s, s->out[s->used - back]);
    }
    s->failed = true;
}

static void take_stored(stream *s) {
    s->bits = 0, s->count = 0; /* to the next byte */
    if (s->end - s->in < 4) {
        s->failed = true;
        return;
    }
    const size_t length = s->in[0] | (size_t)s->in[1] << 8, check = s->in[2] | (size_t)s->in[3] << 8;
    s->in += 4;
    if (length != (check ^ 0xffff) || length > (size_t)(s->end - s->in) || length > s->size - s->used) {
        s->failed = true;
        return;
    }
    memcpy(s->out + s->used, s->in, length);
    s->in += length;
    s->used += length;
}

static void take_fixed(stream *s) {
    uint8_t length[LITERALS + DISTANCES];
    code literal, distance;
    for (int i = 0; i < LITERALS; ++i) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(length + LITERALS, 5, DISTANCES);
    make_code(&literal, length, LITERALS);
    make_code(&distance, length + LITERALS, DISTANCES);
    take_block(s, &literal, &distance);
}

/* The codes are themselves given by lengths, which have a code of their own. */
static void take_dynamic(stream *s) {
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t length[LITERALS + 32] = {0};
    code lengths, literal, distance;
    const int literals = (int)take_bits(s, 5) + 257, distances = (int)take_bits(s, 5) + 1,
              given = (int)take_bits(s, 4) + 4;
    for (int i = 0; i < given; ++i) length[order[i]] = (uint8_t)take_bits(s, 3);
    if (literals > 286 || distances > DISTANCES || !make_code(&lengths, length, 19)) s->failed = true;
    memset(length, 0, 19);
    for (int i = 0; i < literals + distances && !s->failed;) {
        const int symbol = take_symbol(s, &lengths);
        if (symbol < 16) {
            length[i++] = (uint8_t)symbol;
            continue;
        }
        const uint8_t value = symbol == 16 && i > 0 ? length[i - 1] : 0;
        int times = symbol == 16   ? 3 + (int)take_bits(s, 2)
                    : symbol == 17 ? 3 + (int)take_bits(s, 3)
                                   : 11 + (int)take_bits(s, 7);
        if ((symbol == 16 && i == 0) || i + times > literals + distances) s->failed = true;
        for (; times > 0 && !s->failed; --times) length[i++] = value;
    }
    if (s->failed || !make_code(&literal, length, literals) || !make_code(&distance, length + literals, distances))
        s->failed = true;
    else
        take_block(s, &literal, &distance);
}

static uint32_t adler32(const uint8_t *data, size_t bytes) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < bytes; ++i) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

bool sn_inflate(const uint8_t *in, size_t bytes, uint8_t *out, size_t size) {
    if (bytes < 6 || (in[0] & 15) != 8 || (in[0] * 256 + in[1]) % 31 || (in[1] & 32)) return false;
    stream s = {.in = in + 2, .end = in + bytes - 4, .out = out, .size = size};
    for (bool last = false; !last && !s.failed;) {
        last = take_bits(&s, 1);
        const uint32_t kind = take_bits(&s, 2);
        if (s.failed || kind == 3) return false;
        if (kind == 0) take_stored(&s);
        if (kind == 1) take_fixed(&s);
        if (kind == 2) take_dynamic(&s);
    }
    const uint8_t *sum = in + bytes - 4;
    const uint32_t expected = (uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3];
    return !s.failed && s.used == size && adler32(out, size) == expected;
}
