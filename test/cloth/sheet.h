/* A small sheet of cloth with its hinges, or of particles, compiled into batches; states of it to test at, and checks
 * of its derivatives by central differences. */
#ifndef TEST_CLOTH_SHEET_H
#define TEST_CLOTH_SHEET_H

#include "../fem/fixture.h"

#include "cloth/hinges.h"
#include "cloth/limit.h"
#include "cloth/particles.h"

enum { FLAT, BENT, SHEARED, FOLDED, THIN, STATES };
static const char *const sheet_state[STATES] = {"flat", "bent", "sheared", "folded", "nearly degenerate"};

typedef struct sheet {
    fixture f;
    sn_batch_source
        source[4]; /* triangles, hinges, flat hinges, limits; or edges, corners, second differences, limits */
} sheet;

/* A flat and even grid of particles. */
static inline void sheet_start_particles(sheet *s, sn_context *context, int cells) {
    s->f = mesh_fixture(context, &sn_element_cloth_grid, cells, 1, 1, 0);
    for (int n = 0; n < s->f.nodes; ++n) s->f.rest[3 * n + 2] = 0;
    s->f.source.thickness = 0.01;
}

/* Cells x cells squares of two triangles with two materials. `round`: it is bent at rest. */
static inline void sheet_start(sheet *s, sn_context *context, int cells, bool round) {
    s->f = mesh_fixture(context, &sn_element_cloth, cells, 1, 1, 0);
    for (int n = 0; n < s->f.nodes; ++n) {
        double *X = s->f.rest + 3 * n;
        X[0] += 0.01 * noise(2 * n), X[1] += 0.01 * noise(2 * n + 1);
        X[2] = round ? 1.5 * X[0] * X[0] - X[0] * X[1] : 0;
    }
    s->f.source.thickness = 0.01;
}

