/* Direct methods whose factor stays usable when the constraints or the matrix change (Sherman, Morrison and Woodbury;
 * Hauth 5.4.2).
 *
 * Changed constraints. The kept factor is that of A_0 = S_0 A S_0 + s (I - S_0). Now the filter becomes S while the
 * matrix stays. Each node whose projection changed gives two kinds of directions. The directions F were held by S_0 and
 * may be freed by S. The directions N were left free by S_0 (or freed by F) and are held by S. With x = x_0 + F m:
 *
 *   [ A_0        S_0 A F   S_0 N ] [ x_0 ]   [ S_0 r ]
 *   [ F^T A S_0  F^T A F   F^T N ] [  m  ] = [ F^T r ]
 *   [ N^T S_0    N^T F     0     ] [  l  ]   [ 0     ]
 *
 * With B the two upper right blocks and G the four lower right ones, (G - B^T A_0^-1 B) y = g - B^T A_0^-1 S_0 r. This
 * costs one solve with the kept factor per direction, once, and then two solves per right-hand side. N is scaled by the
 * stiffness of the node, so that all entries of the small dense matrix have a similar size. When there are too many
 * directions, or the dense matrix is singular, a new factor is made with the present filter.
 *
 * Changed matrix. When the matrix changes and the filter stays, the old factor is the preconditioner of CG, which
 * solves to 1e-12 of each right-hand side. The old factor is kept as long as few iterations suffice. After a solve with
 * more than PAYS iterations, the next matrix is factored; after MOST_STALE iterations, the present one. These rules
 * count iterations and never read a clock, so that runs can be repeated.
 *
 * Blocks without a place in the pattern. Contacts couple nodes that the pattern does not couple. The factor is then
 * that of a larger pattern, which holds all pairs that were coupled so far (extension.h). A new pair needs a new
 * analysis. */
#include <math.h>
#include <string.h>

#include "dense.h"
#include "direct.h"
#include "linear/matrix/assembly.h"
#include "linear/matrix/extension.h"
#include "linear/matrix/filter.h"
#include "linear/matrix/kernels.h"

enum { MOST = 96 /* most directions */, PAYS = 10, MOST_STALE = 20 };

typedef struct direction {
    int32_t node;
    bool freed;
    double vector[3];
} direction;

typedef struct woodbury {
    sn_context *context;
    const sn_preconditioner *base;
    void *factor; /* data of `base` */
    sn_extension extension;
    bool valid;
    int64_t place; /* names the factored matrix (sn_source), together with m, d, k; 0: unknown */
    double m, d, k;
    double *factored; /* the factored matrix, in place of the factor in a saved state: blocks of the pattern x 9 */
    bool symmetric;   /* of the factored matrix */
    int n, factorisations;
    sn_filter_copy kept;     /* S_0 */
    const sn_filter *filter; /* S */
    int count;
    direction direction[MOST];
    int border_begin[MOST + 1]; /* the columns of B */
    int32_t *border_node;
    double *border_value; /* 3 numbers each */
    int border_nodes, border_values;
    double *schur; /* MOST x MOST, row by row; then its LU factor */
    int pivot[MOST];
    double *vector, *solution; /* n, scratch */
    bool stale, worn;          /* stale: the factor is of an older matrix; worn: the next update must replace it */
    sn_operator now;           /* the present matrix, when the factor is stale */
    double *krylov;            /* scratch of CG */
} woodbury;

int sn_direct_corrections(const void *data) { return ((const woodbury *)data)->count; }
int sn_direct_factorisations(const void *data) { return ((const woodbury *)data)->factorisations; }

static void release(sn_context *context, void *data) {
    woodbury *w = data;
    if (!w) return;
    w->base->release(context, w->factor);
    sn_extension_release(context, &w->extension);
    sn_filter_copy_release(context, &w->kept);
    sn_release(context, w->factored);
    sn_release(context, w->border_node);
    sn_release(context, w->border_value);
    sn_release(context, w->schur);
    sn_release(context, w->vector);
    sn_release(context, w->solution);
    sn_release(context, w->krylov);
    sn_release(context, w);
}

