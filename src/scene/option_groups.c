/* The tables of all options that a scene gives, by the name of their struct. */
#include <string.h>

#include "contact/contact_options.h"
#include "contact/shape.h"
#include "embed/embed_options.h"
#include "fem/material_fields.h"
#include "haptic/device.h"
#include "haptic/servo_options.h"
#include "linear/solver.h"
#include "scene_internal.h"
#include "time/time_options.h"
#include "world/world_options.h"

typedef struct group {
    sn_listing listing; /* name of the struct, place in a scene */
    const sn_field *(*fields)(int *count);
} group;

static const group groups[] = {
    {{"sn_scene", "the scene itself"}, sn_scene_fields},
    {{"sn_time_options", "time"}, sn_time_fields},
    {{"sn_solver_options", "solver"}, sn_solver_fields},
    {{"sn_body_options", "bodies.N"}, sn_body_fields},
    {{"sn_embed_options", "bodies.N.mesh.embed"}, sn_embed_fields},
    {{"sn_material", "bodies.N.material.N, beside law and constants"}, sn_material_fields},
    {{"sn_fix", "bodies.N.fix.N"}, sn_fix_fields},
    {{"sn_load", "bodies.N.loads.N"}, sn_load_fields},
    {{"sn_link", "bodies.N.links.N"}, sn_link_fields},
    {{"sn_tether", "bodies.N.tethers.N"}, sn_tether_fields},
    {{"sn_seam", "bodies.N.sew.N"}, sn_seam_fields},
    {{"sn_initial", "bodies.N.initial"}, sn_initial_fields},
    {{"sn_collider", "colliders.N, beside the parameters of the shape"}, sn_collider_fields},
    {{"sn_contact_options", "contact"}, sn_contact_fields},
    {{"sn_probe", "probes.N"}, sn_probe_fields},
    {{"sn_tool_options", "tools.N"}, sn_tool_fields},
    {{"sn_servo_options", "tools.N, beside those of the tool"}, sn_servo_fields},
    {{"sn_device_options", "tools.N.device"}, sn_device_fields},
    {{"sn_output_options", "output"}, sn_output_option_fields},
};
enum { GROUPS = sizeof groups / sizeof *groups };

const sn_listing *sn_option_group(int index) { return index >= 0 && index < GROUPS ? &groups[index].listing : NULL; }

const sn_option *sn_options(const char *struct_name, int *count) {
    for (int i = 0; i < GROUPS; ++i)
        if (strcmp(groups[i].listing.name, struct_name) == 0) return groups[i].fields(count);
    *count = 0;
    return NULL;
}
