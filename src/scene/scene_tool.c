/* Tools of a scene, with the devices that move them. */
#include <stdio.h>
#include <string.h>

#include "haptic/device.h"
#include "haptic/servo_options.h"
#include "scene_internal.h"
#include "world/world_options.h"

/* An item of "tools": the tool, and the servo that connects it with its device. */
typedef struct whole_tool {
    sn_tool_options tool;
    sn_servo_options servo;
} whole_tool;

/* The tables of both, for one object. */
static int join_fields(sn_field *field, int room) {
    int tools, servos, count = 0;
    const sn_field *tool = sn_tool_fields(&tools), *servo = sn_servo_fields(&servos);
    for (int i = 0; i < tools && count < room; ++i) field[count++] = tool[i];
    for (int i = 0; i < servos && count < room; ++i) {
        field[count] = servo[i];
        field[count++].offset += offsetof(whole_tool, servo);
    }
    return count;
}

static sn_status read_rows(const sn_place *place, sn_device_options *device) {
    sn_status status = sn_place_list(place, 1);
    if (status) return status;
    const int count = sn_place_count(place);
    double *row = sn_scene_allocate(place->reader, (size_t)count, SN_PATH_WIDTH * sizeof *row);
    if (!row) return sn_no_memory(place->reader->error);
    for (int i = 0; i < count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        const bool button = json_is_array(item.value) && sn_place_count(&item) == SN_PATH_WIDTH;
        status = sn_read_numbers(&item, &sn_any_number, row + (size_t)i * SN_PATH_WIDTH,
                                 button ? SN_PATH_WIDTH : SN_PATH_WIDTH - 1);
    }
    device->row = row, device->row_count = count;
    return status;
}

/* The rows of the file, which is beside the scene; so a wrong file is found with the scene. */
static sn_status read_file(const sn_place *place, sn_device_options *device) {
    char path[SN_SCENE_PATH];
    double *row, *kept = NULL;
    sn_error inner = {0};
    sn_status status = sn_scene_read_path(place, path);
    if (status) return status;
    status = sn_path_read(place->reader->context, path, &row, &device->row_count, &inner);
    if (status) return sn_place_wrap(place, &inner);
    const size_t numbers = (size_t)device->row_count * SN_PATH_WIDTH;
    kept = sn_scene_allocate(place->reader, numbers, sizeof *kept);
    if (kept) memcpy(kept, row, numbers * sizeof *kept);
    sn_release(place->reader->context, row);
    device->row = kept;
    device->file[0] = 0;
    return kept ? SN_OK : sn_no_memory(place->reader->error);
}

/* "mouse", or {"udp": {"port": 4711}}. */
static sn_status read_device(const sn_place *place, sn_device_options *device) {
    int count, fields, index;
    const sn_listing *kind = sn_devices(&count);
    const sn_field *field = sn_device_fields(&fields);
    sn_place child, file, rows;
    sn_status status = SN_OK;
    if (json_is_object(place->value)) {
        status = sn_read_fields(place, field, fields, device);
        if (!status && json_object_size(place->value) != 1)
            status = sn_place_fail(place, SN_BAD_INPUT, "names %zu devices; it must name one",
                                   json_object_size(place->value));
        for (int i = 0; i < count && !status; ++i)
            if (sn_place_get(place, kind[i].name, &child))
                snprintf(device->kind, sizeof device->kind, "%s", kind[i].name);
        if (!status && sn_place_get(place, "recorded", &child)) {
            const bool filed = sn_place_get(&child, "file", &file), listed = sn_place_get(&child, "rows", &rows);
            if (filed == listed) return sn_place_fail(&child, SN_BAD_INPUT, "needs either a 'file' or 'rows'");
            status = filed ? read_file(&file, device) : read_rows(&rows, device);
        }
    } else {
        status = sn_read_choice(place, kind, count, &index);
        if (!status) snprintf(device->kind, sizeof device->kind, "%s", kind[index].name);
    }
    sn_error inner = {0};
    if (!status && sn_device_options_check(device, &inner)) status = sn_place_wrap(place, &inner);
    return status;
}

