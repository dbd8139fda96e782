/* Frozen details of adaptive bodies (Hauth 5.3.4: details "can be frozen and the deformation stays locally the same,
 * although at a coarser level the solid may continue to deform").
 *
 *   x = T u + d,   d_h = R D_h
 *
 * A node h that becomes a slave stays where it is. Its detail d_h = x_h - (x_p + x_q) / 2 turns with the coarse tet
 * around it from then on: R is the polar rotation of this tet, and D, the detail in the tet's frame, is a part of the
 * state. A detail that stayed constant in space would bend the shape when the body turns; one that followed the whole
 * deformation gradient would grow with every stretch.
 *
 * R is taken after each step. During a step d is constant, so velocities, forces and matrices are those of x = T u: the
 * forces on the free nodes are the derivative of the energy at fixed d. The elements around a hanging node see it where
 * it is; a coarse tet sees its corners alone. So the strain energy of details rests while they are frozen, and comes
 * back when their tet is split. Forces on hanging nodes act at x_h but go to p and q: they keep the momentum, and
 * change the angular momentum by d x f.
 *
 * The tet of a node is the one with the lowest number of those around its edge that are not split, or the active tet
 * in which that lies. Its corners are on lower levels, so details are placed level by level. */
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "adaptive.h"
#include "base/math3.h"
#include "fem/point_kernels.h"
#include "inside.h"

static const double SMALL = 1e-12; /* a detail below this part of its edge is rounding */

static int tet_of(const sn_forest *f, int32_t node) {
    int32_t k = f->mid_begin[node];
    while (f->refined[f->mid[k]]) ++k; /* a slave has such a tet */
    int tet = f->mid[k];
    for (int up = sn_forest_parent(f, tet); up >= 0 && !f->refined[up]; up = sn_forest_parent(f, tet)) tet = up;
    return tet;
}

/* The rotation of the tet of a slave of the body at x, computed once. */
static const double *frame_of(const sn_world *world, sn_adaptive_body *a, int32_t node) {
    const int tet = tet_of(&a->forest, node);
    double *R = a->frame + 9 * (size_t)tet, F[9];
    if (a->framed[tet]) return R;
    alignas(64) double block[9 * SN_LANES], turned[9 * SN_LANES];
    sn_tet_gradient(world->model->rest, world->state.x, a->forest.node + 10 * (size_t)tet, F);
    for (int i = 0; i < 9 * SN_LANES; ++i) block[i] = F[i / SN_LANES];
    sn_point_kernels_for(world->context)
        ->rotation(sn_rotation_find(world->context, "polar"), 0, 0, block, turned, NULL);
    for (int i = 0; i < 9; ++i) R[i] = turned[i * SN_LANES];
    a->framed[tet] = 1;
    return R;
}

static bool is_zero(const double a[3]) { return a[0] == 0 && a[1] == 0 && a[2] == 0; }

static void forget_frames(const sn_world *world) {
    for (int i = 0; i < world->adaptive->count; ++i) {
        const sn_adaptive_body *a = &world->adaptive->body[i];
        if (a->framed) memset(a->framed, 0, (size_t)a->forest.count);
    }
}

bool sn_details_turn(sn_world *world) {
    sn_adaptive *a = world->adaptive;
    const sn_active *active = world->solid->active;
    const double *detail = sn_state_part(&world->state, "details");
    double *x = world->state.x;
    bool moved = false;
    forget_frames(world);
    for (int s = 0; s < active->slave_count; ++s) {
        const int32_t *slave = active->slave[s];
        const double *p = x + 3 * (size_t)slave[1], *q = x + 3 * (size_t)slave[2], *D = detail + 3 * (size_t)slave[0];
        double *own = x + 3 * (size_t)slave[0], *offset = a->offset + 3 * (size_t)slave[0], d[3] = {0};
        if (!is_zero(D)) sn_multiply_vector3(frame_of(world, sn_adaptive_at(world, slave[0]), slave[0]), D, d);
        moved = moved || memcmp(d, offset, sizeof d) != 0;
        memcpy(offset, d, sizeof d);
        for (int c = 0; c < 3; ++c) own[c] = 0.5 * (p[c] + q[c]) + d[c];
    }
    return moved;
}

/* Takes the details from the positions. Bodies that drop them have none. */
static void take(sn_world *world) {
    const sn_active *active = world->solid->active;
    const double *x = world->state.x;
    double *detail = sn_state_part(&world->state, "details");
    sn_state_forget(&world->state, "details");
    forget_frames(world);
    for (int s = 0; s < active->slave_count; ++s) {
        const int32_t *slave = active->slave[s];
        sn_adaptive_body *a = sn_adaptive_at(world, slave[0]);
        const double *p = x + 3 * (size_t)slave[1], *q = x + 3 * (size_t)slave[2], *own = x + 3 * (size_t)slave[0];
        double d[3], edge[3];
        sn_subtract3(p, q, edge);
        for (int c = 0; c < 3; ++c) d[c] = own[c] - 0.5 * (p[c] + q[c]);
        if (!a->frame || sn_norm3(d) <= SMALL * sn_norm3(edge)) continue;
        const double *R = frame_of(world, a, slave[0]);
        for (int c = 0; c < 3; ++c)
            detail[3 * (size_t)slave[0] + (size_t)c] = R[c] * d[0] + R[3 + c] * d[1] + R[6 + c] * d[2];
    }
}

static void forget_offsets(const sn_world *world) {
    memset(world->adaptive->offset, 0, 3 * (size_t)world->model->node_count * sizeof(double));
}

void sn_details_settle(sn_world *world) {
    if (!world->adaptive) return;
    if (!world->adaptive->offset) {
        sn_active_follow(world->solid->active, world->state.x);
        return;
    }
    take(world);
    forget_offsets(world);
    sn_details_turn(world);
}

void sn_details_restore(sn_world *world) {
    if (!world->adaptive->offset) return;
    forget_offsets(world);
    sn_details_turn(world);
}

void sn_details_step(sn_world *world) {
    if (!world->adaptive->offset || !sn_details_turn(world)) return;
    memcpy(world->workspace.x_before, world->state.x, 3 * (size_t)world->model->node_count * sizeof(double));
    sn_memory_refresh(world); /* the next step begins at the new place */
}
