/* Values per element: stress, von Mises stress, strain, energy density, volume ratio. */
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "base/math3.h"
#include "fem/point_kernels.h"
#include "inside.h"

static const int place[6] = {0, 4, 8, 1, 5, 6}; /* xx yy zz xy yz zx */

/* Adds w times Green's strain E = (F^T F - 1) / 2. */
static void add_strain(const double F[9], double w, double strain[6]) {
    for (int k = 0; k < 6; ++k) {
        const int i = place[k] / 3, j = place[k] % 3;
        strain[k] += 0.5 * w * (F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j] - (i == j ? 1 : 0));
    }
}

/* Stress and energy of the triangle of a grid of particles: its law has those of the sheet for which the particles
 * stand. The third column of F is the unit normal, which the law does not see. */
static void sample_sheet(const sn_world *world, const sn_material *material, const double F[9],
                         sn_element_sample *out) {
    const sn_law *law = sn_law_find(world->context, material->law);
    const double degenerate[2] = {material->alpha, material->beta}, J = fmax(sn_determinant3(F), 1e-12);
    alignas(64) double block[9 * SN_LANES] = {0}, psi[SN_LANES], P[9 * SN_LANES];
    double constant[SN_LAW_CONSTANTS];
    if (law->prepare(law, material, world->state.time, constant, NULL)) return;
    for (int i = 0; i < 9; ++i)
        for (int l = 0; l < SN_LANES && i % 3 < 2; ++l) block[i * SN_LANES + l] = F[i];
    sn_point_kernels_for(world->context)
        ->law(law, NULL, degenerate, SN_DIFFERENTIAL_EXACT, constant, block, psi, P, NULL);
    out->energy_density = psi[0];
    for (int k = 0; k < 6; ++k)
        for (int a = 0; a < 3; ++a)
            out->stress[k] += P[(place[k] / 3 * 3 + a) * SN_LANES] * F[place[k] % 3 * 3 + a] / J;
}

/* An element of a rigid body, or one that other elements stand for: springs, or a grid of particles. It has a shape.
 * The stress and the energy of rigid bodies and of springs are 0: those of springs belong to the edges. */
static void sample_shape(const sn_world *world, int element, sn_element_sample *out) {
    int b = 0;
    while (b + 1 < world->model->body_count && world->model->body[b + 1].element_first <= element) ++b;
    const sn_body *body = &world->model->body[b];
    sn_batch_source own = world->solid->source[b];
    own.node = body->node, own.rest = world->model->rest, own.material = body->material;
    const sn_batch_source *source = &own;
    const int nodes = source->element->nodes, e = element - body->element_first;
    const double centre[2][4] = {{0.25, 0.25, 0.25, 0.25}, {1.0 / 3, 1.0 / 3, 1.0 / 3, 0}};
    double X[3 * SN_ELEMENT_NODES], g[3 * SN_ELEMENT_NODES] = {0}, *F = out->gradient;
    const bool flat = source->element->dimension == 2;
    sn_element_rest(source, e, X);
    out->rest_volume = sn_element_gradient(source->element, X, centre[flat], NULL, g) * (flat ? source->thickness : 1);
    for (int i = 0; i < nodes; ++i)
        for (int k = 0; k < 9; ++k)
            F[k] += world->state.x[3 * (size_t)source->node[nodes * (size_t)e + (size_t)i] + (size_t)(k / 3)] *
                    g[3 * i + k % 3];
    if (flat) {
        const double warp[3] = {F[0], F[3], F[6]}, weft[3] = {F[1], F[4], F[7]};
        double normal[3];
        sn_cross3(warp, weft, normal);
        const double size = fmax(sn_norm3(normal), 1e-150);
        for (int a = 0; a < 3; ++a) F[3 * a + 2] = normal[a] / size;
    }
    add_strain(F, 1, out->strain);
    out->ratio = sn_determinant3(F), out->volume = out->ratio * out->rest_volume;
    if (source->element->lay && !body->rigid) sample_sheet(world, &source->materials[source->material[e]], F, out);
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
        sample_shape(world, element, out);
        return;
    }
    const int64_t slot = solid->place[element] & (((int64_t)1 << 40) - 1);
    const sn_batch *batch = &solid->elements.batch[solid->place[element] >> 40];
    const int block = (int)(slot / SN_LANES), lane = (int)(slot % SN_LANES), points = batch->element->points;
    const sn_element_view view = sn_world_same_view(world, world->state.x);
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
    if (!solid->active) return;
    /* A leaf stands for its finest elements, which have equal volumes. */
    const double share = 1.0 / (double)((int64_t)1 << 3 * solid->active->depth[solid->active->leaf[element]]);
    out->volume *= share, out->rest_volume *= share;
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
