/* Values per element: stress, von Mises stress, strain, energy density, volume ratio. */
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "base/math3.h"
#include "inside.h"

static const int place[6] = {0, 4, 8, 1, 5, 6}; /* xx yy zz xy yz zx */

/* Adds w times Green's strain E = (F^T F - 1) / 2. */
static void add_strain(const double F[9], double w, double strain[6]) {
    for (int k = 0; k < 6; ++k) {
        const int i = place[k] / 3, j = place[k] % 3;
        strain[k] += 0.5 * w * (F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j] - (i == j ? 1 : 0));
    }
}

/* A tet of a body of springs has a shape. Its stress and energy are 0, because they belong to the edges. */
static void sample_springs(const sn_world *world, int element, sn_element_sample *out) {
    int b = 0;
    while (b + 1 < world->model->body_count && world->model->body[b + 1].element_first <= element) ++b;
    const sn_body *body = &world->model->body[b];
    const int32_t *n = body->node + (size_t)(element - body->element_first) * (size_t)body->element->nodes;
    double Ds[9], Dm[9], inverse[9];
    for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 3; ++a) {
            const size_t at = 3 * (size_t)n[i + 1] + (size_t)a, origin = 3 * (size_t)n[0] + (size_t)a;
            Ds[3 * a + i] = world->state.x[at] - world->state.x[origin];
            Dm[3 * a + i] = world->model->rest[at] - world->model->rest[origin];
        }
    sn_inverse3(Dm, inverse);
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i) out->gradient[3 * a + k] += Ds[3 * a + i] * inverse[3 * i + k];
    add_strain(out->gradient, 1, out->strain);
    out->volume = sn_determinant3(Ds) / 6, out->rest_volume = sn_determinant3(Dm) / 6;
    out->ratio = out->volume / out->rest_volume;
}

void sn_element_values_begin(sn_world *world, unsigned parts) {
    sn_memory_reach(world, world->state.time);
    sn_memory_recall(world);
    const sn_element_view view = sn_world_view(world, world->state.x, NULL);
    if (parts & SN_SAMPLE_STRESS) sn_elements_look(world->context, &world->solid->elements, &view);
}

void sn_element_values(const sn_world *world, int element, unsigned parts, sn_element_sample *out) {
    const sn_solid *solid = world->solid;
    *out = (sn_element_sample){0};
    if (solid->place[element] < 0) {
        sample_springs(world, element, out);
        return;
    }
    const int64_t slot = solid->place[element] & (((int64_t)1 << 40) - 1);
    const sn_batch *batch = &solid->elements.batch[solid->place[element] >> 40];
    const int block = (int)(slot / SN_LANES), lane = (int)(slot % SN_LANES), points = batch->element->points;
    const sn_element_view view = sn_world_view(world, world->state.x, NULL);
    const bool stress = parts & SN_SAMPLE_STRESS, energy = parts & SN_SAMPLE_ENERGY;
    alignas(64) double F[SN_ELEMENT_POINTS * 9 * SN_LANES], cauchy[SN_ELEMENT_POINTS * 9 * SN_LANES],
        psi[SN_ELEMENT_POINTS * SN_LANES];
    sn_elements_stress(world->context, &solid->elements, batch, block, lane, &view, F, stress ? cauchy : NULL,
                       energy ? psi : NULL);
    for (int q = 0; q < points; ++q) {
        double f[9];
        const double w = batch->weight[((int64_t)block * points + q) * SN_LANES + lane];
        for (int k = 0; k < 9; ++k) f[k] = F[(q * 9 + k) * SN_LANES + lane];
        out->rest_volume += w, out->volume += w * sn_determinant3(f);
        add_strain(f, w, out->strain);
        for (int k = 0; k < 9; ++k) out->gradient[k] += w * f[k];
        if (energy) out->energy_density += w * psi[q * SN_LANES + lane];
        for (int k = 0; k < 6 && stress; ++k) out->stress[k] += w * cauchy[(q * 9 + place[k]) * SN_LANES + lane];
    }
    for (int k = 0; k < 6; ++k) out->stress[k] /= out->rest_volume, out->strain[k] /= out->rest_volume;
    for (int k = 0; k < 9; ++k) out->gradient[k] /= out->rest_volume;
    out->ratio = out->volume / out->rest_volume;
    out->energy_density /= out->rest_volume;
}

static double von_mises_of(const double s[6]) {
    const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

sn_status sn_world_element_fields(sn_world *world, int body, double *stress, double *von_mises, double *energy_density,
                                  double *volume_ratio, sn_error *error) {
    if (body < 0 || body >= world->model->body_count)
        return sn_fail(error, SN_BAD_INPUT, "body %d; the world has %d", body, world->model->body_count);
    const sn_body *b = &world->model->body[body];
    const unsigned parts = (stress || von_mises ? SN_SAMPLE_STRESS : 0) | (energy_density ? SN_SAMPLE_ENERGY : 0);
    sn_element_values_begin(world, parts);
    for (int e = 0; e < b->mesh->tet_count; ++e) {
        sn_element_sample s;
        sn_element_values(world, b->element_first + e, parts, &s);
        if (stress) memcpy(stress + 6 * (size_t)e, s.stress, sizeof s.stress);
        if (von_mises) von_mises[e] = von_mises_of(s.stress);
        if (volume_ratio) volume_ratio[e] = s.ratio;
        if (energy_density) energy_density[e] = isfinite(s.energy_density) ? s.energy_density : 0;
    }
    return SN_OK;
}
