/* Medit .mesh, ASCII (P. Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253; second-order
 * keywords of libMeshb).
 *
 * Vertices and elements are numbered from 1 by their order. A reference other than 0 puts a vertex into the group
 * "node-R", a tet into "tet-R", a triangle into "tri-R". TetrahedraP2 has its mid-edge nodes on edges 01 12 20 03 13
 * 23, as we do. */
#include <stdio.h>

#include "format.h"
#include "group_classes.h"

/* A keyword with a count and that many rows of numbers. */
typedef struct keyword {
    const char *name;
    int columns;
    bool refused; /* an element that cannot be read */
} keyword;

static const keyword keywords[] = {
    {"Vertices", 4, false},
    {"Triangles", 4, false},
    {"TrianglesP2", 7, false},
    {"Tetrahedra", 5, false},
    {"TetrahedraP2", 11, false},
    {"Quadrilaterals", 5, true},
    {"Hexahedra", 9, true},
    {"Prisms", 7, true},
    {"Pyramids", 6, true},
    {"Edges", 3, false},
    {"EdgesP2", 4, false},
    {"Corners", 1, false},
    {"Ridges", 1, false},
    {"RequiredVertices", 1, false},
    {"RequiredEdges", 1, false},
    {"RequiredTriangles", 1, false},
    {"RequiredQuadrilaterals", 1, false},
    {"RequiredTetrahedra", 1, false},
    {"Normals", 3, false},
    {"NormalAtVertices", 2, false},
    {"NormalAtTriangleVertices", 3, false},
    {"NormalAtQuadrilateralVertices", 3, false},
    {"Tangents", 3, false},
    {"TangentAtVertices", 2, false},
    {"TangentAtEdges", 3, false},
    {"VerticesOnGeometricVertices", 2, false},
    {"VerticesOnGeometricEdges", 3, false},
    {"VerticesOnGeometricTriangles", 4, false},
};
enum { VERTICES, TRIANGLES, TRIANGLES_2, TETS, TETS_2 };

static sn_status join_reference(sn_text *t, sn_builder *b, sn_group_kind kind, int64_t reference, int32_t member) {
    int group;
    if (!reference) return SN_OK;
    sn_status status = sn_builder_group_numbered(b, t, kind, reference, &group);
    return status ? status : sn_builder_join(b, t, group, member);
}

static sn_status read_vertices(sn_text *t, sn_builder *b, int count) {
    sn_status status = SN_OK;
    for (int i = 0; !status && i < count; ++i) {
        double position[3];
        int64_t reference;
        for (int j = 0; !status && j < 3; ++j) status = sn_text_number(t, "coordinate", &position[j]);
        if (!status) status = sn_text_integer(t, "reference of a vertex", &reference);
        if (!status) status = sn_builder_node(b, t, i + 1, position);
        if (!status) status = join_reference(t, b, SN_GROUP_NODES, reference, i);
    }
    return status;
}

static sn_status read_elements(sn_text *t, sn_builder *b, int count, int nodes) {
    const bool tets = nodes == 4 || nodes == 10;
    sn_status status = SN_OK;
    for (int i = 0; !status && i < count; ++i) {
        int32_t index[10] = {0};
        int64_t value;
        for (int j = 0; !status && j < nodes; ++j) {
            status = sn_text_integer(t, tets ? "vertex of a tetrahedron" : "vertex of a triangle", &value);
            if (!status) status = sn_builder_find_node(b, t, value, &index[j]);
        }
        if (!status) status = sn_text_integer(t, "reference of an element", &value);
        if (status) break;
        if (tets) {
            status = sn_builder_tet(b, t, b->tet.count + 1, index, nodes);
            if (!status) status = join_reference(t, b, SN_GROUP_TETS, value, b->tet.count - 1);
        } else {
            status = sn_builder_triangle(b, t, b->triangle.count + 1, index);
            if (!status) status = join_reference(t, b, SN_GROUP_TRIANGLES, value, b->triangle.count - 1);
        }
    }
    return status;
}

static sn_status skip_rows(sn_text *t, const keyword *k, int count) {
    sn_status status = SN_OK;
    char what[64];
    double number;
    snprintf(what, sizeof what, "entry of %s", k->name);
    for (int64_t i = 0; !status && i < (int64_t)count * k->columns; ++i) status = sn_text_number(t, what, &number);
    return status;
}

/* One keyword with its rows. On the first pass only the vertices are taken, on the second everything else: elements may
 * come first. */
static sn_status read_rows(sn_text *t, sn_builder *b, const keyword *k, int pass, bool *vertices) {
    char what[64];
    int count;
    const int which = (int)(k - keywords);
    snprintf(what, sizeof what, "number of %s", k->name);
    sn_status status = sn_text_count(t, what, 2 * k->columns, &count);
    if (status) return status;
    if (k->refused && count) return sn_text_fail(t, "%s are not supported; Tetrahedra and Triangles are", k->name);
    if (which == VERTICES && pass == 0) {
        if (*vertices) return sn_text_fail(t, "Vertices come twice");
        *vertices = true;
        return read_vertices(t, b, count);
    }
    if (pass == 1 && which == TETS) return read_elements(t, b, count, 4);
    if (pass == 1 && which == TETS_2) return read_elements(t, b, count, 10);
    if (pass == 1 && which == TRIANGLES) return read_elements(t, b, count, 3);
    if (pass == 1 && which == TRIANGLES_2) {
        sn_builder_leave_out(b, "mid-edge nodes of triangles", 3 * (int64_t)count);
        return read_elements(t, b, count, 6);
    }
    if (pass == 1 && which > TETS_2) sn_builder_leave_out(b, k->name, count);
    return skip_rows(t, k, count);
}

