/* Rigid cores: a selection of nodes that moves as one rigid body, six degrees of freedom. A rigid body (rigid_body.h)
 * is a core of all its nodes.
 *
 * The unknowns are still the positions of the nodes. The solvers project them onto the rigid modes of the core at the
 * present positions:
 *
 *   S = B B^T,   B: orthonormal columns, from the three translations and the three turns about the centre
 *
 * The equations multiplied with B^T are Newton's and Euler's equations of the core, together with its elastic
 * neighbours.
 *
 * A correction along B deforms the core by a second-order amount. Therefore each trial is moved to the nearest rigid
 * placement:
 *
 *   x_i = c + R (X_i - C),   c: the centre of mass (C: at rest),   R = polar(sum m_i (x_i - c) (X_i - C)^T)
 *
 * At the end of a step the velocities become the rigid motion with the same momentum: v_c = sum m v / m and I w = sum m
 * (x - c) x v, with the positions x from before they were moved. The placement follows from the positions, so the state
 * keeps no other numbers of a core. (Mueller et al. 2002, 4.3: bone and skin.)
 *
 * A step of implicit Euler takes angular momentum from a rigid body that turns. It gets it back (angular.c):
 *   begin   forgets the force of the last part, and tells whether this part must be settled
 *   renew   keeps the force in the solution of Newton's method. It asks the system for this force once more, before
 *           contacts renew their normal forces: later it would be another one. So methods that do not solve to the end
 *           have no force here, and their bodies get nothing back
 *   settle  gives the momentum back that follows from this force */
#include "cores.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "fixes.h"
#include "inside.h"
#include "touching.h"

/* Nodes that move as one rigid body. */
typedef struct core {
    int count;
    int32_t *node; /* count: compiled numbers, ascending */
    double *arm;   /* count x 3: rest position minus the rest centre */
    double *mass;  /* count: kg of each node, for centre and inertia */
    double total;
    bool whole; /* all nodes of a body */
} core;

typedef struct cores {
    int count;
    core *core;
    uint8_t *member;        /* per node: 2 when it belongs to a core */
    sn_filter_group *group; /* per core: its rigid modes at the positions of the last `arrive` */
    sn_filter filter;       /* the filter of the interactions before this one, plus the groups */
    double *force;          /* nodes x 3: the force in the solution of the present step; NULL: no body is rigid */
    bool solved;            /* whether `force` is there */
} cores;

/* ---- Creation ---- */
static sn_status take_core(sn_world *world, cores *own, int body, const sn_selector *select, uint8_t *taken,
                           sn_error *error) {
    const sn_model *model = world->model;
    const sn_body *b = &model->body[body];
    core *core = &own->core[own->count++];
    core->whole = !select;
    uint8_t *mask = sn_allocate_zero(world->context, (size_t)b->mesh->node_count, 1);
    if (!mask) return sn_no_memory(error);
    sn_status status = SN_OK;
    if (select)
        status = sn_within(error, sn_mesh_select(b->mesh, select, mask, NULL, error), "select");
    else
        memset(mask, 1, (size_t)b->mesh->node_count);
    for (int i = 0; i < b->mesh->node_count && !status; ++i) {
        if (!mask[i]) continue;
        const int32_t node = model->compiled[b->node_first + i];
        const long long label = (long long)(b->mesh->node_label ? b->mesh->node_label[i] : i);
        if (taken[node])
            status = sn_fail_at(error, SN_BAD_INPUT, "select", "node %lld is in another rigid core already", label);
        if (!status && !model->isolated[node] && sn_fixes_hold(world, node))
            status = sn_fail_at(error, SN_BAD_INPUT, "select",
                                "node %lld is held by a fix; a rigid core moves freely (pull it with a grab)", label);
        taken[node] = 1;
        core->count += !model->isolated[node];
    }
    if (!status && core->count < 3)
        status =
            sn_fail_at(error, SN_BAD_INPUT, "select", "a rigid core of %d nodes; it needs at least 3", core->count);
    if (!status) {
        core->node = sn_allocate(world->context, (size_t)core->count, sizeof *core->node);
        core->arm = sn_allocate(world->context, (size_t)core->count * 3, sizeof *core->arm);
        core->mass = sn_allocate(world->context, (size_t)core->count, sizeof *core->mass);
        if (!core->node || !core->arm || !core->mass) status = sn_no_memory(error);
    }
    int count = 0;
    for (int32_t node = 0; node < model->node_count && !status; ++node) {
        if (node < b->node_first || node >= b->node_first + b->mesh->node_count || model->isolated[node] ||
            taken[node] != 1)
            continue;
        core->node[count++] = node;
        taken[node] = 2;
    }
    sn_release(world->context, mask);
    return status;
}

