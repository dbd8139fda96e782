/* sinew mesh: reads or generates a mesh, reports on it, transforms it and writes it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_embed.h"
#include "tool.h"

static int mesh_command(int count, char **word);

static const char *out, *scale, *rotate, *move, *version;
static bool info, as_json, ascii, binary;
static int refine, order = 1;
static mesh_embed embed = {.fit = -1};
static const tool_option options[] = {
    {.name = "-o",
     .value = "OUT",
     .about = "write the mesh to OUT; the ending chooses the format (see sinew list formats)",
     .offer = "file",
     .text = &out},
    {.name = "--info", .about = "report counts, volume, quality and bad elements (default without -o)", .flag = &info},
    {.name = "--embed",
     .about = "first, lay tets around the surface IN; needs --cell or --elements",
     .flag = &embed.use},
    {.name = "--cell", .value = "H", .about = "side of the cells of --embed, m", .text = &embed.cell},
    {.name = "--elements", .value = "N", .about = "about so many tets of --embed", .number = &embed.elements, .low = 1},
    {.name = "--fit",
     .value = "N",
     .about = "steps that draw the tets of --embed to the surface (default 10)",
     .number = &embed.fit},
    {.name = "--relax",
     .value = "K",
     .about = "part of the way that a node goes in a step, above 0 to 1 (default 0.1)",
     .text = &embed.relax},
    {.name = "--refine", .value = "N", .about = "split every tet into eight, N times", .number = &refine},
    {.name = "--order",
     .value = "1|2",
     .about = "with 2, add nodes in the middle of the straight edges (tet10)",
     .number = &order,
     .low = 1},
    {.name = "--scale", .value = "S", .about = "scale the mesh; then --rotate, then --move", .text = &scale},
    {.name = "--rotate", .value = "\"x y z degrees\"", .about = "turn the mesh about an axis", .text = &rotate},
    {.name = "--move", .value = "\"x y z\"", .about = "move the mesh", .text = &move},
    {.name = "--ascii", .about = "write text when the format has text and binary files", .flag = &ascii},
    {.name = "--binary", .about = "write binary", .flag = &binary},
    {.name = "--version-of", .value = "V", .about = "write a .msh file of version V, 2.2 or 4.1", .text = &version},
    {.name = "--json", .about = "print the report as JSON", .flag = &as_json},
};

const tool_command tool_mesh = {
    "mesh",
    "IN",
    "generators",
    "read, generate, report, convert and refine meshes",
    "IN is a file, or a generator such as box:size=1,1,1:cells=4,4,4:split=6 (see sinew list generators).\n",
    TOOL_OPTIONS(options),
    mesh_command};

/* ---- Input ---- */

static bool is_generator(const char *text) {
    int count;
    const sn_listing *generator = sn_generators(&count);
    const size_t length = strcspn(text, ":");
    for (int i = 0; i < count; ++i)
        if (strlen(generator[i].name) == length && strncmp(generator[i].name, text, length) == 0) return true;
    return false;
}

/* A name without an ending is probably a mistyped generator, not a file. */
static int unreadable(const char *in, const sn_error *error) {
    int count;
    const sn_listing *generator = sn_generators(&count);
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(in, ":"), in);
    const char *nearest = strpbrk(word, "./") ? NULL : sn_nearest(word, generator, count, (int)sizeof *generator);
    if (!nearest) return tool_error(error);
    return tool_fail(TOOL_BAD_INPUT, "there is no generator '%s'; did you mean '%s'?", word, nearest);
}

