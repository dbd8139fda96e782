/* Broken mesh files: each gets its own message with place and reason; no cut, no damaged byte and no failing allocation
 * does harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "sinew/mesh.h"
#include "write_as.h"

static failing_allocator counted;
static sn_context *context;

static int set_up(void **state) {
    (void)state;
    counted = failing_allocator_make();
    context = failing_allocator_context(&counted);
    return !context;
}

static int tear_down(void **state) {
    (void)state;
    sn_context_destroy(context);
    return counted.live != 0;
}

typedef struct broken {
    const char *format, *text, *extra, *message;
} broken;

#define M2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define N2 M2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define M4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define N4 M4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
#define NODE "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
#define MEDIT "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
#define VEGA "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
#define VEGA_TET VEGA "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n"
#define PLY "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE PLY "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n"

#define VTU "<VTKFile type=\"UnstructuredGrid\">"
#define VTU_ARRAY(name, text) "<DataArray type=\"Float64\" Name=\"" name "\" format=\"ascii\">" text "</DataArray>"
#define VTU_POINTS(text) VTU "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points>" VTU_ARRAY("p", text) "</Points>"
#define VTU_CELLS(node, offset, type)                                                                                  \
    VTU_POINTS("0 0 0 1 0 0 0 1 0 0 0 1")                                                                              \
    "<Cells>" VTU_ARRAY("connectivity", node) VTU_ARRAY("offsets", offset) VTU_ARRAY("types", type) "</Cells></"       \
                                                                                                    "VTKFile>"
#define VTK "# vtk DataFile Version 3.0\ntitle\n"
#define VTK_POINTS VTK "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
#define INP "*NODE\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 0., 1., 0.\n4, 0., 0., 1.\n"

static const broken table[] = {
    {"msh", "", NULL, "f:1: section $MeshFormat is missing"},
    {"msh", "hello", NULL, "f:1: section ($Name) expected, found 'hello'"},
    {"msh", "$MeshFormat\n3 0 8\n$EndMeshFormat\n", NULL,
     "f:2: version 3 of the format is not supported; 2.2 and 4.1 are"},
    {"msh", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", NULL, "f:2: version 4 of the format"},
    {"msh", "$MeshFormat\n2.2 2 8\n$EndMeshFormat\n", NULL, "f:2: file type 2 is not 0 (ASCII) or 1 (binary)"},
    {"msh", "$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", NULL, "f:2: data size 4"},
    {"msh", "$MeshFormat\n2.2 1 8\nabcd\n$EndMeshFormat\n", NULL, "f:byte 20: the number that tells the byte order"},
    {"msh", "$MeshFormat\n2.2 1 8\nab", NULL, "f:byte 20: the file ends inside"},
    {"msh", "$NOD\n1\n", NULL, "f:1: version 1 of the format"},
    {"msh", "$Nodes\n1\n", NULL, "f:1: $MeshFormat expected before $Nodes"},
    {"msh", M2, NULL, "f:4: section $Nodes is missing"},
    {"msh", N2, NULL, "section $Elements is missing"},
    {"msh", M2 "$Elements\n0\n$EndElements\n", NULL, "f:4: $Elements comes before $Nodes"},
    {"msh", M2 "$Nodes\n", NULL, "number of nodes expected, but the file ends"},
    {"msh", M2 "$Nodes\n-4\n", NULL, "f:5: number of nodes is -4; it cannot be negative"},
    {"msh", M2 "$Nodes\n0 x\n", NULL, "f:5: end of the line after number of nodes expected, found 'x'"},
    {"msh", M2 "$Nodes\n4.5\n", NULL, "f:5: number of nodes expected, found '4.5'"},
    {"msh", M2 "$Nodes\n100000000\n1 0 0 0\n", NULL, "cannot hold that many"},
    {"msh", M2 "$Nodes\n99999999999999999999\n1 0 0 0\n", NULL,
     "f:5: number of nodes expected, found '99999999999999999999'"},
    {"msh", M2 "$Nodes\n999999999999\n1 0 0 0\n", NULL, "f:5: number of nodes is 999999999999; at most"},
    {"msh", M2 "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", NULL, "f:7: node number 1 comes twice"},
    {"msh", M2 "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", NULL, "f:6: finite number for coordinate expected, found 'nan'"},
    {"msh", M2 "$Nodes\n1\n1 0 -inf 0\n$EndNodes\n", NULL, "f:6: finite number for coordinate expected, found '-inf'"},
    {"msh", M2 "$Nodes\n1\n1 0 1e999 0\n$EndNodes\n", NULL,
     "f:6: number within the range of double expected, found '1e999'"},
    {"msh", M2 "$Nodes\n1\n1 0 0x1 0\n$EndNodes\n", NULL, "f:6: finite number for coordinate expected, found '0x1'"},
    {"msh", M2 "$Nodes\n1\n1 0 1.5.2 0\n$EndNodes\n", NULL, "f:6: coordinate expected, found '1.5.2'"},
    {"msh", M2 "$Nodes\n1\n1 0 0\n$EndNodes\n", NULL, "f:6: coordinate expected, but the line ends"},
    {"msh", M2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", NULL, "f:7: $EndNodes expected, found '2'"},
    {"msh", N2 "$Nodes\n0\n$EndNodes\n", NULL, "f:11: section $Nodes comes twice"},
    {"msh", N2 "$Elements\n1\n1 5 2 0 1 1 2 3 4 1 2 3 4\n$EndElements\n", NULL,
     "f:13: element type 5 (8-node hexahedron) is not supported"},
    {"msh", N2 "$Elements\n1\n1 3 2 0 1 1 2 3 4\n$EndElements\n", NULL,
     "f:13: element type 3 (4-node quadrangle) is not supported"},
    {"msh", N2 "$Elements\n1\n1 99 2 0 1 1 2 3 4\n$EndElements\n", NULL, "f:13: element type 99 is unknown"},
    {"msh", N2 "$Elements\n1\n1 4 2 0 1 1 2 3 5\n$EndElements\n", NULL,
     "f:13: node 5 does not exist; the nodes are 1 to 4"},
    {"msh", N2 "$Elements\n1\n1 4 2 0 1 1 2 3\n$EndElements\n", NULL,
     "f:13: node of an element expected, but the line ends"},
    {"msh", N2 "$Elements\n1\n1 4 -2 0 1 1 2 3 4\n$EndElements\n", NULL, "f:13: number of tags is -2"},
    {"msh", N2 "$Elements\n2\n1 4 0 1 2 3 4\n1 4 0 4 3 2 1\n$EndElements\n", NULL, "f:14: tet number 1 comes twice"},
    {"msh", N2 "$Elements\n1\n1 4 0 1 2 3 4\n", NULL, "$EndElements expected, but the file ends"},
    {"msh", N2 "$Elements\n1\n1 15 0 1\n$EndElements\n", NULL, "the file has no tets and no triangles"},
    {"msh", N2 "$Periodic\n1\n", NULL, "section $Periodic has no $EndPeriodic"},
    {"msh", M2 "$PhysicalNames\n1\n3 1 body\n$EndPhysicalNames\n", NULL,
     "f:6: physical name in double quotes expected"},
    {"msh", M2 "$PhysicalNames\n1\n4 1 \"body\"\n$EndPhysicalNames\n", NULL, "f:6: dimension 4 is not 0 to 3"},
    {"msh", M2 "$PhysicalNames\n2\n3 1 \"a\"\n3 1 \"b\"\n$EndPhysicalNames\n", NULL,
     "f:7: physical tag 1 of dimension 3 is named twice"},
    {"msh", M4 "$Nodes\n1 4 1 4\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 2\n$EndNodes\n", NULL,
     "f:6: 5 nodes in the block, but 4 of the total are left"},
    {"msh", M4 "$Nodes\n1 2 1 2\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", NULL,
     "the blocks have 1 nodes, but their total is given as 2"},
    {"msh", M4 "$Nodes\n1 1 1 1\n5 1 0 1\n1\n0 0 0\n$EndNodes\n", NULL, "f:6: entity dimension 5 is not 0 to 3"},
    {"msh", N4 "$Elements\n1 1 1 1\n2 1 4 1\n1 1 2 3 4\n$EndElements\n", NULL,
     "a 4-node tetrahedron cannot belong to an entity of dimension 2"},
    {"msh", N4 "$Elements\n1 1 1 1\n3 1 5 1\n1 1 2 3 4 1 2 3 4\n$EndElements\n", NULL,
     "element type 5 (8-node hexahedron)"},
    {"msh", N4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 9\n$EndElements\n", NULL, "f:19: node 9 does not exist"},
    {"msh",
     M4 "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 "
        "0\n0 0 1\n"
        "$EndNodes\n$Elements\n1 1 1 1\n3 7 4 1\n1 1 2 3 4\n$EndElements\n",
     NULL, "entity 7 of dimension 3 does not exist"},
    {"msh", M4 "$PartitionedEntities\n", NULL, "partitioned meshes are not supported"},

    {"node", "", "", "f:1: number of nodes expected, but the file ends"},
    {"node", "0 2 0 0\n", "", "f:1: dimension is 2; allowed are 3 to 3"},
    {"node", NODE "5 0 0 0\n", "", "f:6: end of the file after the last node expected, found '5'"},
    {"node", NODE, "1 8 0\n1 1 2 3 4\n", "f:1: 8 nodes per tet; allowed are 4 and 10"},
    {"node", NODE, "1 4 0\n1 1 2 3 0\n", "f:2: node 0 does not exist; the nodes are 1 to 4"},
    {"node", NODE, "1 4 0\n7 1 2 3 3\n", "f:2: tet 7 has one node at two of its corners"},
    {"node", NODE, "2 4 0\n1 1 2 3 4\n", "the 15 bytes left in the file cannot hold that many"},
    {"node", NODE, "1 4 1\n1 1 2 3 4\n", "f:2: region attribute expected, but the line ends"},
    {"node", NODE, "1 4 0\n1 1 2 3 4 7\n", "f:2: end of the line after the tet expected, found '7'"},
    {"node", NODE, "0 4 0\n", "the file has no tets and no triangles"},
    {"node", "2 3 0 1\n0 0 0 0 1\n1 0 0 0 # no marker\n", "", "f:3: boundary marker expected, but the line ends"},
    {"node", NODE, NULL, "f: the .ele part of the mesh is missing"},
    {"ele", NODE, "1 4 0\n1 1 2 3\n", "f:2: node of a tet expected, but the line ends"},

    {"mesh", "", NULL, "MeshVersionFormatted expected, but the file ends"},
    {"mesh", "Vertices\n", NULL, "f:1: MeshVersionFormatted expected at the start, found 'Vertices'"},
    {"mesh", "MeshVersionFormatted 9\n", NULL, "f:1: MeshVersionFormatted is 9; allowed are 1 to 4"},
    {"mesh", "MeshVersionFormatted 1\nDimension 2\n", NULL, "f:2: Dimension is 2; only 3 is supported"},
    {"mesh", "MeshVersionFormatted 1\nDimension 3\nEnd\n", NULL, "f:3: Vertices are missing"},
    {"mesh", MEDIT "Tetrahedra\n1\n1 2 3 4 0\n", NULL, "keyword (End closes the file) expected, but the file ends"},
    {"mesh", MEDIT "Tetrahedra\n1\n1 2 3 5 0\nEnd\n", NULL, "f:11: node 5 does not exist; the nodes are 1 to 4"},
    {"mesh", MEDIT "Tetrahedra\n1\n1 2 3 4\nEnd\n", NULL, "f:12: reference of an element expected, found 'End'"},
    {"mesh", MEDIT "Tetrahedra\n-1\nEnd\n", NULL, "f:10: number of Tetrahedra is -1"},
    {"mesh", MEDIT "Hexahedra\n1\n1 2 3 4 1 2 3 4 0\nEnd\n", NULL, "f:10: Hexahedra are not supported"},
    {"mesh", MEDIT "Tetraedra\n1\n1 2 3 4 0\nEnd\n", NULL, "f:9: unknown keyword 'Tetraedra'"},
    {"mesh", MEDIT "Tetrahedra\n1\n1 2 3 4 0\n7\nEnd\n", NULL, "f:12: unknown keyword '7'"},
    {"mesh", MEDIT "End\n", NULL, "the file has no tets and no triangles"},

    {"veg", "", NULL, "*VERTICES is missing"},
    {"veg", "VERTICES\n", NULL, "f:1: command (*NAME) expected, found 'VERTICES'"},
    {"veg", "*VERTEXES\n", NULL, "f:1: unknown command '*VERTEXES'"},
    {"veg", "*INCLUDE a.veg\n", NULL, "f:1: *INCLUDE is not supported"},
    {"veg", VEGA, NULL, "*ELEMENTS is missing"},
    {"veg", "*ELEMENTS\nTET\n", NULL, "*ELEMENTS comes before *VERTICES"},
    {"veg", VEGA "*ELEMENTS\nCUBIC\n1 8 0\n", NULL, "elements of type 'CUBIC' are not supported; TET is"},
    {"veg", VEGA "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 5\n", NULL, "f:10: node 5 does not exist"},
    {"veg", VEGA_TET "*SET a\n1, 2\n", NULL, "f:12: element 2 of set 'a' does not exist"},
    {"veg", VEGA_TET "*SET\n1\n", NULL, "the name of a group is empty"},
    {"veg", VEGA_TET "*SET a\n1, x\n", NULL, "f:12: element of a set expected, found 'x'"},
    {"veg", VEGA_TET "*REGION\nlower, soft\n", NULL, "f:12: set 'lower' of the region does not exist"},
    {"veg", VEGA_TET "*REGION\nallElements, soft\n", NULL, "f:12: material 'soft' of the region does not exist"},
    {"veg", VEGA_TET "*MATERIAL soft\nENU, 1000, a, 0.45\n", NULL,
     "f:12: finite number for constant of the material expected, found 'a'"},

    {"obj", "", NULL, "the file has no faces"},
    {"obj", "v 0 0\n", NULL, "f:1: coordinate expected, but the line ends"},
    {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", NULL, "f:4: a face has 2 corners; at least 3 are needed"},
    {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", NULL, "f:4: node 4 does not exist; the nodes are 1 to 3"},
    {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", NULL, "f:4: vertex 0 does not exist; numbers start at 1"},
    {"obj", "v 0 0 0\nv 1 0 0\nf -1 -2 -3\nv 0 1 0\n", NULL,
     "f:3: vertex -3 does not exist; 2 vertices come before this line"},
    {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3x\n", NULL,
     "f:4: corner of a face expected (v, v/vt, v//vn or v/vt/vn), found '3x'"},
    {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3/1/1/1\n", NULL, "f:4: corner of a face expected"},
    {"obj", "v 0 0 inf\n", NULL, "f:1: finite number"},
    {"obj", "v 0 0 0\nsurf 0 1\n", NULL, "f:2: 'surf' is not supported"},
    {"obj", "v 0 0 0\nvv 0 1\n", NULL, "f:2: unknown keyword 'vv'"},

    {"stl", "", NULL, "f:byte 0: neither an ASCII file that starts with 'solid' nor a binary one of at least 84 bytes"},
    {"stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nendloop\n", NULL,
     "f:5: finite number for coordinate expected, found 'endloop'"},
    {"stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nendloop\n", NULL,
     "f:6: vertex expected, found 'endloop'"},
    {"stl", "solid\nfacet normal 0 0 1\n", NULL, "outer expected, but the file ends"},
    {"stl", "solid a\n", NULL, "facet or endsolid expected, but the file ends"},
    {"stl", "solid a\nendsolid a\n", NULL, "the file has no tets and no triangles"},
    {"stl", "solid a\nendsolid a\nhello\n", NULL, "f:3: solid expected, found 'hello'"},
    {"stl", "................................................................................\1...", NULL,
     "f:byte 80: "},

    {"ply", "", NULL, "f:1: ply expected, but the file ends"},
    {"ply", "plx\n", NULL, "f:1: 'ply' expected at the start of the file"},
    {"ply", "ply\nformat ascii 2.0\n", NULL, "f:2: version '2.0' is not 1.0"},
    {"ply", "ply\nformat text 1.0\n", NULL, "f:2: format 'text' is not ascii"},
    {"ply", "ply\nend_header\n", NULL, "the head has no format"},
    {"ply", "ply\nformat ascii 1.0\nend_header\n", NULL, "element vertex is missing"},
    {"ply", "ply\nformat ascii 1.0\nproperty int x\n", NULL, "f:3: a property before the first element"},
    {"ply", PLY "end_header\n0 0 0\n1 0 0\n0 1 0\n", NULL, "element face is missing"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty half x\n", NULL, "f:4: 'half' is not a type"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nelement face 0\nend_header\n", NULL,
     "lacks one of the properties x, y, z"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex -3\n", NULL, "f:3: number of elements is -3"},
    {"ply", PLY_FACE "3 0 1 3\n", NULL, "f:13: vertex 3 does not exist; the vertices are 0 to 2"},
    {"ply", PLY_FACE "3 0 1 -1\n", NULL, "f:13: vertex -1 does not exist"},
    {"ply", PLY_FACE "3 0 1 1.5\n", NULL, "f:13: vertex 1.5 does not exist"},
    {"ply", PLY_FACE "2 0 1\n", NULL, "f:13: a face has 2 corners; at least 3 are needed"},
    {"ply", PLY_FACE "3 0 1\n", NULL, "the file ends"},
    {"ply", PLY_FACE "3 0 1 2 5\n", NULL, "f:13: end of the file after the last element expected, found '5'"},
    {"ply", PLY_FACE "300000000 0 1 2 5\n", NULL, "length of a list is 300000000"},
    {"ply", PLY_FACE, NULL, "f:13: length of a list expected, but the file ends"},

    {"off", "", NULL, "f:1: OFF expected, but the file ends"},
    {"off", "FOO\n", NULL, "f:1: OFF, COFF, NOFF, CNOFF or STOFF expected at the start, found 'FOO'"},
    {"off", "4OFF\n", NULL, "found '4OFF'"},
    {"off", "OFF BINARY\n", NULL, "f:1: binary OFF is not supported"},
    {"off", "OFF\n0 x 0\n", NULL, "f:2: number of faces expected, found 'x'"},
    {"off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", NULL, "f:6: node 3 does not exist; the nodes are 0 to 2"},
    {"off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", NULL, "f:6: a face has 2 corners"},
    {"off", "OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n", NULL, "f:4: coordinate expected, but the line ends"},
    {"off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 2 1 0\n", NULL,
     "f:7: end of the file after the last face expected, found '3'"},

    {"vtu", "", NULL, "f:1: the file ends before </VTKFile>"},
    {"vtu", "<html></html>", NULL, "f:1: <VTKFile> expected at the start"},
    {"vtu", "<VTKFile type=\"PolyData\">", NULL, "f:1: a VTKFile of type 'PolyData' is not supported"},
    {"vtu", "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">", NULL,
     "the compressor 'vtkLZ4DataCompressor' is not supported; vtkZLibDataCompressor is"},
    {"vtu", VTU "</VTKFile>", NULL, "the file has no tets and no triangles"},
    {"vtu", VTU "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"></Piece></VTKFile>", NULL,
     "the array 'Points' of piece 0 is missing"},
    {"vtu", VTU_POINTS("0 0 0 1 0 0 0 1 0") "</VTKFile>", NULL, "f:1: the array 'p' has 9 numbers; 12 are needed"},
    {"vtu", VTU_POINTS("0 0 0 1 0 0 0 1 0 0 0 x") "</VTKFile>", NULL, "finite number for number expected, found 'x'"},
    {"vtu", VTU_CELLS("0 1 2 4", "4", "10"), NULL, "cell 0 names point 4 of 4"},
    {"vtu", VTU_CELLS("0 1 2 3", "5", "10"), NULL, "the offset 5 of cell 0 is not possible"},
    {"vtu", VTU_CELLS("0 1 2 3", "3", "10"), NULL, "a tet has 3 nodes"},
    {"vtu", VTU_CELLS("0 1 2 3", "4", "12"), NULL, "cell type 12 is not supported"},

    {"vtk", "", NULL, "f:1: '# vtk DataFile Version ' expected at the start"},
    {"vtk", VTK "TEXT\n", NULL, "f:3: ASCII or BINARY expected, found 'TEXT'"},
    {"vtk", VTK "ASCII\nDATASET STRUCTURED_GRID\n", NULL, "f:4: DATASET STRUCTURED_GRID is not supported"},
    {"vtk", VTK_POINTS, NULL, "the file has no tets and no triangles"},
    {"vtk", VTK_POINTS "CELLS 1 5\n4 0 1 2 3\n", NULL, "CELL_TYPES expected, but the file ends"},
    {"vtk", VTK_POINTS "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", NULL, "node 4 does not exist"},
    {"vtk", VTK_POINTS "CELLS 1 5\n7 0 1 2 3\nCELL_TYPES 1\n10\n", NULL, "cell 0 does not fit"},
    {"vtk", VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n12\n", NULL, "cell type 12 is not supported"},
    {"vtk", VTK_POINTS "CELLS 2 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n", NULL, "1 cell types for 2 cells"},
    {"vtk", VTK_POINTS "CELLS 2 4\nOFFSETS int\n0 5\nCONNECTIVITY int\n0 1 2 3\n", NULL, "the offsets 0, 5 are not"},

    {"inp", "", NULL, "the file has no tets and no triangles"},
    {"inp", "1, 2\n", NULL, "f:1: keyword that begins with '*' expected, found '1'"},
    {"inp", INP "*ELEMENT, TYPE=C3D8\n", NULL, "f:6: elements of type 'C3D8' are not supported"},
    {"inp", INP "*ELEMENT\n", NULL, "f:6: elements of type '' are not supported"},
    {"inp", INP "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n", NULL, "element 1 has 3 nodes; C3D4 has 4"},
    {"inp", INP "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 5\n", NULL, "f:7: node 5 does not exist"},
    {"inp", INP "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n*NSET, NSET=a\n5\n", NULL, "f:9: node 5 does not exist"},
    {"inp", INP "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n*ELSET, ELSET=a\n5\n", NULL, "f:9: element 5 does not exist"},
    {"inp", INP "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n*NSET, NSET=a\nb\n", NULL, "f:9: there is no set 'b'"},
    {"inp", INP "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n*NSET\n1\n", NULL, "f:8: the set has no name"},
    {"inp", INP "*NSET, NSET=a, GENERATE\n1, 400, 1\n", NULL, "f:7: the range 1, 400, 1 is not possible"},
    {"inp", "*INCLUDE, INPUT=a.inp\n", NULL, "f:1: *INCLUDE is not supported"},
    {"inp", "*INSTANCE, NAME=a, PART=b\n1., 0., 0.\n", NULL, "f:2: an *INSTANCE that is moved is not supported"},
};

/* Each format of the list that reads has a row in the table. */
static void test_every_format(void **state) {
    (void)state;
    int formats;
    const sn_listing *format = sn_mesh_formats(&formats);
    for (int i = 0; i < formats; ++i) {
        bool found = !sn_mesh_format_reads(format[i].name);
        for (size_t k = 0; k < sizeof table / sizeof *table; ++k)
            found = found || strcmp(table[k].format, format[i].name) == 0;
        if (!found) fail_msg("no broken file of the format '%s' is tried", format[i].name);
    }
}

