/* What becomes of the memory of materials (fem/prony.h) when the active set changes.
 *
 * The part "memory" of the state has the order of the elements of the active set, which follows from the set alone, and
 * room for the finest mesh. So its size is that of the model, and the elements read and write it as in any other world;
 * numbers per finest tet would have to be translated in each step. What lies behind the elements is zero.
 *
 * A tet that stays keeps its numbers. A child gets the memory h of its parent. A parent gets the mean of its children,
 * weighted by volume. Laws on the corotated strain have h in the frame of the rotation R of the tet, so it is turned
 * from the frame of the old tet into that of the new one:
 *
 *   h' = Q h Q^T,   Q = R'^T R
 *
 * All others have it in the rest shape, which all tets share. A split tet has the deformation gradient of its children,
 * so the stress does not jump. The energy of a memory is a square of h. The mean has at most the mean of the energies,
 * so no change adds energy. A tet of another material than the new one gives nothing, and counts as zero. */
#include <stdalign.h>
#include <string.h>

#include "adaptive.h"
#include "base/math3.h"
#include "inside.h"

/* The elements before or after the change, with their positions. */
typedef struct side {
    const sn_solid *solid;
    sn_element_view view;
    double *memory;
} side;

/* A tet of a side. */
typedef struct tet {
    const sn_batch *batch;
    int64_t block, lane;
    int count; /* finest tets in it */
} tet;

static tet find(const side *s, int finest) {
    const int64_t place = s->solid->place[finest];
    const sn_active *active = s->solid->active;
    return (tet){&s->solid->elements.batch[place >> 40], (place & (((int64_t)1 << 40) - 1)) / SN_LANES,
                 place % SN_LANES, 1 << 3 * active->depth[active->leaf[finest]]};
}

static int32_t material_of(const tet *t) { return t->batch->material_of[t->block * SN_LANES + t->lane]; }

/* Other elements beside the tets of adaptive bodies may have several points; these stay. */
static int tensors_of(const tet *t) { return t->batch->element->points * t->batch->terms; }

static double *numbers_of(const side *s, const tet *t) {
    return s->memory + t->batch->memory + t->block * tensors_of(t) * SN_MEMORY_ITEMS * SN_LANES + t->lane;
}

/* ---- Frames ---- */
static void rotation_of(const side *s, const tet *t, double R[9]) {
    alignas(64) double all[9 * SN_LANES];
    t->batch->kernels->rotation(t->batch, (int)t->block, &s->view, all);
    for (int i = 0; i < 9; ++i) R[i] = all[i * SN_LANES + t->lane];
}

/* Q = R'^T R. False when the law has its memory in the rest shape. */
static bool turn_between(const side *before, const tet *old, const side *after, const tet *now, double Q[9]) {
    const sn_law *law = now->batch->law;
    double R[9], to[9];
    if (!now->batch->rotation || law->strain == SN_STRAIN_CAUCHY || sn_law_remembers_by_F(law)) return false;
    rotation_of(before, old, R);
    rotation_of(after, now, to);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) Q[3 * i + j] = to[i] * R[j] + to[3 + i] * R[3 + j] + to[6 + i] * R[6 + j];
    return true;
}

/* h = Q h Q^T of a symmetric matrix, xx yy zz xy yz zx. */
static void turn(const double Q[9], double h[6]) {
    const double H[9] = {h[0], h[3], h[5], h[3], h[1], h[4], h[5], h[4], h[2]};
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    for (int k = 0; k < 6; ++k) {
        double turned[3];
        sn_multiply_vector3(H, Q + 3 * column[k], turned);
        h[k] = sn_dot3(Q + 3 * row[k], turned);
    }
}

/* ---- Tets ---- */
/* Adds a share of the memory of an old tet to a new one. */
static void give(const side *before, const tet *old, double share, const side *after, const tet *now) {
    const double *from = numbers_of(before, old);
    double *to = numbers_of(after, now), Q[9] = {0};
    const bool stays = old->count == now->count, turns = !stays && turn_between(before, old, after, now, Q);
    for (int t = 0; t < tensors_of(now); ++t) {
        double h[SN_MEMORY_ITEMS];
        for (int i = 0; i < SN_MEMORY_ITEMS; ++i) h[i] = from[(t * SN_MEMORY_ITEMS + i) * SN_LANES];
        if (turns) turn(Q, h);
        for (int i = 0; i < SN_MEMORY_ITEMS; ++i) to[(t * SN_MEMORY_ITEMS + i) * SN_LANES] += share * h[i];
    }
}

/* Fills the memory of the tet that begins with a finest one. Returns how many finest ones it has. */
static int fill(const side *before, const side *after, int first) {
    if (after->solid->place[first] < 0) return 1; /* a rigid body, or springs */
    const tet now = find(after, first);
    for (int finest = first; finest < first + now.count && now.batch->terms;) {
        const tet old = find(before, finest);
        const int common = old.count < now.count ? old.count : now.count;
        if (material_of(&old) == material_of(&now)) give(before, &old, (double)common / now.count, after, &now);
        finest += common;
    }
    return now.count;
}

void sn_adaptive_carry(sn_world *world, const sn_solid *solid, const sn_element_settings *settings) {
    sn_adaptive *a = world->adaptive;
    sn_state *state = &world->state, *other = &world->workspace.before;
    sn_details_settle(world);
    if (state->memory_count == 0) return;
    const size_t size = (size_t)state->memory_count * sizeof *state->memory;
    side before = {solid, sn_world_same_view(world, NULL), state->memory},
         after = {world->solid, sn_world_view(world, state->x, NULL), other->memory};
    before.view.settings = settings, before.view.x = a->force; /* free between two steps */
    sn_active_gather(solid->active, world->workspace.x_before, a->force);
    memset(other->memory, 0, size);
    for (int first = 0; first < world->model->element_count;) first += fill(&before, &after, first);
    state->memory = after.memory, other->memory = before.memory;
}
