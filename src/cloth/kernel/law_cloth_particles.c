/* The law `cloth-particles`: the particle system of Hauth, chapter 4, as a continuum.
 *
 * Its bodies are made of particles (cloth/particles.h). This table has the energy per volume that their finite
 * differences stand for, psi of woven.h. It serves everybody who asks for the stiffness of a material. `damping` is of
 * the particles alone. */
#include "fem/names.h"

#include "woven.h"

static const sn_parameter parameter[] = {
    WOVEN_PARAMETERS,
    {"damping", "Pa s", "damping of the edges of particles, in all directions; default 0", 0, INFINITY, 0, 1, 1, 1},
};

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *c, sn_error *error) {
    c[SHEET_DAMPING] = sn_material_value(material, "damping", time, 0);
    return woven_prepare(law, material, time, c, error);
}

const sn_law SN_ISA(sn_law_cloth_particles) = {SN_LAW_cloth_particles,
                                               SN_SHEET_LAW,
                                               .element = "particles",
                                               .parameter = parameter,
                                               .parameter_count = sizeof parameter / sizeof *parameter,
                                               .prepare = prepare,
                                               .energy = woven_energy,
                                               .stress = woven_stress,
                                               .differential = woven_differential,
                                               .rest_stiffness = sheet_rest_stiffness};
