#!/usr/bin/env python3
"""Statics beside CalculiX on the same mesh and element: displacements of every node, compared to 1e-6 of the largest.

usage: compare.py SINEW [FOLDER [NAME...]]     NAME: only cases whose name contains one of these

CalculiX: *ELASTIC without NLGEOM is the law `linear`, with NLGEOM `stvk` (with engineering constants `orthotropic-green`); *HYPERELASTIC is
C10 (J^-2/3 I1 - 3) + C01 (J^-4/3 I2 - 3) + (J-1)^2/D1 and its relatives; C3D4 is `tet4`, C3D10 `tet10` with four points. A pressure on a face
follows it under NLGEOM. It prints seven digits.
"""
import json
import math
import os
import subprocess
import sys

TOLERANCE = 1e-6
BOX = "box:size=0.5,0.3,0.3:cells=5,3,3:split=6"
COARSE = "box:size=0.5,0.3,0.3:cells=4,2,2:split=6"
LEFT = {"box": [[-1, -1, -1], [1e-9, 9, 9]]}
RIGHT = {"box": [[0.5 - 1e-9, -1, -1], [9, 9, 9]]}
TOP = {"box": [[-1, 0.3 - 1e-9, -1], [9, 9, 9]]}
LOW = {"box": [[-9, -9, -9], [9, -0.06, 9]]}  # of bodies about the origin
HIGH = {"box": [[-9, 0.06, -9], [9, 9, 9]]}
HOLD = [{"select": LEFT}]
BEND = [{"select": TOP, "traction": [300, -2500, 150]}]
PULL = HOLD + [{"select": RIGHT, "displacement": [0.12, 0.03, -0.02]}]

# ---- Meshes ----


def read_mesh(path):
    """Nodes and tets of a Gmsh 2.2 ASCII file; tets of ten nodes in the order of CalculiX, whose last two mid-edge nodes are the other way round."""
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
                    tet = word[3 + word[2]:]
                    if word[1] == 4:
                        tets.append(tet)
                    elif word[1] == 11:
                        tets.append(tet[:8] + [tet[9], tet[8]])
    return nodes, tets


# Faces of CalculiX by corners; then the places of the mid-edge nodes between them.
FACES = ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0))
EDGES = {(0, 1): 4, (1, 2): 5, (0, 2): 6, (0, 3): 7, (1, 3): 8, (2, 3): 9}


def boundary_faces(tets):
    """(element, face number, corner nodes, mid-edge nodes) of faces that belong to one tet alone."""
    seen = {}
    for e, tet in enumerate(tets):
        for f, face in enumerate(FACES):
            seen.setdefault(tuple(sorted(tet[k] for k in face)), []).append((e, f))
    result = []
    for owners in seen.values():
        if len(owners) > 1:
            continue
        e, f = owners[0]
        corner, tet = FACES[f], tets[e]
        mid = [tet[EDGES[tuple(sorted((corner[i], corner[(i + 1) % 3])))]] for i in range(3)] if len(tet) == 10 else []
        result.append((e, f, [tet[k] for k in corner], mid))
    return result


def inside(select, p):
    return all(a <= x <= b for a, x, b in zip(select["box"][0], p, select["box"][1]))


def normal_and_area(nodes, corner):
    a, b, c = (nodes[n] for n in corner)
    u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
    cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    length = math.sqrt(sum(x * x for x in cross))
    return [-x / length for x in cross], 0.5 * length  # FACES turn inwards: outward normal


# ---- CalculiX ----


def dead_forces(nodes, faces, load):
    """Consistent forces of a constant traction on straight faces: a third of a face to each corner, or to each mid-edge node of a quadratic face."""
    force = {}
    for _, _, corner, mid in faces:
        normal, area = normal_and_area(nodes, corner)
        traction = load["traction"] if "traction" in load else [-load["pressure"] * x for x in normal]
        for n in mid or corner:
            old = force.get(n, (0, 0, 0))
            force[n] = tuple(o + t * area / 3 for o, t in zip(old, traction))
    return force


