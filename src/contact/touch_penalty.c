/* Penalty response on contact rows; the equations are in touch_penalty.h and penalty.h. */
#include "touch_penalty.h"

#include <limits.h>
#include <string.h>

static double depth_at(const sn_touch_penalty *p, int index, const double *x) {
    const sn_touch_row *row = &p->rows->row[index];
    double d[3];
    sn_touch_row_gather(p->rows, row, x, d);
    return p->thickness - p->start[index] - sn_dot3(row->n, d);
}

bool sn_touch_penalty_at(const sn_touch_penalty *p, int index, const double *x, const double *v, sn_push *push) {
    const sn_touch_row *row = &p->rows->row[index];
    const double depth = depth_at(p, index, x);
    if (!(depth > 0) && p->law.ahead == 0) return false;
    double u[3] = {0};
    if (v) sn_touch_row_motion(p->rows, row, v, u);
    for (int k = 0; k < 3; ++k) u[k] -= v ? row->velocity[k] : 0;
    memcpy(push->n, row->n, sizeof push->n);
    return sn_push_at(&p->law, row->area, p->mass[index], depth, u, p->law.ahead > 0 ? &p->held[index] : NULL, push);
}

void sn_touch_penalty_pushes(const sn_touch_penalty *p, int index, const sn_push *push, bool moves, double force[3]) {
    const double normal = p->lagged ? p->friction[index].normal : push->normal,
                 drag = moves ? p->law.friction * normal * push->phi : 0;
    for (int k = 0; k < 3; ++k) force[k] = push->normal * push->n[k] - drag * push->ut[k];
}

int sn_touch_penalty_force(const sn_touch_penalty *p, const double *x, const double *v, double *f) {
    int acting = 0;
    for (int i = 0; i < p->rows->count; ++i) {
        sn_push push;
        double force[3];
        if (!sn_touch_penalty_at(p, i, x, v, &push)) continue;
        ++acting;
        sn_touch_penalty_pushes(p, i, &push, v != NULL, force);
        sn_touch_row_push(p->rows, &p->rows->row[i], force, f);
    }
    return acting;
}

double sn_touch_penalty_energy(const sn_touch_penalty *p, const double *x) {
    double energy = 0;
    for (int i = 0; i < p->rows->count; ++i) energy += sn_push_energy(&p->law, p->rows->row[i].area, depth_at(p, i, x));
    return energy;
}

/* ---- Blocks ---- */

/* The derivatives of a row's force on A by the motion of A relative to B, row by row: -d/dd = k, -d/du = c. */
static void exact_row(const sn_push *push, double mu, double k[9], double c[9]) {
    const double stiff = push->k - push->c * push->rate * push->un, damp = push->c * push->grip;
    for (int i = 0; i < 9; ++i) {
        const int a = i / 3, b = i % 3;
        const double direction = push->n[a] - mu * push->phi * push->ut[a], across = (a == b) - push->n[a] * push->n[b];
        k[i] = direction * stiff * push->n[b];
        c[i] = direction * damp * push->n[b] +
               mu * push->normal * (push->phi * across + push->phi_rate * push->ut[a] * push->ut[b]);
    }
}

static void definite_row(const sn_touch_penalty *p, int index, const sn_push *push, double mu, double k[9],
                         double c[9]) {
    const double stiff = fmax(push->k - push->c * push->rate * push->un, 0), damp = push->c * push->grip;
    for (int i = 0; i < 9; ++i) {
        const double along = push->n[i / 3] * push->n[i % 3];
        k[i] = stiff * along, c[i] = damp * along;
    }
    if (!(mu > 0)) return;
    sn_friction fresh = {.normal = push->normal}, *memory = p->lagged ? &p->friction[index] : &fresh;
    sn_friction_follow(memory, push->n, push->ut, p->law.slip);
    sn_friction_add(memory, push->n, p->law.slip, mu * memory->normal, c);
}

void sn_touch_penalty_blocks(const sn_touch_penalty *p, const double *x, const double *v, bool exact, sn_block_list *K,
                             sn_block_list *D) {
    const double mu = v ? p->law.friction : 0;
    for (int i = 0; i < p->rows->count; ++i) {
        sn_push push;
        double k[9], c[9];
        if (!sn_touch_penalty_at(p, i, x, v, &push)) continue;
        if (exact)
            exact_row(&push, mu, k, c);
        else
            definite_row(p, i, &push, mu, k, c);
        sn_touch_row_blocks(p->rows, &p->rows->row[i], k, INT_MAX, K);
        if (v) sn_touch_row_blocks(p->rows, &p->rows->row[i], c, INT_MAX, D);
    }
}

/* ---- Steps ---- */

bool sn_touch_penalty_lag(const sn_touch_penalty *p, const double *x, const double *v) {
    double square = 0, change = 0;
    for (int i = 0; i < p->rows->count; ++i) {
        sn_push push;
        const double now = sn_touch_penalty_at(p, i, x, v, &push) ? push.normal : 0, was = p->friction[i].normal;
        p->friction[i].normal = now;
        square += now * now, change += (now - was) * (now - was);
    }
    return change > 4e-4 * square;
}

bool sn_touch_penalty_release(const sn_touch_penalty *p, const double *x) {
    bool any = false;
    for (int i = 0; i < p->rows->count; ++i) {
        if (p->held[i] != SN_AHEAD_HELD || !(-depth_at(p, i, x) > 1e-3 * sn_push_full(p->rows->row[i].area))) continue;
        p->held[i] = SN_AHEAD_RELEASED;
        any = true;
    }
    return any;
}
