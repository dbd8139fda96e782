/* Tools of haptic devices as an interaction: their forces on the bodies. See tools.h; tools_edit.c has the functions of
 * haptic.h that edit them.
 *
 * A step by a method of higher order goes on as it is while a tool presses, because the spring is soft. Only a step in
 * which the tool begins or ends to press counts as one with contact (`touches`): the force has a kink there. */
#include "tools.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "inside.h"
#include "tools_edit.h"

sn_tools *sn_world_tools(const sn_world *world) {
    const sn_interaction *self = sn_interaction_of(world, &sn_kind_tools);
    return self ? self->data : NULL;
}

/* ---- Life ---- */

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    sn_tools *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    own->step = -1;
    for (int i = 0; i < options->tool_count; ++i) {
        const sn_status status = sn_tools_append(world, own, &options->tool[i], error);
        if (status) return sn_within(error, status, "tools.%d", i);
    }
    return SN_OK;
}

static void destroy(sn_world *world, sn_interaction *self) {
    sn_tools *own = self->data;
    if (!own) return;
    for (int i = 0; i < own->count; ++i) sn_tool_item_release(world, &own->item[i]);
    for (int b = 0; own->ground && b < world->model->body_count; ++b)
        sn_tools_ground_release(world->context, &own->ground[b]);
    sn_release(world->context, own->ground);
    sn_release(world->context, own->item);
    sn_release(world->context, own->solution);
    sn_release(world->context, own);
}

static int64_t numbers(const sn_world *world, const sn_interaction *self) {
    (void)world;
    const sn_tools *own = self->data;
    return (int64_t)own->count * SN_TOOL_NUMBERS;
}

/* The state was restored, or put elsewhere, or goes back to the start of a step that failed. */
static void refresh(sn_world *world, sn_interaction *self) {
    sn_tools *own = self->data;
    own->step = -1;
    if (!self->number) return;
    for (int i = 0; i < own->count; ++i) {
        sn_tool_numbers saved;
        memcpy(&saved, self->number + (size_t)i * SN_TOOL_NUMBERS, sizeof saved);
        sn_tools_recall(world, own, &own->item[i], &saved);
    }
}

static sn_status allows(const sn_world *world, const sn_interaction *self, const sn_method *method, sn_error *error) {
    const sn_tools *own = self->data;
    (void)world;
    for (int i = 0; i < own->count; ++i) {
        if (method->implicit || strcmp(own->item[i].options.buffer, "compliance") != 0) continue;
        const sn_status status = sn_fail_at(error, SN_UNSUPPORTED, "buffer",
                                            "buffer 'compliance' needs a method that solves linear systems, but "
                                            "time.method is '%s'; take 'plane' or 'patch'",
                                            method->name);
        return sn_within(error, status, "tools.%d", i);
    }
    return SN_OK;
}

/* ---- Steps ---- */

static void note(const sn_tools *own, double *number) {
    for (int i = 0; i < own->count; ++i)
        memcpy(number + (size_t)i * SN_TOOL_NUMBERS, &own->item[i].now, sizeof own->item[i].now);
}

/* The tools meet the surfaces in the first part of a step only. Later parts take the same places. */
static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    sn_tools *own = self->data;
    if (own->count == 0) return false;
    const bool first = own->step != world->state.steps;
    own->step = world->state.steps;
    for (int i = 0; i < own->count; ++i) {
        own->item[i].released = own->item[i].measured = false;
        own->item[i].rigour = 0;
        if (first) sn_tools_meet(world, own, &own->item[i], t, x, world->parameters.no_inertia ? NULL : v);
    }
    note(own, self->number);
    return false;
}

/* ---- The force of one tool ---- */

/* A tool at a place: the gap e and its rate w, and what they make. */
typedef struct meeting {
    double e[3], w[3], depth, rate, side[3];
} meeting;

static meeting meet(const sn_tool_item *item, const double *x, const double *v) {
    const sn_tool_numbers *now = &item->now;
    meeting m = {0};
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < item->count; ++i) {
            const size_t at = 3 * (size_t)item->node[i] + (size_t)a;
            m.e[a] += item->weight[i] * x[at];
            if (v) m.w[a] += item->weight[i] * v[at];
        }
        m.e[a] += now->radius * now->normal[a] - now->position[a];
        if (v) m.w[a] -= now->velocity[a];
    }
    m.depth = sn_dot3(m.e, now->normal), m.rate = sn_dot3(m.w, now->normal);
    for (int a = 0; a < 3; ++a) m.side[a] = m.e[a] - m.depth * now->normal[a];
    return m;
}

static sn_tool_law law_of(const sn_tool_item *item) {
    const sn_tool_options *o = &item->options;
    return (sn_tool_law){o->spring, o->damping, o->limit, o->friction};
}

static bool acts(const sn_tool_item *item) {
    return item->now.present != 0 && item->now.near != 0 && item->now.scale > 0;
}

/* Friction acts while the tool presses, from the second step on. */
static bool rubs(const sn_tool_item *item, const meeting *m) { return item->options.friction > 0 && m->depth > 0; }

