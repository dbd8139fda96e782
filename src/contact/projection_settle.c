/* Projection response: decides which contacts a step makes and releases, and which slip or stick. projection.h states
 * the rules. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "projection_settle.h"

enum {
    CHANGES = 4,  /* changes of one contact in a step; after that it is not released any more */
    ROUNDS = 24,  /* how often a step is taken again; after that its contacts stay */
    FRICTION = 6, /* how many of these rounds may be only for a changed N */
    CURVED = 2,   /* how many of these rounds may be only for a curved surface */
};

typedef struct judge {
    sn_projection *p;
    const sn_filter *held;
    const sn_projection_step *step;
    double *status, *load;
    int changes; /* how many contacts were made or released, began to slip or to stick */
    bool loads;  /* an N has changed */
    bool curved; /* a contact has left its surface */
} judge;

static void change(judge *j, int slot, sn_contact_status to) {
    j->status[slot] = to;
    if (j->p->changes[slot] < 255) ++j->p->changes[slot];
    ++j->changes;
}

/* The gap of a node at x, less the distance that it keeps. */
static double gap_at(const sn_projection *p, int slot, double t, const double x[3], double reach) {
    const sn_collider_model *collider = &p->collider[p->which[slot / p->surface->count]];
    const double apart = sn_contact_apart(p->surface, slot % p->surface->count);
    sn_pose pose;
    double n[3];
    sn_collider_at(collider, t, &pose);
    return sn_collider_gap(collider, &pose, x, reach + apart, n, NULL) - apart;
}

/* Whether a node belongs to a group (a rigid core). Such a node moves with its group and cannot be constrained
 * separately. */
static bool in_group(const sn_filter *filter, int32_t node) {
    for (int g = 0; g < filter->group_count; ++g)
        for (int i = 0; i < filter->group[g].count; ++i)
            if (filter->group[g].node[i] == node) return true;
    return false;
}

/* Makes contacts of free nodes that ended inside. The contact is where the path of the node met the surface. */
static void make_contacts(judge *j) {
    sn_projection *p = j->p;
    const double depth = 1e-9 * p->size, t1 = j->step->t + j->step->h;
    const int nodes = p->surface->count;
    for (int slot = 0; slot < sn_projection_slots(p); ++slot) {
        if (j->status[slot] != SN_CONTACT_FREE) continue;
        const double *x0 = j->step->x0 + 3 * (size_t)p->surface->node[slot % nodes],
                     *x1 = j->step->x + 3 * (size_t)p->surface->node[slot % nodes];
        double meet[3];
        const double after = gap_at(p, slot, t1, x1, 0);
        if (!(after < -depth)) continue;
        const double *S = sn_filter_find(j->held, p->surface->node[slot % nodes]);
        if ((S && S[0] == 0 && S[4] == 0 && S[8] == 0) || in_group(j->held, p->surface->node[slot % nodes]))
            continue; /* the node cannot move */
        const double before = gap_at(p, slot, j->step->t, x0, INFINITY),
                     part = before > 0 ? before / (before - after) : 0;
        for (int a = 0; a < 3; ++a) meet[a] = x0[a] + part * (x1[a] - x0[a]);
        sn_contact_linearise(p, slot, t1, meet, &p->fresh[slot]);
        const bool rough = j->step->v && p->penalty[p->which[slot / nodes]].friction > 0;
        j->load[slot] = 0;
        change(j, slot, rough ? SN_CONTACT_STICK : SN_CONTACT_SLIP);
    }
}

/* The normal forces N of the contacts [first, end) of one node: a least-squares fit to its reaction. `rest`: the rest
 * of the reaction. */
