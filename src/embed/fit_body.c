/* See fit_body.h. Source: Civit 5.3.1, step 4, with the energy of Alliez and others 2005.
 *
 * A step visits the nodes one after the other. (The document moves only the nodes of the boundary. When the others move
 * too, the fit is closer and the tets are better.) The place that minimises the energy of an optimal Delaunay
 * triangulation (ODT) is the mean of the circumcentres c_T of the node's tets, weighted by their volumes V_T:
 *
 *     x* = sum V_T c_T / sum V_T,      x' = x + k_ODT (x* - x)
 *
 * Three rules hold for each move of a node:
 *   - A node of the boundary moves only inwards: behind the planes of its boundary faces. So the new body is a part of
 *     the old one, and parts that were split never overlap.
 *   - A boundary face x a b sweeps the tet x x' a b. No triangle of the surface may meet a swept tet. The new body is
 *     the old one without the swept tets, so the surface stays inside of it, and no detail is jumped over.
 *   - No tet of the node may get a shape that is worse than FLOOR, unless its shape was worse before.
 *
 * A move that breaks a rule is tried again with half its length. */
#include "fit_body.h"

#include <math.h>

#include "base/context.h"
#include "base/math3.h"
#include "incidence.h"
#include "mesh/mesh_internal.h"

enum { TRIES = 4, SWEEPS = 4 };
static const double FLOOR = 0.5; /* of the shape: 1 is a regular tet, 0.77 one at the corner of a cube */

typedef struct fitting {
    const sn_clean_surface *surface;
    sn_mesh *body;
    double relax, margin;
    int32_t *face; /* of the boundary, outward */
    sn_incidence tets, faces;
    int stopped;
} fitting;

/* ---- One node ---- */

/* The edges of a tet from `node`, ordered so that the volume is u . (v x w) / 6 with the sign of the tet. */
static void edges_from(const sn_mesh *mesh, int32_t tet, int32_t node, const double x[3], double e[3][3]) {
    const int32_t *n = mesh->tet + 4 * (size_t)tet;
    int k = 0;
    while (n[k] != node) ++k;
    for (int i = 0; i < 3; ++i) sn_subtract3(mesh->position + 3 * (size_t)n[sn_tet_face[k][i]], x, e[i]);
}

/* relax (x* - x). With edges u, v, w from the node: 12 V (c - x) = |u|^2 v x w + |v|^2 w x u + |w|^2 u x v. */
static void odt_move(const fitting *f, int32_t node, double d[3]) {
    const double *x = f->body->position + 3 * (size_t)node;
    double volume6 = 0;
    d[0] = d[1] = d[2] = 0;
    for (int32_t i = f->tets.first[node]; i < f->tets.first[node + 1]; ++i) {
        double e[3][3], c[3];
        edges_from(f->body, f->tets.item[i], node, x, e);
        for (int a = 0; a < 3; ++a) {
            sn_cross3(e[(a + 1) % 3], e[(a + 2) % 3], c);
            const double square = sn_dot3(e[a], e[a]);
            for (int k = 0; k < 3; ++k) d[k] += 0.5 * square * c[k];
            if (a == 0) volume6 += sn_dot3(e[0], c);
        }
    }
    for (int k = 0; k < 3; ++k) d[k] *= volume6 > 0 ? f->relax / volume6 : 0;
}

/* Takes away what leads outwards. False when the faces leave no way. */
static bool turn_inwards(const fitting *f, int32_t node, double d[3]) {
    bool inwards = false;
    for (int sweep = 0; sweep < SWEEPS && !inwards; ++sweep) {
        inwards = true;
        for (int32_t i = f->faces.first[node]; i < f->faces.first[node + 1]; ++i) {
            const int32_t *v = f->face + 3 * (size_t)f->faces.item[i];
            const double *p = f->body->position;
            double n[3];
            sn_area_vector3(p + 3 * (size_t)v[0], p + 3 * (size_t)v[1], p + 3 * (size_t)v[2], n);
            const double out = sn_dot3(n, d), square = sn_dot3(n, n);
            if (!(out > 1e-9 * sqrt(square * sn_dot3(d, d)))) continue;
            inwards = false;
            for (int k = 0; k < 3; ++k) d[k] -= out / square * n[k];
        }
    }
    return inwards;
}