/* Makes a mesh from a text such as "box:size=1,1,1:split=6". */
static int generate(sn_context *context, const char *spec, sn_mesh **mesh) {
    char text[1024];
    sn_generator_value value[16];
    int count = 0;
    if (strlen(spec) >= sizeof text) return tool_fail(TOOL_BAD_INPUT, "'%.60s...' is too long", spec);
    strcpy(text, spec);
    char *next = NULL, *name = strtok_r(text, ":", &next);
    for (char *part = strtok_r(NULL, ":", &next); part; part = strtok_r(NULL, ":", &next)) {
        char *numbers;
        if (count == 16 || !tool_split(part, &numbers))
            return tool_fail(TOOL_BAD_INPUT, "'%s' in '%s' must be PARAMETER=NUMBERS", part, spec);
        sn_generator_value *v = &value[count++];
        *v = (sn_generator_value){.name = part, .count = 1};
        for (const char *p = numbers; *p; ++p)
            if (*p == ',') ++v->count;
        if (v->count > 3 || !tool_numbers(numbers, v->value, v->count))
            return tool_fail(TOOL_BAD_INPUT, "%s is '%s'; it must be one to three finite numbers with commas", part,
                             numbers);
    }
    sn_error error = {0};
    return sn_mesh_generate(context, name, value, count, mesh, &error) ? tool_error(&error) : TOOL_OK;
}

static int replace(sn_mesh **mesh, sn_status (*change)(const sn_mesh *, sn_mesh **, sn_error *)) {
    sn_mesh *other;
    sn_error error = {0};
    if (change(*mesh, &other, &error)) return tool_error(&error);
    sn_mesh_destroy(*mesh);
    *mesh = other;
    return TOOL_OK;
}

static int transform(sn_mesh *mesh) {
    double v[4];
    if (scale) {
        if (!tool_numbers(scale, v, 1) || v[0] <= 0)
            return tool_fail(TOOL_BAD_INPUT, "--scale is '%s'; it must be a number above 0", scale);
        sn_mesh_scale(mesh, v[0]);
    }
    if (rotate) {
        if (!tool_numbers(rotate, v, 4) || (v[0] == 0 && v[1] == 0 && v[2] == 0))
            return tool_fail(TOOL_BAD_INPUT, "--rotate is '%s'; it must be \"axis x y z degrees\"", rotate);
        sn_mesh_rotate(mesh, v, v[3]);
    }
    if (move) {
        if (!tool_numbers(move, v, 3))
            return tool_fail(TOOL_BAD_INPUT, "--move is '%s'; it must be three numbers", move);
        sn_mesh_move(mesh, v);
    }
    return TOOL_OK;
}

/* ---- Report ---- */

static json_t *report_json(const sn_mesh *mesh, const sn_mesh_report *r) {
    json_t *groups = json_array();
    for (int i = 0; i < mesh->group_count; ++i) {
        static const char *const kind[] = {"nodes", "tets", "triangles"};
        json_array_append_new(groups, json_pack("{s:s, s:s, s:i}", "name", mesh->group[i].name, "kind",
                                                kind[mesh->group[i].kind], "count", mesh->group[i].count));
    }
    json_t *object = json_pack("{s:i, s:i, s:i, s:i, s:i}", "nodes", r->nodes, "tets", r->tets, "tet_nodes",
                               mesh->tet_nodes, "triangles", r->triangles, "boundary_faces", r->boundary_faces);
    json_object_set_new(object, "volume", tool_number(r->volume));
    json_object_set_new(object, "low", tool_array(r->low, 3));
    json_object_set_new(object, "high", tool_array(r->high, 3));
    json_object_set_new(
        object, "quality",
        json_pack("{s:o, s:o}", "min", tool_number(r->quality_min), "mean", tool_number(r->quality_mean)));
    json_object_set_new(
        object, "dihedral",
        json_pack("{s:o, s:o}", "min", tool_number(r->dihedral_min), "max", tool_number(r->dihedral_max)));
    json_object_set_new(object, "edge",
                        json_pack("{s:o, s:o, s:o}", "min", tool_number(r->edge_min), "mean", tool_number(r->edge_mean),
                                  "max", tool_number(r->edge_max)));
    json_object_set_new(object, "bad",
                        json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "inverted", r->inverted, "flat", r->flat,
                                  "duplicate_tets", r->duplicate_tets, "duplicate_nodes", r->duplicate_nodes,
                                  "isolated_nodes", r->isolated_nodes, "nonmanifold_faces", r->nonmanifold_faces,
                                  "open_edges", r->open_edges, "hinges", r->hinges));
    json_object_set_new(object, "components", json_integer(r->components));
    json_object_set_new(object, "worst_tet", json_integer(r->worst_tet));
    json_object_set_new(object, "groups", groups);
    return object;
}

