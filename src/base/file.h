/* Writing a whole file in one move. */
#ifndef SN_BASE_FILE_H
#define SN_BASE_FILE_H

#include <stddef.h>

#include "sinew/base.h"

/* Writes `size` bytes to the file `path`. An old file stays whole until the new one is complete on the disk: the bytes
 * go to a temporary file in the same folder, which then takes the name of the old one. SN_IO when something fails; the
 * temporary file is then removed. A path that is no regular file (a device, a pipe) is written directly. */
sn_status sn_file_replace(const char *path, const void *bytes, size_t size, sn_error *error);

#endif
