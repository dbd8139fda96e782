/* Material points in compiled numbers, for interactions that act on them (links, tethers). */
#ifndef SN_WORLD_POINTS_H
#define SN_WORLD_POINTS_H

#include "inside.h"
#include "sinew/point.h"

enum { SN_GAP_NODES = 2 * SN_POINT_NODES };

/* The gap h = sum w_i x_i - target - offset(t) between a point and a place, or between two points; the weights of the
 * second point have the other sign. */
typedef struct sn_gap {
    int count, first;           /* nodes; how many of them carry the first point */
    int32_t node[SN_GAP_NODES]; /* compiled numbers */
    double weight[SN_GAP_NODES], target[3];
    double *key; /* of the offset; owned */
    int key_count;
} sn_gap;

/* Makes the gap between a point of a body (a place of its rest shape) and `to`: a place of the rest shape of the body
 * named `other`, or a place in space when the name is "". Keys: rows of t, x, y, z. The paths of errors are those of
 * sn_link. */
sn_status sn_gap_create(const sn_world *world, int body, const double point[3], const char *other, const double to[3],
                        const double *key, int key_count, sn_gap *gap, sn_error *error);
void sn_gap_release(const sn_world *world, sn_gap *gap);
/* h at (t, x), and its rate dh/dt without (`v` NULL: only the motion of the place) or with the velocities v. `rate` may
 * be NULL. */
void sn_gap_at(const sn_gap *gap, double t, const double *x, const double *v, double h[3], double *rate);
/* f += J^T pull */
void sn_gap_pull(const sn_gap *gap, const double pull[3], double *f);
/* Fills a line for a viewer: from the first point to the other end. */
void sn_gap_draw(const sn_gap *gap, double t, const double *x, sn_glyph *glyph);

#endif
