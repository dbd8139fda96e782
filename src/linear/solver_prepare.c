/* Preparation of a solve: the exact operator in double precision, the matrix (which may be a copy of that operator in
 * single precision), the diagonal, the preconditioner and the scratch memory. */
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
    linear->coupled.usable = false;
    linear->place.prepared = linear->place.factored.valid = false;
}

void sn_linear_release_matrix(sn_linear *linear) {
    sn_release(linear->context, linear->matrix.single_);
    sn_release(linear->context, linear->matrix.double_);
    linear->matrix = (sn_matrix){0};
    linear->place.matrix.valid = linear->place.listed.valid = false;
}

/* ---- The exact operator ---- */
static bool made_for(const sn_made *made, double m, double d, double k) {
    return made->valid && made->m == m && made->d == d && made->k == k;
}

static void plain_product(const sn_linear *linear, double m, double d, double k, const double *u, double *out) {
    if (linear->place.view.tension) {
        const sn_scalar *scalar = &linear->scalar;
        if (scalar->valid && scalar->m == m && scalar->d == d && scalar->k == k)
            sn_scalar_product(linear->context, scalar, u, out);
        else
            sn_scalar_product_of(scalar, linear->model.mass, linear->place.rayleigh_mass, m, d, k, u, out);
        sn_block_list_product(linear->place.stiffness, k, u, out);
        sn_block_list_product(linear->place.damping, d, u, out);
        return;
    }
    if (linear->exact && made_for(&linear->place.matrix, m, d, k)) {
        sn_matrix_product(linear->context, &linear->matrix, u, out);
        return;
    }
    const double *cache = made_for(&linear->place.cache, 0, d, k) ? linear->cache.value : NULL;
    sn_mass_product(linear->context, &linear->mass, m, d, linear->place.rayleigh_mass, u, out);
    if (k != 0 || d != 0)
        sn_elements_product(linear->context, linear->model.elements, &linear->place.view, k, d, cache, u, out);
    sn_block_list_product(linear->place.stiffness, k, u, out);
    sn_block_list_product(linear->place.damping, d, u, out);
}

/* T^T A T u with slaves. A matrix in double precision is folded already. */
static void exact_product(const sn_linear *linear, double m, double d, double k, const double *u, double *out) {
    const sn_slaves *slaves = linear->model.slaves;
    if (!slaves) {
        plain_product(linear, m, d, k, u, out);
        return;
    }
    const bool folded = linear->exact && made_for(&linear->place.matrix, m, d, k);
    sn_vector_copy(linear->context, 3 * linear->model.nodes, u, linear->followed);
    sn_slaves_follow(slaves, linear->followed);
    plain_product(linear, m, d, k, linear->followed, out);
    if (folded)
        sn_slaves_clear(slaves, out);
    else
        sn_slaves_give(slaves, out);
}

/* The product of the elements' damping with u, from the damping stresses, in the second half of `damped`. A solve that
 * is repeated with other contacts asks for the same product again. NULL: no memory. */
static const double *damp_elements(sn_linear *linear, double d, const double *u) {
    const int n = 3 * linear->model.nodes;
    if (!linear->damped) linear->damped = sn_allocate(linear->context, 2 * (size_t)n, sizeof *linear->damped);
    if (!linear->damped) return NULL;
    double *by = linear->damped, *product = by + n;
    if (made_for(&linear->place.damped, 0, d, 0) && memcmp(by, u, (size_t)n * sizeof *u) == 0) return product;
    sn_vector_copy(linear->context, n, u, by);
    sn_vector_zero(linear->context, n, product);
    sn_elements_damp(linear->context, linear->model.elements, &linear->place.view, d, u, product);
    linear->place.damped = (sn_made){true, 0, d, 0};
    return product;
}

void sn_linear_product(sn_linear *linear, double m, double d, double k, const double *u, double *out) {
    const bool damps = k == 0 && d != 0 && !linear->model.slaves && !linear->place.view.tension;
    const double *product = damps ? damp_elements(linear, d, u) : NULL;
    if (!product) {
        exact_product(linear, m, d, k, u, out);
        return;
    }
    sn_mass_product(linear->context, &linear->mass, m, d, linear->place.rayleigh_mass, u, out);
    sn_vector_add(linear->context, 3 * linear->model.nodes, 1, product, out);
    sn_block_list_product(linear->place.damping, d, u, out);
}

