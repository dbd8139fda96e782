/* Rosenbrock W-method of order 2 with two stages (Verwer, Spee, Blom, Hundsdorfer, SIAM J. Sci. Comput. 20, 1999,
 * 1456-1480):
 *   y1 = y + 3/2 h k1 + 1/2 h k2,  (1 - gamma h J) k1 = F(y),  (1 - gamma h J) k2 = F(y + h k1) - 2 k1
 *
 * It has order 2 with any J. With the exact J it is L-stable for gamma = 1 -+ 1/sqrt 2; the smaller root has the
 * smaller error. The equations are in implicit.h. A test checks the order conditions. */
#include <math.h>

#include "implicit.h"
#include "methods.h"

#define GAMMA 0.29289321881345247560

const sn_rosenbrock sn_table_rosenbrock2_w = {.name = "rosenbrock2-w",
                                              .stages = 2,
                                              .order = 2,
                                              .gamma = GAMMA,
                                              .a = {{0}, {1 / GAMMA}},
                                              .c = {{0}, {-2 / GAMMA}},
                                              .b = {1.5 / GAMMA, 0.5 / GAMMA},
                                              .alpha = {0, 1},
                                              .d = {GAMMA, -GAMMA},
                                              .reuse_last = false,
                                              .w_method = true};

int sn_rosenbrock2_w_history(int count) {
    (void)count;
    return 0;
}

int sn_rosenbrock2_w_scratch(int count) { return sn_rosenbrock_scratch(&sn_table_rosenbrock2_w, count); }

sn_status sn_rosenbrock2_w_step(sn_step *step) { return sn_rosenbrock_step(step, &sn_table_rosenbrock2_w); }
