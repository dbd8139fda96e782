// MuJoCo's flex on a scene of bench_cloth; peer_run.mjs has its arguments, and one more: its kind of contact.
//
// Each vertex is a body with three slide joints; a flex of dimension 2 joins them with MuJoCo's elasticity of sheets, stretch and bending. The integrator
// `discrete` takes the elasticity implicitly. Contact: `constraint` goes through its constraint solver, with friction; `passive` is its faster way, without
// friction; `self` is the passive way with contact of the sheet with itself.
import { loadMujoco, nodeXml, run, scene, step } from './peer_run.mjs';

const kind = process.argv[6] ?? 'passive';
const names = Array.from({ length: scene.nodes }, (_, i) => `node-${i}`);
const nodes = names.map((name, i) => nodeXml(name, scene.position.slice(3 * i, 3 * i + 3), scene.mass[i]));
// The bending stiffness of a plate of this modulus and thickness, E t^3 / (12 (1 - nu^2)), is not that of the scene: MuJoCo has one thickness for both. Young's modulus
// gives the stretch.
const thickness = Math.sqrt(12 * (1 - scene.poisson ** 2) * scene.bending / scene.stretch);
const xml = `<mujoco><option timestep="${step}" gravity="0 ${-scene.gravity} 0" integrator="discrete" solver="CG" tolerance="1e-6"/>
  <size memory="1G"/>
  <worldbody><geom type="sphere" size="${scene.radius}" friction="${scene.friction} 0 0"/>${nodes.join('\n')}</worldbody>
  <deformable><flex name="sheet" dim="2" radius="${scene.thickness / 2}" body="${names.join(' ')}" element="${scene.triangle.join(' ')}">
    <contact selfcollide="${kind === 'self' ? 'auto' : 'none'}" internal="false" condim="3" friction="${scene.friction} 0 0" ${kind === 'constraint' ? '' : 'passive="true"'}/>
    <elasticity young="${scene.stretch / thickness}" poisson="${scene.poisson}" thickness="${thickness}" damping="${scene.damping}" elastic2d="both"/>
  </flex></deformable></mujoco>`;

const { mujoco, model, data } = await loadMujoco(xml);
run(() => mujoco.mj_step(model, data), () => data.flexvert_xpos);
