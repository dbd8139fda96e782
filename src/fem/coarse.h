/* Coarse tets with Green's strain over fine elements that are linear in their frames (Hauth 5.3.5, example 8).
 *
 * The fine elements e of one material in a tet T of a coarse level have one frame R, which stays for a time (the law
 * `corotated` with frames). With the mean of their deformation gradients
 *
 *   G = sum_e w_e F_e / W = sum_i x_i (x) g_i,   W = sum_e w_e,
 *
 * Green's law measures the mean, and the linear law the deviations from it:
 *
 *   E_T = W green(G) + sum_e w_e hooke(R^T (F_e - G)) = sum_e w_e corotated(R, F_e) + W (green(G) - corotated(R, G))
 *
 * because the deviations add up to zero. Both parts of the middle are never negative, so the energy is bounded below;
 * with the gradient of the coarse corners in place of G it is not. It is zero under a rigid motion of the rest shape,
 * however old the frame is. The elements count corotated(R, F_e); this file adds the rest, which is a function of the
 * few G alone:
 *
 *   f_i = -W Q g_i,   Q = F (2 mu E + lambda tr(E) I) - R (2 mu D + lambda tr(D) I)   at F = G,
 *   E = (G^T G - I) / 2,   D = sym(R^T G) - I
 *
 * The linearisation of the elements leaves this part out, so that it stays as long as the frames. The linear solver
 * takes it back in (linear/corotated.h). Viscous stresses are those of the fine elements. */
#ifndef SN_FEM_COARSE_H
#define SN_FEM_COARSE_H

#include "batch.h"
#include "mesh/levels.h"

/* Sums over the entries of a group (fem/kernel/coarse_kernel.c). */
typedef struct sn_coarse_kernels {
    void (*mean)(int count, const int32_t *node, const double *gradient, const double *x, double out[9]);
    void (*give)(int count, const int32_t *node, const double *gradient, const double Q[9], double *out);
} sn_coarse_kernels;

/* The fine nodes that a group's mean sees are those on the surface of its tet: the others cancel out. */
typedef struct sn_coarse {
    int count;        /* groups: the elements of one material in one coarse tet */
    int64_t *begin;   /* count + 1: entries of a group */
    int32_t *node;    /* per entry, ascending in a group */
    double *gradient; /* per entry x 4: g, 1/m; the fourth is 0 */
    double *weight;   /* count: W, m^3 */
    int32_t *corner;  /* count x 4: the nodes of the coarse tet */
    double *slope;    /* count x 4 x 3: its gradients, 1/m */
    int32_t *batch;   /* count: the batch of the first element, and its place there (block x SN_LANES + lane) */
    int64_t *first;
    int node_count;
    int32_t *above; /* nodes x 4: the coarse nodes between which a node lies; -1: none. Coarse nodes have themselves */
    double *share;  /* nodes x 4: their parts in an interpolated value */
    const sn_coarse_kernels *kernels;
} sn_coarse;

/* Makes model->coarse of a model that is compiled; NULL stays when no batch is `green`. The caller releases it with the
 * model. */
sn_status sn_coarse_create(sn_context *context, const sn_levels *levels, const double *rest, sn_elements_model *model,
                           sn_error *error);
void sn_coarse_release(sn_context *context, sn_coarse *coarse);

/* Lame's constants and the frame of a group. */
typedef struct sn_coarse_group {
    double lambda, mu;
    double R[9];
    double damping[3]; /* d_lambda, d_mu, Rayleigh's b */
} sn_coarse_group;
sn_coarse_group sn_coarse_at(const sn_elements_model *model, const sn_element_view *view, int group);

/* out = sum_i x_i (x) g_i. */
void sn_coarse_mean(const sn_coarse *coarse, int group, const double *x, double out[9]);
/* out_i += Q g_i. */
void sn_coarse_give(const sn_coarse *coarse, int group, const double Q[9], double *out);
/* green(F) - corotated(R, F). */
double sn_coarse_energy(const sn_coarse_group *g, const double F[9]);
/* Q. */
void sn_coarse_stress(const sn_coarse_group *g, const double F[9], double Q[9]);
/* dQ/dF, row-major 9 x 9. definite: without the pressed part of Green's geometric stiffness, so that K with it stays
 * positive. */
void sn_coarse_tangent(const sn_coarse_group *g, const double F[9], bool definite, double T[81]);

/* ADD to the sums of batch.h. */
void sn_coarse_add_energy(const sn_elements_model *model, const sn_element_view *view, double *energy);
void sn_coarse_add_force(const sn_elements_model *model, const sn_element_view *view, double *f);

#endif
