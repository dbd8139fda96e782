/* Gmsh .msh, the frame: header, sections, physical names, element types (Gmsh reference manual, "Gmsh mesh file
 * formats").
 *
 * Physical groups become groups: volumes of tets, surfaces of triangles, curves and points of nodes. Gmsh's
 * second-order tet has its last two mid-edge nodes on edges 23 and 13, ours on 13 and 23. Sections that carry no mesh
 * ($NodeData, $Periodic, ...) are skipped. */
#include "msh.h"

#include <stdio.h>
#include <string.h>

static const sn_msh_element_type element_types[] = {
    {1, 1, 2, "2-node line"},          {2, 2, 3, "3-node triangle"},       {3, 2, 0, "4-node quadrangle"},
    {4, 3, 4, "4-node tetrahedron"},   {5, 3, 0, "8-node hexahedron"},     {6, 3, 0, "6-node prism"},
    {7, 3, 0, "5-node pyramid"},       {8, 1, 3, "3-node line"},           {9, 2, 6, "6-node triangle"},
    {10, 2, 0, "9-node quadrangle"},   {11, 3, 10, "10-node tetrahedron"}, {12, 3, 0, "27-node hexahedron"},
    {13, 3, 0, "18-node prism"},       {14, 3, 0, "14-node pyramid"},      {15, 0, 1, "point"},
    {16, 2, 0, "8-node quadrangle"},   {17, 3, 0, "20-node hexahedron"},   {18, 3, 0, "15-node prism"},
    {19, 3, 0, "13-node pyramid"},     {20, 2, 0, "9-node triangle"},      {21, 2, 0, "10-node triangle"},
    {22, 2, 0, "12-node triangle"},    {23, 2, 0, "15-node triangle"},     {24, 2, 0, "15-node triangle"},
    {25, 2, 0, "21-node triangle"},    {26, 1, 4, "4-node line"},          {27, 1, 5, "5-node line"},
    {28, 1, 6, "6-node line"},         {29, 3, 0, "20-node tetrahedron"},  {30, 3, 0, "35-node tetrahedron"},
    {31, 3, 0, "56-node tetrahedron"}, {92, 3, 0, "64-node hexahedron"},   {93, 3, 0, "125-node hexahedron"},
};

sn_status sn_msh_element_type_of(sn_msh *m, int64_t type, const sn_msh_element_type **entry) {
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; ++i) {
        if (element_types[i].type != type) continue;
        *entry = &element_types[i];
        if (element_types[i].nodes) return SN_OK;
        return sn_text_fail(
            m->text, "element type %lld (%s) is not supported; tets of 4 and 10 and triangles of 3 and 6 nodes are",
            (long long)type, element_types[i].name);
    }
    return sn_text_fail(m->text, "element type %lld is unknown", (long long)type);
}

/* ---- Values ---- */

sn_status sn_msh_integer(sn_msh *m, const char *what, int64_t *value) {
    return m->text->binary ? sn_text_i32(m->text, what, value) : sn_text_integer(m->text, what, value);
}

sn_status sn_msh_size(sn_msh *m, const char *what, int64_t *value) {
    return m->text->binary ? sn_text_u64(m->text, what, value) : sn_text_integer(m->text, what, value);
}

sn_status sn_msh_number(sn_msh *m, const char *what, double *value) {
    return m->text->binary ? sn_text_f64(m->text, what, value) : sn_text_number(m->text, what, value);
}

sn_status sn_msh_end_line(sn_msh *m, const char *what) {
    return m->text->binary ? SN_OK : sn_text_end_line(m->text, what);
}

/* ---- Groups and elements ---- */

static sn_group_kind kind_of(int dimension) {
    return dimension == 3 ? SN_GROUP_TETS : dimension == 2 ? SN_GROUP_TRIANGLES : SN_GROUP_NODES;
}

