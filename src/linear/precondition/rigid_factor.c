/* See rigid_factor.h. The factorisation is up-looking, as in ldlt.c:
 *
 *   U_ik = E_ik - sum_{j<k} U_ij L_kj^T,   L_ik = U_ik D_k^-1,   D_i = E_ii - sum_{k<i} U_ik L_ik^T
 *
 * A row i of the joint meets the columns of all parts. Each part computes its blocks U_ik and L_ik of this row, and
 * keeps for itself what they take from the blocks of the joint. */
#include "rigid_factor.h"

#include <math.h>
#include <string.h>

#include "linear/direct/fill_order.h"
#include "linear/direct/symbolic.h"

enum { SIX = SN_RIGID, WIDE = SN_RIGID_WIDE, BLOCK = SN_RIGID_BLOCK, PADDED = SN_RIGID_PADDED };
#define LEAST_PIVOT 1e-13 /* relative to the diagonal that the pivot came from */

extern const sn_rigid_kernels sn_rigid_kernels_baseline, sn_rigid_kernels_avx2, sn_rigid_kernels_avx512;

void sn_rigid_factor_release(sn_context *context, sn_rigid_factor *f) {
    void *memory[] = {f->begin,   f->column,  f->value,    f->l_begin, f->l_row, f->l_joint, f->r_begin, f->r_column,
                      f->r_place, f->l_value, f->l_narrow, f->inverse, f->work,  f->joint,   f->vector,  f->given};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) sn_release(context, memory[i]);
    *f = (sn_rigid_factor){0};
}

/* ---- Analysis ---- */
/* What it needs: four numbers for each body. */
typedef struct analysis {
    int32_t *order, *parent, *count, *work;
} analysis;

/* The bodies of each part, then those of the joint; within each as they come in `order`. */
static void divide(const int32_t *part, const int32_t *order, int32_t *place, sn_rigid_factor *f) {
    int32_t next = 0;
    for (int p = 0; p <= f->parts; ++p) {
        f->first[p] = next;
        for (int k = 0; k < f->count; ++k)
            if (part[order[k]] == p) place[order[k]] = next++;
    }
    f->first[f->parts + 1] = next;
}

/* Fills begin and column, or only begin when there are no columns yet. */
static void fill_rows(const sn_pattern *pattern, const int32_t *order, const int32_t *place, sn_rigid_factor *f) {
    int32_t next = 0;
    for (int i = 0; i < f->count; ++i) {
        const int32_t begin = f->begin[i] = next;
        for (int32_t k = pattern->row_begin[order[i]]; k < pattern->row_begin[order[i] + 1]; ++k) {
            const int32_t column = place[pattern->column[k]];
            if (column > i) continue;
            int32_t e = next++;
            for (; f->column && e > begin && f->column[e - 1] > column; --e) f->column[e] = f->column[e - 1];
            if (f->column) f->column[e] = column;
        }
    }
    f->begin[f->count] = next;
}

/* The rows of L, and the columns by rows. next: a number for each body. */
static void fill_factor(const analysis *a, sn_rigid_factor *f) {
    int32_t *mark = a->order, *next = a->count;
    for (int i = 0; i < f->count; ++i) mark[i] = -1, next[i] = f->l_begin[i];
    for (int32_t i = 0; i < f->count; ++i) {
        const int entries = f->begin[i + 1] - f->begin[i] - 1;
        const int top = sn_symbolic_row(f->count, i, f->column + f->begin[i], entries, a->parent, mark, a->work);
        f->r_begin[i + 1] = f->r_begin[i] + f->count - top;
        for (int t = top; t < f->count; ++t) f->l_row[next[a->work[t]]++] = i;
    }
    memcpy(next, f->r_begin, (size_t)f->count * sizeof *next);
    for (int32_t k = 0; k < f->count; ++k) {
        f->l_joint[k] = f->l_begin[k + 1];
        for (int32_t e = f->l_begin[k]; e < f->l_begin[k + 1]; ++e) {
            const int32_t at = next[f->l_row[e]]++;
            f->r_column[at] = k, f->r_place[at] = e;
        }
        while (k < f->first[f->parts] && f->l_joint[k] > f->l_begin[k] &&
               f->l_row[f->l_joint[k] - 1] >= f->first[f->parts])
            --f->l_joint[k];
    }
}

