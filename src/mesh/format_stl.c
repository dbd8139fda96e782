/* STL, ASCII and binary.
 *
 * STL knows no connectivity: each triangle brings its own three points. Points with exactly equal coordinates (0 and -0
 * are equal) become one node; nearly equal ones stay apart. Nodes are numbered by first appearance. Normals and colour
 * attributes are skipped; the name of an ASCII solid becomes a group. A file is binary when its size fits its count of
 * triangles, even when its head begins with "solid". */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "format.h"
#include "outer_faces.h"

typedef struct points {
    sn_text *t;
    sn_builder *b;
    int32_t *slot; /* node or -1 */
    uint32_t slots;
} points;

static uint32_t place(const double p[3], uint32_t slots) {
    uint64_t hash = 0;
    for (int i = 0; i < 3; ++i) {
        const double value = p[i] + 0.0; /* -0 to 0 */
        uint64_t bits;
        memcpy(&bits, &value, 8);
        hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> 16) & (slots - 1);
}

static sn_status enlarge(points *p) {
    const sn_context *context = p->b->context;
    const uint32_t slots = p->slots ? 2 * p->slots : 1024;
    int32_t *slot = sn_allocate(context, slots, sizeof *slot);
    if (!slot) return sn_no_memory(p->t->error);
    memset(slot, 0xff, slots * sizeof *slot);
    for (int i = 0; i < p->b->node.count; ++i) {
        uint32_t s = place(p->b->position + 3 * (size_t)i, slots);
        while (slot[s] >= 0) s = (s + 1) & (slots - 1);
        slot[s] = i;
    }
    sn_release(context, p->slot);
    p->slot = slot;
    p->slots = slots;
    return SN_OK;
}

static sn_status add_point(points *p, const double x[3], int32_t *node) {
    sn_status status = SN_OK;
    if (2u * (uint32_t)(p->b->node.count + 1) > p->slots) status = enlarge(p);
    if (status) return status;
    uint32_t s = place(x, p->slots);
    for (; p->slot[s] >= 0; s = (s + 1) & (p->slots - 1)) {
        const double *other = p->b->position + 3 * (size_t)p->slot[s];
        if (other[0] != x[0] || other[1] != x[1] || other[2] != x[2]) continue;
        *node = p->slot[s];
        return SN_OK;
    }
    *node = p->b->node.count;
    status = sn_builder_node(p->b, p->t, *node, x);
    if (!status) p->slot[s] = *node;
    return status;
}

/* 80 bytes of head, a count, then 50 bytes per triangle: normal, three points, two attribute bytes. */
static sn_status read_binary(points *p, int64_t count) {
    sn_text *t = p->t;
    sn_status status = SN_OK;
    t->at = t->begin + 84;
    for (int64_t i = 0; !status && i < count; ++i) {
        int32_t node[3];
        const char *bytes = t->at + 12;
        for (int j = 0; !status && j < 3; ++j) {
            double x[3];
            for (int k = 0; k < 3; ++k) {
                t->at = bytes + 4 * (3 * j + k);
                x[k] = sn_binary_value(t->at, SN_F32, t->swap);
                if (!isfinite(x[k]))
                    return sn_text_fail(t, "a coordinate of triangle %lld is not finite", (long long)i);
            }
            status = add_point(p, x, &node[j]);
        }
        if (!status) status = sn_builder_triangle(p->b, t, i, node);
        t->at = bytes + 38;
    }
    return status;
}

static sn_status expect(sn_text *t, const char *keyword) {
    if (!sn_text_more(t)) return sn_text_expected(t, keyword);
    const char *word = t->at;
    int length = 0;
    sn_text_word(t, keyword, &word, &length);
    if (sn_text_is_any_case(word, length, keyword)) return SN_OK;
    t->at = word;
    return sn_text_expected(t, keyword);
}

/* The normal is skipped as three words: programs write "nan" for flat triangles. */
static sn_status read_facet(points *p, int group) {
    sn_text *t = p->t;
    const char *word;
    int length;
    int32_t node[3];
    sn_status status = expect(t, "normal");
    for (int i = 0; !status && i < 3; ++i) status = sn_text_word(t, "normal's component", &word, &length);
    if (!status) status = expect(t, "outer");
    if (!status) status = expect(t, "loop");
    for (int i = 0; !status && i < 3; ++i) {
        double x[3];
        status = expect(t, "vertex");
        for (int j = 0; !status && j < 3; ++j) status = sn_text_number(t, "coordinate", &x[j]);
        if (!status) status = add_point(p, x, &node[i]);
    }
    if (!status) status = expect(t, "endloop");
    if (!status) status = expect(t, "endfacet");
    if (!status) status = sn_builder_triangle(p->b, t, p->b->triangle.count, node);
    if (!status && group >= 0) status = sn_builder_join(p->b, t, group, p->b->triangle.count - 1);
    return status;
}

static sn_status read_solid(points *p) {
    sn_text *t = p->t;
    const char *word;
    int length, group = -1;
    sn_status status = expect(t, "solid");
    if (status) return status;
    sn_text_rest(t, &word, &length);
    if (length) status = sn_builder_group_named(p->b, t, SN_GROUP_TRIANGLES, word, length, &group);
    while (!status) {
        status = sn_text_word(t, "facet or endsolid", &word, &length);
        if (status) break;
        if (sn_text_is_any_case(word, length, "endsolid")) {
            sn_text_skip_line(t);
            return SN_OK;
        }
        if (!sn_text_is_any_case(word, length, "facet")) {
            t->at = word;
            return sn_text_expected(t, "facet or endsolid");
        }
        status = read_facet(p, group);
    }
    return status;
}