void sn_tool_hand_force(const sn_tool_item *item, const double *x, const double *v, double force[3]) {
    const sn_tool_numbers *now = &item->now;
    force[0] = force[1] = force[2] = 0;
    if (!acts(item)) return;
    const sn_tool_law law = law_of(item);
    const meeting m = meet(item, x, v);
    if (now->clamped != 0) {
        sn_tool_pull(&law, now->scale, m.e, m.w, force, NULL);
        return;
    }
    const double N = sn_tool_press(&law, now->scale, m.depth, m.rate, NULL);
    const double stick = rubs(item, &m) && now->slips == 0 ? now->scale * law.spring : 0,
                 slip = rubs(item, &m) && now->slips != 0 ? 1 : 0;
    for (int a = 0; a < 3; ++a) force[a] = N * now->normal[a] + stick * m.side[a] + slip * now->friction[a];
}

static double energy_of(const sn_tool_item *item, const double *x) {
    const sn_tool_numbers *now = &item->now;
    if (!acts(item)) return 0;
    const sn_tool_law law = law_of(item);
    const meeting m = meet(item, x, NULL);
    if (now->clamped != 0) return sn_tool_pull_energy(&law, now->scale, m.e);
    double energy = sn_tool_press_energy(&law, now->scale, m.depth);
    if (rubs(item, &m) && now->slips == 0) energy += 0.5 * now->scale * law.spring * sn_dot3(m.side, m.side);
    if (rubs(item, &m) && now->slips != 0) energy += sn_dot3(now->friction, m.e);
    return energy;
}

/* B_K = df/de and B_D = df/dw of the force on the hand. Returns whether there are any. */
static bool slopes(const sn_tool_item *item, const double *x, const double *v, double K[9], double D[9]) {
    const sn_tool_numbers *now = &item->now;
    if (!acts(item)) return false;
    const sn_tool_law law = law_of(item);
    const meeting m = meet(item, x, v);
    double slope[2], f[3], G[9];
    if (now->clamped != 0) {
        sn_tool_pull(&law, now->scale, m.e, m.w, f, G);
        for (int i = 0; i < 9; ++i) K[i] = law.spring * G[i], D[i] = v ? law.damping * G[i] : 0;
        return true;
    }
    sn_tool_press(&law, now->scale, m.depth, m.rate, slope);
    const double stick = rubs(item, &m) && now->slips == 0 ? now->scale * law.spring : 0;
    for (int i = 0; i < 9; ++i) {
        const double nn = now->normal[i / 3] * now->normal[i % 3];
        K[i] = slope[0] * nn + stick * ((i % 4 == 0) - nn), D[i] = v ? slope[1] * nn : 0;
    }
    return slope[0] != 0 || slope[1] != 0 || stick != 0;
}

/* ---- Forces ---- */

static void push(const sn_tool_item *item, const double *x, const double *v, double *f) {
    double hand[3];
    sn_tool_hand_force(item, x, v, hand);
    for (int i = 0; i < item->count; ++i)
        for (int a = 0; a < 3; ++a) f[3 * (size_t)item->node[i] + (size_t)a] -= item->weight[i] * hand[a];
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)world;
    const sn_tools *own = self->data;
    for (int i = 0; i < own->count; ++i)
        if (place->ahead == 0 || !own->item[i].released) push(&own->item[i], place->x, place->v, f);
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    (void)world;
    const sn_tools *own = self->data;
    for (int i = 0; i < own->count; ++i) *energy += energy_of(&own->item[i], place->x);
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world, (void)damping;
    const sn_tools *own = self->data;
    int64_t count = 0;
    for (int i = 0; i < own->count; ++i) count += (int64_t)own->item[i].count * own->item[i].count;
    return count;
}

static void add_blocks(const sn_tool_item *item, const double B[9], sn_block_list *list) {
    for (int i = 0; i < item->count; ++i)
        for (int j = 0; j < item->count; ++j) {
            double *block = sn_block_append(list, item->node[i], item->node[j]);
            for (int k = 0; k < 9; ++k) block[k] = item->weight[i] * item->weight[j] * B[k];
        }
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)world, (void)exact;
    sn_tools *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        sn_tool_item *item = &own->item[i];
        double B[9], C[9], along[3];
        item->rigour = 0;
        if ((place->ahead > 0 && item->released) || !slopes(item, place->x, place->v, B, C)) continue;
        add_blocks(item, B, K);
        if (place->v && item->options.damping > 0) add_blocks(item, C, D);
        sn_multiply_vector3(B, item->now.normal, along);
        item->rigour = sn_dot3(along, item->now.normal);
    }
}

/* A step of one linear solve must not end with a tool that pulls. */
static bool release(sn_world *world, sn_interaction *self, double t, const double *x) {
    (void)world, (void)t;
    sn_tools *own = self->data;
    bool released = false;
    for (int i = 0; i < own->count; ++i) {
        sn_tool_item *item = &own->item[i];
        if (!acts(item) || item->released || item->now.clamped != 0 || item->now.touches == 0) continue;
        item->released = meet(item, x, NULL).depth < 0;
        released = released || item->released;
    }
    return released;
}

