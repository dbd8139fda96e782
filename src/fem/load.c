/* Loads: compilation into nodal forces and faces, dead forces, ramps. The integrals over moving faces are in
 * load_follow.c. */
#include "load.h"

#include <string.h>

#include "base/context.h"
#include "base/keys.h"
#include "base/math3.h"
#include "load_face.h"

double sn_ramp_value(const sn_ramp *ramp, double t, bool is_static, double *rate) {
    if (rate) *rate = 0;
    const bool spans = ramp->given && ramp->end > ramp->begin;
    if (is_static && !spans) {
        if (rate) *rate = 1;
        return t;
    }
    if (!ramp->given) return 1;
    if (!spans) return (ramp->begin == 0 && ramp->end == 0) || t >= ramp->end ? 1 : 0;
    if (t <= ramp->begin) return 0;
    if (rate && t <= ramp->end) *rate = 1 / (ramp->end - ramp->begin);
    return t >= ramp->end ? 1 : (t - ramp->begin) / (ramp->end - ramp->begin);
}

double sn_load_factor(const sn_load_term *term, double t, bool is_static, double *rate) {
    if (!term->key_count) return sn_ramp_value(&term->ramp, t, is_static, rate);
    double factor, slope;
    sn_key_values_at(term->key, term->key_count, 1, t, &factor, &slope);
    if (rate) *rate = slope;
    return factor;
}

double sn_face_area(int face_nodes, const int32_t *face, const double *rest) {
    const sn_face_rule *rule = sn_face_rule_for(face_nodes);
    double area = 0;
    for (int q = 0; q < rule->points; ++q) {
        double a[3], b[3], n[3];
        sn_face_tangents(rule, q, face, rest, a, b);
        sn_cross3(a, b, n);
        area += rule->weight[q] * sn_norm3(n);
    }
    return area;
}

void sn_load_volume_shares(const sn_element *element, double thickness, const int32_t *node, const double *rest,
                           double *share) {
    if (element->dimension == 2) {
        double n[3], X[9], part[3];
        for (int i = 0; i < 9; ++i) X[i] = rest[3 * node[i / 3] + i % 3];
        sn_area_vector3(X, X + 3, X + 6, n);
        if (element->divide) element->divide(X, part);
        for (int i = 0; i < 3; ++i)
            share[i] += element->divide ? thickness * sn_norm3(n) / 2 * part[i] : thickness * sn_norm3(n) / 6;
        return;
    }
    double value[SN_ELEMENT_NODES], derivative[4 * SN_ELEMENT_NODES];
    for (int q = 0; q < element->mass_points; ++q) {
        element->shape(element->mass_point[q], value, derivative);
        /* Columns dX/dL_k - dX/dL_0, k = 1..3: their determinant is six times the volume at the point. */
        double edge[9] = {0};
        for (int i = 0; i < element->nodes; ++i)
            for (int k = 1; k < 4; ++k)
                for (int a = 0; a < 3; ++a)
                    edge[3 * a + k - 1] += rest[3 * node[i] + a] * (derivative[4 * i + k] - derivative[4 * i]);
        const double w = element->mass_weight[q] * sn_determinant3(edge) / 6;
        for (int i = 0; i < element->nodes; ++i) share[i] += w * value[i];
    }
}

/* The dead traction on a face with rest normal n (unit). */
static void dead_traction(const sn_load_term *term, const double n[3], double out[3]) {
    if (term->kind == SN_LOAD_PRESSURE) {
        for (int a = 0; a < 3; ++a) out[a] = -term->scalar * n[a];
        return;
    }
    const double along = term->kind == SN_LOAD_SHEAR ? sn_dot3(term->value, n) : 0;
    for (int a = 0; a < 3; ++a) out[a] = term->value[a] - along * n[a];
}

static void add_dead_face(const sn_load_term *term, const int32_t *face, const double *rest, double *force) {
    const sn_face_rule *rule = sn_face_rule_for(term->face_nodes);
    for (int q = 0; q < rule->points; ++q) {
        double a[3], b[3], n[3], t[3];
        sn_face_tangents(rule, q, face, rest, a, b);
        sn_cross3(a, b, n);
        const double area = sn_norm3(n);
        if (area == 0) continue;
        for (int i = 0; i < 3; ++i) n[i] /= area;
        dead_traction(term, n, t);
        for (int i = 0; i < term->face_nodes; ++i)
            for (int c = 0; c < 3; ++c) force[3 * face[i] + c] += rule->weight[q] * area * rule->value[q][i] * t[c];
    }
}

static sn_status term_start(sn_context *context, const sn_load *load, const double *rest, sn_load_term *term,
                            sn_error *error) {
    *term = (sn_load_term){
        .kind = load->kind, .follow = load->follow, .ramp = load->ramp, .scalar = load->scalar, .rest = rest};
    for (int a = 0; a < 3; ++a) term->value[a] = load->value[a];
    if (load->key_count <= 0) return SN_OK;
    term->key = sn_allocate(context, 2 * (size_t)load->key_count, sizeof *term->key);
    if (!term->key) return sn_no_memory(error);
    memcpy(term->key, load->key, 2 * (size_t)load->key_count * sizeof *term->key);
    term->key_count = load->key_count;
    return SN_OK;
}

