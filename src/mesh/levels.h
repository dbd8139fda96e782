/* Nested levels of a system: the hierarchical basis and its transformations (Hauth 3.1.2, algorithms 3.1 to 3.3;
 * Yserentant, On the multi-level splitting of finite element spaces, Numerische Mathematik 49, 1986).
 *
 * A mesh that was refined remembers for each new node i its two parents p and q (sn_mesh.node_parent). A function on
 * the finest mesh has nodal values mu. In the hierarchical basis it has coefficients eta: the values at the nodes of
 * level 0, and at each other node its value minus the mean of its parents. With N_k the nodes born on level k:
 *
 *   mu = S eta          for k = 1 .. l, i in N_k:  x_i += (x_p + x_q) / 2
 *   eta = S^-1 mu       for k = l .. 1, i in N_k:  x_i -= (x_p + x_q) / 2
 *   f_eta = S^T f_mu    for k = l .. 1, i in N_k:  x_p += x_i / 2,  x_q += x_i / 2
 *   f_mu = S^-T f_eta   for k = 1 .. l, i in N_k:  x_p -= x_i / 2,  x_q -= x_i / 2
 *
 * Each takes time in proportion to the nodes and works in place. S and S^-1 let each new node collect from its parents;
 * the transposes let each parent collect from its children, in a fixed order. So the nodes of a level are independent,
 * threads share them, and any number of threads gives the same bits. The nodes of a level lie in ascending order, so
 * that a pass over a level runs through memory once.
 *
 * Several bodies make one system. The nodes of a body without levels are `loose`: S is the identity there. */
#ifndef SN_MESH_LEVELS_H
#define SN_MESH_LEVELS_H

#include "base/context.h"
#include "sinew/mesh.h"

typedef struct sn_levels {
    int nodes;       /* of the system */
    int count;       /* levels; a body may have fewer */
    int32_t *begin;  /* count + 1: level k has the places [begin[k], begin[k + 1]) */
    int32_t *node;   /* begin[count]: the node at each place, ascending on each level */
    int32_t *parent; /* begin[count] x 2: the parents of the node at each place; -1 on level 0 */
    int32_t *place;  /* nodes: the place of each node; -1: loose */
    /* The nodes that have children on level k are the targets [target_begin[k], target_begin[k + 1]), ascending. */
    int32_t *target_begin; /* count + 1 */
    int32_t *target;       /* target_begin[count] nodes */
    int32_t *child_begin;  /* target_begin[count] + 1: where the children of each target begin */
    int32_t *child;        /* child nodes, ascending for each target */
    int loose_count;
    int32_t *loose; /* loose_count nodes, ascending */
} sn_levels;

/* A body of the system: its mesh, and the number in the system of each node of the mesh. loose: take it as a body
 * without levels. */
typedef struct sn_levels_body {
    const sn_mesh *mesh;
    const int32_t *number;
    bool loose;
} sn_levels_body;

/* Compiles the levels of bodies that have `nodes` nodes together. levels->count is 0 when no body has levels. The
 * caller calls sn_levels_release, also after a failure. */
sn_status sn_levels_create(sn_context *context, const sn_levels_body *body, int body_count, int nodes,
                           sn_levels *levels, sn_error *error);
void sn_levels_release(const sn_context *context, sn_levels *levels);

typedef enum sn_level_map { SN_LEVEL_S, SN_LEVEL_INVERSE, SN_LEVEL_TRANSPOSE, SN_LEVEL_INVERSE_TRANSPOSE } sn_level_map;

/* x <- the map of x, in place; x is nodes x 3. */
void sn_levels_map(const sn_context *context, const sn_levels *levels, sn_level_map map, double *x);
/* The part of the map that belongs to one level, 1 or more. */
void sn_levels_map_level(const sn_context *context, const sn_levels *levels, sn_level_map map, int level, double *x);

/* x_i <- (x_p + x_q) / 2 for all nodes above the level: S x without the details of higher levels. */
void sn_levels_interpolate(const sn_context *context, const sn_levels *levels, int level, double *x);

#endif
