/* Fixes, for the other parts of a world: which nodes they hold. */
#ifndef SN_WORLD_FIXES_H
#define SN_WORLD_FIXES_H

#include "sinew/world.h"

/* Whether a fix holds an axis of the node (compiled number). Pins do not count. */
bool sn_fixes_hold(const sn_world *world, int32_t node);
/* Renews the list of held nodes. Call this after fixes or pins have changed. */
sn_status sn_fixes_update(sn_world *world, sn_error *error);

#endif
