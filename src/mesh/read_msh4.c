/* Gmsh .msh 4.1: entities with their physical tags, and blocks of nodes and elements. $Entities may be missing: then
 * there are no groups.
 */
#include "msh.h"

static sn_status append_physical(sn_msh *m, int dimension, int64_t tag) {
    sn_status status = sn_grow(m->builder->context, (void **)&m->list[dimension], &m->list_capacity[dimension],
                               m->list_count[dimension] + 1, sizeof(int64_t), m->text->error);
    if (!status) m->list[dimension][m->list_count[dimension]++] = tag;
    return status;
}

/* tag, point or box, physical tags, and (but for points) the entities that bound it. */
static sn_status read_entity(sn_msh *m, int dimension) {
    sn_text *t = m->text;
    int64_t tag, value;
    double number;
    int count;
    bool fresh;
    sn_labels *known = &m->entity[dimension];
    sn_status status = sn_msh_integer(m, "entity tag", &tag);
    if (status) return status;
    for (int i = 0; !status && i < (dimension ? 6 : 3); ++i)
        status = sn_msh_number(m, "coordinate of an entity", &number);
    if (!status) {
        status = sn_grow(m->builder->context, (void **)&m->entity_begin[dimension], &m->entity_capacity[dimension],
                         known->count + 1, sizeof(int), t->error);
    }
    if (!status) status = sn_labels_add(m->builder->context, known, tag, &fresh, t->error);
    if (!status && !fresh)
        status = sn_text_fail(t, "entity %lld of dimension %d comes twice", (long long)tag, dimension);
    if (status) return status;
    m->entity_begin[dimension][known->count - 1] = m->list_count[dimension];
    status = sn_text_count(t, "number of physical tags", t->binary ? 4 : 2, &count);
    if (!status && count > SN_MSH_MAX_PHYSICALS) {
        status =
            sn_text_fail(t, "an entity in %d physical groups; at most %d are supported", count, SN_MSH_MAX_PHYSICALS);
    }
    for (int i = 0; !status && i < count; ++i) {
        status = sn_msh_integer(m, "physical tag", &value);
        if (!status) status = append_physical(m, dimension, value);
    }
    if (!status && dimension) {
        status = sn_text_count(t, "number of bounding entities", t->binary ? 4 : 2, &count);
        for (int i = 0; !status && i < count; ++i) status = sn_msh_integer(m, "bounding entity", &value);
    }
    return status ? status : sn_msh_end_line(m, "the entity");
}

sn_status sn_msh4_entities(sn_msh *m) {
    int count[4];
    sn_status status = SN_OK;
    for (int i = 0; !status && i < 4; ++i)
        status = sn_text_count(m->text, "number of entities", m->text->binary ? 28 : 8, &count[i]);
    if (!status) status = sn_msh_end_line(m, "the numbers of entities");
    for (int dimension = 0; dimension < 4; ++dimension) {
        for (int i = 0; !status && i < count[dimension]; ++i) status = read_entity(m, dimension);
    }
    return status;
}

/* The four numbers that open $Nodes and $Elements: blocks, total, smallest and largest tag. */
static sn_status read_totals(sn_msh *m, const char *what, int64_t least, int *blocks, int *total) {
    int64_t tag;
    sn_status status = sn_text_count(m->text, "number of blocks", m->text->binary ? 20 : 8, blocks);
    if (!status) status = sn_text_count(m->text, what, least, total);
    if (!status) status = sn_msh_size(m, "smallest tag", &tag);
    if (!status) status = sn_msh_size(m, "largest tag", &tag);
    return status ? status : sn_msh_end_line(m, "the totals");
}

static sn_status read_dimension(sn_msh *m, int64_t *dimension, int64_t *tag) {
    sn_status status = sn_msh_integer(m, "entity dimension", dimension);
    if (!status && (*dimension < 0 || *dimension > 3)) {
        status = sn_text_fail(m->text, "entity dimension %lld is not 0 to 3", (long long)*dimension);
    }
    return status ? status : sn_msh_integer(m, "entity tag", tag);
}

static sn_status wrong_total(sn_msh *m, const char *what, int64_t found, int total) {
    return sn_text_fail(m->text, "the blocks have %lld %s, but their total is given as %d", (long long)found, what,
                        total);
}

