/* TetGen .node, .ele and (when present) .face (TetGen manual, "File formats").
 *
 * Numbers are labels as found: 0-based, 1-based or any. A region attribute other than 0 puts a tet into the group "tet-A", a boundary
 * marker other than 0 a node into "node-M" and a face into "tri-M". Other attributes of nodes are read over. TetGen's ten-node tet has its
 * mid-edge nodes on edges 23 03 01 12 13 02, ours on 01 12 20 03 13 23. */
#include <stdio.h>

#include "readers.h"

static const int place_of_tetgen[10] = {0, 1, 2, 3, 9, 7, 4, 5, 8, 6};

/* An entry of a head line that may be left out. */
static sn_status optional(sn_text *t, const char *what, int64_t low, int64_t high, int64_t *value) {
    if (!sn_text_more(t)) return SN_OK;
    sn_status status = sn_text_integer(t, what, value);
    if (!status && (*value < low || *value > high)) {
        status = sn_text_fail(t, "%s is %lld; allowed are %lld to %lld", what, (long long)*value, (long long)low, (long long)high);
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
    if (!status && nodes != 4 && nodes != 10) status = sn_text_fail(t, "%lld nodes per tet; allowed are 4 and 10", (long long)nodes);
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

/* number, 3 nodes (6 beside ten-node tets), marker; switches of TetGen add columns behind, which are left alone. */
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

sn_status sn_read_tetgen(sn_text *node, sn_text *ele, sn_text *face, sn_builder *b) {
    sn_status status = read_nodes(node, b);
    if (!status) status = read_tets(ele, b);
    if (!status && face) status = read_faces(face, b);
    return status;
}
