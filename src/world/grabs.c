/* Grabs: springs from a point of a body, p = sum w_i x_i, to a target.
 *
 *   f_i = w_i (k (target - p) - c p'),   K_ij = k w_i w_j I,   D_ij = c w_i w_j I
 *
 * The matrix has places for these blocks only when the nodes share an element. Otherwise the off-diagonal blocks are
 * added to the diagonal. The matrix is then too stiff, but the force is the same, so that Newton's method still finds
 * the solution. */
#include <math.h>
#include <string.h>

#include "inside.h"

typedef struct spring {
    int handle;
    int32_t node[4]; /* compiled numbers */
    double weight[4], target[3], stiffness, damping;
    bool coupled; /* all nodes share an element, so that the matrix has places for the off-diagonal blocks */
} spring;

typedef struct grabs {
    int count, capacity;
    spring *spring;
} grabs;

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    (void)options;
    self->data = sn_allocate_zero(world->context, 1, sizeof(grabs));
    return self->data ? SN_OK : sn_no_memory(error);
}

static void destroy(sn_world *world, sn_interaction *self) {
    grabs *own = self->data;
    if (own) sn_release(world->context, own->spring);
    sn_release(world->context, own);
}

/* ---- Forces ---- */
static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)world;
    const grabs *own = self->data;
    for (int g = 0; g < own->count; ++g) {
        const spring *grab = &own->spring[g];
        for (int a = 0; a < 3; ++a) {
            double p = 0, rate = 0;
            for (int i = 0; i < 4; ++i) {
                const size_t at = 3 * (size_t)grab->node[i] + (size_t)a;
                p += grab->weight[i] * place->x[at];
                if (place->v) rate += grab->weight[i] * place->v[at];
            }
            for (int i = 0; i < 4; ++i)
                f[3 * (size_t)grab->node[i] + (size_t)a] +=
                    grab->weight[i] * (grab->stiffness * (grab->target[a] - p) - grab->damping * rate);
        }
    }
}

static double stretch(const spring *grab, const double *x, int axis) {
    double d = -grab->target[axis];
    for (int i = 0; i < 4; ++i) d += grab->weight[i] * x[3 * (size_t)grab->node[i] + (size_t)axis];
    return d;
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    (void)world;
    const grabs *own = self->data;
    for (int g = 0; g < own->count; ++g)
        for (int a = 0; a < 3; ++a) {
            const double d = stretch(&own->spring[g], place->x, a);
            *energy += 0.5 * own->spring[g].stiffness * d * d;
        }
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world, (void)damping;
    return 16 * (int64_t)((const grabs *)self->data)->count;
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)world, (void)place, (void)exact;
    const grabs *own = self->data;
    for (int g = 0; g < own->count; ++g) {
        const spring *grab = &own->spring[g];
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                double w = grab->weight[i] * grab->weight[j];
                if (!grab->coupled) w = fabs(w);
                if (w == 0) continue;
                const int32_t column = grab->coupled ? grab->node[j] : grab->node[i];
                sn_block_append_identity(K, grab->node[i], column, grab->stiffness * w);
                sn_block_append_identity(D, grab->node[i], column, grab->damping * w);
            }
    }
}

static void holds(const sn_world *world, const sn_interaction *self, sn_hold *hold, void *user) {
    (void)world;
    const grabs *own = self->data;
    for (int g = 0; g < own->count; ++g)
        for (int a = 0; a < 3; ++a) hold(user, 4, own->spring[g].node, own->spring[g].weight, a);
}

/* Draws a line from the point to its target. */
static int draw(const sn_world *world, const sn_interaction *self, sn_glyph *glyph, int room) {
    const grabs *own = self->data;
    for (int g = 0; g < own->count && g < room; ++g)
        for (int a = 0; a < 3; ++a) {
            const double d = stretch(&own->spring[g], world->state.x, a);
            glyph[g].to[a] = own->spring[g].target[a];
            glyph[g].from[a] = glyph[g].to[a] + d;
            glyph[g].force[a] = -own->spring[g].stiffness * d;
        }
    return own->count;
}

const sn_interaction_kind sn_kind_grabs = {.create = create,
                                           .destroy = destroy,
                                           .force = force,
                                           .energy = energy,
                                           .block_count = block_count,
                                           .blocks = blocks,
                                           .holds = holds,
                                           .draw = draw};

/* ---- Editing ---- */
/* Whether one element has all the nodes whose weight is not 0. */
static bool share_element(const sn_body *body, const spring *grab) {
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

static int find(const grabs *own, int handle) {
    int at = 0;
    while (at < own->count && own->spring[at].handle != handle) ++at;
    return at;
}

static sn_status make_spring(const sn_world *world, int body, const int32_t node[4], const double weight[4],
                             const double target[3], double stiffness, double damping, spring *grab, sn_error *error) {
    sn_status status = sn_model_check_body(world->model, body, error);
    if (status) return status;
    if (!(stiffness > 0 && damping >= 0 && isfinite(stiffness) && isfinite(damping)))
        return sn_fail(error, SN_BAD_INPUT,
                       "a grab with stiffness %g N/m and damping %g N s/m; neither may be negative", stiffness,
                       damping);
    *grab = (spring){.stiffness = stiffness, .damping = damping};
    for (int i = 0; i < 4; ++i) {
        const int32_t n = weight[i] == 0 ? 0 : node[i];
        status = sn_model_check_node(world->model, body, n, error);
        if (status) return status;
        if (!isfinite(weight[i])) return sn_fail(error, SN_BAD_INPUT, "weight %d of a grab is not finite", i);
        grab->node[i] = sn_model_node(world->model, body, n);
        grab->weight[i] = weight[i];
    }
    for (int a = 0; a < 3; ++a) {
        if (!isfinite(target[a])) return sn_fail(error, SN_BAD_INPUT, "the target of a grab is not finite");
        grab->target[a] = target[a];
    }
    return SN_OK;
}

sn_status sn_world_grab(sn_world *world, int handle, int body, const int32_t node[4], const double weight[4],
                        const double target[3], double stiffness, double damping, sn_error *error) {
    grabs *own = sn_interaction_of(world, &sn_kind_grabs)->data;
    const int at = find(own, handle);
    const bool there = at < own->count;
    sn_workspace_forget(world);
    if (stiffness == 0) {
        if (there) {
            memmove(own->spring + at, own->spring + at + 1, (size_t)(own->count - at - 1) * sizeof *own->spring);
            --own->count;
        }
        return SN_OK;
    }
    spring grab;
    sn_status status = make_spring(world, body, node, weight, target, stiffness, damping, &grab, error);
    if (!status)
        status =
            sn_grow(world->context, (void **)&own->spring, &own->capacity, own->count + 1, sizeof *own->spring, error);
    if (status) return status;
    spring *to = &own->spring[at];
    const bool same = there && memcmp(to->node, grab.node, sizeof grab.node) == 0 &&
                      memcmp(to->weight, grab.weight, sizeof grab.weight) == 0;
    grab.handle = handle;
    grab.coupled = same ? to->coupled : share_element(&world->model->body[body], &grab);
    *to = grab;
    if (there) return SN_OK;
    ++own->count;
    status = sn_workspace_fit(world, error);
    if (status) --own->count;
    return status;
}
