/* The list of experiments. */
#include "experiment.h"

extern const experiment experiment_civit_differentials, experiment_civit_force_fields, experiment_civit_persistent, experiment_civit_recover;
extern const experiment experiment_civit_stiffness, experiment_hauth_corotated;
extern const experiment hauth_bar, hauth_cantilever, hauth_cube, hauth_shear, hauth_toy;
extern const experiment experiment_hauth_springs, experiment_muller_bars, experiment_muller_bone, experiment_muller_tube;
extern const experiment experiment_nesme_recover, experiment_nesme_torque;
extern const experiment hauth_contact, hauth_solvers, nesme_assembly, nesme_scaling;

const experiment *const experiments[] = {
    &experiment_civit_differentials,
    &experiment_civit_force_fields,
    &experiment_civit_persistent,
    &experiment_civit_recover,
    &experiment_civit_stiffness,
    &hauth_bar,
    &hauth_cantilever,
    &hauth_contact,
    &experiment_hauth_corotated,
    &hauth_cube,
    &hauth_shear,
    &hauth_solvers,
    &experiment_hauth_springs,
    &hauth_toy,
    &experiment_muller_bars,
    &experiment_muller_bone,
    &experiment_muller_tube,
    &nesme_assembly,
    &experiment_nesme_recover,
    &nesme_scaling,
    &experiment_nesme_torque,
    NULL, /* the end */
};
const int experiment_count = sizeof experiments / sizeof *experiments - 1;