static void exact_apply(const void *self, const double *x, double *y) {
    const sn_linear *linear = self;
    exact_product(linear, linear->m, linear->d, linear->k, x, y);
}

bool sn_linear_have_cache(sn_linear *linear) {
    const size_t size = (size_t)linear->model.elements->linearised_size;
    if (!linear->cache.value) linear->cache.value = sn_allocate(linear->context, size, sizeof(double));
    return linear->cache.value != NULL;
}

/* Whether the assembly stores the linearised elements on the way. It does when they are only a few numbers per
 * element: a solve multiplies once or twice with the exact operator, and more numbers cost less to compute again than
 * to write and read. */
static bool cheap_cache(const sn_elements_model *elements) {
    for (int b = 0; b < elements->batch_count; ++b)
        if (!elements->batch[b].compact || elements->batch[b].linearised_items > 3 * elements->batch[b].element->nodes)
            return false;
    return true;
}

/* Notes that the cache belongs to the present linearisation and has the weights of d and k. */
static void note_cache(sn_linear *linear) {
    linear->cache.d = linear->d, linear->cache.k = linear->k,
    linear->cache.parameters = linear->place.view.settings->revision;
    linear->place.cache = (sn_made){true, 0, linear->d, linear->k};
}

/* Takes over the rotations of the last force evaluation, if that evaluation was at the view. */
static bool take_kept(sn_linear *linear) {
    if (!linear->kept.linearised || !linear->place.view.kept) return false;
    const sn_linearised old = linear->cache;
    linear->cache = linear->next;
    linear->next = old;
    linear->kept.linearised = linear->next.value;
    linear->left = false;
    linear->place.view.kept = NULL;
    return true;
}

void sn_linear_ensure_cache(sn_linear *linear) {
    const double d = linear->d, k = linear->k;
    const sn_elements_model *elements = linear->model.elements;
    sn_linearised *cache = &linear->cache;
    if (made_for(&linear->place.cache, 0, d, k) || (d == 0 && k == 0) || !sn_linear_have_cache(linear)) return;
    const bool here = elements->turned && linear->place.cache.valid;
    if (!here && !take_kept(linear))
        sn_elements_linearise(linear->context, elements, &linear->place.view, k, d, cache->value);
    else if (cache->d != d || cache->k != k || cache->parameters != linear->place.view.settings->revision)
        sn_elements_weigh(linear->context, elements, linear->place.view.settings, k, d, cache->value);
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
                         .view = &linear->place.view,
                         .stiffness = linear->place.stiffness,
                         .damping = linear->place.damping,
                         .rayleigh_mass = linear->place.rayleigh_mass,
                         .patches = linear->model.elements->patches != NULL,
                         .folded = linear->model.slaves != NULL,
                         .m = linear->m,
                         .d = linear->d,
                         .k = linear->k};
}

/* Makes the edges for the first matrix in single precision, if the elements allow assembly by edges. */
static sn_status ensure_edges(sn_linear *linear, const sn_choice *c, sn_error *error) {
    if (!c->single || linear->edges.group_count || !sn_edges_serve(linear->model.elements, &linear->place.view))
        return SN_OK;
    return sn_edges_create(linear->context, linear->model.elements, &linear->pattern, &linear->edges, error);
}

sn_status sn_linear_reserve_matrix(sn_linear *linear, bool single, sn_error *error) {
    const size_t values = (size_t)linear->pattern.block_count * 9 + 8;
    if ((single && linear->matrix.double_) || (!single && linear->matrix.single_)) sn_linear_release_matrix(linear);
    linear->matrix.pattern = &linear->pattern;
    const size_t room = 8, end = values - room; /* the assembly sets all other numbers, on all threads */
    if (single && !linear->matrix.single_ &&
        (linear->matrix.single_ = sn_allocate(linear->context, values, sizeof(float))))
        memset(linear->matrix.single_ + end, 0, room * sizeof(float));
    if (!single && !linear->matrix.double_ &&
        (linear->matrix.double_ = sn_allocate(linear->context, values, sizeof(double))))
        memset(linear->matrix.double_ + end, 0, room * sizeof(double));
    return linear->matrix.single_ || linear->matrix.double_ ? SN_OK : sn_no_memory(error);
}

