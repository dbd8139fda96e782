/* Rectangle: a grid of cells in the plane z = 0, each cut into two triangles, for plane bodies (element tri3).
 *
 * Nodes: x fastest. The diagonals alternate like the squares of a chessboard (the union jack pattern), so that no
 * direction is preferred. Triangles are counter-clockwise seen from +z. */
#include "generate.h"

enum { SIZE, CELLS };

static void fill(sn_mesh *mesh, const double size[2], const int64_t cells[2]) {
    double *x = mesh->position;
    for (int64_t j = 0; j <= cells[1]; ++j)
        for (int64_t i = 0; i <= cells[0]; ++i, x += 3) {
            x[0] = size[0] * ((double)i / (double)cells[0]);
            x[1] = size[1] * ((double)j / (double)cells[1]);
            x[2] = 0;
        }
    static const uint8_t half[2][2][3] = {{{0, 1, 3}, {0, 3, 2}},
                                          {{0, 1, 2}, {1, 3, 2}}}; /* corners as bits: 1 = +x, 2 = +y */
    int32_t *t = mesh->triangle;
    const int64_t row = cells[0] + 1;
    for (int64_t j = 0; j < cells[1]; ++j)
        for (int64_t i = 0; i < cells[0]; ++i)
            for (int k = 0; k < 6; ++k) {
                const int corner = half[(i + j) & 1][k / 3][k % 3];
                *t++ = (int32_t)((j + (corner >> 1)) * row + i + (corner & 1));
            }
}

static sn_status add_sides(sn_mesh *mesh, const int64_t cells[2], const char *const name[4], sn_error *error) {
    uint8_t *mark = sn_allocate(mesh->context, (size_t)mesh->node_count, 1);
    if (!mark) return sn_no_memory(error);
    int64_t node = 0;
    for (int64_t j = 0; j <= cells[1]; ++j)
        for (int64_t i = 0; i <= cells[0]; ++i)
            mark[node++] = (uint8_t)((i == 0) | (i == cells[0]) << 1 | (j == 0) << 2 | (j == cells[1]) << 3);
    sn_status status = SN_OK;
    for (int s = 0; s < 4 && !status; ++s) status = sn_mesh_add_marked(mesh, name[s], mark, (uint8_t)(1u << s), error);
    sn_release(mesh->context, mark);
    return status;
}

sn_status sn_rectangle(sn_context *context, const char *generator, const double size[2], const double counts[2],
                       const char *const side[4], sn_mesh **mesh, sn_error *error) {
    const int64_t cells[2] = {(int64_t)counts[0], (int64_t)counts[1]};
    sn_mesh *m;
    sn_status status =
        sn_generate_create(context, generator, (cells[0] + 1) * (cells[1] + 1), 0, 2 * cells[0] * cells[1], &m, error);
    if (status) return status;
    fill(m, size, cells);
    status = add_sides(m, cells, side, error);
    if (status)
        sn_mesh_destroy(m);
    else
        *mesh = m;
    return status;
}

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    static const char *const side[4] = {"x-", "x+", "y-", "y+"};
    return sn_rectangle(context, "rectangle", value[SIZE], value[CELLS], side, mesh, error);
}

const sn_generator sn_generator_rectangle = {
    .parameter = {{"size", 2, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {1, 1}}, {"cells", 2, true, 1, 1e9, {8, 8}}},
    .generate = generate};
