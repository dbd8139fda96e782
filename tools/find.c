/* Finds what belongs to the command: ready scenes and the page. Places relative to the program come before the prefix
 * of the build, so that an installation can be moved. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

bool tool_find_folder(const char *name, const char *file, bool sources, char *folder, size_t capacity) {
    char self[1024] = "";
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash) *slash = 0;
    for (int attempt = 0; attempt < 5; ++attempt) {
        char path[TOOL_PATH];
        if ((attempt > 0 && attempt < 4 && !slash) || (attempt % 2 == 0 && attempt < 4 && !sources)) continue;
        if (attempt == 0) snprintf(folder, capacity, "%.60s", name);
        if (attempt == 1) snprintf(folder, capacity, "%.900s/%.60s", self, name);
        if (attempt == 2) snprintf(folder, capacity, "%.900s/../%.60s", self, name);
        if (attempt == 3) snprintf(folder, capacity, "%.900s/../share/sinew/%.60s", self, name);
        if (attempt == 4) snprintf(folder, capacity, "%.900s/%.60s", SN_DATA_FOLDER, name);
        snprintf(path, sizeof path, "%.1300s/%.60s", folder, file);
        if (access(path, R_OK) == 0) return true;
    }
    return false;
}

/* ---- Ready scenes ---- */

enum { SCENES = 128 };
static char scene_name[SCENES][64], scene_text[SCENES][160];
static sn_listing scene_listing[SCENES];

static void describe(const char *folder, const char *file, char *text, size_t capacity) {
    char path[TOOL_PATH];
    snprintf(path, sizeof path, "%.1000s/%.300s", folder, file);
    json_t *root = json_load_file(path, 0, NULL);
    const char *about = json_string_value(json_object_get(root, "description"));
    if (!about) about = json_string_value(json_object_get(root, "name"));
    snprintf(text, capacity, "%.150s", about ? about : "");
    json_decref(root);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const sn_listing *)a)->name, ((const sn_listing *)b)->name);
}

const sn_listing *tool_scenes(int *count) {
    char folder[1024];
    *count = 0;
    DIR *dir = tool_find_folder("scenes", "bar.json", true, folder, sizeof folder) ? opendir(folder) : NULL;
    if (!dir) return scene_listing;
    for (struct dirent *entry = readdir(dir); entry && *count < SCENES; entry = readdir(dir)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".json") != 0 || dot == entry->d_name || dot - entry->d_name > 60) continue;
        snprintf(scene_name[*count], sizeof *scene_name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        describe(folder, entry->d_name, scene_text[*count], sizeof *scene_text);
        scene_listing[*count] = (sn_listing){scene_name[*count], scene_text[*count]};
        ++*count;
    }
    closedir(dir);
    qsort(scene_listing, (size_t)*count, sizeof *scene_listing, by_name);
    return scene_listing;
}

const char *tool_find_scene(const char *word, char *path) {
    struct stat about;
    char folder[1024], file[64];
    if (stat(word, &about) == 0 || strpbrk(word, "/.") || !*word || strlen(word) > 50) return word;
    snprintf(file, sizeof file, "%.50s.json", word);
    if (tool_find_folder("scenes", file, true, folder, sizeof folder)) {
        snprintf(path, TOOL_PATH, "%s/%s", folder, file);
        return path;
    }
    int count;
    const sn_listing *scene = tool_scenes(&count);
    const char *nearest = sn_nearest(word, scene, count, (int)sizeof *scene);
    if (!nearest) return word;
    tool_fail(0, "there is no file and no ready scene '%s'; did you mean '%s'?", word, nearest);
    return NULL;
}