static sn_status remember_physical(sn_msh *m, int dimension, int64_t tag, int group) {
    sn_labels *known = &m->physical[dimension];
    const sn_context *context = m->builder->context;
    bool fresh;
    sn_status status = sn_grow(context, (void **)&m->physical_group[dimension], &m->physical_capacity[dimension],
                               known->count + 1, sizeof(int), m->text->error);
    if (!status) status = sn_labels_add(context, known, tag, &fresh, m->text->error);
    if (status) return status;
    if (!fresh)
        return sn_text_fail(m->text, "physical tag %lld of dimension %d is named twice", (long long)tag, dimension);
    m->physical_group[dimension][known->count - 1] = group;
    return SN_OK;
}

sn_status sn_msh_physical(sn_msh *m, int dimension, int64_t tag, int *group) {
    if (tag < 0) tag = -tag; /* the sign only says that the entity is reversed */
    const int known = sn_labels_find(&m->physical[dimension], tag);
    if (known >= 0) {
        *group = m->physical_group[dimension][known];
        return SN_OK;
    }
    sn_status status;
    if (dimension == 1) { /* apart from the points of the same number */
        char name[64];
        const int length = snprintf(name, sizeof name, "line-%lld", (long long)tag);
        status = sn_builder_group_named(m->builder, m->text, SN_GROUP_NODES, name, length, group);
    } else {
        status = sn_builder_group_numbered(m->builder, m->text, kind_of(dimension), tag, group);
    }
    return status ? status : remember_physical(m, dimension, tag, *group);
}

static sn_status join(sn_msh *m, const sn_msh_element_type *type, const int32_t *node, int64_t physical) {
    int group;
    sn_status status = sn_msh_physical(m, type->dimension, physical, &group);
    if (status) return status;
    if (type->dimension == 3) return sn_builder_join(m->builder, m->text, group, m->builder->tet.count - 1);
    if (type->dimension == 2) return sn_builder_join(m->builder, m->text, group, m->builder->triangle.count - 1);
    for (int i = 0; !status && i < type->nodes; ++i) status = sn_builder_join(m->builder, m->text, group, node[i]);
    return status;
}

sn_status sn_msh_element(sn_msh *m, const sn_msh_element_type *type, int64_t label, const int64_t *node,
                         const int64_t *physical, int physicals, bool same) {
    int32_t index[SN_MSH_MAX_NODES];
    sn_status status = SN_OK;
    for (int i = 0; !status && i < type->nodes; ++i)
        status = sn_builder_find_node(m->builder, m->text, node[i], &index[i]);
    if (status) return status;
    if (type->nodes == 10) {
        const int32_t on_23 = index[8];
        index[8] = index[9], index[9] = on_23;
    }
    if (!same && type->dimension == 3) status = sn_builder_tet(m->builder, m->text, label, index, type->nodes);
    if (!same && type->dimension == 2) status = sn_builder_triangle(m->builder, m->text, label, index);
    if (!same && type->dimension == 2) sn_builder_leave_out(m->builder, "mid-edge nodes of triangles", type->nodes - 3);
    if (!same && type->dimension < 2 && !physicals) sn_builder_leave_out(m->builder, "lines and points", 1);
    for (int i = 0; !status && i < physicals; ++i) status = physical[i] ? join(m, type, index, physical[i]) : SN_OK;
    return status;
}

/* ---- Sections ---- */

/* To the line behind a section's name; binary data begin there at once. */
static sn_status after_name(sn_msh *m, const char *what) {
    if (!m->text->binary) return sn_text_end_line(m->text, what);
    sn_text_skip_line(m->text);
    return SN_OK;
}

static sn_status expect_end(sn_msh *m, const char *name) {
    sn_text *t = m->text;
    const bool in_line = t->in_line;
    t->in_line = false;
    const char *at = sn_text_more(t) ? t->at : NULL, *word;
    int length;
    if (!at) return sn_text_expected(t, name);
    sn_text_word(t, name, &word, &length);
    t->in_line = in_line;
    if (sn_text_is(word, length, name)) return SN_OK;
    t->at = at;
    return sn_text_expected(t, name);
}

