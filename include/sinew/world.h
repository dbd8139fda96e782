/* The world: bodies, loads, colliders and probes, stepped through time.
 *
 *     sn_body_options body = sn_body_options_default();
 *     body.mesh = mesh;
 *     sn_world_options options = sn_world_options_default();
 *     options.body = &body;
 *     options.body_count = 1;
 *     sn_world_create(context, &options, &world, &error);
 *     while (sn_world_time(world) < 1) sn_world_step(world, &report, &error);
 *
 * Everything that is handed in is copied and checked at creation; meshes and options may be released afterwards. Inside, a world is four
 * kinds of data: a constant model, parameters that may be edited between steps, a state that is all the next step's bits depend on, and a
 * workspace that can be rebuilt at any time. Node numbers are those of the user's mesh. SI units, y up. */
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include <stdbool.h>

#include "collider.h"
#include "material.h"
#include "mesh.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nodes held, or moved along a prescribed path. */
typedef struct sn_fix {
    uint32_t cookie; /* set by sn_fix_default(); a struct without it is refused */
    sn_selector select;
    bool axis[3];           /* which of x, y, z are held; default all */
    double displacement[3]; /* m, reached by `ramp`; default 0 */
    sn_ramp ramp;
    const double *key; /* key_count x 4: time, x, y, z displacement, linear between; or NULL */
    int key_count;
    bool turning; /* turn the nodes about an axis */
    double turn_point[3], turn_axis[3], turn_degrees;
} sn_fix;

typedef enum sn_load_kind {
    SN_LOAD_TRACTION, /* value: N/m^2 of rest area */
    SN_LOAD_PRESSURE, /* scalar: Pa, positive pushes inwards */
    SN_LOAD_FORCE,    /* value: N in all; spread by area over the selected faces, equally over nodes when no face is selected */
    SN_LOAD_BODY,     /* value: N/m^3 of rest volume, over elements whose nodes are all selected */
    SN_LOAD_SHEAR     /* value: direction times N/m^2; projected into each face */
} sn_load_kind;

typedef struct sn_load {
    uint32_t cookie; /* set by sn_load_default(); a struct without it is refused */
    sn_selector select;
    sn_load_kind kind;
    double value[3];
    double scalar;
    bool follow; /* current normal and area; the traction turns with the face */
    sn_ramp ramp;
} sn_load;

/* A material point of the body tied to a place in space, or to a material point of another body. Methods implicit-euler, bdf2 to bdf6 and
 * those without inertia. */
typedef struct sn_link {
    uint32_t cookie;   /* set by sn_link_default(); a struct without it is refused */
    double point[3];   /* of the rest shape, inside the body */
    char body[64];     /* the other body; "" (default): a place in space */
    double to[3];      /* the place, or the point of the other body's rest shape */
    const double *key; /* key_count x 4: time, x, y, z by which the place moves, linear between; or NULL */
    int key_count;
    char stabilise[32]; /* how an error is corrected: "baumgarte" (default), in the motion; "post", after the step */
    double rate;        /* part of the error that a step corrects, 0 to 1; default 0.2 */
} sn_link;

/* A deformation of the start that leaves the rest shape alone, applied in this order about the body's centre; then velocity and spin. */
typedef struct sn_initial {
    uint32_t cookie;    /* set by sn_initial_default(); a struct without it is refused */
    double velocity[3]; /* m/s */
    double spin[3];     /* rad/s about the centre of mass */
    double scale;       /* default 1 */
    int flatten;        /* 0 none (default), 1 x, 2 y, 3 z: that coordinate becomes the centre's */
    int mirror;         /* as flatten */
    bool collapse;      /* all nodes to the centre */
    bool scrambled;
    uint64_t scramble; /* seed, below 2^63: nodes at random places inside the bounding box */
    double twist;      /* degrees per metre about the body's longest axis */
} sn_initial;

