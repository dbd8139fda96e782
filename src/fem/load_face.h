/* Faces of three or six nodes: shape functions at quadrature points, forces that follow a face and their stiffness. */
#ifndef SN_FEM_LOAD_FACE_H
#define SN_FEM_LOAD_FACE_H

#include "load.h"

/* Weights include the area 1/2 of the reference triangle, so int h dA = sum w h |a x b|. */
typedef struct sn_face_rule {
    int nodes, points;
    double weight[6];
    double value[6][SN_FACE_NODES];    /* N_i */
    double along[6][2][SN_FACE_NODES]; /* dN_i/dxi, dN_i/deta */
} sn_face_rule;

const sn_face_rule *sn_face_rule_for(int nodes); /* 3 or 6 */

/* a = dx/dxi and b = dx/deta at point q. */
void sn_face_tangents(const sn_face_rule *rule, int q, const int32_t *face, const double *x, double a[3], double b[3]);
/* Adds the force of a following term on one face. */
void sn_face_force(const sn_load_term *term, const int32_t *face, double factor, const double *x, double *f);
/* K = -df/dx of one face: nodes x nodes row-major 3x3 blocks. */
void sn_face_stiffness(const sn_load_term *term, const int32_t *face, double factor, const double *x, double *K);

#endif
