/* Order of the nodes for locality: reverse Cuthill-McKee on the graph in which the nodes of a tet (or, without tets, of
 * a triangle) are neighbours.
 *
 * Each piece starts at a node far out, found by walking to the last level of a breadth-first search until the depth no
 * longer grows (George and Liu, 1979); a level lists the neighbours of its nodes by degree, then by index. The rows of
 * a matrix then reach only about one layer of the mesh to either side, so that a product with a vector reads it almost
 * in a stream. Nodes without neighbours come last. */
#include <string.h>

#include "mesh_internal.h"

typedef struct graph {
    int64_t *begin; /* node_count + 1 */
    int32_t *neighbour;
} graph;

static void graph_destroy(const sn_context *context, graph *g) {
    sn_release(context, g->begin);
    sn_release(context, g->neighbour);
}

/* Cells around each node: begin (n + 1), list. */
static sn_status cells_of_nodes(const sn_mesh *mesh, const int32_t *cell, int count, int per_cell, graph *g,
                                sn_error *error) {
    const int n = mesh->node_count;
    const size_t total = (size_t)count * (size_t)per_cell;
    g->begin = sn_allocate_zero(mesh->context, (size_t)n + 2, sizeof *g->begin);
    g->neighbour = sn_allocate(mesh->context, total, sizeof *g->neighbour);
    if (!g->begin || !g->neighbour) return sn_no_memory(error);
    for (size_t i = 0; i < total; ++i) ++g->begin[cell[i] + 2];
    for (int i = 0; i < n; ++i) g->begin[i + 2] += g->begin[i + 1];
    for (size_t i = 0; i < total; ++i) g->neighbour[g->begin[cell[i] + 1]++] = (int32_t)(i / (size_t)per_cell);
    return SN_OK;
}

/* Visits each neighbour of `node` once; `seen` holds the last node that met each. Writes them when `out` is given. */
static int64_t collect(const graph *cells, const int32_t *cell, int per_cell, int32_t node, int32_t *seen,
                       int32_t *out) {
    int64_t count = 0;
    seen[node] = node;
    for (int64_t i = cells->begin[node]; i < cells->begin[node + 1]; ++i) {
        const int32_t *c = cell + (size_t)cells->neighbour[i] * (size_t)per_cell;
        for (int k = 0; k < per_cell; ++k) {
            if (seen[c[k]] == node) continue;
            seen[c[k]] = node;
            if (out) out[count] = c[k];
            ++count;
        }
    }
    return count;
}

static sn_status graph_create(const sn_mesh *mesh, graph *g, sn_error *error) {
    const bool tets = mesh->tet_count > 0;
    const int32_t *cell = tets ? mesh->tet : mesh->triangle;
    const int count = tets ? mesh->tet_count : mesh->triangle_count, per_cell = tets ? mesh->tet_nodes : 3,
              n = mesh->node_count;
    graph cells = {0};
    int32_t *seen = sn_allocate(mesh->context, (size_t)n, sizeof *seen);
    g->begin = sn_allocate_zero(mesh->context, (size_t)n + 1, sizeof *g->begin);
    sn_status status =
        seen && g->begin ? cells_of_nodes(mesh, cell, count, per_cell, &cells, error) : sn_no_memory(error);
    if (!status) {
        memset(seen, 0xff, (size_t)n * sizeof *seen);
        for (int i = 0; i < n; ++i) g->begin[i + 1] = g->begin[i] + collect(&cells, cell, per_cell, i, seen, NULL);
        g->neighbour = sn_allocate(mesh->context, (size_t)g->begin[n], sizeof *g->neighbour);
        if (!g->neighbour) status = sn_no_memory(error);
    }
    if (!status) {
        memset(seen, 0xff, (size_t)n * sizeof *seen);
        for (int i = 0; i < n; ++i) collect(&cells, cell, per_cell, i, seen, g->neighbour + g->begin[i]);
    }
    sn_release(mesh->context, seen);
    graph_destroy(mesh->context, &cells);
    return status;
}

static int64_t degree(const graph *g, int32_t node) { return g->begin[node + 1] - g->begin[node]; }

static bool comes_before(const graph *g, int32_t a, int32_t b) {
    const int64_t da = degree(g, a), db = degree(g, b);
    return da != db ? da < db : a < b;
}

