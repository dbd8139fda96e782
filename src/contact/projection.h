/* Projection response: the constraint filter takes the normal direction away from nodes in contact (Hauth 5.4.2; Baraff
 * and Witkin 1998).
 *
 * A node in contact is prescribed along the normal n: it ends the step on the surface (a node of cloth: half the
 * thickness above it), and it has the collider's velocity along n. A step is taken with one set of contacts. Then these
 * rules judge the set. When a contact changes, the step is taken again (an active-set method):
 *
 *   free      gap(x1) < -e         becomes a contact, because it would penetrate
 *   contact   N < -e_f             becomes free, because its reaction would pull
 *   stick     |R_t| > mu N         slips: only n is constrained, and the force -mu N phi(|u_t|) u_t acts
 *   slip      |u_t| < slip speed   sticks: all three directions are prescribed, and the node moves with the collider
 *
 *   R = M (v1 - v0) / h - f(t1, x1, v1) is the reaction, N = n . R its normal part; phi as in penalty.h
 *
 * The force of friction uses the N of the last judgement. When N changes by more than a part in 50, the step is taken
 * again too. Counts bound all loops: a contact changes at most a few times in a step, then it stays.
 *
 * A contact has the normal at the start of the step; a new contact has the normal where the path of the node meets the
 * surface. On a curved or turning collider, a slipping contact can leave the surface. When it is farther than 1e-4 of
 * the body's size, it gets the normal of the place where it arrived.
 *
 * The caller keeps status and N of each node on each collider, because the next step depends on them. Nodes that fixes
 * hold keep their held directions; a contact only constrains the rest of its normal. A node has up to three
 * contacts. */
#ifndef SN_CONTACT_PROJECTION_H
#define SN_CONTACT_PROJECTION_H

#include "collider_model.h"
#include "linear/matrix/filter.h"
#include "linear/matrix/matrix.h"
#include "penalty.h"

typedef enum sn_contact_status { SN_CONTACT_FREE, SN_CONTACT_SLIP, SN_CONTACT_STICK } sn_contact_status;

/* A node on a collider. */
typedef struct sn_held_contact {
    int32_t slot; /* index of the pair (projecting collider, surface node) in `status` */
    int32_t node, collider;
    double n[3];
    double anchor[3]; /* the place where it touches, before any motion of the collider: on the surface, or half the
                         thickness of the cloth above it. It moves and turns with the collider */
} sn_held_contact;

/* One prescribed direction: c . x = c . target. A move x += s u, where c . u = 1, reaches it. */
typedef struct sn_projection_row {
    int32_t node, contact;
    double c[3], u[3];
} sn_projection_row;

typedef struct sn_projection {
    sn_context *context;
    const sn_collider_model *collider;
    const sn_penalty *penalty; /* friction and slip speed of each collider */
    int collider_count;
    const sn_contact_nodes *surface;
    int projecting; /* how many colliders have this response; 0: everything below is empty */
    int32_t *which; /* projecting: the indices of these colliders */
    double size;    /* m, size of the largest body */
    int count;      /* how many contacts; they ascend by node */
    sn_held_contact *contact;
    int row_count;
    sn_projection_row *row;
    sn_filter filter; /* the constraints of held nodes and of contacts */
    int filter_nodes, filter_projections;
    uint8_t *changes; /* per slot: how often it changed in this step */
    sn_held_contact
        *fresh; /* per slot: a contact that this step made or gave a new normal; node is -1 when there is none */
    sn_friction *friction; /* per slot: memory of friction in the present step */
    int rounds, friction_rounds, curved_rounds;
    int64_t repeats; /* how often steps were taken again, for reports */
} sn_projection;

/* Whether the response of the collider is "projection". */
bool sn_collider_projects(const sn_collider_model *collider);
/* How many slots there are: pairs of a projecting collider and a surface node. The caller keeps an array of 2 doubles
 * per slot: first the `status` of all slots, then the `load` (N) of all slots. All are zero at the start. */
int sn_projection_slots(const sn_projection *p);
/* `collider`, `penalty` and `surface` are not copied; they must outlive p. */
sn_status sn_projection_create(sn_context *context, const sn_collider_model *collider, const sn_penalty *penalty,
                               int collider_count, const sn_contact_nodes *surface, double size, sn_projection *p,
                               sn_error *error);
void sn_projection_destroy(sn_projection *p);

/* Makes room in the filter for `held` held nodes. */
sn_status sn_projection_reserve(sn_projection *p, int held, sn_error *error);

/* A step begins at (t, x). Computes the normals of the contacts, and makes the filter from `held` and the contacts. */
void sn_projection_begin(sn_projection *p, const sn_filter *held, double t, const double *x, const double *status);
/* The step is over. There are no rows until the next step begins. */
void sn_projection_end(sn_projection *p);
/* Sets the prescribed components of x and v (either may be NULL) at time t. Held nodes must be set before. */
void sn_projection_apply(const sn_projection *p, double t, double *x, double *v);
/* `force` adds the friction of slipping contacts to f. `blocks` adds one block of D = -df/dv (friction.h) per slipping
 * contact. */
void sn_projection_force(const sn_projection *p, const double *status, double t, const double *v, double *f);
void sn_projection_blocks(sn_projection *p, const double *status, double t, const double *v, sn_block_list *damping);

/* The result of a step. */
typedef struct sn_projection_step {
    double t, h;
    const double *x0, *x,
        *v;                 /* positions before and after; velocity after, NULL in statics: then there is no friction */
    const double *reaction; /* R, nodes x 3; NULL when there is no contact yet */
    double noise;           /* e_f, N: smaller forces count as zero */
} sn_projection_step;
/* Judges a step. True: the contacts stay. False: status, load, contacts and filter have changed, and the step must be
 * taken again. */
bool sn_projection_settle(sn_projection *p, const sn_filter *held, const sn_projection_step *step, double *status);

#endif
