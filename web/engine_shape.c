/* How bodies are shown: the skin (the scene's surface in its tets, or their boundary), the wireframe of the boundary,
 * held nodes; and the message that describes a scene. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine_internal.h"

static const double crease = 35; /* degrees: edges of a box are sharp, a coarse sphere is smooth */

static int by_value(const void *a, const void *b) {
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

/* The drawn edges of the faces, each once; place: the place of each node among the wire nodes. */
static sn_status list_edges(engine_shape *s, sn_error *error) {
    uint64_t *edge = malloc(3 * (size_t)s->faces * sizeof *edge + 1);
    int32_t *place = malloc((size_t)s->mesh->node_count * sizeof *place + 1);
    const bool room = edge && place;
    int count = 0;
    for (int i = 0; room && i < s->wire_nodes; ++i) place[s->wire_node[i]] = i;
    for (int i = 0; room && i < 3 * s->faces; ++i) {
        if (!(s->drawn[i / 3] >> i % 3 & 1)) continue;
        const uint32_t a = (uint32_t)s->face[i], b = (uint32_t)s->face[i / 3 * 3 + (i + 1) % 3];
        edge[count++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
    if (room) qsort(edge, (size_t)count, sizeof *edge, by_value);
    s->wire_edges = 0;
    for (int i = 0; i < count; ++i) {
        if (i && edge[i] == edge[i - 1]) continue;
        s->wire_edge[2 * (size_t)s->wire_edges] = place[edge[i] >> 32];
        s->wire_edge[2 * (size_t)s->wire_edges++ + 1] = place[edge[i] & 0xffffffffu];
    }
    free(edge), free(place);
    return room ? SN_OK : sn_fail(error, SN_NO_MEMORY, "out of memory");
}

/* Lists the edges again when the active tets have other edges than at the last call. Returns whether they have. */
static bool renew_edges(const engine *e, int body) {
    engine_shape *s = &e->shape[body];
    if (sn_world_active_edges(e->world, body, s->faces, s->face, s->owner, s->drawn_now)) return false;
    if (memcmp(s->drawn, s->drawn_now, (size_t)s->faces) == 0) return false;
    memcpy(s->drawn, s->drawn_now, (size_t)s->faces);
    return !list_edges(s, NULL);
}

/* Boundary nodes in ascending order, and the edges between them. */
static sn_status make_wire(engine_shape *s, sn_error *error) {
    sn_status status = sn_mesh_boundary(s->mesh, &s->faces, &s->face, &s->owner, NULL, error);
    if (status) return status;
    s->drawn = malloc((size_t)s->faces + 1);
    s->drawn_now = malloc((size_t)s->faces + 1);
    s->wire_node = malloc((size_t)s->mesh->node_count * sizeof *s->wire_node + 1);
    s->wire_edge = malloc(6 * (size_t)s->faces * sizeof *s->wire_edge + 1);
    uint8_t *used = calloc((size_t)s->mesh->node_count + 1, 1);
    if (s->drawn && s->drawn_now && s->wire_node && s->wire_edge && used) {
        for (int i = 0; i < 3 * s->faces; ++i) used[s->face[i]] = 1;
        for (int i = 0; i < s->mesh->node_count; ++i)
            if (used[i]) s->wire_node[s->wire_nodes++] = i;
        memset(s->drawn, 7, (size_t)s->faces);
        status = list_edges(s, error);
    } else
        status = sn_fail(error, SN_NO_MEMORY, "out of memory");
    free(used);
    return status;
}

/* Nodes that the scene holds. */
static sn_status mark_held(const engine *e, int body, sn_error *error) {
    engine_shape *s = &e->shape[body];
    const sn_body_options *options = &sn_scene_world_options(e->scene)->body[body];
    uint8_t *mask = malloc((size_t)s->mesh->node_count + 1);
    if (!mask) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    sn_status status = SN_OK;
    for (int f = 0; f < options->fix_count && !status; ++f) {
        memset(mask, 0, (size_t)s->mesh->node_count);
        status = sn_mesh_select(s->mesh, &options->fix[f].select, mask, NULL, error);
        for (int i = 0; i < s->mesh->node_count && !status; ++i) s->held[i] = s->held[i] | (mask[i] != 0);
    }
    for (int i = 0; i < s->mesh->node_count; ++i) s->held_count += s->held[i] != 0;
    free(mask);
    return status;
}

/* Volume of a tet; of a triangle area times thickness. */
static double volume_of(const double *x, const int32_t *t, int corners, double thickness) {
    double e[9] = {0};
    for (int i = 0; i + 1 < corners && i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            e[3 * i + k] = x[3 * (size_t)t[i + 1] + (size_t)k] - x[3 * (size_t)t[0] + (size_t)k];
    const double n[3] = {e[1] * e[5] - e[2] * e[4], e[2] * e[3] - e[0] * e[5], e[0] * e[4] - e[1] * e[3]};
    if (corners == 3) return thickness * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    return fabs(n[0] * e[6] + n[1] * e[7] + n[2] * e[8]) / 6;
}

static sn_status make_shape(engine *e, int body, sn_error *error) {
    engine_shape *s = &e->shape[body];
    s->mesh = sn_world_body_mesh(e->world, body);
    const sn_mesh *mesh = s->mesh;
    s->skin = sn_world_body_surface(e->world, body);
    s->embedded = s->skin != NULL;
    sn_status status = s->embedded ? SN_OK : sn_embedding_boundary(mesh, crease, &s->boundary, error);
    if (!s->embedded) s->skin = s->boundary;
    if (!status) status = make_wire(s, error);
    if (status) return status;
    const size_t n = (size_t)mesh->node_count, m = (size_t)mesh->tet_count;
    s->held = calloc(n + 1, 1);
    s->position = calloc(3 * n + 1, sizeof *s->position);
    s->velocity = calloc(3 * n + 1, sizeof *s->velocity);
    s->before = calloc(3 * n + 1, sizeof *s->before);
    s->reaction = calloc(3 * n + 1, sizeof *s->reaction);
    s->value = calloc(n + 1, sizeof *s->value);
    s->mass = calloc(n + 1, sizeof *s->mass);
    s->uses = calloc(n + 1, sizeof *s->uses);
    s->element = calloc(7 * m + 1, sizeof *s->element);
    if (!s->held || !s->position || !s->velocity || !s->before || !s->reaction || !s->value || !s->mass || !s->uses ||
        !s->element)
        return sn_fail(error, SN_NO_MEMORY, "out of memory");
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < 3 * n; ++i)
        low[i % 3] = fmin(low[i % 3], mesh->position[i]), high[i % 3] = fmax(high[i % 3], mesh->position[i]);
    s->length = n ? sqrt((high[0] - low[0]) * (high[0] - low[0]) + (high[1] - low[1]) * (high[1] - low[1]) +
                         (high[2] - low[2]) * (high[2] - low[2]))
                  : 0;
    const sn_material *material = sn_world_material(e->world, body, 0);
    const bool by_area = material->area_density > 0;
    const double density = by_area ? material->area_density : material->density,
                 thickness = by_area ? 1 : sn_scene_world_options(e->scene)->body[body].thickness;
    for (size_t t = 0; t < m; ++t) {
        const int32_t *tet = mesh->tet + t * (size_t)mesh->tet_nodes;
        const double share = volume_of(mesh->position, tet, mesh->tet_nodes, thickness) * density / mesh->tet_nodes;
        for (int i = 0; i < mesh->tet_nodes; ++i) s->mass[tet[i]] += share, ++s->uses[tet[i]];
    }
    return mark_held(e, body, error);
}

sn_status engine_shapes_create(engine *e, sn_error *error) {
    e->bodies = sn_world_body_count(e->world);
    e->shape = calloc((size_t)e->bodies, sizeof *e->shape);
    if (!e->shape) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    sn_status status = SN_OK;
    for (int b = 0; b < e->bodies && !status; ++b) status = make_shape(e, b, error);
    return status;
}

void engine_shapes_destroy(engine *e) {
    for (int b = 0; e->shape && b < e->bodies; ++b) {
        engine_shape *s = &e->shape[b];
        sn_embedding_destroy(s->boundary);
        if (s->mesh) sn_mesh_release(s->mesh, s->face), sn_mesh_release(s->mesh, s->owner);
        free(s->drawn), free(s->drawn_now), free(s->wire_node), free(s->wire_edge), free(s->held), free(s->position),
            free(s->velocity), free(s->before), free(s->reaction), free(s->value), free(s->mass), free(s->uses),
            free(s->element);
    }
    free(e->shape);
    e->shape = NULL, e->bodies = 0;
}

/* ---- The description ---- */

static json_t *describe_bodies(const engine *e) {
    json_t *list = json_array();
    for (int b = 0; b < e->bodies; ++b) {
        const engine_shape *s = &e->shape[b];
        json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:b, s:i, s:i, s:i, s:i, s:b}", "name",
                                              sn_world_body_name(e->world, b), "nodes", s->mesh->node_count, "elements",
                                              s->mesh->tet_count, "flat", s->mesh->tet_nodes == 3, "vertices",
                                              s->skin->vertex_count, "triangles", s->skin->triangle_count, "wireNodes",
                                              s->wire_nodes, "wireEdges", s->wire_edges, "embedded", (int)s->embedded));
    }
    return list;
}

