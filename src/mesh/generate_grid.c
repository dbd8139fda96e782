/* Grid: a level sheet of triangles in the plane y = 0, about the origin, for cloth. It is a rectangle
 * (generate_rectangle.c) whose y axis points along -z, so that its triangles are counter-clockwise seen from above. */
#include "generate.h"

enum { SIZE, CELLS };

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    static const char *const side[4] = {"x-", "x+", "z+", "z-"};
    const sn_status status = sn_rectangle(context, "grid", value[SIZE], value[CELLS], side, mesh, error);
    for (int i = 0; !status && i < (*mesh)->node_count; ++i) {
        double *x = (*mesh)->position + 3 * (size_t)i;
        x[0] -= 0.5 * value[SIZE][0];
        x[2] = 0.5 * value[SIZE][1] - x[1];
        x[1] = 0;
    }
    return status;
}

const sn_generator sn_generator_grid = {
    .parameter = {{"size", 2, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {1, 1}}, {"cells", 2, true, 1, 1e9, {20, 20}}},
    .generate = generate};