/* The signed volume over the cube of the longest edge. A small value means a flat tet. */
static double relative_volume(const sn_mesh *mesh, int tet) {
    const int32_t *n = mesh->tet + (size_t)tet * (size_t)mesh->tet_nodes;
    double e[3][3], longest = 0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            e[i][k] = mesh->position[3 * (size_t)n[i + 1] + (size_t)k] - mesh->position[3 * (size_t)n[0] + (size_t)k];
        longest = fmax(longest, hypot(hypot(e[i][0], e[i][1]), e[i][2]));
    }
    const double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                          e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    return longest > 0 ? volume / (longest * longest * longest) : 0;
}

static void print_bad_tets(const sn_mesh *mesh) {
    enum { MOST = 20 };
    int printed = 0, more = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        const double volume = relative_volume(mesh, t);
        if (volume > 1e-10) continue;
        if (printed == MOST) {
            ++more;
            continue;
        }
        printf("  tet %lld is %s\n", (long long)(mesh->tet_label ? mesh->tet_label[t] : t),
               volume < -1e-10 ? "inverted" : "flat");
        ++printed;
    }
    if (more) printf("  and %d more\n", more);
}

static void print_report(const sn_mesh *mesh, const sn_mesh_report *r) {
    printf("nodes           %d\ntets            %d%s\ntriangles       %d\nboundary faces  %d\n", r->nodes, r->tets,
           r->tets && mesh->tet_nodes == 10 ? " of 10 nodes" : "", r->triangles, r->boundary_faces);
    printf("volume          %.9g m^3\nbox             [%g, %g, %g] to [%g, %g, %g]\n", r->volume, r->low[0], r->low[1],
           r->low[2], r->high[0], r->high[1], r->high[2]);
    if (r->tets)
        printf("quality         min %.4g (tet %lld), mean %.4g\ndihedral        %.4g to %.4g degrees\n", r->quality_min,
               (long long)r->worst_tet, r->quality_mean, r->dihedral_min, r->dihedral_max);
    printf("edges           %.4g to %.4g m, mean %.4g\ncomponents      %d\n", r->edge_min, r->edge_max, r->edge_mean,
           r->components);
    for (int i = 0; i < mesh->group_count; ++i) {
        static const char *const kind[] = {"nodes", "tets", "triangles"};
        printf("group           '%s': %d %s\n", mesh->group[i].name, mesh->group[i].count, kind[mesh->group[i].kind]);
    }
    const struct {
        int count;
        const char *what;
        int64_t first;
    } bad[] = {{r->inverted, "inverted tets", r->first_inverted},
               {r->flat, "flat tets", r->first_flat},
               {r->duplicate_tets, "duplicate tets", r->first_duplicate},
               {r->duplicate_nodes, "nodes at the place of another", -1},
               {r->isolated_nodes, "isolated nodes", r->first_isolated},
               {r->nonmanifold_faces, "non-manifold faces or edges", -1},
               {r->open_edges, "open edges", -1},
               {r->hinges, "parts that hang on others only by an edge or a node", -1}};
    bool good = true;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        if (!bad[i].count) continue;
        good = false;
        printf("bad             %d %s", bad[i].count, bad[i].what);
        if (bad[i].first >= 0) printf(", first %lld", (long long)bad[i].first);
        printf("\n");
    }
    if (r->inverted || r->flat) print_bad_tets(mesh);
    if (good) printf("nothing bad found\n");
}

