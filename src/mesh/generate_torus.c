/* Torus: a disc swept about the y axis; `radius` from the axis to the core, `minor` from the core to the surface.
 * Neighbouring discs span prisms whose sides are plane, so every tet is positive as long as the disc stays clear of the
 * axis. */
#include <math.h>

#include "generate.h"

enum { RADIUS, MINOR, CELLS };

static sn_status fill(sn_mesh *m, const double value[][3], int around, int rings, sn_error *error) {
    const int64_t points = sn_disc_points(rings), rim = sn_disc_points(rings - 1), triangles = sn_disc_triangles(rings);
    uint8_t *mark = sn_allocate(m->context, (size_t)m->node_count, 1);
    if (!mark) return sn_no_memory(error);
    double *x = m->position;
    for (int64_t k = 0; k < around; ++k) {
        const double angle = 6.283185307179586 * (double)k / around, c = cos(angle), s = sin(angle);
        for (int64_t p = 0; p < points; ++p, x += 3) {
            double u, v;
            sn_disc_position(rings, p, &u, &v);
            const double r = value[RADIUS][0] + value[MINOR][0] * v;
            x[0] = r * c; /* y, the radial direction and the sweep make a right-handed frame */
            x[1] = value[MINOR][0] * u;
            x[2] = -r * s;
            mark[k * points + p] = p >= rim;
        }
    }
    int32_t *tet = m->tet, corner[3], prism[6];
    for (int64_t k = 0; k < around; ++k)
        for (int64_t t = 0; t < triangles; ++t, tet += 12) {
            sn_disc_triangle(t, corner);
            for (int c = 0; c < 3; ++c) {
                prism[c] = (int32_t)(corner[c] + k * points);
                prism[3 + c] = (int32_t)(corner[c] + (k + 1) % around * points);
            }
            sn_prism_to_tets(prism, tet);
        }
    const sn_status status = sn_mesh_add_marked(m, "surface", mark, 1, error);
    sn_release(m->context, mark);
    return status;
}

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    const int around = (int)value[CELLS][0], rings = (int)value[CELLS][1];
    if (around < 3) return sn_fail(error, SN_BAD_INPUT, "torus.cells has %d around; at least 3 are needed", around);
    if (value[MINOR][0] > 0.99 * value[RADIUS][0])
        return sn_fail(error, SN_BAD_INPUT, "torus.minor is %g; it must be at most 0.99 of the radius, %g",
                       value[MINOR][0], 0.99 * value[RADIUS][0]);
    sn_mesh *m;
    sn_status status = sn_generate_create(context, "torus", sn_disc_points(rings) * around,
                                          3 * sn_disc_triangles(rings) * around, 0, &m, error);
    if (status) return status;
    status = fill(m, value, around, rings, error);
    if (status)
        sn_mesh_destroy(m);
    else
        *mesh = m;
    return status;
}

const sn_generator sn_generator_torus = {.parameter = {{"radius", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {1}},
                                                       {"minor", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {0.3}},
                                                       {"cells", 2, true, 1, 1e5, {48, 3}}},
                                         .generate = generate};
