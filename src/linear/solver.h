/* Linear solvers: the interface that a method implements, and the solver that a system owns.
 *
 * The matrix of a solve is
 *   A = m M + d D + k K   with M the mass, D = -df/dv, K = -df/dx, filtered by the constraints.
 *
 * A Krylov method is one file krylov_<name>.c with one table. A preconditioner is one file preconditioner_<name>.c with
 * one table.
 *
 * A method iterates on an operator. That operator may be a single-precision copy of A. sn_linear_solve wraps the
 * method: it computes the residual b - A x with the exact operator in double precision, lets the method reduce the
 * residual, and repeats until the true residual meets the tolerance. When the copy does not help, the exact operator
 * takes its place. */
#ifndef SN_LINEAR_SOLVER_H
#define SN_LINEAR_SOLVER_H

#include <stdbool.h>

#include "linear/matrix/filter.h"
#include "linear/matrix/matrix.h"
#include "mesh/levels.h"
#include "sinew/options.h"

enum { SN_RESTART_MAX = 100 }; /* the largest `restart` of gmres */

/* The record of a running solve for its caller: the residuals so far, and the time at which the solve must give up. */
typedef struct sn_watch {
    double *history; /* 2-norms, one per iteration, the latest last */
    int count, capacity;
    double deadline; /* in seconds of sn_seconds(); 0: no deadline */
    bool late;
} sn_watch;

/* The origin of a matrix, for preconditioners that need more than its values. */
typedef struct sn_source {
    const struct sn_assembly *assembly; /* elements, listed blocks and (m, d, k) (assembly.h); NULL: unknown */
    const double *rest;                 /* nodes x 3, rest positions; NULL when there are none */
    const double *now;                  /* nodes x 3, the positions of the linearisation */
    int64_t place;                      /* number of the linearisation; together with (m, d, k) it names the matrix */
    const sn_levels *levels;            /* nested levels of the mesh; NULL: none */
    bool relisted; /* the data of the preconditioner are of this place and filter, but the listed blocks have changed */
} sn_source;

/* y = A x, not filtered. The method passes a filtered x and filters y itself. */
typedef struct sn_operator {
    const sn_context *context;
    int n; /* scalars */
    void (*apply)(const void *self, const double *x, double *y);
    const void *self;
    const sn_matrix *matrix;        /* the matrix that `apply` multiplies with; NULL when assembly-free */
    const struct sn_scalar *scalar; /* the scalar matrix that `apply` multiplies with (matrix/scalar.h); NULL: none */
    const double *diagonal;         /* nodes x 9, column-major diagonal blocks, for preconditioners that use them */
    /* The stiff volumes that the matrix lacks, for methods that are `mixed`; NULL: the matrix is whole. */
    const struct sn_volumes *volumes;
    /* The origin of the matrix. NULL: unknown, so the matrix may be a different one each time. */
    const sn_source *source;
    bool symmetric;
    /* y = A^T x, for an operator that has no matrix and is not symmetric. NULL: there is no transpose. */
    void (*apply_transpose)(const void *self, const double *x, double *y);
    const sn_solver_options *options; /* restart, omega, drop; NULL for the defaults */
    sn_watch *watch;                  /* NULL when nobody watches */
    /* r = b - A x with the exact operator, when this operator is a copy of it; NULL when this operator is exact itself.
     * A method may call it now and then to correct the residual of its recursion. */
    void (*residual)(const void *self, const double *b, const double *x, double *r);
} sn_operator;

void sn_operator_apply(const sn_operator *op, const double *x, double *y);
/* y = A x; returns x . y. `partial`: sn_dot_scratch(n) doubles. */
double sn_operator_apply_dot(const sn_operator *op, const double *x, double *y, double *partial);
/* y = A^T x. Returns false when the operator has no transpose. */
bool sn_operator_apply_transpose(const sn_operator *op, const double *x, double *y);
sn_solver_options sn_operator_options(const sn_operator *op);
/* Records the residual after an iteration. Returns true when the time is up; the method then stops. The clock is read
 * only every few iterations. */