static void test_messages(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const broken *b = &table[i];
        const int64_t live = counted.live;
        sn_mesh *mesh = NULL;
        sn_error error = {0};
        const sn_status status = sn_mesh_read_memory(context, b->format, "f", b->text, strlen(b->text), b->extra,
                                                     b->extra ? strlen(b->extra) : 0, &mesh, &error);
        if (status != SN_BAD_INPUT || !strstr(error.text, b->message)) {
            print_error("case %d (%s): expected '%s', got status %d '%s'\n", (int)i, b->format, b->message, status,
                        error.text);
            ++wrong;
        }
        assert_null(mesh);
        assert_int_equal(counted.live, live);
    }
    assert_int_equal(wrong, 0);
}

/* ---- Good files, cut and damaged ---- */

typedef struct file {
    const char *format;
    char *data, *extra;
    size_t bytes, extra_bytes;
} file;

static char *slurp(const char *path, size_t *bytes) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*bytes + 1);
    assert_int_equal(fread(data, 1, *bytes, f), *bytes);
    fclose(f);
    return data;
}

enum { TEXT_FILES = 9, FILES = TEXT_FILES + 4 };

/* The hand-written samples, and binary ones written from them. */
static void collect(file list[FILES]) {
    static const char *const name[TEXT_FILES] = {"gmsh-2.2.msh", "gmsh-4.1.msh", "tetgen-0.node",
                                                 "medit.mesh",   "vega.veg",     "cube.obj",
                                                 "two.stl",      "quad.ply",     "colour.off"};
    char path[512];
    for (int i = 0; i < TEXT_FILES; ++i) {
        snprintf(path, sizeof path, "%s/mesh/%s", SN_TEST_DATA, name[i]);
        list[i] = (file){.format = strrchr(name[i], '.') + 1};
        list[i].data = slurp(path, &list[i].bytes);
    }
    snprintf(path, sizeof path, "%s/mesh/tetgen-0.ele", SN_TEST_DATA);
    list[2].extra = slurp(path, &list[2].extra_bytes);
    static const struct {
        const char *ending, *version;
        int source;
    } binary[4] = {{"msh", "2.2", 0}, {"msh", "4.1", 0}, {"stl", NULL, 5}, {"ply", NULL, 5}};
    for (int i = 0; i < 4; ++i) {
        const file *source = &list[binary[i].source];
        sn_mesh *mesh;
        assert_int_equal(
            sn_mesh_read_memory(context, source->format, "f", source->data, source->bytes, NULL, 0, &mesh, NULL),
            SN_OK);
        snprintf(path, sizeof path, "/tmp/sinew-broken-%d.%s", (int)getpid(), binary[i].ending);
        const sn_mesh_write_options options = write_as(true, binary[i].version);
        assert_int_equal(sn_mesh_write(mesh, path, &options, NULL), SN_OK);
        sn_mesh_destroy(mesh);
        list[TEXT_FILES + i] = (file){.format = binary[i].ending};
        list[TEXT_FILES + i].data = slurp(path, &list[TEXT_FILES + i].bytes);
        unlink(path);
    }
}

