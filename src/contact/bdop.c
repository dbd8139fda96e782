/* The document's trees: building and refitting; see bdop.h. */
#include "bdop.h"

#include <math.h>
#include <stdlib.h>

#include "base/math3.h"

/* ---- b-DOPs ---- */

sn_bdop_sorted sn_bdop_sort(const double place[4]) {
    sn_bdop_sorted s;
    for (int i = 0; i < 4; ++i) {
        int k = i;
        for (; k > 0 && s.x[k - 1] > place[i]; --k) s.x[k] = s.x[k - 1], s.order[k] = s.order[k - 1];
        s.x[k] = place[i], s.order[k] = i;
    }
    return s;
}

void sn_bdop_bounds(const sn_bdop *b, const sn_bdop_sorted *s, double *low, double *high) {
    const int *o = s->order;
    const double *x = s->x;
    const double slack = 1e-9 * (x[3] - x[0]); /* coordinates may be outside of 0 to 1 by rounding */
    *low = b->high[o[0]] * x[0] + b->low[o[3]] * x[3] + b->low[o[2]] * x[2] +
           (1 - b->high[o[0]] - b->low[o[3]] - b->low[o[2]]) * x[1] - slack;
    *high = b->high[o[3]] * x[3] + b->low[o[0]] * x[0] + b->low[o[1]] * x[1] +
            (1 - b->high[o[3]] - b->low[o[0]] - b->low[o[1]]) * x[2] + slack;
}

static const sn_bdop EMPTY = {{1, 1, 1, 1}, {0, 0, 0, 0}};

static void include(sn_bdop *b, const double weight[4]) {
    for (int k = 0; k < 4; ++k) {
        b->low[k] = weight[k] < b->low[k] ? weight[k] : b->low[k];
        b->high[k] = weight[k] > b->high[k] ? weight[k] : b->high[k];
    }
}

/* Eight bytes, 11 bits into each word. */
static void pack(sn_bdop_triangle *t, const sn_bdop *b) {
    uint64_t bytes = 0;
    for (int k = 0; k < 4; ++k) {
        const double low = floor(fmin(fmax(b->low[k], 0), 1) * 255), high = ceil(fmin(fmax(b->high[k], 0), 1) * 255);
        bytes |= (uint64_t)low << 16 * k | (uint64_t)high << (16 * k + 8);
    }
    for (int k = 0; k < 6; ++k)
        t->word[k] = (t->word[k] & (SN_BDOP_FEATURES - 1)) | (uint32_t)(bytes >> 11 * k & 0x7ff) << 21;
}

sn_bdop sn_bdop_unpack(const sn_bdop_triangle *t) {
    uint64_t bytes = 0;
    for (int k = 0; k < 6; ++k) bytes |= (uint64_t)(t->word[k] >> 21) << 11 * k;
    sn_bdop b;
    for (int k = 0; k < 4; ++k) {
        b.low[k] = (double)(bytes >> 16 * k & 0xff) / 255;
        b.high[k] = (double)(bytes >> (16 * k + 8) & 0xff) / 255;
    }
    return b;
}

/* ---- Trees of patches ---- */

/* Weights of a vertex for the nodes of a tet; false when a carrier is not among them. */
static bool weights_of(const sn_touch_surface *surface, int32_t vertex, const sn_bdop_tet *tet, double weight[4]) {
    for (int k = 0; k < 4; ++k) weight[k] = 0;
    for (int32_t i = surface->carrier_first[vertex]; i < surface->carrier_first[vertex + 1]; ++i) {
        int k = 0;
        while (k < 4 && tet->node[k] != surface->carrier_node[i]) ++k;
        if (k == 4) return false;
        weight[k] += surface->carrier_weight[i];
    }
    return true;
}

typedef struct item {
    double key;
    int32_t source;
    sn_bdop bounds;
    double centre[4];
} item;

static int by_key(const void *a, const void *b) {
    const item *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->source > q->source) - (p->source < q->source);
}

static sn_bdop bounds_of(const item *list, int count) {
    sn_bdop b = EMPTY;
    for (int i = 0; i < count; ++i) include(&b, list[i].bounds.low), include(&b, list[i].bounds.high);
    return b;
}

