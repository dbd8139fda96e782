/* A small body of any element type with two materials, and states of it to test at. */
#ifndef TEST_FEM_FIXTURE_H
#define TEST_FEM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/math3.h"
#include "fem/batch.h"
#include "simd_sets.h"
#include "sinew/mesh.h"

enum { STATE_REST, STATE_STRETCHED, STATE_SHEARED, STATE_ROTATED, STATE_SQUASHED, STATE_INVERTED, STATE_COUNT };
static const char *const state_name[STATE_COUNT] = {"rest", "stretched", "sheared", "rotated", "squashed", "inverted"};

typedef struct fixture {
    sn_context *context;
    sn_elements_model model;
    sn_element_settings settings;
    bool unsymmetric; /* what views ask for */
    sn_batch_source source;
    sn_material material[2];
    int nodes, elements;
    double *rest, *x, *v, *partial, *linearised;
    int32_t *node, *material_of;
} fixture;

static inline sn_context *make_context(const char *simd, int threads) {
    sn_context_options options = sn_context_options_default();
    options.threads = threads;
    options.simd = simd_or_widest(simd);
    sn_context *context = NULL;
    sn_error error;
    assert_int_equal(sn_context_create(&options, &context, &error), SN_OK);
    return context;
}

/* A number in [-1, 1] that depends on i alone. */
static inline double noise(int i) {
    uint32_t h = (uint32_t)i * 2654435761u + 12345u;
    h ^= h >> 15, h *= 2246822519u, h ^= h >> 13, h *= 3266489917u, h ^= h >> 16;
    return (double)h / 2147483648.0 - 1;
}

static inline double *doubles(int count) {
    double *p = aligned_alloc(64, ((size_t)count * sizeof *p + 63) / 64 * 64);
    assert_non_null(p);
    memset(p, 0, (size_t)count * sizeof *p);
    return p;
}

/* Whether elements of a type take a law: cloth and solids have laws of their own. */
static inline bool goes_with(const sn_element *element, const char *law) {
    return (element->lay != NULL) == ((sn_law_find(NULL, law)->flags & SN_LAW_CLOTH) != 0);
}

/* Two triangles per cell of a 2 x 2 grid in the plane. */
static inline void plane_mesh(fixture *s, int cells) {
    const int side = cells + 1;
    s->nodes = side * side;
    s->elements = 2 * cells * cells;
    s->rest = doubles(3 * s->nodes);
    s->node = calloc((size_t)s->elements * 3, sizeof *s->node);
    for (int n = 0; n < s->nodes; ++n) s->rest[3 * n] = 0.1 * (n % side), s->rest[3 * n + 1] = 0.12 * (n / side);
    for (int c = 0; c < cells * cells; ++c) {
        const int a = c / cells * side + c % cells;
        const int corner[6] = {a, a + 1, a + side + 1, a, a + side + 1, a + side};
        for (int i = 0; i < 6; ++i) s->node[6 * c + i] = corner[i];
    }
}

static inline void solid_mesh(fixture *s, const sn_element *element, int a, int b, int c, double distortion) {
    const sn_generator_value values[] = {
        {"size", 3, {0.1 * a, 0.12 * b, 0.09 * c}}, {"cells", 3, {a, b, c}}, {"split", 1, {5}}};
    sn_mesh *mesh = NULL;
    sn_error error;
    assert_int_equal(sn_mesh_generate(s->context, "box", values, 3, &mesh, &error), SN_OK);
    for (int i = 0; i < 3 * mesh->node_count; ++i) mesh->position[i] += distortion * noise(i);
    if (element->nodes == 10) {
        sn_mesh *fine = NULL;
        assert_int_equal(sn_mesh_to_tet10(mesh, &fine, &error), SN_OK);
        sn_mesh_destroy(mesh);
        mesh = fine;
    }
    s->nodes = mesh->node_count;
    s->elements = mesh->tet_count;
    s->rest = doubles(3 * s->nodes);
    memcpy(s->rest, mesh->position, (size_t)s->nodes * 3 * sizeof *s->rest);
    s->node = calloc((size_t)s->elements * (size_t)element->nodes, sizeof *s->node);
    memcpy(s->node, mesh->tet, (size_t)s->elements * (size_t)element->nodes * sizeof *s->node);
    sn_mesh_destroy(mesh);
}

