/* Stiffness warping per vertex (Mueller et al. 2002, 3): linear elasticity seen from a frame that turns with each
 * vertex.
 *
 *   f_i = R_i sum_j k_ij (R_i^T x_j - X_j)
 * with k_ij the blocks of the rest stiffness. Element by element this is f_i = -V R_i P(R_i^T F) g_i, P the linear
 * law's stress: every node of an element sees the element's strain in its own frame, so the forces of an element
 * need not balance ("ghost" forces).
 *
 * R_i comes from the edges around vertex i, in one of two ways:
 *   edges    an orthonormal frame on the mean of three edges and on a fourth edge, times the transpose of the same
 *            frame at rest (3.1, figure 5)
 *   svd      the nearest rotation to sum_j (x_j - x_i) (X_j - X_i)^T over all edges (equations 14 and 15); its
 *            determinant is always 1
 * The rotations are those of the positions at the end of the last step in dynamics, and those of each evaluation in
 * statics. The matrix is one of two:
 *   element  R_e k_ij R_e^T with R_e the nearest rotation to the mean of an element's R_i: symmetric and positive
 *            semidefinite, but not the derivative of the forces
 *   vertex   R_i k_ij R_i^T, Mueller's own: the derivative of the forces at fixed frames, neither symmetric nor
 *            definite */
#ifndef SN_FEM_WARPING_H
#define SN_FEM_WARPING_H

#include "batch.h"

enum { SN_WARPING_EDGE_ROWS = 4 }; /* three edges whose mean is the first axis, one for the second */

/* Vertices in blocks of SN_LANES, the same number of edges for each in a block: short lists are filled up with the
 * vertex itself. */
typedef struct sn_warping {
    int block_count;
    int32_t *node; /* block_count x SN_LANES; padded lanes repeat the block's first */
    uint8_t
        *edges_only; /* block_count: SN_WARPING_EDGE_ROWS edges and a frame; else all edges and the nearest rotation */
    double *every;   /* block_count: s for which the frames of a block stay; 0: they are taken at every occasion */
    int64_t *begin;  /* block_count + 1, in rows of SN_LANES, into neighbour and (3 rows each) rest */
    int32_t *neighbour;
    double *rest;  /* X_j - X_i */
    double *frame; /* block_count x 9 x SN_LANES: the frames of the rest shape, for blocks with edges_only */
} sn_warping;

/* For all nodes of the warped batches; block_count 0 when there are none. rest: compiled nodes x 3. */
sn_status sn_warping_create(sn_context *context, const sn_elements_model *model, const double *rest,
                            sn_warping *warping, sn_error *error);
void sn_warping_release(sn_context *context, sn_warping *warping);
/* R: compiled nodes x 9, row-major; other nodes are left alone. Only the frames that are due from time `from` to `to`
 * (sn_frames_due). Returns whether any was due. */
bool sn_warping_rotations(const sn_context *context, const sn_warping *warping, double from, double to, const double *x,
                          double *R);
/* Takes the net force and the net torque out of forces f on nodes [first, first + count), by the rigid acceleration
 * field that has them: f_i -= m_i (a + w x (x_i - c)). */
void sn_warping_balance(int first, int count, const double *mass, const double *x, double *f);

/* kernel/warping_kernel.c */
typedef void sn_warping_kernel(const sn_warping *warping, int begin, int end, const double *x, double *R);

#endif
