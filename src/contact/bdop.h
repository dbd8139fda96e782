/* The document's trees for detailed surfaces in tets (Civit 5.4). b-DOPs bound triangles and need no refit. A hierarchy
 * over the tets is refitted. box_tree.h is the default; this form stays for comparison (experiment civit-contact).
 *
 * Barycentric coordinates of embedded points never change. A b-DOP bounds the four coordinates of a set of points in
 * one tet: [a_i, b_i]. With the corners of the tet sorted along a direction, x_0 <= x_1 <= x_2 <= x_3, the points lie
 * between (5.1, 5.2)
 *
 *   b_0 x_0 + a_3 x_3 + a_2 x_2 + (1 - b_0 - a_3 - a_2) x_1   and
 *   b_3 x_3 + a_0 x_0 + a_1 x_1 + (1 - b_3 - a_0 - a_1) x_2
 *
 * The triangles of a patch are the nodes of its tree. The range [i, j) has its b-DOP at triangle i, and the two
 * children [i + 1, m) and [m, j), m = i + 1 + (j - i - 1) / 2. The b-DOP is packed into the triangle: three vertices
 * and three neighbours take 21 bits each of six words. The 11 free bits of each word hold the eight bounds, one byte
 * each, rounded outwards to 1 / 255. So the tree takes no extra memory.
 *
 * Over the tets there is a binary tree of 14-DOPs (slabs along the axes and the four diagonals). It is built bottom-up
 * by the least volume and refitted from the b-DOPs of the tets.
 *
 * The surface must be clipped at its tets (touch_clip.h). */
#ifndef SN_CONTACT_BDOP_H
#define SN_CONTACT_BDOP_H

#include "box_tree.h"
#include "touch_patches.h"

enum { SN_BDOP_FEATURES = 1 << 21, SN_BDOP_SLABS = 7 };

typedef struct sn_bdop_triangle {
    uint32_t word[6];
} sn_bdop_triangle;

/* Bounds of the four barycentric coordinates. */
typedef struct sn_bdop {
    double low[4], high[4];
} sn_bdop;

typedef struct sn_bdop_tet {
    int32_t node[4];     /* of the world */
    int32_t first, last; /* its patches, in `patch` */
    sn_bdop bounds;      /* of all its patches */
    double area[3];      /* vector area of its patches in barycentric coordinates 1 to 3 */
} sn_bdop_tet;

typedef struct sn_bdop_node {
    int32_t child[2]; /* -1 in child[1]: a leaf, child[0] is its tet */
    double low[SN_BDOP_SLABS], high[SN_BDOP_SLABS];
} sn_bdop_node;

typedef struct sn_bdop_tree {
    sn_context *context;
    const sn_touch_surface *surface;
    sn_touch_patches patches;
    sn_bdop_triangle *triangle; /* in the order of the trees, patch by patch */
    int32_t *source;            /* per place in this order: the triangle of the surface */
    int tet_count;
    sn_bdop_tet *tet;
    int32_t *patch; /* patches, tet by tet */
    int node_count;
    sn_bdop_node *node; /* the root is the last one; children come before their parents */
} sn_bdop_tree;

/* Fails with SN_UNSUPPORTED when a triangle has corners in several tets, or when the surface has 2^21 features or more.
 */
sn_status sn_bdop_tree_create(const sn_touch_surface *surface, sn_bdop_tree **tree, sn_error *error);
void sn_bdop_tree_destroy(sn_bdop_tree *tree);

/* Fits the 14-DOPs to the positions x of the nodes of the world. */
void sn_bdop_tree_refit(sn_bdop_tree *tree, const double *x);

/* How a search for pairs works. */
typedef struct sn_bdop_search {
    int leaf;   /* ranges with at most this many pairs of triangles are not divided (the document: 8) */
    bool plain; /* no b-DOP trees: all pairs of triangles of tets that overlap */
} sn_bdop_search;

/* Appends candidates to the list of `pairs` (its other fields are not used): numbers of triangles of the surfaces. x:
 * positions of the nodes; the 14-DOPs must be fitted. *tet_pairs: pairs of tets that overlap. */
sn_status sn_bdop_tree_pairs(const sn_bdop_tree *a, const sn_bdop_tree *b, const double *x,
                             const sn_bdop_search *search, sn_box_pairs *pairs, int64_t *tet_pairs, sn_error *error);

/* The b-DOP that is packed into a triangle, and the triangle's vertices. */
sn_bdop sn_bdop_unpack(const sn_bdop_triangle *triangle);
static inline int32_t sn_bdop_vertex(const sn_bdop_triangle *triangle, int k) {
    return (int32_t)(triangle->word[k] & (SN_BDOP_FEATURES - 1));
}

/* Bounds (5.1, 5.2) of a b-DOP along a direction: corners sorted by their place along it. */
typedef struct sn_bdop_sorted {
    double x[4];
    int order[4];
} sn_bdop_sorted;
sn_bdop_sorted sn_bdop_sort(const double place[4]);
void sn_bdop_bounds(const sn_bdop *b, const sn_bdop_sorted *s, double *low, double *high);

#endif
