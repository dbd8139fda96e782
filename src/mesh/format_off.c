/* OFF (Geomview object file format), ASCII: [ST][C][N]OFF, vertices, polygons. Normals, colours and texture coordinates
 * behind the three coordinates and behind a face's corners are left out. Polygons become triangles. Nodes are numbered
 * from 0 by their order. */
#include <string.h>

#include "format.h"
#include "outer_faces.h"

static sn_status read_magic(sn_text *t) {
    const char *word = NULL;
    int length = 0;
    sn_status status = sn_text_word(t, "OFF", &word, &length);
    if (status) return status;
    const char *p = word, *end = word + length;
    if (end - p >= 2 && p[0] == 'S' && p[1] == 'T') p += 2;
    if (p < end && *p == 'C') ++p;
    if (p < end && *p == 'N') ++p;
    if (!sn_text_is(p, (int)(end - p), "OFF")) {
        return sn_text_fail(t, "OFF, COFF, NOFF, CNOFF or STOFF expected at the start, found '%.*s'",
                            length < 40 ? length : 40, word);
    }
    if (sn_text_more_in_line(t) && t->end - t->at >= 6 && memcmp(t->at, "BINARY", 6) == 0)
        return sn_text_fail(t, "binary OFF is not supported");
    sn_text_more(t);
    return SN_OK;
}

static void next_line(sn_text *t) {
    sn_text_skip_line(t);
    t->in_line = false;
    sn_text_more(t);
    t->in_line = true;
}

static sn_status read_polygon(sn_text *t, sn_builder *b, int32_t **corner, int *capacity) {
    int count = 0;
    sn_status status = sn_text_count(t, "number of corners", 2, &count);
    if (!status && count < 3) status = sn_text_fail(t, "a face has %d corners; at least 3 are needed", count);
    if (!status) status = sn_grow(b->context, (void **)corner, capacity, count, sizeof **corner, t->error);
    for (int i = 0; !status && i < count; ++i) {
        int64_t label;
        status = sn_text_integer(t, "corner of a face", &label);
        if (!status) status = sn_builder_find_node(b, t, label, &(*corner)[i]);
    }
    if (!status) status = sn_builder_polygon(b, t, *corner, count);
    if (!status) next_line(t);
    return status;
}

static sn_status read_mesh(sn_text *t, sn_builder *b) {
    int vertices = 0, faces = 0, capacity = 0;
    int32_t *corner = NULL;
    int64_t edges;
    t->comment = '#';
    sn_status status = read_magic(t);
    t->in_line = true;
    if (!status) status = sn_text_count(t, "number of vertices", 6, &vertices);
    if (!status) status = sn_text_count(t, "number of faces", 8, &faces);
    if (!status && sn_text_more(t)) status = sn_text_integer(t, "number of edges", &edges);
    if (!status) status = sn_text_end_line(t, "the counts");
    for (int i = 0; !status && i < vertices; ++i) {
        double position[3];
        for (int j = 0; !status && j < 3; ++j) status = sn_text_number(t, "coordinate", &position[j]);
        if (!status) status = sn_builder_node(b, t, i, position);
        if (!status) next_line(t);
    }
    for (int i = 0; !status && i < faces; ++i) status = read_polygon(t, b, &corner, &capacity);
    t->in_line = false;
    if (!status && sn_text_more(t)) status = sn_text_expected(t, "end of the file after the last face");
    sn_release(b->context, corner);
    return status;
}

/* ---- Writing: all nodes in their order, so their numbers stay ---- */

static sn_status write_mesh(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    sn_outer_faces faces;
    (void)options;
    sn_status status = sn_outer_faces_make(mesh, &faces, o);
    if (status) return status;
    sn_put_format(o, "OFF\n%d %d 0\n", mesh->node_count, faces.count);
    for (int i = 0; i < mesh->node_count; ++i) sn_put_position(o, mesh->position + 3 * (size_t)i);
    for (int i = 0; i < faces.count; ++i) {
        sn_put_text(o, "3 ");
        sn_put_face(o, faces.face + 3 * (size_t)i, 0);
    }
    sn_outer_faces_clear(mesh, &faces);
    return SN_OK;
}

const sn_mesh_format sn_format_off = {.read = read_mesh, .file = {{.write = write_mesh}}, .keeps = SN_KEEPS_NODES};
