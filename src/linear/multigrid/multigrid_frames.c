/* Frames that rotate with the body, so that old coarse matrices stay good while the body moves.
 *
 * The coarse matrices were made at some positions X. Since then the material around a coarse node has rotated by Q, the
 * rotation nearest to
 *
 *   sum over the fine nodes in the cells around it of (x - mean x) (X - mean X)^T.
 *
 * Most of the change of the stiffness is K -> Q K Q^T. The coarse levels therefore work in rotated frames: vectors are
 * multiplied by Q^T on the way down and by Q on the way up. Sometimes no rotation can be found: few nodes, all nodes in
 * a plane, or a cell that is inside out. The frame then stays as it was. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "multigrid.h"

/* Sums over nodes: 1, x, X, x X^T by rows. */
enum { COUNT = 0, NOW = 1, THEN = 4, PRODUCT = 7, SUMS = 16 };

sn_status sn_mg_create_frames(sn_multigrid *mg, sn_error *error) {
    sn_mg_level *fine = &mg->level[0], *coarse = fine + 1;
    const size_t n = (size_t)coarse->nodes;
    coarse->frame = sn_allocate_zero(mg->context, 12 * n, sizeof *coarse->frame);
    mg->taken = sn_allocate_zero(mg->context, 3 * (size_t)fine->nodes, sizeof *mg->taken);
    mg->frame_then = sn_allocate_zero(mg->context, 12 * n, sizeof *mg->frame_then);
    mg->moment = sn_allocate_zero(mg->context, SUMS * n, sizeof *mg->moment);
    return coarse->frame && mg->taken && mg->frame_then && mg->moment ? SN_OK : sn_no_memory(error);
}

void sn_mg_take_frames(sn_multigrid *mg, const double *x) {
    sn_mg_level *coarse = &mg->level[1];
    for (int i = 0; i < coarse->nodes; ++i)
        for (int e = 0; e < 12; ++e) coarse->frame[12 * (int64_t)i + e] = e % 5 == 0;
    mg->framed = x != NULL;
    if (x)
        for (int64_t i = 0; i < mg->level[0].nodes; ++i)
            memcpy(mg->taken + 3 * i, x + 3 * (int64_t)mg->order[i], 3 * sizeof *x);
}

typedef struct frame_job {
    sn_multigrid *mg;
    const double *x;
    int first; /* first of the colour, in color_group */
} frame_job;

/* Adds the sums of a group to those of its parents. */
static void add_group(void *data, int index) {
    const frame_job *job = data;
    const sn_multigrid *mg = job->mg;
    const sn_mg_transfer *d = mg->level[0].down;
    const sn_mg_group *group = &d->group[d->color_group[job->first + index]];
    double sum[SUMS] = {[COUNT] = group->node_end - group->node_begin};
    for (int32_t m = group->node_begin; m < group->node_end; ++m) {
        const int i = d->member[m];
        const double *x = job->x + 3 * (int64_t)mg->order[i], *then = mg->taken + 3 * (int64_t)i;
        for (int a = 0; a < 3; ++a) {
            sum[NOW + a] += x[a], sum[THEN + a] += then[a];
            for (int b = 0; b < 3; ++b) sum[PRODUCT + 3 * a + b] += x[a] * then[b];
        }
    }
    for (int c = 0; c < SN_MG_PARENTS; ++c)
        if (group->parent[c] >= 0)
            for (int s = 0; s < SUMS; ++s) mg->moment[SUMS * (int64_t)group->parent[c] + s] += sum[s];
}

/* The rotation nearest to m, by Newton's iteration (Higham 1986). Returns false when m is too singular to have a clear
 * one. */
static bool nearest_rotation(double m[9]) {
    double size = 0;
    for (int e = 0; e < 9; ++e) size = fmax(size, fabs(m[e]));
    if (!(size > 0) || !isfinite(size)) return false;
    for (int e = 0; e < 9; ++e) m[e] /= size;
    const double determinant = sn_determinant3(m);
    if (!(determinant > 1e-6)) return false;
    const double root = sn_cube_root(determinant);
    for (int e = 0; e < 9; ++e) m[e] /= root;
    for (int k = 0; k < 30; ++k) {
        double inverse[9] = {0}, change = 0;
        sn_inverse3(m, inverse);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                const double step = 0.5 * (inverse[3 * b + a] - m[3 * a + b]), size = fabs(step);
                inverse[3 * b + a] = m[3 * a + b] + step;
                change = size > change ? size : change;
            }
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) m[3 * a + b] = inverse[3 * b + a];
        if (change < 1e-4) return true; /* convergence is quadratic */
    }
    return false;
}

static void turn_node(const frame_job *job, int i) {
    const double *s = job->mg->moment + SUMS * (int64_t)i;
    double m[9];
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) m[3 * a + b] = s[PRODUCT + 3 * a + b] - s[NOW + a] * s[THEN + b] / s[COUNT];
    if (!(s[COUNT] > 0) || !nearest_rotation(m)) return;
    float *frame = job->mg->level[1].frame + 12 * (int64_t)i;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) frame[4 * a + b] = (float)m[3 * b + a]; /* columns */
}

enum { GRAIN = 64 };

static void turn_nodes(void *data, int piece) {
    const frame_job *job = data;
    const int n = job->mg->level[1].nodes;
    for (int64_t i = sn_piece_begin(n, GRAIN, piece); i < sn_piece_begin(n, GRAIN, piece + 1); ++i)
        turn_node(job, (int)i);
}

void sn_mg_turn_frames(sn_multigrid *mg, const double *x) {
    if (!mg->framed || !x) return;
    const sn_mg_transfer *d = mg->level[0].down;
    frame_job job = {mg, x, 0};
    memset(mg->moment, 0, SUMS * (size_t)mg->level[1].nodes * sizeof *mg->moment);
    for (int c = 0; c < d->color_count; ++c) {
        job.first = d->color_begin[c];
        sn_parallel_pieces(mg->context, d->color_begin[c + 1] - d->color_begin[c], add_group, &job);
    }
    sn_parallel_pieces(mg->context, sn_pieces(mg->level[1].nodes, GRAIN), turn_nodes, &job);
}

void sn_mg_note_frames(sn_multigrid *mg) {
    memcpy(mg->frame_then, mg->level[1].frame, 12 * (size_t)mg->level[1].nodes * sizeof *mg->frame_then);
}

float sn_mg_turned(const sn_multigrid *mg) {
    float most = 0;
    for (int64_t i = 0; i < 12 * (int64_t)mg->level[1].nodes; ++i) {
        const float change = fabsf(mg->level[1].frame[i] - mg->frame_then[i]);
        most = change > most ? change : most;
    }
    return most;
}
