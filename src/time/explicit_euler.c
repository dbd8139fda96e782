/* Explicit Euler: x1 = x + h v, v1 = v + h M^-1 f(t, x, v). Order 1; stable only with damping, and then for small steps
 * (Hauth 3.2.1). */
#include "explicit.h"
#include "methods.h"

const sn_tableau sn_tableau_explicit_euler = {.name = "explicit-euler",
                                              .stages = 1,
                                              .all = 1,
                                              .order = 1,
                                              .a = (const double[]){0},
                                              .b = (const double[]){1},
                                              .c = (const double[]){0}};

int sn_explicit_euler_history(int count) {
    (void)count;
    return 0;
}

int sn_explicit_euler_scratch(int count) { return sn_tableau_scratch(&sn_tableau_explicit_euler, count); }

sn_status sn_explicit_euler_step(sn_step *step) { return sn_tableau_step(step, &sn_tableau_explicit_euler); }
