/* The engine behind the page: messages in, messages out. The same code runs in a worker as WebAssembly (wasm.c) and in
 * `sinew view` behind a WebSocket.
 *
 * A message is a JSON object with bytes behind it (often none). docs/embed-wasm.md lists the messages. The engine steps
 * the world in real time times a speed; when steps take longer it falls into slow motion and never tries to catch up.
 */
#ifndef SINEW_WEB_ENGINE_H
#define SINEW_WEB_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct engine engine;

/* Takes a message that the engine sends; text and bytes are only valid during the call. `bytes` is aligned to 8. */
typedef void engine_send(void *user, const char *text, size_t length, const void *bytes, size_t size);

/* `folder`: where dropped files are put and found, must exist. threads 0: one per core. NULL when there is no memory or
 * no thread. */
engine *engine_create(int threads, const char *folder, engine_send *send, void *user);
void engine_destroy(engine *engine);
/* The longest time in s that a message "advance" may take; without it there is no limit. */
void engine_limit(engine *engine, double seconds);
void engine_message(engine *engine, const char *text, size_t length, const void *bytes, size_t size);
/* Loads a scene file from a path. The message {"do": "load"} does the same with text. */
void engine_open(engine *engine, const char *path);
/* Takes the steps that are due. Sends a frame when `wants_frame` is set and there is something new. Returns the seconds
 * until the next call is of use. */
double engine_tick(engine *engine, bool wants_frame);

#endif
