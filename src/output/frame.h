/* A format of results: writes the current shape of a world as one file, a frame. One const table, in a file
 * frame_<table>.c.
 *
 * To add a format, write such a file and add one line to SN_FRAME_FORMATS. The names stand apart from the writers
 * because a build without files (WebAssembly) reads the same scenes: names.c needs only the names. */
#ifndef SN_OUTPUT_FRAME_H
#define SN_OUTPUT_FRAME_H

#include "base/context.h"
#include "sinew/output.h"

/* Name (also the ending), table sn_frame_<table>, one line of text. */
/* clang-format off */
#define SN_FRAME_FORMATS(X) \
    X(vtu, vtu, "VTK unstructured grid with fields, and a .pvd of all frames (ParaView)") \
    X(obj, surface, "Wavefront surface of the current shape") \
    X(ply, surface, "PLY surface of the current shape, binary") \
    X(stl, surface, "STL surface of the current shape, binary") \
    X(png, png, "shaded picture of each frame")
/* clang-format on */

/* The frames that a writer leaves in a folder: <folder>/<stem>-<number>.<ending>. */
typedef struct sn_series {
    sn_context *context;
    const char *folder, *stem;
    int frame; /* number of the present frame, from 0 */
    double time;
} sn_series;

typedef struct sn_frame_format {
    /* Writes one file. `options` may be NULL: all fields, the default picture. */
    sn_status (*write)(sn_world *world, const char *path, const sn_output_options *options, sn_error *error);
    /* After each frame of a series: brings a file about all frames up to date. NULL: the format has no such file. */
    sn_status (*index)(const sn_series *series, sn_error *error);
} sn_frame_format;

#endif
