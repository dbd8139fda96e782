/* Life of a mesh: creation, copies, groups, and motions of the rest shape. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/math3.h"
#include "mesh_internal.h"

const uint8_t sn_tet_edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
const uint8_t sn_tet_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

sn_status sn_mesh_create(sn_context *context, int nodes, int tets, int tet_nodes, int triangles, sn_mesh **mesh,
                         sn_error *error) {
    if (nodes < 0 || tets < 0 || triangles < 0)
        return sn_fail(error, SN_BAD_INPUT, "a mesh of %d nodes, %d tets and %d triangles: counts must be 0 or more",
                       nodes, tets, triangles);
    if (tet_nodes != 4 && tet_nodes != 10)
        return sn_fail(error, SN_BAD_INPUT, "tets of %d nodes; allowed are 4 and 10", tet_nodes);
    sn_mesh *m = sn_allocate_zero(context, 1, sizeof *m);
    if (!m) return sn_no_memory(error);
    m->context = context;
    m->node_count = nodes;
    m->tet_count = tets;
    m->tet_nodes = tet_nodes;
    m->triangle_count = triangles;
    m->position = sn_allocate_zero(context, (size_t)nodes * 3, sizeof *m->position);
    m->tet = sn_allocate_zero(context, (size_t)tets * (size_t)tet_nodes, sizeof *m->tet);
    m->triangle = sn_allocate_zero(context, (size_t)triangles * 3, sizeof *m->triangle);
    if (!m->position || !m->tet || !m->triangle) {
        sn_mesh_destroy(m);
        return sn_no_memory(error);
    }
    *mesh = m;
    return SN_OK;
}

void sn_mesh_destroy(sn_mesh *mesh) {
    if (!mesh) return;
    const sn_context *context = mesh->context;
    for (int i = 0; i < mesh->group_count; ++i) sn_release(context, mesh->group[i].member);
    for (int i = 0; i < mesh->field_count; ++i) sn_release(context, mesh->field[i].value);
    void *const array[] = {mesh->group,      mesh->position,   mesh->tet,       mesh->triangle,
                           mesh->node_level, mesh->node_label, mesh->tet_label, mesh->triangle_label,
                           mesh->field,      mesh->node_parent};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_release(context, mesh);
}

sn_status sn_mesh_reserve_levels(sn_mesh *mesh, int count, sn_error *error) {
    const size_t n = (size_t)mesh->node_count;
    mesh->node_level = sn_allocate_zero(mesh->context, n, 1);
    mesh->node_parent = sn_allocate(mesh->context, 2 * n, sizeof *mesh->node_parent);
    if (!mesh->node_level || !mesh->node_parent) return sn_no_memory(error);
    for (size_t i = 0; i < 2 * n; ++i) mesh->node_parent[i] = -1;
    mesh->level_count = count;
    return SN_OK;
}

void sn_mesh_copy_levels(const sn_mesh *source, sn_mesh *mesh) {
    const size_t n = (size_t)source->node_count;
    if (!source->node_level) return;
    memcpy(mesh->node_level, source->node_level, n);
    memcpy(mesh->node_parent, source->node_parent, 2 * n * sizeof *mesh->node_parent);
}

static sn_status copy_labels(const sn_context *context, const int64_t *from, int count, int64_t **to, sn_error *error) {
    if (!from) return SN_OK;
    *to = sn_allocate(context, (size_t)count, sizeof **to);
    if (!*to) return sn_no_memory(error);
    memcpy(*to, from, (size_t)count * sizeof **to);
    return SN_OK;
}

/* An array without items may be NULL. */
static void copy_items(void *to, const void *from, size_t bytes) {
    if (bytes > 0) memcpy(to, from, bytes);
}

sn_status sn_mesh_copy(const sn_mesh *source, sn_mesh **mesh, sn_error *error) {
    sn_mesh *m;
    sn_status status = sn_mesh_create(source->context, source->node_count, source->tet_count, source->tet_nodes,
                                      source->triangle_count, &m, error);
    if (status) return status;
    copy_items(m->position, source->position, (size_t)m->node_count * 3 * sizeof *m->position);
    copy_items(m->tet, source->tet, (size_t)m->tet_count * (size_t)m->tet_nodes * sizeof *m->tet);
    copy_items(m->triangle, source->triangle, (size_t)m->triangle_count * 3 * sizeof *m->triangle);
    status = copy_labels(m->context, source->node_label, m->node_count, &m->node_label, error);
    if (!status) status = copy_labels(m->context, source->tet_label, m->tet_count, &m->tet_label, error);
    if (!status) status = copy_labels(m->context, source->triangle_label, m->triangle_count, &m->triangle_label, error);
    if (!status && source->node_level) {
        status = sn_mesh_reserve_levels(m, source->level_count, error);
        if (!status) sn_mesh_copy_levels(source, m);
    }
    for (int i = 0; i < source->group_count && !status; ++i) {
        const sn_group *g = &source->group[i];
        status = sn_mesh_add_group(m, g->name, g->kind, g->member, g->count, error);
    }
    for (int i = 0; i < source->field_count && !status; ++i)
        status = sn_mesh_add_field(m, source->field[i].name, source->field[i].value, error);
    if (status) {
        sn_mesh_destroy(m);
        return status;
    }
    *mesh = m;
    return SN_OK;
}

