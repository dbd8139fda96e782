/* The surface of all bodies as a mesh file: .obj, .ply, .stl. The ending of the path chooses the format: see
 * src/mesh/format.h. */
#include <string.h>

#include "frame.h"
#include "world_surface.h"

/* A mesh of the surface's triangles and their points. Nodes inside of the bodies are left out: these formats number
 * nodes by order. */
static sn_status make_mesh(const sn_surface *s, int32_t *place, sn_mesh **mesh, sn_error *error) {
    int used = 0;
    memset(place, 0, (size_t)s->points * sizeof *place);
    for (int i = 0; i < 3 * s->triangles; ++i) place[s->triangle[i]] = 1;
    for (int i = 0; i < s->points; ++i) place[i] = place[i] ? used++ : -1;
    const sn_status status = sn_mesh_create(s->context, used, 0, 4, s->triangles, mesh, error);
    if (status) return status;
    for (int i = 0; i < s->points; ++i)
        if (place[i] >= 0)
            memcpy((*mesh)->position + 3 * (size_t)place[i], s->position + 3 * (size_t)i, 3 * sizeof *s->position);
    for (int i = 0; i < 3 * s->triangles; ++i) (*mesh)->triangle[i] = place[s->triangle[i]];
    return SN_OK;
}

static sn_status write_frame(sn_world *world, const char *path, const sn_output_options *options, sn_error *error) {
    sn_surface *s;
    (void)options;
    sn_status status = sn_surface_create(world, &s, error);
    if (status) return status;
    int32_t *place = sn_allocate(s->context, (size_t)s->points, sizeof *place);
    sn_mesh *mesh = NULL;
    status = place ? make_mesh(s, place, &mesh, error) : sn_no_memory(error);
    if (!status) status = sn_mesh_write(mesh, path, NULL, error);
    sn_mesh_destroy(mesh);
    sn_release(s->context, place);
    sn_surface_destroy(s);
    return status;
}

const sn_frame_format sn_frame_surface = {.write = write_frame};
