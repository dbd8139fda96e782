/* Nesme 2.3, figure 3: forces pull an equilateral tet along its edges. These forces have no net force and no net
 * torque, whatever its shape. With the gradients of the rest shape and the rotation qr, the elastic forces make the tet
 * spin. With the gradients of the present shape they do not.
 *
 * Symplectic Euler, v += h f / m, x += h v, keeps the angular momentum of torque-free forces up to rounding. So a
 * change of the angular momentum comes from the elastic forces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "fem/batch.h"
#include "measure.h"

typedef struct tet {
    sn_material material;
    sn_batch_source source;
    sn_elements_model model;
    sn_element_settings settings;
} tet;

static const double rest[12] = {
    0, 0, 0, 1, 0, 0, 0.5, 0.86602540378443865, 0, 0.5, 0.28867513459481288, 0.81649658092772603};

static sn_status compile(sn_context *context, const char *law, const char *rotation, tet *t, sn_error *error) {
    static const int32_t node[4] = {0, 1, 2, 3}, material[1] = {0};
    t->material = sn_material_default();
    const double young = 1e4, poisson = 0.3;
    snprintf(t->material.law, sizeof t->material.law, "%s", law);
    snprintf(t->material.rotation, sizeof t->material.rotation, "%s", rotation);
    sn_status status = sn_material_set(&t->material, "young", &young, 1, error);
    if (!status) status = sn_material_set(&t->material, "poisson", &poisson, 1, error);
    t->source = (sn_batch_source){.element = &sn_element_tet4,
                                  .element_count = 1,
                                  .node = node,
                                  .rest = rest,
                                  .material = material,
                                  .materials = &t->material,
                                  .material_count = 1,
                                  .name = "tet"};
    if (!status) status = sn_elements_compile(context, &t->source, 1, 4, &t->model, error);
    return status ? status : sn_element_settings_create(context, &t->model, &t->material, 0, &t->settings, error);
}

/* Pulls along each edge with a constant tension, different for each edge. There is no net force and no net torque,
 * whatever the shape. The tensions make the tet lean. */
static void add_pulls(const double *x, double *f) {
    static const int edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    static const double tension[6] = {0, 300, -200, 150, 250, -150};
    for (int e = 0; e < 6; ++e) {
        double d[3];
        const int a = edge[e][0], b = edge[e][1];
        sn_subtract3(x + 3 * b, x + 3 * a, d);
        const double scale = tension[e] / sn_norm3(d);
        for (int k = 0; k < 3; ++k) f[3 * a + k] -= scale * d[k], f[3 * b + k] += scale * d[k];
    }
}

static void angular_momentum(const double *x, const double *v, double mass, double L[3]) {
    L[0] = L[1] = L[2] = 0;
    for (int i = 0; i < 4; ++i) {
        double l[3];
        sn_cross3(x + 3 * i, v + 3 * i, l);
        for (int a = 0; a < 3; ++a) L[a] += mass * l[a];
    }
}

/* Writes the largest |L| up to each sample to `series`. *scale: the |L| that the speeds could give. */
static sn_status run_tet(sn_context *context, const char *law, const char *rotation, int steps, int samples,
                         double *series, double *scale, sn_error *error) {
    tet t;
    sn_status status = compile(context, law, rotation, &t, error);
    if (status) return status;
    double x[12], v[12] = {0}, f[12], L[3], largest = 0;
    const double h = 2e-4, mass = 1000 * 0.11785113019775793 / 4;
    memcpy(x, rest, sizeof x);
    *scale = 0;
    for (int i = 0; i < steps && !status; ++i) {
        const sn_element_view view = {.settings = &t.settings, .x = x};
        memset(f, 0, sizeof f);
        status = sn_elements_force(context, &t.model, &view, f, error);
        add_pulls(x, f);
        const double drag = h * i < 0.5 ? 5 : 0; /* damps the shape at first; it can only make L smaller */
        for (int k = 0; k < 12; ++k) {
            v[k] = (v[k] + h * f[k] / mass) / (1 + h * drag);
            x[k] += h * v[k];
        }
        angular_momentum(x, v, mass, L);
        largest = fmax(largest, sn_norm3(L));
        for (int n = 0; n < 4; ++n) *scale = fmax(*scale, mass * sn_norm3(v + 3 * n) * 4);
        series[(int64_t)i * samples / steps] = largest;
    }
    sn_element_settings_release(context, &t.settings);
    sn_elements_release(context, &t.model);
    return status;
}

static sn_status run_torque(experiment_run *run, sn_error *error) {
    static const char *const law[3] = {"corotated", "corotated-updated", "corotated-updated"}, *const rotation[3] = {
                                                                                                   "qr", "qr", "polar"};
    enum { SAMPLES = 100 };
    const int steps =
        run->quick ? 10000
                   : 20000; /* without drag the updated gradients, which have no energy, stay stable for about 5 s */
    double series[3][SAMPLES], scale[3];
    for (int k = 0; k < 3; ++k) {
        const sn_status status =
            run_tet(run->context, law[k], rotation[k], steps, SAMPLES, series[k], &scale[k], error);
        if (status) return status;
        experiment_progress(run, (k + 1) / 3.0);
    }
    FILE *table = experiment_table(run, "momentum.csv", "time,stale_qr,updated_qr,updated_polar", error);
    if (!table) return error->status;
    for (int i = 0; i < SAMPLES; ++i)
        fprintf(table, "%g,%.9g,%.9g,%.9g\n", 2e-4 * (i + 1) * steps / SAMPLES, series[0][i], series[1][i],
                series[2][i]);
    fclose(table);
    experiment_plot(run, "momentum.svg",
                    "set logscale y; set format y '%g'; set xlabel 'time (s)'; set ylabel 'largest |L| so far (kg "
                    "m^2/s)'; set key center right\n"
                    "plot for [i=2:4] 'momentum.csv' using 1:i skip 1 with lines lw 2 title word('stale-qr updated-qr "
                    "updated-polar', i-1)");
    const double stale = series[0][SAMPLES - 1] / scale[0], early = series[0][SAMPLES / 20] / scale[0];
    experiment_claim(run, "stale-spins", stale, "> 0.01", stale > 0.01,
                     "largest angular momentum, rest gradients with qr, relative to its speeds");
    experiment_claim(run, "stale-grows", stale / early, "> 2", stale > 2 * early,
                     "angular momentum at the end by that after a twentieth of the time");
    for (int k = 1; k < 3; ++k) {
        const double kept = series[k][SAMPLES - 1] / scale[k];
        char id[32];
        snprintf(id, sizeof id, "updated-%s-zero", rotation[k]);
        experiment_claim(run, id, kept, "< 1e-10", kept < 1e-10, "the same with the present shape's gradients and %s",
                         rotation[k]);
    }
    experiment_note(run, "drag of 5/s calms the shape for 0.5 s, then there is none; the updated gradients with qr, "
                         "which have no energy, "
                         "then blow up after about 6 s, their angular momentum being zero until then");
    return SN_OK;
}

const experiment experiment_nesme_torque = {
    "nesme-torque", "a tet under balanced forces: torque of stale and of updated gradients", "Nesme 2.3", run_torque,
    "stale-spins stale-grows updated-qr-zero updated-polar-zero"};
