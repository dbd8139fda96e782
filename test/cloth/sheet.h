/* A small sheet of cloth with its hinges, compiled into batches, and states of it to test at. */
#ifndef TEST_CLOTH_SHEET_H
#define TEST_CLOTH_SHEET_H

#include "../fem/fixture.h"

#include "cloth/hinges.h"

enum { FLAT, BENT, SHEARED, FOLDED, THIN, STATES };
static const char *const sheet_state[STATES] = {"flat", "bent", "sheared", "folded", "nearly degenerate"};

typedef struct sheet {
    fixture f;
    sn_batch_source source[3]; /* triangles, hinges, flat hinges */
} sheet;

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
    for (int i = 0; i < 2; ++i)
        if (sn_element_cloth.beside[i]->derive(f->context, &f->source, NULL, &s->source[i + 1], &error))
            fail_msg("%s", error.text);
    if (sn_elements_compile(f->context, s->source, 3, f->nodes, &f->model, &error)) fail_msg("%s", error.text);
    if (sn_element_settings_create(f->context, &f->model, f->material, 0, &f->settings, &error))
        fail_msg("%s", error.text);
    f->partial = doubles(f->model.chunk_count);
    f->linearised = doubles((int)f->model.linearised_size);
}

static inline void sheet_end(sheet *s) {
    for (int i = 0; i < 2; ++i) sn_element_cloth.beside[i]->release(s->f.context, &s->source[i + 1]);
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

#endif
