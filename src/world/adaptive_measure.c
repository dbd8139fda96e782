/* Measures of the leaves of an adaptive body, from their present shape. F is the deformation gradient, E = (F^T F - 1)
 * / 2 Green's strain.
 *
 *   shear      |E - tr E / 3|, the norm of the shear strain
 *   energy     the energy density, J/m^3
 *   gradient   s times the root of the mean of |E - E_i|^2 over the corners i, where E_i is the mean of E over the
 * leaves at a node, weighted by volume (Zienkiewicz and Zhu, A simple error estimator, 1987): how fast the strain
 *              changes over a leaf. s^2 = 1/8 per level is the share of the volume of a root, so that each leaf
 *              contributes alike to the square of the error */
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "adaptive.h"
#include "base/math3.h"
#include "inside.h"

/* The leaves of one body. */
typedef struct leaves {
    const sn_active *active;
    int count;
    const int32_t *node;  /* count x 4 */
    const uint8_t *depth; /* count */
} leaves;

double sn_tet_gradient(const double *rest, const double *x, const int32_t node[4], double F[9]) {
    double D[9], d[9], inverse[9];
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c) {
            const size_t from = 3 * (size_t)node[0] + (size_t)c, to = 3 * (size_t)node[i + 1] + (size_t)c;
            D[3 * c + i] = rest[to] - rest[from];
            d[3 * c + i] = x[to] - x[from];
        }
    const double volume = sn_determinant3(D) / 6;
    sn_inverse3(D, inverse);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            F[3 * i + j] = d[3 * i] * inverse[j] + d[3 * i + 1] * inverse[3 + j] + d[3 * i + 2] * inverse[6 + j];
    return volume;
}

/* Green's strain of a leaf, xx yy zz xy yz zx, and its volume at rest. */
static double strain_of(const leaves *own, const double *x, int leaf, double E[6]) {
    double F[9];
    const double volume = sn_tet_gradient(own->active->rest, x, own->node + 4 * (size_t)leaf, F);
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    for (int k = 0; k < 6; ++k) {
        const int i = row[k], j = column[k];
        E[k] = 0.5 * (F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j] - (i == j ? 1 : 0));
    }
    return volume;
}

static double square(const double E[6]) {
    return E[0] * E[0] + E[1] * E[1] + E[2] * E[2] + 2 * (E[3] * E[3] + E[4] * E[4] + E[5] * E[5]);
}

static void shear(const leaves *a, const double *x, double *value) {
    for (int l = 0; l < a->count; ++l) {
        double E[6];
        strain_of(a, x, l, E);
        const double mean = (E[0] + E[1] + E[2]) / 3;
        for (int k = 0; k < 3; ++k) E[k] -= mean;
        value[l] = sqrt(square(E));
    }
}

/* room: 7 numbers per compact node: the sum of volume times strain, and of volume. */
static void gradient(const leaves *a, int levels, const double *x, double *room, double *value) {
    memset(room, 0, 7 * (size_t)a->active->count * sizeof *room);
    for (int l = 0; l < a->count; ++l) {
        double E[6];
        const double volume = strain_of(a, x, l, E);
        for (int i = 0; i < 4; ++i) {
            double *sum = room + 7 * (size_t)a->node[4 * (size_t)l + (size_t)i];
            for (int k = 0; k < 6; ++k) sum[k] += volume * E[k];
            sum[6] += volume;
        }
    }
    for (int l = 0; l < a->count; ++l) {
        double E[6], total = 0;
        strain_of(a, x, l, E);
        for (int i = 0; i < 4; ++i) {
            const double *sum = room + 7 * (size_t)a->node[4 * (size_t)l + (size_t)i];
            double gap[6];
            for (int k = 0; k < 6; ++k) gap[k] = E[k] - sum[k] / sum[6];
            total += square(gap);
        }
        value[l] = sqrt(total / 4 / (double)(1 << 3 * (levels - a->depth[l])));
    }
}

static void energy(const sn_world *world, const sn_element_view *view, int begin, int end, double *value) {
    const sn_elements_model *elements = &world->solid->elements;
    alignas(64) double psi[SN_LANES];
    for (int b = 0; b < elements->batch_count; ++b) {
        const sn_batch *batch = &elements->batch[b];
        for (int block = 0; block < batch->block_count && batch->element == &sn_element_tet4; ++block) {
            const int32_t *leaf = batch->element_of + (int64_t)block * SN_LANES;
            bool any = false;
            for (int l = 0; l < SN_LANES; ++l) any = any || (leaf[l] >= begin && leaf[l] < end);
            if (any) batch->kernels->stress(batch, block, view, NULL, NULL, NULL, psi);
            for (int l = 0; l < SN_LANES && any; ++l)
                if (leaf[l] >= begin && leaf[l] < end) value[leaf[l] - begin] = isfinite(psi[l]) ? psi[l] : 1e300;
        }
    }
}

void sn_adaptive_measure(const sn_world *world, const sn_adaptive_body *body, double *room, double *value) {
    const sn_element_view view = sn_world_view(world, world->state.x, NULL);
    const sn_active *a = world->solid->active;
    const int begin = a->begin[body->body], end = a->begin[body->body + 1];
    const leaves own = {a, end - begin, a->node + a->corner[body->body], a->depth + begin};
    const char *measure = body->options.measure;
    if (strcmp(measure, "energy") == 0)
        energy(world, &view, begin, end, value);
    else if (strcmp(measure, "gradient") == 0)
        gradient(&own, body->forest.levels, view.x, room, value);
    else
        shear(&own, view.x, value);
}