/* Sorts a range along the longest axis of its b-DOP; its first triangle becomes the node. */
static void build(sn_bdop_tree *tree, item *list, int place, int count) {
    if (count <= 0) return;
    const sn_bdop b = bounds_of(list, count);
    int axis = 0;
    for (int k = 1; k < 4; ++k)
        if (b.high[k] - b.low[k] > b.high[axis] - b.low[axis]) axis = k;
    for (int i = 0; i < count; ++i) list[i].key = list[i].centre[axis];
    qsort(list, (size_t)count, sizeof *list, by_key);
    tree->source[place] = list[0].source;
    pack(&tree->triangle[place], &b);
    const int left = (count - 1) / 2;
    build(tree, list + 1, place + 1, left);
    build(tree, list + 1 + left, place + 1 + left, count - 1 - left);
}

static sn_status fill_item(const sn_touch_surface *surface, const sn_bdop_tet *tet, int32_t triangle, item *out,
                           double area[3], sn_error *error) {
    double w[3][4], cross[3];
    *out = (item){.source = triangle, .bounds = EMPTY};
    for (int k = 0; k < 3; ++k) {
        if (!weights_of(surface, surface->triangle[3 * (size_t)triangle + (size_t)k], tet, w[k]))
            return sn_fail(error, SN_UNSUPPORTED, "triangle %d has corners in several tets; clip the surface first",
                           triangle);
        include(&out->bounds, w[k]);
        for (int i = 0; i < 4; ++i) out->centre[i] += w[k][i] / 3;
    }
    sn_area_vector3(w[0] + 1, w[1] + 1, w[2] + 1, cross);
    for (int k = 0; k < 3; ++k) area[k] += 0.5 * cross[k];
    return SN_OK;
}

static sn_status build_patch(sn_bdop_tree *tree, sn_bdop_tet *tet, int32_t patch, item *list, sn_error *error) {
    const sn_touch_patches *patches = &tree->patches;
    const int first = patches->first[patch], count = patches->first[patch + 1] - first;
    for (int i = 0; i < count; ++i) {
        const sn_status status =
            fill_item(tree->surface, tet, patches->triangle[first + i], &list[i], tet->area, error);
        if (status) return status;
        include(&tet->bounds, list[i].bounds.low), include(&tet->bounds, list[i].bounds.high);
    }
    build(tree, list, first, count);
    return SN_OK;
}

/* Words without b-DOPs: vertices and neighbours. */
static void fill_words(sn_bdop_tree *tree) {
    for (int i = 0; i < tree->surface->triangle_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const size_t place = 3 * (size_t)tree->source[i] + (size_t)k;
            uint32_t *word = tree->triangle[i].word;
            word[k] = (word[k] & ~(uint32_t)(SN_BDOP_FEATURES - 1)) | (uint32_t)tree->surface->triangle[place];
            word[3 + k] = (word[3 + k] & ~(uint32_t)(SN_BDOP_FEATURES - 1)) |
                          ((uint32_t)tree->surface->neighbour[place] & (SN_BDOP_FEATURES - 1));
        }
}

/* ---- Tets ---- */

/* The nodes of the tet of a patch: the carriers of one triangle, ascending; missing ones repeat the first. */
static void nodes_of(const sn_touch_surface *surface, int32_t triangle, int32_t node[4]) {
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        const int32_t v = surface->triangle[3 * (size_t)triangle + (size_t)k];
        for (int32_t i = surface->carrier_first[v]; i < surface->carrier_first[v + 1]; ++i) {
            int place = 0;
            while (place < count && node[place] < surface->carrier_node[i]) ++place;
            if ((place < count && node[place] == surface->carrier_node[i]) || count == 4) continue;
            for (int m = count++; m > place; --m) node[m] = node[m - 1];
            node[place] = surface->carrier_node[i];
        }
    }
    for (int k = count; k < 4; ++k) node[k] = node[0];
}

typedef struct tet_patch {
    int32_t node[4], patch;
} tet_patch;

static int by_nodes(const void *a, const void *b) {
    const tet_patch *p = a, *q = b;
    for (int k = 0; k < 4; ++k)
        if (p->node[k] != q->node[k]) return p->node[k] < q->node[k] ? -1 : 1;
    return (p->patch > q->patch) - (p->patch < q->patch);
}

