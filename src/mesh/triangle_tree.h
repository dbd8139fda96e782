/* A tree of boxes over triangles. It finds the nearest point of the surface, the places where a straight path crosses
 * it, and the triangles near a box.
 *
 * The tree is built once; when the positions change, its boxes are computed anew (refit). Each fork sorts its triangles
 * along the longest side of the box around their centres (equal ones by number) and gives one half to each child. So
 * the tree depends only on the mesh. A search goes to the nearer box first, and leaves out every box that is farther
 * than the best triangle so far.
 *
 * Why there are two trees: this one answers for single points, paths and boxes on one mesh, in double precision and
 * without a context; contact/box_tree.h compares whole surfaces, eight boxes at a time in single precision. */
#ifndef SN_MESH_TRIANGLE_TREE_H
#define SN_MESH_TRIANGLE_TREE_H

#include <stdbool.h>

#include "sinew/base.h"

typedef struct sn_tree_node {
    double low[3], high[3];
    int32_t first, count; /* leaf: its triangles, order[first] and on; fork: count is 0, the children are the next node
                             and node[first] */
} sn_tree_node;

typedef struct sn_triangle_tree {
    const double *position;  /* nodes x 3; belongs to the caller and must outlive the tree */
    const int32_t *triangle; /* triangles x 3; belongs to the caller and must outlive the tree */
    int32_t *order;
    sn_tree_node *node;
    int node_count;
} sn_triangle_tree;

/* The part of a triangle that is nearest: its face, the edge from corner k to corner k + 1, or corner k. */
typedef enum sn_triangle_part { SN_PART_FACE, SN_PART_EDGE, SN_PART_CORNER } sn_triangle_part;

typedef struct sn_nearest_point {
    int32_t triangle;
    sn_triangle_part part;
    int k;
    double point[3];
    double square; /* squared distance, m^2 */
} sn_nearest_point;

/* The nearest point of one triangle; `triangle` is not set. */
void sn_triangle_nearest(const double a[3], const double b[3], const double c[3], const double x[3],
                         sn_nearest_point *at);

sn_status sn_triangle_tree_create(sn_context *context, const double *position, const int32_t *triangle, int count,
                                  sn_triangle_tree *tree, sn_error *error);
void sn_triangle_tree_destroy(sn_context *context, sn_triangle_tree *tree);

/* Computes the boxes anew, after the positions have changed. */
void sn_triangle_tree_refit(sn_triangle_tree *tree);

/* The nearest point of those triangles that `accepts` allows (NULL: all), nearer than `limit` (m). Returns false when
 * there is none. */
bool sn_triangle_tree_search(const sn_triangle_tree *tree, const double x[3], double limit,
                             bool (*accepts)(const void *user, int32_t triangle), const void *user,
                             sn_nearest_point *nearest);
void sn_triangle_tree_nearest(const sn_triangle_tree *tree, const double x[3], sn_nearest_point *nearest);

/* The first and the last triangle that the path from a to b crosses, and the parts of the path (0 to 1) at the
 * crossings. The function returns how many triangles the path crosses. */
typedef struct sn_crossings {
    int32_t first, last;
    double first_part, last_part;
} sn_crossings;
int sn_triangle_tree_cross(const sn_triangle_tree *tree, const double a[3], const double b[3], sn_crossings *crossings);

/* Calls visit(data, triangle) for each triangle whose box meets the box from `low` to `high`, always in the same order,
 * until a call returns true. Returns whether one did. */
typedef bool sn_triangle_visit(void *data, int32_t triangle);
bool sn_triangle_tree_overlap(const sn_triangle_tree *tree, const double low[3], const double high[3],
                              sn_triangle_visit *visit, void *data);

#endif
