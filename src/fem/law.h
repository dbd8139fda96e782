/* The interface of material laws, and of the rotations that some of them use. Kernel side: widths differ per
 * instruction set.
 *
 * A law is one file in kernel/law_<name>.c with one const table SN_ISA(sn_law_<name>), listed in kernel/laws.c. Its
 * functions work on SN_WIDTH elements at a time, one per lane:
 *
 *   psi(F)            energy per rest volume, zero at rest
 *   P  = d psi / dF   first Piola-Kirchhoff stress; the force on node i is -volume P g_i, with g_i the gradient of its
 *                     shape function in the rest shape
 *   dP = d P / dF     81 numbers, dP[9 * a + b] = d P[a] / d F[b], row-major F
 *
 * Corotational laws get the rotation R from the rotation block. For their exact differential they also get dR[9 * a +
 * b] = d R[a] / d F[b]. */
#ifndef SN_FEM_LAW_H
#define SN_FEM_LAW_H

#include "base/context.h"
#include "base/simd.h"
#include "sinew/material.h"

enum { SN_LAW_CONSTANTS = 25 }; /* most constants that a law's kernels see */

typedef enum sn_law_flags {
    SN_LAW_ROTATION = 1,   /* uses R */
    SN_LAW_INDEFINITE = 2, /* its exact differential can be indefinite */
    SN_LAW_ISOTROPIC =
        4, /* psi depends on the singular values of F only: the projected differential works in the principal frame */
    SN_LAW_POSITIVE_J = 8, /* needs det F > 0 */
    SN_LAW_CONSTANT = 16,  /* dP does not depend on F */
    SN_LAW_WARPED =
        32, /* isotropic with lambda, mu = c[0], c[1], and its truncated-2 differential (or, if constant, any, with R =
               I) is lambda tr(R^T dF) R + mu (dF + R dF^T R): the kernels then use closed forms */
    SN_LAW_UPDATED = 128, /* its truncated-2 differential is that of SN_LAW_WARPED with cof(F) g for R g, which
                             are the gradients of the present shape */
    SN_LAW_CLOTH = 256,   /* for cloth: F has a third column of zeros, which the law does not look at, and P and dP
                             have none either. Its strain is Green's, its moduli at rest are those in the plane */
    SN_LAW_TURNED = 512,  /* corotational with lambda, mu = c[0], c[1], and with a polar rotation its exact differential
                             is  lambda tr(R^T dF) R + 2 mu dF + (lambda t - 2 mu) dR, t = tr(R^T F) - 3; the projected
                             one  is that with its negative eigenvalues set to zero. The kernels then use closed forms */
    SN_LAW_NO_POTENTIAL = 64, /* the stress is not the gradient of the energy: dP is not symmetric */
} sn_law_flags;

typedef enum sn_differential {
    SN_DIFFERENTIAL_EXACT,
    SN_DIFFERENTIAL_PROJECTED,   /* the exact one with its negative eigenvalues set to zero */
    SN_DIFFERENTIAL_TRUNCATED_1, /* Civit 3.19: 2 mu dF + lambda tr(R^T dF) R */
    SN_DIFFERENTIAL_TRUNCATED_2, /* Civit 3.21: 2 mu R sym(R^T dF) + lambda tr(R^T dF) R, the warped stiffness R K0 R^T
                                  */
    SN_DIFFERENTIAL_HYBRID,      /* Civit 3.23: between the two by the mean stretch */
    SN_DIFFERENTIAL_COUNT
} sn_differential;

/* Whose rate the viscous stress acts on: Green's E' (P_v = F (dl tr E' + 2 dm E')), the corotated one, or the linear
 * one. */
typedef enum sn_strain { SN_STRAIN_GREEN, SN_STRAIN_COROTATED, SN_STRAIN_CAUCHY } sn_strain;

typedef struct sn_law {
    const char *name, *text;
    unsigned flags;
    unsigned differentials; /* bit set of 1 << sn_differential that it offers */
    /* When the material names none and a step has a bounded number of linear solves. It is definite. Newton's iteration
     * until convergence and statics take the exact one instead, and the projected one where the exact one fails. */
    sn_differential default_differential;
    const sn_parameter
        *parameter; /* all its constants; isotropic laws begin with young, poisson, lame, which stand for the others */
    int parameter_count;
    int constant_count; /* of the array that `prepare` fills and the kernels read */
    /* So many of the first constants are coefficients that the stress is linear in, and that may relax one by one
     * (prony.h); 0: none. What remains without them is volume. */
    int coefficient_count;

    /* Material -> constants at time t (keyed moduli). `constant` has SN_LAW_CONSTANTS places. Corotational isotropic
     * laws put lambda, mu first. */
    sn_status (*prepare)(const struct sn_law *law, const sn_material *material, double time, double *constant,
                         sn_error *error);

    /* Multiplies the shear modulus by `shear` and the bulk modulus by `bulk`, in the array that `prepare` filled. The
     * stress of every law is linear in these moduli. So shear = 1, bulk = 0 leaves the deviatoric part of the stress.
     * Laws of the caller: both factors must be equal. */
    void (*scale)(const struct sn_law *law, double shear, double bulk, double *constant);

    /* Kernels; c: constants, one vector each. R is NULL for laws without SN_LAW_ROTATION; dR only for exact and
     * projected. dimension: 3; 2 for triangles. */
    void (*energy)(const struct sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi);
    void (*stress)(const struct sn_law *law, const vd *c, const vd *F, const vd *R, vd *P);
    /* Of corotational laws with P = R S and S symmetric: S as xx, yy, zz, xy, yz, zx. A memory keeps it. NULL: it is
     * found from P. */
    void (*unrotated)(const struct sn_law *law, const vd *c, const vd *F, const vd *R, vd *S);
    void (*differential)(const struct sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F,
                         const vd *R, const vd *dR, vd *dP);

    /* Of laws with SN_LAW_WARPED that offer hybrid: g in [0, 1], how much of truncated-1 it takes; else NULL. */
    vd (*blend)(int dimension, const vd *F, const vd *R);

    /* Of anisotropic laws: the stiffness at rest C, carried along by G, dP = G C sym(G^T dF). Rayleigh's damping uses
     * it. NULL: the stiffness at rest is isotropic (sn_law_rest_moduli). */
    void (*rest_stiffness)(const struct sn_law *law, const vd *c, const vd *G, vd *dP);

    /* The law's own strain measure, for viscous damping. */
    sn_strain strain;

    /* The element of bodies with this law that name none, and the only one that takes it. NULL: "cloth" for laws of
     * cloth, else "tet4", and others that fit. */
    const char *element;

    const sn_law_table *table; /* of laws that the caller supplied (own_law.c); NULL for ours */
} sn_law;

