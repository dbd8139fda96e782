/* The registry of element types, and what they share.
 *
 * Rules have positive weights only, so that the stiffness keeps its sign: 4 points, degree 2, and 14 points, degree 5
 * (the latter of N. J. Walkington, Quadrature on simplices of arbitrary dimension, 2000). */
#include "element.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "batch.h"
#include "names.h"

/* ---- The registry ---- */
#define ENTRY(id) &sn_element_##id,
#define LISTING(id) {SN_ELEMENT_##id},
static const sn_element *const table[] = {SN_ELEMENTS(ENTRY)};
static const sn_listing listing[] = {SN_ELEMENTS(LISTING)};
enum { COUNT = sizeof table / sizeof *table };

const sn_element *sn_element_find(const char *name) {
    for (int i = 0; i < COUNT; ++i)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

const sn_listing *sn_elements(int *count) {
    *count = COUNT;
    return listing;
}

/* ---- Rules and shapes ---- */
const double sn_rule_one_point[1][4] = {{0.25, 0.25, 0.25, 0.25}};
const double sn_rule_one_weight[1] = {1};

#define A4 0.13819660112501051518 /* (5 - sqrt 5) / 20 */
#define B4 0.58541019662496845446
const double sn_rule_four_point[4][4] = {{B4, A4, A4, A4}, {A4, B4, A4, A4}, {A4, A4, B4, A4}, {A4, A4, A4, B4}};
const double sn_rule_four_weight[4] = {0.25, 0.25, 0.25, 0.25};

#define A14 0.31088591926330060980
#define B14 0.06734224221009817061 /* 1 - 3 a */
#define C14 0.09273525031089122629
#define D14 0.72179424906732632114
#define E14 0.04550370412564964949
#define F14 0.45449629587435035051 /* 1/2 - e */
const double sn_rule_fourteen_point[14][4] = {
    {B14, A14, A14, A14}, {A14, B14, A14, A14}, {A14, A14, B14, A14}, {A14, A14, A14, B14}, {D14, C14, C14, C14},
    {C14, D14, C14, C14}, {C14, C14, D14, C14}, {C14, C14, C14, D14}, {E14, E14, F14, F14}, {E14, F14, E14, F14},
    {E14, F14, F14, E14}, {F14, E14, E14, F14}, {F14, E14, F14, E14}, {F14, F14, E14, E14}};
#define U14 0.11268792571801585080
#define V14 0.07349304311636194934
#define W14 0.04254602077708146686
const double sn_rule_fourteen_weight[14] = {U14, U14, U14, U14, V14, V14, V14, V14, W14, W14, W14, W14, W14, W14};

#define THIRD (1.0 / 3.0)
const double sn_rule_triangle_point[1][4] = {{THIRD, THIRD, THIRD, 0}};
const double sn_rule_edges_point[3][4] = {{0.5, 0.5, 0, 0}, {0, 0.5, 0.5, 0}, {0.5, 0, 0.5, 0}};
const double sn_rule_edges_weight[3] = {THIRD, THIRD, THIRD};

void sn_shape_linear(int nodes, const double L[4], double *value, double *derivative) {
    for (int i = 0; i < nodes; ++i) {
        value[i] = L[i];
        for (int k = 0; k < 4; ++k) derivative[4 * i + k] = k == i;
    }
}

void sn_element_rest(const sn_batch_source *source, int e, double *X) {
    const sn_element *element = source->element;
    const int32_t *node = source->node + (int64_t)e * element->nodes;
    for (int i = 0; i < element->nodes; ++i) memcpy(X + 3 * i, source->rest + 3 * (int64_t)node[i], 3 * sizeof *X);
    if (!element->lay) return;
    const sn_constant *along = sn_material_constant(&source->materials[source->material[e]], "direction");
    element->lay(along ? along->value : (const double[3]){1, 0, 0}, X);
}

double sn_element_gradient(const sn_element *element, const double *X, const double L[4], double *value,
                           double *gradient) {
    const int nodes = element->nodes, flat = element->dimension == 2, axes = element->dimension;
    double local[SN_ELEMENT_NODES], derivative[SN_ELEMENT_NODES * 4];
    element->shape(L, value ? value : local, derivative);
    /* T = d X / d xi with xi_k = L_k+1, L_0 the rest; the third axis of a triangle is its own. */
    double T[9] = {0}, inverse[9];
    if (flat) T[8] = 1;
    for (int i = 0; i < nodes; ++i)
        for (int k = 0; k < axes; ++k) {
            const double slope = derivative[4 * i + k + 1] - derivative[4 * i];
            for (int a = 0; a < axes; ++a) T[3 * a + k] += X[3 * i + a] * slope;
        }
    const double determinant = sn_determinant3(T);
    if (!(determinant > 0)) return determinant;
    sn_inverse3(T, inverse);
    for (int i = 0; i < nodes; ++i)
        for (int a = 0; a < 3; ++a) {
            double sum = 0;
            for (int k = 0; k < axes; ++k) sum += inverse[3 * k + a] * (derivative[4 * i + k + 1] - derivative[4 * i]);
            gradient[3 * i + a] = sum;
        }
    return flat ? determinant / 2 : determinant / 6;
}

/* ---- Materials ---- */
/* Laws of cloth see two columns of F, those of solids three. */
static sn_status check_cloth(const sn_element *element, const sn_material *material, sn_error *error) {
    const sn_law *law = sn_law_find(NULL, material->law); /* laws of the caller are for solids */
    const bool cloth = law && law->flags & SN_LAW_CLOTH, sheet = sn_element_carrier(element)->lay;
    if (cloth && !sheet)
        return sn_fail_at(error, SN_BAD_INPUT, "law",
                          "law '%s' is for cloth, which has element %s; element %s takes a law for solids",
                          material->law, law->element ? law->element : "cloth", element->name);
    if (!cloth && sheet)
        return sn_fail_at(error, SN_BAD_INPUT, "law",
                          "law '%s' is for solids; element cloth takes cloth-stvk, cloth-orthotropic or "
                          "cloth-baraff-witkin, element particles cloth-particles",
                          material->law);
    if (cloth && law->element && strcmp(law->element, element->name) != 0)
        return sn_fail_at(error, SN_BAD_INPUT, "law", "law '%s' has element %s; element %s does not take it",
                          material->law, law->element, element->name);
    if (sheet) return SN_OK;
    const char *option = material->area_density != 0        ? "area_density"
                         : material->bending_stiffness != 0 ? "bending.stiffness"
                         : material->bending_damping != 0   ? "bending.damping"
                         : *material->bending_model         ? "bending.model"
                         : material->limit_strain != 0      ? "limit.strain"
                                                            : NULL;
    if (!option) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, option, "'%s' has no effect on element %s; it is for cloth", option,
                      element->name);
}

