/* Colliders as pictures and viewers see them: their surface, and where they are now. */
#include "contact/collider.h"
#include "world.h"

int sn_world_collider_count(const sn_world *world) { return world->parameters.collider_count; }

sn_collider sn_world_collider(const sn_world *world, int collider) {
    return sn_collider_shown(&world->parameters.collider[collider], world->state.time);
}

void sn_world_collider_pose(const sn_world *world, int collider, double pose[12]) {
    const sn_collider_model *model = &world->parameters.collider[collider];
    sn_pose now;
    double origin[3] = {0}, b[3];
    sn_collider_at(model, world->state.time, &now);
    sn_collider_move(model, &now, origin, b);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) pose[4 * i + j] = now.turned ? now.R[3 * i + j] : i == j;
        pose[4 * i + 3] = b[i];
    }
}

sn_status sn_world_collider_drawing(const sn_world *world, int collider, sn_drawing **drawing, sn_error *error) {
    return sn_collider_draw(world->context, &world->parameters.collider[collider], drawing, error);
}