/* ---- Fields ---- */
static size_t cell_count(const sn_mesh *mesh) {
    return (size_t)(mesh->tet_count ? mesh->tet_count : mesh->triangle_count);
}

sn_status sn_mesh_add_field(sn_mesh *mesh, const char *name, const double *value, sn_error *error) {
    sn_mesh_field fresh = {0};
    if (!*name || strlen(name) >= sizeof fresh.name)
        return sn_fail(error, SN_BAD_INPUT, "field name '%.80s' has %zu bytes; allowed are 1 to %d", name, strlen(name),
                       (int)sizeof fresh.name - 1);
    const size_t bytes = cell_count(mesh) * 3 * sizeof *value, count = (size_t)mesh->field_count;
    sn_mesh_field *old = (sn_mesh_field *)(uintptr_t)sn_mesh_find_field(mesh, name);
    if (old) {
        memcpy(old->value, value, bytes);
        return SN_OK;
    }
    snprintf(fresh.name, sizeof fresh.name, "%s", name);
    fresh.value = sn_allocate(mesh->context, cell_count(mesh) * 3, sizeof *value);
    sn_mesh_field *grown = sn_allocate(mesh->context, count + 1, sizeof *grown);
    if (!fresh.value || !grown) {
        sn_release(mesh->context, fresh.value);
        sn_release(mesh->context, grown);
        return sn_no_memory(error);
    }
    memcpy(fresh.value, value, bytes);
    if (count) memcpy(grown, mesh->field, count * sizeof *grown);
    grown[count] = fresh;
    sn_release(mesh->context, mesh->field);
    mesh->field = grown, ++mesh->field_count;
    return SN_OK;
}

const sn_mesh_field *sn_mesh_find_field(const sn_mesh *mesh, const char *name) {
    for (int i = 0; i < mesh->field_count; ++i)
        if (strcmp(mesh->field[i].name, name) == 0) return &mesh->field[i];
    return NULL;
}

/* ---- Groups ---- */
static int limit_of(const sn_mesh *mesh, sn_group_kind kind) {
    return kind == SN_GROUP_NODES ? mesh->node_count : kind == SN_GROUP_TETS ? mesh->tet_count : mesh->triangle_count;
}

static const char *kind_name(sn_group_kind kind) {
    return kind == SN_GROUP_NODES ? "node" : kind == SN_GROUP_TETS ? "tet" : "triangle";
}

static sn_status check_members(const sn_mesh *mesh, const char *name, sn_group_kind kind, const int32_t *member,
                               int count, sn_error *error) {
    if (kind != SN_GROUP_NODES && kind != SN_GROUP_TETS && kind != SN_GROUP_TRIANGLES)
        return sn_fail(error, SN_BAD_INPUT, "group '%s' is of kind %d; allowed are %d to %d", name, (int)kind,
                       (int)SN_GROUP_NODES, (int)SN_GROUP_TRIANGLES);
    if (count < 0 || (count > 0 && !member))
        return sn_fail(error, SN_BAD_INPUT, "group '%s' has %d members, but %s", name, count,
                       count < 0 ? "a count cannot be negative" : "no list");
    const int limit = limit_of(mesh, kind);
    for (int i = 0; i < count; ++i)
        if (member[i] < 0 || member[i] >= limit)
            return sn_fail(error, SN_BAD_INPUT, "group '%s' has %s %d; the mesh has %d of them, counted from 0", name,
                           kind_name(kind), member[i], limit);
    return SN_OK;
}

/* Drops repeated members of a sorted list. */
static int unique(int32_t *member, int count) {
    int kept = 0;
    for (int i = 0; i < count; ++i)
        if (!kept || member[kept - 1] != member[i]) member[kept++] = member[i];
    return kept;
}

