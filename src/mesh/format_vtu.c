/* VTK's XML file of an unstructured grid, .vtu: arrays as text, in base64, or appended in base64 or raw, plain or
 * compressed with zlib. Source: the VTK file formats document.
 *
 * A first pass notes where the arrays are, because the file may name them in any order. A second one decodes those that
 * make the mesh: Points, and connectivity, offsets and types of the Cells. Nodes are numbered from 0 by their order
 * through all pieces, or by the array `node_label`; cells likewise by `element_label` (both are written by
 * src/output/frame_vtu.c). Other integer arrays of the cells become groups; all other arrays are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "inflate.h"
#include "vtk_cells.h"

typedef struct span {
    const char *text;
    int length;
} span;

typedef enum section { NOWHERE, FIELD_DATA, POINT_DATA, CELL_DATA, POINTS, CELLS } section;

typedef struct array {
    section section;
    int piece;
    span name, type, format;
    int64_t offset;
    int components;
    const char *begin, *end; /* inline content */
    int64_t line;
} array;

typedef struct piece {
    int points, cells;
} piece;

typedef struct vtu {
    sn_text *t;
    sn_builder *b;
    bool swap, compressed;
    int header_bytes; /* of a number in the head of binary data */
    const char *appended;
    bool appended_raw;
    piece *piece;
    int pieces, piece_capacity;
    array *array;
    int arrays, array_capacity;
} vtu;

/* ---- XML ---- */

typedef struct tag {
    span name, attributes;
    bool closing, empty;
} tag;

static bool starts(const sn_text *t, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(t->end - t->at) >= length && memcmp(t->at, word, length) == 0;
}

