/* Bodies made of cubes, for trials and tests of contact: a mask of cells of a lattice becomes a mesh of tets. */
#ifndef SINEW_EXPERIMENTS_VOXELS_H
#define SINEW_EXPERIMENTS_VOXELS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/sinew.h"

/* Makes a mesh of the cells (i, j, k) with holds(i, j, k), six tets each (Kuhn). size: the edge of a cell; origin: the
 * place of corner (0, 0, 0). NULL when it fails. */
static inline sn_mesh *voxel_mesh(sn_context *context, const int cells[3], double size, const double origin[3],
                                  bool (*holds)(int i, int j, int k)) {
    static const int path[6][2] = {{1, 2}, {2, 1}, {1, 4}, {4, 1}, {2, 4}, {4, 2}};
    const int nx = cells[0] + 1, ny = cells[1] + 1, nz = cells[2] + 1;
    int32_t *number = malloc((size_t)(nx * ny * nz) * sizeof *number);
    memset(number, -1, (size_t)(nx * ny * nz) * sizeof *number);
    int nodes = 0, tets = 0;
    sn_mesh *mesh = NULL;
    for (int pass = 0; pass < 2; ++pass) {
        if (pass && sn_mesh_create(context, nodes, tets, 4, 0, &mesh, NULL)) break;
        tets = 0;
        for (int c = 0; c < cells[0] * cells[1] * cells[2]; ++c) {
            const int i = c % cells[0], j = c / cells[0] % cells[1], k = c / (cells[0] * cells[1]);
            if (!holds(i, j, k)) continue;
            int32_t corner[8];
            for (int q = 0; q < 8; ++q) {
                const int at[3] = {i + (q & 1), j + (q >> 1 & 1), k + (q >> 2)};
                int32_t *node = &number[at[0] + nx * (at[1] + ny * at[2])];
                if (*node < 0) *node = nodes++;
                corner[q] = *node;
                for (int a = 0; a < 3 && pass; ++a) mesh->position[3 * *node + a] = origin[a] + size * at[a];
            }
            for (int t = 0; t < 6; ++t, ++tets) {
                const int first = path[t][0], second = first + path[t][1];
                const bool turned = t == 1 || t == 2 || t == 5; /* these paths turn the other way */
                const int32_t tet[4] = {corner[0], corner[turned ? second : first], corner[turned ? first : second],
                                        corner[7]};
                if (pass) memcpy(mesh->tet + 4 * tets, tet, sizeof tet);
            }
        }
    }
    free(number);
    return mesh;
}

#endif
