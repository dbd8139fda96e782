/* One measure for all engines of what they made of a scene of bench_cloth. */
#ifndef BENCH_CLOTH_MEASURE_H
#define BENCH_CLOTH_MEASURE_H

#include <stdbool.h>

#include "scene.h"

typedef struct cloth_measure {
    bool finite;       /* all numbers are finite, and the sheet has not left the scene */
    double strain;     /* the largest strain of an edge in the last frame: longer or shorter, part of its length */
    double stretch;    /* the same, of edges that are longer alone */
    double depth;      /* m: the largest depth of a node inside the ball, of all frames */
    double height_end; /* m: of the lowest node in the last frame; tells whether the sheet hangs as it should */
    int cuts;          /* pairs of triangles of the sheet that intersect in the last frame */
} cloth_measure;

cloth_measure cloth_measure_run(const cloth_scene *scene, const cloth_run *run);

#endif
