// What the engines in node share: node peer_NAME.mjs MODULES SCENE.json FRAMES STEP
//
// MODULES is the folder node_modules. FRAMES gets the nodes at the times of the scene's frames as doubles. Standard output gets one line: the processor time and
// the real time of the steps in seconds.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, scenePath, framesPath, stepText] = process.argv.slice(2);
export const scene = JSON.parse(fs.readFileSync(scenePath, 'utf8'));
export const step = Number(stepText);

export function load(file) { return import(pathToFileURL(path.resolve(modules, file))); }

// advance() takes one step; positions() gives all nodes, three numbers each.
export function run(advance, positions) {
  const frames = Math.round(scene.seconds / scene.frame), steps = Math.round(scene.frame / step);
  const numbers = 3 * scene.nodes * (scene.bodies ?? 1);
  const kept = new Float64Array(frames * numbers);
  let processor = 0, real = 0;
  for (let frame = 0; frame < frames; ++frame) {
    const used = process.cpuUsage(), begin = performance.now();
    for (let i = 0; i < steps; ++i) advance();
    real += (performance.now() - begin) / 1e3;
    const { user, system } = process.cpuUsage(used);
    processor += (user + system) / 1e6;
    kept.set(positions(), frame * numbers);
  }
  fs.writeFileSync(framesPath, Buffer.from(kept.buffer));
  console.log(`${processor} ${real}`);
}

// The body of a vertex in MuJoCo: three slide joints.
export function nodeXml(name, position, mass) {
  const inertia = Array(3).fill(1e-3 * mass).join(' '); // has no effect: the joints only slide
  return `<body name="${name}" pos="${position.join(' ')}"><inertial pos="0 0 0" mass="${mass}" diaginertia="${inertia}"/>` +
    '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/></body>';
}

export async function loadMujoco(xml) {
  const { default: start } = await load('@mujoco/mujoco/mujoco.js');
  const mujoco = await start();
  const model = mujoco.MjModel.from_xml_string(xml);
  return { mujoco, model, data: new mujoco.MjData(model) };
}
