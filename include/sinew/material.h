/* Materials: a law with its constants, its damping and the way its rotation and differential are taken. */
#ifndef SINEW_MATERIAL_H
#define SINEW_MATERIAL_H

#include <stdbool.h>

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_MATERIAL_CONSTANTS = 12, SN_CONSTANT_VALUES = 9, SN_PRONY_TERMS = 8 };

/* A named constant: one number, or several ("mu": [1e3, 2e3] of ogden, "axes" of orthotropic). */
typedef struct sn_constant {
    char name[16];
    int count;
    double value[SN_CONSTANT_VALUES];
    const double *key; /* key_count x 2 (time, value), ascending times: a scalar that changes linearly between keys; else NULL */
    int key_count;
} sn_constant;

typedef struct sn_material {
    uint32_t cookie;       /* set by sn_material_default(); a struct without it is refused */
    char law[32];          /* a name of sn_laws(); default "corotated" */
    char rotation[32];     /* a name of sn_rotations(); "": the law's default. Only for laws that use a rotation */
    char differential[32]; /* a name of sn_differentials(); "": the law's default */
    double density;        /* kg/m^3, above 0; default 1000 */
    int constant_count;
    sn_constant constant[SN_MATERIAL_CONSTANTS];
    double viscous[2];  /* d_lambda, d_mu in Pa s, at least 0; on the rate of the law's own strain (Green's for laws without one) */
    double rayleigh[2]; /* mass part 1/s, stiffness part s: D = a M + b K */
    int prony_count;
    double prony[SN_PRONY_TERMS][2]; /* modulus ratio, time in s */
    double alpha, beta;              /* of the rotations `dapd`, `project` and `reflect`: an element is degenerate when det F is below alpha
                                        (0 <= alpha < 1; default 0.1); beta >= 1 (default 3) is how far `dapd` moves it back */
    char warping[16];                /* law "linear" alone: "edges" or "svd", stiffness warping per vertex; "" (default): none */
    bool ghost_correction;           /* warping: take the net force and torque out of a body's elastic forces; default false */
    double spring_damper;            /* element "springs": N s/m of every spring, at least 0; default 0 */
    double spring_quality; /* element "springs": quality factor of every spring-damper pair, at least 0; 0 (default): no such damper */
} sn_material;

/* Corotated, young 5e5, poisson 0.33, density 1000, no damping. */
SN_API sn_material sn_material_default(void);

/* Sets a constant, replacing one of the same name; `young`/`poisson` and `lame` replace each other's pair. */
SN_API sn_status sn_material_set(sn_material *material, const char *name, const double *value, int count, sn_error *error);

/* Checks law, constants and ranges without building anything. */
SN_API sn_status sn_material_check(const sn_material *material, sn_error *error);

SN_API const sn_listing *sn_laws(int *count);
SN_API const sn_listing *sn_rotations(int *count);
SN_API const sn_listing *sn_differentials(int *count);
SN_API const sn_listing *sn_warpings(int *count);

/* A constant of a law: for documentation and forms. Returns the number; parameter may be NULL. */
typedef struct sn_parameter {
    const char *name, *unit, *text;
    double low, high;         /* allowed range of each value */
    int low_open, high_open;  /* the bound itself is not allowed */
    int count_min, count_max; /* how many values */
} sn_parameter;
SN_API const sn_parameter *sn_law_parameters(const char *law, int *count);

/* At one deformation gradient F (row-major): energy density J/m^3, first Piola-Kirchhoff stress P = d energy / d F in Pa, and the exact
 * differential d P / d F, 9 x 9, both in row-major order of F. Each output may be NULL. SN_INVERTED when a law with ln J meets J <= 0. */
SN_API sn_status sn_material_evaluate(sn_context *context, const sn_material *material, const double F[9], double *energy, double stress[9],
                                      double differential[81], sn_error *error);

/* The rotation that a method extracts from F (history: the path from rest to F), and S = R^T F. */
SN_API sn_status sn_rotation_evaluate(sn_context *context, const char *method, const double F[9], double R[9], double S[9],
                                      sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
