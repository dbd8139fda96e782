/* Cylinder: a disc of rings in the xz plane, swept along y from y = 0 to y = length; nodes layer by layer. */
#include "generate.h"

enum { RADIUS, LENGTH, CELLS };

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    static const char *const group[3] = {"y-", "y+", "side"};
    const int rings = (int)value[CELLS][0], along = (int)value[CELLS][1];
    const sn_status status = sn_disc_stack(context, "cylinder", rings, along, group, mesh, error);
    if (status) return status;
    double *x = (*mesh)->position;
    for (int64_t k = 0; k <= along; ++k)
        for (int64_t p = 0; p < sn_disc_points(rings); ++p, x += 3) {
            double u, v;
            sn_disc_position(rings, p, &u, &v);
            x[0] = value[RADIUS][0] * u;
            x[1] = value[LENGTH][0] * ((double)k / along);
            x[2] = -value[RADIUS][0] * v; /* x, -z and y make a right-handed frame */
        }
    return SN_OK;
}

const sn_generator sn_generator_cylinder = {.parameter = {{"radius", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {0.5}},
                                                          {"length", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {2}},
                                                          {"cells", 2, true, 1, 1e5, {4, 16}}},
                                            .generate = generate};
