/* A coarse space of rigid motions, for preconditioners.
 *
 * The nodes are cut into lumps: groups of neighbours in the pattern. Each lump moves as a rigid body with a translation
 * t and a rotation w about its centre, so a node moves by u = t + w x a. With Z the map from all (t, w) to u,
 *
 *   E = Z^T A Z,   z += Z E^-1 Z^T r
 *
 * takes the long waves out of r, which a preconditioner of neighbouring nodes does not see. Lumps are neighbours on the
 * mesh, not in space: the layers of a folded sheet do not mix. (Rigid motions of aggregates as the coarse space of
 * conjugate gradients: Bulgakov and Kuhn 1995.)
 *
 * A lump is in a part (parts.h) when all of its nodes are; all others are in the joint. So E falls into the same parts
 * as the matrix, and the lumps of a part are treated beside its nodes, on the same thread. */
#ifndef SN_LINEAR_LUMPS_H
#define SN_LINEAR_LUMPS_H

#include "linear/solver.h"
#include "rigid_factor.h"

typedef struct sn_lumps {
    const sn_context *context;
    const sn_parts *parts;  /* of the nodes */
    bool made;              /* the lumps belong to the pattern */
    bool usable;            /* E was factored */
    int nodes, count;       /* of the matrix; of lumps */
    int32_t *lump;          /* nodes: the lump of a node; -1: none, too few nodes hang together there */
    int32_t *begin, *node;  /* the nodes of a lump, ascending: count + 1; nodes */
    float *arm;             /* nodes x 4: from the centre of its lump to the node, and 0 */
    sn_rigid_factor factor; /* E, its factor, and the vector of forces or motions of lumps */
} sn_lumps;

/* Makes E and its factor. Without positions of the nodes (op->source) lumps have only translations. When E is not
 * definite, the lumps are left out. */
sn_status sn_lumps_update(sn_context *context, const sn_operator *op, const sn_filter *filter, const sn_parts *parts,
                          sn_lumps *lumps, sn_error *error);
/* The motions Z E^-1 Z^T r: `forward` for each part, then `middle`, then `back` for each part. Calls for two parts may
 * run at the same time. */
void sn_lumps_forward(const sn_lumps *lumps, int part, const double *r);
void sn_lumps_middle(const sn_lumps *lumps);
void sn_lumps_back(const sn_lumps *lumps, int part);
/* Adds the motions to z at the nodes of a part after `back`, or at those of the joint after `middle`. */
void sn_lumps_move(const sn_lumps *lumps, int part, double *z);
void sn_lumps_release(sn_context *context, sn_lumps *lumps);

#endif
