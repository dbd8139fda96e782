// MuJoCo's flex on a scene of bench_touch: node peer_mujoco.mjs MODULES SCENE.json FRAMES STEP
//
// MODULES is the folder node_modules with @mujoco/mujoco. FRAMES gets the nodes at the times of the scene's frames as doubles. Standard output gets one line:
// the processor time and the real time of the steps in seconds.
//
// Each node is a body with three slide joints and the mass of the scene; a flex joins them with MuJoCo's elasticity. The integrator `discrete` is the one that
// takes the elasticity implicitly; solver and tolerance are those of MuJoCo's own flex models. Contact goes through its constraint solver: the other way, passive
// contact, knows no friction. MuJoCo keeps at most 50 contacts for each pair of bodies.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, scenePath, framesPath, stepText] = process.argv.slice(2);
const scene = JSON.parse(fs.readFileSync(scenePath, 'utf8'));
const step = Number(stepText);
const radius = 0.002; // m: thickness of the surfaces, half of Bullet's margin, on each side

function nodeName(body, node) { return `node-${body}-${node}`; }

function nodeXml(body, node) {
  const at = 3 * (body * scene.nodes + node);
  const mass = scene.mass[node];
  const inertia = Array(3).fill(1e-3 * mass).join(' '); // has no effect: the joints only slide
  return `<body name="${nodeName(body, node)}" pos="${scene.position.slice(at, at + 3).join(' ')}">` +
    `<inertial pos="0 0 0" mass="${mass}" diaginertia="${inertia}"/>` +
    '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/></body>';
}

function flexXml(body) {
  const names = Array.from({ length: scene.nodes }, (_, node) => nodeName(body, node));
  return `<flex name="body-${body}" dim="3" radius="${radius}" body="${names.join(' ')}" element="${scene.tet.join(' ')}">` +
    `<contact selfcollide="none" internal="false" condim="3" friction="${scene.friction} 0 0"/>` +
    `<elasticity young="${scene.young}" poisson="${scene.poisson}" damping="${scene.damping}"/></flex>`;
}

function sceneXml() {
  const bodies = Array.from({ length: scene.bodies }, (_, body) => body);
  const nodes = bodies.map((body) => Array.from({ length: scene.nodes }, (_, node) => nodeXml(body, node)).join('\n'));
  return `<mujoco><option timestep="${step}" gravity="0 ${-scene.gravity} 0" integrator="discrete" solver="CG" tolerance="1e-6"/>
    <size memory="1G"/>
    <worldbody><geom type="plane" size="0 0 1" zaxis="0 1 0" friction="${scene.friction} 0 0"/>${nodes.join('\n')}</worldbody>
    <deformable>${bodies.map(flexXml).join('\n')}</deformable></mujoco>`;
}

const { default: load } = await import(pathToFileURL(path.resolve(modules, '@mujoco/mujoco/mujoco.js')));
const mujoco = await load();
const model = mujoco.MjModel.from_xml_string(sceneXml());
const data = new mujoco.MjData(model);

const frames = Math.round(scene.seconds / scene.frame), steps = Math.round(scene.frame / step);
const numbers = 3 * scene.nodes * scene.bodies;
const kept = new Float64Array(frames * numbers);
let processor = 0, real = 0;
for (let frame = 0; frame < frames; ++frame) {
  const used = process.cpuUsage(), begin = performance.now();
  for (let i = 0; i < steps; ++i) mujoco.mj_step(model, data);
  real += (performance.now() - begin) / 1e3;
  const { user, system } = process.cpuUsage(used);
  processor += (user + system) / 1e6;
  kept.set(data.flexvert_xpos, frame * numbers);
}
fs.writeFileSync(framesPath, Buffer.from(kept.buffer));
console.log(`${processor} ${real}`);
