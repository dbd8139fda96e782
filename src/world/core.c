/* Rigid cores: a selection of nodes that moves as one rigid body, six degrees of freedom.
 *
 * The unknowns stay nodal. The solvers see the projection onto the rigid modes of the core at the present positions,
 *   S = B B^T,   B: orthonormal columns from the translations and the turns about the centre,
 * so that the equations tested with B are Newton's and Euler's for the core, with its elastic neighbours. A correction along B leaves the
 * rigid placements to second order, hence each trial is put back onto the nearest one,
 *   x_i = c + R (X_i - C),   c the centre of mass, R = polar(sum m_i (x_i - c) (X_i - C)^T)
 * and at the end of a step the velocities become the rigid motion with the same momentum: v_c = sum m v / m, I w = sum m (x - c) x v with x
 * before it was put back. The placement is read off the positions, so the state needs no more. (Mueller et al. 2002, 4.3: bone and skin.)
 */
#include <string.h>

#include "base/math3.h"
#include "world.h"

/* ---- Model ---- */
static sn_status take_core(sn_world *world, int body, const sn_selector *select, uint8_t *taken, sn_error *error) {
    sn_model *model = &world->model;
    const sn_body *b = &model->body[body];
    sn_core *core = &model->core[model->core_count++];
    uint8_t *mask = sn_allocate_zero(world->context, (size_t)b->mesh->node_count, 1);
    if (!mask) return sn_no_memory(error);
    sn_status status = sn_within(error, sn_mesh_select(b->mesh, select, mask, NULL, error), "select");
    for (int i = 0; i < b->mesh->node_count && !status; ++i) {
        if (!mask[i]) continue;
        const int32_t node = model->compiled[b->node_first + i];
        const int32_t *fix = model->fix_of + 3 * (size_t)node;
        const long long label = (long long)(b->mesh->node_label ? b->mesh->node_label[i] : i);
        if (taken[node]) status = sn_fail_at(error, SN_BAD_INPUT, "select", "node %lld is in another rigid core already", label);
        if (!status && !model->isolated[node] && (fix[0] != SN_FREE || fix[1] != SN_FREE || fix[2] != SN_FREE))
            status = sn_fail_at(error, SN_BAD_INPUT, "select",
                                "node %lld is held by a fix; a rigid core moves freely (pull it with a grab)", label);
        taken[node] = 1;
        core->count += !model->isolated[node];
    }
    if (!status && core->count < 3)
        status = sn_fail_at(error, SN_BAD_INPUT, "select", "a rigid core of %d nodes; it needs at least 3", core->count);
    if (!status) {
        core->node = sn_allocate(world->context, (size_t)core->count, sizeof *core->node);
        core->arm = sn_allocate(world->context, (size_t)core->count * 3, sizeof *core->arm);
        core->mass = sn_allocate(world->context, (size_t)core->count, sizeof *core->mass);
        if (!core->node || !core->arm || !core->mass) status = sn_no_memory(error);
    }
    int count = 0;
    for (int32_t node = 0; node < model->node_count && !status; ++node) {
        if (node < b->node_first || node >= b->node_first + b->mesh->node_count || model->isolated[node] || taken[node] != 1) continue;
        core->node[count++] = node;
        taken[node] = 2;
    }
    sn_release(world->context, mask);
    return status;
}

sn_status sn_model_cores(sn_world *world, const sn_world_options *options, sn_error *error) {
    sn_model *model = &world->model;
    int count = 0;
    for (int b = 0; b < options->body_count; ++b) count += options->body[b].rigid_count;
    if (count == 0) return SN_OK;
    model->core = sn_allocate_zero(world->context, (size_t)count, sizeof *model->core);
    uint8_t *taken = sn_allocate_zero(world->context, (size_t)model->node_count, 1);
    sn_status status = model->core && taken ? SN_OK : sn_no_memory(error);
    for (int b = 0; b < options->body_count && !status; ++b)
        for (int i = 0; i < options->body[b].rigid_count && !status; ++i) {
            status = take_core(world, b, &options->body[b].rigid[i], taken, error);
            if (status) status = sn_within(error, status, "bodies.%d.rigid.%d", b, i);
        }
    sn_release(world->context, taken);
    return status;
}

