/* PNG: a shaded picture of each frame. */
#include "frame.h"

static sn_status write_frame(sn_world *world, const char *path, const sn_output_options *options, sn_error *error) {
    return sn_world_picture(world, path, options ? &options->picture : NULL, error);
}

const sn_frame_format sn_frame_png = {.write = write_frame};