sn_status sn_linear_reserve_volumes(sn_linear *linear, sn_error *error) {
    if (linear->volumes.patches) return SN_OK;
    return sn_volumes_create(linear->context, linear->model.elements->patches, &linear->volumes, error);
}

sn_status sn_linear_couple(sn_linear *linear, double d, double k, const int32_t *place, sn_error *error) {
    linear->matrix.coupling = &linear->coupling;
    return sn_coupling_build(linear->context, &linear->pattern, linear->place.stiffness, k, linear->place.damping, d,
                             place, &linear->coupling, error);
}

/* Everything but the listed blocks. */
static sn_status assemble_elements(sn_linear *linear, const sn_choice *c, sn_error *error) {
    sn_assembly assembly = sn_linear_assembly(linear);
    if (c->mixed) assembly.volumes = &linear->volumes;
    if (c->single && linear->edges.group_count && sn_linear_have_cache(linear) &&
        sn_edges_serve(linear->model.elements, &linear->place.view)) {
        sn_linear_ensure_cache(linear);
        assembly.linearised = linear->cache.value;
        if (linear->d != 0 || linear->k != 0) assembly.edges = &linear->edges;
    } else if (c->single && cheap_cache(linear->model.elements) && sn_linear_have_cache(linear)) {
        assembly.linearised = linear->cache.value;
        note_cache(linear);
    }
    while (!sn_assemble_elements(&assembly, &linear->matrix)) {
        const sn_status status =
            sn_scatter_map_create(linear->context, linear->model.elements, &linear->pattern, NULL, &linear->map, error);
        if (status) return status;
    }
    if (linear->model.slaves) sn_folding_apply(&linear->folding, linear->model.slaves, &linear->matrix);
    return SN_OK;
}

static sn_status ensure_matrix(sn_linear *linear, const sn_choice *c, sn_error *error) {
    if (!(c->single ? linear->matrix.double_ != NULL : linear->matrix.single_ != NULL) && linear->parted == c->mixed &&
        made_for(&linear->place.matrix, linear->m, linear->d, linear->k))
        return SN_OK;
    linear->place.matrix.valid = false;
    sn_status status = ensure_edges(linear, c, error);
    if (!status) status = sn_linear_reserve_matrix(linear, c->single, error);
    if (!status && c->mixed) status = sn_linear_reserve_volumes(linear, error);
    if (status) return status;
    if (linear->parted == c->mixed && made_for(&linear->place.listed, linear->m, linear->d, linear->k))
        sn_listed_restore(&linear->listed, &linear->matrix);
    else
        status = assemble_elements(linear, c, error);
    if (status) return status;
    linear->parted = c->mixed;
    linear->place.listed.valid = false;
    const sn_assembly assembly = sn_linear_assembly(linear);
    status = sn_listed_keep(&assembly, &linear->matrix, &linear->listed, error);
    if (status) return status;
    sn_assemble_lists(&assembly, &linear->matrix, linear->listed.place, &linear->symmetric);
    linear->place.listed = (sn_made){true, linear->m, linear->d, linear->k};
    status = sn_linear_couple(linear, linear->d, linear->k, linear->listed.place, error);
    if (status) return status;
    linear->symmetric = linear->symmetric && sn_coupling_symmetric(&linear->coupling, c->single ? 1e-5 : 1e-12);
    linear->exact = !c->single && !c->mixed;
    if (!linear->symmetric && (!c->krylov || c->krylov->needs_symmetric)) {
        sn_matrix_symmetrise(linear->context, &linear->matrix);
        sn_coupling_symmetrise(&linear->coupling);
        linear->exact = linear->place.listed.valid = false;
    }
    linear->place.matrix = (sn_made){true, linear->m, linear->d, linear->k};
    linear->place.diagonal.valid = linear->place.prepared = false;
    return SN_OK;
}

static void ensure_diagonal(sn_linear *linear, bool from_matrix) {
    if (made_for(&linear->place.diagonal, linear->m, linear->d, linear->k)) return;
    sn_assembly assembly = sn_linear_assembly(linear);
    if (made_for(&linear->place.cache, 0, linear->d, linear->k)) assembly.linearised = linear->cache.value;
    if (from_matrix)
        sn_matrix_diagonal(linear->context, &linear->matrix, linear->diagonal);
    else
        sn_assemble_diagonal(&assembly, linear->diagonal);
    linear->place.diagonal = (sn_made){true, linear->m, linear->d, linear->k};
    linear->place.prepared = false;
}

