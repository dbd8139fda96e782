/* Bodies with a memory, for the tests of materials with a Prony series. */
#ifndef TEST_WORLD_MEMORY_STAGE_H
#define TEST_WORLD_MEMORY_STAGE_H

#include "scene.h"

static const double YOUNG = 3e4, SIDE = 0.1;

static inline void set_term(sn_material *m, double ratio, double time) {
    m->prony[m->prony_count][0] = ratio, m->prony[m->prony_count][1] = time;
    ++m->prony_count;
}

/* ---- Dynamics ---- */
/* A swinging cantilever with a memory. */
static inline void cantilever(scene *s, const sn_context_options *context, const char *method, double h) {
    scene_start(s, context, 0.4, 0.1, 0.1, 4, 1, 1);
    strcpy(s->material.law, "corotated");
    strcpy(s->material.differential, "exact");
    set_constant(&s->material, "young", YOUNG);
    set_term(&s->material, 1, 0.05);
    set_term(&s->material, 0.5, 0.4);
    strcpy(s->options.time.method, method);
    s->options.time.step = h;
    s->options.time.tolerance = 0;
    set_newton(s, "full", 10, 1e-9);
    set_solver(s, "", 1e-11);
    clamp_left(s);
    add_probe(s, SN_QUANTITY_POSITION, 0.4, 0, 0);
}

#endif
