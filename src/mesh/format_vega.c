/* Vega .veg (J. Barbic et al., Vega FEM user's manual, "Mesh file format").
 *
 * Commands start with '*', comments with '#'; entries are separated by blanks or commas. Nodes and elements carry their
 * numbers (from 1), which are kept as labels. Sets of elements become groups of tets. Materials have no place in a
 * mesh: they are checked and left out. */
#include <string.h>

#include "format.h"
#include "group_classes.h"

typedef struct name {
    const char *text;
    int length;
} name;

typedef struct vega {
    sn_text *t;
    sn_builder *b;
    bool vertices, elements;
    name *material;
    int materials, material_capacity;
} vega;

static sn_status read_vertices(vega *v) {
    sn_text *t = v->t;
    int count;
    int64_t dimension = 0, label;
    sn_status status = sn_text_end_line(t, "*VERTICES");
    if (!status && v->vertices) status = sn_text_fail(t, "*VERTICES comes twice");
    if (!status) status = sn_text_count(t, "number of vertices", 8, &count);
    if (!status) status = sn_text_integer(t, "dimension", &dimension);
    if (!status && dimension != 3)
        status = sn_text_fail(t, "dimension is %lld; only 3 is supported", (long long)dimension);
    while (!status && sn_text_more(t)) status = sn_text_integer(t, "entry of the head", &label);
    if (!status) status = sn_text_end_line(t, "the head of *VERTICES");
    for (int i = 0; !status && i < count; ++i) {
        double position[3];
        status = sn_text_integer(t, "vertex number", &label);
        for (int j = 0; !status && j < 3; ++j) status = sn_text_number(t, "coordinate", &position[j]);
        if (!status) status = sn_builder_node(v->b, t, label, position);
        if (!status) status = sn_text_end_line(t, "the vertex");
    }
    v->vertices = true;
    return status;
}

static sn_status read_elements(vega *v) {
    sn_text *t = v->t;
    int count, length;
    int64_t nodes = 0, label, node;
    const char *word;
    sn_status status = sn_text_end_line(t, "*ELEMENTS");
    if (!status && !v->vertices) status = sn_text_fail(t, "*ELEMENTS comes before *VERTICES");
    if (!status && v->elements) status = sn_text_fail(t, "*ELEMENTS comes twice");
    if (!status) status = sn_text_word(t, "type of the elements", &word, &length);
    if (!status && !sn_text_is_any_case(word, length, "TET") && !sn_text_is_any_case(word, length, "TETS")) {
        return sn_text_fail(t, "elements of type '%.*s' are not supported; TET is", length < 40 ? length : 40, word);
    }
    if (!status) status = sn_text_end_line(t, "the type of the elements");
    if (!status) status = sn_text_count(t, "number of elements", 10, &count);
    if (!status) status = sn_text_integer(t, "number of nodes per element", &nodes);
    if (!status && nodes != 4) status = sn_text_fail(t, "%lld nodes per element; a TET has 4", (long long)nodes);
    while (!status && sn_text_more(t)) status = sn_text_integer(t, "entry of the head", &label);
    if (!status) status = sn_text_end_line(t, "the head of *ELEMENTS");
    for (int i = 0; !status && i < count; ++i) {
        int32_t index[4];
        status = sn_text_integer(t, "element number", &label);
        for (int j = 0; !status && j < 4; ++j) {
            status = sn_text_integer(t, "node of an element", &node);
            if (!status) status = sn_builder_find_node(v->b, t, node, &index[j]);
        }
        if (!status) status = sn_builder_tet(v->b, t, label, index, 4);
        if (!status) status = sn_text_end_line(t, "the element");
    }
    v->elements = true;
    return status;
}

/* *SET NAME, then element numbers up to the next command. */
static sn_status read_set(vega *v) {
    sn_text *t = v->t;
    const char *word;
    int length, group;
    if (!v->elements) return sn_text_fail(t, "*SET comes before *ELEMENTS");
    sn_text_rest(t, &word, &length);
    sn_status status = sn_builder_group_named(v->b, t, SN_GROUP_TETS, word, length, &group);
    t->in_line = false;
    while (!status && sn_text_more(t) && *t->at != '*') {
        int64_t label;
        status = sn_text_integer(t, "element of a set", &label);
        const int index = status ? 0 : sn_labels_find(&v->b->tet, label);
        if (index < 0)
            status = sn_text_fail(t, "element %lld of set '%.*s' does not exist", (long long)label, length, word);
        if (!status) status = sn_builder_join(v->b, t, group, index);
    }
    t->in_line = true;
    return status;
}

/* *MATERIAL NAME, then a line "TYPE, numbers". */
static sn_status read_material(vega *v) {
    sn_text *t = v->t;
    name material;
    const char *word;
    int length;
    sn_text_rest(t, &material.text, &material.length);
    if (!material.length) return sn_text_fail(t, "*MATERIAL has no name");
    sn_status status = sn_grow(v->b->context, (void **)&v->material, &v->material_capacity, v->materials + 1,
                               sizeof *v->material, t->error);
    if (status) return status;
    v->material[v->materials++] = material;
    status = sn_text_end_line(t, "*MATERIAL");
    if (!status) status = sn_text_word(t, "type of the material", &word, &length);
    while (!status && sn_text_more(t)) {
        double number;
        status = sn_text_number(t, "constant of the material", &number);
    }
    return status ? status : sn_text_end_line(t, "the material");
}

