/* See volume.h. */
#include "volume.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

enum { GRAIN = 8, POWERS = 8 }; /* blocks that a thread takes at a time; steps of the power iteration */

/* S = B A'^-1 B^T + D^-1 of an incompressible body has about the eigenvalues 1 / (SCHUR s t): the soft share s t of the
 * volume, and a part for the shear. Measured best between 1 and 2. */
#define SCHUR 1.4
/* Below this soft share `auto` takes pressures as unknowns: Poisson's ratio 0.495. */
#define PAY 0.07

sn_status sn_volumes_create(sn_context *context, const sn_patches *patches, sn_volumes *volumes, sn_error *error) {
    const size_t count = (size_t)patches->block_count * SN_LANES, entries = (size_t)patches->begin[count];
    *volumes = (sn_volumes){.patches = patches, .count = (int)count};
    volumes->row = sn_allocate_zero(context, 3 * entries + 1, sizeof(double));
    volumes->column = sn_allocate_zero(context, 3 * entries + 1, sizeof(double));
    volumes->compliance = sn_allocate_zero(context, count, sizeof(double));
    volumes->schur = sn_allocate_zero(context, count, sizeof(double));
    if (volumes->row && volumes->column && volumes->compliance && volumes->schur) return SN_OK;
    sn_volumes_release(context, volumes);
    return sn_no_memory(error);
}

void sn_volumes_release(sn_context *context, sn_volumes *volumes) {
    sn_release(context, volumes->row);
    sn_release(context, volumes->column);
    sn_release(context, volumes->compliance);
    sn_release(context, volumes->schur);
    *volumes = (sn_volumes){0};
}

/* ---- Dividing the tangents ---- */
typedef struct division {
    sn_volumes *volumes;
    const sn_element_settings *settings;
    int first; /* batch of the settings that belongs to the first batch of patches */
    const double *tangent;
    double *rest;
} division;

/* The largest eigenvalue of T (rows of 9, a lane of a block) and its eigenvector N, by power iteration from the column
 * with the largest diagonal entry. Its accuracy decides only how much of the volume stays in T'. */
static double largest_mode(const double *T, double N[9]) {
    int most = 0;
    double value = 0;
    for (int i = 1; i < 9; ++i)
        if (T[10 * i * SN_LANES] > T[10 * most * SN_LANES]) most = i;
    for (int i = 0; i < 9; ++i) N[i] = i == most;
    for (int step = 0; step <= POWERS; ++step) {
        double image[9], square = 0;
        value = 0;
        for (int i = 0; i < 9; ++i) {
            image[i] = 0;
            for (int j = 0; j < 9; ++j) image[i] += T[(9 * i + j) * SN_LANES] * N[j];
            value += N[i] * image[i], square += image[i] * image[i];
        }
        if (!(square > 0) || !isfinite(square)) return 0;
        for (int i = 0; i < 9 && step < POWERS; ++i) N[i] = image[i] / sqrt(square);
    }
    return value;
}

/* The rows of patch a for the mode N and the stiffness D; `soft` is the stiffness that stays. */
static void set_row(sn_volumes *v, int a, const double N[9], double D, double soft) {
    const sn_patches *p = v->patches;
    double square = 0;
    for (int64_t k = p->begin[a]; k < p->begin[a + 1]; ++k) {
        const double *g = p->gradient + 3 * k;
        for (int i = 0; i < 3; ++i) {
            v->row[3 * k + i] = D > 0 ? N[3 * i] * g[0] + N[3 * i + 1] * g[1] + N[3 * i + 2] * g[2] : 0;
            square += v->row[3 * k + i] * v->row[3 * k + i];
        }
    }
    const double scale = D * sqrt(square);
    v->compliance[a] = v->schur[a] = 1;
    if (!(scale > 0)) return;
    for (int64_t k = 3 * p->begin[a]; k < 3 * p->begin[a + 1]; ++k) v->row[k] *= scale;
    v->compliance[a] = scale * scale / D;
    v->schur[a] = scale * scale * (1 / (SCHUR * soft) + 1 / D);
}

