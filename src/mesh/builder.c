/* Labels, growing arrays and groups of a mesh that is being read. */
#include "builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "polygon.h"

/* ---- Labels ---- */

static uint32_t spread(int64_t label, uint32_t slots) {
    return (uint32_t)(((uint64_t)label * 0x9E3779B97F4A7C15u) >> 32) & (slots - 1);
}

static void put(sn_labels *l, int index) {
    uint32_t s = spread(l->label[index], l->slots);
    while (l->slot[s] >= 0) s = (s + 1) & (l->slots - 1);
    l->slot[s] = index;
}

/* Doubles the table (or makes it) and puts all labels in again. */
static sn_status rehash(const sn_context *context, sn_labels *l, sn_error *error) {
    uint32_t slots = 64;
    while (slots < 4u * (uint32_t)(l->count + 1)) slots *= 2;
    int32_t *slot = sn_allocate(context, slots, sizeof *slot);
    if (!slot) return sn_no_memory(error);
    memset(slot, 0xff, slots * sizeof *slot);
    sn_release(context, l->slot);
    l->slot = slot;
    l->slots = slots;
    for (int i = 0; i < l->count; ++i) put(l, i);
    return SN_OK;
}

int sn_labels_find(const sn_labels *l, int64_t label) {
    if (!l->count) return -1;
    if (!l->slot) {
        const uint64_t offset = (uint64_t)label - (uint64_t)l->label[0];
        return offset < (uint64_t)l->count ? (int)offset : -1;
    }
    for (uint32_t s = spread(label, l->slots); l->slot[s] >= 0; s = (s + 1) & (l->slots - 1)) {
        if (l->label[l->slot[s]] == label) return l->slot[s];
    }
    return -1;
}

sn_status sn_labels_add(const sn_context *context, sn_labels *l, int64_t label, bool *fresh, sn_error *error) {
    *fresh = sn_labels_find(l, label) < 0;
    if (!*fresh) return SN_OK;
    sn_status status = sn_grow(context, (void **)&l->label, &l->capacity, l->count + 1, sizeof *l->label, error);
    if (status) return status;
    const bool in_row = !l->slot && (!l->count || (uint64_t)label - (uint64_t)l->label[0] == (uint64_t)l->count);
    if (!in_row && (!l->slot || 2u * (uint32_t)(l->count + 1) > l->slots)) status = rehash(context, l, error);
    if (status) return status;
    l->label[l->count++] = label;
    if (l->slot) put(l, l->count - 1);
    return SN_OK;
}

void sn_labels_clear(const sn_context *context, sn_labels *l) {
    sn_release(context, l->label);
    sn_release(context, l->slot);
    *l = (sn_labels){0};
}

/* ---- Nodes and elements ---- */

void sn_builder_clear(sn_builder *b) {
    sn_labels_clear(b->context, &b->node);
    sn_labels_clear(b->context, &b->tet);
    sn_labels_clear(b->context, &b->triangle);
    sn_release(b->context, b->position);
    sn_release(b->context, b->tet_node);
    sn_release(b->context, b->triangle_node);
    for (int i = 0; i < b->group_count; ++i) sn_release(b->context, b->group[i].member);
    sn_release(b->context, b->group);
    for (int i = 0; i < b->field_count; ++i)
        sn_release(b->context, b->field[i].value[0]), sn_release(b->context, b->field[i].value[1]);
    sn_release(b->context, b->field);
    for (int i = 0; i < 3; ++i) {
        sn_labels_clear(b->context, &b->reference[i]);
        sn_release(b->context, b->reference_group[i]);
    }
    *b = (sn_builder){.context = b->context};
}

static sn_status add_label(sn_builder *b, sn_text *t, sn_labels *labels, int64_t label, const char *what) {
    bool fresh;
    sn_status status = sn_labels_add(b->context, labels, label, &fresh, t->error);
    if (status) return status;
    if (labels->count > INT32_MAX / 16) return sn_text_fail(t, "more than %d %ss", INT32_MAX / 16, what);
    return fresh ? SN_OK : sn_text_fail(t, "%s number %lld comes twice", what, (long long)label);
}

