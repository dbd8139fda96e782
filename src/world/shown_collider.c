/* Colliders as pictures and viewers see them: where they are now. */
#include <string.h>

#include "contact/collider.h"
#include "world.h"

int sn_world_collider_count(const sn_world *world) { return world->parameters.collider_count; }

sn_collider sn_world_collider(const sn_world *world, int collider) {
    sn_collider shown = world->parameters.collider[collider];
    double offset[3] = {0, 0, 0}, velocity[3];
    sn_collider_at(&shown, world->state.time, offset, velocity);
    for (int k = 0; k < 3; ++k) shown.point[k] += offset[k];
    shown.key = NULL;
    shown.key_count = 0;
    return shown;
}
