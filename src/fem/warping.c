/* Which edges each vertex looks at, and the balance of ghost forces; see warping.h. */
#include "warping.h"

#include <stdlib.h>
#include <string.h>

#include "base/math3.h"

extern sn_warping_kernel sn_warping_rotations_baseline;
extern sn_warping_kernel sn_warping_rotations_avx2, sn_warping_rotations_avx512;

static sn_warping_kernel *kernel_for(const sn_context *context) { return SN_BUILD(context, sn_warping_rotations); }

/* ---- Neighbours ---- */
typedef struct pair {
    int32_t node, neighbour;
    int32_t edges_only;
    double every;
} pair;

/* What the batches at a vertex ask for. */
typedef struct wish {
    bool known, svd;
    double every;
} wish;

static int compare_pairs(const void *left, const void *right) {
    const pair *a = left, *b = right;
    if (a->edges_only != b->edges_only) return a->edges_only - b->edges_only;
    if (a->every != b->every) return a->every < b->every ? -1 : 1;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return (a->neighbour > b->neighbour) - (a->neighbour < b->neighbour);
}

static void add_wish(const sn_batch *batch, wish *w) {
    w->svd = w->svd || batch->warping == SN_WARPING_SVD;
    w->every = w->known && w->every < batch->every ? w->every : batch->every;
    w->known = true;
}

/* All (vertex, neighbour) pairs of the warped batches, sorted, each once; a vertex of both kinds of batches counts as
 * `svd`, and its frame stays for the shortest time that a batch asks for. The first pass (out is NULL) counts and fills
 * the wishes. */
static int64_t list_pairs(const sn_elements_model *model, wish *wishes, pair *out) {
    int64_t count = 0;
    for (int b = 0; b < model->batch_count; ++b) {
        const sn_batch *batch = &model->batch[b];
        const int nodes = batch->element->nodes;
        for (int64_t n = 0; n < (int64_t)batch->block_count * SN_LANES && batch->warping; ++n) {
            if (batch->element_of[n] < 0) continue;
            const int32_t *node = batch->node + n / SN_LANES * nodes * SN_LANES + n % SN_LANES;
            for (int i = 0; i < nodes; ++i)
                for (int j = 0; j < nodes; ++j) {
                    if (i == j) continue;
                    const int32_t from = node[i * SN_LANES];
                    if (!out)
                        add_wish(batch, &wishes[from]);
                    else
                        out[count] = (pair){from, node[j * SN_LANES], !wishes[from].svd, wishes[from].every};
                    ++count;
                }
        }
    }
    if (!out) return count;
    qsort(out, (size_t)count, sizeof *out, compare_pairs);
    int64_t unique = 0;
    for (int64_t i = 0; i < count; ++i)
        if (i == 0 || compare_pairs(&out[i], &out[unique - 1]) != 0) out[unique++] = out[i];
    return unique;
}

static double cosine(const double *rest, const pair *a, const pair *b) {
    double d[3], e[3];
    sn_subtract3(rest + 3 * (int64_t)a->neighbour, rest + 3 * (int64_t)a->node, d);
    sn_subtract3(rest + 3 * (int64_t)b->neighbour, rest + 3 * (int64_t)b->node, e);
    return sn_dot3(d, e) / (sn_norm3(d) * sn_norm3(e));
}

/* The edges of a frame: an edge and the two nearest to it in direction, the closest such three of all, so that their
 * mean is a steady axis; and the edge most across their mean. */
static void pick_edges(const pair *p, int count, const double *rest, int32_t pick[SN_WARPING_EDGE_ROWS]) {
    double best = -INFINITY;
    int three[3] = {0, 0, 0};
    for (int k = 0; k < count; ++k) {
        int near[2] = {k, k};
        double value[2] = {-INFINITY, -INFINITY};
        for (int j = 0; j < count; ++j) {
            if (j == k) continue;
            const double c = cosine(rest, &p[k], &p[j]);
            if (c > value[0] + 1e-9)
                value[1] = value[0], near[1] = near[0], value[0] = c, near[0] = j;
            else if (c > value[1] + 1e-9)
                value[1] = c, near[1] = j;
        }
        if (value[0] + value[1] > best + 1e-9)
            best = value[0] + value[1], three[0] = k, three[1] = near[0], three[2] = near[1];
    }
    double mean[3] = {0}, least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        pick[k] = p[three[k]].neighbour;
        for (int a = 0; a < 3; ++a) mean[a] += rest[3 * (int64_t)pick[k] + a] - rest[3 * (int64_t)p->node + a];
    }
    pick[3] = pick[0];
    for (int k = 0; k < count; ++k) {
        double d[3];
        sn_subtract3(rest + 3 * (int64_t)p[k].neighbour, rest + 3 * (int64_t)p->node, d);
        const double along = fabs(sn_dot3(d, mean)) / (sn_norm3(d) * sn_norm3(mean));
        if (along < least - 1e-9) least = along, pick[3] = p[k].neighbour;
    }
}

