/* Between the numbers of the model and the compact numbers of the linear solver of an adaptive world. See adaptive.h.
 */
#include <string.h>

#include "adaptive.h"
#include "base/vector.h"
#include "inside.h"

void sn_world_constrain(sn_world *world, double t, double *x, double *v, double *a) {
    sn_interactions_prescribe(world, t, x, v, a);
    const sn_active *active = world->solid->active;
    if (x) sn_active_place(active, world->adaptive ? world->adaptive->offset : NULL, x);
    if (v) sn_active_follow(active, v);
    if (a) sn_active_follow(active, a);
}

/* ---- Vectors ---- */
/* The vector in the numbers of the solver: itself, or a copy in `room`. */
static const double *enter(const sn_world *world, const double *full, double *room) {
    const sn_active *active = world->solid->active;
    if (!active) return full;
    sn_active_gather(active, full, room);
    return room;
}

/* Where the solver writes a vector. */
static double *way_out(const sn_world *world, double *full, double *room) { return world->solid->active ? room : full; }

/* Takes the vector back from where the solver wrote it; slaves get 0. */
static void leave(const sn_world *world, double *room, double *full) {
    const sn_active *active = world->solid->active;
    if (!active) return;
    sn_slaves_clear(&active->hanging, room);
    sn_vector_zero(world->context, 3 * world->model->node_count, full);
    sn_active_spread(active, room, full);
}

/* Scratch for vectors in the numbers of the solver; NULL where it is not needed. */
static double *room_of(const sn_world *world, bool second) {
    const sn_adaptive *a = world->adaptive;
    return !a ? NULL : second ? a->solution : a->right;
}

/* ---- Constraints ---- */
/* The groups of the filter, which are bodies or parts of bodies whose nodes are all unknowns. */
static sn_status translate_groups(sn_world *world, const sn_filter *filter, sn_error *error) {
    sn_adaptive *a = world->adaptive;
    const sn_status status =
        sn_grow(world->context, (void **)&a->group, &a->group_capacity, filter->group_count, sizeof *a->group, error);
    int32_t *next = a->group_node;
    for (int g = 0; g < filter->group_count && !status; ++g) {
        a->group[g] = filter->group[g];
        a->group[g].node = next;
        for (int i = 0; i < filter->group[g].count; ++i)
            *next++ = world->solid->active->compact[filter->group[g].node[i]];
    }
    return status;
}

/* The constraints of the free nodes, and the slaves, which are held: both lists are ascending. */
static sn_status translate_filter(sn_world *world, const sn_filter *filter, sn_error *error) {
    sn_adaptive *a = world->adaptive;
    const sn_active *active = world->solid->active;
    int count = 0, h = 0;
    for (int i = 0; i <= filter->count; ++i) {
        const int32_t node = i < filter->count ? filter->node[i] : INT32_MAX;
        for (; h < active->hanging.count && active->full[active->hanging.node[h]] <= node; ++h) {
            a->held[count] = active->hanging.node[h];
            memset(a->projection + 9 * (size_t)count++, 0, 9 * sizeof(double));
        }
        if (i == filter->count || active->slaved[node] || active->compact[node] < 0) continue;
        a->held[count] = active->compact[node];
        memcpy(a->projection + 9 * (size_t)count++, filter->projection + 9 * (size_t)i, 9 * sizeof(double));
    }
    const sn_status status = translate_groups(world, filter, error);
    a->filter = (sn_filter){.count = count, .node = a->held, .projection = a->projection};
    if (!status) a->filter.group = a->group, a->filter.group_count = filter->group_count;
    return status;
}

/* The filter of the interactions in the numbers of the solver. */
static sn_status take_filter(sn_world *world, const sn_filter **filter, sn_error *error) {
    *filter = sn_interactions_filter(world, NULL);
    if (!world->adaptive) return SN_OK;
    const sn_status status = translate_filter(world, *filter, error);
    *filter = &world->adaptive->filter;
    return status;
}

/* ---- Mass: 0 at slaves ---- */
void sn_world_mass_product(const sn_world *world, const double *v, double *out) {
    double *from = room_of(world, false), *to = room_of(world, true);
    sn_linear_mass_product(world->workspace.linear, enter(world, v, from), way_out(world, out, to));
    leave(world, to, out);
}

double sn_world_kinetic(const sn_world *world, const double *v, double *scratch) {
    return sn_linear_kinetic(world->workspace.linear, enter(world, v, room_of(world, false)), scratch);
}

sn_status sn_world_mass_solve(sn_world *world, const double *f, double *out, sn_error *error) {
    const sn_active *active = world->solid->active;
    const sn_filter *filter;
    double *from = room_of(world, false), *to = room_of(world, true);
    sn_status status = take_filter(world, &filter, error);
    if (status) return status;
    if (active) {
        if (out != f) sn_vector_copy(world->context, 3 * world->model->node_count, f, out);
        sn_active_give(active, out);
        f = out;
    }
    status =
        sn_linear_mass_solve(world->workspace.linear, filter, enter(world, f, from), way_out(world, out, to), error);
    leave(world, to, out);
    sn_active_follow(active, out);
    return status;
}

/* ---- Products ---- */
void sn_world_collect(const sn_world *world, double *compact, double *full) {
    const sn_active *active = world->solid->active;
    sn_slaves_give(&active->hanging, compact);
    for (size_t i = 0; i < (size_t)active->count; ++i)
        for (size_t c = 0; c < 3; ++c) full[3 * (size_t)active->full[i] + c] += compact[3 * i + c];
}