static void discard(file list[FILES]) {
    for (int i = 0; i < FILES; ++i) {
        free(list[i].data);
        free(list[i].extra);
    }
}

static sn_status try(const file *f, const char *data, size_t bytes) {
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    const sn_status status =
        sn_mesh_read_memory(context, f->format, "f", data, bytes, f->extra, f->extra_bytes, &mesh, &error);
    assert_true(status == SN_OK || (status == SN_BAD_INPUT && strncmp(error.text, "f:", 2) == 0));
    assert_true((status == SN_OK) == (mesh != NULL));
    sn_mesh_destroy(mesh);
    return status;
}

/* Where the first or last `mark` of a file ends. */
static size_t end_of_mark(const file *f, const char *mark, bool last) {
    const size_t length = strlen(mark);
    size_t end = 0;
    for (size_t i = 0; i + length <= f->bytes && (last || !end); ++i) {
        if (memcmp(f->data + i, mark, length) == 0) end = i + length;
    }
    assert_true(end > 0);
    return end;
}

/* A file cut before its mark is refused: what comes behind may be missing without a trace in the format. */
static void test_cuts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool last;
    } mark[FILES] = {
        {"$EndElements", true},   {"$EndElements", true}, {"1.5 2  1", true}, {"End", true},     {"2 2 3 4 5", true},
        {"4/1/1 3/1/1 2", false}, {"endsolid", false},    {"0 1", true},      {"3 3 0 4", true}, {"$EndElements", true},
        {"$EndElements", true},   {NULL, true},           {NULL, true}};
    file list[FILES];
    collect(list);
    for (int i = 0; i < FILES; ++i) {
        const size_t least = mark[i].text ? end_of_mark(&list[i], mark[i].text, mark[i].last) : list[i].bytes;
        assert_int_equal(try(&list[i], list[i].data, list[i].bytes), SN_OK);
        for (size_t cut = 0; cut < list[i].bytes; ++cut) {
            char *part = malloc(cut ? cut : 1); /* its own block, so that a sanitizer sees reads behind it */
            memcpy(part, list[i].data, cut);
            const sn_status status = try(&list[i], part, cut);
            if (status == SN_OK && cut < least)
                fail_msg("file %d (%s) cut at byte %d was accepted", i, list[i].format, (int)cut);
            free(part);
        }
    }
    discard(list);
}

