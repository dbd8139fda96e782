/* Kutta's 3/8 rule (1901): four stages, order 4, with a smaller error than the classical method. */
#include "explicit.h"
#include "methods.h"

const sn_tableau sn_tableau_rk38 = {.name = "rk38",
                                    .stages = 4,
                                    .all = 4,
                                    .order = 4,
                                    .a = (const double[]){0, 0, 0, 0, 1.0 / 3, 0, 0, 0, -1.0 / 3, 1, 0, 0, 1, -1, 1, 0},
                                    .b = (const double[]){0.125, 0.375, 0.375, 0.125},
                                    .c = (const double[]){0, 1.0 / 3, 2.0 / 3, 1}};

int sn_rk38_history(int count) {
    (void)count;
    return 0;
}

int sn_rk38_scratch(int count) { return sn_tableau_scratch(&sn_tableau_rk38, count); }

sn_status sn_rk38_step(sn_step *step) { return sn_tableau_step(step, &sn_tableau_rk38); }
