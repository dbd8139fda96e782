/* See rigid_body.h. */
#include "rigid_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"

/* ---- Mesh ---- */
static int by_edge(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The number of edges (p, q) of the triangles that are not met by exactly one edge (q, p). */
static sn_status count_open(const sn_mesh *mesh, int64_t *open, sn_error *error) {
    const size_t count = 3 * (size_t)mesh->triangle_count;
    int64_t *edge = sn_allocate(mesh->context, count, sizeof *edge);
    if (!edge) return sn_no_memory(error);
    for (size_t i = 0; i < count; ++i)
        edge[i] = (int64_t)mesh->triangle[i] << 32 | mesh->triangle[i % 3 == 2 ? i - 2 : i + 1];
    qsort(edge, count, sizeof *edge, by_edge);
    *open = 0;
    for (size_t i = 0; i < count; ++i) {
        const int64_t back = (int64_t)((uint64_t)edge[i] << 32 | (uint64_t)edge[i] >> 32);
        const bool twice = i > 0 && edge[i] == edge[i - 1];
        *open += twice || !bsearch(&back, edge, count, sizeof *edge, by_edge);
    }
    sn_release(mesh->context, edge);
    return SN_OK;
}

static sn_status check_surface(const sn_mesh *mesh, sn_error *error) {
    for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i)
        if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->node_count)
            return sn_fail_at(error, SN_BAD_INPUT, "mesh", "triangle %lld names node %d of %d nodes",
                              (long long)(i / 3), mesh->triangle[i], mesh->node_count);
    int64_t open = 0;
    const sn_status status = count_open(mesh, &open, error);
    if (status || open == 0) return status;
    return sn_fail_at(error, SN_BAD_INPUT, "mesh",
                      "the surface is not closed: %lld edges have no triangle on their other side, or more than one; a "
                      "rigid body needs a closed surface or tets",
                      (long long)open);
}

/* Tets from the triangles to the apex, positive when the triangles are counter-clockwise seen from outside. */
static void make_cone(sn_mesh *mesh, int32_t apex) {
    for (int64_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t *from = mesh->triangle + 3 * t, tet[4] = {from[0], from[2], from[1], apex};
        memcpy(mesh->tet + 4 * t, tet, sizeof tet);
    }
}

static sn_status copy_groups(const sn_mesh *from, sn_mesh *to, sn_error *error) {
    sn_status status = SN_OK;
    for (int g = 0; g < from->group_count && !status; ++g)
        status = sn_mesh_add_group(to, from->group[g].name, from->group[g].kind, from->group[g].member,
                                   from->group[g].count, error);
    return status;
}

static sn_status copy_labels(const sn_mesh *from, sn_mesh *to, sn_error *error) {
    if (!from->node_label) return SN_OK;
    to->node_label = sn_allocate(to->context, (size_t)to->node_count, sizeof *to->node_label);
    if (!to->node_label) return sn_no_memory(error);
    int64_t largest = 0;
    for (int i = 0; i < from->node_count; ++i) {
        to->node_label[i] = from->node_label[i];
        if (from->node_label[i] > largest) largest = from->node_label[i];
    }
    for (int i = from->node_count; i < to->node_count; ++i) to->node_label[i] = ++largest;
    return SN_OK;
}

sn_status sn_rigid_body_take(const sn_body_options *options, sn_body *body, sn_error *error) {
    const sn_mesh *mesh = options->mesh;
    const bool cone = mesh->tet_count == 0;
    if (cone && mesh->triangle_count == 0)
        return sn_fail_at(error, SN_BAD_INPUT, "mesh", "the mesh has neither tets nor triangles");
    sn_status status = cone ? check_surface(mesh, error) : SN_OK;
    if (status) return status;
    const int tets = cone ? mesh->triangle_count : mesh->tet_count, nodes = cone ? 4 : mesh->tet_nodes;
    body->type = body->element = sn_element_find(nodes == 10 ? "tet10" : "tet4");
    status = sn_mesh_create(mesh->context, mesh->node_count + SN_RIGID_NODES, tets, nodes, mesh->triangle_count,
                            &body->mesh, error);
    if (status) return status;
    sn_mesh *own = body->mesh;
    memcpy(own->position, mesh->position, 3 * (size_t)mesh->node_count * sizeof(double));
    for (int i = 3 * mesh->node_count; i < 3 * own->node_count; ++i) own->position[i] = mesh->position[i % 3];
    if (mesh->triangle_count) memcpy(own->triangle, mesh->triangle, 3 * (size_t)mesh->triangle_count * sizeof(int32_t));
    if (cone)
        make_cone(own, mesh->node_count);
    else
        memcpy(own->tet, mesh->tet, (size_t)tets * (size_t)nodes * sizeof(int32_t));
    status = copy_labels(mesh, own, error);
    return status ? status : copy_groups(mesh, own, error);
}

