/* What the parts of the solver share: solver.c (creation, the solve as a table of contents), solver_choice.c (what runs), solver_prepare.c
 * (the exact operator, matrix and preconditioner), solver_refine.c (refinement), solver_mass.c. */
#ifndef SN_LINEAR_SOLVER_INSIDE_H
#define SN_LINEAR_SOLVER_INSIDE_H

#include "linear/krylov/span.h"
#include "linear/matrix/assembly.h"
#include "linear/matrix/kernels.h"
#include "solver.h"

enum { SN_REFINE_VECTORS = 4 }; /* r, e, the right-hand side, the best x */

/* Linearised elements, and what their weights were made for (the settings have the revision 0 at first). */
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

/* The place that the solver is linearised at, and the record of what was made there. Another place clears the record. */
typedef struct sn_linear_place {
    int64_t number; /* counts the places; 0: none yet */
    double *x, *v;  /* own copies, n each; the view points to them */
    sn_element_view view;
    const sn_block_list *stiffness, *damping; /* NULL for none */
    const double *rayleigh_mass;              /* NULL for none */
    sn_made matrix, diagonal, cache;
    bool prepared; /* the preconditioner's data are of this matrix and filter, */
    bool copied;   /* and were made for the matrix, not for the exact operator */
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

    /* Rebuildable. */
    sn_matrix matrix;
    sn_assembly assembly;    /* of the operator that runs now, */
    sn_source source;        /* which it comes from */
    bool operator_symmetric; /* the exact operator that runs now */
    bool symmetric, exact;   /* of the matrix: as assembled; whether it is A to rounding in double */
    double *diagonal;        /* nodes x 9 */
    sn_linearised cache;     /* of the element products, elements->linearised_size; NULL until wanted */
    sn_linearised next;      /* what `kept` points to when the elements are `turned`: the cache to come */
    sn_kept_rotations kept;
    bool left; /* `kept` holds the rotations of the last force evaluation */
    sn_edges edges;
    sn_filter_copy filter;                   /* of the last solve; preconditioners point to it */
    const sn_preconditioner *preconditioner; /* whose data this is */
    void *data;
    double *scratch;
    int64_t scratch_size;

    void *mass_data; /* diagonal preconditioner of a coupled mass */

    int span; /* directions expected */
    const double *direction[SN_SPAN];

    sn_watch watch;
    double m, d, k; /* of the exact operator that runs now */
    int misses;     /* of `auto` in statics: solves in a row that were not iterated to their tolerance */
};

/* What runs. */
typedef struct sn_choice {
    const sn_krylov *krylov;                 /* NULL for a direct method */
    const sn_preconditioner *preconditioner; /* or the direct method */
    bool assembled, single;
} sn_choice;
/* solver_choice.c. `grouped`: the filter has rigid groups, which direct methods cannot serve. `rescue`: what `auto` chose did not do. */
sn_choice sn_linear_choose(const sn_linear *linear, bool grouped, bool rescue);

/* solver_prepare.c */
sn_assembly sn_linear_assembly(const sn_linear *linear);
/* Matrix, diagonal, filter and scratch for a solve with (m, d, k) of the exact operator that runs now. */
sn_status sn_linear_prepare(sn_linear *linear, const sn_choice *c, const sn_filter *filter, sn_linear_report *report, sn_error *error);
/* Scratch for the refinement and this many vectors more. */
sn_status sn_linear_ensure_scratch(sn_linear *linear, int vectors, sn_error *error);
void sn_linear_ensure_cache(sn_linear *linear);
/* The preconditioner's data or the factor. */
sn_status sn_linear_ensure_data(sn_linear *linear, const sn_choice *c, const sn_operator *op, sn_error *error);
void sn_linear_release_data(sn_linear *linear);
void sn_linear_release_matrix(sn_linear *linear);
/* The operator that the method works on: the matrix, or the exact one. */
sn_operator sn_linear_operator(sn_linear *linear, bool copy);
/* r = S (b - A x) with the exact operator. */
void sn_linear_residual(const sn_linear *linear, const double *b, const double *x, double *r);

/* solver_refine.c: refines x until the tolerance. *trouble: why the method stopped early, or NULL. */
sn_status sn_linear_refine(sn_linear *linear, const sn_choice *c, const double *b, double *x, double tolerance, sn_linear_report *report,
                           const char **trouble, sn_error *error);

/* solver_mass.c */
sn_status sn_linear_couple_mass(sn_linear *linear, sn_error *error);

#endif
