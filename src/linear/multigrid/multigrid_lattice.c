/* From one level to the next: choose the lattice points that become coarse nodes, and give the fine nodes their
 * weights. multigrid.h explains the idea.
 *
 *   1. Every fine node goes into a lattice cell, or is carried.
 *   2. Inside a cell, nodes that are joined by an edge form a group.
 *   3. A group has eight separate corners. Corners of two groups at the same lattice point become one when an
 *      edge joins the groups.
 *   4. Corners with a weight become coarse nodes, in Morton order.
 *   5. The coarse graph follows from the groups (multigrid_graph.c). */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "multigrid_lattice.h"

/* A node whose neighbours are farther away than this many spacings is carried to the coarse level as it is. */
static const double carry_beyond = 0.8;

static int32_t find(int32_t *root, int32_t i) {
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

static void join(int32_t *root, int32_t a, int32_t b) {
    a = find(root, a), b = find(root, b);
    if (a < b)
        root[b] = a;
    else if (b < a)
        root[a] = b;
}

/* A coordinate of a fine node, measured from the first plane of the lattice in spacings. */
static double along(const sn_mg_builder *b, int i, int a) {
    return (b->fine->position[3 * i + a] - b->site->low[a]) / b->site->spacing[a];
}

static void place_nodes(sn_mg_builder *b) {
    const sn_mg_level *fine = b->fine;
    for (int i = 0; i < fine->nodes; ++i) {
        for (int a = 0; a < 3; ++a) { /* the last plane belongs to the cells before it */
            const int32_t cell = (int32_t)floor(along(b, i, a));
            b->cell[i][a] = cell < b->site->cells[a] ? cell : b->site->cells[a] - 1;
        }
        const bool alone = fine->row_begin[i + 1] - fine->row_begin[i] == 1;
        b->carried[i] = alone || fine->reach[i] > carry_beyond * b->site->nominal;
        b->root[i] = i;
    }
    for (int i = 0; i < fine->nodes; ++i) {
        if (b->carried[i]) continue;
        for (int32_t k = fine->row_begin[i]; k < fine->row_begin[i + 1]; ++k) {
            const int j = fine->column[k];
            if (j < i && !b->carried[j] && memcmp(b->cell[i], b->cell[j], sizeof b->cell[i]) == 0) join(b->root, i, j);
        }
    }
}

/* Makes the groups in the order of their first node, and sorts the members by group. */
static sn_status make_groups(sn_mg_builder *b, sn_error *error) {
    sn_mg_transfer *d = b->down;
    const int n = b->fine->nodes;
    d->group_of = sn_allocate(b->context, (size_t)n, sizeof *d->group_of);
    d->member = sn_allocate(b->context, (size_t)n, sizeof *d->member);
    d->weight = sn_allocate_zero(b->context, (size_t)n, sizeof *d->weight);
    if (!d->group_of || !d->member || !d->weight) return sn_no_memory(error);
    d->group_count = 0;
    for (int i = 0; i < n; ++i) {
        const int r = find(b->root, i);
        d->group_of[i] = r == i ? d->group_count++ : d->group_of[r];
    }
    d->group = sn_allocate_zero(b->context, (size_t)d->group_count, sizeof *d->group);
    if (!d->group) return sn_no_memory(error);
    for (int i = 0; i < n; ++i) ++d->group[d->group_of[i]].node_end;
    int32_t place = 0;
    for (int g = 0; g < d->group_count; ++g) {
        d->group[g].node_begin = place;
        place += d->group[g].node_end;
        d->group[g].node_end = d->group[g].node_begin;
    }
    for (int i = 0; i < n; ++i) d->member[d->group[d->group_of[i]].node_end++] = i;
    return SN_OK;
}

static void set_weights(sn_mg_builder *b) {
    for (int i = 0; i < b->fine->nodes; ++i) {
        float *w = b->down->weight[i];
        if (b->carried[i]) {
            w[0] = 1;
            continue;
        }
        double f[3];
        for (int a = 0; a < 3; ++a) f[a] = along(b, i, a) - b->cell[i][a];
        for (int c = 0; c < 8; ++c) {
            const double share = (c & 1 ? f[0] : 1 - f[0]) * (c & 2 ? f[1] : 1 - f[1]) * (c & 4 ? f[2] : 1 - f[2]);
            w[c] = share > 1e-7 ? (float)share : 0.0f;
        }
    }
}

/* Corners of two groups that an edge joins: they become one when they are the same lattice point. */
static void join_corners(sn_mg_builder *b, int i, int j) {
    int shift[3];
    for (int a = 0; a < 3; ++a) {
        shift[a] = b->cell[i][a] - b->cell[j][a];
        if (shift[a] < -1 || shift[a] > 1) return;
    }
    for (int c = 0; c < 8; ++c) {
        int other = 0;
        bool shared = true;
        for (int a = 0; a < 3; ++a) {
            const int at = (c >> a & 1) + shift[a];
            if (at < 0 || at > 1) shared = false;
            other |= (at & 1) << a;
        }
        if (shared) join(b->corner_root, 8 * b->down->group_of[i] + c, 8 * b->down->group_of[j] + other);
    }
}

typedef struct numbered {
    uint64_t morton;
    int32_t corner;
} numbered;

static int by_morton(const void *a, const void *b) {
    const numbered *x = a, *y = b;
    if (x->morton != y->morton) return x->morton < y->morton ? -1 : 1;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

static uint64_t spread(uint64_t v) {
    v &= 0x1fffff;
    v = (v | v << 32) & 0x1f00000000ffff;
    v = (v | v << 16) & 0x1f0000ff0000ff;
    v = (v | v << 8) & 0x100f00f00f00f00f;
    v = (v | v << 4) & 0x10c30c30c30c30c3;
    return (v | v << 2) & 0x1249249249249249;
}

static void lattice_point(const sn_mg_builder *b, int g, int c, int32_t point[3]) {
    const int32_t *cell = b->cell[b->down->member[b->down->group[g].node_begin]];
    for (int a = 0; a < 3; ++a) point[a] = cell[a] + (c >> a & 1);
}

/* Numbers the corners that have a weight, and fills parents and coarse positions (in preliminary order). */
static sn_status number_corners(sn_mg_builder *b, sn_error *error) {
    sn_mg_transfer *d = b->down;
    const int corners = 8 * d->group_count;
    numbered *list = sn_allocate(b->context, (size_t)corners, sizeof *list);
    b->corner_root = sn_allocate(b->context, (size_t)corners, sizeof *b->corner_root);
    b->coarse_of = sn_allocate(b->context, (size_t)corners, sizeof *b->coarse_of);
    if (!list || !b->corner_root || !b->coarse_of) {
        sn_release(b->context, list);
        return sn_no_memory(error);
    }
    for (int c = 0; c < corners; ++c) b->corner_root[c] = c, b->coarse_of[c] = -1;
    for (int i = 0; i < b->fine->nodes; ++i) {
        if (b->carried[i]) continue;
        for (int32_t k = b->fine->row_begin[i]; k < b->fine->row_begin[i + 1]; ++k) {
            const int j = b->fine->column[k];
            if (j < i && !b->carried[j] && d->group_of[i] != d->group_of[j]) join_corners(b, i, j);
        }
    }
    uint8_t *used = (uint8_t *)b->stamp; /* the array is large enough: see sn_mg_build_transfer */
    memset(used, 0, (size_t)corners);
    for (int i = 0; i < b->fine->nodes; ++i)
        for (int c = 0; c < 8; ++c)
            if (d->weight[i][c] != 0) used[find(b->corner_root, 8 * d->group_of[i] + c)] = 1;
    int count = 0;
    for (int c = 0; c < corners; ++c) {
        if (!used[c]) continue; /* only roots are marked */
        int32_t p[3];
        lattice_point(b, c / 8, c % 8, p);
        list[count++] = (numbered){
            spread((uint64_t)(p[0] + 1)) | spread((uint64_t)(p[1] + 1)) << 1 | spread((uint64_t)(p[2] + 1)) << 2, c};
    }
    qsort(list, (size_t)count, sizeof *list, by_morton);
    for (int i = 0; i < count; ++i) b->coarse_of[list[i].corner] = i;
    sn_release(b->context, list);
    b->coarse_count = count;

    sn_mg_level *coarse = b->coarse;
    coarse->nodes = count;
    coarse->position = sn_allocate(b->context, (size_t)count * 3, sizeof *coarse->position);
    coarse->reach = sn_allocate(b->context, (size_t)count, sizeof *coarse->reach);
    if (!coarse->position || !coarse->reach) return sn_no_memory(error);
    for (int g = 0; g < d->group_count; ++g) {
        sn_mg_group *group = &d->group[g];
        const int first = d->member[group->node_begin];
        group->color = b->carried[first]
                           ? 0
                           : (b->cell[first][0] & 1) | (b->cell[first][1] & 1) << 1 | (b->cell[first][2] & 1) << 2;
        for (int c = 0; c < 8; ++c) {
            float most = 0;
            for (int32_t m = group->node_begin; m < group->node_end; ++m)
                most = fmaxf(most, d->weight[d->member[m]][c]);
            const int parent = most > 0 ? b->coarse_of[find(b->corner_root, 8 * g + c)] : -1;
            group->parent[c] = parent;
            if (parent < 0) continue;
            int32_t p[3];
            lattice_point(b, g, c, p);
            for (int a = 0; a < 3; ++a)
                coarse->position[3 * parent + a] =
                    b->carried[first] ? b->fine->position[3 * first + a] : b->site->low[a] + b->site->spacing[a] * p[a];
            coarse->reach[parent] = b->carried[first] ? b->fine->reach[first] : b->site->nominal;
        }
    }
    return SN_OK;
}

static int32_t place_of(const sn_mg_level *level, int32_t row, int32_t column) {
    int32_t low = level->row_begin[row], high = level->row_begin[row + 1] - 1;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (level->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Groups of one colour must share no coarse node. The parity of the cell is such a colour, with one exception: separate
 * parts in one cell may meet in a corner through their neighbours. Such a group takes the first colour that is free at
 * all its corners. When there is none, it gets a new colour that no other group has. */
static sn_status color_groups(sn_mg_builder *b, sn_error *error) {
    sn_mg_transfer *d = b->down;
    enum { SHARED = 64 };
    uint64_t *taken = sn_allocate_zero(b->context, (size_t)b->coarse_count, sizeof *taken);
    if (!taken) return sn_no_memory(error);
    int colors = 8, own = 0;
    for (int g = 0; g < d->group_count; ++g) {
        sn_mg_group *group = &d->group[g];
        uint64_t used = 0;
        for (int c = 0; c < 8; ++c)
            if (group->parent[c] >= 0) used |= taken[group->parent[c]];
        if (used >> group->color & 1) group->color = ~used ? __builtin_ctzll(~used) : SHARED + own++;
        if (group->color >= colors) colors = group->color + 1;
        for (int c = 0; c < 8 && group->color < SHARED; ++c)
            if (group->parent[c] >= 0) taken[group->parent[c]] |= (uint64_t)1 << group->color;
    }
    sn_release(b->context, taken);
    d->color_count = colors;
    d->color_begin = sn_allocate_zero(b->context, (size_t)colors + 2, sizeof *d->color_begin);
    d->color_group = sn_allocate(b->context, (size_t)d->group_count, sizeof *d->color_group);
    if (!d->color_begin || !d->color_group) return sn_no_memory(error);
    for (int g = 0; g < d->group_count; ++g) ++d->color_begin[d->group[g].color + 2];
    for (int c = 0; c < colors; ++c) d->color_begin[c + 2] += d->color_begin[c + 1];
    for (int g = 0; g < d->group_count; ++g) d->color_group[d->color_begin[d->group[g].color + 1]++] = g;
    return SN_OK;
}

/* Makes the weights by member, and the list of groups whose sums make up P^T r at a coarse node. */
static sn_status give_sums(sn_mg_builder *b, sn_error *error) {
    sn_mg_transfer *d = b->down;
    const int coarse = b->coarse->nodes;
    d->member_weight = sn_allocate_zero(b->context, (size_t)b->fine->nodes + 1, sizeof *d->member_weight);
    d->sum = sn_allocate_zero(b->context, (size_t)d->group_count * SN_MG_PARENTS * 4, sizeof *d->sum);
    d->giver_begin = sn_allocate_zero(b->context, (size_t)coarse + 2, sizeof *d->giver_begin);
    d->giver = sn_allocate(b->context, (size_t)d->group_count * SN_MG_PARENTS, sizeof *d->giver);
    if (!d->member_weight || !d->sum || !d->giver_begin || !d->giver) return sn_no_memory(error);
    for (int m = 0; m < b->fine->nodes; ++m)
        memcpy(d->member_weight[m], d->weight[d->member[m]], sizeof *d->member_weight);
    for (int k = 0; k < d->group_count * SN_MG_PARENTS; ++k) {
        const int32_t parent = d->group[k / SN_MG_PARENTS].parent[k % SN_MG_PARENTS];
        if (parent >= 0) ++d->giver_begin[parent + 2];
    }
    for (int i = 0; i < coarse; ++i) d->giver_begin[i + 2] += d->giver_begin[i + 1];
    for (int k = 0; k < d->group_count * SN_MG_PARENTS; ++k) {
        const int32_t parent = d->group[k / SN_MG_PARENTS].parent[k % SN_MG_PARENTS];
        if (parent >= 0) d->giver[d->giver_begin[parent + 1]++] = k;
    }
    return SN_OK;
}

/* Finds the places of each group's products, sorts the groups by colour, and prepares the sums of the restriction. */
static sn_status finish(sn_mg_builder *b, sn_error *error) {
    sn_mg_transfer *d = b->down;
    sn_mg_level *coarse = b->coarse;
    d->target_begin = sn_allocate(b->context, (size_t)d->group_count + 1, sizeof *d->target_begin);
    if (!d->target_begin) return sn_no_memory(error);
    int64_t targets = 0;
    for (int g = 0; g < d->group_count; ++g) {
        d->target_begin[g] = targets;
        targets += 8 * (int64_t)(d->group[g].column_end - d->group[g].column_begin);
    }
    d->target_begin[d->group_count] = targets;
    d->target = sn_allocate(b->context, (size_t)targets, sizeof *d->target);
    if (!d->target) return sn_no_memory(error);
    for (int g = 0; g < d->group_count; ++g) {
        const sn_mg_group *group = &d->group[g];
        int32_t *target = d->target + d->target_begin[g];
        for (int c = 0; c < 8; ++c)
            for (int32_t k = group->column_begin; k < group->column_end; ++k)
                *target++ = group->parent[c] < 0 || !(d->column_parents[k] >> c & 1)
                                ? -1
                                : place_of(coarse, group->parent[c], d->column[k]);
    }
    d->parent = sn_allocate(b->context, (size_t)d->group_count, sizeof *d->parent);
    if (!d->parent) return sn_no_memory(error);
    for (int g = 0; g < d->group_count; ++g)
        for (int c = 0; c < 8; ++c) d->parent[g][c] = d->group[g].parent[c] < 0 ? 0 : d->group[g].parent[c];
    const sn_status status = color_groups(b, error);
    return status ? status : give_sums(b, error);
}

static sn_status build(sn_mg_builder *b, sn_error *error) {
    place_nodes(b);
    sn_status status = make_groups(b, error);
    if (status) return status;
    set_weights(b);
    b->stamp = sn_allocate(b->context, (size_t)b->down->group_count * 8, sizeof *b->stamp);
    if (!b->stamp) return sn_no_memory(error);
    if ((status = number_corners(b, error))) return status;
    if (b->site->elements && (status = sn_mg_assign_cells(b->context, b->site, b->down, error))) return status;
    if ((status = sn_mg_build_graph(b, error))) return status;
    return finish(b, error);
}

/* Lays a lattice from one end of the level to the other. The first lattice has no spacings yet: they are chosen to fit
 * the body in each direction, because cells that the body hardly reaches into are of little use. */
static void place_lattice(sn_mg_site *site) {
    for (int a = 0; a < 3; ++a) {
        double high = -INFINITY;
        site->low[a] = INFINITY;
        for (int i = 0; i < site->level->nodes; ++i) {
            site->low[a] = fmin(site->low[a], site->level->position[3 * i + a]);
            high = fmax(high, site->level->position[3 * i + a]);
        }
        const double extent = high - site->low[a];
        if (!(site->spacing[a] > 0))
            site->spacing[a] = extent > site->nominal ? extent / round(extent / site->nominal) : site->nominal;
        const double cells = ceil(extent / site->spacing[a] - 1e-6);
        site->cells[a] = cells > 1 ? (int32_t)fmin(cells, 1 << 20) : 1;
    }
}

sn_status sn_mg_build_transfer(sn_context *context, sn_mg_site *site, sn_mg_level *coarse, sn_error *error) {
    sn_mg_level *fine = site->level;
    const size_t n = (size_t)fine->nodes;
    place_lattice(site);
    site->cell = sn_allocate(context, n, sizeof *site->cell);
    site->carried = sn_allocate(context, n, sizeof *site->carried);
    sn_mg_builder b = {
        .context = context, .site = site, .fine = fine, .coarse = coarse, .cell = site->cell, .carried = site->carried};
    fine->down = b.down = sn_allocate_zero(context, 1, sizeof *b.down);
    b.root = sn_allocate(context, n, sizeof *b.root);
    const sn_status status = b.down && b.cell && b.carried && b.root ? build(&b, error) : sn_no_memory(error);
    sn_release(context, b.cell);
    sn_release(context, b.carried);
    sn_release(context, b.root);
    sn_release(context, b.stamp);
    sn_release(context, b.corner_root);
    sn_release(context, b.coarse_of);
    sn_release(context, b.renumber);
    return status;
}

void sn_mg_release_transfer(sn_context *context, sn_mg_transfer *t) {
    if (!t) return;
    void *const array[] = {t->group,  t->color_begin,   t->color_group,  t->member, t->group_of,      t->weight,
                           t->column, t->target,        t->target_begin, t->near_,  t->near_of,       t->giver_begin,
                           t->giver,  t->member_weight, t->sum,          t->parent, t->column_parents};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_mg_release_cells(context, t->cells);
    sn_release(context, t);
}

void sn_mg_release_level(sn_context *context, sn_mg_level *l) {
    void *const array[] = {l->source,  l->row_begin, l->column,      l->diagonal,    l->value, l->scale,
                           l->unscale, l->inverse,   l->color_begin, l->piece_begin, l->x,     l->b,
                           l->r,       l->position,  l->reach,       l->frame};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_mg_release_transfer(context, l->down);
    sn_mg_release_slices(context, l->slices);
}
