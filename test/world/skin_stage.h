/* A stage (stage.h) with the skin of its world, in which tests look for intersections (intersections.h). */
#ifndef TEST_WORLD_SKIN_STAGE_H
#define TEST_WORLD_SKIN_STAGE_H

#include "intersections.h"
#include "stage.h"

typedef struct stage {
    contact_stage stage;
    skin skin;
} stage;

static const double THICK = 0.002; /* m: of cloth */

/* Adds a cloth; the stage owns the mesh. */
static inline sn_body_options *add_cloth(stage *s, sn_mesh *mesh) {
    sn_material *material = &s->stage.material[s->stage.options.body_count];
    sn_body_options *body = stage_add(&s->stage, mesh);
    snprintf(material->law, sizeof material->law, "cloth-stvk");
    material->density = 300, material->rayleigh[0] = 1, material->rayleigh[1] = 0.002;
    material->bending_stiffness = 1e-4;
    body->thickness = THICK;
    return body;
}

static inline void create(stage *s) {
    create_stage(&s->stage);
    s->skin = skin_make(s->stage.world);
}

static inline void finish(stage *s) {
    skin_release(&s->skin);
    close_stage(&s->stage);
}

#endif
