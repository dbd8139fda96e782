/* The stage of a picture: what is seen, from where, in which light. Filled by picture.c, drawn by raster.c and shade.c.
 */
#ifndef SN_OUTPUT_RENDER_H
#define SN_OUTPUT_RENDER_H

#include "paint.h"
#include "world_surface.h"

enum { SN_SHADOW_MAP = 1024, SN_STAGE_SHAPES = 8, SN_STAGE_COLOURS = 512, SN_DISC = 9 };

/* A map of how far the bodies reach along a direction, seen from far away: for shadows (towards the light) and for the
 * dark under a body (towards the ground). */
typedef struct sn_height_map {
    double origin[3], right[3], up[3], along[3]; /* orthonormal */
    double size;                                 /* half width, m */
    float *height;                               /* SN_SHADOW_MAP squared: largest coordinate along `along`, or -1e30 */
} sn_height_map;

typedef struct sn_stage {
    sn_context *context;
    const sn_surface *surface;
    const sn_picture_options *options;
    int samples;       /* per pixel and direction */
    int width, height; /* in samples */
    double eye[3], right[3], up[3], forward[3];
    double focal;             /* samples per unit of tangent */
    double middle;            /* column of the optical axis, in samples: left of the colour bar */
    double centre[3], radius; /* of what is seen */
    double light[3], fill[3]; /* unit vectors towards the lights */
    bool coloured;
    double low, high;                  /* of the colour map */
    float colour[SN_STAGE_COLOURS][3]; /* the colour map */
    int nodes, triangles;              /* of the bodies' surface, then of the colliders */
    double *position;                  /* nodes x 3 */
    int32_t *triangle;                 /* triangles x 3 */
    float *normal;                     /* triangles x 3 corners x 3 */
    double *value;                     /* per node of the bodies */
    double *screen;                    /* nodes x 3: x, y in samples, 1 / depth */
    float *depth;                      /* width x height: 1 / depth, 0 where nothing is */
    int32_t *id;                       /* width x height: triangle or -1 */
    sn_height_map shadow, under;
    double disc[SN_DISC][2]; /* where shadows are sampled: see shade.c */
    int collider_count;
    sn_drawing **collider; /* before anything moves; NULL: not drawn */
    int planes;
    double plane_point[SN_STAGE_SHAPES][3], plane_normal[SN_STAGE_SHAPES][3];
    sn_canvas canvas; /* in pixels */
} sn_stage;

/* Projects the nodes and fills depth and id; makes the height maps. */
sn_status sn_stage_raster(sn_stage *stage, sn_error *error);
/* Colours the canvas. */
void sn_stage_shade(sn_stage *stage);

#endif
