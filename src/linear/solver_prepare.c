/* Before the method runs: the exact operator in double precision, the matrix that may be a copy of it, diagonal, preconditioner and
 * scratch. */
#include <string.h>

#include "solver_inside.h"

sn_status sn_linear_ensure_scratch(sn_linear *linear, int vectors, sn_error *error) {
    const int64_t n = 3 * (int64_t)linear->model.nodes,
                  span = SN_REFINE_VECTORS * n + (linear->span ? sn_span_scratch(linear->model.nodes) : 0) + 8;
    const int64_t wanted = vectors * n + 4 * sn_dot_scratch((int)n), size = span > wanted ? span : wanted;
    if (size <= linear->scratch_size) return SN_OK;
    double *scratch = sn_allocate(linear->context, (size_t)size, sizeof *scratch);
    if (!scratch) return sn_no_memory(error);
    sn_release(linear->context, linear->scratch);
    linear->scratch = scratch;
    linear->scratch_size = size;
    return SN_OK;
}

void sn_linear_release_data(sn_linear *linear) {
    if (linear->preconditioner && linear->data) linear->preconditioner->release(linear->context, linear->data);
    linear->data = NULL;
    linear->data_valid = false;
}

void sn_linear_release_matrix(sn_linear *linear) {
    sn_release(linear->context, linear->matrix.single_);
    sn_release(linear->context, linear->matrix.double_);
    linear->matrix = (sn_matrix){0};
    linear->matrix_stamp.linearisation = 0;
}

/* ---- The exact operator ---- */
static bool current(const sn_stamp *s, const sn_linear *linear, double m, double d, double k) {
    return s->linearisation && s->linearisation == linear->linearisation && s->m == m && s->d == d && s->k == k;
}

static void exact_product(const sn_linear *linear, double m, double d, double k, const double *u, double *out) {
    if (linear->exact && current(&linear->matrix_stamp, linear, m, d, k)) {
        sn_matrix_product(linear->context, &linear->matrix, u, out);
        return;
    }
    const double *cache = current(&linear->cache_stamp, linear, 0, d, k) ? linear->cache.value : NULL;
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
    const size_t size = (size_t)linear->model.elements->linearised_size;
    if (!linear->cache.value) linear->cache.value = sn_allocate(linear->context, size, sizeof(double));
    return linear->cache.value != NULL;
}

/* Whether the assembly keeps the linearisation on its way: where that is a few numbers per element. */
static bool cheap_cache(const sn_elements_model *elements) {
    for (int b = 0; b < elements->batch_count; ++b)
        if (!elements->batch[b].compact) return false;
    return true;
}

/* The cache is that of the linearisation, with the weights of d and k. */
static void note_cache(sn_linear *linear) {
    linear->cache.d = linear->d, linear->cache.k = linear->k, linear->cache.parameters = linear->view.settings->revision;
    linear->cache_stamp = (sn_stamp){linear->linearisation, 0, linear->d, linear->k};
}

/* Takes what the last force evaluation left, if that was at the view. */
static bool take_kept(sn_linear *linear) {
    sn_kept_rotations *kept = &linear->kept;
    if (!kept->linearised || kept->taken || linear->view.kept != kept || linear->view.stamp != kept->stamp) return false;
    const sn_linearised old = linear->cache;
    linear->cache = linear->next;
    linear->next = old;
    kept->linearised = linear->next.value;
    kept->taken = true;
    return true;
}

void sn_linear_ensure_cache(sn_linear *linear) {
    const double d = linear->d, k = linear->k;
    const sn_elements_model *elements = linear->model.elements;
    sn_linearised *cache = &linear->cache;
    if (current(&linear->cache_stamp, linear, 0, d, k) || (d == 0 && k == 0) || !have_cache(linear)) return;
    const bool here = elements->turned && linear->cache_stamp.linearisation == linear->linearisation;
    if (!here && !take_kept(linear))
        sn_elements_linearise(linear->context, elements, &linear->view, k, d, cache->value);
    else if (cache->d != d || cache->k != k || cache->parameters != linear->view.settings->revision)
        sn_elements_weigh(linear->context, elements, linear->view.settings, k, d, cache->value);
    note_cache(linear);
}

void sn_linear_prepare_products(sn_linear *linear, double d, double k) {
    linear->d = d, linear->k = k;
    sn_linear_ensure_cache(linear);
}

