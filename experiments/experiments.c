/* The list of experiments. */
#include "experiment.h"

const experiment *const experiments[] = {
    NULL, /* the end */
};
const int experiment_count = sizeof experiments / sizeof *experiments - 1;
