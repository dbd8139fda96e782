/* See coarse.h. */
#include "coarse.h"

#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "base/sorted.h"

extern const sn_coarse_kernels sn_coarse_kernels_baseline, sn_coarse_kernels_avx2, sn_coarse_kernels_avx512;

/* ---- Which coarse nodes a node lies between ---- */
static void add_share(int32_t *above, double *share, int32_t node, double part) {
    int k = 0;
    while (k < 3 && above[k] >= 0 && above[k] != node) ++k;
    share[k] = above[k] == node ? share[k] + part : part;
    above[k] = node;
}

/* Parents come before their children: nodes lie by level. */
static void find_above(const sn_levels *l, const int16_t *from, sn_coarse *coarse) {
    for (int32_t at = 0, level = 0; at < l->begin[l->count]; ++at) {
        while (at >= l->begin[level + 1]) ++level;
        const int32_t node = l->node[at];
        int32_t *above = coarse->above + 4 * (size_t)node;
        double *share = coarse->share + 4 * (size_t)node;
        if (from[node] < 0) continue;
        if (level <= from[node]) {
            above[0] = node, share[0] = 1;
            continue;
        }
        for (int p = 0; p < 2; ++p) {
            const size_t parent = 4 * (size_t)l->parent[2 * (size_t)at + (size_t)p];
            for (size_t k = 0; k < 4 && coarse->above[parent + k] >= 0; ++k)
                add_share(above, share, coarse->above[parent + k], 0.5 * coarse->share[parent + k]);
        }
    }
}

/* ---- Groups ---- */
/* An element on its way into a group. Sorted by key, then by place. */
typedef struct member {
    int32_t corner[4], material; /* the key, with ascending corners */
    int32_t batch;
    int64_t place;
} member;

static int compare_keys(const member *a, const member *b) {
    const int by_corner = memcmp(a->corner, b->corner, sizeof a->corner);
    if (by_corner)
        for (int i = 0; i < 4; ++i)
            if (a->corner[i] != b->corner[i]) return a->corner[i] < b->corner[i] ? -1 : 1;
    return a->material == b->material ? 0 : a->material < b->material ? -1 : 1;
}

static int compare_members(const void *left, const void *right) {
    const member *a = left, *b = right;
    const int by_key = compare_keys(a, b);
    if (by_key) return by_key;
    return a->place == b->place ? 0 : a->place < b->place ? -1 : 1;
}

static int32_t node_of(const sn_batch *batch, int64_t place, int i) {
    return batch->node[(place / SN_LANES * batch->element->nodes + i) * SN_LANES + place % SN_LANES];
}

/* The corners of the coarse tet that an element lies in: together, its corners lie between all four. */
static bool find_corners(const sn_coarse *coarse, const sn_batch *batch, int64_t place, int32_t corner[4]) {
    int count = 0;
    for (int i = 0; i < batch->element->corners; ++i)
        for (int k = 0; k < 4; ++k) {
            const int32_t above = coarse->above[4 * (size_t)node_of(batch, place, i) + (size_t)k];
            int at = 0;
            while (at < count && corner[at] < above) ++at;
            if (above < 0 || (at < count && corner[at] == above)) continue;
            if (count == 4) return false;
            memmove(corner + at + 1, corner + at, (size_t)(count - at) * sizeof *corner);
            corner[at] = above, ++count;
        }
    return count == 4;
}

typedef struct making {
    sn_context *context;
    const sn_elements_model *model;
    const double *rest;
    sn_coarse *coarse;
    member *member;
    int64_t member_count, entry_room;
    int32_t *around; /* all entries, with those of the present group at the end */
} making;

