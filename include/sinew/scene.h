/* Scene files: from a JSON text to a world with its output settings. docs/scene.md describes all keys. */
#ifndef SINEW_SCENE_H
#define SINEW_SCENE_H

#include "haptic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How pictures of the bodies are drawn. */
typedef struct sn_picture_options {
    uint32_t cookie;   /* set by sn_picture_options_default(); a struct without it is refused */
    int width, height; /* pixels, 16 to 8192; default 1280 x 720 */
    char field[24];    /* colour by "von_mises" (default), "displacement", "velocity", "energy" or "none" */
    double low, high;  /* ends of the colour map, in the unit of the field; equal (default 0, 0): from the data */
    double azimuth,
        elevation; /* degrees: of the eye around the y axis (default 30), above the ground (-89 to 89; default 20) */
    bool edges;    /* draw the edges of the elements; default true */
    double view[2][3]; /* m: low and high corner of the box that the picture shows; equal (default): the bodies */
    char title[64];    /* begins the line below the picture; empty (default): the name of the first body */
} sn_picture_options;
SN_API sn_picture_options sn_picture_options_default(void);

/* Which results a run writes. */
typedef struct sn_output_options {
    uint32_t cookie;     /* set by sn_output_options_default(); a struct without it is refused */
    int every;           /* write each N-th step, at least 0; 0: only the last one; default 10 */
    char formats[8][16]; /* format_count names: "vtu", "obj", "ply", "stl", ... */
    int format_count;    /* 0 to 8; default 1: "vtu" */
    char fields[12][24]; /* field_count names; default displacement, velocity, stress, von_mises */
    int field_count;     /* 0 to 12; default 4 */
    sn_picture_options picture;
} sn_output_options;
SN_API sn_output_options sn_output_options_default(void);

typedef struct sn_scene sn_scene;

/* Replaces one value of a scene: "bodies.0.material.young=1e6". `key` is the path of keys and indices; `value` is a
 * JSON value, or a bare word, which stands for a string. */
typedef struct sn_override {
    const char *key, *value;
} sn_override;

/* Reads a scene file. `overrides` has override_count items (may be NULL when the count is 0). Nothing of the arguments
 * is kept but the context, which must outlive the scene. Mesh paths are relative to the folder of the file. Fails with
 * SN_NOT_FOUND (the file, or a file that it names, cannot be opened), SN_IO, SN_BAD_INPUT or SN_NO_MEMORY; the message
 * has file, line and column. *scene is then untouched. The caller frees *scene with sn_scene_destroy. */
SN_API sn_status sn_scene_load(sn_context *context, const char *path, const sn_override *overrides, int override_count,
                               sn_scene **scene, sn_error *error);

/* Does the same for a text of `bytes` bytes. `name` stands in messages in the place of the file. Relative mesh paths
 * start at `folder`; "" or NULL: at the working directory. */
SN_API sn_status sn_scene_parse(sn_context *context, const char *text, size_t bytes, const char *name,
                                const char *folder, const sn_override *overrides, int override_count, sn_scene **scene,
                                sn_error *error);
SN_API void sn_scene_destroy(sn_scene *scene); /* NULL does nothing. Worlds of the scene stay valid */

/* The results of the next four functions are valid as long as the scene. */

/* The scene's "name"; without one, the file's name without folder and ending. Never NULL. */
SN_API const char *sn_scene_name(const sn_scene *scene);
SN_API const sn_world_options *sn_scene_world_options(const sn_scene *scene); /* never NULL */
SN_API const sn_output_options *sn_scene_output(const sn_scene *scene);       /* never NULL */
/* Whether the scene, with its overrides, has this key: "output.formats", "bodies.0.name". */
SN_API bool sn_scene_gives(const sn_scene *scene, const char *key);
/* The detailed surface for display, at rest, that the key `surface` of a body names. NULL when the body has none, or
 * when there is no such body. */
SN_API const sn_mesh *sn_scene_surface(const sn_scene *scene, int body);

/* Builds the world of the scene: sn_world_create, whose messages then begin with file, line and column of the wrong
 * key. Fails as sn_world_create does. The caller frees *world with sn_world_destroy. */
SN_API sn_status sn_scene_create_world(const sn_scene *scene, sn_world **world, sn_error *error);

/* The device that the scene gives to a tool, and the options of its servo; their arrays are valid as long as the scene.
 * NULL: the tool has no device, or there is no such tool. */
SN_API const sn_device_options *sn_scene_device(const sn_scene *scene, int tool);
SN_API const sn_servo_options *sn_scene_servo(const sn_scene *scene, int tool);
/* Makes the servo of a tool with a device: sn_servo_create, whose messages then begin with file, line and column of the
 * wrong key. The protocol goes to `folder`; NULL: none is written. The caller frees *servo with sn_servo_destroy. */
SN_API sn_status sn_scene_create_servo(const sn_scene *scene, sn_world *world, int tool, const char *folder,
                                       sn_servo **servo, sn_error *error);

/* The fields of an options struct that a scene can set: their keys, ranges and defaults. `struct_name` is "sn_fix",
 * "sn_time_options", ... *count is the length of the table. Returns NULL and a count of 0 for an unknown name. */
SN_API const sn_option *sn_options(const char *struct_name, int *count);
/* The structs that sn_options knows: name of the struct, and its place in a scene. `index` counts from 0. NULL after
 * the last one. */
SN_API const sn_listing *sn_option_group(int index);

#ifdef __cplusplus
}
#endif
#endif
