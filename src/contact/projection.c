/* Projection response: contacts, their prescribed directions, friction. projection.h states the rules;
 * projection_settle.c decides which contacts stay. */
#include "projection.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math3.h"
#include "projection_settle.h"

enum { ROWS = 3 }; /* at most so many per node */

bool sn_collider_projects(const sn_collider_model *collider) {
    return strcmp(collider->options.response, "projection") == 0;
}

int sn_projection_slots(const sn_projection *p) { return p->projecting * p->surface->count; }

sn_status sn_projection_create(sn_context *context, const sn_collider_model *collider, const sn_penalty *penalty,
                               int collider_count, const sn_contact_nodes *surface, double size, sn_projection *p,
                               sn_error *error) {
    *p = (sn_projection){.context = context,
                         .collider = collider,
                         .penalty = penalty,
                         .collider_count = collider_count,
                         .surface = surface,
                         .size = size};
    int projecting = 0;
    for (int i = 0; i < collider_count; ++i) projecting += sn_collider_projects(&collider[i]);
    if ((int64_t)projecting * surface->count > INT32_MAX / 4)
        return sn_fail(error, SN_UNSUPPORTED,
                       "%d colliders with the response 'projection' on %d surface nodes are too many", projecting,
                       surface->count);
    p->which = sn_allocate(context, (size_t)projecting, sizeof *p->which);
    if (!p->which) return sn_no_memory(error);
    for (int i = 0; i < collider_count; ++i)
        if (sn_collider_projects(&collider[i])) p->which[p->projecting++] = i;
    const size_t slots = (size_t)sn_projection_slots(p);
    if (!slots) return SN_OK;
    p->contact = sn_allocate(context, slots, sizeof *p->contact);
    p->fresh = sn_allocate(context, slots, sizeof *p->fresh);
    p->changes = sn_allocate_zero(context, slots, sizeof *p->changes);
    p->friction = sn_allocate_zero(context, slots, sizeof *p->friction);
    p->row = sn_allocate(context, (size_t)surface->count * ROWS, sizeof *p->row);
    return p->contact && p->fresh && p->changes && p->friction && p->row ? SN_OK : sn_no_memory(error);
}

void sn_projection_destroy(sn_projection *p) {
    void *const array[] = {p->which,    p->contact, p->fresh,       p->changes,
                           p->friction, p->row,     p->filter.node, p->filter.projection};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(p->context, array[i]);
    *p = (sn_projection){0};
}

/* ---- Contacts and their rows ---- */
void sn_contact_linearise(const sn_projection *p, int slot, double t, const double x[3], sn_held_contact *contact) {
    const int nodes = p->surface->count;
    sn_pose pose;
    double foot[3];
    *contact =
        (sn_held_contact){.slot = slot, .node = p->surface->node[slot % nodes], .collider = p->which[slot / nodes]};
    const sn_collider_model *collider = &p->collider[contact->collider];
    sn_collider_at(collider, t, &pose);
    const double gap =
        sn_collider_gap(collider, &pose, x, INFINITY, contact->n, NULL) - sn_contact_apart(p->surface, slot % nodes);
    for (int a = 0; a < 3; ++a) foot[a] = x[a] - gap * contact->n[a];
    sn_collider_unmove(collider, &pose, foot, contact->anchor);
}

static void project(const double *S, const double v[3], double out[3]) {
    for (int r = 0; r < 3; ++r) out[r] = S ? S[3 * r] * v[0] + S[3 * r + 1] * v[1] + S[3 * r + 2] * v[2] : v[r];
}

/* Adds a row for the direction c of a node that has `count` rows already. S: the projection of the fixes that hold the
 * node, or NULL. When S and the rows already hold almost all of c, nothing is added. Returns the new count. */
static int add_row(sn_projection_row *row, int count, const double *S, int32_t node, int32_t contact,
                   const double c[3]) {
    if (count == ROWS) return count;
    double u[3];
    project(S, c, u);
    for (int k = 0; k < count; ++k) {
        const double along = sn_dot3(row[k].u, c) / sn_dot3(row[k].u, row[k].u);
        for (int a = 0; a < 3; ++a) u[a] -= along * row[k].u[a];
    }
    const double square = sn_dot3(u, u);
    if (!(square > 1e-4)) return count;
    sn_projection_row *own = &row[count];
    *own = (sn_projection_row){.node = node, .contact = contact};
    for (int a = 0; a < 3; ++a) own->c[a] = c[a], own->u[a] = u[a] / square;
    return count + 1;
}

