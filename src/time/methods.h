/* The table of time integration methods: one line per method, and one file per line. The file <symbol>.c defines
 * sn_<symbol>_history, sn_<symbol>_scratch and sn_<symbol>_step. */
#ifndef SN_TIME_METHODS_H
#define SN_TIME_METHODS_H

#include "system.h"

/* X(name, symbol, order, kind, adaptive, stability, text).
 *
 * Kinds of implicit methods. IMPLICIT: each step calls Newton's method. BACKWARD: the same, and the forces of a step
 * are those at its end, so the method can carry the multipliers of links. W: linear solves with any matrix, no Newton.
 * EXACT: linear solves, and the method has its full order only with the exact Jacobian. CORRECTED: one linear solve
 * with the exact differential of the law, which may be indefinite, and a correction of nonlinearity. IMEX: the
 * linearised tension of cloth is implicit, everything else explicit. */
enum {
    SN_METHOD_EXPLICIT,
    SN_METHOD_IMPLICIT,
    SN_METHOD_BACKWARD,
    SN_METHOD_W,
    SN_METHOD_EXACT,
    SN_METHOD_CORRECTED,
    SN_METHOD_IMEX
};
#define SN_METHODS(X)                                                                                                  \
    X("implicit-euler", implicit_euler, 1, SN_METHOD_BACKWARD, false, "L",                                             \
      "backward Euler with Newton: robust, damps motion, order 1")                                                     \
    X("kikuuwe", kikuuwe, 1, SN_METHOD_CORRECTED, false, "L",                                                          \
      "backward Euler with one linear solve, then a correction where the law is too nonlinear for it: real time")      \
    X("implicit-midpoint", implicit_midpoint, 2, SN_METHOD_IMPLICIT, false, "A",                                       \
      "implicit midpoint: order 2, keeps momentum and nearly the energy")                                              \
    X("trapezoidal", trapezoidal, 2, SN_METHOD_IMPLICIT, false, "A",                                                   \
      "trapezoidal rule: order 2, no numerical damping")                                                               \
    X("newmark", newmark, 2, SN_METHOD_IMPLICIT, false, "A",                                                           \
      "Newmark with average acceleration (beta 1/4, gamma 1/2): order 2")                                              \
    X("bdf2", bdf2, 2, SN_METHOD_BACKWARD, false, "L",                                                                 \
      "backward differentiation, order 2: accurate, damps only fast modes")                                            \
    X("bdf3", bdf3, 3, SN_METHOD_BACKWARD, false, "A(86)", "backward differentiation, order 3")                        \
    X("bdf4", bdf4, 4, SN_METHOD_BACKWARD, false, "A(73)", "backward differentiation, order 4")                        \
    X("bdf5", bdf5, 5, SN_METHOD_BACKWARD, false, "A(52)", "backward differentiation, order 5: for damped motion")     \
    X("bdf6", bdf6, 6, SN_METHOD_BACKWARD, false, "A(18)",                                                             \
      "backward differentiation, order 6: for strongly damped motion")                                                 \
    X("rosenbrock2-w", rosenbrock2_w, 2, SN_METHOD_W, false, "L",                                                      \
      "W-method of Verwer et al.: order 2, two linear solves, no Newton")                                              \
    X("ros34pw2", ros34pw2, 3, SN_METHOD_W, false, "L",                                                                \
      "W-method of Rang and Angermann: order 3, four linear solves, no Newton")                                        \
    X("rosenbrock4-shampine", rosenbrock4_shampine, 4, SN_METHOD_EXACT, false, "A",                                    \
      "Rosenbrock method of Shampine: order 4, four linear solves, no Newton")                                         \
    X("rosenbrock4-grk4a", rosenbrock4_grk4a, 4, SN_METHOD_EXACT, false, "A",                                          \
      "Rosenbrock method GRK4A of Kaps and Rentrop: order 4")                                                          \
    X("rosenbrock4-grk4t", rosenbrock4_grk4t, 4, SN_METHOD_EXACT, false, "A(89.3)",                                    \
      "Rosenbrock method GRK4T of Kaps and Rentrop: order 4, small error; feeds undamped fast modes a little")         \
    X("rosenbrock4-veldd", rosenbrock4_veldd, 4, SN_METHOD_EXACT, false, "A(89.5)",                                    \
      "Rosenbrock method of van Veldhuizen, D-stable: order 4; feeds undamped fast modes a little")                    \
    X("rosenbrock4-velds", rosenbrock4_velds, 4, SN_METHOD_EXACT, false, "A",                                          \
      "Rosenbrock method of van Veldhuizen, gamma 1/2: order 4")                                                       \
    X("rosenbrock4-lstab", rosenbrock4_lstab, 4, SN_METHOD_EXACT, false, "L",                                          \
      "L-stable Rosenbrock method of Hairer and Wanner: order 4")                                                      \
    X("imex-euler", imex_euler, 1, SN_METHOD_IMEX, false, "tension: L, the rest explicit",                             \
      "cloth-particles: backward Euler for the linearised tension, forward Euler for the rest; time.updates")          \
    X("imex-midpoint", imex_midpoint, 2, SN_METHOD_IMEX, false, "tension: A, the rest explicit",                       \
      "cloth-particles: implicit midpoint for the linearised tension, explicit midpoint for the rest; time.updates")   \
    X("explicit-euler", explicit_euler, 1, SN_METHOD_EXPLICIT, false, "explicit: needs damping and a small step",      \
      "forward Euler: order 1, one force per step")                                                                    \
    X("symplectic-euler", symplectic_euler, 1, SN_METHOD_EXPLICIT, false, "explicit: h < 2/omega",                     \
      "semi-implicit Euler: order 1, bounded energy error, one force per step")                                        \
    X("explicit-midpoint", explicit_midpoint, 2, SN_METHOD_EXPLICIT, false, "explicit: real axis to 2",                \
      "Runge's midpoint method: order 2, two forces per step")                                                         \
    X("verlet", verlet, 2, SN_METHOD_EXPLICIT, false, "explicit: h < 2/omega",                                         \
      "velocity Verlet: order 2, symplectic without damping, one force per step")                                      \
    X("rk4", rk4, 4, SN_METHOD_EXPLICIT, false, "explicit: h < 2.8/omega",                                             \
      "the classical Runge-Kutta method: order 4, four forces per step")                                               \
    X("rk38", rk38, 4, SN_METHOD_EXPLICIT, false, "explicit: h < 2.8/omega",                                           \
      "Kutta's 3/8 rule: order 4, four forces per step")                                                               \
    X("dopri5", dopri5, 5, SN_METHOD_EXPLICIT, true, "explicit: real axis to 3.3",                                     \
      "Dormand-Prince 5(4): adaptive with time.tolerance, fixed steps with 0")                                         \
    X("dopri853", dopri853, 8, SN_METHOD_EXPLICIT, true, "explicit: real axis to 6",                                   \
      "Dormand-Prince 8(5,3): adaptive, for references")                                                               \
    X("rock2", rock2, 2, SN_METHOD_EXPLICIT, false, "explicit: real axis to 0.8 stages^2",                             \
      "stabilised explicit method of Abdulle and Medovikov: order 2, for damped motion")

#define SN_METHOD_DECLARE(name, symbol, ...)                                                                           \
    int sn_##symbol##_history(int count);                                                                              \
    int sn_##symbol##_scratch(int count);                                                                              \
    sn_status sn_##symbol##_step(sn_step *step);
SN_METHODS(SN_METHOD_DECLARE)
#undef SN_METHOD_DECLARE

#endif
