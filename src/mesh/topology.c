/* Edges by hashing, faces by sorting into buckets of their smallest node: linear work, and results that do not depend
 * on the order of a hash. */
#include <string.h>

#include "mesh_internal.h"

/* ---- Edge map: open addressing, linear probing, at most three quarters full ---- */
static const uint64_t FREE = UINT64_MAX;

static uint64_t edge_key(int32_t a, int32_t b) {
    const uint32_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a);
    return (uint64_t)low << 32 | high;
}

static int64_t slot_of(const sn_edge_map *map, uint64_t key) {
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    h ^= h >> 32;
    int64_t slot = (int64_t)(h & (uint64_t)(map->capacity - 1));
    while (map->key[slot] != FREE && map->key[slot] != key) slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

sn_status sn_edge_map_create(sn_edge_map *map, const sn_context *context, int64_t expected, sn_error *error) {
    *map = (sn_edge_map){.context = context, .capacity = 16};
    while (map->capacity * 3 < expected * 4) map->capacity *= 2;
    map->key = sn_allocate(context, (size_t)map->capacity, sizeof *map->key);
    map->value = sn_allocate(context, (size_t)map->capacity, sizeof *map->value);
    if (!map->key || !map->value) {
        sn_edge_map_destroy(map);
        return sn_no_memory(error);
    }
    memset(map->key, 0xff, (size_t)map->capacity * sizeof *map->key);
    return SN_OK;
}

void sn_edge_map_destroy(sn_edge_map *map) {
    sn_release(map->context, map->key);
    sn_release(map->context, map->value);
    map->key = NULL;
    map->value = NULL;
}

static int grow(sn_edge_map *map) {
    sn_edge_map larger;
    if (sn_edge_map_create(&larger, map->context, map->capacity + map->capacity / 4, NULL)) return 0;
    for (int64_t i = 0; i < map->capacity; ++i) {
        if (map->key[i] == FREE) continue;
        const int64_t slot = slot_of(&larger, map->key[i]);
        larger.key[slot] = map->key[i];
        larger.value[slot] = map->value[i];
    }
    larger.count = map->count;
    sn_edge_map_destroy(map);
    *map = larger;
    return 1;
}

int32_t *sn_edge_map_at(sn_edge_map *map, int32_t a, int32_t b, int32_t fresh) {
    const uint64_t key = edge_key(a, b);
    int64_t slot = slot_of(map, key);
    if (map->key[slot] == FREE) {
        if ((map->count + 1) * 4 > map->capacity * 3) {
            if (!grow(map)) return NULL;
            slot = slot_of(map, key);
        }
        map->key[slot] = key;
        map->value[slot] = fresh;
        ++map->count;
    }
    return &map->value[slot];
}

int32_t sn_edge_map_find(const sn_edge_map *map, int32_t a, int32_t b) {
    const int64_t slot = slot_of(map, edge_key(a, b));
    return map->key[slot] == FREE ? -1 : map->value[slot];
}

/* ---- Face table ---- */
static void sort3(const int32_t in[3], int32_t out[3]) {
    const int32_t a = in[0] < in[1] ? in[0] : in[1], b = in[0] < in[1] ? in[1] : in[0], c = in[2];
    out[0] = c < a ? c : a;
    out[1] = c < a ? a : c < b ? c : b;
    out[2] = c < b ? b : c;
}

static int before(const sn_face_entry *a, const sn_face_entry *b) {
    if (a->key != b->key) return a->key < b->key;
    if (a->opposite != b->opposite) return a->opposite < b->opposite;
    return a->face < b->face;
}

/* Buckets hold a few dozen faces: insertion sort; a star of very many faces: heap sort. */
static void sort_bucket(sn_face_entry *entry, int64_t count) {
    if (count <= 48) {
        for (int64_t i = 1; i < count; ++i) {
            const sn_face_entry moved = entry[i];
            int64_t hole = i;
            for (; hole > 0 && before(&moved, &entry[hole - 1]); --hole) entry[hole] = entry[hole - 1];
            entry[hole] = moved;
        }
        return;
    }
    for (int64_t start = count / 2, end = count; end > 1;) {
        sn_face_entry moved;
        if (start > 0) {
            moved = entry[--start];
        } else {
            moved = entry[--end];
            entry[end] = entry[0];
        }
        int64_t hole = start;
        for (int64_t child; (child = 2 * hole + 1) < end; hole = child) {
            if (child + 1 < end && before(&entry[child], &entry[child + 1])) ++child;
            if (!before(&moved, &entry[child])) break;
            entry[hole] = entry[child];
        }
        entry[hole] = moved;
    }
}

/* The nodes of face i in ascending order, and the node left out (-1 for triangles). */
static int32_t face_nodes(const int32_t *cell, int stride, int64_t face, int32_t node[3]) {
    if (stride == 3) {
        sort3(cell + face * 3, node);
        return -1;
    }
    const int32_t *tet = cell + (face >> 2) * stride;
    const uint8_t *local = sn_tet_face[face & 3];
    sort3((const int32_t[3]){tet[local[0]], tet[local[1]], tet[local[2]]}, node);
    return tet[face & 3];
}

static sn_status build(const sn_mesh *mesh, const int32_t *cell, int stride, int64_t count, sn_face_table *table,
                       sn_error *error) {
    *table = (sn_face_table){.count = count};
    const int n = mesh->node_count;
    table->begin = sn_allocate_zero(mesh->context, (size_t)n + 2, sizeof *table->begin);
    table->entry = sn_allocate(mesh->context, (size_t)count, sizeof *table->entry);
    if (!table->begin || !table->entry) {
        sn_face_table_destroy(mesh, table);
        return sn_no_memory(error);
    }
    int32_t node[3];
    for (int64_t f = 0; f < count; ++f) {
        face_nodes(cell, stride, f, node);
        ++table->begin[node[0] + 2];
    }
    for (int i = 0; i < n; ++i) table->begin[i + 2] += table->begin[i + 1];
    for (int64_t f = 0; f < count; ++f) { /* begin[i + 1] runs from the start to the end of bucket i */
        const int32_t opposite = face_nodes(cell, stride, f, node);
        table->entry[table->begin[node[0] + 1]++] = (sn_face_entry){
            .key = (uint64_t)(uint32_t)node[1] << 32 | (uint32_t)node[2], .face = f, .opposite = opposite};
    }
    for (int i = 0; i < n; ++i) sort_bucket(table->entry + table->begin[i], table->begin[i + 1] - table->begin[i]);
    return SN_OK;
}

sn_status sn_face_table_of_tets(const sn_mesh *mesh, sn_face_table *table, sn_error *error) {
    return build(mesh, mesh->tet, mesh->tet_nodes, (int64_t)mesh->tet_count * 4, table, error);
}

sn_status sn_face_table_of_triangles(const sn_mesh *mesh, const int32_t *triangle, int count, sn_face_table *table,
                                     sn_error *error) {
    return build(mesh, triangle, 3, count, table, error);
}

void sn_face_table_destroy(const sn_mesh *mesh, sn_face_table *table) {
    sn_release(mesh->context, table->begin);
    sn_release(mesh->context, table->entry);
    *table = (sn_face_table){0};
}

int64_t sn_face_table_find(const sn_face_table *table, const int32_t node[3]) {
    int32_t sorted[3];
    sort3(node, sorted);
    const uint64_t key = (uint64_t)(uint32_t)sorted[1] << 32 | (uint32_t)sorted[2];
    const int64_t end = table->begin[sorted[0] + 1];
    int64_t low = table->begin[sorted[0]], high = end;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (table->entry[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && table->entry[low].key == key ? low : -1;
}