void sn_model_cores_mass(sn_world *world) {
    const sn_model *model = &world->model;
    for (int g = 0; g < model->core_count; ++g) {
        sn_core *core = &model->core[g];
        double centre[3] = {0};
        core->total = 0;
        for (int i = 0; i < core->count; ++i) {
            const double lumped = model->solid->mass[core->node[i]];
            core->mass[i] = lumped > 0 ? lumped : 1; /* a consistent mass may have negative row sums: every node counts alike */
            core->total += core->mass[i];
            for (int a = 0; a < 3; ++a) centre[a] += core->mass[i] * model->rest[3 * (size_t)core->node[i] + (size_t)a];
        }
        for (int i = 0; i < core->count; ++i)
            for (int a = 0; a < 3; ++a)
                core->arm[3 * (size_t)i + (size_t)a] = model->rest[3 * (size_t)core->node[i] + (size_t)a] - centre[a] / core->total;
    }
}

void sn_model_cores_release(sn_world *world) {
    sn_model *model = &world->model;
    for (int g = 0; g < model->core_count; ++g) {
        sn_release(world->context, model->core[g].node);
        sn_release(world->context, model->core[g].arm);
        sn_release(world->context, model->core[g].mass);
    }
    sn_release(world->context, model->core);
}

bool sn_cores_hold(const sn_world *world, int32_t node) {
    for (int g = 0; g < world->model.core_count; ++g)
        for (int i = 0; i < world->model.core[g].count; ++i)
            if (world->model.core[g].node[i] == node) return true;
    return false;
}

/* ---- Modes ---- */
sn_status sn_cores_workspace(sn_world *world, sn_error *error) {
    sn_workspace *work = &world->workspace;
    const sn_model *model = &world->model;
    if (model->core_count == 0) return SN_OK;
    work->group = sn_allocate_zero(world->context, (size_t)model->core_count, sizeof *work->group);
    if (!work->group) return sn_no_memory(error);
    for (int g = 0; g < model->core_count; ++g) {
        const sn_core *core = &model->core[g];
        work->group[g] = (sn_filter_group){.count = core->count, .node = core->node};
        work->group[g].basis = sn_allocate(world->context, (size_t)core->count * 3 * SN_GROUP_MODES, sizeof(double));
        if (!work->group[g].basis) return sn_no_memory(error);
    }
    work->filter.group = work->group;
    work->filter.group_count = model->core_count;
    sn_cores_modes(world, model->rest);
    return SN_OK;
}

void sn_cores_workspace_release(sn_world *world) {
    for (int g = 0; world->workspace.group && g < world->model.core_count; ++g) sn_release(world->context, world->workspace.group[g].basis);
    sn_release(world->context, world->workspace.group);
}

/* Makes `mode` orthogonal to those before it and of length 1; false when nothing is left of it. */
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

void sn_cores_modes(sn_world *world, const double *x) {
    for (int g = 0; g < world->model.core_count; ++g) {
        sn_filter_group *group = &world->workspace.group[g];
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

/* ---- Placement ---- */
/* The mean of a node field, weighted by mass. */
static void mean_of(const sn_core *core, const double *field, double mean[3]) {
    mean[0] = mean[1] = mean[2] = 0;
    for (int i = 0; i < core->count; ++i)
        for (int a = 0; a < 3; ++a) mean[a] += core->mass[i] * field[3 * (size_t)core->node[i] + (size_t)a] / core->total;
}

static void angular_momentum(const sn_core *core, const double *x, const double *v, const double c[3], const double vc[3], double L[3]) {
    L[0] = L[1] = L[2] = 0;
    for (int i = 0; i < core->count; ++i) {
        double arm[3], speed[3], l[3];
        sn_subtract3(x + 3 * (size_t)core->node[i], c, arm);
        sn_subtract3(v + 3 * (size_t)core->node[i], vc, speed);
        sn_cross3(arm, speed, l);
        for (int a = 0; a < 3; ++a) L[a] += core->mass[i] * l[a];
    }
}

/* w with I w = L, I the inertia of the arms R A_i. A core on a line gets no spin about it. */
static void spin_of(const sn_core *core, const double R[9], const double L[3], double w[3]) {
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

void sn_cores_retract(const sn_world *world, double *x, double *v) {
    for (int g = 0; g < world->model.core_count; ++g) {
        const sn_core *core = &world->model.core[g];
        double c[3], vc[3], L[3], w[3], A[9] = {0}, R[9];
        mean_of(core, x, c);
        for (int i = 0; i < core->count; ++i)
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b)
                    A[3 * a + b] +=
                        core->mass[i] * (x[3 * (size_t)core->node[i] + (size_t)a] - c[a]) * core->arm[3 * (size_t)i + (size_t)b];
        if (sn_rotation_evaluate(world->context, "polar", A, R, NULL, NULL)) continue; /* not finite: the step will be refused */
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
