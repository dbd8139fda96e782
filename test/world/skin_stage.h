/* A stage (stage.h) with the skin of its world, in which tests look for intersections (intersections.h). */
#ifndef TEST_WORLD_SKIN_STAGE_H
#define TEST_WORLD_SKIN_STAGE_H

#include "intersections.h"
#include "stage.h"

typedef struct stage {
    contact_stage stage;
    skin skin;
} stage;

static inline void create(stage *s) {
    create_stage(&s->stage);
    s->skin = skin_make(s->stage.world);
}

static inline void finish(stage *s) {
    skin_release(&s->skin);
    close_stage(&s->stage);
}

#endif
