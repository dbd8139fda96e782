/* One run of a scene, behind `sinew run`. */
#ifndef SINEW_TOOL_RUN_H
#define SINEW_TOOL_RUN_H

#include "tool.h"

typedef struct run_options {
    const char *scene, *out, *picture, *video, *save, *restore; /* NULL: not wanted */
    int every;                                                  /* -1: the scene's */
    int threads;
    bool json, quiet;
    sn_override override[2 * TOOL_MANY];
    int overrides;
} run_options;

/* Runs and prints the summary; *result gets the JSON object when the world could be made, also of a failed run. Returns the exit code. */
int run_scene(const run_options *options, json_t **result);

/* ---- video.c: ffmpeg as a process that takes raw frames ---- */
typedef struct tool_video tool_video;
/* NULL after a message when ffmpeg is missing. */
tool_video *tool_video_open(const char *path, int width, int height, double rate);
bool tool_video_frame(tool_video *video, const unsigned char *rgb);
bool tool_video_close(tool_video *video); /* false after a message when ffmpeg failed */

#endif
