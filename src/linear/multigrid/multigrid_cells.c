/* The first coarse matrix from element matrices: 27 blocks per row instead of up to 125.
 *
 * In P^T A P, an element whose nodes lie in different lattice cells couples the corners of all these cells. Here such
 * an element belongs to one cell. Its nodes take their values only from the trilinear function of that cell, which is
 * continued a little beyond the cell:
 *
 *   A' = sum over elements of P_e^T K_e P_e + P^T R P,   R = A - the sum of these K_e.
 *
 * A linear field is the same in all cells, so rigid motions and linear fields stay exact. Every term is positive
 * semidefinite when K_e is. R holds the mass and everything else that acts on nodes.
 *
 * P_e is a poor approximation of P in two cases: a cell has far fewer elements than its neighbours (the surface of the
 * body just reaches into it), or an element is larger than its cell. Such elements stay in R, so they go into the plain
 * Galerkin product.
 *
 * Lists of blocks and a coupled mass may also couple two nodes of an element in a cell. Such a coupling R_ij is treated
 * as an element of two nodes with stiffness S = -R_ij. The remainder R_ii + R_ij stays on the diagonal. */
#include <math.h>
#include <string.h>

#include "linear/matrix/assembly.h"
#include "linear/matrix/filter.h"
#include "multigrid.h"

enum { NODES = SN_ELEMENT_NODES, COLORS = 64 };

static const double own_share = 0.2; /* a group with less than this share of a neighbour's elements is weak */
static const double beyond = 0.7;    /* distance to which the function of a cell is continued, in spacings */

void sn_mg_release_cells(sn_context *context, sn_mg_cells *c) {
    if (!c) return;
    for (int b = 0; c->group && b < c->elements->batch_count; ++b) sn_release(context, c->group[b]);
    void *const array[] = {c->group,       c->edge_group, c->at,         c->cell, c->row_of,
                           c->color_begin, c->chunk,      c->projection, c->sum};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_release(context, c);
}

/* The position of a node relative to the first corner of a cell, in spacings. */
static void in_cell(const sn_mg_cells *c, int32_t node, const int32_t cell[3], double f[3]) {
    for (int a = 0; a < 3; ++a) f[a] = c->at[3 * (int64_t)node + a] - cell[a];
}

/* ---- Set-up ---- */

/* The nodes of one lane of a block. Returns their number; 0 for a padded lane. */
static int element_nodes(const sn_batch *batch, int block, int lane, int32_t node[NODES]) {
    const int nodes = batch->element->nodes;
    if (batch->element_of[(int64_t)block * SN_LANES + lane] < 0) return 0;
    for (int i = 0; i < nodes; ++i) node[i] = batch->node[((int64_t)block * nodes + i) * SN_LANES + lane];
    return nodes;
}

/* Whether the function of a cell may be continued to a node. */
static bool near_cell(const sn_mg_cells *c, int32_t node, const int32_t cell[3]) {
    double f[3];
    in_cell(c, node, cell, f);
    for (int a = 0; a < 3; ++a)
        if (!(f[a] > -beyond && f[a] < 1 + beyond)) return false;
    return true;
}

/* Whether the function of a group can represent the element: it is near enough, and all corners that it needs exist. */
static bool reaches(const sn_mg_cells *c, const sn_mg_transfer *d, int g, int nodes, const int32_t *node) {
    for (int i = 0; i < nodes; ++i) {
        double f[3];
        in_cell(c, node[i], c->cell[g], f);
        if (!near_cell(c, node[i], c->cell[g])) return false;
        for (int k = 0; k < SN_MG_PARENTS; ++k) {
            const double weight = (k & 1 ? f[0] : 1 - f[0]) * (k & 2 ? f[1] : 1 - f[1]) * (k & 4 ? f[2] : 1 - f[2]);
            if (fabs(weight) > 1e-6 && d->group[g].parent[k] < 0) return false;
        }
    }
    return true;
}

/* Among the groups of the element's nodes, the one whose cell is nearest to the element's centre; -1 when none is
 * suitable. */
