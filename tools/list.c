/* sinew list: prints all names that a scene or a subcommand can use. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment.h"
#include "tool.h"

static int list(int count, char **word);

const tool_command tool_list = {
    "list", "list [KIND] [--json]", "print all names that a scene or a subcommand can use, with one line about each",
    "  KIND    print one list only, such as laws, methods or scenes. sinew list kinds prints the names of all lists,\n"
    "          sinew list options prints all keys of a scene\n"
    "  --json  print JSON\n",
    list};

static const sn_listing *experiment_listing(int *count) {
    static sn_listing all[256];
    for (int i = 0; i < experiment_count; ++i) all[i] = (sn_listing){experiments[i]->name, experiments[i]->text};
    *count = experiment_count;
    return all;
}

/* ---- Ready scenes: in the working folder, beside the build, or installed ---- */

enum { SCENES = 128 };
static char scene_name[SCENES][64], scene_text[SCENES][160];
static sn_listing scene_listing[SCENES];

static bool open_scenes(char *folder, size_t capacity, DIR **dir) {
    char self[1024];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = NULL;
    if (length > 0) self[length] = 0, slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (int attempt = 0; attempt < 4; ++attempt) {
        folder[0] = 0;
        if (attempt == 0) snprintf(folder, capacity, "scenes");
        if (attempt == 1 && slash) snprintf(folder, capacity, "%.900s/../scenes", self);
        if (attempt == 2 && slash) snprintf(folder, capacity, "%.900s/../share/sinew/scenes", self);
        if (attempt == 3) snprintf(folder, capacity, "%s", SN_SCENES_FOLDER);
        *dir = opendir(folder);
        if (*dir) return true;
    }
    return false;
}

static void describe(const char *folder, const char *file, char *text, size_t capacity) {
    char path[1400];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    json_t *root = json_load_file(path, 0, NULL);
    const char *about = json_string_value(json_object_get(root, "description"));
    if (!about) about = json_string_value(json_object_get(root, "name"));
    snprintf(text, capacity, "%.150s", about ? about : "");
    json_decref(root);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const sn_listing *)a)->name, ((const sn_listing *)b)->name);
}

static const sn_listing *scenes(int *count) {
    char folder[1024];
    DIR *dir;
    *count = 0;
    if (!open_scenes(folder, sizeof folder, &dir)) return scene_listing;
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

/* ---- The lists: to add a list, add a line ---- */

typedef struct kind {
    const char *name, *text;
    const sn_listing *(*entries)(int *count);
} kind;

static const sn_listing *kind_listing(int *count);

static const kind kinds[] = {
    {"kinds", "the lists themselves", kind_listing},
    {"laws", "material laws: material.law", sn_laws},
    {"rotations", "how corotated laws find the rotation: material.rotation", sn_rotations},
    {"differentials", "the matrix of Newton's method: material.differential", sn_differentials},
    {"warpings", "stiffness warping per vertex: material.warping", sn_warpings},
    {"warping-matrices", "the matrix of stiffness warping: material.warping_matrix", sn_warping_matrices},
    {"elements", "element types: body.element", sn_element_names},
    {"shapes", "solids that bodies touch: the key of a collider; docs/contact.md", sn_shapes},
    {"responses", "how a collider acts: collider.response", sn_responses},
    {"interactions", "everything that acts on the bodies except their elements", sn_interactions},
    {"modes", "dynamic, static, ...: time.mode", sn_modes},
    {"methods", "time integrators: time.method", sn_methods},
    {"newton-kinds", "how far Newton's method goes: time.newton.kind", sn_newton_kinds},
    {"solvers", "linear solvers: solver.method", sn_solvers},
    {"preconditioners", "preconditioners: solver.preconditioner", sn_preconditioners},
    {"operators", "how products with the matrix are taken: solver.operator", sn_operators},
    {"precisions", "numbers of the matrix: solver.precision", sn_precisions},
    {"generators", "meshes without a file: body.mesh", sn_generators},
    {"formats", "mesh files: body.mesh.file, sinew mesh", sn_mesh_formats},
    {"output-formats", "files that a run writes: output.formats", sn_output_formats},
    {"output-fields", "fields in .vtu files: output.fields", sn_output_fields},
    {"picture-fields", "colours of pictures: output.picture.field", sn_picture_fields},
    {"experiments", "experiments of the source documents: sinew experiment", experiment_listing},
    {"scenes", "ready scenes: sinew run, sinew view", scenes},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const sn_listing *kind_listing(int *count) {
    static sn_listing all[KINDS];
    for (int i = 0; i < KINDS; ++i) all[i] = (sn_listing){kinds[i].name, kinds[i].text};
    *count = KINDS;
    return all;
}

static json_t *as_json(const kind *k) {
    int count;
    const sn_listing *entry = k->entries(&count);
    json_t *array = json_array();
    for (int i = 0; i < count; ++i)
        json_array_append_new(array, json_pack("{s:s, s:s}", "name", entry[i].name, "text", entry[i].text));
    return array;
}

static void print(const kind *k) {
    int count;
    const sn_listing *entry = k->entries(&count);
    printf("%s\n", k->name);
    for (int i = 0; i < count; ++i) printf("  %-22s %s\n", entry[i].name, entry[i].text);
    if (count == 0) printf("  none\n");
}

static int list(int count, char **word) {
    const char *wanted = NULL;
    bool json = false;
    int words;
    const tool_option option[] = {{.name = "--json", .flag = &json}};
    const int code = tool_parse(&tool_list, count, word, option, 1, &wanted, 1, &words);
    if (code) return code;
    if (words && strcmp(wanted, "options") == 0) return tool_list_options(json);
    int only = -1;
    for (int i = 0; words && i < KINDS; ++i)
        if (strcmp(kinds[i].name, wanted) == 0) only = i;
    if (words && only < 0) {
        const char *nearest = sn_nearest(wanted, kinds, KINDS, (int)sizeof *kinds);
        return tool_fail(TOOL_BAD_INPUT, "there is no list of '%s'%s%s%s", wanted,
                         nearest ? "; did you mean '" : "; see sinew list kinds", nearest ? nearest : "",
                         nearest ? "'?" : "");
    }
    json_t *object = json_object();
    for (int i = 0; i < KINDS; ++i) {
        if (only >= 0 && i != only) continue;
        if (json)
            json_object_set_new(object, kinds[i].name, as_json(&kinds[i]));
        else
            print(&kinds[i]);
    }
    if (json)
        tool_print_json(object);
    else
        json_decref(object);
    return TOOL_OK;
}
