/* New values for the levels of multigrid: the smoother's copy of the matrix, and the coarse matrices (multigrid.h). */
#include <math.h>
#include <string.h>

#include "linear/matrix/coupling.h"
#include "linear/matrix/filter.h"
#include "multigrid.h"

enum { GRAIN = 2048 }; /* rows per piece of simple loops */

#define TURNED 0.1f /* radians; the smoother still works after such a rotation */
#define SLOW 0.05f  /* radians in one step; below this the frames may wait for the next step */

typedef struct copy_job {
    sn_multigrid *mg;
    const sn_matrix *matrix;
    sn_mg_level *level;
    bool filled;          /* level->value holds the matrix */
    const uint8_t *fixed; /* rows that cannot move at all; used when not filled */
} copy_job;

static void copy_values(void *data, int piece) {
    const copy_job *job = data;
    const sn_mg_level *fine = &job->mg->level[0];
    const int64_t begin = 9 * sn_piece_begin(fine->blocks, GRAIN, piece),
                  end = 9 * sn_piece_begin(fine->blocks, GRAIN, piece + 1);
    if (job->matrix->single_)
        memcpy(fine->value + begin, job->matrix->single_ + begin, (size_t)(end - begin) * sizeof *fine->value);
    else
        for (int64_t k = begin; k < end; ++k) fine->value[k] = (float)job->matrix->double_[k];
}

/* The array that holds the values of a level. */
static const float *values_of(const copy_job *job) { return job->filled ? job->level->value : job->matrix->single_; }

static void invert_rows(void *data, int piece) {
    const copy_job *job = data;
    const int n = job->level->nodes;
    sn_mg_slice_kernels_for(job->mg->context)
        ->invert(job->level, values_of(job), job->filled ? NULL : job->fixed, (int)sn_piece_begin(n, GRAIN, piece),
                 (int)sn_piece_begin(n, GRAIN, piece + 1));
}

enum { SLICES = 16 }; /* per piece */

static void scale_slices(void *data, int piece) {
    const copy_job *job = data;
    const int n = job->level->slices->count;
    sn_mg_slice_kernels_for(job->mg->context)
        ->quantise(job->level, values_of(job), (int)sn_piece_begin(n, SLICES, piece),
                   (int)sn_piece_begin(n, SLICES, piece + 1));
}

static void scale_level(const sn_context *context, sn_mg_level *level, copy_job *job) {
    job->level = level;
    sn_parallel(context, sn_pieces(level->nodes, GRAIN), invert_rows, job);
    sn_parallel(context, sn_pieces(level->slices->count, SLICES), scale_slices, job);
}

/* m <- S m (left) or m S (right), column-major m, symmetric S. */
static void project_left(const double *s, float *m) {
    for (int c = 0; c < 3; ++c) {
        const double v[3] = {m[3 * c], m[3 * c + 1], m[3 * c + 2]};
        for (int r = 0; r < 3; ++r) m[3 * c + r] = (float)(s[3 * r] * v[0] + s[3 * r + 1] * v[1] + s[3 * r + 2] * v[2]);
    }
}

static void project_right(const double *s, float *m) {
    for (int r = 0; r < 3; ++r) {
        const double v[3] = {m[r], m[3 + r], m[6 + r]};
        for (int c = 0; c < 3; ++c) m[3 * c + r] = (float)(v[0] * s[c] + v[1] * s[3 + c] + v[2] * s[6 + c]);
    }
}

/* The smoother does not know the blocks B of the coupling. A definite matrix that loses blocks may become indefinite.
 * So |B| is added to the diagonal of its row, nearly: sqrt(3) B B^T / |B|, which is |B| for a block of equal stiffness
 * in all directions and more than that for one with a single stiff direction. */
static void compensate(sn_multigrid *mg, const sn_matrix *matrix) {
    const sn_coupling *c = matrix->coupling;
    for (int r = 0; c && r < c->row_count; ++r) {
        float *own = mg->level[0].value + 9 * (int64_t)matrix->pattern->diagonal[c->row[r]];
        for (int b = c->begin[r]; b < c->begin[r + 1]; ++b) {
            const double *B = c->value + 9 * (int64_t)b;
            double square = 0;
            for (int k = 0; k < 9; ++k) square += B[k] * B[k];
            for (int k = 0; k < 9 && square > 0; ++k) {
                const int i = k % 3, j = k / 3;
                own[k] += (float)((B[i] * B[j] + B[3 + i] * B[3 + j] + B[6 + i] * B[6 + j]) * sqrt(3 / square));
            }
        }
    }
}

/* A <- S A S on level 0. */
static void filter_rows(sn_multigrid *mg, const sn_pattern *pattern, const sn_filter *filter) {
    float *value = mg->level[0].value;
    for (int f = 0; f < filter->count; ++f) {
        const double *s = filter->projection + 9 * (int64_t)f;
        for (int32_t k = pattern->row_begin[filter->node[f]]; k < pattern->row_begin[filter->node[f] + 1]; ++k) {
            project_left(s, value + 9 * (int64_t)k);
            project_right(s, value + 9 * (int64_t)pattern->mirror[k]);
        }
    }
}

typedef struct galerkin_job {
    const sn_mg_kernels *kernels;
    const sn_mg_level *fine;
    sn_mg_level *coarse;
    int first; /* first of the colour, in color_group */
} galerkin_job;

static void galerkin_group(void *data, int index) {
    const galerkin_job *job = data;
    job->kernels->galerkin(job->fine, job->coarse, job->fine->down->color_group[job->first + index]);
}

