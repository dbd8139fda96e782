/* See filter.h. */
#include "filter.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/sorted.h"

static void project(const double S[9], double *v) {
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; ++i) v[i] = S[3 * i] * x + S[3 * i + 1] * y + S[3 * i + 2] * z;
}

/* The first listed node that is not smaller than `node`. */
static int lower_bound(const sn_filter *filter, int32_t node) {
    return (int)sn_lower_bound(filter->node, 0, filter->count, node);
}

void sn_filter_apply_range(const sn_filter *filter, int begin, int end, double *v) {
    if (!filter) return;
    for (int i = lower_bound(filter, begin); i < filter->count && filter->node[i] < end; ++i)
        project(filter->projection + 9 * (ptrdiff_t)i, v + 3 * (ptrdiff_t)filter->node[i]);
}

static double mode_dot(const sn_filter_group *group, const double *mode, const double *v) {
    double sum = 0;
    for (int i = 0; i < group->count; ++i)
        for (int a = 0; a < 3; ++a) sum += mode[3 * (ptrdiff_t)i + a] * v[3 * (ptrdiff_t)group->node[i] + a];
    return sum;
}

/* v = B q. */
static void expand_modes(const sn_filter_group *group, const double *q, double *v) {
    for (int i = 0; i < group->count; ++i)
        for (int a = 0; a < 3; ++a) {
            double sum = 0;
            for (int k = 0; k < group->modes; ++k)
                sum += q[k] * group->basis[3 * ((ptrdiff_t)k * group->count + i) + a];
            v[3 * (ptrdiff_t)group->node[i] + a] = sum;
        }
}

/* ---- Rigid bodies ---- */
/* sum[0..2] = sum v_i, sum[3..5] = sum r_i x v_i, in the order of the nodes. */
static void rigid_sums(const sn_filter_group *group, const double *v, double sum[6]) {
    memset(sum, 0, 6 * sizeof *sum);
    for (ptrdiff_t i = 0; i < group->count; ++i) {
        const double *u = v + 3 * i, *r = group->arm + 3 * i;
        for (int a = 0; a < 3; ++a) sum[a] += u[a];
        sum[3] += r[1] * u[2] - r[2] * u[1];
        sum[4] += r[2] * u[0] - r[0] * u[2];
        sum[5] += r[0] * u[1] - r[1] * u[0];
    }
}

/* v_i = a + w x r_i. */
static void rigid_expand(const sn_filter_group *group, const double a[3], const double w[3], double *v) {
    for (ptrdiff_t i = 0; i < group->count; ++i) {
        const double *r = group->arm + 3 * i;
        v[3 * i] = a[0] + (w[1] * r[2] - w[2] * r[1]);
        v[3 * i + 1] = a[1] + (w[2] * r[0] - w[0] * r[2]);
        v[3 * i + 2] = a[2] + (w[0] * r[1] - w[1] * r[0]);
    }
}

static void rigid_apply(const sn_filter_group *group, double *v) {
    double sum[6], mean[3], w[3];
    rigid_sums(group, v, sum);
    for (int a = 0; a < 3; ++a) {
        mean[a] = sum[a] / group->count;
        w[a] = group->turn[3 * a] * sum[3] + group->turn[3 * a + 1] * sum[4] + group->turn[3 * a + 2] * sum[5];
    }
    rigid_expand(group, mean, w, v);
}

void sn_filter_apply_groups(const sn_filter *filter, double *v) {
    for (int g = 0; filter && g < filter->group_count; ++g) {
        const sn_filter_group *group = &filter->group[g];
        if (group->arm) {
            rigid_apply(group, v + 3 * (ptrdiff_t)group->node[0]);
            continue;
        }
        double q[SN_GROUP_MODES];
        for (int k = 0; k < group->modes; ++k)
            q[k] = mode_dot(group, group->basis + 3 * (ptrdiff_t)k * group->count, v);
        expand_modes(group, q, v);
    }
}

/* Solves G q = b in place by a small Cholesky factorisation. Modes without mass do not move. */
static void solve_small(int n, double G[SN_GROUP_MODES][SN_GROUP_MODES], double *q) {
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = G[i][i] > largest ? G[i][i] : largest;
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < j; ++k) G[j][j] -= G[j][k] * G[j][k];
        const bool massless = !(G[j][j] > 1e-14 * largest);
        G[j][j] = massless ? 0 : sqrt(G[j][j]);
        for (int i = j + 1; i < n; ++i) {
            for (int k = 0; k < j; ++k) G[i][j] -= G[i][k] * G[j][k];
            G[i][j] = massless ? 0 : G[i][j] / G[j][j];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) q[i] -= G[i][k] * q[k];
        q[i] = G[i][i] > 0 ? q[i] / G[i][i] : 0;
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) q[i] -= G[k][i] * q[k];
        q[i] = G[i][i] > 0 ? q[i] / G[i][i] : 0;
    }
}

