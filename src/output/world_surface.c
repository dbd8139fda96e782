/* See world_surface.h. */
#include "world_surface.h"

#include <string.h>

void sn_surface_destroy(sn_surface *s) {
    if (!s) return;
    void *const array[] = {s->position, s->triangle, s->body, s->edge, s->first_node, s->first_element, s->first_point};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(s->context, array[i]);
    sn_release(s->context, s);
}

static sn_status count_parts(const sn_world *world, sn_surface *s, sn_error *error) {
    s->bodies = sn_world_body_count(world);
    const size_t places = (size_t)s->bodies + 1;
    s->first_node = sn_allocate_zero(s->context, places, sizeof *s->first_node);
    s->first_element = sn_allocate_zero(s->context, places, sizeof *s->first_element);
    s->first_point = sn_allocate_zero(s->context, places, sizeof *s->first_point);
    if (!s->first_node || !s->first_element || !s->first_point) return sn_no_memory(error);
    for (int b = 0; b < s->bodies; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(world, b);
        const sn_embedding *detail = sn_world_body_surface(world, b);
        s->first_node[b + 1] = s->first_node[b] + mesh->node_count;
        s->first_element[b + 1] = s->first_element[b] + mesh->tet_count;
        s->first_point[b + 1] = s->first_point[b] + (detail ? detail->vertex_count : mesh->node_count);
    }
    s->nodes = s->first_node[s->bodies];
    s->elements = s->first_element[s->bodies];
    s->points = s->first_point[s->bodies];
    return SN_OK;
}

/* The values of a body's nodes, `width` numbers each, at the vertices of its surface. */
static void interpolate(const sn_embedding *e, const double *node, size_t width, double *point) {
    for (size_t v = 0; v < (size_t)e->vertex_count; ++v)
        for (size_t k = 0; k < width; ++k) {
            double sum = 0;
            for (int32_t i = e->carrier_first[v]; i < e->carrier_first[v + 1]; ++i)
                sum += e->carrier_weight[i] * node[width * (size_t)e->carrier_node[i] + k];
            point[width * v + k] = sum;
        }
}

static sn_status place_points(const sn_world *world, sn_surface *s, sn_error *error) {
    s->position = sn_allocate(s->context, 3 * (size_t)s->points, sizeof *s->position);
    if (!s->position) return sn_no_memory(error);
    for (int b = 0; b < s->bodies; ++b) {
        const sn_embedding *detail = sn_world_body_surface(world, b);
        double *position = s->position + 3 * (size_t)s->first_point[b];
        if (!detail) {
            sn_world_get(world, b, position, NULL);
            continue;
        }
        const size_t nodes = (size_t)(s->first_node[b + 1] - s->first_node[b]);
        double *node = sn_allocate(s->context, 3 * nodes, sizeof *node);
        if (!node) return sn_no_memory(error);
        sn_world_get(world, b, node, NULL);
        interpolate(detail, node, 3, position);
        sn_release(s->context, node);
    }
    return SN_OK;
}

void sn_surface_carry(const sn_surface *s, const sn_world *world, const double *node, double *point) {
    for (int b = 0; b < s->bodies; ++b) {
        const sn_embedding *detail = sn_world_body_surface(world, b);
        const double *from = node + s->first_node[b];
        double *to = point + s->first_point[b];
        if (detail)
            interpolate(detail, from, 1, to);
        else
            memcpy(to, from, (size_t)(s->first_node[b + 1] - s->first_node[b]) * sizeof *to);
    }
}

/* a, b and c are points of the body. */
static void add(sn_surface *s, int body, int32_t a, int32_t b, int32_t c, uint8_t edge) {
    int32_t *t = s->triangle + 3 * (size_t)s->triangles;
    const int32_t first = s->first_point[body];
    t[0] = first + a, t[1] = first + b, t[2] = first + c;
    s->body[s->triangles] = body;
    s->edge[s->triangles++] = edge;
}

/* The node in the middle of corners a and b (global numbers of the body's mesh) of a tet10. */
static int32_t middle(const int32_t *tet, int32_t a, int32_t b) {
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int e = 0; e < 6; ++e) {
        const int32_t p = tet[edge[e][0]], q = tet[edge[e][1]];
        if ((p == a && q == b) || (p == b && q == a)) return tet[4 + e];
    }
    return a;
}