static sn_status list_members(making *m, sn_error *error) {
    for (int b = 0; b < m->model->batch_count; ++b) {
        const sn_batch *batch = &m->model->batch[b];
        for (int64_t n = 0; batch->green && n < (int64_t)batch->block_count * SN_LANES; ++n) {
            member *own = &m->member[m->member_count];
            if (batch->element_of[n] < 0) continue;
            *own = (member){.material = batch->material_of[n], .batch = b, .place = n};
            if (!find_corners(m->coarse, batch, n, own->corner))
                return sn_fail_at(error, SN_BAD_INPUT, "corotate.from",
                                  "element %d of body '%s' lies in no tet of level %d", batch->element_of[n],
                                  m->model->origin[batch->source_of[n]].name, batch->level);
            ++m->member_count;
        }
    }
    qsort(m->member, (size_t)m->member_count, sizeof *m->member, compare_members);
    return SN_OK;
}

/* The gradients of a tet: rows of the inverse of its edge matrix. */
static sn_status find_slopes(const making *m, int group, sn_error *error) {
    const int32_t *corner = m->coarse->corner + 4 * (size_t)group;
    double *slope = m->coarse->slope + 12 * (size_t)group, edge[9], inverse[9] = {0};
    for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 3; ++a)
            edge[3 * a + i] =
                m->rest[3 * (size_t)corner[i + 1] + (size_t)a] - m->rest[3 * (size_t)corner[0] + (size_t)a];
    if (sn_inverse3(edge, inverse) == 0) return sn_fail(error, SN_BAD_INPUT, "a tet of a coarse level is flat");
    memcpy(slope + 3, inverse, sizeof inverse);
    for (int a = 0; a < 3; ++a) slope[a] = -inverse[a] - inverse[3 + a] - inverse[6 + a];
    return SN_OK;
}

static void add_element(const making *m, int group, const member *own, double *sum) {
    const sn_batch *batch = &m->model->batch[own->batch];
    const sn_element *element = batch->element;
    const int64_t block = own->place / SN_LANES, lane = own->place % SN_LANES;
    sn_coarse *c = m->coarse;
    for (int q = 0; q < element->points; ++q) {
        const double w = batch->weight[(block * element->points + q) * SN_LANES + lane];
        const double *g = batch->gradient + (block * element->points + q) * (element->nodes - 1) * 3 * SN_LANES + lane;
        c->weight[group] += w;
        const int64_t zero =
            sn_lower_bound(m->around, c->begin[group], c->begin[group + 1], node_of(batch, own->place, 0));
        for (int i = 1; i < element->nodes; ++i) {
            const int64_t at =
                sn_lower_bound(m->around, c->begin[group], c->begin[group + 1], node_of(batch, own->place, i));
            for (int a = 0; a < 3; ++a) {
                const double part = w * g[(3 * (i - 1) + a) * SN_LANES];
                sum[3 * at + a] += part, sum[3 * zero + a] -= part;
            }
        }
    }
}

/* Keeps the entries of a group whose gradient is more than rounding, from `first` on. */
static void keep_entries(const making *m, int group, const double *sum) {
    sn_coarse *c = m->coarse;
    const int64_t begin = c->begin[group], end = c->begin[group + 1];
    double most = 0;
    for (int64_t k = 3 * begin; k < 3 * end; ++k) most = fmax(most, fabs(sum[k]));
    int64_t kept = begin;
    for (int64_t k = begin; k < end; ++k) {
        if (sn_norm3(sum + 3 * k) < 1e-12 * most) continue;
        c->node[kept] = m->around[k];
        for (int a = 0; a < 3; ++a) c->gradient[4 * kept + a] = sum[3 * k + a] / c->weight[group];
        ++kept;
    }
    c->begin[group + 1] = kept;
}

static sn_status fill_group(making *m, int group, const member *first, const member *end, double *sum,
                            sn_error *error) {
    sn_coarse *c = m->coarse;
    const int64_t begin = c->begin[group];
    int64_t count = begin, kept = begin;
    for (const member *own = first; own < end; ++own)
        for (int i = 0; i < m->model->batch[own->batch].element->nodes; ++i)
            m->around[count++] = node_of(&m->model->batch[own->batch], own->place, i);
    qsort(m->around + begin, (size_t)(count - begin), sizeof *m->around, sn_compare_int32);
    for (int64_t k = begin; k < count; ++k)
        if (kept == begin || m->around[k] != m->around[kept - 1]) m->around[kept++] = m->around[k];
    c->begin[group + 1] = kept;
    memset(sum + 3 * begin, 0, 3 * (size_t)(kept - begin) * sizeof *sum);
    for (const member *own = first; own < end; ++own) add_element(m, group, own, sum);
    keep_entries(m, group, sum);
    memcpy(c->corner + 4 * (size_t)group, first->corner, sizeof first->corner);
    c->batch[group] = first->batch, c->first[group] = first->place;
    return find_slopes(m, group, error);
}

