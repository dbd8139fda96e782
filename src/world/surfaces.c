/* See surfaces.h. */
#include "surfaces.h"

#include "inside.h"

/* The surface of a cloth: its triangles. */
static sn_status make_sheet(const sn_world *world, int body, sn_touch_surface **surface, sn_error *error) {
    const sn_body *b = &world->model->body[body];
    return sn_touch_surface_create(world->context,
                                   &(sn_touch_surface_source){.body = body,
                                                              .vertex_count = b->mesh->node_count,
                                                              .triangle_count = b->mesh->tet_count,
                                                              .position = b->mesh->position,
                                                              .triangle = b->mesh->tet,
                                                              .carrier_node = world->model->compiled + b->node_first,
                                                              .thickness = b->thickness},
                                   surface, error);
}

sn_status sn_world_surface(const sn_world *world, int body, sn_touch_surface **surface, sn_error *error) {
    const sn_body *b = &world->model->body[body];
    if (b->element->lay) return make_sheet(world, body, surface, error);
    sn_embedding *boundary = NULL;
    sn_status status = b->surface ? SN_OK : sn_embedding_boundary(b->mesh, 180, &boundary, error);
    if (status) return status;
    const sn_embedding *e = b->surface ? b->surface : boundary;
    const bool carried = b->surface != NULL; /* otherwise each vertex is one node */
    const int32_t count = carried ? e->carrier_first[e->vertex_count] : e->vertex_count;
    int32_t *node = sn_allocate(world->context, (size_t)count, sizeof *node);
    if (!node) status = sn_no_memory(error);
    for (int32_t i = 0; i < count && !status; ++i)
        node[i] = world->model->compiled[b->node_first + (carried ? e->carrier_node[i] : e->node[4 * (size_t)i])];
    if (!status)
        status =
            sn_touch_surface_create(world->context,
                                    &(sn_touch_surface_source){.body = body,
                                                               .vertex_count = e->vertex_count,
                                                               .triangle_count = e->triangle_count,
                                                               .position = e->rest,
                                                               .triangle = e->triangle,
                                                               .carrier_first = carried ? e->carrier_first : NULL,
                                                               .carrier_node = node,
                                                               .carrier_weight = carried ? e->carrier_weight : NULL},
                                    surface, error);
    sn_release(world->context, node);
    sn_embedding_destroy(boundary);
    return status;
}