static int choose_group(const sn_mg_cells *c, const sn_mg_transfer *d, const uint8_t *carried, int nodes,
                        const int32_t *node) {
    double centre[3] = {0}, least = INFINITY;
    for (int i = 0; i < nodes; ++i) {
        if (carried[c->row_of[node[i]]]) return -1;
        for (int a = 0; a < 3; ++a) centre[a] += c->at[3 * (int64_t)node[i] + a] / nodes;
    }
    int best = -1;
    for (int i = 0; i < nodes; ++i) {
        const int g = d->group_of[c->row_of[node[i]]];
        double distance = 0;
        for (int a = 0; a < 3; ++a) {
            const double gap = centre[a] - c->cell[g][a] - 0.5;
            distance += gap * gap;
        }
        if (g != best && distance < least && reaches(c, d, g, nodes, node)) best = g, least = distance;
    }
    return best;
}

typedef void element_visit(void *data, int batch, int64_t place, int nodes, const int32_t *node);

static void for_elements(const sn_elements_model *elements, element_visit *visit, void *data) {
    for (int b = 0; b < elements->batch_count; ++b)
        for (int block = 0; block < elements->batch[b].block_count; ++block)
            for (int l = 0; l < SN_LANES; ++l) {
                int32_t node[NODES];
                const int nodes = element_nodes(&elements->batch[b], block, l, node);
                if (nodes) visit(data, b, (int64_t)block * SN_LANES + l, nodes, node);
            }
}

typedef struct assigning {
    sn_mg_cells *cells;
    const sn_mg_transfer *down;
    const sn_pattern *pattern;
    const uint8_t *carried;
    int32_t *own, *most; /* number of elements: of a group, and of its neighbour with the most */
} assigning;

static void assign_element(void *data, int batch, int64_t place, int nodes, const int32_t *node) {
    const assigning *s = data;
    const sn_mg_cells *c = s->cells;
    const int best = choose_group(c, s->down, s->carried, nodes, node);
    c->group[batch][place] = best;
    if (best >= 0) ++s->own[best];
}

/* Finds the number of elements of the neighbour with the most. */
static void note_neighbours(void *data, int batch, int64_t place, int nodes, const int32_t *node) {
    const assigning *s = data;
    (void)batch, (void)place;
    for (int i = 0; i < nodes; ++i)
        for (int j = 0; j < nodes; ++j) {
            const int g = s->down->group_of[s->cells->row_of[node[i]]],
                      t = s->down->group_of[s->cells->row_of[node[j]]];
            if (s->own[t] > s->most[g]) s->most[g] = s->own[t];
        }
}

/* Elements of weak groups stay in R. */
static void leave_weak(void *data, int batch, int64_t place, int nodes, const int32_t *node) {
    const assigning *s = data;
    for (int i = 0; i < nodes; ++i) {
        const int g = s->down->group_of[s->cells->row_of[node[i]]];
        if (s->own[g] < own_share * s->most[g]) s->cells->group[batch][place] = -1;
    }
}

static sn_status place_cells(sn_context *context, sn_mg_cells *c, const sn_mg_site *site, const sn_mg_transfer *d,
                             sn_error *error) {
    const int nodes = site->level->nodes;
    c->row_of = sn_allocate(context, (size_t)nodes, sizeof *c->row_of);
    c->at = sn_allocate(context, 3 * (size_t)nodes, sizeof *c->at);
    c->cell = sn_allocate(context, (size_t)d->group_count, sizeof *c->cell);
    c->projection = sn_allocate(context, (size_t)nodes, sizeof *c->projection);
    c->sum = sn_allocate_zero(context, (size_t)d->group_count, SN_MG_CELL * sizeof *c->sum);
    if (!c->row_of || !c->at || !c->cell || !c->projection || !c->sum) return sn_no_memory(error);
    for (int i = 0; i < nodes; ++i) {
        const int64_t node = site->order[i];
        c->row_of[node] = i;
        for (int a = 0; a < 3; ++a)
            c->at[3 * node + a] = (site->level->position[3 * i + a] - site->low[a]) / site->spacing[a];
    }
    for (int g = 0; g < d->group_count; ++g)
        memcpy(c->cell[g], site->cell[d->member[d->group[g].node_begin]], sizeof c->cell[g]);
    return SN_OK;
}

