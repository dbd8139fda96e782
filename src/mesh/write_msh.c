/* Gmsh .msh 2.2 and 4.1, ASCII and binary.
 *
 * Groups become physical groups with their names: tets of dimension 3, triangles of 2, nodes of 0 (one point element
 * per node). A group's physical tag is its place in the mesh plus one. Things in the same groups share an entity (see
 * sn_classes). Gmsh's numbers start at 1: labels are lifted when the smallest is below. Its elements share one
 * numbering: tets keep their numbers, triangles keep theirs unless one is also a tet's; then they are numbered on. */
#include <string.h>

#include "group_classes.h"
#include "msh.h"

typedef struct msh {
    const sn_mesh *mesh;
    sn_output *o;
    bool binary;
    sn_numbering node, tet, triangle;
    bool renumber_triangles;
    int64_t next;          /* a free element number */
    sn_classes classes[4]; /* by dimension; [1] stays empty */
} msh;

static void put_int(msh *m, int64_t value, char after) {
    if (m->binary)
        sn_put_i32(m->o, value);
    else
        sn_put_integer(m->o, value, after);
}

static void put_size(msh *m, int64_t value, char after) {
    if (m->binary)
        sn_put_u64(m->o, value);
    else
        sn_put_integer(m->o, value, after);
}

static void put_number(msh *m, double value, char after) {
    if (m->binary)
        sn_put_f64(m->o, value);
    else
        sn_put_number(m->o, value, after);
}

static void end_binary(msh *m) {
    if (m->binary) sn_put_text(m->o, "\n");
}