/* The surfaces before anything moves, and the present poses. */
static json_t *describe_colliders(const engine *e) {
    json_t *list = json_array();
    for (int i = 0; i < sn_world_collider_count(e->world); ++i) {
        sn_drawing *d;
        if (sn_world_collider_drawing(e->world, i, &d, NULL)) break;
        json_t *triangles = json_array();
        for (int k = 0; k < 3 * d->triangle_count; ++k) json_array_append_new(triangles, json_integer(d->triangle[k]));
        double pose[12];
        sn_world_collider_pose(e->world, i, pose);
        json_array_append_new(list,
                              json_pack("{s:b, s:b, s:o, s:o, s:o, s:o}", "endless", (int)d->endless, "inside",
                                        (int)d->inside, "position", engine_vector(d->position, 3 * d->vertex_count),
                                        "normal", engine_vector(d->normal, 3 * d->vertex_count), "triangles", triangles,
                                        "pose", engine_vector(pose, 12)));
        sn_drawing_destroy(d);
    }
    return list;
}

/* Box of the bodies at the start. */
static json_t *describe_box(const engine *e) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int b = 0; b < e->bodies; ++b) {
        const engine_shape *s = &e->shape[b];
        sn_world_get(e->world, b, s->position, NULL);
        for (int i = 0; i < 3 * s->mesh->node_count; ++i)
            low[i % 3] = fmin(low[i % 3], s->position[i]), high[i % 3] = fmax(high[i % 3], s->position[i]);
    }
    return json_pack("[o, o]", engine_vector(low, 3), engine_vector(high, 3));
}

