/* The balance of warped bodies. Stiffness warping per vertex leaves a net force and a net torque on a free body ("ghost
 * forces"). When a material asks for it, this interaction takes them out of the forces of the elements (Mueller et al.
 * 2002, 3.4). */
#include "fem/warping.h"
#include "inside.h"

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
        if (wanted(world, body))
            sn_warping_balance(body->node_first, body->mesh->node_count, world->solid->weight, x, f);
    }
}

const sn_interaction_kind sn_kind_balance = {.correct = correct};