/* A node's fresh neighbours are few: insertion sort; a hub of very many: heap sort. */
static void sort_by_degree(const graph *g, int32_t *node, int64_t count) {
    if (count <= 64) {
        for (int64_t i = 1; i < count; ++i) {
            const int32_t moved = node[i];
            int64_t hole = i;
            for (; hole > 0 && comes_before(g, moved, node[hole - 1]); --hole) node[hole] = node[hole - 1];
            node[hole] = moved;
        }
        return;
    }
    for (int64_t start = count / 2, end = count; end > 1;) {
        int32_t moved;
        if (start > 0) {
            moved = node[--start];
        } else {
            moved = node[--end];
            node[end] = node[0];
        }
        int64_t hole = start;
        for (int64_t child; (child = 2 * hole + 1) < end; hole = child) {
            if (child + 1 < end && comes_before(g, node[child], node[child + 1])) ++child;
            if (!comes_before(g, moved, node[child])) break;
            node[hole] = node[child];
        }
        node[hole] = moved;
    }
}

/* Breadth first from `start`: fills `queue`, returns how many; `mark` gets `stamp`. *depth and *last: the last level's
 * number and begin. */
static int search(const graph *g, int32_t start, int32_t stamp, int32_t *mark, int32_t *queue, bool sorted, int *depth,
                  int *last) {
    int count = 1;
    queue[0] = start;
    mark[start] = stamp;
    *depth = 0;
    *last = 0;
    for (int level = 0, next = 1; level < count;) {
        for (; level < next; ++level) {
            const int fresh = count;
            const int32_t node = queue[level];
            for (int64_t i = g->begin[node]; i < g->begin[node + 1]; ++i)
                if (mark[g->neighbour[i]] != stamp) mark[g->neighbour[i]] = stamp, queue[count++] = g->neighbour[i];
            if (sorted) sort_by_degree(g, queue + fresh, count - fresh);
        }
        if (count > next) ++*depth, *last = next;
        next = count;
    }
    return count;
}

/* Numbers one piece from the back. */
static int order_piece(const graph *g, int32_t seed, int32_t *stamp, int32_t *mark, int32_t *queue) {
    int depth, last, best = -1;
    int32_t start = seed;
    for (int round = 0; round < 8; ++round) { /* a few rounds settle it; the bound keeps the work linear */
        const int count = search(g, start, ++*stamp, mark, queue, false, &depth, &last);
        if (depth <= best) break;
        best = depth;
        int32_t next = queue[last];
        for (int i = last + 1; i < count; ++i)
            if (comes_before(g, queue[i], next)) next = queue[i];
        if (round < 7) start = next;
    }
    return search(g, start, ++*stamp, mark, queue, true, &depth, &last);
}

static void order(const sn_mesh *mesh, const graph *g, int32_t *mark, int32_t *queue, int32_t *new_of_old) {
    const int n = mesh->node_count;
    int placed = 0;
    int32_t stamp = 0;
    for (int i = 0; i < n; ++i) new_of_old[i] = -1;
    for (int i = 0; i < n; ++i) {
        if (new_of_old[i] >= 0 || degree(g, i) == 0) continue;
        const int count = order_piece(g, i, &stamp, mark, queue);
        for (int k = 0; k < count; ++k) new_of_old[queue[k]] = placed + count - 1 - k;
        placed += count;
    }
    for (int i = 0; i < n; ++i)
        if (new_of_old[i] < 0) new_of_old[i] = placed++;
}

sn_status sn_mesh_order(const sn_mesh *mesh, int32_t *new_of_old, sn_error *error) {
    sn_status status = sn_mesh_check(mesh, error);
    if (status) return status;
    graph g = {0};
    int32_t *mark = sn_allocate_zero(mesh->context, (size_t)mesh->node_count, sizeof *mark);
    int32_t *queue = sn_allocate(mesh->context, (size_t)mesh->node_count, sizeof *queue);
    status = mark && queue ? graph_create(mesh, &g, error) : sn_no_memory(error);
    if (!status) order(mesh, &g, mark, queue, new_of_old);
    graph_destroy(mesh->context, &g);
    sn_release(mesh->context, mark);
    sn_release(mesh->context, queue);
    return status;
}
