/* Inside of a world: the four kinds of data, each with a header of its own, and the list of interactions.
 *
 *   model       constant: bodies, numbering, rest shape; with its materials compiled into the solid
 *   parameters  editable between steps: gravity, options, materials
 *   state       everything the next step's bits depend on, one block of plain numbers
 *   workspace   rebuildable: solver, scratch */
#ifndef SN_WORLD_WORLD_H
#define SN_WORLD_WORLD_H

#include "interaction.h"
#include "model.h"
#include "parameters.h"
#include "probe.h"
#include "solid.h"
#include "state.h"
#include "workspace.h"

struct sn_world {
    sn_context *context;
    const sn_model *model;
    const sn_solid *solid;
    sn_parameters parameters;
    sn_state state;
    sn_workspace workspace;
    int interaction_count, interaction_capacity;
    sn_interaction **interaction;
    int probe_count;
    sn_probe_target *probe;
    bool (*progress)(void *user, double fraction);
    void *user;
};

/* rigid.c: every piece of every body must have its six rigid motions held. */
sn_status sn_rigid_check(const sn_world *world, sn_error *error);
/* initial.c: positions and velocities at the start. */
sn_status sn_initial_check(const sn_initial *initial, const char *name, sn_error *error);
void sn_initial_apply(sn_world *world, int body, const sn_initial *initial);
/* system.c */
extern const sn_system_table sn_world_table;
extern const sn_linearisation_table sn_world_linearisation_table;
sn_element_view sn_world_view(const sn_world *world, const double *x, const double *v);
/* Forces at the state, into workspace.force. */
sn_status sn_world_forces(sn_world *world, sn_error *error);
/* The reactions R = M (v - v0) / h - f of a step, into workspace.force, and the scale of the forces. */
sn_status sn_world_step_reactions(sn_world *world, const sn_trial *trial, double *scale, sn_error *error);
/* element_fields.c: stress (6), J, energy density (each may be NULL) and volume of one element at the state. */
void sn_element_values(const sn_world *world, int element, double stress[6], double *ratio, double *energy_density, double *volume);

/* An edit between steps has moved something: multi-step methods start anew, and kept matrices no longer serve. */
void sn_world_edited(sn_world *world);
/* Puts "body 'name': part.index: " before a message. */
sn_status sn_prefix(sn_error *error, sn_status status, const char *body, const char *part, int index);

#endif
