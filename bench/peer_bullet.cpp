// Bullet 3's deformable world with its linear elasticity force (corotated, single precision, implicit, CG with a lumped-mass preconditioner).
// Its CG stops at r.z < 1.2e-7 min(1, d0) or after 300 iterations: a relative residual near 3.5e-4 on the large beams.
#include "peer_bullet.h"

#include <chrono>
#include <vector>

#include "BulletSoftBody/btDeformableGravityForce.h"
#include "BulletSoftBody/btDeformableLinearElasticityForce.h"
#include "BulletSoftBody/btSoftBody.h"
#include "bullet_world.h"

peer_result peer_bullet_run(int nodes, const double *position, int tets, const int32_t *tet, const double *mass, double lambda, double mu, double gravity,
                            double step, int steps, int probe) {
    const btVector3 g(0, btScalar(-gravity), 0);
    bullet_world own(g);
    btDeformableMultiBodyDynamicsWorld &world = own.world;

    std::vector<btVector3> x(nodes);
    std::vector<btScalar> m(nodes);
    for (int i = 0; i < nodes; ++i) {
        x[i].setValue(btScalar(position[3 * i]), btScalar(position[3 * i + 1]), btScalar(position[3 * i + 2]));
        m[i] = btScalar(mass[i]);
    }
    btSoftBody *body = new btSoftBody(&world.getWorldInfo(), nodes, x.data(), m.data());
    for (int t = 0; t < tets; ++t) body->appendTetra(tet[4 * t], tet[4 * t + 1], tet[4 * t + 2], tet[4 * t + 3]);
    for (int i = 0; i < nodes; ++i) body->setMass(i, m[i]);
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    body->m_cfg.collisions = 0;
    body->m_cfg.kDF = 0;
    body->setSelfCollision(false);
    body->setActivationState(DISABLE_DEACTIVATION);
    world.addSoftBody(body);
    btDeformableLinearElasticityForce elasticity{btScalar(mu), btScalar(lambda), 0, 0};
    btDeformableGravityForce weight(g);
    world.addForce(body, &elasticity);
    world.addForce(body, &weight);
    world.setImplicit(true);
    world.setLineSearch(false);
    world.setUseProjection(true);

    world.stepSimulation(btScalar(step), 1, btScalar(step)); // warm-up, counted in the motion but not in the time
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 1; i < steps; ++i) world.stepSimulation(btScalar(step), 1, btScalar(step));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const peer_result result = {seconds / (steps > 1 ? steps - 1 : 1), position[3 * probe + 1] - double(body->m_nodes[probe].m_x.y())};
    world.removeSoftBody(body);
    delete body;
    return result;
}
