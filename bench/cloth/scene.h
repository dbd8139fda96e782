/* The scenes of bench_cloth: a square sheet that falls on a ball. One description for all engines.
 *
 * The sheet starts level and at rest, a little above the ball, turned about the vertical and away from its middle, so
 * that nothing is symmetric. Gravity acts along -y, the ball does not move, its centre is the origin. SI units. */
#ifndef BENCH_CLOTH_SCENE_H
#define BENCH_CLOTH_SCENE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cloth_scene {
    char name[32];
    int side; /* vertices along an edge of the sheet */
    int node_count, triangle_count, edge_count;

    double *position;  /* nodes x 3, m: at the start, without strain */
    double *mass;      /* nodes, kg: a third of each triangle to each corner */
    int32_t *triangle; /* triangles x 3 */
    int32_t *edge;     /* edges x 2, of the triangles */

    double size;      /* m, of the sheet */
    double radius;    /* m, of the ball */
    double thickness; /* m, of the sheet */
    double area_density;
    double stretch; /* N/m: Young's modulus times thickness */
    double poisson;
    double bending;  /* N m */
    double damping;  /* s: the damping matrix is this times the stiffness matrix */
    double friction; /* between sheet and ball, and of the sheet on itself */
    double gravity;

    double seconds; /* how long to simulate */
    double frame;   /* s between the frames that an engine hands over */
} cloth_scene;

/* A sheet of side x side vertices. The caller frees it with cloth_scene_free. Ends the program when memory runs out. */
cloth_scene *cloth_scene_make(int side, double seconds, double frame);
void cloth_scene_free(cloth_scene *scene);

/* Writes the scene as one JSON object for engines in other processes. Returns 0, or -1 with errno. */
int cloth_scene_write(const cloth_scene *scene, const char *path);

int cloth_frame_count(const cloth_scene *scene); /* without the start */

/* One run of an engine. */
typedef struct cloth_run {
    double *frame;    /* frames x nodes x 3, m; the last one is the end */
    double step;      /* s: time step of the engine */
    double processor; /* s of processor time for the whole run, without the set-up and the frames */
    double real;      /* s of real time for the same */
} cloth_run;

cloth_run cloth_run_make(const cloth_scene *scene); /* with all numbers 0 */
void cloth_run_free(cloth_run *run);

#ifdef __cplusplus
}
#endif
#endif
