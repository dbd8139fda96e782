/* The list of experiments. */
#include "experiment.h"

extern const experiment experiment_muller_bars, experiment_muller_tube, experiment_muller_bone, experiment_nesme_torque,
    experiment_nesme_recover, experiment_hauth_springs;
extern const experiment experiment_civit_persistent, experiment_civit_recover;
extern const experiment hauth_bar, hauth_cantilever, hauth_cube, hauth_shear, hauth_toy;

const experiment *const experiments[] = {
    &experiment_muller_bars,
    &experiment_muller_tube,
    &experiment_muller_bone,
    &experiment_nesme_torque,
    &experiment_nesme_recover,
    &experiment_hauth_springs,
    &experiment_civit_persistent,
    &experiment_civit_recover,
    &hauth_bar,
    &hauth_cantilever,
    &hauth_cube,
    &hauth_shear,
    &hauth_toy,
    NULL, /* the end */
};
const int experiment_count = sizeof experiments / sizeof *experiments - 1;