/* The edges of all bodies, two wire nodes each. */
static int32_t *put_edges(const engine *e, int32_t *at) {
    for (int b = 0, first = 0; b < e->bodies; first += e->shape[b++].wire_nodes)
        for (int i = 0; i < 2 * e->shape[b].wire_edges; ++i) *at++ = first + e->shape[b].wire_edge[i];
    return at;
}

void engine_send_wire(engine *e) {
    bool changed = false;
    size_t count = 0;
    for (int b = 0; b < e->bodies; ++b) {
        changed = renew_edges(e, b) || changed;
        count += 2 * (size_t)e->shape[b].wire_edges;
    }
    int32_t *index = changed ? engine_buffer(e, count * sizeof *index) : NULL;
    if (!index) return;
    put_edges(e, index);
    engine_say(e, json_pack("{s:s}", "type", "wire"), index, count * sizeof *index);
}

void engine_send_scene(engine *e) {
    size_t count = 0;
    for (int b = 0; b < e->bodies; ++b) renew_edges(e, b);
    for (int b = 0; b < e->bodies; ++b)
        count += 3 * (size_t)e->shape[b].skin->triangle_count + 2 * (size_t)e->shape[b].wire_edges;
    int32_t *index = engine_buffer(e, count * sizeof *index);
    if (!index) {
        engine_error(e, SN_NO_MEMORY, "out of memory");
        return;
    }
    int32_t *at = index, vertex = 0;
    for (int b = 0; b < e->bodies; ++b) {
        const sn_embedding *skin = e->shape[b].skin;
        for (int i = 0; i < 3 * skin->triangle_count; ++i) *at++ = vertex + skin->triangle[i];
        vertex += skin->vertex_count;
    }
    put_edges(e, at);
    const sn_picture_options *picture = &sn_scene_output(e->scene)->picture;
    json_t *probes = json_array();
    for (int i = 0; i < sn_world_probe_count(e->world); ++i)
        json_array_append_new(probes, json_string(sn_world_probe_name(e->world, i)));
    json_t *head = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:b}", "type", "scene", "name",
                             sn_scene_name(e->scene), "bodies", describe_bodies(e), "colliders", describe_colliders(e),
                             "box", describe_box(e), "probes", probes, "parameters", engine_parameters(e), "azimuth",
                             picture->azimuth, "elevation", picture->elevation, "playing", (int)e->playing);
    if (e->text) json_object_set_new(head, "text", json_string(e->text));
    engine_say(e, head, index, count * sizeof *index);
}
