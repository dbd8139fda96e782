/* Numbers and groups in the forms that mesh files want: see group_classes.h. */
#include "group_classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_numbering sn_numbering_of(const int64_t *label, int count, int64_t base) {
    int64_t low = 0, high = count - 1;
    for (int i = 0; label && i < count; ++i) {
        if (i == 0 || label[i] < low) low = label[i];
        if (i == 0 || label[i] > high) high = label[i];
    }
    if (!count) return (sn_numbering){label, 0, base - 1};
    const int64_t shift = low < base ? base - low : 0;
    return (sn_numbering){label, shift, high + shift};
}

/* ---- Classes ---- */

static int things_of(const sn_mesh *mesh, sn_group_kind kind) {
    return kind == SN_GROUP_NODES ? mesh->node_count : kind == SN_GROUP_TETS ? mesh->tet_count : mesh->triangle_count;
}

static sn_status new_class(sn_classes *c, int parent, int group, sn_error *error) {
    sn_status status = sn_grow(c->context, (void **)&c->item, &c->capacity, c->count + 1, sizeof *c->item, error);
    if (!status) c->item[c->count++] = (sn_class){.parent = parent, .group = group, .stamp = -1};
    return status;
}

sn_status sn_classes_make(const sn_mesh *mesh, sn_group_kind kind, sn_classes *c, sn_error *error) {
    const int things = things_of(mesh, kind);
    *c = (sn_classes){.context = mesh->context, .things = things};
    c->of = sn_allocate_zero(mesh->context, (size_t)things, sizeof *c->of);
    sn_status status = c->of ? new_class(c, -1, -1, error) : sn_no_memory(error);
    for (int g = 0; !status && g < mesh->group_count; ++g) {
        const sn_group *group = &mesh->group[g];
        if (group->kind != kind) continue;
        for (int i = 0; !status && i < group->count; ++i) {
            const int old = c->of[group->member[i]];
            if (old > 0 && c->item[old].group == g) continue; /* listed twice */
            if (c->item[old].stamp != g) {
                status = new_class(c, old, g, error);
                if (status) break;
                c->item[old].stamp = g;
                c->item[old].child = c->count - 1;
            }
            c->of[group->member[i]] = c->item[old].child;
        }
    }
    for (int i = 0; !status && i < things; ++i) ++c->item[c->of[i]].members;
    if (status) sn_classes_clear(c);
    return status;
}

void sn_classes_clear(sn_classes *c) {
    if (!c->context) return;
    sn_release(c->context, c->item);
    sn_release(c->context, c->of);
    *c = (sn_classes){0};
}

static const char *const kind_word[3] = {
    [SN_GROUP_NODES] = "node", [SN_GROUP_TETS] = "tet", [SN_GROUP_TRIANGLES] = "tri"};

/* The R of "tet-R", or 0. */
static int64_t number_in_name(const char *name, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(name, word, length) != 0 || name[length] != '-') return 0;
    char *end, back[64];
    const long number = strtol(name + length + 1, &end, 10);
    if (*end || number > INT32_MAX || number < INT32_MIN) return 0;
    snprintf(back, sizeof back, "%s-%ld", word, number);
    return strcmp(back, name) == 0 ? number : 0;
}

void sn_classes_number(const sn_mesh *mesh, sn_group_kind kind, sn_classes *c) {
    int64_t last = 0;
    for (int i = 1; i < c->count; ++i) {
        const int64_t number = number_in_name(mesh->group[c->item[i].group].name, kind_word[kind]);
        if (number > last) last = number;
        if (c->item[i].parent == 0) c->item[i].reference = number;
    }
    for (int i = 1; i < c->count; ++i) {
        if (!c->item[i].reference && c->item[i].members) c->item[i].reference = ++last;
    }
}

void sn_classes_explain(const sn_mesh *mesh, sn_group_kind kind, const sn_classes *c, sn_output *o) {
    for (int i = 1; i < c->count; ++i) {
        const sn_class *item = &c->item[i];
        const bool clear =
            item->parent == 0 && number_in_name(mesh->group[item->group].name, kind_word[kind]) == item->reference;
        if (!item->members || clear) continue;
        sn_put_format(o, "# %s %lld:", kind_word[kind], (long long)item->reference);
        for (int k = i; k > 0; k = c->item[k].parent)
            sn_put_format(o, "%s%s", k == i ? " " : ", ", mesh->group[c->item[k].group].name);
        sn_put_text(o, "\n");
    }
}
