/* sinew check: checks a scene without running it. */
#include "tool.h"

static int check(int count, char **word);

static const char *set[TOOL_MANY];
static int sets;
static const tool_option options[] = {
    {.name = "--set", .value = "KEY=VALUE", .about = "replace a value of the scene", .many = set, .many_count = &sets}};

const tool_command tool_check = {
    "check", "SCENE", "scenes", "validate a scene without running it", "", TOOL_OPTIONS(options), check};

static int check(int count, char **word) {
    const char *scene_path;
    char found[TOOL_PATH];
    int paths;
    int code = tool_parse(&tool_check, count, word, &scene_path, 1, &paths);
    if (code) return code;
    if (paths == 0) return tool_fail(TOOL_BAD_INPUT, "check needs a scene; usage: sinew %s", tool_usage(&tool_check));
    scene_path = tool_find_scene(scene_path, found);
    if (!scene_path) return TOOL_BAD_INPUT;
    sn_override override[TOOL_MANY];
    for (int i = 0; i < sets; ++i) {
        char *value;
        if (!tool_split((char *)set[i], &value))
            return tool_fail(TOOL_BAD_INPUT, "--set '%s' must be KEY=VALUE", set[i]);
        override[i] = (sn_override){set[i], value};
    }
    sn_context *context;
    code = tool_context(0, NULL, &context, NULL);
    if (code) return code;
    sn_error error = {0};
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    code = TOOL_OK;
    if (sn_scene_load(context, scene_path, override, sets, &scene, &error) ||
        sn_scene_create_world(scene, &world, &error)) {
        code = tool_error(&error);
    } else {
        const int bodies = sn_world_body_count(world), elements = sn_world_element_count(world);
        printf("%s: right: %d bod%s, %d nodes, %d element%s\n", scene_path, bodies, bodies == 1 ? "y" : "ies",
               sn_world_node_count(world), elements, tool_ending(elements));
        char overlap[8][TOOL_WARNING]; /* more warnings say nothing new */
        const int overlaps = tool_find_overlaps(world, overlap, 8);
        for (int i = 0; i < overlaps; ++i) tool_fail(0, "warning: %s", overlap[i]);
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    sn_context_destroy(context);
    return code;
}