static bool touches(const sn_world *world, const sn_interaction *self, double t, const double *x) {
    (void)world, (void)t;
    const sn_tools *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        const sn_tool_item *item = &own->item[i];
        if (!acts(item) || item->now.clamped != 0) continue;
        if ((meet(item, x, NULL).depth > 0) != (item->now.touches != 0)) return true;
    }
    return false;
}

static void end(sn_world *world, sn_interaction *self, const sn_place *place) {
    (void)world;
    sn_tools *own = self->data;
    if (!place || own->count == 0) return;
    for (int i = 0; i < own->count; ++i) {
        double hand[3];
        sn_tool_hand_force(&own->item[i], place->x, place->v, hand);
        own->item[i].now.force = sn_dot3(hand, own->item[i].now.normal);
    }
    note(own, self->number);
}

/* ---- Compliance ---- */

static double along_normal(const sn_tool_item *item, const double C[9]) {
    double turned[3];
    sn_multiply_vector3(C, item->now.normal, turned);
    return sn_dot3(turned, item->now.normal);
}

/* C = k W A^-1 W^T with the matrix A = m M + d D + k K of the present solve, and without the tool's own spring along
 * the normal (Sherman and Morrison): C n n^T C / (1 / s - n^T C n) more, s = rigour. Links are left out. */
static sn_status measure(sn_world *world, sn_tools *own, sn_tool_item *item, const sn_bordered *system,
                         sn_linear_report *report, sn_error *error) {
    const size_t n = 3 * (size_t)world->model->node_count;
    double *row = world->workspace.scaled, C[9], Cn[3];
    for (size_t c = 0; c < 3; ++c) {
        memset(row, 0, n * sizeof *row);
        memset(own->solution, 0, n * sizeof *own->solution);
        for (int i = 0; i < item->count; ++i) row[3 * (size_t)item->node[i] + c] = item->weight[i];
        sn_linear_report one = {0};
        const sn_bordered loose = {system->m, system->d, system->k, NULL, fmax(system->tolerance, 1e-3)};
        const sn_status status = sn_world_solve_for(world, &loose, row, own->solution, &one, error);
        if (status && status != SN_NOT_CONVERGED) return status;
        report->iterations += one.iterations;
        report->setup_seconds += one.setup_seconds, report->solve_seconds += one.solve_seconds;
        for (size_t r = 0; r < 3; ++r) {
            double sum = 0;
            for (int i = 0; i < item->count; ++i) sum += item->weight[i] * own->solution[3 * (size_t)item->node[i] + r];
            C[3 * r + c] = system->k * sum;
        }
    }
    const double s = item->rigour + (item->rigour > 0 ? system->d / system->k * item->options.damping : 0),
                 c = along_normal(item, C);
    sn_multiply_vector3(C, item->now.normal, Cn);
    const double rest = 1 - s * c;
    for (int i = 0; i < 9 && rest > 0.01; ++i) C[i] += s * Cn[i / 3] * Cn[i % 3] / rest;
    memcpy(item->now.compliance, C, sizeof C);
    item->measured = true;
    return SN_OK;
}

/* Measures once per step, with the matrix of its first solve. */
static sn_status solve(sn_world *world, sn_interaction *self, const sn_bordered *system, sn_linear_report *report,
                       sn_error *error) {
    sn_tools *own = self->data;
    sn_status status = SN_OK;
    for (int i = 0; i < own->count && !status; ++i) {
        sn_tool_item *item = &own->item[i];
        if (item->measured || !acts(item) || !own->solution || !(system->k > 0)) continue;
        if (strcmp(item->options.buffer, "compliance") == 0) status = measure(world, own, item, system, report, error);
    }
    return status;
}

/* ---- Looking ---- */

static void support(const sn_world *world, const sn_interaction *self, const double *balance, double *f) {
    (void)balance;
    const sn_tools *own = self->data;
    const double *v = world->parameters.no_inertia ? NULL : world->state.v;
    for (int i = 0; i < own->count; ++i) push(&own->item[i], world->state.x, v, f);
}

/* A line from the proxy to the tool, with the force on the body. */
static int draw(const sn_world *world, const sn_interaction *self, sn_glyph *glyph, int room) {
    const sn_tools *own = self->data;
    int count = 0;
    for (int i = 0; i < own->count; ++i) {
        sn_tool_state state;
        sn_world_tool_state(world, i, &state, NULL);
        if (!state.present) continue;
        for (int a = 0; a < 3 && count < room; ++a) {
            glyph[count].from[a] = state.proxy[a], glyph[count].to[a] = state.position[a];
            glyph[count].force[a] = -state.force[a];
        }
        ++count;
    }
    return count;
}

const sn_interaction_kind sn_kind_tools = {.create = create,
                                           .destroy = destroy,
                                           .numbers = numbers,
                                           .refresh = refresh,
                                           .allows = allows,
                                           .force = force,
                                           .energy = energy,
                                           .block_count = block_count,
                                           .blocks = blocks,
                                           .solve = solve,
                                           .begin = begin,
                                           .release = release,
                                           .touches = touches,
                                           .end = end,
                                           .support = support,
                                           .draw = draw};
