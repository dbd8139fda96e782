#!/usr/bin/env python3
"""The same bits from every build, any number of threads and every run.

usage: compare.py SINEW [SINEW...]      commands of several builds; the first is the reference

Each scene runs on 1, 2 and 4 threads in each build, and once more on 2 threads. Laws with transcendental functions and CHOLMOD rest on
libraries of the system, which the builds share.
"""
import json
import os
import subprocess
import sys
import tempfile

BEAM = {"box": {"size": [0.3, 0.3, 1], "cells": [7, 7, 21], "split": 5}}
LARGE = {"box": {"size": [0.3, 0.3, 1], "cells": [15, 15, 45], "split": 5}}
FIX = [{"select": {"box": [[-1, -1, -1], [9, 9, 1e-6]]}}]
GROUND = {"plane": {"point": [0, -0.05, 0], "normal": [0, 1, 0]}, "friction": 0.5}


def scene(law="corotated", mesh=BEAM, element="tet4", fix=FIX, steps=5, time=None, solver=None, colliders=(), more=None, **body):
    material = {"law": law, "young": 5e5, "poisson": 0.33, "density": 1000, **(more or {})}
    return {"sinew": 1, "time": {"step": 0.01, "end": 0.01 * steps, **(time or {})}, "solver": solver or {}, "colliders": list(colliders),
            "bodies": [{"mesh": mesh, "element": element, "material": material, "fix": fix, **body}]}


SCENES = {
    "corotated": scene(),
    "corotated-one-step": scene(time={"newton": {"kind": "one-step"}}),
    "block-jacobi": scene(solver={"method": "cg", "preconditioner": "block-jacobi"}),
    "assembly-free": scene(solver={"method": "cg", "preconditioner": "block-jacobi", "operator": "assembly-free"}, steps=2),
    "stable-neo-hookean": scene("stable-neo-hookean"),
    "ogden": scene("ogden", steps=2),
    "stvk-viscous": scene("stvk", more={"viscous": {"lambda": 100, "mu": 100}, "rayleigh": {"mass": 0.1, "stiffness": 1e-3}}, steps=3),
    "tet10": scene("stvk", {"box": {"size": [0.3, 0.3, 1], "cells": [3, 3, 9], "split": 6}}, "tet10", steps=3),
    "penalty": scene(mesh={"sphere": {"radius": 0.1, "cells": 6}, "move": [0, 0.06, 0]}, fix=[], steps=20, colliders=[GROUND], initial={"velocity": [1, -2, 0]}),
    "projection": scene(mesh={"sphere": {"radius": 0.1, "cells": 6}, "move": [0, 0.06, 0]}, fix=[], steps=20,
                        colliders=[{**GROUND, "response": "projection"}], initial={"velocity": [1, -2, 0]}),
    "scrambled": scene(mesh={"box": {"size": [0.3, 0.3, 0.3], "cells": [4, 4, 4], "split": 6}}, fix=[], initial={"scramble": 7}),
    "multigrid": scene(mesh=LARGE, solver={"method": "cg", "preconditioner": "multigrid"}, steps=2, time={"newton": {"kind": "one-step"}}),
    "multigrid-fingers": scene(mesh={"tube": {"radius": 0.1, "inner": 0.095, "length": 1, "cells": [48, 1, 60]}, "rotate": [1, 0, 0, 90]},
                               fix=[{"select": {"group": "y-"}}], solver={"method": "cg", "preconditioner": "multigrid"}, steps=2),
    "cholesky": scene(solver={"method": "cholesky"}, steps=3),
    "ldlt": scene(mesh={"box": {"size": [0.3, 0.3, 1], "cells": [3, 3, 10], "split": 5}}, solver={"method": "ldlt"}, steps=3),
    "static": scene("stvk", time={"mode": "static", "load_steps": 2}),
    "rosenbrock": scene("stvk", time={"method": "ros34pw2"}, steps=3),
    "bdf2-qmr": scene("neo-hookean", time={"method": "bdf2"}, solver={"method": "qmr", "preconditioner": "diagonal"}, steps=3),
    "verlet": scene("mooney-rivlin", time={"method": "verlet", "step": 1e-4, "end": 2e-3}),
}


def hash_of(sinew, path, threads):
    run = subprocess.run([sinew, "run", path, "--json", "--threads", str(threads)], capture_output=True, text=True)
    result = json.loads(run.stdout) if run.stdout else {"status": "none", "message": run.stderr}
    return result["hash"] if result["status"] == "ok" else f"{result['status']}: {result['message']}"


def main():
    builds = [os.path.abspath(s) for s in sys.argv[1:]]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, content in SCENES.items():
            path = f"{folder}/{name}.json"
            with open(path, "w") as f:
                json.dump(content, f)
            hashes = {}
            for build in builds:
                for threads in (1, 2, 4, 2):
                    hashes.setdefault(hash_of(build, path, threads), []).append(f"{os.path.relpath(build)} on {threads}")
            good = len(hashes) == 1 and ":" not in next(iter(hashes))
            failed += not good
            print(f"  {'ok  ' if good else 'FAIL'} {name:20s} {next(iter(hashes))}", flush=True)
            for value, where in hashes.items() if not good else ():
                print(f"         {value}  {', '.join(where)}")
    print(f"{len(SCENES) - failed} of {len(SCENES)} scenes have one hash over {len(builds)} builds, threads and runs")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