void sn_world_trace(sn_world *world, double m, double d, double k, double *out) {
    sn_adaptive *a = world->adaptive;
    sn_linear_trace(world->workspace.linear, m, d, k, a ? a->right : out);
    if (!a) return;
    const sn_active *active = world->solid->active;
    memset(out, 0, (size_t)world->model->node_count * sizeof *out);
    for (int i = 0; i < active->count; ++i)
        if (!active->slaved[active->full[i]]) out[active->full[i]] = a->right[i];
}

void sn_world_product(sn_world *world, double m, double d, double k, const double *u, double *out) {
    double *from = room_of(world, false), *to = room_of(world, true);
    sn_linear_product(world->workspace.linear, m, d, k, enter(world, u, from), way_out(world, out, to));
    leave(world, to, out);
}

void sn_world_elements_product(sn_world *world, double d, double k, const double *u, double *out) {
    double *from = room_of(world, false), *to = room_of(world, true);
    sn_linear_elements_product(world->workspace.linear, d, k, enter(world, u, from), way_out(world, out, to));
    leave(world, to, out);
}

/* ---- Blocks ---- */
/* Writes the blocks of `from` at free nodes to `to`, or counts them. */
static int64_t translate(const sn_world *world, const sn_block_list *from, sn_block_list *to) {
    const int32_t *compact = world->solid->active->compact;
    int64_t count = 0;
    for (int b = 0; b < from->count; ++b) {
        sn_carriers r, c;
        r.count = c.count = 0;
        sn_world_carriers(world, from->row[b], 1, &r);
        sn_world_carriers(world, from->column[b], 1, &c);
        for (int i = 0; i < r.count; ++i)
            for (int j = 0; j < c.count; ++j) {
                if (compact[r.node[i]] < 0 || compact[c.node[j]] < 0) continue;
                ++count;
                if (!to) continue;
                double *block = sn_block_append(to, compact[r.node[i]], compact[c.node[j]]);
                for (int k = 0; k < 9; ++k) block[k] = r.weight[i] * c.weight[j] * from->value[9 * (size_t)b + k];
            }
    }
    return count;
}

static sn_status take_blocks(sn_world *world, const sn_block_list *from, sn_block_list *to, sn_error *error) {
    sn_block_list_clear(to);
    const sn_status status = sn_block_list_reserve(world->context, to, translate(world, from, NULL), error);
    if (!status) translate(world, from, to);
    return status;
}

sn_status sn_world_blocks(sn_world *world, sn_listed_blocks *listed, sn_error *error) {
    const sn_block_list *K = &world->workspace.stiffness, *D = &world->workspace.damping;
    sn_adaptive *a = world->adaptive;
    *listed = (sn_listed_blocks){K->count ? K : NULL, D->count ? D : NULL, world->solid->rayleigh};
    if (!a) return SN_OK;
    sn_status status = take_blocks(world, K, &a->stiffness, error);
    if (!status) status = take_blocks(world, D, &a->damping, error);
    *listed = (sn_listed_blocks){a->stiffness.count ? &a->stiffness : NULL, a->damping.count ? &a->damping : NULL,
                                 world->solid->active->rayleigh};
    return status;
}

sn_status sn_world_linearise(sn_world *world, const sn_element_view *view, bool again, sn_error *error) {
    sn_listed_blocks listed;
    const sn_status status = sn_world_blocks(world, &listed, error);
    if (status) return status;
    sn_linear *linear = world->workspace.linear;
    if (again)
        sn_linear_relist(linear, listed.stiffness, listed.damping);
    else
        sn_linear_linearise(linear, view, listed.stiffness, listed.damping, listed.rayleigh);
    return SN_OK;
}

/* ---- Solves ---- */
static void expect(sn_world *world, const sn_solve *s) {
    const double *direction[SN_SPAN];
    const int count = s->expected < SN_SPAN ? s->expected : SN_SPAN;
    for (int i = 0; i < count; ++i)
        direction[i] = enter(world, s->direction[i], world->adaptive ? world->adaptive->direction[i] : NULL);
    if (count > 0) sn_linear_expect(world->workspace.linear, count, direction);
}

sn_status sn_world_linear_solve(sn_world *world, const sn_solve *s, sn_linear_report *report, sn_error *error) {
    expect(world, s);
    const sn_bordered system = {s->m, s->d, s->k, NULL, s->tolerance};
    if (!world->solid->elements.coarse || !s->at) return sn_world_solve_for(world, &system, s->b, s->x, report, error);
    return sn_linear_solve_corotated(world->workspace.linear, s->m, s->d, s->k, sn_interactions_filter(world, NULL),
                                     s->at, s->b, s->x, s->tolerance, report, error);
}

sn_status sn_world_solve_for(sn_world *world, const sn_bordered *s, const double *f, double *x,
                             sn_linear_report *report, sn_error *error) {
    const sn_active *active = world->solid->active;
    double *right = room_of(world, false), *solution = room_of(world, true);
    const sn_filter *filter;
    sn_status status = take_filter(world, &filter, error);
    if (status) return status;
    if (active) {
        double *full = world->adaptive->force; /* forces on slaves go to their parents */
        sn_vector_copy(world->context, 3 * world->model->node_count, f, full);
        sn_active_give(active, full);
        enter(world, full, right), enter(world, x, solution);
        sn_slaves_clear(&active->hanging, solution);
        f = right;
    }
    status = sn_linear_solve(world->workspace.linear, s->m, s->d, s->k, filter, f, way_out(world, x, solution),
                             s->tolerance, report, error);
    if (!active || (status && status != SN_NOT_CONVERGED)) return status;
    sn_active_spread(active, solution, x);
    sn_active_follow(active, x);
    return status;
}
