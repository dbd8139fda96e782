/* Probes of a scene. */
#include <stdio.h>
#include <string.h>

#include "scene_internal.h"
#include "world/world_options.h"

/* One of nearest, node, select; a total without any of them is over the whole body. A tool needs none. */
static sn_status read_where(const sn_place *place, sn_probe *probe) {
    sn_place child;
    const bool nearest = sn_place_get(place, "nearest", &child), node = sn_place_get(place, "node", &child),
               select = sn_place_get(place, "select", &child);
    if (probe->tool[0] && nearest + node + select > 0)
        return sn_place_fail(place, SN_BAD_INPUT, "has a place beside 'tool'; a tool is where it is");
    if (nearest + node + select > 1)
        return sn_place_fail(place, SN_BAD_INPUT, "has more than one of nearest, node, select");
    probe->at = nearest ? SN_PROBE_NEAREST : node ? SN_PROBE_NODE : SN_PROBE_SELECT;
    if (nearest || node || select || probe->tool[0]) return SN_OK;
    probe->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    if (sn_quantity_is_total(probe->quantity)) return SN_OK;
    return sn_place_fail(place, SN_BAD_INPUT, "needs one of nearest, node, select");
}

sn_status sn_scene_read_probes(const sn_place *place, sn_world_options *world) {
    sn_probe *probe = NULL;
    int fields;
    const sn_field *field = sn_probe_fields(&fields);
    sn_status status = sn_place_items(place, sizeof *probe, (void **)&probe, &world->probe_count);
    for (int i = 0; !status && i < world->probe_count; ++i) {
        const sn_place item = sn_place_at(place, i);
        probe[i] = sn_probe_default();
        snprintf(probe[i].name, sizeof probe[i].name, "probe%d", i);
        status = sn_read_fields(&item, field, fields, &probe[i]);
        if (!status) status = read_where(&item, &probe[i]);
        for (int k = 0; k < i && !status; ++k)
            if (strcmp(probe[k].name, probe[i].name) == 0)
                status = sn_place_fail(&item, SN_BAD_INPUT, "has the name '%.60s' of another probe", probe[i].name);
    }
    world->probe = probe;
    return status;
}
