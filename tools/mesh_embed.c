/* See mesh_embed.h. The report says what was found in the surface, what was done about it, and what to change when the
 * body is not what one would expect. */
#include "mesh_embed.h"

int mesh_embed_apply(const mesh_embed *embed, sn_mesh **mesh, sn_embed_report *report) {
    sn_embed_options options = sn_embed_options_default();
    sn_error error = {0};
    sn_mesh *body;
    if (!embed->use) {
        const char *name = embed->cell       ? "--cell"
                           : embed->relax    ? "--relax"
                           : embed->elements ? "--elements"
                           : embed->fit >= 0 ? "--fit"
                                             : NULL;
        return name ? tool_fail(TOOL_BAD_INPUT, "%s has no effect without --embed", name) : TOOL_OK;
    }
    if (embed->cell && !tool_numbers(embed->cell, &options.cell, 1))
        return tool_fail(TOOL_BAD_INPUT, "--cell is '%s'; it must be a number of metres", embed->cell);
    if (embed->relax && !tool_numbers(embed->relax, &options.relax, 1))
        return tool_fail(TOOL_BAD_INPUT, "--relax is '%s'; it must be a number from 0 to 1", embed->relax);
    options.elements = embed->elements;
    if (embed->fit >= 0) options.fit = embed->fit;
    if (sn_embed_surface(*mesh, &options, &body, report, &error)) return tool_error(&error);
    sn_mesh_destroy(*mesh);
    *mesh = body;
    return TOOL_OK;
}

typedef struct finding {
    const char *name, *text;
    size_t offset;
} finding;

#define FINDING(field, text)                                                                                           \
    { #field, text, offsetof(sn_embed_report, field) }
static const finding findings[] = {
    FINDING(unused_vertices, "vertices of no triangle: left out"),
    FINDING(joined_vertices, "vertices at the place of another one: joined"),
    FINDING(flat_triangles, "triangles without area"),
    FINDING(duplicate_triangles, "duplicate triangles: left out"),
    FINDING(turned_triangles, "triangles that faced the other side: turned around"),
    FINDING(open_edges, "edges of one triangle, the rims of holes: the winding number decides what is inside"),
    FINDING(crowded_edges, "edges of more than two triangles"),
    FINDING(crossings, "pairs of triangles that cross"),
};
enum { FINDINGS = sizeof findings / sizeof *findings };

static int count_of(const sn_embed_report *r, const finding *f) {
    return *(const int *)(const void *)((const char *)r + f->offset);
}

static void print_advice(const sn_embed_report *r) {
    if (r->pierced == r->tets)
        printf(
            "  nothing is inside of the surface: it is open, or thinner than a tet. For a full body close it, or take "
            "a smaller cell\n");
    if (r->pieces < r->patches)
        printf(
            "  the surface has %d patches and the body %d piece%s: patches that share a tet move together. A smaller "
            "cell parts them\n",
            r->patches, r->pieces, tool_ending(r->pieces));
    if (r->pieces > r->patches) printf("  the body has %d pieces: nothing holds them together\n", r->pieces);
}

void mesh_embed_print(const sn_embed_report *r) {
    printf("surface         %d vertices, %d triangles, %d patch%s, volume %.6g m^3\n", r->vertices, r->triangles,
           r->patches, r->patches == 1 ? "" : "es", r->surface_volume);
    for (int i = 0; i < FINDINGS; ++i)
        if (count_of(r, &findings[i])) printf("  %d %s\n", count_of(r, &findings[i]), findings[i].text);
    printf("body            cell %.6g m: %d tets (%d pierced), %d nodes (%d by parting), %d piece%s\n", r->cell,
           r->tets, r->pierced, r->nodes, r->split_nodes, r->pieces, tool_ending(r->pieces));
    printf(
        "fit             volume %.6g to %.6g m^3, quality min %.3f to %.3f, mean %.3f to %.3f; the surface stopped %d "
        "move%s\n",
        r->volume_before, r->volume, r->quality_min_before, r->quality_min, r->quality_mean_before, r->quality_mean,
        r->stopped, tool_ending(r->stopped));
    print_advice(r);
}

json_t *mesh_embed_json(const sn_embed_report *r) {
    json_t *object =
        json_pack("{s:i, s:i, s:i}", "vertices", r->vertices, "triangles", r->triangles, "patches", r->patches);
    for (int i = 0; i < FINDINGS; ++i)
        json_object_set_new(object, findings[i].name, json_integer(count_of(r, &findings[i])));
    json_object_set_new(object, "surface_volume", tool_number(r->surface_volume));
    json_object_set_new(object, "cell", tool_number(r->cell));
    json_object_set_new(object, "pierced", json_integer(r->pierced));
    json_object_set_new(object, "split_nodes", json_integer(r->split_nodes));
    json_object_set_new(object, "pieces", json_integer(r->pieces));
    json_object_set_new(object, "stopped", json_integer(r->stopped));
    json_object_set_new(
        object, "volume",
        json_pack("{s:o, s:o}", "before", tool_number(r->volume_before), "after", tool_number(r->volume)));
    json_object_set_new(
        object, "quality_min",
        json_pack("{s:o, s:o}", "before", tool_number(r->quality_min_before), "after", tool_number(r->quality_min)));
    json_object_set_new(
        object, "quality_mean",
        json_pack("{s:o, s:o}", "before", tool_number(r->quality_mean_before), "after", tool_number(r->quality_mean)));
    return object;
}