sn_status sn_builder_node(sn_builder *b, sn_text *t, int64_t label, const double position[3]) {
    for (int i = 0; i < 3; ++i) {
        if (!isfinite(position[i]))
            return sn_text_fail(t, "coordinate %d of node %lld is not finite", i + 1, (long long)label);
    }
    sn_status status = sn_grow(b->context, (void **)&b->position, &b->position_capacity, b->node.count + 1,
                               3 * sizeof(double), t->error);
    if (!status) status = add_label(b, t, &b->node, label, "node");
    if (!status) memcpy(b->position + 3 * (size_t)(b->node.count - 1), position, 3 * sizeof(double));
    return status;
}

sn_status sn_builder_tet(sn_builder *b, sn_text *t, int64_t label, const int32_t *node, int count) {
    if (b->tet_nodes && b->tet_nodes != count) {
        return sn_text_fail(t, "tet %lld has %d nodes, those before it have %d; mixed meshes are not supported",
                            (long long)label, count, b->tet_nodes);
    }
    for (int i = 1; i < count; ++i)
        for (int j = 0; j < i; ++j)
            if (node[i] == node[j])
                return sn_text_fail(t, "tet %lld has one node at two of its corners", (long long)label);
    b->tet_nodes = count;
    const size_t bytes = (size_t)count * sizeof *node;
    sn_status status = sn_grow(b->context, (void **)&b->tet_node, &b->tet_capacity, b->tet.count + 1, bytes, t->error);
    if (!status) status = add_label(b, t, &b->tet, label, "tet");
    if (!status) memcpy(b->tet_node + (size_t)(b->tet.count - 1) * (size_t)count, node, bytes);
    return status;
}

sn_status sn_builder_triangle(sn_builder *b, sn_text *t, int64_t label, const int32_t node[3]) {
    const size_t bytes = 3 * sizeof *node;
    sn_status status =
        sn_grow(b->context, (void **)&b->triangle_node, &b->triangle_capacity, b->triangle.count + 1, bytes, t->error);
    if (!status) status = add_label(b, t, &b->triangle, label, "triangle");
    if (!status) memcpy(b->triangle_node + 3 * (size_t)(b->triangle.count - 1), node, bytes);
    return status;
}

sn_status sn_builder_polygon(sn_builder *b, sn_text *t, const int32_t *node, int count) {
    int32_t *ring = sn_allocate(b->context, (size_t)count, sizeof *ring),
            *bend = sn_allocate(b->context, (size_t)count, sizeof *bend),
            *corner = sn_allocate(b->context, 3 * (size_t)count, sizeof *corner);
    sn_status status = ring && bend && corner ? SN_OK : sn_no_memory(t->error);
    if (!status) memcpy(ring, node, (size_t)count * sizeof *ring);
    if (!status) sn_polygon_cut(b->position, ring, count, bend, corner);
    for (int i = 0; i + 2 < count && !status; ++i)
        status = sn_builder_triangle(b, t, b->triangle.count, corner + 3 * (size_t)i);
    sn_release(b->context, ring), sn_release(b->context, bend), sn_release(b->context, corner);
    return status;
}

sn_status sn_builder_find_node(sn_builder *b, sn_text *t, int64_t label, int32_t *index) {
    *index = sn_labels_find(&b->node, label);
    if (*index >= 0) return SN_OK;
    if (!b->node.count) return sn_text_fail(t, "node %lld does not exist: there are no nodes", (long long)label);
    if (b->node.slot) return sn_text_fail(t, "node %lld does not exist", (long long)label);
    const long long first = (long long)b->node.label[0];
    return sn_text_fail(t, "node %lld does not exist; the nodes are %lld to %lld", (long long)label, first,
                        first + b->node.count - 1);
}

/* ---- Groups ---- */

static sn_status new_group(sn_builder *b, sn_text *t, sn_group_kind kind, const char *name, int length, int *group) {
    sn_status status =
        sn_grow(b->context, (void **)&b->group, &b->group_capacity, b->group_count + 1, sizeof *b->group, t->error);
    if (status) return status;
    sn_builder_group *g = &b->group[b->group_count];
    *g = (sn_builder_group){.kind = kind};
    memcpy(g->name, name, (size_t)length);
    *group = b->group_count++;
    return SN_OK;
}

