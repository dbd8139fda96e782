/* The format .msh of Gmsh. read_msh.c and write_msh.c do the work. */
#include "format.h"
#include "msh.h"

const sn_mesh_format sn_format_msh = {.read = sn_read_msh,
                                      .file = {{.write = sn_write_msh}},
                                      .both = true,
                                      .versions = true,
                                      .keeps = SN_KEEPS_EVERYTHING};