def write_loads(f, nodes, tets, case):
    surface = boundary_faces(tets)
    for load in case["loads"]:
        faces = [x for x in surface if all(inside(load["select"], nodes[n]) for n in x[2])]
        if load.get("follow"):
            f.write("*DLOAD\n" + "".join(f"{e + 1}, P{k + 1}, {load['pressure']}\n" for e, k, _, _ in faces))
        else:
            forces = dead_forces(nodes, faces, load)
            f.write("*CLOAD\n" + "".join(f"{n}, {a + 1}, {v[a]:.13g}\n" for n, v in forces.items() for a in range(3) if v[a]))
    if any(case["gravity"]):
        size = math.sqrt(sum(g * g for g in case["gravity"]))
        f.write(f"*DLOAD\nEALL, GRAV, {size:.13g}, " + ", ".join(f"{g / size:.13g}" for g in case["gravity"]) + "\n")


def run_calculix(folder, name, nodes, tets, case):
    element = "C3D10" if len(tets[0]) == 10 else "C3D4"
    orientation = ", ORIENTATION=AXES" if "*ORIENTATION" in case["calculix"] else ""
    with open(f"{folder}/{name}.inp", "w") as f:
        f.write("*NODE, NSET=NALL\n" + "".join(f"{n}, {p[0]:.13g}, {p[1]:.13g}, {p[2]:.13g}\n" for n, p in nodes.items()))
        f.write(f"*ELEMENT, TYPE={element}, ELSET=EALL\n" + "".join(f"{i + 1}, " + ", ".join(map(str, t)) + "\n" for i, t in enumerate(tets)))
        f.write(f"*MATERIAL, NAME=M\n{case['calculix']}\n*DENSITY\n1000.\n" if not orientation else
                case["calculix"].replace("*ELASTIC", "*MATERIAL, NAME=M\n*ELASTIC") + "\n*DENSITY\n1000.\n")
        f.write(f"*SOLID SECTION, ELSET=EALL, MATERIAL=M{orientation}\n")
        follows = any(load.get("follow") for load in case["loads"])  # its following pressure is right to first order in the increment only
        f.write(f"*STEP, NLGEOM, INC=1000\n*STATIC, DIRECT\n{0.02 if follows else 0.1}, 1.\n" if case["nonlinear"] else "*STEP\n*STATIC\n")
        if case["nonlinear"]:  # residual relative to the average force, correction relative to the largest increment
            tight = "1e-5" if "OGDEN" in case["calculix"] else "1e-9"  # its principal stretches leave noise in the residual
            f.write(f"*CONTROLS, PARAMETERS=FIELD\n{tight}, 1e-9, , , {tight}, 1e-9\n*CONTROLS, PARAMETERS=TIME INCREMENTATION\n20, 20, 20, 60, 20, 4, , 20, , \n")
        f.write("*BOUNDARY\n")
        for fix in case["fix"]:
            move = fix.get("displacement", (0, 0, 0))
            axes = ["xyz".index(a) for a in fix.get("axes", "xyz")]
            f.write("".join(f"{n}, {a + 1}, {a + 1}, {move[a]}\n" for n, p in nodes.items() if inside(fix["select"], p) for a in axes))
        write_loads(f, nodes, tets, case)
        f.write("*NODE PRINT, NSET=NALL, FREQUENCY=1000\nU\n*END STEP\n")
    log = subprocess.run(["ccx", name], cwd=folder, capture_output=True, text=True)
    displacement = {}
    with open(f"{folder}/{name}.dat") as f:
        for line in f:
            word = line.split()
            if len(word) == 4 and word[0].isdigit():
                displacement[int(word[0])] = tuple(map(float, word[1:]))
    if len(displacement) != len(nodes):
        print(log.stdout[-600:])
        return None
    return displacement


# ---- Sinew ----


def run_sinew(sinew, folder, name, nodes, mesh, case):
    body = {"mesh": {"file": mesh}, "element": case["element"], "material": {"density": 1000, **case["sinew"]}, "fix": case["fix"], "loads": case["loads"]}
    if case["element"] == "tet10":  # weight as CalculiX spreads it
        body["mass"] = "consistent"
    scene = {
        "sinew": 1, "gravity": case["gravity"],
        "time": {"mode": "static", "load_steps": 10, "newton": {"iterations": 40, "tolerance": 1e-10}},
        "solver": {"tolerance": 1e-11, "iterations": 20000}, "bodies": [body],
        "probes": [{"name": str(n), "node": n, "quantity": "displacement"} for n in nodes],
    }
    path = f"{folder}/{name}.json"
    with open(path, "w") as f:
        json.dump(scene, f)
    run = subprocess.run([sinew, "run", path, "--json"], capture_output=True, text=True)
    result = json.loads(run.stdout)
    if result["status"] != "ok":
        print(result["message"])
        return None
    return {int(n): v for n, v in result["probes"].items()}


