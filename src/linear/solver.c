/* The solver of one system. It keeps the matrix, the preconditioner or factor, and the scratch memory. It wraps the
 * methods in iterative refinement (solver_refine.c). */
#include "solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "corotated.h"
#include "solver_inside.h"

enum { HISTORY = 4096 }; /* the most residuals that are kept */

/* Makes room for the rotations that a force evaluation stores. */
static sn_status keep_rotations(sn_linear *linear, sn_error *error) {
    const sn_elements_model *elements = linear->model.elements;
    linear->cache.parameters = linear->next.parameters = -1;
    if (elements->turned) {
        linear->cache.value = sn_allocate_zero(linear->context, (size_t)elements->linearised_size, sizeof(double));
        linear->next.value = sn_allocate_zero(linear->context, (size_t)elements->linearised_size, sizeof(double));
        linear->kept.linearised = linear->next.value;
        return linear->cache.value && linear->next.value ? SN_OK : sn_no_memory(error);
    }
    if (elements->kept_size > 0)
        linear->kept.value = sn_allocate(linear->context, (size_t)elements->kept_size, sizeof(double));
    return linear->kept.value || elements->kept_size == 0 ? SN_OK : sn_no_memory(error);
}

/* Refuses what needs levels where there are none, and what hierarchical unknowns do not go with: methods and
 * preconditioners that work on the matrix itself. */
static sn_status check_levels(const sn_linear_model *model, const sn_solver_options *options, sn_error *error) {
    const sn_preconditioner *p = sn_preconditioner_find(options->preconditioner);
    const sn_krylov *krylov = sn_krylov_find(options->method);
    if (p && p->needs_levels && !model->levels)
        return sn_fail_at(error, SN_BAD_INPUT, "solver.preconditioner",
                          "solver.preconditioner '%s' needs nested levels, and no body has them: refine the mesh of a "
                          "body (key 'refine' of the mesh), or take the element tet10",
                          p->name);
    if (!model->basis) return SN_OK;
    if (sn_direct_find(options->method) || (krylov && (krylov->own || krylov->mixed)))
        return sn_fail_at(
            error, SN_UNSUPPORTED, "solver.method",
            "solver.method '%s' works on the nodal matrix, and a body has the basis 'hierarchical'; use cg "
            "or auto",
            options->method);
    if (p && p->needs_matrix)
        return sn_fail_at(error, SN_UNSUPPORTED, "solver.preconditioner",
                          "solver.preconditioner '%s' works on the nodal matrix, and a body has the basis "
                          "'hierarchical'; allowed are auto, none, diagonal and block-jacobi",
                          p->name);
    if (strcmp(options->operator_, "assembly-free") == 0)
        return sn_fail_at(error, SN_UNSUPPORTED, "solver.operator",
                          "the basis 'hierarchical' of a body takes the matrix of its levels from the assembled one: "
                          "solver.operator must be assembled");
    return SN_OK;
}

/* Refuses methods for symmetric matrices when the elements make another one. */
static sn_status check_method(const sn_linear_model *model, const sn_solver_options *options, sn_error *error) {
    sn_status status = sn_solver_options_check(options, error);
    if (!status) status = check_levels(model, options, error);
    if (status || !model->elements->unsymmetric) return status;
    const sn_krylov *krylov = sn_krylov_find(options->method);
    if (!sn_direct_find(options->method) && !(krylov && krylov->needs_symmetric)) return SN_OK;
    char text[120] = "auto";
    int count;
    const sn_listing *solver = sn_solvers(&count);
    for (int i = 0; i < count; ++i) {
        const sn_krylov *other = sn_krylov_find(solver[i].name);
        if (other && !other->needs_symmetric)
            snprintf(text + strlen(text), sizeof text - strlen(text), ", %s", solver[i].name);
    }
    return sn_fail_at(error, SN_BAD_INPUT, "solver.method",
                      "solver.method '%s' is for symmetric matrices, and %s makes another one; allowed are %s",
                      options->method, model->elements->one_sided ? "adapt.reaction false" : "warping_matrix 'vertex'",
                      text);
}

