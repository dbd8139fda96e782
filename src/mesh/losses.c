/* What a mesh loses when it is written: the mesh compared with what the format holds (format.h). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "format.h"

typedef struct list {
    char *text;
    int capacity, used;
} list;

static void SN_PRINTF(2, 3) add(list *l, const char *format, ...) {
    va_list arguments;
    if (l->used && l->used + 2 < l->capacity)
        l->used += snprintf(l->text + l->used, (size_t)(l->capacity - l->used), ", ");
    if (l->used >= l->capacity - 1) return;
    va_start(arguments, format);
    const int length = vsnprintf(l->text + l->used, (size_t)(l->capacity - l->used), format, arguments);
    va_end(arguments);
    l->used += length < l->capacity - l->used ? length : l->capacity - l->used - 1;
}

static bool counted_from(const int64_t *label, int count, int first) {
    for (int i = 0; label && i < count; ++i)
        if (label[i] != first + i) return false;
    return true;
}

/* A name such as "tet-7": formats that number their groups keep it. */
static bool is_number(const sn_group *group) {
    static const char *const prefix[3] = {"node-", "tet-", "tri-"};
    const size_t length = strlen(prefix[group->kind]), digits = strspn(group->name + length, "0123456789");
    return strncmp(group->name, prefix[group->kind], length) == 0 && digits > 0 && digits < 10 &&
           !group->name[length + digits] && group->name[length] != '0';
}

/* Whether groups of one kind share a member. `mark` has room for all items of the kind. */
static bool overlap(const sn_mesh *mesh, sn_group_kind kind, uint8_t *mark) {
    for (int g = 0; g < mesh->group_count; ++g)
        for (int i = 0; mesh->group[g].kind == kind && i < mesh->group[g].count; ++i)
            if (mark[mesh->group[g].member[i]]++) return true;
    return false;
}

static sn_status tell_groups(const sn_mesh *mesh, int keeps, list *l, sn_error *error) {
    static const char *const noun[3] = {"node", "tet", "triangle"};
    const int items[3] = {mesh->node_count, mesh->tet_count, mesh->triangle_count};
    for (int kind = 0; kind < 3; ++kind) {
        int groups = 0, names = 0;
        for (int g = 0; g < mesh->group_count; ++g) {
            if ((int)mesh->group[g].kind != kind) continue;
            ++groups;
            names += !is_number(&mesh->group[g]);
        }
        if (!groups) continue;
        if (!(keeps & SN_KEEPS_NODE_GROUPS << kind)) {
            add(l, "%d %s group%s", groups, noun[kind], groups > 1 ? "s" : "");
            continue;
        }
        if (!(keeps & SN_KEEPS_NAMES) && names)
            add(l, "the names of %d %s group%s", names, noun[kind], names > 1 ? "s" : "");
        if (keeps & SN_KEEPS_OVERLAPS) continue;
        uint8_t *mark = sn_allocate_zero(mesh->context, (size_t)items[kind], 1);
        if (!mark) return sn_no_memory(error);
        if (overlap(mesh, (sn_group_kind)kind, mark)) add(l, "overlaps of %s groups", noun[kind]);
        sn_release(mesh->context, mark);
    }
    return SN_OK;
}

sn_status sn_mesh_losses(const sn_mesh *mesh, const char *format, const sn_mesh_write_options *options, char *text,
                         int capacity, sn_error *error) {
    const sn_mesh_format *f = NULL;
    const sn_status status = sn_format_find(format, format, &f, error);
    if (status) return status;
    if (capacity < 1) return SN_OK;
    *text = 0;
    list l = {text, capacity, 0};
    const bool tets = mesh->tet_count > 0, binary = options ? options->binary : f->binary;
    int keeps = f->keeps;
    if ((keeps & SN_KEEPS_TEXT_GROUPS) && binary) keeps &= ~SN_KEEPS_TRIANGLE_GROUPS;
    if (tets && !(keeps & SN_KEEPS_TRIANGLES)) keeps &= ~SN_KEEPS_TRIANGLE_GROUPS;
    if (tets && !(keeps & SN_KEEPS_TETS)) add(&l, "the tets inside (the file has their boundary)");
    if (tets && !(keeps & SN_KEEPS_TETS) && mesh->tet_nodes == 10) add(&l, "the mid-edge nodes");
    if (tets && mesh->triangle_count && !(keeps & SN_KEEPS_TRIANGLES))
        add(&l, "%d triangle%s", mesh->triangle_count, mesh->triangle_count > 1 ? "s" : "");
    if (mesh->field_count) add(&l, "%d field%s of vectors", mesh->field_count, mesh->field_count > 1 ? "s" : "");
    const sn_status groups = tell_groups(mesh, keeps, &l, error);
    if (groups || keeps & SN_KEEPS_NUMBERS) return groups;
    if (!(keeps & SN_KEEPS_NODES) || !counted_from(mesh->node_label, mesh->node_count, f->first))
        add(&l, "node numbers");
    if ((tets && keeps & SN_KEEPS_TETS && !counted_from(mesh->tet_label, mesh->tet_count, f->first)) ||
        !counted_from(mesh->triangle_label, mesh->triangle_count, f->first))
        add(&l, "element numbers");
    return SN_OK;
}
