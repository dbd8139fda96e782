/* The list of experiments. */
#include "experiment.h"

extern const experiment experiment_hauth_corotated, experiment_civit_force_fields, experiment_civit_differentials,
    experiment_civit_stiffness, experiment_civit_recover, experiment_civit_persistent;

const experiment *const experiments[] = {
    &experiment_civit_differentials,
    &experiment_civit_force_fields,
    &experiment_civit_stiffness,
    &experiment_civit_recover,
    &experiment_civit_persistent,
    &experiment_hauth_corotated,
    NULL, /* the end */
};
const int experiment_count = sizeof experiments / sizeof *experiments - 1;
