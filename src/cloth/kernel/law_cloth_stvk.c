/* The law `cloth-stvk`: isotropic cloth, Saint Venant-Kirchhoff in plane stress. With E and nu of the material
 *   S = E / (1 - nu^2) ((1 - nu) E + nu tr(E) I),   that is lambda = E nu / (1 - nu^2) in the plane, mu as in space. */
#include "fem/kernel/law_parameters.h"
#include "fem/names.h"

#include "green_sheet.h"

static const sn_parameter parameter[] = {SN_ISOTROPIC_PARAMETERS};

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *c, sn_error *error) {
    double lambda, mu;
    const sn_status status = sn_material_lame(material, time, &lambda, &mu, error);
    if (status) return status;
    const double both = lambda + 2 * mu, plane = both > 0 ? 2 * lambda * mu / both : 0; /* no stress along the normal */
    c[SHEET_C11] = c[SHEET_C22] = plane + 2 * mu;
    c[SHEET_C12] = plane, c[SHEET_SHEAR] = mu;
    return SN_OK;
}

const sn_law SN_ISA(sn_law_cloth_stvk) = {SN_LAW_cloth_stvk, SN_GREEN_SHEET};
