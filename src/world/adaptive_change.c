/* Changes of the active set between two steps: which tets are refined and coarsened, and what becomes of the motion.
 *
 * Every `every` steps the measure of each leaf is compared with two thresholds. A tet takes the place of its children
 * when all of them stayed below the lower one for `wait` checks in a row, and when the details of the nodes that go are
 * small. Then leaves above the upper one are refined, the largest first, as far as the budget goes. A tet that was just
 * coarsened is not refined in the same check, unless the rule of the forest demands it.
 *
 * Refining moves nothing: new nodes lie where they lay, at the mean of their parents, with the mean velocity; their
 * details start at 0. Coarsening drops details. With the detail w = v_h - (v_p + v_q) / 2 of the velocity of a node
 * that becomes a slave,
 *
 *   m'_p v'_p = m'_p v_p + m_h w / 2,   the same for q,   m' = T^T m
 *
 * keeps the momentum, and changes nothing in a rigid motion. Either kind changes the moment of inertia of the lumped
 * mass, and dropped positions move mass. So a rotation of the nodes of the changed tets about their centre of mass,
 * I w = L - L', restores the angular momentum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adaptive.h"
#include "base/math3.h"
#include "base/sorted.h"
#include "inside.h"
#include "time/judge.h"

enum { REFINED = 1, QUIET = 2 }; /* a number of the state: REFINED + QUIET x checks below the threshold */

/* ---- State ---- */
void sn_adaptive_note(const sn_world *world) {
    const sn_forest *f = &world->adaptive->forest;
    double *own = sn_state_part(&world->state, "active");
    for (int t = 0; t < f->count; ++t) own[t] = f->refined[t] ? REFINED + QUIET * (double)world->adaptive->quiet[t] : 0;
}

/* Takes the wanted set and the counts from the state. Returns whether the set is the present one. */
static bool take_state(sn_world *world) {
    sn_adaptive *a = world->adaptive;
    const double *own = sn_state_part(&world->state, "active");
    bool same = true;
    for (int t = 0; t < a->forest.count; ++t) {
        const bool sane = own[t] >= 0 && own[t] < 1e9;
        const int32_t number = sane ? (int32_t)own[t] : 0;
        a->wanted[t] = number & REFINED;
        a->quiet[t] = number / QUIET;
        same = same && a->wanted[t] == a->forest.refined[t];
    }
    return same;
}

sn_status sn_adaptive_restore(sn_world *world, sn_error *error) {
    sn_adaptive *a = world->adaptive;
    if (!a) return SN_OK;
    if (!take_state(world)) {
        if (!sn_forest_set(&a->forest, a->wanted))
            return sn_fail(error, SN_BAD_INPUT, "the state is damaged: its active set is impossible");
        const sn_status status = sn_world_reactivate(world, false, error);
        if (status) return status;
    }
    sn_details_restore(world);
    return SN_OK;
}

/* ---- Choice ---- */
/* The largest measure of the eight children of a tet, all leaves. */
static double largest_child(const sn_adaptive *a, const double *value_of, int tet) {
    double most = 0;
    const int child = sn_forest_child(&a->forest, tet);
    for (int c = 0; c < 8; ++c) most = fmax(most, value_of[child + c]);
    return most;
}

static double length(const double *x, int32_t i, int32_t j) {
    double d[3];
    sn_subtract3(x + 3 * (size_t)i, x + 3 * (size_t)j, d);
    return sn_norm3(d);
}

/* Whether the details that a coarsening drops are small parts of their edges. */
static bool is_smooth(const sn_world *world, int tet) {
    const sn_adaptive *a = world->adaptive;
    const int32_t *node = a->forest.node + 10 * (size_t)tet;
    const double *x = world->state.x;
    const sn_levels *levels = &world->model->levels;
    for (int e = 4; e < 10; ++e) {
        const int32_t *parent = levels->parent + 2 * (size_t)levels->place[node[e]];
        double d[3];
        for (int c = 0; c < 3; ++c)
            d[c] = x[3 * (size_t)node[e] + (size_t)c] -
                   0.5 * (x[3 * (size_t)parent[0] + (size_t)c] + x[3 * (size_t)parent[1] + (size_t)c]);
        if (sn_norm3(d) > a->options.detail * length(x, parent[0], parent[1])) return false;
    }
    return true;
}

