/* The document's search for pairs of triangles: over the tets, then over the trees of their patches
 * (Civit 5.4.3.2, 5.4.4).
 *
 * Two ranges of triangles are compared along five directions: the axes, and the vector areas of the patches of both
 * tets. The larger range is divided: its first triangle, and its two children. */
#include "base/math3.h"
#include "bdop.h"

enum { AXES = 5, STACK = 256 };

/* One of the two sides of a comparison of tets. */
typedef struct side {
    const sn_bdop_tree *tree;
    const sn_bdop_tet *tet;
    sn_bdop_sorted sorted[AXES];
} side;

/* A range of triangles with its bounds. */
typedef struct range {
    int32_t begin, end;
    double low[AXES], high[AXES];
} range;

typedef struct search {
    side side[2];
    double axis[AXES][3];
    const sn_bdop_search *options;
    sn_box_pairs *pairs;
} search;

static sn_status add_pair(sn_box_pairs *pairs, int32_t a, int32_t b, sn_error *error) {
    if (pairs->count == pairs->capacity) {
        const sn_status status = sn_grow(pairs->context, (void **)&pairs->pair, &pairs->capacity, pairs->count + 1,
                                         sizeof *pairs->pair, error);
        if (status) return status;
    }
    pairs->pair[pairs->count][0] = a, pairs->pair[pairs->count++][1] = b;
    return SN_OK;
}

/* ---- Ranges ---- */

/* The range of a node of a tree: bounds from its b-DOP. */
static range range_of(const search *s, int k, int32_t begin, int32_t end) {
    range r = {.begin = begin, .end = end};
    const side *own = &s->side[k];
    const sn_bdop b = sn_bdop_unpack(&own->tree->triangle[begin]);
    for (int i = 0; i < AXES; ++i) sn_bdop_bounds(&b, &own->sorted[i], &r.low[i], &r.high[i]);
    return r;
}

/* One triangle: bounds from its corners. */
static range range_of_one(const search *s, int k, int32_t place) {
    range r = {.begin = place, .end = place + 1};
    const sn_bdop_tree *tree = s->side[k].tree;
    for (int i = 0; i < AXES; ++i)
        for (int c = 0; c < 3; ++c) {
            const double x =
                sn_dot3(s->axis[i], tree->surface->position + 3 * (size_t)sn_bdop_vertex(&tree->triangle[place], c));
            if (c == 0 || x < r.low[i]) r.low[i] = x;
            if (c == 0 || x > r.high[i]) r.high[i] = x;
        }
    return r;
}

static bool overlap(const range *a, const range *b) {
    for (int i = 0; i < AXES; ++i)
        if (a->low[i] > b->high[i] || b->low[i] > a->high[i]) return false;
    return true;
}

static sn_status add_all(const search *s, const range *a, const range *b, sn_error *error) {
    sn_status status = SN_OK;
    for (int32_t i = a->begin; i < a->end; ++i)
        for (int32_t j = b->begin; j < b->end && !status; ++j)
            status = add_pair(s->pairs, s->side[0].tree->source[i], s->side[1].tree->source[j], error);
    return status;
}

/* The parts of a range: its first triangle and its children. Returns how many. */
static int divide(const search *s, int k, const range *r, range part[3]) {
    const int32_t rest = r->end - r->begin - 1, middle = r->begin + 1 + rest / 2;
    int count = 0;
    part[count++] = range_of_one(s, k, r->begin);
    if (middle > r->begin + 1) part[count++] = range_of(s, k, r->begin + 1, middle);
    if (r->end > middle) part[count++] = range_of(s, k, middle, r->end);
    return count;
}

static sn_status compare(const search *s, const range *a, const range *b, sn_error *error) {
    struct {
        range r[2];
    } stack[STACK];
    int depth = 0;
    sn_status status = SN_OK;
    stack[depth].r[0] = *a, stack[depth++].r[1] = *b;
    while (depth > 0 && !status) {
        const range pair[2] = {stack[depth - 1].r[0], stack[depth - 1].r[1]};
        --depth;
        if (!overlap(&pair[0], &pair[1])) continue;
        const int32_t count[2] = {pair[0].end - pair[0].begin, pair[1].end - pair[1].begin};
        if (s->options->plain || (int64_t)count[0] * count[1] <= s->options->leaf || depth + 3 > STACK) {
            status = add_all(s, &pair[0], &pair[1], error);
            continue;
        }
        const int larger = count[0] >= count[1] ? 0 : 1;
        range part[3];
        for (int i = divide(s, larger, &pair[larger], part) - 1; i >= 0; --i) {
            stack[depth].r[larger] = part[i], stack[depth++].r[1 - larger] = pair[1 - larger];
        }
    }
    return status;
}

