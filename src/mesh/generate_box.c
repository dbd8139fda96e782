/* Box: cells of a regular grid, each cut into 5 or 6 tets.
 *
 * Nodes: x fastest, then y, then z. Tets: cell by cell, x fastest. Split 6 (Kuhn): one tet per order of the axes, on
 * the path from the low to the high corner. Split 5: a middle tet and four corners; the middle tet of the cell at the
 * origin has the corners (0,0,0) (1,1,0) (1,0,1) (0,1,1), neighbours alternate, which makes the diagonals of shared
 * faces agree. */
#include "generate.h"

enum { SIZE, CELLS, SPLIT };

/* Corners of a cell as bits: 1 = +x, 2 = +y, 4 = +z. */
const uint8_t sn_kuhn_tet[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};
static const uint8_t five[2][5][4] = {{{0, 3, 6, 5}, {1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}},
                                      {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}}};

/* The fraction first, so that the last layer lies exactly at the size. */
static void fill_positions(sn_mesh *mesh, const double size[3], const int64_t cells[3]) {
    double *x = mesh->position;
    for (int64_t k = 0; k <= cells[2]; ++k)
        for (int64_t j = 0; j <= cells[1]; ++j)
            for (int64_t i = 0; i <= cells[0]; ++i, x += 3) {
                x[0] = size[0] * ((double)i / (double)cells[0]);
                x[1] = size[1] * ((double)j / (double)cells[1]);
                x[2] = size[2] * ((double)k / (double)cells[2]);
            }
}

static void fill_tets(sn_mesh *mesh, const int64_t cells[3], int split) {
    int32_t *tet = mesh->tet;
    const int64_t row = cells[0] + 1, layer = row * (cells[1] + 1);
    for (int64_t k = 0; k < cells[2]; ++k)
        for (int64_t j = 0; j < cells[1]; ++j)
            for (int64_t i = 0; i < cells[0]; ++i) {
                const uint8_t(*cut)[4] = split == 6 ? sn_kuhn_tet : five[(i + j + k) & 1];
                const int64_t low = i + row * j + layer * k;
                for (int t = 0; t < split; ++t)
                    for (int c = 0; c < 4; ++c)
                        *tet++ =
                            (int32_t)(low + (cut[t][c] & 1) + row * (cut[t][c] >> 1 & 1) + layer * (cut[t][c] >> 2));
            }
}

static sn_status add_sides(sn_mesh *mesh, const int64_t cells[3], sn_error *error) {
    static const char *const name[6] = {"x-", "x+", "y-", "y+", "z-", "z+"};
    uint8_t *mark = sn_allocate(mesh->context, (size_t)mesh->node_count, 1);
    if (!mark) return sn_no_memory(error);
    int64_t node = 0;
    for (int64_t k = 0; k <= cells[2]; ++k)
        for (int64_t j = 0; j <= cells[1]; ++j)
            for (int64_t i = 0; i <= cells[0]; ++i)
                mark[node++] = (uint8_t)((i == 0) | (i == cells[0]) << 1 | (j == 0) << 2 | (j == cells[1]) << 3 |
                                         (k == 0) << 4 | (k == cells[2]) << 5);
    sn_status status = SN_OK;
    for (int s = 0; s < 6 && !status; ++s) status = sn_mesh_add_marked(mesh, name[s], mark, (uint8_t)(1u << s), error);
    sn_release(mesh->context, mark);
    return status;
}

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    const int split = (int)value[SPLIT][0];
    int64_t cells[3];
    double nodes = 1, tets = split; /* doubles: the product of three integers may not fit in 64 bits */
    for (int a = 0; a < 3; ++a) {
        cells[a] = (int64_t)value[CELLS][a];
        nodes *= (double)cells[a] + 1;
        tets *= (double)cells[a];
    }
    if (nodes > 9e18 || tets > 9e18) nodes = tets = 9e18;
    sn_mesh *m;
    sn_status status = sn_generate_create(context, "box", (int64_t)nodes, (int64_t)tets, 0, &m, error);
    if (status) return status;
    fill_positions(m, value[SIZE], cells);
    fill_tets(m, cells, split);
    status = add_sides(m, cells, error);
    if (status)
        sn_mesh_destroy(m);
    else
        *mesh = m;
    return status;
}

const sn_generator sn_generator_box = {.parameter = {{"size", 3, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {1, 1, 1}},
                                                     {"cells", 3, true, 1, 1e9, {4, 4, 4}},
                                                     {"split", 1, true, 5, 6, {6}}},
                                       .generate = generate};