static sn_status allocate(making *m, sn_error *error) {
    sn_coarse *c = m->coarse;
    int64_t members = 0;
    for (int b = 0; b < m->model->batch_count; ++b) {
        const sn_batch *batch = &m->model->batch[b];
        if (!batch->green) continue;
        members += (int64_t)batch->block_count * SN_LANES;
        m->entry_room += (int64_t)batch->block_count * SN_LANES * batch->element->nodes;
    }
    const size_t room = (size_t)members, entries = (size_t)m->entry_room, nodes = (size_t)m->model->node_count;
    m->member = sn_allocate(m->context, room, sizeof *m->member);
    m->around = sn_allocate(m->context, entries, sizeof *m->around);
    c->begin = sn_allocate_zero(m->context, room + 1, sizeof *c->begin);
    c->node = sn_allocate(m->context, entries, sizeof *c->node);
    c->gradient = sn_allocate_zero(m->context, 4 * entries, sizeof *c->gradient);
    c->weight = sn_allocate_zero(m->context, room, sizeof *c->weight);
    c->corner = sn_allocate(m->context, 4 * room, sizeof *c->corner);
    c->slope = sn_allocate(m->context, 12 * room, sizeof *c->slope);
    c->batch = sn_allocate(m->context, room, sizeof *c->batch);
    c->first = sn_allocate(m->context, room, sizeof *c->first);
    c->above = sn_allocate(m->context, 4 * nodes, sizeof *c->above);
    c->share = sn_allocate_zero(m->context, 4 * nodes, sizeof *c->share);
    return m->member && m->around && c->begin && c->node && c->gradient && c->weight && c->corner && c->slope &&
                   c->batch && c->first && c->above && c->share
               ? SN_OK
               : sn_no_memory(error);
}

static sn_status fill(making *m, const sn_levels *levels, int16_t *from, double *sum, sn_error *error) {
    sn_coarse *c = m->coarse;
    for (int i = 0; i < m->model->node_count; ++i) from[i] = -1;
    for (int i = 0; i < 4 * m->model->node_count; ++i) c->above[i] = -1;
    for (int b = 0; b < m->model->batch_count; ++b) {
        const sn_batch *batch = &m->model->batch[b];
        for (int64_t n = 0; batch->green && n < (int64_t)batch->block_count * SN_LANES; ++n)
            for (int i = 0; i < batch->element->nodes; ++i) from[node_of(batch, n, i)] = (int16_t)batch->level;
    }
    find_above(levels, from, c);
    sn_status status = list_members(m, error);
    for (int64_t at = 0, end; at < m->member_count && !status; at = end) {
        for (end = at; end < m->member_count && compare_keys(&m->member[at], &m->member[end]) == 0;) ++end;
        status = fill_group(m, c->count++, m->member + at, m->member + end, sum, error);
    }
    return status;
}

sn_status sn_coarse_create(sn_context *context, const sn_levels *levels, const double *rest, sn_elements_model *model,
                           sn_error *error) {
    bool any = false;
    for (int b = 0; b < model->batch_count; ++b) any = any || model->batch[b].green;
    if (!any) return SN_OK;
    model->coarse = sn_allocate_zero(context, 1, sizeof *model->coarse);
    if (!model->coarse) return sn_no_memory(error);
    model->coarse->node_count = model->node_count;
    model->coarse->kernels = SN_BUILD(context, sn_coarse_kernels);
    making m = {.context = context, .model = model, .rest = rest, .coarse = model->coarse};
    sn_status status = allocate(&m, error);
    int16_t *from = sn_allocate(context, (size_t)model->node_count, sizeof *from);
    double *sum = sn_allocate(context, 3 * (size_t)m.entry_room, sizeof *sum);
    if (!status) status = from && sum ? fill(&m, levels, from, sum, error) : sn_no_memory(error);
    sn_release(context, from);
    sn_release(context, sum);
    sn_release(context, m.member);
    sn_release(context, m.around);
    return status;
}

