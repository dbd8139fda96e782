/* Linear solvers: what a method sees, and the solver that a system owns.
 *
 *   A = m M + d D + k K   with M the mass, D = -df/dv, K = -df/dx, filtered by the constraints.
 *
 * A Krylov method is one file krylov_<name>.c with one table; a preconditioner is one file preconditioner_<name>.c with one table. Methods
 * iterate on an operator that may be a single-precision copy of A. sn_linear_solve wraps them: it takes the residual b - A x with the exact
 * operator in double, lets the method reduce it, and repeats until the true residual meets the tolerance; an operator copy that does
 * not help is replaced by the exact one. */
#ifndef SN_LINEAR_SOLVER_H
#define SN_LINEAR_SOLVER_H

#include <stdbool.h>

#include "linear/matrix/filter.h"
#include "linear/matrix/matrix.h"
#include "sinew/options.h"

enum { SN_RESTART_MAX = 100 }; /* of gmres */

/* What a solve leaves behind for its caller while it runs: the residuals, and when to give up. */
typedef struct sn_watch {
    double *history; /* 2-norms, one per iteration, the latest last */
    int count, capacity;
    double deadline; /* of sn_seconds(); 0 for none */
    bool late;
} sn_watch;

/* What a matrix was made from, for preconditioners that look behind it. */
typedef struct sn_source {
    const struct sn_assembly *assembly; /* elements, listed blocks and (m, d, k) (assembly.h); NULL: unknown */
    const double *rest;                 /* nodes x 3, rest positions; NULL when there are none */
    const double *now;                  /* nodes x 3, the positions that it was linearised at */
    int64_t place;                      /* number of the linearisation: with (m, d, k) it names the matrix */
} sn_source;

/* y = A x, not filtered: the method calls it with filtered x and filters y itself. */
typedef struct sn_operator {
    const sn_context *context;
    int n; /* scalars */
    void (*apply)(const void *self, const double *x, double *y);
    const void *self;
    const sn_matrix *matrix; /* what `apply` multiplies with; NULL when assembly-free */
    const double *diagonal;  /* nodes x 9, column-major diagonal blocks; for preconditioners that need it */
    const sn_source *source; /* of the matrix; NULL: unknown, it may be another matrix each time */
    bool symmetric;
    /* y = A^T x when neither a matrix nor symmetry gives it; NULL: then there is none. */
    void (*apply_transpose)(const void *self, const double *x, double *y);
    const sn_solver_options *options; /* restart, omega, drop; NULL for the defaults */
    sn_watch *watch;                  /* NULL when nobody watches */
    /* r = b - A x with the exact operator that this one is a copy of; NULL when it is exact itself. Methods may use it now and then to keep
     * the residual of their recursion true. */
    void (*residual)(const void *self, const double *b, const double *x, double *r);
} sn_operator;

void sn_operator_apply(const sn_operator *op, const double *x, double *y);
/* The same, and returns x . y; `partial`: sn_dot_scratch(n) doubles. */
double sn_operator_apply_dot(const sn_operator *op, const double *x, double *y, double *partial);
/* y = A^T x; false when the operator has no transpose. */
bool sn_operator_apply_transpose(const sn_operator *op, const double *x, double *y);
sn_solver_options sn_operator_options(const sn_operator *op);
/* Notes the residual after an iteration. Returns true when the time is up: the method then stops. The clock is read every few iterations.
 */
bool sn_operator_note(const sn_operator *op, int iteration, double residual);
/* The operator of an assembled matrix. */
sn_operator sn_operator_of_matrix(const sn_context *context, const sn_matrix *matrix, const double *diagonal, bool symmetric);

/* A preconditioner, z = P r with P near A^-1 in the free directions; or a direct method, whose P is A^-1 up to rounding. r is filtered, and
 * so is z. */
typedef struct sn_preconditioner {
    const char *name, *text;
    bool needs_matrix, needs_diagonal;
    bool direct; /* needs a double-precision matrix; fails with SN_SINGULAR */
    /* Creates or refreshes *data for the operator and filter; an existing *data belongs to an operator of the same pattern. The
     * preconditioner decides what of it may stay. On failure *data is what it was, or NULL and released. */
    sn_status (*update)(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data, sn_error *error);
    void (*apply)(void *data, const double *r, double *z);
    /* For preconditioners that act on each node alone: the nodes [begin, end), so that methods can fuse it with their own loops. Else NULL.
     */
    void (*apply_range)(void *data, int begin, int end, const double *r, double *z);
    /* How many iterations a solve with it took, and by how many decimal digits the residual fell; NULL when it does not care. */
    void (*feedback)(void *data, int iterations, double digits);
    void (*release)(sn_context *context, void *data);
} sn_preconditioner;

