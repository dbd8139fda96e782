/* Cells of VTK files, and groups from their integer arrays; shared by the two formats. Cell types and the order of
 * their nodes: the VTK file formats document. */
#ifndef SN_MESH_VTK_CELLS_H
#define SN_MESH_VTK_CELLS_H

#include "mesh/builder.h"

/* What one cell of the file became. */
typedef struct sn_vtk_cell {
    int32_t tet;                 /* -1: none */
    int32_t triangle, triangles; /* the first one, and their number: a polygon is a fan */
} sn_vtk_cell;

/* Adds a cell of `count` node indices with its label. Lines and points are left out, with a note in the builder; other
 * types are an error. */
sn_status sn_vtk_add_cell(sn_builder *builder, sn_text *text, int64_t type, const int32_t *node, int64_t count,
                          int64_t label, sn_vtk_cell *cell);

/* An integer array of the cells: those with value 7 join the group "NAME-7". An array with more than 64 values is left
 * out, with a note. */
sn_status sn_vtk_groups(sn_builder *builder, sn_text *text, const char *name, int length, const sn_vtk_cell *cell,
                        const int64_t *value, int count);

/* An array of three numbers per cell becomes the field NAME of vectors. */
sn_status sn_vtk_field(sn_builder *builder, sn_text *text, const char *name, int length, const sn_vtk_cell *cell,
                       const double *value, int count);

#endif
