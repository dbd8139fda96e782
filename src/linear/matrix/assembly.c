/* Assembly of the matrix in five sweeps:
 *   1. The mass goes into an otherwise empty matrix.
 *   2. The elements are added colour by colour; chunks of one colour run in parallel.
 *   3. The two triangles are summed (kernel/scatter_kernel.c).
 *   4. The patches of elements that do not lock are added row by row (fem/patch.h).
 *   5. The listed blocks are added one after the other. Blocks without a place in the pattern are left to coupling.h.
 * When assembly by edges is possible (edges.h), the first three sweeps become two: the off-diagonal blocks, then the
 * diagonal with the mass. Every entry is summed in a fixed order, independent of the number of threads.
 *
 * Unsymmetric batches write all their blocks to their places. The matrix is then not mirrored, and the symmetric
 * batches write both triangles. */
#include "assembly.h"

#include <math.h>
#include <string.h>

#include "fem/patch.h"
#include "kernels.h"
#include "volume.h"

enum { ELEMENT_BLOCKS = SN_ELEMENT_NODES * SN_ELEMENT_NODES, LARGE = 400000 };

/* ---- Scatter map ---- */
void sn_scatter_map_release(sn_context *context, sn_scatter_map *map) {
    for (int b = 0; map->place && b < map->batch_count; ++b) sn_release(context, map->place[b]);
    sn_release(context, map->place);
    *map = (sn_scatter_map){0};
}

/* The place of the block (row, column). old: its place before; -1: unknown. A row that was taken over has only moved.
 */
static int32_t moved_place(const sn_pattern *pattern, const sn_kept_rows *kept, int32_t old, int32_t row,
                           int32_t column) {
    return old >= 0 && kept->row[row] >= 0 ? old - kept->before->row_begin[kept->row[row]] + pattern->row_begin[row]
                                           : sn_pattern_find(pattern, row, column);
}

/* Derived elements have numbers of their own, and no place before. */
static void fill_places(const sn_batch *batch, const sn_pattern *pattern, const sn_kept_rows *kept, int32_t *place) {
    if (batch->element->derive) kept = NULL;
    const int nodes = batch->element->nodes, pairs = nodes * (nodes + 1) / 2;
    const int64_t lanes_mask = ((int64_t)1 << 40) - 1;
    for (int block = 0; block < batch->block_count; ++block, place += pairs * SN_LANES)
        for (int l = 0; l < SN_LANES; ++l) {
            const int32_t *node = batch->node + (int64_t)block * nodes * SN_LANES + l;
            const int32_t element = batch->element_of[(int64_t)block * SN_LANES + l];
            const int64_t before = kept && element >= 0 ? kept->place[element] : -1, lanes = before & lanes_mask;
            const int32_t *old =
                before < 0 ? NULL
                           : kept->map->place[before >> 40] + lanes / SN_LANES * pairs * SN_LANES + lanes % SN_LANES;
            for (int i = 0, k = 0; i < nodes; ++i)
                for (int j = i; j < nodes; ++j, k += SN_LANES)
                    place[k + l] = element < 0 ? -1
                                               : moved_place(pattern, kept, old ? old[k] : -1, node[i * SN_LANES],
                                                             node[j * SN_LANES]);
        }
}

sn_status sn_scatter_map_create(sn_context *context, const sn_elements_model *elements, const sn_pattern *pattern,
                                const sn_kept_rows *kept, sn_scatter_map *map, sn_error *error) {
    *map = (sn_scatter_map){.batch_count = elements->batch_count};
    map->place = sn_allocate_zero(context, (size_t)elements->batch_count, sizeof *map->place);
    if (!map->place) return sn_no_memory(error);
    for (int b = 0; b < elements->batch_count; ++b) {
        const sn_batch *batch = &elements->batch[b];
        const int nodes = batch->element->nodes, pairs = nodes * (nodes + 1) / 2;
        map->place[b] = sn_allocate(context, (size_t)batch->block_count * (size_t)pairs, SN_LANES * sizeof(int32_t));
        if (!map->place[b]) {
            sn_scatter_map_release(context, map);
            return sn_no_memory(error);
        }
        fill_places(batch, pattern, kept, map->place[b]);
    }
    return SN_OK;
}

