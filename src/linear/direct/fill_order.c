/* Approximate minimum degree on the quotient graph (Amestoy, Davis and Duff 1996), without their supervariables.
 *
 * An eliminated node becomes an element: a clique, stored as the list of its remaining nodes. Node i has the elements
 * E_i and the nodes A_i that it touches directly. Both are in one list of the length of its row. Eliminating p does
 * this:
 *   L_p = A_p and the nodes of all elements of E_p, without p;   p absorbs those elements;
 *   for i in L_p: E_i loses the absorbed elements and gains p, A_i loses the nodes of L_p.
 * Each i loses at least one entry for the one that it gains, so a list never outgrows its space. The degree of i is
 * bounded by |A_i| + |L_p - i| + sum of |L_e - L_p| over its other elements. Among equal degrees, the node that entered
 * the list of that degree last comes first. The order therefore depends only on the graph. */
#include "fill_order.h"

#include <stdbool.h>
#include <string.h>

typedef struct graph {
    int nodes;
    int32_t *begin;            /* start of a node's list: elements, then nodes */
    int32_t *elements, *count; /* number of elements, and number of nodes, in the list */
    int32_t *list;
    int32_t *degree, *previous, *next, *head; /* nodes by degree, doubly linked */
    int32_t *state;                           /* 0: node, 1: element, 2: absorbed */
    int32_t *mark, *outside, *stamp;          /* mark[i] == p: in L_p; outside[e]: |L_e - L_p| when stamp[e] == p */
    int64_t *member_begin;                    /* start of an element's list in `pool` */
    int32_t *member_count, *pool;
    int64_t pool_capacity, pool_used;
} graph;

static void unlink_node(graph *g, int32_t i) {
    if (g->previous[i] >= 0)
        g->next[g->previous[i]] = g->next[i];
    else
        g->head[g->degree[i]] = g->next[i];
    if (g->next[i] >= 0) g->previous[g->next[i]] = g->previous[i];
}

static void link_node(graph *g, int32_t i, int32_t degree) {
    g->degree[i] = degree;
    g->previous[i] = -1;
    g->next[i] = g->head[degree];
    if (g->next[i] >= 0) g->previous[g->next[i]] = i;
    g->head[degree] = i;
}

static sn_status graph_create(const sn_context *context, const sn_pattern *pattern, sn_room *room, graph *g,
                              sn_error *error) {
    const size_t n = (size_t)pattern->nodes;
    *g = (graph){.nodes = pattern->nodes};
    int32_t **array[] = {&g->begin, &g->elements, &g->count, &g->degree, &g->previous,     &g->next,
                         &g->head,  &g->state,    &g->mark,  &g->stamp,  &g->member_count, &g->outside};
    bool good = true;
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) {
        *array[i] = sn_room_take(context, room, n + 1, sizeof(int32_t));
        if (*array[i]) memset(*array[i], 0, (n + 1) * sizeof(int32_t));
        good = good && *array[i];
    }
    g->list = sn_room_take(context, room, (size_t)pattern->block_count, sizeof *g->list);
    g->member_begin = sn_room_take(context, room, n, sizeof *g->member_begin);
    g->pool = sn_room_take(context, room, n, sizeof *g->pool); /* the last one: it grows on the way */
    g->pool_capacity = pattern->nodes;
    if (!good || !g->list || !g->member_begin || !g->pool) return sn_no_memory(error);
    int32_t next = 0;
    for (int i = 0; i < g->nodes; ++i) g->head[i] = g->mark[i] = g->stamp[i] = -1;
    for (int32_t i = g->nodes - 1; i >= 0;
         --i) { /* backwards, so that among equal degrees the lowest number comes first */
        g->begin[i] = next;
        for (int32_t k = pattern->row_begin[i]; k < pattern->row_begin[i + 1]; ++k)
            if (pattern->column[k] != i) g->list[next++] = pattern->column[k];
        g->count[i] = next - g->begin[i];
        link_node(g, i, g->count[i]);
    }
    return SN_OK;
}