/* Gmsh's place i takes our node gmsh_order[i]. */
static const int gmsh_order[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

static int64_t triangle_number(const msh *m, int i) {
    return m->renumber_triangles ? m->tet.last + 1 + i : sn_number_at(&m->triangle, i);
}

/* Do a tet and a triangle have the same number? */
static sn_status number_elements(msh *m, sn_error *error) {
    const sn_mesh *mesh = m->mesh;
    sn_labels seen = {0};
    sn_status status = SN_OK;
    m->tet = sn_numbering_of(mesh->tet_label, mesh->tet_count, 1);
    m->triangle = sn_numbering_of(mesh->triangle_label, mesh->triangle_count, 1);
    for (int i = 0; !status && mesh->triangle_count && i < mesh->tet_count; ++i) {
        bool fresh;
        status = sn_labels_add(mesh->context, &seen, sn_number_at(&m->tet, i), &fresh, error);
    }
    for (int i = 0; !status && !m->renumber_triangles && i < mesh->triangle_count; ++i) {
        m->renumber_triangles = sn_labels_find(&seen, sn_number_at(&m->triangle, i)) >= 0;
    }
    sn_labels_clear(mesh->context, &seen);
    const int64_t last_triangle = m->renumber_triangles ? m->tet.last + mesh->triangle_count : m->triangle.last;
    m->next = 1 + (m->tet.last > last_triangle ? m->tet.last : last_triangle);
    return status;
}

static int dimension_of(sn_group_kind kind) { return kind == SN_GROUP_TETS ? 3 : kind == SN_GROUP_TRIANGLES ? 2 : 0; }

static void put_head(msh *m, const char *version) {
    sn_put_format(m->o, "$MeshFormat\n%s %d 8\n", version, m->binary);
    if (m->binary) sn_put_i32(m->o, 1);
    end_binary(m);
    sn_put_text(m->o, "$EndMeshFormat\n");
    if (!m->mesh->group_count) return;
    sn_put_format(m->o, "$PhysicalNames\n%d\n", m->mesh->group_count);
    for (int i = 0; i < m->mesh->group_count; ++i) {
        const sn_group *group = &m->mesh->group[i];
        sn_put_format(m->o, "%d %d \"%s\"\n", dimension_of(group->kind), i + 1, group->name);
    }
    sn_put_text(m->o, "$EndPhysicalNames\n");
}

/* How many groups a class is in. */
static int depth(const sn_classes *c, int class) {
    int count = 0;
    for (; class > 0; class = c->item[class].parent) ++count;
    return count;
}

static int points(const msh *m) { return m->mesh->node_count - m->classes[0].item[0].members; }

/* ---- 2.2 ---- */

/* An element once per group, at least once; the copies behind the first take free numbers. */
static void put_element_2(msh *m, int dimension, int index, int type, int64_t number, const int32_t *node, int nodes) {
    const sn_classes *c = &m->classes[dimension];
    int class = c->of[index];
    bool first = true;
    do {
        if (m->binary) {
            sn_put_i32(m->o, type);
            sn_put_i32(m->o, 1);
            sn_put_i32(m->o, 2);
        }
        put_int(m, first ? number : m->next++, ' ');
        if (!m->binary) sn_put_format(m->o, "%d 2 ", type);
        put_int(m, class > 0 ? c->item[class].group + 1 : 0, ' ');
        put_int(m, c->of[index] + 1, ' ');
        for (int i = 0; i < nodes; ++i)
            put_int(m, sn_number_at(&m->node, node[nodes == 10 ? gmsh_order[i] : i]), i + 1 < nodes ? ' ' : '\n');
        first = false;
        class = class > 0 ? c->item[class].parent : 0;
    } while (class > 0);
}

static int64_t copies(const sn_classes *c, bool skip_none) {
    int64_t sum = 0;
    for (int i = 0; i < c->count; ++i) sum += (int64_t)c->item[i].members * (i ? depth(c, i) : skip_none ? 0 : 1);
    return sum;
}

static sn_status write_2(msh *m) {
    const sn_mesh *mesh = m->mesh;
    const int64_t elements =
        copies(&m->classes[0], true) + copies(&m->classes[2], false) + copies(&m->classes[3], false);
    if (m->binary && (m->node.last > INT32_MAX || m->next + elements > INT32_MAX)) {
        return sn_fail(m->o->error, SN_BAD_INPUT, "%s: binary .msh 2.2 has numbers up to %d only", m->o->path,
                       INT32_MAX);
    }
    put_head(m, "2.2");
    sn_put_format(m->o, "$Nodes\n%d\n", mesh->node_count);
    for (int i = 0; i < mesh->node_count; ++i) {
        put_int(m, sn_number_at(&m->node, i), ' ');
        for (int j = 0; j < 3; ++j) put_number(m, mesh->position[3 * (size_t)i + j], j < 2 ? ' ' : '\n');
    }
    end_binary(m);
    sn_put_format(m->o, "$EndNodes\n$Elements\n%lld\n", (long long)elements);
    for (int i = 0; i < mesh->node_count; ++i) {
        const int32_t node = i;
        if (m->classes[0].of[i]) put_element_2(m, 0, i, 15, m->next++, &node, 1);
    }
    for (int i = 0; i < mesh->triangle_count; ++i)
        put_element_2(m, 2, i, 2, triangle_number(m, i), mesh->triangle + 3 * (size_t)i, 3);
    for (int i = 0; i < mesh->tet_count; ++i) {
        const int n = mesh->tet_nodes;
        put_element_2(m, 3, i, n == 10 ? 11 : 4, sn_number_at(&m->tet, i), mesh->tet + (size_t)n * (size_t)i, n);
    }
    end_binary(m);
    sn_put_text(m->o, "$EndElements\n");
    return SN_OK;
}

/* ---- 4.1 ---- */

static int used_classes(const msh *m, int dimension) {
    const sn_classes *c = &m->classes[dimension];
    int used = 0;
    for (int i = dimension ? 0 : 1; i < c->count; ++i) used += c->item[i].members > 0;
    return used;
}

static void put_entities(msh *m, int dimension, const double box[6]) {
    const sn_classes *c = &m->classes[dimension];
    for (int i = dimension ? 0 : 1; i < c->count; ++i) {
        if (!c->item[i].members) continue;
        put_int(m, i + 1, ' ');
        for (int j = 0; j < (dimension ? 6 : 3); ++j) put_number(m, box[j], ' ');
        const int groups = depth(c, i);
        put_size(m, groups, dimension || groups ? ' ' : '\n');
        int left = groups;
        for (int k = i; k > 0; k = c->item[k].parent)
            put_int(m, c->item[k].group + 1, --left || dimension ? ' ' : '\n');
        if (dimension) put_size(m, 0, '\n');
    }
}

static void put_nodes_4(msh *m) {
    const sn_mesh *mesh = m->mesh;
    const int dimension = mesh->tet_count ? 3 : 2;
    int64_t low = m->node.last;
    for (int i = 0; i < mesh->node_count; ++i) low = sn_number_at(&m->node, i) < low ? sn_number_at(&m->node, i) : low;
    sn_put_text(m->o, "$Nodes\n");
    put_size(m, 1, ' ');
    put_size(m, mesh->node_count, ' ');
    put_size(m, low, ' ');
    put_size(m, m->node.last, '\n');
    put_int(m, dimension, ' ');
    put_int(m, m->classes[dimension].of[0] + 1, ' ');
    put_int(m, 0, ' ');
    put_size(m, mesh->node_count, '\n');
    for (int i = 0; i < mesh->node_count; ++i) put_size(m, sn_number_at(&m->node, i), '\n');
    for (size_t i = 0; i < 3 * (size_t)mesh->node_count; ++i) put_number(m, mesh->position[i], i % 3 < 2 ? ' ' : '\n');
    end_binary(m);
    sn_put_text(m->o, "$EndNodes\n");
}

/* The end of the run of one class that begins at i: blocks are runs, so that the order of the elements is kept. */
static int run_end(const sn_classes *c, int i) {
    const int class = c->of[i];
    while (i < c->things && c->of[i] == class) ++i;
    return i;
}

static int runs(const sn_classes *c, bool skip_none) {
    int count = 0;
    for (int i = 0; i < c->things; i = run_end(c, i)) count += !(skip_none && c->of[i] == 0);
    return count;
}

static void put_blocks(msh *m, int dimension) {
    const sn_mesh *mesh = m->mesh;
    const sn_classes *c = &m->classes[dimension];
    const int type = dimension == 0 ? 15 : dimension == 2 ? 2 : mesh->tet_nodes == 10 ? 11 : 4;
    const int nodes = dimension == 0 ? 1 : dimension == 2 ? 3 : mesh->tet_nodes;
    for (int i = 0, end; i < c->things; i = end) {
        end = run_end(c, i);
        if (dimension == 0 && c->of[i] == 0) continue;
        put_int(m, dimension, ' ');
        put_int(m, c->of[i] + 1, ' ');
        put_int(m, type, ' ');
        put_size(m, end - i, '\n');
        for (int k = i; k < end; ++k) {
            const int32_t self = k;
            const int32_t *node = dimension == 0   ? &self
                                  : dimension == 2 ? mesh->triangle + 3 * (size_t)k
                                                   : mesh->tet + (size_t)nodes * (size_t)k;
            put_size(m,
                     dimension == 0   ? m->next++
                     : dimension == 2 ? triangle_number(m, k)
                                      : sn_number_at(&m->tet, k),
                     ' ');
            for (int j = 0; j < nodes; ++j)
                put_size(m, sn_number_at(&m->node, node[nodes == 10 ? gmsh_order[j] : j]), j + 1 < nodes ? ' ' : '\n');
        }
    }
}

static void bounding_box(const sn_mesh *mesh, double box[6]) {
    for (int j = 0; j < 6; ++j) box[j] = mesh->node_count ? mesh->position[j % 3] : 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->node_count; ++i) {
        const double x = mesh->position[i];
        if (x < box[i % 3]) box[i % 3] = x;
        if (x > box[3 + i % 3]) box[3 + i % 3] = x;
    }
}