typedef struct sn_krylov_report {
    int iterations;
    double residual;     /* 2-norm, of the recursion, of the x that is returned */
    sn_status status;    /* SN_OK, or SN_NOT_CONVERGED: out of iterations, or `trouble` */
    const char *trouble; /* why it stopped early: "negative curvature", ...; NULL when it did not */
    bool last;           /* out of iterations or time: x is the last iterate, the nearest in the matrix's norm whatever its residual */
} sn_krylov_report;

typedef struct sn_krylov {
    const char *name, *text;
    bool needs_definite, needs_symmetric;
    bool needs_transpose;         /* when the operator is not symmetric */
    bool restarted;               /* wants `restart` scratch vectors more than `vectors` */
    const sn_preconditioner *own; /* the preconditioner that it works with, and no other; NULL: any */
    int vectors;                  /* scratch vectors of n doubles that it wants, besides 4 x sn_dot_scratch(n) doubles */
    /* Solves A x = b from x = 0 to ||b - A x|| <= goal, at most `iterations`. b is filtered; x comes back filtered. Keeps the best iterate.
     * scratch: vectors x n, then 4 x sn_dot_scratch(n) doubles. */
    void (*solve)(const sn_operator *op, const sn_preconditioner *preconditioner, void *data, const sn_filter *filter, const double *b,
                  double *x, double goal, int iterations, double *scratch, sn_krylov_report *report);
} sn_krylov;

/* ---- Registry (registry.c) ----
 * X(symbol, name, text): one line per method, one file each, which defines the table sn_<symbol> and takes name and text by SN_LISTED. A
 * name of a solver is one of a Krylov method or of a direct one. */
#define SN_KRYLOVS(X)                                                                                                                      \
    X(krylov_cg, "cg", "conjugate gradients, for symmetric positive definite matrices")                                                    \
    X(krylov_minres, "minres", "minimal residuals, for symmetric matrices, definite or not")                                               \
    X(krylov_qmr, "qmr", "quasi-minimal residuals by coupled two-term recurrences, for any matrix")                                        \
    X(krylov_bicgstab, "bicgstab", "stabilised biconjugate gradients, for any matrix")                                                     \
    X(krylov_gmres, "gmres", "generalised minimal residuals with restarts, for any matrix")                                                \
    X(krylov_eisenstat, "eisenstat", "conjugate gradients with SSOR at half the work, for symmetric positive definite matrices")
#if defined(SN_HAVE_CHOLMOD)
#define SN_DIRECT_CHOLESKY(X) X(direct_cholesky, "cholesky", "direct: supernodal Cholesky factor (CHOLMOD, ordered by METIS)")
#else
#define SN_DIRECT_CHOLESKY(X)
#endif
#define SN_DIRECTS(X)                                                                                                                      \
    X(direct_ldlt, "ldlt", "direct: sparse L D L^T factor of our own, also for indefinite matrices; for small bodies")                     \
    SN_DIRECT_CHOLESKY(X)
#define SN_PRECONDITIONERS(X)                                                                                                              \
    X(preconditioner_none, "none", "no preconditioner")                                                                                    \
    X(preconditioner_diagonal, "diagonal", "the inverse of the diagonal (Jacobi)")                                                         \
    X(preconditioner_block_jacobi, "block-jacobi", "the inverses of the 3 x 3 diagonal blocks")                                            \
    X(preconditioner_multigrid, "multigrid", "a cycle of multigrid on lattices over the mesh; the choice for large bodies")                \
    X(preconditioner_ssor, "ssor", "symmetric successive over-relaxation by 3 x 3 blocks")                                                 \
    X(preconditioner_ic0, "ic0", "incomplete Cholesky factor on the pattern of the matrix, by 3 x 3 blocks")                               \
    X(preconditioner_ict, "ict", "incomplete Cholesky factor with a drop tolerance, by 3 x 3 blocks")

#define SN_DECLARE_KRYLOV(symbol, name, text) extern const sn_krylov sn_##symbol;
#define SN_DECLARE_PRECONDITIONER(symbol, name, text) extern const sn_preconditioner sn_##symbol;
#define SN_DECLARE_NAMES(symbol, name, text) extern const char sn_##symbol##_name[], sn_##symbol##_text[];
SN_KRYLOVS(SN_DECLARE_KRYLOV)
SN_DIRECTS(SN_DECLARE_PRECONDITIONER)
SN_PRECONDITIONERS(SN_DECLARE_PRECONDITIONER)
SN_KRYLOVS(SN_DECLARE_NAMES)
SN_DIRECTS(SN_DECLARE_NAMES)
SN_PRECONDITIONERS(SN_DECLARE_NAMES)
#define SN_LISTED(symbol) .name = sn_##symbol##_name, .text = sn_##symbol##_text

