/* A forest of nested tets, and an active set in it: the tets that count at present.
 *
 * The finest tets of a mesh that was octasected L times have ancestors on the levels L - 1 .. 0 below. The tets of
 * level 0 are the roots. A tet may be *refined*; its eight children then take its place. The leaves, tets that are not
 * refined and whose ancestors all are, fill the body. Tets are numbered level by level: the children of tet i of a
 * level are 8 i
 * .. 8 i + 7 of the next one. Only the tets of the levels below L can be refined.
 *
 * A node that is not one of the roots' lies in the middle of an edge, whose ends are its parents. It is
 *   unused   when no tet around the edge is refined,
 *   hanging  when some but not all of them are,
 *   free     when all are.
 *
 * The rule (Krysl, Grinspun, Schroeder, CHARMS, 2002, for bases of functions; here for tets): a refined tet has free
 * corners. So the parents of a hanging node are free, and tets that share a face or a part of an edge differ by one
 * level at most. To refine a tet refines first the coarser tets around its hanging corners. A tet can be coarsened when
 * its children are leaves and its own mid nodes are no corners of refined tets. */
#ifndef SN_MESH_FOREST_H
#define SN_MESH_FOREST_H

#include <stdbool.h>

#include "base/context.h"
#include "sinew/mesh.h"

typedef struct sn_forest {
    int levels;         /* L */
    int root_count;     /* tets of level 0 */
    int count;          /* tets that can be refined: those of the levels 0 .. L - 1 */
    int first[9];       /* first[k]: number of the first tet of level k; first[L] = count */
    int32_t *node;      /* count x 10: corners and middles of the edges, in the numbers of the system */
    uint8_t *level;     /* count */
    int node_count;     /* of the system */
    int32_t *mid_begin; /* node_count + 1: the tets of which a node is a mid node */
    int32_t *mid;       /* ascending for each node */
    /* The active set. */
    uint8_t *refined; /* count */
    int32_t *split;   /* node_count: refined tets of which the node is a mid node */
    int32_t *uses;    /* node_count: refined tets of which it is a corner */
    int leaf_count;   /* active tets */
    int32_t *journal; /* count: tets that the last sn_forest_refine refined, in this order */
    int journal_count;
} sn_forest;

enum { SN_FOREST_LEVELS = 8 };

/* The forest of the last `levels` levels of a mesh; number: the system's number of each of its nodes, which are below
 * node_count. SN_BAD_INPUT when the mesh has fewer levels. The set is that of the roots. The caller calls
 * sn_forest_release, also after a failure. */
sn_status sn_forest_create(const sn_context *context, const sn_mesh *mesh, const int32_t *number, int node_count,
                           int levels, sn_forest *forest, sn_error *error);
void sn_forest_release(const sn_context *context, sn_forest *forest);

typedef enum sn_node_kind { SN_NODE_FREE, SN_NODE_HANGING, SN_NODE_UNUSED } sn_node_kind;
sn_node_kind sn_forest_kind(const sn_forest *forest, int32_t node);
static inline int sn_forest_parent(const sn_forest *f, int tet) {
    return f->level[tet] ? f->first[f->level[tet] - 1] + (tet - f->first[f->level[tet]]) / 8 : -1;
}
/* The first child of a tet that can be refined; from first[L] on, children are the finest tets. */
static inline int sn_forest_child(const sn_forest *f, int tet) {
    return f->first[f->level[tet] + 1] + 8 * (tet - f->first[f->level[tet]]);
}

/* Refines a tet and what the rule demands. Changes nothing and returns false when more than `most` tets would then be
 * active. A refined tet counts as success. */
bool sn_forest_refine(sn_forest *forest, int tet, int most);
/* Whether the rule lets a tet take the place of its children; and does it. */
bool sn_forest_can_coarsen(const sn_forest *forest, int tet);
void sn_forest_coarsen(sn_forest *forest, int tet);
/* Sets the whole set from flags of the refined tets. Returns false, and leaves the set undefined, when they break the
 * rule. */
bool sn_forest_set(sn_forest *forest, const uint8_t *refined);

/* Calls visit(data, tet, level) for all leaves, depth first. A tet of level L has the number first[L] + finest tet. */
void sn_forest_leaves(const sn_forest *forest, void (*visit)(void *data, int tet, int level), void *data);

#endif
