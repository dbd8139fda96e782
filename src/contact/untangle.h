/* Untangles cloth that starts with intersections, so that the barrier (barrier.h) can take over.
 *
 * It changes only the places of cloth, before the first step, in two parts:
 *   1. While edges go through triangles, the cloth moves in small steps. Each crossing of cloth with cloth moves its
 *      edge and its triangle so that the line in which the surfaces intersect becomes shorter (P. Volino and N.
 *      Magnenat-Thalmann, Resolving surface collisions through intersection contour minimization, 2006). No side has to
 *      be known. Crossings of cloth with a solid move the cloth along the outward normal of the solid, and vertices of
 *      cloth inside a solid move to its nearest point. The motions are spread over the neighbours, so that the cloth
 *      moves as a sheet.
 *   2. Pairs of features that are nearer than they may be move apart.
 *
 * Features away from the crossings never pass through each other: the steps end where they would meet (ccd.h). The code
 * runs on one thread and has a bounded number of rounds. It cannot part solids, held cloth, and cloth that is deeper in
 * a body than half of it: they stay tangled. */
#ifndef SN_CONTACT_UNTANGLE_H
#define SN_CONTACT_UNTANGLE_H

#include "barrier.h"

/* Moves the nodes x (3 per node) that carry vertices of cloth, unless the filter holds them. The caller asks
 * sn_barrier_intersect afterwards whether it went well. *moved: m, the largest way of a node. */
sn_status sn_untangle(sn_barrier *barrier, const sn_filter *filter, double *x, double *moved, sn_error *error);

#endif