/* Tags first, then positions in the same order; parametric blocks add one to three parameters to each. */
static sn_status read_node_block(sn_msh *m, int left, int *taken) {
    sn_text *t = m->text;
    int64_t dimension, tag, parametric, label;
    int count;
    sn_status status = read_dimension(m, &dimension, &tag);
    if (!status) status = sn_msh_integer(m, "parametric flag", &parametric);
    if (!status && parametric != 0 && parametric != 1)
        status = sn_text_fail(t, "parametric flag %lld is not 0 or 1", (long long)parametric);
    if (!status) status = sn_text_count(t, "number of nodes in the block", t->binary ? 32 : 8, &count);
    if (!status && count > left)
        status = sn_text_fail(t, "%d nodes in the block, but %d of the total are left", count, left);
    if (!status) status = sn_msh_end_line(m, "the block's head");
    if (status) return status;
    const int first = m->builder->node.count;
    for (int i = 0; !status && i < count; ++i) {
        status = sn_msh_size(m, "node tag", &label);
        if (!status) status = sn_builder_node(m->builder, t, label, (const double[3]){0, 0, 0});
        if (!status) status = sn_msh_end_line(m, "the node tag");
    }
    for (int i = 0; !status && i < count; ++i) {
        double *position = m->builder->position + 3 * (size_t)(first + i), parameter;
        for (int j = 0; !status && j < 3; ++j) status = sn_msh_number(m, "coordinate", &position[j]);
        for (int j = 0; !status && parametric && j < dimension; ++j)
            status = sn_msh_number(m, "parameter of a node", &parameter);
        if (!status) status = sn_msh_end_line(m, "the node");
    }
    *taken = count;
    return status;
}

sn_status sn_msh4_nodes(sn_msh *m) {
    int blocks, total, done = 0;
    sn_status status = read_totals(m, "number of nodes", m->text->binary ? 32 : 8, &blocks, &total);
    for (int i = 0; !status && i < blocks; ++i) {
        int taken = 0;
        status = read_node_block(m, total - done, &taken);
        done += taken;
    }
    if (!status && done != total) status = wrong_total(m, "nodes", done, total);
    return status;
}

static sn_status read_element_block(sn_msh *m, int left, int *taken) {
    sn_text *t = m->text;
    int64_t dimension, tag, type, label, node[SN_MSH_MAX_NODES];
    int count;
    const sn_msh_element_type *entry;
    sn_status status = read_dimension(m, &dimension, &tag);
    if (!status) status = sn_msh_integer(m, "element type", &type);
    if (!status) status = sn_msh_element_type_of(m, type, &entry);
    if (!status && entry->dimension != dimension) {
        status =
            sn_text_fail(t, "a %s cannot belong to an entity of dimension %lld", entry->name, (long long)dimension);
    }
    if (!status)
        status = sn_text_count(t, "number of elements in the block",
                               t->binary ? 8 + 8 * entry->nodes : 2 + 2 * entry->nodes, &count);
    if (!status && count > left)
        status = sn_text_fail(t, "%d elements in the block, but %d of the total are left", count, left);
    if (!status) status = sn_msh_end_line(m, "the block's head");
    if (status) return status;
    const int entity = sn_labels_find(&m->entity[dimension], tag);
    if (entity < 0 && m->entity[0].count + m->entity[1].count + m->entity[2].count + m->entity[3].count > 0) {
        return sn_text_fail(t, "entity %lld of dimension %lld does not exist", (long long)tag, (long long)dimension);
    }
    const int begin = entity < 0 ? 0 : m->entity_begin[dimension][entity];
    const int end = entity < 0                                ? 0
                    : entity + 1 < m->entity[dimension].count ? m->entity_begin[dimension][entity + 1]
                                                              : m->list_count[dimension];
    for (int i = 0; !status && i < count; ++i) {
        status = sn_msh_size(m, "element tag", &label);
        for (int j = 0; !status && j < entry->nodes; ++j) status = sn_msh_size(m, "node of an element", &node[j]);
        if (!status)
            status = sn_msh_element(m, entry, label, node, m->list[dimension] ? m->list[dimension] + begin : NULL,
                                    end - begin, false);
        if (!status) status = sn_msh_end_line(m, "the element");
    }
    *taken = count;
    return status;
}

sn_status sn_msh4_elements(sn_msh *m) {
    int blocks, total, done = 0;
    sn_status status = read_totals(m, "number of elements", m->text->binary ? 16 : 4, &blocks, &total);
    for (int i = 0; !status && i < blocks; ++i) {
        int taken = 0;
        status = read_element_block(m, total - done, &taken);
        done += taken;
    }
    if (!status && done != total) status = wrong_total(m, "elements", done, total);
    return status;
}
