/* Rosenbrock method of order 4 with four stages and three force evaluations: the method of van Veldhuizen (Computing
 * 33, 1984, 229-237) with gamma = 1/2, A-stable. The coefficients are those of VELDS in Hairer and Wanner II, IV.7; the
 * equations are in implicit.h. A test checks the order conditions. */
#include "implicit.h"
#include "methods.h"

const sn_rosenbrock sn_table_rosenbrock4_velds = {.name = "rosenbrock4-velds",
                                                  .stages = 4,
                                                  .order = 4,
                                                  .gamma = 0.5,
                                                  .a = {{0}, {2}, {1.75, 0.25}, {1.75, 0.25}},
                                                  .c = {{0}, {-8}, {-8, -1}, {0.5, -0.5, 2}},
                                                  .b = {4.0 / 3, 2.0 / 3, -4.0 / 3, 4.0 / 3},
                                                  .alpha = {0, 1, 0.5, 0.5},
                                                  .d = {0.5, -1.5, -0.75, 0.25},
                                                  .reuse_last = true,
                                                  .w_method = false};

int sn_rosenbrock4_velds_history(int count) {
    (void)count;
    return 0;
}

int sn_rosenbrock4_velds_scratch(int count) { return sn_rosenbrock_scratch(&sn_table_rosenbrock4_velds, count); }

sn_status sn_rosenbrock4_velds_step(sn_step *step) { return sn_rosenbrock_step(step, &sn_table_rosenbrock4_velds); }
