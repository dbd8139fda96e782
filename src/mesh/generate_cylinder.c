/* Cylinder: a disc of rings in the xz plane, swept along y from y = 0 to y = length; nodes layer by layer. */
#include "generate.h"

enum { RADIUS, LENGTH, CELLS };

static sn_status fill(sn_mesh *m, const double value[][3], int rings, int along, sn_error *error) {
    const int64_t points = sn_disc_points(rings), rim = sn_disc_points(rings - 1);
    uint8_t *mark = sn_allocate(m->context, (size_t)m->node_count, 1);
    if (!mark) return sn_no_memory(error);
    double *x = m->position;
    for (int64_t k = 0; k <= along; ++k)
        for (int64_t p = 0; p < points; ++p, x += 3) {
            double u, v;
            sn_disc_position(rings, p, &u, &v);
            x[0] = value[RADIUS][0] * u;
            x[1] = value[LENGTH][0] * ((double)k / along);
            x[2] = -value[RADIUS][0] * v; /* x, -z and y make a right-handed frame */
            mark[k * points + p] = (uint8_t)((k == 0) | (k == along) << 1 | (p >= rim) << 2);
        }
    sn_disc_sweep(rings, along, m->tet);
    sn_status status = sn_mesh_add_marked(m, "y-", mark, 1, error);
    if (!status) status = sn_mesh_add_marked(m, "y+", mark, 2, error);
    if (!status) status = sn_mesh_add_marked(m, "side", mark, 4, error);
    sn_release(m->context, mark);
    return status;
}

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    const int rings = (int)value[CELLS][0], along = (int)value[CELLS][1];
    sn_mesh *m;
    sn_status status = sn_generate_create(context, "cylinder", sn_disc_points(rings) * (along + 1),
                                          3 * sn_disc_triangles(rings) * along, 0, &m, error);
    if (status) return status;
    status = fill(m, value, rings, along, error);
    if (status)
        sn_mesh_destroy(m);
    else
        *mesh = m;
    return status;
}

const sn_generator sn_generator_cylinder = {.parameter = {{"radius", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {0.5}},
                                                          {"length", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {2}},
                                                          {"cells", 2, true, 1, 1e5, {4, 16}}},
                                            .generate = generate};