/* ---- Mass ---- */
/* Mass, and the first and second moments about the origin. */
typedef struct moments {
    double mass, first[3], second[9];
} moments;

static void add_tet(const sn_mesh *mesh, int64_t e, double density, const double origin[3], moments *m,
                    double *volume) {
    double p[4][3], a[3], b[3], c[3], n[3], sum[3] = {0};
    for (int i = 0; i < 4; ++i)
        sn_subtract3(mesh->position + 3 * (int64_t)mesh->tet[e * mesh->tet_nodes + i], origin, p[i]);
    sn_subtract3(p[1], p[0], a), sn_subtract3(p[2], p[0], b), sn_subtract3(p[3], p[0], c);
    sn_cross3(a, b, n);
    const double own = sn_dot3(n, c) / 6, mass = density * own;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) sum[k] += p[i][k];
    *volume += own;
    m->mass += mass;
    for (int k = 0; k < 3; ++k) {
        m->first[k] += 0.25 * mass * sum[k];
        for (int l = 0; l < 3; ++l) {
            double square = sum[k] * sum[l];
            for (int i = 0; i < 4; ++i) square += p[i][k] * p[i][l];
            m->second[3 * k + l] += mass / 20 * square; /* int x x^T dV over a tet */
        }
    }
}

/* The moments that are left for the four nodes when the part f of the mass is spread over the others. */
static moments rest_of(const moments *all, const moments *spread, double f) {
    moments rest = {.mass = (1 - f) * all->mass};
    for (int k = 0; k < 3; ++k) rest.first[k] = all->first[k] - f * all->mass * spread->first[k];
    for (int k = 0; k < 9; ++k) rest.second[k] = all->second[k] - f * all->mass * spread->second[k];
    return rest;
}

/* J / M about the centre. */
static void central(const moments *m, double centre[3], double J[9]) {
    for (int k = 0; k < 3; ++k) centre[k] = m->first[k] / m->mass;
    for (int k = 0; k < 9; ++k) J[k] = m->second[k] / m->mass - centre[k / 3] * centre[k % 3];
}

/* J = L L^T, L lower, row by row. Returns false when a pivot is below `least` of its diagonal entry in `whole`. */
static bool factor(const double J[9], const double whole[9], double least, double L[9]) {
    memset(L, 0, 9 * sizeof *L);
    for (int j = 0; j < 3; ++j) {
        double pivot = J[4 * j];
        for (int k = 0; k < j; ++k) pivot -= L[3 * j + k] * L[3 * j + k];
        if (!(pivot > least * whole[4 * j])) return false;
        L[4 * j] = sqrt(pivot);
        for (int i = j + 1; i < 3; ++i) {
            double sum = J[3 * i + j];
            for (int k = 0; k < j; ++k) sum -= L[3 * i + k] * L[3 * j + k];
            L[3 * i + j] = sum / L[4 * j];
        }
    }
    return true;
}

