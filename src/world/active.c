/* The active set of an adaptive world, compiled: its nodes, elements, slaves and masses. See adaptive.h. */
#include <string.h>

#include "adaptive.h"
#include "inside.h"

void sn_active_destroy(sn_context *context, sn_active *a) {
    if (!a) return;
    void *const array[] = {a->begin, a->corner, a->node,         a->material,       a->label,   a->leaf,
                           a->depth, a->first,  a->full,         a->compact,        a->slave,   a->slaved,
                           a->rest,  a->mass,   a->hanging.node, a->hanging.parent, a->rayleigh};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_active_drop(context, a);
    sn_release(context, a);
}

/* Where the leaves of each body begin. */
static sn_status count_leaves(const sn_world *world, sn_active *a, sn_error *error) {
    const sn_model *model = world->model;
    a->begin = sn_allocate_zero(world->context, (size_t)model->body_count + 1, sizeof *a->begin);
    a->corner = sn_allocate_zero(world->context, (size_t)model->body_count + 1, sizeof *a->corner);
    if (!a->begin || !a->corner) return sn_no_memory(error);
    for (int b = 0; b < model->body_count; ++b) {
        const sn_body *body = &model->body[b];
        const sn_adaptive_body *own = sn_adaptive_find(world, b);
        const int leaves = own ? own->forest.leaf_count : body->rigid ? 0 : body->mesh->tet_count;
        a->begin[b + 1] = a->begin[b] + leaves;
        a->corner[b + 1] = a->corner[b] + (int64_t)leaves * body->element->nodes;
    }
    return SN_OK;
}

static sn_status allocate(const sn_world *world, sn_active *a, sn_error *error) {
    const sn_context *context = world->context;
    const sn_status status = count_leaves(world, a, error);
    if (status) return status;
    const size_t nodes = (size_t)world->model->node_count, leaves = (size_t)a->begin[world->model->body_count],
                 corners = (size_t)a->corner[world->model->body_count];
    const sn_array array[] = {SN_ARRAY(a->node, corners),       SN_ARRAY(a->material, leaves),
                              SN_ARRAY(a->label, leaves),       SN_ARRAY(a->depth, leaves),
                              SN_ARRAY(a->first, leaves),       SN_ARRAY(a->leaf, (size_t)world->model->element_count),
                              SN_ARRAY(a->compact, nodes),      SN_ARRAY(a->slaved, nodes),
                              SN_ARRAY(a->slave, nodes),        SN_ARRAY(a->full, nodes),
                              SN_ARRAY(a->hanging.node, nodes), SN_ARRAY(a->hanging.parent, nodes)};
    return sn_allocate_arrays(context, array, sizeof array / sizeof *array, error);
}