/* The pattern. With slaves: also the pairs that their parents couple, and how blocks are folded. */
static sn_status make_pattern(sn_linear *linear, sn_error *error) {
    const sn_linear_model *model = &linear->model;
    sn_context *context = linear->context;
    if (!model->slaves)
        return sn_pattern_create(context, model->elements, model->pair, model->pair_count, model->kept,
                                 &linear->pattern, error);
    int32_t(*pair)[2];
    int count;
    sn_status status = sn_slaves_pairs(context, model->elements, model->slaves, model->kept, &pair, &count, error);
    if (!status)
        status = sn_pattern_create(context, model->elements, (const int32_t(*)[2])pair, count, model->kept,
                                   &linear->pattern, error);
    sn_release(context, pair);
    if (!status) status = sn_folding_create(context, &linear->pattern, model->slaves, &linear->folding, error);
    if (status) return status;
    linear->followed = sn_allocate_zero(context, (size_t)model->nodes * 3, sizeof *linear->followed);
    return linear->followed ? SN_OK : sn_no_memory(error);
}

sn_status sn_linear_create(sn_context *context, const sn_linear_model *model, const sn_solver_options *options,
                           bool is_static, sn_linear **out, sn_error *error) {
    sn_status status = check_method(model, options, error);
    if (status) return status;
    sn_linear *linear = sn_allocate_zero(context, 1, sizeof *linear);
    if (!linear) return sn_no_memory(error);
    linear->context = context;
    linear->model = *model;
    linear->options = *options;
    linear->is_static = is_static;
    status = make_pattern(linear, error);
    linear->mass = (sn_mass){&linear->pattern, model->mass, NULL};
    if (!status) status = sn_pattern_largest_part(context, &linear->pattern, &linear->largest, error);
    const sn_kept_rows *kept = model->kept && model->kept->map ? model->kept : NULL;
    if (!status && (kept || !model->slaves)) /* with slaves: when a matrix is not made by edges, now or before */
        status = sn_scatter_map_create(context, model->elements, &linear->pattern, kept, &linear->map, error);
    linear->model.kept = NULL;
    if (!status) status = sn_linear_couple_mass(linear, error);
    if (!status) {
        linear->place.x = sn_allocate_zero(context, (size_t)model->nodes * 3, sizeof(double));
        linear->place.v = sn_allocate_zero(context, (size_t)model->nodes * 3, sizeof(double));
        if (!linear->place.x || !linear->place.v) status = sn_no_memory(error);
    }
    if (!status) {
        linear->diagonal = sn_allocate_zero(context, (size_t)model->nodes * 9, sizeof(double));
        if (!linear->diagonal) status = sn_no_memory(error);
    }
    if (!status) {
        linear->watch = (sn_watch){.capacity = HISTORY};
        linear->watch.history = sn_allocate_zero(context, HISTORY, sizeof(double));
        if (!linear->watch.history) status = sn_no_memory(error);
    }
    if (!status && model->elements->splits) status = sn_scalar_create(context, model->elements, &linear->scalar, error);
    if (!status) status = keep_rotations(linear, error);
    if (!status && model->elements->coarse)
        status = sn_corotated_create(context, &linear->model, &linear->corotated, error);
    if (!status) status = sn_linear_ensure_scratch(linear, SN_REFINE_VECTORS + sn_krylov_cg.vectors, error);
    if (status) {
        sn_linear_destroy(linear);
        return status;
    }
    *out = linear;
    return SN_OK;
}

const sn_pattern *sn_linear_pattern(const sn_linear *linear) { return &linear->pattern; }
const sn_scatter_map *sn_linear_map(const sn_linear *linear) { return linear->map.place ? &linear->map : NULL; }

