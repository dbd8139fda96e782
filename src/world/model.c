/* The model: checks and copies the bodies, numbers their nodes so that neighbours are near each other, and gives each
 * element its material.
 *
 * Nodes that no element uses are in every output, but they never move. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/math3.h"
#include "fem/law.h"
#include "fibres.h"
#include "inside.h"
#include "rigid_body.h"

static sn_status check_indices(const sn_mesh *mesh, sn_error *error) {
    for (int64_t i = 0; i < (int64_t)mesh->tet_count * mesh->tet_nodes; ++i)
        if (mesh->tet[i] < 0 || mesh->tet[i] >= mesh->node_count)
            return sn_fail_at(error, SN_BAD_INPUT, "mesh", "tet %lld names node %d of %d nodes",
                              (long long)(mesh->tet_label ? mesh->tet_label[i / mesh->tet_nodes] : i / mesh->tet_nodes),
                              mesh->tet[i], mesh->node_count);
    return SN_OK;
}

static sn_status check_positions(const sn_mesh *mesh, sn_error *error) {
    for (int i = 0; i < 3 * mesh->node_count; ++i)
        if (!isfinite(mesh->position[i]))
            return sn_fail_at(error, SN_BAD_INPUT, "mesh", "the position of node %lld is not finite",
                              (long long)(mesh->node_label ? mesh->node_label[i / 3] : i / 3));
    return SN_OK;
}

static sn_status check_mesh(const sn_body *body, const sn_mesh *mesh, sn_error *error) {
    if (!mesh) return sn_fail_at(error, SN_BAD_INPUT, "mesh", "body '%s' has no mesh", body->name);
    sn_status status = body->element->fits(mesh, error);
    if (!status) status = check_indices(mesh, error);
    return status ? status : check_positions(mesh, error);
}

/* Gives each element the last material whose selector holds the centroid of the element. */
static sn_status take_materials(sn_context *context, const sn_body_options *options, sn_body *body, sn_error *error) {
    const sn_mesh *mesh = body->mesh;
    body->material = sn_allocate_zero(context, (size_t)mesh->tet_count, sizeof *body->material);
    if (!body->material) return sn_no_memory(error);
    if (!options->material_select) {
        if (options->material_count <= 1) return SN_OK;
        return sn_fail_at(error, SN_BAD_INPUT, "material", "the body has %d materials but no selectors that say where",
                          options->material_count);
    }
    uint8_t *mask = sn_allocate(context, (size_t)mesh->tet_count, 1);
    if (!mask) return sn_no_memory(error);
    for (int e = 0; e < mesh->tet_count; ++e) body->material[e] = -1;
    sn_status status = SN_OK;
    for (int m = 0; m < options->material_count && !status; ++m) {
        status = sn_select_centroids(mesh, &options->material_select[m], mask, error);
        status = sn_within(error, status, "material.%d.select", m);
        for (int e = 0; e < mesh->tet_count && !status; ++e)
            if (mask[e]) body->material[e] = m;
    }
    for (int e = 0; e < mesh->tet_count && !status; ++e)
        if (body->material[e] < 0)
            status = sn_fail_at(error, SN_BAD_INPUT, "material",
                                "element %lld has no material: no selector holds its centroid",
                                (long long)(mesh->tet_label ? mesh->tet_label[e] : e));
    sn_release(context, mask);
    return status;
}

static sn_status take_surface(const sn_body_options *options, sn_body *body, sn_error *error) {
    const bool smooth = strcmp(options->embedding, "mls") == 0;
    if (smooth && !options->surface)
        return sn_fail_at(error, SN_BAD_INPUT, "embedding",
                          "embedding 'mls' has no effect on a body without a surface");
    if (!options->surface) return SN_OK;
    /* No creases: pictures find them in the present shape. */
    sn_status status = sn_embedding_create(body->mesh, options->surface, 180, &body->surface, error);
    if (!status && smooth) status = sn_embedding_smooth(body->mesh, body->surface, error);
    return sn_within(error, status, "surface");
}

static bool is_sheet(const char *element) {
    const sn_element *type = sn_element_find(element);
    return type && sn_element_carrier(type)->lay;
}