static sn_status read_mesh(sn_text *t, sn_builder *b) {
    points p = {.t = t, .b = b};
    sn_status status = SN_OK;
    const int64_t size = t->end - t->begin;
    const bool little = sn_little_endian();
    const int64_t count = size >= 84 ? (int64_t)sn_binary_value(t->begin + 80, SN_U32, !little) : -1;
    const bool says_solid = size >= 5 && memcmp(t->begin, "solid", 5) == 0;
    if (count >= 0 && size == 84 + 50 * count) {
        t->binary = true;
        t->swap = !little;
        status = read_binary(&p, count);
    } else if (says_solid || (sn_text_more(t) && t->end - t->at >= 5 && sn_text_is_any_case(t->at, 5, "solid"))) {
        while (!status && sn_text_more(t)) status = read_solid(&p);
    } else {
        t->binary = true;
        t->at = t->begin + (size >= 84 ? 80 : size);
        if (count < 0)
            status =
                sn_text_fail(t, "neither an ASCII file that starts with 'solid' nor a binary one of at least 84 bytes");
        else
            status = sn_text_fail(t, "%lld triangles take %lld bytes, but the file has %lld", (long long)count,
                                  84 + 50 * (long long)count, (long long)size);
    }
    sn_release(b->context, p.slot);
    return status;
}

/* ---- Writing ---- */

static void unit_normal(const sn_mesh *mesh, const int32_t *face, double n[3]) {
    sn_area_vector3(mesh->position + 3 * (size_t)face[0], mesh->position + 3 * (size_t)face[1],
                    mesh->position + 3 * (size_t)face[2], n);
    const double length = sn_norm3(n);
    for (int i = 0; i < 3; ++i) n[i] = length > 0 && isfinite(length) ? n[i] / length : 0;
}

/* Points are rounded to float. A coordinate beyond the range of float is an error. */
static sn_status write_binary(const sn_mesh *mesh, const sn_outer_faces *faces, sn_output *o) {
    char head[80] = "binary STL";
    sn_put_bytes(o, head, sizeof head);
    sn_put_i32(o, faces->count);
    for (int i = 0; i < faces->count; ++i) {
        const int32_t *face = faces->face + 3 * (size_t)i;
        double n[3];
        float value[12];
        unit_normal(mesh, face, n);
        for (int j = 0; j < 3; ++j) value[j] = (float)n[j];
        for (int j = 0; j < 9; ++j) {
            const double x = mesh->position[3 * (size_t)face[j / 3] + (size_t)(j % 3)];
            if (fabs(x) > FLT_MAX)
                return sn_fail(o->error, SN_BAD_INPUT, "%s: coordinate %g is too large for binary STL", o->path, x);
            value[3 + j] = (float)x;
        }
        sn_put_bytes(o, value, sizeof value);
        sn_put_bytes(o, "\0\0", 2);
    }
    return SN_OK;
}

static const char *solid_name(const sn_mesh *mesh, const sn_classes *c, int class) {
    return class > 0 ? mesh->group[c->item[class].group].name : "";
}

/* Each class of triangles is a solid with the name of its last group. */
static void write_text(const sn_mesh *mesh, const sn_outer_faces *faces, sn_output *o) {
    int class = -1;
    for (int i = 0; i < faces->count; ++i) {
        const int32_t *face = faces->face + 3 * (size_t)i;
        double n[3];
        if (class != sn_outer_face_class(faces, i)) {
            if (class >= 0) sn_put_format(o, "endsolid %s\n", solid_name(mesh, &faces->classes, class));
            class = sn_outer_face_class(faces, i);
            sn_put_format(o, "solid %s\n", solid_name(mesh, &faces->classes, class));
        }
        unit_normal(mesh, face, n);
        sn_put_text(o, "facet normal ");
        sn_put_position(o, n);
        sn_put_text(o, "outer loop\n");
        for (int j = 0; j < 3; ++j) {
            sn_put_text(o, "vertex ");
            sn_put_position(o, mesh->position + 3 * (size_t)face[j]);
        }
        sn_put_text(o, "endloop\nendfacet\n");
    }
    sn_put_format(o, "endsolid %s\n", solid_name(mesh, &faces->classes, class));
}

static sn_status write_mesh(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    sn_outer_faces faces;
    sn_status status = sn_outer_faces_make(mesh, &faces, o);
    if (status) return status;
    if (options->binary)
        status = write_binary(mesh, &faces, o);
    else
        write_text(mesh, &faces, o);
    sn_outer_faces_clear(mesh, &faces);
    return status;
}

const sn_mesh_format sn_format_stl = {.read = read_mesh,
                                      .file = {{.write = write_mesh}},
                                      .binary = true,
                                      .both = true,
                                      .keeps = SN_KEEPS_TRIANGLE_GROUPS | SN_KEEPS_NAMES | SN_KEEPS_TEXT_GROUPS};
