/* Parts that the implicit methods share. */
#ifndef SN_TIME_IMPLICIT_H
#define SN_TIME_IMPLICIT_H

#include "system.h"

/* Fills the fields that all Newton problems of a step have in common. The method then sets t1, m, a, base and origin,
 * and the optional fields that it uses. */
sn_newton_problem sn_step_problem(sn_step *step, const double *guess, double *scratch);

/* One implicit midpoint step from (t, x, v) to (x1, v1); scratch: sn_midpoint_scratch doubles. */
int sn_midpoint_scratch(int count);
sn_status sn_midpoint(sn_step *step, double t, double h, const double *x, const double *v, double *x1, double *v1,
                      double *scratch);

/* One step of order 2 x columns (columns from 1 to 3) that starts a multistep method: extrapolated implicit midpoint.
 * scratch: sn_start_scratch doubles. */
int sn_start_scratch(int count);
sn_status sn_start(sn_step *step, int columns, double *x1, double *v1, double *scratch);

/* A linearly implicit (Rosenbrock or W) method for y' = F(t, y), in the variables of Hairer and Wanner (Solving
 * Ordinary Differential Equations II, IV.7):
 *   (1/(h gamma) - J) u_i = F(t + alpha_i h, y + sum a_ij u_j) + sum (c_ij / h) u_j + h d_i dF/dt
 *   y1 = y + sum b_i u_i */
typedef struct sn_rosenbrock {
    const char *name;
    int stages, order;
    double gamma;
    double a[4][4], c[4][4]; /* strictly lower */
    double b[4], alpha[4], d[4];
    bool reuse_last; /* the last stage uses F of the stage before it */
    bool w_method;   /* keeps its order with any matrix in place of J */
} sn_rosenbrock;

int sn_rosenbrock_scratch(const sn_rosenbrock *method, int count);
sn_status sn_rosenbrock_step(sn_step *step, const sn_rosenbrock *method);

/* The tables, for tests of their order conditions. */
extern const sn_rosenbrock sn_table_rosenbrock2_w, sn_table_ros34pw2, sn_table_rosenbrock4_shampine,
    sn_table_rosenbrock4_grk4a, sn_table_rosenbrock4_grk4t, sn_table_rosenbrock4_veldd, sn_table_rosenbrock4_velds,
    sn_table_rosenbrock4_lstab;

#endif