static sn_status take_modes(sn_world *world, cores *own, sn_error *error) {
    own->group = sn_allocate_zero(world->context, (size_t)own->count, sizeof *own->group);
    if (!own->group) return sn_no_memory(error);
    for (int g = 0; g < own->count; ++g) {
        const bool whole = own->core[g].whole;
        double *memory =
            sn_allocate(world->context, (size_t)own->core[g].count * 3 * (whole ? 1 : SN_GROUP_MODES), sizeof *memory);
        own->group[g] = (sn_filter_group){.count = own->core[g].count, .node = own->core[g].node};
        *(whole ? &own->group[g].arm : &own->group[g].basis) = memory;
        if (!memory) return sn_no_memory(error);
        if (!whole || own->force) continue;
        own->force = sn_allocate(world->context, 3 * (size_t)world->model->node_count, sizeof *own->force);
        if (!own->force) return sn_no_memory(error);
    }
    return SN_OK;
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    int count = 0;
    for (int b = 0; b < options->body_count; ++b)
        count += options->body[b].rigid_body ? 1 : options->body[b].rigid_count;
    if (count == 0) return SN_OK;
    cores *own = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    self->data = own;
    own->core = sn_allocate_zero(world->context, (size_t)count, sizeof *own->core);
    uint8_t *taken = own->member = sn_allocate_zero(world->context, (size_t)world->model->node_count, 1);
    sn_status status = own->core && taken ? SN_OK : sn_no_memory(error);
    for (int b = 0; b < options->body_count && !status; ++b) {
        if (options->body[b].rigid_body)
            status = sn_within(error, take_core(world, own, b, NULL, taken, error), "bodies.%d.rigid", b);
        for (int i = 0; i < options->body[b].rigid_count && !status; ++i) {
            status = take_core(world, own, b, &options->body[b].rigid[i], taken, error);
            if (status) status = sn_within(error, status, "bodies.%d.rigid.%d", b, i);
        }
    }
    return status ? status : take_modes(world, own, error);
}

static void destroy(sn_world *world, sn_interaction *self) {
    cores *own = self->data;
    if (!own) return;
    for (int g = 0; g < own->count; ++g) {
        sn_release(world->context, own->core[g].node);
        sn_release(world->context, own->core[g].arm);
        sn_release(world->context, own->core[g].mass);
        if (own->group) sn_release(world->context, own->group[g].basis);
        if (own->group) sn_release(world->context, own->group[g].arm);
    }
    sn_release(world->context, own->core);
    sn_release(world->context, own->member);
    sn_release(world->context, own->group);
    sn_release(world->context, own->force);
    sn_release(world->context, own);
}

/* Takes masses and arms from the solid. */
static void adapt(sn_world *world, sn_interaction *self) {
    const cores *own = self->data;
    for (int g = 0; own && g < own->count; ++g) {
        core *core = &own->core[g];
        double centre[3] = {0};
        core->total = 0;
        for (int i = 0; i < core->count; ++i) {
            const double lumped = world->solid->mass[core->node[i]];
            core->mass[i] = lumped > 0
                                ? lumped
                                : 1; /* a consistent mass may have negative row sums: then all nodes weigh the same */
            core->total += core->mass[i];
            for (int a = 0; a < 3; ++a)
                centre[a] += core->mass[i] * world->model->rest[3 * (size_t)core->node[i] + (size_t)a];
        }
        for (int i = 0; i < core->count; ++i)
            for (int a = 0; a < 3; ++a)
                core->arm[3 * (size_t)i + (size_t)a] =
                    world->model->rest[3 * (size_t)core->node[i] + (size_t)a] - centre[a] / core->total;
    }
}

bool sn_cores_hold(const sn_world *world, int32_t node) {
    const sn_interaction *self = sn_interaction_of(world, &sn_kind_cores);
    const cores *own = self ? self->data : NULL;
    return own && own->member[node] == 2;
}