/* Scratch vectors that a method wants with these options. */
int sn_krylov_vectors(const sn_krylov *krylov, const sn_solver_options *options);
/* By name; NULL when unknown. */
const sn_krylov *sn_krylov_find(const char *name);
const sn_preconditioner *sn_direct_find(const char *name);
const sn_preconditioner *sn_preconditioner_find(const char *name);
/* The options' fields, for the scene and the reference (base/fields.h). */
struct sn_field;
const struct sn_field *sn_solver_fields(int *count);

typedef struct sn_linear_report {
    int iterations;
    int rounds;                          /* how often the true residual was taken */
    double residual;                     /* ||b - A x|| / ||b||, true, in double */
    const char *method, *preconditioner; /* what ran */
    bool fallback;                       /* the single-precision copy did not help and the exact operator took over */
    double assembly_seconds, setup_seconds, solve_seconds;
} sn_linear_report;

/* ---- The solver of one system ---- */
typedef struct sn_linear sn_linear;

/* What it is made from. All pointers must outlive it. */
typedef struct sn_linear_model {
    int nodes;
    const sn_elements_model *elements;
    const double *position;           /* nodes x 3, rest positions; NULL: no multigrid */
    const double *mass;               /* lumped, per node; the diagonal part also with a consistent mass (then zero) */
    const sn_batch_source *source;    /* consistent mass: element masses from here; NULL when lumped */
    const uint8_t *source_consistent; /* per source: 1 when its mass is consistent */
    int source_count;
    const int32_t (*pair)[2]; /* extra couplings */
    int pair_count;
} sn_linear_model;

sn_status sn_linear_create(sn_context *context, const sn_linear_model *model, const sn_solver_options *options, bool is_static,
                           sn_linear **linear, sn_error *error);
void sn_linear_destroy(sn_linear *linear);
/* Changes tolerance, method and so on between steps. */
sn_status sn_linear_options(sn_linear *linear, const sn_solver_options *options, sn_error *error);

/* out = M v and out = M^-1 f (consistent: CG to 1e-14; a filter may be NULL). */
void sn_linear_mass_product(const sn_linear *linear, const double *v, double *out);
sn_status sn_linear_mass_solve(sn_linear *linear, const sn_filter *filter, const double *f, double *out, sn_error *error);

/* Takes the linearisation at `view`: K and D of the elements plus the given blocks (NULL for none). x and v are copied; the other arrays of
 * `view` and the lists must stay until the last solve with it. view->kept is sn_linear_kept when the last force evaluation was at the same
 * place, else NULL. `rayleigh_mass`: per-node a of D = a M (NULL for none). Everything that was made at the last place is remade when it is
 * wanted. */
void sn_linear_linearise(sn_linear *linear, const sn_element_view *view, const sn_block_list *stiffness, const sn_block_list *damping,
                         const double *rayleigh_mass);
/* Where a force evaluation may leave its rotations for a linearisation at the same place; NULL: nowhere. */
sn_kept_rotations *sn_linear_kept(sn_linear *linear);
/* A force evaluation begins that will fill it: the rotations of the last one are gone. */
sn_kept_rotations *sn_linear_visit(sn_linear *linear);
/* out = (m M + d D + k K) u at the last linearisation, in double, unfiltered. */
void sn_linear_product(sn_linear *linear, double m, double d, double k, const double *u, double *out);
/* Makes many products with these d and k at the last linearisation cheap. */
void sn_linear_prepare_products(sn_linear *linear, double d, double k);
/* Solves (m M + d D + k K) x = b in the free directions. x: in, the start, with the wanted values in the constrained directions; out, the
 * solution. The matrix, preconditioner or factor is remade when the linearisation or (m, d, k) changed since the last solve.
 * SN_NOT_CONVERGED keeps the best x; SN_SINGULAR when a direct factorisation meets a zero pivot. */
sn_status sn_linear_solve(sn_linear *linear, double m, double d, double k, const sn_filter *filter, const double *b, double *x,
                          double tolerance, sn_linear_report *report, sn_error *error);
/* Directions that likely hold much of the next solution, n scalars each, at most SN_SPAN (span.h). When its matrix is in single precision,
 * that solve starts from the best in their span instead of what it is given in the free directions; then it forgets them. */
void sn_linear_expect(sn_linear *linear, int count, const double *const *direction);
/* The residuals of the last solve relative to its right-hand side: the start, then one per iteration of the method (of its recursion; the
 * true one where a round of refinement ended). The latest ones when it took very many. Valid until the next solve. */
const double *sn_linear_history(const sn_linear *linear, int *count);
/* Forget everything rebuildable: the next solve starts as in a fresh process. */
void sn_linear_refresh(sn_linear *linear);

#endif
