/* Materials: a law with its constants, its damping and the way its rotation and differential are taken. And laws of
 * your own.
 *
 * Start from sn_material_default(), edit, and check with sn_material_check. Matrices are row-major. */
#ifndef SINEW_MATERIAL_H
#define SINEW_MATERIAL_H

#include <stdbool.h>

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SN_MATERIAL_CONSTANTS = 12, /* most constants of a material */
    SN_CONSTANT_VALUES = 9,     /* most numbers of a constant */
    SN_PRONY_TERMS = 8,         /* most Prony terms of a material */
    SN_PRONY_COEFFICIENTS = 6   /* most coefficients of a law that relax one by one */
};

/* A named constant of a law: one number, or several ("mu": [1e3, 2e3] of ogden, "axes" of orthotropic). */
typedef struct sn_constant {
    char name[16];                    /* a name of sn_law_parameters(), at most 15 characters */
    int count;                        /* numbers in `value`, 1 to SN_CONSTANT_VALUES; the law says how many it wants */
    double value[SN_CONSTANT_VALUES]; /* unit and range as the law says */
    const double *key; /* key_count x 2: time in s and value, times ascending. The number changes linearly between keys
                          and stays before the first and after the last one; `value` is then not read. Only where the
                          law wants one number. NULL: no keys. A world copies the keys; until then they are yours */
    int key_count;     /* 0 without keys */
} sn_constant;

/* The numbers of a muscle (docs/muscle.md). They act where sn_body_options.material_fibre gives the material fibres. */
typedef struct sn_muscle {
    double activation; /* 0 (default) to 1 */

    /* key_count x 2: time in s and activation 0 to 1, times ascending, linear between keys. Keys take the place of
     * `activation`. NULL (default): none. A world copies the keys. */
    const double *key;
    int key_count;  /* 0 (default) without keys */
    double period;  /* s: the keys repeat after this time; then their times are from 0 to `period`. 0 (default): no */
    double stress;  /* Pa, per rest area, at full activation and optimal length; at least 0, default 3e5 */
    double passive; /* Pa, of the fibres without activation at 1.4 times their rest length; at least 0, default 2e5 */
    double optimal; /* the stretch of largest active stress; above 0, default 1 */
    double width;   /* active stress vanishes at (1 - width) and (1 + width) optimal; above 0 to 1, default 0.6 */
    double speed;   /* 1/s: optimal lengths per second at which active stress vanishes; 0: no influence; default 10 */
} sn_muscle;