sn_status sn_builder_group_named(sn_builder *b, sn_text *t, sn_group_kind kind, const char *name, int length,
                                 int *group) {
    const int longest = (int)sizeof b->group->name - 1;
    if (length < 1) return sn_text_fail(t, "the name of a group is empty");
    if (length > longest)
        return sn_text_fail(t, "the name of group '%.20s...' has %d characters; at most %d are allowed", name, length,
                            longest);
    for (int i = 0; i < length; ++i) {
        if ((unsigned char)name[i] < 32 || name[i] == 127)
            return sn_text_fail(t, "the name of a group has a control character");
    }
    for (int i = 0; i < b->group_count; ++i) {
        if (b->group[i].kind != kind || !sn_text_is(name, length, b->group[i].name)) continue;
        *group = i;
        return SN_OK;
    }
    return new_group(b, t, kind, name, length, group);
}

sn_status sn_builder_group_numbered(sn_builder *b, sn_text *t, sn_group_kind kind, int64_t number, int *group) {
    static const char *const prefix[3] = {
        [SN_GROUP_NODES] = "node", [SN_GROUP_TETS] = "tet", [SN_GROUP_TRIANGLES] = "tri"};
    sn_labels *seen = &b->reference[kind];
    const int known = sn_labels_find(seen, number);
    if (known >= 0) {
        *group = b->reference_group[kind][known];
        return SN_OK;
    }
    char name[64];
    const int length = snprintf(name, sizeof name, "%s-%lld", prefix[kind], (long long)number);
    bool fresh;
    sn_status status = sn_builder_group_named(b, t, kind, name, length, group);
    if (!status) {
        status = sn_grow(b->context, (void **)&b->reference_group[kind], &b->reference_capacity[kind], seen->count + 1,
                         sizeof(int), t->error);
    }
    if (!status) status = sn_labels_add(b->context, seen, number, &fresh, t->error);
    if (!status) b->reference_group[kind][seen->count - 1] = *group;
    return status;
}

sn_status sn_builder_join(sn_builder *b, sn_text *t, int group, int32_t member) {
    sn_builder_group *g = &b->group[group];
    if (g->count && g->member[g->count - 1] == member) return SN_OK;
    if (g->count == INT32_MAX) return sn_text_fail(t, "group '%s' is too large", g->name);
    sn_status status =
        sn_grow(b->context, (void **)&g->member, &g->capacity, g->count + 1, sizeof *g->member, t->error);
    if (!status) g->member[g->count++] = member;
    return status;
}

/* ---- Fields ---- */

sn_status sn_builder_field_named(sn_builder *b, sn_text *t, const char *name, int length, int *field) {
    sn_builder_field fresh = {0};
    if (length < 1 || length >= (int)sizeof fresh.name)
        return sn_text_fail(t, "the name of a field has %d bytes; allowed are 1 to %d", length,
                            (int)sizeof fresh.name - 1);
    memcpy(fresh.name, name, (size_t)length);
    for (*field = 0; *field < b->field_count; ++*field)
        if (strcmp(b->field[*field].name, fresh.name) == 0) return SN_OK;
    const sn_status status =
        sn_grow(b->context, (void **)&b->field, &b->field_capacity, b->field_count + 1, sizeof *b->field, t->error);
    if (!status) b->field[b->field_count++] = fresh;
    return status;
}

sn_status sn_builder_vector(sn_builder *b, sn_text *t, int field, bool triangle, int32_t cell, const double vector[3]) {
    sn_builder_field *f = &b->field[field];
    void *grown = f->value[triangle];
    const sn_status status =
        sn_grow(b->context, &grown, &f->capacity[triangle], cell + 1, 3 * sizeof(double), t->error);
    f->value[triangle] = grown;
    if (status) return status;
    for (; f->count[triangle] <= cell; ++f->count[triangle])
        memset(f->value[triangle] + 3 * (size_t)f->count[triangle], 0, 3 * sizeof(double));
    memcpy(f->value[triangle] + 3 * (size_t)cell, vector, 3 * sizeof(double));
    return SN_OK;
}

