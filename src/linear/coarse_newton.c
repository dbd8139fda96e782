/* See coarse_newton.h. */
#include "coarse_newton.h"

#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "fem/coarse.h"
#include "linear/direct/direct.h"

struct sn_coarse_newton {
    sn_context *context;
    const sn_linear_model *model;
    const sn_coarse *coarse;
    int rows;         /* coarse nodes */
    int32_t *row_of;  /* nodes: the row of a coarse node; -1 */
    int32_t *node_of; /* rows */
    sn_pattern pattern;
    double *linear;  /* blocks x 9: P^T A P without interactions */
    double *value;   /* blocks x 9: with the tangents of the coarse tets */
    int32_t *place;  /* groups x 16: the blocks of the pairs of its corners */
    int32_t *spread; /* nodes x 16: the blocks of the pairs of coarse nodes above a node; -1: none */
    void *factor;
    sn_filter filter;                         /* of the coarse nodes */
    double k;                                 /* of P^T A P */
    double *F, *Q, *Q0, *Q1;                  /* groups x 9 */
    double *c, *step, *right, *trial, *image; /* rows x 3 */
    double *tangent;                          /* groups x 81 */
    sn_coarse_group *group;                   /* groups */
};

/* ---- Creation ---- */
static int compare_pairs(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static sn_status make_pattern(sn_coarse_newton *w, sn_error *error) {
    const sn_coarse *c = w->coarse;
    sn_pattern *p = &w->pattern;
    int64_t *pair = sn_allocate(w->context, 16 * (size_t)c->count, sizeof *pair);
    if (!pair) return sn_no_memory(error);
    int64_t count = 0, kept = 0;
    for (int g = 0; g < c->count; ++g)
        for (int i = 0; i < 16; ++i)
            pair[count++] = (int64_t)w->row_of[c->corner[4 * g + i / 4]] << 32 | w->row_of[c->corner[4 * g + i % 4]];
    qsort(pair, (size_t)count, sizeof *pair, compare_pairs);
    for (int64_t i = 0; i < count; ++i)
        if (i == 0 || pair[i] != pair[i - 1]) pair[kept++] = pair[i];
    p->nodes = w->rows, p->block_count = kept;
    p->row_begin = sn_allocate_zero(w->context, (size_t)w->rows + 1, sizeof *p->row_begin);
    p->column = sn_allocate(w->context, (size_t)kept, sizeof *p->column);
    p->diagonal = sn_allocate(w->context, (size_t)w->rows, sizeof *p->diagonal);
    p->mirror = sn_allocate(w->context, (size_t)kept, sizeof *p->mirror);
    if (!p->row_begin || !p->column || !p->diagonal || !p->mirror) {
        sn_release(w->context, pair);
        return sn_no_memory(error);
    }
    for (int64_t i = 0; i < kept; ++i) {
        ++p->row_begin[(pair[i] >> 32) + 1];
        p->column[i] = (int32_t)(pair[i] & 0xffffffff);
    }
    for (int i = 0; i < w->rows; ++i) p->row_begin[i + 1] += p->row_begin[i];
    for (int i = 0; i < w->rows; ++i)
        for (int32_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k) {
            p->mirror[k] = sn_pattern_find(p, p->column[k], i);
            if (p->column[k] == i) p->diagonal[i] = k;
        }
    sn_release(w->context, pair);
    return SN_OK;
}

static int32_t place_of(const sn_coarse_newton *w, int32_t a, int32_t b) {
    return a < 0 || b < 0 ? -1 : sn_pattern_find(&w->pattern, w->row_of[a], w->row_of[b]);
}

static sn_status create(sn_coarse_newton *w, sn_error *error) {
    const sn_coarse *c = w->coarse;
    const size_t nodes = (size_t)c->node_count, groups = (size_t)c->count;
    w->row_of = sn_allocate(w->context, nodes, sizeof *w->row_of);
    w->node_of = sn_allocate(w->context, nodes, sizeof *w->node_of);
    if (!w->row_of || !w->node_of) return sn_no_memory(error);
    for (size_t i = 0; i < nodes; ++i) w->row_of[i] = -1;
    for (size_t i = 0; i < 4 * groups; ++i) w->row_of[c->corner[i]] = 0;
    for (size_t i = 0; i < nodes; ++i)
        if (w->row_of[i] == 0) w->node_of[w->rows] = (int32_t)i, w->row_of[i] = w->rows++;
    sn_status status = make_pattern(w, error);
    if (status) return status;
    const size_t rows = 3 * (size_t)w->rows, blocks = 9 * (size_t)w->pattern.block_count + 8;
    const sn_array array[] = {SN_ARRAY(w->linear, blocks),
                              SN_ARRAY(w->value, blocks),
                              SN_ARRAY(w->place, 16 * groups),
                              SN_ARRAY(w->spread, 16 * nodes),
                              SN_ARRAY(w->F, 9 * groups),
                              SN_ARRAY(w->Q, 9 * groups),
                              SN_ARRAY(w->Q0, 9 * groups),
                              SN_ARRAY(w->Q1, 9 * groups),
                              SN_ARRAY(w->c, rows),
                              SN_ARRAY(w->step, rows),
                              SN_ARRAY(w->right, rows),
                              SN_ARRAY(w->trial, rows),
                              SN_ARRAY(w->image, rows),
                              SN_ARRAY(w->group, groups),
                              SN_ARRAY(w->tangent, 81 * groups),
                              SN_ARRAY(w->filter.node, (size_t)w->rows),
                              SN_ARRAY(w->filter.projection, 3 * rows)};
    status = sn_allocate_arrays(w->context, array, sizeof array / sizeof *array, error);
    if (status) return status;
    for (int g = 0; g < c->count; ++g)
        for (int i = 0; i < 16; ++i)
            w->place[16 * g + i] = place_of(w, c->corner[4 * g + i / 4], c->corner[4 * g + i % 4]);
    for (size_t n = 0; n < nodes; ++n)
        for (size_t i = 0; i < 16; ++i)
            w->spread[16 * n + i] = place_of(w, c->above[4 * n + i / 4], c->above[4 * n + i % 4]);
    return SN_OK;
}

sn_status sn_coarse_newton_create(sn_context *context, const sn_linear_model *model, sn_coarse_newton **out,
                                  sn_error *error) {
    sn_coarse_newton *w = sn_allocate_zero(context, 1, sizeof *w);
    if (!w) return sn_no_memory(error);
    w->context = context, w->model = model, w->coarse = model->elements->coarse;
    const sn_status status = create(w, error);
    if (status)
        sn_coarse_newton_destroy(w);
    else
        *out = w;
    return status;
}

void sn_coarse_newton_destroy(sn_coarse_newton *w) {
    if (!w) return;
    sn_context *context = w->context;
    if (w->factor) sn_direct_ldlt_factor.release(context, w->factor);
    const sn_pattern *p = &w->pattern;
    void *const array[] = {w->row_of,
                           w->node_of,
                           w->linear,
                           w->value,
                           w->place,
                           w->spread,
                           w->F,
                           w->Q,
                           w->Q0,
                           w->Q1,
                           w->c,
                           w->step,
                           w->right,
                           w->trial,
                           w->image,
                           w->group,
                           w->tangent,
                           w->filter.node,
                           w->filter.projection,
                           p->row_begin,
                           p->column,
                           p->diagonal,
                           p->mirror};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_release(context, w);
}

/* ---- The coarse matrix ---- */
/* The tangent of Hooke's law in the frame. */
static void hooke_tangent(double lambda, double mu, const double R[9], double T[81]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    T[9 * (3 * i + j) + 3 * k + l] =
                        lambda * R[3 * i + j] * R[3 * k + l] + mu * (R[3 * i + l] * R[3 * k + j] + (i == k && j == l));
}

/* value += W g_p T g_q for all pairs of corners; blocks are column-major. */
static void add_tangent(const sn_coarse_newton *w, int g, double factor, const double T[81], double *value) {
    const double *slope = w->coarse->slope + 12 * (size_t)g;
    factor *= w->coarse->weight[g];
    for (int q = 0; q < 4; ++q) {
        double half[27]; /* [3 i + j][k] */
        for (int a = 0; a < 9; ++a)
            for (int k = 0; k < 3; ++k)
                half[3 * a + k] = factor * (T[9 * a + 3 * k] * slope[3 * q] + T[9 * a + 3 * k + 1] * slope[3 * q + 1] +
                                            T[9 * a + 3 * k + 2] * slope[3 * q + 2]);
        for (int p = 0; p < 4; ++p) {
            double *block = value + 9 * (size_t)w->place[16 * g + 4 * p + q];
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k)
                    block[3 * k + i] += slope[3 * p] * half[9 * i + k] + slope[3 * p + 1] * half[9 * i + 3 + k] +
                                        slope[3 * p + 2] * half[9 * i + 6 + k];
        }
    }
}

