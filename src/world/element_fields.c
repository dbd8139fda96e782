/* Values per element: stress, von Mises stress, energy density, volume ratio. */
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "base/math3.h"
#include "inside.h"

/* A tet of a body of springs has a volume. Its stress and energy are 0, because they belong to the edges. */
static void spring_values(const sn_world *world, int element, double stress[6], double *ratio, double *energy_density,
                          double *volume) {
    int b = 0;
    while (b + 1 < world->model->body_count && world->model->body[b + 1].element_first <= element) ++b;
    const sn_body *body = &world->model->body[b];
    const int32_t *n = body->node + (size_t)(element - body->element_first) * (size_t)body->element->nodes;
    const double *x = world->state.x, *X = world->model->rest;
    const double now =
        sn_volume6(x + 3 * (size_t)n[0], x + 3 * (size_t)n[1], x + 3 * (size_t)n[2], x + 3 * (size_t)n[3]) / 6;
    const double rest =
        sn_volume6(X + 3 * (size_t)n[0], X + 3 * (size_t)n[1], X + 3 * (size_t)n[2], X + 3 * (size_t)n[3]) / 6;
    for (int k = 0; k < 6 && stress; ++k) stress[k] = 0;
    if (ratio) *ratio = now / rest;
    if (volume) *volume = now;
    if (energy_density) *energy_density = 0;
}

void sn_element_values(const sn_world *world, int element, double stress[6], double *ratio, double *energy_density,
                       double *volume) {
    const sn_solid *solid = world->solid;
    const sn_element_kernels *kernels = sn_element_kernels_for(world->context);
    if (solid->place[element] < 0) {
        spring_values(world, element, stress, ratio, energy_density, volume);
        return;
    }
    const int64_t slot = solid->place[element] & (((int64_t)1 << 40) - 1);
    const sn_batch *batch = &solid->elements.batch[solid->place[element] >> 40];
    const int block = (int)(slot / SN_LANES), lane = (int)(slot % SN_LANES), points = batch->element->points;
    const sn_element_view view = sn_world_view(world, world->state.x, NULL);
    alignas(64) double F[SN_ELEMENT_POINTS * 9 * SN_LANES], cauchy[SN_ELEMENT_POINTS * 9 * SN_LANES],
        psi[SN_ELEMENT_POINTS * SN_LANES];
    kernels->stress(batch, block, &view, F, NULL, stress ? cauchy : NULL, energy_density ? psi : NULL);
    static const int place[6] = {0, 4, 8, 1, 5, 6}; /* xx yy zz xy yz zx */
    double total = 0, now = 0, energy = 0;
    for (int k = 0; k < 6 && stress; ++k) stress[k] = 0;
    for (int q = 0; q < points; ++q) {
        double f[9];
        const double w = batch->weight[((int64_t)block * points + q) * SN_LANES + lane];
        for (int k = 0; k < 9; ++k) f[k] = F[(q * 9 + k) * SN_LANES + lane];
        total += w, now += w * sn_determinant3(f);
        if (energy_density) energy += w * psi[q * SN_LANES + lane];
        for (int k = 0; k < 6 && stress; ++k) stress[k] += w * cauchy[(q * 9 + place[k]) * SN_LANES + lane];
    }
    for (int k = 0; k < 6 && stress; ++k) stress[k] /= total;
    if (ratio) *ratio = now / total;
    if (volume) *volume = now;
    if (energy_density) *energy_density = isfinite(energy) ? energy / total : 0;
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
    const bool wants_stress = stress || von_mises;
    sn_memory_reach(world, world->state.time);
    for (int e = 0; e < b->mesh->tet_count; ++e) {
        double s[6];
        sn_element_values(world, b->element_first + e, wants_stress ? s : NULL, volume_ratio ? &volume_ratio[e] : NULL,
                          energy_density ? &energy_density[e] : NULL, NULL);
        if (stress) memcpy(stress + 6 * (size_t)e, s, sizeof s);
        if (von_mises) von_mises[e] = von_mises_of(s);
    }
    return SN_OK;
}
