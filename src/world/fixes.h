/* Fixes, for others: who is held by one. */
#ifndef SN_WORLD_FIXES_H
#define SN_WORLD_FIXES_H

#include "sinew/world.h"

/* Whether a fix holds some axis of a node; pins do not count. */
bool sn_fixes_hold(const sn_world *world, int32_t node);
/* Lists the held nodes again after pins have changed. */
sn_status sn_fixes_update(sn_world *world, sn_error *error);

#endif