void sn_coarse_newton_matrix(sn_coarse_newton *w, const sn_element_view *view, const double *rayleigh, double m,
                             double d, double k) {
    const sn_coarse *c = w->coarse;
    memset(w->linear, 0, 9 * (size_t)w->pattern.block_count * sizeof(double));
    for (int g = 0; g < c->count; ++g) {
        double T[81];
        w->group[g] = sn_coarse_at(w->model->elements, view, g);
        const sn_coarse_group *own = &w->group[g];
        hooke_tangent((k + d * own->damping[2]) * own->lambda + d * own->damping[0],
                      (k + d * own->damping[2]) * own->mu + d * own->damping[1], own->R, T);
        add_tangent(w, g, 1, T, w->linear);
    }
    for (size_t n = 0; n < (size_t)c->node_count; ++n) {
        const double mass = w->model->mass[n] * (m + (rayleigh ? d * rayleigh[n] : 0));
        for (size_t i = 0; i < 16; ++i) {
            if (w->spread[16 * n + i] < 0) continue;
            double *block = w->linear + 9 * (size_t)w->spread[16 * n + i];
            for (int a = 0; a < 9; a += 4) block[a] += mass * c->share[4 * n + i / 4] * c->share[4 * n + i % 4];
        }
    }
    w->k = k;
}