/* ---- The directions that changed ---- */
static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* An orthonormal basis of the range of a projection. Returns the number of its vectors. */
static int basis(const double Q[9], double out[3][3]) {
    double left[9];
    memcpy(left, Q, sizeof left);
    int rank = 0;
    while (rank < 3) {
        int widest = 0;
        for (int c = 1; c < 3; ++c)
            if (left[4 * c] > left[4 * widest]) widest = c;
        if (!(left[4 * widest] > 1e-9))
            break; /* a diagonal entry of a projection is the square of the length of its column */
        double *v = out[rank], length = 0;
        for (int r = 0; r < 3; ++r) v[r] = left[3 * widest + r];
        for (int k = 0; k < rank; ++k) {
            double along = 0;
            for (int r = 0; r < 3; ++r) along += out[k][r] * v[r];
            for (int r = 0; r < 3; ++r) v[r] -= along * out[k][r];
        }
        for (int r = 0; r < 3; ++r) length += v[r] * v[r];
        for (int r = 0; r < 3; ++r) v[r] /= sqrt(length);
        ++rank;
        for (int k = 0; k < 9; ++k) left[k] -= v[k / 3] * v[k % 3];
    }
    return rank;
}

/* Whether the range of P contains the range of Q: P Q = Q. */
static bool holds(const double P[9], const double Q[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (fabs(P[3 * i] * Q[j] + P[3 * i + 1] * Q[3 + j] + P[3 * i + 2] * Q[6 + j] - Q[3 * i + j]) > 1e-12)
                return false;
    return true;
}

static bool add(woodbury *w, int32_t node, bool freed, const double P[9], const double Q[9]) {
    double difference[9], vector[3][3];
    for (int k = 0; k < 9; ++k) difference[k] = P[k] - Q[k];
    const int rank = basis(difference, vector);
    for (int i = 0; i < rank; ++i) {
        if (w->count == MOST) return false;
        w->direction[w->count].node = node;
        w->direction[w->count].freed = freed;
        memcpy(w->direction[w->count++].vector, vector[i], sizeof vector[i]);
    }
    return true;
}

static bool compare_node(woodbury *w, int32_t node, const double *S0, const double *S) {
    if (!S0) S0 = identity;
    if (!S) S = identity;
    if (memcmp(S0, S, sizeof identity) == 0) return true;
    if (holds(S0, S)) return add(w, node, false, S0, S);
    if (holds(S, S0)) return add(w, node, true, S, S0);
    return add(w, node, true, identity, S0) && add(w, node, false, identity, S);
}

/* Fills the directions. Returns false when there are too many. */
static bool compare(woodbury *w, const sn_filter *filter, int most) {
    const int now = filter ? filter->count : 0;
    w->count = 0;
    for (int a = 0, b = 0; a < w->kept.filter.count || b < now;) {
        const int32_t old = a < w->kept.filter.count ? w->kept.filter.node[a] : INT32_MAX,
                      new = b < now ? filter->node[b] : INT32_MAX;
        const int32_t node = old < new ? old : new;
        const double *S0 = old == node ? w->kept.filter.projection + 9 * (int64_t)a++ : NULL;
        const double *S = new == node ? filter->projection + 9 * (int64_t)b++ : NULL;
        if (!compare_node(w, node, S0, S) || w->count > most) return false;
    }
    return true;
}

/* ---- Border and dense matrix ---- */
/* out = (symmetric part of A)_ij v for the block at `place`, which is in row i. */
static void symmetric_block_apply(const sn_operator *op, int32_t place, const double v[3], double out[3]) {
    double block[9], back[9];
    sn_matrix_block(op->matrix, place, block);
    if (!op->symmetric) {
        sn_matrix_block(op->matrix, op->matrix->pattern->mirror[place], back);
        for (int k = 0; k < 9; ++k) block[k] = 0.5 * (block[k] + back[3 * (k % 3) + k / 3]);
    }
    for (int r = 0; r < 3; ++r) out[r] = block[r] * v[0] + block[3 + r] * v[1] + block[6 + r] * v[2];
}

static sn_status add_border(woodbury *w, int place, int32_t node, const double v[3], sn_error *error) {
    sn_status status =
        sn_grow(w->context, (void **)&w->border_node, &w->border_nodes, place + 1, sizeof *w->border_node, error);
    if (!status)
        status = sn_grow(w->context, (void **)&w->border_value, &w->border_values, place + 1,
                         3 * sizeof *w->border_value, error);
    if (status) return status;
    const double *S = sn_filter_find(&w->kept.filter, node);
    w->border_node[place] = node;
    for (int r = 0; r < 3; ++r)
        w->border_value[3 * (int64_t)place + r] =
            S ? S[3 * r] * v[0] + S[3 * r + 1] * v[1] + S[3 * r + 2] * v[2] : v[r];
    return SN_OK;
}

/* The columns of B. */
static sn_status form_border(woodbury *w, const sn_operator *op, sn_error *error) {
    const sn_pattern *pattern = op->matrix->pattern;
    int next = 0;
    for (int d = 0; d < w->count; ++d) {
        const direction *own = &w->direction[d];
        w->border_begin[d] = next;
        if (!own->freed) {
            const sn_status status = add_border(w, next++, own->node, own->vector, error);
            if (status) return status;
            continue;
        }
        for (int32_t k = pattern->row_begin[own->node]; k < pattern->row_begin[own->node + 1]; ++k) {
            double v[3];
            symmetric_block_apply(op, pattern->mirror[k], own->vector, v);
            const sn_status status = add_border(w, next++, pattern->column[k], v, error);
            if (status) return status;
        }
    }
    w->border_begin[w->count] = next;
    return SN_OK;
}

/* The dot product of column d of B with v; and v += s times this column. */
static double border_dot(const woodbury *w, int d, const double *v) {
    double sum = 0;
    for (int e = w->border_begin[d]; e < w->border_begin[d + 1]; ++e)
        for (int r = 0; r < 3; ++r) sum += w->border_value[3 * (int64_t)e + r] * v[3 * (int64_t)w->border_node[e] + r];
    return sum;
}
static void border_add(const woodbury *w, int d, double s, double *v) {
    for (int e = w->border_begin[d]; e < w->border_begin[d + 1]; ++e)
        for (int r = 0; r < 3; ++r) v[3 * (int64_t)w->border_node[e] + r] += s * w->border_value[3 * (int64_t)e + r];
}

/* An entry of G. */
static double corner(const sn_operator *op, const direction *a, const direction *b) {
    if (!a->freed && !b->freed) return 0;
    double v[3] = {0};
    if (a->freed && b->freed) {
        const int32_t place = sn_pattern_find(op->matrix->pattern, a->node, b->node);
        if (place >= 0) symmetric_block_apply(op, place, b->vector, v);
    } else if (a->node == b->node) {
        memcpy(v, b->vector, sizeof v);
    }
    return a->vector[0] * v[0] + a->vector[1] * v[1] + a->vector[2] * v[2];
}

/* z = A_0^-1 v. */
static void solve_kept(const woodbury *w, const double *v, double *z) { w->base->apply(w->factor, v, z); }

/* Makes and factors the dense matrix. *good is false when it is singular. */
static sn_status correct(woodbury *w, const sn_operator *op, bool *good, sn_error *error) {
    for (int d = 0; d < w->count; ++d) {
        if (w->direction[d].freed) continue;
        const double *A = op->diagonal + 9 * (int64_t)w->direction[d].node,
                     mean = (fabs(A[0]) + fabs(A[4]) + fabs(A[8])) / 3;
        for (int r = 0; r < 3 && mean > 0; ++r) w->direction[d].vector[r] *= mean;
    }
    sn_status status = form_border(w, op, error);
    if (!status && !w->schur) w->schur = sn_allocate(w->context, (size_t)MOST * MOST, sizeof *w->schur);
    if (!status && !w->schur) status = sn_no_memory(error);
    if (!status && !w->solution) w->solution = sn_allocate(w->context, (size_t)op->n, sizeof *w->solution);
    if (!status && !w->solution) status = sn_no_memory(error);
    for (int d = 0; d < w->count && !status; ++d) {
        memset(w->vector, 0, (size_t)op->n * sizeof *w->vector);
        border_add(w, d, 1, w->vector);
        solve_kept(w, w->vector, w->solution);
        for (int i = 0; i < w->count; ++i)
            w->schur[i * w->count + d] = corner(op, &w->direction[i], &w->direction[d]) - border_dot(w, i, w->solution);
    }
    if (!status) *good = sn_dense_factor(w->schur, w->count, w->pivot);
    return status;
}

/* ---- The direct methods ---- */
static void note_matrix(woodbury *w, const sn_source *source) {
    const bool known = source && source->assembly;
    w->place = known ? source->place : 0;
    if (known) w->m = source->assembly->m, w->d = source->assembly->d, w->k = source->assembly->k;
}

/* Whether the origin of the operator's matrix is known; and whether this matrix is the factored one. */
static bool known(const sn_operator *op) { return op->source && op->source->assembly; }
static bool same_matrix(const woodbury *w, const sn_source *source) {
    const sn_assembly *a = source->assembly;
    return source->place == w->place && a->m == w->m && a->d == w->d && a->k == w->k;
}

/* The bytes of the factored matrix. */
static size_t matrix_bytes(const sn_pattern *pattern) { return (size_t)pattern->block_count * 9 * sizeof(double); }

static sn_status refactor(woodbury *w, const sn_operator *op, const sn_filter *filter, sn_error *error) {
    w->valid = false;
    w->count = 0;
    bool changed;
    sn_status status = sn_filter_copy_update(w->context, filter, &w->kept, &changed, error);
    if (!status) status = w->base->update(w->context, op, &w->kept.filter, &w->factor, error);
    if (!status) memcpy(w->factored, op->matrix->double_, matrix_bytes(op->matrix->pattern));
    w->symmetric = op->symmetric;
    w->valid = !status;
    w->stale = w->worn = false;
    note_matrix(w, op->source);
    ++w->factorisations;
    return status;
}

/* ---- An old factor ---- */
static bool can_reuse(woodbury *w, const sn_operator *op, const sn_filter *filter) {
    if (!w->valid || w->worn || !known(op) || same_matrix(w, op->source) || !op->symmetric || !op->matrix->double_)
        return false;
    return compare(w, filter, 0);
}

/* z = A^-1 r by CG with the old factor. Returns false when there is a new factor; the caller then solves with that
 * one. */
static bool reuse(woodbury *w, const double *r, double *z) {
    const double size = sn_vector_norm(w->context, w->n, r);
    sn_krylov_report report;
    sn_krylov_cg.solve(&w->now, w->base, w->factor, w->filter, r, z, 1e-12 * size, MOST_STALE, w->krylov, &report);
    w->worn = w->worn || report.status || report.iterations > PAYS;
    if (report.residual <= 1e-6 * size) return true; /* refinement improves it further */
    const sn_operator op = w->now;
    if (!refactor(w, &op, w->filter, NULL)) return false;
    memset(z, 0, (size_t)w->n * sizeof *z); /* the next update will report why */
    return true;
}

static void use_stale(woodbury *w, const sn_operator *op) {
    w->now = *op;
    w->now.watch = NULL, w->now.residual = NULL;
}

/* Makes the data without a factor, if there are none yet. */
static sn_status ensure(const sn_preconditioner *base, sn_context *context, const sn_operator *op,
                        const sn_filter *filter, void **data, sn_error *error) {
    woodbury *w = *data ? *data : sn_allocate_zero(context, 1, sizeof *w);
    if (!w) return sn_no_memory(error);
    *data = w;
    w->context = context;
    w->base = base;
    w->n = op->n;
    w->filter = filter;
    if (!w->vector) w->vector = sn_allocate(context, (size_t)op->n, sizeof *w->vector);
    if (!w->krylov)
        w->krylov =
            sn_allocate(context, (size_t)sn_krylov_cg.vectors * (size_t)op->n + 4 * (size_t)sn_dot_scratch(op->n),
                        sizeof *w->krylov);
    return w->vector && w->krylov ? SN_OK : sn_no_memory(error);
}

/* Drops the factor, because the pattern is a new one, and makes room for the factored matrix. */
static sn_status change_pattern(woodbury *w, const sn_pattern *pattern, sn_error *error) {
    w->base->release(w->context, w->factor);
    sn_release(w->context, w->factored);
    w->factor = NULL;
    w->valid = false;
    w->factored = sn_allocate(w->context, matrix_bytes(pattern), 1);
    return w->factored ? SN_OK : sn_no_memory(error);
}

/* *extended becomes the operator on the pattern that also holds the coupled pairs. */
static sn_status extend(woodbury *w, const sn_operator *op, sn_operator *extended, sn_error *error) {
    bool changed;
    sn_status status = sn_extension_update(w->context, op->matrix, &w->extension, &changed, error);
    if (status || changed || !w->factored) {
        w->valid = false; /* without memory, the pattern may be a new one without a factor */
        if (!status) status = change_pattern(w, sn_extension_pattern(&w->extension, op->matrix->pattern), error);
    }
    *extended = *op;
    if (!status) extended->matrix = sn_extension_fill(&w->extension, op->matrix);
    return status;
}

static sn_status update(const sn_preconditioner *base, sn_context *context, const sn_operator *given,
                        const sn_filter *filter, void **data, sn_error *error) {
    sn_status made = ensure(base, context, given, filter, data, error);
    if (made) return made;
    woodbury *w = *data;
    sn_operator extended;
    const sn_operator *op = &extended;
    made = extend(w, given, &extended, error);
    if (made) return made;
    const int most = op->n / 8 < MOST ? op->n / 8 : MOST;
    w->stale = can_reuse(w, op, filter);
    if (w->stale) {
        use_stale(w, op);
        return SN_OK;
    }
    if (!w->valid || !known(op) || !same_matrix(w, op->source) || !compare(w, filter, most))
        return refactor(w, op, filter, error);
    if (!w->count) return SN_OK;
    bool good = false;
    const sn_status status = correct(w, op, &good, error);
    if (status) w->valid = false;
    if (status || good) return status;
    return refactor(w, op, filter, error);
}

static void apply(void *data, const double *r, double *z) {
    woodbury *w = data; /* the factor may be replaced, the result is the same */
    if (w->stale && reuse(w, r, z)) return;
    if (!w->count) {
        solve_kept(w, r, z);
        return;
    }
    double y[MOST], *v = w->vector;
    memcpy(v, r, (size_t)w->n * sizeof *v);
    sn_filter_apply(&w->kept.filter, v);
    solve_kept(w, v, z);
    for (int d = 0; d < w->count; ++d) {
        const double *f = w->direction[d].vector, *own = r + 3 * (int64_t)w->direction[d].node;
        y[d] = (w->direction[d].freed ? f[0] * own[0] + f[1] * own[1] + f[2] * own[2] : 0) - border_dot(w, d, z);
    }
    sn_dense_solve(w->schur, w->count, w->pivot, y);
    for (int d = 0; d < w->count; ++d) border_add(w, d, -y[d], v);
    solve_kept(w, v, z);
    for (int d = 0; d < w->count; ++d)
        for (int c = 0; c < 3 && w->direction[d].freed; ++c)
            z[3 * (int64_t)w->direction[d].node + c] += y[d] * w->direction[d].vector[c];
    sn_filter_apply(w->filter, z);
}

/* A reader factors the old matrix again. The next update makes the corrections of low rank again. */
static sn_status remember(const sn_preconditioner *base, sn_context *context, const sn_operator *op,
                          const sn_filter *filter, void **data, bool *prepared, sn_archive *archive, sn_error *error) {
    sn_status status = sn_archive_reads(archive) ? ensure(base, context, op, filter, data, error) : SN_OK;
    if (status) return status;
    woodbury *w = *data;
    bool corrected = w->count > 0, valid = w->valid;
    SN_ARCHIVE(archive, valid);
    SN_ARCHIVE(archive, corrected);
    SN_ARCHIVE(archive, w->stale);
    SN_ARCHIVE(archive, w->worn);
    SN_ARCHIVE(archive, w->symmetric);
    SN_ARCHIVE(archive, w->place);
    SN_ARCHIVE(archive, w->m);
    SN_ARCHIVE(archive, w->d);
    SN_ARCHIVE(archive, w->k);
    if (archive->bad) return SN_OK;
    status = sn_extension_archive(context, op->matrix->pattern, &w->extension, archive, error);
    if (status || archive->bad || !valid) return status;
    status = sn_filter_copy_archive(context, op->n / 3, &w->kept, archive, error);
    if (status || archive->bad) return status;
    const sn_pattern *pattern = sn_extension_pattern(&w->extension, op->matrix->pattern);
    if (sn_archive_reads(archive)) status = change_pattern(w, pattern, error);
    if (!status) sn_archive_visit(archive, w->factored, matrix_bytes(pattern));
    if (status || archive->bad || !sn_archive_reads(archive)) return status;
    const sn_matrix matrix = {.pattern = pattern, .double_ = w->factored};
    sn_operator then = *op;
    then.matrix = &matrix, then.symmetric = w->symmetric;
    status = base->update(context, &then, &w->kept.filter, &w->factor, error);
    w->valid = !status;
    *prepared = *prepared && !corrected;
    if (w->stale) {
        sn_operator now = *op;
        now.matrix = sn_extension_fill(&w->extension, op->matrix);
        use_stale(w, &now);
    }
    return status;
}

/* ---- The methods ----
 * Each line of SN_DIRECTS is this method around its own factorisation. */
#define WRAP(symbol, name_, text_)                                                                                     \
    static sn_status update_##symbol(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data, \
                                     sn_error *error) {                                                                \
        return update(&sn_##symbol##_factor, context, op, filter, data, error);                                        \
    }                                                                                                                  \
    static sn_status remember_##symbol(sn_context *context, const sn_operator *op, const sn_filter *filter,            \
                                       void **data, bool *prepared, sn_archive *archive, sn_error *error) {            \
        return remember(&sn_##symbol##_factor, context, op, filter, data, prepared, archive, error);                   \
    }                                                                                                                  \
    const sn_preconditioner sn_##symbol = {                                                                            \
        SN_LISTED(symbol),                                                                                             \
        .needs_matrix = true,                                                                                          \
        .direct = true,                                                                                                \
        .needs_diagonal = true,                                                                                        \
        .update = update_##symbol,                                                                                     \
        .apply = apply,                                                                                                \
        .remember = remember_##symbol,                                                                                 \
        .release = release,                                                                                            \
    };
SN_DIRECTS(WRAP)
