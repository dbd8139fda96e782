/* A coarse space of rigid motions, for preconditioners.
 *
 * The nodes are cut into lumps: groups of neighbours in the pattern. Each lump moves as a rigid body with a translation
 * t and a rotation w about its centre, so a node moves by u = t + w x a. With Z the map from all (t, w) to u,
 *
 *   E = Z^T A Z,   z += Z E^-1 Z^T r
 *
 * takes the long waves out of r, which a preconditioner of neighbouring nodes does not see. Lumps are neighbours on the
 * mesh, not in space: the layers of a folded sheet do not mix. (Rigid motions of aggregates as the coarse space of
 * conjugate gradients: Bulgakov and Kuhn 1995.) */
#ifndef SN_LINEAR_LUMPS_H
#define SN_LINEAR_LUMPS_H

#include "linear/solver.h"

typedef struct sn_lumps {
    const sn_context *context;
    const sn_filter *filter;
    bool made;             /* the lumps belong to the pattern */
    bool usable;           /* E was factored */
    int nodes, count;      /* of the matrix; of lumps */
    int32_t *lump;         /* nodes: the lump of a node; -1: none, too few nodes hang together there */
    int32_t *begin, *node; /* the nodes of a lump, ascending: count + 1; nodes */
    double *arm;           /* nodes x 3: from the centre of its lump to the node */
    sn_pattern pattern;    /* of E: the places 2 l and 2 l + 1 are translation and rotation of lump l */
    double *value;         /* of E, lower triangle: 9 numbers for each block, column-major; room for 8 more */
    double *right, *left;  /* 6 count */
    void *factor;          /* of E */
} sn_lumps;

/* Makes E and its factor. Without positions of the nodes (op->source) lumps have only translations. When E is not
 * definite, the lumps are left out. */
sn_status sn_lumps_update(sn_context *context, const sn_operator *op, const sn_filter *filter, sn_lumps *lumps,
                          sn_error *error);
/* z += Z E^-1 Z^T r in the free directions. */
void sn_lumps_add(const sn_lumps *lumps, const double *r, double *z);
void sn_lumps_release(sn_context *context, sn_lumps *lumps);

#endif
