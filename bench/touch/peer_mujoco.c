/* Starts node with peer_mujoco.mjs: the scene goes there as JSON, the frames come back as doubles in a file. */
#include "peer_mujoco.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH = 1024 };

bool peer_mujoco_ready(const char *folder) {
    char path[PATH];
    snprintf(path, sizeof path, "%s/node_modules/@mujoco/mujoco/mujoco.js", folder);
    return access(path, R_OK) == 0 && system("node --version >/dev/null 2>&1") == 0;
}

static bool read_frames(const char *path, const touch_scene *scene, double *frame) {
    const size_t numbers = 3 * (size_t)scene->node_count * (size_t)scene->body_count * (size_t)touch_frame_count(scene);
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    const bool whole = fread(frame, sizeof(double), numbers, file) == numbers;
    fclose(file);
    return whole;
}

bool peer_mujoco_touch(const char *folder, const touch_scene *scene, double step, touch_run *run) {
    char scene_path[PATH], frames_path[PATH], command[5 * PATH];
    snprintf(scene_path, sizeof scene_path, "%s/%s.json", folder, scene->name);
    snprintf(frames_path, sizeof frames_path, "%s/%s.frames", folder, scene->name);
    if (touch_scene_write(scene, scene_path)) {
        perror(scene_path);
        return false;
    }
    snprintf(command, sizeof command, "node '%s/peer_mujoco.mjs' '%s/node_modules' '%s' '%s' %.17g", folder, folder,
             scene_path, frames_path, step);
    FILE *answer = popen(command, "r");
    if (answer == NULL) return false;
    const bool timed = fscanf(answer, "%lf %lf", &run->processor, &run->real) == 2;
    run->step = step;
    const bool done = pclose(answer) == 0 && timed && read_frames(frames_path, scene, run->frame);
    remove(frames_path);
    return done;
}
