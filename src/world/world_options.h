/* The fields of the options of a world and its parts: scene keys, ranges, defaults and texts. */
#ifndef SN_WORLD_OPTIONS_H
#define SN_WORLD_OPTIONS_H

#include "base/fields.h"
#include "sinew/world.h"

const sn_field *sn_body_fields(int *count);
const sn_field *sn_fix_fields(int *count);
const sn_field *sn_load_fields(int *count); /* the first five are the kinds, in the order of sn_load_kind */
const sn_field *sn_link_fields(int *count);
const sn_field *sn_tether_fields(int *count);
const sn_field *sn_seam_fields(int *count);
const sn_field *sn_initial_fields(int *count);
const sn_field *sn_probe_fields(int *count);
const sn_field *sn_tool_fields(int *count);

/* Whether a probe of this quantity sums over its nodes or elements; the others take the mean. */
bool sn_quantity_is_total(sn_quantity quantity);

/* Each function checks one struct. The error has the path of the wrong field. Selectors and names of bodies are checked
 * later, where they are used. */
sn_status sn_body_options_check(const sn_body_options *body, sn_error *error);
sn_status sn_fix_check(const sn_fix *fix, sn_error *error);
sn_status sn_load_check(const sn_load *load, sn_error *error);
sn_status sn_link_check(const sn_link *link, sn_error *error);
sn_status sn_tether_check(const sn_tether *tether, sn_error *error);
sn_status sn_seam_check(const sn_seam *seam, sn_error *error);
sn_status sn_initial_check(const sn_initial *initial, sn_error *error);
sn_status sn_probe_check(const sn_probe *probe, sn_error *error);
sn_status sn_tool_check(const sn_tool_options *tool, sn_error *error);
/* Checks gravity, time, solver and the fields of each body. Colliders, probes, tools and the parts of a body have
 * separate checks. */
sn_status sn_world_options_check(const sn_world_options *options, sn_error *error);

#endif
