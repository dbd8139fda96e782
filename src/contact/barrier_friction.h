/* Coulomb friction of the response "exact". The contacts, their normals, weights and normal forces are those of the
 * last solution: constant during a solve (friction.h). A row with the normal force N and the tangential motion u_t of A
 * relative to B pushes A with -mu N u_t / w(|u_t|). */
#ifndef SN_CONTACT_BARRIER_FRICTION_H
#define SN_CONTACT_BARRIER_FRICTION_H

#include "barrier.h"
#include "friction.h"

typedef struct sn_barrier_friction {
    double coefficient; /* mu */
    double slip;        /* e, m/s */
    sn_touch_rows rows; /* copies of the rows of the barrier */
    sn_friction *memory;
    int capacity;
} sn_barrier_friction;

void sn_barrier_friction_release(sn_barrier_friction *friction);
/* Takes the contacts of the barrier. v: the velocities at which the next solve begins, or NULL when they are not
 * known. */
sn_status sn_barrier_friction_take(sn_barrier_friction *friction, const sn_barrier *barrier, const double *v,
                                   sn_error *error);
/* The force on A of a contact with this row and normal force. */
void sn_barrier_friction_pull(const sn_barrier_friction *friction, const sn_touch_rows *rows, const sn_touch_row *row,
                              double normal, const double *v, double force[3]);
void sn_barrier_friction_force(const sn_barrier_friction *friction, const double *v, double *f);
/* Appends its blocks of D. Updates the memory. */
void sn_barrier_friction_blocks(sn_barrier_friction *friction, const double *v, sn_block_list *D);

#endif
