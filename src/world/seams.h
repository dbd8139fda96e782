/* Seams: two lines of nodes that are pulled together and then held. A seam becomes tethers (tethers.c). */
#ifndef SN_WORLD_SEAMS_H
#define SN_WORLD_SEAMS_H

#include "points.h"

/* The gaps that a seam of a body closes, one for each node of its finer side. */
typedef struct sn_seam_gaps {
    int count;
    sn_gap *gap;      /* release each with sn_gap_release, then the array with sn_release */
    double stiffness; /* N/m of each gap */
} sn_seam_gaps;

sn_status sn_seam_expand(const sn_world *world, int body, const sn_seam *seam, sn_seam_gaps *gaps, sn_error *error);
void sn_seam_release(const sn_world *world, sn_seam_gaps *gaps);

#endif
