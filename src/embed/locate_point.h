/* Finding the tet of a mesh that holds a point, or the nearest one: a uniform grid over the tets. */
#ifndef SN_EMBED_LOCATE_POINT_H
#define SN_EMBED_LOCATE_POINT_H

#include "base/context.h"
#include "sinew/mesh.h"

typedef struct sn_locator {
    const sn_mesh *mesh;
    double low[3], size; /* corner and side of the cells */
    int count[3];
    int32_t *first; /* cells + 1: where a cell's tets begin */
    int32_t *tet;
} sn_locator;

sn_status sn_locator_create(const sn_mesh *mesh, sn_locator *locator, sn_error *error);
void sn_locator_destroy(sn_locator *locator);
/* The tet that holds the point best, its barycentric weights, and how far outside of it the point is (0: inside). -1
 * without tets. */
int sn_locator_find(const sn_locator *locator, const double point[3], double weight[4], double *outside);
/* Barycentric weights of a point in a tet; false when the tet is flat. */
bool sn_tet_weights(const sn_mesh *mesh, int tet, const double point[3], double weight[4]);

#endif
