/* The fibres of muscles. See fibres.h.
 *
 * Fibres between two selections follow the gradient of a harmonic function u: div grad u = 0 inside the muscle, u = 0
 * on `from`, u = 1 on `to`, and no flow through the rest of the muscle's boundary. So fibres run along the sides of the
 * muscle. Linear elements on the corners of the muscle's elements and conjugate gradients give u. All sums are in the
 * order of the elements. */
#include "fibres.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"

static long long label(const int64_t *labels, int64_t i) { return (long long)(labels ? labels[i] : i); }

/* A fibre that is normal to the plane of a plane body never stretches. */
static sn_status check_plane(const sn_body *body, const double unit[3], sn_error *error) {
    if (!sn_element_is_plane(body->element) || hypot(unit[0], unit[1]) > 1e-6) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, "fibre",
                      "the fibre [%g, %g, %g] has no effect on element %s: it is normal to the plane", unit[0], unit[1],
                      unit[2], body->type->name);
}

static sn_status store(const sn_body *body, int e, const double direction[3], double *fibre, sn_error *error) {
    const double length = sn_norm3(direction);
    if (!(length > 0 && isfinite(length)))
        return sn_fail_at(error, SN_BAD_INPUT, "fibre",
                          "the fibre [%g, %g, %g] of element %lld has no direction; it must be finite and not zero",
                          direction[0], direction[1], direction[2], label(body->mesh->tet_label, e));
    for (int a = 0; a < 3; ++a) fibre[a] = direction[a] / length;
    return check_plane(body, fibre, error);
}

/* ---- Harmonic functions ---- */
typedef struct problem {
    const sn_body *body;
    int material;
    const sn_element *element; /* linear, on the corners */
    int nodes;
    uint8_t *from, *to; /* per node */
    double *volume;     /* per element; 0 outside the muscle */
    double *gradient;   /* elements x corners x 3 */
    double *u, *r, *p, *q, *diagonal;
    double size; /* m: of the muscle */
} problem;

static const int32_t *corners_of(const problem *w, int e) {
    return w->body->mesh->tet + (int64_t)e * w->body->mesh->tet_nodes;
}

static bool in_muscle(const problem *w, int e) { return w->body->material[e] == w->material; }

static sn_status fill_gradients(problem *w, sn_error *error) {
    const sn_mesh *mesh = w->body->mesh;
    const int corners = w->element->corners;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, extent[3];
    for (int e = 0; e < mesh->tet_count; ++e) {
        double X[12];
        if (!in_muscle(w, e)) continue;
        for (int i = 0; i < 3 * corners; ++i) {
            X[i] = mesh->position[3 * (int64_t)corners_of(w, e)[i / 3] + i % 3];
            low[i % 3] = fmin(low[i % 3], X[i]), high[i % 3] = fmax(high[i % 3], X[i]);
        }
        w->volume[e] =
            sn_element_gradient(w->element, X, sn_rule_one_point[0], NULL, w->gradient + 3 * (int64_t)corners * e);
        if (!(w->volume[e] > 0))
            return sn_fail_at(error, SN_BAD_INPUT, "fibre", "element %lld of the muscle is flat or inverted at rest",
                              label(mesh->tet_label, e));
    }
    sn_subtract3(high, low, extent);
    w->size = sn_norm3(extent);
    return SN_OK;
}

/* grad u in an element. */
static void gradient_in(const problem *w, int e, const double *u, double out[3]) {
    const double *g = w->gradient + 3 * (int64_t)w->element->corners * e;
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < w->element->corners; ++i)
        for (int a = 0; a < 3; ++a) out[a] += u[corners_of(w, e)[i]] * g[3 * i + a];
}

/* out = L u, with zero rows at the nodes where u is given. */
static void multiply(const problem *w, const double *u, double *out) {
    memset(out, 0, (size_t)w->nodes * sizeof *out);
    for (int e = 0; e < w->body->mesh->tet_count; ++e) {
        if (!in_muscle(w, e)) continue;
        const double *g = w->gradient + 3 * (int64_t)w->element->corners * e;
        double slope[3];
        gradient_in(w, e, u, slope);
        for (int i = 0; i < w->element->corners; ++i)
            out[corners_of(w, e)[i]] += w->volume[e] * sn_dot3(slope, g + 3 * i);
    }
    for (int i = 0; i < w->nodes; ++i)
        if (w->from[i] || w->to[i]) out[i] = 0;
}

