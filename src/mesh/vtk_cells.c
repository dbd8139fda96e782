/* See vtk_cells.h. */
#include "vtk_cells.h"

#include <stdio.h>
#include <string.h>

typedef enum cell_kind { LEFT_OUT, TRIANGLE, POLYGON, TET } cell_kind;

static const struct {
    int type, nodes; /* 0 nodes: any number */
    cell_kind kind;
    const char *name;
} cell_types[] = {
    {1, 1, LEFT_OUT, "points"},       {2, 0, LEFT_OUT, "points"},
    {3, 2, LEFT_OUT, "lines"},        {4, 0, LEFT_OUT, "lines"},
    {5, 3, TRIANGLE, "triangle"},     {7, 0, POLYGON, "polygon"},
    {9, 4, POLYGON, "quadrilateral"}, {10, 4, TET, "tet"},
    {21, 3, LEFT_OUT, "lines"},       {22, 6, TRIANGLE, "triangle of 6 nodes"},
    {24, 10, TET, "tet of 10 nodes"},
};
enum { TYPES = sizeof cell_types / sizeof *cell_types };

sn_status sn_vtk_add_cell(sn_builder *b, sn_text *t, int64_t type, const int32_t *node, int64_t count, int64_t label,
                          sn_vtk_cell *cell) {
    int i = 0;
    while (i < TYPES && cell_types[i].type != type) ++i;
    if (i == TYPES)
        return sn_text_fail(t,
                            "cell type %lld is not supported; tets (10, 24), triangles (5, 22), quadrilaterals (9) "
                            "and polygons (7) are",
                            (long long)type);
    const cell_kind kind = cell_types[i].kind;
    if ((cell_types[i].nodes && count != cell_types[i].nodes) || (kind == POLYGON && count < 3))
        return sn_text_fail(t, "a %s has %lld nodes", cell_types[i].name, (long long)count);
    *cell = (sn_vtk_cell){.tet = kind == TET ? b->tet.count : -1, .triangle = b->triangle.count};
    sn_status status = SN_OK;
    if (kind == LEFT_OUT) sn_builder_leave_out(b, cell_types[i].name, 1);
    if (kind == TET) status = sn_builder_tet(b, t, label, node, (int)count);
    if (kind == TRIANGLE) status = sn_builder_triangle(b, t, label, node);
    if (kind == TRIANGLE && count > 3) sn_builder_leave_out(b, "mid-edge nodes of triangles", 3);
    if (kind == POLYGON) status = sn_builder_polygon(b, t, node, (int)count);
    cell->triangles = b->triangle.count - cell->triangle;
    return status;
}

sn_status sn_vtk_groups(sn_builder *b, sn_text *t, const char *name, int length, const sn_vtk_cell *cell,
                        const int64_t *value, int count) {
    enum { MOST = 64 };
    int64_t known[MOST];
    int knowns = 0, group[2][MOST];
    for (int i = 0; i < count; ++i) {
        int k = 0;
        while (k < knowns && known[k] != value[i]) ++k;
        if (k < knowns) continue;
        if (knowns == MOST) {
            sn_builder_leave_out(b, "data arrays", 1);
            return SN_OK;
        }
        group[0][knowns] = group[1][knowns] = -1;
        known[knowns++] = value[i];
    }
    sn_status status = SN_OK;
    for (int i = 0; !status && i < count; ++i) {
        int k = 0;
        while (known[k] != value[i]) ++k;
        const bool tet = cell[i].tet >= 0;
        if (!tet && !cell[i].triangles) continue;
        if (group[tet][k] < 0) {
            char text[120];
            const int letters =
                snprintf(text, sizeof text, "%.*s-%lld", length < 60 ? length : 60, name, (long long)known[k]);
            status =
                sn_builder_group_named(b, t, tet ? SN_GROUP_TETS : SN_GROUP_TRIANGLES, text, letters, &group[tet][k]);
        }
        if (!status && tet) status = sn_builder_join(b, t, group[1][k], cell[i].tet);
        for (int j = 0; !status && j < cell[i].triangles; ++j)
            status = sn_builder_join(b, t, group[0][k], cell[i].triangle + j);
    }
    return status;
}

sn_status sn_vtk_field(sn_builder *b, sn_text *t, const char *name, int length, const sn_vtk_cell *cell,
                       const double *value, int count) {
    int field = 0;
    sn_status status = sn_builder_field_named(b, t, name, length, &field);
    for (int i = 0; !status && i < count; ++i) {
        const double *vector = value + 3 * (size_t)i;
        if (cell[i].tet >= 0) status = sn_builder_vector(b, t, field, false, cell[i].tet, vector);
        for (int j = 0; !status && j < cell[i].triangles; ++j)
            status = sn_builder_vector(b, t, field, true, cell[i].triangle + j, vector);
    }
    return status;
}
