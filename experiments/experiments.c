/* The list of experiments. */
#include "experiment.h"

extern const experiment experiment_civit_recover, experiment_civit_persistent;

const experiment *const experiments[] = {
    &experiment_civit_recover,
    &experiment_civit_persistent,
    NULL, /* the end */
};
const int experiment_count = sizeof experiments / sizeof *experiments - 1;
