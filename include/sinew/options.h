/* Options of time integration and of the linear solver.
 *
 * Every field has a key of the same name in the scene file. One table per struct holds the defaults, the ranges and the
 * scene keys (src/time/time_options.c, src/linear/registry.c). */
#ifndef SINEW_OPTIONS_H
#define SINEW_OPTIONS_H

#include <stdbool.h>

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many bytes an options struct has for a name (of a method, a law, ...), with the closing zero. */
#define SN_NAME 32

/* A factor over time: 0 until `begin`, then linear, 1 from `end` on. {0, 0} is always 1. In mode "static" the time is
 * the load fraction, which grows from 0 to 1; without a ramp, or with begin = end, the factor is this fraction. */
typedef struct sn_ramp {
    double begin, end; /* s, finite; begin <= end; default 0, 0 */
    bool given;        /* false (default): there is no ramp, and the factor is 1 (mode "static": the load fraction) */
} sn_ramp;

/* ---- Description of options ---- */

/* The type of a field in its struct, and the form of its value in a scene. */
typedef enum sn_option_type {
    SN_FIELD_DOUBLE,    /* double[count]: a number, or a list of `count` numbers */
    SN_FIELD_INT,       /* int: a whole number */
    SN_FIELD_BOOL,      /* bool: true or false */
    SN_FIELD_CHOICE,    /* char[SN_NAME]: one of `choices()`; "" stands for automatic */
    SN_FIELD_ENUM,      /* int or enum: the index in `choices()` plus `low`; a scene gives the name */
    SN_FIELD_LONG,      /* int64_t: a whole number */
    SN_FIELD_TEXT,      /* char[count]: a string */
    SN_FIELD_AXES,      /* bool[3]: a string with some of the letters x, y, z */
    SN_FIELD_DIRECTION, /* double[3]: three numbers, not all zero */
    SN_FIELD_RAMP,      /* sn_ramp: [begin, end] */
    SN_FIELD_KEYS,      /* const double * and int: rows of `count` numbers. The first number is a time; times ascend */
    SN_FIELD_SELECT,    /* sn_selector */
    SN_FIELD_OWN,       /* another form, which `text` describes */
    SN_FIELD_NEEDED = 256 /* added to a type: a scene must give the key */
} sn_option_type;

/* One field of an options struct. */
typedef struct sn_option {
    const char *name; /* the key in a scene; "newton.kind" is the key `kind` of the object `newton` */
    int type;         /* a value of sn_option_type, plus SN_FIELD_NEEDED when a scene must give the key */
    size_t offset;    /* bytes from the start of the struct */
    int count; /* DOUBLE: how many numbers; KEYS: how many numbers in a row; TEXT: how many bytes; other types: 1 */
    double low, high;                         /* allowed range of each number; -1e300 and 1e300 mean no bound */
    int low_open;                             /* 1: `low` itself is not allowed */
    double value;                             /* default of a number or a bool */
    const char *choice;                       /* default of a name; may be NULL */
    const sn_listing *(*choices)(int *count); /* the allowed names; NULL: none */
    const char *unit;                         /* "" when the value has no unit */
    const char *text;                         /* one line about the field */
} sn_option;

/* ---- Time ---- */

/* Newton's method solves the nonlinear equations of an implicit step. */
typedef struct sn_newton_options { /* a part of sn_time_options, whose default sets and whose cookie guards it */
    char kind[32];  /* a name of sn_newton_kinds(): "full" (default), "one-step", "inexact", "fixed" or "simplified" */
    int iterations; /* at most so many per step, 1 to 1e6; default 10 */

    /* Above 0, at most 1; default 1e-6. Newton's method has converged when the residual force is below this part of the
     * largest of external, internal and inertia force, or when the correction is below this part of the body's size. */
    double tolerance;

    bool line_search; /* shorten corrections that do not lower the residual; default true */

    /* "exact" (default): the derivatives of all forces. "approximate": of the forces of elements only the linearised
     * tension, one number per edge, which stays the same while constants and step stay; for bodies of the law
     * "cloth-particles" (docs/newton.md) */
    char jacobian[32];
} sn_newton_options;

/* The nonlinearity correction of the method "kikuuwe" (docs/kikuuwe.md). */
typedef struct sn_correction_options { /* a part of sn_time_options, whose default sets and whose cookie guards it */
    bool use; /* shorten the velocities of nodes at which the linear solve misses the forces of the law; default true */

    /* V: a node may have about this speed however large the error of its forces is: m/s, above 0; default 0.1 */
    double speed;

    /* Also measure the two assumptions behind the correction. It costs a few products with the matrix per step and
     * changes no result. The step's report has the numbers. Default false. */
    bool measure;
} sn_correction_options;

