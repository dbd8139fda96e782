/* See node.h. */
#include "node.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool peer_node_ready(const char *folder, const char *module) {
    char path[PEER_PATH];
    snprintf(path, sizeof path, "%s/node_modules/%s/package.json", folder, module);
    return access(path, R_OK) == 0 && system("node --version >/dev/null 2>&1") == 0;
}

void peer_node_scene(const char *folder, const char *name, char path[PEER_PATH]) {
    snprintf(path, PEER_PATH, "%s/%s.json", folder, name);
}

static bool read_frames(const char *path, double *frame, size_t numbers) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    const bool whole = fread(frame, sizeof(double), numbers, file) == numbers;
    fclose(file);
    return whole;
}

bool peer_node_run(const char *folder, const char *script, const char *argument, const char *name, double step,
                   double *frame, size_t numbers, double *processor, double *real) {
    char scene_path[PEER_PATH], frames_path[PEER_PATH], command[5 * PEER_PATH];
    peer_node_scene(folder, name, scene_path);
    snprintf(frames_path, sizeof frames_path, "%s/%s.frames", folder, name);
    snprintf(command, sizeof command, "node '%s/%s' '%s/node_modules' '%s' '%s' %.17g %s", folder, script, folder,
             scene_path, frames_path, step, argument ? argument : "");
    FILE *answer = popen(command, "r");
    if (answer == NULL) return false;
    const bool timed = fscanf(answer, "%lf %lf", processor, real) == 2;
    const bool done = pclose(answer) == 0 && timed && read_frames(frames_path, frame, numbers);
    remove(frames_path);
    return done;
}
