/* A stage: a few bodies that touch each other. The trials of contact (contact_trials.h) and the tests of contact build
 * their worlds with it.
 *
 * The first failure stays in `status` and `error`. All functions do nothing after it, so that a caller asks once, at
 * the end. Functions that return numbers return NAN then. */
#ifndef SINEW_EXPERIMENTS_CONTACT_STAGE_H
#define SINEW_EXPERIMENTS_CONTACT_STAGE_H

#include "sinew/sinew.h"

enum { STAGE_BODIES = 24 };

typedef struct contact_stage {
    sn_context *context;                                 /* of the caller */
    sn_mesh *mesh[STAGE_BODIES], *surface[STAGE_BODIES]; /* surface: NULL for most bodies */
    sn_material material[STAGE_BODIES];                  /* may be edited until stage_create */
    sn_fix fix[STAGE_BODIES];
    sn_load load[STAGE_BODIES];
    sn_body_options body[STAGE_BODIES];
    sn_world_options options;
    sn_world *world;
    sn_status status;
    sn_error error;
} contact_stage;

/* An empty stage. All bodies touch each other; Young's modulus is 1e5 Pa, the step 0.01 s. */
void stage_start(contact_stage *s, sn_context *context, const char *response);
void stage_create(contact_stage *s);
/* Releases world and meshes. Returns the first failure; `error` (may be NULL) gets its message. */
sn_status stage_end(contact_stage *s, sn_error *error);

/* Sets a constant of the material of all bodies: before any body is added. */
void stage_constant(contact_stage *s, const char *name, double value);
/* Adds a body; the stage owns the mesh. NULL counts as a failure. Returns its options. */
sn_body_options *stage_add(contact_stage *s, sn_mesh *mesh);
/* Adds a box with its lowest corner at `low`. */
sn_body_options *stage_box(contact_stage *s, const double low[3], const double size[3], const int cells[3]);
/* Adds a cube of so many cells along each edge, its lowest corner at x, y, z. */
sn_body_options *stage_cube(contact_stage *s, double x, double y, double z, double size, int cells);
/* A mesh of a generator, moved; NULL after a failure. */
sn_mesh *stage_generate(contact_stage *s, const char *kind, const sn_generator_value *value, int count,
                        const double move[3]);
/* Adds a body of about so many tets around a surface; the stage owns the surface. */
sn_body_options *stage_embed(contact_stage *s, sn_mesh *surface, int elements);
/* Holds the selected nodes of the last body. */
void stage_hold(contact_stage *s, sn_selector select);
sn_selector stage_all(void);
sn_selector stage_within(double x0, double y0, double z0, double x1, double y1, double z1);

void stage_step(contact_stage *s, int steps);
/* Positions of a body, node_count x 3; release with free(). NULL after a failure. */
double *stage_places(contact_stage *s, int body);
/* The mean place of the nodes of a body, the whole contact force on it; the whole and the kinetic energy of all bodies,
 * J. */
void stage_middle(contact_stage *s, int body, double out[3]);
void stage_force(contact_stage *s, int body, double out[3]);
double stage_energy(contact_stage *s);
double stage_kinetic(contact_stage *s);
/* Puts a body to its rest shape, moved, with a velocity and a spin about z. */
void stage_throw(contact_stage *s, int body, const double move[3], const double velocity[3], double spin);

#endif
