/* See barrier.h. */
#include "barrier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "ccd.h"

enum { GRAIN = 512 };
static const double REACH = 0.03;    /* of the mean edge */
static const double SLACK = 0.05;    /* of the mean edge: how far vertices move until pairs are found anew */
static const double PARALLEL = 1e-3; /* e of the mollifier, of the product of the squared lengths */

void sn_barrier_function(double y, double b[3]) {
    b[0] = b[1] = b[2] = 0;
    if (y >= 1) return;
    if (!(y > 0)) {
        b[0] = b[2] = INFINITY, b[1] = -INFINITY;
        return;
    }
    const double l = log(y), z = y - 1;
    b[0] = -z * z * l;
    b[1] = -2 * z * l - z * z / y;
    b[2] = -2 * l - 4 * z / y + z * z / (y * y);
}

/* ---- Life ---- */
/* The smallest distance of the surfaces to themselves at rest beyond what they keep, as far as it is less than
 * `within`, and a vertex where it is. */
static sn_status nearest_at_rest(sn_barrier *barrier, double within, double *least, const double **place,
                                 sn_error *error) {
    sn_near_features *near = &barrier->near;
    const sn_touch_surface *s = near->surface;
    *least = within;
    const sn_status status = sn_near_features_cover(near, s->rest, NULL, near->gap_most + within, 0.01 * within, error);
    for (int i = 0; i < near->count && !status; ++i) {
        const sn_near_pair *pair = &near->pair[i];
        int32_t corner[4];
        const double *x[4];
        sn_closest c;
        sn_near_corners(near, pair, corner);
        const int other = near->vertex_place[corner[pair->edges ? 2 : 1]] / 3;
        if (near->body[near->vertex_place[corner[0]] / 3] != near->body[other]) continue; /* rest shapes may overlap */
        sn_near_places(corner, s->rest, x);
        sn_near_closest(pair, x, &c);
        const double distance = sqrt(c.square) - pair->gap;
        if (distance < *least) *least = distance, *place = x[0];
    }
    near->known = false;
    return status;
}

