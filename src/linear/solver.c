/* The solver of one system: keeps the matrix, the preconditioner or factor and the scratch, and wraps the methods in iterative refinement.
 *
 *   r = S (b - A x)       with the exact operator in double precision
 *   A~ e = r              by the method, on its copy A~ of the operator (single precision, symmetrised, ...)
 *   x += e                until ||r|| <= tolerance ||S (b - A x_c)||, x_c the constrained part of x
 *
 * A copy that does not halve the true residual in a round, or on which the method breaks down, is given up for the exact operator. */
#include "solver.h"

#include <math.h>
#include <string.h>

#include "assembly.h"
#include "kernels.h"
#include "span.h"

enum {
    AUTO_DIRECT_NODES = 20000,   /* `auto` in statics factors up to this size */
    AUTO_MULTIGRID_NODES = 1500, /* and iterates with multigrid from this size */
    AUTO_LDLT_NODES = 4000,      /* and up to this one without CHOLMOD */
    HISTORY = 4096,              /* residuals kept at most */
    ROUNDS = 60,
    VECTORS = 4, /* of the refinement: r, e, the right-hand side, the best x */
};

/* What a matrix, diagonal or element cache was made for. */
typedef struct stamp {
    int64_t linearisation; /* 0: nothing */
    double m, d, k;
} stamp;

struct sn_linear {
    sn_context *context;
    sn_linear_model model;
    sn_solver_options options;
    bool is_static;
    sn_pattern pattern;
    sn_scatter_map map;
    sn_mass mass;

    /* The linearisation. */
    int64_t linearisation;
    sn_element_view view;
    const sn_block_list *stiffness, *damping;
    const double *rayleigh_mass;

    /* Rebuildable. */
    sn_matrix matrix;
    stamp matrix_stamp, diagonal_stamp, cache_stamp;
    int64_t matrix_version;  /* counts the assemblies */
    bool operator_symmetric; /* the exact operator that runs now */
    bool symmetric, exact;   /* of the matrix: as assembled; whether it is A to rounding in double */
    double *diagonal;        /* nodes x 9 */
    double *cache;           /* of the element products, elements->linearised_size; NULL until wanted */
    sn_kept_rotations kept;
    sn_filter filter;
    int filter_nodes, filter_projections;    /* capacities */
    const sn_preconditioner *preconditioner; /* whose data this is */
    void *data;
    bool data_valid, data_copy; /* data_copy: made for the matrix, not for the exact operator */
    double *scratch;
    int64_t scratch_size;

    void *mass_data; /* diagonal preconditioner of a coupled mass */

    int span; /* directions expected */
    const double *direction[SN_SPAN];

    sn_watch watch;
    double m, d, k; /* of the exact operator that runs now */
};

/* What runs. */
typedef struct choice {
    const sn_krylov *krylov;                 /* NULL for a direct method */
    const sn_preconditioner *preconditioner; /* or the direct method */
    bool assembled, single;
} choice;

static bool is(const char *name, const char *word) { return strcmp(name, word) == 0; }
static bool is_auto(const char *name) { return !*name || is(name, "auto"); }

/* The direct method that `auto` takes in statics; NULL when none will do. */
static const sn_preconditioner *auto_direct(const sn_linear *linear, const choice *c) {
    const sn_solver_options *o = &linear->options;
    if (!is_auto(o->method) || !is_auto(o->preconditioner) || !linear->is_static || !c->assembled || is(o->precision, "single"))
        return NULL;
    const sn_preconditioner *cholesky = sn_direct_find("cholesky");
    if (cholesky) return linear->model.nodes <= AUTO_DIRECT_NODES ? cholesky : NULL;
    return linear->model.nodes <= AUTO_LDLT_NODES ? &sn_direct_ldlt : NULL;
}

/* Whether a law with its exact differential may make the stiffness indefinite. */
static bool may_be_indefinite(const sn_elements_model *elements) {
    for (int b = 0; b < elements->batch_count; ++b)
        if (elements->batch[b].differential == SN_DIFFERENTIAL_EXACT && (elements->batch[b].law->flags & SN_LAW_INDEFINITE)) return true;
    return false;
}