/* The rows of the contacts [first, end) of one node: first the normals, then the tangents of sticking contacts. */
static int node_rows(const sn_projection *p, const double *status, const double *S, int first, int end,
                     sn_projection_row *row) {
    int count = 0;
    for (int i = first; i < end; ++i) count = add_row(row, count, S, p->contact[i].node, i, p->contact[i].n);
    for (int i = first; i < end; ++i) {
        if (status[p->contact[i].slot] != SN_CONTACT_STICK) continue;
        for (int a = 0; a < 3; ++a) {
            const double *n = p->contact[i].n;
            double axis[3] = {0}, length;
            axis[a] = 1;
            for (int b = 0; b < 3; ++b) axis[b] -= n[a] * n[b];
            length = sn_norm3(axis);
            if (length < 0.5) continue;
            for (int b = 0; b < 3; ++b) axis[b] /= length;
            count = add_row(row, count, S, p->contact[i].node, i, axis);
        }
    }
    return count;
}

sn_status sn_projection_reserve(sn_projection *p, int held, sn_error *error) {
    if (!p->projecting) return SN_OK;
    const int count = held + p->surface->count;
    sn_status status =
        sn_grow(p->context, (void **)&p->filter.node, &p->filter_nodes, count, sizeof *p->filter.node, error);
    if (status) return status;
    return sn_grow(p->context, (void **)&p->filter.projection, &p->filter_projections, count,
                   9 * sizeof *p->filter.projection, error);
}

static void filter_entry(sn_projection *p, int32_t node, const double *S, const sn_projection_row *row, int rows) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double *out = p->filter.projection + 9 * (size_t)p->filter.count;
    p->filter.node[p->filter.count++] = node;
    memcpy(out, S ? S : identity, 9 * sizeof *out);
    for (int k = 0; k < rows; ++k) {
        const double square = sn_dot3(row[k].u, row[k].u);
        for (int e = 0; e < 9; ++e) out[e] -= row[k].u[e / 3] * row[k].u[e % 3] / square;
    }
    for (int e = 0; e < 9; ++e) /* rounding errors become zero */
        if (fabs(out[e]) < 1e-15) out[e] = 0;
}

/* Makes the rows and the filter of the present contacts. */
static void make_filter(sn_projection *p, const sn_filter *held, const double *status) {
    sn_filter merged = *held;
    merged.node = p->filter.node, merged.projection = p->filter.projection, merged.count = 0;
    p->filter = merged;
    p->row_count = 0;
    int next = 0;
    for (int i = 0; i < p->count;) {
        const int32_t node = p->contact[i].node;
        int end = i;
        while (end < p->count && p->contact[end].node == node) ++end;
        while (next < held->count && held->node[next] < node) {
            filter_entry(p, held->node[next], held->projection + 9 * (size_t)next, NULL, 0);
            ++next;
        }
        const double *S = next < held->count && held->node[next] == node ? held->projection + 9 * (size_t)next++ : NULL;
        sn_projection_row *row = p->row + p->row_count;
        const int rows = node_rows(p, status, S, i, end, row);
        p->row_count += rows;
        if (S || rows) filter_entry(p, node, S, row, rows);
        i = end;
    }
    for (; next < held->count; ++next) filter_entry(p, held->node[next], held->projection + 9 * (size_t)next, NULL, 0);
}

void sn_projection_collect(sn_projection *p, const sn_filter *held, double t, const double *x, const double *status) {
    const int nodes = p->surface->count;
    p->count = 0;
    for (int i = 0; i < nodes; ++i)
        for (int c = 0; c < p->projecting; ++c) {
            const int slot = c * nodes + i;
            if (status[slot] == SN_CONTACT_FREE) continue;
            sn_held_contact *own = &p->contact[p->count++];
            if (p->fresh[slot].node >= 0)
                *own = p->fresh[slot];
            else
                sn_contact_linearise(p, slot, t, x + 3 * (size_t)p->surface->node[i], own);
        }
    memset(p->friction, 0,
           (size_t)sn_projection_slots(p) * sizeof *p->friction); /* the step starts again, with an empty memory */
    make_filter(p, held, status);
}

