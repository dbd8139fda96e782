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

/* What a written file holds of a mesh (losses.c tells the caller about the rest). */
enum {
    SN_KEEPS_TETS = 1,        /* else the boundary of the tets is written */
    SN_KEEPS_TRIANGLES = 2,   /* beside tets */
    SN_KEEPS_NODE_GROUPS = 4, /* in the order of sn_group_kind */
    SN_KEEPS_TET_GROUPS = 8,
    SN_KEEPS_TRIANGLE_GROUPS = 16,
    SN_KEEPS_NAMES = 32,        /* else groups are numbers: names other than tet-7 get new ones */
    SN_KEEPS_OVERLAPS = 64,     /* an item may be in several groups of one kind */
    SN_KEEPS_NUMBERS = 128,     /* of nodes and elements; else they are counted from `first` */
    SN_KEEPS_TEXT_GROUPS = 256, /* groups are in text files only */
    SN_KEEPS_NODES = 512,       /* nodes have numbers at all */
    SN_KEEPS_EVERYTHING = 767
};

typedef struct sn_mesh_format {
    /* Fills an empty builder. `file` has a cursor at the start of each file; an optional file that is missing has begin
     * == NULL. NULL: the format cannot be read. */
    sn_status (*read)(sn_text *file, sn_builder *builder);
    sn_format_file file[SN_FORMAT_FILES]; /* ends before the first entry without ending, but has at least one */
    bool binary;                          /* written in binary when the caller gives no options */
    bool both, versions;                  /* has text and binary files; has several versions */
    int keeps, first;                     /* of a written file: SN_KEEPS_..., number of the first node */
} sn_mesh_format;

int sn_format_files(const sn_mesh_format *format); /* 1 to SN_FORMAT_FILES */

/* The format of an ending (any case, without the dot), or a message that begins with `name` and suggests the nearest
 * ending. */
sn_status sn_format_find(const char *ending, const char *name, const sn_mesh_format **format, sn_error *error);

#endif