static sn_status read_scalar(sn_text *t, const char *name, int values, int64_t low, int64_t high) {
    double value;
    sn_status status = SN_OK;
    for (int i = 0; !status && i < values; ++i) {
        status = sn_text_number(t, name, &value);
        if (!status && values == 1 && high > low && (value < (double)low || value > (double)high)) {
            status =
                sn_text_fail(t, "%s is %g; allowed are %lld to %lld", name, value, (long long)low, (long long)high);
        }
        if (!status && values == 1 && low == high && low && value != (double)low) {
            status = sn_text_fail(t, "%s is %g; only %lld is supported", name, value, (long long)low);
        }
    }
    return status;
}

static sn_status read_keyword(sn_text *t, sn_builder *b, const char *word, int length, int pass, bool *vertices) {
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; ++i) {
        if (sn_text_is_any_case(word, length, keywords[i].name)) return read_rows(t, b, &keywords[i], pass, vertices);
    }
    if (sn_text_is_any_case(word, length, "Dimension")) return read_scalar(t, "Dimension", 1, 3, 3);
    if (sn_text_is_any_case(word, length, "AngleOfCornerBound")) return read_scalar(t, "AngleOfCornerBound", 1, 0, 0);
    if (sn_text_is_any_case(word, length, "BoundingBox")) return read_scalar(t, "BoundingBox", 6, 0, 0);
    if (sn_text_is_any_case(word, length, "Geometry") || sn_text_is_any_case(word, length, "Identifier")) {
        sn_text_skip_line(t);
        return SN_OK;
    }
    return sn_text_fail(t, "unknown keyword '%.*s'", length < 40 ? length : 40, word);
}

static sn_status read_pass(sn_text *t, sn_builder *b, int pass) {
    const char *word;
    int length;
    bool vertices = false;
    sn_status status = sn_text_word(t, "MeshVersionFormatted", &word, &length);
    if (status) return status;
    if (!sn_text_is_any_case(word, length, "MeshVersionFormatted")) {
        return sn_text_fail(t, "MeshVersionFormatted expected at the start, found '%.*s'", length < 40 ? length : 40,
                            word);
    }
    status = read_scalar(t, "MeshVersionFormatted", 1, 1, 4);
    while (!status) {
        status = sn_text_word(t, "keyword (End closes the file)", &word, &length);
        if (status || sn_text_is_any_case(word, length, "End")) break;
        status = read_keyword(t, b, word, length, pass, &vertices);
        if (!status && pass == 0 && vertices) return SN_OK;
    }
    if (!status && pass == 0) status = sn_text_fail(t, "Vertices are missing");
    return status;
}

static sn_status read_mesh(sn_text *t, sn_builder *b) {
    t->comment = '#';
    const sn_text start = *t;
    sn_status status = read_pass(t, b, 0);
    if (status) return status;
    *t = start;
    return read_pass(t, b, 1);
}

/* ---- Writing ---- */

static void put_elements(sn_output *o, const char *keyword, const int32_t *node, int count, int nodes,
                         const sn_classes *c) {
    if (!count) return;
    sn_put_format(o, "%s\n%d\n", keyword, count);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < nodes; ++j) sn_put_integer(o, node[(size_t)nodes * (size_t)i + (size_t)j] + 1, ' ');
        sn_put_integer(o, c->item[c->of[i]].reference, '\n');
    }
}

static sn_status write_mesh(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    sn_classes c[3] = {{0}};
    sn_status status = SN_OK;
    (void)options;
    if (!mesh->tet_count && !mesh->triangle_count)
        return sn_fail(o->error, SN_BAD_INPUT, "%s: the mesh has no tets and no triangles", o->path);
    for (int kind = 0; !status && kind < 3; ++kind)
        status = sn_classes_make(mesh, (sn_group_kind)kind, &c[kind], o->error);
    if (!status) {
        sn_put_text(o, "MeshVersionFormatted 2\n");
        for (int kind = 0; kind < 3; ++kind) {
            sn_classes_number(mesh, (sn_group_kind)kind, &c[kind]);
            sn_classes_explain(mesh, (sn_group_kind)kind, &c[kind], o);
        }
        sn_put_format(o, "Dimension 3\nVertices\n%d\n", mesh->node_count);
        for (int i = 0; i < mesh->node_count; ++i) {
            for (int j = 0; j < 3; ++j) sn_put_number(o, mesh->position[3 * (size_t)i + j], ' ');
            sn_put_integer(o, c[SN_GROUP_NODES].item[c[SN_GROUP_NODES].of[i]].reference, '\n');
        }
        put_elements(o, "Triangles", mesh->triangle, mesh->triangle_count, 3, &c[SN_GROUP_TRIANGLES]);
        put_elements(o, mesh->tet_nodes == 10 ? "TetrahedraP2" : "Tetrahedra", mesh->tet, mesh->tet_count,
                     mesh->tet_nodes, &c[SN_GROUP_TETS]);
        sn_put_text(o, "End\n");
    }
    for (int kind = 0; kind < 3; ++kind) sn_classes_clear(&c[kind]);
    return status;
}

const sn_mesh_format sn_format_medit = {.read = read_mesh,
                                        .file = {{.write = write_mesh}},
                                        .keeps = SN_KEEPS_TETS | SN_KEEPS_TRIANGLES | SN_KEEPS_NODE_GROUPS |
                                                 SN_KEEPS_TET_GROUPS | SN_KEEPS_TRIANGLE_GROUPS | SN_KEEPS_NODES,
                                        .first = 1};