/* Spreads the measures of the leaves to their tets: value_of has a number per tet of all levels. */
typedef struct spreading {
    const double *value;
    double *value_of;
    int leaf;
} spreading;

static void spread_value(void *data, int tet, int level) {
    spreading *s = data;
    (void)level;
    s->value_of[tet] = s->value[s->leaf++];
}

static bool is_leaf(const sn_forest *f, int tet) {
    const int parent = sn_forest_parent(f, tet);
    return !f->refined[tet] && (parent < 0 || f->refined[parent]);
}

/* The measure below which tets are coarsened. When more leaves want to be refined than the budget allows, the threshold
 * rises with the largest measure that must wait: quieter places make room, with the same hysteresis. */
static double lower_threshold(const sn_adaptive *a, const double *value_of, sn_keyed *list) {
    const sn_forest *f = &a->forest;
    const double coarsen = a->options.coarsen, refine = a->options.refine;
    const int room = (a->options.budget - f->leaf_count) / 7;
    int count = 0;
    for (int t = 0; t < f->count; ++t)
        if (value_of[t] > refine && is_leaf(f, t)) list[count++] = (sn_keyed){-value_of[t], t};
    if (count <= room) return coarsen;
    qsort(list, (size_t)count, sizeof *list, sn_compare_keyed);
    return fmax(coarsen, -list[room].key * (coarsen / refine));
}

/* Lists the tets to coarsen, and counts how long the others were quiet. */
static int list_coarse(sn_world *world, const double *value_of, double below, int32_t *list) {
    sn_adaptive *a = world->adaptive;
    int count = 0;
    for (int t = 0; t < a->forest.count; ++t) {
        const bool may = sn_forest_can_coarsen(&a->forest, t) && !a->kept[t];
        if (!may || largest_child(a, value_of, t) >= below) {
            a->quiet[t] = 0;
            continue;
        }
        if (a->quiet[t] < a->options.wait) ++a->quiet[t];
        if (a->quiet[t] == a->options.wait && is_smooth(world, t)) list[count++] = t;
    }
    return count;
}

/* Lists the leaves above the threshold, the largest first. */
static int list_fine(const sn_adaptive *a, const double *value_of, const int32_t *coarse, int coarse_count,
                     sn_keyed *list) {
    const sn_forest *f = &a->forest;
    int count = 0, next = 0;
    for (int t = 0; t < f->count; ++t) {
        while (next < coarse_count && coarse[next] < t) ++next;
        const bool just = next < coarse_count && coarse[next] == t;
        if (!just && is_leaf(f, t) && value_of[t] > a->options.refine) list[count++] = (sn_keyed){-value_of[t], t};
    }
    qsort(list, (size_t)count, sizeof *list, sn_compare_keyed);
    return count;
}

/* ---- Motion ---- */
static void momentum_of(const sn_world *world, const double *mass, double linear[3], double angular[3]) {
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (size_t i = 0; i < (size_t)world->model->node_count; ++i) {
        double p[3], turn[3];
        for (size_t c = 0; c < 3; ++c) p[c] = mass[i] * world->state.v[3 * i + c];
        sn_cross3(world->state.x + 3 * i, p, turn);
        for (int c = 0; c < 3; ++c) linear[c] += p[c], angular[c] += turn[c];
    }
}

static void mark_tet(sn_adaptive *a, int tet) {
    for (int i = 0; i < 10; ++i) a->touched[a->forest.node[10 * (size_t)tet + (size_t)i]] = 1;
}

/* Puts the slaves of the present forest between their parents, unless their details are frozen, and gives them the mean
 * velocity. */
static void follow(sn_world *world) {
    const sn_levels *levels = &world->model->levels;
    double *const vector[2] = {world->state.v, world->adaptive->offset ? NULL : world->state.x};
    for (int32_t at = levels->begin[1]; at < levels->begin[levels->count]; ++at) {
        if (sn_forest_kind(&world->adaptive->forest, levels->node[at]) == SN_NODE_FREE) continue;
        const size_t own = 3 * (size_t)levels->node[at], p = 3 * (size_t)levels->parent[2 * (size_t)at],
                     q = 3 * (size_t)levels->parent[2 * (size_t)at + 1];
        for (int k = 0; k < 2 && vector[k]; ++k)
            for (size_t c = 0; c < 3; ++c) vector[k][own + c] = 0.5 * (vector[k][p + c] + vector[k][q + c]);
    }
}