sn_status sn_mesh_add_group(sn_mesh *mesh, const char *name, sn_group_kind kind, const int32_t *member, int count,
                            sn_error *error) {
    sn_group fresh = {.kind = kind};
    if (strlen(name) >= sizeof fresh.name)
        return sn_fail(error, SN_BAD_INPUT, "group name '%.80s' is too long; at most %d bytes are allowed", name,
                       (int)sizeof fresh.name - 1);
    snprintf(fresh.name, sizeof fresh.name, "%s", name);
    sn_status status = check_members(mesh, name, kind, member, count, error);
    if (status) return status;
    /* Capacity is the power of two at or above the count, so it need not be stored. */
    if ((mesh->group_count & (mesh->group_count - 1)) == 0) {
        const size_t larger = mesh->group_count ? (size_t)mesh->group_count * 2 : 1;
        sn_group *grown = sn_allocate(mesh->context, larger, sizeof *grown);
        if (!grown) return sn_no_memory(error);
        if (mesh->group_count) memcpy(grown, mesh->group, (size_t)mesh->group_count * sizeof *grown);
        sn_release(mesh->context, mesh->group);
        mesh->group = grown;
    }
    fresh.member = sn_allocate(mesh->context, (size_t)count, sizeof *fresh.member);
    if (!fresh.member) return sn_no_memory(error);
    if (count) memcpy(fresh.member, member, (size_t)count * sizeof *fresh.member);
    sn_sort_int32(fresh.member, count);
    fresh.count = unique(fresh.member, count);
    mesh->group[mesh->group_count++] = fresh;
    return SN_OK;
}

const sn_group *sn_mesh_find_group(const sn_mesh *mesh, const char *name) {
    for (int i = 0; i < mesh->group_count; ++i)
        if (strcmp(mesh->group[i].name, name) == 0) return &mesh->group[i];
    return NULL;
}

sn_status sn_mesh_add_marked(sn_mesh *mesh, const char *name, const uint8_t *mark, uint8_t bit, sn_error *error) {
    int count = 0;
    for (int i = 0; i < mesh->node_count; ++i) count += (mark[i] & bit) != 0;
    int32_t *member = sn_allocate(mesh->context, (size_t)count, sizeof *member);
    if (!member) return sn_no_memory(error);
    count = 0;
    for (int i = 0; i < mesh->node_count; ++i)
        if (mark[i] & bit) member[count++] = i;
    const sn_status status = sn_mesh_add_group(mesh, name, SN_GROUP_NODES, member, count, error);
    sn_release(mesh->context, member);
    return status;
}

/* ---- Motions of the rest shape ---- */
/* A negative factor mirrors; swapping two corners keeps volumes positive and normals outward. */
static void turn_inside_out(sn_mesh *mesh) {
    static const uint8_t swapped[10] = {0, 2, 1, 3, 6, 5, 4, 7, 9, 8};
    for (int t = 0; t < mesh->tet_count; ++t) {
        int32_t *tet = mesh->tet + (size_t)t * (size_t)mesh->tet_nodes, old[10];
        memcpy(old, tet, (size_t)mesh->tet_nodes * sizeof *tet);
        for (int k = 0; k < mesh->tet_nodes; ++k) tet[k] = old[swapped[k]];
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        int32_t *triangle = mesh->triangle + (size_t)t * 3, keep = triangle[1];
        triangle[1] = triangle[2];
        triangle[2] = keep;
    }
}

void sn_mesh_scale(sn_mesh *mesh, double factor) {
    for (size_t i = 0; i < (size_t)mesh->node_count * 3; ++i) mesh->position[i] *= factor;
    if (factor < 0) turn_inside_out(mesh);
}

void sn_mesh_rotate(sn_mesh *mesh, const double axis[3], double degrees) {
    if (degrees == 0 || sn_norm3(axis) == 0) return;
    double r[9], x[3];
    sn_axis_rotation3(axis, degrees, r);
    for (int f = -1; f < mesh->field_count; ++f) {
        double *p = f < 0 ? mesh->position : mesh->field[f].value;
        const size_t count = f < 0 ? (size_t)mesh->node_count : cell_count(mesh);
        for (size_t i = 0; i < count; ++i, p += 3) {
            sn_multiply_vector3(r, p, x);
            memcpy(p, x, sizeof x);
        }
    }
}

void sn_mesh_move(sn_mesh *mesh, const double offset[3]) {
    for (int i = 0; i < mesh->node_count; ++i)
        for (int a = 0; a < 3; ++a) mesh->position[(size_t)i * 3 + (size_t)a] += offset[a];
}

void sn_mesh_release(const sn_mesh *mesh, void *array) { sn_release(mesh->context, array); }

