/* The law `cloth-orthotropic`: woven cloth, two moduli along warp and weft on Green's strain.
 *   S_xx = (E_x E_xx + nu_xy E_y E_yy) / d,   S_yy = (nu_xy E_y E_xx + E_y E_yy) / d,   S_xy = 2 G E_xy
 *   nu_yx / E_y = nu_xy / E_x,   d = 1 - nu_xy nu_yx
 * The warp runs along `direction`, projected on each triangle at rest. */
#include "fem/names.h"

#include "green_sheet.h"

static const sn_parameter parameter[] = {
    {"young", "Pa", "Young's moduli along warp and weft", 0, INFINITY, 1, 1, 2, 2},
    {"poisson", "", "contraction along the weft per stretch along the warp", -INFINITY, INFINITY, 1, 1, 1, 1},
    {"shear", "Pa", "shear modulus between warp and weft", 0, INFINITY, 0, 1, 1, 1},
    {"direction", "", "the warp in the rest shape, [x, y, z] of any length; default [1, 0, 0]", -INFINITY, INFINITY, 1,
     1, 3, 3},
};

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *c, sn_error *error) {
    static const char *const needed[3] = {"young", "poisson", "shear"};
    for (int i = 0; i < 3; ++i) {
        const sn_constant *given = sn_material_constant(material, needed[i]);
        if (!given || given->count != (i == 0 ? 2 : 1))
            return sn_fail_at(error, SN_BAD_INPUT, needed[i], "law '%s' needs %s of '%s'", material->law,
                              i == 0 ? "two values" : "one value", needed[i]);
    }
    const double *E = sn_material_constant(material, "young")->value,
                 nu = sn_material_value(material, "poisson", time, 0), d = 1 - nu * nu * E[1] / E[0];
    if (!(d > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "poisson",
                          "'poisson' is %g, which is not stable; with these moduli its size must be below %g", nu,
                          sqrt(E[0] / E[1]));
    c[SHEET_C11] = E[0] / d, c[SHEET_C22] = E[1] / d, c[SHEET_C12] = nu * E[1] / d;
    c[SHEET_SHEAR] = sn_material_value(material, "shear", time, 0);
    return sheet_check_direction(material, error);
}

const sn_law SN_ISA(sn_law_cloth_orthotropic) = {SN_LAW_cloth_orthotropic, SN_GREEN_SHEET,
                                                 .rest_stiffness = sheet_rest_stiffness};
