/* The inside of a world: four kinds of data, each with its header, and the list of interactions.
 *
 *   model       constant: bodies, numbering, rest shape. Model and materials together are compiled into the solid
 *   parameters  editable between steps: gravity, options, materials
 *   state       one block of plain numbers: positions, velocities and everything else that the next step depends on
 *   workspace   linear solver and scratch; can be rebuilt at any time */
#ifndef SN_WORLD_WORLD_H
#define SN_WORLD_WORLD_H

#include "adaptive.h"
#include "interaction_kind.h"
#include "model.h"
#include "parameters.h"
#include "probe.h"
#include "solid.h"
#include "state.h"
#include "workspace.h"
#include "world_options.h"

struct sn_world {
    sn_context *context;
    const sn_model *model;
    const sn_solid *solid;
    sn_adaptive *adaptive; /* NULL: no body is adaptive */
    sn_parameters parameters;
    sn_state state;
    sn_workspace workspace;
    int interaction_count, interaction_capacity;
    sn_interaction **interaction;
    /* The interactions whose kind has a function, in the order of the list, for each function. */
    sn_interaction_list having[SN_INTERACTION_FUNCTION_COUNT];
    int having_capacity;
    sn_interaction **having_room; /* for the items of `having` */
    int probe_count;
    sn_probe_target *probe;
    bool (*progress)(void *user, double fraction);
    void *user;
};

/* rigid.c: SN_BAD_INPUT when a connected piece of a body can still move as a rigid body. */
sn_status sn_rigid_check(const sn_world *world, sn_error *error);
/* initial.c: positions and velocities at the start. */
void sn_initial_apply(sn_world *world, int body, const sn_initial *initial);
/* system.c */
extern const sn_system_table sn_world_table;
extern const sn_linearisation_table sn_world_linearisation_table;
/* The view of the elements at (x, v). With adaptive bodies its vectors are copies in compact numbers, which stay until
 * the next view. */
sn_element_view sn_world_view(const sn_world *world, const double *x, const double *v);
/* The view at the place of the last one, at rest. */
sn_element_view sn_world_same_view(const sn_world *world, const double *x);
/* Computes the forces of the elements at (x, v) into workspace.inside. `remember` (may be NULL): the memory that is
 * updated first, because a step to this place was accepted. */
sn_status sn_world_force_inside(sn_world *world, const double *x, const double *v, const sn_memory_arrays *remember,
                                sn_error *error);
/* Whether workspace.inside has the forces at (x, v). */
bool sn_world_inside_at(const sn_world *world, const double *x, const double *v);
/* Computes the forces at the present state, into workspace.force. */
sn_status sn_world_forces(sn_world *world, sn_error *error);
/* Computes the reactions R = M (v - v0) / h - f of a step, into workspace.force, and *scale (may be NULL), the size of
 * the forces. */
sn_status sn_world_step_reactions(sn_world *world, const sn_trial *trial, double *scale, sn_error *error);
/* element_fields.c: values of one element at the present state, means over its points. */
typedef struct sn_element_sample {
    double stress[6]; /* Cauchy, xx yy zz xy yz zx; with SN_SAMPLE_STRESS */
    double strain[6]; /* Green's, in the same order */
    double gradient[9];
    double ratio;          /* J */
    double energy_density; /* with SN_SAMPLE_ENERGY; not finite when a law with ln J meets J <= 0 */
    double volume, rest_volume;
} sn_element_sample;
enum { SN_SAMPLE_STRESS = 1, SN_SAMPLE_ENERGY = 2 };
/* Before the values of elements at a state. */
void sn_element_values_begin(sn_world *world, unsigned parts);
void sn_element_values(const sn_world *world, int element, unsigned parts, sn_element_sample *out);

/* Call this after an edit that changes the motion: multi-step methods start anew, and kept matrices are dropped. */
void sn_world_edited(sn_world *world);

#endif