/* Plain data; copying is fine (keys are shared). */
typedef struct sn_material {
    uint32_t cookie;       /* set by sn_material_default(); a struct without it is refused */
    char law[32];          /* a name of sn_laws(), or of a law that was added to the context; default "corotated" */
    char rotation[32];     /* a name of sn_rotations(); "" (default): "polar". Only for laws that use a rotation */
    char differential[32]; /* a name of sn_differentials(); "" (default): the law's choice, and the exact one where a
                              method needs it */
    double density;        /* kg/m^3, above 0; default 1000 */
    double area_density; /* cloth: kg/m^2, at least 0. 0 (default): density times thickness. Both exclude each other */
    int constant_count;  /* of `constant`, 0 to SN_MATERIAL_CONSTANTS */
    sn_constant constant[SN_MATERIAL_CONSTANTS]; /* default: young 5e5 Pa, poisson 0.33. sn_material_set edits them */
    double viscous[2];  /* d_lambda, d_mu in Pa s, at least 0; default 0. They act on the rate of the law's strain
                           (Green's if it has none). Mode "quasi-static" takes 0 only */
    double rayleigh[2]; /* a in 1/s and b in s of the damping D = a M + b K, at least 0; default 0. Mode "quasi-static"
                           takes 0 only */
    int prony_count;    /* terms of `prony`, 0 (default) to SN_PRONY_TERMS: the material remembers (docs/memory.md) */

    /* Each term: its part of the law's stress, at least 0, and its time of relaxation in s, above 0. */
    double prony[SN_PRONY_TERMS][2];
    /* "all" (default): the whole stress remembers; "shear": only its deviatoric part; "coefficients": each coefficient
     * of the law on its own, by `prony_ratios`. */
    char prony_on[32];
    /* For "coefficients": the part of each coefficient of the law that a term has, at least 0; default 0. They are in
     * the order of the law: c10, c01 of "mooney-rivlin", the values of `c` of "reduced-polynomial", those of `mu` of
     * "ogden". The first number of each term of `prony` is then 0. */
    double prony_ratios[SN_PRONY_TERMS][SN_PRONY_COEFFICIENTS];

    /* The constants of the law are "long-term" (default), to which the terms add, or "instantaneous", of which the
     * terms are parts. Instantaneous ratios have a sum of at most 1. */
    char prony_moduli[32];

    double alpha; /* rotations "dapd", "project", "reflect": an element is degenerate when det F is below alpha; at
                     least 0 and below 1, default 0.1 */
    double beta;  /* rotation "dapd": how far a degenerate element is moved back; at least 1, default 3 */
    double frames_every; /* corotational laws and warping: s for which a frame stays before it is taken anew, at least
                            0. 0 (default): a law takes it at each evaluation, warping at each step. Dynamics only */
    /* With frames_every above 0: the level of the body's mesh (sn_mesh.node_level) whose shape gives the frames. All
     * tets in one tet of that level then have one frame. -1 (default): each element has its own. Not for warping and
     * not for rotations with a history (docs/levels.md). */
    int frames_level;
    char warping[32]; /* a name of sn_warpings(): stiffness warping per vertex, for law "linear" only; "" (default):
                         none */
    char warping_matrix[32];  /* warping: a name of sn_warping_matrices(); "" (default): "element" */
    bool ghost_correction;    /* warping: take the net force and torque out of a body's elastic forces; default false */
    double spring_damper;     /* element "springs": N s/m of every spring, at least 0; default 0 */
    double spring_quality;    /* element "springs": quality factor of every spring with its damper, at least 0; 0
                                 (default): no such damper */
    double bending_stiffness; /* cloth: N m, at least 0: moment per width and curvature. Default 0: it bends freely */
    double bending_damping;   /* cloth: N m s, at least 0: moment per width and rate of curvature; default 0 */
    char bending_model[32];   /* cloth: a name of sn_bending_models(); "" (default): "dihedral" */
    double limit_strain;      /* cloth: the strain beyond which it hardly gives way, 0 to 1; 0 (default): no limit */
    double limit_stiffness;   /* cloth: the stiffness beyond the limit, times the largest modulus of the law; above 0,
                                 default 100. It has no effect without limit_strain */
    sn_muscle muscle;         /* numbers of the fibres that a body may give the material */
} sn_material;

/* Corotated, young 5e5 Pa, poisson 0.33, density 1000 kg/m^3, no damping. */
SN_API sn_material sn_material_default(void);

/* Sets a constant and replaces one of the same name. The pair `young` and `poisson`, the constant `lame`, and a law's
 * own constants are three groups that exclude each other: a constant of one group drops those of the others. value:
 * `count` numbers, copied. */
SN_API sn_status sn_material_set(sn_material *material, const char *name, const double *value, int count,
                                 sn_error *error);

/* Checks law, constants, options and ranges without building anything. context: knows the laws that were added to it;
 * NULL: only the library's laws are known. The path of an error is the option's name as a scene has it: "density",
 * "viscous.mu", "young". */
SN_API sn_status sn_material_check(const sn_context *context, const sn_material *material, sn_error *error);

/* The library's blocks by name with one line of text each. `count` (may be NULL) gets their number. Static. */
SN_API const sn_listing *sn_laws(int *count);
SN_API const sn_listing *sn_rotations(int *count);
SN_API const sn_listing *sn_differentials(int *count);
SN_API const sn_listing *sn_warpings(int *count);
SN_API const sn_listing *sn_warping_matrices(int *count);
SN_API const sn_listing *sn_prony_parts(int *count);    /* of `prony_on` */
SN_API const sn_listing *sn_bending_models(int *count); /* of `bending_model` */
SN_API const sn_listing *sn_prony_moduli(int *count);   /* of `prony_moduli` */

