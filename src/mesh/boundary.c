/* The boundary: faces that belong to one tet only.
 *
 * A face points away from the corner that its tet leaves out, so that also a tet listed inside out (negative volume)
 * has outward faces; for a flat tet the order of its corners decides. Faces of three or more tets are not boundary:
 * sn_mesh_inspect counts them. */
#include <string.h>

#include "base/math3.h"
#include "mesh_internal.h"

typedef struct boundary {
    int count;
    int32_t *face, *owner;
    uint8_t *opposite;
} boundary;

static void release(const sn_mesh *mesh, boundary *b) {
    sn_release(mesh->context, b->face);
    sn_release(mesh->context, b->owner);
    sn_release(mesh->context, b->opposite);
}

static sn_status allocate(const sn_mesh *mesh, boundary *b, int64_t count, sn_error *error) {
    if (count > INT32_MAX)
        return sn_fail(error, SN_UNSUPPORTED, "%lld boundary faces; at most %d are supported", (long long)count,
                       INT32_MAX);
    b->count = (int)count;
    b->face = sn_allocate(mesh->context, (size_t)count * 3, sizeof *b->face);
    b->owner = sn_allocate(mesh->context, (size_t)count, sizeof *b->owner);
    b->opposite = sn_allocate(mesh->context, (size_t)count, sizeof *b->opposite);
    if (b->face && b->owner && b->opposite) return SN_OK;
    release(mesh, b);
    return sn_no_memory(error);
}

/* One bit per face of a tet: set when no other tet has it. */
static int64_t mark_single(const sn_mesh *mesh, const sn_face_table *table, uint8_t *single) {
    int64_t count = 0;
    for (int n = 0; n < mesh->node_count; ++n)
        for (int64_t i = table->begin[n], end = table->begin[n + 1], next; i < end; i = next) {
            for (next = i + 1; next < end && table->entry[next].key == table->entry[i].key;) ++next;
            if (next != i + 1) continue;
            const int64_t face = table->entry[i].face;
            single[face >> 2] |= (uint8_t)(1u << (face & 3));
            ++count;
        }
    return count;
}

static void fill(const sn_mesh *mesh, const uint8_t *single, boundary *b) {
    const double *x = mesh->position;
    int count = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        if (!single[t]) continue;
        const int32_t *tet = mesh->tet + (size_t)t * (size_t)mesh->tet_nodes;
        const double v =
            sn_volume6(x + 3 * (size_t)tet[0], x + 3 * (size_t)tet[1], x + 3 * (size_t)tet[2], x + 3 * (size_t)tet[3]);
        for (int k = 0; k < 4; ++k) {
            if (!(single[t] >> k & 1)) continue;
            const uint8_t *local = sn_tet_face[k];
            int32_t *face = b->face + (size_t)count * 3;
            face[0] = tet[local[0]];
            face[1] = tet[local[v < 0 ? 2 : 1]];
            face[2] = tet[local[v < 0 ? 1 : 2]];
            b->owner[count] = t;
            b->opposite[count++] = (uint8_t)k;
        }
    }
}

static sn_status boundary_of_tets(const sn_mesh *mesh, boundary *b, sn_error *error) {
    sn_face_table table;
    sn_status status = sn_face_table_of_tets(mesh, &table, error);
    if (status) return status;
    uint8_t *single = sn_allocate_zero(mesh->context, (size_t)mesh->tet_count, 1);
    const int64_t count = single ? mark_single(mesh, &table, single) : 0;
    sn_face_table_destroy(mesh, &table);
    status = single ? allocate(mesh, b, count, error) : sn_no_memory(error);
    if (!status) fill(mesh, single, b);
    sn_release(mesh->context, single);
    return status;
}

static sn_status boundary_of_surface(const sn_mesh *mesh, boundary *b, sn_error *error) {
    const sn_status status = allocate(mesh, b, mesh->triangle_count, error);
    if (status) return status;
    memcpy(b->face, mesh->triangle, (size_t)b->count * 3 * sizeof *b->face);
    for (int i = 0; i < b->count; ++i)
        b->owner[i] = mesh->tet_nodes == 3 ? i : -1; /* plane elements are their own faces */
    memset(b->opposite, 0, (size_t)b->count);
    return SN_OK;
}

sn_status sn_mesh_boundary(const sn_mesh *mesh, int *count, int32_t **face, int32_t **owner, uint8_t **opposite,
                           sn_error *error) {
    boundary b = {0};
    sn_status status = sn_mesh_check(mesh, error);
    if (!status)
        status = mesh->tet_count && mesh->tet_nodes > 3 ? boundary_of_tets(mesh, &b, error)
                                                        : boundary_of_surface(mesh, &b, error);
    if (status) return status;
    *count = b.count;
    if (face) *face = b.face, b.face = NULL;
    if (owner) *owner = b.owner, b.owner = NULL;
    if (opposite) *opposite = b.opposite, b.opposite = NULL;
    release(mesh, &b);
    return SN_OK;
}