/* ---- Tets ---- */

/* The vector area of the patches of a tet: cof(D) N, with the edges of the tet as the columns of D and N in barycentric
 * coordinates (A.4 has a stray factor 1/2). */
static void area_of(const sn_bdop_tet *tet, const double *x, double out[3]) {
    double u[3][3], c[3][3];
    for (int k = 0; k < 3; ++k) sn_subtract3(x + 3 * (size_t)tet->node[k + 1], x + 3 * (size_t)tet->node[0], u[k]);
    for (int k = 0; k < 3; ++k) sn_cross3(u[(k + 1) % 3], u[(k + 2) % 3], c[k]);
    for (int i = 0; i < 3; ++i) out[i] = tet->area[0] * c[0][i] + tet->area[1] * c[1][i] + tet->area[2] * c[2][i];
}

static sn_status compare_tets(search *s, const sn_bdop_tet *a, const sn_bdop_tet *b, const double *x, sn_error *error) {
    s->side[0].tet = a, s->side[1].tet = b;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) s->axis[i][k] = i == k;
    area_of(a, x, s->axis[3]);
    area_of(b, x, s->axis[4]);
    for (int i = 0; i < AXES; ++i)
        for (int k = 0; k < 2; ++k) {
            double place[4];
            for (int c = 0; c < 4; ++c) place[c] = sn_dot3(s->axis[i], x + 3 * (size_t)s->side[k].tet->node[c]);
            s->side[k].sorted[i] = sn_bdop_sort(place);
        }
    sn_status status = SN_OK;
    for (int32_t p = a->first; p < a->last; ++p)
        for (int32_t q = b->first; q < b->last && !status; ++q) {
            const int32_t *own = &s->side[0].tree->patches.first[s->side[0].tree->patch[p]],
                          *other = &s->side[1].tree->patches.first[s->side[1].tree->patch[q]];
            const range r = range_of(s, 0, own[0], own[1]), t = range_of(s, 1, other[0], other[1]);
            status = compare(s, &r, &t, error);
        }
    return status;
}

static bool slabs_overlap(const sn_bdop_node *a, const sn_bdop_node *b) {
    for (int k = 0; k < SN_BDOP_SLABS; ++k)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    return true;
}

static double size_of(const sn_bdop_node *node) {
    return (node->high[0] - node->low[0]) + (node->high[1] - node->low[1]) + (node->high[2] - node->low[2]);
}

static sn_status walk(search *s, const double *x, int32_t i, int32_t j, int64_t *tet_pairs, sn_error *error) {
    const sn_bdop_node *a = &s->side[0].tree->node[i], *b = &s->side[1].tree->node[j];
    if (!slabs_overlap(a, b)) return SN_OK;
    const bool leaf_a = a->child[1] < 0, leaf_b = b->child[1] < 0;
    if (leaf_a && leaf_b) {
        ++*tet_pairs;
        return compare_tets(s, &s->side[0].tree->tet[a->child[0]], &s->side[1].tree->tet[b->child[0]], x, error);
    }
    sn_status status = SN_OK;
    const bool divide_a = !leaf_a && (leaf_b || size_of(a) >= size_of(b));
    for (int k = 0; k < 2 && !status; ++k)
        status = walk(s, x, divide_a ? a->child[k] : i, divide_a ? j : b->child[k], tet_pairs, error);
    return status;
}

sn_status sn_bdop_tree_pairs(const sn_bdop_tree *a, const sn_bdop_tree *b, const double *x,
                             const sn_bdop_search *options, sn_box_pairs *pairs, int64_t *tet_pairs, sn_error *error) {
    search s = {.side = {{.tree = a}, {.tree = b}}, .options = options, .pairs = pairs};
    *tet_pairs = 0;
    if (a->node_count == 0 || b->node_count == 0) return SN_OK;
    return walk(&s, x, a->node_count - 1, b->node_count - 1, tet_pairs, error);
}
