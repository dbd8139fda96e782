/* Frames: positions and normals of the skin, values to colour it by, wireframe, glyphs, and the numbers that the page
 * shows.
 *
 * Bytes of a frame, all float32: position (3 per vertex), normal (3), value (1, when coloured), wire node (3, when
 * shown), mark (3 per held node), glyph (x, y, z, vector, kind). Counts are in the head. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine_internal.h"

const sn_listing engine_colours[COLOURS] = {{"none", "plain"},
                                            {"displacement", "displacement [m]"},
                                            {"von_mises", "von Mises stress [Pa]"},
                                            {"strain", "strain"},
                                            {"energy", "energy density [J/m^3]"},
                                            {"quality", "element quality"},
                                            {"level", "level of refinement"}};
const sn_listing engine_glyphs[GLYPHS] = {
    {"none", "none"}, {"force", "net force"}, {"constraint", "constraint forces"}, {"stress", "principal stress"}};

enum { KIND_FORCE, KIND_HELD, KIND_TENSION, KIND_COMPRESSION, GLYPH_FLOATS = 7, GLYPHS_MOST = 3000 };

/* ---- Values of elements ---- */

/* Edges from the first corner as columns; of a triangle two, and its unit normal. */
static void edges(const double *x, const int32_t *t, int corners, double m[9]) {
    for (int i = 0; i + 1 < corners && i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            m[3 * k + i] = x[3 * (size_t)t[i + 1] + (size_t)k] - x[3 * (size_t)t[0] + (size_t)k];
    if (corners > 3) return;
    double length = 0;
    for (int k = 0; k < 3; ++k) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        m[3 * k + 2] = m[3 * p] * m[3 * q + 1] - m[3 * q] * m[3 * p + 1];
        length += m[3 * k + 2] * m[3 * k + 2];
    }
    for (int k = 0; k < 3 && length > 0; ++k) m[3 * k + 2] /= sqrt(length);
}

static double determinant(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* F = Ds Dm^-1, E = (F^T F - I) / 2, and sqrt(2/3 dev E : dev E), the equivalent strain. */
static double strain_of(const double *rest, const double *x, const int32_t *t, int corners) {
    double Dm[9], Ds[9], inverse[9], F[9], E[6], trace = 0, sum = 0;
    edges(rest, t, corners, Dm), edges(x, t, corners, Ds);
    const double det = determinant(Dm);
    if (!(fabs(det) > 0)) return 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int p = (j + 1) % 3, q = (j + 2) % 3, r = (i + 1) % 3, s = (i + 2) % 3;
            inverse[3 * i + j] = (Dm[3 * p + r] * Dm[3 * q + s] - Dm[3 * p + s] * Dm[3 * q + r]) / det;
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            F[3 * i + j] = Ds[3 * i] * inverse[j] + Ds[3 * i + 1] * inverse[3 + j] + Ds[3 * i + 2] * inverse[6 + j];
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    for (int c = 0; c < 6; ++c) {
        const int a = first[c], b = second[c];
        E[c] = 0.5 * (F[a] * F[b] + F[3 + a] * F[3 + b] + F[6 + a] * F[6 + b] - (c < 3));
    }
    for (int c = 0; c < 3; ++c) trace += E[c] / 3;
    for (int c = 0; c < 3; ++c) sum += (E[c] - trace) * (E[c] - trace) + 2 * E[c + 3] * E[c + 3];
    return sqrt(2 * sum / 3);
}

/* 12 (3 |V|)^(2/3) / sum of squared edges, with the sign of V: 1 regular, 0 flat, negative inverted. Of a triangle 4
 * sqrt(3) A / sum. */
static double quality_of(const double *x, const int32_t *t, int corners) {
    double m[9], sum = 0;
    edges(x, t, corners, m);
    const double measure = determinant(m);
    for (int i = 0; i < corners && i < 4; ++i)
        for (int j = 0; j < i; ++j)
            for (int k = 0; k < 3; ++k) {
                const double d = x[3 * (size_t)t[i] + (size_t)k] - x[3 * (size_t)t[j] + (size_t)k];
                sum += d * d;
            }
    if (!(sum > 0)) return 0;
    return corners == 3 ? 2 * sqrt(3) * fabs(measure) / sum
                        : copysign(12 * pow(fabs(measure) / 2, 2.0 / 3) / sum, measure);
}

/* Mean over the tets at a node. */
static void spread(engine_shape *s) {
    const sn_mesh *mesh = s->mesh;
    memset(s->value, 0, (size_t)mesh->node_count * sizeof *s->value);
    for (int t = 0; t < mesh->tet_count; ++t)
        for (int i = 0; i < mesh->tet_nodes; ++i)
            s->value[mesh->tet[(size_t)t * (size_t)mesh->tet_nodes + (size_t)i]] += s->element[t];
    for (int i = 0; i < mesh->node_count; ++i)
        if (s->uses[i]) s->value[i] /= s->uses[i];
}

/* The level of the active tet in which each tet lies; 0 for bodies that are not adaptive. */
static void fill_levels(const engine *e, int body, double *element) {
    const int count = e->shape[body].mesh->tet_count;
    int32_t *level = malloc((size_t)count * sizeof *level + 1);
    const bool known = level && !sn_world_active(e->world, body, NULL, level);
    for (int t = 0; t < count; ++t) element[t] = known ? level[t] : 0;
    free(level);
}

static void colour_body(engine *e, int body) {
    engine_shape *s = &e->shape[body];
    const sn_mesh *mesh = s->mesh;
    if (e->colour == COLOUR_DISPLACEMENT) {
        for (int i = 0; i < mesh->node_count; ++i) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
                const double d = s->position[3 * (size_t)i + (size_t)k] - mesh->position[3 * (size_t)i + (size_t)k];
                sum += d * d;
            }
            s->value[i] = sqrt(sum);
        }
        return;
    }
    if (e->colour == COLOUR_VON_MISES || e->colour == COLOUR_ENERGY) {
        const bool stress = e->colour == COLOUR_VON_MISES;
        if (sn_world_element_fields(e->world, body, NULL, stress ? s->element : NULL, stress ? NULL : s->element, NULL,
                                    NULL))
            return;
    } else if (e->colour == COLOUR_LEVEL) {
        fill_levels(e, body, s->element);
    } else {
        for (int t = 0; t < mesh->tet_count; ++t) {
            const int32_t *tet = mesh->tet + (size_t)t * (size_t)mesh->tet_nodes;
            s->element[t] = e->colour == COLOUR_STRAIN ? strain_of(mesh->position, s->position, tet, mesh->tet_nodes)
                                                       : quality_of(s->position, tet, mesh->tet_nodes);
        }
    }
    spread(s);
}