/* ---- Preparation of a solve ---- */
sn_assembly sn_linear_assembly(const sn_linear *linear) {
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

/* Edges where they serve, for the first matrix in single precision. */
static sn_status ensure_edges(sn_linear *linear, const sn_choice *c, sn_error *error) {
    if (!c->single || linear->edges.group_count || !sn_edges_serve(linear->model.elements, &linear->view)) return SN_OK;
    return sn_edges_create(linear->context, linear->model.elements, &linear->pattern, &linear->edges, error);
}

static sn_status ensure_matrix(sn_linear *linear, const sn_choice *c, sn_error *error) {
    const size_t values = (size_t)linear->pattern.block_count * 9 + 8;
    if ((c->single && linear->matrix.double_) || (!c->single && linear->matrix.single_)) sn_linear_release_matrix(linear);
    if (current(&linear->matrix_stamp, linear, linear->m, linear->d, linear->k)) return SN_OK;
    linear->matrix_stamp.linearisation = 0;
    const sn_status status = ensure_edges(linear, c, error);
    if (status) return status;
    linear->matrix.pattern = &linear->pattern;
    if (c->single && !linear->matrix.single_) linear->matrix.single_ = sn_allocate_zero(linear->context, values, sizeof(float));
    if (!c->single && !linear->matrix.double_) linear->matrix.double_ = sn_allocate_zero(linear->context, values, sizeof(double));
    if (!linear->matrix.single_ && !linear->matrix.double_) return sn_no_memory(error);
    sn_assembly assembly = sn_linear_assembly(linear);
    if (c->single && linear->edges.group_count && have_cache(linear) && sn_edges_serve(linear->model.elements, &linear->view)) {
        sn_linear_ensure_cache(linear);
        assembly.linearised = linear->cache.value;
        if (linear->d != 0 || linear->k != 0) assembly.edges = &linear->edges;
    } else if (c->single && cheap_cache(linear->model.elements) && have_cache(linear)) {
        assembly.linearised = linear->cache.value;
        note_cache(linear);
    }
    int missing;
    sn_assemble(&assembly, &linear->matrix, &linear->symmetric, &missing);
    linear->exact = !c->single && !missing;
    ++linear->matrix_version;
    if (!linear->symmetric && (!c->krylov || c->krylov->needs_symmetric)) {
        sn_matrix_symmetrise(linear->context, &linear->matrix);
        linear->exact = false;
    }
    linear->matrix_stamp = (sn_stamp){linear->linearisation, linear->m, linear->d, linear->k};
    linear->diagonal_stamp.linearisation = 0;
    linear->data_valid = false;
    return SN_OK;
}

static void ensure_diagonal(sn_linear *linear, bool from_matrix) {
    if (current(&linear->diagonal_stamp, linear, linear->m, linear->d, linear->k)) return;
    sn_assembly assembly = sn_linear_assembly(linear);
    if (current(&linear->cache_stamp, linear, 0, linear->d, linear->k)) assembly.linearised = linear->cache.value;
    if (from_matrix)
        sn_matrix_diagonal(linear->context, &linear->matrix, linear->diagonal);
    else
        sn_assemble_diagonal(&assembly, linear->diagonal);
    linear->diagonal_stamp = (sn_stamp){linear->linearisation, linear->m, linear->d, linear->k};
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
    linear->data_valid = false, linear->data_changed = true;
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

/* Whether only the positions are new since the preconditioner was made. Contacts and the like count as a change: they come and go. */
static bool moved_only(const sn_linear *linear) {
    const sn_stamp *s = &linear->data_stamp;
    const bool listed = (linear->stiffness && linear->stiffness->count) || (linear->damping && linear->damping->count);
    return linear->data && !linear->data_changed && !listed && s->m == linear->m && s->d == linear->d && s->k == linear->k;
}

/* The operator that the method works on: the matrix, or the exact one. */
sn_operator sn_linear_operator(sn_linear *linear, bool copy) {
    if (copy) {
        sn_operator op = sn_operator_of_matrix(linear->context, &linear->matrix, linear->diagonal, linear->symmetric);
        linear->assembly = sn_linear_assembly(linear);
        op.assembly = &linear->assembly;
        op.position = linear->model.position;
        op.now = linear->view.x;
        op.self = linear;
        op.residual = linear->exact ? NULL : exact_residual;
        op.options = &linear->options;
        op.watch = &linear->watch;
        op.version = linear->matrix_version;
        op.moved = moved_only(linear);
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

sn_status sn_linear_ensure_data(sn_linear *linear, const sn_choice *c, const sn_operator *op, sn_error *error) {
    if (linear->preconditioner != c->preconditioner) {
        sn_linear_release_data(linear);
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
    linear->data_changed = (linear->stiffness && linear->stiffness->count) || (linear->damping && linear->damping->count);
    linear->data_stamp = (sn_stamp){linear->linearisation, linear->m, linear->d, linear->k};
    return status;
}

sn_status sn_linear_prepare(sn_linear *linear, const sn_choice *c, const sn_filter *filter, sn_linear_report *report, sn_error *error) {
    const double start = sn_seconds();
    sn_status status = keep_filter(linear, filter, error);
    if (!status)
        status =
            sn_linear_ensure_scratch(linear, SN_REFINE_VECTORS + (c->krylov ? sn_krylov_vectors(c->krylov, &linear->options) : 0), error);
    if (!status && c->assembled) status = ensure_matrix(linear, c, error);
    if (!status && !c->assembled) {
        linear->symmetric = linear->operator_symmetric;
        sn_linear_ensure_cache(linear);
    }
    if (!status && c->preconditioner->needs_diagonal) ensure_diagonal(linear, c->assembled);
    report->assembly_seconds = sn_seconds() - start;
    return status;
}

void sn_linear_residual(const sn_linear *linear, const double *b, const double *x, double *r) {
    exact_residual(linear, b, x, r);
    sn_filter_apply(&linear->filter, r);
}
