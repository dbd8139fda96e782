/* Mass of elements: M_ij = sum_q rho v_q N_i N_j by a rule that is exact for straight edges.
 *
 * Lumped: row sums for linear elements; for quadratic ones, whose corner row sums are negative, the diagonal scaled to
 * the element's mass (E. Hinton, T. Rock, O. C. Zienkiewicz 1976). */
#include <math.h>
#include <string.h>

#include "batch.h"

double sn_source_density(const sn_batch_source *source, int e) {
    const sn_material *material = &source->materials[source->material[e]];
    return material->area_density > 0 ? material->area_density / source->thickness : material->density;
}

/* Returns the mass of the element. */
static double consistent(const sn_batch_source *source, int e, double *mass) {
    const sn_element *element = source->element;
    const int nodes = element->nodes;
    const double thickness = element->dimension == 2 && source->thickness > 0 ? source->thickness : 1;
    const double density = thickness * sn_source_density(source, e);
    double X[3 * SN_ELEMENT_NODES], value[SN_ELEMENT_NODES], gradient[3 * SN_ELEMENT_NODES], total = 0;
    sn_element_rest(source, e, X);
    memset(mass, 0, (size_t)(nodes * nodes) * sizeof *mass);
    for (int q = 0; q < element->mass_points; ++q) {
        const double volume = sn_element_gradient(element, X, element->mass_point[q], value, gradient);
        const double share = density * volume * element->mass_weight[q];
        total += share;
        for (int i = 0; i < nodes; ++i)
            for (int j = 0; j < nodes; ++j) mass[nodes * i + j] += share * (value[i] * value[j]);
    }
    return total;
}

void sn_mass_element(const sn_batch_source *source, int e, double *mass) { consistent(source, e, mass); }

sn_status sn_mass_lumped(const sn_batch_source *source, double *mass, sn_error *error) {
    const int nodes = source->element->nodes;
    for (int e = 0; e < source->element_count; ++e) {
        double M[SN_ELEMENT_NODES * SN_ELEMENT_NODES], lumped[SN_ELEMENT_NODES], diagonal = 0;
        const double total = consistent(source, e, M);
        if (!(total > 0) || !isfinite(total))
            return sn_fail(
                error, SN_BAD_INPUT,
                "body '%s': element %lld has no mass above 0: it is flat or inside out at rest, or not finite",
                source->name, (long long)(source->label ? source->label[e] : e));
        for (int i = 0; i < nodes; ++i) diagonal += M[nodes * i + i];
        for (int i = 0; i < nodes; ++i) {
            lumped[i] = M[nodes * i + i] * (total / diagonal);
            if (!source->element->row_sums) continue;
            lumped[i] = 0;
            for (int j = 0; j < nodes; ++j) lumped[i] += M[nodes * i + j];
        }
        if (source->element->divide) {
            double X[3 * SN_ELEMENT_NODES];
            sn_element_rest(source, e, X);
            source->element->divide(X, lumped);
            for (int i = 0; i < nodes; ++i) lumped[i] *= total;
        }
        for (int i = 0; i < nodes; ++i) mass[source->node[(int64_t)e * nodes + i]] += lumped[i];
    }
    return SN_OK;
}
