/* Rigid cores, for others: who belongs to one. */
#ifndef SN_WORLD_CORES_H
#define SN_WORLD_CORES_H

#include "sinew/world.h"

bool sn_cores_hold(const sn_world *world, int32_t node);

#endif