static void test_damage(void **state) {
    (void)state;
    static const char change[] = {'-', '9', ' ', '\n', 'x', 0, (char)0xff, '$', '*', '#', '/', '"'};
    file list[FILES];
    collect(list);
    for (int i = 0; i < FILES; ++i) {
        for (size_t at = 0; at < list[i].bytes; ++at) {
            const char keep = list[i].data[at];
            for (size_t k = 0; k < sizeof change; ++k) {
                list[i].data[at] = change[k];
                try(&list[i], list[i].data, list[i].bytes);
            }
            list[i].data[at] = keep;
        }
    }
    assert_true(counted.live < 10);
    discard(list);
}

static void test_allocation_failures(void **state) {
    (void)state;
    file list[FILES];
    collect(list);
    for (int i = 0; i < FILES; ++i) {
        const int64_t live = counted.live;
        sn_status status = SN_NO_MEMORY;
        int n = 1;
        for (; status == SN_NO_MEMORY; ++n) {
            sn_mesh *mesh = NULL;
            sn_error error = {0};
            failing_allocator_arm(&counted, n);
            status = sn_mesh_read_memory(context, list[i].format, "f", list[i].data, list[i].bytes, list[i].extra,
                                         list[i].extra_bytes, &mesh, &error);
            failing_allocator_disarm(&counted);
            assert_int_equal(error.status, status);
            assert_true((status == SN_OK) == (mesh != NULL));
            sn_mesh_destroy(mesh);
            assert_int_equal(counted.live, live);
        }
        assert_int_equal(status, SN_OK);
        assert_true(n > 8);
    }
    discard(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