static void add_face(sn_surface *s, const sn_mesh *mesh, int body, const int32_t *face, int32_t owner, uint8_t edge) {
    const int32_t a = face[0], b = face[1], c = face[2];
    if (mesh->tet_nodes <= 4) {
        add(s, body, a, b, c, edge);
        return;
    }
    const int32_t *tet = mesh->tet + (size_t)owner * (size_t)mesh->tet_nodes;
    const int32_t ab = middle(tet, a, b), bc = middle(tet, b, c), ca = middle(tet, c, a);
    add(s, body, a, ab, ca, 5);
    add(s, body, ab, b, bc, 3);
    add(s, body, ca, bc, c, 6);
    add(s, body, ab, bc, ca, 0);
}

/* Room for `more` triangles. */
static sn_status reserve(sn_surface *s, int more, int *capacity, sn_error *error) {
    void *array[3] = {s->triangle, s->body, s->edge};
    const size_t size[3] = {3 * sizeof *s->triangle, sizeof *s->body, 1};
    int room[3];
    sn_status status = SN_OK;
    for (int i = 0; i < 3; ++i) {
        room[i] = *capacity;
        if (!status) status = sn_grow(s->context, &array[i], &room[i], s->triangles + more, size[i], error);
    }
    s->triangle = array[0], s->body = array[1], s->edge = array[2];
    *capacity = room[2];
    return status;
}

static sn_status add_boundary(const sn_world *world, sn_surface *s, int body, int *capacity, sn_error *error) {
    const sn_mesh *mesh = sn_world_body_mesh(world, body);
    int count;
    int32_t *face = NULL, *owner = NULL;
    sn_status status = sn_mesh_boundary(mesh, &count, &face, &owner, NULL, error);
    if (status) return status;
    status = reserve(s, count * (mesh->tet_nodes <= 4 ? 1 : 4), capacity, error);
    uint8_t *edge = sn_allocate(s->context, (size_t)count, 1);
    if (!edge && !status) status = sn_no_memory(error);
    if (!status && sn_world_active_edges(world, body, count, face, owner, edge)) memset(edge, 7, (size_t)count);
    for (int i = 0; i < count && !status; ++i) add_face(s, mesh, body, face + 3 * (size_t)i, owner[i], edge[i]);
    sn_release(s->context, edge);
    sn_mesh_release(mesh, face);
    sn_mesh_release(mesh, owner);
    return status;
}

static sn_status add_body(const sn_world *world, sn_surface *s, int body, int *capacity, sn_error *error) {
    const sn_embedding *detail = sn_world_body_surface(world, body);
    if (!detail) return add_boundary(world, s, body, capacity, error);
    const sn_status status = reserve(s, detail->triangle_count, capacity, error);
    for (int i = 0; i < detail->triangle_count && !status; ++i) {
        const int32_t *t = detail->triangle + 3 * (size_t)i;
        add(s, body, t[0], t[1], t[2], 0);
    }
    return status;
}

sn_status sn_surface_create(sn_world *world, sn_surface **surface, sn_error *error) {
    if (sn_world_body_count(world) == 0) return sn_fail(error, SN_BAD_INPUT, "the world has no bodies to show");
    sn_context *context = sn_world_body_mesh(world, 0)->context;
    sn_surface *s = sn_allocate_zero(context, 1, sizeof *s);
    if (!s) return sn_no_memory(error);
    s->context = context;
    int capacity = 0;
    sn_status status = count_parts(world, s, error);
    if (!status) status = place_points(world, s, error);
    for (int b = 0; b < s->bodies && !status; ++b) status = add_body(world, s, b, &capacity, error);
    if (status) {
        sn_surface_destroy(s);
        return status;
    }
    *surface = s;
    return SN_OK;
}

sn_status sn_surface_average(const sn_surface *s, const sn_world *world, const double *element, double *node,
                             sn_error *error) {
    int *count = sn_allocate_zero(s->context, (size_t)s->nodes, sizeof *count);
    if (!count) return sn_no_memory(error);
    memset(node, 0, (size_t)s->nodes * sizeof *node);
    for (int b = 0; b < s->bodies; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(world, b);
        for (int t = 0; t < mesh->tet_count; ++t)
            for (int k = 0; k < mesh->tet_nodes; ++k) {
                const int n = s->first_node[b] + mesh->tet[(size_t)t * (size_t)mesh->tet_nodes + (size_t)k];
                node[n] += element[s->first_element[b] + t];
                ++count[n];
            }
    }
    for (int n = 0; n < s->nodes; ++n) node[n] /= count[n] ? count[n] : 1;
    sn_release(s->context, count);
    return SN_OK;
}
