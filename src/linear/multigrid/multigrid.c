/* The multigrid cycle and its set-up: see multigrid.h. */
#include "multigrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/matrix/kernels.h"

enum {
    /* A level is solved directly when the sum of the cubes of the sizes of its parts is at most SMALLEST^3. */
    SMALLEST = 60,
    CORNERS = 12,  /* coarsening ends when no part has more nodes */
    SMALL = 40000, /* a level with fewer blocks runs on one thread */
    GRAIN = 2048,  /* rows per piece of simple loops */
};

extern const sn_mg_kernels sn_mg_kernels_baseline, sn_mg_kernels_avx2, sn_mg_kernels_avx512;

const sn_mg_kernels *sn_mg_kernels_for(const sn_context *context) { return SN_BUILD(context, sn_mg_kernels); }

/* ---- Set-up ---- */

static int by_pair(const void *a, const void *b) {
    const int32_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Level 0: the pattern, with its rows in the order of the sweeps. */
static sn_status make_fine(sn_multigrid *mg, const sn_pattern *pattern, const double *position, sn_error *error) {
    sn_context *context = mg->context;
    sn_mg_level *fine = &mg->level[0];
    const int n = pattern->nodes;
    fine->nodes = n;
    fine->blocks = pattern->block_count;
    mg->order = sn_allocate(context, (size_t)n, sizeof *mg->order);
    fine->source = sn_allocate(context, (size_t)fine->blocks, sizeof *fine->source);
    fine->row_begin = sn_allocate(context, (size_t)n + 1, sizeof *fine->row_begin);
    fine->column = sn_allocate(context, (size_t)fine->blocks, sizeof *fine->column);
    fine->diagonal = sn_allocate(context, (size_t)n, sizeof *fine->diagonal);
    fine->position = sn_allocate(context, (size_t)n * 3, sizeof *fine->position);
    fine->reach = sn_allocate_zero(context, (size_t)n, sizeof *fine->reach);
    int32_t *row_of = sn_allocate(context, (size_t)n, sizeof *row_of);
    int most = 0;
    for (int i = 0; i < n; ++i)
        most = pattern->row_begin[i + 1] - pattern->row_begin[i] > most
                   ? pattern->row_begin[i + 1] - pattern->row_begin[i]
                   : most;
    int32_t(*pair)[2] = sn_allocate(context, (size_t)most + 1, sizeof *pair);
    sn_status status = SN_OK;
    if (!mg->order || !fine->source || !fine->row_begin || !fine->column || !fine->diagonal || !fine->position ||
        !fine->reach || !row_of || !pair)
        status = sn_no_memory(error);
    if (!status) {
        const sn_mg_level given = {.nodes = n, .row_begin = pattern->row_begin, .column = pattern->column};
        sn_mg_level ordered = given;
        status = sn_mg_order_slices(context, &given, mg->order, &fine->slices, error);
        if (!status && !fine->slices) status = sn_mg_order_rows(context, &ordered, mg->order, error);
        fine->color_begin = ordered.color_begin, fine->piece_begin = ordered.piece_begin,
        fine->color_count = ordered.color_count;
    }
    if (!status) {
        for (int i = 0; i < n; ++i) row_of[mg->order[i]] = i;
        int32_t count = 0;
        for (int i = 0; i < n; ++i) {
            const int old = mg->order[i];
            const int length = pattern->row_begin[old + 1] - pattern->row_begin[old];
            for (int k = 0; k < length; ++k) {
                pair[k][0] = row_of[pattern->column[pattern->row_begin[old] + k]];
                pair[k][1] = pattern->row_begin[old] + k;
            }
            qsort(pair, (size_t)length, sizeof *pair, by_pair);
            fine->row_begin[i] = count;
            double reach = 0;
            for (int k = 0; k < length; ++k) {
                fine->column[count] = pair[k][0];
                fine->source[count] = pair[k][1];
                if (pair[k][0] == i) fine->diagonal[i] = count;
                const double *p = position + 3 * (int64_t)old, *q = position + 3 * (int64_t)mg->order[pair[k][0]];
                reach +=
                    sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
                ++count;
            }
            fine->reach[i] = length > 1 ? reach / (length - 1) : 0;
            memcpy(fine->position + 3 * (int64_t)i, position + 3 * (int64_t)old, 3 * sizeof *position);
        }
        fine->row_begin[n] = count;
    }
    sn_release(context, row_of);
    sn_release(context, pair);
    return status;
}

static sn_status make_values(sn_context *context, sn_mg_level *level, sn_error *error) {
    const size_t n =
        (size_t)level->nodes + SN_MG_SLICE; /* slices read behind the last node, and padding points there */
    const sn_status status = sn_mg_fill_slices(context, level, error);
    if (status) return status;
    level->value = sn_allocate_zero(context, 9 * (size_t)level->blocks + 8, sizeof *level->value);
    level->scale = sn_allocate_zero(context, n, sizeof *level->scale);
    level->unscale = sn_allocate_zero(context, n, sizeof *level->unscale);
    level->inverse = sn_allocate_zero(context, level->slices->row ? 1 : 12 * n, sizeof *level->inverse);
    level->x = sn_allocate_zero(context, 4 * n, sizeof *level->x);
    level->b = sn_allocate_zero(context, 4 * n, sizeof *level->b);
    level->r = sn_allocate_zero(context, 4 * n, sizeof *level->r);
    return level->value && level->scale && level->unscale && level->inverse && level->x && level->b && level->r
               ? SN_OK
               : sn_no_memory(error);
}

/* The lower quartile of the reach. The spacing thus starts from the finer part of a graded mesh. */
static int by_value(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static sn_status lower_quartile(sn_context *context, const sn_mg_level *level, double *value, sn_error *error) {
    double *sorted = sn_allocate(context, (size_t)level->nodes, sizeof *sorted);
    if (!sorted) return sn_no_memory(error);
    int count = 0;
    for (int i = 0; i < level->nodes; ++i)
        if (level->reach[i] > 0) sorted[count++] = level->reach[i]; /* a node may have no neighbours */
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    *value = count ? sorted[count / 4] : 0;
    sn_release(context, sorted);
    return SN_OK;
}

/* Makes the first lattice. It becomes coarser when its matrix would have far more blocks than that of the mesh. This
 * happens in strongly graded meshes, where most nodes are carried. */
static sn_status make_first(sn_multigrid *mg, sn_mg_site *site, sn_error *error) {
    enum { TRIES = 4 };
    sn_mg_level *fine = &mg->level[0], *coarse = fine + 1;
    for (int k = 1;; ++k) {
        const sn_status status = sn_mg_build_transfer(mg->context, site, coarse, error);
        if (status || k == TRIES || 2 * coarse->blocks <= 3 * fine->blocks) return status;
        sn_mg_release_transfer(mg->context, fine->down);
        sn_mg_release_level(mg->context, coarse);
        fine->down = NULL;
        *coarse = (sn_mg_level){0};
        site->nominal *= 1.5;
        for (int a = 0; a < 3; ++a) site->spacing[a] = 0;
    }
}

static sn_status make_levels(sn_multigrid *mg, sn_mg_site site, sn_error *error) {
    sn_status status = make_values(mg->context, &mg->level[0], error);
    mg->level_count = 1;
    double work = 0;
    if (!status) status = sn_mg_find_parts(mg->context, &mg->level[0], &mg->last, &work, error);
    if (!status && mg->level[0].nodes > SMALLEST)
        work = INFINITY; /* the mesh rotates, and its matrix changes in every step */
    while (!status && work > (double)SMALLEST * SMALLEST * SMALLEST && mg->level_count < SN_MG_LEVELS) {
        sn_mg_level *fine = &mg->level[mg->level_count - 1], *coarse = fine + 1;
        ++mg->level_count;
        site.level = fine;
        status =
            fine == mg->level ? make_first(mg, &site, error) : sn_mg_build_transfer(mg->context, &site, coarse, error);
        if (!status) status = make_values(mg->context, coarse, error);
        site.nominal *= 2;
        for (int a = 0; a < 3; ++a) site.spacing[a] *= 2;
        site.elements = NULL;
        if (!status) status = sn_mg_find_parts(mg->context, coarse, &mg->last, &work, error);
        if (!status && mg->last.largest <= CORNERS) break;
    }
    if (!status) status = sn_mg_create_last(mg->context, &mg->last, error);
    for (int l = 0; l < mg->level_count; ++l) {
        sn_release(mg->context, mg->level[l].position);
        sn_release(mg->context, mg->level[l].reach);
        mg->level[l].position = mg->level[l].reach = NULL;
    }
    return status;
}

sn_status sn_multigrid_create(sn_context *context, const sn_pattern *pattern, const double *position,
                              const sn_elements_model *elements, const sn_multigrid_options *options,
                              sn_multigrid **out, sn_error *error) {
    sn_multigrid *mg = sn_allocate_zero(context, 1, sizeof *mg);
    if (!mg) return sn_no_memory(error);
    mg->context = context;
    double edge = 0;
    sn_status status = make_fine(mg, pattern, position, error);
    if (!status) status = lower_quartile(context, &mg->level[0], &edge, error);
    if (!status && !(edge > 0)) status = sn_fail(error, SN_UNSUPPORTED, "multigrid needs nodes at different places");
    const sn_mg_site site = {
        .nominal = options->spacing * edge, .pattern = pattern, .order = mg->order, .elements = elements};
    if (!status) status = make_levels(mg, site, error);
    if (!status) {
        mg->partial = sn_allocate_zero(context, (size_t)sn_context_threads(context), sizeof *mg->partial);
        mg->fixed = sn_allocate(context, (size_t)mg->level[0].nodes, sizeof *mg->fixed);
        if (!mg->partial || !mg->fixed) status = sn_no_memory(error);
    }
    if (!status && mg->level_count > 1) status = sn_mg_create_frames(mg, error);
    if (status) {
        sn_multigrid_destroy(mg);
        return status;
    }
    *out = mg;
    return SN_OK;
}

void sn_multigrid_destroy(sn_multigrid *mg) {
    if (!mg) return;
    for (int l = 0; l < SN_MG_LEVELS; ++l) sn_mg_release_level(mg->context, &mg->level[l]);
    sn_release(mg->context, mg->order);
    sn_mg_release_last(mg->context, &mg->last);
    sn_release(mg->context, mg->partial);
    sn_release(mg->context, mg->fixed);
    sn_release(mg->context, mg->taken);
    sn_release(mg->context, mg->frame_then);
    sn_release(mg->context, mg->moment);
    sn_release(mg->context, mg);
}

/* ---- The cycle ---- */

/* Vectors of the matrix. Level 0 reads them in and writes them out while the sweeps visit the rows. */
typedef struct border {
    const sn_multigrid *mg;
    const sn_mg_kernels *kernels;
    const double *r;
    double *z;
    double factor; /* a power of two that brings r into the range of single precision */
    bool measured; /* the factor was made for this r, not for the last one */
} border;

typedef struct sweep_job {
    const border *border; /* NULL: none, or not on this level */
    bool give;
    const sn_mg_level *level;
    const sn_mg_level *coarse;
    void (*rows)(const sn_mg_level *level, int begin, int end);
    void (*move)(const sn_mg_level *level, const sn_mg_level *coarse, int begin, int end);
    int first, shares;
} sweep_job;

static void sweep_piece(void *data, int index) {
    const sweep_job *job = data;
    const int32_t *begin = job->level->piece_begin + job->first + index;
    job->rows(job->level, begin[0], begin[1]);
}

/* A small level: a loop ends before all threads have started. */
static bool is_small(const sn_mg_level *level) { return level->blocks < SMALL; }

static void sweep(const sn_context *context, const sn_mg_level *level, void (*rows)(const sn_mg_level *, int, int),
                  bool descending) {
    if (is_small(level)) { /* the pieces of all colours follow the order of the rows */
        rows(level, 0, level->nodes);
        return;
    }
    for (int k = 0; k < level->color_count; ++k) {
        const int c = descending ? level->color_count - 1 - k : k;
        sweep_job job = {.level = level, .rows = rows, .first = level->color_begin[c]};
        sn_parallel(context, level->color_begin[c + 1] - level->color_begin[c], sweep_piece, &job);
    }
}

/* How threads share a level. In slices, each thread takes the same part of every colour in all loops, so it finds most
 * of its data in its cache. The rows of a colour do not touch, so the cut has no effect on the result. Without slices,
 * pieces of GRAIN rows. */
static int shares(const sn_context *context, const sn_mg_level *level) {
    const int grain = level->nodes < 8 * GRAIN ? 128 : GRAIN;
    return level->slices->row ? sn_context_threads(context) : sn_pieces(level->nodes, grain);
}

static void take_rows(const border *b, int begin, int end, int share) {
    const double most = b->kernels->take(&b->mg->level[0], b->mg->order, b->r, b->factor, begin, end);
    if (most > b->mg->partial[share]) b->mg->partial[share] = most;
}

static void give_rows(const border *b, int begin, int end) {
    b->kernels->give(&b->mg->level[0], b->mg->order, b->z, 1 / b->factor, begin, end);
}

/* The slices [begin, end), including the vectors that are read or written at the border. */
static void sweep_range(const sweep_job *job, int begin, int end, int share) {
    const int32_t *row = job->level->slices->row;
    if (job->border && !job->give) take_rows(job->border, row[begin], row[end], share);
    job->rows(job->level, begin, end);
    if (job->border && job->give) give_rows(job->border, row[begin], row[end]);
}

static void color_share(void *data, int share) {
    const sweep_job *job = data;
    const sn_mg_slices *s = job->level->slices;
    const int64_t first = s->color_begin[job->first], n = s->color_begin[job->first + 1] - first;
    sweep_range(job, (int)(first + n * share / job->shares), (int)(first + n * (share + 1) / job->shares), share);
}

static void sweep_slices(const sn_context *context, const sn_mg_level *level,
                         void (*rows)(const sn_mg_level *, int, int), bool descending, const border *border) {
    const int colors = level->slices->color_count;
    sweep_job job = {
        .border = border, .give = descending, .level = level, .rows = rows, .shares = shares(context, level)};
    if (is_small(level)) { /* the slices follow each other by colours */
        sweep_range(&job, 0, level->slices->count, 0);
        return;
    }
    for (int k = 0; k < colors; ++k) {
        job.first = descending ? colors - 1 - k : k;
        sn_parallel(context, job.shares, color_share, &job);
    }
}

/* One share of the slices of all colours, or one piece of the rows. */
static void residual_rows(void *data, int share) {
    const sweep_job *job = data;
    const sn_mg_level *level = job->level;
    const sn_mg_slices *s = level->slices;
    if (!s->row) {
        const int grain = level->nodes < 8 * GRAIN ? 128 : GRAIN;
        job->rows(level, (int)sn_piece_begin(level->nodes, grain, share),
                  (int)sn_piece_begin(level->nodes, grain, share + 1));
        return;
    }
    for (int c = 0; c < s->color_count; ++c) {
        const int64_t first = s->color_begin[c], n = s->color_begin[c + 1] - first;
        job->rows(level, (int)(first + n * share / job->shares), (int)(first + n * (share + 1) / job->shares));
    }
}

static void restrict_rows(void *data, int piece) {
    const sweep_job *job = data;
    const int grain = GRAIN / 16, n = job->coarse->nodes;
    job->move(job->level, job->coarse, (int)sn_piece_begin(n, grain, piece), (int)sn_piece_begin(n, grain, piece + 1));
}

/* One share of the groups. */
static void move_groups(void *data, int share) {
    const sweep_job *job = data;
    const int64_t n = job->level->down->group_count;
    job->move(job->level, job->coarse, (int)(n * share / job->shares), (int)(n * (share + 1) / job->shares));
}

/* Returns the largest of the numbers in mg->partial, and sets them to zero. */
static double largest(const sn_multigrid *mg) {
    double most = 0;
    for (int i = 0; i < sn_context_threads(mg->context); ++i) {
        most = mg->partial[i] > most ? mg->partial[i] : most;
        mg->partial[i] = 0;
    }
    return most;
}

/* Notes that the largest entry of the last vector is `most` times the expected one. */
static void note_size(sn_multigrid *mg, double most) {
    int exponent = 0;
    if (most > 0 && isfinite(most)) frexp(most, &exponent);
    mg->exponent += exponent;
    mg->sized = true;
}

static void measure(sn_multigrid *mg, border *b) {
    mg->exponent = 0;
    note_size(mg, sn_vector_largest(mg->context, 3 * mg->level[0].nodes, b->r));
    b->factor = ldexp(1, -mg->exponent);
    b->measured = true;
}

/* CG passes in vectors that shrink slowly, so the factor of one vector mostly suits the next. Returns false when it did
 * not. All factors in the range give the same result. */
static bool came_in(sn_multigrid *mg, border *b) {
    const double most = largest(mg);
    if (b->measured || (most > 0x1p-16 && most < 0x1p16)) {
        note_size(mg, most);
        return true;
    }
    measure(mg, b);
    return false;
}

static void cycle(sn_multigrid *mg, const sn_mg_kernels *kernels, int l, border *border) {
    if (l == mg->level_count - 1) {
        sn_mg_solve_last(&mg->last, &mg->level[l]);
        return;
    }
    const sn_mg_level *level = &mg->level[l], *coarse = level + 1;
    const sn_mg_slice_kernels *slices = level->slices->row ? sn_mg_slice_kernels_for(mg->context) : NULL;
    sweep_job job = {.level = level,
                     .coarse = coarse,
                     .rows = slices ? slices->residual : kernels->residual,
                     .shares = shares(mg->context, level)};
    if (slices) do
            sweep_slices(mg->context, level, slices->forward, false, border);
        while (border && !came_in(mg, border));
    else
        sweep(mg->context, level, kernels->forward, false);
    if (is_small(level)) {
        job.rows(level, 0, slices ? level->slices->count : level->nodes);
        kernels->collect(level, coarse, 0, level->down->group_count);
        kernels->restrict_(level, coarse, 0, coarse->nodes);
    } else {
        sn_parallel(mg->context, job.shares, residual_rows, &job);
        job.move = kernels->collect;
        sn_parallel(mg->context, job.shares, move_groups, &job);
        job.move = kernels->restrict_;
        sn_parallel_pieces(mg->context, sn_pieces(coarse->nodes, GRAIN / 16), restrict_rows, &job);
    }
    cycle(mg, kernels, l + 1, NULL);
    kernels->unscale(coarse, 0, coarse->nodes);
    job.move = kernels->prolong;
    if (is_small(level))
        kernels->prolong(level, coarse, 0, level->down->group_count);
    else
        sn_parallel(mg->context, job.shares, move_groups, &job);
    if (slices)
        sweep_slices(mg->context, level, slices->backward, true, border);
    else
        sweep(mg->context, level, kernels->backward, true);
}

void sn_multigrid_apply(sn_multigrid *mg, const double *r, double *z) {
    const sn_mg_kernels *kernels = sn_mg_kernels_for(mg->context);
    border b = {.mg = mg, .kernels = kernels, .r = r, .z = z, .factor = ldexp(1, -mg->exponent)};
    const bool swept = mg->level_count > 1 && mg->level[0].slices->row; /* the sweeps read and write the vectors */
    if (!mg->sized || !swept) measure(mg, &b);
    if (!swept) take_rows(&b, 0, mg->level[0].nodes, 0);
    cycle(mg, kernels, 0, swept ? &b : NULL);
    if (!swept) give_rows(&b, 0, mg->level[0].nodes);
}
