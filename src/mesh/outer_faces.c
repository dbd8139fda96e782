/* The triangles that surface formats write: see outer_faces.h. */
#include "outer_faces.h"

sn_status sn_outer_faces_make(const sn_mesh *mesh, sn_outer_faces *f, sn_output *o) {
    *f = (sn_outer_faces){.count = mesh->triangle_count, .face = mesh->triangle};
    sn_status status = SN_OK;
    if (mesh->tet_count) {
        status = sn_mesh_boundary(mesh, &f->count, &f->owned, NULL, NULL, o->error);
        f->face = f->owned;
    } else {
        status = sn_classes_make(mesh, SN_GROUP_TRIANGLES, &f->classes, o->error);
    }
    if (!status && !f->count) status = sn_fail(o->error, SN_BAD_INPUT, "%s: the mesh has no surface to write", o->path);
    if (status) sn_outer_faces_clear(mesh, f);
    return status;
}

void sn_outer_faces_clear(const sn_mesh *mesh, sn_outer_faces *f) {
    sn_classes_clear(&f->classes);
    sn_mesh_release(mesh, f->owned);
    f->owned = NULL;
}

void sn_put_position(sn_output *o, const double position[3]) {
    for (int j = 0; j < 3; ++j) sn_put_number(o, position[j], j < 2 ? ' ' : '\n');
}

void sn_put_face(sn_output *o, const int32_t node[3], int32_t first) {
    for (int j = 0; j < 3; ++j) sn_put_integer(o, (int64_t)node[j] + first, j < 2 ? ' ' : '\n');
}
