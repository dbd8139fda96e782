/* Rosenbrock method of order 4 with four stages and three force evaluations: the modification of the Kaps-Rentrop
 * methods by Shampine (ACM TOMS 8, 1982, 93-113), gamma = 1/2, A-stable. The coefficients are those of SHAMP in Hairer
 * and Wanner II, IV.7; the equations are in implicit.h. A test checks the order conditions. */
#include "implicit.h"
#include "methods.h"

const sn_rosenbrock sn_table_rosenbrock4_shampine = {
    .name = "rosenbrock4-shampine",
    .stages = 4,
    .order = 4,
    .gamma = 0.5,
    .a = {{0}, {2}, {48.0 / 25, 6.0 / 25}, {48.0 / 25, 6.0 / 25}},
    .c = {{0}, {-8}, {372.0 / 25, 12.0 / 5}, {-112.0 / 125, -54.0 / 125, -2.0 / 5}},
    .b = {19.0 / 9, 0.5, 25.0 / 108, 125.0 / 108},
    .alpha = {0, 1, 0.6, 0.6},
    .d = {0.5, -1.5, 2.42, 0.116},
    .reuse_last = true,
    .w_method = false};

int sn_rosenbrock4_shampine_history(int count) {
    (void)count;
    return 0;
}

int sn_rosenbrock4_shampine_scratch(int count) { return sn_rosenbrock_scratch(&sn_table_rosenbrock4_shampine, count); }

sn_status sn_rosenbrock4_shampine_step(sn_step *step) {
    return sn_rosenbrock_step(step, &sn_table_rosenbrock4_shampine);
}
