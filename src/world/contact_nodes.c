/* Contact points: the points of the bodies that may touch colliders, with areas and masses. A point is a surface node,
 * or a vertex of a detailed surface. This file also finds the boundary faces of a body.
 *
 * Points of cloth stay half its thickness away from colliders.
 *
 * The table of the element says how much of a face's area goes to each of its nodes (fem/element.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "colliders.h"
#include "cores.h"
#include "fem/load.h"
#include "inside.h"

static int by_key(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

sn_status sn_body_faces(const sn_model *model, int body, int *count, int32_t **face, sn_error *error) {
    const sn_body *b = &model->body[body];
    const sn_status status = sn_element_faces(b->element, b->mesh, count, face, error);
    const int32_t *compiled = model->compiled + b->node_first;
    for (int64_t i = 0; i < (int64_t)*count * b->element->face_nodes && !status; ++i) (*face)[i] = compiled[(*face)[i]];
    return status;
}

/* The rim of a plane body: each edge that belongs to only one triangle. Each of its two nodes gets half of length times
 * thickness. */
static sn_status add_rim(sn_context *context, const sn_model *model, int body, double *area, sn_error *error) {
    const sn_body *b = &model->body[body];
    const int edges = 3 * b->mesh->tet_count;
    int64_t *edge = sn_allocate(context, (size_t)edges, sizeof *edge);
    if (!edge) return sn_no_memory(error);
    for (int i = 0; i < edges; ++i) {
        const int32_t p = b->node[i], q = b->node[i % 3 == 2 ? i - 2 : i + 1];
        edge[i] = (int64_t)(p < q ? p : q) << 32 | (p < q ? q : p);
    }
    qsort(edge, (size_t)edges, sizeof *edge, by_key);
    for (int i = 0, next; i < edges; i = next) {
        for (next = i + 1; next < edges && edge[next] == edge[i];) ++next;
        if (next != i + 1) continue;
        const size_t node[2] = {(size_t)(edge[i] >> 32), (size_t)(edge[i] & 0xffffffff)};
        double d[3];
        sn_subtract3(model->rest + 3 * node[0], model->rest + 3 * node[1], d);
        for (int k = 0; k < 2; ++k) area[node[k]] += 0.5 * b->thickness * sn_norm3(d);
    }
    sn_release(context, edge);
    return SN_OK;
}

static sn_status add_areas(sn_context *context, const sn_model *model, int body, double *area, sn_error *error) {
    const sn_element *element = model->body[body].element;
    const int n = element->face_nodes;
    if (n == 0) return add_rim(context, model, body, area, error);
    int count = 0;
    int32_t *face = NULL;
    const sn_status status = sn_body_faces(model, body, &count, &face, error);
    for (int f = 0; f < count && !status; ++f) {
        const int32_t *node = face + (size_t)f * (size_t)n;
        const double whole = sn_face_area(n, node, model->rest);
        for (int i = 0; i < n; ++i) area[node[i]] += whole * element->face_share[i];
    }
    sn_release(context, face);
    return status;
}

/* How many vertices, carriers of vertices, surface nodes that touch, and surface nodes under detailed surfaces there
 * are. */
typedef struct sizes {
    int vertices, carriers, nodes, bare;
} sizes;

/* Writes the areas of surface nodes: `area` for the nodes that touch, `bare` for those under a detailed surface, whose
 * vertices touch in their place. Areas of nodes of rigid cores become negative. */
static sn_status find_sizes(const sn_world *world, double *area, double *bare, sizes *size, sn_error *error) {
    const sn_model *model = world->model;
    for (int b = 0; b < model->body_count; ++b) {
        const sn_embedding *surface = model->body[b].surface;
        const sn_status status = add_areas(world->context, model, b, surface ? bare : area, error);
        if (status) return status;
        if (!surface) continue;
        size->vertices += surface->vertex_count;
        size->carriers += surface->carrier_first[surface->vertex_count];
    }
    for (int i = 0; i < model->node_count; ++i) {
        size->nodes += area[i] > 0, size->bare += bare[i] > 0;
        if (area[i] > 0 && sn_cores_hold(world, i)) area[i] *= -1;
    }
    return SN_OK;
}

static sn_status reserve(sn_context *context, const sizes *size, sn_colliders *own, sn_error *error) {
    const size_t count = (size_t)size->bare + (size_t)size->nodes + (size_t)size->vertices;
    own->bare.node = sn_allocate(context, count, sizeof *own->bare.node);
    own->bare.area = sn_allocate_zero(context, count, sizeof *own->bare.area);
    own->bare.mass = sn_allocate_zero(context, count, sizeof *own->bare.mass);
    own->bare.apart = sn_allocate_zero(context, count, sizeof *own->bare.apart);
    if (!own->bare.node || !own->bare.area || !own->bare.mass || !own->bare.apart) return sn_no_memory(error);
    own->point.node = own->bare.node + size->bare;
    own->point.area = own->bare.area + size->bare;
    own->point.mass = own->bare.mass + size->bare;
    own->point.apart = own->bare.apart + size->bare;
    if (size->vertices == 0) return SN_OK;
    own->carried.first = sn_allocate_zero(context, (size_t)size->vertices + 1, sizeof *own->carried.first);
    own->carried.node = sn_allocate(context, (size_t)size->carriers, sizeof *own->carried.node);
    own->carried.weight = sn_allocate(context, (size_t)size->carriers, sizeof *own->carried.weight);
    return own->carried.first && own->carried.node && own->carried.weight ? SN_OK : sn_no_memory(error);
}

