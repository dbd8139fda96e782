/* Mesh files by ending: finds the reader or writer, brings the file into memory, makes the mesh.
 *
 * Readers and writers run with the thread in the C locale, so that the decimal point is '.' whatever the host has set. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "output.h"
#include "readers.h"

/* Name (the ending) and text, in the order of `functions`. */
static const sn_listing listing[] = {
    {"msh", "Gmsh 2.2 and 4.1, ASCII and binary; named groups"},
    {"node", "TetGen nodes; .ele and .face belong to it"},
    {"ele", "TetGen tets; .node and .face belong to it"},
    {"mesh", "Medit, ASCII; groups by reference"},
    {"veg", "Vega; sets as groups"},
    {"obj", "Wavefront surface; groups"},
    {"stl", "STL surface, ASCII and binary; equal points become one node"},
    {"ply", "PLY surface, ASCII and binary of both byte orders"},
    {"off", "OFF surface"},
};
enum { FORMATS = sizeof listing / sizeof *listing };

typedef struct functions {
    sn_status (*read)(sn_text *text, sn_builder *builder); /* NULL: TetGen's several files */
    sn_status (*write)(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);
    bool binary; /* written when no options are given */
} functions;

static const functions table[FORMATS] = {
    {sn_read_msh, sn_write_msh, false},
    {NULL, NULL, false},
    {NULL, NULL, false},
    {sn_read_medit, sn_write_medit, false},
    {sn_read_vega, sn_write_vega, false},
    {sn_read_obj, sn_write_obj, false},
    {sn_read_stl, sn_write_stl, true},
    {sn_read_ply, sn_write_ply, true},
    {sn_read_off, sn_write_off, false},
};

const sn_listing *sn_mesh_formats(int *count) {
    *count = FORMATS;
    return listing;
}

static sn_status find_format(const char *ending, const char *name, const functions **found, sn_error *error) {
    for (int i = 0; i < FORMATS; ++i) {
        if (!sn_text_is_any_case(ending, (int)strlen(ending), listing[i].name)) continue;
        *found = &table[i];
        return SN_OK;
    }
    char message[400];
    if (*ending)
        snprintf(message, sizeof message, "%.200s: unknown mesh format '%.40s'", name, ending);
    else
        snprintf(message, sizeof message, "%.200s: a mesh file needs an ending", name);
    sn_suggest(message, sizeof message, ending, listing, FORMATS, sizeof *listing);
    return sn_fail(error, SN_BAD_INPUT, "%s", message);
}

/* Behind the last dot of the last part; "" when there is none. */
static const char *ending_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot && (!slash || dot > slash) ? dot + 1 : "";
}

/* The path with another ending, from the allocator. */
static char *sibling(const sn_context *context, const char *path, const char *ending) {
    const size_t stem = (size_t)(ending_of(path) - path), length = strlen(ending);
    char *other = sn_allocate(context, stem + length + 1, 1);
    if (!other) return NULL;
    memcpy(other, path, stem);
    memcpy(other + stem, ending, length + 1);
    return other;
}

/* ---- Locale ---- */

typedef struct c_locale {
    locale_t c, before;
} c_locale;

static sn_status enter_c_locale(c_locale *l, sn_error *error) {
    l->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!l->c) return sn_no_memory(error);
    l->before = uselocale(l->c);
    return SN_OK;
}

static void leave_c_locale(c_locale *l) {
    uselocale(l->before);
    freelocale(l->c);
}

/* ---- Reading ---- */

/* A whole file with a zero behind it. */
typedef struct content {
    char *data;
    size_t bytes;
} content;

static sn_status load_open(const sn_context *context, const char *path, FILE *file, content *c, sn_error *error) {
    errno = 0;
    if (fseeko(file, 0, SEEK_END) != 0) return sn_fail(error, SN_IO, "%s: %s", path, strerror(errno));
    const off_t size = ftello(file);
    if (size < 0 || size > INT64_MAX / 2 || fseeko(file, 0, SEEK_SET) != 0)
        return sn_fail(error, SN_BAD_INPUT, "%s: not a regular file", path);
    c->data = sn_allocate(context, (size_t)size + 1, 1);
    if (!c->data) return sn_no_memory(error);
    c->bytes = fread(c->data, 1, (size_t)size, file);
    c->data[c->bytes] = 0;
    if (c->bytes == (size_t)size) return SN_OK;
    sn_release(context, c->data);
    c->data = NULL;
    return sn_fail(error, SN_IO, "%s: reading failed: %s", path, errno ? strerror(errno) : "the file became shorter");
}

static sn_status load(const sn_context *context, const char *path, content *c, sn_error *error) {
    FILE *file = fopen(path, "rb");
    if (!file) return sn_fail(error, SN_NOT_FOUND, "%s: cannot be opened: %s", path, strerror(errno));
    setvbuf(file, NULL, _IONBF, 0);
    sn_status status = load_open(context, path, file, c, error);
    fclose(file);
    return status;
}

static sn_status copy(const sn_context *context, const void *data, size_t bytes, content *c, sn_error *error) {
    c->data = bytes == SIZE_MAX ? NULL : sn_allocate(context, bytes + 1, 1);
    if (!c->data) return sn_no_memory(error);
    if (bytes) memcpy(c->data, data, bytes);
    c->data[bytes] = 0;
    c->bytes = bytes;
    return SN_OK;
}

