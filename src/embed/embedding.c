/* Embedding: x = sum_i w_i x_i over the corners of the tet that holds the vertex at rest. See embed.h. */
#include "sinew/embed.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/context.h"
#include "crease.h"
#include "locate_point.h"
#include "mesh/mesh_internal.h"
#include "orient.h"

/* ---- Making ---- */

static sn_status allocate(sn_context *context, int triangles, sn_embedding **out, sn_error *error) {
    sn_embedding *e = sn_allocate_zero(context, 1, sizeof *e);
    if (!e) return sn_no_memory(error);
    e->context = context;
    const size_t most = 3 * (size_t)triangles;
    e->node = sn_allocate(context, 4 * most, sizeof *e->node);
    e->weight = sn_allocate(context, 4 * most, sizeof *e->weight);
    e->rest = sn_allocate(context, 3 * most, sizeof *e->rest);
    e->source = sn_allocate(context, most, sizeof *e->source);
    e->triangle = sn_allocate(context, most, sizeof *e->triangle);
    e->carrier_first = sn_allocate(context, most + 1, sizeof *e->carrier_first);
    e->carrier_node = e->node;
    e->carrier_weight = e->weight;
    e->triangle_count = triangles;
    for (size_t v = 0; v <= most && e->carrier_first; ++v) e->carrier_first[v] = (int32_t)(4 * v);
    if (!e->node || !e->weight || !e->rest || !e->source || !e->triangle || !e->carrier_first) {
        sn_embedding_destroy(e);
        return sn_no_memory(error);
    }
    *out = e;
    return SN_OK;
}

void sn_embedding_destroy(sn_embedding *e) {
    if (!e) return;
    if (e->carrier_node != e->node) sn_release(e->context, e->carrier_node);
    if (e->carrier_weight != e->weight) sn_release(e->context, e->carrier_weight);
    sn_release(e->context, e->carrier_first);
    sn_release(e->context, e->node);
    sn_release(e->context, e->weight);
    sn_release(e->context, e->rest);
    sn_release(e->context, e->source);
    sn_release(e->context, e->triangle);
    sn_release(e->context, e);
}

static sn_status split(sn_embedding *e, const double *position, const int32_t *triangle, double crease,
                       sn_error *error) {
    const sn_status status = sn_crease_split(e->context, position, triangle, e->triangle_count, crease, e->triangle,
                                             e->source, &e->vertex_count, error);
    if (status) return status;
    for (int v = 0; v < e->vertex_count; ++v)
        memcpy(e->rest + 3 * (size_t)v, position + 3 * (size_t)e->source[v], 3 * sizeof *e->rest);
    return SN_OK;
}

static sn_status check_mesh(const sn_mesh *mesh, sn_error *error) {
    const sn_status status = sn_mesh_check(mesh, error);
    return status ? status : sn_mesh_check_finite(mesh, error);
}

static sn_status check(const sn_mesh *carrier, double crease, sn_error *error) {
    const sn_status status = check_mesh(carrier, error);
    if (status) return status;
    if (carrier->tet_count < 1)
        return sn_fail(error, SN_BAD_INPUT, "a surface cannot be embedded in a mesh without tets");
    if (!(crease >= 0 && crease <= 180))
        return sn_fail(error, SN_BAD_INPUT, "crease is %g; it must be from 0 to 180 degrees", crease);
    return SN_OK;
}

/* A vertex on a face between two tets is inside of one of them, up to rounding: weights just below 0 become 0.
 * Returns whether the vertex is inside. */
static bool round_weights(double weight[4]) {
    int largest = 0;
    bool inside = true;
    double others = 0;
    for (int i = 0; i < 4; ++i) {
        if (weight[i] < 0 && weight[i] > -1e-12) weight[i] = 0;
        if (weight[i] > weight[largest]) largest = i;
        inside = inside && weight[i] >= 0;
    }
    for (int i = 0; i < 4; ++i)
        if (i != largest) others += weight[i];
    weight[largest] = 1 - others;
    return inside;
}

