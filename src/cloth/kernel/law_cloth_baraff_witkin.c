/* The law `cloth-baraff-witkin`: the conditions on stretch and shear of D. Baraff and A. Witkin, Large steps in cloth
 * simulation (1998), 4.2 and 4.3, as energies.
 *
 * The paper has C_u = a (|w_u| - 1), C_v = a (|w_v| - 1) and C_s = a w_u . w_v with w_u = f1 and w_v = f2, and the
 * energy k C^2 / 2. Here a is the root of the volume of the triangle, so that the constants k are moduli in Pa and the
 * result does not depend on the mesh: psi of woven.h. */
#include "fem/names.h"

#include "woven.h"

static const sn_parameter parameter[] = {WOVEN_PARAMETERS};

const sn_law SN_ISA(sn_law_cloth_baraff_witkin) = {SN_LAW_cloth_baraff_witkin,
                                                   SN_SHEET_LAW,
                                                   .parameter = parameter,
                                                   .parameter_count = sizeof parameter / sizeof *parameter,
                                                   .prepare = woven_prepare,
                                                   .energy = woven_energy,
                                                   .stress = woven_stress,
                                                   .differential = woven_differential,
                                                   .rest_stiffness = sheet_rest_stiffness};