/* Writes L_p to the pool, marks its nodes and takes them out of the degree lists. */
static sn_status form_element(const sn_context *context, sn_room *room, graph *g, int32_t p, sn_error *error) {
    const int32_t *list = g->list + g->begin[p];
    int64_t bound = g->count[p];
    for (int k = 0; k < g->elements[p]; ++k) bound += g->member_count[list[k]];
    if (g->pool_used + bound > INT32_MAX)
        return sn_fail(error, SN_UNSUPPORTED, "the factor has too many blocks for the direct solver");
    if (g->pool_used + bound > g->pool_capacity) {
        g->pool_capacity = g->pool_used + bound;
        int32_t *pool = sn_room_extend(context, room, (size_t)g->pool_capacity, sizeof *g->pool);
        if (!pool) return sn_no_memory(error);
        g->pool = pool;
    }
    int32_t *member = g->pool + g->pool_used, count = 0;
    g->mark[p] = p;
    for (int k = 0; k < g->elements[p] + g->count[p]; ++k) {
        const bool element = k < g->elements[p];
        const int32_t *from = element ? g->pool + g->member_begin[list[k]] : list + k;
        for (int32_t m = 0; m < (element ? g->member_count[list[k]] : 1); ++m) {
            const int32_t i = from[m];
            if (g->state[i] != 0 || g->mark[i] == p) continue;
            g->mark[i] = p;
            member[count++] = i;
            unlink_node(g, i);
        }
        if (element) g->state[list[k]] = 2;
    }
    g->state[p] = 1;
    g->member_begin[p] = g->pool_used;
    g->member_count[p] = count;
    g->pool_used += count;
    return SN_OK;
}

/* Computes |L_e - L_p| for all elements e around L_p. */
static void count_outside(graph *g, int32_t p) {
    const int32_t *member = g->pool + g->member_begin[p];
    for (int32_t m = 0; m < g->member_count[p]; ++m) {
        const int32_t *list = g->list + g->begin[member[m]];
        for (int k = 0; k < g->elements[member[m]]; ++k) {
            const int32_t e = list[k];
            if (g->state[e] == 2) continue;
            if (g->stamp[e] != p) {
                g->stamp[e] = p;
                /* The list still has eliminated nodes: count the remaining ones once per visit. */
                int32_t living = 0, *inside = g->pool + g->member_begin[e];
                for (int32_t l = 0; l < g->member_count[e]; ++l)
                    if (g->state[inside[l]] == 0) inside[living++] = inside[l];
                g->member_count[e] = living;
                g->outside[e] = living;
            }
            --g->outside[e];
        }
    }
}

/* Updates lists and degree of a node of L_p. `left`: the number of nodes that are not eliminated yet. */
static void update_node(graph *g, int32_t p, int32_t i, int32_t left) {
    int32_t *list = g->list + g->begin[i], kept = 0;
    const int32_t elements = g->elements[i], all = elements + g->count[i];
    int64_t degree = g->member_count[p] - 1;
    for (int32_t k = 0; k < elements; ++k) {
        const int32_t e = list[k];
        if (g->state[e] == 2) continue;
        if (g->outside[e] == 0) { /* no node is outside L_p: p absorbs e */
            g->state[e] = 2;
            continue;
        }
        degree += g->outside[e];
        list[kept++] = e;
    }
    g->elements[i] = kept;
    int32_t nodes = 0;
    int32_t first = -1; /* p may take the place of the first node */
    for (int32_t k = elements; k < all; ++k) {
        const int32_t j = list[k];
        if (g->state[j] != 0 || g->mark[j] == p) continue;
        if (nodes == 0)
            first = j;
        else
            list[kept + nodes] = j;
        ++nodes;
    }
    /* The order is: elements, p, nodes. There is room for p at `kept`, because i lost p or an element. */
    if (nodes) {
        memmove(list + kept + 2, list + kept + 1, (size_t)(nodes - 1) * sizeof *list);
        list[kept + 1] = first;
    }
    list[kept] = p;
    g->elements[i] = kept + 1;
    g->count[i] = nodes;
    degree += nodes;
    const int64_t before = (int64_t)g->degree[i] + g->member_count[p] - 1;
    if (degree > before) degree = before;
    if (degree > left - 1) degree = left - 1;
    link_node(g, i, (int32_t)(degree > 0 ? degree : 0));
}

sn_status sn_order_minimum_degree(const sn_context *context, const sn_pattern *pattern, sn_room *room, int32_t *order,
                                  sn_error *error) {
    graph g;
    sn_status status = graph_create(context, pattern, room, &g, error);
    int32_t lowest = 0;
    for (int32_t k = 0; k < pattern->nodes && !status; ++k) {
        while (g.head[lowest] < 0) ++lowest;
        const int32_t p = g.head[lowest];
        order[k] = p;
        unlink_node(&g, p);
        status = form_element(context, room, &g, p, error);
        if (status) break;
        count_outside(&g, p);
        const int32_t *member = g.pool + g.member_begin[p];
        for (int32_t m = 0; m < g.member_count[p]; ++m) {
            update_node(&g, p, member[m], pattern->nodes - k - 1);
            if (g.degree[member[m]] < lowest) lowest = g.degree[member[m]];
        }
    }
    return status;
}