/* What has no meaning for a body that has mass and inertia only. */
static sn_status check_rigid(const sn_body_options *options, sn_error *error) {
    const sn_initial *i = &options->initial;
    const char *key = options->rigid_count > 0                      ? "rigid"
                      : options->fix_count > 0                      ? "fix"
                      : strcmp(options->element, "tri3") == 0       ? "element"
                      : is_sheet(options->element)                  ? "element"
                      : strcmp(options->mass, "consistent") == 0    ? "mass"
                      : options->thickness != 1                     ? "thickness"
                      : strcmp(options->basis, "hierarchical") == 0 ? "basis"
                      : i->scale != 1 || i->flatten || i->mirror || i->collapse || i->scrambled || i->twist != 0
                          ? "initial"
                          : NULL;
    if (!key) return SN_OK;
    if (strcmp(key, "fix") == 0)
        return sn_fail_at(error, SN_BAD_INPUT, key,
                          "the body is rigid and moves freely; hold it with links, tethers or grabs, or make it a "
                          "collider, whose motion is prescribed");
    return sn_fail_at(error, SN_BAD_INPUT, key, "'%s' has no meaning for a body that is rigid as a whole", key);
}

static sn_status take_rigid(sn_context *context, const sn_body_options *options, sn_body *body, sn_error *error) {
    if (!options->mesh) return sn_fail_at(error, SN_BAD_INPUT, "mesh", "body '%s' has no mesh", body->name);
    body->element = sn_element_find("tet4");
    sn_status status = check_rigid(options, error);
    if (!status) status = sn_within(error, sn_initial_check(&options->initial, error), "initial");
    if (!status) status = options->mesh->tet_count ? check_indices(options->mesh, error) : SN_OK;
    if (!status) status = check_positions(options->mesh, error);
    if (!status) status = sn_rigid_body_take(options, body, error);
    body->thickness = 1;
    if (!status) status = take_surface(options, body, error);
    if (!status) status = take_materials(context, options, body, error);
    return status ? status : sn_rigid_body_weigh(context, options, body, error);
}

/* What a body has that names no element: cloth for triangles with a law of cloth, else tets. */
static const char *usual_element(const sn_body_options *options) {
    bool cloth = options->mesh && options->mesh->tet_count == 0 && options->mesh->triangle_count > 0;
    const sn_law *law = options->material_count > 0 ? sn_law_find(NULL, options->material[0].law) : NULL;
    cloth = cloth && law && law->flags & SN_LAW_CLOTH;
    return !cloth ? "tet4" : law->element ? law->element : "cloth";
}

/* The thickness of triangles has an effect; that of cloth must be given. */
static sn_status check_thickness(const sn_body_options *options, const sn_body *body, sn_error *error) {
    if (body->element->dimension != 2 && options->thickness != 1)
        return sn_fail_at(error, SN_BAD_INPUT, "thickness",
                          "thickness has no effect on element %s; it is for tri3 and cloth", body->type->name);
    if (body->element->lay && options->thickness == 1)
        return sn_fail_at(error, SN_BAD_INPUT, "thickness",
                          "body '%s' is cloth and needs the thickness of its fabric in m, for example 0.0005",
                          body->name);
    return SN_OK;
}

/* The hierarchical basis needs levels. The sums over nodes that move together, and the linear systems of tension alone,
 * are nodal. */
static sn_status take_basis(const sn_body_options *options, sn_body *body, sn_error *error) {
    body->hierarchical = strcmp(options->basis, "hierarchical") == 0;
    if (!body->hierarchical) return SN_OK;
    if (body->mesh->level_count < 2)
        return sn_fail_at(error, SN_BAD_INPUT, "basis",
                          "basis 'hierarchical' needs nested levels, and body '%s' has none: refine its mesh (key "
                          "'refine' of the mesh), or take the element tet10",
                          body->name);
    if (body->element->lay || options->rigid_count > 0)
        return sn_fail_at(error, SN_UNSUPPORTED, "basis", "basis 'hierarchical' does not support %s",
                          body->element->lay ? "cloth" : "rigid cores");
    return SN_OK;
}

