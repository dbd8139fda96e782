/* The list of experiments. */
#include "experiment.h"

extern const experiment experiment_civit_differentials, experiment_civit_embed, experiment_civit_force_fields,
    experiment_civit_persistent, experiment_civit_ramp, experiment_civit_recover;
extern const experiment experiment_civit_stiffness, experiment_hauth_corotated;
extern const experiment experiment_hauth_bar, experiment_hauth_cantilever, experiment_hauth_cube,
    experiment_hauth_shear, experiment_hauth_toy;
extern const experiment experiment_hauth_springs, experiment_muller_bars, experiment_muller_bone,
    experiment_muller_tube;
extern const experiment experiment_locking;
extern const experiment experiment_kikuuwe_crush, experiment_kikuuwe_lift, experiment_kikuuwe_v;
extern const experiment experiment_nesme_recover, experiment_nesme_torque;
extern const experiment experiment_hauth_contact, experiment_hauth_solvers, experiment_nesme_assembly,
    experiment_nesme_scaling;

extern const experiment experiment_hauth_constant_q, experiment_hauth_liver, experiment_hauth_spheres;

const experiment *const experiments[] = {
    &experiment_civit_differentials, &experiment_civit_embed,
    &experiment_civit_force_fields,  &experiment_civit_persistent,
    &experiment_civit_ramp,
    &experiment_civit_recover,       &experiment_civit_stiffness,
    &experiment_hauth_bar,           &experiment_hauth_cantilever,
    &experiment_hauth_constant_q,    &experiment_hauth_contact,
    &experiment_hauth_corotated,     &experiment_hauth_cube,
    &experiment_hauth_liver,         &experiment_hauth_shear,
    &experiment_hauth_solvers,       &experiment_hauth_spheres,
    &experiment_hauth_springs,       &experiment_hauth_toy,
    &experiment_kikuuwe_crush,       &experiment_kikuuwe_lift,
    &experiment_kikuuwe_v,           &experiment_locking,
    &experiment_muller_bars,         &experiment_muller_bone,
    &experiment_muller_tube,         &experiment_nesme_assembly,
    &experiment_nesme_recover,       &experiment_nesme_scaling,
    &experiment_nesme_torque,        NULL, /* the end */
};
const int experiment_count = sizeof experiments / sizeof *experiments - 1;
