/* Cubic cells over the box of a surface, each cut into five tets, and whether each tet is inside, outside or pierced.
 *
 * Corners of a cell are numbered by bits: x + 2 y + 4 z. In an even cell (i + j + k even) tet 0 has the corners 0 3 5
 * 6, and tets 1 to 4 stand at the corners 1 2 4 7; in an odd cell it is the other way round. The tet at corner c has
 * the corners c, c^1, c^2, c^4. So the diagonals of neighbouring cells agree, and
 *     - face 0 of the tet at corner c leaves out c and is shared with tet 0 of the cell;
 *     - face 1 + a leaves out c^(1 << a) and is shared with the tet at corner c^(1 << a) of the next cell along axis a.
 */
#ifndef SN_EMBED_LATTICE_H
#define SN_EMBED_LATTICE_H

#include "clean_surface.h"

typedef enum sn_tet_place { SN_TET_OUTSIDE, SN_TET_PIERCED, SN_TET_INSIDE } sn_tet_place;

typedef struct sn_lattice {
    sn_context *context;
    double low[3], cell; /* m */
    double margin;       /* m: what comes nearer than this to the surface counts as meeting it */
    int count[3];        /* cells along each axis */
    uint8_t *place;      /* 5 per cell: an sn_tet_place */
    float *winding;      /* one per node: |winding number| */
    int kept, pierced;   /* tets that are not outside; tets that the surface meets */
} sn_lattice;

enum { SN_LATTICE_CELLS = 30000000 }; /* the most cells */

sn_status sn_lattice_create(const sn_clean_surface *surface, double cell, sn_lattice *lattice, sn_error *error);
void sn_lattice_destroy(sn_lattice *lattice);

/* The cell c has its low corner at node (i, j, k). */
static inline void sn_lattice_cell(const sn_lattice *l, int c, int at[3]) {
    at[0] = c % l->count[0], at[1] = c / l->count[0] % l->count[1], at[2] = c / l->count[0] / l->count[1];
}
/* The node at a corner (bits) of the cell at `at`, and its position. */
static inline int sn_lattice_node(const sn_lattice *l, const int at[3], int bits) {
    const int x = at[0] + (bits & 1), y = at[1] + (bits >> 1 & 1), z = at[2] + (bits >> 2);
    return x + (l->count[0] + 1) * (y + (l->count[1] + 1) * z);
}
static inline void sn_lattice_position(const sn_lattice *l, const int at[3], int bits, double x[3]) {
    for (int k = 0; k < 3; ++k) x[k] = l->low[k] + (at[k] + (bits >> k & 1)) * l->cell;
}
/* The four corners (bits) of tet t of the cell at `at`; corner 0 of tets 1 to 4 is the one where the tet stands. */
void sn_lattice_corners(const int at[3], int t, int bits[4]);
/* The tet (5 x cell + t) behind the face that leaves out corner `opposite`, or -1 at the rim of the lattice. */
int sn_lattice_neighbour(const sn_lattice *lattice, int tet, int opposite);

#endif
