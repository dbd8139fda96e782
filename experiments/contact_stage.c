/* See contact_stage.h. */
#include "contact_stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keeps the first failure. Returns whether there was none. */
static bool fine(contact_stage *s, sn_status status) {
    if (!s->status) s->status = status;
    return s->status == SN_OK;
}

void stage_start(contact_stage *s, sn_context *context, const char *response) {
    memset(s, 0, sizeof *s);
    s->context = context;
    for (int i = 0; i < STAGE_BODIES; ++i) {
        s->material[i] = sn_material_default();
        s->fix[i] = sn_fix_default();
        s->load[i] = sn_load_default();
    }
    stage_constant(s, "young", 1e5);
    s->options = sn_world_options_default();
    s->options.body = s->body;
    s->options.time.step = 0.01;
    s->options.contact.use = true;
    snprintf(s->options.contact.response, sizeof s->options.contact.response, "%s", response);
}

void stage_create(contact_stage *s) {
    if (!s->status) fine(s, sn_world_create(s->context, &s->options, &s->world, &s->error));
}

sn_status stage_end(contact_stage *s, sn_error *error) {
    sn_world_destroy(s->world);
    for (int i = 0; i < s->options.body_count; ++i) sn_mesh_destroy(s->mesh[i]), sn_mesh_destroy(s->surface[i]);
    if (s->status && error) *error = s->error;
    return s->status;
}

/* ---- Bodies ---- */

void stage_constant(contact_stage *s, const char *name, double value) {
    for (int i = 0; i < STAGE_BODIES; ++i) fine(s, sn_material_set(&s->material[i], name, &value, 1, &s->error));
}

sn_body_options *stage_add(contact_stage *s, sn_mesh *mesh) {
    const int at = s->options.body_count < STAGE_BODIES ? s->options.body_count++ : STAGE_BODIES - 1;
    sn_body_options *body = &s->body[at];
    if (!mesh) fine(s, SN_NO_MEMORY);
    *body = sn_body_options_default();
    snprintf(body->name, sizeof body->name, "body%d", at);
    body->mesh = s->mesh[at] = mesh;
    body->material = &s->material[at], body->material_count = 1;
    body->fix = &s->fix[at], body->load = &s->load[at];
    return body;
}

sn_mesh *stage_generate(contact_stage *s, const char *kind, const sn_generator_value *value, int count,
                        const double move[3]) {
    sn_mesh *mesh = NULL;
    if (!s->status) fine(s, sn_mesh_generate(s->context, kind, value, count, &mesh, &s->error));
    if (mesh) sn_mesh_move(mesh, move);
    return mesh;
}

sn_body_options *stage_embed(contact_stage *s, sn_mesh *surface, int elements) {
    sn_mesh *cage = NULL;
    sn_embed_options options = sn_embed_options_default();
    options.elements = elements;
    if (surface && !s->status) fine(s, sn_embed_surface(surface, &options, &cage, NULL, &s->error));
    sn_body_options *body = stage_add(s, cage);
    body->surface = s->surface[body - s->body] = surface;
    return body;
}

sn_body_options *stage_box(contact_stage *s, const double low[3], const double size[3], const int cells[3]) {
    const sn_generator_value value[3] = {
        {"size", 3, {size[0], size[1], size[2]}}, {"cells", 3, {cells[0], cells[1], cells[2]}}, {"split", 1, {5}}};
    return stage_add(s, stage_generate(s, "box", value, 3, low));
}

sn_body_options *stage_cube(contact_stage *s, double x, double y, double z, double size, int cells) {
    return stage_box(s, (double[3]){x, y, z}, (double[3]){size, size, size}, (int[3]){cells, cells, cells});
}

void stage_hold(contact_stage *s, sn_selector select) {
    const int at = s->options.body_count - 1;
    s->fix[at].select = select;
    s->body[at].fix_count = 1;
}

sn_selector stage_all(void) { return (sn_selector){.kind = SN_SELECT_ALL}; }

sn_selector stage_within(double x0, double y0, double z0, double x1, double y1, double z1) {
    return (sn_selector){.kind = SN_SELECT_BOX, .box = {{x0, y0, z0}, {x1, y1, z1}}, .angle = 1};
}

/* ---- Motion ---- */

void stage_step(contact_stage *s, int steps) {
    for (int i = 0; i < steps && !s->status; ++i) fine(s, sn_world_step(s->world, NULL, &s->error));
}

double *stage_places(contact_stage *s, int body) {
    if (s->status) return NULL;
    double *x = malloc(3 * (size_t)s->mesh[body]->node_count * sizeof *x);
    if (fine(s, x ? sn_world_get(s->world, body, x, NULL) : SN_NO_MEMORY)) return x;
    free(x);
    return NULL;
}

void stage_middle(contact_stage *s, int body, double out[3]) {
    double *x = stage_places(s, body);
    for (int k = 0; k < 3; ++k) out[k] = x ? 0 : NAN;
    const int nodes = x ? s->mesh[body]->node_count : 0;
    for (int i = 0; i < 3 * nodes; ++i) out[i % 3] += x[i] / nodes;
    free(x);
}

void stage_force(contact_stage *s, int body, double out[3]) {
    double *f = stage_places(s, body);
    if (f) fine(s, sn_world_contact_forces(s->world, body, f));
    for (int k = 0; k < 3; ++k) out[k] = f ? 0 : NAN;
    for (int i = 0; f && i < 3 * s->mesh[body]->node_count; ++i) out[i % 3] += f[i];
    free(f);
}

static sn_energies energies(contact_stage *s) {
    sn_energies out = {NAN, NAN, NAN, NAN};
    if (!s->status) fine(s, sn_world_energies(s->world, &out, &s->error));
    return out;
}

double stage_energy(contact_stage *s) { return energies(s).total; }

double stage_kinetic(contact_stage *s) { return energies(s).kinetic; }

void stage_throw(contact_stage *s, int body, const double move[3], const double velocity[3], double spin) {
    if (s->status) return;
    const sn_mesh *mesh = s->mesh[body];
    double *x = malloc(6 * (size_t)mesh->node_count * sizeof *x), centre[3] = {0};
    if (!fine(s, x ? SN_OK : SN_NO_MEMORY)) return;
    double *v = x + 3 * (size_t)mesh->node_count;
    for (int i = 0; i < 3 * mesh->node_count; ++i) centre[i % 3] += mesh->position[i] / mesh->node_count;
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *at = mesh->position + 3 * i;
        for (int k = 0; k < 3; ++k) x[3 * i + k] = at[k] + move[k], v[3 * i + k] = velocity[k];
        v[3 * i] -= spin * (at[1] - centre[1]), v[3 * i + 1] += spin * (at[0] - centre[0]);
    }
    fine(s, sn_world_put(s->world, body, x, v, &s->error));
    free(x);
}