/* Moves to the end of the next `word`. False when there is none. */
static bool pass(sn_text *t, const char *word) {
    const char *found = memmem(t->at, (size_t)(t->end - t->at), word, strlen(word));
    if (!found) return false;
    for (; t->at < found + strlen(word); ++t->at) t->line += *t->at == '\n';
    return true;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* The next tag; comments and declarations are passed over. */
static sn_status next_tag(sn_text *t, tag *tag) {
    for (;;) {
        if (!pass(t, "<")) return sn_text_fail(t, "the file ends before </VTKFile>");
        if (starts(t, "!--") && pass(t, "-->")) continue;
        if (starts(t, "?") && pass(t, "?>")) continue;
        break;
    }
    const char *p = t->at;
    *tag = (struct tag){.closing = p < t->end && *p == '/'};
    if (tag->closing) ++p;
    tag->name.text = p;
    while (p < t->end && !is_space(*p) && *p != '>' && *p != '/') ++p;
    tag->name.length = (int)(p - tag->name.text);
    tag->attributes.text = p;
    char quote = 0;
    for (; p < t->end && (quote || *p != '>'); ++p) {
        t->line += *p == '\n';
        if (quote ? *p == quote : *p == '"' || *p == '\'') quote = quote ? 0 : *p;
    }
    if (p >= t->end) return sn_text_fail(t, "the file ends inside of a tag");
    tag->empty = p[-1] == '/';
    tag->attributes.length = (int)(p - tag->attributes.text < 1 << 20 ? p - tag->attributes.text : 1 << 20);
    t->at = p + 1;
    return SN_OK;
}

/* The value of an attribute; a length of -1: not there. */
static span attribute(const tag *tag, const char *name) {
    const char *p = tag->attributes.text, *end = p + tag->attributes.length;
    while (p < end) {
        while (p < end && is_space(*p)) ++p;
        const char *word = p;
        while (p < end && *p != '=' && !is_space(*p)) ++p;
        const int length = (int)(p - word);
        while (p < end && (is_space(*p) || *p == '=')) ++p;
        if (p >= end || (*p != '"' && *p != '\'')) continue;
        const char quote = *p++, *value = p;
        while (p < end && *p != quote) ++p;
        if (sn_text_is(word, length, name)) return (span){value, (int)(p - value)};
        if (p < end) ++p;
    }
    return (span){NULL, -1};
}

static bool is(span s, const char *word) { return s.length >= 0 && sn_text_is(s.text, s.length, word); }

/* An attribute that is an integer from 0. */
static sn_status number_of(sn_text *t, const tag *tag, const char *name, int64_t otherwise, int64_t *value) {
    const span s = attribute(tag, name);
    *value = otherwise;
    if (s.length < 0) return SN_OK;
    sn_text inner = {
        .name = t->name, .begin = t->begin, .at = s.text, .end = s.text + s.length, .line = t->line, .error = t->error};
    const sn_status status = sn_text_integer(&inner, name, value);
    return !status && *value < 0 ? sn_text_fail(t, "%s is %lld", name, (long long)*value) : status;
}

/* ---- First pass ---- */

static sn_status open_file(vtu *v, const tag *tag) {
    const span kind = attribute(tag, "type"), order = attribute(tag, "byte_order"),
               header = attribute(tag, "header_type"), compressor = attribute(tag, "compressor");
    if (!is(kind, "UnstructuredGrid"))
        return sn_text_fail(v->t, "a VTKFile of type '%.*s' is not supported; UnstructuredGrid is",
                            kind.length < 0    ? 0
                            : kind.length < 40 ? kind.length
                                               : 40,
                            kind.text ? kind.text : "");
    if (compressor.length > 0 && !is(compressor, "vtkZLibDataCompressor"))
        return sn_text_fail(v->t, "the compressor '%.*s' is not supported; vtkZLibDataCompressor is",
                            compressor.length < 40 ? compressor.length : 40, compressor.text);
    v->compressed = compressor.length > 0;
    v->swap = is(order, "BigEndian") == sn_little_endian();
    v->header_bytes = is(header, "UInt64") ? 8 : 4;
    return SN_OK;
}

static sn_status open_piece(vtu *v, const tag *tag) {
    int64_t points, cells;
    sn_status status = number_of(v->t, tag, "NumberOfPoints", 0, &points);
    if (!status) status = number_of(v->t, tag, "NumberOfCells", 0, &cells);
    if (!status && (points > INT32_MAX / 16 || cells > INT32_MAX / 16))
        status = sn_text_fail(v->t, "a piece of %lld points and %lld cells is too large", (long long)points,
                              (long long)cells);
    if (!status)
        status = sn_grow(v->b->context, (void **)&v->piece, &v->piece_capacity, v->pieces + 1, sizeof *v->piece,
                         v->t->error);
    if (!status) v->piece[v->pieces++] = (piece){(int)points, (int)cells};
    return status;
}

static sn_status note_array(vtu *v, const tag *tag, section section) {
    array a = {.section = section,
               .piece = v->pieces - 1,
               .name = attribute(tag, "Name"),
               .type = attribute(tag, "type"),
               .format = attribute(tag, "format"),
               .begin = v->t->at,
               .end = v->t->at,
               .line = v->t->line};
    int64_t components;
    sn_status status = number_of(v->t, tag, "NumberOfComponents", 1, &components);
    if (!status) status = number_of(v->t, tag, "offset", 0, &a.offset);
    if (status) return status;
    a.components = components < 1 ? 1 : components > 1000 ? 1000 : (int)components;
    if (!tag->empty) {
        const char *end = memchr(a.begin, '<', (size_t)(v->t->end - a.begin));
        a.end = end ? end : v->t->end;
    }
    status =
        sn_grow(v->b->context, (void **)&v->array, &v->array_capacity, v->arrays + 1, sizeof *v->array, v->t->error);
    if (!status) v->array[v->arrays++] = a;
    return status;
}

static sn_status open_appended(vtu *v, const tag *tag) {
    v->appended_raw = is(attribute(tag, "encoding"), "raw");
    if (!pass(v->t, "_")) return sn_text_fail(v->t, "the appended data have no beginning '_'");
    v->appended = v->t->at;
    return SN_OK;
}

static section section_of(span name) {
    return is(name, "FieldData")   ? FIELD_DATA
           : is(name, "PointData") ? POINT_DATA
           : is(name, "CellData")  ? CELL_DATA
           : is(name, "Points")    ? POINTS
           : is(name, "Cells")     ? CELLS
                                   : NOWHERE;
}

static sn_status note_arrays(vtu *v) {
    section section = NOWHERE;
    bool file = false;
    for (;;) {
        tag tag = {0};
        sn_status status = next_tag(v->t, &tag);
        if (status) return status;
        if (tag.closing && is(tag.name, "VTKFile")) break;
        if (!file && !is(tag.name, "VTKFile")) return sn_text_fail(v->t, "<VTKFile> expected at the start");
        file = true;
        if (section_of(tag.name)) section = tag.closing || tag.empty ? NOWHERE : section_of(tag.name);
        if (tag.closing) continue;
        if (is(tag.name, "VTKFile")) status = open_file(v, &tag);
        if (is(tag.name, "Piece")) status = open_piece(v, &tag);
        if (is(tag.name, "DataArray") && section > FIELD_DATA) {
            if (!v->pieces) return sn_text_fail(v->t, "an array stands outside of a piece");
            status = note_array(v, &tag, section);
        }
        if (is(tag.name, "AppendedData")) return status ? status : open_appended(v, &tag);
        if (status) return status;
    }
    return SN_OK;
}

/* ---- Binary data ---- */

/* Bytes from base64 or raw text. Padding ends a group of letters early; the next group may begin a new run. */
typedef struct source {
    const char *at, *end;
    bool raw;
    uint8_t rest[3]; /* decoded but not taken */
    int left;
} source;

static int letter_value(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

static bool take_group(source *s) {
    uint32_t word = 0;
    int letters = 0, values = 0;
    while (letters < 4) {
        while (s->at < s->end && is_space(*s->at)) ++s->at;
        if (s->at >= s->end) return false;
        const int value = *s->at == '=' ? 0 : letter_value(*s->at);
        if (value < 0) return false;
        values += *s->at++ != '=';
        word = word << 6 | (uint32_t)value;
        ++letters;
    }
    if (values < 2) return false;
    s->left = values - 1;
    for (int i = 0; i < s->left; ++i) s->rest[i] = (uint8_t)(word >> (16 - 8 * i));
    return true;
}

static bool take_bytes(source *s, uint8_t *out, size_t count) {
    if (s->raw) {
        if ((size_t)(s->end - s->at) < count) return false;
        memcpy(out, s->at, count);
        s->at += count;
        return true;
    }
    while (count) {
        if (!s->left && !take_group(s)) return false;
        const int part = count < (size_t)s->left ? (int)count : s->left;
        memcpy(out, s->rest, (size_t)part);
        memmove(s->rest, s->rest + part, (size_t)(s->left - part));
        s->left -= part, out += part, count -= (size_t)part;
    }
    return true;
}

static bool take_number(const vtu *v, source *s, uint64_t *value) {
    uint8_t bytes[8];
    *value = 0;
    if (!take_bytes(s, bytes, (size_t)v->header_bytes)) return false;
    const bool little = sn_little_endian() != v->swap;
    for (int i = 0; i < v->header_bytes; ++i)
        *value |= (uint64_t)bytes[i] << 8 * (little ? i : v->header_bytes - 1 - i);
    return true;
}

static sn_status broken(const vtu *v, const array *a) {
    sn_text at = *v->t;
    at.line = a->line;
    return sn_text_fail(&at, "the data of the array '%.*s' are broken or cut off",
                        a->name.length < 0    ? 0
                        : a->name.length < 40 ? a->name.length
                                              : 40,
                        a->name.text ? a->name.text : "");
}

/* Blocks of zlib: their number, their size, the size of a short last one, their compressed sizes, then the blocks. */
static sn_status take_blocks(const vtu *v, const array *a, source *s, uint8_t **out, size_t *bytes) {
    const sn_context *context = v->b->context;
    uint64_t blocks, size, last, packed, most = 0;
    const uint64_t left = (uint64_t)(s->end - s->at);
    if (!take_number(v, s, &blocks) || !take_number(v, s, &size) || !take_number(v, s, &last)) return broken(v, a);
    /* Deflate makes at most 1032 bytes from one; a single short block may name any size. */
    const uint64_t end = last ? last : size, room = 1100 * (left + 8);
    if (blocks > left || last > size || (blocks && end > room) || (blocks > 1 && size > (room - end) / (blocks - 1)))
        return broken(v, a);
    *bytes = blocks ? (size_t)((blocks - 1) * size + end) : 0;
    uint64_t *packed_size = sn_allocate(context, (size_t)blocks, sizeof *packed_size);
    *out = sn_allocate(context, *bytes, 1);
    uint8_t *part = NULL;
    sn_status status = packed_size && *out ? SN_OK : sn_no_memory(v->t->error);
    for (uint64_t i = 0; !status && i < blocks; ++i) {
        if (!take_number(v, s, &packed) || packed > left) status = broken(v, a);
        packed_size[i] = packed;
        most = packed > most ? packed : most;
    }
    if (!status) part = sn_allocate(context, (size_t)most, 1);
    if (!status && !part) status = sn_no_memory(v->t->error);
    for (uint64_t i = 0; !status && i < blocks; ++i) {
        const size_t whole = (size_t)(i + 1 < blocks || !last ? size : last);
        if (!take_bytes(s, part, (size_t)packed_size[i]) ||
            !sn_inflate(part, (size_t)packed_size[i], *out + i * size, whole))
            status = broken(v, a);
    }
    sn_release(context, part);
    sn_release(context, packed_size);
    return status;
}

static sn_status take_plain(const vtu *v, const array *a, source *s, uint8_t **out, size_t *bytes) {
    uint64_t size;
    if (!take_number(v, s, &size) || size > (uint64_t)(s->end - s->at)) return broken(v, a);
    *bytes = (size_t)size;
    *out = sn_allocate(v->b->context, *bytes, 1);
    if (!*out) return sn_no_memory(v->t->error);
    return take_bytes(s, *out, *bytes) ? SN_OK : broken(v, a);
}

/* ---- Numbers of an array ---- */

static const struct {
    const char *name;
    int size;
    char kind; /* i: signed, u: unsigned, f: floating */
} types[] = {{"Int8", 1, 'i'},   {"UInt8", 1, 'u'}, {"Int16", 2, 'i'},  {"UInt16", 2, 'u'},  {"Int32", 4, 'i'},
             {"UInt32", 4, 'u'}, {"Int64", 8, 'i'}, {"UInt64", 8, 'u'}, {"Float32", 4, 'f'}, {"Float64", 8, 'f'}};

static int type_of(span name) {
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (is(name, types[i].name)) return (int)i;
    return -1;
}

static void decode(const uint8_t *bytes, int type, bool little, double *real, int64_t *whole) {
    const int size = types[type].size;
    uint64_t u = 0;
    for (int i = 0; i < size; ++i) u |= (uint64_t)bytes[i] << 8 * (little ? i : size - 1 - i);
    if (types[type].kind == 'f') {
        const uint32_t u32 = (uint32_t)u;
        float f;
        memcpy(&f, &u32, 4);
        memcpy(real, &u, 8);
        if (size == 4) *real = (double)f;
        *whole = *real > -9e15 && *real < 9e15 ? (int64_t)*real : INT64_MIN;
        return;
    }
    *whole = types[type].kind == 'i' && size < 8 && u >> (8 * size - 1) ? (int64_t)(u | ~0ull << 8 * size) : (int64_t)u;
    *real = (double)*whole;
}

/* The numbers of an array: exactly `count`, or any number when `count` is negative. One of `real` and `whole` is
 * wanted; the caller releases it. */
typedef struct numbers {
    double *real;
    int64_t *whole;
    int64_t count;
} numbers;

static sn_status make_room(const vtu *v, numbers *n, bool whole, int64_t count) {
    n->count = count;
    if (whole)
        n->whole = sn_allocate(v->b->context, (size_t)count, sizeof *n->whole);
    else
        n->real = sn_allocate(v->b->context, (size_t)count, sizeof *n->real);
    return n->whole || n->real ? SN_OK : sn_no_memory(v->t->error);
}

static sn_status read_text(const vtu *v, const array *a, bool whole, numbers *n) {
    sn_text t = *v->t;
    t.at = a->begin, t.end = a->end, t.line = a->line;
    sn_status status = make_room(v, n, whole, (a->end - a->begin) / 2 + 1);
    int64_t count = 0;
    while (!status && sn_text_more(&t)) {
        status =
            whole ? sn_text_integer(&t, "integer", &n->whole[count]) : sn_text_number(&t, "number", &n->real[count]);
        ++count;
    }
    n->count = count;
    return status;
}

static sn_status read_binary(const vtu *v, const array *a, int type, bool whole, numbers *n) {
    source s = {.at = a->begin, .end = a->end};
    if (is(a->format, "appended")) {
        if (!v->appended || a->offset > v->t->end - v->appended) return broken(v, a);
        s = (source){.at = v->appended + a->offset, .end = v->t->end, .raw = v->appended_raw};
    }
    uint8_t *data = NULL;
    size_t bytes = 0;
    sn_status status = v->compressed ? take_blocks(v, a, &s, &data, &bytes) : take_plain(v, a, &s, &data, &bytes);
    if (!status) status = make_room(v, n, whole, (int64_t)bytes / types[type].size);
    const bool little = sn_little_endian() != v->swap;
    for (int64_t i = 0; !status && i < n->count; ++i) {
        double real;
        int64_t integer;
        decode(data + (size_t)i * (size_t)types[type].size, type, little, &real, &integer);
        if (whole)
            n->whole[i] = integer;
        else
            n->real[i] = real;
    }
    sn_release(v->b->context, data);
    return status;
}

static sn_status read_array(const vtu *v, const array *a, bool whole, int64_t count, numbers *n) {
    *n = (numbers){0};
    sn_text at = *v->t;
    at.line = a->line;
    const int type = type_of(a->type), letters = a->name.length < 0 ? 0 : a->name.length < 40 ? a->name.length : 40;
    const char *name = a->name.text ? a->name.text : "";
    if (type < 0) return sn_text_fail(&at, "the type of the array '%.*s' is not supported", letters, name);
    const sn_status status =
        is(a->format, "ascii") || a->format.length < 0 ? read_text(v, a, whole, n) : read_binary(v, a, type, whole, n);
    if (status || count < 0 || n->count == count) return status;
    return sn_text_fail(&at, "the array '%.*s' has %lld numbers; %lld are needed", letters, name, (long long)n->count,
                        (long long)count);
}

static void release_numbers(const vtu *v, numbers *n) {
    sn_release(v->b->context, n->real);
    sn_release(v->b->context, n->whole);
}

/* ---- The mesh ---- */

/* The array of a piece; `name` NULL: any. */
static const array *find(const vtu *v, int piece, section section, const char *name) {
    for (int i = 0; i < v->arrays; ++i)
        if (v->array[i].piece == piece && v->array[i].section == section && (!name || is(v->array[i].name, name)))
            return &v->array[i];
    return NULL;
}

static sn_status read_needed(const vtu *v, int piece, section section, const char *name, bool whole, int64_t count,
                             numbers *n) {
    const array *a = find(v, piece, section, name);
    *n = (numbers){0};
    if (!a) return sn_text_fail(v->t, "the array '%s' of piece %d is missing", name ? name : "Points", piece);
    return read_array(v, a, whole, count, n);
}

/* Labels of one component, or nothing. */
static sn_status read_labels(const vtu *v, int piece, section section, const char *name, int count, numbers *n) {
    const array *a = find(v, piece, section, name);
    *n = (numbers){0};
    return a ? read_array(v, a, true, count, n) : SN_OK;
}

static sn_status add_points(vtu *v, int index) {
    const int count = v->piece[index].points;
    numbers position, label = {0};
    sn_status status = read_needed(v, index, POINTS, NULL, false, 3 * (int64_t)count, &position);
    if (!status) status = read_labels(v, index, POINT_DATA, "node_label", count, &label);
    for (int i = 0; !status && i < count; ++i)
        status =
            sn_builder_node(v->b, v->t, label.whole ? label.whole[i] : v->b->node.count, position.real + 3 * (size_t)i);
    release_numbers(v, &position);
    release_numbers(v, &label);
    return status;
}

/* `first`: the index of the piece's first node. */
static sn_status add_cells(vtu *v, int index, int first, sn_vtk_cell *cell) {
    const piece *p = &v->piece[index];
    numbers node = {0}, offset = {0}, type = {0}, label = {0};
    int32_t *corner = NULL;
    int capacity = 0;
    sn_status status = read_needed(v, index, CELLS, "connectivity", true, -1, &node);
    if (!status) status = read_needed(v, index, CELLS, "offsets", true, p->cells, &offset);
    if (!status) status = read_needed(v, index, CELLS, "types", true, p->cells, &type);
    if (!status) status = read_labels(v, index, CELL_DATA, "element_label", p->cells, &label);
    int64_t begin = 0;
    for (int i = 0; !status && i < p->cells; ++i) {
        const int64_t end = offset.whole[i];
        if (end < begin || end > node.count) {
            status = sn_text_fail(v->t, "the offset %lld of cell %d is not possible", (long long)end, i);
            break;
        }
        status =
            sn_grow(v->b->context, (void **)&corner, &capacity, (int)(end - begin) + 1, sizeof *corner, v->t->error);
        for (int64_t k = begin; !status && k < end; ++k) {
            if (node.whole[k] < 0 || node.whole[k] >= p->points)
                status = sn_text_fail(v->t, "cell %d names point %lld of %d", i, (long long)node.whole[k], p->points);
            else
                corner[k - begin] = first + (int32_t)node.whole[k];
        }
        const bool tet = type.whole[i] == 10 || type.whole[i] == 24;
        const int64_t own = label.whole ? label.whole[i] : tet ? v->b->tet.count : v->b->triangle.count;
        if (!status) status = sn_vtk_add_cell(v->b, v->t, type.whole[i], corner, end - begin, own, &cell[i]);
        begin = end;
    }
    sn_release(v->b->context, corner);
    release_numbers(v, &node), release_numbers(v, &offset), release_numbers(v, &type), release_numbers(v, &label);
    return status;
}

/* Data arrays: groups from integers, a note about the rest. */
static sn_status use_data(vtu *v, int index, const sn_vtk_cell *cell) {
    sn_status status = SN_OK;
    for (int i = 0; !status && i < v->arrays; ++i) {
        const array *a = &v->array[i];
        const bool data = a->section == POINT_DATA || a->section == CELL_DATA;
        if (a->piece != index || !data || is(a->name, "node_label") || is(a->name, "element_label")) continue;
        const int type = type_of(a->type);
        if (a->section == CELL_DATA && a->components == 1 && type >= 0 && types[type].kind != 'f' &&
            a->name.length > 0) {
            numbers value;
            status = read_array(v, a, true, v->piece[index].cells, &value);
            if (!status)
                status =
                    sn_vtk_groups(v->b, v->t, a->name.text, a->name.length, cell, value.whole, v->piece[index].cells);
            release_numbers(v, &value);
        } else if (a->section == CELL_DATA && a->components == 3 && type >= 0 && a->name.length > 0 &&
                   a->name.length < 64) {
            numbers value;
            status = read_array(v, a, false, 3 * (int64_t)v->piece[index].cells, &value);
            if (!status)
                status =
                    sn_vtk_field(v->b, v->t, a->name.text, a->name.length, cell, value.real, v->piece[index].cells);
            release_numbers(v, &value);
        } else {
            sn_builder_leave_out(v->b, "data arrays", 1);
        }
    }
    return status;
}

static sn_status add_piece(vtu *v, int index) {
    const int first = v->b->node.count, cells = v->piece[index].cells;
    sn_status status = v->piece[index].points ? add_points(v, index) : SN_OK;
    if (status || !cells) return status;
    /* A cell has at least an offset of one byte, unless zlib made it small. */
    const int64_t bytes = v->t->end - v->t->begin;
    if (cells > 1100 * bytes) return sn_text_fail(v->t, "the file is too short for %d cells", cells);
    sn_vtk_cell *cell = sn_allocate_zero(v->b->context, (size_t)cells, sizeof *cell);
    if (!cell) return sn_no_memory(v->t->error);
    status = add_cells(v, index, first, cell);
    if (!status) status = use_data(v, index, cell);
    sn_release(v->b->context, cell);
    return status;
}

static sn_status read_mesh(sn_text *t, sn_builder *b) {
    vtu v = {.t = t, .b = b, .header_bytes = 4};
    sn_status status = note_arrays(&v);
    for (int i = 0; !status && i < v.pieces; ++i) status = add_piece(&v, i);
    sn_release(b->context, v.piece);
    sn_release(b->context, v.array);
    return status;
}

const sn_mesh_format sn_format_vtu = {.read = read_mesh};
