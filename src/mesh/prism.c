/* Discs and prisms, from which cylinders and rings are swept.
 *
 * Cut of a prism: J. Dompierre et al., How to subdivide pyramids, prisms and hexahedra into tetrahedra, 8th Meshing
 * Roundtable, 1999. */
#include <math.h>

#include "generate.h"

void sn_prism_to_tets(const int32_t node[6], int32_t *tet) {
    /* The prism turned so that its smallest node comes first. */
    static const uint8_t turn[6][6] = {{0, 1, 2, 3, 4, 5}, {1, 2, 0, 4, 5, 3}, {2, 0, 1, 5, 3, 4},
                                       {3, 5, 4, 0, 2, 1}, {4, 3, 5, 1, 0, 2}, {5, 4, 3, 2, 1, 0}};
    static const uint8_t cut[2][3][4] = {{{0, 1, 2, 5}, {0, 1, 5, 4}, {0, 4, 5, 3}},
                                         {{0, 1, 2, 4}, {0, 4, 2, 5}, {0, 4, 5, 3}}};
    int least = 0;
    for (int i = 1; i < 6; ++i)
        if (node[i] < node[least]) least = i;
    int32_t v[6];
    for (int i = 0; i < 6; ++i) v[i] = node[turn[least][i]];
    const int32_t one = v[1] < v[5] ? v[1] : v[5], other = v[2] < v[4] ? v[2] : v[4];
    for (int t = 0; t < 3; ++t)
        for (int k = 0; k < 4; ++k) *tet++ = v[cut[one < other ? 0 : 1][t][k]];
}

/* Ring k >= 1 holds 6 k points from 1 + 3 k (k - 1) on; between rings k - 1 and k lie 6 (2 k - 1) triangles from 6 (k -
 * 1)^2 on. */
void sn_disc_position(int rings, int64_t point, double *u, double *v) {
    *u = *v = 0;
    if (point == 0) return;
    int64_t k = (int64_t)((3 + sqrt(12.0 * (double)point - 3)) / 6);
    while (1 + 3 * k * (k - 1) > point) --k;
    while (1 + 3 * k * (k + 1) <= point) ++k;
    const double angle = 1.0471975511965976 * (double)(point - 1 - 3 * k * (k - 1)) / (double)k, r = (double)k / rings;
    *u = r * cos(angle);
    *v = r * sin(angle);
}

static int32_t ring_point(int64_t k, int64_t i) { return k == 0 ? 0 : (int32_t)(1 + 3 * k * (k - 1) + i % (6 * k)); }

void sn_disc_triangle(int64_t triangle, int32_t point[3]) {
    int64_t k = 1 + (int64_t)sqrt((double)triangle / 6);
    while (6 * (k - 1) * (k - 1) > triangle) --k;
    while (6 * k * k <= triangle) ++k;
    const int64_t rest = triangle - 6 * (k - 1) * (k - 1), sector = rest / (2 * k - 1), q = rest % (2 * k - 1),
                  i = q / 2;
    point[0] = q & 1 ? ring_point(k - 1, sector * (k - 1) + i) : ring_point(k, sector * k + i);
    point[1] = ring_point(k, sector * k + i + 1);
    point[2] = q & 1 ? ring_point(k - 1, sector * (k - 1) + i + 1) : ring_point(k - 1, sector * (k - 1) + i);
}

/* The tets between the discs. */
static void sweep(int rings, int along, int32_t *tet) {
    const int64_t points = sn_disc_points(rings), triangles = sn_disc_triangles(rings);
    int32_t corner[3], prism[6];
    for (int64_t k = 0; k < along; ++k)
        for (int64_t t = 0; t < triangles; ++t, tet += 12) {
            sn_disc_triangle(t, corner);
            for (int c = 0; c < 3; ++c) {
                prism[c] = (int32_t)(corner[c] + k * points);
                prism[3 + c] = (int32_t)(corner[c] + (k + 1) * points);
            }
            sn_prism_to_tets(prism, tet);
        }
}

static sn_status mark_groups(sn_mesh *m, int rings, int along, const char *const group[3], sn_error *error) {
    const int64_t points = sn_disc_points(rings), rim = sn_disc_points(rings - 1);
    uint8_t *mark = sn_allocate(m->context, (size_t)m->node_count, 1);
    if (!mark) return sn_no_memory(error);
    for (int64_t k = 0; k <= along; ++k)
        for (int64_t p = 0; p < points; ++p)
            mark[k * points + p] = (uint8_t)((k == 0) | (k == along) << 1 | (p >= rim) << 2);
    sn_status status = SN_OK;
    for (int g = 0; g < 3 && !status; ++g) status = sn_mesh_add_marked(m, group[g], mark, (uint8_t)(1u << g), error);
    sn_release(m->context, mark);
    return status;
}

sn_status sn_disc_stack(sn_context *context, const char *generator, int rings, int along, const char *const group[3],
                        sn_mesh **mesh, sn_error *error) {
    sn_mesh *m;
    sn_status status = sn_generate_create(context, generator, sn_disc_points(rings) * (along + 1),
                                          3 * sn_disc_triangles(rings) * along, 0, &m, error);
    if (status) return status;
    sweep(rings, along, m->tet);
    status = mark_groups(m, rings, along, group, error);
    if (status)
        sn_mesh_destroy(m);
    else
        *mesh = m;
    return status;
}
