// Bullet 3's deformable world with contact between soft bodies: linear elasticity (corotated) and vertex-face contact (VF_DD).
//
// Contact limits its step, not the elasticity: from 4 ms on the bodies pass into each other in both of its modes, so the benchmark takes the cheaper one (two
// boxes, 2.5 ms: 0.66 against 0.96 s per simulated second; pile, 1 ms: 18 against 28).
//
// Bullet multiplies the friction coefficients of the two partners, so each body gets the root of the scene's. Its surfaces keep a margin: the bodies come to rest
// with a gap, the sum of their margins. The floor is a box, as in Bullet's examples, since its distance field knows convex shapes only.
#include "peer_bullet.h"

#include <cmath>
#include <memory>
#include <vector>

#include "BulletSoftBody/btDeformableGravityForce.h"
#include "BulletSoftBody/btDeformableLinearElasticityForce.h"
#include "BulletSoftBody/btSoftBody.h"
#include "bullet_world.h"
#include "shared.h"

namespace {

btSoftBody *make_body(const touch_scene *scene, const bullet_options *options, int index, btSoftBodyWorldInfo *info) {
    const double *position = &scene->position[3 * size_t(scene->node_count) * size_t(index)];
    std::vector<btVector3> x(scene->node_count);
    std::vector<btScalar> mass(scene->node_count);
    for (int i = 0; i < scene->node_count; ++i) {
        x[i].setValue(btScalar(position[3 * i]), btScalar(position[3 * i + 1]), btScalar(position[3 * i + 2]));
        mass[i] = btScalar(scene->mass[i]);
    }
    btSoftBody *body = new btSoftBody(info, scene->node_count, x.data(), mass.data());
    for (int t = 0; t < scene->tet_count; ++t) {
        const int32_t *n = &scene->tet[4 * t];
        body->appendTetra(n[0], n[1], n[2], n[3]);
        for (int a = 0; a < 4; ++a)
            for (int b = a + 1; b < 4; ++b) body->appendLink(n[a], n[b], nullptr, true); // not springs: its node tree joins linked nodes, and never ends without links
    }
    for (int t = 0; t < scene->triangle_count; ++t) {
        const int32_t *n = &scene->triangle[3 * t];
        body->appendFace(n[0], n[1], n[2]);
    }
    for (int i = 0; i < scene->node_count; ++i) body->setMass(i, mass[i]);
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    body->getCollisionShape()->setMargin(btScalar(options->margin / 2));
    body->setSpringStiffness(btScalar(options->repulsion));
    body->m_cfg.kKHR = 1;
    body->m_cfg.kCHR = 1;
    body->m_cfg.kDF = btScalar(std::sqrt(scene->friction));
    body->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN | btSoftBody::fCollision::VF_DD;
    body->setSelfCollision(false); // its contact between different bodies does not need it
    body->setActivationState(DISABLE_DEACTIVATION);
    return body;
}

void keep_frame(const touch_scene *scene, const std::vector<btSoftBody *> &bodies, double *frame) {
    for (const btSoftBody *body : bodies)
        for (int i = 0; i < scene->node_count; ++i)
            for (int a = 0; a < 3; ++a) *frame++ = double(body->m_nodes[i].m_x[a]);
}

} // namespace

bullet_options bullet_options_default(void) { return {1.0 / 400, 0.004, 1000, false}; }

void peer_bullet_touch(const touch_scene *scene, const bullet_options *options, touch_run *run) {
    const btVector3 g(0, btScalar(-scene->gravity), 0);
    bullet_world own(g);
    btDeformableMultiBodyDynamicsWorld &world = own.world;
    world.getWorldInfo().m_sparsesdf.setDefaultVoxelsz(btScalar(0.25));
    world.getWorldInfo().m_sparsesdf.Reset();
    world.setImplicit(options->implicit);
    world.setLineSearch(false);
    world.setUseProjection(true);

    const btScalar half = 10;
    btBoxShape floor_shape(btVector3(half, half, half));
    btRigidBody floor(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &floor_shape));
    floor.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(0, -half, 0)));
    floor.setFriction(btScalar(std::sqrt(scene->friction)));
    world.addRigidBody(&floor);

    btDeformableLinearElasticityForce elasticity(btScalar(scene->young / (2 * (1 + scene->poisson))),
                                                 btScalar(scene->young * scene->poisson / ((1 + scene->poisson) * (1 - 2 * scene->poisson))), 0,
                                                 btScalar(scene->damping));
    btDeformableGravityForce weight(g);
    std::vector<btSoftBody *> bodies;
    for (int b = 0; b < scene->body_count; ++b) {
        bodies.push_back(make_body(scene, options, b, &world.getWorldInfo()));
        world.addSoftBody(bodies.back());
        world.addForce(bodies.back(), &elasticity);
        world.addForce(bodies.back(), &weight);
    }

    const int frames = touch_frame_count(scene), steps = int(std::lround(scene->frame / options->step));
    const size_t numbers = 3 * size_t(scene->node_count) * bodies.size();
    run->step = options->step;
    for (int f = 0; f < frames; ++f) {
        const bench_clock start = bench_start();
        for (int i = 0; i < steps; ++i) world.stepSimulation(btScalar(options->step), 1, btScalar(options->step));
        bench_stop(start, &run->processor, &run->real);
        keep_frame(scene, bodies, &run->frame[numbers * size_t(f)]);
    }
    for (btSoftBody *body : bodies) {
        world.removeSoftBody(body);
        delete body;
    }
    world.removeRigidBody(&floor);
}
