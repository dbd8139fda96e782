/* Forces on nodes that the caller sets. They are constant until the caller sets them again. The state keeps them, so
 * that a saved run goes on with the same forces. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "inside.h"

typedef struct forces {
    bool any; /* a force is not zero */
} forces;

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    (void)options;
    self->data = sn_allocate_zero(world->context, 1, sizeof(forces));
    return self->data ? SN_OK : sn_no_memory(error);
}

static void destroy(sn_world *world, sn_interaction *self) { sn_release(world->context, self->data); }

static int64_t numbers(const sn_world *world, const sn_interaction *self) {
    (void)self;
    return 3 * (int64_t)world->model->node_count;
}

/* Finds out whether there are forces: a restored state may have brought some. */
static void refresh(sn_world *world, sn_interaction *self) {
    forces *own = self->data;
    own->any = sn_vector_largest(world->context, 3 * world->model->node_count, self->number) > 0;
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)place;
    const forces *own = self->data;
    if (own->any) sn_vector_add(world->context, 3 * world->model->node_count, 1, self->number, f);
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    const forces *own = self->data;
    const int n = 3 * world->model->node_count;
    for (int i = 0; i < n && own->any; ++i) *energy -= self->number[i] * (place->x[i] - world->model->rest[i]);
}

static int draw(const sn_world *world, const sn_interaction *self, sn_glyph *glyph, int room) {
    const forces *own = self->data;
    int count = 0;
    for (int i = 0; i < world->model->node_count && own->any; ++i) {
        const double *f = self->number + 3 * (size_t)i, *x = world->state.x + 3 * (size_t)i;
        if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
        for (int a = 0; a < 3 && count < room; ++a)
            glyph[count].from[a] = glyph[count].to[a] = x[a], glyph[count].force[a] = f[a];
        ++count;
    }
    return count;
}

const sn_interaction_kind sn_kind_forces = {.create = create,
                                            .destroy = destroy,
                                            .numbers = numbers,
                                            .still = true,
                                            .refresh = refresh,
                                            .force = force,
                                            .energy = energy,
                                            .draw = draw};

sn_status sn_world_set_forces(sn_world *world, int body, const double *force, sn_error *error) {
    const sn_status status = sn_model_check_body(world->model, body, error);
    if (status) return status;
    const sn_body *b = &world->model->body[body];
    for (int i = 0; force && i < 3 * b->mesh->node_count; ++i)
        if (!isfinite(force[i]))
            return sn_fail(error, SN_NOT_FINITE, "body '%s': the force on node %d is not finite", b->name, i / 3);
    sn_interaction *self = sn_interaction_of(world, &sn_kind_forces);
    for (int i = 0; i < b->mesh->node_count; ++i) {
        double *own = self->number + 3 * (size_t)sn_model_node(world->model, body, i);
        for (int a = 0; a < 3; ++a) own[a] = force ? force[3 * (size_t)i + (size_t)a] : 0;
    }
    refresh(world, self);
    return SN_OK;
}
