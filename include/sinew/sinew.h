/* Sinew: soft solids by finite elements. Include this. */
#ifndef SINEW_H
#define SINEW_H

#include "base.h"
#include "collider.h"
#include "contact.h"
#include "embed.h"
#include "fit.h"
#include "haptic.h"
#include "interaction.h"
#include "material.h"
#include "mesh.h"
#include "options.h"
#include "output.h"
#include "point.h"
#include "scene.h"
#include "world.h"

#endif
