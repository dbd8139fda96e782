/* Rays and nearest points on a surface that has a tree of boxes (box_tree.h). The boxes must be refitted to the
 * positions that are given here; the searches read the same triangles. Deforming, moving and resting surfaces are
 * alike. */
#ifndef SN_CONTACT_BOX_TREE_QUERY_H
#define SN_CONTACT_BOX_TREE_QUERY_H

#include "box_tree.h"

/* A surface with its tree. */
typedef struct sn_box_surface {
    const sn_box_tree *tree;
    const double *position;
    const int32_t *triangle;
} sn_box_surface;

typedef struct sn_box_hit {
    int32_t triangle; /* -1: nothing was hit */
    double share[3];  /* weights of its corners */
    double distance;  /* along the ray in units of its direction; or the distance of the nearest point, m */
} sn_box_hit;

/* Which triangles a ray meets. */
typedef enum sn_box_facing {
    SN_BOX_LEAVING = 1,   /* direction . normal > 0: the ray comes out of the body */
    SN_BOX_ENTERING = -1, /* direction . normal < 0 */
} sn_box_facing;

/* The first triangle of this facing on the ray origin + s direction, 0 <= s <= reach. Returns whether there is one. */
bool sn_box_tree_cast(const sn_box_surface *surface, const double origin[3], const double direction[3], double reach,
                      sn_box_facing facing, sn_box_hit *hit);

/* The nearest point of the surface that is nearer than `reach` (may be INFINITY). Returns whether there is one. */
bool sn_box_tree_nearest(const sn_box_surface *surface, const double x[3], double reach, sn_box_hit *hit);

/* The nearest point of one triangle. The tree is not used. */
void sn_box_triangle_nearest(const sn_box_surface *surface, int32_t triangle, const double x[3], sn_box_hit *hit);

/* Whether a closed surface holds x: a ray from x leaves it once more often than it enters. A ray that meets an edge or
 * grazes a triangle does not count; another direction is taken then. */
bool sn_box_tree_holds(const sn_box_surface *surface, const double x[3]);

#endif
