/* The options of a material as a table (base/fields.h): it drives defaults, ranges, scene keys and the reference. */
#ifndef SN_FEM_MATERIAL_H
#define SN_FEM_MATERIAL_H

#include "base/fields.h"
#include "sinew/material.h"

/* Every option of sn_material but the law and its constants, which depend on the laws that a context knows
 * (sn_context_laws, sn_law_parameters), and but the Prony terms, a list. A dot in a name is a nested key of a scene:
 * "viscous.lambda". */
const sn_field *sn_material_fields(int *count);

#endif