void sn_coarse_release(sn_context *context, sn_coarse *c) {
    if (!c) return;
    void *const array[] = {c->begin, c->node,  c->gradient, c->weight, c->corner,
                           c->slope, c->batch, c->first,    c->above,  c->share};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_release(context, c);
}

/* ---- The law of a group ---- */
sn_coarse_group sn_coarse_at(const sn_elements_model *model, const sn_element_view *view, int group) {
    const sn_coarse *c = model->coarse;
    const sn_batch *batch = &model->batch[c->batch[group]];
    const sn_batch_settings *settings = &view->settings->batch[batch->index];
    const int64_t block = c->first[group] / SN_LANES, lane = c->first[group] % SN_LANES;
    const double *constant = settings->constant + block * batch->constants * SN_LANES + lane,
                 *damping = settings->damping + block * 3 * SN_LANES + lane,
                 *R = view->frame + batch->frames + block * batch->element->points * 9 * SN_LANES + lane;
    sn_coarse_group g = {.lambda = constant[0], .mu = constant[SN_LANES]};
    for (int i = 0; i < 9; ++i) g.R[i] = R[i * SN_LANES];
    for (int i = 0; i < 3; ++i) g.damping[i] = damping[i * SN_LANES];
    return g;
}

void sn_coarse_mean(const sn_coarse *c, int group, const double *x, double out[9]) {
    const int64_t begin = c->begin[group];
    c->kernels->mean((int)(c->begin[group + 1] - begin), c->node + begin, c->gradient + 4 * begin, x, out);
}

void sn_coarse_give(const sn_coarse *c, int group, const double Q[9], double *out) {
    const int64_t begin = c->begin[group];
    c->kernels->give((int)(c->begin[group + 1] - begin), c->node + begin, c->gradient + 4 * begin, Q, out);
}

/* m = A^T B. */
static void transpose_multiply(const double A[9], const double B[9], double m[9]) {
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) m[3 * a + b] = A[a] * B[b] + A[3 + a] * B[3 + b] + A[6 + a] * B[6 + b];
}
static void multiply(const double A[9], const double B[9], double m[9]) {
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) m[3 * a + b] = A[3 * a] * B[b] + A[3 * a + 1] * B[3 + b] + A[3 * a + 2] * B[6 + b];
}

/* E = (F^T F - I) / 2, and D = sym(R^T F) - I. */
static void strains(const sn_coarse_group *g, const double F[9], double E[9], double D[9]) {
    double S[9];
    transpose_multiply(F, F, E);
    transpose_multiply(g->R, F, S);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            const double one = a == b;
            E[3 * a + b] = 0.5 * (E[3 * a + b] - one);
            D[3 * a + b] = 0.5 * (S[3 * a + b] + S[3 * b + a]) - one;
        }
}

static double trace(const double A[9]) { return A[0] + A[4] + A[8]; }
static double square(const double A[9]) {
    double sum = 0;
    for (int i = 0; i < 9; ++i) sum += A[i] * A[i];
    return sum;
}
/* 2 mu A + lambda tr(A) I. */
static void hooke(const sn_coarse_group *g, const double A[9], double out[9]) {
    const double t = g->lambda * trace(A);
    for (int i = 0; i < 9; ++i) out[i] = 2 * g->mu * A[i] + (i % 4 ? 0 : t);
}

double sn_coarse_energy(const sn_coarse_group *g, const double F[9]) {
    double E[9], D[9];
    strains(g, F, E, D);
    return g->mu * (square(E) - square(D)) + 0.5 * g->lambda * (trace(E) * trace(E) - trace(D) * trace(D));
}

