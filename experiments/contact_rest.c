/* Trials of contact with bodies at rest: weight, friction on a slope, a stack, the patch test. */
#include <math.h>
#include <stdlib.h>

#include "contact_stage.h"
#include "contact_trials.h"

/* A block of 8 kg on a held block: how far the force of the contact is from its weight, of the weight. */
sn_status contact_weight(const contact_run *run, double figure[], sn_error *error) {
    contact_stage s;
    double up[3];
    stage_start(&s, run->context, run->response);
    for (int i = 0; i < 2; ++i) s.material[i].rayleigh[0] = 5;
    stage_box(&s, (double[3]){-0.1, -0.1, -0.1}, (double[3]){0.4, 0.1, 0.4}, (int[3]){3, 3, 3});
    stage_hold(&s, stage_all());
    stage_cube(&s, 0, 0.0005, 0, 0.2, 3);
    stage_create(&s);
    stage_step(&s, 200);
    stage_force(&s, 1, up);
    figure[0] = fabs(up[1] / (8 * 9.81) - 1);
    return stage_end(&s, error);
}

/* How far a block goes in a second and a half on a slope of tan 0.5. `soft`: the slope is a soft block as well. Damping
 * of 2/s brakes it: with friction 0.49 it goes 9.81 cos(slope) 0.01 / 2 = 0.044 m/s in the end, 0.058 m in this time.
 */
static sn_status slide(const contact_run *run, double friction, bool soft, double *way, sn_error *error) {
    contact_stage s;
    double before[3], after[3];
    stage_start(&s, run->context, run->response);
    stage_constant(&s, "young", soft ? 1e5 : 1e6);
    for (int i = 0; i < 2; ++i) s.material[i].rayleigh[0] = 2;
    s.options.contact.friction = friction;
    s.options.gravity[0] = 9.81 * sqrt(0.2), s.options.gravity[1] = -9.81 * sqrt(0.8);
    stage_box(&s, (double[3]){0, -0.1, 0}, (double[3]){0.6, 0.1, 0.6}, (int[3]){4, 4, 4});
    stage_hold(&s, soft ? stage_within(-1, -0.11, -1, 1, -0.09, 1) : stage_all());
    stage_box(&s, (double[3]){0.1, 1e-4, 0.2}, (double[3]){0.15, 0.1, 0.15}, (int[3]){2, 2, 2});
    stage_create(&s);
    stage_step(&s, 50);
    stage_middle(&s, 1, before);
    stage_step(&s, 150);
    stage_middle(&s, 1, after);
    *way = after[0] - before[0];
    return stage_end(&s, error);
}

/* Friction 0.49 and 0.51. */
static sn_status slope(const contact_run *run, bool soft, double figure[], sn_error *error) {
    sn_status status = slide(run, 0.49, soft, &figure[0], error);
    if (!status) status = slide(run, 0.51, soft, &figure[1], error);
    figure[1] = fabs(figure[1]);
    return status;
}
sn_status contact_slope_stiff(const contact_run *run, double figure[], sn_error *error) {
    return slope(run, false, figure, error);
}
sn_status contact_slope_soft(const contact_run *run, double figure[], sn_error *error) {
    return slope(run, true, figure, error);
}

