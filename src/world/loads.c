/* Loads of the bodies: selectors resolved to faces, nodes or elements. */
#include <string.h>

#include "world.h"

typedef struct picked {
    uint8_t *node, *face; /* of the body's mesh, user numbers */
    int face_count, face_nodes;
    int32_t *faces; /* all boundary faces, compiled; then those that are picked */
} picked;

static sn_status pick(const sn_world *world, int body, const sn_selector *select, picked *p, sn_error *error) {
    const sn_mesh *mesh = world->model.body[body].mesh;
    p->face_nodes = world->model.body[body].element->face_nodes;
    int count = 0;
    sn_status status = sn_body_faces(world, body, &count, &p->faces, error);
    if (status) return status;
    p->node = sn_allocate_zero(world->context, (size_t)mesh->node_count, 1);
    p->face = sn_allocate_zero(world->context, (size_t)count, 1);
    if (!p->node || !p->face) return sn_no_memory(error);
    status = sn_mesh_select(mesh, select, p->node, p->face_nodes ? p->face : NULL, error);
    for (int f = 0; f < count && !status; ++f) {
        if (!p->face[f]) continue;
        memmove(p->faces + (size_t)p->face_count * (size_t)p->face_nodes, p->faces + (size_t)f * (size_t)p->face_nodes,
                (size_t)p->face_nodes * sizeof(int32_t));
        ++p->face_count;
    }
    return status;
}

/* Equal parts of a force for the picked nodes. */
static sn_status nodes_force(const sn_world *world, const sn_body *body, const sn_load *load, const picked *p, double *force,
                             sn_error *error) {
    if (load->follow) return sn_fail(error, SN_BAD_INPUT, "a force that follows needs a face; the selector picks only nodes");
    int count = 0;
    for (int i = 0; i < body->mesh->node_count; ++i) count += p->node[i];
    for (int i = 0; i < body->mesh->node_count; ++i)
        for (int a = 0; a < 3 && p->node[i]; ++a) force[3 * world->model.compiled[body->node_first + i] + a] = load->value[a] / count;
    return SN_OK;
}

static sn_status body_force(const sn_world *world, const sn_body *body, const sn_load *load, const picked *p, double *force,
                            sn_error *error) {
    const sn_mesh *mesh = body->mesh;
    int count = 0;
    for (int e = 0; e < mesh->tet_count; ++e) {
        double share[SN_ELEMENT_NODES] = {0};
        bool all = true;
        for (int i = 0; i < mesh->tet_nodes; ++i) all = all && p->node[mesh->tet[(size_t)e * (size_t)mesh->tet_nodes + (size_t)i]];
        if (!all) continue;
        ++count;
        const int32_t *node = body->node + (size_t)e * (size_t)body->element->nodes;
        sn_load_volume_shares(body->element, body->thickness, node, world->model.rest, share);
        for (int i = 0; i < body->element->nodes; ++i)
            for (int a = 0; a < 3; ++a) force[3 * node[i] + a] += share[i] * load->value[a];
    }
    if (count == 0) return sn_fail(error, SN_BAD_INPUT, "the selector picks no whole element for a body load");
    return SN_OK;
}

static sn_status resolve(const sn_world *world, int body, const sn_load *load, picked *p, sn_load_term *term, sn_error *error) {
    const sn_model *model = &world->model;
    const bool by_nodes = load->kind == SN_LOAD_FORCE && p->face_count == 0;
    if (load->kind != SN_LOAD_BODY && !by_nodes) {
        if (p->face_nodes == 0)
            return sn_fail(error, SN_UNSUPPORTED, "a plane body has no faces for this load; it takes 'force' and 'body' loads");
        if (p->face_count == 0)
            return sn_fail(error, SN_BAD_INPUT, "the selector picks no boundary face; a face is picked when all its nodes are");
        return sn_load_surface(world->context, load, p->face_count, p->face_nodes, p->faces, model->node_count, model->rest, term, error);
    }
    double *force = sn_allocate_zero(world->context, (size_t)model->node_count * 3, sizeof *force);
    if (!force) return sn_no_memory(error);
    sn_status status = by_nodes ? nodes_force(world, &model->body[body], load, p, force, error)
                                : body_force(world, &model->body[body], load, p, force, error);
    if (!status) status = sn_load_nodal(world->context, load, model->node_count, force, term, error);
    sn_release(world->context, force);
    return status;
}

static sn_status take_load(sn_world *world, int body, int index, const sn_load *load, sn_error *error) {
    const char *name = world->model.body[body].name;
    sn_status status = sn_load_check(load, name, index, error);
    if (status) return status;
    picked p = {0};
    status = pick(world, body, &load->select, &p, error);
    if (!status) status = resolve(world, body, load, &p, &world->model.load[world->model.load_count], error);
    if (status)
        status = sn_prefix(error, status, name, "loads", index);
    else
        ++world->model.load_count;
    sn_release(world->context, p.node);
    sn_release(world->context, p.face);
    sn_release(world->context, p.faces);
    return status;
}

sn_status sn_model_loads(sn_world *world, const sn_world_options *options, sn_error *error) {
    int count = 0;
    for (int b = 0; b < options->body_count; ++b) count += options->body[b].load_count;
    world->model.load = sn_allocate_zero(world->context, (size_t)count, sizeof *world->model.load);
    if (!world->model.load) return sn_no_memory(error);
    sn_status status = SN_OK;
    for (int b = 0; b < options->body_count; ++b)
        for (int i = 0; i < options->body[b].load_count && !status; ++i) status = take_load(world, b, i, &options->body[b].load[i], error);
    return status;
}