void sn_linear_destroy(sn_linear *linear) {
    if (!linear) return;
    sn_context *context = linear->context;
    sn_linear_release_data(linear);
    sn_linear_release_matrix(linear);
    sn_volumes_release(context, &linear->volumes);
    sn_preconditioner_diagonal.release(context, linear->mass_data);
    sn_coupled_release(context, &linear->coupled);
    sn_corotated_destroy(linear->corotated);
    sn_basis_release(context, &linear->basis);
    sn_coupling_release(context, &linear->coupling);
    sn_listed_release(context, &linear->listed);
    sn_pattern_release(context, &linear->pattern);
    sn_scatter_map_release(context, &linear->map);
    sn_release(context, linear->mass.coupled);
    sn_folding_release(context, &linear->folding);
    sn_release(context, linear->followed);
    sn_release(context, linear->damped);
    sn_release(context, linear->diagonal);
    sn_edges_release(context, &linear->edges);
    sn_scalar_release(context, &linear->scalar);
    sn_release(context, linear->cache.value);
    sn_release(context, linear->next.value);
    sn_release(context, linear->kept.value);
    sn_release(context, linear->place.x);
    sn_release(context, linear->place.v);
    sn_filter_copy_release(context, &linear->filter);
    sn_release(context, linear->scratch);
    sn_release(context, linear->watch.history);
    sn_release(context, linear);
}

sn_status sn_linear_options(sn_linear *linear, const sn_solver_options *options, sn_error *error) {
    const sn_status status = check_method(&linear->model, options, error);
    if (status) return status;
    if (linear->options.omega != options->omega || linear->options.drop != options->drop)
        linear->place.prepared = false;
    linear->options = *options;
    linear->misses = 0;
    return SN_OK;
}

void sn_linear_expect(sn_linear *linear, int count, const double *const *direction) {
    linear->span = count < SN_SPAN ? count : SN_SPAN;
    for (int i = 0; i < linear->span; ++i) linear->direction[i] = direction[i];
}

const double *sn_linear_history(const sn_linear *linear, int *count) {
    *count = linear->watch.count;
    return linear->watch.history;
}

void sn_linear_refresh(sn_linear *linear) {
    sn_linear_release_data(linear);
    linear->misses = linear->stiff = 0;
    linear->place.matrix.valid = linear->place.listed.valid = false;
    linear->place.diagonal.valid = linear->place.cache.valid = linear->place.damped.valid = false;
    linear->scalar.valid = false;
    sn_corotated_forget(linear->corotated);
}

void sn_linear_linearise(sn_linear *linear, const sn_element_view *view, const sn_block_list *stiffness,
                         const sn_block_list *damping, const double *rayleigh_mass) {
    const sn_linear_place last = linear->place;
    const int n = 3 * linear->model.nodes;
    linear->place = (sn_linear_place){.number = last.number + 1,
                                      .stiff = linear->stiff > 0,
                                      .x = last.x,
                                      .v = last.v,
                                      .view = *view,
                                      .stiffness = stiffness,
                                      .damping = damping,
                                      .rayleigh_mass = rayleigh_mass};
    if (linear->stiff > 0) --linear->stiff;
    sn_element_view *own = &linear->place.view;
    sn_vector_copy(linear->context, n, view->x, last.x);
    own->unsymmetric = view->unsymmetric || linear->model.elements->unsymmetric;
    own->x = last.x;
    if (view->v) {
        sn_vector_copy(linear->context, n, view->v, last.v);
        own->v = last.v;
    }
    if (!linear->left) own->kept = NULL;
    if (own->tension) sn_scalar_take(linear->model.elements, own->settings, &linear->scalar);
}

void sn_linear_relist(sn_linear *linear, const sn_block_list *stiffness, const sn_block_list *damping) {
    sn_linear_place *place = &linear->place;
    ++place->number;
    place->stiffness = stiffness, place->damping = damping;
    place->matrix.valid = place->diagonal.valid = place->prepared = false;
}

sn_kept_rotations *sn_linear_kept(sn_linear *linear) {
    return linear->kept.value || linear->kept.linearised ? &linear->kept : NULL;
}

