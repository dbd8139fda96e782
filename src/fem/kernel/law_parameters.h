/* The constants that isotropic laws share: their tables of parameters begin with these. */
#ifndef SN_FEM_KERNEL_PARAMETERS_H
#define SN_FEM_KERNEL_PARAMETERS_H

#include <math.h>

#include "sinew/material.h"

#define SN_ISOTROPIC_PARAMETERS                                                                                        \
    {"young", "Pa", "Young's modulus of the unstrained material", 0, INFINITY, 0, 1, 1, 1},                            \
        {"poisson", "", "Poisson's ratio of the unstrained material", -1, 0.5, 1, 1, 1, 1}, {                          \
        "lame", "Pa", "lambda and mu, instead of young and poisson", -INFINITY, INFINITY, 1, 1, 2, 2                   \
    }

/* The constants lambda, mu with other moduli; bulk modulus = lambda + 2/3 mu. */
static inline void scale_lame(double shear, double bulk, double *lambda, double *mu) {
    *lambda = bulk * (*lambda + 2.0 / 3.0 * *mu) - 2.0 / 3.0 * shear * *mu;
    *mu *= shear;
}

#endif
