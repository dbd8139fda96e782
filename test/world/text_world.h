/* Steps of worlds that come from the text of a scene, on a shared context. Include it after cmocka. */
#ifndef TEST_WORLD_TEXT_WORLD_H
#define TEST_WORLD_TEXT_WORLD_H

#include "scene_text.h"
#include "shared_context.h"

static inline void run(sn_world *world, int steps) {
    sn_error error = {0};
    for (int i = 0; i < steps; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("step %d: %s", i, error.text);
}

#endif
