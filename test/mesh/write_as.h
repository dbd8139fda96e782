/* Shared by the tests of mesh files: the options of a write in one line. */
#ifndef SN_WRITE_AS_H
#define SN_WRITE_AS_H

#include "sinew/mesh.h"

static inline sn_mesh_write_options write_as(bool binary, const char *version) {
    sn_mesh_write_options options = sn_mesh_write_options_default();
    options.binary = binary, options.version = version;
    return options;
}

#endif
