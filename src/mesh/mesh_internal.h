/* Shared by the files of this folder: checks, sorting, the map of edges and the table of faces. */
#ifndef SN_MESH_INTERNAL_H
#define SN_MESH_INTERNAL_H

#include "base/context.h"
#include "sinew/mesh.h"

/* Corners of the local edges 4..9 of a tet10: VTK's order. */
extern const uint8_t sn_tet_edge[6][2];
/* The face that leaves out corner k, outward for a tet of positive volume. */
extern const uint8_t sn_tet_face[4][3];

/* Four tets around each of the three diagonals 01-23, 02-13, 03-12 of the octahedron between the mid-edge nodes 4..9,
 * all positive. */
extern const uint8_t sn_octahedron_tet[3][4][4];
/* The index of the shortest diagonal; 02-13 (Bey's choice for regular refinement) unless another is clearly shorter. x:
 * ten positions. */
int sn_shortest_diagonal(const double *const x[10]);
/* Kuhn's six tets of a cell; corners as bits 1 = +x, 2 = +y, 4 = +z. */
extern const uint8_t sn_kuhn_tet[6][4];

/* Every node index of tets, triangles and groups must be in range: the message names the first that is not. */
sn_status sn_mesh_check(const sn_mesh *mesh, sn_error *error);
/* The same, and the elements must be tets: the mesh of a plane body is refused. */
sn_status sn_mesh_check_tets(const sn_mesh *mesh, sn_error *error);
/* Every coordinate must be finite: the message names the first node with one that is not. */
sn_status sn_mesh_check_finite(const sn_mesh *mesh, sn_error *error);

/* The label of node, tet or triangle `index`; the index itself when there are no labels (NULL). */
static inline int64_t sn_label(const int64_t *label, int index) { return label ? label[index] : index; }

/* Ascending, in place, without memory. */
void sn_sort_int32(int32_t *value, int64_t count);

/* ---- Map of edges: (a, b) -> value, a and b in any order. Never iterated, so results do not depend on the hash. ----
 */
typedef struct sn_edge_map {
    const sn_context *context;
    uint64_t *key; /* capacity, a power of two; all ones: free */
    int32_t *value;
    int64_t capacity, count;
} sn_edge_map;

sn_status sn_edge_map_create(sn_edge_map *map, const sn_context *context, int64_t expected, sn_error *error);
void sn_edge_map_destroy(sn_edge_map *map);
/* The place of the edge's value; a new edge starts with `fresh`. Valid until the next call. NULL: out of memory. */
int32_t *sn_edge_map_at(sn_edge_map *map, int32_t a, int32_t b, int32_t fresh);
/* The value, or -1 for an edge that is not there. */
int32_t sn_edge_map_find(const sn_edge_map *map, int32_t a, int32_t b);

/* ---- Table of faces: sorted by smallest, middle, largest node, then by the corner left out, then by face. ---- */
typedef struct sn_face_entry {
    uint64_t key;     /* middle node << 32 | largest node */
    int64_t face;     /* 4 * tet + opposite, or the triangle */
    int32_t opposite; /* node of the corner left out; -1 for triangles */
} sn_face_entry;

typedef struct sn_face_table {
    int64_t count;
    int64_t *begin; /* node_count + 1: where the faces of each smallest node start */
    sn_face_entry *entry;
} sn_face_table;

sn_status sn_face_table_of_tets(const sn_mesh *mesh, sn_face_table *table, sn_error *error);
sn_status sn_face_table_of_triangles(const sn_mesh *mesh, const int32_t *triangle, int count, sn_face_table *table,
                                     sn_error *error);
void sn_face_table_destroy(const sn_mesh *mesh, sn_face_table *table);
/* The first entry with these nodes, or -1. */
int64_t sn_face_table_find(const sn_face_table *table, const int32_t node[3]);

/* ---- Building ---- */
/* Gives a mesh without levels this many, with all nodes on level 0. */
sn_status sn_mesh_reserve_levels(sn_mesh *mesh, int count, sn_error *error);
/* Copies the levels of the source's nodes, which are the first of the mesh. The mesh has levels already. */
void sn_mesh_copy_levels(const sn_mesh *source, sn_mesh *mesh);
/* Copies the groups of `source`; node groups also get those of the new nodes whose two `parent`s are both members: new
 * node i is source->node_count + i and parent holds 2 per new node. A tet or triangle becomes `tet_children` or
 * `triangle_children` in a row. */
sn_status sn_mesh_carry_groups(const sn_mesh *source, sn_mesh *mesh, const int32_t *parent, int tet_children,
                               int triangle_children, sn_error *error);
/* Labels of the source's nodes, and for nodes beyond them the numbers after the largest. No-op without labels. */
sn_status sn_mesh_carry_node_labels(const sn_mesh *source, sn_mesh *mesh, sn_error *error);
/* A node group of all nodes with mark[i] & bit. */
sn_status sn_mesh_add_marked(sn_mesh *mesh, const char *name, const uint8_t *mark, uint8_t bit, sn_error *error);

#endif
