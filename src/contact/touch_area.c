/* Area response on contact rows; the equations are in touch_area.h. */
#include "touch_area.h"

#include <string.h>

#include "base/math3.h"
#include "penalty.h"

static const double PULL = 0.02; /* of the normal forces on a surface: pulls up to this do not need a new solve */

/* What a row does at a place. */
typedef struct pull {
    double along;             /* P_n + k (target - s) */
    double across[3], length; /* y and |y| */
} pull;

void sn_touch_area_start(const sn_touch_area *area, const double *x) {
    for (int i = 0; i < area->rows->count; ++i)
        sn_touch_row_motion(area->rows, &area->rows->row[i], x, area->grip[i].start);
    if (area->rows->count == 0) return;
    memcpy(area->motion.place, x, (size_t)area->motion.numbers * sizeof *x);
    memset(area->motion.moved, 0, 3 * (size_t)area->rows->count * sizeof *x);
}

/* Sees to it that the motion is that at x. */
static void move_to(const sn_touch_area *area, const double *x) {
    const sn_touch_motion *motion = &area->motion;
    const size_t size = (size_t)motion->numbers * sizeof *x;
    if (area->rows->count == 0 || memcmp(motion->place, x, size) == 0) return;
    memcpy(motion->place, x, size);
    for (int i = 0; i < area->rows->count; ++i) {
        double *moved = motion->moved + 3 * (size_t)i;
        sn_touch_row_motion(area->rows, &area->rows->row[i], x, moved);
        sn_subtract3(moved, area->grip[i].start, moved);
    }
}

/* At the place of the last call of move_to. */
static pull pull_at(const sn_touch_area *area, int index) {
    const sn_touch_row *row = &area->rows->row[index];
    const sn_touch_grip *grip = &area->grip[index];
    const double *moved = area->motion.moved + 3 * (size_t)index;
    const double s = sn_dot3(row->n, moved), normal = sn_dot3(row->n, grip->force);
    pull out = {.along = normal + grip->k * (grip->speed * area->lapse - grip->apart - s)};
    for (int a = 0; a < 3; ++a)
        out.across[a] = grip->force[a] - normal * row->n[a] - grip->k * (moved[a] - s * row->n[a]);
    out.length = sn_norm3(out.across);
    return out;
}

/* Whether the normal force acts. A row at the border acts when its velocity closes it. */
static bool acts(const sn_touch_area *area, int index, const pull *at, const double *v) {
    sn_touch_grip *grip = &area->grip[index];
    if (at->along > 0) return true;
    if (area->ahead == 0 || !v || grip->held == SN_AHEAD_RELEASED) return false;
    double u[3];
    sn_touch_row_motion(area->rows, &area->rows->row[index], v, u);
    if (!(at->along - grip->k * area->ahead * sn_dot3(u, area->rows->row[index].n) > 0)) return false;
    grip->held = SN_AHEAD_HELD;
    return true;
}

/* The force on A of a row. Returns false when it does not act. */
static bool force_at(const sn_touch_area *area, int index, const double *v, double force[3]) {
    const pull at = pull_at(area, index);
    const double *n = area->rows->row[index].n, most = area->friction * area->grip[index].normal;
    const bool acting = acts(area, index, &at, v);
    const double part = at.length > most ? most / at.length : 1;
    for (int a = 0; a < 3; ++a) force[a] = (acting ? at.along * n[a] : 0) + part * at.across[a];
    return acting || most > 0;
}

void sn_touch_area_forces(const sn_touch_area *area, const double *x, double *force) {
    move_to(area, x);
    for (int i = 0; i < area->rows->count; ++i) force_at(area, i, NULL, force + 3 * (size_t)i);
}

int sn_touch_area_force(const sn_touch_area *area, const double *x, const double *v, double *f) {
    int acting = 0;
    move_to(area, x);
    for (int i = 0; i < area->rows->count; ++i) {
        double force[3];
        if (!force_at(area, i, v, force)) continue;
        ++acting;
        sn_touch_row_push(area->rows, &area->rows->row[i], force, f);
    }
    return acting;
}

