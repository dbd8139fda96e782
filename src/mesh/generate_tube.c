/* Tube: a hollow cylinder along y from y = 0. Cells in rings, cut like Kuhn's; nodes from the inside outwards fastest,
 * then around, then along. */
#include <math.h>

#include "generate.h"

enum { RADIUS, INNER, LENGTH, CELLS };

static void fill_tets(sn_mesh *m, int64_t around, int64_t through, int64_t along) {
    int32_t *tet = m->tet;
    const int64_t spoke = through + 1, layer = spoke * around;
    for (int64_t k = 0; k < along; ++k)
        for (int64_t j = 0; j < around; ++j)
            for (int64_t i = 0; i < through; ++i)
                for (int t = 0; t < 6; ++t)
                    for (int c = 0; c < 4; ++c) {
                        const uint8_t corner = sn_kuhn_tet[t][c];
                        *tet++ = (int32_t)(i + (corner & 1) + spoke * ((j + (corner >> 1 & 1)) % around) +
                                           layer * (k + (corner >> 2)));
                    }
}

static sn_status fill(sn_mesh *m, const double value[][3], int around, int through, int along, sn_error *error) {
    static const char *const name[4] = {"y-", "y+", "inner", "outer"};
    uint8_t *mark = sn_allocate(m->context, (size_t)m->node_count, 1);
    if (!mark) return sn_no_memory(error);
    double *x = m->position;
    int64_t node = 0;
    for (int64_t k = 0; k <= along; ++k)
        for (int64_t j = 0; j < around; ++j) {
            const double angle = 6.283185307179586 * (double)j / around, c = cos(angle), s = sin(angle);
            for (int64_t i = 0; i <= through; ++i, x += 3) {
                const double r = value[INNER][0] + (value[RADIUS][0] - value[INNER][0]) * ((double)i / through);
                x[0] = r * c; /* outwards, around (from x to -z) and y make a right-handed frame */
                x[1] = value[LENGTH][0] * ((double)k / along);
                x[2] = -r * s;
                mark[node++] = (uint8_t)((k == 0) | (k == along) << 1 | (i == 0) << 2 | (i == through) << 3);
            }
        }
    fill_tets(m, around, through, along);
    sn_status status = SN_OK;
    for (int g = 0; g < 4 && !status; ++g) status = sn_mesh_add_marked(m, name[g], mark, (uint8_t)(1u << g), error);
    sn_release(m->context, mark);
    return status;
}

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    const int around = (int)value[CELLS][0], through = (int)value[CELLS][1], along = (int)value[CELLS][2];
    if (around < 3) return sn_fail(error, SN_BAD_INPUT, "tube.cells has %d around; at least 3 are needed", around);
    if (value[INNER][0] < 0.001 * value[RADIUS][0] ||
        value[INNER][0] > 0.999 * value[RADIUS][0]) /* beyond, tets become flat */
        return sn_fail(error, SN_BAD_INPUT, "tube.inner is %g; it must be from %g to %g (0.001 to 0.999 of the radius)",
                       value[INNER][0], 0.001 * value[RADIUS][0], 0.999 * value[RADIUS][0]);
    const double nodes = (double)around * (through + 1.0) * (along + 1.0), tets = 6.0 * around * through * along;
    sn_mesh *m;
    sn_status status = sn_generate_create(context, "tube", (int64_t)nodes, (int64_t)tets, 0, &m, error);
    if (status) return status;
    status = fill(m, value, around, through, along, error);
    if (status)
        sn_mesh_destroy(m);
    else
        *mesh = m;
    return status;
}

const sn_generator sn_generator_tube = {.parameter = {{"radius", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {0.5}},
                                                      {"inner", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {0.4}},
                                                      {"length", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {2}},
                                                      {"cells", 3, true, 1, 1e5, {24, 1, 20}}},
                                        .generate = generate};
