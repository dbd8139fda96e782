/* Wavefront OBJ: v and f, with v/vt/vn corners, negative (relative) numbers, polygons as triangles, and o and g as
 * groups of triangles.
 *
 * Nodes are numbered from 1 by their order, as faces name them. What carries no shape (vt, vn, usemtl, s, ...) and
 * points and lines are skipped; free-form curves and surfaces are refused. Vertices are read first, for a face may name
 * a later one. */
#include <string.h>

#include "format.h"
#include "outer_faces.h"

enum { MOST_GROUPS = 16 };

typedef struct active {
    const char *name;
    int length;
    int group; /* -1 before its first face */
} active;

typedef struct obj {
    sn_text *t;
    sn_builder *b;
    active group[1 + MOST_GROUPS]; /* [0]: o */
    int groups;                    /* of g, from [1] */
    int vertices;                  /* so far, for relative numbers */
    int32_t *corner;
    int corner_capacity;
} obj;

/* Another word in this logical line: a backslash at the end goes on with the next one. */
static bool more(sn_text *t) {
    while (sn_text_more_in_line(t)) {
        if (*t->at != '\\') return true;
        const char *p = t->at + 1;
        while (p < t->end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
        if (p < t->end && *p != '\n') return true;
        sn_text_skip_line(t);
    }
    return false;
}

static void skip_logical_line(sn_text *t) {
    const char *word;
    int length;
    while (more(t)) sn_text_word(t, "word", &word, &length);
    sn_text_skip_line(t);
}

/* x y z, then perhaps w, or a colour, which are left out. */
static sn_status read_vertex(sn_text *t, sn_builder *b) {
    double position[3], extra;
    sn_status status = SN_OK;
    for (int i = 0; !status && i < 3; ++i) {
        more(t);
        status = sn_text_number(t, "coordinate", &position[i]);
    }
    int extras = 0;
    for (; !status && more(t); ++extras) status = sn_text_number(t, "number behind the coordinates", &extra);
    if (!status && extras > 4) status = sn_text_fail(t, "a vertex has %d numbers; at most 7 are allowed", 3 + extras);
    return status ? status : sn_builder_node(b, t, b->node.count + 1, position);
}

/* One number of a corner: digits with a sign; *p moves behind it. */
static bool corner_number(const char **p, const char *end, int64_t *value) {
    const bool negative = *p < end && **p == '-';
    const char *digits = *p + negative;
    int64_t sum = 0;
    const char *q = digits;
    while (q < end && *q >= '0' && *q <= '9' && q - digits < 18) sum = 10 * sum + (*q++ - '0');
    *value = negative ? -sum : sum;
    *p = q;
    return q > digits;
}

/* v, v/vt, v//vn or v/vt/vn. */
static sn_status read_corner(obj *o, int32_t *index) {
    sn_text *t = o->t;
    const char *word = NULL;
    int length = 0;
    sn_status status = sn_text_word(t, "corner of a face", &word, &length);
    if (status) return status;
    const char *p = word, *end = word + length;
    int64_t value, other;
    bool good = corner_number(&p, end, &value);
    for (int slashes = 0; good && p < end; ++slashes) {
        good = slashes < 2 && *p++ == '/';
        if (good && p < end && *p != '/') good = corner_number(&p, end, &other);
    }
    if (!good || (length && word[length - 1] == '/' && length > 1 && word[length - 2] == '/')) {
        return sn_text_fail(t, "corner of a face expected (v, v/vt, v//vn or v/vt/vn), found '%.*s'",
                            length < 40 ? length : 40, word);
    }
    if (value == 0) return sn_text_fail(t, "vertex 0 does not exist; numbers start at 1");
    const int64_t label = value > 0 ? value : o->vertices + 1 + value;
    if (label < 1)
        return sn_text_fail(t, "vertex %lld does not exist; %d vertices come before this line", (long long)value,
                            o->vertices);
    return sn_builder_find_node(o->b, t, label, index);
}

static sn_status join_groups(obj *o, int first) {
    sn_status status = SN_OK;
    for (int i = 0; i <= o->groups; ++i) {
        active *a = &o->group[i];
        if (!a->length) continue;
        if (!status && a->group < 0)
            status = sn_builder_group_named(o->b, o->t, SN_GROUP_TRIANGLES, a->name, a->length, &a->group);
        for (int j = first; !status && j < o->b->triangle.count; ++j) status = sn_builder_join(o->b, o->t, a->group, j);
    }
    return status;
}

static sn_status read_face(obj *o) {
    int count = 0;
    const int first = o->b->triangle.count;
    sn_status status = SN_OK;
    while (!status && more(o->t)) {
        status =
            sn_grow(o->b->context, (void **)&o->corner, &o->corner_capacity, count + 1, sizeof *o->corner, o->t->error);
        if (!status) status = read_corner(o, &o->corner[count++]);
    }
    if (!status && count < 3) status = sn_text_fail(o->t, "a face has %d corners; at least 3 are needed", count);
    if (!status) status = sn_builder_polygon(o->b, o->t, o->corner, count);
    return status ? status : join_groups(o, first);
}

static sn_status read_groups(obj *o) {
    sn_status status = SN_OK;
    for (o->groups = 0; !status && more(o->t);) {
        if (o->groups == MOST_GROUPS) return sn_text_fail(o->t, "more than %d groups at once", MOST_GROUPS);
        active *a = &o->group[++o->groups];
        a->group = -1;
        status = sn_text_word(o->t, "name of a group", &a->name, &a->length);
    }
    return status;
}

static sn_status refuse_or_skip(sn_text *t, sn_builder *b, const char *word, int length) {
    static const char *const skipped[] = {"vt",     "vn",         "vp",        "p",        "l",       "s",
                                          "usemtl", "mtllib",     "usemap",    "maplib",   "mg",      "lod",
                                          "bevel",  "shadow_obj", "trace_obj", "c_interp", "d_interp"};
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; ++i) {
        if (!sn_text_is(word, length, skipped[i])) continue;
        static const char *const first[] = {"texture coordinates", "normals"};
        sn_builder_leave_out(b, i < 2 ? first[i] : "lines about points, curves and looks", 1);
        skip_logical_line(t);
        return SN_OK;
    }
    static const char *const free_form[] = {"cstype", "deg",  "bmat", "step", "curv", "curv2", "surf", "parm",
                                            "trim",   "hole", "scrv", "sp",   "end",  "con",   "call"};
    for (size_t i = 0; i < sizeof free_form / sizeof *free_form; ++i) {
        if (sn_text_is(word, length, free_form[i]))
            return sn_text_fail(t, "'%s' is not supported; only polygons are", free_form[i]);
    }
    return sn_text_fail(t, "unknown keyword '%.*s'", length < 40 ? length : 40, word);
}