/* ---- The sweeps ---- */
typedef struct sweep {
    const sn_assembly *assembly;
    const sn_matrix *matrix;
    const sn_linear_kernels *kernels;
    bool symmetric;
    bool large;            /* the matrix does not fit into a cache near the core */
    bool edges;            /* the off-diagonal blocks are filled already */
    int first;             /* first chunk of the colour */
    double *diagonal;      /* output, when only the diagonal blocks are wanted */
    const double *tangent; /* of the patches */
} sweep;

static double *value_double(const sn_matrix *matrix, int64_t block) { return matrix->double_ + 9 * block; }
static float *value_single(const sn_matrix *matrix, int64_t block) { return matrix->single_ + 9 * block; }

static void add_scaled_identity(const sn_matrix *matrix, int64_t block, double s) {
    for (int i = 0; i < 9; i += 4) {
        if (matrix->single_)
            value_single(matrix, block)[i] += (float)s;
        else
            value_double(matrix, block)[i] += s;
    }
}

/* Sets the start values of the rows. */
static void begin_rows(const sweep *s, int begin, int end) {
    const sn_pattern *pattern = s->matrix->pattern;
    const int64_t first = pattern->row_begin[begin], count = pattern->row_begin[end] - first;
    if (s->edges)
        sn_edges_diagonal(s->assembly->context, pattern, begin, end, s->matrix->single_);
    else if (s->matrix->single_)
        memset(value_single(s->matrix, first), 0, (size_t)count * 9 * sizeof(float));
    else
        memset(value_double(s->matrix, first), 0, (size_t)count * 9 * sizeof(double));
}

static void mass_piece(void *data, int piece) {
    const sweep *s = data;
    const sn_assembly *a = s->assembly;
    const sn_pattern *pattern = s->matrix->pattern;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < pattern->nodes ? begin + SN_PIECE_NODES : pattern->nodes;
    begin_rows(s, begin, end);
    for (int i = begin; i < end; ++i) {
        const double own = a->rayleigh_mass ? a->rayleigh_mass[i] : 0;
        if (!a->mass->coupled) {
            add_scaled_identity(s->matrix, pattern->diagonal[i], (a->m + a->d * own) * a->mass->lumped[i]);
            continue;
        }
        /* `mirror` adds the two triangles, so only the upper one gets the mass. */
        for (int32_t k = s->symmetric && !s->edges ? pattern->diagonal[i] : pattern->row_begin[i];
             k < pattern->row_begin[i + 1]; ++k) {
            const double other = a->rayleigh_mass ? a->rayleigh_mass[pattern->column[k]] : 0;
            add_scaled_identity(s->matrix, k, (a->m + a->d * 0.5 * (own + other)) * a->mass->coupled[k]);
        }
    }
}

/* Adds all blocks of one block of elements, in both triangles. `full`: the lower blocks of the element matrices are
 * filled. */
static void scatter_all(const sweep *s, int nodes, bool full, const double *in, const int32_t *place) {
    for (int i = 0; i < nodes; ++i)
        for (int j = i; j < nodes; ++j, place += SN_LANES)
            for (int l = 0; l < SN_LANES; ++l) {
                if (place[l] < 0) continue;
                const double *upper = in + (int64_t)(i * nodes + j) * 9 * SN_LANES + l,
                             *lower = in + (int64_t)(j * nodes + i) * 9 * SN_LANES + l;
                const int64_t there = place[l], back = s->matrix->pattern->mirror[there];
                for (int k = 0; k < 9; ++k) {
                    const int turned = 3 * (k % 3) + k / 3;
                    const double a = upper[k * SN_LANES], b = full ? lower[k * SN_LANES] : upper[turned * SN_LANES];
                    if (s->matrix->single_) {
                        value_single(s->matrix, there)[k] += (float)a;
                        if (i != j) value_single(s->matrix, back)[k] += (float)b;
                    } else {
                        value_double(s->matrix, there)[k] += a;
                        if (i != j) value_double(s->matrix, back)[k] += b;
                    }
                }
            }
}

