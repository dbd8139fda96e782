/* Parameters: everything about the bodies and the method that may be edited between steps. Interactions hold their own items. */
#ifndef SN_WORLD_PARAMETERS_H
#define SN_WORLD_PARAMETERS_H

#include "fem/batch.h"
#include "sinew/world.h"
#include "time/system.h"

typedef struct sn_parameters {
    double gravity[3];
    sn_time_options time;
    sn_solver_options solver;
    bool is_static, no_inertia; /* mode "static"; "static" or "quasi-static" */
    const sn_method *method;
    int material_count;
    sn_material *material;        /* keys owned */
    sn_element_settings elements; /* the materials as the element kernels read them, at the time of the last filling */
} sn_parameters;

sn_status sn_parameters_create(sn_context *context, const sn_world_options *options, sn_parameters *parameters, sn_error *error);
void sn_parameters_destroy(sn_context *context, sn_parameters *parameters);
/* Statics needs a shear modulus above 0 everywhere. */
sn_status sn_parameters_stiff(const sn_world *world, sn_error *error);
/* Whether some modulus has keys. */
bool sn_parameters_keyed(const sn_parameters *parameters);
/* Whether the bodies are compiled with the exact differentials of their laws: statics, and methods that need them. */
bool sn_parameters_exact(const sn_parameters *parameters);
/* lambda + 2 mu at rest, in the stiffest direction (Pa). */
double sn_parameters_modulus(sn_context *context, const sn_material *material);

#endif