void sn_projection_begin(sn_projection *p, const sn_filter *held, double t, const double *x, const double *status) {
    const size_t slots = (size_t)sn_projection_slots(p);
    if (!slots) return;
    memset(p->changes, 0, slots);
    for (size_t i = 0; i < slots; ++i) p->fresh[i].node = -1;
    p->rounds = p->friction_rounds = p->curved_rounds = 0;
    sn_projection_collect(p, held, t, x, status);
}

void sn_projection_end(sn_projection *p) { p->count = p->row_count = 0; }

void sn_projection_apply(const sn_projection *p, double t, double *x, double *v) {
    for (int i = 0; i < p->row_count; ++i) {
        const sn_projection_row *row = &p->row[i];
        const sn_held_contact *contact = &p->contact[row->contact];
        const size_t at = 3 * (size_t)row->node;
        const sn_collider_model *collider = &p->collider[contact->collider];
        sn_pose pose;
        double anchor[3], velocity[3], far = 0, slow = 0;
        sn_collider_at(collider, t, &pose);
        sn_collider_move(collider, &pose, contact->anchor, anchor);
        sn_collider_velocity(collider, &pose, anchor, velocity);
        for (int a = 0; a < 3; ++a) {
            if (x) far += row->c[a] * (anchor[a] - x[at + (size_t)a]);
            if (v) slow += row->c[a] * (velocity[a] - v[at + (size_t)a]);
        }
        for (int a = 0; a < 3; ++a) {
            if (x) x[at + (size_t)a] += far * row->u[a];
            if (v) v[at + (size_t)a] += slow * row->u[a];
        }
    }
}

/* ---- Friction ---- */
void sn_contact_slip(const sn_projection *p, const sn_held_contact *contact, double t, const double *v, double ut[3]) {
    const sn_collider_model *collider = &p->collider[contact->collider];
    sn_pose pose;
    double anchor[3], velocity[3], u[3];
    sn_collider_at(collider, t, &pose);
    sn_collider_move(collider, &pose, contact->anchor, anchor);
    sn_collider_velocity(collider, &pose, anchor, velocity);
    sn_subtract3(v + 3 * (size_t)contact->node, velocity, u);
    const double un = sn_dot3(u, contact->n);
    for (int a = 0; a < 3; ++a) ut[a] = u[a] - un * contact->n[a];
}

/* mu N of a slipping contact; 0 of other contacts. */
static double grip(const sn_projection *p, const double *status, const sn_held_contact *contact) {
    if (status[contact->slot] != SN_CONTACT_SLIP) return 0;
    return p->penalty[contact->collider].friction * status[sn_projection_slots(p) + contact->slot];
}

void sn_projection_force(const sn_projection *p, const double *status, double t, const double *v, double *f) {
    for (int i = 0; i < p->count && v; ++i) {
        const sn_held_contact *contact = &p->contact[i];
        const double strength = grip(p, status, contact), e = p->penalty[contact->collider].slip;
        if (!(strength > 0)) continue;
        double ut[3];
        sn_contact_slip(p, contact, t, v, ut);
        const double phi = sn_friction_phi(sn_norm3(ut), e, NULL);
        for (int a = 0; a < 3; ++a) f[3 * (size_t)contact->node + (size_t)a] -= strength * phi * ut[a];
    }
}

void sn_projection_blocks(sn_projection *p, const double *status, double t, const double *v, sn_block_list *damping) {
    for (int i = 0; i < p->count && v; ++i) {
        const sn_held_contact *contact = &p->contact[i];
        const double strength = grip(p, status, contact), e = p->penalty[contact->collider].slip;
        if (!(strength > 0) || damping->count == damping->capacity) continue;
        double ut[3];
        sn_contact_slip(p, contact, t, v, ut);
        double *block = damping->value + 9 * (size_t)damping->count;
        memset(block, 0, 9 * sizeof *block);
        sn_friction_follow(&p->friction[contact->slot], contact->n, ut, e);
        sn_friction_add(&p->friction[contact->slot], contact->n, e, strength, block);
        damping->row[damping->count] = damping->column[damping->count] = contact->node;
        ++damping->count;
    }
}
