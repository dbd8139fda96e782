/* VTK legacy files, .vtk: UNSTRUCTURED_GRID and POLYDATA, ASCII and binary (big-endian), versions 1.0 to 5.1. Source:
 * the VTK file formats document.
 *
 * Keywords follow each other with their numbers behind them. Nodes are numbered from 0 by their order. Version 5 has
 * the cells as offsets and connectivity, earlier ones as rows "count node node ...". Integer arrays of the cells become
 * groups (vtk_cells.h); all other arrays are left out. */
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "vtk_cells.h"

typedef struct vtk {
    sn_text *t;
    sn_builder *b;
    bool binary, polygons, points;
    int64_t *cell; /* rows "count node node ..." of the cells */
    int cells;     /* number of rows */
    int64_t cell_numbers;
    bool typed;        /* CELL_TYPES came */
    sn_vtk_cell *made; /* cells */
    int made_count;
    int data_count; /* cells or points that the present data belong to */
    bool of_cells;
} vtk;

/* ---- Numbers ---- */

static const struct {
    const char *name;
    int size;
    char kind; /* i: signed, u: unsigned, f: floating */
} types[] = {{"bit", 0, 'u'},           {"char", 1, 'i'},           {"unsigned_char", 1, 'u'},
             {"short", 2, 'i'},         {"unsigned_short", 2, 'u'}, {"int", 4, 'i'},
             {"unsigned_int", 4, 'u'},  {"long", 8, 'i'},           {"unsigned_long", 8, 'u'},
             {"float", 4, 'f'},         {"double", 8, 'f'},         {"vtktypeint64", 8, 'i'},
             {"vtktypeuint64", 8, 'u'}, {"vtkidtype", 4, 'i'},      {"vtktypeint32", 4, 'i'},
             {"vtktypeuint32", 4, 'u'}};

static sn_status read_type(vtk *v, int *type) {
    const char *word;
    int length;
    const sn_status status = sn_text_word(v->t, "type of the numbers", &word, &length);
    if (status) return status;
    for (*type = 0; *type < (int)(sizeof types / sizeof *types); ++*type)
        if (sn_text_is_any_case(word, length, types[*type].name)) return SN_OK;
    return sn_text_fail(v->t, "the type '%.*s' is unknown", length < 40 ? length : 40, word);
}

static bool is_whole(int type) { return types[type].kind != 'f'; }

/* Binary numbers begin behind the end of the line. */
static sn_status begin_numbers(vtk *v) {
    if (!v->binary) return SN_OK;
    const sn_status status = sn_text_more_in_line(v->t) ? sn_text_expected(v->t, "end of the line") : SN_OK;
    if (!status && v->t->at < v->t->end) ++v->t->at, ++v->t->line;
    return status;
}

/* A big-endian number of a type, as a double or as an integer. */
static void decode(const char *bytes, int type, double *real, int64_t *whole) {
    const int size = types[type].size;
    uint64_t u = 0;
    for (int i = 0; i < size; ++i) u = u << 8 | (uint8_t)bytes[i];
    if (types[type].kind == 'f') {
        const uint32_t u32 = (uint32_t)u;
        float f;
        memcpy(&f, &u32, 4);
        memcpy(real, &u, 8);
        if (size == 4) *real = (double)f;
        *whole = 0;
        return;
    }
    *whole =
        types[type].kind == 'i' && size < 8 && u >> (8 * size - 1) ? (int64_t)(u | ~0ull << (8 * size)) : (int64_t)u;
    *real = (double)*whole;
}

/* `count` numbers. `real` or `whole` gets them; both may be NULL: they are skipped. */
static sn_status read_numbers(vtk *v, const char *what, int type, int64_t count, double *real, int64_t *whole) {
    sn_status status = begin_numbers(v);
    const char *bytes = NULL;
    if (!status && v->binary && !types[type].size) /* bits: eight in a byte */
        return sn_text_bytes(v->t, what, (count + 7) / 8, &bytes);
    for (int64_t i = 0; !status && i < count; ++i) {
        double r = 0;
        int64_t w = 0;
        if (v->binary) {
            status = sn_text_bytes(v->t, what, types[type].size, &bytes);
            if (!status) decode(bytes, type, &r, &w);
        } else if (whole) {
            status = sn_text_integer(v->t, what, &w);
        } else {
            status = sn_text_number(v->t, what, &r);
        }
        if (real) real[i] = r;
        if (whole) whole[i] = w;
    }
    return status;
}

/* The number of items that follow, of at least one byte each. */
static sn_status read_count(vtk *v, const char *what, int *count) {
    int64_t value;
    const sn_status status = sn_text_integer(v->t, what, &value);
    return status ? status : sn_text_check_count(v->t, what, value, v->binary ? 1 : 2, count);
}

