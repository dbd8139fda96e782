/* Explicit midpoint (Runge 1895): an Euler step to the middle; the slope there is used for the whole step. Order 2. */
#include "explicit.h"
#include "methods.h"

const sn_tableau sn_tableau_explicit_midpoint = {.name = "explicit-midpoint",
                                                 .stages = 2,
                                                 .all = 2,
                                                 .order = 2,
                                                 .a = (const double[]){0, 0, 0.5, 0},
                                                 .b = (const double[]){0, 1},
                                                 .c = (const double[]){0, 0.5}};

int sn_explicit_midpoint_history(int count) {
    (void)count;
    return 0;
}

int sn_explicit_midpoint_scratch(int count) { return sn_tableau_scratch(&sn_tableau_explicit_midpoint, count); }

sn_status sn_explicit_midpoint_step(sn_step *step) { return sn_tableau_step(step, &sn_tableau_explicit_midpoint); }
