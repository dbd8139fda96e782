/* The engine's exports to JavaScript. Messages go in by sinew_message and come out through Module.onmessage(text,
 * bytes). */
#include <emscripten.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine.h"

EM_JS(void, hand_over, (const char *text, const void *bytes, size_t size),
      { Module.onmessage(UTF8ToString(text), HEAPU8.slice(bytes, bytes + size).buffer); });

static void send(void *user, const char *text, size_t length, const void *bytes, size_t size) {
    (void)user, (void)length;
    hand_over(text, bytes, size);
}

EMSCRIPTEN_KEEPALIVE engine *sinew_create(int threads) {
    mkdir("/files", 0777);
    return engine_create(threads, "/files", send, NULL);
}

EMSCRIPTEN_KEEPALIVE void sinew_destroy(engine *engine) { engine_destroy(engine); }

/* `text` ends with a zero; `bytes` may be NULL. */
EMSCRIPTEN_KEEPALIVE void sinew_message(engine *engine, const char *text, const void *bytes, size_t size) {
    engine_message(engine, text, strlen(text), bytes, size);
}

EMSCRIPTEN_KEEPALIVE double sinew_tick(engine *engine, int wants_frame) {
    return engine_tick(engine, wants_frame != 0);
}