static sn_status make_element_groups(sn_context *context, sn_mg_cells *c, sn_error *error) {
    const sn_elements_model *elements = c->elements;
    c->group = sn_allocate_zero(context, (size_t)elements->batch_count + 1, sizeof *c->group);
    if (!c->group) return sn_no_memory(error);
    for (int b = 0; b < elements->batch_count; ++b)
        if (!(c->group[b] =
                  sn_allocate(context, (size_t)elements->batch[b].block_count + 1, SN_LANES * sizeof **c->group)))
            return sn_no_memory(error);
    return SN_OK;
}

enum { FREE = -1, MIXED = -2 };

/* Finds the blocks that only elements in cells fill. */
static void cover_edges(void *data, int batch, int64_t place, int nodes, const int32_t *node) {
    const assigning *s = data;
    const int g = s->cells->group[batch][place];
    for (int i = 0; i < nodes; ++i)
        for (int j = 0; j < nodes; ++j) {
            int32_t *edge = &s->cells->edge_group[sn_pattern_find(s->pattern, node[i], node[j])];
            if (g < 0 || i == j)
                *edge = MIXED;
            else if (*edge == FREE)
                *edge = g;
        }
}

/* Colours the chunks of elements. Chunks of one colour share neither a node nor a group. */
static sn_status color_chunks(sn_context *context, sn_mg_cells *c, int groups, sn_error *error) {
    const sn_elements_model *elements = c->elements;
    uint64_t *node_taken = sn_allocate_zero(context, (size_t)elements->node_count, sizeof *node_taken);
    uint64_t *group_taken = sn_allocate_zero(context, (size_t)groups, sizeof *group_taken);
    int32_t *color = sn_allocate(context, (size_t)elements->chunk_count + 1, sizeof *color);
    c->chunk = sn_allocate(context, (size_t)elements->chunk_count + 1, sizeof *c->chunk);
    c->color_begin = sn_allocate_zero(context, (size_t)elements->chunk_count + COLORS + 2, sizeof *c->color_begin);
    const bool fine = node_taken && group_taken && color && c->chunk && c->color_begin;
    int colors = COLORS;
    for (int k = 0; k < elements->chunk_count && fine; ++k) {
        const sn_chunk *chunk = &elements->chunk[k];
        const sn_batch *batch = &elements->batch[chunk->batch];
        uint64_t used = 0;
        for (int pass = 0; pass < 2; ++pass) {
            const uint64_t own = ~used ? ~used & -~used : 0; /* the lowest free colour */
            if (pass) color[k] = own ? __builtin_ctzll(own) : colors++;
            for (int block = chunk->block_begin; block < chunk->block_end; ++block)
                for (int l = 0; l < SN_LANES; ++l) {
                    int32_t node[NODES];
                    const int nodes = element_nodes(batch, block, l, node),
                              g = c->group[chunk->batch][(int64_t)block * SN_LANES + l];
                    if (!nodes || g < 0) continue;
                    for (int i = 0; i < nodes && !pass; ++i) used |= node_taken[node[i]];
                    for (int i = 0; i < nodes && pass; ++i) node_taken[node[i]] |= own;
                    if (pass)
                        group_taken[g] |= own;
                    else
                        used |= group_taken[g];
                }
        }
    }
    if (fine) {
        c->color_count = colors;
        for (int k = 0; k < elements->chunk_count; ++k) ++c->color_begin[color[k] + 1];
        for (int i = 0; i < colors; ++i) c->color_begin[i + 1] += c->color_begin[i];
        for (int k = elements->chunk_count - 1; k >= 0; --k) c->chunk[--c->color_begin[color[k] + 1]] = k;
        memmove(c->color_begin, c->color_begin + 1, (size_t)colors * sizeof *c->color_begin);
        c->color_begin[colors] = elements->chunk_count;
    }
    sn_release(context, node_taken);
    sn_release(context, group_taken);
    sn_release(context, color);
    return fine ? SN_OK : sn_no_memory(error);
}