/* Coarsens the tets and gives the momentum of the details that go to the parents. */
static void coarsen(sn_world *world, const int32_t *list, int count) {
    sn_adaptive *a = world->adaptive;
    const sn_levels *levels = &world->model->levels;
    double *mass = a->weight, *v = world->state.v;
    if (!count) return;
    memcpy(mass, world->solid->mass, (size_t)world->model->node_count * sizeof *mass);
    memset(a->impulse, 0, 3 * (size_t)world->model->node_count * sizeof *a->impulse);
    for (int k = 0; k < count; ++k) sn_forest_coarsen(&a->forest, list[k]), mark_tet(a, list[k]);
    for (int k = 0; k < count; ++k)
        for (int e = 4; e < 10; ++e) {
            const int32_t node = a->forest.node[10 * (size_t)list[k] + (size_t)e];
            const int32_t *parent = levels->parent + 2 * (size_t)levels->place[node];
            const size_t own = 3 * (size_t)node, p = 3 * (size_t)parent[0], q = 3 * (size_t)parent[1];
            if (!(mass[node] > 0) || sn_forest_kind(&a->forest, node) == SN_NODE_FREE) continue;
            for (size_t c = 0; c < 3; ++c) {
                const double share = 0.5 * mass[node] * (v[own + c] - 0.5 * (v[p + c] + v[q + c]));
                a->impulse[p + c] += share, a->impulse[q + c] += share;
            }
            mass[parent[0]] += 0.5 * mass[node], mass[parent[1]] += 0.5 * mass[node];
            mass[node] = 0;
        }
    for (size_t i = 0; i < 3 * (size_t)world->model->node_count; ++i)
        if (a->impulse[i] != 0) v[i] += a->impulse[i] / mass[i / 3];
    follow(world); /* refining may make some of these nodes free again */
}

/* Turns the touched nodes about their centre of mass, so that the angular momentum is what it was. */
static void restore_angular(sn_world *world, const double angular[3]) {
    sn_adaptive *a = world->adaptive;
    const double *mass = world->solid->mass, *x = world->state.x;
    double now[3], linear[3], total = 0, centre[3] = {0}, I[9] = {0}, inverse[9], gap[3], w[3], trace;
    momentum_of(world, mass, linear, now);
    for (size_t i = 0; i < (size_t)world->model->node_count; ++i) {
        if (!a->touched[i]) continue;
        total += mass[i];
        for (size_t c = 0; c < 3; ++c) centre[c] += mass[i] * x[3 * i + c];
    }
    if (!(total > 0)) return;
    for (int c = 0; c < 3; ++c) centre[c] /= total, gap[c] = angular[c] - now[c];
    for (size_t i = 0; i < (size_t)world->model->node_count; ++i) {
        if (!a->touched[i]) continue;
        double r[3];
        sn_subtract3(x + 3 * i, centre, r);
        for (int p = 0; p < 3; ++p)
            for (int q = 0; q < 3; ++q) I[3 * p + q] += mass[i] * ((p == q ? sn_dot3(r, r) : 0) - r[p] * r[q]);
    }
    trace = I[0] + I[4] + I[8];
    if (!(sn_determinant3(I) > 1e-12 * trace * trace * trace)) return; /* the nodes lie in a line */
    sn_inverse3(I, inverse);
    sn_multiply_vector3(inverse, gap, w);
    for (size_t i = 0; i < (size_t)world->model->node_count; ++i) {
        double r[3], turn[3];
        if (!a->touched[i] || !(mass[i] > 0)) continue;
        sn_subtract3(x + 3 * i, centre, r);
        sn_cross3(w, r, turn);
        for (size_t c = 0; c < 3; ++c) world->state.v[3 * i + c] += turn[c];
    }
}

/* ---- The change ---- */
static sn_status take_energy(sn_world *world, sn_energies *energy, sn_error *error) {
    const sn_status status = sn_world_energies(world, energy, error);
    if (status != SN_INVERTED) return status;
    energy->elastic = energy->total = NAN;
    return SN_OK;
}

