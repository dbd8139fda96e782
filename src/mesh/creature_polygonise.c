/* Marching tetrahedra on a body-centred cubic lattice.
 *
 * Nodes A(i,j,k) stand on the grid, B(i,j,k) half a cell further along each axis. Two B's across a face of the A grid
 * and an edge of that face make a tet; all tets are congruent. A tet is cut where the sign changes, and each cut edge
 * has one vertex, so the surface is closed and two-manifold for any values. Blocks of 4^3 cells that are far from the
 * surface are not sampled but take the sign of their middle. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "creature.h"

enum { BLOCK = 4, CUBE = BLOCK * BLOCK * BLOCK };

typedef struct lattice {
    sn_context *context;
    sn_sampling *sampling;
    int size[3];     /* nodes of each kind along each axis: BLOCK * blocks */
    float *value[2]; /* A and B */
    int8_t *sign;    /* per block: -1 or 1 all inside or outside, 0 both */
} lattice;

static int64_t block_count(const sn_sampling *s) { return (int64_t)s->block[0] * s->block[1] * s->block[2]; }

static int64_t node_index(const lattice *l, int i, int j, int k) {
    return i + (int64_t)l->size[0] * (j + (int64_t)l->size[1] * k);
}

static void node_position(const lattice *l, int kind, int i, int j, int k, double x[3]) {
    const double h = l->sampling->spacing, shift = 0.5 * kind;
    x[0] = l->sampling->low[0] + h * (i + shift);
    x[1] = l->sampling->low[1] + h * (j + shift);
    x[2] = l->sampling->low[2] + h * (k + shift);
}

/* ---- Sampling ---- */
/* Lists the solids that matter within `reach` of x: those that are not beyond the nearest by more than twice the reach
 * and the blend. */
static int list_near(const sn_creature *creature, const double x[3], double reach, int16_t *list) {
    const double beyond = 2 * reach + SN_CREATURE_REACH * creature->blend;
    double distance[SN_CREATURE_SOLIDS], least = INFINITY;
    for (int i = 0; i < creature->solid_count; ++i) {
        const sn_solid *s = &creature->solid[i];
        double d[3];
        sn_subtract3(x, s->centre, d);
        const double far = least + beyond + s->round;
        distance[i] =
            sn_dot3(d, d) < far * far ? sn_solid_distance(s, x) : INFINITY; /* the ball around it is out already */
        least = fmin(least, distance[i]);
    }
    int count = 0;
    for (int i = 0; i < creature->solid_count; ++i)
        if (distance[i] <= least + beyond) list[count++] = (int16_t)i;
    return count;
}

/* Lists the solids near block b in `list`; NULL: only counts them and decides whether the block is sampled at all. */
static int plan(lattice *l, int b, int16_t *list) {
    const sn_sampling *s = l->sampling;
    const int i = b % s->block[0], j = b / s->block[0] % s->block[1], k = b / s->block[0] / s->block[1];
    int16_t scratch[SN_CREATURE_SOLIDS];
    double middle[3];
    node_position(l, 0, i * BLOCK + BLOCK / 2, j * BLOCK + BLOCK / 2, k * BLOCK + BLOCK / 2, middle);
    /* Half the diagonal of the block and half a cell; distances to ellipsoids may be off by a factor, hence the 1.5. */
    const double reach = 0.5 * s->spacing * (BLOCK + 1) * sqrt(3.0);
    const int count = list_near(s->creature, middle, reach, list ? list : scratch);
    if (list) return count;
    const double f = sn_creature_field(s->creature, scratch, count, s->detail, middle, NULL);
    l->sign[b] = (int8_t)(fabs(f) <= 1.5 * reach + 2 * s->creature->detail_depth ? 0 : f < 0 ? -1 : 1);
    return l->sign[b] ? 0 : count;
}

static void plan_block(void *data, int b) {
    lattice *l = data;
    l->sampling->begin[b + 1] = plan(l, b, NULL);
}

static void list_block(void *data, int b) {
    lattice *l = data;
    if (l->sign[b] == 0) plan(l, b, l->sampling->list + l->sampling->begin[b]);
}