/* *REGION, then a line "SET, MATERIAL". */
static sn_status read_region(vega *v) {
    sn_text *t = v->t;
    const char *set, *material;
    int set_length = 0, material_length = 0;
    sn_status status = sn_text_end_line(t, "*REGION");
    if (!status) status = sn_text_word(t, "set of the region", &set, &set_length);
    if (!status) status = sn_text_word(t, "material of the region", &material, &material_length);
    if (status) return status;
    bool known = sn_text_is_any_case(set, set_length, "allElements");
    for (int i = 0; !known && i < v->b->group_count; ++i) known = sn_text_is(set, set_length, v->b->group[i].name);
    if (!known)
        return sn_text_fail(t, "set '%.*s' of the region does not exist", set_length < 60 ? set_length : 60, set);
    known = false;
    for (int i = 0; !known && i < v->materials; ++i) {
        known = v->material[i].length == material_length &&
                memcmp(v->material[i].text, material, (size_t)material_length) == 0;
    }
    if (!known) {
        return sn_text_fail(t, "material '%.*s' of the region does not exist",
                            material_length < 60 ? material_length : 60, material);
    }
    return sn_text_end_line(t, "the region");
}

static sn_status read_command(vega *v, const char *word, int length) {
    if (sn_text_is_any_case(word, length, "*VERTICES")) return read_vertices(v);
    if (sn_text_is_any_case(word, length, "*ELEMENTS")) return read_elements(v);
    if (sn_text_is_any_case(word, length, "*SET")) return read_set(v);
    if (sn_text_is_any_case(word, length, "*MATERIAL")) {
        sn_builder_leave_out(v->b, "materials", 1);
        return read_material(v);
    }
    if (sn_text_is_any_case(word, length, "*REGION")) return read_region(v);
    if (sn_text_is_any_case(word, length, "*INCLUDE"))
        return sn_text_fail(v->t, "*INCLUDE is not supported: put everything into one file");
    return sn_text_fail(v->t, "unknown command '%.*s'", length < 40 ? length : 40, word);
}

static sn_status read_mesh(sn_text *t, sn_builder *b) {
    vega v = {.t = t, .b = b};
    sn_status status = SN_OK;
    t->comment = '#';
    t->separator = ',';
    for (;;) {
        t->in_line = false;
        const bool more = sn_text_more(t);
        t->in_line = true;
        if (!more || status) break;
        const char *word;
        int length;
        if (*t->at != '*')
            status = sn_text_expected(t, "command (*NAME)");
        else
            status = sn_text_word(t, "command", &word, &length);
        if (!status) status = read_command(&v, word, length);
        if (status) break;
    }
    if (!status && !v.vertices) status = sn_text_fail(t, "*VERTICES is missing");
    if (!status && !v.elements) status = sn_text_fail(t, "*ELEMENTS is missing");
    sn_release(b->context, v.material);
    return status;
}

/* ---- Writing ---- */

static sn_status write_mesh(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    const sn_numbering node = sn_numbering_of(mesh->node_label, mesh->node_count, 1);
    const sn_numbering tet = sn_numbering_of(mesh->tet_label, mesh->tet_count, 1);
    (void)options;
    if (!mesh->tet_count || mesh->tet_nodes != 4) {
        return sn_fail(o->error, SN_BAD_INPUT, "%s: Vega's format takes meshes of four-node tets only", o->path);
    }
    sn_put_format(o, "# Vega mesh file\n*VERTICES\n%d 3 0 0\n", mesh->node_count);
    for (int i = 0; i < mesh->node_count; ++i) {
        sn_put_integer(o, sn_number_at(&node, i), ' ');
        for (int j = 0; j < 3; ++j) sn_put_number(o, mesh->position[3 * (size_t)i + j], j < 2 ? ' ' : '\n');
    }
    sn_put_format(o, "\n*ELEMENTS\nTET\n%d 4 0\n", mesh->tet_count);
    for (int i = 0; i < mesh->tet_count; ++i) {
        sn_put_integer(o, sn_number_at(&tet, i), ' ');
        for (int j = 0; j < 4; ++j)
            sn_put_integer(o, sn_number_at(&node, mesh->tet[4 * (size_t)i + j]), j < 3 ? ' ' : '\n');
    }
    for (int g = 0; g < mesh->group_count; ++g) {
        const sn_group *group = &mesh->group[g];
        if (group->kind != SN_GROUP_TETS) continue;
        sn_put_format(o, "\n*SET %s\n", group->name);
        for (int i = 0; i < group->count; ++i) {
            const bool last = i + 1 == group->count || i % 8 == 7;
            sn_put_integer(o, sn_number_at(&tet, group->member[i]), i + 1 == group->count ? '\n' : ',');
            if (!last)
                sn_put_text(o, " ");
            else if (i + 1 < group->count)
                sn_put_text(o, "\n");
        }
    }
    sn_put_text(o, "\n*MATERIAL default\nENU, 1000, 1e9, 0.45\n\n*REGION\nallElements, default\n");
    return SN_OK;
}

const sn_mesh_format sn_format_vega = {.read = read_mesh,
                                       .file = {{.write = write_mesh}},
                                       .keeps = SN_KEEPS_TETS | SN_KEEPS_TET_GROUPS | SN_KEEPS_NAMES |
                                                SN_KEEPS_OVERLAPS | SN_KEEPS_NODES | SN_KEEPS_NUMBERS};
