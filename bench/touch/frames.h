/* What an engine made of a scene of bench_touch: the nodes at regular times, and one measure of it for all engines. */
#ifndef BENCH_TOUCH_FRAMES_H
#define BENCH_TOUCH_FRAMES_H

#include <stdbool.h>

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One run of an engine. */
typedef struct touch_run {
    double *frame;    /* frames x bodies x nodes x 3, m; touch_frame_count(scene) frames, the last at the end */
    double step;      /* s: time step of the engine */
    double processor; /* s of processor time for the whole run, without the set-up and the frames */
    double real;      /* s of real time for the same */
    double stopped;   /* s: the time in the scene at which the run was given up; 0: it is complete */
} touch_run;

touch_run touch_run_make(const touch_scene *scene); /* with all numbers 0 */
void touch_run_free(touch_run *run);

/* What the frames say. Depth: points of a body's surface (corners, middles of edges and of triangles) inside of a tet
 * of another body, by their distance to the surface of that body. */
typedef struct touch_measure {
    bool finite;       /* all numbers are finite, and no body has left the scene */
    double depth;      /* m: the largest of all frames */
    double depth_end;  /* m: of the last frame */
    double floor;      /* m: the largest depth of a node below the floor, of all frames */
    double speed_end;  /* m/s: the largest speed of a node between the last two frames */
    double height_end; /* m: of the highest node in the last frame; tells whether the bodies lie as they should */
} touch_measure;

touch_measure touch_measure_run(const touch_scene *scene, const touch_run *run);

#ifdef __cplusplus
}
#endif
#endif