void sn_coarse_stress(const sn_coarse_group *g, const double F[9], double Q[9]) {
    double E[9], D[9], S[9], T[9], P[9];
    strains(g, F, E, D);
    hooke(g, E, S);
    hooke(g, D, T);
    multiply(F, S, Q);
    multiply(g->R, T, P);
    for (int i = 0; i < 9; ++i) Q[i] -= P[i];
}

/* The part of a symmetric matrix with positive eigenvalues, by cyclic rotations of Jacobi. */
static void positive_part(double S[9]) {
    double A[9], V[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(A, S, sizeof A);
    for (int sweep = 0; sweep < 8; ++sweep)
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (A[3 * p + q] == 0) continue;
                const double theta = 0.5 * (A[4 * q] - A[4 * p]) / A[3 * p + q],
                             t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)),
                             c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; ++k) {
                    const double a = A[3 * k + p], b = A[3 * k + q];
                    A[3 * k + p] = c * a - s * b, A[3 * k + q] = s * a + c * b;
                }
                for (int k = 0; k < 3; ++k) {
                    const double a = A[3 * p + k], b = A[3 * q + k];
                    A[3 * p + k] = c * a - s * b, A[3 * q + k] = s * a + c * b;
                }
                for (int k = 0; k < 3; ++k) {
                    const double a = V[3 * k + p], b = V[3 * k + q];
                    V[3 * k + p] = c * a - s * b, V[3 * k + q] = s * a + c * b;
                }
            }
    memset(S, 0, 9 * sizeof *S);
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3 && A[4 * k] > 0; ++a)
            for (int b = 0; b < 3; ++b) S[3 * a + b] += A[4 * k] * V[3 * a + k] * V[3 * b + k];
}

/* dP = dF S + F (2 mu dE + lambda tr(dE) I),  dE = sym(F^T dF); less R (2 mu dD + lambda tr(dD) I), dD = sym(R^T dF).
 * For M = F or R:  (M sym(M^T dF))_ij = ((M M^T)_ik dF_kj + M_il M_kj dF_kl) / 2. */
void sn_coarse_tangent(const sn_coarse_group *g, const double F[9], bool definite, double T[81]) {
    double E[9], D[9], S[9], B[9] = {0};
    strains(g, F, E, D);
    hooke(g, E, S);
    if (definite) positive_part(S);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j) B[3 * i + k] += F[3 * i + j] * F[3 * k + j];
            B[3 * i + k] -= i == k;
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    T[9 * (3 * i + j) + 3 * k + l] =
                        g->lambda * (F[3 * i + j] * F[3 * k + l] - g->R[3 * i + j] * g->R[3 * k + l]) +
                        g->mu * (F[3 * i + l] * F[3 * k + j] - g->R[3 * i + l] * g->R[3 * k + j]) +
                        (j == l ? g->mu * B[3 * i + k] : 0) + (i == k ? S[3 * l + j] : 0);
}

/* ---- Sums ---- */
void sn_coarse_add_energy(const sn_elements_model *model, const sn_element_view *view, double *energy) {
    for (int i = 0; i < model->coarse->count; ++i) {
        const sn_coarse_group g = sn_coarse_at(model, view, i);
        double F[9];
        sn_coarse_mean(model->coarse, i, view->x, F);
        *energy += model->coarse->weight[i] * sn_coarse_energy(&g, F);
    }
}

void sn_coarse_add_force(const sn_elements_model *model, const sn_element_view *view, double *f) {
    const sn_coarse *c = model->coarse;
    for (int i = 0; i < c->count; ++i) {
        const sn_coarse_group g = sn_coarse_at(model, view, i);
        double F[9], Q[9];
        sn_coarse_mean(c, i, view->x, F);
        sn_coarse_stress(&g, F, Q);
        for (int k = 0; k < 9; ++k) Q[k] *= -c->weight[i];
        sn_coarse_give(c, i, Q, f);
    }
}
