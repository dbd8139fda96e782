/* Projection response: nodes on a collider lose their normal direction in the constraint filter (Hauth 5.4.2; Baraff and Witkin 1998).
 *
 * A node in contact is prescribed along n: it ends the step on the surface and has the collider's normal velocity. A step is taken with one
 * set of contacts, then judged; while the set is wrong it is changed and the step is taken again (an active-set method):
 *
 *   free     gap(x1) < -e                 becomes a contact: it would penetrate
 *   contact  N < -e_f                     is released: its reaction would pull; N = n . R,  R = M (v1 - v0) / h - f(t1, x1, v1)
 *   stick    |R_t| > mu N                 slips: only n is constrained, and the force -mu N phi(|u_t|) u_t acts (phi as in penalty.h)
 *   slip     |u_t| < slip speed           sticks: all three directions are prescribed, the node moves with the collider
 *
 * N in the force of friction is that of the last judgement; when it changes by more than a part in 50, the step is taken again too. All
 * loops are bounded by counts: a contact changes at most a few times in a step, then it stays.
 *
 * A normal is taken where the step begins, a new one where the path of the node meets the surface. On a collider that is curved or turns, a
 * contact that left the surface by more than 1e-4 of the body's size is linearised again where it arrived.
 *
 * Status and N of each node on each collider are the caller's, because the next step depends on them. Nodes that are held already keep
 * their held directions; a contact gets what is left of its normal. Up to three contacts per node. */
#ifndef SN_CONTACT_PROJECTION_H
#define SN_CONTACT_PROJECTION_H

#include "collider.h"
#include "linear/matrix/filter.h"
#include "linear/matrix/matrix.h"
#include "penalty.h"

typedef enum sn_contact_status { SN_CONTACT_FREE, SN_CONTACT_SLIP, SN_CONTACT_STICK } sn_contact_status;

/* A node on a collider. */
typedef struct sn_contact {
    int32_t slot; /* projecting collider x surface node: place in `status` */
    int32_t node, collider;
    double n[3];
    double anchor[3]; /* where it touches, before the collider moves: it moves and turns with the collider */
} sn_contact;

/* One prescribed direction: c . x = c . target, reached by x += s u with c . u = 1. */
typedef struct sn_contact_row {
    int32_t node, contact;
    double c[3], u[3];
} sn_contact_row;

typedef struct sn_projection {
    sn_context *context;
    const sn_collider_model *collider;
    const sn_penalty *penalty; /* friction and slip speed of each collider */
    int collider_count;
    const sn_contact_nodes *surface;
    int projecting; /* colliders with this response; 0: everything below is empty */
    int32_t *which; /* their numbers */
    double size;    /* of the body, m */
    int count;      /* contacts, ascending by node */
    sn_contact *contact;
    int row_count;
    sn_contact_row *row;
    sn_filter filter; /* the held nodes and the contacts */
    int filter_nodes, filter_projections;
    uint8_t *changes;      /* per slot */
    sn_contact *fresh;     /* per slot: where a contact is made or was linearised again in this step; node -1: nowhere */
    sn_friction *friction; /* per slot: of the present step */
    int rounds, friction_rounds, curved_rounds;
    int64_t repeats; /* how often a step was taken again, for reports */
} sn_projection;

bool sn_collider_projects(const sn_collider_model *collider);
/* Pairs of a projecting collider and a surface node. The caller keeps 2 doubles for each: all `status`, then all `load` (N); zero at the
 * start. */
int sn_projection_slots(const sn_projection *p);
/* The arrays handed in must outlive it. */
sn_status sn_projection_create(sn_context *context, const sn_collider_model *collider, const sn_penalty *penalty, int collider_count,
                               const sn_contact_nodes *surface, double size, sn_projection *p, sn_error *error);
void sn_projection_destroy(sn_projection *p);

/* Room in the filter for so many held nodes. */
sn_status sn_projection_reserve(sn_projection *p, int held, sn_error *error);

/* A step begins at (t, x): linearises the contacts and makes the filter from `held`. */
void sn_projection_begin(sn_projection *p, const sn_filter *held, double t, const double *x, const double *status);
/* The step is over: there are no rows until the next one begins. */
void sn_projection_end(sn_projection *p);
/* Prescribed components of x and v (either may be NULL) at time t, after those of the held nodes. */
void sn_projection_apply(const sn_projection *p, double t, double *x, double *v);
/* Adds the friction of slipping contacts; D = -df/dv by the secant (see penalty.h), one block per slipping contact. */
void sn_projection_force(const sn_projection *p, const double *status, double t, const double *v, double *f);
void sn_projection_blocks(sn_projection *p, const double *status, double t, const double *v, sn_block_list *damping);

/* What a step led to. */
typedef struct sn_projection_step {
    double t, h;
    const double *x0, *x, *v; /* v: NULL in statics, then there is no friction */
    const double *reaction;   /* R, nodes x 3; NULL when there is no contact yet */
    double noise;             /* e_f, N */
} sn_projection_step;
/* Whether the contacts may stay. Otherwise status and load, the contacts and the filter were changed. */
bool sn_projection_settle(sn_projection *p, const sn_filter *held, const sn_projection_step *step, double *status);

#endif
