/* Between the numbers of the model and the compact numbers of the linear solver of an adaptive world. See adaptive.h.
 */
#include <string.h>

#include "adaptive.h"
#include "base/vector.h"
#include "inside.h"

void sn_world_constrain(sn_world *world, double t, double *x, double *v, double *a) {
    sn_interactions_prescribe(world, t, x, v, a);
    if (!world->adaptive) return;
    const sn_active *active = world->solid->active;
    if (x) sn_active_place(active, world->adaptive->offset, x);
    if (v) sn_active_follow(active, v);
    if (a) sn_active_follow(active, a);
}

/* ---- Mass: lumped, 0 at slaves ---- */
void sn_world_mass_product(const sn_world *world, const double *v, double *out) {
    if (!world->adaptive) {
        sn_linear_mass_product(world->workspace.linear, v, out);
        return;
    }
    const double *mass = world->solid->mass;
    for (int i = 0; i < 3 * world->model->node_count; ++i) out[i] = mass[i / 3] * v[i];
}

double sn_world_kinetic(const sn_world *world, const double *v, double *scratch) {
    if (!world->adaptive) return sn_linear_kinetic(world->workspace.linear, v, scratch);
    return 0.5 * sn_vector_weighted(world->context, world->model->node_count, world->solid->mass, v, v);
}

sn_status sn_world_mass_solve(sn_world *world, const double *f, double *out, sn_error *error) {
    const sn_filter *filter = sn_interactions_filter(world, NULL);
    if (!world->adaptive) return sn_linear_mass_solve(world->workspace.linear, filter, f, out, error);
    const sn_active *active = world->solid->active;
    const double *mass = world->solid->mass;
    const int n = 3 * world->model->node_count;
    if (out != f) sn_vector_copy(world->context, n, f, out);
    sn_active_give(active, out);
    for (int i = 0; i < n; ++i) out[i] = mass[i / 3] > 0 ? out[i] / mass[i / 3] : 0;
    sn_filter_apply(filter, out);
    sn_active_follow(active, out);
    return SN_OK;
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

/* Copies the free nodes of a compact vector; all others get 0. */
static void spread_free(const sn_world *world, double *compact, double *full) {
    sn_slaves_clear(&world->solid->active->hanging, compact);
    sn_vector_zero(world->context, 3 * world->model->node_count, full);
    sn_active_spread(world->solid->active, compact, full);
}

void sn_world_product(sn_world *world, double m, double d, double k, const double *u, double *out) {
    sn_linear *linear = world->workspace.linear;
    sn_adaptive *a = world->adaptive;
    if (!a) {
        sn_linear_product(linear, m, d, k, u, out);
        return;
    }
    sn_active_gather(world->solid->active, u, a->right);
    sn_linear_product(linear, m, d, k, a->right, a->solution);
    spread_free(world, a->solution, out);
}

void sn_world_elements_product(sn_world *world, double d, double k, const double *u, double *out) {
    sn_linear *linear = world->workspace.linear;
    sn_adaptive *a = world->adaptive;
    if (!a) {
        sn_linear_elements_product(linear, d, k, u, out);
        return;
    }
    sn_active_gather(world->solid->active, u, a->right);
    sn_linear_elements_product(linear, d, k, a->right, a->solution);
    spread_free(world, a->solution, out);
}

/* ---- Blocks ---- */
enum { CARRIERS = 24 };

/* The free nodes that carry a node, with their weights, as compact numbers. */
typedef struct carriers {
    int count;
    int32_t node[CARRIERS];
    double weight[CARRIERS];
} carriers;

static void add_carriers(const sn_world *world, int32_t node, double weight, carriers *c) {
    const sn_active *active = world->solid->active;
    if (active->slaved[node]) {
        const sn_levels *levels = &world->model->levels;
        for (size_t k = 0; k < 2; ++k)
            add_carriers(world, levels->parent[2 * (size_t)levels->place[node] + k], 0.5 * weight, c);
        return;
    }
    const int32_t own = active->compact[node];
    int i = 0;
    while (i < c->count && c->node[i] != own) ++i;
    if (i == CARRIERS || own < 0) return;
    if (i == c->count) c->node[c->count] = own, c->weight[c->count++] = 0;
    c->weight[i] += weight;
}

/* Writes the blocks of `from` at free nodes to `to`, or counts them. */
static int64_t translate(const sn_world *world, const sn_block_list *from, sn_block_list *to) {
    int64_t count = 0;
    for (int b = 0; b < from->count; ++b) {
        carriers r = {0}, c = {0};
        add_carriers(world, from->row[b], 1, &r);
        add_carriers(world, from->column[b], 1, &c);
        count += (int64_t)r.count * c.count;
        for (int i = 0; i < r.count && to; ++i)
            for (int j = 0; j < c.count; ++j) {
                double *block = sn_block_append(to, r.node[i], c.node[j]);
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
/* The constraints of the free nodes, and the slaves, which are held: both lists are ascending. */
static const sn_filter *translate_filter(sn_world *world, const sn_filter *filter) {
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
    a->filter = (sn_filter){.count = count, .node = a->held, .projection = a->projection};
    return &a->filter;
}

static void expect(sn_world *world, const sn_solve *s) {
    sn_adaptive *a = world->adaptive;
    const int count = s->expected < SN_SPAN ? s->expected : SN_SPAN;
    for (int i = 0; i < count; ++i) sn_active_gather(world->solid->active, s->direction[i], a->direction[i]);
    if (count > 0) sn_linear_expect(world->workspace.linear, count, (const double *const *)a->direction);
}

sn_status sn_world_linear_solve(sn_world *world, const sn_solve *s, sn_linear_report *report, sn_error *error) {
    sn_linear *linear = world->workspace.linear;
    const sn_filter *filter = sn_interactions_filter(world, NULL);
    sn_adaptive *a = world->adaptive;
    if (!a) {
        if (s->expected > 0) sn_linear_expect(linear, s->expected, s->direction);
        return world->solid->elements.coarse && s->at
                   ? sn_linear_solve_corotated(linear, s->m, s->d, s->k, filter, s->at, s->b, s->x, s->tolerance,
                                               report, error)
                   : sn_linear_solve(linear, s->m, s->d, s->k, filter, s->b, s->x, s->tolerance, report, error);
    }
    const sn_active *active = world->solid->active;
    expect(world, s);
    sn_active_gather(active, s->b, a->right);
    sn_active_gather(active, s->x, a->solution);
    sn_slaves_clear(&active->hanging, a->right);
    sn_slaves_clear(&active->hanging, a->solution);
    const sn_status status = sn_linear_solve(linear, s->m, s->d, s->k, translate_filter(world, filter), a->right,
                                             a->solution, s->tolerance, report, error);
    if (status && status != SN_NOT_CONVERGED) return status;
    sn_active_spread(active, a->solution, s->x);
    sn_active_follow(active, s->x);
    return status;
}