static void sample_block(void *data, int b) {
    lattice *l = data;
    const sn_sampling *s = l->sampling;
    const int i0 = b % s->block[0] * BLOCK, j0 = b / s->block[0] % s->block[1] * BLOCK,
              k0 = b / s->block[0] / s->block[1] * BLOCK;
    const int count = (int)(s->begin[b + 1] - s->begin[b]);
    int inside = 0;
    for (int kind = 0; kind < 2; ++kind)
        for (int k = k0; k < k0 + BLOCK; ++k)
            for (int j = j0; j < j0 + BLOCK; ++j)
                for (int i = i0; i < i0 + BLOCK; ++i) {
                    double x[3], f = l->sign[b];
                    if (l->sign[b] == 0) {
                        node_position(l, kind, i, j, k, x);
                        f = sn_creature_field(s->creature, s->list + s->begin[b], count, s->detail, x, NULL);
                    }
                    /* The rim of the lattice is outside, so the surface never runs out of it. */
                    if (i == 0 || j == 0 || k == 0 || i >= l->size[0] - 2 || j >= l->size[1] - 2 || k >= l->size[2] - 2)
                        f = fmax(f, s->spacing);
                    l->value[kind][node_index(l, i, j, k)] = (float)f;
                    inside += (float)f < 0;
                }
    l->sign[b] = (int8_t)(inside == 0 ? 1 : inside == 2 * CUBE ? -1 : 0);
}

double sn_sampling_field(const sn_sampling *sampling, const double x[3], int *part) {
    int at[3];
    for (int a = 0; a < 3; ++a) {
        const double t = (x[a] - sampling->low[a]) / (sampling->spacing * BLOCK);
        at[a] = t <= 0 ? 0 : t >= sampling->block[a] ? sampling->block[a] - 1 : (int)t;
    }
    const int64_t b = at[0] + (int64_t)sampling->block[0] * (at[1] + (int64_t)sampling->block[1] * at[2]);
    return sn_creature_field(sampling->creature, sampling->list + sampling->begin[b],
                             (int)(sampling->begin[b + 1] - sampling->begin[b]), sampling->detail, x, part);
}

void sn_sampling_destroy(sn_context *context, sn_sampling *sampling) {
    sn_release(context, sampling->begin);
    sn_release(context, sampling->list);
    *sampling = (sn_sampling){0};
}

/* Counts, lists, values. */
static sn_status sample(lattice *l, sn_error *error) {
    sn_sampling *s = l->sampling;
    const int64_t blocks = block_count(s);
    l->sign = sn_allocate(l->context, (size_t)blocks, 1);
    s->begin = sn_allocate(l->context, (size_t)blocks + 1, sizeof *s->begin);
    for (int kind = 0; kind < 2; ++kind)
        l->value[kind] = sn_allocate(l->context, (size_t)blocks * CUBE, sizeof *l->value[kind]);
    if (!l->sign || !s->begin || !l->value[0] || !l->value[1]) return sn_no_memory(error);
    sn_parallel(l->context, (int)blocks, plan_block, l);
    s->begin[0] = 0;
    for (int64_t b = 0; b < blocks; ++b) s->begin[b + 1] += s->begin[b];
    s->list = sn_allocate(l->context, (size_t)s->begin[blocks], sizeof *s->list);
    if (!s->list) return sn_no_memory(error);
    sn_parallel(l->context, (int)blocks, list_block, l);
    sn_parallel(l->context, (int)blocks, sample_block, l);
    return SN_OK;
}

/* ---- Cutting ---- */
typedef struct corner {
    int kind, i, j, k;
} corner;

typedef struct cutter {
    const lattice *l;
    sn_edge_map vertex; /* lattice edge -> vertex */
    sn_soup *soup;
    sn_error *error;
} cutter;

static float value_at(const lattice *l, const corner *c) { return l->value[c->kind][node_index(l, c->i, c->j, c->k)]; }