/* Mesh without compilation. cells: in each direction. */
static inline fixture mesh_fixture(sn_context *context, const sn_element *element, int a, int b, int c,
                                   double distortion) {
    fixture s = {.context = context};
    if (element->dimension == 2)
        plane_mesh(&s, a);
    else
        solid_mesh(&s, element, a, b, c, distortion);
    for (int n = 0; n < s.nodes && element->lay; ++n) /* cloth is bent at rest */
        s.rest[3 * n + 2] = 2 * s.rest[3 * n] * s.rest[3 * n] + 0.3 * s.rest[3 * n + 1] + distortion * noise(n);
    s.x = doubles(3 * s.nodes);
    s.v = doubles(3 * s.nodes);
    memcpy(s.x, s.rest, (size_t)s.nodes * 3 * sizeof *s.x);
    s.material_of = calloc((size_t)s.elements, sizeof *s.material_of);
    for (int e = 0; e < s.elements; ++e) s.material_of[e] = e % 3 == 1;
    s.material[0] = s.material[1] = sn_material_default();
    s.source = (sn_batch_source){.element = element,
                                 .element_count = s.elements,
                                 .node = s.node,
                                 .rest = s.rest,
                                 .material = s.material_of,
                                 .material_count = 2,
                                 .name = "body"};
    return s;
}

/* To call when the materials are set. The fixture must not move afterwards. */
static inline void compile_fixture(fixture *s) {
    sn_error error = {0};
    s->source.materials = s->material;
    if (sn_elements_compile(s->context, &s->source, 1, s->nodes, &s->model, &error)) fail_msg("%s", error.text);
    if (sn_element_settings_create(s->context, &s->model, s->material, 0, &s->settings, &error))
        fail_msg("%s", error.text);
    s->partial = doubles(s->model.chunk_count);
    s->linearised = doubles((int)s->model.linearised_size);
}

static inline void free_fixture(fixture *s) {
    sn_element_settings_release(s->context, &s->settings);
    sn_elements_release(s->context, &s->model);
    free(s->rest), free(s->x), free(s->v), free(s->partial), free(s->linearised), free(s->node), free(s->material_of);
}

/* A material of a law with its exact (or another) differential; returns 0 when the law lacks that. */
static inline int set_law(sn_context *context, sn_material *m, const char *law_name, sn_differential differential,
                          double young) {
    const sn_law *law = sn_law_find(context, law_name);
    assert_non_null(law);
    if (!(law->differentials & 1u << differential)) return 0;
    int count;
    const sn_listing *names = sn_differentials(&count);
    snprintf(m->law, sizeof m->law, "%s", law_name);
    snprintf(m->differential, sizeof m->differential, "%s", names[differential].name);
    const double nu = 0.3;
    if (strcmp(law_name, "cloth-orthotropic") == 0) {
        const double E[2] = {young, 1.5 * young}, shear = young / 3, warp[3] = {1, 2, 0.5};
        assert_int_equal(sn_material_set(m, "young", E, 2, NULL), SN_OK);
        assert_int_equal(sn_material_set(m, "shear", &shear, 1, NULL), SN_OK);
        assert_int_equal(sn_material_set(m, "direction", warp, 3, NULL), SN_OK);
    } else if (strcmp(law_name, "cloth-baraff-witkin") == 0 || strcmp(law_name, "cloth-particles") == 0) {
        const double stretch[2] = {young, 0.6 * young}, shear = young / 4;
        assert_int_equal(sn_material_set(m, "stretch", stretch, 2, NULL), SN_OK);
        assert_int_equal(sn_material_set(m, "shear", &shear, 1, NULL), SN_OK);
    } else if (strncmp(law_name, "orthotropic", 11) == 0) {
        const double E[3] = {young, 1.5 * young, 0.7 * young}, ratio[3] = {0.2, 0.25, 0.15},
                     shear[3] = {young / 3, young / 2, young / 4};
        m->constant_count = 0;
        assert_int_equal(sn_material_set(m, "young", E, 3, NULL), SN_OK);
        assert_int_equal(sn_material_set(m, "poisson", ratio, 3, NULL), SN_OK);
        assert_int_equal(sn_material_set(m, "shear", shear, 3, NULL), SN_OK);
    } else {
        assert_int_equal(sn_material_set(m, "young", &young, 1, NULL), SN_OK);
        assert_int_equal(sn_material_set(m, "poisson", &nu, 1, NULL), SN_OK);
    }
    return 1;
}