# ---- Cases ----


def case(calculix, sinew, nonlinear=True, mesh=BOX, element="tet4", fix=HOLD, loads=(), gravity=(0, 0, 0)):
    return {"calculix": calculix, "sinew": sinew, "nonlinear": nonlinear, "mesh": mesh, "element": element, "fix": fix, "loads": list(loads), "gravity": list(gravity)}


def elastic(law, young=1e5, poisson=0.3):
    return (f"*ELASTIC\n{young}, {poisson}", {"law": law, "young": young, "poisson": poisson})


def mooney(c10=16000.0, c01=4000.0, d1=2.4e-5):
    return (f"*HYPERELASTIC, MOONEY-RIVLIN\n{c10}, {c01}, {d1}", {"law": "mooney-rivlin", "c10": c10, "c01": c01, "d1": d1})


def ogden(d1=2.4e-5):
    return (f"*HYPERELASTIC, OGDEN, N=2\n30000., 1.6, 4000., 5., {d1}, 1e30", {"law": "ogden", "mu": [30000, 4000], "alpha": [1.6, 5], "d1": d1})


def polynomial(d1=2.4e-5):
    return (f"*HYPERELASTIC, REDUCED POLYNOMIAL, N=3\n16000., 3000., 500., {d1}, 1e30, 1e30",
            {"law": "reduced-polynomial", "c": [16000, 3000, 500], "d1": d1})


def orthotropic(turned):
    """Ratios nu_xy, nu_yz, nu_zx of the scene; CalculiX wants nu_12, nu_13, nu_23, and nu_xz / E_x = nu_zx / E_z."""
    young, ratio, shear = [1e5, 3e5, 6e4], [0.2, 0.3, 0.15], [5e4, 6e4, 3e4]
    text = f"*ELASTIC, TYPE=ENGINEERING CONSTANTS\n{young[0]}, {young[1]}, {young[2]}, {ratio[0]}, {ratio[2] * young[0] / young[2]}, {ratio[1]}, {shear[0]}, {shear[2]}\n{shear[1]}"
    material = {"law": "orthotropic-green", "young": young, "poisson": ratio, "shear": shear}
    if turned:
        c, s = math.cos(0.5), math.sin(0.5)
        first, second = [c, s, 0], [-s * 0.8, c * 0.8, 0.6]
        third = [first[1] * second[2] - first[2] * second[1], first[2] * second[0] - first[0] * second[2], first[0] * second[1] - first[1] * second[0]]
        text = "*ORIENTATION, NAME=AXES\n" + ", ".join(f"{x:.13g}" for x in first + second) + "\n" + text
        material["axes"] = first + second + third
    return text, material


