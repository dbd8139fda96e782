/* The active set of an adaptive world, compiled: its nodes, elements, slaves and masses. See adaptive.h. */
#include <string.h>

#include "adaptive.h"
#include "inside.h"

void sn_active_destroy(sn_context *context, sn_active *a) {
    if (!a) return;
    void *const array[] = {a->node,         a->material, a->label,  a->leaf, a->depth, a->full,           a->compact,
                           a->hanging.node, a->slave,    a->slaved, a->rest, a->mass,  a->hanging.parent, a->rayleigh};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_release(context, a->first);
    sn_active_drop(context, a);
    sn_release(context, a);
}

static sn_status allocate(const sn_world *world, sn_active *a, sn_error *error) {
    const sn_context *context = world->context;
    const sn_forest *forest = &world->adaptive->forest;
    const size_t nodes = (size_t)world->model->node_count, leaves = (size_t)forest->leaf_count;
    a->node = sn_allocate(context, 4 * leaves, sizeof *a->node);
    a->material = sn_allocate(context, leaves, sizeof *a->material);
    a->label = sn_allocate(context, leaves, sizeof *a->label);
    a->depth = sn_allocate(context, leaves, 1);
    a->first = sn_allocate(context, leaves, sizeof *a->first);
    a->leaf = sn_allocate(context, (size_t)world->model->element_count, sizeof *a->leaf);
    a->compact = sn_allocate(context, nodes, sizeof *a->compact);
    a->slaved = sn_allocate_zero(context, nodes, 1);
    a->slave = sn_allocate(context, nodes, sizeof *a->slave);
    a->full = sn_allocate(context, nodes, sizeof *a->full);
    a->hanging.node = sn_allocate(context, nodes, sizeof *a->hanging.node);
    a->hanging.parent = sn_allocate(context, nodes, sizeof *a->hanging.parent);
    return a->node && a->material && a->label && a->depth && a->first && a->leaf && a->compact && a->slaved &&
                   a->slave && a->full && a->hanging.node && a->hanging.parent
               ? SN_OK
               : sn_no_memory(error);
}

/* ---- Elements ---- */
typedef struct listing {
    const sn_body *body;
    const sn_forest *forest;
    sn_active *active;
} listing;

/* The material of most of the finest tets of a leaf, the lowest one of several. */
static int32_t common_material(const sn_body *body, int first, int count) {
    int32_t best = body->material[first];
    int most = 0;
    for (int i = first; i < first + count && most <= count / 2; ++i) {
        const int32_t own = body->material[i];
        int same = 0;
        for (int k = first; k < first + count; ++k) same += body->material[k] == own;
        if (same > most || (same == most && own < best)) best = own, most = same;
    }
    return best;
}

static void list_leaf(void *data, int tet, int level) {
    const listing *l = data;
    sn_active *a = l->active;
    const sn_forest *f = l->forest;
    const int depth = f->levels - level, own = a->leaf_count++, count = 1 << 3 * depth,
              first = (tet - f->first[level]) * count;
    const int32_t *node = depth ? f->node + 10 * (size_t)tet : l->body->node + 4 * (size_t)first;
    memcpy(a->node + 4 * (size_t)own, node, 4 * sizeof *node);
    a->depth[own] = (uint8_t)depth;
    a->label[own] = l->body->mesh->tet_label ? l->body->mesh->tet_label[first] : first;
    a->material[own] = common_material(l->body, first, count);
    a->first[own] = first;
    while (l->body->material[a->first[own]] != a->material[own]) ++a->first[own];
    for (int e = first; e < first + count; ++e) a->leaf[e] = own;
}

/* ---- Nodes ---- */
/* Lists all slaves, by levels, so that parents come first. */
static void list_slaves(const sn_world *world, sn_active *a) {
    const sn_levels *levels = &world->model->levels;
    for (int32_t at = levels->begin[1]; at < levels->begin[levels->count]; ++at) {
        const int32_t node = levels->node[at];
        if (sn_forest_kind(&world->adaptive->forest, node) == SN_NODE_FREE) continue;
        int32_t *own = a->slave[a->slave_count++];
        own[0] = node, own[1] = levels->parent[2 * (size_t)at], own[2] = levels->parent[2 * (size_t)at + 1];
        a->slaved[node] = 1;
    }
}