/* Positions of a state: an affine map and, but for rest, a small bump; velocities are noise. Plane bodies stay in their
 * plane. */
static inline void set_state(fixture *s, int state) {
    const int plane = sn_element_is_plane(s->source.element);
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double axis[3] = {plane ? 0 : 1, plane ? 0 : -2, 0.7};
    if (state == STATE_STRETCHED) F[0] = 1.35, F[4] = 0.9, F[8] = 1.1;
    if (state == STATE_SHEARED) F[1] = 0.4, F[5] = plane ? 0 : -0.3;
    if (state == STATE_ROTATED) sn_axis_rotation3(axis, 130, F);
    if (state == STATE_SQUASHED) F[4] = 0.35, F[0] = 1.2;
    if (state == STATE_INVERTED) F[0] = -0.6, F[4] = 1.2, F[8] = 0.9;
    const double bump = state == STATE_REST ? 0 : 0.003;
    for (int n = 0; n < s->nodes; ++n) {
        double y[3];
        sn_multiply_vector3(F, &s->rest[3 * n], y);
        for (int a = 0; a < 3; ++a) {
            s->x[3 * n + a] = y[a] + (a == 2 && plane ? 0 : bump * noise(7 * n + 3 * a + 1));
            s->v[3 * n + a] = a == 2 && plane ? 0 : 0.5 * noise(11 * n + 5 * a + 100);
        }
    }
}

static inline sn_element_view view_of(const fixture *s, const double *x, const double *v) {
    return (sn_element_view){.settings = &s->settings, .x = x, .v = v, .unsymmetric = s->unsymmetric};
}

static inline sn_status energy_of(const fixture *s, const double *x, double *energy) {
    const sn_element_view view = view_of(s, x, NULL);
    return sn_elements_energy(s->context, &s->model, &view, s->partial, energy, NULL);
}

static inline sn_status force_of(const fixture *s, const double *x, const double *v, double *f) {
    const sn_element_view view = view_of(s, x, v);
    memset(f, 0, (size_t)s->nodes * 3 * sizeof *f);
    return sn_elements_force(s->context, &s->model, &view, f, NULL);
}

static inline void product_of(const fixture *s, double k, double d, const double *u, double *out) {
    const sn_element_view view = view_of(s, s->x, s->v);
    memset(out, 0, (size_t)s->nodes * 3 * sizeof *out);
    sn_elements_product(s->context, &s->model, &view, k, d, NULL, u, out);
}

static inline double largest(const double *a, int count) {
    double m = 0;
    for (int i = 0; i < count; ++i) m = fmax(m, fabs(a[i]));
    return m;
}

static inline double distance(const double *a, const double *b, int count) {
    double m = 0;
    for (int i = 0; i < count; ++i) {
        if (!isfinite(a[i]) || !isfinite(b[i])) return INFINITY;
        m = fmax(m, fabs(a[i] - b[i]));
    }
    return m;
}

#endif