static sn_status find_order(sn_context *context, const sn_pattern *pattern, const int32_t *part, int32_t *place,
                            analysis *a, sn_rigid_factor *f, sn_error *error) {
    sn_room room = {0};
    const sn_status status = sn_order_minimum_degree(context, pattern, &room, a->order, error);
    sn_room_release(context, &room);
    if (status) return status;
    divide(part, a->order, place, f);
    for (int32_t i = 0; i < f->count; ++i) a->order[place[i]] = i;
    return SN_OK;
}

static sn_status make_places(sn_context *context, const sn_pattern *pattern, const int32_t *place, analysis *a,
                             sn_rigid_factor *f, sn_error *error) {
    const size_t n = (size_t)f->count, joint = n - (size_t)f->first[f->parts];
    fill_rows(pattern, a->order, place, f);
    sn_symbolic_count(pattern, a->order, place, a->parent, a->count, a->work);
    for (size_t k = 0; k < n; ++k) f->l_begin[k + 1] = f->l_begin[k] + a->count[k];
    const size_t entries = (size_t)f->begin[n], blocks = (size_t)f->l_begin[n];
    const sn_array array[] = {SN_ARRAY(f->column, entries),
                              SN_ARRAY(f->value, PADDED * entries),
                              SN_ARRAY(f->l_row, blocks),
                              SN_ARRAY(f->r_column, blocks),
                              SN_ARRAY(f->r_place, blocks),
                              SN_ARRAY(f->l_value, BLOCK * blocks),
                              SN_ARRAY(f->l_narrow, PADDED * blocks),
                              SN_ARRAY(f->joint, PADDED * (size_t)f->parts * (joint * (joint + 1) / 2)),
                              SN_ARRAY(f->given, WIDE * (size_t)f->parts * joint)};
    const sn_status status = sn_allocate_arrays(context, array, sizeof array / sizeof *array, error);
    if (status) return status;
    fill_rows(pattern, a->order, place, f);
    fill_factor(a, f);
    return SN_OK;
}

sn_status sn_rigid_factor_create(sn_context *context, const sn_pattern *pattern, const int32_t *part, int parts,
                                 int32_t *place, sn_rigid_factor *f, sn_error *error) {
    const size_t n = (size_t)pattern->nodes;
    f->context = context, f->kernels = SN_BUILD(context, sn_rigid_kernels);
    f->count = pattern->nodes, f->parts = parts;
    analysis a = {0};
    const sn_array array[] = {SN_ARRAY(f->begin, n + 1),        SN_ARRAY(f->l_begin, n + 1),
                              SN_ARRAY(f->r_begin, n + 1),      SN_ARRAY(f->l_joint, n),
                              SN_ARRAY(f->inverse, PADDED * n), SN_ARRAY(f->work, PADDED * n),
                              SN_ARRAY(f->vector, WIDE * n)},
                   scratch[] = {SN_ARRAY(a.order, n), SN_ARRAY(a.parent, n), SN_ARRAY(a.count, n),
                                SN_ARRAY(a.work, 2 * n)};
    sn_status status = sn_allocate_arrays(context, array, sizeof array / sizeof *array, error);
    if (!status) status = sn_allocate_arrays(context, scratch, sizeof scratch / sizeof *scratch, error);
    if (!status) status = find_order(context, pattern, part, place, &a, f, error);
    if (!status) status = make_places(context, pattern, place, &a, f, error);
    void *memory[] = {a.order, a.parent, a.count, a.work};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) sn_release(context, memory[i]);
    return status;
}

/* ---- Factorisation ---- */
/* out = inverse of the symmetric block D by its Cholesky factor. Returns false when a pivot is not above LEAST_PIVOT
 * times the diagonal `own`. All are padded. */