/* Appends the nodes whose area has this sign. */
static void add_nodes(const sn_model *model, const double *area, int sign, sn_contact_nodes *to) {
    const sn_body *body = model->body;
    for (int i = 0; i < model->node_count; ++i) {
        while (i >= body->node_first + body->mesh->node_count) ++body;
        if (!(sign * area[i] > 0)) continue;
        to->node[to->count] = i;
        to->apart[to->count] = body->element->lay ? 0.5 * body->thickness : 0;
        to->area[to->count++] = sign * area[i];
    }
}

/* Appends the vertices of a detailed surface. Each gets a third of the area of its triangles. */
static void add_vertices(const sn_model *model, int body, sn_colliders *own) {
    const sn_embedding *surface = model->body[body].surface;
    sn_carried *carried = &own->carried;
    double *area = own->point.area + own->point.count;
    for (int v = 0; v < surface->vertex_count; ++v) {
        int32_t end = carried->first[carried->count];
        for (int32_t k = surface->carrier_first[v]; k < surface->carrier_first[v + 1]; ++k, ++end) {
            carried->node[end] = sn_model_node(model, body, surface->carrier_node[k]);
            carried->weight[end] = surface->carrier_weight[k];
        }
        own->point.node[own->point.count++] = -1 - carried->count;
        carried->first[++carried->count] = end;
    }
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int32_t *corner = surface->triangle + 3 * (size_t)t;
        const double whole = sn_face_area(3, corner, surface->rest);
        for (int k = 0; k < 3; ++k) area[corner[k]] += whole / 3;
    }
}

static void fill(const sn_model *model, const double *area, const double *bare, sn_colliders *own) {
    sn_contact_nodes *point = &own->point;
    add_nodes(model, bare, 1, &own->bare);
    add_nodes(model, area, 1, point);
    const int cores_from = point->count;
    add_nodes(model, area, -1, point); /* nodes of rigid cores come last */
    own->core_count = point->count - cores_from;
    own->node = *point;
    own->bare.count += point->count;
    for (int b = 0; b < model->body_count; ++b)
        if (model->body[b].surface) add_vertices(model, b, own);
}

sn_status sn_contact_points_create(const sn_world *world, sn_colliders *own, sn_error *error) {
    const sn_model *model = world->model;
    sn_context *context = world->context;
    sizes size = {0};
    const size_t nodes = (size_t)model->node_count;
    double *area = sn_allocate_zero(context, 2 * nodes, sizeof *area);
    if (!area) return sn_no_memory(error);
    double *bare = area + nodes;
    sn_status status = find_sizes(world, area, bare, &size, error);
    if (!status) status = reserve(context, &size, own, error);
    if (!status) fill(model, area, bare, own);
    sn_release(context, area);
    if (!status && own->carried.count > 0) status = sn_carried_pair(context, &own->carried, error);
    if (own->carried.count > 0) own->point.carried = &own->carried;
    own->point.context = own->bare.context = context;
    if (status) sn_contact_points_release(world, own);
    return status;
}

void sn_contact_points_release(const sn_world *world, sn_colliders *own) {
    sn_release(world->context, own->bare.node);
    sn_release(world->context, own->bare.area);
    sn_release(world->context, own->bare.mass);
    sn_release(world->context, own->bare.apart);
    sn_carried_release(world->context, &own->carried);
    own->point = own->node = own->bare = (sn_contact_nodes){0};
    own->core_count = 0;
}

/* A node has its own mass. The mass m_k of a node that carries vertices is divided among them: the vertex i gets the
 * part w_ik A_i / sum_j w_jk A_j of it, so that together they have the mass behind the surface and no more. */
void sn_contact_points_weigh(const sn_world *world, sn_colliders *own) {
    const sn_carried *carried = &own->carried;
    const double *weight = world->solid->weight, *area = own->point.area + own->node.count;
    double *mass = own->point.mass + own->node.count, *sum = world->workspace.product;
    for (int i = 0; i < own->bare.count; ++i) own->bare.mass[i] = fabs(weight[own->bare.node[i]]);
    if (carried->count == 0) return;
    memset(sum, 0, (size_t)world->model->node_count * sizeof *sum);
    for (int i = 0; i < carried->count; ++i)
        for (int32_t k = carried->first[i]; k < carried->first[i + 1]; ++k)
            sum[carried->node[k]] += fmax(carried->weight[k], 0) * area[i];
    for (int i = 0; i < carried->count; ++i) {
        mass[i] = 0;
        for (int32_t k = carried->first[i]; k < carried->first[i + 1]; ++k) {
            const int32_t node = carried->node[k];
            const double part = fmax(carried->weight[k], 0) * area[i];
            if (part > 0) mass[i] += fabs(weight[node]) * part / sum[node];
        }
    }
}
