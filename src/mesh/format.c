/* The list of mesh formats. To add one: a file format_<name>.c with its table, and a line here. */
#include "format.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"

/* Ending, table sn_format_<table>, one line of text. A format of several files has a line for each ending that opens
 * it. */
/* clang-format off */
#define FORMATS(X) \
    X(msh, msh, "Gmsh 2.2 and 4.1, ASCII and binary of both byte orders; numbers of the file; physical groups with their names") \
    X(node, tetgen, "TetGen, nodes; opens .ele and .face too; numbers of the file; region attributes and boundary markers as groups") \
    X(ele, tetgen, "TetGen, tets; opens .node and .face too") \
    X(mesh, medit, "Medit, ASCII; numbers from 1 by order; references as groups") \
    X(veg, vega, "Vega, tets of 4 nodes; numbers of the file; sets of elements as groups") \
    X(obj, obj, "Wavefront surface; numbers from 1 by order; `o` and `g` as groups of triangles") \
    X(stl, stl, "STL surface, ASCII and binary; equal points become one node; named ASCII solids as groups") \
    X(ply, ply, "PLY surface, ASCII and binary of both byte orders; numbers from 0 by order") \
    X(off, off, "OFF surface (also COFF, NOFF, CNOFF, STOFF), ASCII; numbers from 0 by order") \
    X(vtu, vtu, "VTK unstructured grid, XML: ASCII, base64 and raw, plain or with zlib; integer arrays of cells as groups; read only, `sinew run` writes it") \
    X(vtk, vtk, "VTK legacy 2.0 to 5.1, unstructured grid or polygons, ASCII and binary; integer arrays of cells as groups; read only") \
    X(inp, inp, "Abaqus and CalculiX input: nodes, tets, triangles; numbers of the file; NSET and ELSET as groups; read only")
/* clang-format on */

#define EXTERN(ending, table, text) extern const sn_mesh_format sn_format_##table;
#define LISTING(ending, table, text) {#ending, text},
#define TABLE(ending, table, text) &sn_format_##table,
FORMATS(EXTERN)
static const sn_listing listing[] = {FORMATS(LISTING)};
static const sn_mesh_format *const table[] = {FORMATS(TABLE)};
enum { FORMAT_COUNT = sizeof listing / sizeof *listing };

const sn_listing *sn_mesh_formats(int *count) {
    *count = FORMAT_COUNT;
    return listing;
}

int sn_format_files(const sn_mesh_format *format) {
    int count = 1;
    while (count < SN_FORMAT_FILES && format->file[count].ending) ++count;
    return count;
}

static const sn_mesh_format *find(const char *ending) {
    for (int i = 0; i < FORMAT_COUNT; ++i) {
        if (sn_text_is_any_case(ending, (int)strlen(ending), listing[i].name)) return table[i];
    }
    return NULL;
}

sn_status sn_format_find(const char *ending, const char *name, const sn_mesh_format **format, sn_error *error) {
    *format = find(ending);
    if (*format) return SN_OK;
    char message[400];
    if (*ending)
        snprintf(message, sizeof message, "%.200s: unknown mesh format '%.40s'", name, ending);
    else
        snprintf(message, sizeof message, "%.200s: a mesh file needs an ending", name);
    sn_suggest(message, sizeof message, ending, listing, FORMAT_COUNT, sizeof *listing);
    return sn_fail(error, SN_BAD_INPUT, "%s", message);
}

bool sn_mesh_format_reads(const char *format) {
    const sn_mesh_format *found = find(format);
    return found && found->read;
}

bool sn_mesh_format_writes(const char *format) {
    const sn_mesh_format *found = find(format);
    return found && found->file[0].write;
}