typedef struct sn_body_options {
    uint32_t cookie;  /* set by sn_body_options_default(); a struct without it is refused */
    const char *name; /* default "body" */
    const sn_mesh *mesh;
    const char *element; /* "tet4" (default), "tet10", ... A tet4 mesh becomes tet10 by straight mid-edge nodes. "tri3": plane strain, for
                            a mesh of triangles in a plane z = constant; its nodes are held in z. No tractions: use force and body loads */
    double thickness;    /* m, of plane bodies, above 0; default 1 */
    const char *mass;    /* "lumped" (default), "consistent" */
    const sn_material *material; /* material_count, at least 1 */
    const sn_selector
        *material_select; /* material_count; NULL: one material for all. The last one that holds an element's centroid counts */
    int material_count;
    const sn_fix *fix;
    int fix_count;
    const sn_load *load;
    int load_count;
    const sn_selector
        *rigid; /* rigid_count selections, each of which moves as one rigid body (a bone); they share no node, and none is fixed */
    int rigid_count;
    const sn_link *link;
    int link_count;
    sn_initial initial;
} sn_body_options;

typedef enum sn_quantity {
    SN_QUANTITY_DISPLACEMENT,
    SN_QUANTITY_POSITION,
    SN_QUANTITY_VELOCITY,
    SN_QUANTITY_REACTION, /* force of the support on the body, total over the selection */
    SN_QUANTITY_VOLUME,   /* current volume of the selected elements, total */
    SN_QUANTITY_STRESS    /* Cauchy: xx yy zz xy yz zx, mean over the elements at the node */
} sn_quantity;

typedef struct sn_probe {
    uint32_t cookie; /* set by sn_probe_default(); a struct without it is refused */
    char name[64];
    char body[64]; /* "": the first body */
    sn_quantity quantity;
    enum { SN_PROBE_NEAREST, SN_PROBE_NODE, SN_PROBE_SELECT } at;
    double nearest[3]; /* of the rest shape */
    int64_t node;      /* label */
    sn_selector select;
} sn_probe;

typedef struct sn_world_options {
    uint32_t cookie;   /* set by sn_world_options_default(); a struct without it is refused */
    double gravity[3]; /* default 0, -9.81, 0 */
    sn_time_options time;
    sn_solver_options solver;
    const sn_body_options *body;
    int body_count;
    const sn_collider *collider;
    int collider_count;
    const sn_probe *probe;
    int probe_count;
} sn_world_options;

SN_API sn_fix sn_fix_default(void);
SN_API sn_load sn_load_default(void);
SN_API sn_link sn_link_default(void);
SN_API sn_initial sn_initial_default(void);
SN_API sn_probe sn_probe_default(void);
SN_API sn_body_options sn_body_options_default(void);
SN_API sn_world_options sn_world_options_default(void);
SN_API const sn_listing *sn_element_names(int *count);

typedef struct sn_world sn_world;
SN_API sn_status sn_world_create(sn_context *context, const sn_world_options *options, sn_world **world, sn_error *error);
SN_API void sn_world_destroy(sn_world *world);

/* What a step did. Counts, then times in seconds. */
typedef struct sn_step_report {
    sn_status status;
    double time; /* s, after the step */
    int newton_iterations, linear_iterations, retries;
    int line_searches; /* corrections that the line search found wanting: cut, or borne for a while by its watchdog */
    int loose; /* parts of the step, a sixteenth of it at most, that Newton's method did not converge for: its best iterate was taken */
    double newton_residual, linear_residual;
    double assembly_seconds, solve_seconds, seconds;
    int linear_misses;                   /* linear solves that ended above their tolerance: their best iterate was taken */
    const char *solver, *preconditioner; /* what ran, `auto` resolved; "" when nothing was solved */
    const double *linear_history;        /* relative residuals of the last linear solve: of its start, then one per iteration. Lives until
                                            the world's next step or edit */
    int linear_history_count;            /* at most 4096; then they are the latest */
    int contacts;                        /* nodes in contact */
} sn_step_report;

/* One step of options.time.step (dynamic, quasi-static), or the whole static solution. On failure the state is as before. Static: progress
 * after each load step through the callback of sn_world_watch. `report` may be NULL. */
SN_API sn_status sn_world_step(sn_world *world, sn_step_report *report, sn_error *error);
/* Calls back between load steps and retries; a callback that returns false stops the step with SN_STOPPED. */
SN_API void sn_world_watch(sn_world *world, bool (*progress)(void *user, double fraction), void *user);