/* Places the four nodes and gives all nodes their masses. */
static bool spread_mass(const moments *all, sn_mesh *mesh, const double origin[3], double *mass) {
    static const double sign[SN_RIGID_NODES][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const int nodes = mesh->node_count - SN_RIGID_NODES;
    moments spread = {.mass = 1};
    for (int i = 0; i < nodes; ++i) {
        double p[3];
        sn_subtract3(mesh->position + 3 * (int64_t)i, origin, p);
        for (int k = 0; k < 3; ++k) spread.first[k] += p[k] / nodes;
        for (int k = 0; k < 9; ++k) spread.second[k] += p[k / 3] * p[k % 3] / nodes;
    }
    double whole[9], centre[3], J[9], L[9], f = 0.5;
    central(all, centre, whole);
    if (!factor(whole, whole, 1e-12, L)) return false;
    moments rest = rest_of(all, &spread, f);
    for (int i = 0; central(&rest, centre, J), !factor(J, whole, 0.05, L); ++i) {
        f = i < 12 ? 0.5 * f : 0;
        rest = rest_of(all, &spread, f);
        if (f == 0 && i > 12) return false;
    }
    for (int i = 0; i < nodes; ++i) mass[i] = f * all->mass / nodes;
    for (int i = 0; i < SN_RIGID_NODES; ++i) {
        double arm[3];
        sn_multiply_vector3(L, sign[i], arm);
        mass[nodes + i] = rest.mass / SN_RIGID_NODES;
        for (int k = 0; k < 3; ++k) mesh->position[3 * (int64_t)(nodes + i) + k] = origin[k] + centre[k] + arm[k];
    }
    return true;
}

static double density_of(const sn_body_options *options, int material) {
    return options->material_count > 0 ? options->material[material].density : sn_material_default().density;
}

/* A surface that is inside out has a negative volume: turns all triangles and tets. */
static void turn(sn_mesh *mesh, bool cone) {
    for (int64_t t = 0; t < mesh->triangle_count && cone; ++t) {
        int32_t *triangle = mesh->triangle + 3 * t, second = triangle[1];
        triangle[1] = triangle[2], triangle[2] = second;
    }
    if (cone) make_cone(mesh, mesh->node_count - SN_RIGID_NODES);
}

static moments measure(const sn_body_options *options, const sn_body *body, const double origin[3], double *volume) {
    moments all = {0};
    for (int e = 0; e < body->mesh->tet_count; ++e) {
        const int material = body->material[e];
        add_tet(body->mesh, e, density_of(options, material), origin, &all, &volume[material]);
    }
    return all;
}

sn_status sn_rigid_body_weigh(sn_context *context, const sn_body_options *options, sn_body *body, sn_error *error) {
    sn_mesh *mesh = body->mesh;
    const int materials = options->material_count > 0 ? options->material_count : 1;
    const bool cone = options->mesh->tet_count == 0;
    sn_rigid *rigid = sn_allocate_zero(context, 1, sizeof *rigid);
    body->rigid = rigid;
    if (!rigid) return sn_no_memory(error);
    rigid->mass = sn_allocate_zero(context, (size_t)mesh->node_count, sizeof *rigid->mass);
    rigid->volume = sn_allocate_zero(context, (size_t)materials, sizeof *rigid->volume);
    if (!rigid->mass || !rigid->volume) return sn_no_memory(error);
    const double origin[3] = {mesh->position[0], mesh->position[1], mesh->position[2]};
    moments all = measure(options, body, origin, rigid->volume);
    if (all.mass < 0 && cone) {
        turn(mesh, cone);
        memset(rigid->volume, 0, (size_t)materials * sizeof *rigid->volume);
        all = measure(options, body, origin, rigid->volume);
    }
    rigid->total = all.mass;
    if (!(all.mass > 0) || !isfinite(all.mass) || !spread_mass(&all, mesh, origin, rigid->mass))
        return sn_fail_at(
            error, SN_BAD_INPUT, "mesh",
            "the mesh of a rigid body encloses a mass of %g kg; it needs a volume in all three directions", all.mass);
    return SN_OK;
}

double sn_rigid_body_scale(const sn_body *body, const sn_material *material) {
    double total = 0;
    for (int m = 0; m < body->material_count; ++m) total += material[m].density * body->rigid->volume[m];
    return total / body->rigid->total;
}

void sn_rigid_body_release(sn_context *context, sn_rigid *rigid) {
    if (!rigid) return;
    sn_release(context, rigid->mass);
    sn_release(context, rigid->volume);
    sn_release(context, rigid);
}