sn_status sn_mg_assign_cells(sn_context *context, const sn_mg_site *site, sn_mg_transfer *d, sn_error *error) {
    const sn_elements_model *elements = site->elements;
    sn_mg_cells *c = d->cells = sn_allocate_zero(context, 1, sizeof *c);
    if (!c) return sn_no_memory(error);
    c->elements = elements;
    sn_status status = place_cells(context, c, site, d, error);
    if (!status) status = make_element_groups(context, c, error);
    if (status) return status;
    c->edge_group = sn_allocate(context, (size_t)site->pattern->block_count, sizeof *c->edge_group);
    int32_t *count = sn_allocate_zero(context, 2 * (size_t)d->group_count, sizeof *count);
    if (!c->edge_group || !count) {
        sn_release(context, count);
        return sn_no_memory(error);
    }
    for (int64_t k = 0; k < site->pattern->block_count; ++k) c->edge_group[k] = FREE;
    assigning s = {c, d, site->pattern, site->carried, count, count + d->group_count};
    for_elements(elements, assign_element, &s);
    for_elements(elements, note_neighbours, &s);
    for_elements(elements, leave_weak, &s);
    for_elements(elements, cover_edges, &s);
    for (int64_t k = 0; k < site->pattern->block_count; ++k)
        if (c->edge_group[k] == MIXED) c->edge_group[k] = FREE;
    sn_release(context, count);
    return color_chunks(context, c, d->group_count, error);
}

/* ---- Values ---- */

typedef struct cells_job {
    const sn_mg_cells *cells;
    const sn_assembly *assembly;
    const sn_filter *filter;
    const sn_mg_kernels *kernels;
    float *value;
    bool listed; /* there is more than elements and a lumped mass: all of R counts */
    int first;
} cells_job;

/* m <- S m, or m S, for one lane of a column-major block; symmetric S. */
static void project_lane(double *m, const double *s, bool right) {
    double out[9];
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
            double sum = 0;
            for (int k = 0; k < 3; ++k)
                sum += right ? m[(3 * k + r) * SN_LANES] * s[3 * c + k] : s[3 * r + k] * m[(3 * c + k) * SN_LANES];
            out[3 * c + r] = sum;
        }
    for (int e = 0; e < 9; ++e) m[e * SN_LANES] = out[e];
}

/* The blocks i <= j of S K S. */
static void filter_element(const cells_job *job, int nodes, const int32_t *node, double *matrix) {
    for (int i = 0; i < nodes; ++i) {
        const int32_t f = job->cells->projection[node[i]];
        if (f < 0) continue;
        const double *s = job->filter->projection + 9 * (int64_t)f;
        for (int j = i; j < nodes; ++j) project_lane(matrix + (int64_t)(i * nodes + j) * 9 * SN_LANES, s, false);
        for (int j = 0; j <= i; ++j) project_lane(matrix + (int64_t)(j * nodes + i) * 9 * SN_LANES, s, true);
    }
}

/* Subtracts the blocks i <= j from the fine matrix. */
static void subtract_element(const cells_job *job, int nodes, const int32_t *place, const double *matrix) {
    const sn_mg_cells *c = job->cells;
    const int32_t *mirror = job->assembly->mass->pattern->mirror;
    for (int i = 0; i < nodes; ++i)
        for (int j = i; j < nodes; ++j, place += SN_LANES) {
            if (c->edge_group[*place] >= 0 && !job->listed) continue;
            const double *block = matrix + (int64_t)(i * nodes + j) * 9 * SN_LANES;
            float *to = job->value + 9 * (int64_t)*place, *back = job->value + 9 * (int64_t)mirror[*place];
            for (int e = 0; e < 9; ++e) to[e] -= (float)block[e * SN_LANES];
            for (int e = 0; e < 9 && i != j; ++e) back[3 * (e % 3) + e / 3] -= (float)block[e * SN_LANES];
        }
}

/* The symmetric part of a full element matrix, written to its upper blocks. */
static void symmetrise(int nodes, double *matrix) {
    for (int i = 0; i < nodes; ++i)
        for (int j = i; j < nodes; ++j)
            for (int e = 0; e < 9; ++e)
                for (int l = 0; l < SN_LANES; ++l) {
                    const int turned = 3 * (e % 3) + e / 3;
                    double *upper = matrix + ((int64_t)(i * nodes + j) * 9 + e) * SN_LANES + l;
                    double *lower = matrix + ((int64_t)(j * nodes + i) * 9 + turned) * SN_LANES + l;
                    *upper = *lower = 0.5 * (*upper + *lower);
                }
}

