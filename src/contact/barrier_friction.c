/* See barrier_friction.h. */
#include "barrier_friction.h"

#include <limits.h>
#include <string.h>

void sn_barrier_friction_release(sn_barrier_friction *friction) {
    sn_release(friction->rows.context, friction->memory);
    sn_touch_rows_release(&friction->rows);
}

/* The tangential motion of A relative to B. */
static void slip_of(const sn_touch_rows *rows, const sn_touch_row *row, const double *v, double ut[3]) {
    sn_touch_row_motion(rows, row, v, ut);
    const double along = sn_dot3(ut, row->n);
    for (int a = 0; a < 3; ++a) ut[a] -= along * row->n[a];
}

sn_status sn_barrier_friction_take(sn_barrier_friction *friction, const sn_barrier *barrier, const double *v,
                                   sn_error *error) {
    const int count = barrier->rows.count;
    sn_touch_rows_clear(&friction->rows);
    sn_status status = sn_grow(friction->rows.context, (void **)&friction->memory, &friction->capacity, count,
                               sizeof *friction->memory, error);
    if (!status) status = sn_touch_rows_copy(&barrier->rows, &friction->rows, error);
    for (int i = 0; i < count && !status; ++i) {
        sn_friction *memory = &friction->memory[i];
        *memory = (sn_friction){.normal = barrier->touch[i].push};
        if (!v) continue;
        slip_of(&friction->rows, &friction->rows.row[i], v, memory->slip);
        const double phi = sn_friction_phi(sn_norm3(memory->slip), friction->slip, NULL);
        for (int a = 0; a < 3; ++a) memory->lambda[a] = phi * memory->slip[a];
        memory->known = true;
    }
    return status;
}

void sn_barrier_friction_pull(const sn_barrier_friction *friction, const sn_touch_rows *rows, const sn_touch_row *row,
                              double normal, const double *v, double force[3]) {
    slip_of(rows, row, v, force);
    const double pull = friction->coefficient * normal * sn_friction_phi(sn_norm3(force), friction->slip, NULL);
    for (int a = 0; a < 3; ++a) force[a] *= -pull;
}

void sn_barrier_friction_force(const sn_barrier_friction *friction, const double *v, double *f) {
    for (int i = 0; i < friction->rows.count; ++i) {
        double force[3];
        const sn_touch_row *row = &friction->rows.row[i];
        sn_barrier_friction_pull(friction, &friction->rows, row, friction->memory[i].normal, v, force);
        sn_touch_row_push(&friction->rows, row, force, f);
    }
}

void sn_barrier_friction_blocks(sn_barrier_friction *friction, const double *v, sn_block_list *D) {
    for (int i = 0; i < friction->rows.count; ++i) {
        const sn_touch_row *row = &friction->rows.row[i];
        sn_friction *memory = &friction->memory[i];
        double ut[3], m[9] = {0};
        slip_of(&friction->rows, row, v, ut);
        sn_friction_follow(memory, row->n, ut, friction->slip);
        sn_friction_add(memory, row->n, friction->slip, friction->coefficient * memory->normal, m);
        sn_touch_row_blocks(&friction->rows, row, m, INT_MAX, D);
    }
}
