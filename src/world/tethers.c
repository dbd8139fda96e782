/* Tethers: a spring and a damper between a point of a body and an anchor, which may move, or between points of two
 * bodies. They are the constraint h = 0 of a link as a force (Baumgarte's k_s and k_d; Civit 3.4):
 *
 *   f = -J^T (k h + c h'),   K = k J^T J,   D = c J^T J,   h = p - anchor(t) or p_1 - p_2,   h' = p' - anchor'(t)
 *
 * The damper acts on the speed relative to the anchor. Each node of a seam (seams.h) is a tether too. */
#include <string.h>

#include "seams.h"

typedef struct tether {
    int id;
    sn_gap gap;
    double stiffness, damping;
} tether;

typedef struct tethers {
    int count, capacity, next_id;
    tether *tether;
} tethers;

static tethers *own_of(const sn_world *world) { return sn_interaction_of(world, &sn_kind_tethers)->data; }

static sn_status make(const sn_world *world, int body, const sn_tether *options, tether *out, sn_error *error) {
    sn_status status = sn_model_check_body(world->model, body, error);
    if (!status) status = sn_tether_check(options, error);
    if (status) return status;
    *out = (tether){.stiffness = options->stiffness, .damping = options->damping};
    return sn_gap_create(world, body, options->point, options->body, options->to, options->key, options->key_count,
                         &out->gap, error);
}

/* Takes `made` over, also its gap; on failure the gap is released. */
static sn_status take(const sn_world *world, tethers *own, tether made, sn_error *error) {
    const sn_status status =
        sn_grow(world->context, (void **)&own->tether, &own->capacity, own->count + 1, sizeof *own->tether, error);
    if (status) {
        sn_gap_release(world, &made.gap);
        return status;
    }
    made.id = own->next_id++;
    own->tether[own->count++] = made;
    return SN_OK;
}

static sn_status append(const sn_world *world, tethers *own, int body, const sn_tether *options, sn_error *error) {
    tether made;
    const sn_status status = make(world, body, options, &made, error);
    return status ? status : take(world, own, made, error);
}

static sn_status append_seam(const sn_world *world, tethers *own, int body, const sn_seam *seam, sn_error *error) {
    sn_seam_gaps gaps;
    sn_status status = sn_seam_expand(world, body, seam, &gaps, error);
    for (int i = 0; i < gaps.count && !status; ++i) {
        const tether made = {.gap = gaps.gap[i], .stiffness = gaps.stiffness, .damping = seam->damping};
        gaps.gap[i].key = NULL; /* taken over */
        status = take(world, own, made, error);
    }
    sn_seam_release(world, &gaps);
    return status;
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    tethers *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    for (int b = 0; b < options->body_count; ++b)
        for (int i = 0; i < options->body[b].tether_count; ++i) {
            const sn_status status = append(world, own, b, &options->body[b].tether[i], error);
            if (status) return sn_within(error, status, "bodies.%d.tethers.%d", b, i);
        }
    for (int b = 0; b < options->body_count; ++b)
        for (int i = 0; i < options->body[b].seam_count; ++i) {
            const sn_status status = append_seam(world, own, b, &options->body[b].seam[i], error);
            if (status) return sn_within(error, status, "bodies.%d.sew.%d", b, i);
        }
    return SN_OK;
}

static void destroy(sn_world *world, sn_interaction *self) {
    tethers *own = self->data;
    if (!own) return;
    for (int i = 0; i < own->count; ++i) sn_gap_release(world, &own->tether[i].gap);
    sn_release(world->context, own->tether);
    sn_release(world->context, own);
}

/* ---- Forces ---- */
static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)world;
    const tethers *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        const tether *t = &own->tether[i];
        double h[3], rate[3], pull[3];
        sn_gap_at(&t->gap, place->t, place->x, place->v, h, rate);
        for (int a = 0; a < 3; ++a) pull[a] = -t->stiffness * h[a] - (place->v ? t->damping * rate[a] : 0);
        sn_gap_pull(&t->gap, pull, f);
    }
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    (void)world;
    const tethers *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        double h[3];
        sn_gap_at(&own->tether[i].gap, place->t, place->x, NULL, h, NULL);
        *energy += 0.5 * own->tether[i].stiffness * (h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
    }
}

