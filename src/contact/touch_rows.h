/* Contact rows: the one form in which detection hands a contact to a response.
 *
 * A row is a place where surface A touches surface B. It has
 *   - a unit normal n, from B to A;
 *   - a gap g along n, m: above 0 when the surfaces are apart, below 0 when they intersect. It is n . d, but for rows
 *     of the last fallback (determination.h), which have d = 0;
 *   - an area, m^2, for responses that work with pressures;
 *   - nodes with weights. The vector d = sum_k w_k x(node_k) runs from the point of B to the point of A. The carriers
 *     of the point on A have positive weights, those of the point on B negative ones. A collider has no nodes.
 *
 * The rate of the gap is n . (sum_k w_k v_k - u), where u is the velocity of the collider's point (0 otherwise). A
 * force p along n on A, and -p on B, becomes w_k p n on node k.
 *
 * The two points are apart by the gap. Forces along n on both have no torque together, but tangential ones would have:
 * friction would change the angular momentum. So tangential motion is measured at one point for both sides, the point
 * of A. There the material of B moves as if it were fixed to the triangle of its own point: with r = d, N the normal of
 * the triangle, r = r_N N + r_T and phi_k the linear shape functions,
 *
 *   v_B = sum_k [phi_k + grad phi_k . r_T] v_k - r_N sum_k grad phi_k (N . v_k) = sum_k M_k v_k
 *
 * For a rigid motion this is v(q) + omega x r. When r is longer than the lowest height of the triangle, it is shortened
 * to that, because the matrices would become large. `motion` has the 3x3 matrices of the motion of A relative to B:
 * J = w n n^T + (1 - n n^T) M.
 *
 * Rows lie in one list, in an order that depends only on the state (by surfaces, then by features). So sums over them
 * have the same bits for any number of threads. */
#ifndef SN_CONTACT_TOUCH_ROWS_H
#define SN_CONTACT_TOUCH_ROWS_H

#include "base/context.h"
#include "linear/matrix/matrix.h"
#include "touch_surface.h"

/* The kind of features that touch. */
typedef enum sn_touch_kind {
    SN_TOUCH_VERTEX_FACE, /* feature 0: a vertex of A; feature 1: a triangle of B */
    SN_TOUCH_FACE_VERTEX, /* feature 0: a triangle of A; feature 1: a vertex of B */
    SN_TOUCH_EDGE_EDGE,   /* edges of both */
    SN_TOUCH_REGION,      /* patches of a region that intersects (Civit 5.5); determination.h says which */
} sn_touch_kind;

/* A point of a triangle of a surface: weights of its three vertices, sum 1. */
typedef struct sn_touch_point {
    int32_t triangle;
    double share[3];
} sn_touch_point;

/* The present place of a point. */
void sn_touch_point_place(const sn_touch_surface *surface, const sn_touch_point *point, double out[3]);

typedef struct sn_touch_row {
    int32_t a, b; /* surfaces; equal for self-contact */
    sn_touch_kind kind;
    int32_t feature[2]; /* identify the contact from step to step, for friction and warm starts */
    double n[3], gap, area;
    double point[3];      /* m: the point of A */
    double velocity[3];   /* m/s, u: of the collider's point; 0 for bodies */
    sn_touch_point at[2]; /* on A and on B */
    int32_t first, count; /* its carriers in `node` and `weight` of the list */
} sn_touch_row;

typedef struct sn_touch_rows {
    sn_context *context;
    int count, capacity;
    sn_touch_row *row;
    int carrier_count, carrier_capacity;
    int32_t *node;
    double *weight;
    double *motion; /* 9 per carrier, row by row: J. The motion of A relative to B is sum_k J_k v_k */
} sn_touch_rows;

void sn_touch_rows_release(sn_touch_rows *rows);
static inline void sn_touch_rows_clear(sn_touch_rows *rows) { rows->count = rows->carrier_count = 0; }

/* Makes `to` a copy of `from`. */
sn_status sn_touch_rows_copy(const sn_touch_rows *from, sn_touch_rows *to, sn_error *error);

/* Appends a row with the carriers of the point `a` on surface A and `b` on surface B. Nodes that carry both points or
 * several vertices appear once. `row` gives everything but `at`, `first` and `count`. Allocates only when the list
 * reaches a new maximum. */
sn_status sn_touch_rows_append(sn_touch_rows *rows, const sn_touch_surface *surface_a, const sn_touch_point *a,
                               const sn_touch_surface *surface_b, const sn_touch_point *b, const sn_touch_row *row,
                               sn_error *error);

/* sum_k w_k u_k: 3 numbers from a vector of 3 per node. */
void sn_touch_row_gather(const sn_touch_rows *rows, const sn_touch_row *row, const double *u, double out[3]);
/* The motion of A relative to B, sum_k J_k u_k. */
void sn_touch_row_motion(const sn_touch_rows *rows, const sn_touch_row *row, const double *u, double out[3]);
/* Adds the force `force` on A, and the opposite force on B, to the nodes: the transpose of sn_touch_row_motion. */
void sn_touch_row_push(const sn_touch_rows *rows, const sn_touch_row *row, const double force[3], double *f);
/* Appends the blocks of a row (touch_blocks.c), count x count of them: m (row by row) is the derivative of its force by
 * its motion, with the opposite sign. When all m are symmetric, sn_block_list_mirror may fill the lower blocks of the
 * pairs from block `later` of the list on; INT_MAX: never. */
void sn_touch_row_blocks(const sn_touch_rows *rows, const sn_touch_row *row, const double m[9], int later,
                         sn_block_list *list);
/* How many blocks all rows have. */
int64_t sn_touch_rows_block_count(const sn_touch_rows *rows);
/* u_k += w_k value. */
void sn_touch_row_scatter(const sn_touch_rows *rows, const sn_touch_row *row, const double value[3], double *u);

#endif