/* 6 sqrt(2) V / l^3 with the root mean square l of the edges. */
static double shape_of(double e[3][3]) {
    double n[3], side[3], sum = 0;
    for (int a = 0; a < 3; ++a) {
        sn_subtract3(e[(a + 1) % 3], e[a], side);
        sum += sn_dot3(e[a], e[a]) + sn_dot3(side, side);
    }
    sn_cross3(e[1], e[2], n);
    const double square = sum / 6;
    return square > 0 ? 1.4142135623730951 * sn_dot3(e[0], n) / (square * sqrt(square)) : 0;
}

static bool shapes_hold(const fitting *f, int32_t node, const double to[3]) {
    const double *x = f->body->position + 3 * (size_t)node;
    for (int32_t i = f->tets.first[node]; i < f->tets.first[node + 1]; ++i) {
        double e[3][3];
        edges_from(f->body, f->tets.item[i], node, to, e);
        const double after = shape_of(e);
        if (after >= FLOOR) continue;
        edges_from(f->body, f->tets.item[i], node, x, e);
        if (after < shape_of(e) || !(after > 0)) return false;
    }
    return true;
}

static bool sweeps_surface(const fitting *f, int32_t node, const double to[3]) {
    const double *p = f->body->position;
    for (int32_t i = f->faces.first[node]; i < f->faces.first[node + 1]; ++i) {
        const int32_t *v = f->face + 3 * (size_t)f->faces.item[i];
        const double *tet[4];
        for (int k = 0; k < 3; ++k) tet[k] = p + 3 * (size_t)v[k];
        tet[3] = to;
        if (sn_clean_surface_meets(f->surface, tet, f->margin)) return true;
    }
    return false;
}

static void move_node(fitting *f, int32_t node) {
    double d[3], to[3], *x = f->body->position + 3 * (size_t)node;
    odt_move(f, node, d);
    if (!turn_inwards(f, node, d)) return;
    bool stopped = false, moved = false;
    double part = 1;
    for (int i = 0; i < TRIES && !moved; ++i, part *= 0.5) {
        for (int k = 0; k < 3; ++k) to[k] = x[k] + part * d[k];
        if (!shapes_hold(f, node, to)) continue;
        moved = !sweeps_surface(f, node, to);
        stopped = stopped || !moved;
    }
    for (int k = 0; k < 3 && moved; ++k) x[k] = to[k];
    f->stopped += stopped;
}

/* ---- All nodes ---- */

sn_status sn_fit_body(const sn_clean_surface *surface, sn_mesh *body, int steps, double relax, double margin,
                      int *stopped, sn_error *error) {
    fitting f = {.surface = surface, .body = body, .relax = relax, .margin = margin};
    int faces = 0;
    sn_status status = sn_mesh_boundary(body, &faces, &f.face, NULL, NULL, error);
    const int nodes = body->node_count;
    if (!status) status = sn_incidence_create(body->context, body->tet, body->tet_count, 4, 4, nodes, &f.tets, error);
    if (!status) status = sn_incidence_create(body->context, f.face, faces, 3, 3, nodes, &f.faces, error);
    for (int step = 0; step < steps && !status; ++step)
        for (int32_t n = 0; n < nodes; ++n) move_node(&f, n);
    *stopped = f.stopped;
    if (f.face) sn_mesh_release(body, f.face);
    sn_incidence_destroy(body->context, &f.tets), sn_incidence_destroy(body->context, &f.faces);
    return status;
}
