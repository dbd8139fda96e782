/* The balance of warped bodies: stiffness warping per vertex leaves net forces and torques on a free body ("ghost forces"). Where a
 * material asks for it, they are taken out of the elements' forces (Mueller et al. 2002, 3.4). */
#include "fem/warping.h"
#include "world.h"

static bool wanted(const sn_world *world, const sn_body *body) {
    for (int m = 0; m < body->material_count; ++m) {
        const sn_material *material = &world->parameters.material[body->material_first + m];
        if (material->warping[0] && material->ghost_correction) return true;
    }
    return false;
}

static void correct(const sn_world *world, const sn_interaction *self, const double *x, double *f) {
    (void)self;
    for (int b = 0; b < world->model->body_count; ++b) {
        const sn_body *body = &world->model->body[b];
        if (wanted(world, body)) sn_warping_balance(body->node_first, body->mesh->node_count, world->solid->weight, x, f);
    }
}

const sn_interaction_kind sn_kind_balance = {.correct = correct};