static sn_status carry(const sn_mesh *carrier, sn_embedding *e, sn_error *error) {
    sn_locator locator;
    const sn_status status = sn_locator_create(carrier, &locator, error);
    if (status) return status;
    bool found = true;
    for (int v = 0; v < e->vertex_count && found; ++v) {
        double outside;
        const int tet = sn_locator_find(&locator, e->rest + 3 * (size_t)v, e->weight + 4 * (size_t)v, &outside);
        found = tet >= 0;
        if (!found) break;
        if (!round_weights(e->weight + 4 * (size_t)v)) e->farthest = fmax(e->farthest, outside);
        memcpy(e->node + 4 * (size_t)v, carrier->tet + (size_t)tet * (size_t)carrier->tet_nodes, 4 * sizeof *e->node);
    }
    sn_locator_destroy(&locator);
    return found ? SN_OK : sn_fail(error, SN_BAD_INPUT, "every tet of the mesh that should carry a surface is flat");
}

/* The triangles of a surface. They face outwards, whichever way those of the file face, and share the nodes that lie at
 * one place. */
static sn_status take_triangles(const sn_mesh *surface, int32_t **face, sn_error *error) {
    const size_t bytes = 3 * (size_t)surface->triangle_count * sizeof **face;
    int32_t *taken = sn_allocate(surface->context, bytes, 1);
    if (!taken) return sn_no_memory(error);
    memcpy(taken, surface->triangle, bytes);
    const sn_status status = sn_face_outwards(surface->context, surface->position, surface->node_count, taken,
                                              surface->triangle_count, error);
    if (status)
        sn_release(surface->context, taken);
    else
        *face = taken;
    return status;
}

sn_status sn_embedding_create(const sn_mesh *carrier, const sn_mesh *surface, double crease, sn_embedding **embedding,
                              sn_error *error) {
    sn_status status = check(carrier, crease, error);
    if (!status) status = sn_mesh_check_tets(carrier, error);
    if (!status) status = check_mesh(surface, error);
    int count = surface->triangle_count;
    int32_t *face = NULL;
    if (!status && count == 0 && surface->tet_count > 0)
        status = sn_mesh_boundary(surface, &count, &face, NULL, NULL, error);
    else if (!status)
        status = take_triangles(surface, &face, error);
    if (status) return status;
    sn_embedding *e = NULL;
    if (count == 0) status = sn_fail(error, SN_BAD_INPUT, "the surface has no triangles");
    if (!status) status = allocate(carrier->context, count, &e, error);
    if (!status) status = split(e, surface->position, face, crease, error);
    if (!status) status = carry(carrier, e, error);
    sn_mesh_release(surface, face);
    if (status) {
        sn_embedding_destroy(e);
        return status;
    }
    *embedding = e;
    return SN_OK;
}

/* ---- The carrier's boundary ---- */

/* Mid-edge node of two corners of a quadratic tet, in VTK's order. A collapsed tet may have one node at both corners:
 * then the corner. */
static int32_t middle(const int32_t *tet, int a, int b) {
    static const int edge[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};
    return tet[edge[a][b]];
}

/* Four triangles for each face of quadratic tets; the faces themselves otherwise. */
static void cut_faces(const sn_mesh *mesh, int faces, const int32_t *face, const int32_t *owner, int32_t *triangle) {
    for (int f = 0; f < faces; ++f) {
        const int32_t *corner = face + 3 * (size_t)f;
        if (mesh->tet_nodes != 10) {
            memcpy(triangle + 3 * (size_t)f, corner, 3 * sizeof *triangle);
            continue;
        }
        const int32_t *tet = mesh->tet + 10 * (size_t)owner[f];
        int local[3];
        int32_t m[3];
        for (int i = 0; i < 3; ++i)
            for (local[i] = 0; local[i] < 3 && tet[local[i]] != corner[i];) ++local[i];
        for (int i = 0; i < 3; ++i) m[i] = middle(tet, local[i], local[(i + 1) % 3]);
        const int32_t cut[12] = {corner[0], m[0], m[2], m[0], corner[1], m[1], m[2], m[1], corner[2], m[0], m[1], m[2]};
        memcpy(triangle + 12 * (size_t)f, cut, sizeof cut);
    }
}

