/* Gmsh .msh 2.2: nodes and elements.
 *
 * Version 2.2 gives an element one physical tag. Gmsh writes an element of several physical groups once per group, the
 * copies one after the other with the same elementary tag and the same nodes; read back they are one element in several
 * groups. */
#include <string.h>

#include "msh.h"

/* A count stands as text on its own line also in binary files. */
static sn_status read_count(sn_msh *m, const char *what, int64_t least, int *count) {
    int64_t value;
    sn_status status = sn_text_integer(m->text, what, &value);
    if (!status) status = sn_text_check_count(m->text, what, value, least, count);
    if (status) return status;
    if (!m->text->binary) return sn_text_end_line(m->text, what);
    if (sn_text_more_in_line(m->text)) return sn_text_expected(m->text, "end of the line");
    sn_text_skip_line(m->text);
    return SN_OK;
}

sn_status sn_msh2_nodes(sn_msh *m) {
    int count;
    sn_status status = read_count(m, "number of nodes", m->text->binary ? 28 : 8, &count);
    for (int i = 0; !status && i < count; ++i) {
        int64_t label;
        double position[3];
        status = sn_msh_integer(m, "node number", &label);
        for (int j = 0; !status && j < 3; ++j) status = sn_msh_number(m, "coordinate", &position[j]);
        if (!status) status = sn_builder_node(m->builder, m->text, label, position);
        if (!status) status = sn_msh_end_line(m, "the node");
    }
    return status;
}

/* The element before, to know its copies. */
typedef struct previous {
    const sn_msh_element_type *type;
    int64_t elementary, physical;
    int64_t node[SN_MSH_MAX_NODES];
} previous;

/* Tags and nodes of one element; its number is read already. */
static sn_status read_element(sn_msh *m, previous *before, const sn_msh_element_type *type, int64_t tags,
                              int64_t label) {
    previous now = {.type = type};
    sn_status status = SN_OK;
    for (int64_t i = 0; !status && i < tags; ++i) {
        int64_t tag;
        status = sn_msh_integer(m, "element tag", &tag);
        if (status) break;
        if (i == 0) now.physical = tag;
        if (i == 1) now.elementary = tag;
    }
    for (int i = 0; !status && i < type->nodes; ++i) status = sn_msh_integer(m, "node of an element", &now.node[i]);
    if (status) return status;
    const bool same = before->type == type && now.physical && before->physical && now.physical != before->physical &&
                      now.elementary == before->elementary &&
                      memcmp(now.node, before->node, (size_t)type->nodes * sizeof now.node[0]) == 0;
    *before = now;
    return sn_msh_element(m, type, label, now.node, &now.physical, 1, same);
}

static sn_status read_tags(sn_msh *m, int64_t *tags) {
    sn_status status = sn_msh_integer(m, "number of tags", tags);
    if (!status && (*tags < 0 || *tags > 1000))
        status = sn_text_fail(m->text, "number of tags is %lld; allowed are 0 to 1000", (long long)*tags);
    return status;
}

static sn_status binary_elements(sn_msh *m, int count) {
    previous before = {0};
    sn_status status = SN_OK;
    for (int done = 0; !status && done < count;) {
        int64_t type, follow, tags, label;
        int block = 0;
        const sn_msh_element_type *entry;
        status = sn_msh_integer(m, "element type", &type);
        if (!status) status = sn_msh_element_type_of(m, type, &entry);
        if (!status) status = sn_msh_integer(m, "number of elements that follow", &follow);
        if (!status)
            status =
                sn_text_check_count(m->text, "number of elements that follow", follow, 4 + 4 * entry->nodes, &block);
        if (!status && (block < 1 || block > count - done)) {
            status = sn_text_fail(m->text, "%d elements follow, but %d of $Elements are left", block, count - done);
        }
        if (!status) status = read_tags(m, &tags);
        for (int i = 0; !status && i < block; ++i) {
            status = sn_msh_integer(m, "element number", &label);
            if (!status) status = read_element(m, &before, entry, tags, label);
        }
        done += block;
    }
    return status;
}

sn_status sn_msh2_elements(sn_msh *m) {
    int count;
    previous before = {0};
    sn_status status = read_count(m, "number of elements", m->text->binary ? 8 : 9, &count);
    if (!status && m->text->binary) return binary_elements(m, count);
    for (int i = 0; !status && i < count; ++i) {
        int64_t label, type, tags;
        const sn_msh_element_type *entry;
        status = sn_msh_integer(m, "element number", &label);
        if (!status) status = sn_msh_integer(m, "element type", &type);
        if (!status) status = sn_msh_element_type_of(m, type, &entry);
        if (!status) status = read_tags(m, &tags);
        if (!status) status = read_element(m, &before, entry, tags, label);
        if (!status) status = sn_msh_end_line(m, "the element");
    }
    return status;
}
