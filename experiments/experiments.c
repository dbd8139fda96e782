/* The list of experiments. */
#include "experiment.h"

extern const experiment experiment_civit_persistent, experiment_civit_recover;
extern const experiment hauth_bar, hauth_cantilever, hauth_cube, hauth_shear, hauth_toy;

const experiment *const experiments[] = {
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