def cases():
    all_cases = {}
    for label, material, nonlinear in (("linear", elastic("linear"), False), ("stvk", elastic("stvk"), True),
                                       ("neo-hookean-isochoric", mooney(c01=0.0), True), ("mooney-rivlin", mooney(), True),
                                       ("ogden", ogden(), True), ("reduced-polynomial", polynomial(), True),
                                       ("orthotropic-green", orthotropic(False), True), ("orthotropic-green-turned", orthotropic(True), True)):
        for element, mesh in (("tet4", BOX), ("tet10", COARSE)):
            all_cases[f"{label}-bend-{element}"] = case(*material, nonlinear, mesh, element, HOLD, BEND)
            all_cases[f"{label}-pull-{element}"] = case(*material, nonlinear, mesh, element, PULL)
    # Nearly incompressible, weight, other shapes, pressures.
    crush = HOLD + [{"select": RIGHT, "displacement": [-0.2, 0, 0]}]
    ball, rod, pipe = "sphere:radius=0.1:cells=4", "cylinder:radius=0.05:length=0.2:cells=3,8", "tube:radius=0.06:inner=0.04:length=0.2:cells=16,2,6"
    foot = [{"select": {"box": [[-9, -9, -9], [9, 1e-9, 9]]}}]
    whole = {"box": [[-9, -9, -9], [9, 9, 9]]}
    for element in ("tet4", "tet10"):
        mesh = BOX if element == "tet4" else COARSE
        for poisson in (0.45, 0.49):
            all_cases[f"linear-nu-{poisson}-{element}"] = case(*elastic("linear", poisson=poisson), False, mesh, element, HOLD, BEND)
            all_cases[f"stvk-nu-{poisson}-{element}"] = case(*elastic("stvk", poisson=poisson), True, mesh, element, HOLD, BEND)
        all_cases[f"linear-weight-{element}"] = case(*elastic("linear"), False, mesh, element, HOLD, gravity=(1, -9.81, 2))
        all_cases[f"stvk-weight-{element}"] = case(*elastic("stvk", 3e4), True, mesh, element, HOLD, gravity=(1, -9.81, 2))
        all_cases[f"neo-hookean-crush-{element}"] = case(*mooney(c01=0.0), True, mesh, element, crush)
        all_cases[f"ogden-crush-{element}"] = case(*ogden(), True, mesh, element, crush)
        squeeze = [{"select": LOW}, {"select": HIGH, "displacement": [0.01, -0.03, 0]}]
        all_cases[f"sphere-squeezed-{element}"] = case(*mooney(), True, ball, element, squeeze)
        all_cases[f"cylinder-weight-{element}"] = case(*elastic("stvk", 3e4), True, rod, element, foot, gravity=(4, 0, 1))
        wall = {"box": [[-9, 1e-9, -9], [9, 0.2 - 1e-9, 9]]}
        for follow in (False, True):
            pressed = [{"select": whole, "pressure": 400, "follow": follow}]
            all_cases[f"tube-pressed-{'follow' if follow else 'dead'}-{element}"] = case(*mooney(), True, pipe, element, foot, pressed)
            pressed = [{"select": TOP, "pressure": 1500, "follow": follow}]
            all_cases[f"stvk-pressed-{'follow' if follow else 'dead'}-{element}"] = case(*elastic("stvk"), True, mesh, element, HOLD, pressed)
    return all_cases


def make_mesh(sinew, folder, c):
    """The mesh as Gmsh 2.2 text under a name of its own; a tet10 mesh with straight edges."""
    name = "".join(x if x.isalnum() else "-" for x in os.path.basename(c["mesh"])) + f"-{c['element']}.msh"
    order = "2" if c["element"] == "tet10" else "1"
    subprocess.run([sinew, "mesh", c["mesh"], "-o", f"{folder}/{name}", "--order", order, "--version-of", "2.2", "--ascii"], check=True, stdout=subprocess.DEVNULL)
    return name


def main():
    sinew = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else "out/calculix"
    os.makedirs(folder, exist_ok=True)
    failed = ran = 0
    print("largest difference of a displacement relative to the largest displacement")
    for name, c in cases().items():
        if len(sys.argv) > 3 and not any(word in name for word in sys.argv[3:]):
            continue
        mesh = make_mesh(sinew, folder, c)
        nodes, tets = read_mesh(f"{folder}/{mesh}")
        theirs = run_calculix(folder, name, nodes, tets, c)
        ours = run_sinew(sinew, folder, name, nodes, mesh, c)
        ran += 1
        if not theirs or not ours:
            print(f"  FAIL {name}: no result of {'sinew' if theirs else 'CalculiX'}")
            failed += 1
            continue
        largest = max(abs(v) for u in theirs.values() for v in u)
        difference = max(abs(a - b) for n in nodes for a, b in zip(ours[n], theirs[n])) / largest
        # Following pressure on quadratic faces: CalculiX takes three points, sinew the six that are exact.
        coarse = c["element"] == "tet10" and any(load.get("follow") for load in c["loads"])
        good = difference <= (1e-5 if coarse else TOLERANCE)
        failed += not good
        print(f"  {'ok  ' if good else 'FAIL'} {name:34s} {difference:.2e}   ({len(tets)} elements, largest displacement {largest:.4g} m)", flush=True)
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