/* ---- Looking ---- */
SN_API double sn_world_time(const sn_world *world);
SN_API int64_t sn_world_steps(const sn_world *world);
SN_API int sn_world_node_count(const sn_world *world); /* of all bodies, in order */
SN_API int sn_world_element_count(const sn_world *world);
SN_API int sn_world_body_count(const sn_world *world);
/* A body's mesh as the library uses it: the rest shape, with the mid-edge nodes of tet10. Lives as long as the world. NULL when
 * there is no such body. */
SN_API const sn_mesh *sn_world_body_mesh(const sn_world *world, int body);
SN_API const char *sn_world_body_name(const sn_world *world, int body); /* NULL when there is no such body */
/* The place of a body's node in the vectors that a caller's interaction sees (interaction.h); -1 when there is no such node. */
SN_API int sn_world_node(const sn_world *world, int body, int node);
SN_API int sn_world_find_body(const sn_world *world, const char *name); /* -1 when there is none */
/* Copies node_count(body) x 3 numbers in the user's numbering; either may be NULL. SN_BAD_INPUT when there is no such body. */
SN_API sn_status sn_world_get(const sn_world *world, int body, double *position, double *velocity);
SN_API sn_status sn_world_put(sn_world *world, int body, const double *position, const double *velocity, sn_error *error);

typedef struct sn_energies {
    double kinetic, elastic, gravity, total; /* J; gravity about the origin */
} sn_energies;
SN_API sn_status sn_world_energies(sn_world *world, sn_energies *energies, sn_error *error);
/* Linear and angular momentum about the origin. */
SN_API void sn_world_momentum(const sn_world *world, double linear[3], double angular[3]);
/* 16 hex digits and a zero, over time, positions and velocities in the user's numbering. */
SN_API void sn_world_hash(const sn_world *world, char text[17]);

/* Fields of a body for display and files. Per element: Cauchy stress (6: xx yy zz xy yz zx; mean over the points), von Mises stress, energy
 * density (J/m^3), volume ratio J, element quality now. Each may be NULL. Arrays are element_count(body) long. */
SN_API sn_status sn_world_element_fields(sn_world *world, int body, double *stress, double *von_mises, double *energy_density,
                                         double *volume_ratio, sn_error *error);

/* Forces of the supports on the nodes of a body (N), node_count(body) x 3 in the user's numbering: of fixes and pins in their held
 * directions, and of the colliders that are touched. Zero at free nodes. */
SN_API sn_status sn_world_reactions(sn_world *world, int body, double *force, sn_error *error);

SN_API int sn_world_collider_count(const sn_world *world);
/* A collider where it is now: its parameters moved and turned, without its keys. Its mesh lives as long as the world. */
SN_API sn_collider sn_world_collider(const sn_world *world, int collider);
/* How far it has moved: a point that was at x before anything moved is at A x + b, pose = A row by row with b as fourth column (3 x 4). */
SN_API sn_status sn_world_collider_pose(const sn_world *world, int collider, double pose[12]);
/* Its surface before anything moved. Release with sn_drawing_destroy. */
SN_API sn_status sn_world_collider_drawing(const sn_world *world, int collider, sn_drawing **drawing, sn_error *error);

/* Links of all bodies in order. `error`: how far apart the two points are now (m); `force`: of the link on the body's point (N), in the
 * last step. Either may be NULL. SN_BAD_INPUT when there is no such link. */
SN_API int sn_world_link_count(const sn_world *world);
SN_API sn_status sn_world_link(const sn_world *world, int link, double error[3], double force[3]);

/* The kinds of interactions: everything that acts on the bodies beside their own elements. */
SN_API const sn_listing *sn_interactions(int *count);
/* A line that a viewer draws of an interaction: a grab, a link, a load. */
typedef struct sn_glyph {
    const char *name; /* of the interaction */
    double from[3];   /* m: the point on the body */
    double to[3];     /* m: its target; the point itself when there is none */
    double force[3];  /* N, on the body */
} sn_glyph;
/* Writes at most `room` glyphs of the present state; returns how many there are. */
SN_API int sn_world_glyphs(const sn_world *world, sn_glyph *glyph, int room);

SN_API int sn_world_probe_count(const sn_world *world);
SN_API const char *sn_world_probe_name(const sn_world *world, int probe);
/* Returns how many numbers it wrote to value (room for 6). */
SN_API sn_status sn_world_probe(sn_world *world, int probe, double value[6], int *count, sn_error *error);