/* Whether a memory (prony.h) turns with G = F: Green's strain, and the law whose R^T P is not symmetric. */
static inline bool sn_law_remembers_by_F(const sn_law *law) {
    return law->strain == SN_STRAIN_GREEN || law->flags & SN_LAW_NO_POTENTIAL;
}

/* All laws of one instruction set, in the same order in each; kernel/laws.c. */
extern const sn_law *const sn_laws_baseline[], *const sn_laws_avx2[], *const sn_laws_avx512[];
extern const int sn_law_count_baseline;

/* The law by name for this context's instruction set, ours or one that was added to the context; NULL when there is
 * none. Without a context: ours. */
const sn_law *sn_law_find(const sn_context *context, const char *name);
/* own_law.c: the law of that name that was added to the context, or NULL. */
const sn_law *sn_own_law_find(const sn_context *context, const char *name);
/* Laws of the caller: what all of them share, with kernels that call the functions of law->table lane by lane.
 * kernel/own_law.c. */
extern const sn_law sn_own_law_baseline, sn_own_law_avx2, sn_own_law_avx512;

/* lambda and mu of the law's stiffness at rest, from its prepared constants. Not for laws with `rest_stiffness`. */
void sn_law_rest_moduli(const sn_law *law, const double *constant, double *lambda, double *mu);
/* Bulk and shear modulus of the stiffness at rest, in the mean over all directions. Not for laws of the caller. */
void sn_law_mean_moduli(const sn_law *law, const double *constant, double *bulk, double *shear);
/* lambda and mu from young/poisson or lame at time t (the pair that is given; laws' own constants do not count). */
sn_status sn_material_lame(const sn_material *material, double time, double *lambda, double *mu, sn_error *error);
/* The value of a scalar constant at time t, or `fallback` when it is absent. */
double sn_material_value(const sn_material *material, const char *name, double time, double fallback);
/* The activation of its muscle at time t. */
double sn_material_activation(const sn_material *material, double time);
/* SN_BAD_INPUT at the path "muscle.activation" when it is not from 0 to 1. */
sn_status sn_muscle_check_activation(double activation, sn_error *error);
/* Whether it resists bending, as cloth. */
static inline bool sn_material_bends(const sn_material *material) {
    return material->bending_stiffness > 0 || material->bending_damping > 0;
}
const sn_constant *sn_material_constant(const sn_material *material, const char *name); /* NULL when absent */
int sn_warping_find(
    const char *name); /* SN_WARPING_ of batch.h, in the order of sn_warpings(); SN_WARPING_NONE when unknown */
int sn_differential_find(const char *name); /* -1 when unknown */

/* ---- Rotations ---- */
enum { SN_ROTATION_STATE = 4 }; /* doubles of per-element state (witness pair of dapd and the like) */

/* What a rotation sees of SN_WIDTH elements. `edges` are the element's edge vectors x_i - x_0, i = 1..3 as columns. */
typedef struct sn_rotation_view {
    const vd *F;        /* now */
    const vd *F_before; /* at the last accepted step; NULL when there is none (the path runs from rest) */
    const vd *Dm;  /* rest edges, columns; row-major 3 x 3; the last one of a plane element is the z axis. NULL without
                      history and without uses_edges */
    int dimension; /* 3; 2 for plane elements, which turn about the z axis alone */
    double alpha, beta; /* of dapd, project and reflect */
    vd *state;          /* SN_ROTATION_STATE, zero at rest; updated only by `accept` */
} sn_rotation_view;

typedef struct sn_rotation {
    const char *name, *text;
    int uses_history;          /* needs F_before, Dm and state */
    int uses_edges;            /* needs Dm */
    int polar;                 /* R^T F is symmetric */
    int uses_alpha, uses_beta; /* the options alpha and beta of a material have an effect */
    void (*extract)(const sn_rotation_view *view, vd *R);
    /* dR / dF, 81 numbers; NULL: the exact differential is not offered with this rotation. */
    void (*differential)(const sn_rotation_view *view, const vd *R, vd *dR);
    /* dR / dF for the exact stress: isotropic laws then add the change of R to their stress (corotate.h), which is so
     * the gradient of their energy although S = R^T F is not symmetric. NULL: the stress leaves that change out. */
    void (*turning)(const sn_rotation_view *view, const vd *R, vd *dR);
    /* The step was accepted with this F: update `state`. NULL without history. */
    void (*accept)(const sn_rotation_view *view);
} sn_rotation;

extern const sn_rotation *const sn_rotations_baseline[], *const sn_rotations_avx2[], *const sn_rotations_avx512[];
extern const int sn_rotation_count_baseline;
const sn_rotation *sn_rotation_find(const sn_context *context, const char *name); /* without a context: the baseline */

#endif