static void element_chunk(void *data, int index) {
    const sweep *s = data;
    const sn_assembly *a = s->assembly;
    const sn_chunk *chunk = &a->elements->chunk[s->first + index];
    const sn_batch *batch = &a->elements->batch[chunk->batch];
    const int nodes = batch->element->nodes, pairs = nodes * (nodes + 1) / 2;
    _Alignas(64) double matrix[ELEMENT_BLOCKS * 9 * SN_LANES];
    for (int block = chunk->block_begin; block < chunk->block_end; ++block) {
        const int32_t *place = a->map->place[chunk->batch] + (int64_t)block * pairs * SN_LANES;
        if (s->large) /* prefetch: computing the element matrices takes about as long as the memory access */
            for (int p = 0; p < pairs * SN_LANES; ++p)
                __builtin_prefetch(s->matrix->single_ + 9 * (int64_t)place[p] + 4, 1);
        batch->kernels->stiffness(batch, block, a->view, a->k, a->d, !a->view->unsymmetric, a->linearised, matrix);
        if (!s->symmetric)
            scatter_all(s, nodes, a->view->unsymmetric, matrix, place);
        else if (s->matrix->single_)
            s->kernels->scatter_single(nodes, matrix, place, s->matrix->single_);
        else
            s->kernels->scatter_double(nodes, matrix, place, s->matrix->double_);
    }
}

static void mirror_piece(void *data, int piece) {
    const sweep *s = data;
    const sn_pattern *pattern = s->matrix->pattern;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < pattern->nodes ? begin + SN_PIECE_NODES : pattern->nodes;
    if (s->matrix->single_)
        s->kernels->mirror_single(pattern, s->matrix->single_, begin, end);
    else
        s->kernels->mirror_double(pattern, s->matrix->double_, begin, end);
}

/* ---- Patches ---- */
/* The tangents of all patches, in the linearised elements or in the scratch of the settings. Those without their
 * volumes are always in the scratch, because products with the linearised elements need the whole ones. */
static const double *patch_tangents(const sn_assembly *a) {
    double *tangent =
        a->linearised ? a->linearised + a->elements->patches->linearised : a->view->settings->patch_tangent;
    sn_patches_linearise(a->context, a->elements, a->view, a->k, a->d, tangent);
    if (!a->volumes) return tangent;
    double *rest = a->view->settings->patch_tangent;
    sn_volumes_divide(a->context, a->volumes, a->view->settings, tangent, rest);
    return rest;
}

/* T[9 row + b] = sum_l g_l A[3 row + l][b]: what row i of a patch sees of its tangent. */
static void turn_tangent(const double *tangent, int patch, const double g[3], double T[27]) {
    const double *A = tangent + (int64_t)(patch / SN_LANES) * 81 * SN_LANES + patch % SN_LANES;
    for (int row = 0; row < 3; ++row)
        for (int b = 0; b < 9; ++b)
            T[9 * row + b] = g[0] * A[(9 * (3 * row) + b) * SN_LANES] + g[1] * A[(9 * (3 * row + 1) + b) * SN_LANES] +
                             g[2] * A[(9 * (3 * row + 2) + b) * SN_LANES];
}

/* Number e of the block (i, j), column-major, with g of node j. */
static inline double patch_entry(const double T[27], const double g[3], int e) {
    const double *t = T + 9 * (e % 3) + 3 * (e / 3);
    return t[0] * g[0] + t[1] * g[1] + t[2] * g[2];
}

