/* A coarse space of rigid motions, for preconditioners.
 *
 * The nodes are cut into lumps: groups of neighbours in the pattern. Each lump moves as a rigid body with a translation
 * t and a rotation w about its centre, so node i moves by u_i = t + w x a_i. With Z the map from (t, w) to u,
 *
 *   E = Z^T A Z,   z += Z E^-1 Z^T r
 *
 * takes out of r the long waves, which a preconditioner of neighbouring nodes does not see. */
#ifndef SN_LINEAR_LUMPS_H
#define SN_LINEAR_LUMPS_H

#include "linear/solver.h"

typedef struct sn_lumps {
    int nodes, count;      /* of the matrix; of lumps; 0: there are none yet */
    int32_t *lump;         /* nodes: the lump of a node */
    int32_t *begin, *node; /* the nodes of a lump: count + 1; nodes, ascending in a lump */
    double *arm;           /* nodes x 3: from the centre of the lump to the node */
    sn_pattern pattern;    /* of E: the places 2 l and 2 l + 1 are translation and rotation of lump l */
    int columns, mirrors;  /* capacities */
    double *value;         /* of E: 9 numbers for each block, column-major; room for 8 more */
    double *right, *left;  /* 6 count */
    void *factor;
    bool usable; /* E was factored */
} sn_lumps;

sn_status sn_lumps_update(sn_context *context, const sn_operator *op, const sn_filter *filter, sn_lumps *lumps,
                          sn_error *error);
/* z += Z E^-1 Z^T r */
void sn_lumps_add(const sn_context *context, const sn_lumps *lumps, const sn_filter *filter, const double *r, double *z);
void sn_lumps_release(sn_context *context, sn_lumps *lumps);

#endif