/* What the file that was written does not hold. */
static int tell_losses(const sn_mesh *mesh, const char *path, const sn_mesh_write_options *options, char *text,
                       int capacity) {
    sn_error error = {0};
    return sn_mesh_losses(mesh, strrchr(path, '.') + 1, options, text, capacity, &error) ? tool_error(&error) : TOOL_OK;
}

static int report(const sn_mesh *mesh, bool json, const sn_embed_report *around, const char *left_out,
                  const char *lost) {
    sn_mesh_report r;
    sn_error error = {0};
    if (sn_mesh_inspect(mesh, &r, &error)) return tool_error(&error);
    if (json) {
        json_t *object = report_json(mesh, &r);
        if (around) json_object_set_new(object, "embed", mesh_embed_json(around));
        json_object_set_new(object, "not_read", json_string(left_out));
        json_object_set_new(object, "not_written", json_string(lost));
        tool_print_json(object);
    } else
        print_report(mesh, &r);
    return TOOL_OK;
}

static int mesh_command(int count, char **word) {
    const char *in;
    int inputs;
    int code = tool_parse(&tool_mesh, count, word, &in, 1, &inputs);
    if (code) return code;
    if (inputs == 0) return tool_fail(TOOL_BAD_INPUT, "mesh needs an input; usage: sinew %s", tool_usage(&tool_mesh));
    if (order > 2 || refine > 8) return tool_fail(TOOL_BAD_INPUT, "--order must be 1 or 2 and --refine at most 8");
    if (ascii && binary) return tool_fail(TOOL_BAD_INPUT, "--ascii and --binary exclude each other");
    if ((ascii || binary || version) && !out)
        return tool_fail(TOOL_BAD_INPUT, "%s has no effect without -o OUT",
                         ascii    ? "--ascii"
                         : binary ? "--binary"
                                  : "--version-of");
    sn_context *context;
    code = tool_context(0, NULL, &context, NULL);
    if (code) return code;
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    sn_embed_report around = {0};
    char left_out[sizeof mesh->left_out] = "", lost[400] = "";
    if (is_generator(in))
        code = generate(context, in, &mesh);
    else if (sn_mesh_read(context, in, &mesh, &error))
        code = unreadable(in, &error);
    if (!code) snprintf(left_out, sizeof left_out, "%s", mesh->left_out);
    if (!code) code = mesh_embed_apply(&embed, &mesh, &around);
    for (int i = 0; i < refine && !code; ++i) code = replace(&mesh, sn_mesh_refine);
    if (!code && order == 2 && mesh->tet_nodes == 4 && mesh->tet_count) code = replace(&mesh, sn_mesh_to_tet10);
    if (!code) code = transform(mesh);
    if (!code && out) {
        sn_mesh_write_options given = sn_mesh_write_options_default();
        given.binary = binary, given.version = version;
        const sn_mesh_write_options *options = ascii || binary || version ? &given : NULL;
        if (sn_mesh_write(mesh, out, options, &error))
            code = tool_error(&error);
        else if (!as_json)
            printf("wrote %s: %d nodes, %d tet%s, %d triangle%s\n", out, mesh->node_count, mesh->tet_count,
                   tool_ending(mesh->tet_count), mesh->triangle_count, tool_ending(mesh->triangle_count));
        if (!code) code = tell_losses(mesh, out, options, lost, sizeof lost);
    }
    if (!code && !as_json && *left_out) printf("not read from %s: %s\n", in, left_out);
    if (!code && !as_json && *lost) printf("not written to %s: %s\n", out, lost);
    if (!code && !as_json && embed.use) mesh_embed_print(&around);
    if (!code && (info || as_json || !out)) code = report(mesh, as_json, embed.use ? &around : NULL, left_out, lost);
    sn_mesh_destroy(mesh);
    sn_context_destroy(context);
    return code;
}
