/* Loads: tractions, pressures and forces on selected faces, nodes or elements (fem/load.h). The ramp or the keys of a
 * load give a factor. */
#include "fem/load.h"

#include <math.h>
#include <string.h>

#include "inside.h"

typedef struct item {
    int id;
    sn_load_term term;
} item;

typedef struct loads {
    int count, capacity, next_id;
    item *item;
} loads;

/* ---- Selection ---- */

typedef struct picked {
    uint8_t *node, *face; /* masks over the nodes and the boundary faces of the body's mesh */
    int face_count, face_nodes;
    int32_t *faces; /* compiled nodes: all boundary faces at first; then the face_count faces that are picked */
} picked;

static sn_status pick(const sn_world *world, int body, const sn_selector *select, picked *p, sn_error *error) {
    const sn_mesh *mesh = world->model->body[body].mesh;
    p->face_nodes = world->model->body[body].element->face_nodes;
    int count = 0;
    sn_status status = sn_body_faces(world->model, body, &count, &p->faces, error);
    if (status) return status;
    p->node = sn_allocate_zero(world->context, (size_t)mesh->node_count, 1);
    p->face = sn_allocate_zero(world->context, (size_t)count, 1);
    if (!p->node || !p->face) return sn_no_memory(error);
    status = sn_within(error, sn_mesh_select(mesh, select, p->node, p->face_nodes ? p->face : NULL, error), "select");
    for (int f = 0; f < count && !status; ++f) {
        if (!p->face[f]) continue;
        memmove(p->faces + (size_t)p->face_count * (size_t)p->face_nodes, p->faces + (size_t)f * (size_t)p->face_nodes,
                (size_t)p->face_nodes * sizeof(int32_t));
        ++p->face_count;
    }
    return status;
}

/* Spreads a force equally over the picked nodes. */
static sn_status nodes_force(const sn_world *world, const sn_body *body, const sn_load *load, const picked *p,
                             double *force, sn_error *error) {
    if (load->follow)
        return sn_fail_at(error, SN_BAD_INPUT, "follow",
                          "a force that follows needs a face; the selector picks only nodes");
    int count = 0;
    for (int i = 0; i < body->mesh->node_count; ++i) count += p->node[i];
    for (int i = 0; i < body->mesh->node_count; ++i)
        for (int a = 0; a < 3 && p->node[i]; ++a)
            force[3 * world->model->compiled[body->node_first + i] + a] = load->value[a] / count;
    return SN_OK;
}

static sn_status body_force(const sn_world *world, const sn_body *body, const sn_load *load, const picked *p,
                            double *force, sn_error *error) {
    const sn_mesh *mesh = body->mesh;
    int count = 0;
    for (int e = 0; e < mesh->tet_count; ++e) {
        double share[SN_ELEMENT_NODES] = {0};
        bool all = true;
        for (int i = 0; i < mesh->tet_nodes; ++i)
            all = all && p->node[mesh->tet[(size_t)e * (size_t)mesh->tet_nodes + (size_t)i]];
        if (!all) continue;
        ++count;
        const int32_t *node = body->node + (size_t)e * (size_t)body->element->nodes;
        sn_load_volume_shares(body->element, body->thickness, node, world->model->rest, share);
        for (int i = 0; i < body->element->nodes; ++i)
            for (int a = 0; a < 3; ++a) force[3 * node[i] + a] += share[i] * load->value[a];
    }
    if (count == 0)
        return sn_fail_at(error, SN_BAD_INPUT, "select", "the selector picks no whole element for a body load");
    return SN_OK;
}

static sn_status resolve(const sn_world *world, int body, const sn_load *load, picked *p, sn_load_term *term,
                         sn_error *error) {
    const sn_model *model = world->model;
    const bool by_nodes = load->kind == SN_LOAD_FORCE && p->face_count == 0;
    if (load->kind != SN_LOAD_BODY && !by_nodes) {
        if (p->face_nodes == 0)
            return sn_fail(error, SN_UNSUPPORTED,
                           "a plane body has no faces for this load; it takes 'force' and 'body' loads");
        if (p->face_count == 0)
            return sn_fail_at(error, SN_BAD_INPUT, "select",
                              "the selector picks no boundary face; a face is picked when all its nodes are");
        return sn_load_surface(world->context, load, p->face_count, p->face_nodes, p->faces, model->node_count,
                               model->rest, term, error);
    }
    double *force = sn_allocate_zero(world->context, (size_t)model->node_count * 3, sizeof *force);
    if (!force) return sn_no_memory(error);
    sn_status status = by_nodes ? nodes_force(world, &model->body[body], load, p, force, error)
                                : body_force(world, &model->body[body], load, p, force, error);
    if (!status) status = sn_load_nodal(world->context, load, model->node_count, force, term, error);
    sn_release(world->context, force);
    return status;
}

static sn_status make_term(const sn_world *world, int body, const sn_load *load, sn_load_term *term, sn_error *error) {
    sn_status status = sn_load_check(load, error);
    if (status) return status;
    picked p = {0};
    *term = (sn_load_term){0};
    status = pick(world, body, &load->select, &p, error);
    if (!status) status = resolve(world, body, load, &p, term, error);
    sn_release(world->context, p.node);
    sn_release(world->context, p.face);
    sn_release(world->context, p.faces);
    return status;
}

/* ---- The list ---- */
static loads *loads_of(const sn_world *world) { return sn_interaction_of(world, &sn_kind_loads)->data; }

