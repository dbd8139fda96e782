/* Parts that the IMEX methods share. */
#ifndef SN_TIME_IMEX_H
#define SN_TIME_IMEX_H

#include "implicit.h"

/* Solves the linear equation of the implicit part, with all other forces at the start of the step, and takes up
 * options->updates updates, at the velocity and the place of the solution so far. */
sn_status sn_imex_solve(sn_step *step, const sn_newton_problem *problem, double *y);

#endif