static sn_status read_format(sn_msh *m, int *version) {
    sn_text *t = m->text;
    double number;
    int64_t binary = 0, size = 0;
    sn_status status = sn_text_end_line(t, "$MeshFormat");
    if (!status) status = sn_text_number(t, "version", &number);
    if (status) return status;
    if (number != 2 && number != 2.1 && number != 2.2 && number != 4.1) {
        return sn_text_fail(t, "version %g of the format is not supported; 2.2 and 4.1 are", number);
    }
    *version = number < 3 ? 2 : 4;
    status = sn_text_integer(t, "file type (0: ASCII, 1: binary)", &binary);
    if (!status && binary != 0 && binary != 1)
        status = sn_text_fail(t, "file type %lld is not 0 (ASCII) or 1 (binary)", (long long)binary);
    if (!status) status = sn_text_integer(t, "data size", &size);
    if (!status && size != 8) status = sn_text_fail(t, "data size %lld is not supported; 8 is", (long long)size);
    if (status) return status;
    if (binary) {
        int64_t one = 0;
        if (sn_text_more_in_line(t)) return sn_text_expected(t, "end of the line");
        sn_text_skip_line(t);
        t->binary = true;
        status = sn_text_i32(t, "the number 1 that tells the byte order", &one);
        if (!status && one == 0x01000000)
            t->swap = true;
        else if (!status && one != 1)
            t->at -= 4, status = sn_text_fail(t, "the number that tells the byte order is %lld, not 1", (long long)one);
    } else {
        status = sn_text_end_line(t, "the format");
    }
    return status ? status : expect_end(m, "$EndMeshFormat");
}

/* N lines: dimension tag "name". Text in binary files too. */
static sn_status read_names(sn_msh *m) {
    sn_text *t = m->text;
    int64_t count, dimension, tag;
    sn_status status = sn_text_end_line(t, "$PhysicalNames");
    if (!status) status = sn_text_integer(t, "number of physical names", &count);
    int checked;
    if (!status) status = sn_text_check_count(t, "number of physical names", count, 6, &checked);
    if (!status) status = sn_text_end_line(t, "the number of physical names");
    for (int i = 0; !status && i < checked; ++i) {
        status = sn_text_integer(t, "dimension of a physical name", &dimension);
        if (!status && (dimension < 0 || dimension > 3))
            status = sn_text_fail(t, "dimension %lld is not 0 to 3", (long long)dimension);
        if (!status) status = sn_text_integer(t, "tag of a physical name", &tag);
        if (status) break;
        const char *rest;
        int length, group;
        sn_text_rest(t, &rest, &length);
        if (length < 2 || rest[0] != '"' || rest[length - 1] != '"')
            return sn_text_fail(t, "physical name in double quotes expected");
        status = sn_builder_group_named(m->builder, t, kind_of((int)dimension), rest + 1, length - 2, &group);
        if (!status) status = remember_physical(m, (int)dimension, tag < 0 ? -tag : tag, group);
        if (!status) status = sn_text_end_line(t, "a physical name");
    }
    return status ? status : expect_end(m, "$EndPhysicalNames");
}

static sn_status skip_section(sn_msh *m, const char *name, int length) {
    sn_text *t = m->text;
    char end[72];
    if (length > 60) return sn_text_fail(t, "section name '%.20s...' is too long", name);
    const int end_length = snprintf(end, sizeof end, "$End%.*s", length - 1, name + 1);
    const sn_text start = *t;
    while (t->at < t->end) {
        sn_text_skip_line(t);
        if (t->end - t->at >= end_length && memcmp(t->at, end, (size_t)end_length) == 0) return expect_end(m, end);
    }
    *t = start;
    return sn_text_fail(t, "section %.*s has no %s", length, name, end);
}