/* Five soft boxes on a held block: how far the middle of the top one moves in the last two thirds of a minute, m. */
sn_status contact_stack(const contact_run *run, double figure[], sn_error *error) {
    static const double off[5][2] = {{0, 0}, {-0.006, 0.011}, {0.005, -0.002}, {-0.013, 0.021}, {0.007, -0.002}};
    const int steps = run->quick ? 300 : 6000;
    contact_stage s;
    double before[3], after[3];
    stage_start(&s, run->context, run->response);
    stage_constant(&s, "young", 2e5);
    stage_constant(&s, "poisson", 0.3);
    for (int i = 0; i < STAGE_BODIES; ++i) s.material[i].rayleigh[0] = 0.5, s.material[i].rayleigh[1] = 0.002;
    s.options.contact.friction = 0.5;
    stage_box(&s, (double[3]){-0.2, -0.1, -0.2}, (double[3]){0.65, 0.1, 0.65}, (int[3]){3, 1, 3});
    stage_hold(&s, stage_all());
    for (int i = 0; i < 5; ++i)
        stage_box(&s, (double[3]){off[i][0], 0.001 + 0.121 * i, off[i][1]}, (double[3]){0.25, 0.12, 0.25},
                  (int[3]){4, 2, 4});
    stage_create(&s);
    stage_step(&s, steps / 3);
    stage_middle(&s, 5, before);
    stage_step(&s, steps - steps / 3);
    stage_middle(&s, 5, after);
    figure[0] = 0;
    for (int k = 0; k < 3; ++k) figure[0] += (after[k] - before[k]) * (after[k] - before[k]);
    figure[0] = sqrt(figure[0]);
    return stage_end(&s, error);
}

/* ---- The patch test ---- */

static const double PRESSURE = 500; /* Pa */

/* The difference of the vertical stress of an element from the pressure, of the pressure: squares of the elements with
 * a node at the interface, their number, and the worst of all elements. */
typedef struct uneven {
    double square, count, worst;
} uneven;

static void look_at_stress(contact_stage *s, int body, uneven *out) {
    if (s->status) return;
    const sn_mesh *mesh = s->mesh[body];
    double *stress = malloc(6 * (size_t)mesh->tet_count * sizeof *stress);
    s->status = stress ? sn_world_element_fields(s->world, body, stress, NULL, NULL, NULL, NULL) : SN_NO_MEMORY;
    for (int e = 0; e < mesh->tet_count && !s->status; ++e) {
        const double differs = stress[6 * (size_t)e + 1] / PRESSURE + 1;
        bool near = false;
        for (int k = 0; k < 4; ++k) near = near || fabs(mesh->position[3 * mesh->tet[4 * e + k] + 1]) < 1e-3;
        if (near) out->square += differs * differs, out->count += 1;
        out->worst = fmax(out->worst, fabs(differs));
    }
    free(stress);
}

/* A roller on the plane where coordinate `axis` is `at`. */
static sn_fix roller(int axis, double at) {
    sn_fix fix = sn_fix_default();
    double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    low[axis] = at - 1e-9, high[axis] = at + 1e-9;
    fix.select = stage_within(low[0], low[1], low[2], high[0], high[1], high[2]);
    for (int k = 0; k < 3; ++k) fix.axis[k] = k == axis;
    return fix;
}

/* Two blocks of one material and one cross-section, with 5 and 3 cells along their edges: the upper one lies on the
 * lower one, which stands on rollers. A pressure on top gives the same stress everywhere, in both. */
sn_status contact_patch(const contact_run *run, double figure[], sn_error *error) {
    contact_stage s;
    const sn_fix hold[3] = {roller(0, 0), roller(2, 0), roller(1, -0.2)};
    stage_start(&s, run->context, run->response);
    stage_constant(&s, "poisson", 0.3);
    for (int k = 0; k < 3; ++k) s.options.gravity[k] = 0;
    s.options.contact.friction = 0;
    for (int b = 0; b < 2; ++b) {
        sn_body_options *body = stage_cube(&s, 0, b ? 1e-4 : -0.2, 0, 0.2, b ? 3 : 5);
        s.material[b].rayleigh[0] = 10, s.material[b].rayleigh[1] = 0.01;
        body->fix = hold, body->fix_count = b ? 2 : 3;
    }
    s.load[1].select = stage_within(-1, 0.2, -1, 1, 0.3, 1);
    s.load[1].value[1] = -PRESSURE;
    s.body[1].load_count = 1;
    stage_create(&s);
    stage_step(&s, 150);
    uneven both = {0};
    for (int b = 0; b < 2; ++b) look_at_stress(&s, b, &both);
    figure[0] = sqrt(both.square / both.count), figure[1] = both.worst;
    return stage_end(&s, error);
}