sn_kept_rotations *sn_linear_visit(sn_linear *linear) {
    linear->place.view.kept = NULL;
    linear->left = true;
    return sn_linear_kept(linear);
}

void sn_linear_recalled(sn_linear *linear, const double *recalled) { linear->place.view.recalled = recalled; }

static bool grouped(const sn_filter *filter) { return filter && filter->group_count > 0; }

sn_status sn_linear_ready(sn_linear *linear, double m, double d, double k, const sn_filter *filter, bool rescue,
                          sn_choice *choice, sn_linear_report *report, sn_error *error) {
    linear->m = m, linear->d = d, linear->k = k;
    const sn_assembly assembly = sn_linear_assembly(linear);
    linear->operator_symmetric = sn_assembly_symmetric(&assembly);
    const sn_choice c = *choice = sn_linear_choose(linear, grouped(filter), rescue);
    *report = (sn_linear_report){.method = c.krylov ? c.krylov->name : c.preconditioner->name,
                                 .preconditioner = c.krylov ? c.preconditioner->name : ""};
    const sn_status status =
        sn_solver_options_allow(&linear->options, grouped(filter), !linear->operator_symmetric, error);
    if (status) return status;
    linear->watch.count = 0;
    linear->watch.late = false;
    linear->watch.deadline = linear->options.budget > 0 ? sn_seconds() + linear->options.budget : 0;
    return sn_linear_prepare(linear, &c, filter, report, error);
}

static sn_status solve(sn_linear *linear, double m, double d, double k, const sn_filter *filter, bool rescue,
                       const double *b, double *x, double tolerance, sn_linear_report *report, sn_error *error) {
    sn_choice c;
    sn_status status = sn_linear_ready(linear, m, d, k, filter, rescue, &c, report, error);
    if (status) return status;
    const double start = sn_seconds();
    const char *trouble = NULL;
    status = sn_linear_refine(linear, &c, b, x, tolerance, report, &trouble, error);
    report->solve_seconds = sn_seconds() - start - report->setup_seconds;
    if (status != SN_NOT_CONVERGED) return status;
    return sn_fail(error, status,
                   "%s%s%s ended after %d iterations at a relative residual of %.3g, above the tolerance %.3g%s%s",
                   report->method, *report->preconditioner ? " with " : "", report->preconditioner, report->iterations,
                   report->residual, tolerance, trouble ? ": the cause is " : "", trouble ? trouble : "");
}

/* Whether `auto` has another method for a solve whose iterations did not reach the tolerance. Counts such solves. */
static bool can_rescue(sn_linear *linear, const sn_filter *filter, const sn_linear_report *report, sn_status status) {
    const sn_krylov *krylov = sn_krylov_find(report->method);
    const bool mixed = krylov && krylov->mixed && strcmp(linear->options.method, krylov->name) != 0; /* of `auto` */
    if ((!linear->is_static && !mixed) || !krylov) return false;
    if (!status) linear->misses = 0;
    if (status != SN_NOT_CONVERGED || (!mixed && report->iterations < linear->options.iterations)) return false;
    ++linear->misses;
    return mixed || !sn_linear_choose(linear, grouped(filter), true).krylov;
}

sn_status sn_linear_solve(sn_linear *linear, double m, double d, double k, const sn_filter *filter, const double *b,
                          double *x, double tolerance, sn_linear_report *report, sn_error *error) {
    sn_linear_report unused;
    if (!report) report = &unused;
    sn_status status = solve(linear, m, d, k, filter, false, b, x, tolerance, report, error);
    const bool dropped =
        status == SN_NOT_CONVERGED && sn_direct_find(report->method); /* the factor is old; a new factor may show why */
    if (dropped) linear->place.prepared = false;
    if (dropped || can_rescue(linear, filter, report, status)) {
        const int spent = report->iterations;
        status = solve(linear, m, d, k, filter, !dropped, b, x, tolerance, report, error);
        report->iterations += spent;
    }
    linear->span = 0;
    return status;
}
