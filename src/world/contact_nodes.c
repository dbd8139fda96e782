/* Contact nodes: the surface nodes of the bodies with their areas. Colliders act on these nodes. Also the boundary
 * faces of a body.
 *
 * The table of the element says how much of a face's area goes to each of its nodes (fem/element.h). */
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

sn_status sn_contact_nodes_create(const sn_world *world, sn_contact_nodes *surface, int *core_count, sn_error *error) {
    const sn_model *model = world->model;
    sn_context *context = world->context;
    double *area = sn_allocate_zero(context, (size_t)model->node_count, sizeof *area);
    if (!area) return sn_no_memory(error);
    sn_status status = SN_OK;
    for (int b = 0; b < model->body_count && !status; ++b) status = add_areas(context, model, b, area, error);
    int count = 0;
    for (int i = 0; i < model->node_count && !status; ++i) count += area[i] > 0;
    if (!status) {
        surface->node = sn_allocate(context, (size_t)count, sizeof *surface->node);
        surface->area = sn_allocate(context, (size_t)count, sizeof *surface->area);
        surface->mass = sn_allocate_zero(context, (size_t)count, sizeof *surface->mass);
        if (!surface->node || !surface->area || !surface->mass) status = sn_no_memory(error);
    }
    for (int i = 0; i < model->node_count && !status; ++i) /* a negative area marks nodes of rigid cores */
        if (area[i] > 0 && sn_cores_hold(world, i)) area[i] *= -1;
    for (int sign = 1; sign >= -1 && !status; sign -= 2) /* nodes of rigid cores come last */
        for (int i = 0; i < model->node_count; ++i) {
            if (!(sign * area[i] > 0)) continue;
            surface->node[surface->count] = i;
            surface->area[surface->count++] = sign * area[i];
            *core_count += sign < 0;
        }
    sn_release(context, area);
    if (!status) return SN_OK;
    sn_release(context, surface->node);
    sn_release(context, surface->area);
    sn_release(context, surface->mass);
    *surface = (sn_contact_nodes){0};
    return status;
}
