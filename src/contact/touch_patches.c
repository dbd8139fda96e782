/* Patches of a surface; see touch_patches.h. */
#include "touch_patches.h"

#include <limits.h>

enum { COLLIDER_CLUSTER = 8 };

/* ---- Which triangles may share a patch ---- */

/* Adds the carriers of a vertex to a sorted set. Returns the size of the set, or 5 when it has more than 4. */
static int add_carriers(const sn_touch_surface *surface, int32_t vertex, int32_t node[4], int count) {
    for (int32_t i = surface->carrier_first[vertex]; i < surface->carrier_first[vertex + 1] && count <= 4; ++i) {
        int place = 0;
        while (place < count && node[place] < surface->carrier_node[i]) ++place;
        if (place < count && node[place] == surface->carrier_node[i]) continue;
        if (count == 4) return 5;
        for (int k = count++; k > place; --k) node[k] = node[k - 1];
        node[place] = surface->carrier_node[i];
    }
    return count;
}

/* The carriers that stand for a triangle, padded with -1: those of all its corners when one tet has them. Otherwise
 * those of two corners that agree, or those of the first corner. */
static void carriers_of(const sn_touch_surface *surface, int32_t triangle, int32_t node[4]) {
    const int32_t *corner = &surface->triangle[3 * (size_t)triangle];
    int count = 0;
    for (int k = 0; k < 3 && count <= 4; ++k) count = add_carriers(surface, corner[k], node, count);
    if (count > 4) {
        count = add_carriers(surface, corner[1], node, 0);
        const int own = count, both = add_carriers(surface, corner[2], node, count);
        count = both == own ? own : add_carriers(surface, corner[0], node, 0);
    }
    for (int k = count; k < 4; ++k) node[k] = -1;
}

static bool equal4(const int32_t a[4], const int32_t b[4]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

/* Gives triangles with equal carriers the same label: the number of the first such triangle. */
static sn_status label_triangles(const sn_touch_surface *surface, int32_t *label, sn_error *error) {
    uint32_t size = 16;
    while (size < 2 * (uint32_t)surface->triangle_count) size *= 2;
    int32_t *table = sn_allocate(surface->context, size, sizeof *table);
    if (!table) return sn_no_memory(error);
    for (uint32_t i = 0; i < size; ++i) table[i] = -1;
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        int32_t node[4], other[4];
        uint32_t hash = 2166136261u;
        carriers_of(surface, t, node);
        for (int i = 0; i < 4; ++i) hash = (hash ^ (uint32_t)node[i]) * 0x9E3779B1u, hash ^= hash >> 15;
        uint32_t place = hash & (size - 1);
        for (; table[place] >= 0; place = (place + 1) & (size - 1)) {
            carriers_of(surface, table[place], other);
            if (equal4(node, other)) break;
        }
        if (table[place] < 0) table[place] = t;
        label[t] = table[place];
    }
    sn_release(surface->context, table);
    return SN_OK;
}

static int most_carriers(const sn_touch_surface *surface) {
    int most = 0;
    for (int v = 0; surface->carrier_node && v < surface->vertex_count; ++v) {
        const int count = surface->carrier_first[v + 1] - surface->carrier_first[v];
        most = count > most ? count : most;
    }
    return most;
}

static sn_status count_nodes(const sn_touch_surface *surface, int *count, sn_error *error) {
    const int32_t carriers = surface->carrier_first[surface->vertex_count];
    int32_t most = 0;
    for (int32_t i = 0; i < carriers; ++i) most = surface->carrier_node[i] > most ? surface->carrier_node[i] : most;
    uint8_t *met = sn_allocate_zero(surface->context, (size_t)most + 1, 1);
    if (!met) return sn_no_memory(error);
    *count = 0;
    for (int32_t i = 0; i < carriers; ++i) {
        *count += !met[surface->carrier_node[i]];
        met[surface->carrier_node[i]] = 1;
    }
    sn_release(surface->context, met);
    return SN_OK;
}

/* The most triangles of a patch, and whether labels matter. */
static sn_status limit_of(const sn_touch_surface *surface, int *limit, bool *labelled, sn_error *error) {
    const int carriers = most_carriers(surface);
    *labelled = carriers > 1 && carriers <= 4;
    *limit = *labelled ? INT_MAX : carriers == 1 ? 1 : COLLIDER_CLUSTER;
    if (carriers <= 4) return SN_OK;
    int nodes = 0;
    const sn_status status = count_nodes(surface, &nodes, error);
    *limit = nodes > 0 && surface->triangle_count > nodes ? surface->triangle_count / nodes : 1;
    return status;
}

/* ---- Growing ---- */

