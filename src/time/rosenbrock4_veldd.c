/* Rosenbrock method of order 4 with four stages and three force evaluations: the D-stable method of van Veldhuizen
 * (Computing 33, 1984, 229-237), A(89.5 degrees)-stable. The coefficients are those of VELDD in Hairer and Wanner II,
 * IV.7; the equations are in implicit.h. A test checks the order conditions. */
#include "implicit.h"
#include "methods.h"

const sn_rosenbrock sn_table_rosenbrock4_veldd = {
    .name = "rosenbrock4-veldd",
    .stages = 4,
    .order = 4,
    .gamma = 0.2257081148225682,
    .a = {{0}, {2}, {4.812234362695436, 4.578146956747842}, {4.812234362695436, 4.578146956747842}},
    .c = {{0},
          {-5.333333333333331},
          {6.100529678848254, 1.804736797378427},
          {-2.540515456634749, -9.443746328915205, -1.988471753215993}},
    .b = {4.289339254654537, 5.036098482851414, 0.6085736420673917, 1.355958941201148},
    .alpha = {0, 0.4514162296451364, 0.8755928946018455, 0.8755928946018455},
    .d = {0.2257081148225682, -0.04599403502680582, 0.5177590504944076, -0.03805623938054428},
    .reuse_last = true,
    .w_method = false};

int sn_rosenbrock4_veldd_history(int count) {
    (void)count;
    return 0;
}

int sn_rosenbrock4_veldd_scratch(int count) { return sn_rosenbrock_scratch(&sn_table_rosenbrock4_veldd, count); }

sn_status sn_rosenbrock4_veldd_step(sn_step *step) { return sn_rosenbrock_step(step, &sn_table_rosenbrock4_veldd); }