/* df/dt at fixed x and v: the anchor moves with a speed that is constant between its keys. */
static void rate(sn_world *world, sn_interaction *self, const sn_place *place, double *out) {
    (void)world;
    const tethers *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        double h[3], speed[3], pull[3];
        sn_gap_at(&own->tether[i].gap, place->t, place->x, NULL, h, speed);
        for (int a = 0; a < 3; ++a) pull[a] = -own->tether[i].stiffness * speed[a];
        sn_gap_pull(&own->tether[i].gap, pull, out);
    }
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world, (void)damping;
    const tethers *own = self->data;
    int64_t count = 0;
    for (int i = 0; i < own->count; ++i) count += (int64_t)own->tether[i].gap.count * own->tether[i].gap.count;
    return count;
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)world, (void)place, (void)exact;
    const tethers *own = self->data;
    for (int n = 0; n < own->count; ++n) {
        const sn_gap *gap = &own->tether[n].gap;
        for (int i = 0; i < gap->count; ++i)
            for (int j = 0; j < gap->count; ++j) {
                const double w = gap->weight[i] * gap->weight[j];
                sn_block_append_identity(K, gap->node[i], gap->node[j], own->tether[n].stiffness * w);
                sn_block_append_identity(D, gap->node[i], gap->node[j], own->tether[n].damping * w);
            }
    }
}

static void holds(const sn_world *world, const sn_interaction *self, sn_hold *hold, void *user) {
    (void)world;
    const tethers *own = self->data;
    for (int i = 0; i < own->count; ++i)
        for (int a = 0; a < 3; ++a)
            hold(user, own->tether[i].gap.count, own->tether[i].gap.node, own->tether[i].gap.weight, a);
}

static int draw(const sn_world *world, const sn_interaction *self, sn_glyph *glyph, int room) {
    const tethers *own = self->data;
    for (int i = 0; i < own->count && i < room; ++i) {
        sn_gap_draw(&own->tether[i].gap, world->state.time, world->state.x, &glyph[i]);
        for (int a = 0; a < 3; ++a) glyph[i].force[a] = own->tether[i].stiffness * (glyph[i].to[a] - glyph[i].from[a]);
    }
    return own->count;
}

const sn_interaction_kind sn_kind_tethers = {.create = create,
                                             .destroy = destroy,
                                             .force = force,
                                             .energy = energy,
                                             .rate = rate,
                                             .block_count = block_count,
                                             .blocks = blocks,
                                             .holds = holds,
                                             .draw = draw};

/* ---- Editing ---- */
static int find(const tethers *own, int id, sn_error *error) {
    for (int i = 0; i < own->count; ++i)
        if (own->tether[i].id == id) return i;
    sn_fail(error, SN_BAD_INPUT, "there is no tether %d", id);
    return -1;
}

sn_status sn_world_add_tether(sn_world *world, int body, const sn_tether *options, int *id, sn_error *error) {
    tethers *own = own_of(world);
    sn_status status = append(world, own, body, options, error);
    if (status) return status;
    status = sn_workspace_fit(world, error);
    if (status) {
        sn_gap_release(world, &own->tether[--own->count].gap);
        return status;
    }
    world->workspace.constraints_changed = true;
    sn_workspace_forget(world);
    if (id) *id = own->tether[own->count - 1].id;
    return SN_OK;
}

sn_status sn_world_change_tether(sn_world *world, int id, int body, const sn_tether *options, sn_error *error) {
    tethers *own = own_of(world);
    const int at = find(own, id, error);
    if (at < 0) return SN_BAD_INPUT;
    tether made, old = own->tether[at];
    sn_status status = make(world, body, options, &made, error);
    if (status) return status;
    made.id = id;
    own->tether[at] = made;
    status = sn_workspace_fit(world, error);
    if (status) own->tether[at] = old, old = made;
    sn_gap_release(world, &old.gap);
    world->workspace.constraints_changed = true;
    sn_workspace_forget(world);
    return status;
}

sn_status sn_world_remove_tether(sn_world *world, int id, sn_error *error) {
    tethers *own = own_of(world);
    const int at = find(own, id, error);
    if (at < 0) return SN_BAD_INPUT;
    sn_gap_release(world, &own->tether[at].gap);
    memmove(own->tether + at, own->tether + at + 1, (size_t)(own->count - at - 1) * sizeof *own->tether);
    --own->count;
    world->workspace.constraints_changed = true;
    sn_workspace_forget(world);
    return SN_OK;
}
