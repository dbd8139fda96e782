/* The closest points of a vertex and a triangle, or of two edges, and how their distance changes with the corners.
 *
 * Both pairs of features have four corners x_0 to x_3. The vector between the closest points is
 *
 *   r = sum_i w_i x_i,   vertex x_0, triangle x_1 x_2 x_3:    w = (1, -b_1, -b_2, -b_3)       (b: barycentric)
 *                        edges x_0 x_1 and x_2 x_3:           w = (1 - s, s, -(1 - t), -t)
 *
 * where the parameters minimise |r|. Inside the features the minimum has `free` parameters: 2 for a face or for two
 * edges, 1 for a vertex and an edge, 0 for two vertices. w depends linearly on them, with the slopes w_a = dw/ds_a.
 * With t_a = sum_i w_a,i x_i and G_ab = t_a . t_b the function q = |r|^2 / 2 has the derivatives (the minimum is
 * stationary in the parameters, so the gradient ignores them, and the second derivative is a Schur complement)
 *
 *   dq/dx_i = w_i r,     d2q/dx_i dx_j = w_i w_j I - sum_ab (w_a,i r + w_i t_a) G^-1_ab (w_b,j r + w_j t_b)^T
 *
 * Two edges that become parallel have no unique closest points, and the gradient jumps. The mollifier m(c) in [0, 1]
 * takes such pairs out (Li et al. 2020, incremental potential contact, 5.2):
 *
 *   m = (2 - c / e) c / e  for c < e, 1 above,   c = |(x_1 - x_0) x (x_3 - x_2)|^2,   e = 1e-3 times its largest value
 *                                                                                      at rest */
#ifndef SN_CONTACT_CLOSEST_H
#define SN_CONTACT_CLOSEST_H

#include "base/context.h"

typedef struct sn_closest {
    double weight[4];   /* w */
    double r[3];        /* from the second feature to the first one, m */
    double square;      /* |r|^2 */
    int free;           /* free parameters */
    double slope[2][4]; /* w_a of the free ones */
} sn_closest;

void sn_closest_vertex_face(const double *const x[4], sn_closest *closest);
void sn_closest_edge_edge(const double *const x[4], sn_closest *closest);

/* H: 12 x 12, the second derivative of |r|^2 / 2, row-major; 3 i + a is component a of corner i. */
void sn_closest_hessian(const sn_closest *closest, const double *const x[4], double H[144]);

/* m of two edges with e = `limit` (m^4, above 0), dm/dc and dc/dx_i. When m is 1, *slope is 0 and dc is not set. */
double sn_closest_mollifier(const double *const x[4], double limit, double *slope, double dc[4][3]);

/* |r|^2 of eight pairs at once, up to rounding (kernel/closest_kernel.c). corner: 4 x 8 vertices of `position`. edges:
 * 1 for pairs of edges, 0 for a vertex and a triangle. */
typedef struct sn_closest_kernels {
    void (*squares)(const double *position, const int32_t *corner, int edges, double *square);
    /* A bit for each pair that can come as near as `within` (m) on the straight ways of its corners from `from` to `to`
     * (NULL: they stay). A motion that all four corners share does not count. */
    unsigned (*meets)(const double *from, const double *to, const int32_t *corner, int edges, double within);
    /* A bit for each of eight pairs of an edge and a triangle whose boxes touch. corner: 5 x 8, the edge first. */
    unsigned (*overlap)(const double *position, const int32_t *corner);
} sn_closest_kernels;
const sn_closest_kernels *sn_closest_kernels_for(const sn_context *context);

#endif