static sn_status read_line(obj *o, int pass, const char *word, int length) {
    sn_text *t = o->t;
    const bool vertex = sn_text_is(word, length, "v");
    if (pass == 0) {
        if (!vertex) {
            skip_logical_line(t);
            return SN_OK;
        }
        sn_status status = read_vertex(t, o->b);
        sn_text_skip_line(t);
        return status;
    }
    sn_status status = SN_OK;
    if (vertex) {
        ++o->vertices;
        skip_logical_line(t);
        return SN_OK;
    }
    if (sn_text_is(word, length, "f")) {
        status = read_face(o);
    } else if (sn_text_is(word, length, "g")) {
        status = read_groups(o);
    } else if (sn_text_is(word, length, "o")) {
        o->group[0].group = -1;
        sn_text_rest(t, &o->group[0].name, &o->group[0].length);
    } else {
        return refuse_or_skip(t, o->b, word, length);
    }
    if (!status) sn_text_skip_line(t);
    return status;
}

static sn_status read_mesh(sn_text *t, sn_builder *b) {
    obj o = {.t = t, .b = b};
    sn_status status = SN_OK;
    t->comment = '#';
    const sn_text start = *t;
    for (int pass = 0; !status && pass < 2; ++pass) {
        *t = start;
        for (;;) {
            const char *word;
            int length;
            t->in_line = false;
            const bool any = sn_text_more(t);
            t->in_line = true;
            if (!any || status) break;
            status = sn_text_word(t, "keyword", &word, &length);
            if (!status) status = read_line(&o, pass, word, length);
            if (status) break;
        }
    }
    if (!status && !b->triangle.count) status = sn_text_fail(t, "the file has no faces");
    sn_release(b->context, o.corner);
    return status;
}

/* ---- Writing: all nodes in their order, so their numbers stay ---- */

/* A blank in the name of a group becomes '_', because OBJ separates names by blanks. */
static void put_group_line(const sn_mesh *mesh, const sn_classes *c, int class, sn_output *o) {
    sn_put_text(o, "g");
    for (int k = class; k > 0; k = c->item[k].parent) {
        char name[64];
        memcpy(name, mesh->group[c->item[k].group].name, sizeof name);
        for (char *p = name; *p; ++p) {
            if (*p == ' ' || *p == '\t') *p = '_';
        }
        sn_put_format(o, " %s", name);
    }
    sn_put_text(o, "\n");
}

static sn_status write_mesh(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    sn_outer_faces faces;
    (void)options;
    sn_status status = sn_outer_faces_make(mesh, &faces, o);
    if (status) return status;
    for (int i = 0; i < mesh->node_count; ++i) {
        sn_put_text(o, "v ");
        sn_put_position(o, mesh->position + 3 * (size_t)i);
    }
    int class = 0;
    for (int i = 0; i < faces.count; ++i) {
        if (sn_outer_face_class(&faces, i) != class) {
            class = sn_outer_face_class(&faces, i);
            put_group_line(mesh, &faces.classes, class, o);
        }
        sn_put_text(o, "f ");
        sn_put_face(o, faces.face + 3 * (size_t)i, 1);
    }
    sn_outer_faces_clear(mesh, &faces);
    return SN_OK;
}

const sn_mesh_format sn_format_obj = {.read = read_mesh,
                                      .file = {{.write = write_mesh}},
                                      .keeps = SN_KEEPS_TRIANGLE_GROUPS | SN_KEEPS_NAMES | SN_KEEPS_OVERLAPS |
                                               SN_KEEPS_NODES,
                                      .first = 1};
