/* Parameters: gravity, options and materials. The caller may edit them between steps. (Loads, fixes and so on are items
 * of interactions.) */
#ifndef SN_WORLD_PARAMETERS_H
#define SN_WORLD_PARAMETERS_H

#include "fem/batch.h"
#include "sinew/world.h"
#include "time/system.h"

typedef struct sn_parameters {
    double gravity[3];
    sn_time_options time;
    sn_solver_options solver;
    bool is_static, no_inertia; /* the mode is "static"; the mode is "static" or "quasi-static" */
    const sn_method *method;
    int material_count;
    sn_material *material;        /* material_count; the parameters own the keys */
    sn_element_settings elements; /* the materials in the form that the element kernels read, at the time of the last
                                     sn_solid_settings */
} sn_parameters;

sn_status sn_parameters_create(sn_context *context, const sn_world_options *options, sn_parameters *parameters,
                               sn_error *error);
void sn_parameters_destroy(sn_context *context, sn_parameters *parameters);
/* SN_BAD_INPUT when a material has no stiffness in shear: statics needs one everywhere. */
sn_status sn_parameters_stiff(const sn_world *world, sn_error *error);
/* Whether a constant of a material changes over time. */
bool sn_parameters_keyed(const sn_parameters *parameters);
/* Whether an activation of a muscle changes over time. */
bool sn_parameters_activated(const sn_parameters *parameters);
/* Whether the elements use the exact differentials of their laws: in modes without inertia, with methods that need
 * them, and when Newton's method iterates until it converges. */
bool sn_parameters_exact(const sn_parameters *parameters);
/* The modulus lambda + 2 mu at rest, in the stiffest direction (Pa). */
double sn_parameters_modulus(sn_context *context, const sn_material *material);

#endif