sn_status sn_element_check_material(const sn_element *element, const sn_material *material, sn_error *error) {
    const sn_status status = check_cloth(element, material, error);
    if (status) return status;
    if (element->check) return element->check(material, error);
    if (material->spring_damper == 0 && material->spring_quality == 0) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, "springs", "springs has no effect on element %s; it is for element springs",
                      element->name);
}

/* ---- Meshes ---- */
sn_status sn_element_fits_tets(const sn_mesh *mesh, sn_error *error) {
    if (mesh->tet_count > 0) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, "mesh",
                      "the mesh has %d nodes and %d triangles but no tets; a solid body needs tets", mesh->node_count,
                      mesh->triangle_count);
}

sn_status sn_element_fits_triangles(const char *element, const sn_mesh *mesh, sn_error *error) {
    if (mesh->triangle_count < 1 || mesh->tet_count > 0)
        return sn_fail_at(error, SN_BAD_INPUT, "mesh",
                          "the mesh has %d tets and %d triangles; element %s needs only triangles", mesh->tet_count,
                          mesh->triangle_count, element);
    for (int i = 0; i < 3 * mesh->triangle_count; ++i)
        if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->node_count)
            return sn_fail_at(error, SN_BAD_INPUT, "mesh", "triangle %d names node %d of %d nodes", i / 3,
                              mesh->triangle[i], mesh->node_count);
    return SN_OK;
}