/* ---- Points and cells ---- */

static sn_status read_points(vtk *v) {
    int count = 0, type = 0;
    sn_status status = v->points ? sn_text_fail(v->t, "POINTS comes twice") : SN_OK;
    if (!status) status = read_count(v, "number of points", &count);
    if (!status) status = read_type(v, &type);
    if (!status) status = begin_numbers(v);
    v->points = true;
    for (int i = 0; !status && i < count; ++i) {
        double position[3];
        const char *bytes = NULL;
        int64_t whole;
        for (int k = 0; !status && k < 3; ++k) {
            if (!v->binary) {
                status = sn_text_number(v->t, "coordinate", &position[k]);
                continue;
            }
            status = sn_text_bytes(v->t, "the points", types[type].size, &bytes);
            if (!status) decode(bytes, type, &position[k], &whole);
        }
        if (!status) status = sn_builder_node(v->b, v->t, i, position);
    }
    return status;
}

static sn_status take_whole(vtk *v, int64_t count, int64_t **out) {
    *out = sn_allocate(v->b->context, (size_t)count, sizeof **out);
    return *out ? SN_OK : sn_no_memory(v->t->error);
}

static sn_status read_word(vtk *v, const char *expected) {
    const char *word;
    int length;
    const sn_status status = sn_text_word(v->t, expected, &word, &length);
    if (status || sn_text_is_any_case(word, length, expected)) return status;
    v->t->at -= length;
    return sn_text_expected(v->t, expected);
}

/* Version 5: "OFFSETS type" and "CONNECTIVITY type". Made into rows. */
static sn_status read_offset_cells(vtk *v, int offsets, int nodes) {
    int type = 0;
    int64_t *offset = NULL, *node = NULL;
    if (offsets < 1) return sn_text_fail(v->t, "there are no offsets");
    sn_status status = take_whole(v, offsets, &offset);
    if (!status) status = take_whole(v, nodes, &node);
    if (!status) status = take_whole(v, (int64_t)offsets + nodes, &v->cell);
    if (!status) status = read_word(v, "OFFSETS");
    if (!status) status = read_type(v, &type);
    if (!status) status = read_numbers(v, "the offsets", type, offsets, NULL, offset);
    if (!status) status = read_word(v, "CONNECTIVITY");
    if (!status) status = read_type(v, &type);
    if (!status) status = read_numbers(v, "the connectivity", type, nodes, NULL, node);
    for (int i = 0; !status && i + 1 < offsets; ++i) {
        if (offset[i] < 0 || offset[i + 1] < offset[i] || offset[i + 1] > nodes)
            status = sn_text_fail(v->t, "the offsets %lld, %lld are not ascending up to %d", (long long)offset[i],
                                  (long long)offset[i + 1], nodes);
        if (!status) v->cell[v->cell_numbers++] = offset[i + 1] - offset[i];
        for (int64_t k = offset[i]; !status && k < offset[i + 1]; ++k) v->cell[v->cell_numbers++] = node[k];
    }
    v->cells = offsets - 1;
    sn_release(v->b->context, offset);
    sn_release(v->b->context, node);
    return status;
}

static sn_status read_cells(vtk *v) {
    int count = 0, numbers = 0;
    sn_status status = v->cell ? sn_text_fail(v->t, "the cells come twice") : SN_OK;
    if (!status) status = read_count(v, "number of cells", &count);
    if (!status) status = read_count(v, "size of the cells", &numbers);
    if (status) return status;
    sn_text ahead = *v->t;
    const char *word;
    int length;
    if (sn_text_more(&ahead) && sn_text_word(&ahead, "", &word, &length) == SN_OK &&
        sn_text_is_any_case(word, length, "OFFSETS"))
        return read_offset_cells(v, count, numbers);
    v->cells = count, v->cell_numbers = numbers;
    status = take_whole(v, numbers, &v->cell);
    return status ? status : read_numbers(v, "the cells", 5, numbers, NULL, v->cell);
}

/* Adds all cells; `type` is NULL for polygons. */
static sn_status add_cells(vtk *v, const int64_t *type) {
    int32_t *node = NULL;
    int capacity = 0;
    int64_t at = 0;
    v->made = sn_allocate_zero(v->b->context, (size_t)v->cells, sizeof *v->made);
    sn_status status = v->made ? SN_OK : sn_no_memory(v->t->error);
    for (int i = 0; !status && i < v->cells; ++i) {
        const int64_t count = at < v->cell_numbers ? v->cell[at] : -1;
        if (count < 0 || count > v->cell_numbers - at - 1) {
            status = sn_text_fail(v->t, "cell %d does not fit into the size of the cells", i);
            break;
        }
        ++at;
        status = sn_grow(v->b->context, (void **)&node, &capacity, (int)count + 1, sizeof *node, v->t->error);
        for (int64_t k = 0; !status && k < count; ++k)
            status = sn_builder_find_node(v->b, v->t, v->cell[at + k], &node[k]);
        const int64_t kind = type ? type[i] : 7;
        const int64_t label = kind == 10 || kind == 24 ? v->b->tet.count : v->b->triangle.count;
        if (!status) status = sn_vtk_add_cell(v->b, v->t, kind, node, count, label, &v->made[i]);
        at += count;
    }
    v->made_count = status ? 0 : v->cells;
    sn_release(v->b->context, node);
    return status;
}