/* Keeps the nodes of a dense force that carry something. */
static sn_status compress(sn_context *context, int node_count, const double *force, sn_load_term *term,
                          sn_error *error) {
    int count = 0;
    for (int i = 0; i < node_count; ++i) count += force[3 * i] != 0 || force[3 * i + 1] != 0 || force[3 * i + 2] != 0;
    term->node = sn_allocate(context, (size_t)count, sizeof *term->node);
    term->force = sn_allocate(context, (size_t)count * 3, sizeof *term->force);
    if (!term->node || !term->force) {
        sn_load_release(context, term);
        return sn_no_memory(error);
    }
    for (int i = 0; i < node_count; ++i) {
        if (force[3 * i] == 0 && force[3 * i + 1] == 0 && force[3 * i + 2] == 0) continue;
        term->node[term->count] = i;
        memcpy(term->force + 3 * term->count++, force + 3 * i, 3 * sizeof *force);
    }
    return SN_OK;
}

sn_status sn_load_nodal(sn_context *context, const sn_load *load, int node_count, const double *force,
                        sn_load_term *term, sn_error *error) {
    const sn_status status = term_start(context, load, NULL, term, error);
    return status ? status : compress(context, node_count, force, term, error);
}

sn_status sn_load_surface(sn_context *context, const sn_load *load, int face_count, int face_nodes, const int32_t *face,
                          int node_count, const double *rest, sn_load_term *term, sn_error *error) {
    sn_status status = term_start(context, load, rest, term, error);
    if (status) return status;
    term->face_nodes = face_nodes;
    if (term->kind == SN_LOAD_FORCE) {
        double area = 0;
        for (int i = 0; i < face_count; ++i)
            area += sn_face_area(face_nodes, face + (size_t)i * (size_t)face_nodes, rest);
        for (int a = 0; a < 3; ++a) term->value[a] = area > 0 ? load->value[a] / area : 0;
    }
    if (load->follow) {
        const size_t size = (size_t)face_count * (size_t)face_nodes;
        term->face = sn_allocate(context, size, sizeof *face);
        if (!term->face) {
            sn_load_release(context, term);
            return sn_no_memory(error);
        }
        memcpy(term->face, face, size * sizeof *face);
        term->face_count = face_count;
        return SN_OK;
    }
    double *force = sn_allocate_zero(context, (size_t)node_count * 3, sizeof *force);
    if (!force) {
        sn_load_release(context, term);
        return sn_no_memory(error);
    }
    for (int i = 0; i < face_count; ++i) add_dead_face(term, face + (size_t)i * (size_t)face_nodes, rest, force);
    status = compress(context, node_count, force, term, error);
    sn_release(context, force);
    return status;
}

void sn_load_release(sn_context *context, sn_load_term *term) {
    sn_release(context, term->node);
    sn_release(context, term->force);
    sn_release(context, term->face);
    sn_release(context, term->key);
    term->node = NULL, term->force = NULL, term->face = NULL, term->key = NULL;
    term->count = term->face_count = term->key_count = 0;
}

void sn_load_force(const sn_load_term *term, double factor, const double *x, double *f) {
    if (factor == 0) return;
    for (int i = 0; i < term->count; ++i)
        for (int a = 0; a < 3; ++a) f[3 * term->node[i] + a] += factor * term->force[3 * i + a];
    for (int i = 0; i < term->face_count; ++i)
        sn_face_force(term, term->face + (size_t)i * (size_t)term->face_nodes, factor, x, f);
}

double sn_load_work(const sn_load_term *term, double factor, const double *x, const double *rest) {
    double work = 0;
    for (int i = 0; i < term->count; ++i)
        for (int a = 0; a < 3; ++a) {
            const int k = 3 * term->node[i] + a;
            work += term->force[3 * i + a] * (x[k] - rest[k]);
        }
    return factor * work;
}

int sn_load_block_count(const sn_load_term *term) { return term->face_count * term->face_nodes * term->face_nodes; }

int sn_load_blocks(const sn_load_term *term, double factor, const double *x, bool symmetric, int32_t *row,
                   int32_t *column, double *value) {
    const int n = term->face_nodes;
    int count = 0;
    double K[SN_FACE_NODES * SN_FACE_NODES * 9];
    if (factor == 0) return 0;
    for (int f = 0; f < term->face_count; ++f) {
        const int32_t *face = term->face + (size_t)f * (size_t)n;
        sn_face_stiffness(term, face, factor, x, K);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j, ++count) {
                const double *B = K + 9 * (n * i + j), *T = K + 9 * (n * j + i);
                double *out = value + 9 * (size_t)count;
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c)
                        out[3 * c + r] = symmetric ? 0.5 * (B[3 * r + c] + T[3 * c + r]) : B[3 * r + c];
                row[count] = face[i];
                column[count] = face[j];
            }
    }
    return count;
}