/* ---- Checks ---- */
static sn_status check_cells(const sn_mesh *mesh, const char *kind, const int32_t *node, int count, int per_cell,
                             const int64_t *label, sn_error *error) {
    for (int c = 0; c < count; ++c)
        for (int k = 0; k < per_cell; ++k) {
            const int32_t n = node[(size_t)c * (size_t)per_cell + (size_t)k];
            if (n < 0 || n >= mesh->node_count)
                return sn_fail(error, SN_BAD_INPUT, "%s %lld uses node index %d; the mesh has %d nodes, counted from 0",
                               kind, (long long)sn_label(label, c), n, mesh->node_count);
        }
    return SN_OK;
}

/* A node of level 0 has no parents; any other has two, and both are of lower levels. */
static sn_status check_levels(const sn_mesh *mesh, sn_error *error) {
    if (!mesh->node_level && !mesh->node_parent) return SN_OK;
    if (!mesh->node_level || !mesh->node_parent)
        return sn_fail(error, SN_BAD_INPUT, "the mesh has %s; nested levels need both node_level and node_parent",
                       mesh->node_level ? "levels of nodes but no parents" : "parents of nodes but no levels");
    for (int i = 0; i < mesh->node_count; ++i) {
        const int level = mesh->node_level[i];
        bool good = level < mesh->level_count;
        for (int k = 0; k < 2 && good; ++k) {
            const int32_t p = mesh->node_parent[2 * (size_t)i + (size_t)k];
            good = level == 0 ? p == -1 : p >= 0 && p < mesh->node_count && mesh->node_level[p] < level;
        }
        if (!good)
            return sn_fail(
                error, SN_BAD_INPUT,
                "node %lld of level %d has the parents %d and %d; the mesh has %d levels, and parents are nodes "
                "of lower levels, or -1 on level 0",
                (long long)sn_label(mesh->node_label, i), level, mesh->node_parent[2 * (size_t)i],
                mesh->node_parent[2 * (size_t)i + 1], mesh->level_count);
    }
    return SN_OK;
}

sn_status sn_mesh_check(const sn_mesh *mesh, sn_error *error) {
    if (mesh->node_count < 0 || mesh->tet_count < 0 || mesh->triangle_count < 0 || mesh->group_count < 0)
        return sn_fail(error, SN_BAD_INPUT,
                       "the mesh has %d nodes, %d tets, %d triangles and %d groups; counts must be 0 or more",
                       mesh->node_count, mesh->tet_count, mesh->triangle_count, mesh->group_count);
    if (mesh->tet_nodes != 3 && mesh->tet_nodes != 4 && mesh->tet_nodes != 10)
        return sn_fail(error, SN_BAD_INPUT,
                       "the mesh has tets of %d nodes; allowed are 4 and 10, or 3 for a plane body", mesh->tet_nodes);
    sn_status status = check_cells(mesh, "tet", mesh->tet, mesh->tet_count, mesh->tet_nodes, mesh->tet_label, error);
    if (!status)
        status = check_cells(mesh, "triangle", mesh->triangle, mesh->triangle_count, 3, mesh->triangle_label, error);
    for (int i = 0; i < mesh->group_count && !status; ++i) {
        const sn_group *g = &mesh->group[i];
        status = check_members(mesh, g->name, g->kind, g->member, g->count, error);
    }
    return status ? status : check_levels(mesh, error);
}

sn_status sn_mesh_check_tets(const sn_mesh *mesh, sn_error *error) {
    const sn_status status = sn_mesh_check(mesh, error);
    if (status || !mesh->tet_count || mesh->tet_nodes != 3) return status;
    return sn_fail(error, SN_BAD_INPUT,
                   "the elements of the mesh are plane triangles; tets of 4 or 10 nodes are needed");
}

sn_status sn_mesh_check_finite(const sn_mesh *mesh, sn_error *error) {
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *x = mesh->position + 3 * (size_t)i;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
            return sn_fail(error, SN_BAD_INPUT, "node %lld lies at [%g %g %g]; coordinates must be finite",
                           (long long)sn_label(mesh->node_label, i), x[0], x[1], x[2]);
    }
    return SN_OK;
}

/* Heap sort, skipped when the values already ascend. */
void sn_sort_int32(int32_t *value, int64_t count) {
    int64_t ascending = 1;
    while (ascending < count && value[ascending - 1] <= value[ascending]) ++ascending;
    if (ascending >= count) return;
    for (int64_t start = count / 2, end = count; end > 1;) {
        int32_t moved;
        if (start > 0) {
            moved = value[--start];
        } else {
            moved = value[--end];
            value[end] = value[0];
        }
        int64_t hole = start;
        for (int64_t child; (child = 2 * hole + 1) < end; hole = child) {
            if (child + 1 < end && value[child + 1] > value[child]) ++child;
            if (value[child] <= moved) break;
            value[hole] = value[child];
        }
        value[hole] = moved;
    }
}