static sn_status read_cell_types(vtk *v) {
    int count = 0;
    int64_t *type = NULL;
    sn_status status = read_count(v, "number of cell types", &count);
    if (!status && (count != v->cells || v->typed))
        status = sn_text_fail(v->t, "%d cell types for %d cells", count, v->typed ? 0 : v->cells);
    v->typed = true;
    if (!status) status = take_whole(v, count, &type);
    if (!status) status = read_numbers(v, "the cell types", 5, count, NULL, type);
    if (!status) status = add_cells(v, type);
    sn_release(v->b->context, type);
    return status;
}

static sn_status skip_cells(vtk *v, const char *what) {
    const int cells = v->cells;
    int64_t *cell = v->cell, numbers = v->cell_numbers;
    v->cell = NULL, v->cell_numbers = 0;
    const sn_status status = read_cells(v);
    if (!status) sn_builder_leave_out(v->b, what, v->cells);
    sn_release(v->b->context, v->cell);
    v->cells = cells, v->cell = cell, v->cell_numbers = numbers;
    return status;
}

/* ---- Data ---- */

static sn_status read_array(vtk *v, const char *name, int length, int components, int tuples, int type) {
    const int64_t count = (int64_t)components * tuples;
    if (v->of_cells && components == 1 && tuples == v->made_count && tuples > 0 && is_whole(type)) {
        int64_t *value = NULL;
        sn_status status = take_whole(v, count, &value);
        if (!status) status = read_numbers(v, "the values", type, count, NULL, value);
        if (!status) status = sn_vtk_groups(v->b, v->t, name, length, v->made, value, tuples);
        sn_release(v->b->context, value);
        return status;
    }
    if (v->of_cells && components == 3 && tuples == v->made_count && tuples > 0 && length < 64 && types[type].size) {
        double *value = sn_allocate(v->b->context, (size_t)count, sizeof *value);
        sn_status status = value ? read_numbers(v, "the values", type, count, value, NULL) : sn_no_memory(v->t->error);
        if (!status) status = sn_vtk_field(v->b, v->t, name, length, v->made, value, tuples);
        sn_release(v->b->context, value);
        return status;
    }
    sn_builder_leave_out(v->b, "data arrays", 1);
    return read_numbers(v, "the values", type, count, NULL, NULL);
}

static sn_status read_scalars(vtk *v) {
    const char *name, *word;
    int length, letters, type = 0;
    int64_t components = 1;
    sn_status status = sn_text_word(v->t, "name of the values", &name, &length);
    if (!status) status = read_type(v, &type);
    if (!status && sn_text_more_in_line(v->t)) status = sn_text_integer(v->t, "number of components", &components);
    if (!status && (components < 1 || components > 4))
        status = sn_text_fail(v->t, "%lld components; allowed are 1 to 4", (long long)components);
    sn_text ahead = *v->t;
    if (!status && sn_text_more(&ahead) && sn_text_word(&ahead, "", &word, &letters) == SN_OK &&
        sn_text_is_any_case(word, letters, "LOOKUP_TABLE")) {
        *v->t = ahead;
        status = sn_text_word(v->t, "name of the table", &word, &letters);
    }
    return status ? status : read_array(v, name, length, (int)components, v->data_count, type);
}

/* Up to a blank line. */
static void skip_metadata(sn_text *t) {
    sn_text_skip_line(t);
    while (t->at < t->end) {
        const bool blank = !sn_text_more_in_line(t);
        sn_text_skip_line(t);
        if (blank) return;
    }
}

/* "FIELD name count", then for each array "name components tuples type" and the numbers. */
static sn_status read_field(vtk *v) {
    const char *name;
    int length, arrays = 0;
    sn_status status = sn_text_word(v->t, "name of the field", &name, &length);
    if (!status) status = read_count(v, "number of arrays", &arrays);
    for (int i = 0; !status && i < arrays; ++i) {
        int components = 0, tuples = 0, type = 0;
        status = sn_text_word(v->t, "name of an array", &name, &length);
        if (!status && sn_text_is_any_case(name, length, "METADATA")) { /* of the array before */
            skip_metadata(v->t);
            status = sn_text_word(v->t, "name of an array", &name, &length);
        }
        if (!status) status = read_count(v, "number of components", &components);
        if (!status) status = read_count(v, "number of tuples", &tuples);
        if (!status) status = read_type(v, &type);
        if (!status && components > 1024) status = sn_text_fail(v->t, "%d components", components);
        if (!status) status = read_array(v, name, length, components, tuples, type);
    }
    return status;
}

