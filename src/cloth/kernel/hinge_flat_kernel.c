/* Kernels of flat hinges, four nodes each (cloth/hinges.h, node_sum.h). */
#include "cloth/hinges.h"

#include "node_sum.h"

DERIVED_KERNELS(4, 1, node_sum_energy, node_sum_force, node_sum_linearise, node_sum_product, node_sum_matrix)

static int serves(const sn_element *element) { return element == &sn_element_hinge_flat; }

extern const sn_element_kernels SN_ISA(sn_hinge_flat_kernels);
const sn_element_kernels SN_ISA(sn_hinge_flat_kernels) = {.serves = serves, DERIVED_FIELDS, .recall = without_memory};