static void sum_chunk(void *data, int index) {
    const cells_job *job = data;
    const sn_mg_cells *c = job->cells;
    const sn_assembly *a = job->assembly;
    const sn_chunk *chunk = &c->elements->chunk[c->chunk[job->first + index]];
    const sn_batch *batch = &c->elements->batch[chunk->batch];
    const int nodes = batch->element->nodes, pairs = nodes * (nodes + 1) / 2;
    _Alignas(64) double matrix[NODES * NODES * 9 * SN_LANES];
    for (int block = chunk->block_begin; block < chunk->block_end; ++block) {
        const int32_t *group = c->group[chunk->batch] + (int64_t)block * SN_LANES;
        const int32_t *place = a->map->place[chunk->batch] + (int64_t)block * pairs * SN_LANES;
        batch->kernels->stiffness(batch, block, a->view, a->k, a->d, !a->view->unsymmetric, NULL, matrix);
        if (a->view->unsymmetric) symmetrise(nodes, matrix);
        for (int l = 0; l < SN_LANES; ++l) {
            int32_t node[NODES];
            double f[NODES][3];
            if (!element_nodes(batch, block, l, node) || group[l] < 0) continue;
            for (int i = 0; i < nodes; ++i) in_cell(c, node[i], c->cell[group[l]], f[i]);
            filter_element(job, nodes, node, matrix + l);
            subtract_element(job, nodes, place + l, matrix + l);
            job->kernels->cell(nodes, matrix + l, (const double(*)[3])f, c->sum + SN_MG_CELL * (int64_t)group[l]);
        }
    }
}

/* Treats the remaining coupling between two nodes of an element as an element of two nodes. The remainder goes to the
 * diagonals. */
static void sum_edges(const cells_job *job) {
    const sn_mg_cells *c = job->cells;
    const sn_pattern *pattern = job->assembly->mass->pattern;
    for (int i = 0; i < pattern->nodes; ++i)
        for (int32_t k = pattern->diagonal[i] + 1; k < pattern->row_begin[i + 1]; ++k) {
            const int g = c->edge_group[k], j = pattern->column[k];
            if (g < 0) continue;
            float *own = job->value + 9 * (int64_t)pattern->diagonal[i],
                  *other = job->value + 9 * (int64_t)pattern->diagonal[j];
            double f[2][3], matrix[4 * 9 * SN_LANES] = {0};
            for (int e = 0; e < 9; ++e) {
                const int turned = 3 * (e % 3) + e / 3;
                const double s =
                    0.5 * ((double)job->value[9 * (int64_t)k + e] + (double)job->value[9 * (int64_t)k + turned]);
                matrix[e * SN_LANES] = matrix[(27 + e) * SN_LANES] = -s;
                matrix[(9 + e) * SN_LANES] = s;
                own[e] += (float)s, other[e] += (float)s;
            }
            in_cell(c, i, c->cell[g], f[0]);
            in_cell(c, j, c->cell[g], f[1]);
            job->kernels->cell(2, matrix, (const double(*)[3])f, c->sum + SN_MG_CELL * (int64_t)g);
        }
}

void sn_mg_sum_cells(const sn_context *context, const sn_mg_transfer *d, const sn_assembly *a, const sn_filter *filter,
                     float *value) {
    sn_mg_cells *c = d->cells;
    cells_job job = {.cells = c,
                     .assembly = a,
                     .filter = filter,
                     .kernels = sn_mg_kernels_for(context),
                     .value = value,
                     .listed = a->mass->coupled || (a->stiffness && a->stiffness->count) ||
                               (a->damping && a->damping->count)};
    memset(c->sum, 0, (size_t)d->group_count * SN_MG_CELL * sizeof *c->sum);
    for (int i = 0; i < c->elements->node_count; ++i) c->projection[i] = -1;
    for (int f = 0; filter && f < filter->count; ++f) c->projection[filter->node[f]] = f;
    for (int k = 0; k < c->color_count && (a->k != 0 || a->d != 0); ++k) {
        job.first = c->color_begin[k];
        sn_parallel(context, c->color_begin[k + 1] - job.first, sum_chunk, &job);
    }
    if (job.listed) sum_edges(&job);
}