/* ---- Vectors ---- */
static void restrict_to(const sn_coarse_newton *w, const double *u, double *out) {
    const sn_coarse *c = w->coarse;
    memset(out, 0, 3 * (size_t)w->rows * sizeof *out);
    for (size_t n = 0; n < (size_t)c->node_count; ++n)
        for (size_t i = 0; i < 4 && c->above[4 * n + i] >= 0; ++i)
            for (size_t a = 0; a < 3; ++a)
                out[3 * (size_t)w->row_of[c->above[4 * n + i]] + a] += c->share[4 * n + i] * u[3 * n + a];
}

static void prolong(const sn_coarse_newton *w, const double *u, double *out) {
    const sn_coarse *c = w->coarse;
    for (size_t n = 0; n < (size_t)c->node_count; ++n) {
        double sum[3] = {0};
        for (size_t i = 0; i < 4 && c->above[4 * n + i] >= 0; ++i)
            for (size_t a = 0; a < 3; ++a)
                sum[a] += c->share[4 * n + i] * u[3 * (size_t)w->row_of[c->above[4 * n + i]] + a];
        memcpy(out + 3 * n, sum, sizeof sum);
    }
}

/* out = sum_p c_p (x) g_p. */
static void slope_of(const sn_coarse_newton *w, int g, const double *c, double out[9]) {
    const double *slope = w->coarse->slope + 12 * (size_t)g;
    memset(out, 0, 9 * sizeof *out);
    for (int p = 0; p < 4; ++p) {
        const double *u = c + 3 * (size_t)w->row_of[w->coarse->corner[4 * g + p]];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) out[3 * a + b] += u[a] * slope[3 * p + b];
    }
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static void product(const sn_coarse_newton *w, const double *u, double *out) {
    const sn_pattern *p = &w->pattern;
    for (int i = 0; i < p->nodes; ++i) {
        double sum[3] = {0};
        for (int32_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k) {
            const double *A = w->linear + 9 * (size_t)k, *v = u + 3 * (size_t)p->column[k];
            for (int a = 0; a < 3; ++a) sum[a] += A[a] * v[0] + A[3 + a] * v[1] + A[6 + a] * v[2];
        }
        memcpy(out + 3 * (size_t)i, sum, sizeof sum);
    }
}

