#!/usr/bin/env python3
"""Other programs beside Sinew: VTK and meshio read the VTU files of a run, and Sinew reads the files that they write.

usage: readers.py SINEW     Exit 77 (skipped) without meshio and VTK (Debian: python3-meshio, python3-vtk9).
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import meshio
    import numpy
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

SCENE = {"time": {"step": 0.01, "end": 0.05},
         "bodies": [{"name": "a--b <&>", "mesh": {"box": {"cells": [2, 2, 2]}},
                     "material": [{"young": 1e5}, {"young": 1e6, "select": {"box": [[0.5, -1, -1], [9, 9, 9]]}}]},
                    {"name": "quadratic", "mesh": {"box": {"cells": [1, 1, 1]}, "move": [3, 0, 0]}, "element": "tet10"}],
         "output": {"every": 5, "formats": ["vtu"]}}
wrong = []


def check(what, found, expected):
    if found != expected:
        wrong.append(what)
        print(f"{what}: {found}, expected {expected}")


def check_results(sinew, folder):
    scene = os.path.join(folder, "two.json")
    with open(scene, "w") as file:
        json.dump(SCENE, file)
    subprocess.run([sinew, "run", scene, "--quiet", "--out", folder], check=True)
    path = os.path.join(folder, "two-00001.vtu")
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    body = vtk_to_numpy(grid.GetCellData().GetArray("body"))
    labels = vtk_to_numpy(grid.GetPointData().GetArray("node_label"))
    points = vtk_to_numpy(grid.GetPoints().GetData())
    moved = vtk_to_numpy(grid.GetPointData().GetArray("displacement"))
    check("VTK: cells", (grid.GetNumberOfPoints(), grid.GetNumberOfCells()), (27 + 27, 48 + 6))
    check("VTK: cells of each body", numpy.bincount(body).tolist(), [48, 6])
    check("VTK: materials", numpy.bincount(vtk_to_numpy(grid.GetCellData().GetArray("material"))).tolist(), [30, 24])
    check("VTK: labels are unique", len(set(labels.tolist())), 54)
    check("VTK: points are deformed", vtk_to_numpy(grid.GetFieldData().GetArray("points_are_deformed")).tolist(), [1])
    check("VTK: rest shape", bool(abs((points - moved)[:27].max(0) - 1).max() < 1e-12), True)
    check("VTK: the bodies fell", bool(moved[:, 1].max() < -1e-3), True)
    mesh = meshio.read(path)
    check("meshio: cells", {c.type: len(c.data) for c in mesh.cells}, {"tetra": 48, "tetra10": 6})
    check("meshio: bodies", [sorted(set(b.tolist())) for b in mesh.cell_data["body"]], [[0], [1]])
    check("meshio: points", bool((mesh.points == points).all()), True)


def report(sinew, path):
    out = subprocess.run([sinew, "mesh", path, "--json"], stdout=subprocess.PIPE, check=False)
    if out.returncode:
        return None
    r = json.loads(out.stdout)
    groups = sorted((g["name"], g["count"]) for g in r["groups"])
    return r["nodes"], r["tets"], r["tet_nodes"], round(r["volume"], 9), groups


def check_conversions(sinew, folder, order, expected):
    base = os.path.join(folder, "box.msh")
    subprocess.run([sinew, "mesh", "box:cells=2,1,1", "--order", str(order), "-o", base, "--version-of", "2.2"], check=True,
                   stdout=subprocess.DEVNULL)
    tets = [c for c in meshio.read(base).cells if c.type.startswith("tetra")]
    mesh = meshio.Mesh(meshio.read(base).points, [(c.type, c.data) for c in tets],
                       cell_data={"part": [numpy.arange(len(c.data)) % 2 for c in tets]})
    groups = [("part-0", 6), ("part-1", 6)]
    for name, options in (("zlib.vtu", {}), ("plain.vtu", {"compression": None}), ("text.vtu", {"binary": False}),
                          ("5.vtk", {}), ("5t.vtk", {"binary": False}), ("4.vtk", {"file_format": "vtk42"}),
                          ("4t.vtk", {"file_format": "vtk42", "binary": False})):
        path = os.path.join(folder, name)
        meshio.write(path, mesh, **options)
        check(f"from meshio: {name} of order {order}", report(sinew, path), expected + (groups,))
    path = os.path.join(folder, "a.inp")
    meshio.write(path, meshio.Mesh(mesh.points, mesh.cells))
    check(f"from meshio: a.inp of order {order}", report(sinew, path), expected + ([],))
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(os.path.join(folder, "zlib.vtu"))
    reader.Update()
    for mode in ("Ascii", "Binary", "Appended"):
        for compressor in ("None", "ZLib"):
            for byte_order in ("LittleEndian", "BigEndian"):
                for raw in (0, 1):
                    writer = vtk.vtkXMLUnstructuredGridWriter()
                    path = os.path.join(folder, "v.vtu")
                    writer.SetFileName(path)
                    writer.SetInputData(reader.GetOutput())
                    getattr(writer, "SetDataModeTo" + mode)()
                    getattr(writer, "SetCompressorTypeTo" + compressor)()
                    getattr(writer, "SetByteOrderTo" + byte_order)()
                    (writer.SetHeaderTypeToUInt64 if raw else writer.SetHeaderTypeToUInt32)()
                    (writer.EncodeAppendedDataOff if raw else writer.EncodeAppendedDataOn)()
                    writer.Write()
                    check(f"from VTK: {mode} {compressor} {byte_order} {raw}", report(sinew, path), expected + (groups,))


with tempfile.TemporaryDirectory() as scratch:
    check_results(sys.argv[1], scratch)
    check_conversions(sys.argv[1], scratch, 1, (12, 12, 4, 1.0))
    check_conversions(sys.argv[1], scratch, 2, (45, 12, 10, 1.0))
print("all read" if not wrong else f"{len(wrong)} wrong")
sys.exit(1 if wrong else 0)