static sn_status append(sn_world *world, loads *own, int body, const sn_load *load, sn_error *error) {
    sn_status status =
        sn_grow(world->context, (void **)&own->item, &own->capacity, own->count + 1, sizeof *own->item, error);
    if (!status) status = make_term(world, body, load, &own->item[own->count].term, error);
    if (!status) own->item[own->count++].id = own->next_id++;
    return status;
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    loads *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    for (int b = 0; b < options->body_count; ++b)
        for (int i = 0; i < options->body[b].load_count; ++i) {
            const sn_status status = append(world, own, b, &options->body[b].load[i], error);
            if (status) return sn_within(error, status, "bodies.%d.loads.%d", b, i);
        }
    return SN_OK;
}

static void destroy(sn_world *world, sn_interaction *self) {
    loads *own = self->data;
    if (!own) return;
    for (int i = 0; i < own->count; ++i) sn_load_release(world->context, &own->item[i].term);
    sn_release(world->context, own->item);
    sn_release(world->context, own);
}

/* ---- Forces ---- */
static double factor(const sn_world *world, const sn_load_term *term, double t, double *rate) {
    return sn_load_factor(term, t, world->parameters.is_static, rate);
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    const loads *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        const sn_load_term *term = &own->item[i].term;
        sn_load_force(term, factor(world, term, place->t, NULL), place->x, f);
    }
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    const loads *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        const sn_load_term *term = &own->item[i].term;
        *energy -= sn_load_work(term, factor(world, term, place->t, NULL), place->x, world->model->rest);
    }
}

/* df/dt. At a kink of a ramp it is the rate of the piece that begins there. */
static void rate(sn_world *world, sn_interaction *self, const sn_place *place, double *out) {
    const loads *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        const sn_load_term *term = &own->item[i].term;
        double speed;
        factor(world, term, nextafter(place->t, INFINITY), &speed);
        if (speed != 0) sn_load_force(term, speed, place->x, out);
    }
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world;
    const loads *own = self->data;
    int64_t count = 0;
    for (int i = 0; i < own->count && !damping; ++i) count += sn_load_block_count(&own->item[i].term);
    return count;
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)D;
    const loads *own = self->data;
    for (int i = 0; i < own->count; ++i) {
        const sn_load_term *term = &own->item[i].term;
        const size_t at = (size_t)K->count;
        K->count += sn_load_blocks(term, factor(world, term, place->t, NULL), place->x, !exact, K->row + at,
                                   K->column + at, K->value + 9 * at);
    }
}

/* One glyph per node of a load that does not follow; `to` equals `from`. */
static int draw(const sn_world *world, const sn_interaction *self, sn_glyph *glyph, int room) {
    const loads *own = self->data;
    int count = 0;
    for (int i = 0; i < own->count; ++i) {
        const sn_load_term *term = &own->item[i].term;
        const double s = factor(world, term, world->state.time, NULL);
        for (int k = 0; k < term->count; ++k, ++count) {
            if (count >= room) continue;
            const double *x = world->state.x + 3 * (size_t)term->node[k];
            for (int a = 0; a < 3; ++a) {
                glyph[count].from[a] = x[a];
                glyph[count].force[a] = s * term->force[3 * (size_t)k + (size_t)a];
                glyph[count].to[a] = x[a];
            }
        }
    }
    return count;
}

const sn_interaction_kind sn_kind_loads = {.create = create,
                                           .destroy = destroy,
                                           .force = force,
                                           .energy = energy,
                                           .rate = rate,
                                           .block_count = block_count,
                                           .blocks = blocks,
                                           .draw = draw};

/* ---- Editing ---- */
static int find(const loads *own, int id, sn_error *error) {
    for (int i = 0; i < own->count; ++i)
        if (own->item[i].id == id) return i;
    sn_fail(error, SN_BAD_INPUT, "there is no load %d", id);
    return -1;
}

static void remove_at(sn_world *world, loads *own, int at) {
    sn_load_release(world->context, &own->item[at].term);
    memmove(own->item + at, own->item + at + 1, (size_t)(own->count - at - 1) * sizeof *own->item);
    --own->count;
}

sn_status sn_world_add_load(sn_world *world, int body, const sn_load *load, int *id, sn_error *error) {
    loads *own = loads_of(world);
    sn_status status = sn_model_check_body(world->model, body, error);
    if (!status) status = append(world, own, body, load, error);
    if (status) return status;
    status = sn_workspace_fit(world, error);
    if (status) {
        remove_at(world, own, own->count - 1);
        return status;
    }
    sn_workspace_forget(world);
    if (id) *id = own->next_id - 1;
    return SN_OK;
}

sn_status sn_world_change_load(sn_world *world, int id, int body, const sn_load *load, sn_error *error) {
    loads *own = loads_of(world);
    const int at = find(own, id, error);
    if (at < 0) return SN_BAD_INPUT;
    sn_load_term term, old = own->item[at].term;
    sn_status status = sn_model_check_body(world->model, body, error);
    if (!status) status = make_term(world, body, load, &term, error);
    if (status) return status;
    own->item[at].term = term;
    status = sn_workspace_fit(world, error);
    if (status) own->item[at].term = old;
    sn_load_release(world->context, status ? &term : &old);
    sn_workspace_forget(world);
    return status;
}

sn_status sn_world_remove_load(sn_world *world, int id, sn_error *error) {
    loads *own = loads_of(world);
    const int at = find(own, id, error);
    if (at < 0) return SN_BAD_INPUT;
    remove_at(world, own, at);
    sn_workspace_forget(world);
    return SN_OK;
}
