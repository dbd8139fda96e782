#!/usr/bin/env python3
"""Statics beside CalculiX on the same tet4 mesh: displacements of every node, compared to 1e-6 of the largest.

usage: compare.py SINEW [FOLDER]

CalculiX: *ELASTIC without NLGEOM is the law `linear`, with NLGEOM `stvk`; *HYPERELASTIC MOONEY-RIVLIN is C10 (J^-2/3 I1 - 3) + C01 (J^-4/3 I2 - 3)
+ (J-1)^2/D1, C01 = 0 the isochoric neo-Hookean. It prints seven digits.
"""
import json
import math
import os
import subprocess
import sys

CELLS = (5, 3, 3)
SIZE = (0.5, 0.3, 0.3)
TOLERANCE = 1e-6
BEND = [300, -2500, 150]  # Pa on the top face


def read_mesh(path):
    """Nodes and tets of a Gmsh 2.2 ASCII file."""
    nodes, tets = {}, []
    with open(path) as file:
        lines = iter(file)
        for line in lines:
            if line.startswith("$Nodes"):
                for _ in range(int(next(lines))):
                    word = next(lines).split()
                    nodes[int(word[0])] = tuple(map(float, word[1:4]))
            elif line.startswith("$Elements"):
                for _ in range(int(next(lines))):
                    word = list(map(int, next(lines).split()))
                    if word[1] == 4:
                        tets.append(word[3 + word[2]:])
    return nodes, tets


def top_face_forces(nodes, tets, traction):
    """A dead traction on the faces at y = top, a third of each face's share to each of its nodes."""
    force = {}
    for tet in tets:
        for skip in range(4):
            face = [n for k, n in enumerate(tet) if k != skip]
            if not all(abs(nodes[n][1] - SIZE[1]) < 1e-9 for n in face):
                continue
            a, b, c = (nodes[n] for n in face)
            u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
            cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
            area = 0.5 * math.sqrt(sum(x * x for x in cross))
            for n in face:
                old = force.get(n, (0, 0, 0))
                force[n] = tuple(o + t * area / 3 for o, t in zip(old, traction))
    return force


def run_calculix(folder, name, nodes, tets, case):
    material = case["calculix"]
    nonlinear = case["nonlinear"]
    left = [n for n, p in nodes.items() if p[0] < 1e-9]
    right = [n for n, p in nodes.items() if p[0] > SIZE[0] - 1e-9] if case["pull"] else []
    with open(f"{folder}/{name}.inp", "w") as f:
        f.write("*NODE, NSET=NALL\n" + "".join(f"{n}, {p[0]:.17g}, {p[1]:.17g}, {p[2]:.17g}\n" for n, p in nodes.items()))
        f.write("*ELEMENT, TYPE=C3D4, ELSET=EALL\n" + "".join(f"{i + 1}, " + ", ".join(map(str, t)) + "\n" for i, t in enumerate(tets)))
        f.write(f"*MATERIAL, NAME=M\n{material}\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n")
        f.write("*BOUNDARY\n" + "".join(f"{n}, 1, 3, 0\n" for n in left))
        f.write("*STEP, NLGEOM, INC=1000\n*STATIC, DIRECT\n0.1, 1.\n" if nonlinear else "*STEP\n*STATIC\n")
        if nonlinear:  # residual relative to the average force, correction relative to the largest increment
            f.write("*CONTROLS, PARAMETERS=FIELD\n1e-9, 1e-9, , , 1e-9, 1e-9\n*CONTROLS, PARAMETERS=TIME INCREMENTATION\n20, 20, 20, 60, 20, 4, , 20, , \n")
        if right:
            f.write("*BOUNDARY\n" + "".join(f"{n}, {a + 1}, {a + 1}, {case['pull'][a]}\n" for n in right for a in range(3)))
        forces = top_face_forces(nodes, tets, case["traction"])
        f.write("*CLOAD\n" + "".join(f"{n}, {a + 1}, {v[a]:.17g}\n" for n, v in forces.items() for a in range(3) if v[a]))
        f.write("*NODE PRINT, NSET=NALL, FREQUENCY=1000\nU\n*END STEP\n")
    log = subprocess.run(["ccx", name], cwd=folder, capture_output=True, text=True)
    displacement = {}
    with open(f"{folder}/{name}.dat") as f:
        for line in f:
            word = line.split()
            if len(word) == 4 and word[0].isdigit():
                displacement[int(word[0])] = tuple(map(float, word[1:]))
    if len(displacement) != len(nodes):
        sys.exit(f"CalculiX gave no result for {name}:\n{log.stdout[-2000:]}")
    return displacement