/* ---- Modes ---- */
/* Makes `mode` orthogonal to the modes before it, and of length 1. Returns false when nothing is left of it. */
static bool orthonormalise(const double *basis, int before, int n, double *mode) {
    double first = 0, last = 0;
    for (int i = 0; i < n; ++i) first += mode[i] * mode[i];
    for (int round = 0; round < 2; ++round)
        for (int k = 0; k < before; ++k) {
            double dot = 0;
            for (int i = 0; i < n; ++i) dot += basis[(size_t)k * (size_t)n + (size_t)i] * mode[i];
            for (int i = 0; i < n; ++i) mode[i] -= dot * basis[(size_t)k * (size_t)n + (size_t)i];
        }
    for (int i = 0; i < n; ++i) last += mode[i] * mode[i];
    if (!(last > 1e-16 * first) || last == 0) return false;
    for (int i = 0; i < n; ++i) mode[i] /= sqrt(last);
    return true;
}

/* The modes of a rigid body: its arms. */
static void arrive_whole(const double *x, sn_filter_group *group) {
    const double *own = x + 3 * (size_t)group->node[0];
    double centre[3] = {0}, I[9] = {0};
    for (int i = 0; i < group->count; ++i)
        for (int a = 0; a < 3; ++a) centre[a] += own[3 * (size_t)i + (size_t)a];
    for (int a = 0; a < 3; ++a) centre[a] /= group->count;
    for (int i = 0; i < group->count; ++i) {
        double *r = group->arm + 3 * (size_t)i;
        sn_subtract3(own + 3 * (size_t)i, centre, r);
        const double square = sn_dot3(r, r);
        for (int k = 0; k < 9; ++k) I[k] += (k % 4 == 0 ? square : 0) - r[k / 3] * r[k % 3];
    }
    group->modes = SN_GROUP_MODES;
    if (sn_inverse3(I, group->turn) == 0) memset(group->turn, 0, sizeof group->turn);
}

/* Computes the rigid modes at x. */
static void arrive(sn_world *world, sn_interaction *self, const double *x) {
    (void)world;
    const cores *own = self->data;
    for (int g = 0; own && g < own->count; ++g) {
        sn_filter_group *group = &own->group[g];
        if (group->arm) {
            arrive_whole(x, group);
            continue;
        }
        const int n = 3 * group->count;
        double centre[3] = {0};
        for (int i = 0; i < n; ++i) centre[i % 3] += x[3 * (size_t)group->node[i / 3] + (size_t)(i % 3)] / group->count;
        group->modes = 0;
        for (int k = 0; k < SN_GROUP_MODES; ++k) {
            double *mode = group->basis + (size_t)group->modes * (size_t)n, axis[3] = {0};
            axis[k % 3] = 1;
            for (int i = 0; i < group->count; ++i) {
                double arm[3];
                sn_subtract3(x + 3 * (size_t)group->node[i], centre, arm);
                if (k < 3)
                    memcpy(mode + 3 * (size_t)i, axis, sizeof axis);
                else
                    sn_cross3(axis, arm, mode + 3 * (size_t)i);
            }
            if (orthonormalise(group->basis, group->modes, n, mode)) ++group->modes;
        }
    }
}

static const sn_filter *filter(const sn_world *world, const sn_interaction *self, const sn_filter *before) {
    (void)world;
    cores *own = self->data;
    if (!own) return before;
    own->filter = *before;
    own->filter.group = own->group, own->filter.group_count = own->count;
    return &own->filter;
}

/* ---- Placement ---- */
/* The mean of a node field, weighted by mass. */
static void mean_of(const core *core, const double *field, double mean[3]) {
    mean[0] = mean[1] = mean[2] = 0;
    for (int i = 0; i < core->count; ++i)
        for (int a = 0; a < 3; ++a)
            mean[a] += core->mass[i] * field[3 * (size_t)core->node[i] + (size_t)a] / core->total;
}

static void angular_momentum(const core *core, const double *x, const double *v, const double c[3], const double vc[3],
                             double L[3]) {
    L[0] = L[1] = L[2] = 0;
    for (int i = 0; i < core->count; ++i) {
        double arm[3], speed[3], l[3];
        sn_subtract3(x + 3 * (size_t)core->node[i], c, arm);
        sn_subtract3(v + 3 * (size_t)core->node[i], vc, speed);
        sn_cross3(arm, speed, l);
        for (int a = 0; a < 3; ++a) L[a] += core->mass[i] * l[a];
    }
}

