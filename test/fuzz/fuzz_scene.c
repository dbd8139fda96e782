/* Any text as a scene: a message or a scene, never a crash. Sizes of meshes are held down by refusing texts with long
 * numbers. */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sinew/sinew.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* True when digits or an exponent could ask for a mesh that fills the memory. */
static int asks_for_much(const uint8_t *data, size_t size) {
    int digits = 0;
    for (size_t i = 0; i < size; ++i) {
        digits = isdigit(data[i]) ? digits + 1 : 0;
        if (digits > 2 && i + 1 < size && data[i] != '0') continue;
        if (digits > 3) return 1;
    }
    for (size_t i = 0; i + 7 < size; ++i)
        if (memcmp(data + i, "\"cells\"", 7) == 0 || memcmp(data + i, "refine\"", 7) == 0 ||
            memcmp(data + i, "iangles", 7) == 0)
            for (size_t k = i; k < i + 40 && k + 2 < size; ++k)
                if ((isdigit(data[k]) && isdigit(data[k + 1])) || (isdigit(data[k]) && (data[k + 1] | 32) == 'e'))
                    return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 20000 || asks_for_much(data, size)) return 0;
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    sn_context *context;
    if (sn_context_create(&options, &context, NULL)) return 0;
    sn_error error = {0};
    sn_scene *scene = NULL;
    const sn_override set[] = {{"time.step", "0.02"}};
    if (!sn_scene_parse(context, (const char *)data, size, "fuzz.json", "", set, (int)(size & 1), &scene, &error)) {
        sn_world *world = NULL;
        if (!sn_scene_create_world(scene, &world, &error)) sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
    sn_context_destroy(context);
    return 0;
}