/* The rows of a piece: each patch around a node adds a row of blocks. Columns ascend in the matrix and in a patch. */
static void patch_rows(void *data, int piece) {
    const sweep *s = data;
    const sn_patches *p = s->assembly->elements->patches;
    const sn_pattern *pattern = s->matrix->pattern;
    for (int i = piece * SN_PIECE_NODES; i < (piece + 1) * SN_PIECE_NODES && i < p->node_count; ++i)
        for (int64_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k) {
            double T[27];
            turn_tangent(s->tangent, p->row_patch[k], p->gradient + 3 * p->row_entry[k], T);
            int64_t place = pattern->row_begin[i];
            for (int64_t n = p->begin[p->row_patch[k]]; n < p->begin[p->row_patch[k] + 1]; ++n) {
                while (pattern->column[place] < p->node[n]) ++place;
                for (int e = 0; e < 9; ++e) {
                    const double a = patch_entry(T, p->gradient + 3 * n, e);
                    if (s->matrix->single_)
                        value_single(s->matrix, place)[e] += (float)a;
                    else
                        value_double(s->matrix, place)[e] += a;
                }
            }
        }
}

static double entry(const sn_matrix *matrix, int64_t block, int k) {
    return matrix->single_ ? (double)value_single(matrix, block)[k] : value_double(matrix, block)[k];
}

static void load(const sn_matrix *matrix, int64_t block, double value[9]) {
    if (matrix->single_)
        for (int k = 0; k < 9; ++k) value[k] = (double)value_single(matrix, block)[k];
    else
        memcpy(value, value_double(matrix, block), 9 * sizeof *value);
}

/* Most listed blocks belong to one node: contacts. */
static int32_t place_of(const sn_pattern *pattern, int32_t row, int32_t column) {
    return row == column ? pattern->diagonal[row] : sn_pattern_find(pattern, row, column);
}

/* How many blocks of a list count. */
static int count_of(const sn_block_list *list, double factor) { return list && factor != 0 ? list->count : 0; }

/* Adds the blocks of a list that have a place. */
static void add_list(const sn_matrix *matrix, const sn_block_list *list, const int32_t *at, double factor) {
    for (int i = 0; i < count_of(list, factor); ++i) {
        const int64_t place = at ? at[i] : place_of(matrix->pattern, list->row[i], list->column[i]);
        if (place < 0) continue;
        for (int k = 0; k < 9; ++k) {
            if (matrix->single_)
                value_single(matrix, place)[k] += (float)(factor * list->value[9 * (int64_t)i + k]);
            else
                value_double(matrix, place)[k] += factor * list->value[9 * (int64_t)i + k];
        }
    }
}

/* Whether a block of a list is the mirror of the one before: contacts list their blocks in such pairs. */
static bool is_mirror(const sn_block_list *list, int i) {
    return i > 0 && list->row[i] == list->column[i - 1] && list->column[i] == list->row[i - 1];
}

/* Whether the blocks that a list touched still equal their mirrors up to rounding. */
static bool list_symmetric(const sn_matrix *matrix, const sn_block_list *list, const int32_t *at, double factor) {
    const double slack = matrix->single_ ? 1e-5 : 1e-12;
    for (int i = 0; i < count_of(list, factor); ++i) {
        if (is_mirror(list, i)) continue; /* looked at from the other side */
        const int64_t place = at ? at[i] : place_of(matrix->pattern, list->row[i], list->column[i]);
        if (place < 0) continue;
        double here[9], there[9], size = 0, gap = 0;
        bool equal = true; /* most are, to the last bit */
        load(matrix, place, here);
        load(matrix, matrix->pattern->mirror[place], there);
        for (int k = 0; k < 9; ++k) equal = equal & (here[k] == there[3 * (k % 3) + k / 3]);
        if (equal) continue;
        for (int k = 0; k < 9; ++k) {
            const double a = here[k], b = there[3 * (k % 3) + k / 3];
            const double most = fabs(a) > fabs(b) ? fabs(a) : fabs(b), apart = fabs(a - b);
            size = most > size ? most : size; /* no fmax: it is a call, and this runs for every contact */
            gap = apart > gap ? apart : gap;
        }
        if (gap > slack * size) return false;
    }
    return true;
}