def run_sinew(sinew, folder, name, nodes, case):
    left = {"box": [[-1, -1, -1], [1e-9, 9, 9]]}
    right = {"box": [[SIZE[0] - 1e-9, -1, -1], [9, 9, 9]]}
    fix = [{"select": left}]
    if case["pull"]:
        fix.append({"select": right, "displacement": case["pull"]})
    scene = {
        "sinew": 1, "gravity": [0, 0, 0],
        "time": {"mode": "static", "load_steps": 10, "newton": {"iterations": 40, "tolerance": 1e-10}},
        "solver": {"tolerance": 1e-11},
        "bodies": [{"mesh": {"file": "mesh.msh"}, "material": case["sinew"], "fix": fix,
                    "loads": [{"select": {"normal": [0, 1, 0]}, "traction": case["traction"]}]}],
        "probes": [{"name": str(n), "node": n, "quantity": "displacement"} for n in nodes],
    }
    path = f"{folder}/{name}.json"
    with open(path, "w") as f:
        json.dump(scene, f)
    result = json.loads(subprocess.run([sinew, "run", path, "--json"], capture_output=True, text=True).stdout)
    if result["status"] != "ok":
        sys.exit(f"sinew: {name}: {result['message']}")
    return {int(n): v for n, v in result["probes"].items()}


def main():
    sinew = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else "out/calculix"
    os.makedirs(folder, exist_ok=True)
    box = f"box:size={','.join(map(str, SIZE))}:cells={','.join(map(str, CELLS))}:split=6"
    subprocess.run([sinew, "mesh", box, "-o", f"{folder}/mesh.msh", "--version-of", "2.2", "--ascii"], check=True, stdout=subprocess.DEVNULL)
    nodes, tets = read_mesh(f"{folder}/mesh.msh")
    young, poisson = 1e5, 0.3
    elastic = f"*ELASTIC\n{young}, {poisson}"
    hyper = lambda c10, c01, d1: f"*HYPERELASTIC, MOONEY-RIVLIN\n{c10}, {c01}, {d1}"
    pull, none = [0.12, 0.03, -0.02], [0, 0, 0]
    cases = [
        ("linear-bend", {"nonlinear": False, "calculix": elastic, "sinew": {"law": "linear", "young": young, "poisson": poisson}, "pull": None, "traction": BEND}),
        ("linear-pull", {"nonlinear": False, "calculix": elastic, "sinew": {"law": "linear", "young": young, "poisson": poisson}, "pull": pull, "traction": none}),
        ("stvk-bend", {"nonlinear": True, "calculix": elastic, "sinew": {"law": "stvk", "young": young, "poisson": poisson}, "pull": None, "traction": BEND}),
        ("stvk-pull", {"nonlinear": True, "calculix": elastic, "sinew": {"law": "stvk", "young": young, "poisson": poisson}, "pull": pull, "traction": none}),
    ]
    for c01, label in ((0.0, "neo-hookean-isochoric"), (4000.0, "mooney-rivlin")):
        for pulled in (False, True):
            cases.append((f"{label}-{'pull' if pulled else 'bend'}", {
                "nonlinear": True, "calculix": hyper(16000.0, c01, 2.4e-5), "sinew": {"law": "mooney-rivlin", "c10": 16000.0, "c01": c01, "d1": 2.4e-5},
                "pull": pull if pulled else None, "traction": none if pulled else BEND}))
    failed = 0
    print(f"{len(nodes)} nodes, {len(tets)} tets; largest difference of a displacement relative to the largest displacement")
    for name, case in cases:
        theirs = run_calculix(folder, name, nodes, tets, case)
        ours = run_sinew(sinew, folder, name, nodes, case)
        largest = max(abs(v) for u in theirs.values() for v in u)
        difference = max(abs(a - b) for n in nodes for a, b in zip(ours[n], theirs[n])) / largest
        good = difference <= TOLERANCE
        failed += not good
        print(f"  {'ok  ' if good else 'FAIL'} {name:28s} {difference:.2e}   (largest displacement {largest:.4g} m)")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