/* The potential of the coarse problem at c, and its residual when `residual` is given. right: P^T rho. */
static double potential(sn_coarse_newton *w, const double *c, double *residual) {
    const int n = 3 * w->rows;
    product(w, c, w->image);
    double phi = 0.5 * dot(c, w->image, n) - dot(c, w->right, n);
    for (int i = 0; i < n && residual; ++i) residual[i] = w->right[i] - w->image[i];
    for (int g = 0; g < w->coarse->count; ++g) {
        double H[9], F[9], Q[9];
        const double *F0 = w->F + 9 * (size_t)g, *Q0 = w->Q + 9 * (size_t)g, weight = w->k * w->coarse->weight[g];
        slope_of(w, g, c, H);
        for (int i = 0; i < 9; ++i) F[i] = F0[i] + H[i];
        phi += weight * (sn_coarse_energy(&w->group[g], F) - sn_coarse_energy(&w->group[g], F0) - dot(Q0, H, 9));
        if (!residual) continue;
        sn_coarse_stress(&w->group[g], F, Q);
        for (int i = 0; i < 9; ++i) Q[i] -= Q0[i];
        for (int p = 0; p < 4; ++p) {
            double *out = residual + 3 * (size_t)w->row_of[w->coarse->corner[4 * g + p]], s[3];
            sn_multiply_vector3(Q, w->coarse->slope + 12 * (size_t)g + 3 * p, s);
            for (int a = 0; a < 3; ++a) out[a] -= weight * s[a];
        }
    }
    if (residual) sn_filter_apply(&w->filter, residual);
    return phi;
}

static sn_status factor(sn_coarse_newton *w, bool definite, sn_error *error) {
    memcpy(w->value, w->linear, 9 * (size_t)w->pattern.block_count * sizeof *w->value);
    for (int g = 0; g < w->coarse->count; ++g) {
        double H[9], F[9], T[81];
        slope_of(w, g, w->c, H);
        for (int i = 0; i < 9; ++i) F[i] = w->F[9 * (size_t)g + i] + H[i];
        sn_coarse_tangent(&w->group[g], F, definite, T);
        add_tangent(w, g, w->k, T, w->value);
    }
    const sn_matrix matrix = {.pattern = &w->pattern, .double_ = w->value};
    const sn_operator op = {.context = w->context, .n = 3 * w->rows, .matrix = &matrix, .symmetric = true};
    return sn_direct_ldlt_factor.update(w->context, &op, &w->filter, &w->factor, error);
}