static void plain_elements_product(sn_linear *linear, double d, double k, const double *u, double *out) {
    const sn_made *matrix = &linear->place.matrix;
    if (linear->exact && made_for(matrix, matrix->m, d, k)) { /* everything, less what is not of the elements */
        double *mass = linear->scratch;
        sn_mass_product(linear->context, &linear->mass, matrix->m, d, linear->place.rayleigh_mass, u, mass);
        sn_matrix_product(linear->context, &linear->matrix, u, out);
        sn_vector_add(linear->context, 3 * linear->model.nodes, -1, mass, out);
        sn_block_list_product(linear->place.stiffness, -k, u, out);
        sn_block_list_product(linear->place.damping, -d, u, out);
        return;
    }
    const double *cache = made_for(&linear->place.cache, 0, d, k) ? linear->cache.value : NULL;
    sn_vector_zero(linear->context, 3 * linear->model.nodes, out);
    if (k == 0 && !cache)
        sn_elements_damp(linear->context, linear->model.elements, &linear->place.view, d, u, out);
    else
        sn_elements_product(linear->context, linear->model.elements, &linear->place.view, k, d, cache, u, out);
}

void sn_linear_elements_product(sn_linear *linear, double d, double k, const double *u, double *out) {
    const sn_slaves *slaves = linear->model.slaves;
    if (!slaves) {
        plain_elements_product(linear, d, k, u, out);
        return;
    }
    const bool folded = linear->exact && made_for(&linear->place.matrix, linear->place.matrix.m, d, k);
    sn_vector_copy(linear->context, 3 * linear->model.nodes, u, linear->followed);
    sn_slaves_follow(slaves, linear->followed);
    plain_elements_product(linear, d, k, linear->followed, out);
    if (folded)
        sn_slaves_clear(slaves, out);
    else
        sn_slaves_give(slaves, out);
}

void sn_linear_trace(sn_linear *linear, double m, double d, double k, double *out) {
    linear->m = m, linear->d = d, linear->k = k;
    if (linear->parted) linear->place.diagonal.valid = false; /* it may lack the volumes, as the matrix does */
    ensure_diagonal(linear, !linear->parted && made_for(&linear->place.matrix, m, d, k));
    for (int i = 0; i < linear->model.nodes; ++i) {
        const double *block = linear->diagonal + 9 * (int64_t)i;
        out[i] = block[0] + block[4] + block[8];
    }
}

static void exact_residual(const void *self, const double *b, const double *x, double *r) {
    const sn_linear *linear = self;
    exact_apply(linear, x, r);
    sn_vector_subtract(linear->context, 3 * linear->model.nodes, b, r, r);
}

/* The matrix or the exact operator, on nodal unknowns. */
static sn_operator nodal_operator(sn_linear *linear, bool copy) {
    if (copy) {
        sn_operator op = sn_operator_of_matrix(linear->context, &linear->matrix, linear->diagonal, linear->symmetric);
        linear->assembly = sn_linear_assembly(linear);
        linear->source =
            (sn_source){&linear->assembly,    linear->model.position,
                        linear->place.x,      linear->place.number,
                        linear->model.levels, made_for(&linear->place.factored, linear->m, linear->d, linear->k)};
        op.source = &linear->source;
        op.self = linear;
        op.residual = linear->exact ? NULL : exact_residual;
        op.volumes = linear->parted ? &linear->volumes : NULL;
        op.options = &linear->options;
        op.watch = &linear->watch;
        return op;
    }
    return (sn_operator){.context = linear->context,
                         .n = 3 * linear->model.nodes,
                         .apply = exact_apply,
                         .self = linear,
                         .scalar = linear->place.view.tension ? &linear->scalar : NULL,
                         .diagonal = linear->diagonal,
                         .symmetric = linear->symmetric,
                         .options = &linear->options,
                         .watch = &linear->watch};
}

sn_operator sn_linear_operator(sn_linear *linear, bool copy) {
    const sn_operator nodal = nodal_operator(linear, copy);
    return linear->model.basis ? sn_basis_operator(&linear->basis, &nodal) : nodal;
}

bool sn_linear_light(const sn_linear *linear, const sn_choice *c) {
    return c->krylov && c->preconditioner == &sn_preconditioner_block_jacobi && linear->symmetric &&
           !linear->place.stiff && linear->coupling.row_count > 0 && !linear->model.basis;
}

