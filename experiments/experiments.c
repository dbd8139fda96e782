/* The list of experiments. */
#include "experiment.h"

extern const experiment experiment_muller_bars, experiment_muller_tube, experiment_muller_bone, experiment_nesme_torque,
    experiment_nesme_recover, experiment_hauth_springs;

const experiment *const experiments[] = {
    &experiment_muller_bars,
    &experiment_muller_tube,
    &experiment_muller_bone,
    &experiment_nesme_torque,
    &experiment_nesme_recover,
    &experiment_hauth_springs,
    NULL, /* the end */
};
const int experiment_count = sizeof experiments / sizeof *experiments - 1;
