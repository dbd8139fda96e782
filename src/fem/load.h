/* Surface and body loads.
 *
 * A term is one load on one body, times a factor s(t).
 *
 * Dead terms are nodal forces F_i, consistent with the shape functions N_i. They are computed once:
 *
 *   traction T   F_i = int N_i T dA0
 *   pressure p   F_i = -int N_i p n0 dA0
 *   body b       F_i = int N_i b dV0
 *
 * Following terms are integrals over the current faces, x(xi, eta) = sum N_i x_i, a = dx/dxi, b = dx/deta:
 *
 *   pressure     f_i = -p int N_i (a x b) dxi deta         current normal and area
 *   traction     f_i = int N_i R T |a x b| dxi deta        current area, R the rotation of the face
 *   force        f_i = int N_i R T dA0                     R turns it; its size in newtons stays
 *
 * R is the rotation of the polar decomposition of G = A + n (x) n0, with A the deformation gradient in the face. The
 * linearisation K = -df/dx of following terms is not symmetric in general. It is for a pressure all around a closed
 * surface. */
#ifndef SN_FEM_LOAD_H
#define SN_FEM_LOAD_H

#include "element.h"
#include "sinew/world.h"

enum { SN_FACE_NODES = 6 };

typedef struct sn_load_term {
    sn_load_kind kind;
    bool follow;
    sn_ramp ramp;
    int key_count;
    double *key;             /* key_count x 2: time and factor, in the place of the ramp; NULL for none */
    double value[3], scalar; /* of the whole load; force: N/m^2 of rest area once compiled */
    /* dead */
    int count;
    int32_t *node;
    double *force; /* count x 3, N at factor 1 */
    /* following */
    int face_count;
    int face_nodes;     /* 3 or 6: corners a, b, c, then the middles of ab, bc, ca */
    int32_t *face;      /* face_count x face_nodes */
    const double *rest; /* rest positions of all nodes; not owned */
} sn_load_term;

/* The value of a ramp at time t and its rate (may be NULL; from the left at a kink). In statics t is the load fraction.
 */
double sn_ramp_value(const sn_ramp *ramp, double t, bool is_static, double *rate);

/* The factor of a load at time t and its rate (may be NULL; from the left at a kink): its keys, or its ramp. */
double sn_load_factor(const sn_load_term *term, double t, bool is_static, double *rate);

/* A surface load over the given faces (compiled node numbers, outward). `node_count`: of all compiled nodes. */
sn_status sn_load_surface(sn_context *context, const sn_load *load, int face_count, int face_nodes, const int32_t *face,
                          int node_count, const double *rest, sn_load_term *term, sn_error *error);
/* A dead load of nodal forces: `force` is dense, node_count x 3; zero entries are left out. */
sn_status sn_load_nodal(sn_context *context, const sn_load *load, int node_count, const double *force,
                        sn_load_term *term, sn_error *error);
void sn_load_release(sn_context *context, sn_load_term *term);

/* Adds the shares int N_i dV0 of one element's nodes to `share` (element->nodes). */
void sn_load_volume_shares(const sn_element *element, double thickness, const int32_t *node, const double *rest,
                           double *share);

/* Rest area of a face. */
double sn_face_area(int face_nodes, const int32_t *face, const double *rest);

/* f += factor times the load at positions x. */
void sn_load_force(const sn_load_term *term, double factor, const double *x, double *f);
/* Work of a dead load: sum factor F_i . (x_i - rest_i); 0 for a following one. */
double sn_load_work(const sn_load_term *term, double factor, const double *x, const double *rest);
/* K = -df/dx of a following load as 3x3 blocks, column-major, face_nodes^2 per face; the symmetric part of each face's
 * matrix when `symmetric`. The arrays have room for sn_load_block_count blocks; returns how many were written. */
int sn_load_blocks(const sn_load_term *term, double factor, const double *x, bool symmetric, int32_t *row,
                   int32_t *column, double *value);
int sn_load_block_count(const sn_load_term *term);

#endif