bool sn_operator_note(const sn_operator *op, int iteration, double residual);
/* The operator of an assembled matrix. */
sn_operator sn_operator_of_matrix(const sn_context *context, const sn_matrix *matrix, const double *diagonal,
                                  bool symmetric);

/* A preconditioner computes z = P r with P near A^-1 in the free directions. A direct method has the same table: its P
 * is A^-1 up to rounding. Both r and z are filtered. */
typedef struct sn_preconditioner {
    const char *name, *text;
    bool needs_matrix, needs_diagonal;
    bool needs_levels; /* needs sn_source.levels */
    bool direct;       /* needs a double-precision matrix; fails with SN_SINGULAR */
    /* Contacts with held nodes need no correction (precondition/coupled.h): the own blocks of the other nodes know
     * them. */
    bool knows_held;
    /* Creates or refreshes *data for the operator and the filter. An existing *data was made for an operator of the
     * same pattern; the preconditioner decides which parts of *data stay. On failure *data is unchanged, or released
     * and NULL. */
    sn_status (*update)(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error);
    void (*apply)(void *data, const double *r, double *z);
    /* z = P r for the nodes [begin, end) only, so that a method can fuse it with its own loops. NULL unless the
     * preconditioner treats each node separately. */
    void (*apply_range)(void *data, int begin, int end, const double *r, double *z);
    bool identity; /* z = r: a method may read r in the place of z */
    /* Reports a finished solve: its iterations, and by how many decimal digits the residual fell. May be NULL. */
    void (*feedback)(void *data, int iterations, double digits);
    /* Visits in an archive what an update takes over from earlier matrices. A reader makes *data. `op` is the operator
     * of the present matrix; *prepared: the data belong to it. NULL: an update needs nothing but the operator. */
    sn_status (*remember)(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                          bool *prepared, sn_archive *archive, sn_error *error);
    void (*release)(sn_context *context, void *data);
    const struct sn_preconditioner *scalar; /* the same for a scalar matrix (matrix/scalar.h); NULL: there is none */
} sn_preconditioner;

typedef struct sn_krylov_report {
    int iterations;
    double residual;     /* 2-norm for the returned x, as the method's recursion gives it */
    sn_status status;    /* SN_OK; or SN_NOT_CONVERGED: out of iterations, or `trouble` */
    const char *trouble; /* why the method stopped early: "negative curvature", ...; NULL when it did not */
    /* Out of iterations or time: x is the last iterate. It is the nearest to the solution in the norm of A, even when
     * its residual is not the smallest. */
    bool last;
    const double *left; /* b - A x in the scratch of the method, with its A; NULL: the method has not kept it */
} sn_krylov_report;

typedef struct sn_krylov {
    const char *name, *text;
    bool needs_definite, needs_symmetric;
    bool needs_transpose; /* only when the operator is not symmetric */
    bool restarted;       /* needs `restart` scratch vectors in addition to `vectors` */
    bool mixed;           /* takes a matrix without its stiff volumes (matrix/volume.h), where bodies have any */
    const sn_preconditioner *own; /* the only preconditioner that the method works with; NULL: any */
    int vectors;                  /* number of scratch vectors of n doubles, besides 4 x sn_dot_scratch(n) doubles */
    /* Solves A x = b from x = 0 until ||b - A x|| <= goal, in at most `iterations` iterations. b is filtered, and so is
     * the returned x. The method returns its best iterate. scratch: vectors x n, then 4 x sn_dot_scratch(n) doubles. */
    void (*solve)(const sn_operator *op, const sn_preconditioner *preconditioner, void *data, const sn_filter *filter,
                  const double *b, double *x, double goal, int iterations, double *scratch, sn_krylov_report *report);
} sn_krylov;

/* ---- Registry (registry.c) ----
 *
 * X(symbol, name, text): one line per method, and one file per line. The file defines the table sn_<symbol> and takes
 * its name and text from here with SN_LISTED. The name of a solver is the name of a Krylov method or of a direct
 * method. */