/* Gathers the patches of each tet, then builds their trees. */
static sn_status build_tets(sn_bdop_tree *tree, tet_patch *sorted, item *list, sn_error *error) {
    const int count = tree->patches.count;
    for (int32_t p = 0; p < count; ++p) {
        sorted[p].patch = p;
        nodes_of(tree->surface, tree->patches.triangle[tree->patches.first[p]], sorted[p].node);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, by_nodes);
    for (int i = 0; i < count; ++i) {
        tree->patch[i] = sorted[i].patch;
        sn_bdop_tet *tet = tree->tet_count ? &tree->tet[tree->tet_count - 1] : NULL;
        bool same = tet != NULL;
        for (int k = 0; k < 4 && same; ++k) same = tet->node[k] == sorted[i].node[k];
        if (!same) {
            tet = &tree->tet[tree->tet_count++];
            *tet = (sn_bdop_tet){.first = i, .bounds = EMPTY};
            for (int k = 0; k < 4; ++k) tet->node[k] = sorted[i].node[k];
        }
        tet->last = i + 1;
        const sn_status status = build_patch(tree, tet, sorted[i].patch, list, error);
        if (status) return status;
    }
    return SN_OK;
}

/* ---- The hierarchy of tets ---- */

static const double slab[SN_BDOP_SLABS][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 1},
                                              {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};

/* The volume of the box around two nodes (their first three slabs). */
static double volume_of(const sn_bdop_node *a, const sn_bdop_node *b) {
    double volume = 1;
    for (int k = 0; k < 3; ++k) volume *= fmax(a->high[k], b->high[k]) - fmin(a->low[k], b->low[k]);
    return volume;
}

static void unite(sn_bdop_tree *tree, sn_bdop_node *node) {
    const sn_bdop_node *a = &tree->node[node->child[0]], *b = &tree->node[node->child[1]];
    for (int k = 0; k < SN_BDOP_SLABS; ++k)
        node->low[k] = fmin(a->low[k], b->low[k]), node->high[k] = fmax(a->high[k], b->high[k]);
}

/* The node without a parent whose box with `own` is smallest. */
static int32_t find_mate(const sn_bdop_tree *tree, int32_t own, const int32_t *live, int count, double *cost) {
    int32_t mate = -1;
    for (int i = 0; i < count; ++i) {
        if (live[i] == own) continue;
        const double volume = volume_of(&tree->node[own], &tree->node[live[i]]);
        if (mate < 0 || volume < *cost) mate = live[i], *cost = volume;
    }
    return mate;
}

/* Joins the two nodes whose box is smallest, until one is left. `live` lists the nodes without a parent, `mate` the
 * best partner of each (-1: to be found) and `cost` the volume with it. */
static void join_all(sn_bdop_tree *tree, int32_t *live, int32_t *mate, double *cost) {
    int count = tree->tet_count;
    for (int i = 0; i < count; ++i) live[i] = i, mate[i] = -1;
    for (; count > 1; --count) {
        int best = 0;
        for (int i = 0; i < count; ++i) {
            if (mate[live[i]] < 0) mate[live[i]] = find_mate(tree, live[i], live, count, &cost[live[i]]);
            if (cost[live[i]] < cost[live[best]]) best = i;
        }
        const int32_t a = live[best], b = mate[a], made = tree->node_count++;
        tree->node[made].child[0] = a, tree->node[made].child[1] = b;
        unite(tree, &tree->node[made]);
        mate[made] = -1;
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            if (live[i] == a || live[i] == b) continue;
            if (mate[live[i]] == a || mate[live[i]] == b) mate[live[i]] = -1;
            live[kept++] = live[i];
        }
        live[kept] = made;
    }
}

static void fit_tet(const sn_bdop_tet *tet, const double *x, sn_bdop_node *node) {
    for (int k = 0; k < SN_BDOP_SLABS; ++k) {
        double place[4];
        for (int i = 0; i < 4; ++i) place[i] = sn_dot3(slab[k], x + 3 * (size_t)tet->node[i]);
        const sn_bdop_sorted s = sn_bdop_sort(place);
        sn_bdop_bounds(&tet->bounds, &s, &node->low[k], &node->high[k]);
    }
}

void sn_bdop_tree_refit(sn_bdop_tree *tree, const double *x) {
    for (int i = 0; i < tree->tet_count; ++i) fit_tet(&tree->tet[i], x, &tree->node[i]);
    for (int i = tree->tet_count; i < tree->node_count; ++i) unite(tree, &tree->node[i]);
}

