/* A format of mesh files: one const table, in the file format_<name>.c. format.c lists the formats; file.c reads and
 * writes with them.
 *
 * To add a format, write such a file and add one line to the list in format.c. `sn_mesh_formats`, `sinew list`, the
 * documentation and the conformance test (test/mesh/test_formats.c) take the format from there. */
#ifndef SN_MESH_FORMAT_H
#define SN_MESH_FORMAT_H

#include "mesh/builder.h"
#include "mesh/file_output.h"

enum { SN_FORMAT_FILES = 3 }; /* most files that one mesh takes */

typedef sn_status sn_mesh_writer(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *output);

/* One of the files of a mesh. */
typedef struct sn_format_file {
    const char *ending;    /* without the dot. NULL for the first file: the ending that the caller gives */
    bool optional;         /* a reader does without this file */
    sn_mesh_writer *write; /* `options` is never NULL. NULL in the first file: the format cannot be written */
} sn_format_file;

typedef struct sn_mesh_format {
    /* Fills an empty builder. `file` has a cursor at the start of each file; an optional file that is missing has begin
     * == NULL. NULL: the format cannot be read. */
    sn_status (*read)(sn_text *file, sn_builder *builder);
    sn_format_file file[SN_FORMAT_FILES]; /* ends before the first entry without ending, but has at least one */
    bool binary;                          /* written in binary when the caller gives no options */
} sn_mesh_format;

int sn_format_files(const sn_mesh_format *format); /* 1 to SN_FORMAT_FILES */

/* The format of an ending (any case, without the dot), or a message that begins with `name` and suggests the nearest
 * ending. */
sn_status sn_format_find(const char *ending, const char *name, const sn_mesh_format **format, sn_error *error);

#endif
