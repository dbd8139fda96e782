// The same scene gives the same hash natively and in WebAssembly after 200 steps: node test/web/hash.mjs BUILD
// Laws with transcendental functions (log, exp, pow) may differ: the C libraries round these differently. So may scenes whose mesh or motion is made with
// sin and cos (sphere, tube, "turn"); they are listed and not counted.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Engine } from "../../web/engine.mjs";

const build = path.resolve(process.argv[2] ?? "build");
const steps = 200;
const wasmBinary = readFileSync(path.join(build, "web-parts/sinew.wasm"));
// The module's code for node expects these of CommonJS.
globalThis.require = createRequire(import.meta.url);
globalThis.__dirname = build;
process.setMaxListeners(0);

const sinew = (...words) => JSON.parse(execFileSync(path.join(build, "sinew"), words, { encoding: "utf8" }));
const listed = sinew("list", "--json");
const names = (kind, ...without) => listed[kind].map((entry) => entry.name).filter((name) => !without.includes(name));

// Methods that control their own steps by pow, or have cos in their constants.
const POWERS = ["dopri5", "dopri853", "rock2"];

// scene, overrides, must agree
const cases = [
  ["bar", {}, true],
  ["hanging-cube", {}, true],
  ["cantilever", {}, true],
  ["bar", { "bodies.0.material.law": "linear" }, true],
  ["bar", { "bodies.0.material.law": "corotated" }, true],
  ["bar", { "bodies.0.material.law": "corrected-corotated" }, true],
  ["bar", { "bodies.0.material.law": "stable-neo-hookean" }, true],
  ["bar", { "bodies.0.material.law": "neo-hookean" }, false],
  ["bar", { "bodies.0.material.law": "mooney-rivlin" }, false],
  ["bar", { "bodies.0.material.law": "ogden" }, false],
  ["bar", { "bodies.0.element": "tet10" }, true],
  ["bar", { "bodies.0.initial": { twist: 200 } }, false],
  ["flag", {}, true],
  ["twirling-skirt", {}, false],
  // Every preconditioner, solver and method takes part. The page lacks cholesky; mixed and the two imex need other bodies.
  ...names("preconditioners").map((name) => ["bar", { solver: { method: "cg", preconditioner: name, precision: "double" }, "bodies.0.mesh.refine": 1 }, true]),
  ...names("solvers", "cholesky", "mixed").map((name) => ["bar", { solver: { method: name } }, true]),
  ...names("methods", "imex-euler", "imex-midpoint").map((name) => ["bar", { solver: {}, time: { method: name, step: 5e-5 } }, !POWERS.includes(name)]),
];

function override(scene, changes) {
  const copy = JSON.parse(JSON.stringify(scene));
  for (const [key, value] of Object.entries(changes)) {
    const names = key.split(".");
    let at = copy;
    for (const name of names.slice(0, -1)) at = at[name] ??= {};
    at[names.at(-1)] = value;
  }
  return copy;
}

async function webHash(factory, threads, name, scene) {
  let hash, error;
  const engine = await Engine.create(factory, {
    threads,
    module: { wasmBinary },
    onmessage: (head) => {
      if (head.type === "hash") hash = head.hash;
      if (head.type === "error") error = head.text;
    },
  });
  engine.send({ do: "load", name, text: JSON.stringify(scene) });
  const began = performance.now();
  engine.send({ do: "advance", steps });
  const milliseconds = (performance.now() - began) / steps;
  engine.send({ do: "hash" });
  engine.destroy();
  if (error) throw new Error(`${name}: ${error}`);
  return { hash, milliseconds };
}

const { default: factory } = await import(path.join(build, "web-parts/sinew.mjs"));
let failed = 0;
for (const [name, changes, must] of cases) {
  const file = path.join("scenes", name + ".json");
  const scene = JSON.parse(readFileSync(file, "utf8"));
  const set = { ...changes, "time.end": steps * (changes.time?.step ?? scene.time.step ?? 0.01) };
  const words = Object.entries(set).flatMap(([key, value]) => ["--set", `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`]);
  const native = sinew("run", file, "--json", "--quiet", ...words);
  const web = await webHash(factory, 1, name, override(scene, set));
  const same = native.hash === web.hash && native.steps === steps;
  if (must && !same) ++failed;
  const label = [name, ...Object.values(changes).map((v) => (typeof v === "string" ? v : JSON.stringify(v)))].join(" ");
  console.log(
    `${same ? "same     " : must ? "DIFFERENT" : "different"} ${label.padEnd(32)} native ${native.hash} ${(1e3 * native.timing.per_step).toFixed(2)} ms/step, ` +
      `web ${web.hash} ${web.milliseconds.toFixed(2)} ms/step${must ? "" : "  (sin, cos, log or pow: need not agree)"}`
  );
}
console.log(failed ? `${failed} hashes differ that must not` : "all hashes that must agree do");
process.exit(failed ? 1 : 0);
