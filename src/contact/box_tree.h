/* A tree of boxes over the triangles of a surface that deforms. It finds the pairs of triangles that are near each
 * other: of two surfaces, or of one surface with itself.
 *
 * The triangles are sorted once by the centres of their rest shape: a range of them is cut in two along its longest
 * axis, and each part again. Eight triangles in this order make a block of level 0, eight blocks of a level make a
 * block of the next level. So the tree needs no pointers: the children of block i are the blocks 8 i to 8 i + 7 of the
 * level below. The ranges are cut where blocks of the highest possible level end, as near to the middle as that allows,
 * so every block is a compact part of the surface. A block holds the eight boxes of its children, coordinate by
 * coordinate, and one vector operation tests a box against all eight. Boxes are rounded outwards to single precision. A
 * slot without a child has a box that meets none.
 *
 * Refitting computes the boxes from the present positions, from the leaves to the top. Each box is made larger by a
 * margin. So the pairs stay complete while no vertex has moved farther than a part of the margin: two triangles come
 * nearer by at most twice the way of a vertex. With two sets of positions the boxes hold the straight path between
 * them, for continuous detection.
 *
 * A block of level 1 is a *group*: 64 triangles. Two bodies that touch overlap in a small part only, so a refit may
 * stop at the groups: it computes their boxes from their vertices, and the levels above. A search for pairs then fits
 * the blocks inside those groups that meet a group of the other surface. Rays and nearest points look at all triangles
 * of a group that is not fitted. The boxes are the same in both ways: rounding outwards keeps the order of numbers, so
 * the box of a group is the union of its rounded triangles.
 *
 * A search first finds pairs of groups, then pairs of triangles in them. Pieces of groups are independent of each other
 * and have a fixed size, so the pairs have the same order for any number of threads: by the block of level 0 of A, then
 * groups of B from the last to the first.
 *
 * Why there are two trees: mesh/triangle_tree.h answers for single points, paths and boxes on one mesh, in double
 * precision and without a context, so that mesh and embed can use it; this one compares whole surfaces, eight boxes at
 * a time in single precision. */
#ifndef SN_CONTACT_BOX_TREE_H
#define SN_CONTACT_BOX_TREE_H

#include <stdbool.h>

#include "base/context.h"

enum { SN_BOX_LEVELS = 12, SN_BOX_FAN = 8, SN_BOX_GROUP = SN_BOX_FAN * SN_BOX_FAN };

typedef struct sn_box_block {
    float low[3][SN_BOX_FAN], high[3][SN_BOX_FAN];
} sn_box_block;

/* The boxes of eight triangles at the start of their ways, without a margin, and the boxes around the ways of their
 * corners. */
typedef struct sn_box_way {
    sn_box_block start, way;
} sn_box_way;

typedef struct sn_box_tree {
    sn_context *context;
    int triangle_count, vertex_count;
    int levels;                   /* at least 3; the last one has one block */
    int first[SN_BOX_LEVELS + 1]; /* first block of each level in `block` */
    sn_box_block *block;
    int32_t *order;  /* the triangle at each place of the sorted order */
    uint8_t *corner; /* triangle_count x 3, in the sorted order: places in the list of vertices of the group */
    /* Groups: the blocks of level 1. */
    int32_t *group_first;   /* groups + 1 */
    int32_t *group_vertex;  /* the vertices of each group, a multiple of SN_BOX_FAN: the last one is repeated */
    bool *fitted;           /* groups: the blocks of the levels 0 and 1 fit the positions */
    int32_t *waiting;       /* groups: scratch */
    const double *position; /* of the last call of refit_groups */
    double *reference;      /* vertex_count x 3: positions at the last call of refit */
    double margin;          /* of the last call of refit, m */
    sn_box_way *way;        /* per block of level 0; NULL: ways are not followed */
    bool moves;             /* `way` belongs to the last call of refit */
} sn_box_tree;

/* Makes the tree. `position` (vertex_count x 3) is the rest shape; it is not kept. The boxes are not set before the
 * first call of refit. Fails with SN_NO_MEMORY. */
sn_status sn_box_tree_create(sn_context *context, const double *position, int vertex_count, const int32_t *triangle,
                             int triangle_count, sn_box_tree **tree, sn_error *error);
/* The same with triangles of several bodies: the bodies follow each other in the order, so that few blocks hold
 * triangles of two of them. group (triangle_count): the body of each triangle; NULL: one body. */