bool sn_assemble_elements(const sn_assembly *a, const sn_matrix *matrix) {
    const int pieces = sn_pieces(matrix->pattern->nodes, SN_PIECE_NODES);
    sweep s = {.assembly = a, .matrix = matrix, .kernels = sn_linear_kernels_for(a->context)};
    s.symmetric = !a->view->unsymmetric;
    s.large = matrix->single_ && matrix->pattern->block_count > LARGE;
    s.edges = a->edges &&
              sn_edges_assemble(a->context, a->edges, a->elements, a->linearised, matrix->pattern, matrix->single_);
    if (!s.edges && !a->map->place) return false;
    sn_parallel_pieces(a->context, pieces, mass_piece, &s);
    for (int c = 0; c < a->elements->color_count && (a->k != 0 || a->d != 0) && !s.edges; ++c) {
        s.first = a->elements->color_begin[c];
        sn_parallel_pieces(a->context, a->elements->color_begin[c + 1] - s.first, element_chunk, &s);
    }
    if (s.symmetric && !s.edges) sn_parallel_pieces(a->context, pieces, mirror_piece, &s);
    if (a->patches && (a->k != 0 || a->d != 0)) {
        s.tangent = patch_tangents(a);
        sn_parallel_pieces(a->context, pieces, patch_rows, &s);
    }
    return true;
}

void sn_assemble_lists(const sn_assembly *a, const sn_matrix *matrix, const int32_t *place, bool *symmetric) {
    const int32_t *after = place ? place + count_of(a->stiffness, a->k) : NULL;
    add_list(matrix, a->stiffness, place, a->k);
    add_list(matrix, a->damping, after, a->d);
    *symmetric = !a->view->unsymmetric && list_symmetric(matrix, a->stiffness, place, a->k) &&
                 list_symmetric(matrix, a->damping, after, a->d);
}

void sn_assemble(const sn_assembly *a, const sn_matrix *matrix, bool *symmetric) {
    sn_assemble_elements(a, matrix);
    sn_assemble_lists(a, matrix, NULL, symmetric);
}

/* ---- What the listed blocks hide ---- */
static void keep_list(const sn_matrix *matrix, const sn_block_list *list, double factor, sn_listed *listed) {
    for (int i = 0; i < count_of(list, factor); ++i, ++listed->count) {
        const int32_t before = is_mirror(list, i) ? listed->place[listed->count - 1] : -1,
                      place = before >= 0 ? matrix->pattern->mirror[before]
                                          : place_of(matrix->pattern, list->row[i], list->column[i]);
        listed->place[listed->count] = place;
        if (place >= 0) load(matrix, place, listed->value + 9 * (int64_t)listed->count);
    }
}

sn_status sn_listed_keep(const sn_assembly *a, const sn_matrix *matrix, sn_listed *listed, sn_error *error) {
    const int most = count_of(a->stiffness, a->k) + count_of(a->damping, a->d);
    listed->count = 0;
    sn_status status =
        sn_grow(a->context, (void **)&listed->place, &listed->places, most, sizeof *listed->place, error);
    if (!status)
        status = sn_grow(a->context, (void **)&listed->value, &listed->values, most, 9 * sizeof *listed->value, error);
    if (status) return status;
    keep_list(matrix, a->stiffness, a->k, listed);
    keep_list(matrix, a->damping, a->d, listed);
    return SN_OK;
}

void sn_listed_restore(const sn_listed *listed, const sn_matrix *matrix) {
    for (int i = 0; i < listed->count; ++i)
        for (int k = 0; k < 9 && listed->place[i] >= 0; ++k) {
            const double value = listed->value[9 * (int64_t)i + k];
            if (matrix->single_)
                value_single(matrix, listed->place[i])[k] = (float)value;
            else
                value_double(matrix, listed->place[i])[k] = value;
        }
}

void sn_listed_release(const sn_context *context, sn_listed *listed) {
    sn_release(context, listed->place);
    sn_release(context, listed->value);
    *listed = (sn_listed){0};
}

/* ---- Diagonal blocks ---- */
/* ADDS g_i A g_i of the patches around each node. */
static void diagonal_patches(void *data, int piece) {
    const sweep *s = data;
    const sn_patches *p = s->assembly->elements->patches;
    for (int i = piece * SN_PIECE_NODES; i < (piece + 1) * SN_PIECE_NODES && i < p->node_count; ++i)
        for (int64_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k) {
            const double *g = p->gradient + 3 * p->row_entry[k];
            double T[27];
            turn_tangent(s->tangent, p->row_patch[k], g, T);
            for (int e = 0; e < 9; ++e) s->diagonal[9 * (int64_t)i + e] += patch_entry(T, g, e);
        }
}

