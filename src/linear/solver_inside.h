/* The state that the parts of the solver share: solver.c (creation; the solve as a table of contents), solver_choice.c
 * (choice of method), solver_prepare.c (exact operator, matrix and preconditioner), solver_refine.c (refinement),
 * solver_mass.c (mass matrix), solver_remember.c (data that one solve leaves to the next ones, for saved states). */
#ifndef SN_LINEAR_SOLVER_INSIDE_H
#define SN_LINEAR_SOLVER_INSIDE_H

#include "linear/basis.h"
#include "linear/krylov/span.h"
#include "linear/matrix/assembly.h"
#include "linear/matrix/coupling.h"
#include "linear/matrix/kernels.h"
#include "linear/matrix/scalar.h"
#include "linear/matrix/slaves.h"
#include "linear/matrix/volume.h"
#include "linear/precondition/coupled.h"
#include "solver.h"

enum { SN_REFINE_VECTORS = 4 }; /* r, e, the right-hand side, the best x */

/* Linearised elements, and the numbers that their weights were made for. The settings start at revision 0. */
typedef struct sn_linearised {
    double *value;
    double d, k;
    int64_t parameters; /* revision of the settings; -1: there are no weights yet */
} sn_linearised;

/* The (m, d, k) that a matrix, diagonal or element cache was made for at the present place. */
typedef struct sn_made {
    bool valid;
    double m, d, k;
} sn_made;

/* The linearisation of the solver, and the record of everything that was made for it. A new linearisation clears the
 * record. `place` is the point (t, x, v) of the linearisation. */
typedef struct sn_linear_place {
    int64_t number; /* counts the places; 0: none yet */
    double *x, *v;  /* copies, n scalars each; the view points to them */
    sn_element_view view;
    const sn_block_list *stiffness, *damping; /* NULL for none */
    const double *rayleigh_mass;              /* NULL for none */
    sn_made matrix, diagonal, cache;
    sn_made listed;   /* `listed` of the solver belongs to the matrix: only the listed blocks may have changed since */
    sn_made damped;   /* `damped` of the solver holds the product of the elements with this d */
    sn_made factored; /* the preconditioner's data were made at this place and with this filter, for these numbers */
    bool prepared;    /* the preconditioner's data belong to this matrix and filter */
    bool copied;      /* those data were made for the matrix, not for the exact operator */
    bool corrected;   /* the correction for coupled bodies was made, or left out */
    bool stiff;       /* block-Jacobi needs this correction */
} sn_linear_place;

struct sn_linear {
    sn_context *context;
    sn_linear_model model;
    sn_solver_options options;
    bool is_static;
    sn_pattern pattern;
    sn_scatter_map map;
    sn_mass mass;

    sn_linear_place place;

    /* ---- Can be rebuilt ---- */
    sn_matrix matrix;
    sn_listed listed;        /* what is below the listed blocks */
    sn_coupling coupling;    /* the blocks of the matrix that have no place in the pattern */
    sn_assembly assembly;    /* of the operator that runs now */
    sn_source source;        /* the origin of that operator */
    bool operator_symmetric; /* the exact operator that runs now is symmetric */
    bool symmetric, exact;   /* the matrix: symmetric as assembled; equal to A up to rounding in double precision */
    bool parted;             /* the matrix lacks the stiff volumes, which are in `volumes` */
    sn_volumes volumes;      /* without memory until a method is mixed */
    double *diagonal;        /* nodes x 9 */
    sn_linearised cache;     /* of the element products, elements->linearised_size numbers; NULL until needed */
    sn_linearised next;      /* the next cache: `kept` points into it when the elements are `turned` */
    sn_kept_rotations kept;
    bool left; /* `kept` holds the rotations of the last force evaluation */
    sn_edges edges;
    sn_scalar scalar;                        /* of the linearised tension; without memory until a place asks for it */
    sn_filter_copy filter;                   /* of the last solve; preconditioners point to it */
    const sn_preconditioner *preconditioner; /* the owner of `data` */
    void *data;
    sn_coupled_block coupled; /* corrects the preconditioner for the coupling of the matrix */
    sn_basis basis;           /* of hierarchical unknowns; without memory when model.basis is NULL */
    double *scratch;
    int64_t scratch_size;
    sn_folding folding; /* with slaves */
    double *followed;   /* the same: a vector */
    double *damped;     /* a vector, and behind it the product of the elements' damping with it; NULL until needed */

