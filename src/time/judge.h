/* The judge of a step: refuses a leap that no force explains. It stands between every method and the acceptance of its
 * step.
 *
 *   E = T + S + O(t1)     kinetic energy, energy stored by the elements, potential of the outside at the end t1
 *   a leap                E1 - E0 - W > LEAP (T0 + |S0| + |O1 - O0| + W)
 *
 * Both E use the outside at the end t1 of the step, because a method may meet a spring there that was not there before.
 * Implicit Euler without error has E1 <= E0 then. W is the work of forces without a potential and of prescribed motion.
 *
 * Most steps need neither S nor W. The work of the forces f inside the bodies, by the trapezoidal rule, gives the gain
 *
 *   T1 - T0 + O1 - O0 - (f0 + f1) . (x1 - x0) / 2
 *
 * A step without a gain is no leap. The next step begins with f1, so the judge costs some loops over the nodes and no
 * force.
 *
 * Growth by a little in each step is as bad as a leap. So the judge keeps an account of the gains that nothing
 * explains; losses pay it back. A step is refused when the account exceeds half of T1 + |S1|.
 *
 * The account is not kept for "kikuuwe" with its correction. The correction limits the speeds by itself, and a plate
 * that crushes a body does work that the forces at the ends of the steps estimate too roughly to be added up. Leaps are
 * refused all the same.
 *
 * Why leaps happen: one linear solve cannot see how a law stiffens along its correction, and a method of high order
 * cannot see a contact that begins within its step. Both may end a step far up the energy. The next step starts with
 * the enormous forces there, and the motion explodes within a few steps, while every number stays finite. */
#ifndef SN_TIME_JUDGE_H
#define SN_TIME_JUDGE_H

#include "system.h"

/* The numbers of the account: the unexplained energy, and the largest kinetic energy so far, J. */
enum { SN_JUDGE_NUMBERS = 2 };

/* What the judge keeps of the start of a step. */
typedef struct sn_judge {
    bool sits;           /* the step is judged: it has inertia and an account, and the system knows its energies */
    bool books;          /* it also keeps the account */
    const double *x, *v; /* the start; the caller keeps it */
    double *force;       /* count doubles from the caller: f0 */
    sn_energy energy;
} sn_judge;

/* Before a step of the method from step->x and step->v, which are equal to x and v. */
sn_status sn_judge_start(const sn_method *method, const sn_step *step, const double *x, const double *v, double *force,
                         sn_judge *judge);
/* Judges the step, which ended at step->x and step->v, and books its gain. SN_NOT_CONVERGED: the step is refused. */
sn_status sn_judge_end(const sn_step *step, const sn_judge *judge);

#endif