static sn_status take_body(sn_context *context, const sn_body_options *options, sn_body *body, sn_error *error) {
    snprintf(body->name, sizeof body->name, "%s", *options->name ? options->name : "body");
    body->corotate = options->corotate;
    if (options->rigid_body) return take_rigid(context, options, body, error);
    body->type = sn_element_find(*options->element ? options->element : usual_element(options));
    body->element = sn_element_carrier(body->type);
    body->consistent = strcmp(options->mass, "consistent") == 0;
    sn_status status = check_mesh(body, options->mesh, error);
    if (!status) status = sn_within(error, sn_initial_check(&options->initial, error), "initial");
    if (status) return status;
    for (int m = 0; m < options->material_count && !status; ++m)
        status =
            sn_within(error, sn_element_check_material(body->type, &options->material[m], error), "material.%d", m);
    if (!status) status = check_thickness(options, body, error);
    if (!status && body->consistent && body->element->divide)
        status = sn_fail_at(error, SN_BAD_INPUT, "mass", "mass 'consistent' has no meaning for element %s",
                            body->type->name);
    if (status) return status;
    status = body->element->take(options->mesh, &body->mesh, error);
    body->thickness = body->element->dimension == 2 ? options->thickness : 1;
    if (!status) status = take_basis(options, body, error);
    if (!status) status = take_surface(options, body, error);
    if (!status) status = take_materials(context, options, body, error);
    return status ? status : sn_fibres_create(context, options, body, error);
}

/* Gives the nodes of a body compiled numbers, and writes its rest shape and elements in these numbers. */
static sn_status number_body(sn_context *context, sn_model *model, sn_body *body, sn_error *error) {
    const sn_mesh *mesh = body->mesh;
    const int nodes = body->element->nodes;
    int32_t *compiled = model->compiled + body->node_first;
    const sn_status status = sn_mesh_order(mesh, compiled, error);
    if (status) return status;
    for (int i = 0; i < mesh->node_count; ++i) {
        compiled[i] += body->node_first;
        memcpy(model->rest + 3 * (size_t)compiled[i], mesh->position + 3 * (size_t)i, 3 * sizeof(double));
    }
    body->node = sn_allocate(context, (size_t)mesh->tet_count * (size_t)nodes, sizeof *body->node);
    if (!body->node) return sn_no_memory(error);
    for (int64_t i = 0; i < (int64_t)mesh->tet_count * nodes; ++i) {
        body->node[i] = compiled[mesh->tet[i]];
        model->isolated[body->node[i]] = 0;
    }
    if (body->rigid) memset(model->isolated + body->node_first, 0, (size_t)mesh->node_count);
    return SN_OK;
}

/* Compiles the levels of the bodies, in compiled numbers. */
static sn_status take_levels(sn_context *context, sn_model *model, sn_error *error) {
    sn_levels_body *body = sn_allocate(context, (size_t)model->body_count, sizeof *body);
    if (!body) return sn_no_memory(error);
    sn_status status = SN_OK;
    for (int basis = 0; basis < 2 && !status; ++basis) {
        for (int b = 0; b < model->body_count; ++b) {
            const sn_body *own = &model->body[b];
            body[b] = (sn_levels_body){.mesh = own->mesh,
                                       .number = model->compiled + own->node_first,
                                       .loose = basis ? !own->hierarchical : own->rigid != NULL};
        }
        status = sn_levels_create(context, body, model->body_count, model->node_count,
                                  basis ? &model->basis : &model->levels, error);
    }
    sn_release(context, body);
    return status;
}

static double diagonal(const sn_mesh *mesh) {
    double low[3], high[3], size[3];
    for (int a = 0; a < 3; ++a) low[a] = high[a] = mesh->position[a];
    for (int i = 0; i < 3 * mesh->node_count; ++i) {
        low[i % 3] = fmin(low[i % 3], mesh->position[i]);
        high[i % 3] = fmax(high[i % 3], mesh->position[i]);
    }
    sn_subtract3(high, low, size);
    return sn_norm3(size);
}

