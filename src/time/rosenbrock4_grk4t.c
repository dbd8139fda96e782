/* Rosenbrock method of order 4 with four stages and three force evaluations: GRK4T of Kaps and Rentrop (Numer. Math.
 * 33, 1979, 55-68), A(89.3 degrees)-stable, with a smaller truncation error than GRK4A. The coefficients are those of
 * GRK4T in Hairer and Wanner II, IV.7; the equations are in implicit.h. A test checks the order conditions. */
#include "implicit.h"
#include "methods.h"

const sn_rosenbrock sn_table_rosenbrock4_grk4t = {
    .name = "rosenbrock4-grk4t",
    .stages = 4,
    .order = 4,
    .gamma = 0.231,
    .a = {{0}, {2}, {4.524708207373116, 4.163528788597648}, {4.524708207373116, 4.163528788597648}},
    .c = {{0},
          {-5.071675338776316},
          {6.020152728650786, 0.1597506846727117},
          {-1.856343618686113, -8.505380858179826, -2.084075136023187}},
    .b = {3.957503746640777, 4.624892388363313, 0.6174772638750108, 1.282612945269037},
    .alpha = {0, 0.462, 0.8802083333333334, 0.8802083333333334},
    .d = {0.231, -0.03962966775244303, 0.5507789395789127, -0.05535098457052764},
    .reuse_last = true,
    .w_method = false};

int sn_rosenbrock4_grk4t_history(int count) {
    (void)count;
    return 0;
}

int sn_rosenbrock4_grk4t_scratch(int count) { return sn_rosenbrock_scratch(&sn_table_rosenbrock4_grk4t, count); }

sn_status sn_rosenbrock4_grk4t_step(sn_step *step) { return sn_rosenbrock_step(step, &sn_table_rosenbrock4_grk4t); }