void sn_linear_note_stiff(sn_linear *linear) {
    enum { STAY = 100 };
    linear->stiff = STAY;
    linear->place.stiff = true;
    linear->place.corrected = false;
}

/* Makes the correction for coupled bodies, for methods that can use it and need it. */
static sn_status couple_data(sn_linear *linear, const sn_choice *c, const sn_operator *op, sn_error *error) {
    linear->coupled.usable = false;
    if (!c->krylov || c->preconditioner->direct || c->preconditioner == &sn_preconditioner_none) return SN_OK;
    linear->place.corrected = true;
    if (sn_linear_light(linear, c)) return SN_OK;
    const bool all = !c->preconditioner->knows_held;
    const sn_status status =
        sn_coupled_update(linear->context, op, &linear->filter.filter, all, &linear->coupled, error);
    if (status) linear->place.prepared = false;
    linear->place.corrected = !status;
    return status;
}

sn_status sn_linear_ensure_data(sn_linear *linear, const sn_choice *c, const sn_operator *op, sn_error *error) {
    if (linear->preconditioner != c->preconditioner) {
        sn_linear_release_data(linear);
        linear->preconditioner = c->preconditioner;
    }
    const bool copy = op->matrix != NULL;
    /* A preconditioner that was made from the matrix also works for the exact operator. */
    sn_linear_place *place = &linear->place;
    if (linear->data && place->prepared &&
        (place->copied == copy || (place->copied && c->preconditioner->needs_matrix)))
        return copy && !place->corrected ? couple_data(linear, c, op, error) : SN_OK;
    place->prepared = false;
    const sn_status status =
        c->preconditioner->update(linear->context, op, &linear->filter.filter, &linear->data, error);
    place->prepared = !status;
    place->copied = copy;
    place->factored = (sn_made){!status && copy, linear->m, linear->d, linear->k};
    return status || !copy ? status : couple_data(linear, c, op, error);
}

/* The scratch of a method as a number of vectors. The vectors of a mixed method hold the pressures too. */
static int scratch_vectors(const sn_linear *linear, const sn_choice *c) {
    if (!c->krylov) return 0;
    const int vectors = sn_krylov_vectors(c->krylov, &linear->options);
    if (!c->mixed) return vectors;
    const int64_t n = 3 * (int64_t)linear->model.nodes,
                  all = n + (int64_t)linear->model.elements->patches->block_count * SN_LANES;
    return (int)(((vectors + linear->options.restart + 3) * all + 4 * sn_dot_scratch((int)all)) / n + 1);
}

sn_status sn_linear_prepare(sn_linear *linear, const sn_choice *c, const sn_filter *filter, sn_linear_report *report,
                            sn_error *error) {
    const double start = sn_seconds();
    bool changed;
    sn_status status = sn_filter_copy_update(linear->context, filter, &linear->filter, &changed, error);
    if (changed) linear->place.prepared = linear->place.factored.valid = false;
    if (!status) status = sn_linear_ensure_scratch(linear, SN_REFINE_VECTORS + scratch_vectors(linear, c), error);
    if (!status && c->assembled) status = ensure_matrix(linear, c, error);
    if (!status && !c->assembled) {
        linear->symmetric = linear->operator_symmetric;
        linear->coupled.usable = false; /* it needs the matrix */
        if (linear->place.view.tension) {
            sn_scalar_fill(linear->model.mass, linear->place.rayleigh_mass, linear->m, linear->d, linear->k,
                           &linear->scalar);
            sn_scalar_note(linear->place.stiffness, linear->place.damping, &linear->scalar);
        } else {
            sn_linear_ensure_cache(linear);
        }
    }
    if (!status && linear->model.basis && !linear->place.prepared)
        status = sn_basis_update(linear->context, linear->model.basis, &linear->matrix, &linear->filter.filter,
                                 &linear->basis, error);
    else if (!status && !linear->model.basis && c->preconditioner->needs_diagonal)
        ensure_diagonal(linear, c->assembled);
    report->assembly_seconds = sn_seconds() - start;
    return status;
}

void sn_linear_residual(const sn_linear *linear, const double *b, const double *x, double *r) {
    exact_residual(linear, b, x, r);
    sn_filter_apply(&linear->filter.filter, r);
}