static sn_status write_4(msh *m) {
    const sn_mesh *mesh = m->mesh;
    double box[6];
    bounding_box(mesh, box);
    put_head(m, "4.1");
    sn_put_text(m->o, "$Entities\n");
    for (int d = 0; d < 4; ++d) put_size(m, d == 1 ? 0 : used_classes(m, d), d < 3 ? ' ' : '\n');
    for (int d = 0; d < 4; ++d) {
        if (d != 1) put_entities(m, d, box);
    }
    end_binary(m);
    sn_put_text(m->o, "$EndEntities\n");
    put_nodes_4(m);
    const int64_t elements = (int64_t)mesh->tet_count + mesh->triangle_count + points(m);
    sn_put_text(m->o, "$Elements\n");
    put_size(m, runs(&m->classes[0], true) + runs(&m->classes[2], false) + runs(&m->classes[3], false), ' ');
    put_size(m, elements, ' ');
    put_size(m, 1, ' ');
    put_size(m, m->next + points(m) - 1, '\n');
    put_blocks(m, 0);
    put_blocks(m, 2);
    put_blocks(m, 3);
    end_binary(m);
    sn_put_text(m->o, "$EndElements\n");
    return SN_OK;
}

sn_status sn_write_msh(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    const char *version = options->version ? options->version : "4.1";
    const bool two = strcmp(version, "2.2") == 0;
    if (!two && strcmp(version, "4.1") != 0)
        return sn_fail(o->error, SN_BAD_INPUT, "version '%s' of .msh is not 2.2 or 4.1", version);
    if (!mesh->tet_count && !mesh->triangle_count)
        return sn_fail(o->error, SN_BAD_INPUT, "%s: the mesh has no tets and no triangles", o->path);
    msh m = {.mesh = mesh,
             .o = o,
             .binary = options->binary,
             .node = sn_numbering_of(mesh->node_label, mesh->node_count, 1)};
    sn_status status = number_elements(&m, o->error);
    if (!status) status = sn_classes_make(mesh, SN_GROUP_NODES, &m.classes[0], o->error);
    if (!status) status = sn_classes_make(mesh, SN_GROUP_TRIANGLES, &m.classes[2], o->error);
    if (!status) status = sn_classes_make(mesh, SN_GROUP_TETS, &m.classes[3], o->error);
    if (!status) status = two ? write_2(&m) : write_4(&m);
    for (int d = 0; d < 4; ++d) sn_classes_clear(&m.classes[d]);
    return status;
}