/* ---- Glyphs ---- */

/* Eigenvalues and vectors (columns of V) of a symmetric matrix xx yy zz xy yz zx: cyclic Jacobi. */
static void principal(const double stress[6], double value[3], double V[9]) {
    double a[9] = {stress[0], stress[3], stress[5], stress[3], stress[1], stress[4], stress[5], stress[4], stress[2]};
    for (int i = 0; i < 9; ++i) V[i] = i % 4 == 0;
    for (int sweep = 0; sweep < 12; ++sweep)
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (a[3 * p + q] == 0) continue;
                const double theta = (a[4 * q] - a[4 * p]) / (2 * a[3 * p + q]),
                             t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1),
                             s = t * c;
                for (int k = 0; k < 3; ++k) {
                    const double u = a[3 * k + p], v = a[3 * k + q];
                    a[3 * k + p] = c * u - s * v, a[3 * k + q] = s * u + c * v;
                }
                for (int k = 0; k < 3; ++k) {
                    const double u = a[3 * p + k], v = a[3 * q + k], x = V[3 * k + p], y = V[3 * k + q];
                    a[3 * p + k] = c * u - s * v, a[3 * q + k] = s * u + c * v;
                    V[3 * k + p] = c * x - s * y, V[3 * k + q] = s * x + c * y;
                }
            }
    for (int i = 0; i < 3; ++i) value[i] = a[4 * i];
}

static float *put_glyph(float *at, const double x[3], const double v[3], int kind) {
    for (int k = 0; k < 3; ++k) at[k] = (float)x[k], at[3 + k] = (float)v[k];
    at[6] = (float)kind;
    return at + GLYPH_FLOATS;
}

static float *stress_glyphs(engine *e, int body, float *at) {
    engine_shape *s = &e->shape[body];
    const int count = s->mesh->tet_count, corners = s->mesh->tet_nodes < 4 ? s->mesh->tet_nodes : 4,
              stride = 1 + 3 * count * e->bodies / GLYPHS_MOST;
    if (sn_world_element_fields(e->world, body, s->element, NULL, NULL, NULL, NULL)) return at;
    for (int t = 0; t < count; t += stride) {
        const int32_t *tet = s->mesh->tet + (size_t)t * (size_t)s->mesh->tet_nodes;
        double x[3] = {0}, value[3], V[9];
        for (int i = 0; i < corners; ++i)
            for (int k = 0; k < 3; ++k) x[k] += s->position[3 * (size_t)tet[i] + (size_t)k] / corners;
        principal(s->element + 6 * (size_t)t, value, V);
        for (int i = 0; i < 3; ++i) {
            const double v[3] = {value[i] * V[i], value[i] * V[3 + i], value[i] * V[6 + i]};
            at = put_glyph(at, x, v, value[i] > 0 ? KIND_TENSION : KIND_COMPRESSION);
        }
    }
    return at;
}