/* The vertices of pairs[0..count): begin[i] of each, returned count + 1 places. */
static int list_vertices(const pair *p, int64_t count, int64_t *begin) {
    int vertices = 0;
    for (int64_t i = 0; i < count; ++i)
        if (i == 0 || p[i].node != p[i - 1].node) begin[vertices++] = i;
    begin[vertices] = count;
    return vertices;
}

static sn_status allocate(sn_context *context, sn_warping *w, int blocks, int64_t rows, sn_error *error) {
    w->node = sn_allocate(context, (size_t)blocks * SN_LANES, sizeof *w->node);
    w->edges_only = sn_allocate(context, (size_t)blocks, 1);
    w->every = sn_allocate(context, (size_t)blocks, sizeof *w->every);
    w->begin = sn_allocate_zero(context, (size_t)blocks + 1, sizeof *w->begin);
    w->neighbour = sn_allocate(context, (size_t)rows * SN_LANES, sizeof *w->neighbour);
    w->rest = sn_allocate(context, (size_t)rows * 3 * SN_LANES, sizeof *w->rest);
    w->frame = sn_allocate(context, (size_t)blocks * 9 * SN_LANES, sizeof *w->frame);
    return w->node && w->edges_only && w->every && w->begin && w->neighbour && w->rest && w->frame
               ? SN_OK
               : sn_no_memory(error);
}

/* Rows of a block: those of a frame, or as many as its busiest vertex has. Blocks do not mix kinds and times. */
static int64_t block_rows(const pair *p, const int64_t *begin, int first, int vertices, int *taken) {
    int64_t most = 0;
    const pair *kind = &p[begin[first]];
    for (*taken = 0; *taken < SN_LANES && first + *taken < vertices; ++*taken) {
        const pair *own = &p[begin[first + *taken]];
        if (own->edges_only != kind->edges_only || own->every != kind->every) break;
        const int64_t count = begin[first + *taken + 1] - begin[first + *taken];
        if (count > most) most = count;
    }
    return kind->edges_only ? SN_WARPING_EDGE_ROWS : most;
}

static void fill_block(sn_warping *w, int block, const pair *p, const int64_t *begin, int first, int taken,
                       const double *rest) {
    const int64_t row = w->begin[block], rows = w->begin[block + 1] - row;
    for (int lane = 0; lane < SN_LANES; ++lane) {
        const int vertex = first + (lane < taken ? lane : 0);
        const pair *own = p + begin[vertex];
        const int count = (int)(begin[vertex + 1] - begin[vertex]);
        int32_t pick[SN_WARPING_EDGE_ROWS];
        if (own->edges_only) pick_edges(own, count, rest, pick);
        w->node[(int64_t)block * SN_LANES + lane] = own->node;
        w->edges_only[block] = (uint8_t)own->edges_only;
        w->every[block] = own->every;
        for (int64_t k = 0; k < rows; ++k) {
            const int32_t other = own->edges_only ? pick[k] : k < count ? own[k].neighbour : own->node;
            w->neighbour[(row + k) * SN_LANES + lane] = other;
            for (int a = 0; a < 3; ++a)
                w->rest[(3 * (row + k) + a) * SN_LANES + lane] =
                    rest[3 * (int64_t)other + a] - rest[3 * (int64_t)own->node + a];
        }
    }
}

static sn_status build(sn_context *context, const pair *p, int64_t count, int64_t *begin, const double *rest,
                       sn_warping *w, sn_error *error) {
    const int vertices = list_vertices(p, count, begin);
    int64_t rows = 0;
    int blocks = 0, taken;
    for (int first = 0; first < vertices; first += taken, ++blocks)
        rows += block_rows(p, begin, first, vertices, &taken);
    const sn_status status = allocate(context, w, blocks, rows, error);
    for (int first = 0; first < vertices && !status; first += taken) {
        const int64_t own = block_rows(p, begin, first, vertices, &taken);
        w->begin[w->block_count + 1] = w->begin[w->block_count] + own;
        fill_block(w, w->block_count++, p, begin, first, taken, rest);
    }
    return status;
}

static double *frame_entry(const sn_warping *w, int block, int k, int lane) {
    return w->frame + (9 * (int64_t)block + k) * SN_LANES + lane;
}

