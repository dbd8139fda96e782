/* Options: how a field is described, and the options of time integration and of the linear solver. Every field has a key of the same name
 * in the scene file. */
#ifndef SINEW_OPTIONS_H
#define SINEW_OPTIONS_H

#include <stdbool.h>

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Room for the name of a building block in an options struct, the closing zero included. */
#define SN_NAME 32

/* A factor that grows linearly from 0 at `begin` to 1 at `end` and stays 1. */
typedef struct sn_ramp {
    double begin, end; /* s; begin <= end */
    bool given;        /* false (default): the factor is 1 in dynamics, and the load fraction in statics */
} sn_ramp;

/* ---- Description of options ---- */

/* How a field lies in its struct, and how a scene gives it. */
typedef enum sn_option_type {
    SN_FIELD_DOUBLE,      /* double[count]: a number, or a list of `count` numbers */
    SN_FIELD_INT,         /* int: a whole number */
    SN_FIELD_BOOL,        /* bool: true or false */
    SN_FIELD_CHOICE,      /* char[SN_NAME]: one of `choices()`; "" stands for automatic */
    SN_FIELD_ENUM,        /* int or enum: the place in `choices()` plus `low`; a scene gives the name */
    SN_FIELD_LONG,        /* int64_t: a whole number */
    SN_FIELD_TEXT,        /* char[count]: a string */
    SN_FIELD_AXES,        /* bool[3]: a string of some of x, y, z */
    SN_FIELD_DIRECTION,   /* double[3]: three numbers, not all zero */
    SN_FIELD_RAMP,        /* sn_ramp: [begin, end] */
    SN_FIELD_KEYS,        /* const double * and int: rows of `count` numbers, the first of them a time; the times ascend */
    SN_FIELD_SELECT,      /* sn_selector */
    SN_FIELD_OWN,         /* another shape, which `text` describes */
    SN_FIELD_NEEDED = 256 /* added to a type: a scene must give the key */
} sn_option_type;

/* One field of an options struct. */
typedef struct sn_option {
    const char *name;   /* the scene's key; "newton.kind" is the key `kind` of the object `newton` */
    int type;           /* of sn_option_type */
    size_t offset;      /* bytes from the start of the struct */
    int count;          /* numbers of SN_FIELD_DOUBLE and of a row of SN_FIELD_KEYS, bytes of SN_FIELD_TEXT; 1 otherwise */
    double low, high;   /* allowed range of each number; beyond 1e300 there is no bound */
    int low_open;       /* 1: `low` itself is not allowed */
    double value;       /* default of numbers and bools */
    const char *choice; /* default of names; may be NULL */
    const sn_listing *(*choices)(int *count); /* NULL when there are none */
    const char *unit;                         /* "" when there is none */
    const char *text;
} sn_option;

/* ---- Time ---- */

typedef struct sn_newton_options {
    char kind[32];    /* "full" (default), "one-step", "fixed", ... */
    int iterations;   /* most per step; default 10 */
    double tolerance; /* of the residual force relative to the largest of external, internal and inertia force, or of the correction
                         relative to the body's size; default 1e-6 */
    bool line_search; /* default true */
} sn_newton_options;

typedef struct sn_time_options {
    uint32_t cookie;  /* set by sn_time_options_default(); a struct without it is refused */
    char mode[32];    /* "dynamic" (default), "static", "quasi-static" */
    char method[32];  /* a name of sn_methods(); default "implicit-euler" */
    double step;      /* s, above 0; default 0.01 */
    double end;       /* s, at least 0; default 1 */
    int load_steps;   /* of statics, at least 1; default 1 */
    double tolerance; /* of adaptive methods, relative; default 1e-6 */
    sn_newton_options newton;
} sn_time_options;

/* ---- Linear solver ---- */

typedef struct sn_solver_options {
    uint32_t cookie;         /* set by sn_solver_options_default(); a struct without it is refused */
    char method[32];         /* a name of sn_solvers(); default "auto" */
    char preconditioner[32]; /* a name of sn_preconditioners(); default "auto" */
    char operator_[32];      /* scene key "operator": "assembled" (default) or "assembly-free" */
    char precision[32];      /* of the assembled matrix: "auto" (default), "single", "double". The residual is always taken in double */
    double tolerance;        /* ||b - A x|| / ||b||; default 1e-6 */
    int iterations;          /* most per solve; default 500 */
    bool warm_start;         /* start from the last step's increment; default true */
    double budget; /* s per solve; 0 (default): no limit. The best x is taken when the time is up; results then depend on the machine */
    int restart;   /* basis vectors of gmres before it starts anew, 1 to 100; default 30 */
    double omega;  /* relaxation of ssor and eisenstat, above 0, at most 1.99; default 1 */
    double drop;   /* ict leaves out smaller entries, relative to the size of the row; at least 0; default 0.01 */
} sn_solver_options;

SN_API sn_time_options sn_time_options_default(void);
SN_API sn_solver_options sn_solver_options_default(void);
SN_API sn_status sn_time_options_check(const sn_time_options *options, sn_error *error);
SN_API sn_status sn_solver_options_check(const sn_solver_options *options, sn_error *error);

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