/* m dv/dt of the boundary nodes over the time since the last frame. */
static float *force_glyphs(engine *e, int body, double interval, float *at) {
    engine_shape *s = &e->shape[body];
    const int stride = 1 + s->wire_nodes * e->bodies / GLYPHS_MOST;
    for (int i = 0; i < s->wire_nodes && interval > 0; i += stride) {
        const size_t n = (size_t)s->wire_node[i];
        double v[3];
        for (size_t k = 0; k < 3; ++k) v[k] = s->mass[n] * (s->velocity[3 * n + k] - s->before[3 * n + k]) / interval;
        at = put_glyph(at, s->position + 3 * n, v, KIND_FORCE);
    }
    return at;
}

/* Forces of supports and colliders; held nodes that carry nothing are shown too. */
static float *constraint_glyphs(engine *e, int body, float *at) {
    engine_shape *s = &e->shape[body];
    if (sn_world_reactions(e->world, body, s->reaction, NULL)) return at;
    const int count = s->mesh->node_count;
    int shown = 0;
    for (int pass = 0, stride = 1, seen = 0; pass < 2; ++pass, stride += shown * e->bodies / GLYPHS_MOST)
        for (int i = 0; i < count; ++i) {
            const double *f = s->reaction + 3 * (size_t)i;
            if (!s->held[i] && f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
            if (pass == 0)
                ++shown;
            else if (seen++ % stride == 0)
                at = put_glyph(at, s->position + 3 * (size_t)i, f, KIND_HELD);
        }
    return at;
}

/* ---- The frame ---- */

static json_t *grabs_json(const engine *e) {
    json_t *list = json_array();
    for (int h = 0; h < ENGINE_HANDLES; ++h) {
        const engine_grab *g = &e->grab[h];
        if (!g->on) continue;
        double x[3] = {0};
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 3; ++k)
                x[k] += g->weight[i] * e->shape[g->body].position[3 * (size_t)g->node[i] + (size_t)k];
        json_array_append_new(list, json_pack("{s:i, s:o, s:o, s:f}", "handle", h, "at", engine_vector(x, 3), "target",
                                              engine_vector(g->target, 3), "stiffness", g->stiffness));
    }
    return list;
}

static json_t *probes_json(const engine *e) {
    json_t *list = json_array();
    for (int i = 0; i < sn_world_probe_count(e->world); ++i) {
        double value[SN_PROBE_VALUES];
        int count = 0;
        if (sn_world_probe(e->world, i, value, &count, NULL)) count = 0;
        json_array_append_new(list, engine_vector(value, count));
    }
    return list;
}

static json_t *colliders_json(const engine *e) {
    json_t *list = json_array();
    for (int i = 0; i < sn_world_collider_count(e->world); ++i) {
        double pose[12];
        sn_world_collider_pose(e->world, i, pose);
        json_array_append_new(list, engine_vector(pose, 12));
    }
    return list;
}

static json_t *numbers_json(engine *e) {
    sn_energies energy = {0};
    if (sn_world_energies(e->world, &energy, NULL)) energy = (sn_energies){0};
    const double all[4] = {energy.kinetic, energy.elastic, energy.gravity, energy.total};
    if (e->steps_since) e->milliseconds = 1e3 * e->seconds_since / e->steps_since;
    json_t *head =
        json_pack("{s:s, s:f, s:I, s:b, s:f, s:o, s:f, s:i, s:f, s:f, s:i, s:f, s:o, s:o, s:o}", "type", "frame",
                  "time", sn_world_time(e->world), "steps", (json_int_t)sn_world_steps(e->world), "playing",
                  (int)e->playing, "speed", e->speed, "energy", engine_vector(all, 4), "milliseconds", e->milliseconds,
                  "stepsSince", e->steps_since, "newton", e->steps_since ? (double)e->newton / e->steps_since : 0,
                  "linear", e->steps_since ? (double)e->linear / e->steps_since : 0, "contacts", e->contacts, "factor",
                  e->factor, "probes", probes_json(e), "colliders", colliders_json(e), "grabs", grabs_json(e));
    e->steps_since = e->newton = e->linear = 0, e->seconds_since = 0;
    return head;
}

