/* Rosenbrock method of order 4 with four stages and three force evaluations: GRK4A of Kaps and Rentrop (Numer. Math.
 * 33, 1979, 55-68), A-stable. The coefficients are those of GRK4A in Hairer and Wanner II, IV.7; the equations are in
 * implicit.h. A test checks the order conditions. */
#include "implicit.h"
#include "methods.h"

const sn_rosenbrock sn_table_rosenbrock4_grk4a = {
    .name = "rosenbrock4-grk4a",
    .stages = 4,
    .order = 4,
    .gamma = 0.395,
    .a = {{0}, {1.108860759493671}, {2.377085261983360, 0.1850114988899692}, {2.377085261983360, 0.1850114988899692}},
    .c = {{0},
          {-4.920188402397641},
          {1.055588686048583, 3.351817267668938},
          {3.846869007049313, 3.427109241268180, -2.162408848753263}},
    .b = {1.845683240405840, 0.1369796894360503, 0.7129097783291559, 0.6329113924050632},
    .alpha = {0, 0.438, 0.87, 0.87},
    .d = {0.395, -0.3726723954840920, 0.06629196544571492, 0.4340946962568634},
    .reuse_last = true,
    .w_method = false};

int sn_rosenbrock4_grk4a_history(int count) {
    (void)count;
    return 0;
}

int sn_rosenbrock4_grk4a_scratch(int count) { return sn_rosenbrock_scratch(&sn_table_rosenbrock4_grk4a, count); }

sn_status sn_rosenbrock4_grk4a_step(sn_step *step) { return sn_rosenbrock_step(step, &sn_table_rosenbrock4_grk4a); }
