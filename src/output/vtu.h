/* VTK's XML unstructured grids. */
#ifndef SN_OUTPUT_VTU_H
#define SN_OUTPUT_VTU_H

#include "sinew/output.h"

/* Writes the current shape with the fields that `options` names (NULL: all). */
sn_status sn_vtu_write(sn_world *world, const char *path, const sn_output_options *options, sn_error *error);

#endif
