/* The direct solver: the supernodal Cholesky factor of CHOLMOD (Chen, Davis, Hager and Rajamanickam 2008), ordered by
 * METIS.
 *
 * The matrix of the free directions is S A S + s (I - S), with s the mean of the node's diagonal. Constrained
 * components are thus decoupled, and their pivots have the size of the others. The order is found on the graph of
 * nodes, which has a third of the size of the graph of scalars. Order and symbolic factor are kept as long as the
 * pattern stays. A pivot that is not positive, or that the elimination reduced below 1e-13 of its diagonal entry, is
 * reported as SN_SINGULAR. */
#include "linear/solver.h"

#if defined(SN_HAVE_CHOLMOD)

#include <cholmod.h>
#include <math.h>
#include <string.h>

#include "direct.h"
#include "linear/precondition/preconditioner.h"

typedef struct cholesky {
    sn_context *context;
    const sn_pattern *pattern;
    const sn_filter *filter;
    cholmod_common common;
    cholmod_sparse *matrix; /* lower triangle, by columns */
    cholmod_factor *factor;
    double *diagonal; /* 3 n: the diagonal of the matrix, to judge the pivots */
    cholmod_dense *right, *left, *work_y, *work_e;
} cholesky;

static void release(sn_context *context, void *data) {
    cholesky *c = data;
    if (!c) return;
    cholmod_free_sparse(&c->matrix, &c->common);
    cholmod_free_factor(&c->factor, &c->common);
    cholmod_free_dense(&c->right, &c->common);
    cholmod_free_dense(&c->left, &c->common);
    cholmod_free_dense(&c->work_y, &c->common);
    cholmod_free_dense(&c->work_e, &c->common);
    cholmod_finish(&c->common);
    sn_release(context, c->diagonal);
    sn_release(context, c);
}

/* Orders the scalars with METIS on the nodes, or with AMD when METIS fails. */
static bool order(cholesky *c, int *permutation) {
    const sn_pattern *p = c->pattern;
    int64_t upper = 0;
    for (int i = 0; i < p->nodes; ++i) upper += p->row_begin[i + 1] - p->diagonal[i];
    cholmod_sparse *graph = cholmod_allocate_sparse((size_t)p->nodes, (size_t)p->nodes, (size_t)upper, 1, 1, -1,
                                                    CHOLMOD_PATTERN, &c->common);
    int *node_order = cholmod_malloc((size_t)p->nodes, sizeof *node_order, &c->common);
    bool good = graph && node_order;
    if (good) {
        int *begin = graph->p, *row = graph->i, next = 0;
        for (int j = 0; j < p->nodes; ++j) {
            begin[j] = next;
            for (int32_t k = p->diagonal[j]; k < p->row_begin[j + 1]; ++k) row[next++] = p->column[k];
        }
        begin[p->nodes] = next;
        good = cholmod_metis(graph, NULL, 0, 1, node_order, &c->common) ||
               cholmod_amd(graph, NULL, 0, node_order, &c->common);
        for (int i = 0; good && i < p->nodes; ++i)
            for (int k = 0; k < 3; ++k) permutation[3 * i + k] = 3 * node_order[i] + k;
    }
    cholmod_free_sparse(&graph, &c->common);
    cholmod_free(node_order ? (size_t)p->nodes : 0, sizeof *node_order, node_order, &c->common);
    return good;
}

/* The pattern of the lower triangle: column 3 j + a has the rows of block row j from (j, a) down (A is symmetric). */
static bool create_matrix(cholesky *c) {
    const sn_pattern *p = c->pattern;
    const int64_t n = 3 * (int64_t)p->nodes;
    int64_t count = 0;
    for (int i = 0; i < p->nodes; ++i) count += 9 * (int64_t)(p->row_begin[i + 1] - p->diagonal[i]) - 3;
    if (count > INT32_MAX) return false;
    c->matrix = cholmod_allocate_sparse((size_t)n, (size_t)n, (size_t)count, 1, 1, -1, CHOLMOD_REAL, &c->common);
    if (!c->matrix) return false;
    int *begin = c->matrix->p, *row = c->matrix->i, next = 0;
    for (int j = 0; j < p->nodes; ++j)
        for (int a = 0; a < 3; ++a) {
            begin[3 * j + a] = next;
            for (int32_t k = p->diagonal[j]; k < p->row_begin[j + 1]; ++k)
                for (int r = k == p->diagonal[j] ? a : 0; r < 3; ++r) row[next++] = 3 * p->column[k] + r;
        }
    begin[n] = next;
    return true;
}

static void fill_matrix(cholesky *c, const sn_matrix *matrix, const sn_filter *filter) {
    const sn_pattern *p = c->pattern;
    const int *begin = c->matrix->p;
    double *value = c->matrix->x;
    for (int j = 0; j < p->nodes; ++j) {
        const double *S = sn_filter_find(filter, j);
        int next[3] = {begin[3 * j], begin[3 * j + 1], begin[3 * j + 2]};
        for (int32_t k = p->diagonal[j]; k < p->row_begin[j + 1]; ++k) {
            const bool own = k == p->diagonal[j];
            double block[9]; /* block (j, column); its transpose stands below the diagonal */
            if (own)
                sn_projected_block(matrix->double_ + 9 * (int64_t)k, S, block);
            else
                sn_project_pair(matrix->double_ + 9 * (int64_t)k, S, sn_filter_find(filter, p->column[k]), block);
            for (int a = 0; a < 3; ++a) {
                if (own) c->diagonal[3 * (int64_t)j + a] = block[4 * a];
                for (int r = own ? a : 0; r < 3; ++r) value[next[a]++] = block[3 * r + a];
            }
        }
    }
}