#define SN_KRYLOVS(X)                                                                                                  \
    X(krylov_cg, "cg", "conjugate gradients, for symmetric positive definite matrices")                                \
    X(krylov_minres, "minres", "minimal residuals, for symmetric matrices, definite or not")                           \
    X(krylov_qmr, "qmr", "quasi-minimal residuals by coupled two-term recurrences, for any matrix")                    \
    X(krylov_bicgstab, "bicgstab", "stabilised biconjugate gradients, for any matrix")                                 \
    X(krylov_gmres, "gmres", "generalised minimal residuals with restarts, for any matrix")                            \
    X(krylov_mixed, "mixed",                                                                                           \
      "generalised minimal residuals for displacements and pressures, for nearly incompressible bodies")               \
    X(krylov_eisenstat, "eisenstat",                                                                                   \
      "conjugate gradients with SSOR at half the work, for symmetric positive definite matrices")
#if defined(SN_HAVE_CHOLMOD)
#define SN_DIRECT_CHOLESKY(X)                                                                                          \
    X(direct_cholesky, "cholesky", "direct: supernodal Cholesky factor (CHOLMOD, ordered by METIS)")
#else
#define SN_DIRECT_CHOLESKY(X)
#endif
#define SN_DIRECTS(X)                                                                                                  \
    X(direct_ldlt, "ldlt",                                                                                             \
      "direct: sparse L D L^T factor without dependencies, also for indefinite matrices; for small bodies")            \
    SN_DIRECT_CHOLESKY(X)
#define SN_PRECONDITIONERS(X)                                                                                          \
    X(preconditioner_none, "none", "no preconditioner")                                                                \
    X(preconditioner_diagonal, "diagonal", "the inverse of the diagonal (Jacobi)")                                     \
    X(preconditioner_block_jacobi, "block-jacobi", "the inverses of the 3 x 3 diagonal blocks")                        \
    X(preconditioner_multigrid, "multigrid",                                                                           \
      "a cycle of multigrid on lattices over the mesh; the choice for large bodies")                                   \
    X(preconditioner_hierarchical, "hierarchical",                                                                     \
      "the block diagonal in the hierarchical basis, for meshes with levels; the coarsest level is solved")            \
    X(preconditioner_bpx, "bpx",                                                                                       \
      "the block diagonals of all levels, for meshes with levels; the coarsest level is solved")                       \
    X(preconditioner_ssor, "ssor", "symmetric successive over-relaxation by 3 x 3 blocks")                             \
    X(preconditioner_ic0, "ic0", "incomplete Cholesky factor on the pattern of the matrix, by 3 x 3 blocks")           \
    X(preconditioner_ict, "ict", "incomplete Cholesky factor with a drop tolerance, by 3 x 3 blocks")                  \
    X(preconditioner_ic0_lumps, "ic0-lumps", "ic0 together with rigid motions of groups of nodes; the choice for cloth")

#define SN_DECLARE_KRYLOV(symbol, name, text) extern const sn_krylov sn_##symbol;
#define SN_DECLARE_PRECONDITIONER(symbol, name, text) extern const sn_preconditioner sn_##symbol;
extern const sn_preconditioner sn_scalar_diagonal, sn_scalar_ssor, sn_scalar_ic0; /* precondition/scalar.c */
#define SN_DECLARE_NAMES(symbol, name, text) extern const char sn_##symbol##_name[], sn_##symbol##_text[];
SN_KRYLOVS(SN_DECLARE_KRYLOV)
SN_DIRECTS(SN_DECLARE_PRECONDITIONER)
SN_PRECONDITIONERS(SN_DECLARE_PRECONDITIONER)
SN_KRYLOVS(SN_DECLARE_NAMES)
SN_DIRECTS(SN_DECLARE_NAMES)
SN_PRECONDITIONERS(SN_DECLARE_NAMES)
#define SN_LISTED(symbol) .name = sn_##symbol##_name, .text = sn_##symbol##_text