static sn_status vertex_on(cutter *u, const corner *a, const corner *b, int32_t *vertex) {
    const lattice *l = u->l;
    const int64_t nodes = block_count(l->sampling) * CUBE;
    const int32_t ia = (int32_t)(node_index(l, a->i, a->j, a->k) + a->kind * nodes),
                  ib = (int32_t)(node_index(l, b->i, b->j, b->k) + b->kind * nodes);
    int32_t *at = sn_edge_map_at(&u->vertex, ia, ib, u->soup->node_count);
    if (!at) return sn_no_memory(u->error);
    *vertex = *at;
    if (*at != u->soup->node_count) return SN_OK;
    void *grown = u->soup->position;
    const sn_status status = sn_grow(l->context, &grown, &u->soup->node_capacity, u->soup->node_count + 1,
                                     3 * sizeof *u->soup->position, u->error);
    u->soup->position = grown;
    if (status) return status;
    double xa[3], xb[3];
    node_position(l, a->kind, a->i, a->j, a->k, xa);
    node_position(l, b->kind, b->i, b->j, b->k, xb);
    const double va = value_at(l, a), vb = value_at(l, b),
                 t = fmin(fmax(va / (va - vb), 0.05), 0.95); /* off the ends: no triangle is a point */
    for (int d = 0; d < 3; ++d)
        u->soup->position[(size_t)u->soup->node_count * 3 + (size_t)d] = xa[d] + t * (xb[d] - xa[d]);
    ++u->soup->node_count;
    return SN_OK;
}

static sn_status add_triangle(cutter *u, int32_t a, int32_t b, int32_t c) {
    sn_soup *s = u->soup;
    void *grown = s->triangle;
    const sn_status status =
        sn_grow(s->context, &grown, &s->triangle_capacity, s->triangle_count + 1, 3 * sizeof *s->triangle, u->error);
    s->triangle = grown;
    if (status) return status;
    int32_t *t = s->triangle + (size_t)s->triangle_count++ * 3;
    t[0] = a, t[1] = b, t[2] = c;
    return SN_OK;
}

static double distance_square(const sn_soup *s, int32_t a, int32_t b) {
    double d[3];
    sn_subtract3(s->position + (size_t)a * 3, s->position + (size_t)b * 3, d);
    return sn_dot3(d, d);
}

/* Two corners p, q inside, r, s outside, in an even order: the quad pr, ps, qs, qr looks outwards. */
static sn_status cut_quad(cutter *u, const corner c[4], const uint8_t o[4]) {
    int32_t v[4];
    static const uint8_t ends[4][2] = {{0, 2}, {0, 3}, {1, 3}, {1, 2}};
    for (int i = 0; i < 4; ++i) {
        const sn_status status = vertex_on(u, &c[o[ends[i][0]]], &c[o[ends[i][1]]], &v[i]);
        if (status) return status;
    }
    const int turn = distance_square(u->soup, v[0], v[2]) <= distance_square(u->soup, v[1], v[3]) ? 0 : 1;
    const sn_status status = add_triangle(u, v[turn], v[turn + 1], v[turn + 2]);
    return status ? status : add_triangle(u, v[turn], v[turn + 2], v[(turn + 3) & 3]);
}