/* Finds the column whose pivot is smallest relative to its diagonal entry. Returns that ratio. */
static double weakest_pivot(const cholesky *c, int64_t *column) {
    const cholmod_factor *L = c->factor;
    const int *permutation = L->Perm, *super = L->super, *pi = L->pi, *px = L->px;
    const double *x = L->x;
    double weakest = INFINITY;
    for (size_t s = 0; s < (L->is_super ? L->nsuper : L->n); ++s) {
        const int first = L->is_super ? super[s] : (int)s, last = L->is_super ? super[s + 1] : (int)s + 1;
        for (int j = first; j < last; ++j) {
            const double l = L->is_super ? x[px[s] + (int64_t)(j - first) * (pi[s + 1] - pi[s]) + (j - first)]
                                         : x[((const int *)L->p)[s]];
            const double pivot = L->is_super || L->is_ll ? l * l : l, part = pivot / c->diagonal[permutation[j]];
            if (isnan(part)) return part;
            if (part < weakest) weakest = part, *column = permutation[j];
        }
    }
    return weakest;
}

static sn_status create(sn_context *context, const sn_operator *op, cholesky **out, sn_error *error) {
    cholesky *c = sn_allocate_zero(context, 1, sizeof *c);
    if (!c) return sn_no_memory(error);
    c->context = context;
    c->pattern = op->matrix->pattern;
    cholmod_start(&c->common);
    c->common.print = 0;
    c->common.supernodal = CHOLMOD_AUTO;
    c->common.final_ll = 1;
    c->common.nmethods = 1;
    c->common.method[0].ordering = CHOLMOD_GIVEN;
    c->common.postorder = 1;
    const size_t n = (size_t)op->n;
    c->diagonal = sn_allocate(context, n, sizeof *c->diagonal);
    int *permutation = cholmod_malloc(n, sizeof *permutation, &c->common);
    c->right = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &c->common);
    const bool good = c->diagonal && permutation && c->right && create_matrix(c) && order(c, permutation) &&
                      (c->factor = cholmod_analyze_p(c->matrix, permutation, NULL, 0, &c->common)) != NULL;
    cholmod_free(permutation ? n : 0, sizeof *permutation, permutation, &c->common);
    if (!good) {
        release(context, c);
        return sn_no_memory(error);
    }
    *out = c;
    return SN_OK;
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    cholesky *c = *data;
    if (!c) {
        const sn_status status = create(context, op, &c, error);
        if (status) return status;
        *data = c;
    }
    c->filter = filter;
    fill_matrix(c, op->matrix, filter);
    for (int64_t i = 0; i < op->n; ++i)
        if (!isfinite(c->diagonal[i]))
            return sn_fail(error, SN_NOT_FINITE, "the matrix is not finite at compiled node %d", (int)(i / 3));
    c->common.status = CHOLMOD_OK;
    const int done = cholmod_factorize(c->matrix, c->factor, &c->common);
    if (!done || c->common.status == CHOLMOD_OUT_OF_MEMORY || c->common.status == CHOLMOD_TOO_LARGE)
        return sn_no_memory(error);
    if (c->common.status == CHOLMOD_NOT_POSDEF || c->factor->minor < c->factor->n)
        return sn_fail(error, SN_SINGULAR,
                       "the matrix is not positive definite (pivot %d of %d): the body is not held in every direction, "
                       "has no stiffness, "
                       "or is unstable",
                       (int)c->factor->minor + 1, op->n);
    int64_t column = 0;
    const double weakest = weakest_pivot(c, &column);
    if (isnan(weakest)) return sn_fail(error, SN_NOT_FINITE, "the matrix is not finite");
    if (weakest < 1e-13)
        return sn_fail(error, SN_SINGULAR,
                       "the matrix is singular (a pivot fell to %.1e of its diagonal): the body is not held in every "
                       "direction or has no stiffness",
                       weakest);
    return SN_OK;
}

static void apply(void *data, const double *r, double *z) {
    cholesky *c = (cholesky *)(uintptr_t)data; /* the workspaces change, the result does not */
    const size_t bytes = c->factor->n * sizeof(double);
    memcpy(c->right->x, r, bytes);
    if (!cholmod_solve2(CHOLMOD_A, c->factor, c->right, NULL, &c->left, NULL, &c->work_y, &c->work_e, &c->common)) {
        memset(z, 0, bytes);
        return;
    }
    memcpy(z, c->left->x, bytes);
    sn_filter_apply(c->filter, z);
}

const sn_preconditioner sn_direct_cholesky_factor = {
    .needs_matrix = true, .direct = true, .update = update, .apply = apply, .release = release};

#else
typedef int sn_no_cholmod; /* C does not allow an empty file */
#endif
