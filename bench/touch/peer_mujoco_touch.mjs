// MuJoCo's flex on a scene of bench_touch; peer_run.mjs has its arguments.
//
// Each node is a body with three slide joints and the mass of the scene; a flex joins them with MuJoCo's elasticity. The integrator `discrete` is the one that
// takes the elasticity implicitly; solver and tolerance are those of MuJoCo's own flex models. Contact goes through its constraint solver: the other way, passive
// contact, knows no friction. MuJoCo keeps at most 50 contacts for each pair of bodies.
import { loadMujoco, nodeXml, run, scene, step } from './peer_run.mjs';

const radius = 0.002; // m: thickness of the surfaces, half of Bullet's margin, on each side

function nodeName(body, node) { return `node-${body}-${node}`; }

function flexXml(body) {
  const names = Array.from({ length: scene.nodes }, (_, node) => nodeName(body, node));
  return `<flex name="body-${body}" dim="3" radius="${radius}" body="${names.join(' ')}" element="${scene.tet.join(' ')}">` +
    `<contact selfcollide="none" internal="false" condim="3" friction="${scene.friction} 0 0"/>` +
    `<elasticity young="${scene.young}" poisson="${scene.poisson}" damping="${scene.damping}"/></flex>`;
}

function sceneXml() {
  const bodies = Array.from({ length: scene.bodies }, (_, body) => body);
  const nodes = bodies.map((body) => Array.from({ length: scene.nodes }, (_, node) => {
    const at = 3 * (body * scene.nodes + node);
    return nodeXml(nodeName(body, node), scene.position.slice(at, at + 3), scene.mass[node]);
  }).join('\n'));
  return `<mujoco><option timestep="${step}" gravity="0 ${-scene.gravity} 0" integrator="discrete" solver="CG" tolerance="1e-6"/>
    <size memory="1G"/>
    <worldbody><geom type="plane" size="0 0 1" zaxis="0 1 0" friction="${scene.friction} 0 0"/>${nodes.join('\n')}</worldbody>
    <deformable>${bodies.map(flexXml).join('\n')}</deformable></mujoco>`;
}

const { mujoco, model, data } = await loadMujoco(sceneXml());
run(() => mujoco.mj_step(model, data), () => data.flexvert_xpos);
