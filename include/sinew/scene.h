/* Scene files: JSON -> a world with its output settings. docs/scene.md is the reference. */
#ifndef SINEW_SCENE_H
#define SINEW_SCENE_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_picture_options {
    int width, height;         /* 16 to 8192; default 1280 x 720 */
    char field[24];            /* colour by: "von_mises" (default), "displacement", "velocity", "energy", "none" */
    double low, high;          /* of the colour map; equal (default): from the data */
    double azimuth, elevation; /* degrees about and above the ground; default 30, 20 */
    bool edges;                /* draw the element edges; default true */
    double view[2][3];         /* low and high corner of the box that must be seen; equal (default): the bodies */
} sn_picture_options;
SN_API sn_picture_options sn_picture_options_default(void);

typedef struct sn_output_options {
    int every;           /* write each N-th step; 0: only the end; default 10 */
    char formats[8][16]; /* "vtu", "obj", "ply", "stl", ...; default none unless asked */
    int format_count;
    char fields[12][24]; /* default displacement, velocity, stress, von_mises */
    int field_count;
    sn_picture_options picture;
} sn_output_options;

typedef struct sn_scene sn_scene;

/* An override "bodies.0.material.young=1e6": the key path and a JSON value (or a bare word, taken as a string). */
typedef struct sn_override {
    const char *key, *value;
} sn_override;

SN_API sn_status sn_scene_load(sn_context *context, const char *path, const sn_override *overrides, int override_count, sn_scene **scene,
                               sn_error *error);
/* The same from text; `folder` is where relative mesh paths start, "" for none; `name` stands in messages. */
SN_API sn_status sn_scene_parse(sn_context *context, const char *text, size_t bytes, const char *name, const char *folder,
                                const sn_override *overrides, int override_count, sn_scene **scene, sn_error *error);
SN_API void sn_scene_destroy(sn_scene *scene);
SN_API const char *sn_scene_name(const sn_scene *scene);
/* Valid as long as the scene. */
SN_API const sn_world_options *sn_scene_world_options(const sn_scene *scene);
SN_API const sn_output_options *sn_scene_output(const sn_scene *scene);
/* The detailed surface that a body's `surface` gives for display, at rest; NULL without one. Valid as long as the scene. */
SN_API const sn_mesh *sn_scene_surface(const sn_scene *scene, int body);
/* Builds the world. Messages of sn_world_create get the file, line and column of the key at fault in front. */
SN_API sn_status sn_scene_create_world(const sn_scene *scene, sn_world **world, sn_error *error);

/* The options of a struct that a scene gives: "sn_fix", "sn_time_options", ...; NULL for a name that is unknown. sn_option_group gives the
 * names one by one, with their place in a scene, and NULL at the end. Static tables. */
SN_API const sn_option *sn_options(const char *struct_name, int *count);
SN_API const sn_listing *sn_option_group(int index);

#ifdef __cplusplus
}
#endif
#endif