static void number_nodes(const sn_world *world, sn_active *a) {
    const sn_levels *levels = &world->model->levels;
    const int nodes = world->model->node_count;
    for (int i = 0; i < nodes; ++i) a->compact[i] = -1;
    for (int i = 0; i < 4 * a->leaf_count; ++i) a->compact[a->node[i]] = 0;
    for (int i = 0; i < nodes; ++i) {
        if (a->compact[i] < 0) continue;
        a->compact[i] = a->count;
        a->full[a->count++] = i;
    }
    for (int i = 0; i < 4 * a->leaf_count; ++i) a->node[i] = a->compact[a->node[i]];
    a->hanging.one_sided = !world->adaptive->options.reaction;
    for (int i = 0; i < a->count; ++i) {
        if (!a->slaved[a->full[i]]) continue;
        const int32_t *parent = levels->parent + 2 * (size_t)levels->place[a->full[i]];
        a->hanging.node[a->hanging.count] = i;
        for (int k = 0; k < 2; ++k) a->hanging.parent[a->hanging.count][k] = a->compact[parent[k]];
        ++a->hanging.count;
    }
}

/* T^T of one number per node. */
static void give_numbers(const sn_active *a, double *full) {
    for (int s = a->slave_count - 1; s >= 0; --s) {
        const int32_t *own = a->slave[s];
        full[own[1]] += 0.5 * full[own[0]], full[own[2]] += 0.5 * full[own[0]];
        full[own[0]] = 0;
    }
}

static sn_status fill_numbers(const sn_world *world, sn_active *a, sn_error *error) {
    const sn_adaptive *adaptive = world->adaptive;
    const size_t count = (size_t)a->count, nodes = (size_t)world->model->node_count;
    double *room = adaptive->weight;
    a->rest = sn_allocate(world->context, 3 * count, sizeof *a->rest);
    a->mass = sn_allocate(world->context, count, sizeof *a->mass);
    if (adaptive->drag) a->rayleigh = sn_allocate_zero(world->context, count, sizeof *a->rayleigh);
    if (!a->rest || !a->mass || (adaptive->drag && !a->rayleigh)) return sn_no_memory(error);
    sn_active_gather(a, world->model->rest, a->rest);
    memcpy(room, adaptive->mass, nodes * sizeof *room);
    give_numbers(a, room);
    for (size_t i = 0; i < count; ++i) a->mass[i] = room[a->full[i]];
    if (!adaptive->drag) return SN_OK;
    memcpy(room, adaptive->drag, nodes * sizeof *room);
    give_numbers(a, room);
    for (size_t i = 0; i < count; ++i)
        if (a->mass[i] > 0) a->rayleigh[i] = room[a->full[i]] / a->mass[i];
    return SN_OK;
}

sn_status sn_active_create(const sn_world *world, const sn_solid *before, sn_active **active, sn_error *error) {
    sn_active *a = sn_allocate_zero(world->context, 1, sizeof *a);
    *active = a;
    sn_status status = a ? allocate(world, a, error) : sn_no_memory(error);
    if (status) return status;
    listing l = {&world->model->body[0], &world->adaptive->forest, a};
    sn_forest_leaves(l.forest, list_leaf, &l);
    list_slaves(world, a);
    number_nodes(world, a);
    status = fill_numbers(world, a, error);
    return status || !before ? status : sn_active_keep(world, before, a, error);
}

/* ---- Vectors ---- */
void sn_active_place(const sn_active *a, const double *offset, double *full) {
    for (int s = 0; s < a->slave_count; ++s) {
        const double *p = full + 3 * (size_t)a->slave[s][1], *q = full + 3 * (size_t)a->slave[s][2];
        const size_t own = 3 * (size_t)a->slave[s][0];
        for (size_t c = 0; c < 3; ++c) full[own + c] = 0.5 * (p[c] + q[c]) + (offset ? offset[own + c] : 0);
    }
}

void sn_active_follow(const sn_active *a, double *full) { sn_active_place(a, NULL, full); }

void sn_active_give(const sn_active *a, double *full) {
    for (int s = a->slave_count - 1; s >= 0; --s) {
        double *p = full + 3 * (size_t)a->slave[s][1], *q = full + 3 * (size_t)a->slave[s][2];
        double *own = full + 3 * (size_t)a->slave[s][0];
        for (int c = 0; c < 3; ++c) p[c] += 0.5 * own[c], q[c] += 0.5 * own[c], own[c] = 0;
    }
}

void sn_active_gather(const sn_active *a, const double *full, double *compact) {
    for (size_t i = 0; i < (size_t)a->count; ++i)
        for (size_t c = 0; c < 3; ++c) compact[3 * i + c] = full[3 * (size_t)a->full[i] + c];
}

void sn_active_spread(const sn_active *a, const double *compact, double *full) {
    for (size_t i = 0; i < (size_t)a->count; ++i)
        for (size_t c = 0; c < 3; ++c) full[3 * (size_t)a->full[i] + c] = compact[3 * i + c];
}
