/* Penalty response on contact rows: springs and dampers push the bodies apart where they touch (penalty.h has the law).
 *
 * The rows of a step stay: normal n, weights and area of a row are constant in the step, and its gap is linear in x,
 *
 *   g(x) = g0 + n . sum_k w_k (x_k - x0_k),   depth d = thickness - g
 *
 * So the force on node k is exactly w_k f_n n, without a term for the turn of n, and the blocks of K are w_i w_j A
 * p'(d) n n^T. Friction acts on the tangential motion at the point of A (touch_rows.h): with its matrices M_k, f_k =
 * M_k^T f_t. The mass of the damper is that of the row, 1 / m = sum_k w_k^2 / m_k. */
#ifndef SN_CONTACT_TOUCH_PENALTY_H
#define SN_CONTACT_TOUCH_PENALTY_H

#include "friction.h"
#include "penalty.h"
#include "push.h"
#include "touch_rows.h"

typedef struct sn_touch_penalty {
    sn_penalty law;
    double thickness;
    const sn_touch_rows *rows;
    double *left_out;      /* per row, m: a depth that the spring does not feel */
    double *start;         /* per row: g0 + left_out - n . sum_k w_k x0_k */
    double *mass;          /* per row, kg */
    uint8_t *held;         /* per row; used when law.ahead > 0 */
    sn_friction *friction; /* per row: the memory of the step; used when `lagged` */
    bool lagged;
} sn_touch_penalty;

/* Everything about a row that acts. Returns false when it does not act. v may be NULL. */
bool sn_touch_penalty_at(const sn_touch_penalty *penalty, int row, const double *x, const double *v, sn_push *push);
/* The force on A of a row that acts. */
void sn_touch_penalty_pushes(const sn_touch_penalty *penalty, int row, const sn_push *push, bool moves,
                             double force[3]);
/* Adds the forces of all rows to f. Returns how many rows act. */
int sn_touch_penalty_force(const sn_touch_penalty *penalty, const double *x, const double *v, double *f);
double sn_touch_penalty_energy(const sn_touch_penalty *penalty, const double *x);
/* Appends the blocks of all rows, at most sn_touch_rows_block_count to each list. `exact`: the true derivatives;
 * otherwise symmetric and positive semidefinite blocks, and friction updates its memory. */
void sn_touch_penalty_blocks(const sn_touch_penalty *penalty, const double *x, const double *v, bool exact,
                             sn_block_list *K, sn_block_list *D);
/* Writes the present normal forces into the memory of friction. Returns whether they changed by more than a part in
 * 50. */
bool sn_touch_penalty_lag(const sn_touch_penalty *penalty, const double *x, const double *v);
/* As sn_penalty_release. */
bool sn_touch_penalty_release(const sn_touch_penalty *penalty, const double *x);

#endif