static sn_status count_bodies(sn_model *model, const sn_world_options *options, sn_error *error) {
    int64_t nodes = 0, elements = 0;
    for (int b = 0; b < model->body_count; ++b) {
        sn_body *body = &model->body[b];
        body->node_first = (int)nodes, body->element_first = (int)elements;
        body->material_first = model->material_count,
        body->material_count = options->body[b].material_count ? options->body[b].material_count : 1;
        nodes += body->mesh->node_count, elements += body->mesh->tet_count;
        model->material_count += body->material_count;
        model->size = fmax(model->size, diagonal(body->mesh));
        if (nodes > INT32_MAX / 3 || elements > INT32_MAX / 2)
            return sn_fail_at(error, SN_UNSUPPORTED, "bodies", "the bodies have more than %d nodes or %d elements",
                              INT32_MAX / 3, INT32_MAX / 2);
    }
    model->node_count = (int)nodes, model->element_count = (int)elements;
    return SN_OK;
}

static sn_status build(sn_context *context, const sn_world_options *options, sn_model *model, sn_error *error) {
    model->body = sn_allocate_zero(context, (size_t)options->body_count, sizeof *model->body);
    if (!model->body) return sn_no_memory(error);
    model->body_count = options->body_count;
    sn_status status = SN_OK;
    for (int b = 0; b < model->body_count && !status; ++b)
        status = sn_within(error, take_body(context, &options->body[b], &model->body[b], error), "bodies.%d", b);
    if (!status) status = count_bodies(model, options, error);
    if (status) return status;
    const size_t n = (size_t)model->node_count;
    model->compiled = sn_allocate(context, n, sizeof *model->compiled);
    model->rest = sn_allocate(context, 3 * n, sizeof *model->rest);
    model->isolated = sn_allocate(context, n, 1);
    if (!model->compiled || !model->rest || !model->isolated) return sn_no_memory(error);
    memset(model->isolated, 1, n);
    for (int b = 0; b < model->body_count && !status; ++b) status = number_body(context, model, &model->body[b], error);
    return status ? status : take_levels(context, model, error);
}

sn_status sn_model_create(sn_context *context, const sn_world_options *options, const sn_model **model,
                          sn_error *error) {
    sn_model *made = sn_allocate_zero(context, 1, sizeof *made);
    *model = made;
    return made ? build(context, options, made, error) : sn_no_memory(error);
}

void sn_model_destroy(sn_context *context, const sn_model *model) {
    if (!model) return;
    for (int b = 0; b < model->body_count; ++b) {
        sn_mesh_destroy(model->body[b].mesh);
        sn_embedding_destroy(model->body[b].surface);
        sn_release(context, model->body[b].node);
        sn_release(context, model->body[b].material);
        sn_release(context, model->body[b].fibre);
        sn_release(context, model->body[b].muscle);
        sn_rigid_body_release(context, model->body[b].rigid);
    }
    sn_release(context, model->body);
    sn_release(context, model->compiled);
    sn_release(context, model->rest);
    sn_release(context, model->isolated);
    sn_levels levels = model->levels, basis = model->basis;
    sn_levels_release(context, &levels);
    sn_levels_release(context, &basis);
    sn_release(context, (void *)(uintptr_t)model);
}

int sn_model_find_body(const sn_model *model, const char *name) {
    for (int b = 0; b < model->body_count; ++b)
        if (strcmp(model->body[b].name, name) == 0) return b;
    return -1;
}

sn_status sn_model_check_body(const sn_model *model, int body, sn_error *error) {
    if (body >= 0 && body < model->body_count) return SN_OK;
    return sn_fail(error, SN_BAD_INPUT, "body %d; the world has %d", body, model->body_count);
}

sn_status sn_model_check_node(const sn_model *model, int body, int node, sn_error *error) {
    const sn_status status = sn_model_check_body(model, body, error);
    if (status || (node >= 0 && node < model->body[body].mesh->node_count)) return status;
    return sn_fail(error, SN_BAD_INPUT, "body '%s' has nodes 0 to %d, not %d", model->body[body].name,
                   model->body[body].mesh->node_count - 1, node);
}
