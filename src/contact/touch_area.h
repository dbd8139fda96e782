/* Area response on contact rows: the motion of a step is corrected where surfaces intersect (Civit 3.4.2.2 to 3.4.2.4).
 *
 * A row at the start x0 of a step has the depth d = -gap. In the step its two points move apart by s along the normal
 * n and by u across it (touch_rows.h). The conditions on these displacements are those of the document:
 *   - a row does not approach any more: s >= 0, and it never pulls;
 *   - stabilisation: a part of the depth goes away, s >= target = h v, v = min(k_r (d - slop) / h0, v_most) with
 *     the whole step h0 and the part h of it that is under way. A row that is apart at x0 and would intersect at the
 *     end of the step may close: target = -(gap + slop / 2);
 *   - Coulomb's law on displacements: the row does not slip as long as the force of friction is below mu N.
 *
 * The document applies them as local pseudo-impulses to the increments after each linear solve. This is cheap, but the
 * neighbours of a node that was moved do not know of it: a stiff body gets strain from nowhere, gains energy and sinks.
 * Here the same conditions are forces in the equations of the step, so that Newton's method weighs them against inertia
 * and strain. With the forces P_n and P_t of the last step (zero in a new row) and a large stiffness k,
 *
 *   f_n = max(0, P_n + k (target - s)),   f_t = y |y| <= mu N, mu N y / |y| else,   y = P_t - k u
 *
 * Both have a potential and symmetric blocks. N is f_n of the last solution (friction.h explains why). When a contact
 * rests, s = u = 0 and f = P: it carries the load exactly, and it does not creep. The forces act on both bodies at one
 * point of x0 with opposite signs. So implicit Euler keeps linear and angular momentum. */
#ifndef SN_CONTACT_TOUCH_AREA_H
#define SN_CONTACT_TOUCH_AREA_H

#include "linear/matrix/matrix.h"
#include "touch_rows.h"

/* The constants of a row in a step. */
typedef struct sn_touch_grip {
    double k;        /* N/m */
    double speed;    /* m/s, v */
    double apart;    /* m: the way that the row may still close; 0 when its surfaces intersect at x0 */
    double start[3]; /* m: sum of the motion matrices times x0 */
    double force[3]; /* N: P, on A */
    double normal;   /* N: of friction */
    uint8_t held;    /* penalty.h, SN_AHEAD_ */
} sn_touch_grip;

/* The motion of the rows since x0, at the last place that was asked for: a step asks for few places, several times. */
typedef struct sn_touch_motion {
    int numbers;   /* 3 per node */
    double *place; /* numbers */
    double *moved; /* rows x 3, m: (u, s) of the row together, at `place` */
} sn_touch_motion;

typedef struct sn_touch_area {
    const sn_touch_rows *rows;
    sn_touch_grip *grip; /* per row */
    sn_touch_motion motion;
    int surfaces;
    double *load; /* scratch, per surface */
    double friction;
    double lapse; /* s, h */
    double ahead; /* s: above 0, rows also act that their velocity v takes together in this time */
} sn_touch_area;

/* The start of a step: sets `start` of all rows, and their motion. */
void sn_touch_area_start(const sn_touch_area *area, const double *x);
/* The forces on A of all rows at x, rows x 3. */
void sn_touch_area_forces(const sn_touch_area *area, const double *x, double *force);
/* Adds the forces of all rows to f. Returns how many rows act. v may be NULL. */
int sn_touch_area_force(const sn_touch_area *area, const double *x, const double *v, double *f);
double sn_touch_area_energy(const sn_touch_area *area, const double *x);
void sn_touch_area_blocks(const sn_touch_area *area, const double *x, const double *v, sn_block_list *K);
/* Takes the present normal forces for friction. Returns whether they changed by more than a part in 50. */
bool sn_touch_area_lag(const sn_touch_area *area, const double *x);
/* A solve that looked ahead ended at x: releases the rows that pull there, between surfaces whose rows together pull by
 * more than a fiftieth of the normal forces on one of the two surfaces. Returns whether there were any. Smaller
 * pulls end with the step: the next step starts these rows without a force. */
bool sn_touch_area_release(const sn_touch_area *area, const double *x);

#endif
