/* A creature at a wanted number of triangles.
 *
 * The number of raw triangles goes like area / spacing^2. A first surface fine enough for every feature gives the
 * constant; the final one has about 1.6 times the wanted triangles (never fewer than the first), and the shortest edges
 * are then collapsed to the exact number. */
#include <math.h>
#include <string.h>

#include "creature.h"

static const double FIRST = 0.016, SPARE = 1.6; /* spacing in unit size; raw triangles per wanted one */

static sn_status add_groups(const sn_creature *creature, const sn_sampling *sampling, sn_mesh *m, sn_error *error) {
    int32_t *part = sn_allocate(m->context, (size_t)m->node_count, sizeof *part);
    uint8_t *mark = sn_allocate(m->context, (size_t)m->node_count, 1);
    sn_status status = part && mark ? SN_OK : sn_no_memory(error);
    for (int i = 0; i < m->node_count && !status; ++i)
        sn_sampling_field(sampling, m->position + (size_t)i * 3, &part[i]);
    for (int p = 0; p < creature->part_count && !status; ++p) {
        if (!creature->group[p] || sn_mesh_find_group(m, creature->group[p])) continue;
        for (int i = 0; i < m->node_count; ++i)
            mark[i] = creature->group[part[i]] && strcmp(creature->group[part[i]], creature->group[p]) == 0;
        status = sn_mesh_add_marked(m, creature->group[p], mark, 1, error);
    }
    sn_release(m->context, part);
    sn_release(m->context, mark);
    return status;
}

/* Scales and puts the lowest point on y = 0. */
static void place(sn_mesh *m, double size) {
    double lowest = INFINITY;
    for (int i = 0; i < m->node_count; ++i) lowest = fmin(lowest, m->position[(size_t)i * 3 + 1]);
    for (int i = 0; i < m->node_count; ++i) {
        double *x = m->position + (size_t)i * 3;
        x[1] -= lowest;
        for (int a = 0; a < 3; ++a) x[a] *= size;
    }
}

static sn_status finish(const sn_creature *creature, const sn_sampling *sampling, const sn_soup *soup, double size,
                        sn_mesh **mesh, sn_error *error) {
    sn_mesh *m;
    sn_status status = sn_mesh_create(soup->context, soup->node_count, 0, 4, soup->triangle_count, &m, error);
    if (status) return status;
    memcpy(m->position, soup->position, (size_t)soup->node_count * 3 * sizeof *m->position);
    memcpy(m->triangle, soup->triangle, (size_t)soup->triangle_count * 3 * sizeof *m->triangle);
    status = add_groups(creature, sampling, m, error);
    place(m, size);
    if (status)
        sn_mesh_destroy(m);
    else
        *mesh = m;
    return status;
}

sn_status sn_creature_mesh(sn_context *context, const sn_creature *creature, int triangles, double size, sn_mesh **mesh,
                           sn_error *error) {
    sn_sampling sampling;
    sn_soup soup;
    double spacing = FIRST;
    sn_status status = sn_creature_polygonise(context, creature, spacing, &sampling, &soup, error);
    for (int attempt = 0; attempt < 4 && !status && soup.triangle_count < 1.3 * triangles; ++attempt) {
        spacing *= sqrt(soup.triangle_count / (SPARE * triangles));
        sn_soup_destroy(&soup);
        sn_sampling_destroy(context, &sampling);
        status = sn_creature_polygonise(context, creature, spacing, &sampling, &soup, error);
    }
    if (status) return status;
    status = sn_soup_improve(&soup, &sampling, triangles - triangles % 2, error);
    if (!status) status = finish(creature, &sampling, &soup, size, mesh, error);
    sn_soup_destroy(&soup);
    sn_sampling_destroy(context, &sampling);
    return status;
}