static void normal_forces(const judge *j, int first, int end, double *N, double rest[3]) {
    const sn_projection *p = j->p;
    const int count = end - first;
    const int32_t node = p->contact[first].node;
    const double *S = sn_filter_find(j->held, node), *R = j->step->reaction + 3 * (size_t)node;
    double n[3][3], e[3][3], length[3], r[3][3], b[3];
    for (int a = 0; a < 3; ++a) rest[a] = S ? S[3 * a] * R[0] + S[3 * a + 1] * R[1] + S[3 * a + 2] * R[2] : R[a];
    /* Gram-Schmidt: n_k = sum_l r_kl e_l. Contacts that add no direction get no force. */
    for (int k = 0; k < count; ++k) {
        const double *own = p->contact[first + k].n;
        for (int a = 0; a < 3; ++a)
            n[k][a] = S ? S[3 * a] * own[0] + S[3 * a + 1] * own[1] + S[3 * a + 2] * own[2] : own[a];
        memcpy(e[k], n[k], sizeof e[k]);
        for (int l = 0; l < k; ++l) {
            r[k][l] = length[l] > 0 ? sn_dot3(n[k], e[l]) : 0;
            for (int a = 0; a < 3; ++a) e[k][a] -= r[k][l] * e[l][a];
        }
        length[k] = sn_norm3(e[k]);
        if (length[k] < 1e-2) length[k] = 0;
        for (int a = 0; a < 3; ++a) e[k][a] = length[k] > 0 ? e[k][a] / length[k] : 0;
        b[k] = sn_dot3(rest, e[k]);
    }
    for (int k = count - 1; k >= 0; --k) {
        N[k] = b[k];
        for (int l = k + 1; l < count; ++l) N[k] -= r[l][k] * N[l];
        N[k] = length[k] > 0 ? N[k] / length[k] : 0;
    }
    for (int k = 0; k < count; ++k)
        for (int a = 0; a < 3; ++a) rest[a] -= N[k] * n[k][a];
}

/* Judges the friction of a contact that stays, with its new N. `rest`: the tangential reaction of the node. */
static void judge_friction(judge *j, const sn_held_contact *contact, double N, const double rest[3]) {
    const sn_penalty *penalty = &j->p->penalty[contact->collider];
    const int slot = contact->slot;
    if (!j->step->v || !(penalty->friction > 0)) return;
    const double most = penalty->friction * fmax(N, 0), was = j->load[slot];
    j->load[slot] = fmax(N, 0);
    if (j->status[slot] == SN_CONTACT_STICK) {
        if (sn_norm3(rest) > most + j->step->noise) change(j, slot, SN_CONTACT_SLIP);
        return;
    }
    double ut[3];
    sn_contact_slip(j->p, contact, j->step->t + j->step->h, j->step->v, ut);
    if (sn_norm3(ut) < penalty->slip && j->p->changes[slot] < CHANGES) {
        change(j, slot, SN_CONTACT_STICK);
        return;
    }
    j->loads = j->loads || fabs(j->load[slot] - was) > 0.02 * j->load[slot] + j->step->noise;
}

/* When a slipping contact has left a curved surface, it gets the normal of its present place. */
static void judge_surface(judge *j, const sn_held_contact *contact) {
    sn_projection *p = j->p;
    const double t1 = j->step->t + j->step->h, *x = j->step->x + 3 * (size_t)contact->node;
    if (p->curved_rounds >= CURVED || fabs(gap_at(p, contact->slot, t1, x, INFINITY)) <= 1e-4 * p->size) return;
    sn_contact_linearise(p, contact->slot, t1, x, &p->fresh[contact->slot]);
    j->curved = true;
}

static void judge_node(judge *j, int first, int end) {
    sn_projection *p = j->p;
    double N[3] = {0}, rest[3];
    if (end > first + 3) end = first + 3;
    normal_forces(j, first, end, N, rest);
    int worst = 0;
    for (int k = 1; k < end - first; ++k)
        if (N[k] < N[worst]) worst = k;
    const int slot = p->contact[first + worst].slot;
    if (N[worst] < -j->step->noise && p->changes[slot] < CHANGES) {
        change(j, slot, SN_CONTACT_FREE);
        p->fresh[slot].node = -1;
        return;
    }
    for (int i = first; i < end; ++i) {
        judge_friction(j, &p->contact[i], N[i - first], rest);
        if (j->status[p->contact[i].slot] == SN_CONTACT_SLIP) judge_surface(j, &p->contact[i]);
    }
}

bool sn_projection_settle(sn_projection *p, const sn_filter *held, const sn_projection_step *step, double *status) {
    if (!p->projecting) return true;
    judge j = {.p = p, .held = held, .step = step, .status = status, .load = status + sn_projection_slots(p)};
    for (int i = 0; i < p->count && step->reaction;) {
        int end = i;
        while (end < p->count && p->contact[end].node == p->contact[i].node) ++end;
        judge_node(&j, i, end);
        i = end;
    }
    make_contacts(&j);
    if (j.curved) ++p->curved_rounds;
    if (!j.changes && !j.curved && j.loads) ++p->friction_rounds;
    const bool again = j.changes || j.curved || (j.loads && p->friction_rounds <= FRICTION);
    if (!again || ++p->rounds > ROUNDS) return true;
    ++p->repeats;
    sn_projection_collect(p, held, step->t, step->x0, status);
    return false;
}
