/* The fibres of muscles: one unit vector per element of a body, at rest. */
#ifndef SN_WORLD_FIBRES_H
#define SN_WORLD_FIBRES_H

#include "model.h"

/* Fills body->fibre and body->muscle for a body with elements and materials. Without muscles both stay NULL. */
sn_status sn_fibres_create(sn_context *context, const sn_body_options *options, sn_body *body, sn_error *error);

/* SN_BAD_INPUT when the material is a muscle and cannot be one, or is none and has an activation. */
sn_status sn_fibres_check(const sn_body *body, int material, const sn_material *options, sn_error *error);

#endif