/* `grouped`: the filter has rigid groups, which direct methods cannot serve. */
static choice choose(const sn_linear *linear, bool grouped) {
    const sn_solver_options *o = &linear->options;
    choice c = {.assembled = !is(o->operator_, "assembly-free")};
    const sn_preconditioner *chosen = grouped ? NULL : auto_direct(linear, &c), *direct = chosen ? chosen : sn_direct_find(o->method);
    c.single = c.assembled && !direct && (is(o->precision, "single") || (is_auto(o->precision) && !linear->is_static));
    if (direct) {
        c.preconditioner = direct;
        if (chosen && !linear->operator_symmetric) c.krylov = &sn_krylov_gmres; /* the factor of the symmetric part as its preconditioner */
        return c;
    }
    const bool large = c.assembled && linear->model.position && linear->model.nodes >= AUTO_MULTIGRID_NODES;
    if (!is_auto(o->method))
        c.krylov = sn_krylov_find(o->method);
    else if (!linear->operator_symmetric)
        c.krylov = &sn_krylov_bicgstab;
    else
        c.krylov = may_be_indefinite(linear->model.elements) ? &sn_krylov_minres : &sn_krylov_cg;
    if (c.krylov->own)
        c.preconditioner = c.krylov->own;
    else
        c.preconditioner = !is_auto(o->preconditioner) ? sn_preconditioner_find(o->preconditioner)
                           : large                     ? &sn_preconditioner_multigrid
                                                       : &sn_preconditioner_block_jacobi;
    return c;
}