static void diagonal_chunk(void *data, int index) {
    const sweep *s = data;
    const sn_assembly *a = s->assembly;
    const sn_chunk *chunk = &a->elements->chunk[s->first + index];
    const sn_batch *batch = &a->elements->batch[chunk->batch];
    const int nodes = batch->element->nodes;
    _Alignas(64) double matrix[ELEMENT_BLOCKS * 9 * SN_LANES];
    const bool alone =
        a->linearised && batch->compact; /* otherwise, these are every (nodes + 1)-th block of the matrix */
    for (int block = chunk->block_begin; block < chunk->block_end; ++block) {
        if (alone)
            batch->kernels->diagonal(batch, block, a->linearised, matrix);
        else
            batch->kernels->stiffness(batch, block, a->view, a->k, a->d, !a->view->unsymmetric, NULL, matrix);
        for (int i = 0; i < nodes; ++i) {
            const double *own = matrix + (int64_t)(alone ? i : i * (nodes + 1)) * 9 * SN_LANES;
            for (int l = 0; l < SN_LANES; ++l) {
                if (batch->element_of[(int64_t)block * SN_LANES + l] < 0) continue;
                double *target = s->diagonal + 9 * (int64_t)batch->node[((int64_t)block * nodes + i) * SN_LANES + l];
                for (int k = 0; k < 9; ++k) target[k] += own[k * SN_LANES + l];
            }
        }
    }
}

static void add_list_diagonal(const sn_block_list *list, double factor, double *diagonal) {
    for (int i = 0; list && i < list->count; ++i)
        for (int k = 0; k < 9 && list->row[i] == list->column[i]; ++k)
            diagonal[9 * (int64_t)list->row[i] + k] += factor * list->value[9 * (int64_t)i + k];
}

void sn_assemble_diagonal(const sn_assembly *a, double *diagonal) {
    const sn_pattern *pattern = a->mass->pattern;
    memset(diagonal, 0, (size_t)pattern->nodes * 9 * sizeof *diagonal);
    for (int i = 0; i < pattern->nodes; ++i) {
        const double own = a->mass->coupled ? a->mass->coupled[pattern->diagonal[i]] : a->mass->lumped[i];
        for (int k = 0; k < 9; k += 4)
            diagonal[9 * (int64_t)i + k] = (a->m + a->d * (a->rayleigh_mass ? a->rayleigh_mass[i] : 0)) * own;
    }
    sweep s = {.assembly = a, .diagonal = diagonal};
    for (int c = 0; c < a->elements->color_count && (a->k != 0 || a->d != 0); ++c) {
        s.first = a->elements->color_begin[c];
        sn_parallel(a->context, a->elements->color_begin[c + 1] - s.first, diagonal_chunk, &s);
    }
    if (a->patches) {
        s.tangent = patch_tangents(a);
        sn_parallel(a->context, sn_pieces(pattern->nodes, SN_PIECE_NODES), diagonal_patches, &s);
    }
    add_list_diagonal(a->stiffness, a->k, diagonal);
    add_list_diagonal(a->damping, a->d, diagonal);
}

static void diagonal_piece(void *data, int piece) {
    const sweep *s = data;
    const sn_pattern *pattern = s->matrix->pattern;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < pattern->nodes ? begin + SN_PIECE_NODES : pattern->nodes;
    for (int i = begin; i < end; ++i)
        for (int k = 0; k < 9; ++k) s->diagonal[9 * (int64_t)i + k] = entry(s->matrix, pattern->diagonal[i], k);
}

void sn_matrix_diagonal(const sn_context *context, const sn_matrix *matrix, double *diagonal) {
    sweep s = {.matrix = matrix, .diagonal = diagonal};
    sn_parallel(context, sn_pieces(matrix->pattern->nodes, SN_PIECE_NODES), diagonal_piece, &s);
}

