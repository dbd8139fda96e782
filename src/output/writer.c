/* The files that a run leaves: one per frame and format, and a PVD file that gives VTU frames their times. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "world_surface.h"
#include "vtu.h"

/* ---- One file ---- */

/* The surface as a mesh of its own, without the nodes inside: these formats number what they hold from the start. */
static sn_status write_surface(sn_world *world, const char *path, sn_error *error) {
    sn_surface *s;
    sn_status status = sn_surface_create(world, &s, error);
    if (status) return status;
    int32_t *place = sn_allocate(s->context, (size_t)s->nodes, sizeof *place);
    sn_mesh *mesh = NULL;
    int used = 0;
    if (!place) {
        status = sn_no_memory(error);
    } else {
        memset(place, 0, (size_t)s->nodes * sizeof *place);
        for (int i = 0; i < 3 * s->triangles; ++i) place[s->triangle[i]] = 1;
        for (int i = 0; i < s->nodes; ++i) place[i] = place[i] ? used++ : -1;
        status = sn_mesh_create(s->context, used, 0, 4, s->triangles, &mesh, error);
    }
    if (!status) {
        for (int i = 0; i < s->nodes; ++i)
            if (place[i] >= 0) memcpy(mesh->position + 3 * (size_t)place[i], s->position + 3 * (size_t)i, 3 * sizeof *mesh->position);
        for (int i = 0; i < 3 * s->triangles; ++i) mesh->triangle[i] = place[s->triangle[i]];
        status = sn_mesh_write(mesh, path, NULL, error);
    }
    sn_mesh_destroy(mesh);
    sn_release(s->context, place);
    sn_surface_destroy(s);
    return status;
}

static sn_status write_as(sn_world *world, const char *format, const char *path, const sn_output_options *options, sn_error *error) {
    if (strcmp(format, "vtu") == 0) return sn_vtu_write(world, path, options, error);
    if (strcmp(format, "png") == 0) return sn_world_picture(world, path, options ? &options->picture : NULL, error);
    return write_surface(world, path, error);
}

sn_status sn_world_write(sn_world *world, const char *path, sn_error *error) {
    const char *dot = strrchr(path, '.');
    int count;
    const sn_listing *formats = sn_output_formats(&count);
    for (int i = 0; dot && i < count; ++i)
        if (strcmp(dot + 1, formats[i].name) == 0) return write_as(world, formats[i].name, path, NULL, error);
    return sn_fail(error, SN_BAD_INPUT, "%.300s: the ending is not one of .vtu, .obj, .ply, .stl, .png", path);
}

/* ---- A series ---- */

struct sn_writer {
    sn_context *context;
    char folder[1024], stem[160];
    sn_output_options options;
    int frames;
};

sn_status sn_writer_create(sn_context *context, const char *folder, const char *stem, const sn_output_options *options, sn_writer **writer,
                           sn_error *error) {
    if (strlen(folder) >= sizeof(*writer)->folder || strlen(stem) >= sizeof(*writer)->stem)
        return sn_fail(error, SN_BAD_INPUT, "the path %.200s/%.100s is too long", folder, stem);
    int count;
    const sn_listing *formats = sn_output_formats(&count);
    for (int i = 0; i < options->format_count; ++i) {
        bool known = false;
        for (int k = 0; k < count && !known; ++k) known = strcmp(formats[k].name, options->formats[i]) == 0;
        if (known) continue;
        char text[300];
        snprintf(text, sizeof text, "the output format '%s' is unknown", options->formats[i]);
        sn_suggest(text, (int)sizeof text, options->formats[i], formats, count, (int)sizeof *formats);
        return sn_fail(error, SN_BAD_INPUT, "%s", text);
    }
    sn_writer *w = sn_allocate_zero(context, 1, sizeof *w);
    if (!w) return sn_no_memory(error);
    w->context = context;
    w->options = *options;
    strcpy(w->folder, folder);
    strcpy(w->stem, stem);
    *writer = w;
    return SN_OK;
}

/* Adds a frame over the file's foot, so that the file is whole after every frame and a long series does not rewrite it each time. */
static sn_status write_pvd(const sn_writer *w, int frame, double time, sn_error *error) {
    static const char foot[] = "  </Collection>\n</VTKFile>\n";
    char path[1300];
    snprintf(path, sizeof path, "%s/%s.pvd", w->folder, w->stem);
    errno = 0;
    FILE *file = fopen(path, frame == 0 ? "wb" : "r+b");
    if (!file || (frame && fseek(file, -(long)strlen(foot), SEEK_END))) {
        if (file) fclose(file);
        return sn_fail(error, SN_IO, "%.300s: cannot write: %s", path, strerror(errno));
    }
    if (frame == 0) fprintf(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n");
    fprintf(file, "    <DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"%s-%05d.vtu\"/>\n%s", time, w->stem, frame, foot);
    const bool failed = ferror(file) != 0;
    return fclose(file) || failed ? sn_fail(error, SN_IO, "%.300s: writing failed: %s", path, strerror(errno)) : SN_OK;
}

sn_status sn_writer_frame(sn_writer *w, sn_world *world, sn_error *error) {
    sn_status status = SN_OK;
    bool vtu = false;
    for (int i = 0; i < w->options.format_count && !status; ++i) {
        char path[1300];
        const char *format = w->options.formats[i];
        snprintf(path, sizeof path, "%s/%s-%05d.%s", w->folder, w->stem, w->frames, format);
        status = write_as(world, format, path, &w->options, error);
        vtu = vtu || strcmp(format, "vtu") == 0;
    }
    if (status) return status;
    const int frame = w->frames++;
    return vtu ? write_pvd(w, frame, sn_world_time(world), error) : SN_OK;
}

void sn_writer_destroy(sn_writer *writer) {
    if (!writer) return;
    sn_release(writer->context, writer);
}
