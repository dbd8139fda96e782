/* The Runge-Kutta method (Kutta 1901): four stages, order 4. */
#include "explicit.h"
#include "methods.h"

const sn_tableau sn_tableau_rk4 = {.name = "rk4",
                                   .stages = 4,
                                   .all = 4,
                                   .order = 4,
                                   .a = (const double[]){0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0},
                                   .b = (const double[]){1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                                   .c = (const double[]){0, 0.5, 0.5, 1}};

int sn_rk4_history(int count) {
    (void)count;
    return 0;
}

int sn_rk4_scratch(int count) { return sn_tableau_scratch(&sn_tableau_rk4, count); }

sn_status sn_rk4_step(sn_step *step) { return sn_tableau_step(step, &sn_tableau_rk4); }
