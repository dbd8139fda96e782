/* gcc's __builtin_shuffle for emscripten's clang, which does not have it: 16 floats by 16 indices. With constant indices the loop folds into shuffles.
 * engine.mk puts it in front of every file. */
#ifndef SINEW_WEB_SHUFFLE_H
#define SINEW_WEB_SHUFFLE_H

#if !__has_builtin(__builtin_shuffle)
typedef float web_v16 __attribute__((vector_size(64)));
typedef int web_i16 __attribute__((vector_size(64)));

static inline __attribute__((always_inline, unused)) web_v16 web_shuffle(web_v16 a, web_i16 index) {
    web_v16 out = a;
#pragma clang loop unroll(full)
    for (int k = 0; k < 16; ++k) out[k] = a[index[k] & 15];
    return out;
}
#define __builtin_shuffle(a, index) web_shuffle(a, index)
#endif

#endif
