/* Vega .veg: four-node tets, their groups as sets. Vega counts from 1: labels are lifted when the smallest is below. Vega wants a material:
 * a plain one for all elements stands in, with the constants that Vega itself takes by default. Node and triangle groups have no place. */
#include "output.h"

sn_status sn_write_vega(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    const sn_numbering node = sn_numbering_of(mesh->node_label, mesh->node_count, 1);
    const sn_numbering tet = sn_numbering_of(mesh->tet_label, mesh->tet_count, 1);
    (void)options;
    if (!mesh->tet_count || mesh->tet_nodes != 4) {
        return sn_fail(o->error, SN_BAD_INPUT, "%s: Vega's format takes meshes of four-node tets only", o->path);
    }
    sn_put_format(o, "# Vega mesh file\n*VERTICES\n%d 3 0 0\n", mesh->node_count);
    for (int i = 0; i < mesh->node_count; ++i) {
        sn_put_integer(o, sn_number_at(&node, i), ' ');
        for (int j = 0; j < 3; ++j) sn_put_number(o, mesh->position[3 * (size_t)i + j], j < 2 ? ' ' : '\n');
    }
    sn_put_format(o, "\n*ELEMENTS\nTET\n%d 4 0\n", mesh->tet_count);
    for (int i = 0; i < mesh->tet_count; ++i) {
        sn_put_integer(o, sn_number_at(&tet, i), ' ');
        for (int j = 0; j < 4; ++j) sn_put_integer(o, sn_number_at(&node, mesh->tet[4 * (size_t)i + j]), j < 3 ? ' ' : '\n');
    }
    for (int g = 0; g < mesh->group_count; ++g) {
        const sn_group *group = &mesh->group[g];
        if (group->kind != SN_GROUP_TETS) continue;
        sn_put_format(o, "\n*SET %s\n", group->name);
        for (int i = 0; i < group->count; ++i) {
            const bool last = i + 1 == group->count || i % 8 == 7;
            sn_put_integer(o, sn_number_at(&tet, group->member[i]), i + 1 == group->count ? '\n' : ',');
            if (!last)
                sn_put_text(o, " ");
            else if (i + 1 < group->count)
                sn_put_text(o, "\n");
        }
    }
    sn_put_text(o, "\n*MATERIAL default\nENU, 1000, 1e9, 0.45\n\n*REGION\nallElements, default\n");
    return SN_OK;
}
