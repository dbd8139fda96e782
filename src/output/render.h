/* The stage of a picture: the objects, the camera and the light. Filled by picture.c, drawn by raster.c and shade.c.
 *
 * A pixel has several samples. raster.c finds what each sample shows. shade.c computes the light once for a pixel whose
 * samples show the same smooth piece, and once for each piece where several meet: edges are smooth, and few pixels cost
 * more than one shading. */
#ifndef SN_OUTPUT_RENDER_H
#define SN_OUTPUT_RENDER_H

#include "paint.h"
#include "world_surface.h"

enum {
    SN_SHADOW_MAP = 1024,
    SN_SHADOW_TILE = 16,
    SN_SHADOW_TILES = SN_SHADOW_MAP / SN_SHADOW_TILE,
    SN_SHADOW_REACH = 2 * SN_SHADOW_TILE, /* texels that a shadow looks around */
    SN_STAGE_SHAPES = 8,
    SN_STAGE_COLOURS = 512,
    SN_DISC = 32, /* points of the disc where shadows are sampled */
    SN_DISC_TURNS = 64,
    SN_FLOOR_GRID = 128,
    SN_BAND = 8 /* rows of pixels that are drawn together */
};

/* A map of how far the bodies reach along a direction, seen from far away: for shadows (towards the light) and for the
 * dark under a body (towards the ground). */
typedef struct sn_height_map {
    double origin[3], right[3], up[3], along[3]; /* orthonormal */
    double size;                                 /* half width, m */
    float *height;                               /* SN_SHADOW_MAP squared: largest coordinate along `along`, or -1e30 */
    float *low, *high; /* SN_SHADOW_TILES squared: least and largest height within SN_SHADOW_REACH of the tile */
} sn_height_map;

/* An endless floor. */
typedef struct sn_floor {
    double point[3], normal[3], right[3], up[3]; /* the last three are orthonormal */
    double middle[2], size; /* m: of the grid, along `right` and `up` from `point`; half its width */
    float *open;            /* SN_FLOOR_GRID squared: how much of the sky the bodies leave open */
} sn_floor;

typedef struct sn_stage {
    sn_context *context;
    const sn_surface *surface;
    const sn_picture_options *options;
    int samples;       /* per pixel and direction */
    int width, height; /* in samples */
    double eye[3], right[3], up[3], forward[3];
    double focal;             /* samples per unit of tangent */
    double middle;            /* column of the optical axis, in samples: left of the colour bar */
    double centre[3], radius; /* of all visible objects */
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
    int bands;
    int *band_first;        /* bands + 1: where the triangles of each band begin in `band_triangle` */
    int32_t *band_triangle; /* ascending in each band */
    sn_height_map shadow, under;
    double disc[SN_DISC][2], turn[SN_DISC_TURNS][2]; /* where shadows are sampled, and turns (cosine, sine): shade.c */
    int collider_count;
    sn_drawing **collider; /* before anything moves; NULL: not drawn */
    double pitch;          /* m: between the lines of the floors */
    int floors;
    sn_floor floor[SN_STAGE_SHAPES];
    sn_canvas canvas; /* in pixels */
} sn_stage;

/* What the samples of one band show, row by row. */
typedef struct sn_band {
    int row0, row1; /* in samples */
    float *depth;   /* 1 / depth, 0 where nothing is */
    int32_t *id;    /* a triangle, SN_NOTHING, or SN_NOTHING - 1 - floor */
} sn_band;
enum { SN_NOTHING = -1 };

/* Projects the nodes, sorts the triangles into bands, makes the height maps. */
sn_status sn_stage_project(sn_stage *stage, sn_error *error);
/* Fills a band: depth and id have room for SN_BAND * samples rows. */
void sn_raster_band(const sn_stage *stage, int index, sn_band *band);
/* Colours the canvas. */
sn_status sn_stage_shade(sn_stage *stage, sn_error *error);

#endif
