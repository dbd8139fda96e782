// Jolt's soft body on a scene of bench_cloth; peer_run.mjs has its arguments, and one more: the iterations of a step.
//
// Jolt makes the constraints of a sheet itself (CreateConstraints): edges, shear edges and dihedral bends, solved by XPBD. The compliance of an edge is that of the
// strip of the sheet for which it stands. Its sheet touches the ball with its vertices, which keep half the thickness; it never touches itself.
import { load, run, scene, step } from './peer_run.mjs';

const iterations = Number(process.argv[6] ?? 5);
const { default: start } = await load('jolt-physics/dist/jolt-physics.wasm.js');
const Jolt = await start();

function makeWorld() {
  const settings = new Jolt.JoltSettings();
  const pairs = new Jolt.ObjectLayerPairFilterTable(2);
  pairs.EnableCollision(0, 1);
  const phases = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
  for (let layer = 0; layer < 2; ++layer) phases.MapObjectToBroadPhaseLayer(layer, new Jolt.BroadPhaseLayer(layer));
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = phases;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(phases, 2, pairs, 2);
  settings.mMaxWorkerThreads = 0;
  const jolt = new Jolt.JoltInterface(settings);
  jolt.GetPhysicsSystem().SetGravity(new Jolt.Vec3(0, -scene.gravity, 0));
  return jolt;
}

function addBall(bodies) {
  const settings = new Jolt.BodyCreationSettings(new Jolt.SphereShape(scene.radius), new Jolt.RVec3(0, 0, 0), new Jolt.Quat(0, 0, 0, 1), Jolt.EMotionType_Static, 0);
  settings.mFriction = scene.friction;
  bodies.AddBody(bodies.CreateBody(settings).GetID(), Jolt.EActivation_DontActivate);
}

function addSheet(bodies) {
  const shared = new Jolt.SoftBodySharedSettings();
  for (let i = 0; i < scene.nodes; ++i) {
    const vertex = new Jolt.SoftBodySharedSettingsVertex();
    vertex.mPosition = new Jolt.Float3(scene.position[3 * i], scene.position[3 * i + 1], scene.position[3 * i + 2]);
    vertex.mInvMass = 1 / scene.mass[i];
    shared.mVertices.push_back(vertex);
  }
  for (let i = 0; i < scene.triangle.length; i += 3)
    shared.AddFace(new Jolt.SoftBodySharedSettingsFace(scene.triangle[i], scene.triangle[i + 1], scene.triangle[i + 2], 0));
  const attributes = new Jolt.SoftBodySharedSettingsVertexAttributes();
  attributes.mCompliance = attributes.mShearCompliance = 1 / scene.stretch;
  attributes.mBendCompliance = 1 / scene.bending;
  shared.CreateConstraints(attributes, 1, Jolt.SoftBodySharedSettings_EBendType_Dihedral);
  shared.Optimize();
  const settings = new Jolt.SoftBodyCreationSettings(shared, new Jolt.RVec3(0, 0, 0), new Jolt.Quat(0, 0, 0, 1), 1);
  settings.mNumIterations = iterations;
  settings.mFriction = scene.friction;
  settings.mVertexRadius = scene.thickness / 2;
  settings.mUpdatePosition = false;
  settings.mMakeRotationIdentity = true;
  settings.mAllowSleeping = false;
  settings.mLinearDamping = 0;
  const body = bodies.CreateSoftBody(settings);
  bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
  return body;
}

const jolt = makeWorld();
const bodies = jolt.GetPhysicsSystem().GetBodyInterface();
addBall(bodies);
const sheet = addSheet(bodies);
const vertices = Jolt.castObject(sheet.GetMotionProperties(), Jolt.SoftBodyMotionProperties).GetVertices();

run(() => jolt.Step(step, 1), () => {
  const origin = sheet.GetCenterOfMassPosition();
  const at = [origin.GetX(), origin.GetY(), origin.GetZ()], out = [];
  for (let i = 0; i < scene.nodes; ++i) {
    const p = vertices.at(i).mPosition;
    out.push(at[0] + p.GetX(), at[1] + p.GetY(), at[2] + p.GetZ());
  }
  return out;
});
