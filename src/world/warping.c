/* Stiffness warping in a world: when the vertices' frames are taken, and whose ghost forces are balanced. */
#include <string.h>

#include "world.h"

sn_status sn_world_warping_room(const sn_world *world, const sn_solid *solid, double **rotation, sn_error *error) {
    *rotation = NULL;
    if (solid->warping.block_count == 0) return SN_OK;
    *rotation = sn_allocate_zero(world->context, (size_t)world->model.node_count * 9, sizeof **rotation);
    if (!*rotation) return sn_no_memory(error);
    for (int i = 0; i < 9 * world->model.node_count; ++i) (*rotation)[i] = i % 9 % 4 == 0;
    return SN_OK;
}

void sn_world_warp(sn_world *world, const double *x) {
    if (!world->workspace.vertex_rotation) return;
    sn_warping_rotations(world->context, &world->model.solid->warping, x, world->workspace.vertex_rotation);
}

void sn_world_balance(const sn_world *world, const double *x, double *f) {
    const sn_solid *solid = world->model.solid;
    for (int b = 0; b < world->model.body_count; ++b) {
        const sn_body *body = &world->model.body[b];
        bool wanted = false;
        for (int m = 0; m < body->material_count; ++m) {
            const sn_material *material = &world->parameters.material[body->material_first + m];
            wanted = wanted || (material->warping[0] && material->ghost_correction);
        }
        if (wanted) sn_warping_balance(body->node_first, body->mesh->node_count, solid->weight, x, f);
    }
}