sn_status sn_element_take_triangles(const sn_mesh *mesh, sn_mesh **own, sn_error *error) {
    const sn_status status = sn_mesh_copy(mesh, own, error);
    if (status) return status;
    sn_mesh *m = *own;
    const size_t count = (size_t)m->triangle_count;
    int32_t *cell = sn_allocate(m->context, 3 * count, sizeof *cell);
    int64_t *label = m->triangle_label ? sn_allocate(m->context, count, sizeof *label) : NULL;
    if (!cell || (m->triangle_label && !label)) {
        sn_release(m->context, cell);
        sn_mesh_destroy(m);
        *own = NULL;
        return sn_no_memory(error);
    }
    memcpy(cell, m->triangle, 3 * count * sizeof *cell);
    if (label) memcpy(label, m->triangle_label, count * sizeof *label);
    sn_release(m->context, m->tet);
    m->tet = cell, m->tet_label = label;
    m->tet_count = (int)count, m->tet_nodes = 3;
    return SN_OK;
}

static double area2(const double *a, const double *b, const double *c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

double sn_element_locate(const sn_element *element, const int32_t *node, const double *position, const double X[3],
                         double L[4]) {
    const double *p[4];
    for (int i = 0; i < element->corners; ++i) p[i] = position + 3 * (size_t)node[i];
    L[3] = 0;
    if (element->corners == 3) {
        const double area = area2(p[0], p[1], p[2]);
        if (area == 0) return -INFINITY;
        L[0] = area2(X, p[1], p[2]) / area, L[1] = area2(p[0], X, p[2]) / area, L[2] = 1 - L[0] - L[1];
        return fmin(L[0], fmin(L[1], L[2]));
    }
    const double volume = sn_volume6(p[0], p[1], p[2], p[3]);
    if (volume == 0) return -INFINITY;
    L[0] = sn_volume6(X, p[1], p[2], p[3]) / volume, L[1] = sn_volume6(p[0], X, p[2], p[3]) / volume;
    L[2] = sn_volume6(p[0], p[1], X, p[3]) / volume;
    L[3] = 1 - L[0] - L[1] - L[2];
    return fmin(fmin(L[0], L[1]), fmin(L[2], L[3]));
}

/* The local index of a node among an element's corners. */
static int corner_of(const sn_element *element, const int32_t *cell, int32_t node) {
    for (int i = 0; i < element->corners; ++i)
        if (cell[i] == node) return i;
    return 0;
}

sn_status sn_element_faces(const sn_element *element, const sn_mesh *mesh, int *count, int32_t **face,
                           sn_error *error) {
    const size_t n = (size_t)element->face_nodes;
    int32_t *corner = NULL, *owner = NULL;
    *count = 0, *face = NULL;
    if (n == 0) return SN_OK;
    sn_status status = sn_mesh_boundary(mesh, count, &corner, &owner, NULL, error);
    if (status) return status;
    *face = sn_allocate(mesh->context, (size_t)*count * n, sizeof **face);
    if (!*face) status = sn_no_memory(error);
    for (int f = 0; f < *count && !status; ++f) {
        const int32_t *cell = mesh->tet + (size_t)owner[f] * (size_t)mesh->tet_nodes;
        int32_t *out = *face + (size_t)f * n;
        int local[3];
        for (int i = 0; i < 3; ++i) {
            out[i] = corner[3 * (size_t)f + (size_t)i];
            local[i] = corner_of(element, cell, out[i]);
        }
        for (int i = 0; i < 3 && element->middle; ++i) out[3 + i] = cell[element->middle[local[i]][local[(i + 1) % 3]]];
    }
    sn_mesh_release(mesh, corner);
    sn_mesh_release(mesh, owner);
    return status;
}
