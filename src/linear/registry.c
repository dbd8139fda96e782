/* The tables of linear solvers, preconditioners and operators, and the options that name them. */
#include <string.h>

#include "base/cookie.h"
#include "base/fields.h"
#include "solver.h"

/* ---- Tables and names ---- */
#define DEFINE_NAMES(symbol, name, text)                                                                               \
    const char sn_##symbol##_name[] = name;                                                                            \
    const char sn_##symbol##_text[] = text;
SN_KRYLOVS(DEFINE_NAMES)
SN_DIRECTS(DEFINE_NAMES)
SN_PRECONDITIONERS(DEFINE_NAMES)

#define TABLE(symbol, name, text) &sn_##symbol,
static const sn_krylov *const krylov[] = {SN_KRYLOVS(TABLE)};
static const sn_preconditioner *const direct[] = {SN_DIRECTS(TABLE)};
static const sn_preconditioner *const preconditioner[] = {SN_PRECONDITIONERS(TABLE)};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

const sn_krylov *sn_krylov_find(const char *name) {
    for (int i = 0; i < COUNT(krylov); ++i)
        if (strcmp(krylov[i]->name, name) == 0) return krylov[i];
    return NULL;
}

int sn_krylov_vectors(const sn_krylov *method, const sn_solver_options *options) {
    return method->vectors + (method->restarted ? options->restart : 0);
}

const sn_preconditioner *sn_direct_find(const char *name) {
    for (int i = 0; i < COUNT(direct); ++i)
        if (strcmp(direct[i]->name, name) == 0) return direct[i];
    return NULL;
}

const sn_preconditioner *sn_preconditioner_find(const char *name) {
    for (int i = 0; i < COUNT(preconditioner); ++i)
        if (strcmp(preconditioner[i]->name, name) == 0) return preconditioner[i];
    return NULL;
}

/* ---- Listings ---- */
#define ENTRY(symbol, name, text) {name, text},
#define AUTO {"auto", "chosen by mode and size; the report names the choice"},
static const sn_listing solver_listing[] = {AUTO SN_KRYLOVS(ENTRY) SN_DIRECTS(ENTRY)};
static const sn_listing preconditioner_listing[] = {AUTO SN_PRECONDITIONERS(ENTRY)};
static const sn_listing operator_listing[] = {
    {"assembled", "the sparse matrix of 3 x 3 blocks"},
    {"assembly-free", "products element by element, in double precision, without a matrix"},
};
static const sn_listing precision_listing[] = {
    {"auto", "single in dynamics, double in statics, for cloth and for direct solvers"},
    {"single", "the matrix in single precision, residuals in double"},
    {"double", "everything in double precision"},
};

static const sn_listing *listing(const sn_listing *table, int size, int *count) {
    *count = size;
    return table;
}
const sn_listing *sn_solvers(int *count) { return listing(solver_listing, COUNT(solver_listing), count); }
const sn_listing *sn_preconditioners(int *count) {
    return listing(preconditioner_listing, COUNT(preconditioner_listing), count);
}
const sn_listing *sn_operators(int *count) { return listing(operator_listing, COUNT(operator_listing), count); }
const sn_listing *sn_precisions(int *count) { return listing(precision_listing, COUNT(precision_listing), count); }

