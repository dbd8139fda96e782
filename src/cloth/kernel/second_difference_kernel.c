/* Kernels of the second differences of particles, three nodes each (cloth/particles.h, node_sum.h). */
#include "cloth/particles.h"

#include "node_sum.h"

DERIVED_KERNELS(3, 1, node_sum_energy, node_sum_force, node_sum_linearise, node_sum_product, node_sum_matrix)

static int serves(const sn_element *element) { return element == &sn_element_second_differences; }

extern const sn_element_kernels SN_ISA(sn_second_difference_kernels);
const sn_element_kernels SN_ISA(sn_second_difference_kernels) = {
    .serves = serves, DERIVED_FIELDS, .recall = without_memory};