/* Boxes of the tets at rest, from the vertices of their patches. */
static void fit_at_rest(sn_bdop_tree *tree) {
    for (int i = 0; i < tree->tet_count; ++i) {
        sn_bdop_node *node = &tree->node[i];
        node->child[0] = i, node->child[1] = -1;
        for (int k = 0; k < SN_BDOP_SLABS; ++k) node->low[k] = INFINITY, node->high[k] = -INFINITY;
        for (int32_t p = tree->tet[i].first; p < tree->tet[i].last; ++p)
            for (int32_t t = tree->patches.first[tree->patch[p]]; t < tree->patches.first[tree->patch[p] + 1]; ++t)
                for (int c = 0; c < 3; ++c) {
                    const int32_t v = tree->surface->triangle[3 * (size_t)tree->patches.triangle[t] + (size_t)c];
                    for (int k = 0; k < SN_BDOP_SLABS; ++k) {
                        const double place = sn_dot3(slab[k], tree->surface->rest + 3 * (size_t)v);
                        node->low[k] = fmin(node->low[k], place), node->high[k] = fmax(node->high[k], place);
                    }
                }
    }
    tree->node_count = tree->tet_count;
}

/* ---- Life ---- */

static sn_status build_all(sn_bdop_tree *tree, sn_error *error) {
    const size_t patches = (size_t)tree->patches.count, triangles = (size_t)tree->surface->triangle_count;
    tet_patch *sorted = sn_allocate(tree->context, patches, sizeof *sorted);
    item *list = sn_allocate(tree->context, triangles, sizeof *list);
    int32_t *live = sn_allocate(tree->context, patches + 1, sizeof *live),
            *mate = sn_allocate(tree->context, 2 * patches + 1, sizeof *mate);
    double *cost = sn_allocate(tree->context, 2 * patches + 1, sizeof *cost);
    sn_status status =
        sorted && list && live && mate && cost ? build_tets(tree, sorted, list, error) : sn_no_memory(error);
    if (!status) {
        fill_words(tree);
        fit_at_rest(tree);
        join_all(tree, live, mate, cost);
    }
    void *part[] = {sorted, list, live, mate, cost};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) sn_release(tree->context, part[i]);
    return status;
}

sn_status sn_bdop_tree_create(const sn_touch_surface *surface, sn_bdop_tree **out, sn_error *error) {
    *out = NULL;
    if (surface->triangle_count >= SN_BDOP_FEATURES || surface->vertex_count >= SN_BDOP_FEATURES ||
        !surface->carrier_node)
        return sn_fail(error, SN_UNSUPPORTED, "b-DOP trees need a carried surface with fewer than %d features",
                       SN_BDOP_FEATURES);
    sn_bdop_tree *tree = sn_allocate_zero(surface->context, 1, sizeof *tree);
    if (!tree) return sn_no_memory(error);
    tree->context = surface->context, tree->surface = surface;
    sn_status status = sn_touch_patches_create(surface, &tree->patches, error);
    if (!status) {
        const size_t patches = (size_t)tree->patches.count, triangles = (size_t)surface->triangle_count;
        tree->triangle = sn_allocate_zero(tree->context, triangles, sizeof *tree->triangle);
        tree->source = sn_allocate(tree->context, triangles, sizeof *tree->source);
        tree->tet = sn_allocate(tree->context, patches, sizeof *tree->tet);
        tree->patch = sn_allocate(tree->context, patches, sizeof *tree->patch);
        tree->node = sn_allocate(tree->context, 2 * patches + 1, sizeof *tree->node);
        const bool enough = tree->triangle && tree->source && tree->tet && tree->patch && tree->node;
        status = enough ? build_all(tree, error) : sn_no_memory(error);
    }
    if (status)
        sn_bdop_tree_destroy(tree);
    else
        *out = tree;
    return status;
}

void sn_bdop_tree_destroy(sn_bdop_tree *tree) {
    if (!tree) return;
    sn_touch_patches_release(tree->context, &tree->patches);
    void *part[] = {tree->triangle, tree->source, tree->tet, tree->patch, tree->node};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) sn_release(tree->context, part[i]);
    sn_release(tree->context, tree);
}