static void symmetrise_piece(void *data, int piece) {
    const sn_matrix *matrix = ((const sweep *)data)->matrix;
    const sn_pattern *pattern = matrix->pattern;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < pattern->nodes ? begin + SN_PIECE_NODES : pattern->nodes;
    for (int i = begin; i < end; ++i)
        for (int32_t k = pattern->diagonal[i]; k < pattern->row_begin[i + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                for (int r = k == pattern->diagonal[i] ? c : 0; r < 3; ++r) {
                    const double mean =
                        0.5 * (entry(matrix, k, 3 * c + r) + entry(matrix, pattern->mirror[k], 3 * r + c));
                    if (matrix->single_)
                        value_single(matrix, k)[3 * c + r] = value_single(matrix, pattern->mirror[k])[3 * r + c] =
                            (float)mean;
                    else
                        value_double(matrix, k)[3 * c + r] = value_double(matrix, pattern->mirror[k])[3 * r + c] = mean;
                }
}

void sn_matrix_symmetrise(const sn_context *context, const sn_matrix *matrix) {
    sweep s = {.matrix = matrix};
    sn_parallel(context, sn_pieces(matrix->pattern->nodes, SN_PIECE_NODES), symmetrise_piece, &s);
}

void sn_block_list_product(const sn_block_list *list, double factor, const double *u, double *out) {
    for (int i = 0; list && factor != 0 && i < list->count; ++i) {
        const double *V = list->value + 9 * (int64_t)i, *p = u + 3 * (int64_t)list->column[i];
        double *y = out + 3 * (int64_t)list->row[i];
        for (int r = 0; r < 3; ++r) y[r] += factor * (V[r] * p[0] + V[3 + r] * p[1] + V[6 + r] * p[2]);
    }
}

/* ---- Mass ---- */
typedef struct mass_work {
    const sn_mass *mass;
    double m, d;
    const double *a, *v;
    double *out;
} mass_work;

static int mass_piece_end(const mass_work *w, int piece) {
    const int end = (piece + 1) * SN_PIECE_NODES, nodes = w->mass->pattern->nodes;
    return end < nodes ? end : nodes;
}

static void lumped_product_piece(void *data, int piece) {
    const mass_work w = *(const mass_work *)data;
    const double *lumped = w.mass->lumped;
    const int end = mass_piece_end(&w, piece);
    for (int64_t i = piece * SN_PIECE_NODES; i < end; ++i) {
        const double s = (w.m + w.d * (w.a ? w.a[i] : 0)) * lumped[i], *v = w.v + 3 * i;
        const double product[3] = {s * v[0], s * v[1], s * v[2]};
        memcpy(w.out + 3 * i, product, sizeof product);
    }
}

static void coupled_product_piece(void *data, int piece) {
    const mass_work *w = data;
    const sn_pattern *pattern = w->mass->pattern;
    const int end = mass_piece_end(w, piece);
    for (int64_t i = piece * SN_PIECE_NODES; i < end; ++i) {
        const double own = w->a ? w->a[i] : 0;
        double *out = w->out + 3 * i, sum[3] = {0};
        for (int32_t k = pattern->row_begin[i]; k < pattern->row_begin[i + 1]; ++k) {
            const int64_t j = pattern->column[k];
            const double s = (w->m + w->d * 0.5 * (own + (w->a ? w->a[j] : 0))) * w->mass->coupled[k];
            for (int c = 0; c < 3; ++c) sum[c] += s * w->v[3 * j + c];
        }
        for (int c = 0; c < 3; ++c) out[c] = sum[c];
    }
}

void sn_mass_product(const sn_context *context, const sn_mass *mass, double m, double d, const double *a,
                     const double *v, double *out) {
    mass_work w = {mass, m, d, a, v, out};
    sn_parallel_pieces(context, sn_pieces(mass->pattern->nodes, SN_PIECE_NODES),
                       mass->coupled ? coupled_product_piece : lumped_product_piece, &w);
}