/* "KEYWORD name [components] type" with a fixed number of components. */
static sn_status skip_array(vtk *v, int components, bool counted) {
    const char *name;
    int length, type = 9;
    int64_t count = components;
    sn_status status = sn_text_word(v->t, "name of the values", &name, &length);
    if (!status && counted) status = sn_text_integer(v->t, "number of components", &count);
    if (!status && (count < 1 || count > 16)) status = sn_text_fail(v->t, "%lld components", (long long)count);
    if (!status) status = read_type(v, &type);
    return status ? status : read_array(v, name, length, (int)count, v->data_count, types[type].kind == 'f' ? type : 9);
}

static sn_status begin_data(vtk *v, bool of_cells) {
    v->of_cells = of_cells;
    const sn_status status = v->polygons && v->cell && !v->made ? add_cells(v, NULL) : SN_OK;
    return status ? status : read_count(v, "number of values", &v->data_count);
}

static sn_status read_keyword(vtk *v) {
    const char *word;
    int length;
    sn_status status = sn_text_word(v->t, "keyword", &word, &length);
    if (status) return status;
#define IS(name) sn_text_is_any_case(word, length, name)
    if (IS("POINTS")) return read_points(v);
    if (IS("CELLS") && !v->polygons) return read_cells(v);
    if (IS("CELL_TYPES") && !v->polygons) return read_cell_types(v);
    if (IS("POLYGONS") && v->polygons) return read_cells(v);
    if (IS("VERTICES") && v->polygons) return skip_cells(v, "points");
    if (IS("LINES") && v->polygons) return skip_cells(v, "lines");
    if (IS("POINT_DATA")) return begin_data(v, false);
    if (IS("CELL_DATA")) return begin_data(v, true);
    if (IS("SCALARS")) return read_scalars(v);
    if (IS("FIELD")) return read_field(v);
    if (IS("VECTORS") || IS("NORMALS")) return skip_array(v, 3, false);
    if (IS("TENSORS")) return skip_array(v, 9, false);
    if (IS("TEXTURE_COORDINATES")) return skip_array(v, 2, true);
    if (IS("METADATA")) {
        skip_metadata(v->t);
        return SN_OK;
    }
#undef IS
    return sn_text_fail(v->t, "'%.*s' is not supported", length < 40 ? length : 40, word);
}

/* "# vtk DataFile Version 3.0", a title, ASCII or BINARY, DATASET and its kind. */
static sn_status read_head(vtk *v) {
    sn_text *t = v->t;
    static const char magic[] = "# vtk DataFile Version ";
    const char *word;
    int length;
    if ((size_t)(t->end - t->at) < sizeof magic || memcmp(t->at, magic, sizeof magic - 1) != 0)
        return sn_text_fail(t, "'%s' expected at the start", magic);
    sn_text_skip_line(t);
    sn_text_skip_line(t);
    sn_status status = sn_text_word(t, "ASCII or BINARY", &word, &length);
    if (status) return status;
    v->binary = sn_text_is_any_case(word, length, "BINARY");
    if (!v->binary && !sn_text_is_any_case(word, length, "ASCII"))
        return sn_text_fail(t, "ASCII or BINARY expected, found '%.*s'", length < 40 ? length : 40, word);
    status = read_word(v, "DATASET");
    if (!status) status = sn_text_word(t, "kind of the data set", &word, &length);
    if (status) return status;
    v->polygons = sn_text_is_any_case(word, length, "POLYDATA");
    if (!v->polygons && !sn_text_is_any_case(word, length, "UNSTRUCTURED_GRID"))
        return sn_text_fail(t, "DATASET %.*s is not supported; UNSTRUCTURED_GRID and POLYDATA are",
                            length < 40 ? length : 40, word);
    return SN_OK;
}

static sn_status read_mesh(sn_text *t, sn_builder *b) {
    vtk v = {.t = t, .b = b};
    sn_status status = read_head(&v);
    while (!status && sn_text_more(t)) status = read_keyword(&v);
    if (!status && v.polygons && v.cell && !v.made) status = add_cells(&v, NULL);
    if (!status && v.cell && !v.made) status = sn_text_expected(t, "CELL_TYPES");
    sn_release(b->context, v.cell);
    sn_release(b->context, v.made);
    return status;
}

const sn_mesh_format sn_format_vtk = {.read = read_mesh};
