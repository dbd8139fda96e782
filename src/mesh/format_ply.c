/* PLY (Stanford polygon format), ASCII and binary of both byte orders.
 *
 * Taken are x, y, z of element "vertex" and the list vertex_indices (or vertex_index) of element "face", in whatever
 * types; all other elements and properties are read over. Polygons become triangles. Nodes are numbered from 0 by their
 * order. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "outer_faces.h"

enum { MOST_ELEMENTS = 16, MOST_PROPERTIES = 64 };

typedef struct property {
    bool list;
    sn_binary_type count_type, type;
    int role; /* 0, 1, 2: x, y, z; 3: the corners of a face; -1: none */
} property;

typedef struct element {
    bool vertex, face;
    int64_t count;
    int properties;
    property property[MOST_PROPERTIES];
} element;

typedef struct ply {
    sn_text *t;
    sn_builder *b;
    bool ascii;
    int elements;
    int64_t vertices;
    element element[MOST_ELEMENTS];
    int32_t *corner;
    int corner_capacity;
} ply;

/* ---- Head ---- */

static sn_status read_type(sn_text *t, sn_binary_type *type) {
    static const char *const names[8][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                            {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                            {"float", "float32"}, {"double", "float64"}};
    const char *word = NULL;
    int length = 0;
    sn_status status = sn_text_word(t, "type of a property", &word, &length);
    if (status) return status;
    for (int i = 0; i < 8; ++i) {
        if (!sn_text_is(word, length, names[i][0]) && !sn_text_is(word, length, names[i][1])) continue;
        *type = (sn_binary_type)i;
        return SN_OK;
    }
    return sn_text_fail(t, "'%.*s' is not a type; char, uchar, short, ushort, int, uint, float and double are",
                        length < 40 ? length : 40, word);
}

static sn_status read_format(ply *p) {
    sn_text *t = p->t;
    const char *word = NULL;
    int length = 0;
    sn_status status = sn_text_word(t, "format", &word, &length);
    if (status) return status;
    p->ascii = sn_text_is(word, length, "ascii");
    if (sn_text_is(word, length, "binary_little_endian"))
        t->swap = !sn_little_endian();
    else if (sn_text_is(word, length, "binary_big_endian"))
        t->swap = sn_little_endian();
    else if (!p->ascii)
        return sn_text_fail(t, "format '%.*s' is not ascii, binary_little_endian or binary_big_endian",
                            length < 40 ? length : 40, word);
    status = sn_text_word(t, "version", &word, &length);
    if (!status && !sn_text_is(word, length, "1.0"))
        status = sn_text_fail(t, "version '%.*s' is not 1.0", length < 40 ? length : 40, word);
    return status;
}

static sn_status read_element(ply *p) {
    sn_text *t = p->t;
    const char *word = NULL;
    int length = 0;
    if (p->elements == MOST_ELEMENTS) return sn_text_fail(t, "more than %d elements", MOST_ELEMENTS);
    sn_status status = sn_text_word(t, "name of an element", &word, &length);
    if (status) return status;
    element *e = &p->element[p->elements];
    *e = (element){.vertex = sn_text_is(word, length, "vertex"), .face = sn_text_is(word, length, "face")};
    for (int i = 0; i < p->elements; ++i) {
        if ((e->vertex && p->element[i].vertex) || (e->face && p->element[i].face))
            return sn_text_fail(t, "element '%.*s' comes twice", length, word);
    }
    status = sn_text_integer(t, "number of elements", &e->count);
    if (!status && (e->count < 0 || e->count > INT32_MAX / 16)) {
        status =
            sn_text_fail(t, "number of elements is %lld; allowed are 0 to %d", (long long)e->count, INT32_MAX / 16);
    }
    if (e->vertex) p->vertices = e->count;
    ++p->elements;
    return status;
}

static sn_status read_property(ply *p) {
    sn_text *t = p->t;
    if (!p->elements) return sn_text_fail(t, "a property before the first element");
    element *e = &p->element[p->elements - 1];
    if (e->properties == MOST_PROPERTIES) return sn_text_fail(t, "more than %d properties", MOST_PROPERTIES);
    property *q = &e->property[e->properties++];
    *q = (property){.role = -1};
    const char *word = NULL;
    int length = 0;
    sn_status status = SN_OK;
    sn_text_more(t);
    q->list = t->end - t->at > 5 && memcmp(t->at, "list ", 5) == 0;
    if (q->list) {
        t->at += 5;
        status = read_type(t, &q->count_type);
        if (!status && q->count_type >= SN_F32)
            status = sn_text_fail(t, "the length of a list must be of an integer type");
    }
    if (!status) status = read_type(t, &q->type);
    if (!status) status = sn_text_word(t, "name of a property", &word, &length);
    if (status) return status;
    if (e->vertex && !q->list && length == 1 && *word >= 'x' && *word <= 'z') q->role = *word - 'x';
    const bool corners = sn_text_is(word, length, "vertex_indices") || sn_text_is(word, length, "vertex_index");
    if (e->face && q->list && corners) q->role = 3;
    for (int i = 0; i + 1 < e->properties; ++i) {
        if (q->role >= 0 && e->property[i].role == q->role)
            return sn_text_fail(t, "property '%.*s' comes twice", length, word);
    }
    return SN_OK;
}

static sn_status check_head(ply *p) {
    bool vertex = false, face = false;
    for (int i = 0; i < p->elements; ++i) {
        unsigned roles = 0;
        for (int j = 0; j < p->element[i].properties; ++j) {
            if (p->element[i].property[j].role >= 0) roles |= 1u << p->element[i].property[j].role;
        }
        if (p->element[i].vertex) {
            vertex = true;
            if (roles != 7) return sn_text_fail(p->t, "element vertex lacks one of the properties x, y, z");
        }
        if (p->element[i].face) {
            face = true;
            if (roles != 8) return sn_text_fail(p->t, "element face lacks the list vertex_indices");
        }
    }
    if (!vertex) return sn_text_fail(p->t, "element vertex is missing");
    return face ? SN_OK : sn_text_fail(p->t, "element face is missing");
}

static sn_status read_head(ply *p) {
    sn_text *t = p->t;
    const char *word = NULL;
    int length = 0;
    bool format = false;
    sn_status status = sn_text_word(t, "ply", &word, &length);
    if (!status && !sn_text_is(word, length, "ply"))
        status = sn_text_fail(t, "'ply' expected at the start of the file");
    if (!status) status = sn_text_end_line(t, "ply");
    t->in_line = true;
    while (!status) {
        status = sn_text_word(t, "line of the head", &word, &length);
        if (status) break;
        if (sn_text_is(word, length, "end_header")) {
            if (sn_text_more_in_line(t)) return sn_text_expected(t, "end of the line");
            sn_text_skip_line(t);
            return format ? check_head(p) : sn_text_fail(t, "the head has no format");
        }
        if (sn_text_is(word, length, "comment") || sn_text_is(word, length, "obj_info")) {
            sn_text_rest(t, &word, &length);
        } else if (sn_text_is(word, length, "format")) {
            if (format) return sn_text_fail(t, "format comes twice");
            format = true;
            status = read_format(p);
        } else if (sn_text_is(word, length, "element")) {
            status = read_element(p);
        } else if (sn_text_is(word, length, "property")) {
            status = read_property(p);
        } else {
            return sn_text_fail(t, "unknown word '%.*s' in the head", length < 40 ? length : 40, word);
        }
        if (!status) status = sn_text_end_line(t, "this part of the head");
    }
    return status;
}

/* ---- Data ---- */

static sn_status read_value(ply *p, sn_binary_type type, const char *what, double *value) {
    if (p->ascii) return sn_text_number(p->t, what, value);
    const char *bytes = NULL;
    sn_status status = sn_text_bytes(p->t, what, sn_binary_size[type], &bytes);
    if (!status) *value = sn_binary_value(bytes, type, p->t->swap);
    return status;
}

static sn_status read_list_length(ply *p, const property *q, int *count) {
    double value = 0;
    sn_status status = read_value(p, q->count_type, "length of a list", &value);
    if (status) return status;
    if (value != floor(value) || fabs(value) > 1e9)
        return sn_text_fail(p->t, "length of a list is %g, not a whole number in range", value);
    return sn_text_check_count(p->t, "length of a list", (int64_t)value, p->ascii ? 2 : sn_binary_size[q->type], count);
}

static sn_status read_polygon(ply *p, const property *q) {
    int count = 0;
    sn_status status = read_list_length(p, q, &count);
    if (!status && count < 3) status = sn_text_fail(p->t, "a face has %d corners; at least 3 are needed", count);
    if (!status)
        status =
            sn_grow(p->b->context, (void **)&p->corner, &p->corner_capacity, count, sizeof *p->corner, p->t->error);
    for (int i = 0; !status && i < count; ++i) {
        double value = 0;
        status = read_value(p, q->type, "corner of a face", &value);
        if (status) break;
        if (!(value >= 0 && value < (double)p->vertices) || value != floor(value)) {
            return sn_text_fail(p->t, "vertex %.17g does not exist; the vertices are 0 to %lld", value,
                                (long long)p->vertices - 1);
        }
        p->corner[i] = (int32_t)value;
    }
    return status ? status : sn_builder_polygon(p->b, p->t, p->corner, count);
}

static sn_status read_row(ply *p, const element *e, double position[3]) {
    sn_status status = SN_OK;
    for (int i = 0; !status && i < e->properties; ++i) {
        const property *q = &e->property[i];
        double value = 0;
        if (q->role == 3) {
            status = read_polygon(p, q);
        } else if (q->list) {
            int count = 0;
            status = read_list_length(p, q, &count);
            for (int j = 0; !status && j < count; ++j) status = read_value(p, q->type, "entry of a list", &value);
        } else {
            status = read_value(p, q->type, q->role >= 0 ? "coordinate" : "property", &value);
            if (q->role >= 0) position[q->role] = value;
        }
    }
    return status;
}

static sn_status read_rows(ply *p, const element *e) {
    int64_t least = 0;
    int count = 0;
    for (int i = 0; i < e->properties; ++i) {
        const property *q = &e->property[i];
        least += p->ascii ? 2 : sn_binary_size[q->list ? q->count_type : q->type];
    }
    if (!least) return SN_OK;
    sn_status status = sn_text_check_count(p->t, "number of elements", e->count, least, &count);
    for (int i = 0; !status && i < count; ++i) {
        double position[3] = {0, 0, 0};
        status = read_row(p, e, position);
        if (!status && e->vertex) status = sn_builder_node(p->b, p->t, i, position);
    }
    return status;
}

static sn_status read_data(ply *p) {
    sn_text *t = p->t;
    sn_status status = read_head(p);
    if (status) return status;
    t->in_line = false;
    t->binary = !p->ascii;
    for (int i = 0; !status && i < p->elements; ++i) status = read_rows(p, &p->element[i]);
    if (status) return status;
    if (p->ascii) return sn_text_more(t) ? sn_text_expected(t, "end of the file after the last element") : SN_OK;
    if (t->at < t->end)
        return sn_text_fail(t, "%lld bytes are left behind the last element", (long long)(t->end - t->at));
    return SN_OK;
}

static sn_status read_mesh(sn_text *t, sn_builder *b) {
    ply *p = sn_allocate_zero(b->context, 1, sizeof *p);
    if (!p) return sn_no_memory(t->error);
    p->t = t;
    p->b = b;
    sn_status status = read_data(p);
    sn_release(b->context, p->corner);
    sn_release(b->context, p);
    return status;
}

/* ---- Writing: all nodes in their order, so their numbers stay ---- */

static void write_binary(const sn_mesh *mesh, const sn_outer_faces *faces, sn_output *o) {
    sn_put_bytes(o, mesh->position, (size_t)mesh->node_count * 3 * sizeof(double));
    for (int i = 0; i < faces->count; ++i) {
        sn_put_bytes(o, "\3", 1);
        sn_put_bytes(o, faces->face + 3 * (size_t)i, 3 * sizeof(int32_t));
    }
}

static void write_text(const sn_mesh *mesh, const sn_outer_faces *faces, sn_output *o) {
    for (int i = 0; i < mesh->node_count; ++i) sn_put_position(o, mesh->position + 3 * (size_t)i);
    for (int i = 0; i < faces->count; ++i) {
        sn_put_text(o, "3 ");
        sn_put_face(o, faces->face + 3 * (size_t)i, 0);
    }
}

static sn_status write_mesh(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    const char *binary = sn_little_endian() ? "binary_little_endian" : "binary_big_endian";
    sn_outer_faces faces;
    sn_status status = sn_outer_faces_make(mesh, &faces, o);
    if (status) return status;
    sn_put_format(o, "ply\nformat %s 1.0\nelement vertex %d\n", options->binary ? binary : "ascii", mesh->node_count);
    sn_put_format(o, "property double x\nproperty double y\nproperty double z\nelement face %d\n", faces.count);
    sn_put_text(o, "property list uchar int vertex_indices\nend_header\n");
    if (options->binary)
        write_binary(mesh, &faces, o);
    else
        write_text(mesh, &faces, o);
    sn_outer_faces_clear(mesh, &faces);
    return SN_OK;
}

const sn_mesh_format sn_format_ply = {
    .read = read_mesh, .file = {{.write = write_mesh}}, .binary = true, .both = true, .keeps = SN_KEEPS_NODES};
