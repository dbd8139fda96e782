/* TetGen .node, .ele and (when present) .face (TetGen manual, "File formats").
 *
 * Numbers are labels as found: 0-based, 1-based or any. A region attribute other than 0 puts a tet into the group
 * "tet-A", a boundary marker other than 0 a node into "node-M" and a face into "tri-M". Other attributes of nodes are
 * read over. TetGen's ten-node tet has its mid-edge nodes on edges 23 03 01 12 13 02, ours on 01 12 20 03 13 23. */
#include <stdio.h>

#include "format.h"
#include "group_classes.h"

enum { NODE, ELE, FACE };

/* Place i of a tet in the file is our place place_of_tetgen[i]. */
static const int place_of_tetgen[10] = {0, 1, 2, 3, 9, 7, 4, 5, 8, 6};

/* An entry of a head line that may be left out. */
static sn_status optional(sn_text *t, const char *what, int64_t low, int64_t high, int64_t *value) {
    if (!sn_text_more(t)) return SN_OK;
    sn_status status = sn_text_integer(t, what, value);
    if (!status && (*value < low || *value > high)) {
        status = sn_text_fail(t, "%s is %lld; allowed are %lld to %lld", what, (long long)*value, (long long)low,
                              (long long)high);
    }
    return status;
}

static void open_file(sn_text *t) {
    t->comment = '#';
    sn_text_more(t);
    t->in_line = true;
}

static sn_status close_file(sn_text *t, const char *what) {
    t->in_line = false;
    return sn_text_more(t) ? sn_text_expected(t, what) : SN_OK;
}

static sn_status read_nodes(sn_text *t, sn_builder *b) {
    int count;
    int64_t dimension = 3, attributes = 0, markers = 0, label, marker;
    open_file(t);
    sn_status status = sn_text_count(t, "number of nodes", 8, &count);
    if (!status) status = optional(t, "dimension", 3, 3, &dimension);
    if (!status) status = optional(t, "number of attributes", 0, 1000, &attributes);
    if (!status) status = optional(t, "number of boundary markers", 0, 1, &markers);
    if (!status) status = sn_text_end_line(t, "the head");
    for (int i = 0; !status && i < count; ++i) {
        double position[3], attribute;
        int group;
        status = sn_text_integer(t, "node number", &label);
        for (int j = 0; !status && j < 3; ++j) status = sn_text_number(t, "coordinate", &position[j]);
        for (int64_t j = 0; !status && j < attributes; ++j) status = sn_text_number(t, "attribute", &attribute);
        if (!status) status = sn_builder_node(b, t, label, position);
        if (!status && markers) {
            status = sn_text_integer(t, "boundary marker", &marker);
            if (!status && marker) {
                status = sn_builder_group_numbered(b, t, SN_GROUP_NODES, marker, &group);
                if (!status) status = sn_builder_join(b, t, group, i);
            }
        }
        if (!status) status = sn_text_end_line(t, "the node");
    }
    return status ? status : close_file(t, "end of the file after the last node");
}

/* Region attributes are mostly whole numbers, but may be any. */
static sn_status join_region(sn_text *t, sn_builder *b, double attribute) {
    int group;
    sn_status status;
    if (attribute == 0) return SN_OK;
    if (attribute == (double)(int32_t)(attribute > -1e9 && attribute < 1e9 ? attribute : 0)) {
        status = sn_builder_group_numbered(b, t, SN_GROUP_TETS, (int64_t)attribute, &group);
    } else {
        char name[64];
        const int length = snprintf(name, sizeof name, "tet-%.15g", attribute);
        status = sn_builder_group_named(b, t, SN_GROUP_TETS, name, length, &group);
    }
    return status ? status : sn_builder_join(b, t, group, b->tet.count - 1);
}

static sn_status read_tets(sn_text *t, sn_builder *b) {
    int count;
    int64_t nodes = 4, attributes = 0, label, node;
    open_file(t);
    sn_status status = sn_text_count(t, "number of tets", 10, &count);
    if (!status) status = optional(t, "number of nodes per tet", 4, 10, &nodes);
    if (!status && nodes != 4 && nodes != 10)
        status = sn_text_fail(t, "%lld nodes per tet; allowed are 4 and 10", (long long)nodes);
    if (!status) status = optional(t, "number of region attributes", 0, 1000, &attributes);
    if (!status) status = sn_text_end_line(t, "the head");
    for (int i = 0; !status && i < count; ++i) {
        int32_t index[10];
        double attribute;
        status = sn_text_integer(t, "tet number", &label);
        for (int j = 0; !status && j < nodes; ++j) {
            status = sn_text_integer(t, "node of a tet", &node);
            if (!status) status = sn_builder_find_node(b, t, node, &index[place_of_tetgen[j]]);
        }
        if (!status) status = sn_builder_tet(b, t, label, index, (int)nodes);
        for (int64_t j = 0; !status && j < attributes; ++j) {
            status = sn_text_number(t, "region attribute", &attribute);
            if (!status && j == 0) status = join_region(t, b, attribute);
        }
        if (!status) status = sn_text_end_line(t, "the tet");
    }
    return status ? status : close_file(t, "end of the file after the last tet");
}

/* A line has: number, 3 nodes (6 with ten-node tets), marker. Some switches of TetGen add columns at the end; these are
 * skipped. */
