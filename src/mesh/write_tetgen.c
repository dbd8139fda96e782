/* TetGen .node, .ele and .face. Numbers are the mesh's labels. (TetGen itself takes only consecutive numbers from 0 or 1.) Groups become
 * boundary markers and region attributes: see sn_classes_number. A .face is always written, so that none of an older mesh stays behind. */
#include "output.h"

/* TetGen's place i takes our node tetgen_order[i]. */
static const int tetgen_order[10] = {0, 1, 2, 3, 9, 7, 4, 5, 8, 6};

static sn_status begin(const sn_mesh *mesh, sn_group_kind kind, sn_classes *classes, sn_output *o) {
    sn_status status = sn_classes_make(mesh, kind, classes, o->error);
    if (status) return status;
    sn_classes_number(mesh, kind, classes);
    sn_classes_explain(mesh, kind, classes, o);
    return SN_OK;
}

static void put_nodes(sn_output *o, const sn_numbering *numbering, const int32_t *node, int count, const int *order, const sn_classes *c,
                      int i) {
    const bool marked = c->count > 1;
    for (int j = 0; j < count; ++j)
        sn_put_integer(o, sn_number_at(numbering, node[order ? order[j] : j]), j + 1 < count || marked ? ' ' : '\n');
    if (marked) sn_put_integer(o, c->item[c->of[i]].reference, '\n');
}

sn_status sn_write_tetgen_node(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    const sn_numbering number = sn_numbering_of(mesh->node_label, mesh->node_count, 0);
    sn_classes c;
    (void)options;
    if (!mesh->tet_count) return sn_fail(o->error, SN_BAD_INPUT, "%s: the mesh has no tets, which TetGen's files need", o->path);
    sn_status status = begin(mesh, SN_GROUP_NODES, &c, o);
    if (status) return status;
    sn_put_format(o, "%d 3 0 %d\n", mesh->node_count, c.count > 1);
    for (int i = 0; i < mesh->node_count; ++i) {
        sn_put_integer(o, sn_number_at(&number, i), ' ');
        for (int j = 0; j < 3; ++j) sn_put_number(o, mesh->position[3 * (size_t)i + j], j < 2 || c.count > 1 ? ' ' : '\n');
        if (c.count > 1) sn_put_integer(o, c.item[c.of[i]].reference, '\n');
    }
    sn_classes_clear(&c);
    return SN_OK;
}

sn_status sn_write_tetgen_ele(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    const sn_numbering node = sn_numbering_of(mesh->node_label, mesh->node_count, 0);
    const sn_numbering tet = sn_numbering_of(mesh->tet_label, mesh->tet_count, 0);
    const int nodes = mesh->tet_nodes;
    sn_classes c;
    (void)options;
    sn_status status = begin(mesh, SN_GROUP_TETS, &c, o);
    if (status) return status;
    sn_put_format(o, "%d %d %d\n", mesh->tet_count, nodes, c.count > 1);
    for (int i = 0; i < mesh->tet_count; ++i) {
        sn_put_integer(o, sn_number_at(&tet, i), ' ');
        put_nodes(o, &node, mesh->tet + (size_t)nodes * (size_t)i, nodes, tetgen_order, &c, i);
    }
    sn_classes_clear(&c);
    return SN_OK;
}

sn_status sn_write_tetgen_face(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    const sn_numbering node = sn_numbering_of(mesh->node_label, mesh->node_count, 0);
    const sn_numbering face = sn_numbering_of(mesh->triangle_label, mesh->triangle_count, 0);
    sn_classes c;
    (void)options;
    sn_status status = begin(mesh, SN_GROUP_TRIANGLES, &c, o);
    if (status) return status;
    sn_put_format(o, "%d %d\n", mesh->triangle_count, c.count > 1);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        sn_put_integer(o, sn_number_at(&face, i), ' ');
        put_nodes(o, &node, mesh->triangle + 3 * (size_t)i, 3, NULL, &c, i);
    }
    sn_classes_clear(&c);
    return SN_OK;
}