/* The number of scratch vectors that a method needs with these options. */
int sn_krylov_vectors(const sn_krylov *krylov, const sn_solver_options *options);
/* Each finds a table by name; NULL when the name is unknown. */
const sn_krylov *sn_krylov_find(const char *name);
const sn_preconditioner *sn_direct_find(const char *name);
const sn_preconditioner *sn_preconditioner_find(const char *name);
/* SN_BAD_INPUT when an option differs from its default and has no effect with the others. */
sn_status sn_solver_options_used(const sn_solver_options *options, sn_error *error);
/* SN_UNSUPPORTED when a solver with these options refuses every system. `grouped`: the filter has rigid groups.
 * `unsymmetric`: the operator may be unsymmetric. */
sn_status sn_solver_options_allow(const sn_solver_options *options, bool grouped, bool unsymmetric, sn_error *error);
/* SN_UNSUPPORTED when they do not go with the linearised tension alone (sn_element_view.tension). */
sn_status sn_solver_options_split(const sn_solver_options *options, sn_error *error);
/* The options' fields, for the scene and the reference (base/fields.h). */
const sn_option *sn_solver_fields(int *count);

typedef struct sn_linear_report {
    int iterations;
    int rounds;                          /* how often the true residual was computed */
    double residual;                     /* ||b - A x|| / ||b||, the true one, in double precision */
    const char *method, *preconditioner; /* the names of those that ran */
    bool fallback;                       /* the single-precision copy did not help, so the exact operator took over */
    double assembly_seconds, setup_seconds, solve_seconds;
} sn_linear_report;

/* ---- The solver of one system ---- */
typedef struct sn_linear sn_linear;

/* The parts that a solver is made from. All pointers must outlive the solver. */
typedef struct sn_linear_model {
    int nodes;
    const sn_elements_model *elements;
    const double *position; /* nodes x 3, rest positions; NULL: no multigrid */
    /* Lumped mass per node, kg. Elements with a consistent mass contribute nothing here. */
    const double *mass;
    /* The element masses of a consistent mass come from here; NULL when the mass is lumped. */
    const sn_batch_source *source;
    const uint8_t *source_consistent; /* per source: 1 when its mass is consistent */
    int source_count;
    const sn_levels *levels; /* nested levels of the bodies; NULL: no body has levels */
    /* The levels of the bodies whose unknowns are hierarchical (basis.h); the nodes of other bodies are loose. NULL:
     * all unknowns are nodal. */
    const sn_levels *basis;
    const struct sn_slaves *slaves; /* hanging nodes (matrix/slaves.h), for assembled operators; NULL: none */
    const int32_t (*pair)[2];       /* node pairs that are coupled in addition to those of the elements */
    int pair_count;
    const struct sn_kept_rows *kept; /* rows of the pattern of another solver, for sn_linear_create alone; NULL: none */
} sn_linear_model;

sn_status sn_linear_create(sn_context *context, const sn_linear_model *model, const sn_solver_options *options,
                           bool is_static, sn_linear **linear, sn_error *error);
void sn_linear_destroy(sn_linear *linear);
const struct sn_pattern *sn_linear_pattern(const sn_linear *linear);
const struct sn_scatter_map *sn_linear_map(const sn_linear *linear); /* NULL: no matrix has needed it */
/* Changes tolerance, method and the other options between steps. */
sn_status sn_linear_options(sn_linear *linear, const sn_solver_options *options, sn_error *error);

/* out = M v, and out = M^-1 f. A consistent mass is solved by CG to 1e-14. The filter may be NULL. */
void sn_linear_mass_product(const sn_linear *linear, const double *v, double *out);
/* v . M v / 2. `scratch`: 3 numbers per node. */
double sn_linear_kinetic(const sn_linear *linear, const double *v, double *scratch);
sn_status sn_linear_mass_solve(sn_linear *linear, const sn_filter *filter, const double *f, double *out,
                               sn_error *error);

