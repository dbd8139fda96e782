/* The scenes of bench_touch: soft boxes that fall on each other and on a floor. One description for all engines.
 *
 * All bodies have the same mesh, material and mass; they start at rest, at different places and turned. Gravity acts
 * along -y, the floor is the plane y = 0. SI units. */
#ifndef BENCH_TOUCH_SCENE_H
#define BENCH_TOUCH_SCENE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct touch_scene {
    const char *name;

    int body_count;
    int node_count, tet_count, triangle_count; /* of one body */

    double *position;  /* bodies x nodes x 3, m: at the start, without strain */
    double *mass;      /* nodes, kg: a quarter of each tet to each corner */
    int32_t *tet;      /* tets x 4, of positive volume */
    int32_t *triangle; /* triangles x 3: the boundary, counter-clockwise seen from outside */

    double density, young, poisson;
    double damping;  /* s: the damping matrix is this times the stiffness matrix */
    double friction; /* between bodies, and between body and floor */
    double gravity;

    double seconds; /* how long to simulate */
    double frame;   /* s between the frames that an engine hands over */
} touch_scene;

enum { TOUCH_SCENES = 2 }; /* two bodies; a pile of twenty */

/* Scene 0 or 1. The caller frees it with touch_scene_free. Ends the program when memory runs out. */
touch_scene *touch_scene_make(int which);
void touch_scene_free(touch_scene *scene);

/* Writes the scene as one JSON object for engines in other processes. Returns 0, or -1 with errno. */
int touch_scene_write(const touch_scene *scene, const char *path);

int touch_frame_count(const touch_scene *scene); /* without the start */

#ifdef __cplusplus
}
#endif
#endif
