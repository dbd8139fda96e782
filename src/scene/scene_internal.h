/* The scene and the functions that read its parts. */
#ifndef SN_SCENE_INTERNAL_H
#define SN_SCENE_INTERNAL_H

#include "reader.h"
#include "sinew/sinew.h"

struct sn_scene {
    sn_context *context;
    char name[128];
    int version;
    struct {
        int place;
        double time, zoom;
        char colour[32];
        bool wire;
    } gallery; /* the page uses it */
    sn_world_options world;
    sn_output_options output;
    sn_reader reader; /* for the positions of later messages; its error pointer is only set during a call */
    json_t *root;     /* with the overrides */
    sn_scene_block *blocks;
    sn_mesh **mesh;    /* one per body */
    sn_mesh **surface; /* one per body; NULL for none */
    int mesh_count;
    sn_mesh **collider_mesh; /* one per collider; NULL for none */
    int collider_mesh_count;
    sn_device_options *device; /* one per tool; without a cookie: none */
    sn_servo_options *servo;   /* one per tool */
};

/* Changes the tree by the overrides and stores them, with list items as numbers, in the reader. */
sn_status sn_scene_override(sn_reader *reader, json_t *root, const sn_override *override, int count);

sn_status sn_scene_read_output(const sn_place *place, sn_output_options *options);
sn_status sn_scene_read_bodies(const sn_place *place, sn_scene *scene);
sn_status sn_scene_read_material(const sn_place *place, sn_material *material);
/* The fibres of a material with the key "muscle"; otherwise `fibre` stays as it is. */
sn_status sn_scene_read_fibre(const sn_place *material, sn_fibre *fibre);
sn_status sn_scene_read_colliders(const sn_place *place, sn_scene *scene);
sn_status sn_scene_read_contact(const sn_place *place, sn_contact_options *contact);
/* The mesh that an object names by a generator or a "file". Further keys that the object may have: `own`. */
enum { SN_SCENE_PATH = 2048 };
/* Reads the name of a file; a relative name is looked for beside the scene. */
sn_status sn_scene_read_path(const sn_place *place, char path[SN_SCENE_PATH]);
/* scene_heights.c: the grid of a collider of heights. */
sn_status sn_scene_read_heights(const sn_place *place, sn_collider *collider);
sn_status sn_scene_read_source(const sn_place *place, const char *const *own, int own_count, sn_mesh **mesh);
sn_status sn_scene_read_tools(const sn_place *place, sn_scene *scene);
sn_status sn_scene_read_probes(const sn_place *place, sn_world_options *world);
sn_status sn_scene_read_fixes(const sn_place *place, sn_body_options *body);
sn_status sn_scene_read_loads(const sn_place *place, sn_body_options *body);
sn_status sn_scene_read_links(const sn_place *place, sn_body_options *body);
sn_status sn_scene_read_tethers(const sn_place *place, sn_body_options *body);
sn_status sn_scene_read_seams(const sn_place *place, sn_body_options *body);

/* The keys of the scene itself, and of "output". */
const sn_field *sn_scene_fields(int *count);
const sn_field *sn_output_option_fields(int *count);

#endif
