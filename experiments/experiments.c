/* The list of experiments. */
#include "experiment.h"

extern const experiment hauth_contact, hauth_solvers, nesme_assembly, nesme_scaling;

const experiment *const experiments[] = {
    &hauth_contact, &hauth_solvers, &nesme_assembly, &nesme_scaling, NULL, /* the end */
};
const int experiment_count = sizeof experiments / sizeof *experiments - 1;
