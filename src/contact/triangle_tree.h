/* A tree of boxes over triangles: the nearest point of the surface, and where a straight way crosses it.
 *
 * Built once: triangles are halved by count along the longest side of the box of their middles, ties by number, so the tree depends on the
 * mesh only. A search goes to the nearer box first and leaves out every box that is farther than the best triangle so far. */
#ifndef SN_CONTACT_TRIANGLE_TREE_H
#define SN_CONTACT_TRIANGLE_TREE_H

#include <stdbool.h>

#include "sinew/base.h"

typedef struct sn_tree_node {
    double low[3], high[3];
    int32_t first, count; /* of a leaf: its triangles in `order`; count 0: a fork, children at the next place and at `first` */
} sn_tree_node;

typedef struct sn_triangle_tree {
    const double *position;  /* the caller's */
    const int32_t *triangle; /* the caller's */
    int32_t *order;
    sn_tree_node *node;
    int node_count;
} sn_triangle_tree;

/* Which part of a triangle is nearest: its face; the edge from corner k to corner k + 1; corner k. */
typedef enum sn_triangle_part { SN_PART_FACE, SN_PART_EDGE, SN_PART_CORNER } sn_triangle_part;

typedef struct sn_nearest_point {
    int32_t triangle;
    sn_triangle_part part;
    int k;
    double point[3];
    double square; /* of the distance */
} sn_nearest_point;

sn_status sn_triangle_tree_create(sn_context *context, const double *position, const int32_t *triangle, int count, sn_triangle_tree *tree,
                                  sn_error *error);
void sn_triangle_tree_destroy(sn_context *context, sn_triangle_tree *tree);

void sn_triangle_tree_nearest(const sn_triangle_tree *tree, const double x[3], sn_nearest_point *nearest);

/* The first and the last triangle that the way from a to b crosses, with the parts of the way; returns how many it crosses. */
typedef struct sn_crossings {
    int32_t first, last;
    double first_part, last_part;
} sn_crossings;
int sn_triangle_tree_cross(const sn_triangle_tree *tree, const double a[3], const double b[3], sn_crossings *crossings);

#endif
