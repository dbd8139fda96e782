// Bullet 3 on a scene of bench_cloth, in two ways.
//
// `implicit` is its deformable world with springs on the edges (btDeformableMassSpringForce), as in its examples of cloth, and contact with the ball by its
// distance (SDF_RD). The elasticity is implicit. It carries an eighth of the scene's stiffness at steps of 0.5 ms: with all of it, or with a tenth of it at 1 ms, the
// sheet explodes, and so it does with the links that Bullet adds against bending, which are left out. Its contact of the sheet with itself (VF_DD) is off: with
// it a drape of 0.6 s did not end within minutes.
// `positions` is its older soft body, which moves positions along the edges (PBD) some times in each step. Its self-contact would need clusters; it is off.
//
// Bullet multiplies the friction coefficients of the two partners, so each gets the root of the scene's.
#include <cmath>
#include <vector>

#include "BulletSoftBody/btDeformableGravityForce.h"
#include "BulletSoftBody/btDeformableMassSpringForce.h"
#include "BulletSoftBody/btSoftBody.h"
#include "BulletSoftBody/btSoftRigidDynamicsWorld.h"
#include "bullet_world.h"
#include "peers.h"
#include "shared.h"

namespace {

btSoftBody *make_sheet(const cloth_scene *scene, btSoftBodyWorldInfo *info) {
    std::vector<btVector3> x(scene->node_count);
    std::vector<btScalar> mass(scene->node_count);
    for (int i = 0; i < scene->node_count; ++i) {
        const double *p = &scene->position[3 * i];
        x[i].setValue(btScalar(p[0]), btScalar(p[1]), btScalar(p[2]));
        mass[i] = btScalar(scene->mass[i]);
    }
    btSoftBody *sheet = new btSoftBody(info, scene->node_count, x.data(), mass.data());
    for (int e = 0; e < scene->edge_count; ++e) sheet->appendLink(scene->edge[2 * e], scene->edge[2 * e + 1]);
    for (int t = 0; t < scene->triangle_count; ++t) {
        const int32_t *n = &scene->triangle[3 * t];
        sheet->appendFace(n[0], n[1], n[2]);
    }
    for (int i = 0; i < scene->node_count; ++i) sheet->setMass(i, mass[i]);
    sheet->getCollisionShape()->setMargin(btScalar(scene->thickness / 2));
    sheet->m_cfg.kDF = btScalar(std::sqrt(scene->friction));
    sheet->setActivationState(DISABLE_DEACTIVATION);
    return sheet;
}

struct ball {
    btSphereShape shape;
    btRigidBody body;
    explicit ball(const cloth_scene *scene) : shape(btScalar(scene->radius)), body(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &shape)) {
        body.setFriction(btScalar(std::sqrt(scene->friction)));
    }
};

// Runs the scene, and takes the sheet and the ball out of the world.
template <typename world_type>
bool run_frames(const cloth_peer *peer, const cloth_scene *scene, world_type &world, btSoftBody *sheet, btRigidBody *below, cloth_run *run) {
    run->step = peer->step;
    const int frames = cloth_frame_count(scene), steps = int(std::lround(scene->frame / run->step));
    double *out = run->frame;
    for (int f = 0; f < frames; ++f) {
        const bench_clock start = bench_start();
        for (int i = 0; i < steps; ++i) world.stepSimulation(btScalar(run->step), 1, btScalar(run->step));
        bench_stop(start, &run->processor, &run->real);
        for (int i = 0; i < scene->node_count; ++i)
            for (int a = 0; a < 3; ++a) *out++ = double(sheet->m_nodes[i].m_x[a]);
    }
    world.removeSoftBody(sheet);
    delete sheet;
    world.removeRigidBody(below);
    return true;
}

} // namespace

bool cloth_bullet_implicit(const cloth_peer *peer, const char *, const cloth_scene *scene, cloth_run *run) {
    const btVector3 g(0, btScalar(-scene->gravity), 0);
    bullet_world own(g);
    btDeformableMultiBodyDynamicsWorld &world = own.world;
    world.getWorldInfo().m_sparsesdf.setDefaultVoxelsz(btScalar(0.05));
    world.getWorldInfo().m_sparsesdf.Reset();
    world.setImplicit(true);
    world.setLineSearch(false);
    world.setUseProjection(true);
    ball below(scene);
    world.addRigidBody(&below.body);
    btSoftBody *sheet = make_sheet(scene, &world.getWorldInfo());
    sheet->m_cfg.kKHR = 1;
    sheet->m_cfg.kCHR = 1;
    sheet->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN | (peer->self ? btSoftBody::fCollision::VF_DD : 0);
    sheet->setSelfCollision(peer->self);
    sheet->setSpringStiffness(btScalar(scene->stretch / 100));
    const double soft = scene->stretch / 8;
    btDeformableMassSpringForce springs(btScalar(soft), btScalar(soft * scene->damping / 2), true, btScalar(scene->bending));
    btDeformableGravityForce weight(g);
    world.addSoftBody(sheet);
    world.addForce(sheet, &springs);
    world.addForce(sheet, &weight);
    return run_frames(peer, scene, world, sheet, &below.body, run);
}

bool cloth_bullet_positions(const cloth_peer *peer, const char *, const cloth_scene *scene, cloth_run *run) {
    const btVector3 g(0, btScalar(-scene->gravity), 0);
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(g);
    world.getWorldInfo().m_gravity = g;
    world.getWorldInfo().air_density = 0;
    world.getWorldInfo().m_broadphase = &broadphase;
    world.getWorldInfo().m_dispatcher = &dispatcher;
    world.getWorldInfo().m_sparsesdf.Initialize();
    ball below(scene);
    world.addRigidBody(&below.body);
    btSoftBody *sheet = make_sheet(scene, &world.getWorldInfo());
    sheet->m_materials[0]->m_kLST = 1;
    sheet->m_cfg.piterations = 20;
    sheet->m_cfg.collisions = btSoftBody::fCollision::SDF_RS;
    world.addSoftBody(sheet);
    return run_frames(peer, scene, world, sheet, &below.body, run);
}
