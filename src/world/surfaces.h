/* The surfaces with which bodies touch something: other bodies (touching.c) and tools (tools.c). */
#ifndef SN_WORLD_SURFACES_H
#define SN_WORLD_SURFACES_H

#include "contact/touch_surface.h"
#include "model.h"

/* Makes the surface of a body: its detailed surface if it has one, else the boundary of its mesh; of cloth its
 * triangles. The body is not plane. */
sn_status sn_world_surface(const sn_world *world, int body, sn_touch_surface **surface, sn_error *error);

#endif
