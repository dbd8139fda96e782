/* The boundary of tets as a separate mesh of triangles, for closed cloth. */
#include <string.h>

#include "mesh_internal.h"

/* The nodes of the faces get new numbers in the order of the old ones. Returns how many. */
static int number_nodes(const sn_mesh *source, int faces, const int32_t *face, int32_t *number) {
    int count = 0;
    for (int i = 0; i < source->node_count; ++i) number[i] = -1;
    for (int i = 0; i < 3 * faces; ++i) number[face[i]] = 0;
    for (int i = 0; i < source->node_count; ++i)
        if (number[i] == 0) number[i] = count++;
    return count;
}

sn_status sn_mesh_shell(const sn_mesh *source, sn_mesh **mesh, sn_error *error) {
    int faces = 0;
    int32_t *face = NULL;
    *mesh = NULL;
    if (source->tet_count == 0)
        return sn_fail(error, SN_BAD_INPUT, "the mesh has %d triangles and no tets; a shell is the boundary of tets",
                       source->triangle_count);
    sn_status status = sn_mesh_boundary(source, &faces, &face, NULL, NULL, error);
    if (status) return status;
    int32_t *number = sn_allocate(source->context, (size_t)source->node_count, sizeof *number);
    status = number
                 ? sn_mesh_create(source->context, number_nodes(source, faces, face, number), 0, 4, faces, mesh, error)
                 : sn_no_memory(error);
    for (int i = 0; i < source->node_count && !status; ++i)
        if (number[i] >= 0)
            memcpy((*mesh)->position + 3 * (size_t)number[i], source->position + 3 * (size_t)i, 3 * sizeof(double));
    for (int i = 0; i < 3 * faces && !status; ++i) (*mesh)->triangle[i] = number[face[i]];
    sn_release(source->context, number);
    sn_mesh_release(source, face);
    return status;
}
