/* sinew list: prints all names that a scene or a subcommand can use. */
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "tool.h"

static int list(int count, char **word);

static bool json;
static const tool_option options[] = {{.name = "--json", .about = "print JSON", .flag = &json}};

const tool_command tool_list = {"list",
                                "[KIND]",
                                "kinds",
                                "print all names that a scene or a subcommand can use, with one line about each",
                                "KIND is one list only, such as laws, methods or scenes. sinew list kinds prints the "
                                "names of all lists, sinew list\n"
                                "options prints all keys of a scene.\n",
                                TOOL_OPTIONS(options),
                                list};

static const sn_listing *experiment_listing(int *count) {
    static sn_listing all[256];
    for (int i = 0; i < experiment_count; ++i) all[i] = (sn_listing){experiments[i]->name, experiments[i]->text};
    *count = experiment_count;
    return all;
}

/* What probes measure, from the table of their keys. */
static const sn_listing *quantities(int *count) {
    int options;
    const sn_option *option = sn_options("sn_probe", &options);
    for (int i = 0; i < options; ++i)
        if (strcmp(option[i].name, "quantity") == 0) return option[i].choices(count);
    *count = 0;
    return NULL;
}

static const char *uses(const char *name) {
    const bool reads = sn_mesh_format_reads(name), writes = sn_mesh_format_writes(name);
    return reads && writes ? "read, write" : reads ? "read" : "write";
}

static bool listed(const sn_listing *list, int count, const char *name) {
    for (int i = 0; i < count; ++i)
        if (strcmp(list[i].name, name) == 0) return true;
    return false;
}

/* All file formats: those of meshes with what this build can do with them, then those of results only. */
static const sn_listing *formats(int *count) {
    enum { MOST = 64 };
    static sn_listing all[MOST];
    static char text[MOST][400];
    int meshes, results, next = 0;
    const sn_listing *mesh = sn_mesh_formats(&meshes), *result = sn_output_formats(&results);
    for (int i = 0; i < meshes && next < MOST; ++i, ++next) {
        snprintf(text[next], sizeof *text, "mesh: %s%s; %s", uses(mesh[i].name),
                 listed(result, results, mesh[i].name) ? "; results: write" : "", mesh[i].text);
        all[next] = (sn_listing){mesh[i].name, text[next]};
    }
    for (int i = 0; i < results && next < MOST; ++i) {
        if (listed(mesh, meshes, result[i].name)) continue;
        snprintf(text[next], sizeof *text, "results: write; %s", result[i].text);
        all[next] = (sn_listing){result[i].name, text[next]};
        ++next;
    }
    *count = next;
    return all;
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
    {"bending-models", "bending of cloth: material.bending.model", sn_bending_models},
    {"elements", "element types: body.element", sn_element_names},
    {"embeddings", "how tets carry a detailed surface: body.embedding", sn_embeddings},
    {"shapes", "solids that bodies touch: the key of a collider; docs/contact.md", sn_shapes},
    {"responses", "how a collider acts: collider.response", sn_responses},
    {"contact-responses", "how bodies act on each other: contact.response", sn_contact_responses},
    {"interactions", "everything that acts on the bodies except their elements", sn_interactions},
    {"tool-buffers", "what a servo knows of the surface: tools.buffer", sn_tool_buffers},
    {"devices", "what moves a tool: tools.device; docs/haptics.md", sn_devices},
    {"modes", "dynamic, static, ...: time.mode", sn_modes},
    {"methods", "time integrators: time.method", sn_methods},
    {"newton-kinds", "how far Newton's method goes: time.newton.kind", sn_newton_kinds},
    {"solvers", "linear solvers: solver.method", sn_solvers},
    {"preconditioners", "preconditioners: solver.preconditioner", sn_preconditioners},
    {"operators", "how products with the matrix are taken: solver.operator", sn_operators},
    {"precisions", "numbers of the matrix: solver.precision", sn_precisions},
    {"generators", "meshes without a file: body.mesh", sn_generators},
    {"formats", "all file formats: body.mesh.file, sinew mesh, output.formats", formats},
    {"quantities", "what probes measure: probes.quantity", quantities},
    {"output-formats", "files that a run writes: output.formats", sn_output_formats},
    {"output-fields", "fields in .vtu files: output.fields", sn_output_fields},
    {"picture-fields", "colours of pictures: output.picture.field", sn_picture_fields},
    {"experiments", "experiments of the source documents: sinew experiment", experiment_listing},
    {"scenes", "ready scenes: sinew run, sinew view", tool_scenes},
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
    int words;
    const int code = tool_parse(&tool_list, count, word, &wanted, 1, &words);
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
