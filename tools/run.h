/* One run of a scene, as `sinew run` does it. */
#ifndef SINEW_TOOL_RUN_H
#define SINEW_TOOL_RUN_H

#include "tool.h"

typedef struct run_options {
    const char *scene, *out, *picture, *video, *save, *restore; /* NULL: not wanted */
    int every;                                                  /* -1: as in the scene */
    int threads;
    bool json, quiet;
    sn_override override[2 * TOOL_MANY];
    int overrides;
} run_options;

/* Runs the scene and prints the summary. *result gets a JSON object, also when the run failed. Returns the exit
 * code. */
int run_scene(const run_options *options, json_t **result);

/* ---- video.c: a process of ffmpeg that receives raw frames ---- */
typedef struct tool_video tool_video;
/* Checks the ending of the path before a run. Prints a message and returns false when no video can have it. */
bool tool_video_check(const char *path);
/* Starts ffmpeg. Prints a message and returns NULL when ffmpeg is missing. `rate`: frames per second. */
tool_video *tool_video_open(const char *path, int width, int height, double rate);
bool tool_video_frame(tool_video *video, const unsigned char *rgb);
bool tool_video_close(tool_video *video); /* prints a message and returns false when ffmpeg failed */

#endif