static inline void sheet_compile(sheet *s) {
    sn_error error = {0};
    fixture *f = &s->f;
    f->source.materials = f->material;
    s->source[0] = f->source;
    if (f->source.element == &sn_element_cloth_grid &&
        sn_element_particles.derive(f->context, &f->source, NULL, &s->source[0], &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < 3; ++i)
        if (f->source.element->beside[i]->derive(f->context, &f->source, NULL, &s->source[i + 1], &error))
            fail_msg("%s", error.text);
    if (sn_elements_compile(f->context, s->source, 4, f->nodes, &f->model, &error)) fail_msg("%s", error.text);
    if (sn_element_settings_create(f->context, &f->model, f->material, 0, &f->settings, &error))
        fail_msg("%s", error.text);
    f->partial = doubles(f->model.chunk_count);
    f->linearised = doubles((int)f->model.linearised_size);
}

static inline void sheet_end(sheet *s) {
    if (s->f.source.element == &sn_element_cloth_grid) sn_element_particles.release(s->f.context, &s->source[0]);
    for (int i = 0; i < 3; ++i) s->f.source.element->beside[i]->release(s->f.context, &s->source[i + 1]);
    free_fixture(&s->f);
}

static inline void sheet_state_set(sheet *s, int state) {
    fixture *f = &s->f;
    const double middle = 0.15;
    for (int n = 0; n < f->nodes; ++n) {
        const double *X = f->rest + 3 * n;
        double *x = f->x + 3 * n;
        memcpy(x, X, 3 * sizeof *x);
        if (state == BENT) x[2] += 0.1 * sin(12 * X[0]) + 0.05 * cos(15 * X[1]);
        if (state == SHEARED) x[0] += 0.4 * X[1], x[2] += 0.3 * X[0] * X[1];
        if (state == FOLDED && X[0] > middle) x[0] = 2 * middle - X[0], x[2] += 0.02 + 0.1 * (X[0] - middle);
        if (state == THIN && n == f->nodes / 2) x[0] = f->x[3 * (n - 1)] + 1e-3, x[1] = f->x[3 * (n - 1) + 1] + 1e-3;
        for (int a = 0; a < 3; ++a) {
            if (state != FLAT) x[a] += 0.003 * noise(7 * n + 3 * a + 1);
            f->v[3 * n + a] = 0.5 * noise(11 * n + 5 * a + 100);
        }
    }
}

static inline void check_force(sheet *s, const char *what) {
    fixture *f = &s->f;
    const int n = 3 * f->nodes;
    const double h = 1e-6;
    double *force = doubles(n), *numeric = doubles(n);
    assert_int_equal(force_of(f, f->x, NULL, force), SN_OK);
    for (int i = 0; i < n; ++i) {
        const double x = f->x[i];
        double more, less;
        f->x[i] = x + h, energy_of(f, f->x, &more);
        f->x[i] = x - h, energy_of(f, f->x, &less);
        f->x[i] = x;
        numeric[i] = -(more - less) / (2 * h);
    }
    const double off = distance(force, numeric, n) / fmax(largest(force, n), 1e-3);
    if (!(off < 1e-6)) fail_msg("%s: force differs from -dE/dx by %g of %g N", what, off, largest(force, n));
    free(force), free(numeric);
}

/* The product against differences of the force along `u`, in x (k = 1) or v (d = 1). */
static inline void check_product(sheet *s, double k, double d, const char *what) {
    fixture *f = &s->f;
    const int n = 3 * f->nodes;
    const double h = d != 0 ? 1e-3 : 1e-6;
    double *u = doubles(n), *at = doubles(n), *more = doubles(n), *less = doubles(n), *out = doubles(n);
    for (int i = 0; i < n; ++i) u[i] = noise(17 * i + 5);
    product_of(f, k, d, u, out);
    for (int side = 1; side >= -1; side -= 2) {
        for (int i = 0; i < n; ++i) at[i] = (d != 0 ? f->v[i] : f->x[i]) + side * h * u[i];
        force_of(f, d != 0 ? f->x : at, d != 0 ? at : NULL, side > 0 ? more : less);
    }
    for (int i = 0; i < n; ++i) more[i] = -(more[i] - less[i]) / (2 * h);
    const double off = distance(out, more, n) / largest(out, n);
    if (!(off < 1e-6)) fail_msg("%s: product differs from %s by %g", what, d != 0 ? "df/dv" : "df/dx", off);
    /* The linearised hinges and element matrices say the same. */
    const sn_element_view view = view_of(f, f->x, f->v);
    memset(more, 0, (size_t)n * sizeof *more), memset(less, 0, (size_t)n * sizeof *less);
    sn_elements_linearise(f->context, &f->model, &view, k, d, f->linearised);
    sn_elements_product(f->context, &f->model, &view, k, d, f->linearised, u, more);
    assert_true(distance(out, more, n) == 0);
    for (int b = 0; b < f->model.batch_count; ++b) {
        const sn_batch *batch = &f->model.batch[b];
        const int nodes = batch->element->nodes;
        _Alignas(64) double K[16 * 9 * SN_LANES];
        for (int block = 0; block < batch->block_count; ++block) {
            batch->kernels->stiffness(batch, block, &view, k, d, 0, NULL, K);
            for (int l = 0; l < SN_LANES; ++l)
                for (int i = 0; i < nodes && batch->element_of[block * SN_LANES + l] >= 0; ++i)
                    for (int j = 0; j < nodes; ++j)
                        for (int e = 0; e < 9; ++e)
                            less[3 * batch->node[(block * nodes + i) * SN_LANES + l] + e % 3] +=
                                K[((nodes * i + j) * 9 + e) * SN_LANES + l] *
                                u[3 * batch->node[(block * nodes + j) * SN_LANES + l] + e / 3];
        }
    }
    const double apart = distance(out, less, n) / largest(out, n);
    if (!(apart < 1e-12)) fail_msg("%s: matrices differ from the product by %g", what, apart);
    free(u), free(at), free(more), free(less), free(out);
}

/* Energy, force and product are finite. */
static inline void check_finite(const sheet *s) {
    const int n = 3 * s->f.nodes;
    double *f = doubles(n), *u = doubles(n), *out = doubles(n), energy;
    for (int i = 0; i < n; ++i) u[i] = noise(i);
    assert_int_equal(force_of(&s->f, s->f.x, s->f.v, f), SN_OK);
    assert_int_equal(energy_of(&s->f, s->f.x, &energy), SN_OK);
    product_of(&s->f, 1, 0.1, u, out);
    assert_true(isfinite(energy) && isfinite(largest(f, n)) && distance(out, out, n) == 0);
    free(f), free(u), free(out);
}

/* The projected differential is never negative, and is the exact one where the sheet is flat and stretched. */
static inline void check_projected(sheet *s) {
    const int n = 3 * s->f.nodes;
    double *u = doubles(n), *out = doubles(n);
    for (int k = 0; k < STATES; ++k) {
        sheet_state_set(s, k);
        for (int trial = 0; trial < 50; ++trial) {
            double dot = 0, size = 0;
            for (int i = 0; i < n; ++i) u[i] = noise(trial * n + i);
            product_of(&s->f, 1, 0, u, out);
            for (int i = 0; i < n; ++i) dot += u[i] * out[i], size += fabs(u[i] * out[i]);
            assert_true(dot >= -1e-12 * size);
        }
    }
    for (int i = 0; i < n; ++i) s->f.x[i] = 1.05 * s->f.rest[i];
    check_product(s, 1, 0, "stretched, projected");
    free(u), free(out);
}

#endif