/* Cuts the surface into connected sets of at most `limit` triangles, with equal labels when `label` is not NULL. Each
 * set grows from its first triangle, in waves. of[t] is the number of the set; list holds the triangles, set by set.
 * Returns the number of sets. */
static int grow_sets(const sn_touch_surface *surface, int limit, const int32_t *label, int32_t *of, int32_t *list) {
    int count = 0, end = 0;
    for (int32_t t = 0; t < surface->triangle_count; ++t) of[t] = -1;
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        if (of[t] >= 0) continue;
        const int begin = end;
        of[t] = count, list[end++] = t;
        for (int i = begin; i < end; ++i)
            for (int k = 0; k < 3 && end - begin < limit; ++k) {
                const int32_t next = surface->neighbour[3 * (size_t)list[i] + (size_t)k];
                if (next < 0 || of[next] >= 0) continue;
                if (label && label[next] != label[t]) continue;
                of[next] = count, list[end++] = next;
            }
        ++count;
    }
    return count;
}

/* Fills `first` from the sorted list. */
static void find_begins(const int32_t *of, const int32_t *list, int triangles, int32_t *first, int count) {
    for (int i = triangles - 1; i >= 0; --i) first[of[list[i]]] = i;
    first[count] = triangles;
}

static sn_status find_sides(const sn_touch_surface *surface, sn_touch_patches *patches, sn_error *error) {
    patches->side_first = sn_allocate(surface->context, (size_t)patches->count + 1, sizeof *patches->side_first);
    patches->side = sn_allocate(surface->context, 3 * (size_t)surface->triangle_count, sizeof *patches->side);
    if (!patches->side_first || !patches->side) return sn_no_memory(error);
    int32_t sides = 0;
    for (int p = 0; p < patches->count; ++p) {
        patches->side_first[p] = sides;
        for (int32_t i = patches->first[p]; i < patches->first[p + 1]; ++i)
            for (int k = 0; k < 3; ++k) {
                const int32_t side = 3 * patches->triangle[i] + k, next = surface->neighbour[side];
                if (next >= 0 && patches->of[next] != p) patches->side[sides++] = side;
            }
    }
    patches->side_first[patches->count] = sides;
    return SN_OK;
}

/* ---- Creation ---- */

static sn_status find_parts(const sn_touch_surface *surface, sn_touch_patches *patches, sn_error *error) {
    patches->part_count = grow_sets(surface, INT_MAX, NULL, patches->part, patches->triangle);
    patches->part_begin = sn_allocate(surface->context, (size_t)patches->part_count, sizeof *patches->part_begin);
    if (!patches->part_begin) return sn_no_memory(error);
    for (int32_t t = surface->triangle_count - 1; t >= 0; --t) patches->part_begin[patches->part[t]] = t;
    return SN_OK;
}

static sn_status find_patches(const sn_touch_surface *surface, sn_touch_patches *patches, sn_error *error) {
    int limit;
    bool labelled;
    sn_status status = limit_of(surface, &limit, &labelled, error);
    int32_t *label = NULL;
    if (!status && labelled) {
        label = sn_allocate(surface->context, (size_t)surface->triangle_count, sizeof *label);
        status = label ? label_triangles(surface, label, error) : sn_no_memory(error);
    }
    if (!status) {
        patches->count = grow_sets(surface, limit, label, patches->of, patches->triangle);
        patches->first = sn_allocate(surface->context, (size_t)patches->count + 1, sizeof *patches->first);
        if (!patches->first) status = sn_no_memory(error);
    }
    if (!status) find_begins(patches->of, patches->triangle, surface->triangle_count, patches->first, patches->count);
    sn_release(surface->context, label);
    return status ? status : find_sides(surface, patches, error);
}

sn_status sn_touch_patches_create(const sn_touch_surface *surface, sn_touch_patches *patches, sn_error *error) {
    const size_t triangles = (size_t)surface->triangle_count;
    *patches = (sn_touch_patches){0};
    patches->of = sn_allocate(surface->context, triangles, sizeof *patches->of);
    patches->part = sn_allocate(surface->context, triangles, sizeof *patches->part);
    patches->triangle = sn_allocate(surface->context, triangles, sizeof *patches->triangle);
    sn_status status = patches->of && patches->part && patches->triangle ? SN_OK : sn_no_memory(error);
    if (!status) status = find_parts(surface, patches, error);
    if (!status) status = find_patches(surface, patches, error);
    if (status) sn_touch_patches_release(surface->context, patches);
    return status;
}

void sn_touch_patches_release(const sn_context *context, sn_touch_patches *patches) {
    void *part[] = {patches->of,   patches->first, patches->triangle,  patches->side_first,
                    patches->side, patches->part,  patches->part_begin};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) sn_release(context, part[i]);
    *patches = (sn_touch_patches){0};
}