typedef struct progress {
    int version;
    bool names, entities, nodes, elements;
} progress;

static sn_status once(sn_msh *m, bool *done, const char *name) {
    if (*done) return sn_text_fail(m->text, "section %s comes twice", name);
    *done = true;
    return SN_OK;
}

static sn_status read_section(sn_msh *m, progress *p, const char *name, int length) {
    sn_status status;
    if (sn_text_is(name, length, "$MeshFormat")) {
        if (p->version) return sn_text_fail(m->text, "section $MeshFormat comes twice");
        return read_format(m, &p->version);
    }
    if (sn_text_is(name, length, "$NOD"))
        return sn_text_fail(m->text, "version 1 of the format is not supported; 2.2 and 4.1 are");
    if (sn_text_is(name, length, "$Comments")) return skip_section(m, name, length);
    if (!p->version) return sn_text_fail(m->text, "$MeshFormat expected before %.*s", length < 40 ? length : 40, name);
    if (sn_text_is(name, length, "$PhysicalNames")) {
        if ((status = once(m, &p->names, "$PhysicalNames"))) return status;
        if (p->elements) return sn_text_fail(m->text, "$PhysicalNames comes after $Elements");
        return read_names(m);
    }
    if (sn_text_is(name, length, "$PartitionedEntities"))
        return sn_text_fail(m->text, "partitioned meshes are not supported");
    if (sn_text_is(name, length, "$Entities") && p->version == 4) {
        if ((status = once(m, &p->entities, "$Entities"))) return status;
        if (p->elements) return sn_text_fail(m->text, "$Entities comes after $Elements");
        if ((status = after_name(m, "$Entities"))) return status;
        status = sn_msh4_entities(m);
        return status ? status : expect_end(m, "$EndEntities");
    }
    if (sn_text_is(name, length, "$Nodes")) {
        if ((status = once(m, &p->nodes, "$Nodes"))) return status;
        if ((status = after_name(m, "$Nodes"))) return status;
        status = p->version == 2 ? sn_msh2_nodes(m) : sn_msh4_nodes(m);
        return status ? status : expect_end(m, "$EndNodes");
    }
    if (sn_text_is(name, length, "$Elements")) {
        if (!p->nodes) return sn_text_fail(m->text, "$Elements comes before $Nodes");
        if ((status = once(m, &p->elements, "$Elements"))) return status;
        if ((status = after_name(m, "$Elements"))) return status;
        status = p->version == 2 ? sn_msh2_elements(m) : sn_msh4_elements(m);
        return status ? status : expect_end(m, "$EndElements");
    }
    return skip_section(m, name, length);
}

static void clear(sn_msh *m) {
    const sn_context *context = m->builder->context;
    for (int i = 0; i < 4; ++i) {
        sn_labels_clear(context, &m->physical[i]);
        sn_labels_clear(context, &m->entity[i]);
        sn_release(context, m->physical_group[i]);
        sn_release(context, m->entity_begin[i]);
        sn_release(context, m->list[i]);
    }
}

sn_status sn_read_msh(sn_text *t, sn_builder *b) {
    sn_msh m = {.text = t, .builder = b};
    progress p = {0};
    sn_status status = SN_OK;
    t->in_line = true;
    for (;;) {
        t->in_line = false;
        const bool more = sn_text_more(t);
        t->in_line = true;
        if (!more) break;
        const char *name;
        int length;
        if (*t->at != '$') {
            status = sn_text_expected(t, "section ($Name)");
        } else {
            status = sn_text_word(t, "section", &name, &length);
            if (!status) status = read_section(&m, &p, name, length);
        }
        if (status) break;
    }
    if (!status && !p.version) status = sn_text_fail(t, "section $MeshFormat is missing");
    if (!status && !p.nodes) status = sn_text_fail(t, "section $Nodes is missing");
    if (!status && !p.elements) status = sn_text_fail(t, "section $Elements is missing");
    clear(&m);
    return status;
}
