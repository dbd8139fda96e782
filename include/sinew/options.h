/* Options of time integration and of the linear solver. Every field has a key of the same name in the scene file. */
#ifndef SINEW_OPTIONS_H
#define SINEW_OPTIONS_H

#include <stdbool.h>

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_newton_options {
    char kind[32];     /* "full" (default), "one-step", "fixed", ... */
    int iterations;    /* most per step; default 10 */
    double tolerance;  /* of the residual force relative to the largest of external, internal and inertia force, or of the correction relative to
                          the body's size; default 1e-6 */
    bool line_search;  /* default true */
} sn_newton_options;

typedef struct sn_time_options {
    char mode[32];    /* "dynamic" (default), "static", "quasi-static" */
    char method[32];  /* a name of sn_methods(); default "implicit-euler" */
    double step;      /* s, above 0; default 0.01 */
    double end;       /* s, at least 0; default 1 */
    int load_steps;   /* of statics, at least 1; default 1 */
    double tolerance; /* of adaptive methods, relative; default 1e-6 */
    sn_newton_options newton;
} sn_time_options;

typedef struct sn_solver_options {
    char method[32];         /* a name of sn_solvers(); default "auto" */
    char preconditioner[32]; /* a name of sn_preconditioners(); default "auto" */
    char operator_[32];      /* scene key "operator": "assembled" (default) or "assembly-free" */
    char precision[32];      /* of the assembled matrix: "auto" (default), "single", "double". The residual is always taken in double */
    double tolerance;        /* ||b - A x|| / ||b||; default 1e-6 */
    int iterations;          /* most per solve; default 500 */
    bool warm_start;         /* start from the last step's increment; default true */
    double budget;           /* s per solve, 0 (default): none. The best x when time is up; results then depend on the machine */
    int restart;             /* basis vectors of gmres before it starts anew, 1 to 100; default 30 */
    double omega;            /* relaxation of ssor and eisenstat, above 0, at most 1.99; default 1 */
    double drop;             /* what ict leaves out, relative to the size of the row; at least 0; default 0.01 */
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
