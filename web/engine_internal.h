/* Inside of the engine: the loaded scene, how its bodies are shown, the clock. */
#ifndef SINEW_WEB_ENGINE_INTERNAL_H
#define SINEW_WEB_ENGINE_INTERNAL_H

#include <jansson.h>
#include <stdint.h>

#include "engine.h"
#include "sinew/sinew.h"

enum { ENGINE_HANDLES = 16 };

/* How a body is shown. */
typedef struct engine_shape {
    const sn_mesh *mesh;      /* of the world */
    const sn_embedding *skin; /* the world's detailed surface, or the boundary */
    sn_embedding *boundary;   /* NULL for a body with a detailed surface */
    bool embedded;
    int faces; /* of the boundary, their tets, and their edges that the wireframe shows: bit k from corner k to k + 1 */
    int32_t *face, *owner;
    uint8_t *drawn, *drawn_now;
    int wire_nodes, wire_edges; /* boundary nodes, and the edges of active tets between them */
    int32_t *wire_node, *wire_edge;
    uint8_t *held;                        /* nodes: 1 by a fix of the scene, 2 by a pin */
    int held_count;                       /* nodes with a mark */
    double *position, *velocity, *before; /* nodes x 3: now, and the velocities at the last frame */
    double *reaction;                     /* nodes x 3: of supports, N */
    double *value;                        /* nodes: the value that the colour shows */
    double *element;                      /* tets x 7: fields of elements */
    double *mass;                         /* nodes, lumped, kg */
    double length;                        /* of the rest shape's box, corner to corner, m */
    int32_t *uses;                        /* nodes: tets at the node */
} engine_shape;

typedef struct engine_grab {
    bool on;
    int body;
    int32_t node[4];
    double weight[4], target[3], stiffness, damping;
} engine_grab;

typedef enum engine_colour {
    COLOUR_NONE,
    COLOUR_DISPLACEMENT,
    COLOUR_VON_MISES,
    COLOUR_STRAIN,
    COLOUR_ENERGY,
    COLOUR_QUALITY,
    COLOUR_LEVEL,
    COLOURS
} engine_colour;
typedef enum engine_glyph { GLYPH_NONE, GLYPH_FORCE, GLYPH_CONSTRAINT, GLYPH_STRESS, GLYPHS } engine_glyph;

struct engine {
    sn_context *context;
    engine_send *send;
    void *user;
    char folder[1024];

    sn_scene *scene;
    char *text; /* of the scene, for links; NULL when it came from a file with others beside it */
    sn_world *world;
    int bodies;
    engine_shape *shape;
    json_t *changes;         /* "set" messages since loading: applied again after a reset */
    bool is_static, changed; /* statics are solved again after a change */

    bool playing, failed;
    double step_clock; /* when the present step began */
    double limit;      /* s: the longest `advance`; 0: no limit */
    double speed;
    double clock, lag; /* last tick; simulated seconds that are due */
    bool shown;        /* the last frame shows the present state */
    double frame_clock, factor_clock, factor_time, factor;

    int steps_since, newton, linear; /* since the last frame */
    double seconds_since, milliseconds;
    int contacts;
    double last_time; /* of the last frame */

    engine_grab grab[ENGINE_HANDLES];
    engine_colour colour;
    engine_glyph glyph;
    bool wire;

    void *buffer; /* of frames and scenes */
    size_t capacity;
};

extern const sn_listing engine_colours[COLOURS], engine_glyphs[GLYPHS];

/* A message to the engine: the JSON object, and the bytes behind it. Valid during the call. */
typedef struct engine_request {
    json_t *message;
    const void *bytes;
    size_t size;
} engine_request;

/* The function of a message. A failure is sent to the page as an error message. */
typedef sn_status engine_command(engine *e, const engine_request *request, sn_error *error);

/* engine_load.c */
engine_command engine_load, engine_keep_file, engine_load_mesh;
void engine_unload(engine *e);

/* engine_run.c */
engine_command engine_play, engine_speed, engine_advance;
void engine_start_clock(engine *e); /* after loading, restoring and resetting */

/* engine_hold.c */
engine_command engine_grab_point, engine_release, engine_pin, engine_unpin;
void engine_renew_grabs(engine *e); /* before a step: the limit of a pull moves with the body */

/* engine_state.c */
engine_command engine_save, engine_restore, engine_reset, engine_hash;

/* engine_shape.c */
sn_status engine_shapes_create(engine *e, sn_error *error);
void engine_shapes_destroy(engine *e);
/* Sends {"type": "scene"} with the topology of all bodies. */
void engine_send_scene(engine *e);
/* Sends {"type": "wire"} with the edges of the wireframe when adaptive bodies have changed them. */
void engine_send_wire(engine *e);

/* engine_look.c */
engine_command engine_look;
void engine_send_frame(engine *e);

/* engine_set.c */
engine_command engine_set_parameters;
/* Applies the keys of a "set" message to the world. */
sn_status engine_set(engine *e, json_t *message, sn_error *error);
/* The values that the page's sliders show. A new reference. */
json_t *engine_parameters(const engine *e);
double engine_young(const sn_material *material); /* Pa; from either pair of moduli; 1e5 for other constants */

/* engine.c */
double engine_seconds(void);                                              /* of a clock that never goes back */
void engine_say(engine *e, json_t *head, const void *bytes, size_t size); /* takes the reference */
void engine_error(engine *e, sn_status status, const char *text);
void *engine_buffer(engine *e, size_t bytes); /* NULL without memory */
json_t *engine_vector(const double *v, int count);

#endif