/* ---- Options ---- */
#define PLACE(member) offsetof(sn_solver_options, member)
static const sn_field field[] = {
    {"method", SN_FIELD_CHOICE, PLACE(method), 1, 0, 0, 0, 0, "auto", sn_solvers, "", "linear solver"},
    {"preconditioner", SN_FIELD_CHOICE, PLACE(preconditioner), 1, 0, 0, 0, 0, "auto", sn_preconditioners, "",
     "preconditioner of iterative solvers"},
    {"operator", SN_FIELD_CHOICE, PLACE(operator_), 1, 0, 0, 0, 0, "assembled", sn_operators, "",
     "how products with the matrix are taken"},
    {"precision", SN_FIELD_CHOICE, PLACE(precision), 1, 0, 0, 0, 0, "auto", sn_precisions, "",
     "of the assembled matrix; residuals are always double"},
    {"tolerance", SN_FIELD_DOUBLE, PLACE(tolerance), 1, 0, 1, 1, 1e-6, NULL, NULL, "",
     "true relative residual ||b - A x|| / ||b||"},
    {"iterations", SN_FIELD_INT, PLACE(iterations), 1, 1, 1e9, 0, 500, NULL, NULL, "", "most iterations of one solve"},
    {"warm_start", SN_FIELD_BOOL, PLACE(warm_start), 1, 0, 1, 0, 1, NULL, NULL, "",
     "start from the last step's increment"},
    {"budget", SN_FIELD_DOUBLE, PLACE(budget), 1, 0, 1e9, 0, 0, NULL, NULL, "s",
     "time for one solve, 0 for no limit; a limit makes results depend on the machine"},
    {"guard", SN_FIELD_BOOL, PLACE(guard), 1, 0, 1, 0, 1, NULL, NULL, "",
     "cg, bicgstab, qmr: stop at negative curvature and return the best iterate; false: go on as in the textbook and "
     "return the last one"},
    {"restart", SN_FIELD_INT, PLACE(restart), 1, 1, SN_RESTART_MAX, 0, 30, NULL, NULL, "",
     "basis vectors of gmres and mixed before they start anew"},
    {"omega", SN_FIELD_DOUBLE, PLACE(omega), 1, 0, 1.99, 1, 1, NULL, NULL, "", "relaxation of ssor and eisenstat"},
    {"drop", SN_FIELD_DOUBLE, PLACE(drop), 1, 0, 1, 0, 1e-2, NULL, NULL, "",
     "what ict leaves out, relative to the size of the row"},
};

const sn_field *sn_solver_fields(int *count) {
    *count = COUNT(field);
    return field;
}

sn_solver_options sn_solver_options_default(void) {
    sn_solver_options options;
    memset(&options, 0, sizeof options);
    options.cookie = SN_COOKIE;
    sn_fields_default(field, COUNT(field), &options);
    return options;
}

static bool is(const char *name, const char *word) { return strcmp(name, word) == 0; }

sn_status sn_solver_options_check(const sn_solver_options *options, sn_error *error) {
    sn_status status = sn_cookie_check(options->cookie, "sn_solver_options", error);
    if (!status) status = sn_fields_check(field, COUNT(field), options, error);
    if (status) return status;
    if (sn_direct_find(options->method) && is(options->operator_, "assembly-free"))
        return sn_fail_at(error, SN_BAD_INPUT, "operator",
                          "solver.method '%s' is direct and needs a matrix: solver.operator must be assembled",
                          options->method);
    if (sn_direct_find(options->method) && is(options->precision, "single"))
        return sn_fail_at(error, SN_BAD_INPUT, "precision",
                          "solver.method '%s' is direct: solver.precision must be double or auto", options->method);
    const sn_preconditioner *p = sn_preconditioner_find(options->preconditioner);
    if (p && p->needs_matrix && is(options->operator_, "assembly-free"))
        return sn_fail_at(error, SN_BAD_INPUT, "operator",
                          "solver.preconditioner '%s' needs a matrix: solver.operator must be assembled", p->name);
    const sn_krylov *method = sn_krylov_find(options->method);
    if (method && method->own && is(options->operator_, "assembly-free"))
        return sn_fail_at(error, SN_BAD_INPUT, "operator",
                          "solver.method '%s' needs a matrix: solver.operator must be assembled", method->name);
    if (method && method->own && p && p != method->own)
        return sn_fail_at(error, SN_BAD_INPUT, "preconditioner",
                          "solver.method '%s' has %s built in: solver.preconditioner must be %s or auto, not '%s'",
                          method->name, method->own->name, method->own->name, p->name);
    return SN_OK;
}