/* A constant that a law takes. */
typedef struct sn_parameter {
    const char *name;         /* as sn_material_set and scenes name it */
    const char *unit;         /* "" without one */
    const char *text;         /* one line */
    double low, high;         /* allowed range of each number; -INFINITY and INFINITY: any finite one */
    int low_open, high_open;  /* 1: the bound itself is not allowed */
    int count_min, count_max; /* how many numbers, 1 to SN_CONSTANT_VALUES */
} sn_parameter;

/* The constants of a law; `count` (may be NULL) gets their number. NULL and 0 for an unknown law. context: as for
 * sn_material_check. The array lives as long as the context, and for the library's laws forever. */
SN_API const sn_parameter *sn_law_parameters(const sn_context *context, const char *law, int *count);

/* At one deformation gradient F: energy density in J/m^3, first Piola-Kirchhoff stress P = d energy / d F in Pa, and
 * the exact differential d P / d F in Pa, 9 x 9 in the order of F. Without muscle. Keys count at time 0. Each output
 * may be NULL.
 * SN_INVERTED when a law that needs det F > 0 meets another F. */
SN_API sn_status sn_material_evaluate(sn_context *context, const sn_material *material, const double F[9],
                                      double *energy, double stress[9], double differential[81], sn_error *error);

/* The rotation that a method extracts from F (methods with a history take the path from rest to F), and S = R^T F. R
 * and S may be NULL. degenerate: alpha and beta of a material, for "dapd" and its relatives; NULL: their defaults. */
SN_API sn_status sn_rotation_evaluate(sn_context *context, const char *method, const double *degenerate,
                                      const double F[9], double R[9], double S[9], sn_error *error);

/* ---- Laws of your own (docs/own-law.md) ---- */
/* `constant` holds the numbers of all parameters in the order of the table; a parameter has count_max places, and those
 * that a material leaves out are 0. The functions are called on several threads at the same time, and must give the
 * same answer for the same numbers. */
typedef struct sn_law_table {
    uint32_t cookie;  /* set by sn_law_table_default(); a struct without it is refused */
    const char *name; /* as materials and scenes name the law: 1 to 31 of a-z, 0-9, - and _, a letter first; no law has
                         it yet */
    const char *text; /* one line for listings; never NULL */
    const sn_parameter *parameter; /* parameter_count; a material must give each of them. Names that materials use
                                      already (young, density,
                                      ...) are refused. NULL when there are none */
    int parameter_count;           /* 0 to SN_MATERIAL_CONSTANTS, of at most 24 numbers in all */
    bool needs_positive_volume; /* the law is for det F > 0 only: its functions are not called for other F, and a step
                                   that meets such an element is retried smaller */
    /* Energy per rest volume in J/m^3; 0 at rest (F = I), and the same for Q F as for F with any rotation Q. Never
     * NULL. */
    double (*energy)(void *user, const double *constant, const double F[9]);
    /* First Piola-Kirchhoff stress P = d energy / d F in Pa; 0 at rest. Never NULL. */
    void (*stress)(void *user, const double *constant, const double F[9], double P[9]);
    /* dP[9 a + b] = d P[a] / d F[b] in Pa. NULL: by differences of the stress, which costs 18 of them. */
    void (*differential)(void *user, const double *constant, const double F[9], double dP[81]);
    void *user; /* handed to the functions; must outlive the context */
} sn_law_table;

/* A table without a name and without functions. */
SN_API sn_law_table sn_law_table_default(void);

/* Makes a law known to a context: from then on materials and scenes of this context can name it. The table is copied
 * with its words and parameters. Call it before the context is used on other threads. SN_BAD_INPUT when the table is
 * not complete or its name is taken; the context is then as before. */
SN_API sn_status sn_context_add_law(sn_context *context, const sn_law_table *table, sn_error *error);

/* All laws that a context knows: the library's, then those that were added. `count` may be NULL. Lives as long as the
 * context. */
SN_API const sn_listing *sn_context_laws(const sn_context *context, int *count);

/* Tries a material's law with the material's constants: no energy and stress at rest; the same energy and a turned
 * stress after a rigid turn; energy, stress and differential agree by differences, at a fixed set of strong
 * deformations; all finite. Any law, the library's too. SN_BAD_INPUT with a message that says where the law fails. */
SN_API sn_status sn_law_check(sn_context *context, const sn_material *material, sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
