// A deformable world of Bullet with gravity along -y, and the parts that it needs (C++).
#ifndef BENCH_BULLET_WORLD_H
#define BENCH_BULLET_WORLD_H

#include "BulletSoftBody/btDeformableBodySolver.h"
#include "BulletSoftBody/btDeformableMultiBodyConstraintSolver.h"
#include "BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h"
#include "BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h"
#include "btBulletDynamicsCommon.h"

struct bullet_world {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btDeformableBodySolver body_solver;
    btDeformableMultiBodyConstraintSolver constraint_solver;
    btDeformableMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &constraint_solver, &configuration,
                                             &body_solver};

    explicit bullet_world(const btVector3 &gravity) {
        constraint_solver.setDeformableSolver(&body_solver);
        world.setGravity(gravity);
        world.getWorldInfo().m_gravity = gravity;
    }
};

#endif