/* ---- Editing between steps ---- */
SN_API sn_status sn_world_set_gravity(sn_world *world, const double gravity[3], sn_error *error); /* m/s^2, finite */
SN_API sn_status sn_world_set_time(sn_world *world, const sn_time_options *options, sn_error *error);
SN_API sn_status sn_world_set_solver(sn_world *world, const sn_solver_options *options, sn_error *error);
/* Replaces material `index` of a body: same law, rotation and differential are cheap; others recompile the model and keep the state. */
SN_API sn_status sn_world_set_material(sn_world *world, int body, int index, const sn_material *material, sn_error *error);
SN_API const sn_material *sn_world_material(const sn_world *world, int body, int index);
SN_API sn_time_options sn_world_time_options(const sn_world *world);
SN_API sn_solver_options sn_world_solver_options(const sn_world *world);
/* Pins a node where it is, or lets it go. Nodes held by a `fix` stay held. */
SN_API sn_status sn_world_pin(sn_world *world, int body, int32_t node, bool pinned, sn_error *error);
SN_API bool sn_world_pinned(const sn_world *world, int body, int32_t node); /* by sn_world_pin, or in a state that was restored */
/* Pulls a point of a body towards `target` with a spring (stiffness N/m, damping N s/m). The point is the sum of up to four nodes times
 * their weights. `handle` is any number that the caller chooses; the same handle again moves the grab; a stiffness of 0 lets go. */
SN_API sn_status sn_world_grab(sn_world *world, int handle, int body, const int32_t node[4], const double weight[4], const double target[3],
                               double stiffness, double damping, sn_error *error);
/* Forces on the nodes of a body (N), node_count(body) x 3 in the user's numbering. They act in every step until they are set again; NULL:
 * none. */
SN_API sn_status sn_world_set_forces(sn_world *world, int body, const double *force, sn_error *error);

/* Fixes, loads, links and colliders may be added, changed and removed between steps. An `id` names one of them; `add` writes it to *id
 * (may be NULL). Those of the world's options have the ids 0, 1, 2, ... in the order of the bodies. On failure nothing has changed. */
SN_API sn_status sn_world_add_fix(sn_world *world, int body, const sn_fix *fix, int *id, sn_error *error);
SN_API sn_status sn_world_change_fix(sn_world *world, int id, int body, const sn_fix *fix, sn_error *error);
SN_API sn_status sn_world_remove_fix(sn_world *world, int id, sn_error *error);
SN_API sn_status sn_world_add_load(sn_world *world, int body, const sn_load *load, int *id, sn_error *error);
SN_API sn_status sn_world_change_load(sn_world *world, int id, int body, const sn_load *load, sn_error *error);
SN_API sn_status sn_world_remove_load(sn_world *world, int id, sn_error *error);
SN_API sn_status sn_world_add_link(sn_world *world, int body, const sn_link *link, int *id, sn_error *error);
SN_API sn_status sn_world_change_link(sn_world *world, int id, int body, const sn_link *link, sn_error *error);
SN_API sn_status sn_world_remove_link(sn_world *world, int id, sn_error *error);
SN_API sn_status sn_world_add_collider(sn_world *world, const sn_collider *collider, int *id, sn_error *error);
SN_API sn_status sn_world_change_collider(sn_world *world, int id, const sn_collider *collider, sn_error *error);
SN_API sn_status sn_world_remove_collider(sn_world *world, int id, sn_error *error);

/* ---- Saving ---- */
/* A state as bytes: sn_world_state_size of them. Saving refreshes the workspace, so that the run that was saved and one that restores go on
 * with the same bits. Restoring into a world of another model is an error. */
SN_API size_t sn_world_state_size(const sn_world *world);
SN_API sn_status sn_world_save_state(sn_world *world, void *bytes, size_t size, sn_error *error);
SN_API sn_status sn_world_restore_state(sn_world *world, const void *bytes, size_t size, sn_error *error);
SN_API sn_status sn_world_save(sn_world *world, const char *path, sn_error *error);
SN_API sn_status sn_world_restore(sn_world *world, const char *path, sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