/* Sets the linearisation: K and D of the elements at `view`, plus the given blocks (NULL for none). `rayleigh_mass` is
 * the a of D = a M per node (NULL for none). x and v are copied. The other arrays of `view` and the lists must stay
 * valid until the last solve with this linearisation.
 *
 * view->kept is sn_linear_kept when the last force evaluation was at the same place, otherwise NULL. Everything that
 * was made for the previous linearisation is remade when it is needed. */
void sn_linear_linearise(sn_linear *linear, const sn_element_view *view, const sn_block_list *stiffness,
                         const sn_block_list *damping, const double *rayleigh_mass);
/* Other blocks at the place of the last linearisation. The linearised elements stay. */
void sn_linear_relist(sn_linear *linear, const sn_block_list *stiffness, const sn_block_list *damping);
/* Where a force evaluation stores its rotations, so that a linearisation at the same place can use them again. NULL:
 * the solver keeps no rotations. */
sn_kept_rotations *sn_linear_kept(sn_linear *linear);
/* Announces a force evaluation that will fill the kept rotations. The rotations of the previous evaluation are
 * dropped. */
sn_kept_rotations *sn_linear_visit(sn_linear *linear);
/* The recalled stress (fem/prony.h) of the last linearisation is in this array from now on. */
void sn_linear_recalled(sn_linear *linear, const double *recalled);
/* out = (m M + d D + k K) u at the last linearisation, in double precision, unfiltered. */
void sn_linear_product(sn_linear *linear, double m, double d, double k, const double *u, double *out);
/* out = (d D + k K) u, only of the elements, at the last linearisation. */
void sn_linear_elements_product(sn_linear *linear, double d, double k, const double *u, double *out);
/* The trace of each node's diagonal block of m M + d D + k K at the last linearisation: nodes numbers. */
void sn_linear_trace(sn_linear *linear, double m, double d, double k, double *out);
/* Prepares for many products with these d and k at the last linearisation, so that each is cheap. */
void sn_linear_prepare_products(sn_linear *linear, double d, double k);
/* Solves (m M + d D + k K) x = b in the free directions. x comes in as the start, with the wanted values in the
 * constrained directions, and goes out as the solution. The matrix and the preconditioner or factor are remade when the
 * linearisation or (m, d, k) changed since the last solve. SN_NOT_CONVERGED leaves the best x. SN_SINGULAR: a direct
 * factorisation met a zero pivot. */
sn_status sn_linear_solve(sn_linear *linear, double m, double d, double k, const sn_filter *filter, const double *b,
                          double *x, double tolerance, sn_linear_report *report, sn_error *error);
/* The same with the coarse tets of the elements that have Green's strain (corotated.h), from the positions `at`. */
sn_status sn_linear_solve_corotated(sn_linear *linear, double m, double d, double k, const sn_filter *filter,
                                    const double *at, const double *b, double *x, double tolerance,
                                    sn_linear_report *report, sn_error *error);
/* Gives directions that likely contain much of the next solution: n scalars each, at most SN_SPAN of them (span.h).
 * When its matrix is in single precision, the next solve ignores the given start in the free directions and starts from
 * the best point in the span of the directions. It then forgets the directions. */
void sn_linear_expect(sn_linear *linear, int count, const double *const *direction);
/* The residuals of the last solve relative to its right-hand side: the residual of the start, then one per iteration.
 * They come from the method's recursion; where a round of refinement ended, the true residual stands instead. A very
 * long solve keeps only the latest ones. Valid until the next solve. */
const double *sn_linear_history(const sn_linear *linear, int *count);
/* Drops everything that can be rebuilt. The next solve then starts as in a fresh process. */
void sn_linear_refresh(sn_linear *linear);
/* Visits in an archive everything from earlier solves that the bits of later solves depend on. `whole`: the present
 * linearisation will serve again, so it is a part of that. A reader has refreshed the solver before. The last four
 * arguments are those of sn_linear_linearise; x and v of the view come from the archive. */
sn_status sn_linear_remember(sn_linear *linear, bool whole, sn_archive *archive, const sn_element_view *view,
                             const sn_block_list *stiffness, const sn_block_list *damping, const double *rayleigh_mass,
                             sn_error *error);

#endif
