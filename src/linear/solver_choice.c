/* The choice of method, preconditioner and operator for a solve. The options name them. For `auto`, the choice depends
 * on the size, the material law, the kind of problem and the history.
 *
 * Statics starts with CG and multigrid, unless the body is small. It uses a direct factor when the iterations do not
 * reach the tolerance. CG is used for indefinite stiffness in statics too: it stops at the first direction of negative
 * curvature, and Newton's method uses the iterate that CG has reached. */
#include <string.h>

#include "solver_inside.h"

enum {
    AUTO_MULTIGRID_NODES = 600, /* `auto` uses multigrid from this size on; in dynamics the size of the largest body */
    AUTO_LUMPS_NODES = 2000,    /* `auto` uses lumps for cloth from this size on */
    AUTO_DIRECT_NODES = 20000,  /* `auto` in statics: largest size for a direct factor */
    AUTO_LDLT_NODES = 4000,     /* the same, without CHOLMOD */
    AUTO_MISSES = 3,            /* after so many misses in a row: no mixed method, and statics uses the direct factor */
};

static bool is(const char *name, const char *word) { return strcmp(name, word) == 0; }
static bool is_auto(const char *name) { return !*name || is(name, "auto"); }

/* The direct method that `auto` uses in statics; NULL when none is suitable. */
static const sn_preconditioner *auto_direct(const sn_linear *linear, const sn_choice *c, bool rescue) {
    const sn_solver_options *o = &linear->options;
    if (!is_auto(o->method) || !is_auto(o->preconditioner) || !linear->is_static || !c->assembled ||
        linear->model.basis || is(o->precision, "single"))
        return NULL;
    const bool iterates =
        linear->model.position && linear->model.nodes >= AUTO_MULTIGRID_NODES && linear->misses < AUTO_MISSES;
    if (iterates && !rescue) return NULL;
    const sn_preconditioner *cholesky = sn_direct_find("cholesky");
    if (cholesky) return linear->model.nodes <= AUTO_DIRECT_NODES ? cholesky : NULL;
    return linear->model.nodes <= AUTO_LDLT_NODES ? &sn_direct_ldlt : NULL;
}

/* Whether a law with its exact differential may make the stiffness indefinite. */
static bool may_be_indefinite(const sn_elements_model *elements, const sn_element_view *view) {
    for (int b = 0; b < elements->batch_count; ++b)
        if (sn_batch_differential(&elements->batch[b], view->projected) == SN_DIFFERENTIAL_EXACT &&
            (elements->batch[b].law->flags & SN_LAW_INDEFINITE))
            return true;
    return false;
}

/* Whether `auto` takes pressures as unknowns. Statics keeps CG where it must see negative curvature. */
static bool mixed_pays(const sn_linear *linear) {
    return !linear->model.basis && sn_volumes_pay(linear->model.elements, linear->place.view.settings) &&
           !(linear->is_static && may_be_indefinite(linear->model.elements, &linear->place.view));
}

/* Multigrid has cells of space around the nodes: a sheet that lies in folds has nodes in one cell that are far from
 * each other. Incomplete factors do not mind, and lumps are neighbours on the mesh. */
static bool has_cloth(const sn_elements_model *elements) {
    for (int b = 0; b < elements->batch_count; ++b)
        if (elements->batch[b].law->flags & SN_LAW_CLOTH) return true;
    return false;
}

/* The linearised tension is definite. Its scalar matrix has separate preconditioners. */
static sn_choice choose_scalar(const sn_solver_options *o) {
    const sn_krylov *krylov = sn_krylov_find(o->method);
    const sn_preconditioner *named =
        is_auto(o->preconditioner) ? &sn_preconditioner_ic0 : sn_preconditioner_find(o->preconditioner);
    return (sn_choice){.krylov = krylov ? krylov : &sn_krylov_cg, .preconditioner = named->scalar};
}

sn_choice sn_linear_choose(const sn_linear *linear, bool grouped, bool rescue) {
    const sn_solver_options *o = &linear->options;
    if (linear->place.view.tension) return choose_scalar(o);
    sn_choice c = {.assembled = !is(o->operator_, "assembly-free")};
    /* The symmetric part of a one-sided matrix may be indefinite: its factor is no preconditioner. */
    const bool factors = !grouped && !linear->model.elements->one_sided;
    const sn_preconditioner *chosen = factors ? auto_direct(linear, &c, rescue) : NULL,
                            *direct = chosen ? chosen : sn_direct_find(o->method);
    c.single = c.assembled && !direct &&
               (is(o->precision, "single") ||
                (is_auto(o->precision) && !linear->is_static && !has_cloth(linear->model.elements)));
    if (direct) {
        c.preconditioner = direct;
        if (chosen && !linear->operator_symmetric)
            c.krylov = &sn_krylov_gmres; /* its preconditioner is the factor of the symmetric part */
        return c;
    }
    /* Multigrid needs a mesh. A world of only rigid bodies has none: no node has a neighbour. */
    const bool meshed = linear->model.position && linear->pattern.block_count > linear->pattern.nodes;
    const int size = linear->is_static ? linear->model.nodes : linear->largest;
    const bool large = c.assembled && meshed && size >= AUTO_MULTIGRID_NODES;
    if (!is_auto(o->method))
        c.krylov = sn_krylov_find(o->method);
    else if (!linear->operator_symmetric)
        c.krylov = &sn_krylov_bicgstab;
    else if (large && !rescue && linear->misses < AUTO_MISSES && mixed_pays(linear))
        c.krylov = &sn_krylov_mixed;
    else
        c.krylov = may_be_indefinite(linear->model.elements, &linear->place.view) && !linear->is_static
                       ? &sn_krylov_minres
                       : &sn_krylov_cg;
    c.mixed = c.krylov->mixed && c.assembled && linear->operator_symmetric && linear->model.elements->patches;
    /* A second round of refinement would lose the whole basis of a mixed method. */
    if (c.mixed && is_auto(o->precision)) c.single = false;
    if (c.krylov->own)
        c.preconditioner = c.krylov->own;
    else
        c.preconditioner = !is_auto(o->preconditioner) ? sn_preconditioner_find(o->preconditioner)
                           : linear->model.basis       ? &sn_preconditioner_block_jacobi
                           : c.assembled && has_cloth(linear->model.elements)
                               ? (size >= AUTO_LUMPS_NODES ? &sn_preconditioner_ic0_lumps : &sn_preconditioner_ic0)
                           : large ? &sn_preconditioner_multigrid
                                   : &sn_preconditioner_block_jacobi;
    return c;
}