static float *skin_floats(engine *e, float *at, int vertices, float *range) {
    float *position = at, *normal = position + 3 * (size_t)vertices, *value = normal + 3 * (size_t)vertices;
    for (int b = 0; b < e->bodies; ++b) {
        engine_shape *s = &e->shape[b];
        sn_world_get(e->world, b, s->position, s->velocity);
        sn_embedding_positions(s->skin, s->position, position);
        sn_embedding_normals(s->skin, position, normal);
        position += 3 * (size_t)s->skin->vertex_count, normal += 3 * (size_t)s->skin->vertex_count;
        if (e->colour == COLOUR_NONE) continue;
        colour_body(e, b);
        sn_embedding_values(s->skin, s->value, value);
        for (int v = 0; v < s->skin->vertex_count; ++v)
            range[0] = fminf(range[0], value[v]), range[1] = fmaxf(range[1], value[v]);
        value += s->skin->vertex_count;
    }
    return e->colour == COLOUR_NONE ? at + 6 * (size_t)vertices : value;
}

void engine_send_frame(engine *e) {
    if (e->wire) engine_send_wire(e);
    int vertices = 0, wires = 0, held = 0;
    for (int b = 0; b < e->bodies; ++b)
        vertices += e->shape[b].skin->vertex_count, wires += e->wire ? e->shape[b].wire_nodes : 0;
    for (int b = 0; b < e->bodies; ++b) held += e->shape[b].held_count;
    const size_t most = 7 * (size_t)vertices + 3 * (size_t)wires + 3 * (size_t)held +
                        GLYPH_FLOATS * (2 * GLYPHS_MOST + 8 * (size_t)e->bodies);
    float *begin = engine_buffer(e, most * sizeof *begin), range[2] = {FLT_MAX, -FLT_MAX};
    if (e->colour == COLOUR_LEVEL) range[0] = 0, range[1] = 1; /* also where nothing is refined */
    if (!begin) return;
    float *at = skin_floats(e, begin, vertices, range);
    for (int b = 0; b < e->bodies && e->wire; ++b)
        for (int i = 0; i < e->shape[b].wire_nodes; ++i)
            for (int k = 0; k < 3; ++k)
                *at++ = (float)e->shape[b].position[3 * (size_t)e->shape[b].wire_node[i] + (size_t)k];
    int pins = 0;
    for (int b = 0; b < e->bodies; ++b)
        for (int i = 0; i < e->shape[b].mesh->node_count; ++i) {
            if (!(e->shape[b].held[i] & 2)) continue;
            for (int k = 0; k < 3; ++k) *at++ = (float)e->shape[b].position[3 * (size_t)i + (size_t)k];
            ++pins;
        }
    const float *glyph = at;
    const double now = sn_world_time(e->world), interval = now - e->last_time;
    for (int b = 0; b < e->bodies; ++b) {
        if (e->glyph == GLYPH_STRESS) at = stress_glyphs(e, b, at);
        if (e->glyph == GLYPH_FORCE) at = force_glyphs(e, b, interval, at);
        if (e->glyph == GLYPH_CONSTRAINT) at = constraint_glyphs(e, b, at);
        memcpy(e->shape[b].before, e->shape[b].velocity, 3 * (size_t)e->shape[b].mesh->node_count * sizeof(double));
    }
    e->last_time = now;
    json_t *head = numbers_json(e);
    const bool coloured = e->colour != COLOUR_NONE && range[0] <= range[1];
    const double bounds[2] = {coloured ? (double)range[0] : 0, coloured ? (double)range[1] : 1};
    json_object_set_new(head, "counts",
                        json_pack("{s:i, s:i, s:i, s:i, s:i}", "vertices", vertices, "values",
                                  e->colour == COLOUR_NONE ? 0 : vertices, "wire", wires, "pins", pins, "glyphs",
                                  (int)((at - glyph) / GLYPH_FLOATS)));
    json_object_set_new(head, "colour", json_string(engine_colours[e->colour].name));
    json_object_set_new(head, "range", engine_vector(bounds, 2));
    engine_say(e, head, begin, (size_t)(at - begin) * sizeof *begin);
}

sn_status engine_look(engine *e, const engine_request *request, sn_error *error) {
    (void)error;
    const json_t *message = request->message;
    const char *colour = json_string_value(json_object_get(message, "colour")),
               *glyph = json_string_value(json_object_get(message, "glyphs"));
    for (int i = 0; colour && i < COLOURS; ++i)
        if (strcmp(engine_colours[i].name, colour) == 0) e->colour = (engine_colour)i;
    for (int i = 0; glyph && i < GLYPHS; ++i)
        if (strcmp(engine_glyphs[i].name, glyph) == 0) e->glyph = (engine_glyph)i;
    json_t *wire = json_object_get(message, "wire");
    if (wire) e->wire = json_is_true(wire);
    e->shown = false;
    return SN_OK;
}