/* The equations of Newton and Euler: sum m (a + w x r) = sum f, sum r x m (a + w x r) = sum r x f. */
static void rigid_mass_solve(const sn_filter_group *group, const double *mass, const double *f, double *out) {
    double G[SN_GROUP_MODES][SN_GROUP_MODES] = {{0}}, q[SN_GROUP_MODES];
    const int32_t first = group->node[0];
    rigid_sums(group, f + 3 * (ptrdiff_t)first, q);
    for (ptrdiff_t i = 0; i < group->count; ++i) {
        const double *r = group->arm + 3 * i, m = mass[first + i], square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        const double cross[3][3] = {{0, -r[2], r[1]}, {r[2], 0, -r[0]}, {-r[1], r[0], 0}}; /* r x */
        for (int a = 0; a < 3; ++a) {
            G[a][a] += m;
            for (int b = 0; b < 3; ++b) {
                G[3 + a][b] += m * cross[a][b];
                G[3 + a][3 + b] += m * ((a == b ? square : 0) - r[a] * r[b]);
            }
        }
    }
    solve_small(SN_GROUP_MODES, G, q);
    rigid_expand(group, q, q + 3, out + 3 * (ptrdiff_t)first);
}

void sn_filter_group_mass_solve(const sn_filter_group *group, const double *mass, const double *f, double *out) {
    if (group->arm) {
        rigid_mass_solve(group, mass, f, out);
        return;
    }
    double G[SN_GROUP_MODES][SN_GROUP_MODES], q[SN_GROUP_MODES];
    for (int k = 0; k < group->modes; ++k) {
        const double *mode = group->basis + 3 * (ptrdiff_t)k * group->count;
        q[k] = mode_dot(group, mode, f);
        for (int l = 0; l <= k; ++l) {
            const double *other = group->basis + 3 * (ptrdiff_t)l * group->count;
            double sum = 0;
            for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)group->count; ++i)
                sum += mass[group->node[i / 3]] * mode[i] * other[i];
            G[k][l] = sum;
        }
    }
    solve_small(group->modes, G, q);
    expand_modes(group, q, out);
}

void sn_filter_apply(const sn_filter *filter, double *v) {
    sn_filter_apply_range(filter, 0, INT32_MAX, v);
    sn_filter_apply_groups(filter, v);
}

const double *sn_filter_find(const sn_filter *filter, int32_t node) {
    if (!filter) return NULL;
    const int i = lower_bound(filter, node);
    return i < filter->count && filter->node[i] == node ? filter->projection + 9 * (ptrdiff_t)i : NULL;
}

bool sn_filter_holds(const sn_filter *filter, int32_t node) {
    const double *S = sn_filter_find(filter, node);
    for (int k = 0; S && k < 9; ++k)
        if (S[k] != 0) return false;
    return S != NULL;
}

/* ---- Copies ---- */
static bool same(const sn_filter *a, int count, const sn_filter *b) {
    return a->count == count &&
           (!count || (memcmp(a->node, b->node, (size_t)count * sizeof *a->node) == 0 &&
                       memcmp(a->projection, b->projection, (size_t)count * 9 * sizeof *a->projection) == 0));
}

/* Makes room for so many listed nodes. */
static sn_status reserve(sn_context *context, int count, sn_filter_copy *copy, sn_error *error) {
    sn_filter *own = &copy->filter;
    const sn_status status = sn_grow(context, (void **)&own->node, &copy->nodes, count, sizeof *own->node, error);
    return status ? status
                  : sn_grow(context, (void **)&own->projection, &copy->projections, count, 9 * sizeof *own->projection,
                            error);
}

sn_status sn_filter_copy_update(sn_context *context, const sn_filter *filter, sn_filter_copy *copy, bool *changed,
                                sn_error *error) {
    const int count = filter ? filter->count : 0;
    sn_filter *own = &copy->filter;
    own->group_count = filter ? filter->group_count : 0;
    own->group = filter ? filter->group : NULL;
    *changed = !same(own, count, filter);
    if (!*changed) return SN_OK;
    own->count = 0;
    const sn_status status = reserve(context, count, copy, error);
    if (status || !count) return status;
    own->count = count;
    memcpy(own->node, filter->node, (size_t)count * sizeof *own->node);
    memcpy(own->projection, filter->projection, (size_t)count * 9 * sizeof *own->projection);
    return SN_OK;
}

sn_status sn_filter_copy_archive(sn_context *context, int nodes, sn_filter_copy *copy, sn_archive *archive,
                                 sn_error *error) {
    sn_filter *own = &copy->filter;
    int count = own->count;
    SN_ARCHIVE(archive, count);
    if (sn_archive_reads(archive)) {
        if (count < 0 || count > nodes) archive->bad = true;
        own->count = 0, own->group_count = 0, own->group = NULL;
        const sn_status status = archive->bad ? SN_OK : reserve(context, count, copy, error);
        if (status || archive->bad) return status;
    }
    sn_archive_nodes(archive, own->node, count, nodes);
    sn_archive_visit(archive, own->projection, (size_t)count * 9 * sizeof *own->projection);
    own->count = archive->bad ? 0 : count;
    return SN_OK;
}

void sn_filter_copy_release(sn_context *context, sn_filter_copy *copy) {
    sn_release(context, copy->filter.node);
    sn_release(context, copy->filter.projection);
    *copy = (sn_filter_copy){0};
}