static bool invert(const double *D, const double *own, double *out) {
    double C[SIX][SIX] = {{0}}, inverse[SIX][SIX] = {{0}};
    for (int c = 0; c < SIX; ++c)
        for (int r = c; r < SIX; ++r) {
            double sum = D[WIDE * c + r];
            for (int k = 0; k < c; ++k) sum -= C[r][k] * C[c][k];
            if (r == c && !(sum > LEAST_PIVOT * own[WIDE * c + c])) return false;
            C[r][c] = r == c ? sqrt(sum) : sum / C[c][c];
        }
    for (int c = 0; c < SIX; ++c) /* C^-1 */
        for (int r = c; r < SIX; ++r) {
            double sum = r == c;
            for (int k = c; k < r; ++k) sum -= C[r][k] * inverse[k][c];
            inverse[r][c] = sum / C[r][r];
        }
    for (int c = 0; c < SIX; ++c)
        for (int r = c; r < SIX; ++r) {
            double sum = 0;
            for (int k = r; k < SIX; ++k) sum += inverse[k][r] * inverse[k][c];
            out[WIDE * c + r] = out[WIDE * r + c] = sum;
        }
    return true;
}

/* L = U D^-1 at place e of L, and taken -= U L^T. */
static void make_block(sn_rigid_factor *f, int32_t k, int32_t e, const double *U, double *taken) {
    double *L = f->l_value + BLOCK * (int64_t)e;
    const double *inverse = f->inverse + PADDED * (int64_t)k;
    float *narrow = f->l_narrow + PADDED * (int64_t)e;
    for (int c = 0; c < SIX; ++c)
        for (int r = 0; r < SIX; ++r) {
            double sum = 0;
            for (int m = 0; m < SIX; ++m) sum += U[WIDE * m + r] * inverse[WIDE * c + m];
            L[SIX * c + r] = sum;
            narrow[WIDE * c + r] = (float)sum;
        }
    const int32_t own = 0;
    f->kernels->eliminate(U, 0, 1, &own, 0, L, taken);
}

/* Computes the blocks of row i in the columns [first, end), which stand in `work`. What they take from the blocks of
 * the joint goes to `joint`: the blocks of row i from the first column of the joint to the diagonal. For a row of the
 * part itself, `diagonal` takes it. */
static void eliminate_row(sn_rigid_factor *f, int32_t i, int32_t first, int32_t end, double *joint, double *diagonal) {
    for (int32_t t = f->r_begin[i]; t < f->r_begin[i + 1]; ++t) {
        const int32_t k = f->r_column[t], e = f->r_place[t];
        if (k < first || k >= end) continue;
        double *work = f->work + PADDED * (int64_t)k;
        _Alignas(64) double U[PADDED];
        memcpy(U, work, sizeof U);
        memset(work, 0, sizeof U);
        const int32_t turn = e < f->l_joint[k] ? e : f->l_joint[k];
        f->kernels->eliminate(U, f->l_begin[k], turn, f->l_row, 0, f->l_value, f->work);
        f->kernels->eliminate(U, turn, e, f->l_row, f->first[f->parts], f->l_value, joint);
        make_block(f, k, e, U, diagonal);
    }
}

/* Puts the blocks of row i of E in the columns [first, end) into `work`. */
static void place_row(sn_rigid_factor *f, int32_t i, int32_t first, int32_t end) {
    for (int32_t e = f->begin[i]; e < f->begin[i + 1] - 1; ++e)
        if (f->column[e] >= first && f->column[e] < end)
            memcpy(f->work + PADDED * (int64_t)f->column[e], f->value + PADDED * (int64_t)e, PADDED * sizeof *f->work);
}

/* What a part gives to row i of the joint. */
static double *given_row(const sn_rigid_factor *f, int part, int32_t i) {
    const int64_t joint = f->count - f->first[f->parts], row = i - f->first[f->parts];
    return f->joint + PADDED * (part * (joint * (joint + 1) / 2) + row * (row + 1) / 2);
}