static void divide_blocks(void *data, int piece) {
    const division *d = data;
    const sn_patches *p = d->volumes->patches;
    for (int b = piece * GRAIN; b < (piece + 1) * GRAIN && b < p->block_count; ++b) {
        const double *share = d->settings->batch[d->first + p->batch_of[b]].soft + (int64_t)p->block_in[b] * SN_LANES;
        const int64_t at = (int64_t)b * 81 * SN_LANES;
        if (d->rest != d->tangent) memcpy(d->rest + at, d->tangent + at, 81 * SN_LANES * sizeof(double));
        for (int lane = 0; lane < SN_LANES; ++lane) {
            double *T = d->rest + at + lane, N[9];
            const double most = largest_mode(T, N), D = most > 0 ? (1 - share[lane]) * most : 0;
            set_row(d->volumes, b * SN_LANES + lane, N, D, share[lane] * most);
            for (int i = 0; i < 81 && D > 0; ++i) T[i * SN_LANES] -= D * (N[i / 9] * N[i % 9]);
        }
    }
}

static void order_piece(void *data, int piece) {
    const sn_volumes *v = data;
    const sn_patches *p = v->patches;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < p->node_count ? begin + SN_PIECE_NODES : p->node_count;
    for (int64_t k = p->row_begin[begin]; k < p->row_begin[end]; ++k)
        memcpy(v->column + 3 * k, v->row + 3 * p->row_entry[k], 3 * sizeof *v->column);
}

void sn_volumes_order(const sn_context *context, sn_volumes *volumes) {
    sn_parallel_pieces(context, sn_pieces(volumes->patches->node_count, SN_PIECE_NODES), order_piece, volumes);
}

void sn_volumes_divide(const sn_context *context, sn_volumes *volumes, const sn_element_settings *settings,
                       const double *tangent, double *rest) {
    division d = {.volumes = volumes,
                  .settings = settings,
                  .first = settings->batch_count - volumes->patches->batch_count,
                  .tangent = tangent,
                  .rest = rest};
    sn_parallel_pieces(context, sn_pieces(volumes->patches->block_count, GRAIN), divide_blocks, &d);
    sn_volumes_order(context, volumes);
}

bool sn_volumes_pay(const sn_elements_model *elements, const sn_element_settings *settings) {
    const sn_patches *p = elements->patches;
    for (int b = 0; p && b < p->batch_count; ++b) {
        const double *share = settings->batch[elements->batch_count + b].soft;
        for (int64_t n = 0; n < (int64_t)p->batch[b].block_count * SN_LANES; ++n)
            if (share[n] < PAY && p->batch[b].element->patches == 1) return true;
    }
    return false;
}

/* ---- Products ---- */
typedef struct product {
    const sn_volumes *volumes;
    double sign;
    const double *u, *p;
    double *out;
} product;

static void measure_piece(void *data, int piece) {
    const product *w = data;
    const sn_patches *p = w->volumes->patches;
    const int grain = GRAIN * SN_LANES;
    for (int a = piece * grain; a < (piece + 1) * grain && a < w->volumes->count; ++a) {
        double sum = w->p ? -w->volumes->compliance[a] * w->p[a] : 0;
        for (int64_t k = p->begin[a]; k < p->begin[a + 1]; ++k) {
            const double *row = w->volumes->row + 3 * k, *u = w->u + 3 * (int64_t)p->node[k];
            sum += row[0] * u[0] + row[1] * u[1] + row[2] * u[2];
        }
        w->out[a] = sum;
    }
}

void sn_volumes_measure(const sn_context *context, const sn_volumes *volumes, const double *u, const double *p,
                        double *out) {
    product w = {.volumes = volumes, .u = u, .p = p, .out = out};
    sn_parallel_pieces(context, sn_pieces(volumes->count, GRAIN * SN_LANES), measure_piece, &w);
}

static void spread_piece(void *data, int piece) {
    const product *w = data;
    const sn_patches *p = w->volumes->patches;
    for (int i = piece * SN_PIECE_NODES; i < (piece + 1) * SN_PIECE_NODES && i < p->node_count; ++i) {
        double total[3] = {0};
        for (int64_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k) {
            const double *column = w->volumes->column + 3 * k, pressure = w->p[p->row_patch[k]];
            for (int a = 0; a < 3; ++a) total[a] += column[a] * pressure;
        }
        for (int a = 0; a < 3; ++a) w->out[3 * (int64_t)i + a] += w->sign * total[a];
    }
}

void sn_volumes_spread(const sn_context *context, const sn_volumes *volumes, double sign, const double *p, double *f) {
    product w = {.volumes = volumes, .sign = sign, .p = p, .out = f};
    sn_parallel_pieces(context, sn_pieces(volumes->patches->node_count, SN_PIECE_NODES), spread_piece, &w);
}
