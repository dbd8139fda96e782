/* Reading and writing mesh files: finds the format by the ending, brings the files into memory, makes the mesh.
 *
 * Readers run with the thread in the C locale, as writers do (file_output.h). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cookie.h"
#include "format.h"
#include "mesh_internal.h"

/* The text behind the last dot of the file name, or "". */
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

/* The files of one mesh, in the order of the format's table. */
typedef struct files {
    const sn_mesh_format *format;
    int count;
    char *name[SN_FORMAT_FILES]; /* for messages */
    content content[SN_FORMAT_FILES];
} files;

static void release_files(const sn_context *context, files *f) {
    for (int i = 0; i < f->count; ++i) {
        sn_release(context, f->content[i].data);
        sn_release(context, f->name[i]);
    }
}

static sn_status make_mesh(sn_context *context, const files *f, sn_mesh **mesh, sn_error *error) {
    sn_text text[SN_FORMAT_FILES] = {{0}};
    sn_builder builder = {.context = context};
    sn_c_locale locale = {0};
    int last = 0; /* the file where a mesh without elements is reported */
    for (int i = 0; i < f->count; ++i) {
        if (f->content[i].data) text[i] = sn_text_open(f->name[i], f->content[i].data, f->content[i].bytes, error);
        if (!f->format->file[i].optional) last = i;
    }
    sn_status status = sn_enter_c_locale(&locale, error);
    if (status) return status;
    status = f->format->read(text, &builder);
    sn_leave_c_locale(&locale);
    if (!status) status = sn_builder_finish(&builder, &text[last], mesh);
    sn_builder_clear(&builder);
    return status;
}

static sn_status find_readable(const char *ending, const char *name, files *f, sn_error *error) {
    const sn_status status = sn_format_find(ending, name, &f->format, error);
    if (status) return status;
    if (!f->format->read)
        return sn_fail(error, SN_UNSUPPORTED, "%.300s: files of the format '%s' cannot be read, only written", name,
                       ending);
    f->count = sn_format_files(f->format);
    return SN_OK;
}

static sn_status load_optional(const sn_context *context, const char *path, content *c, sn_error *error) {
    sn_error own = {0};
    const sn_status status = load(context, path, c, &own);
    return status == SN_OK || status == SN_NOT_FOUND ? SN_OK : sn_fail(error, status, "%s", own.text);
}

sn_status sn_mesh_read(sn_context *context, const char *path, sn_mesh **mesh, sn_error *error) {
    files f = {0};
    sn_status status = find_readable(ending_of(path), path, &f, error);
    for (int i = 0; !status && i < f.count; ++i) {
        const sn_format_file *file = &f.format->file[i];
        f.name[i] = sibling(context, path, file->ending ? file->ending : ending_of(path));
        if (!f.name[i])
            status = sn_no_memory(error);
        else if (file->optional)
            status = load_optional(context, f.name[i], &f.content[i], error);
        else
            status = load(context, f.name[i], &f.content[i], error);
    }
    if (!status) status = make_mesh(context, &f, mesh, error);
    release_files(context, &f);
    return status;
}

sn_status sn_mesh_read_memory(sn_context *context, const char *format, const char *name, const void *data, size_t bytes,
                              const void *extra, size_t extra_bytes, sn_mesh **mesh, sn_error *error) {
    files f = {0};
    const content given[SN_FORMAT_FILES] = {{(char *)data, bytes}, {(char *)extra, extra_bytes}};
    sn_status status = find_readable(format, name, &f, error);
    for (int i = 0; !status && i < f.count; ++i) {
        const sn_format_file *file = &f.format->file[i];
        f.name[i] = sn_allocate(context, strlen(name) + 1, 1);
        if (!f.name[i]) {
            status = sn_no_memory(error);
            break;
        }
        strcpy(f.name[i], name);
        if (given[i].data || i == 0)
            status = copy(context, given[i].data, given[i].bytes, &f.content[i], error);
        else if (!file->optional)
            status = sn_fail(error, SN_BAD_INPUT, "%.300s: the .%s part of the mesh is missing", name, file->ending);
    }
    if (!status) status = make_mesh(context, &f, mesh, error);
    release_files(context, &f);
    return status;
}

/* ---- Writing ---- */

static sn_status write_one(const sn_mesh *mesh, const char *path, sn_mesh_writer *write,
                           const sn_mesh_write_options *options, sn_error *error) {
    sn_output *output;
    const sn_status status = sn_output_open(mesh->context, path, &output, error);
    return status ? status : sn_output_close(output, write(mesh, options, output));
}

static sn_status write_files(const sn_mesh *mesh, const char *path, const sn_mesh_format *format,
                             const sn_mesh_write_options *options, sn_error *error) {
    sn_status status = SN_OK;
    for (int i = 0; !status && i < sn_format_files(format); ++i) {
        const sn_format_file *file = &format->file[i];
        char *name = sibling(mesh->context, path, file->ending ? file->ending : ending_of(path));
        status = name ? write_one(mesh, name, file->write, options, error) : sn_no_memory(error);
        sn_release(mesh->context, name);
    }
    return status;
}

sn_mesh_write_options sn_mesh_write_options_default(void) { return (sn_mesh_write_options){.cookie = SN_COOKIE}; }

/* Refuses options that the format does not look at. */
static sn_status check_options(const sn_mesh_format *format, const char *path, const sn_mesh_write_options *options,
                               sn_error *error) {
    if (!options) return SN_OK;
    const sn_status status = sn_cookie_check(options->cookie, "sn_mesh_write_options", error);
    if (status) return status;
    if (options->binary && !format->both)
        return sn_fail(error, SN_BAD_INPUT, "%.300s: the format '%s' has no binary files", path, ending_of(path));
    if (options->version && !format->versions)
        return sn_fail(error, SN_BAD_INPUT, "%.300s: a version has no effect on the format '%s'; it is for msh", path,
                       ending_of(path));
    return SN_OK;
}

sn_status sn_mesh_write(const sn_mesh *mesh, const char *path, const sn_mesh_write_options *options, sn_error *error) {
    const sn_mesh_format *format = NULL;
    sn_status status = sn_format_find(ending_of(path), path, &format, error);
    if (!status && !format->file[0].write)
        status = sn_fail(error, SN_UNSUPPORTED, "%.300s: files of the format '%s' cannot be written, only read", path,
                         ending_of(path));
    if (!status) status = check_options(format, path, options, error);
    if (!status) status = sn_mesh_check_tets(mesh, error);
    if (status) return status;
    const sn_mesh_write_options chosen = options ? *options : (sn_mesh_write_options){.binary = format->binary};
    return write_files(mesh, path, format, &chosen, error);
}