/* A' = P^T A P. Groups of one colour share no coarse row. */
static void galerkin(const sn_context *context, const sn_mg_level *fine, sn_mg_level *coarse) {
    memset(coarse->value, 0, sizeof *coarse->value * (size_t)(9 * coarse->blocks + 8));
    const sn_mg_transfer *d = fine->down;
    for (int c = 0; c < d->color_count; ++c) {
        galerkin_job job = {sn_mg_kernels_for(context), fine, coarse, d->color_begin[c]};
        sn_parallel(context, d->color_begin[c + 1] - d->color_begin[c], galerkin_group, &job);
    }
}

/* Whether every constraint holds its node completely. Marks the rows of these nodes. */
static bool only_fixed(sn_multigrid *mg, const sn_filter *filter, uint8_t *fixed) {
    const sn_mg_level *fine = &mg->level[0];
    memset(fixed, 0, (size_t)fine->nodes);
    if (!filter || filter->count == 0) return true;
    int32_t *row_of = (int32_t *)fine->r; /* `r` is unused between cycles and has four floats per node */
    for (int i = 0; i < fine->nodes; ++i) row_of[mg->order[i]] = i;
    for (int f = 0; f < filter->count; ++f) {
        for (int e = 0; e < 9; ++e)
            if (filter->projection[9 * (int64_t)f + e] != 0) return false;
        fixed[row_of[filter->node[f]]] = 1;
    }
    return true;
}

void sn_multigrid_update(sn_multigrid *mg, const sn_matrix *matrix, const struct sn_assembly *assembly,
                         const struct sn_filter *filter, const double *x, bool coarse) {
    mg->sized = mg->waits = false;
    copy_job job = {.mg = mg, .matrix = matrix, .level = &mg->level[0], .filled = true, .fixed = mg->fixed};
    const bool coupled = matrix->coupling && matrix->coupling->row_count > 0;
    if (!coarse && matrix->single_ && !coupled) job.filled = !only_fixed(mg, filter, mg->fixed);
    if (job.filled) {
        sn_parallel_pieces(mg->context, sn_pieces(mg->level[0].blocks, GRAIN), copy_values, &job);
        compensate(mg, matrix);
        if (filter && filter->count > 0) filter_rows(mg, matrix->pattern, filter);
    }
    scale_level(mg->context, &mg->level[0], &job);
    if (mg->level_count > 1) {
        if (coarse)
            sn_mg_take_frames(mg, x);
        else
            sn_mg_turn_frames(mg, x);
        sn_mg_note_frames(mg);
    }
    if (!coarse) return;
    ++mg->updates;
    if (mg->level_count > 1 && mg->level[0].down->cells)
        sn_mg_sum_cells(mg->context, mg->level[0].down, assembly, filter, mg->level[0].value);
    for (int l = 1; l < mg->level_count; ++l) {
        galerkin(mg->context, &mg->level[l - 1], &mg->level[l]);
        scale_level(mg->context, &mg->level[l], &job);
    }
    sn_mg_invert_last(&mg->last, &mg->level[mg->level_count - 1]);
}

static void visit_level(const sn_mg_level *level, sn_archive *archive) {
    sn_mg_slices *s = level->slices;
    const size_t n = (size_t)level->nodes + SN_MG_SLICE;
    sn_archive_visit(archive, level->scale, n * sizeof *level->scale);
    sn_archive_visit(archive, level->unscale, n * sizeof *level->unscale);
    if (s->row)
        sn_archive_visit(archive, s->inverse, (size_t)s->count * 6 * SN_MG_SLICE * sizeof *s->inverse);
    else
        sn_archive_visit(archive, level->inverse, 12 * n * sizeof *level->inverse);
    for (int i = 0; i < s->begin[2 * s->count]; ++i) SN_ARCHIVE(archive, s->slab[i].value);
}

void sn_multigrid_archive(sn_multigrid *mg, sn_archive *archive) {
    SN_ARCHIVE(archive, mg->sized);
    SN_ARCHIVE(archive, mg->exponent);
    SN_ARCHIVE(archive, mg->waits);
    SN_ARCHIVE(archive, mg->framed);
    for (int l = 0; l < mg->level_count; ++l) visit_level(&mg->level[l], archive);
    for (int p = 0; p < mg->last.count; ++p) {
        const size_t n = 3 * (size_t)(mg->last.begin[p + 1] - mg->last.begin[p]);
        sn_archive_visit(archive, mg->last.inverse + mg->last.at[p], n * n * sizeof *mg->last.inverse);
    }
    if (mg->level_count == 1) return;
    const size_t frames = 12 * (size_t)mg->level[1].nodes;
    sn_archive_visit(archive, mg->level[1].frame, frames * sizeof *mg->level[1].frame);
    sn_archive_visit(archive, mg->frame_then, frames * sizeof *mg->frame_then);
    sn_archive_visit(archive, mg->taken, 3 * (size_t)mg->level[0].nodes * sizeof *mg->taken);
}

bool sn_multigrid_keep(sn_multigrid *mg, const double *x) {
    mg->sized = false;
    if (mg->level_count == 1 || !mg->framed || !x) return false;
    if (mg->waits) {
        mg->waits = false;
        return true;
    }
    const float before = sn_mg_turned(mg);
    sn_mg_turn_frames(mg, x);
    const float turned = sn_mg_turned(mg);
    mg->waits = turned - before < SLOW;
    return turned < TURNED;
}