/* What the nonlinearity correction of the method "kikuuwe" did in the last part of a step (docs/kikuuwe.md). */
typedef struct sn_correction_report {
    int nodes;    /* how many nodes were slowed down; 0 also with other methods */
    double least; /* the least factor of a node's velocity; 0 when there was no correction */
    /* With time.correction.measure: how far the matrix and the factors are from commuting, and how far the error is
     * from growing with the square of the factors. Relative; both 0 when no node was slowed down. */
    double commutes, squares;
} sn_correction_report;

typedef struct sn_time_options {
    uint32_t cookie; /* set by sn_time_options_default(); a struct without it is refused */
    char mode[32];   /* a name of sn_modes(): "dynamic" (default), "static" or "quasi-static" */
    char method[32]; /* a name of sn_methods(), used in mode "dynamic"; default "implicit-euler" */
    double step;     /* length of a time step: s, above 0; default 0.01 */
    double end;      /* time at which a run ends: s, at least 0; default 1. sn_world_step does not stop there */
    int load_steps;  /* mode "static": the load grows in so many equal fractions, 1 to 1e6; default 1 */

    /* Adaptive methods: the allowed error of a step, relative to the size of the body and to its speeds. 0 to 1;
     * default 1e-6. 0: steps of fixed length. */
    double tolerance;

    sn_newton_options newton;
    int updates; /* methods "imex-euler" and "imex-midpoint": how often a step evaluates the explicit forces again, 0
                    (default) to 1000 */
    sn_correction_options correction;

    /* Refuse steps that gain energy that no force explains, and take them again in parts; default true. false: every
     * step that is finite is accepted. For comparisons of methods that blow up. */
    bool judge;
} sn_time_options;

/* ---- Linear solver ---- */

/* The linear solver finds x in A x = b. Implicit steps need it in each iteration of Newton's method. */
typedef struct sn_solver_options {
    uint32_t cookie;         /* set by sn_solver_options_default(); a struct without it is refused */
    char method[32];         /* a name of sn_solvers(); default "auto" */
    char preconditioner[32]; /* a name of sn_preconditioners(), used by iterative solvers; default "auto" */
    char operator_[32]; /* scene key "operator", a name of sn_operators(): "assembled" (default) or "assembly-free" */
    char precision[32]; /* of the assembled matrix: "auto" (default), "single" or "double". Residuals are double */
    double tolerance;   /* of the true residual ||b - A x|| / ||b||: above 0, at most 1; default 1e-6 */
    int iterations;     /* at most so many per solve, 1 to 1e9; default 500 */
    bool warm_start;    /* start from the increment of the last step; default true */

    /* Time for one solve: s, 0 to 1e9. 0 (default): no limit. When the time is up, the solver returns its best x.
     * Results then depend on the speed of the machine. */
    double budget;

    /* true (default): cg stops at a direction of negative curvature, and cg, bicgstab and qmr return their best iterate
     * when they do not converge. false: they go on as in the textbook and return the last iterate, which may be far off
     * when the matrix is not definite. For comparisons. */
    bool guard;

    int restart;  /* gmres and mixed start anew after so many basis vectors, 1 to 100; default 30 */
    double omega; /* relaxation of ssor and eisenstat: above 0, at most 1.99; default 1 */
    double drop;  /* ict leaves out entries below this part of the size of their row: 0 to 1; default 0.01 */
} sn_solver_options;

SN_API sn_time_options sn_time_options_default(void);
SN_API sn_solver_options sn_solver_options_default(void);

/* Check names and ranges. SN_BAD_INPUT when one is wrong; the message names the field and the allowed values. */
SN_API sn_status sn_time_options_check(const sn_time_options *options, sn_error *error);
SN_API sn_status sn_solver_options_check(const sn_solver_options *options, sn_error *error);

/* The names that the fields above allow, each with one line about it. *count is the length of the table. */
SN_API const sn_listing *sn_modes(int *count);
SN_API const sn_listing *sn_methods(int *count);
SN_API const sn_listing *sn_newton_kinds(int *count);
SN_API const sn_listing *sn_solvers(int *count);
SN_API const sn_listing *sn_preconditioners(int *count);
SN_API const sn_listing *sn_operators(int *count);
SN_API const sn_listing *sn_precisions(int *count);

#ifdef __cplusplus
}
#endif
#endif