double sn_touch_area_energy(const sn_touch_area *area, const double *x) {
    double energy = 0;
    move_to(area, x);
    for (int i = 0; i < area->rows->count; ++i) {
        const pull at = pull_at(area, i);
        const double k = area->grip[i].k, most = area->friction * area->grip[i].normal;
        if (at.along > 0) energy += 0.5 * at.along * at.along / k;
        energy += at.length > most ? (most * at.length - 0.5 * most * most) / k : 0.5 * at.length * at.length / k;
    }
    return energy;
}

/* The stiffness of a row, -df / d(motion of A relative to B), row by row. */
static void stiffness_of(const sn_touch_area *area, int index, const pull *at, bool acting, double k[9]) {
    const double *n = area->rows->row[index].n, stiff = area->grip[index].k;
    const double most = area->friction * area->grip[index].normal;
    const bool slips = at->length > most;
    const double across = slips ? stiff * most / at->length : stiff;
    for (int i = 0; i < 9; ++i) {
        const int a = i / 3, b = i % 3;
        const double along = slips && at->length > 0 ? at->across[a] * at->across[b] / (at->length * at->length) : 0;
        const double nn =
            n[a] * n[b]; /* the same bits at (a, b) and (b, a): rows with a symmetric k have half the work */
        k[i] = (acting ? stiff * nn : 0) + across * ((a == b) - nn - along);
    }
}

void sn_touch_area_blocks(const sn_touch_area *area, const double *x, const double *v, sn_block_list *K) {
    const int first = K->count;
    move_to(area, x);
    for (int i = 0; i < area->rows->count; ++i) {
        const pull at = pull_at(area, i);
        const bool acting = acts(area, i, &at, v);
        double k[9];
        if (!acting && !(area->friction * area->grip[i].normal > 0)) continue;
        stiffness_of(area, i, &at, acting, k);
        sn_touch_row_blocks(area->rows, &area->rows->row[i], k, first, K);
    }
    sn_block_list_mirror(K, first);
}

bool sn_touch_area_lag(const sn_touch_area *area, const double *x) {
    double square = 0, change = 0;
    move_to(area, x);
    for (int i = 0; i < area->rows->count; ++i) {
        const double now = fmax(pull_at(area, i).along, 0), was = area->grip[i].normal;
        area->grip[i].normal = now;
        square += now * now, change += (now - was) * (now - was);
    }
    return change > 4e-4 * square;
}

/* The normal forces on each surface. */
static void take_loads(const sn_touch_area *area) {
    memset(area->load, 0, (size_t)area->surfaces * sizeof *area->load);
    for (int i = 0; i < area->rows->count; ++i) {
        const double along = fmax(pull_at(area, i).along, 0);
        area->load[area->rows->row[i].a] += along, area->load[area->rows->row[i].b] += along;
    }
}

/* A run of rows of one pair of surfaces, from `first` to before `last`. */
static bool release_run(const sn_touch_area *area, int first, int last) {
    const sn_touch_row *row = &area->rows->row[first];
    double pull = 0;
    for (int i = first; i < last; ++i)
        if (area->grip[i].held == SN_AHEAD_HELD) pull += fmax(-pull_at(area, i).along, 0);
    if (!(pull > PULL * fmin(area->load[row->a], area->load[row->b]))) return false;
    for (int i = first; i < last; ++i)
        if (area->grip[i].held == SN_AHEAD_HELD && pull_at(area, i).along < 0) area->grip[i].held = SN_AHEAD_RELEASED;
    return true;
}

bool sn_touch_area_release(const sn_touch_area *area, const double *x) {
    const sn_touch_row *row = area->rows->row;
    bool any = false;
    move_to(area, x);
    take_loads(area);
    for (int first = 0, last; first < area->rows->count; first = last) {
        for (last = first + 1; last < area->rows->count && row[last].a == row[first].a && row[last].b == row[first].b;)
            ++last;
        any = release_run(area, first, last) || any;
    }
    return any;
}