sn_status sn_solver_options_used(const sn_solver_options *o, sn_error *error) {
    const sn_solver_options usual = sn_solver_options_default();
    const sn_preconditioner *direct = sn_direct_find(o->method);
    const bool eisenstat = is(o->method, "eisenstat"), any = !*o->method || is(o->method, "auto");
    const bool given = *o->preconditioner && !is(o->preconditioner, "auto");
    if (direct && given)
        return sn_fail_at(error, SN_BAD_INPUT, "preconditioner",
                          "solver.preconditioner has no effect with solver.method '%s', which is direct", o->method);
    if (direct && o->budget != usual.budget)
        return sn_fail_at(error, SN_BAD_INPUT, "budget",
                          "solver.budget has no effect with solver.method '%s', which is direct", o->method);
    if (is(o->operator_, "assembly-free") && *o->precision && !is(o->precision, "auto"))
        return sn_fail_at(error, SN_BAD_INPUT, "precision",
                          "solver.precision has no effect with solver.operator 'assembly-free', which has no matrix");
    if (o->restart != usual.restart && !any && !is(o->method, "gmres") && !is(o->method, "mixed"))
        return sn_fail_at(error, SN_BAD_INPUT, "restart",
                          "solver.restart has no effect with solver.method '%s'; it is for gmres and mixed", o->method);
    if (o->guard != usual.guard && !is(o->method, "cg") && !is(o->method, "bicgstab") && !is(o->method, "qmr"))
        return sn_fail_at(error, SN_BAD_INPUT, "guard",
                          "solver.guard has no effect with solver.method '%s'; it is for cg, bicgstab and qmr",
                          o->method);
    if (o->omega != usual.omega && !eisenstat && !is(o->preconditioner, "ssor"))
        return sn_fail_at(error, SN_BAD_INPUT, "omega",
                          "solver.omega has no effect here; it is for solver.method eisenstat and "
                          "solver.preconditioner ssor");
    if (o->drop != usual.drop && !is(o->preconditioner, "ict"))
        return sn_fail_at(error, SN_BAD_INPUT, "drop",
                          "solver.drop has no effect here; it is for solver.preconditioner ict");
    return SN_OK;
}

sn_status sn_solver_options_split(const sn_solver_options *o, sn_error *error) {
    const sn_krylov *krylov = sn_krylov_find(o->method);
    const sn_preconditioner *preconditioner = sn_preconditioner_find(o->preconditioner);
    if (sn_direct_find(o->method) || (krylov && krylov->own))
        return sn_fail_at(error, SN_UNSUPPORTED, "method",
                          "solver.method '%s' needs the whole matrix, and time.newton.jacobian 'approximate' and the "
                          "IMEX methods have that of tension; use cg or auto",
                          o->method);
    const char *lost = is(o->operator_, "assembly-free")                          ? "operator"
                       : is(o->precision, "single") || is(o->precision, "double") ? "precision"
                                                                                  : NULL;
    if (lost)
        return sn_fail_at(error, SN_BAD_INPUT, lost,
                          "solver.%s has no effect with time.newton.jacobian 'approximate' and the IMEX methods, whose "
                          "matrix has one number per edge, in double precision",
                          lost);
    if (preconditioner && !preconditioner->scalar)
        return sn_fail_at(error, SN_UNSUPPORTED, "preconditioner",
                          "solver.preconditioner '%s' needs the whole matrix, and time.newton.jacobian 'approximate' "
                          "and the IMEX methods have that of tension; allowed are auto, none, diagonal, ssor and ic0",
                          o->preconditioner);
    return SN_OK;
}

sn_status sn_solver_options_allow(const sn_solver_options *o, bool grouped, bool unsymmetric, sn_error *error) {
    const sn_krylov *krylov = sn_krylov_find(o->method);
    if (grouped && (sn_direct_find(o->method) || (krylov && krylov->own)))
        return sn_fail_at(error, SN_UNSUPPORTED, "method",
                          "solver.method '%s' does not support rigid cores; use cg or auto", o->method);
    if (unsymmetric && krylov && krylov->needs_transpose && is(o->operator_, "assembly-free"))
        return sn_fail_at(error, SN_UNSUPPORTED, "method",
                          "solver.method '%s' needs products with the transpose, which the unsymmetric assembly-free "
                          "operator does not have: solver.operator must be assembled, or the method bicgstab or gmres",
                          o->method);
    return SN_OK;
}