sn_status sn_embedding_boundary(const sn_mesh *carrier, double crease, sn_embedding **embedding, sn_error *error) {
    sn_status status = check(carrier, crease, error);
    int faces = 0;
    int32_t *face = NULL, *owner = NULL, *triangle = NULL;
    sn_embedding *e = NULL;
    if (!status) status = sn_mesh_boundary(carrier, &faces, &face, &owner, NULL, error);
    if (status) return status;
    const int triangles = carrier->tet_nodes == 10 ? 4 * faces : faces;
    triangle = sn_allocate(carrier->context, 3 * (size_t)triangles, sizeof *triangle);
    status = triangle ? allocate(carrier->context, triangles, &e, error) : sn_no_memory(error);
    if (!status) {
        cut_faces(carrier, faces, face, owner, triangle);
        status = split(e, carrier->position, triangle, crease, error);
    }
    for (int v = 0; !status && v < e->vertex_count; ++v)
        for (int k = 0; k < 4; ++k)
            e->node[4 * (size_t)v + (size_t)k] = e->source[v], e->weight[4 * (size_t)v + (size_t)k] = k == 0;
    sn_mesh_release(carrier, face), sn_mesh_release(carrier, owner);
    sn_release(carrier->context, triangle);
    if (status) {
        sn_embedding_destroy(e);
        return status;
    }
    *embedding = e;
    return SN_OK;
}

/* ---- Using ---- */

void sn_embedding_positions(const sn_embedding *e, const double *position, float *out) {
    for (int v = 0; v < e->vertex_count; ++v) {
        double x[3] = {0};
        for (int32_t i = e->carrier_first[v]; i < e->carrier_first[v + 1]; ++i)
            for (int k = 0; k < 3; ++k)
                x[k] += e->carrier_weight[i] * position[3 * (size_t)e->carrier_node[i] + (size_t)k];
        for (int k = 0; k < 3; ++k) out[3 * (size_t)v + (size_t)k] = (float)x[k];
    }
}

void sn_embedding_values(const sn_embedding *e, const double *value, float *out) {
    for (int v = 0; v < e->vertex_count; ++v) {
        double sum = 0;
        for (int32_t i = e->carrier_first[v]; i < e->carrier_first[v + 1]; ++i)
            sum += e->carrier_weight[i] * value[e->carrier_node[i]];
        out[v] = (float)sum;
    }
}

void sn_embedding_normals(const sn_embedding *e, const float *position, float *normal) {
    memset(normal, 0, 3 * (size_t)e->vertex_count * sizeof *normal);
    for (int t = 0; t < e->triangle_count; ++t) {
        const int32_t *v = e->triangle + 3 * (size_t)t;
        const float *a = position + 3 * (size_t)v[0], *b = position + 3 * (size_t)v[1],
                    *c = position + 3 * (size_t)v[2];
        const float p[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, q[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const float n[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) normal[3 * (size_t)v[i] + (size_t)k] += n[k];
    }
    for (int v = 0; v < e->vertex_count; ++v) {
        float *n = normal + 3 * (size_t)v;
        const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (length > 0)
            for (int k = 0; k < 3; ++k) n[k] /= length;
        else
            n[1] = 1;
    }
}

/* When each vertex of the triangle sits on one node, these nodes carry the point. Otherwise the tet of the vertex with
 * the largest share does. */
sn_status sn_embedding_point(const sn_embedding *e, int triangle, const double share[3], int32_t node[4],
                             double weight[4], sn_error *error) {
    if (triangle < 0 || triangle >= e->triangle_count)
        return sn_fail(error, SN_BAD_INPUT, "triangle %d; the surface has %d", triangle, e->triangle_count);
    const int32_t *v = e->triangle + 3 * (size_t)triangle;
    bool on_nodes = true;
    for (int i = 0; i < 3; ++i) on_nodes = on_nodes && e->weight[4 * (size_t)v[i]] == 1;
    if (on_nodes) {
        for (int i = 0; i < 3; ++i) node[i] = e->node[4 * (size_t)v[i]], weight[i] = share[i];
        node[3] = node[0], weight[3] = 0;
        return SN_OK;
    }
    int heaviest = 0;
    for (int i = 1; i < 3; ++i)
        if (share[i] > share[heaviest]) heaviest = i;
    memcpy(node, e->node + 4 * (size_t)v[heaviest], 4 * sizeof *node);
    memcpy(weight, e->weight + 4 * (size_t)v[heaviest], 4 * sizeof *weight);
    return SN_OK;
}
