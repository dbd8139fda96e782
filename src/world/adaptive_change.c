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
    const sn_adaptive *a = world->adaptive;
    double *own = sn_state_part(&world->state, "active");
    for (int i = 0; i < a->count; own += a->body[i++].forest.count)
        for (int t = 0; t < a->body[i].forest.count; ++t)
            own[t] = a->body[i].forest.refined[t] ? REFINED + QUIET * (double)a->body[i].quiet[t] : 0;
}

/* Takes the wanted set of a body and its counts from the state. Returns whether the set is the present one. */
static bool take_body(sn_adaptive_body *a, const double *own) {
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

static bool take_state(sn_world *world) {
    const sn_adaptive *a = world->adaptive;
    const double *own = sn_state_part(&world->state, "active");
    bool same = true;
    for (int i = 0; i < a->count; own += a->body[i++].forest.count) same = take_body(&a->body[i], own) && same;
    return same;
}

static bool set_wanted(sn_world *world) {
    bool possible = true;
    for (int i = 0; i < world->adaptive->count; ++i)
        possible = sn_forest_set(&world->adaptive->body[i].forest, world->adaptive->body[i].wanted) && possible;
    return possible;
}

sn_status sn_adaptive_restore(sn_world *world, sn_error *error) {
    if (!world->adaptive) return SN_OK;
    if (!take_state(world)) {
        if (!set_wanted(world))
            return sn_fail(error, SN_BAD_INPUT, "the state is damaged: its active set is impossible");
        const sn_status status = sn_world_reactivate(world, false, error);
        if (status) return status;
    }
    sn_details_restore(world);
    return SN_OK;
}

/* ---- Choice ---- */
/* The largest measure of the eight children of a tet, all leaves. */
static double largest_child(const sn_adaptive_body *a, const double *value_of, int tet) {
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
static bool is_smooth(const sn_world *world, const sn_adaptive_body *a, int tet) {
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
static double lower_threshold(const sn_adaptive_body *a, const double *value_of, sn_keyed *list) {
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
static int list_coarse(const sn_world *world, sn_adaptive_body *a, double below, int32_t *list) {
    const double *value_of = a->value_of;
    int count = 0;
    for (int t = 0; t < a->forest.count; ++t) {
        const bool may = sn_forest_can_coarsen(&a->forest, t) && !a->kept[t];
        if (!may || largest_child(a, value_of, t) >= below) {
            a->quiet[t] = 0;
            continue;
        }
        if (a->quiet[t] < a->options.wait) ++a->quiet[t];
        if (a->quiet[t] == a->options.wait && is_smooth(world, a, t)) list[count++] = t;
    }
    return count;
}

/* Lists the leaves above the threshold, the largest first. */
static int list_fine(const sn_adaptive_body *a, const double *value_of, const int32_t *coarse, int coarse_count,
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
/* The nodes of a body: [begin, end). */
typedef struct span {
    size_t begin, end;
} span;

static span nodes_of(const sn_world *world, const sn_adaptive_body *a) {
    const sn_body *body = &world->model->body[a->body];
    return (span){(size_t)body->node_first, (size_t)body->node_first + (size_t)body->mesh->node_count};
}

static void momentum_of(const sn_world *world, span nodes, double linear[3], double angular[3]) {
    const double *mass = world->solid->mass;
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (size_t i = nodes.begin; i < nodes.end; ++i) {
        double p[3], turn[3];
        for (size_t c = 0; c < 3; ++c) p[c] = mass[i] * world->state.v[3 * i + c];
        sn_cross3(world->state.x + 3 * i, p, turn);
        for (int c = 0; c < 3; ++c) linear[c] += p[c], angular[c] += turn[c];
    }
}

static void mark_tet(sn_world *world, const sn_forest *forest, int tet) {
    for (int i = 0; i < 10; ++i) world->adaptive->touched[forest->node[10 * (size_t)tet + (size_t)i]] = 1;
}

/* Puts the slaves of the present forests between their parents, unless their details are frozen, and gives them the
 * mean velocity. v may be NULL. */
static void follow(const sn_world *world, double *x, double *v) {
    const sn_levels *levels = &world->model->levels;
    for (int32_t at = levels->begin[1]; at < levels->begin[levels->count]; ++at) {
        const sn_adaptive_body *body = sn_adaptive_at(world, levels->node[at]);
        if (!body || sn_forest_kind(&body->forest, levels->node[at]) == SN_NODE_FREE) continue;
        const size_t own = 3 * (size_t)levels->node[at], p = 3 * (size_t)levels->parent[2 * (size_t)at],
                     q = 3 * (size_t)levels->parent[2 * (size_t)at + 1];
        double *const vector[2] = {body->frame ? NULL : x, v};
        for (int k = 0; k < 2; ++k)
            for (size_t c = 0; c < 3 && vector[k]; ++c)
                vector[k][own + c] = 0.5 * (vector[k][p + c] + vector[k][q + c]);
    }
}

/* Coarsens the listed tets of a body and gives the momentum of the details that go to the parents. */
static void coarsen(sn_world *world, sn_adaptive_body *a) {
    const sn_levels *levels = &world->model->levels;
    const span nodes = nodes_of(world, a);
    const int32_t *list = a->coarse;
    const int count = a->coarse_count;
    double *mass = world->adaptive->weight, *impulse = world->adaptive->impulse, *v = world->state.v;
    if (!count) return;
    for (size_t i = nodes.begin; i < nodes.end; ++i) mass[i] = world->solid->mass[i];
    memset(impulse + 3 * nodes.begin, 0, 3 * (nodes.end - nodes.begin) * sizeof *impulse);
    for (int k = 0; k < count; ++k) sn_forest_coarsen(&a->forest, list[k]), mark_tet(world, &a->forest, list[k]);
    for (int k = 0; k < count; ++k)
        for (int e = 4; e < 10; ++e) {
            const int32_t node = a->forest.node[10 * (size_t)list[k] + (size_t)e];
            const int32_t *parent = levels->parent + 2 * (size_t)levels->place[node];
            const size_t own = 3 * (size_t)node, p = 3 * (size_t)parent[0], q = 3 * (size_t)parent[1];
            if (!(mass[node] > 0) || sn_forest_kind(&a->forest, node) == SN_NODE_FREE) continue;
            for (size_t c = 0; c < 3; ++c) {
                const double share = 0.5 * mass[node] * (v[own + c] - 0.5 * (v[p + c] + v[q + c]));
                impulse[p + c] += share, impulse[q + c] += share;
            }
            mass[parent[0]] += 0.5 * mass[node], mass[parent[1]] += 0.5 * mass[node];
            mass[node] = 0;
        }
    for (size_t i = 3 * nodes.begin; i < 3 * nodes.end; ++i)
        if (impulse[i] != 0) v[i] += impulse[i] / mass[i / 3];
}

/* Refines the listed tets of a body, the first ones first. */
static void refine(sn_world *world, sn_adaptive_body *a) {
    a->report.refined = a->report.refused = 0;
    for (int i = 0; i < a->fine_count; ++i) {
        const bool done = sn_forest_refine(&a->forest, a->fine[i].index, a->options.budget);
        a->report.refused += !done;
        for (int k = 0; k < a->forest.journal_count; ++k) {
            mark_tet(world, &a->forest, a->forest.journal[k]);
            a->quiet[a->forest.journal[k]] = 0;
        }
        a->report.refined += a->forest.journal_count;
    }
}

/* Turns the touched nodes of a body about their centre of mass, so that the angular momentum is what it was. */
static void restore_angular(sn_world *world, span nodes, const double angular[3]) {
    const uint8_t *touched = world->adaptive->touched;
    const double *mass = world->solid->mass, *x = world->state.x;
    double now[3], linear[3], total = 0, centre[3] = {0}, I[9] = {0}, inverse[9] = {0}, gap[3], w[3], trace;
    momentum_of(world, nodes, linear, now);
    for (size_t i = nodes.begin; i < nodes.end; ++i) {
        if (!touched[i]) continue;
        total += mass[i];
        for (size_t c = 0; c < 3; ++c) centre[c] += mass[i] * x[3 * i + c];
    }
    if (!(total > 0)) return;
    for (int c = 0; c < 3; ++c) centre[c] /= total, gap[c] = angular[c] - now[c];
    for (size_t i = nodes.begin; i < nodes.end; ++i) {
        if (!touched[i]) continue;
        double r[3];
        sn_subtract3(x + 3 * i, centre, r);
        for (int p = 0; p < 3; ++p)
            for (int q = 0; q < 3; ++q) I[3 * p + q] += mass[i] * ((p == q ? sn_dot3(r, r) : 0) - r[p] * r[q]);
    }
    trace = I[0] + I[4] + I[8];
    if (!(sn_determinant3(I) > 1e-12 * trace * trace * trace)) return; /* the nodes lie in a line */
    sn_inverse3(I, inverse);
    sn_multiply_vector3(inverse, gap, w);
    for (size_t i = nodes.begin; i < nodes.end; ++i) {
        double r[3], turn[3];
        if (!touched[i] || !(mass[i] > 0)) continue;
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

/* ---- What must stay fine ---- */
/* Writes the way that each node would take if the listed tets were coarsened. */
static void take_ways(sn_world *world, double *x, double *d) {
    const sn_adaptive *a = world->adaptive;
    const int n = 3 * world->model->node_count;
    for (int i = 0; i < a->count; ++i)
        for (int k = 0; k < a->body[i].coarse_count; ++k) sn_forest_coarsen(&a->body[i].forest, a->body[i].coarse[k]);
    memcpy(x, world->state.x, (size_t)n * sizeof *x);
    follow(world, x, NULL);
    for (int j = 0; j < n; ++j) d[j] = x[j] - world->state.x[j];
    for (int i = 0; i < a->count; ++i)
        for (int k = 0; k < a->body[i].coarse_count; ++k)
            sn_forest_refine(&a->body[i].forest, a->body[i].coarse[k], INT32_MAX);
}

/* Takes the tets with a marked mid node from the list of a body. Returns how many they were. */
static int strike(sn_adaptive_body *a, const uint8_t *stay) {
    int kept = 0, struck = 0;
    for (int k = 0; k < a->coarse_count; ++k) {
        bool stays = false;
        for (int e = 4; e < 10; ++e) stays = stays || stay[a->forest.node[10 * (size_t)a->coarse[k] + (size_t)e]];
        if (!stays) a->coarse[kept++] = a->coarse[k];
        struck += stays;
    }
    a->coarse_count = kept;
    return struck;
}

/* Takes tets from the lists until the interactions agree with the ways of all nodes. A node moves because a mid node of
 * a listed tet does, which is the node itself or one of those that it lies between. */
static void keep_fine(sn_world *world) {
    sn_adaptive *a = world->adaptive;
    const sn_levels *levels = &world->model->levels;
    double *x = world->workspace.scaled, *d = world->workspace.product;
    uint8_t *stay = a->touched;
    for (int struck = 1; struck > 0 && sn_interactions_keeps(world);) {
        struck = 0;
        for (int i = 0; i < a->count; ++i) struck += a->body[i].coarse_count;
        if (!struck) return;
        take_ways(world, x, d);
        memset(stay, 0, (size_t)world->model->node_count);
        sn_interactions_keep(world, world->state.x, d, stay);
        for (int32_t at = levels->begin[levels->count] - 1; at >= levels->begin[1]; --at)
            if (stay[levels->node[at]])
                stay[levels->parent[2 * (size_t)at]] = stay[levels->parent[2 * (size_t)at + 1]] = 1;
        struck = 0;
        for (int i = 0; i < a->count; ++i) struck += strike(&a->body[i], stay);
    }
}

/* Changes the forests, and the velocities of what is coarsened. Returns whether a forest changed. */
static bool change_forests(sn_world *world) {
    sn_adaptive *a = world->adaptive;
    bool changed = false;
    memset(a->touched, 0, (size_t)world->model->node_count);
    for (int i = 0; i < a->count; ++i) {
        sn_adapt_report *r = &a->body[i].report;
        if (!a->body[i].coarse_count && !a->body[i].fine_count) continue;
        momentum_of(world, nodes_of(world, &a->body[i]), r->momentum_before, r->angular_before);
        coarsen(world, &a->body[i]);
        r->coarsened = a->body[i].coarse_count;
        changed = changed || r->coarsened;
    }
    if (changed) follow(world, world->state.x, world->state.v); /* refining may make some of these nodes free again */
    for (int i = 0; i < a->count; ++i) {
        refine(world, &a->body[i]);
        changed = changed || a->body[i].report.refined;
    }
    return changed;
}

/* The history of a method of order 2 or more is the motion of the set before: the method starts anew. That of implicit
 * Euler is a guess. The account of the judge stays. */
static void restart(sn_world *world) {
    const sn_state *state = &world->state;
    if (world->parameters.method->order < 2) return;
    memset(state->history, 0, (size_t)(state->history_count - SN_JUDGE_NUMBERS) * sizeof *state->history);
}

static sn_status change(sn_world *world, sn_error *error) {
    sn_adaptive *a = world->adaptive;
    sn_energies before, after;
    const double began = sn_seconds();
    keep_fine(world);
    sn_status status = take_energy(world, &before, error);
    if (status || !change_forests(world)) return status;
    status = sn_world_reactivate(world, true, error);
    if (status) return status;
    for (int i = 0; i < a->count; ++i)
        restore_angular(world, nodes_of(world, &a->body[i]), a->body[i].report.angular_before);
    sn_world_constrain(world, world->state.time, NULL, world->state.v, NULL);
    memcpy(world->workspace.x_before, world->state.x, 3 * (size_t)world->model->node_count * sizeof(double));
    restart(world);
    sn_memory_refresh(world);
    status = take_energy(world, &after, error);
    for (int i = 0; i < a->count; ++i) {
        sn_adapt_report *r = &a->body[i].report;
        if (!r->refined && !r->coarsened) continue;
        momentum_of(world, nodes_of(world, &a->body[i]), r->momentum_after, r->angular_after);
        r->energy_before = before, r->energy_after = after;
        r->all_refined += r->refined, r->all_coarsened += r->coarsened;
        ++r->changes;
        r->seconds = sn_seconds() - began;
    }
    return status;
}

/* Lists what the measure of a body asks for. Returns whether it was looked at in this step. */
static bool look(sn_world *world, sn_adaptive_body *a) {
    a->report.refined = a->report.coarsened = 0;
    a->coarse_count = a->fine_count = 0;
    if (!sn_adaptive_measures(a) || world->state.steps % a->options.every != 0) return false;
    sn_adaptive_measure(world, a, world->adaptive->room, a->value);
    spreading s = {.value = a->value, .value_of = a->value_of};
    sn_forest_leaves(&a->forest, spread_value, &s);
    const double below = lower_threshold(a, a->value_of, a->fine);
    a->coarse_count = list_coarse(world, a, below, a->coarse);
    a->fine_count = list_fine(a, a->value_of, a->coarse, a->coarse_count, a->fine);
    return true;
}

sn_status sn_adaptive_step(sn_world *world, sn_error *error) {
    sn_adaptive *a = world->adaptive;
    bool looked = false, wanted = false;
    if (!a) return SN_OK;
    sn_details_step(world);
    for (int i = 0; i < a->count; ++i) {
        looked = look(world, &a->body[i]) || looked;
        wanted = wanted || a->body[i].coarse_count || a->body[i].fine_count;
    }
    const sn_status status = wanted ? change(world, error) : SN_OK;
    if (status) { /* no memory: back to the set before */
        take_state(world);
        set_wanted(world);
        return status;
    }
    if (looked) sn_adaptive_note(world);
    return SN_OK;
}

sn_status sn_world_active(const sn_world *world, int body, int32_t *leaf, int32_t *level) {
    const sn_adaptive_body *own = sn_adaptive_find(world, body);
    if (!own) return SN_NOT_FOUND;
    const sn_active *active = world->solid->active;
    const sn_body *b = &world->model->body[body];
    for (int e = 0; e < b->mesh->tet_count; ++e) {
        const int32_t at = active->leaf[b->element_first + e];
        if (leaf) leaf[e] = at - active->begin[body];
        if (level) level[e] = own->forest.levels - active->depth[at];
    }
    return SN_OK;
}

sn_status sn_world_adapt_report(const sn_world *world, int body, sn_adapt_report *report) {
    const sn_adaptive_body *own = sn_adaptive_find(world, body);
    if (!own) return SN_NOT_FOUND;
    const sn_active *active = world->solid->active;
    const span nodes = nodes_of(world, own);
    *report = own->report;
    report->active = own->forest.leaf_count;
    report->finest = world->model->body[body].mesh->tet_count;
    report->unknowns = report->hanging = 0;
    for (size_t i = nodes.begin; i < nodes.end; ++i) {
        if (active->compact[i] < 0) continue;
        report->hanging += active->slaved[i];
        report->unknowns += active->slaved[i] ? 0 : 3;
    }
    report->made_tets = world->solid->elements.made;
    report->made_rows = sn_linear_pattern(world->workspace.linear)->made;
    return SN_OK;
}
