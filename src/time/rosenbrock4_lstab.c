/* Rosenbrock method of order 4 with four stages and three force evaluations: the L-stable method of Hairer and Wanner
 * II, IV.7, with gamma = 0.57282. The coefficients are those of LSTAB there; the equations are in implicit.h. A test
 * checks the order conditions. */
#include "implicit.h"
#include "methods.h"

const sn_rosenbrock sn_table_rosenbrock4_lstab = {
    .name = "rosenbrock4-lstab",
    .stages = 4,
    .order = 4,
    .gamma = 0.57282,
    .a = {{0}, {2}, {1.867943637803922, 0.2344449711399156}, {1.867943637803922, 0.2344449711399156}},
    .c = {{0},
          {-7.137615036412310},
          {2.580708087951457, 0.6515950076447975},
          {-2.137148994382534, -0.3214669691237626, -0.6949742501781779}},
    .b = {2.255570073418735, 0.2870493262186792, 0.4353179431840180, 1.093502252409163},
    .alpha = {0, 1.14564, 0.65521686381559, 0.65521686381559},
    .d = {0.57282, -1.769193891319233, 0.7592633437920482, -0.1049021087100450},
    .reuse_last = true,
    .w_method = false};

int sn_rosenbrock4_lstab_history(int count) {
    (void)count;
    return 0;
}

int sn_rosenbrock4_lstab_scratch(int count) { return sn_rosenbrock_scratch(&sn_table_rosenbrock4_lstab, count); }

sn_status sn_rosenbrock4_lstab_step(sn_step *step) { return sn_rosenbrock_step(step, &sn_table_rosenbrock4_lstab); }