static sn_status read_faces(sn_text *t, sn_builder *b) {
    int count;
    int64_t markers = 0;
    open_file(t);
    sn_status status = sn_text_count(t, "number of faces", 8, &count);
    if (!status) status = optional(t, "number of boundary markers", 0, 1, &markers);
    if (!status) status = sn_text_end_line(t, "the head");
    for (int i = 0; !status && i < count; ++i) {
        int64_t value[12];
        int values = 0, group;
        int32_t node[3];
        while (!status && values < 12 && (values < 4 + markers || sn_text_more(t)))
            status = sn_text_integer(t, "entry of a face", &value[values++]);
        const int marker = b->tet_nodes == 10 && values >= 7 + markers ? 7 : 4;
        for (int j = 0; !status && j < 3; ++j) status = sn_builder_find_node(b, t, value[1 + j], &node[j]);
        if (!status) status = sn_builder_triangle(b, t, value[0], node);
        if (!status && markers && value[marker]) {
            status = sn_builder_group_numbered(b, t, SN_GROUP_TRIANGLES, value[marker], &group);
            if (!status) status = sn_builder_join(b, t, group, b->triangle.count - 1);
        }
        if (!status) status = sn_text_end_line(t, "the face");
    }
    return status ? status : close_file(t, "end of the file after the last face");
}

static sn_status read_mesh(sn_text *file, sn_builder *b) {
    sn_status status = read_nodes(&file[NODE], b);
    if (!status) status = read_tets(&file[ELE], b);
    if (!status && file[FACE].begin) status = read_faces(&file[FACE], b);
    return status;
}

/* ---- Writing ---- */

static sn_status begin(const sn_mesh *mesh, sn_group_kind kind, sn_classes *classes, sn_output *o) {
    sn_status status = sn_classes_make(mesh, kind, classes, o->error);
    if (status) return status;
    sn_classes_number(mesh, kind, classes);
    sn_classes_explain(mesh, kind, classes, o);
    return SN_OK;
}

static void put_nodes(sn_output *o, const sn_numbering *numbering, const int32_t *node, int count, const int *order,
                      const sn_classes *c, int i) {
    const bool marked = c->count > 1;
    for (int j = 0; j < count; ++j)
        sn_put_integer(o, sn_number_at(numbering, node[order ? order[j] : j]), j + 1 < count || marked ? ' ' : '\n');
    if (marked) sn_put_integer(o, c->item[c->of[i]].reference, '\n');
}

static sn_status write_node(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    const sn_numbering number = sn_numbering_of(mesh->node_label, mesh->node_count, 0);
    sn_classes c;
    (void)options;
    if (!mesh->tet_count)
        return sn_fail(o->error, SN_BAD_INPUT, "%s: the mesh has no tets, which TetGen's files need", o->path);
    sn_status status = begin(mesh, SN_GROUP_NODES, &c, o);
    if (status) return status;
    sn_put_format(o, "%d 3 0 %d\n", mesh->node_count, c.count > 1);
    for (int i = 0; i < mesh->node_count; ++i) {
        sn_put_integer(o, sn_number_at(&number, i), ' ');
        for (int j = 0; j < 3; ++j)
            sn_put_number(o, mesh->position[3 * (size_t)i + j], j < 2 || c.count > 1 ? ' ' : '\n');
        if (c.count > 1) sn_put_integer(o, c.item[c.of[i]].reference, '\n');
    }
    sn_classes_clear(&c);
    return SN_OK;
}

static sn_status write_ele(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    const sn_numbering node = sn_numbering_of(mesh->node_label, mesh->node_count, 0);
    const sn_numbering tet = sn_numbering_of(mesh->tet_label, mesh->tet_count, 0);
    const int nodes = mesh->tet_nodes;
    sn_classes c;
    (void)options;
    sn_status status = begin(mesh, SN_GROUP_TETS, &c, o);
    if (status) return status;
    sn_put_format(o, "%d %d %d\n", mesh->tet_count, nodes, c.count > 1);
    for (int i = 0; i < mesh->tet_count; ++i) {
        sn_put_integer(o, sn_number_at(&tet, i), ' ');
        put_nodes(o, &node, mesh->tet + (size_t)nodes * (size_t)i, nodes, place_of_tetgen, &c, i);
    }
    sn_classes_clear(&c);
    return SN_OK;
}

static sn_status write_face(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    const sn_numbering node = sn_numbering_of(mesh->node_label, mesh->node_count, 0);
    const sn_numbering face = sn_numbering_of(mesh->triangle_label, mesh->triangle_count, 0);
    sn_classes c;
    (void)options;
    sn_status status = begin(mesh, SN_GROUP_TRIANGLES, &c, o);
    if (status) return status;
    sn_put_format(o, "%d %d\n", mesh->triangle_count, c.count > 1);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        sn_put_integer(o, sn_number_at(&face, i), ' ');
        put_nodes(o, &node, mesh->triangle + 3 * (size_t)i, 3, NULL, &c, i);
    }
    sn_classes_clear(&c);
    return SN_OK;
}

const sn_mesh_format sn_format_tetgen = {
    .keeps = SN_KEEPS_EVERYTHING & ~(SN_KEEPS_NAMES | SN_KEEPS_OVERLAPS),
    .read = read_mesh,
    .file =
        {[NODE] = {"node", false, write_node}, [ELE] = {"ele", false, write_ele}, [FACE] = {"face", true, write_face}},
};
