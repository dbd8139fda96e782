/* The writers' common ground. */
#include "output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- The file ---- */

sn_status sn_output_open(sn_output *o, const char *place, const char *path, sn_error *error) {
    o->place = place;
    o->path = path;
    o->error = error;
    o->failure = 0;
    o->used = 0;
    o->file = fopen(place, "wb");
    if (!o->file) return sn_fail(error, SN_IO, "%s: cannot be written: %s", path, strerror(errno));
    setvbuf(o->file, NULL, _IONBF, 0);
    return SN_OK;
}

static void flush(sn_output *o) {
    errno = 0;
    if (o->used && !o->failure && fwrite(o->buffer, 1, o->used, o->file) != o->used) o->failure = errno ? errno : EIO;
    o->used = 0;
}

sn_status sn_output_close(sn_output *o, sn_status status) {
    flush(o);
    errno = 0;
    if (fclose(o->file) != 0 && !o->failure) o->failure = errno ? errno : EIO;
    if (!status && o->failure) status = sn_fail(o->error, SN_IO, "%s: writing failed: %s", o->path, strerror(o->failure));
    if (status) remove(o->place);
    return status;
}

void sn_put_bytes(sn_output *o, const void *data, size_t bytes) {
    const char *from = data;
    while (bytes) {
        if (o->used == SN_OUTPUT_BUFFER) flush(o);
        const size_t room = SN_OUTPUT_BUFFER - o->used, part = bytes < room ? bytes : room;
        memcpy(o->buffer + o->used, from, part);
        o->used += part;
        from += part;
        bytes -= part;
    }
}

void sn_put_text(sn_output *o, const char *text) { sn_put_bytes(o, text, strlen(text)); }

void sn_put_format(sn_output *o, const char *format, ...) {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0) sn_put_bytes(o, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void sn_put_integer(sn_output *o, int64_t value, char after) {
    char digits[24];
    char *p = digits + sizeof digits;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    *--p = after;
    do {
        *--p = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (value < 0) *--p = '-';
    sn_put_bytes(o, p, (size_t)(digits + sizeof digits - p));
}

void sn_put_number(sn_output *o, double value, char after) {
    char text[40];
    int length = snprintf(text, sizeof text - 1, "%.15g", value);
    if (strtod(text, NULL) != value) length = snprintf(text, sizeof text - 1, "%.17g", value);
    text[length] = after;
    sn_put_bytes(o, text, (size_t)length + 1);
}

void sn_put_i32(sn_output *o, int64_t value) {
    const int32_t v = (int32_t)value;
    sn_put_bytes(o, &v, 4);
}

void sn_put_u64(sn_output *o, int64_t value) { sn_put_bytes(o, &value, 8); }
void sn_put_f64(sn_output *o, double value) { sn_put_bytes(o, &value, 8); }

/* ---- Numbers ---- */

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

static const char *const kind_word[3] = {[SN_GROUP_NODES] = "node", [SN_GROUP_TETS] = "tet", [SN_GROUP_TRIANGLES] = "tri"};

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
        const bool clear = item->parent == 0 && number_in_name(mesh->group[item->group].name, kind_word[kind]) == item->reference;
        if (!item->members || clear) continue;
        sn_put_format(o, "# %s %lld:", kind_word[kind], (long long)item->reference);
        for (int k = i; k > 0; k = c->item[k].parent) sn_put_format(o, "%s%s", k == i ? " " : ", ", mesh->group[c->item[k].group].name);
        sn_put_text(o, "\n");
    }
}

/* ---- Surface ---- */

sn_status sn_surface_make(const sn_mesh *mesh, sn_surface *s, sn_error *error) {
    *s = (sn_surface){.count = mesh->triangle_count, .face = mesh->triangle};
    if (!mesh->tet_count) return SN_OK;
    sn_status status = sn_mesh_boundary(mesh, &s->count, &s->owned, NULL, NULL, error);
    s->face = s->owned;
    return status;
}

void sn_surface_clear(const sn_mesh *mesh, sn_surface *s) {
    if (s->owned) sn_mesh_release(mesh, s->owned);
    s->owned = NULL;
}