static bool finish_row(sn_rigid_factor *f, int32_t i, const double *taken) {
    const double *own = f->value + PADDED * ((int64_t)f->begin[i + 1] - 1);
    double D[PADDED];
    for (int c = 0; c < PADDED; ++c) D[c] = own[c] + taken[c];
    return invert(D, own, f->inverse + PADDED * (int64_t)i);
}

/* The rows of a part, and its share of the joint. */
static void factor_part(void *data, int part) {
    sn_rigid_factor *f = data;
    const int32_t first = f->first[part], end = f->first[part + 1], joint = f->first[f->parts];
    bool good = true;
    for (int32_t i = first; i < end && good; ++i) {
        _Alignas(64) double taken[PADDED] = {0};
        place_row(f, i, first, end);
        eliminate_row(f, i, first, end, NULL, taken);
        good = finish_row(f, i, taken);
    }
    for (int32_t i = joint; i < f->count && good; ++i) {
        double *row = given_row(f, part, i), *diagonal = row + PADDED * (int64_t)(i - joint);
        memset(row, 0, PADDED * (size_t)(i - joint + 1) * sizeof *row);
        place_row(f, i, first, end);
        eliminate_row(f, i, first, end, row, diagonal);
    }
    f->good[part] = good;
}

static bool factor_joint(sn_rigid_factor *f) {
    const int32_t joint = f->first[f->parts];
    bool good = true;
    for (int32_t i = joint; i < f->count && good; ++i) {
        _Alignas(64) double taken[PADDED] = {0};
        place_row(f, i, joint, f->count);
        for (int p = 0; p < f->parts; ++p) {
            const double *row = given_row(f, p, i);
            double *work = f->work + PADDED * (int64_t)joint;
            const int64_t left = PADDED * (int64_t)(i - joint);
            for (int64_t c = 0; c < left; ++c) work[c] += row[c];
            for (int c = 0; c < PADDED; ++c) taken[c] += row[left + c];
        }
        eliminate_row(f, i, joint, f->count, NULL, taken);
        good = finish_row(f, i, taken);
    }
    return good;
}

bool sn_rigid_factor_update(sn_rigid_factor *f) {
    memset(f->work, 0, PADDED * (size_t)f->count * sizeof *f->work);
    sn_parallel_pieces(f->context, f->parts, factor_part, f);
    bool good = true;
    for (int p = 0; p < f->parts; ++p) good = good && f->good[p];
    return good && factor_joint(f);
}

/* ---- Substitution ---- */
static double *given_vector(const sn_rigid_factor *f, int part) {
    return f->given + WIDE * (int64_t)part * (f->count - f->first[f->parts]);
}

void sn_rigid_factor_forward(const sn_rigid_factor *f, int part) {
    const int32_t joint = f->first[f->parts];
    double *given = given_vector(f, part);
    memset(given, 0, WIDE * (size_t)(f->count - joint) * sizeof *given);
    f->kernels->forward(f->first[part], f->first[part + 1], f->l_begin, f->l_joint, f->l_row, joint, f->l_narrow,
                        f->vector, given);
}

void sn_rigid_factor_middle(const sn_rigid_factor *f) {
    const int32_t joint = f->first[f->parts];
    double *y = f->vector + WIDE * (int64_t)joint;
    for (int p = 0; p < f->parts; ++p)
        for (int i = 0; i < WIDE * (f->count - joint); ++i) y[i] += given_vector(f, p)[i];
    f->kernels->forward(joint, f->count, f->l_begin, f->l_joint, f->l_row, joint, f->l_narrow, f->vector, NULL);
    sn_rigid_factor_back(f, f->parts);
}

void sn_rigid_factor_back(const sn_rigid_factor *f, int part) {
    f->kernels->back(f->first[part], f->first[part + 1], f->l_begin, f->l_row, f->l_narrow, f->inverse, f->vector);
}
