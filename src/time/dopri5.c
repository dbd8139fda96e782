/* Dormand and Prince 5(4): order 5 with an embedded method of order 4. The last stage is the first stage of the next
 * step. J. Comput. Appl. Math. 6 (1980) 19-26; Hairer, Norsett, Wanner I, table II.5.2. */
#include "explicit.h"
#include "methods.h"

static const double a[49] = {
    [7] = 1.0 / 5,        [14] = 3.0 / 40,       [15] = 9.0 / 40,        [21] = 44.0 / 45,      [22] = -56.0 / 15,
    [23] = 32.0 / 9,      [28] = 19372.0 / 6561, [29] = -25360.0 / 2187, [30] = 64448.0 / 6561, [31] = -212.0 / 729,
    [35] = 9017.0 / 3168, [36] = -355.0 / 33,    [37] = 46732.0 / 5247,  [38] = 49.0 / 176,     [39] = -5103.0 / 18656,
    [42] = 35.0 / 384,    [44] = 500.0 / 1113,   [45] = 125.0 / 192,     [46] = -2187.0 / 6784, [47] = 11.0 / 84};
static const double b[6] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
static const double c[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
/* b minus the weights of the embedded method. */
static const double e[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

const sn_tableau sn_tableau_dopri5 = {
    .name = "dopri5", .stages = 6, .all = 7, .order = 5, .a = a, .b = b, .c = c, .e = e, .exponent = 0.2};

int sn_dopri5_history(int count) {
    (void)count;
    return 1;
}

int sn_dopri5_scratch(int count) { return sn_tableau_scratch(&sn_tableau_dopri5, count); }

sn_status sn_dopri5_step(sn_step *step) { return sn_tableau_step_adaptive(step, &sn_tableau_dopri5); }