    struct sn_corotated *corotated; /* of coarse tets with Green's strain; NULL: none (corotated.h) */

    void *mass_data; /* diagonal preconditioner of a coupled mass */

    int span; /* number of expected directions */
    const double *direction[SN_SPAN];

    sn_watch watch;
    double m, d, k; /* of the exact operator that runs now */
    int largest;    /* nodes of the largest part of the mesh that hangs together */
    int stiff;      /* so many linearisations more take the coupling of bodies as stiff (coupled.h) */
    int misses;     /* `auto` in statics or mixed: solves in a row whose iteration did not reach the tolerance */
};

/* The methods that run a solve. */
typedef struct sn_choice {
    const sn_krylov *krylov;                 /* NULL for a direct method */
    const sn_preconditioner *preconditioner; /* or the direct method */
    bool assembled, single;
    bool mixed; /* the matrix is made without its stiff volumes */
} sn_choice;
/* solver_choice.c. `grouped`: the filter has rigid groups, which direct methods do not support. `rescue`: the first
 * choice of `auto` failed, so choose the next one. */
sn_choice sn_linear_choose(const sn_linear *linear, bool grouped, bool rescue);

/* solver.c: chooses the methods of a solve and makes all that they need but the data of the preconditioner. */
sn_status sn_linear_ready(sn_linear *linear, double m, double d, double k, const sn_filter *filter, bool rescue,
                          sn_choice *choice, sn_linear_report *report, sn_error *error);

/* solver_prepare.c */
sn_assembly sn_linear_assembly(const sn_linear *linear);
/* Makes matrix, diagonal, filter and scratch for a solve with the (m, d, k) of the exact operator that runs now. */
sn_status sn_linear_prepare(sn_linear *linear, const sn_choice *c, const sn_filter *filter, sn_linear_report *report,
                            sn_error *error);
/* Makes scratch for the refinement and for this many more vectors. */
sn_status sn_linear_ensure_scratch(sn_linear *linear, int vectors, sn_error *error);
void sn_linear_ensure_cache(sn_linear *linear);
/* Whether a solve leaves out the correction for coupled bodies, and notes that it is needed after all. */
bool sn_linear_light(const sn_linear *linear, const sn_choice *c);
void sn_linear_note_stiff(sn_linear *linear);
/* Makes the data of the preconditioner, or the factor. */
sn_status sn_linear_ensure_data(sn_linear *linear, const sn_choice *c, const sn_operator *op, sn_error *error);
void sn_linear_release_data(sn_linear *linear);
void sn_linear_release_matrix(sn_linear *linear);
/* Makes room for the matrix in single or in double precision. Its coupling stays as it is. */
sn_status sn_linear_reserve_matrix(sn_linear *linear, bool single, sn_error *error);
/* Makes room for the volumes that a mixed method takes out of the matrix. */
sn_status sn_linear_reserve_volumes(sn_linear *linear, sn_error *error);
/* Builds the coupling of the matrix from d times the damping and k times the stiffness of the linearisation. */
sn_status sn_linear_couple(sn_linear *linear, double d, double k, const int32_t *place, sn_error *error);
/* Makes room for the cache of the element products. Without memory for it, the products are only slower. */
bool sn_linear_have_cache(sn_linear *linear);
/* The operator that the method iterates on: the matrix (`copy`) or the exact operator. */
sn_operator sn_linear_operator(sn_linear *linear, bool copy);
/* r = S (b - A x) with the exact operator. */
void sn_linear_residual(const sn_linear *linear, const double *b, const double *x, double *r);

/* solver_refine.c: refines x until it meets the tolerance. *trouble: why the method stopped early, or NULL. */
sn_status sn_linear_refine(sn_linear *linear, const sn_choice *c, const double *b, double *x, double tolerance,
                           sn_linear_report *report, const char **trouble, sn_error *error);

/* solver_refine.c: e = A~^-1 r, approximately, by the method on its operator. `strict`: of hierarchical unknowns, the
 * part of the goal that the method must reach in its own norm. krylov: the scratch of the method. */
void sn_linear_method(sn_linear *linear, const sn_choice *c, const sn_operator *op, const double *r, double *e,
                      double strict, double goal, int iterations, double *krylov, sn_krylov_report *report);

/* solver_mass.c */
sn_status sn_linear_couple_mass(sn_linear *linear, sn_error *error);

#endif
