/* Rigid cores, for the other parts of a world: which nodes belong to one. */
#ifndef SN_WORLD_CORES_H
#define SN_WORLD_CORES_H

#include "sinew/world.h"

/* Whether the node (compiled number) belongs to a rigid core. */
bool sn_cores_hold(const sn_world *world, int32_t node);

#endif