/* The spin w with I w = L, where I is the inertia of the arms R A_i. A core whose nodes lie on a line gets no spin
 * about this line. */
static void spin_of(const core *core, const double R[9], const double L[3], double w[3]) {
    double I[9] = {0}, inverse[9], trace = 0;
    for (int i = 0; i < core->count; ++i) {
        double r[3];
        sn_multiply_vector3(R, core->arm + 3 * (size_t)i, r);
        const double square = sn_dot3(r, r);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) I[3 * a + b] += core->mass[i] * ((a == b ? square : 0) - r[a] * r[b]);
    }
    trace = I[0] + I[4] + I[8];
    for (int a = 0; a < 3; ++a) I[4 * a] += 1e-14 * trace;
    w[0] = w[1] = w[2] = 0;
    if (sn_inverse3(I, inverse) != 0) sn_multiply_vector3(inverse, L, w);
}

/* Moves x to the nearest rigid placement. When v is not NULL, v becomes the rigid motion of the same momentum. */
static void settle_down(const sn_world *world, const cores *own, double *x, double *v) {
    for (int g = 0; own && g < own->count; ++g) {
        const core *core = &own->core[g];
        double c[3], vc[3], L[3], w[3], A[9] = {0}, R[9];
        mean_of(core, x, c);
        for (int i = 0; i < core->count; ++i)
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b)
                    A[3 * a + b] += core->mass[i] * (x[3 * (size_t)core->node[i] + (size_t)a] - c[a]) *
                                    core->arm[3 * (size_t)i + (size_t)b];
        if (sn_rotation_evaluate(world->context, "polar", NULL, A, R, NULL, NULL))
            continue; /* not finite: the step will be refused */
        if (v) {
            mean_of(core, v, vc);
            angular_momentum(core, x, v, c, vc, L);
            spin_of(core, R, L, w);
        }
        for (int i = 0; i < core->count; ++i) {
            double arm[3], whirl[3];
            const size_t at = 3 * (size_t)core->node[i];
            sn_multiply_vector3(R, core->arm + 3 * (size_t)i, arm);
            for (int a = 0; a < 3; ++a) x[at + (size_t)a] = c[a] + arm[a];
            if (!v) continue;
            sn_cross3(w, arm, whirl);
            for (int a = 0; a < 3; ++a) v[at + (size_t)a] = vc[a] + whirl[a];
        }
    }
}

static void prescribe(sn_world *world, sn_interaction *self, double t, double *x, double *v, double *a) {
    (void)t, (void)a;
    if (x) settle_down(world, self->data, x, v);
}

static void retract(const sn_world *world, const sn_interaction *self, double *x) {
    settle_down(world, self->data, x, NULL);
}

/* ---- Steps ---- */
static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    (void)t, (void)x, (void)v;
    cores *own = self->data;
    if (own) own->solved = false;
    return own && own->force && sn_angular_lost(world);
}

/* Keeps the force of the solution. This comes before the contacts renew their normal forces. */
static bool renew(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    cores *own = self->data;
    sn_system *system = &world->workspace.system.base;
    if (!own || !own->force || !sn_angular_lost(world)) return false;
    const sn_request request = {.t = t, .x = x, .v = v, .force = own->force};
    sn_result result = {0};
    own->solved = !system->table->evaluate(system, &request, &result, NULL);
    return false;
}

/* Rigid bodies get their angular momentum back. */
static sn_status settle(sn_world *world, sn_interaction *self, const sn_trial *trial, bool *settled, sn_error *error) {
    (void)settled, (void)error;
    const cores *own = self->data;
    if (own && own->solved) sn_angular_give_rigid(world, trial, own->force);
    return SN_OK;
}

const sn_interaction_kind sn_kind_cores = {.create = create,
                                           .destroy = destroy,
                                           .adapt = adapt,
                                           .filter = filter,
                                           .arrive = arrive,
                                           .prescribe = prescribe,
                                           .retract = retract,
                                           .begin = begin,
                                           .renew = renew,
                                           .settle = settle};