static void fill_diagonal(problem *w) {
    for (int e = 0; e < w->body->mesh->tet_count; ++e) {
        const double *g = w->gradient + 3 * (int64_t)w->element->corners * e;
        for (int i = 0; in_muscle(w, e) && i < w->element->corners; ++i)
            w->diagonal[corners_of(w, e)[i]] += w->volume[e] * sn_dot3(g + 3 * i, g + 3 * i);
    }
}

static double dot(const problem *w, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < w->nodes; ++i) sum += a[i] * b[i];
    return sum;
}

static double precondition(problem *w) { /* q = r / diagonal; returns q . r */
    for (int i = 0; i < w->nodes; ++i) w->q[i] = w->diagonal[i] > 0 ? w->r[i] / w->diagonal[i] : 0;
    return dot(w, w->q, w->r);
}

/* Conjugate gradients from u = 0 inside. */
static sn_status solve(problem *w, sn_error *error) {
    for (int i = 0; i < w->nodes; ++i) w->u[i] = w->to[i];
    multiply(w, w->u, w->r);
    for (int i = 0; i < w->nodes; ++i) w->r[i] = -w->r[i];
    double before = 0, now = precondition(w);
    const double first = now;
    for (int k = 0; now > 1e-24 * first; ++k) {
        if (k == 10 * w->nodes + 100)
            return sn_fail_at(error, SN_NOT_CONVERGED, "fibre", "the fibres between 'from' and 'to' were not found");
        const double beta = k ? now / before : 0;
        for (int i = 0; i < w->nodes; ++i) w->p[i] = w->q[i] + beta * w->p[i];
        multiply(w, w->p, w->q);
        const double alpha = now / dot(w, w->p, w->q);
        for (int i = 0; i < w->nodes; ++i) w->u[i] += alpha * w->p[i], w->r[i] -= alpha * w->q[i];
        before = now;
        now = precondition(w);
    }
    return SN_OK;
}

static sn_status take_gradients(const problem *w, double *fibre, sn_error *error) {
    const sn_mesh *mesh = w->body->mesh;
    for (int e = 0; e < mesh->tet_count; ++e) {
        double g[3];
        if (!in_muscle(w, e)) continue;
        gradient_in(w, e, w->u, g);
        if (!(sn_norm3(g) * w->size > 1e-6))
            return sn_fail_at(error, SN_BAD_INPUT, "fibre",
                              "no fibre from 'from' to 'to' runs through element %lld of the muscle: its nodes are all "
                              "in one of them, or it is cut off from one of them",
                              label(mesh->tet_label, e));
        const sn_status status = store(w->body, e, g, fibre + 3 * (int64_t)e, error);
        if (status) return status;
    }
    return SN_OK;
}

static sn_status select_end(const problem *w, const sn_selector *selector, const char *name, uint8_t *mask,
                            sn_error *error) {
    const sn_mesh *mesh = w->body->mesh;
    const sn_status status = sn_mesh_select(mesh, selector, mask, NULL, error);
    if (status) return sn_within(error, status, "fibre.%s", name);
    for (int e = 0; e < mesh->tet_count; ++e)
        for (int i = 0; in_muscle(w, e) && i < w->element->corners; ++i)
            if (mask[corners_of(w, e)[i]]) return SN_OK;
    char path[32] = "fibre.";
    return sn_fail_at(error, SN_BAD_INPUT, strcat(path, name), "'%s' picks no node of the muscle", name);
}

static sn_status select_ends(problem *w, const sn_fibre *fibre, sn_error *error) {
    sn_status status = select_end(w, &fibre->from, "from", w->from, error);
    if (!status) status = select_end(w, &fibre->to, "to", w->to, error);
    for (int i = 0; i < w->nodes && !status; ++i)
        if (w->from[i] && w->to[i])
            status = sn_fail_at(error, SN_BAD_INPUT, "fibre.to",
                                "'from' and 'to' touch: both pick node %lld; they must share no node",
                                label(w->body->mesh->node_label, i));
    return status;
}

static sn_status between(sn_context *context, const sn_body *body, int material, const sn_fibre *options, double *fibre,
                         sn_error *error) {
    const size_t n = (size_t)body->mesh->node_count, elements = (size_t)body->mesh->tet_count;
    problem w = {.body = body,
                 .material = material,
                 .element = sn_element_is_plane(body->element) ? &sn_element_tri3 : &sn_element_tet4,
                 .nodes = body->mesh->node_count};
    w.from = sn_allocate_zero(context, n, 1), w.to = sn_allocate_zero(context, n, 1);
    w.volume = sn_allocate_zero(context, elements, sizeof(double));
    w.gradient = sn_allocate_zero(context, elements * 3 * (size_t)w.element->corners, sizeof(double));
    double *vectors = w.u = sn_allocate_zero(context, 5 * n, sizeof(double));
    sn_status status = w.from && w.to && w.volume && w.gradient && vectors ? SN_OK : sn_no_memory(error);
    if (!status) w.r = w.u + n, w.p = w.r + n, w.q = w.p + n, w.diagonal = w.q + n;
    if (!status) status = select_ends(&w, options, error);
    if (!status) status = fill_gradients(&w, error);
    if (!status) fill_diagonal(&w), status = solve(&w, error);
    if (!status) status = take_gradients(&w, fibre, error);
    void *const array[] = {w.from, w.to, w.volume, w.gradient, vectors};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    return status;
}

