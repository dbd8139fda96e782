/* The response "exact": a barrier that keeps surfaces apart, with a limit for each motion. Nothing ever intersects.
 *
 * Incremental potential contact (Li et al. 2020, 2021; area weights after Li et al. 2023). All pairs of features whose
 * distance d is less than gap + reach have the energy
 *
 *   E = k W m r b(y),   y = (d - gap) / r,   b(y) = -(y - 1)^2 ln y  for 0 < y < 1, 0 above
 *
 *   gap   m: the thickness (near_features.h). The pair never comes nearer than this
 *   r     m: the reach of the barrier beyond the gap
 *   k     Pa: the modulus of the bodies (the harmonic mean of both) plus that of their inertia in a step. The pressure
 *         of a contact is -k b'(y): it has the size of k in the middle of the reach, and grows without bound at y = 0.
 *         So nothing is left to tune: a load that the bodies can carry keeps y between a half and one
 *   W     m^2: half the area of the vertex; for edges a quarter of the area of both
 *   m     1; for edges that are nearly parallel the mollifier of closest.h
 *
 * The force on corner i is -k W m b'(y) w_i n - E m'/m dc/dx_i, with the weights w and the normal n = r / |r| of the
 * closest points. The matrix is the positive part of the second derivative without the change of the closest points and
 * of m: k W m b''(y) / r (w n)(w n)^T, one contact row. The parts left out are smaller than the elastic stiffness by
 * pressure / modulus.
 *
 * Several pairs of features may have the same closest points: all triangles around a vertex, for example. Those with
 * one gap make one row, with the sum of their strengths k W m.
 *
 * A motion could jump over the barrier. Newton's method therefore asks how far it may go along a correction (ccd.h). It
 * starts from a place without intersections, so it never reaches one with intersections. */
#ifndef SN_CONTACT_BARRIER_H
#define SN_CONTACT_BARRIER_H

#include "linear/matrix/filter.h"
#include "linear/matrix/matrix.h"
#include "near_features.h"
#include "touch_rows.h"

typedef struct sn_barrier {
    sn_near_features near;
    double reach;      /* m */
    double *stiffness; /* per surface of the source, Pa: k */
    double *square;    /* scratch: squared distance of each pair of the list, up to rounding */
    int square_capacity;

    /* The contacts at `position`. Row i of `rows` has their nodes. */
    bool known;
    double *position; /* vertices x 3 */
    struct sn_barrier_touch {
        double strength;  /* k W m, of all pairs with the same closest features */
        double energy;    /* J */
        double push;      /* N along n on A: -strength b' */
        double stiffness; /* N/m */
    } * touch;
    int touch_capacity;
    sn_touch_rows rows;

    /* The pairs of edges within reach whose mollifier is not 1. */
    struct sn_barrier_parallel {
        sn_near_pair pair;
        double limit;    /* e of closest.h */
        double strength; /* k W r b m': times -dc/dx is the rest of the force */
    } * parallel;
    int parallel_count, parallel_capacity;

    struct sn_barrier_way *way; /* scratch: the pairs that a motion may bring together (barrier_stop.c) */
    int way_count, way_capacity;
    struct sn_barrier_stop *stop; /* scratch: per node */
    int stop_capacity;

    struct sn_barrier_found *found; /* scratch: the pairs within reach */
    int found_capacity;
} sn_barrier;

/* b, b' and b'' at y; zero from y = 1 on. b is infinite at y <= 0. */
void sn_barrier_function(double y, double b[3]);

/* Joins the surfaces (near_features.h) and chooses the reach: a twentieth of the mean edge, less when the surfaces are
 * nearer to themselves at rest. `gap`: the distance that surfaces keep, beside the thickness of cloth. SN_BAD_INPUT
 * when a surface is nearer to itself than the gap. */
sn_status sn_barrier_create(sn_context *context, sn_touch_surface *const *surface, int count,
                            bool (*may)(const void *user, int a, int b), const void *user, double gap,
                            sn_barrier *barrier, sn_error *error);
void sn_barrier_release(sn_barrier *barrier);

/* Finds the pairs within reach at the places x of the nodes. After this the functions below can be called. */
sn_status sn_barrier_visit(sn_barrier *barrier, const double *x, sn_error *error);
/* Shortens the reach so that no contact of the last visit pushes: a start with small gaps then has no kick. The reach
 * keeps at least a twentieth of its length. */
void sn_barrier_calm(sn_barrier *barrier);
double sn_barrier_energy(const sn_barrier *barrier);
/* Adds the forces to f. */
void sn_barrier_force(const sn_barrier *barrier, double *f);
/* The part of the motion d of the nodes from x that is safe, above 0, at most 1. */
sn_status sn_barrier_limit(sn_barrier *barrier, const double *x, const double *d, double *part, sn_error *error);
/* Shortens the motions d of single nodes from x until nothing meets. *cut: whether it shortened one. *safe: the whole
 * motion d is safe now; otherwise it ran out of rounds, and sn_barrier_limit must look at it. */
sn_status sn_barrier_stop(sn_barrier *barrier, const double *x, int node_count, const sn_filter *filter, double *d,
                          bool *cut, bool *safe, sn_error *error);
/* Fills `square` for the places of the vertices. */
sn_status sn_barrier_squares(sn_barrier *barrier, const double *position, sn_error *error);
/* Makes the list of pairs complete for a motion of the vertices. */
sn_status sn_barrier_cover(sn_barrier *barrier, const double *from, const double *to, sn_error *error);
/* The pairs of surfaces that intersect at x, or that are nearer than the gap: at most `room` of them. */
sn_status sn_barrier_intersect(sn_barrier *barrier, const double *x, int32_t (*pair)[2], int room, int *count,
                               sn_error *error);
/* Appends the blocks of the rows: the positive part of K. */
void sn_barrier_blocks(const sn_barrier *barrier, sn_block_list *K);

#endif
