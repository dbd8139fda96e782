/* Laws whose constants are lambda and mu: their parameters, how the constants come about, and the entries of both in
 * the law. */
#ifndef SN_FEM_KERNEL_LAME_H
#define SN_FEM_KERNEL_LAME_H

#include "fem/law.h"

#include "law_parameters.h"

static const sn_parameter lame_parameter[] = {SN_ISOTROPIC_PARAMETERS};

static inline sn_status prepare_lame(const sn_law *law, const sn_material *material, double time, double *constant,
                                     sn_error *error) {
    return sn_material_lame(material, time, &constant[0], &constant[1], error);
}

static inline void scale_constants(const sn_law *law, double shear, double bulk, double *constant) {
    scale_lame(shear, bulk, &constant[0], &constant[1]);
}

#define SN_LAW_OF_LAME                                                                                                 \
    .parameter = lame_parameter, .parameter_count = sizeof lame_parameter / sizeof *lame_parameter,                    \
    .constant_count = 2, .prepare = prepare_lame, .scale = scale_constants

#endif
