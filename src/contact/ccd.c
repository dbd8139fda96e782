/* See ccd.h. */
#include "ccd.h"

#include "base/math3.h"
#include "closest.h"

enum { ADVANCES = 1000 };
static const double KEPT = 0.2; /* of the distance at the start */
static const double NEAR = 1.5; /* times the kept distance: near enough to stop */

typedef void find_closest(const double *const x[4], sn_closest *closest);

/* The speeds without the common motion, and the largest speed of the first `first` corners plus that of the others. */
static double take_apart(const double *const d[4], int first, double own[4][3]) {
    double most[2] = {0, 0};
    for (int i = 0; i < 4; ++i) {
        for (int a = 0; a < 3; ++a) own[i][a] = d[i][a] - 0.25 * (d[0][a] + d[1][a] + d[2][a] + d[3][a]);
        const double speed = sn_norm3(own[i]);
        if (speed > most[i >= first]) most[i >= first] = speed;
    }
    return most[0] + most[1];
}

static double advance(find_closest *closest, int first, const double *const x[4], const double *const d[4], double gap,
                      double kept, double most) {
    double own[4][3], at[4][3];
    const double *const moved[4] = {at[0], at[1], at[2], at[3]};
    sn_closest c;
    closest(x, &c);
    double distance = sqrt(c.square) - gap;
    if (!(distance > 0)) return 0;
    const double speed = take_apart(d, first, own);
    kept = fmin(kept, KEPT * distance);
    double t = 0;
    for (int k = 0; k < ADVANCES && distance > NEAR * kept; ++k) {
        if (!((most - t) * speed > distance - kept)) return most;
        t += (distance - kept) / speed;
        for (int i = 0; i < 4; ++i)
            for (int a = 0; a < 3; ++a) at[i][a] = x[i][a] + t * own[i][a];
        closest(moved, &c);
        distance = sqrt(c.square) - gap;
    }
    return t;
}

double sn_ccd_vertex_face(const double *const x[4], const double *const d[4], double gap, double kept, double most) {
    return advance(sn_closest_vertex_face, 1, x, d, gap, kept, most);
}

double sn_ccd_edge_edge(const double *const x[4], const double *const d[4], double gap, double kept, double most) {
    return advance(sn_closest_edge_edge, 2, x, d, gap, kept, most);
}
