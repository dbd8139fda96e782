/* Medit .mesh, ASCII. Numbering is by order, so labels are not written; groups become references: see sn_classes_number. */
#include "output.h"

static void put_elements(sn_output *o, const char *keyword, const int32_t *node, int count, int nodes, const sn_classes *c) {
    if (!count) return;
    sn_put_format(o, "%s\n%d\n", keyword, count);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < nodes; ++j) sn_put_integer(o, node[(size_t)nodes * (size_t)i + (size_t)j] + 1, ' ');
        sn_put_integer(o, c->item[c->of[i]].reference, '\n');
    }
}

sn_status sn_write_medit(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    sn_classes c[3] = {{0}};
    sn_status status = SN_OK;
    (void)options;
    if (!mesh->tet_count && !mesh->triangle_count)
        return sn_fail(o->error, SN_BAD_INPUT, "%s: the mesh has no tets and no triangles", o->path);
    for (int kind = 0; !status && kind < 3; ++kind) status = sn_classes_make(mesh, (sn_group_kind)kind, &c[kind], o->error);
    if (!status) {
        sn_put_text(o, "MeshVersionFormatted 2\n");
        for (int kind = 0; kind < 3; ++kind) {
            sn_classes_number(mesh, (sn_group_kind)kind, &c[kind]);
            sn_classes_explain(mesh, (sn_group_kind)kind, &c[kind], o);
        }
        sn_put_format(o, "Dimension 3\nVertices\n%d\n", mesh->node_count);
        for (int i = 0; i < mesh->node_count; ++i) {
            for (int j = 0; j < 3; ++j) sn_put_number(o, mesh->position[3 * (size_t)i + j], ' ');
            sn_put_integer(o, c[SN_GROUP_NODES].item[c[SN_GROUP_NODES].of[i]].reference, '\n');
        }
        put_elements(o, "Triangles", mesh->triangle, mesh->triangle_count, 3, &c[SN_GROUP_TRIANGLES]);
        put_elements(o, mesh->tet_nodes == 10 ? "TetrahedraP2" : "Tetrahedra", mesh->tet, mesh->tet_count, mesh->tet_nodes,
                     &c[SN_GROUP_TETS]);
        sn_put_text(o, "End\n");
    }
    for (int kind = 0; kind < 3; ++kind) sn_classes_clear(&c[kind]);
    return status;
}
