/* ROS34PW2 (Rang and Angermann, BIT 45, 2005, 761-787): a W-method of order 3 with four stages. It is stiffly accurate,
 * and L-stable with the exact J. The paper gives alpha, Gamma and b; in the variables of implicit.h these are a = alpha
 * Gamma^-1, c = 1/gamma - Gamma^-1 and b Gamma^-1.
 *
 * The method takes the place of the third-order W-method of Hauth's table 5.1 (AMF-RK32, Gerisch and Verwer 2002). A
 * test checks the order conditions. */
#include "implicit.h"
#include "methods.h"

const sn_rosenbrock sn_table_ros34pw2 = {.name = "ros34pw2",
                                         .stages = 4,
                                         .order = 3,
                                         .gamma = 0.435866521508459,
                                         .a = {{0},
                                               {2},
                                               {1.4192173174557647, -0.25923221167296973},
                                               {4.1847604823191604, -0.28519201735549593, 2.2942803602790418}},
                                         .c = {{0},
                                               {-4.5885607205580836},
                                               {-4.1847604823191604, 0.28519201735549593},
                                               {-6.3681792001283579, -6.7956209444668358, 2.8700986043310559}},
                                         .b = {4.1847604823191604, -0.28519201735549587, 2.2942803602790414, 1},
                                         .alpha = {0, 0.87173304301691801, 0.73157995778885243, 1},
                                         .d = {0.435866521508459, -0.435866521508459, -0.4133333762338865, 0},
                                         .reuse_last = false,
                                         .w_method = true};

int sn_ros34pw2_history(int count) {
    (void)count;
    return 0;
}

int sn_ros34pw2_scratch(int count) { return sn_rosenbrock_scratch(&sn_table_ros34pw2, count); }

sn_status sn_ros34pw2_step(sn_step *step) { return sn_rosenbrock_step(step, &sn_table_ros34pw2); }