static sn_status cut_tet(cutter *u, const corner c[4]) {
    static const uint8_t pairs[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
                                        {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};
    unsigned inside = 0;
    for (int i = 0; i < 4; ++i) inside |= (unsigned)(value_at(u->l, &c[i]) < 0) << i;
    if (inside == 0 || inside == 15) return SN_OK;
    for (int i = 0; i < 6; ++i)
        if (inside == (1u << pairs[i][0] | 1u << pairs[i][1])) return cut_quad(u, c, pairs[i]);
    const bool one_inside = (inside & (inside - 1)) == 0;
    const unsigned single = one_inside ? inside : 15 ^ inside;
    const int lone = single == 1 ? 0 : single == 2 ? 1 : single == 4 ? 2 : 3;
    int32_t v[3];
    for (int i = 0; i < 3; ++i) {
        const sn_status status = vertex_on(u, &c[lone], &c[sn_tet_face[lone][i]], &v[i]);
        if (status) return status;
    }
    return one_inside ? add_triangle(u, v[0], v[1], v[2]) : add_triangle(u, v[0], v[2], v[1]);
}

/* The twelve tets that cell (i,j,k) shares with its next cell along each axis. */
static sn_status cut_cell(cutter *u, int i, int j, int k) {
    static const uint8_t ring[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    for (int axis = 0; axis < 3; ++axis) {
        corner c[4] = {
            {1, i, j, k}, {1, i + (axis == 0), j + (axis == 1), k + (axis == 2)}, {0, 0, 0, 0}, {0, 0, 0, 0}};
        for (int m = 0; m < 4; ++m) {
            for (int e = 0; e < 2; ++e) {
                int at[3] = {c[1].i, c[1].j, c[1].k};
                at[(axis + 1) % 3] += ring[m + e][0];
                at[(axis + 2) % 3] += ring[m + e][1];
                c[2 + e] = (corner){0, at[0], at[1], at[2]};
            }
            const sn_status status = cut_tet(u, c);
            if (status) return status;
        }
    }
    return SN_OK;
}

/* A block needs no look when it and all blocks after it share one sign: its tets reach no further than one cell beyond
 * it. */
static bool is_plain(const lattice *l, int i, int j, int k) {
    const int *n = l->sampling->block;
    const int8_t sign = l->sign[i + (int64_t)n[0] * (j + (int64_t)n[1] * k)];
    bool plain = sign != 0;
    for (int c = 1; c < 8; ++c) {
        const int p = i + (c & 1), q = j + (c >> 1 & 1), r = k + (c >> 2);
        if (p < n[0] && q < n[1] && r < n[2])
            plain = plain && l->sign[p + (int64_t)n[0] * (q + (int64_t)n[1] * r)] == sign;
    }
    return plain;
}

static sn_status cut(cutter *u) {
    const lattice *l = u->l;
    const int *n = l->sampling->block;
    for (int bk = 0; bk < n[2]; ++bk)
        for (int bj = 0; bj < n[1]; ++bj)
            for (int bi = 0; bi < n[0]; ++bi) {
                if (is_plain(l, bi, bj, bk)) continue;
                for (int c = 0; c < CUBE; ++c) {
                    const int i = bi * BLOCK + c % BLOCK, j = bj * BLOCK + c / BLOCK % BLOCK,
                              k = bk * BLOCK + c / BLOCK / BLOCK;
                    if (i >= l->size[0] - 2 || j >= l->size[1] - 2 || k >= l->size[2] - 2) continue;
                    const sn_status status = cut_cell(u, i, j, k);
                    if (status) return status;
                }
            }
    return SN_OK;
}

void sn_soup_destroy(sn_soup *soup) {
    sn_release(soup->context, soup->position);
    sn_release(soup->context, soup->triangle);
    soup->position = NULL;
    soup->triangle = NULL;
}

sn_status sn_creature_polygonise(sn_context *context, const sn_creature *creature, double spacing,
                                 sn_sampling *sampling, sn_soup *soup, sn_error *error) {
    double high[3];
    *soup = (sn_soup){.context = context};
    *sampling = (sn_sampling){.creature = creature, .spacing = spacing};
    /* Bumps that the lattice cannot show are left out, so that coarse surfaces are smooth. */
    sampling->detail = creature->detail_size > 0 ? fmin(fmax(creature->detail_size / spacing / 4 - 1, 0), 1) : 0;
    sn_creature_bounds(creature, sampling->low, high);
    lattice l = {.context = context, .sampling = sampling};
    for (int a = 0; a < 3; ++a) {
        sampling->low[a] -= 2 * spacing;
        sampling->block[a] = 1 + (int)((high[a] - sampling->low[a] + 4 * spacing) / (spacing * BLOCK));
        l.size[a] = sampling->block[a] * BLOCK;
    }
    if ((double)block_count(sampling) * CUBE * 2 > INT32_MAX)
        return sn_fail(error, SN_BAD_INPUT, "%s: that many triangles need more than %d lattice nodes", creature->name,
                       INT32_MAX);
    sn_status status = sample(&l, error);
    cutter u = {.l = &l, .soup = soup, .error = error};
    if (!status) status = sn_edge_map_create(&u.vertex, context, 1 << 14, error);
    if (!status) {
        status = cut(&u);
        sn_edge_map_destroy(&u.vertex);
    }
    void *const memory[] = {l.value[0], l.value[1], l.sign};
    for (int i = 0; i < 3; ++i) sn_release(context, memory[i]);
    if (status) {
        sn_soup_destroy(soup);
        sn_sampling_destroy(context, sampling);
    }
    return status;
}