/* A mesh keeps the vectors of its tets; without tets, those of its triangles. */
static sn_status finish_fields(sn_builder *b, sn_text *t, sn_mesh *mesh) {
    static const double none[3] = {0, 0, 0};
    const bool triangle = b->tet.count == 0;
    const int cells = triangle ? b->triangle.count : b->tet.count;
    sn_status status = SN_OK;
    for (int i = 0; i < b->field_count && !status; ++i) {
        if (b->field[i].count[triangle] == 0) continue;
        if (b->field[i].count[triangle] < cells) status = sn_builder_vector(b, t, i, triangle, cells - 1, none);
        if (!status) status = sn_mesh_add_field(mesh, b->field[i].name, b->field[i].value[triangle], t->error);
    }
    return status;
}

/* ---- What is left out ---- */

void sn_builder_leave_out(sn_builder *b, const char *what, int64_t count) {
    const size_t most = sizeof b->left_out / sizeof *b->left_out;
    size_t i = 0;
    while (i < most && b->left_out[i].count && strcmp(b->left_out[i].what, what) != 0) ++i;
    if (count < 1) return;
    if (i == most) what = "other things", i = most - 1, b->left_out[i].what[0] = 0;
    if (!b->left_out[i].what[0]) snprintf(b->left_out[i].what, sizeof b->left_out[i].what, "%s", what);
    b->left_out[i].count += count;
}

static void tell_left_out(const sn_builder *b, char *text, size_t capacity) {
    size_t used = 0;
    for (size_t i = 0; i < sizeof b->left_out / sizeof *b->left_out && b->left_out[i].count; ++i)
        if (used < capacity)
            used += (size_t)snprintf(text + used, capacity - used, "%s%lld %s", i ? ", " : "",
                                     (long long)b->left_out[i].count, b->left_out[i].what);
}

/* ---- The mesh ---- */

static sn_status copy_labels(const sn_builder *b, const sn_labels *labels, int64_t **out, sn_error *error) {
    if (!labels->count || (!labels->slot && labels->label[0] == 0)) return SN_OK;
    *out = sn_allocate(b->context, (size_t)labels->count, sizeof **out);
    if (!*out) return sn_no_memory(error);
    memcpy(*out, labels->label, (size_t)labels->count * sizeof **out);
    return SN_OK;
}

sn_status sn_builder_finish(sn_builder *b, sn_text *t, sn_mesh **mesh) {
    if (!b->tet.count && !b->triangle.count) return sn_text_fail(t, "the file has no tets and no triangles");
    const int tet_nodes = b->tet_nodes ? b->tet_nodes : 4;
    sn_mesh *m;
    sn_status status =
        sn_mesh_create(b->context, b->node.count, b->tet.count, tet_nodes, b->triangle.count, &m, t->error);
    if (status) return status;
    if (b->node.count) memcpy(m->position, b->position, (size_t)b->node.count * 3 * sizeof(double));
    if (b->tet.count) memcpy(m->tet, b->tet_node, (size_t)b->tet.count * (size_t)tet_nodes * sizeof(int32_t));
    if (b->triangle.count) memcpy(m->triangle, b->triangle_node, (size_t)b->triangle.count * 3 * sizeof(int32_t));
    status = copy_labels(b, &b->node, &m->node_label, t->error);
    if (!status) status = copy_labels(b, &b->tet, &m->tet_label, t->error);
    if (!status) status = copy_labels(b, &b->triangle, &m->triangle_label, t->error);
    for (int i = 0; !status && i < b->group_count; ++i) {
        const sn_builder_group *g = &b->group[i];
        status = sn_mesh_add_group(m, g->name, g->kind, g->member, g->count, t->error);
    }
    if (!status) status = finish_fields(b, t, m);
    if (status) {
        sn_mesh_destroy(m);
        return status;
    }
    tell_left_out(b, m->left_out, sizeof m->left_out);
    *mesh = m;
    return SN_OK;
}