/* The history of a method of order 2 or more is the motion of the set before: the method starts anew. That of implicit
 * Euler is a guess. The account of the judge stays. */
static void restart(sn_world *world) {
    const sn_state *state = &world->state;
    if (world->parameters.method->order < 2) return;
    memset(state->history, 0, (size_t)(state->history_count - SN_JUDGE_NUMBERS) * sizeof *state->history);
}

static sn_status change(sn_world *world, const int32_t *coarse, int coarse_count, const sn_keyed *fine, int fine_count,
                        sn_error *error) {
    sn_adaptive *a = world->adaptive;
    sn_adapt_report *r = &a->report;
    const double began = sn_seconds();
    sn_status status = take_energy(world, &r->energy_before, error);
    if (status) return status;
    momentum_of(world, world->solid->mass, r->momentum_before, r->angular_before);
    memset(a->touched, 0, (size_t)world->model->node_count);
    coarsen(world, coarse, coarse_count);
    r->coarsened = coarse_count, r->refined = 0, r->refused = 0;
    for (int i = 0; i < fine_count; ++i) {
        const bool done = sn_forest_refine(&a->forest, fine[i].index, a->options.budget);
        r->refused += !done;
        for (int k = 0; k < a->forest.journal_count; ++k) {
            mark_tet(a, a->forest.journal[k]);
            a->quiet[a->forest.journal[k]] = 0;
        }
        r->refined += a->forest.journal_count;
    }
    if (!r->coarsened && !r->refined) return SN_OK;
    status = sn_world_reactivate(world, true, error);
    if (status) return status;
    restore_angular(world, r->angular_before);
    sn_world_constrain(world, world->state.time, NULL, world->state.v, NULL);
    memcpy(world->workspace.x_before, world->state.x, 3 * (size_t)world->model->node_count * sizeof(double));
    restart(world);
    sn_memory_refresh(world);
    momentum_of(world, world->solid->mass, r->momentum_after, r->angular_after);
    ++r->changes;
    r->all_refined += r->refined, r->all_coarsened += r->coarsened;
    status = take_energy(world, &r->energy_after, error);
    r->seconds = sn_seconds() - began;
    return status;
}

sn_status sn_adaptive_step(sn_world *world, sn_error *error) {
    sn_adaptive *a = world->adaptive;
    if (!a) return SN_OK;
    a->report.refined = a->report.coarsened = 0;
    sn_details_step(world);
    if (!*a->options.measure || strcmp(a->options.measure, "none") == 0 || world->state.steps % a->options.every != 0)
        return SN_OK;
    sn_adaptive_measure(world, a->room, a->value);
    spreading s = {.value = a->value, .value_of = a->value_of};
    sn_forest_leaves(&a->forest, spread_value, &s);
    const double below = lower_threshold(a, a->value_of, a->fine);
    const int coarse = list_coarse(world, a->value_of, below, a->coarse);
    const int fine = list_fine(a, a->value_of, a->coarse, coarse, a->fine);
    sn_status status = coarse || fine ? change(world, a->coarse, coarse, a->fine, fine, error) : SN_OK;
    if (status) { /* no memory: back to the set before */
        take_state(world);
        sn_forest_set(&a->forest, a->wanted);
        return status;
    }
    sn_adaptive_note(world);
    return SN_OK;
}

sn_status sn_world_active(const sn_world *world, int body, int32_t *leaf, int32_t *level) {
    if (!world->adaptive || body != 0) return SN_NOT_FOUND;
    const sn_active *active = world->solid->active;
    for (int e = 0; e < world->model->element_count; ++e) {
        if (leaf) leaf[e] = active->leaf[e];
        if (level) level[e] = world->adaptive->forest.levels - active->depth[active->leaf[e]];
    }
    return SN_OK;
}

sn_status sn_world_adapt_report(const sn_world *world, sn_adapt_report *report) {
    if (!world->adaptive) return SN_NOT_FOUND;
    *report = world->adaptive->report;
    report->active = world->adaptive->forest.leaf_count;
    report->finest = world->model->element_count;
    report->unknowns = 3 * (world->solid->active->count - world->solid->active->hanging.count);
    report->hanging = world->solid->active->hanging.count;
    report->made_tets = world->solid->elements.made;
    report->made_rows = sn_linear_pattern(world->workspace.linear)->made;
    return SN_OK;
}