static sn_status choose_reach(sn_barrier *barrier, sn_error *error) {
    const double wanted = REACH * barrier->near.edge_length, origin[3] = {0}, *place = origin;
    double least;
    const sn_status status = nearest_at_rest(barrier, 2 * wanted, &least, &place, error);
    if (status) return status;
    if (!(least > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "thickness",
                          "thickness %g m, but a surface is only %g m away from itself at rest, near [%g %g %g]",
                          barrier->near.gap, least + barrier->near.gap, place[0], place[1], place[2]);
    barrier->reach = fmin(wanted, 0.5 * least);
    return SN_OK;
}

sn_status sn_barrier_create(sn_context *context, sn_touch_surface *const *surface, int count,
                            bool (*may)(const void *user, int a, int b), const void *user, double gap,
                            sn_barrier *barrier, sn_error *error) {
    *barrier = (sn_barrier){.rows = {.context = context}};
    sn_status status = sn_near_features_create(context, surface, count, may, user, gap, &barrier->near, error);
    if (status) return status;
    const sn_array array[] = {SN_ARRAY(barrier->stiffness, (size_t)count),
                              SN_ARRAY(barrier->position, 3 * (size_t)barrier->near.surface->vertex_count)};
    status = sn_allocate_arrays(context, array, sizeof array / sizeof *array, error);
    return status ? status : choose_reach(barrier, error);
}

void sn_barrier_release(sn_barrier *barrier) {
    const sn_context *context = barrier->near.context;
    void *const array[] = {barrier->stiffness, barrier->square, barrier->position, barrier->touch,
                           barrier->parallel,  barrier->found,  barrier->way,      barrier->stop};
    for (size_t i = 0; i < sizeof array / sizeof *array && context; ++i) sn_release(context, array[i]);
    if (context) sn_touch_rows_release(&barrier->rows);
    if (context) sn_near_features_release(&barrier->near);
}

/* ---- Finding ---- */
/* A pair within reach. */
struct sn_barrier_found {
    int index;       /* in the list of pairs */
    int32_t key[5];  /* the features with the closest points: their kind, then their vertices in order */
    double gap;      /* of the pair */
    double strength; /* k W m */
};

static bool same_row(const struct sn_barrier_found *a, const struct sn_barrier_found *b) {
    return memcmp(a->key, b->key, sizeof a->key) == 0 && a->gap == b->gap;
}

static double surface_stiffness(const sn_barrier *barrier, int32_t vertex, int *surface) {
    *surface = barrier->near.body[barrier->near.vertex_place[vertex] / 3];
    return barrier->stiffness[*surface];
}

static void swap(int32_t *a, int32_t *b) {
    const int32_t c = *a;
    *a = *b, *b = c;
}

/* The vertices with a weight, those of the smaller feature first. */
static void make_key(const int32_t corner[4], const double weight[4], int split, int32_t key[5]) {
    int count[2] = {0, 0};
    int32_t side[2][3];
    for (int i = 0; i < 4; ++i)
        if (weight[i] != 0) side[i >= split][count[i >= split]++] = corner[i];
    for (int s = 0; s < 2; ++s)
        for (int i = 1; i < count[s]; ++i)
            for (int j = i; j > 0 && side[s][j] < side[s][j - 1]; --j) swap(&side[s][j], &side[s][j - 1]);
    const int low = count[1] < count[0] || (count[1] == count[0] && side[1][0] < side[0][0]);
    key[0] = 4 * count[low] + count[!low];
    key[3] = key[4] = -1;
    for (int i = 0, at = 1; i < 2; ++i)
        for (int j = 0; j < count[i ? !low : low] && at < 5; ++j) key[at++] = side[i ? !low : low][j];
}

static int by_key(const void *a, const void *b) {
    const struct sn_barrier_found *p = a, *q = b;
    for (int i = 0; i < 5; ++i)
        if (p->key[i] != q->key[i]) return p->key[i] < q->key[i] ? -1 : 1;
    if (p->gap != q->gap) return p->gap < q->gap ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

typedef struct squaring {
    const sn_barrier *barrier;
    const double *position;
} squaring;

static void square_piece(void *data, int piece) {
    const squaring *task = data;
    const sn_barrier *barrier = task->barrier;
    const sn_near_features *near = &barrier->near;
    const int begin = (int)sn_piece_begin(near->count, GRAIN, piece),
              end = (int)sn_piece_begin(near->count, GRAIN, piece + 1);
    sn_near_squares(near, near->pair + begin, end - begin, task->position, barrier->square + begin);
}

sn_status sn_barrier_squares(sn_barrier *barrier, const double *position, sn_error *error) {
    const sn_near_features *near = &barrier->near;
    const sn_status status = sn_grow(near->context, (void **)&barrier->square, &barrier->square_capacity, near->count,
                                     sizeof *barrier->square, error);
    squaring task = {barrier, position};
    const int pieces = sn_pieces(near->count, GRAIN);
    if (!status) sn_parallel_pieces(sn_near_crew(near, pieces), pieces, square_piece, &task);
    return status;
}

/* Whether pair i of the list may be within reach: `square` has rounding errors. */
static bool reaches(const sn_barrier *barrier, int i) {
    const double within = (1 + 1e-9) * (barrier->near.pair[i].gap + barrier->reach);
    return barrier->square[i] < within * within;
}

/* Makes room for the pairs within reach. */
static sn_status make_room(sn_barrier *barrier, sn_error *error) {
    const sn_near_features *near = &barrier->near;
    int count = 0, edges = 0;
    for (int i = 0; i < near->count; ++i)
        if (reaches(barrier, i)) ++count, edges += near->pair[i].edges;
    sn_status status = sn_grow(near->context, (void **)&barrier->found, &barrier->found_capacity, count,
                               sizeof *barrier->found, error);
    if (!status)
        status = sn_grow(near->context, (void **)&barrier->touch, &barrier->touch_capacity, count,
                         sizeof *barrier->touch, error);
    if (!status)
        status = sn_grow(near->context, (void **)&barrier->parallel, &barrier->parallel_capacity, edges,
                         sizeof *barrier->parallel, error);
    return status;
}

/* Looks at a pair within reach: its key and strength, and the rest of the force of edges that are nearly parallel.
 * Returns false when it is out of reach or has no strength. */
static bool look_at(sn_barrier *barrier, int index, struct sn_barrier_found *found) {
    const sn_near_features *near = &barrier->near;
    const sn_near_pair *pair = &near->pair[index];
    int32_t corner[4];
    int surface[2];
    const double *x[4];
    sn_closest c;
    sn_near_corners(near, pair, corner);
    sn_near_places(corner, barrier->position, x);
    sn_near_closest(pair, x, &c);
    if (!(sqrt(c.square) < pair->gap + barrier->reach)) return false;
    const double k0 = surface_stiffness(barrier, corner[0], &surface[0]),
                 k1 = surface_stiffness(barrier, corner[3], &surface[1]), k = 2 * k0 * k1 / (k0 + k1);
    *found = (struct sn_barrier_found){.index = index, .gap = pair->gap};
    make_key(corner, c.weight, pair->edges ? 2 : 1, found->key);
    if (!pair->edges) {
        found->strength = 0.5 * k * near->surface->area[pair->a];
        return true;
    }
    const double limit = PARALLEL * near->edge_square[pair->a] * near->edge_square[pair->b],
                 whole = 0.25 * k * (near->edge_area[pair->a] + near->edge_area[pair->b]);
    double slope, dc[4][3], b[3];
    found->strength = whole * sn_closest_mollifier(x, limit, &slope, dc);
    if (slope > 0) {
        sn_barrier_function((sqrt(c.square) - pair->gap) / barrier->reach, b);
        barrier->parallel[barrier->parallel_count++] =
            (struct sn_barrier_parallel){*pair, limit, whole * barrier->reach * b[0] * slope};
    }
    return found->strength > 0;
}

static sn_status find(sn_barrier *barrier, int *count, sn_error *error) {
    const sn_near_features *near = &barrier->near;
    *count = barrier->parallel_count = 0;
    sn_status status = sn_barrier_squares(barrier, barrier->position, error);
    if (!status) status = make_room(barrier, error);
    for (int i = 0; i < near->count && !status; ++i)
        if (reaches(barrier, i) && look_at(barrier, i, &barrier->found[*count])) ++*count;
    if (!status && *count > 0) qsort(barrier->found, (size_t)*count, sizeof *barrier->found, by_key);
    return status;
}

/* The points of a row on the triangles that own the two features. */
static void points_of(const sn_near_features *near, const sn_near_pair *pair, const double weight[4],
                      sn_touch_point point[2]) {
    memset(point, 0, 2 * sizeof *point);
    if (pair->edges) {
        for (int side = 0; side < 2; ++side) {
            const int32_t edge = side ? pair->b : pair->a, place = near->edge_place[edge];
            const bool turned =
                near->surface->triangle[place] != near->surface->edge[2 * (size_t)edge]; /* edges begin low */
            point[side].triangle = place / 3;
            for (int k = 0; k < 2; ++k)
                point[side].share[(place % 3 + (turned ? 1 - k : k)) % 3] = fabs(weight[2 * side + k]);
        }
        return;
    }
    point[0].triangle = near->vertex_place[pair->a] / 3;
    point[0].share[near->vertex_place[pair->a] % 3] = 1;
    point[1].triangle = pair->b;
    for (int k = 0; k < 3; ++k) point[1].share[k] = -weight[1 + k];
}

/* Computes force and stiffness of a contact, and appends its row. */
static sn_status append(sn_barrier *barrier, const sn_near_pair *pair, double strength, sn_error *error) {
    const sn_near_features *near = &barrier->near;
    int32_t corner[4];
    const double *x[4];
    double b[3];
    sn_closest c;
    sn_touch_row row = {.kind = pair->edges ? SN_TOUCH_EDGE_EDGE : SN_TOUCH_VERTEX_FACE, .feature = {pair->a, pair->b}};
    sn_near_corners(near, pair, corner);
    sn_near_places(corner, barrier->position, x);
    sn_near_closest(pair, x, &c);
    const double d = sqrt(c.square), k0 = surface_stiffness(barrier, corner[0], &row.a),
                 k1 = surface_stiffness(barrier, corner[3], &row.b);
    row.area = strength * (k0 + k1) / (2 * k0 * k1);
    row.gap = d - pair->gap;
    sn_barrier_function(row.gap / barrier->reach, b);
    barrier->touch[barrier->rows.count] = (struct sn_barrier_touch){.strength = strength,
                                                                    .energy = strength * barrier->reach * b[0],
                                                                    .push = -strength * b[1],
                                                                    .stiffness = strength * b[2] / barrier->reach};
    for (int a = 0; a < 3; ++a) {
        row.n[a] = c.r[a] / d;
        row.point[a] = pair->edges ? c.weight[0] * x[0][a] + c.weight[1] * x[1][a] : x[0][a];
    }
    sn_touch_point point[2];
    points_of(near, pair, c.weight, point);
    return sn_touch_rows_append(&barrier->rows, near->surface, &point[0], near->surface, &point[1], &row, error);
}

sn_status sn_barrier_cover(sn_barrier *barrier, const double *from, const double *to, sn_error *error) {
    sn_near_features *near = &barrier->near;
    return sn_near_features_cover(near, from, to, near->gap_most + barrier->reach, SLACK * near->edge_length, error);
}

sn_status sn_barrier_visit(sn_barrier *barrier, const double *x, sn_error *error) {
    sn_near_features *near = &barrier->near;
    const size_t bytes = 3 * (size_t)near->surface->vertex_count * sizeof *x;
    sn_touch_surface_carry(near->surface, x, near->at);
    if (barrier->known && memcmp(near->at, barrier->position, bytes) == 0) return SN_OK;
    barrier->known = false;
    memcpy(barrier->position, near->at, bytes);
    memcpy(near->surface->position, near->at, bytes);
    sn_touch_rows_clear(&barrier->rows);
    int count = 0;
    sn_status status = sn_barrier_cover(barrier, barrier->position, NULL, error);
    if (!status) status = find(barrier, &count, error);
    for (int i = 0, next; i < count && !status; i = next) {
        const struct sn_barrier_found *first = &barrier->found[i];
        double strength = 0;
        for (next = i; next < count && same_row(&barrier->found[next], first); ++next)
            strength += barrier->found[next].strength;
        status = append(barrier, &near->pair[first->index], strength, error);
    }
    if (status) sn_touch_rows_clear(&barrier->rows);
    barrier->known = status == SN_OK;
    return status;
}

void sn_barrier_calm(sn_barrier *barrier) {
    double least = barrier->reach;
    for (int i = 0; i < barrier->rows.count; ++i) least = fmin(least, barrier->rows.row[i].gap);
    barrier->reach = fmax(least, 0.05 * barrier->reach);
    barrier->known = false;
}

/* ---- Acting ---- */
double sn_barrier_energy(const sn_barrier *barrier) {
    double sum = 0;
    for (int i = 0; i < barrier->rows.count; ++i) sum += barrier->touch[i].energy;
    return sum;
}

/* Adds the force on a vertex to the nodes that carry it. */
static void push_vertex(const sn_touch_surface *s, int32_t vertex, const double force[3], double *f) {
    for (int i = s->carrier_first[vertex]; i < s->carrier_first[vertex + 1]; ++i)
        for (int a = 0; a < 3; ++a) f[3 * (size_t)s->carrier_node[i] + (size_t)a] += s->carrier_weight[i] * force[a];
}

/* The forces that turn edges which are nearly parallel. */
static void push_parallel(const sn_barrier *barrier, double *f) {
    for (int i = 0; i < barrier->parallel_count; ++i) {
        const struct sn_barrier_parallel *p = &barrier->parallel[i];
        int32_t corner[4];
        const double *x[4];
        double dc[4][3], slope;
        sn_near_corners(&barrier->near, &p->pair, corner);
        sn_near_places(corner, barrier->position, x);
        sn_closest_mollifier(x, p->limit, &slope, dc);
        for (int k = 0; k < 4; ++k) {
            for (int a = 0; a < 3; ++a) dc[k][a] *= -p->strength;
            push_vertex(barrier->near.surface, corner[k], dc[k], f);
        }
    }
}

void sn_barrier_force(const sn_barrier *barrier, double *f) {
    for (int i = 0; i < barrier->rows.count; ++i) {
        const double push = barrier->touch[i].push;
        const sn_touch_row *row = &barrier->rows.row[i];
        sn_touch_row_scatter(&barrier->rows, row, (double[3]){push * row->n[0], push * row->n[1], push * row->n[2]}, f);
    }
    push_parallel(barrier, f);
}

void sn_barrier_blocks(const sn_barrier *barrier, sn_block_list *K) {
    const sn_touch_rows *rows = &barrier->rows;
    for (int r = 0; r < rows->count; ++r) {
        const sn_touch_row *row = &rows->row[r];
        for (int32_t i = row->first; i < row->first + row->count; ++i)
            for (int32_t j = i; j < row->first + row->count; ++j) {
                const double k = barrier->touch[r].stiffness * rows->weight[i] * rows->weight[j];
                if (k == 0) continue;
                const int32_t one = rows->node[i], other = rows->node[j];
                double *block = sn_block_pair(K, one < other ? one : other, one < other ? other : one), value[9];
                for (int a = 0; a < 9; ++a) value[a] = k * row->n[a / 3] * row->n[a % 3];
                for (int a = 0; a < 9; ++a) block[a] += value[a];
                for (int a = 0; a < 9 && one != other; ++a) block[9 + a] += value[a];
            }
    }
}

/* ---- Limits ---- */
typedef struct limiting {
    sn_barrier *barrier;
    const double *from, *way;
    double *part; /* per piece */
} limiting;

static void limit_piece(void *data, int piece) {
    const limiting *l = data;
    const sn_near_features *near = &l->barrier->near;
    const int end = (int)sn_piece_begin(near->count, GRAIN, piece + 1);
    double part = 1;
    for (int i = (int)sn_piece_begin(near->count, GRAIN, piece); i < end; ++i) {
        int32_t corner[4];
        const double *x[4], *d[4];
        sn_near_corners(near, &near->pair[i], corner);
        sn_near_places(corner, l->from, x);
        sn_near_places(corner, l->way, d);
        part = (near->pair[i].edges ? sn_ccd_edge_edge : sn_ccd_vertex_face)(x, d, near->pair[i].gap,
                                                                             0.5 * l->barrier->reach, part);
    }
    l->part[piece] = part;
}

sn_status sn_barrier_limit(sn_barrier *barrier, const double *x, const double *d, double *part, sn_error *error) {
    sn_near_features *near = &barrier->near;
    const int n = 3 * near->surface->vertex_count;
    double *from = near->at, *way = near->end;
    *part = 1;
    sn_touch_surface_carry(near->surface, x, from);
    sn_touch_surface_carry(near->surface, d, way);
    for (int i = 0; i < n; ++i) way[i] += from[i];
    sn_status status = sn_barrier_cover(barrier, from, way, error);
    const int pieces = sn_pieces(near->count, GRAIN);
    if (!status)
        status = sn_grow(near->context, (void **)&barrier->square, &barrier->square_capacity, pieces,
                         sizeof *barrier->square, error);
    if (status) return status;
    for (int i = 0; i < n; ++i) way[i] -= from[i];
    limiting l = {barrier, from, way, barrier->square};
    sn_parallel_pieces(sn_near_crew(near, pieces), pieces, limit_piece, &l);
    for (int i = 0; i < pieces; ++i) *part = fmin(*part, barrier->square[i]);
    return SN_OK;
}

sn_status sn_barrier_intersect(sn_barrier *barrier, const double *x, int32_t (*pair)[2], int room, int *count,
                               sn_error *error) {
    *count = 0;
    sn_status status = sn_barrier_visit(barrier, x, error);
    if (!status) status = sn_near_features_intersect(&barrier->near, barrier->position, pair, room, count, error);
    for (int i = 0; i < barrier->rows.count && !status; ++i) {
        const sn_touch_row *row = &barrier->rows.row[i];
        if (!(row->gap > 0)) sn_near_add_surfaces(row->a, row->b, pair, room, count);
    }
    return status;
}