/* The frames of the rest shape. The kernel multiplies its frames with their transposes, so unit matrices come first. */
static sn_status find_frames(sn_context *context, int node_count, const double *rest, sn_warping *w, sn_error *error) {
    double *R = sn_allocate(context, (size_t)node_count * 9, sizeof *R);
    if (!R) return sn_no_memory(error);
    for (int b = 0; b < w->block_count; ++b)
        for (int k = 0; k < 9; ++k)
            for (int lane = 0; lane < SN_LANES; ++lane) *frame_entry(w, b, k, lane) = k % 4 == 0;
    kernel_for(context)(w, 0, w->block_count, rest, R);
    for (int b = 0; b < w->block_count; ++b)
        for (int k = 0; k < 9; ++k)
            for (int lane = 0; lane < SN_LANES; ++lane)
                *frame_entry(w, b, k, lane) = R[9 * (int64_t)w->node[b * SN_LANES + lane] + k];
    sn_release(context, R);
    return SN_OK;
}

sn_status sn_warping_create(sn_context *context, const sn_elements_model *model, const double *rest,
                            sn_warping *warping, sn_error *error) {
    *warping = (sn_warping){0};
    bool any = false;
    for (int b = 0; b < model->batch_count; ++b) any = any || model->batch[b].warping;
    if (!any) return SN_OK;
    wish *wishes = sn_allocate_zero(context, (size_t)model->node_count, sizeof *wishes);
    if (!wishes) return sn_no_memory(error);
    const int64_t count = list_pairs(model, wishes, NULL);
    pair *p = sn_allocate(context, (size_t)count, sizeof *p);
    int64_t *begin = sn_allocate(context, (size_t)model->node_count + 1, sizeof *begin);
    sn_status status = p && begin ? SN_OK : sn_no_memory(error);
    if (!status) status = build(context, p, list_pairs(model, wishes, p), begin, rest, warping, error);
    if (!status) status = find_frames(context, model->node_count, rest, warping, error);
    sn_release(context, wishes);
    sn_release(context, p);
    sn_release(context, begin);
    if (status) sn_warping_release(context, warping);
    return status;
}

void sn_warping_release(sn_context *context, sn_warping *warping) {
    void *const array[] = {warping->node,      warping->edges_only, warping->every, warping->begin,
                           warping->neighbour, warping->rest,       warping->frame};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    *warping = (sn_warping){0};
}

/* ---- Rotations ---- */
enum { BLOCKS = 32 }; /* per task */

typedef struct rotations {
    sn_warping_kernel *kernel;
    const sn_warping *warping;
    double from, to;
    const double *x;
    double *R;
} rotations;

static void rotations_task(void *data, int index) {
    const rotations *r = data;
    const int begin = index * BLOCKS,
              end = begin + BLOCKS < r->warping->block_count ? begin + BLOCKS : r->warping->block_count;
    for (int b = begin; b < end; ++b)
        if (sn_frames_due(r->warping->every[b], r->from, r->to)) r->kernel(r->warping, b, b + 1, r->x, r->R);
}

bool sn_warping_rotations(const sn_context *context, const sn_warping *warping, double from, double to, const double *x,
                          double *R) {
    rotations r = {kernel_for(context), warping, from, to, x, R};
    bool any = false;
    for (int b = 0; b < warping->block_count; ++b) any = any || sn_frames_due(warping->every[b], from, to);
    if (any) sn_parallel(context, (warping->block_count + BLOCKS - 1) / BLOCKS, rotations_task, &r);
    return any;
}

/* ---- Ghost forces ---- */
void sn_warping_balance(int first, int count, const double *mass, const double *x, double *f) {
    double total = 0, centre[3] = {0}, net[3] = {0}, torque[3] = {0}, I[9] = {0}, inverse[9], w[3] = {0};
    for (int64_t i = first; i < first + count; ++i) {
        total += mass[i];
        for (int a = 0; a < 3; ++a) centre[a] += mass[i] * x[3 * i + a], net[a] += f[3 * i + a];
    }
    if (!(total > 0)) return;
    for (int a = 0; a < 3; ++a) centre[a] /= total;
    for (int64_t i = first; i < first + count; ++i) {
        double arm[3], turn[3];
        sn_subtract3(x + 3 * i, centre, arm);
        sn_cross3(arm, f + 3 * i, turn);
        const double square = sn_dot3(arm, arm);
        for (int a = 0; a < 3; ++a) {
            torque[a] += turn[a];
            for (int b = 0; b < 3; ++b) I[3 * a + b] += mass[i] * ((a == b ? square : 0) - arm[a] * arm[b]);
        }
    }
    const double trace = I[0] + I[4] + I[8];
    for (int a = 0; a < 3; ++a) I[4 * a] += 1e-14 * trace;
    if (sn_inverse3(I, inverse) != 0) sn_multiply_vector3(inverse, torque, w);
    for (int64_t i = first; i < first + count; ++i) {
        double arm[3], whirl[3];
        sn_subtract3(x + 3 * i, centre, arm);
        sn_cross3(w, arm, whirl);
        for (int a = 0; a < 3; ++a) f[3 * i + a] -= mass[i] * (net[a] / total + whirl[a]);
    }
}
