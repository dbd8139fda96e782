/* The coarse problem of solves with Green's strain on coarse tets (corotated.h): a full Newton method for the few
 * displacements c of the coarse nodes.
 *
 *   P^T rho - P^T A P c - k sum_T W (Q(G + H(c)) - Q(G)) g = 0,   H(c) = sum_p c_p (x) g_p over the corners of T
 *
 * P is the interpolation from the coarse nodes, and G are the means of the gradients now (fem/coarse.h). P^T A P is
 * made from the coarse tets, because their elements move alike under P; the blocks of interactions are left out. Each
 * iteration factors the matrix anew and halves its step until the potential of the problem falls. Where the matrix is
 * not definite, pressed tets lose their geometric stiffness. */
#ifndef SN_LINEAR_COARSE_NEWTON_H
#define SN_LINEAR_COARSE_NEWTON_H

#include "solver.h"

typedef struct sn_coarse_newton sn_coarse_newton;

/* For a model whose elements have coarse tets. */
sn_status sn_coarse_newton_create(sn_context *context, const sn_linear_model *model, sn_coarse_newton **out,
                                  sn_error *error);
void sn_coarse_newton_destroy(sn_coarse_newton *w); /* NULL: does nothing */
/* Makes P^T A P for A = m M + d D + k K at the frames of the view. rayleigh: as in sn_linear_linearise. */
void sn_coarse_newton_matrix(sn_coarse_newton *w, const sn_element_view *view, const double *rayleigh, double m,
                             double d, double k);
/* Takes the filter, and the positions y that N is measured from. */
void sn_coarse_newton_begin(sn_coarse_newton *w, const sn_filter *filter, const double *y);
/* Takes the means and their stresses at positions. */
void sn_coarse_newton_move(sn_coarse_newton *w, const double *y);
/* out -= k (N - N at the begin), at the last positions. last: N - N at the positions before them. */
void sn_coarse_newton_add(const sn_coarse_newton *w, bool last, double *out);
/* Takes the tangents of N at the last positions, without what would make K indefinite. */
void sn_coarse_newton_tangents(sn_coarse_newton *w);
/* out += k dN/dx u with these tangents. */
void sn_coarse_newton_product(const sn_coarse_newton *w, const double *u, double *out);
/* e = P c for the residual rho at the last positions. */
sn_status sn_coarse_newton_correct(sn_coarse_newton *w, const double *rho, double *e, sn_error *error);

#endif