static sn_status read_tool(const sn_place *place, sn_scene *scene, int index, sn_tool_options *tool) {
    enum { MOST = 48 };
    sn_field field[MOST];
    sn_place child;
    whole_tool whole = {sn_tool_options_default(), sn_servo_options_default()};
    snprintf(whole.tool.name, sizeof whole.tool.name, "tool%d", index);
    sn_status status = sn_read_fields(place, field, join_fields(field, MOST), &whole);
    if (status) return status;
    *tool = whole.tool;
    scene->servo[index] = whole.servo;
    if (sn_place_get(place, "protocol", &child) && strchr(whole.servo.protocol, '/'))
        return sn_place_fail(&child, SN_BAD_INPUT, "is '%.100s'; it must be a name without folder",
                             whole.servo.protocol);
    if (sn_place_get(place, "device", &child)) {
        scene->device[index] = sn_device_options_default();
        return read_device(&child, &scene->device[index]);
    }
    for (int i = 0; i < 2; ++i)
        if (sn_place_get(place, i ? "rate" : "protocol", &child))
            return sn_place_fail_key(&child, SN_BAD_INPUT, "has no effect without 'device'");
    return SN_OK;
}

sn_status sn_scene_read_tools(const sn_place *place, sn_scene *scene) {
    sn_tool_options *tool = NULL;
    int count;
    sn_status status = sn_place_items(place, sizeof *tool, (void **)&tool, &count);
    if (status) return status;
    scene->device = sn_scene_allocate(place->reader, (size_t)count, sizeof *scene->device);
    scene->servo = sn_scene_allocate(place->reader, (size_t)count, sizeof *scene->servo);
    if (!scene->device || !scene->servo) return sn_no_memory(place->reader->error);
    for (int i = 0; i < count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        status = read_tool(&item, scene, i, &tool[i]);
        for (int k = 0; k < i && !status; ++k)
            if (strcmp(tool[k].name, tool[i].name) == 0)
                status = sn_place_fail(&item, SN_BAD_INPUT, "has the name '%.60s' of another tool", tool[i].name);
            else if (*scene->servo[i].protocol && strcmp(scene->servo[k].protocol, scene->servo[i].protocol) == 0)
                status = sn_place_fail(&item, SN_BAD_INPUT, "has the protocol '%.60s' of another tool",
                                       scene->servo[i].protocol);
    }
    scene->world.tool = tool;
    scene->world.tool_count = count;
    return status;
}

const sn_device_options *sn_scene_device(const sn_scene *scene, int tool) {
    if (tool < 0 || tool >= scene->world.tool_count || !scene->device[tool].cookie) return NULL;
    return &scene->device[tool];
}

const sn_servo_options *sn_scene_servo(const sn_scene *scene, int tool) {
    return tool >= 0 && tool < scene->world.tool_count ? &scene->servo[tool] : NULL;
}

sn_status sn_scene_create_servo(const sn_scene *scene, sn_world *world, int tool, const char *folder, sn_servo **servo,
                                sn_error *error) {
    const sn_device_options *device = sn_scene_device(scene, tool);
    if (!device) return sn_fail(error, SN_BAD_INPUT, "the scene has no device for the tool %d", tool);
    sn_servo_options options = scene->servo[tool];
    sn_error inner = {0};
    if (folder && *options.protocol) {
        const int length =
            snprintf(options.protocol, sizeof options.protocol, "%s/%s", folder, scene->servo[tool].protocol);
        if (length >= (int)sizeof options.protocol)
            return sn_fail(error, SN_BAD_INPUT, "the path of the protocol '%.60s' is too long",
                           scene->servo[tool].protocol);
    } else
        options.protocol[0] = 0;
    const sn_status status = sn_servo_create(world, tool, device, &options, servo, &inner);
    if (!status) return SN_OK;
    sn_reader reader = scene->reader;
    reader.error = error;
    sn_within(&inner, status, "tools.%d", tool);
    const sn_place root = {&reader, NULL, NULL, 0, scene->root};
    return sn_place_wrap(&root, &inner);
}