sn_status sn_box_tree_create_groups(sn_context *context, const double *position, int vertex_count,
                                    const int32_t *triangle, int triangle_count, const int32_t *group,
                                    sn_box_tree **tree, sn_error *error);
void sn_box_tree_destroy(sn_box_tree *tree); /* NULL allowed */

/* From now on, searches after a refit with a target leave out pairs of triangles that stay apart: boxes along the whole
 * way overlap often when all triangles move together. The boxes at the start are compared, with the ways relative to
 * each other. Pairs stay that may come nearer than the sum of the margins. SN_NO_MEMORY. */
sn_status sn_box_tree_follow(sn_box_tree *tree, sn_error *error);

/* Computes all boxes. A box holds the triangle at `position` and at `target` (may be NULL), and everything within
 * `margin` (at least 0, m) of them along each axis. Runs on the threads of the context. */
void sn_box_tree_refit(sn_box_tree *tree, const double *position, const double *target, double margin);

/* Computes the boxes of the groups and of the levels above, without a margin. Searches fit the rest where they need it,
 * so `position` must stay as it is until the last of them. sn_box_tree_moved does not look at these positions. */
void sn_box_tree_refit_groups(sn_box_tree *tree, const double *position);

/* Whether a vertex has moved farther than `way` (m) since the last call of refit. */
bool sn_box_tree_moved(const sn_box_tree *tree, const double *position, double way);

/* The box around everything, as single precision; empty (low above high) without triangles. */
void sn_box_tree_bounds(const sn_box_tree *tree, float low[3], float high[3]);

/* Pairs of triangles. The lists grow to a new maximum only. All zero: an empty list without memory. */
typedef struct sn_box_pairs {
    sn_context *context;
    /* Which pairs to keep; NULL: all of them. Runs on the threads of the context. */
    bool (*keep)(const void *user, const int32_t pair[2]);
    const void *user;
    int count, capacity;
    int32_t (*pair)[2]; /* triangle of A, triangle of B */
    /* Pairs of groups, and where each group of A begins among them. */
    int group_count, group_capacity, run_count, run_capacity;
    int32_t (*group)[2];
    int32_t *run; /* run_count + 1 */
    /* Scratch: what the pieces found. */
    int piece_count, piece_capacity;
    struct sn_box_piece {
        int32_t (*pair)[2];
        int count, capacity;
    } * piece;
} sn_box_pairs;
void sn_box_pairs_release(sn_box_pairs *pairs);

/* Finds all pairs whose boxes touch. b NULL or equal to a: pairs within one surface, each once, also triangles that
 * share vertices. Replaces the contents of `pairs`; pairs->context must be set. */
sn_status sn_box_tree_pairs(sn_box_tree *a, sn_box_tree *b, sn_box_pairs *pairs, sn_error *error);

/* The loops of the tree, built once per instruction set (kernel/box_tree_kernel.c). */
typedef struct sn_box_kernels {
    /* Boxes of the levels 0 and 1 of the groups begin to end. */
    void (*fit_inside)(sn_box_tree *tree, const double *position, const double *target, double margin, int begin,
                       int end);
    /* Boxes of the blocks begin to end of a higher level. */
    void (*fit_level)(sn_box_tree *tree, int level, int begin, int end);
    /* Boxes of the groups begin to end, in the blocks of level 2, from their vertices. */
    void (*fit_groups)(sn_box_tree *tree, const double *position, int begin, int end);
    /* The pairs of the groups begin to end of A with groups of B, by the group of A, then from the last group of B to
     * the first. Writes the first `room` of them; returns how many there are. */
    int (*groups)(const sn_box_tree *a, const sn_box_tree *b, int begin, int end, int32_t (*pair)[2], int room);
    /* The pairs of triangles of `count` pairs of groups with the same group of A. Writes and returns as above. */
    int (*pairs)(const sn_box_tree *a, const sn_box_tree *b, int32_t (*group)[2], int count, int32_t (*pair)[2],
                 int room);
    /* The boxes of a block that a ray enters before `reach`, one bit each, and the distances at which it does.
     * `inverse`: 1 over its direction, finite. `key` is aligned to 64. */
    unsigned (*enter)(const sn_box_block *block, const double origin[3], const double inverse[3], double reach,
                      double key[SN_BOX_FAN]);
    /* Squared distances of x from the boxes of a block, aligned to 64; INFINITY for an empty slot. */
    void (*squares)(const sn_box_block *block, const double x[3], double square[SN_BOX_FAN]);
} sn_box_kernels;
/* The build that runs in a context. */
const sn_box_kernels *sn_box_kernels_for(const sn_context *context);

#endif
