/* Grabs: springs from a point of a body, p = sum w_i x_i, to a target.
 *
 *   f_i = w_i (k (target - p) - c p'),   K_ij = k w_i w_j I,   D_ij = c w_i w_j I
 * The matrix has places for these blocks only when the nodes share an element. Otherwise the off-diagonal ones are added to the diagonal,
 * which is a stiffer matrix of the same force: Newton still arrives. */
#include <math.h>
#include <string.h>

#include "world.h"

void sn_grab_forces(const sn_world *world, const double *x, const double *v, double *f) {
    for (int g = 0; g < SN_HANDLES; ++g) {
        const sn_grab_spring *grab = &world->parameters.grab[g];
        for (int a = 0; a < 3 && grab->on; ++a) {
            double p = 0, rate = 0;
            for (int i = 0; i < 4; ++i) {
                const size_t at = 3 * (size_t)grab->node[i] + (size_t)a;
                p += grab->weight[i] * x[at];
                if (v) rate += grab->weight[i] * v[at];
            }
            for (int i = 0; i < 4; ++i)
                f[3 * (size_t)grab->node[i] + (size_t)a] +=
                    grab->weight[i] * (grab->stiffness * (grab->target[a] - p) - grab->damping * rate);
        }
    }
}

double sn_grab_energy(const sn_world *world, const double *x) {
    double energy = 0;
    for (int g = 0; g < SN_HANDLES; ++g) {
        const sn_grab_spring *grab = &world->parameters.grab[g];
        for (int a = 0; a < 3 && grab->on; ++a) {
            double d = -grab->target[a];
            for (int i = 0; i < 4; ++i) d += grab->weight[i] * x[3 * (size_t)grab->node[i] + (size_t)a];
            energy += 0.5 * grab->stiffness * d * d;
        }
    }
    return energy;
}

static void append(sn_block_list *list, int32_t row, int32_t column, double value) {
    double *block = list->value + 9 * (size_t)list->count;
    memset(block, 0, 9 * sizeof *block);
    block[0] = block[4] = block[8] = value;
    list->row[list->count] = row;
    list->column[list->count++] = column;
}

void sn_grab_blocks(const sn_world *world, sn_block_list *stiffness, sn_block_list *damping) {
    for (int g = 0; g < SN_HANDLES; ++g) {
        const sn_grab_spring *grab = &world->parameters.grab[g];
        for (int i = 0; i < 4 && grab->on; ++i)
            for (int j = 0; j < 4; ++j) {
                double w = grab->weight[i] * grab->weight[j];
                if (!grab->coupled) w = fabs(w);
                if (w == 0) continue;
                const int32_t column = grab->coupled ? grab->node[j] : grab->node[i];
                append(stiffness, grab->node[i], column, grab->stiffness * w);
                append(damping, grab->node[i], column, grab->damping * w);
            }
    }
}

/* Whether some element holds all nodes that carry weight. */
static bool share_element(const sn_body *body, const sn_grab_spring *grab) {
    const int nodes = body->element->nodes;
    for (int e = 0; e < body->mesh->tet_count; ++e) {
        const int32_t *node = body->node + (size_t)e * (size_t)nodes;
        int found = 0;
        for (int i = 0; i < 4; ++i) {
            bool in = grab->weight[i] == 0;
            for (int k = 0; k < nodes && !in; ++k) in = node[k] == grab->node[i];
            found += in;
        }
        if (found == 4) return true;
    }
    return false;
}

sn_status sn_world_grab(sn_world *world, int handle, int body, const int32_t node[4], const double weight[4], const double target[3],
                        double stiffness, double damping, sn_error *error) {
    if (handle < 0 || handle >= SN_HANDLES) return sn_fail(error, SN_BAD_INPUT, "handle %d; allowed are 0 to %d", handle, SN_HANDLES - 1);
    sn_grab_spring *own = &world->parameters.grab[handle];
    sn_linearisation_forget(&world->workspace.system.linearisation.base);
    if (stiffness == 0) {
        own->on = false;
        return SN_OK;
    }
    if (body < 0 || body >= world->model.body_count)
        return sn_fail(error, SN_BAD_INPUT, "body %d; the world has %d", body, world->model.body_count);
    if (!(stiffness > 0 && damping >= 0 && isfinite(stiffness) && isfinite(damping)))
        return sn_fail(error, SN_BAD_INPUT, "a grab with stiffness %g N/m and damping %g N s/m; neither may be negative", stiffness,
                       damping);
    const sn_body *b = &world->model.body[body];
    sn_grab_spring grab = {.on = true, .stiffness = stiffness, .damping = damping};
    for (int i = 0; i < 4; ++i) {
        const int32_t n = weight[i] == 0 ? 0 : node[i];
        if (n < 0 || n >= b->mesh->node_count)
            return sn_fail(error, SN_BAD_INPUT, "body '%s' has nodes 0 to %d, not %d", b->name, b->mesh->node_count - 1, n);
        if (!isfinite(weight[i])) return sn_fail(error, SN_BAD_INPUT, "weight %d of a grab is not finite", i);
        grab.node[i] = world->model.compiled[b->node_first + n];
        grab.weight[i] = weight[i];
    }
    for (int a = 0; a < 3; ++a) {
        if (!isfinite(target[a])) return sn_fail(error, SN_BAD_INPUT, "the target of a grab is not finite");
        grab.target[a] = target[a];
    }
    const bool same =
        own->on && memcmp(own->node, grab.node, sizeof grab.node) == 0 && memcmp(own->weight, grab.weight, sizeof grab.weight) == 0;
    grab.coupled = same ? own->coupled : share_element(b, &grab);
    *own = grab;
    return SN_OK;
}