/* Newton's method for c. */
static sn_status iterate(sn_coarse_newton *w, sn_error *error) {
    enum { MOST = 20, HALVINGS = 12 };
    const double part = 1e-2; /* of the residual that may stay */
    const int n = 3 * w->rows;
    memset(w->c, 0, (size_t)n * sizeof *w->c);
    double phi = potential(w, w->c, w->step);
    const double goal = part * part * dot(w->step, w->step, n);
    for (int i = 0; i < MOST && dot(w->step, w->step, n) > goal; ++i) {
        memcpy(w->trial, w->step, (size_t)n * sizeof *w->trial);
        sn_status status = factor(w, false, error);
        if (status == SN_NO_MEMORY) return status;
        if (status || !sn_direct_ldlt_definite(w->factor)) status = factor(w, true, error);
        if (status) return status == SN_NO_MEMORY ? status : SN_OK; /* the fine level has to do */
        sn_direct_ldlt_factor.apply(w->factor, w->trial, w->step);
        const double slope = dot(w->trial, w->step, n);
        double s = 1;
        for (int half = 0; half < HALVINGS; ++half, s *= 0.5) {
            for (int k = 0; k < n; ++k) w->trial[k] = w->c[k] + s * w->step[k];
            if (potential(w, w->trial, NULL) <= phi - 1e-4 * s * slope) break;
        }
        memcpy(w->c, w->trial, (size_t)n * sizeof *w->c);
        phi = potential(w, w->c, w->step);
    }
    return SN_OK;
}

sn_status sn_coarse_newton_correct(sn_coarse_newton *w, const double *rho, double *e, sn_error *error) {
    restrict_to(w, rho, w->right);
    sn_filter_apply(&w->filter, w->right);
    const sn_status status = iterate(w, error);
    if (!status) prolong(w, w->c, e);
    return status;
}

/* ---- The nonlinear force ---- */
void sn_coarse_newton_begin(sn_coarse_newton *w, const sn_filter *filter, const double *y) {
    w->filter.count = 0;
    for (int i = 0; i < filter->count; ++i) {
        const int32_t row = w->row_of[filter->node[i]];
        if (row < 0) continue;
        w->filter.node[w->filter.count] = row;
        memcpy(w->filter.projection + 9 * (size_t)w->filter.count++, filter->projection + 9 * (size_t)i,
               9 * sizeof(double));
    }
    sn_coarse_newton_move(w, y);
    memcpy(w->Q0, w->Q, 9 * (size_t)w->coarse->count * sizeof *w->Q);
}

void sn_coarse_newton_move(sn_coarse_newton *w, const double *y) {
    double *before = w->Q1;
    w->Q1 = w->Q, w->Q = before;
    for (int g = 0; g < w->coarse->count; ++g) {
        sn_coarse_mean(w->coarse, g, y, w->F + 9 * (size_t)g);
        sn_coarse_stress(&w->group[g], w->F + 9 * (size_t)g, w->Q + 9 * (size_t)g);
    }
}

void sn_coarse_newton_add(const sn_coarse_newton *w, bool last, double *out) {
    const sn_coarse *c = w->coarse;
    const double *before = last ? w->Q1 : w->Q0;
    for (int g = 0; g < c->count; ++g) {
        double Q[9];
        for (int i = 0; i < 9; ++i) Q[i] = w->k * c->weight[g] * (before[9 * (size_t)g + i] - w->Q[9 * (size_t)g + i]);
        sn_coarse_give(c, g, Q, out);
    }
}

void sn_coarse_newton_tangents(sn_coarse_newton *w) {
    for (int g = 0; g < w->coarse->count; ++g)
        sn_coarse_tangent(&w->group[g], w->F + 9 * (size_t)g, true, w->tangent + 81 * (size_t)g);
}

void sn_coarse_newton_product(const sn_coarse_newton *w, const double *u, double *out) {
    const sn_coarse *c = w->coarse;
    for (int g = 0; g < c->count; ++g) {
        const double *T = w->tangent + 81 * (size_t)g;
        double H[9], Q[9];
        sn_coarse_mean(c, g, u, H);
        for (int a = 0; a < 9; ++a) Q[a] = w->k * c->weight[g] * dot(T + 9 * a, H, 9);
        sn_coarse_give(c, g, Q, out);
    }
}