/* ---- Creation ---- */
static sn_status couple_mass(sn_linear *linear, sn_error *error) {
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

static sn_status ensure_scratch(sn_linear *linear, int vectors, sn_error *error) {
    const int64_t n = 3 * (int64_t)linear->model.nodes, span = VECTORS * n + (linear->span ? sn_span_scratch(linear->model.nodes) : 0) + 8;
    const int64_t wanted = vectors * n + 4 * sn_dot_scratch((int)n), size = (span > wanted ? span : wanted) + sn_dot_scratch((int)n);
    if (size <= linear->scratch_size) return SN_OK;
    double *scratch = sn_allocate(linear->context, (size_t)size, sizeof *scratch);
    if (!scratch) return sn_no_memory(error);
    sn_release(linear->context, linear->scratch);
    linear->scratch = scratch;
    linear->scratch_size = size;
    return SN_OK;
}

sn_status sn_linear_create(sn_context *context, const sn_linear_model *model, const sn_solver_options *options, bool is_static,
                           sn_linear **out, sn_error *error) {
    sn_status status = sn_solver_options_check(options, error);
    if (status) return status;
    sn_linear *linear = sn_allocate_zero(context, 1, sizeof *linear);
    if (!linear) return sn_no_memory(error);
    linear->context = context;
    linear->model = *model;
    linear->options = *options;
    linear->is_static = is_static;
    status = sn_pattern_create(context, model->elements, model->pair, model->pair_count, &linear->pattern, error);
    linear->mass = (sn_mass){&linear->pattern, model->mass, NULL};
    if (!status) status = sn_scatter_map_create(context, model->elements, &linear->pattern, &linear->map, error);
    if (!status) status = couple_mass(linear, error);
    if (!status) {
        linear->diagonal = sn_allocate_zero(context, (size_t)model->nodes * 9, sizeof(double));
        if (!linear->diagonal) status = sn_no_memory(error);
    }
    if (!status) {
        linear->watch = (sn_watch){.capacity = HISTORY};
        linear->watch.history = sn_allocate_zero(context, HISTORY, sizeof(double));
        if (!linear->watch.history) status = sn_no_memory(error);
    }
    if (!status && model->elements->kept_size > 0) {
        linear->kept.value = sn_allocate(context, (size_t)model->elements->kept_size, sizeof(double));
        if (!linear->kept.value) status = sn_no_memory(error);
    }
    if (!status) status = ensure_scratch(linear, VECTORS + sn_krylov_cg.vectors, error);
    if (status) {
        sn_linear_destroy(linear);
        return status;
    }
    *out = linear;
    return SN_OK;
}

static void release_data(sn_linear *linear) {
    if (linear->preconditioner && linear->data) linear->preconditioner->release(linear->context, linear->data);
    linear->data = NULL;
    linear->data_valid = false;
}

static void release_matrix(sn_linear *linear) {
    sn_release(linear->context, linear->matrix.single_);
    sn_release(linear->context, linear->matrix.double_);
    linear->matrix = (sn_matrix){0};
    linear->matrix_stamp.linearisation = 0;
}

void sn_linear_destroy(sn_linear *linear) {
    if (!linear) return;
    sn_context *context = linear->context;
    release_data(linear);
    release_matrix(linear);
    sn_preconditioner_diagonal.release(context, linear->mass_data);
    sn_pattern_release(context, &linear->pattern);
    sn_scatter_map_release(context, &linear->map);
    sn_release(context, linear->mass.coupled);
    sn_release(context, linear->diagonal);
    sn_release(context, linear->cache);
    sn_release(context, linear->kept.value);
    sn_release(context, linear->filter.node);
    sn_release(context, linear->filter.projection);
    sn_release(context, linear->scratch);
    sn_release(context, linear->watch.history);
    sn_release(context, linear);
}

sn_status sn_linear_options(sn_linear *linear, const sn_solver_options *options, sn_error *error) {
    const sn_status status = sn_solver_options_check(options, error);
    if (status) return status;
    if (linear->options.omega != options->omega || linear->options.drop != options->drop) linear->data_valid = false;
    linear->options = *options;
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
    release_data(linear);
    linear->matrix_stamp.linearisation = linear->diagonal_stamp.linearisation = linear->cache_stamp.linearisation = 0;
}

void sn_linear_linearise(sn_linear *linear, const sn_element_view *view, const sn_block_list *stiffness, const sn_block_list *damping,
                         const double *rayleigh_mass) {
    ++linear->linearisation;
    linear->view = *view;
    linear->stiffness = stiffness;
    linear->damping = damping;
    linear->rayleigh_mass = rayleigh_mass;
}

sn_kept_rotations *sn_linear_kept(sn_linear *linear) { return linear->kept.value ? &linear->kept : NULL; }

/* ---- The exact operator ---- */
static bool current(const stamp *s, const sn_linear *linear, double m, double d, double k) {
    return s->linearisation && s->linearisation == linear->linearisation && s->m == m && s->d == d && s->k == k;
}

static void exact_product(const sn_linear *linear, double m, double d, double k, const double *u, double *out) {
    if (linear->exact && current(&linear->matrix_stamp, linear, m, d, k)) {
        sn_matrix_product(linear->context, &linear->matrix, u, out);
        return;
    }
    const double *cache = current(&linear->cache_stamp, linear, 0, d, k) ? linear->cache : NULL;
    sn_mass_product(linear->context, &linear->mass, m, d, linear->rayleigh_mass, u, out);
    if (k != 0 || d != 0) sn_elements_product(linear->context, linear->model.elements, &linear->view, k, d, cache, u, out);
    sn_block_list_product(linear->stiffness, k, u, out);
    sn_block_list_product(linear->damping, d, u, out);
}

void sn_linear_product(sn_linear *linear, double m, double d, double k, const double *u, double *out) {
    exact_product(linear, m, d, k, u, out);
}

static void exact_apply(const void *self, const double *x, double *y) {
    const sn_linear *linear = self;
    exact_product(linear, linear->m, linear->d, linear->k, x, y);
}

/* Room for the element products of the exact operator; without memory for it they are just slower. */
static bool have_cache(sn_linear *linear) {
    if (!linear->cache) linear->cache = sn_allocate(linear->context, (size_t)linear->model.elements->linearised_size, sizeof(double));
    return linear->cache != NULL;
}

/* Whether the assembly keeps the linearisation on its way: where that is a few numbers per element. */
static bool cheap_cache(const sn_elements_model *elements) {
    for (int b = 0; b < elements->batch_count; ++b)
        if (!elements->batch[b].compact) return false;
    return true;
}

static void ensure_cache(sn_linear *linear) {
    const double d = linear->d, k = linear->k;
    if (current(&linear->cache_stamp, linear, 0, d, k) || (d == 0 && k == 0) || !have_cache(linear)) return;
    sn_elements_linearise(linear->context, linear->model.elements, &linear->view, k, d, linear->cache);
    linear->cache_stamp = (stamp){linear->linearisation, 0, d, k};
}

void sn_linear_prepare_products(sn_linear *linear, double d, double k) {
    linear->d = d, linear->k = k;
    ensure_cache(linear);
}

/* ---- Preparation of a solve ---- */
static sn_assembly assembly_of(const sn_linear *linear) {
    return (sn_assembly){.context = linear->context,
                         .elements = linear->model.elements,
                         .map = &linear->map,
                         .mass = &linear->mass,
                         .view = &linear->view,
                         .stiffness = linear->stiffness,
                         .damping = linear->damping,
                         .rayleigh_mass = linear->rayleigh_mass,
                         .m = linear->m,
                         .d = linear->d,
                         .k = linear->k};
}

static sn_status ensure_matrix(sn_linear *linear, const choice *c, sn_error *error) {
    const size_t values = (size_t)linear->pattern.block_count * 9 + 8;
    if ((c->single && linear->matrix.double_) || (!c->single && linear->matrix.single_)) release_matrix(linear);
    if (current(&linear->matrix_stamp, linear, linear->m, linear->d, linear->k)) return SN_OK;
    linear->matrix_stamp.linearisation = 0;
    linear->matrix.pattern = &linear->pattern;
    if (c->single && !linear->matrix.single_) linear->matrix.single_ = sn_allocate_zero(linear->context, values, sizeof(float));
    if (!c->single && !linear->matrix.double_) linear->matrix.double_ = sn_allocate_zero(linear->context, values, sizeof(double));
    if (!linear->matrix.single_ && !linear->matrix.double_) return sn_no_memory(error);
    sn_assembly assembly = assembly_of(linear);
    if (c->single && cheap_cache(linear->model.elements) && have_cache(linear)) {
        assembly.linearised = linear->cache;
        linear->cache_stamp = (stamp){linear->linearisation, 0, linear->d, linear->k};
    }
    int missing;
    sn_assemble(&assembly, &linear->matrix, &linear->symmetric, &missing);
    linear->exact = !c->single && !missing;
    ++linear->matrix_version;
    if (!linear->symmetric && (!c->krylov || c->krylov->needs_symmetric)) {
        sn_matrix_symmetrise(linear->context, &linear->matrix);
        linear->exact = false;
    }
    linear->matrix_stamp = (stamp){linear->linearisation, linear->m, linear->d, linear->k};
    linear->diagonal_stamp.linearisation = 0;
    linear->data_valid = false;
    return SN_OK;
}

static void ensure_diagonal(sn_linear *linear, bool from_matrix) {
    if (current(&linear->diagonal_stamp, linear, linear->m, linear->d, linear->k)) return;
    const sn_assembly assembly = assembly_of(linear);
    if (from_matrix)
        sn_matrix_diagonal(linear->context, &linear->matrix, linear->diagonal);
    else
        sn_assemble_diagonal(&assembly, linear->diagonal);
    linear->diagonal_stamp = (stamp){linear->linearisation, linear->m, linear->d, linear->k};
    linear->data_valid = false;
}

/* Keeps a copy of the filter, so that preconditioners can point to it, and notes whether it changed. */
static sn_status keep_filter(sn_linear *linear, const sn_filter *filter, sn_error *error) {
    const int count = filter ? filter->count : 0;
    sn_filter *own = &linear->filter;
    own->group_count = filter ? filter->group_count : 0; /* preconditioners do not know of groups */
    own->group = filter ? filter->group : NULL;
    if (own->count == count && (!count || (memcmp(own->node, filter->node, (size_t)count * sizeof *own->node) == 0 &&
                                           memcmp(own->projection, filter->projection, (size_t)count * 9 * sizeof *own->projection) == 0)))
        return SN_OK;
    linear->data_valid = false;
    sn_status status = sn_grow(linear->context, (void **)&own->node, &linear->filter_nodes, count, sizeof *own->node, error);
    if (!status)
        status =
            sn_grow(linear->context, (void **)&own->projection, &linear->filter_projections, count, 9 * sizeof *own->projection, error);
    if (status) return status;
    own->count = count;
    if (!count) return SN_OK;
    memcpy(own->node, filter->node, (size_t)count * sizeof *own->node);
    memcpy(own->projection, filter->projection, (size_t)count * 9 * sizeof *own->projection);
    return SN_OK;
}

static void exact_residual(const void *self, const double *b, const double *x, double *r) {
    const sn_linear *linear = self;
    exact_apply(linear, x, r);
    sn_vector_subtract(linear->context, 3 * linear->model.nodes, b, r, r);
}

/* The operator that the method works on: the matrix, or the exact one. */
static sn_operator operator_of(sn_linear *linear, bool copy) {
    if (copy) {
        sn_operator op = sn_operator_of_matrix(linear->context, &linear->matrix, linear->diagonal, linear->symmetric);
        op.position = linear->model.position;
        op.now = linear->view.x;
        op.self = linear;
        op.residual = linear->exact ? NULL : exact_residual;
        op.options = &linear->options;
        op.watch = &linear->watch;
        op.version = linear->matrix_version;
        return op;
    }
    return (sn_operator){.context = linear->context,
                         .n = 3 * linear->model.nodes,
                         .apply = exact_apply,
                         .self = linear,
                         .diagonal = linear->diagonal,
                         .symmetric = linear->symmetric,
                         .options = &linear->options,
                         .watch = &linear->watch};
}

static sn_status ensure_data(sn_linear *linear, const choice *c, const sn_operator *op, sn_error *error) {
    if (linear->preconditioner != c->preconditioner) {
        release_data(linear);
        linear->preconditioner = c->preconditioner;
    }
    const bool copy = op->matrix != NULL;
    /* A preconditioner made from the matrix serves the exact operator too. */
    if (linear->data && linear->data_valid && (linear->data_copy == copy || (linear->data_copy && c->preconditioner->needs_matrix)))
        return SN_OK;
    linear->data_valid = false;
    const sn_status status = c->preconditioner->update(linear->context, op, &linear->filter, &linear->data, error);
    linear->data_valid = !status;
    linear->data_copy = copy;
    return status;
}

/* ---- Groups ---- */
/* Methods and preconditioners treat each node alone; what crosses nodes is wrapped around them: S A and S P S on the groups' modes. */
typedef struct grouped {
    const sn_operator *op;
    const sn_preconditioner *preconditioner;
    const void *data;
    const sn_filter *filter;
} grouped;

static void grouped_apply(const void *self, const double *x, double *y) {
    const grouped *g = self;
    sn_operator_apply(g->op, x, y);
    sn_filter_apply_groups(g->filter, y);
}

static void grouped_transpose(const void *self, const double *x, double *y) {
    const grouped *g = self;
    sn_operator_apply_transpose(g->op, x, y);
    sn_filter_apply_groups(g->filter, y);
}

static void grouped_residual(const void *self, const double *b, const double *x, double *r) {
    const grouped *g = self;
    g->op->residual(g->op->self, b, x, r);
    sn_filter_apply_groups(g->filter, r);
}

static void grouped_precondition(const void *data, const double *r, double *z) {
    const grouped *g = data;
    g->preconditioner->apply(g->data, r, z);
    sn_filter_apply_groups(g->filter, z);
}

static void run_krylov(const sn_krylov *krylov, const sn_operator *op, const sn_preconditioner *preconditioner, const void *data,
                       const sn_filter *filter, const double *b, double *x, double goal, int iterations, double *scratch,
                       sn_krylov_report *report) {
    if (!filter || filter->group_count == 0) {
        krylov->solve(op, preconditioner, data, filter, b, x, goal, iterations, scratch, report);
        return;
    }
    const grouped g = {op, preconditioner, data, filter};
    sn_operator inside = *op;
    inside.matrix = NULL;
    inside.apply = grouped_apply;
    inside.self = &g;
    if (op->matrix || op->apply_transpose) inside.apply_transpose = grouped_transpose;
    if (op->residual) inside.residual = grouped_residual;
    sn_preconditioner around = *preconditioner;
    around.apply = grouped_precondition;
    around.apply_range = NULL;
    krylov->solve(&inside, &around, &g, filter, b, x, goal, iterations, scratch, report);
}

/* ---- Solving ---- */
typedef struct refinement {
    sn_linear *linear;
    const double *b;
    double *x;
    double *r, *e, *rhs, *best, *krylov, *partial;
    int n;
    double reference;
} refinement;

static double norm(const refinement *w, const double *v) { return sqrt(sn_dot(w->linear->context, w->n, v, v, w->partial)); }

/* r = S (b - A x). */
static void true_residual(const refinement *w, const double *x, double *r) {
    exact_residual(w->linear, w->b, x, r);
    sn_filter_apply(&w->linear->filter, r);
}

/* e -= B B^T e on a group's nodes; what is left of rounding alone counts as nothing. */
static bool constrained_group(const sn_filter_group *group, const double *x, double *e) {
    double size = 0, left = 0;
    for (int i = 0; i < group->count; ++i)
        for (int a = 0; a < 3; ++a) e[3 * (int64_t)group->node[i] + a] = x[3 * (int64_t)group->node[i] + a];
    const sn_filter one = {.group_count = 1, .group = group};
    sn_filter_apply_groups(&one, e);
    for (int i = 0; i < group->count; ++i)
        for (int64_t at = 3 * (int64_t)group->node[i]; at < 3 * (int64_t)group->node[i] + 3; ++at) {
            e[at] = x[at] - e[at];
            size = fmax(size, fabs(x[at])), left = fmax(left, fabs(e[at]));
        }
    if (left > 1e-12 * size) return true;
    for (int i = 0; i < group->count; ++i) memset(e + 3 * (int64_t)group->node[i], 0, 3 * sizeof *e);
    return false;
}

/* e = x - S x, zero at free nodes. Returns whether anything is left. */
static bool constrained_part(const sn_filter *filter, int n, const double *x, double *e) {
    bool any = false;
    memset(e, 0, (size_t)n * sizeof *e);
    for (int i = 0; i < filter->count; ++i) {
        const double *S = filter->projection + 9 * (int64_t)i;
        const double *u = x + 3 * (int64_t)filter->node[i];
        double *out = e + 3 * (int64_t)filter->node[i];
        for (int a = 0; a < 3; ++a) {
            out[a] = u[a] - (S[3 * a] * u[0] + S[3 * a + 1] * u[1] + S[3 * a + 2] * u[2]);
            any = any || out[a] != 0;
        }
    }
    for (int g = 0; g < filter->group_count; ++g) any = constrained_group(&filter->group[g], x, e) || any;
    return any;
}

/* The right-hand side of the free directions, and the better of the given start and none. Returns the norm of the residual. */
static double begin(refinement *w) {
    sn_linear *linear = w->linear;
    if (constrained_part(&linear->filter, w->n, w->x, w->e)) {
        true_residual(w, w->e, w->rhs);
    } else {
        sn_vector_copy(linear->context, w->n, w->b, w->rhs);
        sn_filter_apply(&linear->filter, w->rhs);
    }
    w->reference = norm(w, w->rhs);
    if (!isfinite(w->reference)) return w->reference;
    if (w->reference > 0 && memcmp(w->x, w->e, (size_t)w->n * sizeof(double)) != 0) {
        true_residual(w, w->x, w->r);
        const double start = norm(w, w->r);
        if (start < w->reference) return start;
    }
    memcpy(w->x, w->e, (size_t)w->n * sizeof(double));
    memcpy(w->r, w->rhs, (size_t)w->n * sizeof(double));
    return w->reference;
}

/* Looks for a better start among the expected directions. */
static double improve(refinement *w) {
    sn_linear *linear = w->linear;
    double *scratch = (double *)(((uintptr_t)w->krylov + 63) & ~(uintptr_t)63);
    sn_span_start(linear->context, &linear->matrix, &linear->filter, linear->span, linear->direction, w->x, w->r, scratch);
    return norm(w, w->r);
}

/* e = about A~^-1 r. */
static void inner(refinement *w, const choice *c, const sn_operator *op, double goal, int iterations, sn_krylov_report *report) {
    if (c->krylov) {
        run_krylov(c->krylov, op, c->preconditioner, w->linear->data, &w->linear->filter, w->r, w->e, goal, iterations, w->krylov, report);
    } else {
        c->preconditioner->apply(w->linear->data, w->r, w->e);
        *report = (sn_krylov_report){.iterations = 1, .status = SN_OK};
        sn_operator_note(op, 1, goal);
    }
    sn_filter_apply(&w->linear->filter, w->e);
}

/* Rounds of refinement until the tolerance, the end of the iterations, or no more progress. Leaves the best x. */
static sn_status refine(refinement *w, const choice *c, double size, double tolerance, sn_linear_report *report, const char **trouble,
                        sn_error *error) {
    sn_linear *linear = w->linear;
    const double goal = tolerance * w->reference;
    bool copy = c->assembled, is_best = true; /* x is */
    double best = size;
    sn_status status = SN_OK;
    while (best > goal && report->iterations < linear->options.iterations && report->rounds < ROUNDS && !linear->watch.late) {
        const sn_operator op = operator_of(linear, copy);
        const double start = sn_seconds();
        status = ensure_data(linear, c, &op, error);
        report->setup_seconds += sn_seconds() - start;
        if (status) return status;
        const double floor = copy && c->single ? 1e-7 : 1e-13;
        sn_krylov_report k;
        if (is_best) sn_vector_copy(linear->context, w->n, w->x, w->best);
        inner(w, c, &op, fmax(0.9 * goal, floor * size), linear->options.iterations - report->iterations, &k);
        report->iterations += k.iterations;
        report->rounds += 1;
        sn_vector_add(linear->context, w->n, 1, w->e, w->x);
        true_residual(w, w->x, w->r);
        size = norm(w, w->r);
        if (linear->watch.count) linear->watch.history[linear->watch.count - 1] = size;
        const bool slow = !(size <= 0.5 * best);
        is_best = size < best || (k.last && isfinite(size));
        if (is_best) best = size;
        *trouble = k.trouble;
        if (best <= goal || linear->watch.late || (!slow && !k.trouble)) continue;
        if (!copy || linear->exact || !c->krylov) break;
        copy = false; /* the exact operator takes over from the best x */
        report->fallback = true;
        ensure_cache(linear);
        if (!is_best) sn_vector_copy(linear->context, w->n, w->best, w->x);
        true_residual(w, w->x, w->r);
        size = best, is_best = true;
    }
    if (!is_best) sn_vector_copy(linear->context, w->n, w->best, w->x);
    report->residual = best / w->reference;
    return best <= goal ? SN_OK : SN_NOT_CONVERGED;
}

static sn_status prepare(sn_linear *linear, const choice *c, const sn_filter *filter, sn_linear_report *report, sn_error *error) {
    const double start = sn_seconds();
    sn_status status = keep_filter(linear, filter, error);
    if (!status) status = ensure_scratch(linear, VECTORS + (c->krylov ? sn_krylov_vectors(c->krylov, &linear->options) : 0), error);
    if (!status && c->assembled) status = ensure_matrix(linear, c, error);
    if (!status && c->preconditioner->needs_diagonal) ensure_diagonal(linear, c->assembled);
    if (!status && !c->assembled) {
        linear->symmetric = linear->operator_symmetric;
        ensure_cache(linear);
    }
    report->assembly_seconds = sn_seconds() - start;
    return status;
}

static sn_status solve(sn_linear *linear, double m, double d, double k, const sn_filter *filter, const double *b, double *x,
                       double tolerance, sn_linear_report *report, sn_error *error) {
    linear->m = m, linear->d = d, linear->k = k;
    const sn_assembly assembly = assembly_of(linear);
    linear->operator_symmetric = sn_assembly_symmetric(&assembly);
    const bool groups = filter && filter->group_count > 0;
    const choice c = choose(linear, groups);
    *report = (sn_linear_report){.method = c.krylov ? c.krylov->name : c.preconditioner->name,
                                 .preconditioner = c.krylov ? c.preconditioner->name : ""};
    if (groups && (!c.krylov || c.krylov->own))
        return sn_fail(error, SN_UNSUPPORTED, "solver.method '%s' cannot serve rigid cores; take cg or auto", report->method);
    linear->watch.count = 0;
    linear->watch.late = false;
    linear->watch.deadline = linear->options.budget > 0 ? sn_seconds() + linear->options.budget : 0;
    if (c.krylov && c.krylov->needs_transpose && !c.assembled && !linear->operator_symmetric)
        return sn_fail(error, SN_UNSUPPORTED,
                       "solver.method '%s' needs products with the transpose, which the unsymmetric assembly-free operator does not have: "
                       "solver.operator must be assembled, or the method bicgstab or gmres",
                       c.krylov->name);
    if (groups && !c.krylov)
        return sn_fail(error, SN_UNSUPPORTED, "the solver '%s' cannot serve rigid cores; take cg or auto", c.preconditioner->name);
    sn_status status = prepare(linear, &c, filter, report, error);
    if (status) return status;

    const double start = sn_seconds();
    const int n = 3 * linear->model.nodes;
    refinement w = {.linear = linear, .b = b, .x = x, .n = n, .r = linear->scratch};
    w.e = w.r + n, w.rhs = w.e + n, w.best = w.rhs + n, w.krylov = w.best + n;
    w.partial = linear->scratch + linear->scratch_size - sn_dot_scratch(n);
    double size = begin(&w);
    const bool spans = linear->span > 0 && c.krylov && c.single && linear->symmetric && !groups;
    if (spans && size > tolerance * w.reference) size = improve(&w);
    if (!isfinite(size)) return sn_fail(error, SN_NOT_FINITE, "the right-hand side of the linear system is not finite");
    if (w.reference == 0) return SN_OK;
    const sn_operator exact = operator_of(linear, false);
    sn_operator_note(&exact, 1, size);
    const char *trouble = NULL;
    status = refine(&w, &c, size, tolerance, report, &trouble, error);
    if (linear->data && c.preconditioner->feedback && report->iterations > 0)
        c.preconditioner->feedback(linear->data, report->iterations, log10(size / (report->residual * w.reference)));
    for (int i = 0; i < linear->watch.count; ++i) linear->watch.history[i] /= w.reference;
    report->solve_seconds = sn_seconds() - start - report->setup_seconds;
    if (status != SN_NOT_CONVERGED) return status;
    return sn_fail(error, status, "%s%s%s ended after %d iterations at a relative residual of %.3g, above the tolerance %.3g%s%s",
                   report->method, *report->preconditioner ? " with " : "", report->preconditioner, report->iterations, report->residual,
                   tolerance, trouble ? ": it met " : "", trouble ? trouble : "");
}

sn_status sn_linear_solve(sn_linear *linear, double m, double d, double k, const sn_filter *filter, const double *b, double *x,
                          double tolerance, sn_linear_report *report, sn_error *error) {
    sn_linear_report unused;
    const sn_status status = solve(linear, m, d, k, filter, b, x, tolerance, report ? report : &unused, error);
    linear->span = 0;
    return status;
}

/* ---- Mass ---- */
void sn_linear_mass_product(const sn_linear *linear, const double *v, double *out) {
    sn_mass_product(linear->context, &linear->mass, 1, 0, NULL, v, out);
}

static void mass_apply(const void *self, const double *x, double *y) { sn_linear_mass_product(self, x, y); }

static void lumped_solve(const sn_linear *linear, const sn_filter *filter, const double *f, double *out) {
    for (int64_t i = 0; i < linear->model.nodes; ++i) {
        const double mass = linear->mass.lumped[i];
        for (int c = 0; c < 3; ++c) out[3 * i + c] = mass > 0 ? f[3 * i + c] / mass : 0;
    }
    sn_filter_apply_range(filter, 0, INT32_MAX, out);
    for (int g = 0; filter && g < filter->group_count; ++g) sn_filter_group_mass_solve(&filter->group[g], linear->mass.lumped, f, out);
}

/* Two rounds of CG, each to 1e-14 of its residual; the true residual of the answer is near rounding. */
sn_status sn_linear_mass_solve(sn_linear *linear, const sn_filter *filter, const double *f, double *out, sn_error *error) {
    if (!linear->mass.coupled) {
        lumped_solve(linear, filter, f, out);
        return SN_OK;
    }
    const int n = 3 * linear->model.nodes;
    double *r = linear->scratch, *e = r + n, *krylov = r + (int64_t)VECTORS * n;
    double *partial = linear->scratch + linear->scratch_size - sn_dot_scratch(n), *diagonal = e; /* 3 n numbers, for `update` alone */
    for (int64_t i = 0; i < linear->model.nodes; ++i)
        for (int c = 0; c < 9; ++c) diagonal[9 * i + c] = c % 4 == 0 ? linear->mass.coupled[linear->pattern.diagonal[i]] : 0;
    const sn_operator op = {
        .context = linear->context, .n = n, .apply = mass_apply, .self = linear, .diagonal = diagonal, .symmetric = true};
    const sn_status status = sn_preconditioner_diagonal.update(linear->context, &op, filter, &linear->mass_data, error);
    if (status) return status;
    memcpy(r, f, (size_t)n * sizeof *r);
    sn_filter_apply(filter, r);
    const double size = sqrt(sn_dot(linear->context, n, r, r, partial));
    memset(out, 0, (size_t)n * sizeof *out);
    sn_krylov_report report = {.status = SN_OK};
    for (int round = 0; round < 2 && size > 0; ++round) {
        run_krylov(&sn_krylov_cg, &op, &sn_preconditioner_diagonal, linear->mass_data, filter, r, e, 1e-14 * size, 10000, krylov, &report);
        sn_vector_add(linear->context, n, 1, e, out);
        sn_linear_mass_product(linear, out, r);
        sn_vector_subtract(linear->context, n, f, r, r);
        sn_filter_apply(filter, r);
    }
    const double left = sqrt(sn_dot(linear->context, n, r, r, partial));
    if (left <= 1e-12 * size) return SN_OK;
    return sn_fail(error, SN_NOT_CONVERGED, "the mass matrix could not be solved beyond a relative residual of %.3g",
                   size > 0 ? left / size : 0);
}