static sn_status make_mesh(sn_context *context, const functions *f, const content part[3], const char *const name[3], sn_mesh **mesh,
                           sn_error *error) {
    sn_text text[3];
    sn_builder builder = {.context = context};
    c_locale locale = {0};
    for (int i = 0; i < 3; ++i) text[i] = sn_text_open(name[i], part[i].data ? part[i].data : "", part[i].bytes, error);
    sn_status status = enter_c_locale(&locale, error);
    if (status) return status;
    if (f->read)
        status = f->read(&text[0], &builder);
    else
        status = sn_read_tetgen(&text[0], &text[1], part[2].data ? &text[2] : NULL, &builder);
    leave_c_locale(&locale);
    if (!status) status = sn_builder_finish(&builder, f->read ? &text[0] : &text[1], mesh);
    sn_builder_clear(&builder);
    return status;
}

static sn_status read_tetgen_files(sn_context *context, const functions *f, const char *path, sn_mesh **mesh, sn_error *error) {
    static const char *const ending[3] = {"node", "ele", "face"};
    char *name[3] = {NULL, NULL, NULL};
    content part[3] = {{0}};
    sn_status status = SN_OK;
    for (int i = 0; !status && i < 3; ++i) {
        name[i] = sibling(context, path, ending[i]);
        status = name[i] ? load(context, name[i], &part[i], i < 2 ? error : NULL) : sn_no_memory(error);
        if (i == 2 && status == SN_NOT_FOUND)
            status = SN_OK;
        else if (i == 2 && status == SN_IO)
            status = sn_fail(error, SN_IO, "%s: reading failed", name[i]);
        else if (i == 2 && status == SN_NO_MEMORY)
            status = sn_no_memory(error);
    }
    const char *const names[3] = {name[0], name[1], name[2]};
    if (!status) status = make_mesh(context, f, part, names, mesh, error);
    for (int i = 0; i < 3; ++i) {
        sn_release(context, part[i].data);
        sn_release(context, name[i]);
    }
    return status;
}

sn_status sn_mesh_read(sn_context *context, const char *path, sn_mesh **mesh, sn_error *error) {
    const functions *f = NULL;
    content part[3] = {{0}};
    const char *const name[3] = {path, path, path};
    sn_status status = find_format(ending_of(path), path, &f, error);
    if (status) return status;
    if (!f->read) return read_tetgen_files(context, f, path, mesh, error);
    status = load(context, path, &part[0], error);
    if (!status) status = make_mesh(context, f, part, name, mesh, error);
    sn_release(context, part[0].data);
    return status;
}

sn_status sn_mesh_read_memory(sn_context *context, const char *format, const char *name, const void *data, size_t bytes, const void *extra,
                              size_t extra_bytes, sn_mesh **mesh, sn_error *error) {
    const functions *f = NULL;
    content part[3] = {{0}};
    const char *const names[3] = {name, name, name};
    sn_status status = find_format(format, name, &f, error);
    if (!status && !f->read && !extra) status = sn_fail(error, SN_BAD_INPUT, "%s: TetGen's .ele part is missing", name);
    if (!status) status = copy(context, data, bytes, &part[0], error);
    if (!status && !f->read) status = copy(context, extra, extra_bytes, &part[1], error);
    if (!status) status = make_mesh(context, f, part, names, mesh, error);
    sn_release(context, part[0].data);
    sn_release(context, part[1].data);
    return status;
}

/* ---- Writing ---- */

typedef sn_status writer(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);

/* Into "path.part" first: a failure leaves an older file as it was. */
static sn_status write_one(const sn_mesh *mesh, const char *path, writer *write, const sn_mesh_write_options *options, sn_error *error) {
    const size_t length = strlen(path);
    sn_output *output = sn_allocate(mesh->context, 1, sizeof *output);
    char *part = sn_allocate(mesh->context, length + 6, 1);
    sn_status status = output && part ? SN_OK : sn_no_memory(error);
    if (!status) {
        memcpy(part, path, length);
        memcpy(part + length, ".part", 6);
        status = sn_output_open(output, part, path, error);
    }
    if (!status) status = sn_output_close(output, write(mesh, options, output));
    if (!status && rename(part, path) != 0) {
        status = sn_fail(error, SN_IO, "%s: cannot be written: %s", path, strerror(errno));
        remove(part);
    }
    sn_release(mesh->context, output);
    sn_release(mesh->context, part);
    return status;
}

static sn_status write_tetgen_files(const sn_mesh *mesh, const char *path, const sn_mesh_write_options *options, sn_error *error) {
    static const char *const ending[3] = {"node", "ele", "face"};
    static writer *const write[3] = {sn_write_tetgen_node, sn_write_tetgen_ele, sn_write_tetgen_face};
    sn_status status = SN_OK;
    for (int i = 0; !status && i < 3; ++i) {
        char *name = sibling(mesh->context, path, ending[i]);
        status = name ? write_one(mesh, name, write[i], options, error) : sn_no_memory(error);
        sn_release(mesh->context, name);
    }
    return status;
}

sn_status sn_mesh_write(const sn_mesh *mesh, const char *path, const sn_mesh_write_options *options, sn_error *error) {
    const functions *f = NULL;
    c_locale locale = {0};
    sn_status status = find_format(ending_of(path), path, &f, error);
    if (status) return status;
    const sn_mesh_write_options chosen = options ? *options : (sn_mesh_write_options){.binary = f->binary};
    status = enter_c_locale(&locale, error);
    if (status) return status;
    status = f->write ? write_one(mesh, path, f->write, &chosen, error) : write_tetgen_files(mesh, path, &chosen, error);
    leave_c_locale(&locale);
    return status;
}
