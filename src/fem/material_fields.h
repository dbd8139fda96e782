/* The options of a material as a table (base/fields.h): it drives defaults, ranges, scene keys and the reference. */
#ifndef SN_FEM_MATERIAL_H
#define SN_FEM_MATERIAL_H

#include "base/fields.h"
#include "sinew/material.h"

/* Every option of sn_material but the law and its constants, which depend on the laws that a context knows
 * (sn_context_laws, sn_law_parameters), and but the Prony terms, a list. A dot in a name is a nested key of a scene:
 * "viscous.lambda". */
const sn_field *sn_material_fields(int *count);

/* Which group a constant belongs to; groups exclude each other. Several moduli of an orthotropic law, its shear, axes
 * and direction, and the penalty of stvk-volume exclude nothing. */
typedef enum sn_constant_group { SN_GROUP_ANY, SN_GROUP_YOUNG, SN_GROUP_LAME, SN_GROUP_OWN } sn_constant_group;
sn_constant_group sn_constant_group_of(const char *name, int count);

/* material_check.c: SN_BAD_INPUT that names the rotations there are. */
sn_status sn_unknown_rotation(const char *name, sn_error *error);

#endif