/* ---- Elements ---- */
typedef struct listing {
    const sn_world *world;
    int body;
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

/* Appends the leaf of `count` finest elements of body b, from the element `first` on. */
static void append(const sn_world *world, int b, int first, int count, const int32_t *node, sn_active *a) {
    const sn_body *body = &world->model->body[b];
    const int own = a->leaf_count++, nodes = body->element->nodes;
    memcpy(a->node + a->corner[b] + (int64_t)(own - a->begin[b]) * nodes, node, (size_t)nodes * sizeof *node);
    a->label[own] = body->mesh->tet_label ? body->mesh->tet_label[first] : first;
    a->material[own] = common_material(body, first, count);
    int same = first;
    while (body->material[same] != a->material[own]) ++same;
    a->first[own] = body->element_first + same;
    for (int e = first; e < first + count; ++e) a->leaf[body->element_first + e] = own;
}

static void list_leaf(void *data, int tet, int level) {
    const listing *l = data;
    const sn_forest *f = l->forest;
    const int depth = f->levels - level, count = 1 << 3 * depth, first = (tet - f->first[level]) * count;
    const int32_t *finest = l->world->model->body[l->body].node + 4 * (size_t)first;
    l->active->depth[l->active->leaf_count] = (uint8_t)depth;
    append(l->world, l->body, first, count, depth ? f->node + 10 * (size_t)tet : finest, l->active);
}

static void list_body(const sn_world *world, int b, sn_active *a) {
    const sn_body *body = &world->model->body[b];
    const sn_adaptive_body *own = sn_adaptive_find(world, b);
    if (own) sn_forest_leaves(&own->forest, list_leaf, &(listing){world, b, &own->forest, a});
    for (int e = 0; e < body->mesh->tet_count && !own; ++e)
        if (body->rigid)
            a->leaf[body->element_first + e] = -1;
        else
            append(world, b, e, 1, body->node + (size_t)body->element->nodes * (size_t)e, a);
}

/* ---- Nodes ---- */
/* Lists all slaves, by levels, so that parents come first. */
static void list_slaves(const sn_world *world, sn_active *a) {
    const sn_levels *levels = &world->model->levels;
    for (int32_t at = levels->begin[1]; at < levels->begin[levels->count]; ++at) {
        const int32_t node = levels->node[at];
        if (sn_adaptive_kind(world, node) == SN_NODE_FREE) continue;
        int32_t *own = a->slave[a->slave_count++];
        own[0] = node, own[1] = levels->parent[2 * (size_t)at], own[2] = levels->parent[2 * (size_t)at + 1];
        a->slaved[node] = 1;
    }
}

/* Marks the nodes in use with 0: all of other bodies, and the corners of active tets. */
static void mark_nodes(const sn_world *world, sn_active *a) {
    for (int b = 0; b < world->model->body_count; ++b) {
        const sn_body *body = &world->model->body[b];
        const int32_t used = sn_adaptive_find(world, b) ? -1 : 0;
        for (int i = 0; i < body->mesh->node_count; ++i) a->compact[body->node_first + i] = used;
        for (int64_t i = a->corner[b]; i < a->corner[b + 1]; ++i) a->compact[a->node[i]] = 0;
    }
}

static void number_nodes(const sn_world *world, sn_active *a) {
    const sn_levels *levels = &world->model->levels;
    const int nodes = world->model->node_count;
    mark_nodes(world, a);
    for (int i = 0; i < nodes; ++i) {
        if (a->compact[i] < 0) continue;
        a->compact[i] = a->count;
        a->full[a->count++] = i;
    }
    for (int64_t i = 0; i < a->corner[world->model->body_count]; ++i) a->node[i] = a->compact[a->node[i]];
    a->hanging.one_sided = !world->adaptive->body[0].options.reaction;
    for (int i = 0; i < a->count; ++i) {
        if (!a->slaved[a->full[i]]) continue;
        const int32_t *parent = levels->parent + 2 * (size_t)levels->place[a->full[i]];
        a->hanging.node[a->hanging.count] = i;
        for (int k = 0; k < 2; ++k) a->hanging.parent[a->hanging.count][k] = a->compact[parent[k]];
        ++a->hanging.count;
    }
}

void sn_active_give_numbers(const sn_active *a, double *full) {
    for (int s = a->slave_count - 1; s >= 0; --s) {
        const int32_t *own = a->slave[s];
        full[own[1]] += 0.5 * full[own[0]], full[own[2]] += 0.5 * full[own[0]];
        full[own[0]] = 0;
    }
}

sn_status sn_active_create(const sn_world *world, const sn_solid *before, sn_active **active, sn_error *error) {
    sn_active *a = sn_allocate_zero(world->context, 1, sizeof *a);
    *active = a;
    sn_status status = a ? allocate(world, a, error) : sn_no_memory(error);
    if (status) return status;
    for (int b = 0; b < world->model->body_count; ++b) list_body(world, b, a);
    list_slaves(world, a);
    number_nodes(world, a);
    a->rest = sn_allocate(world->context, 3 * (size_t)a->count, sizeof *a->rest);
    if (!a->rest) return sn_no_memory(error);
    sn_active_gather(a, world->model->rest, a->rest);
    return before ? sn_active_keep(world, before, a, error) : SN_OK;
}

sn_status sn_active_weigh(const sn_world *world, const double *mass, const double *rayleigh, sn_active *a,
                          sn_error *error) {
    a->mass = sn_allocate(world->context, (size_t)a->count, sizeof *a->mass);
    if (rayleigh) a->rayleigh = sn_allocate(world->context, (size_t)a->count, sizeof *a->rayleigh);
    if (!a->mass || (rayleigh && !a->rayleigh)) return sn_no_memory(error);
    for (int i = 0; i < a->count; ++i) a->mass[i] = mass[a->full[i]];
    for (int i = 0; i < a->count && rayleigh; ++i) a->rayleigh[i] = rayleigh[a->full[i]];
    return SN_OK;
}

/* ---- Carriers ---- */
void sn_world_carriers(const sn_world *world, int32_t node, double weight, sn_carriers *c) {
    const sn_active *active = world->solid->active;
    if (active && active->slaved[node]) {
        const sn_levels *levels = &world->model->levels;
        for (size_t k = 0; k < 2; ++k)
            sn_world_carriers(world, levels->parent[2 * (size_t)levels->place[node] + k], 0.5 * weight, c);
        return;
    }
    int i = 0;
    while (i < c->count && c->node[i] != node) ++i;
    if (i == SN_CARRIERS) return;
    if (i == c->count) c->node[c->count] = node, c->weight[c->count++] = 0;
    c->weight[i] += weight;
}

/* ---- Vectors ---- */
void sn_active_place(const sn_active *a, const double *offset, double *full) {
    for (int s = 0; a && s < a->slave_count; ++s) {
        const double *p = full + 3 * (size_t)a->slave[s][1], *q = full + 3 * (size_t)a->slave[s][2];
        const size_t own = 3 * (size_t)a->slave[s][0];
        for (size_t c = 0; c < 3; ++c) full[own + c] = 0.5 * (p[c] + q[c]) + (offset ? offset[own + c] : 0);
    }
}

void sn_active_follow(const sn_active *a, double *full) { sn_active_place(a, NULL, full); }

void sn_active_give(const sn_active *a, double *full) {
    for (int s = a ? a->slave_count - 1 : -1; s >= 0; --s) {
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