/* ---- Constant fibres and fields ---- */
static sn_status from_field(const sn_body *body, int material, const char *name, double *fibre, sn_error *error) {
    const sn_mesh_field *field = sn_mesh_find_field(body->mesh, name);
    if (!field)
        return sn_fail_at(error, SN_BAD_INPUT, "fibre.field",
                          "the mesh has no field '%.63s'; a field of vectors per element in the mesh file is wanted",
                          name);
    sn_status status = SN_OK;
    for (int e = 0; e < body->mesh->tet_count && !status; ++e)
        if (body->material[e] == material)
            status = store(body, e, field->value + 3 * (int64_t)e, fibre + 3 * (int64_t)e, error);
    return status;
}

static sn_status constant(const sn_body *body, int material, const double direction[3], double *fibre,
                          sn_error *error) {
    double unit[3];
    const double length = sn_norm3(direction);
    if (!(length > 0 && isfinite(length)))
        return sn_fail_at(error, SN_BAD_INPUT, "fibre",
                          "the fibre [%g, %g, %g] has no direction; it must be finite and not zero", direction[0],
                          direction[1], direction[2]);
    for (int a = 0; a < 3; ++a) unit[a] = direction[a] / length;
    for (int e = 0; e < body->mesh->tet_count; ++e)
        if (body->material[e] == material) memcpy(fibre + 3 * (int64_t)e, unit, sizeof unit);
    return check_plane(body, unit, error);
}

static sn_status fill(sn_context *context, sn_body *body, int material, const sn_fibre *fibre, sn_error *error) {
    switch (fibre->kind) {
    case SN_FIBRE_NONE:
        return SN_OK;
    case SN_FIBRE_CONSTANT:
        return constant(body, material, fibre->direction, body->fibre, error);
    case SN_FIBRE_FIELD:
        return from_field(body, material, fibre->field, body->fibre, error);
    case SN_FIBRE_BETWEEN:
        return between(context, body, material, fibre, body->fibre, error);
    }
    return sn_fail_at(error, SN_BAD_INPUT, "fibre", "the kind of fibre %d is unknown; known are %d to %d",
                      (int)fibre->kind, SN_FIBRE_NONE, SN_FIBRE_BETWEEN);
}

sn_status sn_fibres_check(const sn_body *body, int material, const sn_material *options, sn_error *error) {
    const bool muscle = body->muscle && body->muscle[material];
    if (!muscle && (options->muscle.activation != 0 || options->muscle.key_count > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "muscle.activation",
                          "the activation has no effect on a material without fibres");
    if (muscle && (body->type->derive || body->element->lay))
        return sn_fail_at(error, SN_BAD_INPUT, "muscle", "'muscle' does not go with element %s", body->type->name);
    if (muscle && options->warping[0])
        return sn_fail_at(error, SN_BAD_INPUT, "muscle", "'muscle' does not go with 'warping'");
    return SN_OK;
}

sn_status sn_fibres_create(sn_context *context, const sn_body_options *options, sn_body *body, sn_error *error) {
    bool any = false;
    for (int m = 0; options->material_fibre && m < options->material_count; ++m)
        any = any || options->material_fibre[m].kind != SN_FIBRE_NONE;
    if (any) {
        body->fibre = sn_allocate_zero(context, (size_t)body->mesh->tet_count * 3, sizeof *body->fibre);
        body->muscle = sn_allocate_zero(context, (size_t)options->material_count, sizeof *body->muscle);
        if (!body->fibre || !body->muscle) return sn_no_memory(error);
    }
    for (int m = 0; m < options->material_count; ++m) {
        if (any) body->muscle[m] = options->material_fibre[m].kind != SN_FIBRE_NONE;
        sn_status status = sn_fibres_check(body, m, &options->material[m], error);
        if (!status && any)
            status = sn_within(error, fill(context, body, m, &options->material_fibre[m], error), "muscle");
        if (status) return sn_within(error, status, "material.%d", m);
    }
    return SN_OK;
}
