/* See part.h. Source: Civit 5.3.1, step 3.
 *
 * Two tets that share a face belong together when matter passes through the face: the surface pierces it, or it is
 * inside. Every tet begins with four separate nodes. A face with matter makes its corners in both tets the same node.
 * An edge or a node that is pierced or inside has only faces with matter around it. So faces, edges and nodes that lie
 * outside and that nothing else joins come apart, for example between two fingers in one cell. */
#include "part.h"

#include <string.h>

#include "base/context.h"
#include "base/math3.h"
#include "joined.h"

typedef struct parting {
    const sn_clean_surface *surface;
    const sn_lattice *lattice;
    int32_t *kept;   /* tets of the lattice: number in the mesh, or -1 */
    int32_t *source; /* kept tets: number in the lattice */
    int32_t *parent; /* 4 per kept tet: a chain of corners that are one node; the smallest is its own parent */
} parting;

/* The nodes of a tet of the lattice, and where they are. */
static void tet_nodes(const sn_lattice *l, int tet, int node[4], double x[4][3]) {
    int at[3], bits[4];
    sn_lattice_cell(l, tet / 5, at);
    sn_lattice_corners(at, tet % 5, bits);
    for (int i = 0; i < 4; ++i) {
        node[i] = sn_lattice_node(l, at, bits[i]);
        sn_lattice_position(l, at, bits[i], x[i]);
    }
}

/* Whether matter passes through the face that leaves out corner `opposite`. Of two pierced tets a node of the face may
 * be inside; only when none is, the face itself must be tried. */
static bool has_matter(const parting *p, int tet, int opposite, int other, const int node[4], double x[4][3]) {
    const sn_lattice *l = p->lattice;
    if (l->place[tet] == SN_TET_INSIDE || l->place[other] == SN_TET_INSIDE) return true;
    const double *face[4];
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        if (i == opposite) continue;
        if (l->winding[node[i]] > 0.5F) return true;
        face[count++] = x[i];
    }
    face[3] = face[2];
    return sn_clean_surface_meets(p->surface, face, l->margin);
}

static void join_tets(const parting *p, int kept) {
    for (int32_t t = 0; t < kept; ++t) {
        int node[4], other_node[4];
        double x[4][3], other_x[4][3];
        tet_nodes(p->lattice, p->source[t], node, x);
        for (int f = 0; f < 4; ++f) {
            const int other = sn_lattice_neighbour(p->lattice, p->source[t], f);
            if (other < 0 || p->kept[other] <= t || !has_matter(p, p->source[t], f, other, node, x)) continue;
            tet_nodes(p->lattice, other, other_node, other_x);
            for (int i = 0; i < 4; ++i)
                for (int k = 0; k < 4; ++k)
                    if (node[i] == other_node[k]) sn_join(p->parent, 4 * t + i, 4 * p->kept[other] + k);
        }
    }
}

/* Numbers the tets that stay, and gives each its own nodes. */
static int number_tets(const parting *p, int tets) {
    int32_t kept = 0;
    for (int t = 0; t < tets; ++t) {
        p->kept[t] = p->lattice->place[t] ? kept : -1;
        if (p->lattice->place[t]) p->source[kept++] = t;
    }
    for (int32_t i = 0; i < 4 * kept; ++i) p->parent[i] = i;
    return kept;
}

/* Makes positive volumes. */
static void turn_positive(const sn_mesh *mesh, int32_t *tet) {
    const double *x = mesh->position;
    if (sn_volume6(x + 3 * (size_t)tet[0], x + 3 * (size_t)tet[1], x + 3 * (size_t)tet[2], x + 3 * (size_t)tet[3]) > 0)
        return;
    const int32_t swap = tet[2];
    tet[2] = tet[3], tet[3] = swap;
}

static sn_status make_mesh(const parting *p, int kept, sn_mesh **body, int *nodes, sn_error *error) {
    *nodes = 0;
    for (int32_t i = 0; i < 4 * kept; ++i) *nodes += sn_joined_root(p->parent, i) == i;
    const sn_status status = sn_mesh_create(p->lattice->context, *nodes, kept, 4, 0, body, error);
    if (status) return status;
    int32_t next = 0;
    for (int32_t t = 0; t < kept; ++t) {
        int node[4];
        double x[4][3];
        int32_t *tet = (*body)->tet + 4 * (size_t)t;
        tet_nodes(p->lattice, p->source[t], node, x);
        for (int i = 0; i < 4; ++i) {
            const int32_t own = 4 * t + i, first = sn_joined_root(p->parent, own); /* which is not behind its own */
            if (first == own) {
                memcpy((*body)->position + 3 * (size_t)next, x[i], sizeof x[i]);
                tet[i] = next++;
            } else {
                tet[i] = (*body)->tet[first];
            }
        }
    }
    for (int32_t t = 0; t < kept; ++t) turn_positive(*body, (*body)->tet + 4 * (size_t)t);
    return SN_OK;
}

sn_status sn_part_body(const sn_clean_surface *surface, const sn_lattice *l, sn_mesh **body, int *added,
                       sn_error *error) {
    const int tets = 5 * l->count[0] * l->count[1] * l->count[2];
    const int nodes = (l->count[0] + 1) * (l->count[1] + 1) * (l->count[2] + 1);
    parting p = {.surface = surface, .lattice = l};
    p.kept = sn_allocate(l->context, (size_t)tets, sizeof *p.kept);
    p.source = sn_allocate(l->context, (size_t)l->kept, sizeof *p.source);
    p.parent = sn_allocate(l->context, 4 * (size_t)l->kept, sizeof *p.parent);
    uint8_t *used = sn_allocate_zero(l->context, (size_t)nodes, 1);
    sn_status status = p.kept && p.source && p.parent && used ? SN_OK : sn_no_memory(error);
    int made = 0;
    if (!status) {
        const int kept = number_tets(&p, tets);
        join_tets(&p, kept);
        status = make_mesh(&p, kept, body, &made, error);
    }
    for (int t = 0; t < l->kept && !status; ++t) {
        int node[4];
        double x[4][3];
        tet_nodes(l, p.source[t], node, x);
        for (int i = 0; i < 4; ++i) made -= !used[node[i]], used[node[i]] = 1;
    }
    *added = made;
    sn_release(l->context, p.kept), sn_release(l->context, p.source);
    sn_release(l->context, p.parent), sn_release(l->context, used);
    return status;
}
