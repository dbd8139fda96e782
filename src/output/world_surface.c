/* See world_surface.h. */
#include "world_surface.h"

#include <string.h>

void sn_surface_destroy(sn_surface *s) {
    if (!s) return;
    void *const array[] = {s->position, s->rest, s->velocity, s->label,      s->triangle,
                           s->owner,    s->body, s->edge,     s->first_node, s->first_element};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(s->context, array[i]);
    sn_release(s->context, s);
}

static sn_status copy_nodes(sn_world *world, sn_surface *s) {
    for (int b = 0; b < s->bodies; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(world, b);
        const size_t first = (size_t)s->first_node[b];
        sn_world_get(world, b, s->position + 3 * first, s->velocity + 3 * first);
        memcpy(s->rest + 3 * first, mesh->position, 3 * (size_t)mesh->node_count * sizeof *s->rest);
        for (int i = 0; i < mesh->node_count; ++i)
            s->label[first + (size_t)i] = mesh->node_label ? mesh->node_label[i] : i;
    }
    return SN_OK;
}

static sn_status allocate_nodes(sn_world *world, sn_surface *s, sn_error *error) {
    s->bodies = sn_world_body_count(world);
    s->first_node = sn_allocate_zero(s->context, (size_t)s->bodies + 1, sizeof *s->first_node);
    s->first_element = sn_allocate_zero(s->context, (size_t)s->bodies + 1, sizeof *s->first_element);
    if (!s->first_node || !s->first_element) return sn_no_memory(error);
    for (int b = 0; b < s->bodies; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(world, b);
        s->first_node[b + 1] = s->first_node[b] + mesh->node_count;
        s->first_element[b + 1] = s->first_element[b] + mesh->tet_count;
    }
    s->nodes = s->first_node[s->bodies];
    s->elements = s->first_element[s->bodies];
    s->position = sn_allocate(s->context, 3 * (size_t)s->nodes, sizeof *s->position);
    s->rest = sn_allocate(s->context, 3 * (size_t)s->nodes, sizeof *s->rest);
    s->velocity = sn_allocate(s->context, 3 * (size_t)s->nodes, sizeof *s->velocity);
    s->label = sn_allocate(s->context, (size_t)s->nodes, sizeof *s->label);
    return s->position && s->rest && s->velocity && s->label ? SN_OK : sn_no_memory(error);
}

static void add(sn_surface *s, int first_node, int32_t a, int32_t b, int32_t c, int owner, int body, uint8_t edge) {
    int32_t *t = s->triangle + 3 * (size_t)s->triangles;
    t[0] = first_node + a, t[1] = first_node + b, t[2] = first_node + c;
    s->owner[s->triangles] = owner;
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

static void add_face(sn_surface *s, const sn_mesh *mesh, int body, const int32_t *face, int32_t owner) {
    const int first = s->first_node[body], element = s->first_element[body] + owner;
    const int32_t a = face[0], b = face[1], c = face[2];
    if (mesh->tet_nodes <= 4) {
        add(s, first, a, b, c, element, body, 7);
        return;
    }
    const int32_t *tet = mesh->tet + (size_t)owner * (size_t)mesh->tet_nodes;
    const int32_t ab = middle(tet, a, b), bc = middle(tet, b, c), ca = middle(tet, c, a);
    add(s, first, a, ab, ca, element, body, 5);
    add(s, first, ab, b, bc, element, body, 3);
    add(s, first, ca, bc, c, element, body, 6);
    add(s, first, ab, bc, ca, element, body, 0);
}

static sn_status add_body(sn_world *world, sn_surface *s, int body, int *capacity, sn_error *error) {
    const sn_mesh *mesh = sn_world_body_mesh(world, body);
    int count, room[4];
    int32_t *face = NULL, *owner = NULL;
    sn_status status = sn_mesh_boundary(mesh, &count, &face, &owner, NULL, error);
    if (status) return status;
    const int wanted = s->triangles + count * (mesh->tet_nodes <= 4 ? 1 : 4);
    void *array[4] = {s->triangle, s->owner, s->body, s->edge};
    const size_t size[4] = {3 * sizeof *s->triangle, sizeof *s->owner, sizeof *s->body, 1};
    for (int i = 0; i < 4; ++i) {
        room[i] = *capacity;
        if (!status) status = sn_grow(s->context, &array[i], &room[i], wanted, size[i], error);
    }
    s->triangle = array[0], s->owner = array[1], s->body = array[2], s->edge = array[3];
    *capacity = room[3];
    for (int i = 0; i < count && !status; ++i) add_face(s, mesh, body, face + 3 * (size_t)i, owner[i]);
    sn_mesh_release(mesh, face);
    sn_mesh_release(mesh, owner);
    return status;
}

sn_status sn_surface_create(sn_world *world, sn_surface **surface, sn_error *error) {
    if (sn_world_body_count(world) == 0) return sn_fail(error, SN_BAD_INPUT, "the world has no bodies to show");
    sn_context *context = sn_world_body_mesh(world, 0)->context;
    sn_surface *s = sn_allocate_zero(context, 1, sizeof *s);
    if (!s) return sn_no_memory(error);
    s->context = context;
    int capacity = 0;
    sn_status status = allocate_nodes(world, s, error);
    if (!status) status = copy_nodes(world, s);
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
