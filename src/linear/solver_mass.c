/* The mass matrix: products with it, and solves. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "linear/krylov/krylov.h"
#include "solver_inside.h"

sn_status sn_linear_couple_mass(sn_linear *linear, sn_error *error) {
    const sn_linear_model *model = &linear->model;
    bool any = false;
    for (int s = 0; model->source && s < model->source_count; ++s) any = any || model->source_consistent[s];
    if (!any) return SN_OK;
    linear->mass.coupled = sn_allocate_zero(linear->context, (size_t)linear->pattern.block_count, sizeof(double));
    if (!linear->mass.coupled) return sn_no_memory(error);
    for (int i = 0; i < model->nodes; ++i) linear->mass.coupled[linear->pattern.diagonal[i]] = model->mass[i];
    for (int s = 0; s < model->source_count; ++s) {
        const sn_batch_source *source = &model->source[s];
        const int nodes = source->element->nodes;
        for (int e = 0; model->source_consistent[s] && e < source->element_count; ++e) {
            double mass[SN_ELEMENT_NODES * SN_ELEMENT_NODES];
            sn_mass_element(source, e, mass);
            const int32_t *node = source->node + (int64_t)e * nodes;
            for (int i = 0; i < nodes; ++i)
                for (int j = 0; j < nodes; ++j)
                    linear->mass.coupled[sn_pattern_find(&linear->pattern, node[i], node[j])] += mass[i * nodes + j];
        }
    }
    return SN_OK;
}

void sn_linear_mass_product(const sn_linear *linear, const double *v, double *out) {
    sn_mass_product(linear->context, &linear->mass, 1, 0, NULL, v, out);
}

double sn_linear_kinetic(const sn_linear *linear, const double *v, double *scratch) {
    const int nodes = linear->model.nodes;
    if (!linear->mass.coupled) return 0.5 * sn_vector_weighted(linear->context, nodes, linear->mass.lumped, v, v);
    sn_linear_mass_product(linear, v, scratch);
    return 0.5 * sn_vector_dot(linear->context, 3 * nodes, v, scratch);
}

static void mass_apply(const void *self, const double *x, double *y) { sn_linear_mass_product(self, x, y); }

static void lumped_solve(const sn_linear *linear, const sn_filter *filter, const double *f, double *out) {
    sn_vector_divide(linear->context, linear->model.nodes, linear->mass.lumped, f, out);
    sn_filter_apply_range(filter, 0, INT32_MAX, out);
    for (int g = 0; filter && g < filter->group_count; ++g)
        sn_filter_group_mass_solve(&filter->group[g], linear->mass.lumped, f, out);
}

/* Two rounds of CG, each to 1e-14 of f. The true residual of the result is then near rounding. */
sn_status sn_linear_mass_solve(sn_linear *linear, const sn_filter *filter, const double *f, double *out,
                               sn_error *error) {
    if (!linear->mass.coupled) {
        lumped_solve(linear, filter, f, out);
        return SN_OK;
    }
    const int n = 3 * linear->model.nodes;
    double *r = linear->scratch, *e = r + n, *krylov = r + (int64_t)SN_REFINE_VECTORS * n;
    double *diagonal = e; /* 3 n numbers, used only by `update` */
    for (int64_t i = 0; i < linear->model.nodes; ++i)
        for (int c = 0; c < 9; ++c)
            diagonal[9 * i + c] = c % 4 == 0 ? linear->mass.coupled[linear->pattern.diagonal[i]] : 0;
    const sn_operator op = {.context = linear->context,
                            .n = n,
                            .apply = mass_apply,
                            .self = linear,
                            .diagonal = diagonal,
                            .symmetric = true};
    const sn_status status = sn_preconditioner_diagonal.update(linear->context, &op, filter, &linear->mass_data, error);
    if (status) return status;
    memcpy(r, f, (size_t)n * sizeof *r);
    sn_filter_apply(filter, r);
    const double size = sn_vector_norm(linear->context, n, r);
    memset(out, 0, (size_t)n * sizeof *out);
    sn_krylov_report report = {.status = SN_OK};
    for (int round = 0; round < 2 && size > 0; ++round) {
        sn_krylov_run(&sn_krylov_cg, &op, &sn_preconditioner_diagonal, linear->mass_data, filter, r, e, 1e-14 * size,
                      10000, krylov, &report);
        sn_vector_add(linear->context, n, 1, e, out);
        sn_linear_mass_product(linear, out, r);
        sn_vector_subtract(linear->context, n, f, r, r);
        sn_filter_apply(filter, r);
    }
    const double left = sn_vector_norm(linear->context, n, r);
    if (left <= 1e-12 * size) return SN_OK;
    return sn_fail(error, SN_NOT_CONVERGED, "the mass matrix could not be solved beyond a relative residual of %.3g",
                   size > 0 ? left / size : 0);
}
