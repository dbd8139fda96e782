/* Patches: elements that do not lock measure their volume on patches (docs/incompressible.md).
 *
 * A patch is the elements of one material around a node (element->patches = corners) or one element (patches = 1). Its
 * deformation gradient is the mean over its points q, with L the barycentric coordinate of the node (1 for an element):
 *
 *   F_a = sum_q w_q L_a(q) F_q / W_a = sum_i x_i (x) g_i^a,   W_a = sum_q w_q L_a(q)
 *
 * The law is divided by its moduli (sn_law.scale) into two laws, psi = own + rest. With s = element->patch_shear:
 *
 *   own    at the points of the elements: the shear modulus (1 - s) mu and the bulk modulus
 *          (1 - s) min(K, SN_PATCH_BULK mu)
 *   rest   on the patches: the rest of both moduli. Corotated laws take the polar rotation of F_a
 *
 * The energy is sum_q w_q own(F_q) + sum_a W_a rest(F_a). So the forces of a patch are f_i = -W_a P_a g_i^a.
 *
 * Where the patches have a share of the shear modulus (s > 0), both parts of the law remember separately (prony.h): the
 * memory of `rest` is on the patches, that of `own` on the elements.
 *
 * A patch has any number of nodes. Loops over patches compute the stresses; loops over nodes then sum the forces of the
 * patches around each node, in their order. So the bits do not depend on the number of threads. */
#ifndef SN_FEM_PATCH_H
#define SN_FEM_PATCH_H

#include "batch.h"

#define SN_PATCH_BULK (5.0 / 3.0) /* lambda = mu, Poisson's ratio 1/4 */
#define SN_PATCH_SOFT 0.44

typedef struct sn_patches {
    /* One per batch of elements with patches: law, rotation, differential, material_of and weight. Patches lie in
     * blocks of SN_LANES; the last block of a batch may be padded by patches without nodes and weight. */
    int batch_count;
    sn_batch *batch;
    int block_count;
    int32_t *batch_of; /* block_count: index of the batch */
    int32_t *block_in; /* block_count: index of the block in its batch */
    int64_t *begin;    /* block_count x SN_LANES + 1: entries of a patch */
    int32_t *node;     /* per entry, ascending in a patch */
    double *gradient;  /* per entry x 3, 1/m */
    double *weight;    /* block_count x SN_LANES, m^3 */
    int32_t *material_of;
    int node_count;
    int64_t *row_begin; /* node_count + 1: the patches around a node */
    int32_t *row_patch;
    int64_t *row_entry;   /* the node's entry in that patch */
    int64_t linearised;   /* offset of the patches in a linearised buffer, in doubles */
    int64_t tangent_size; /* doubles of their tangents: block_count x 81 x SN_LANES, then scratch of products */
} sn_patches;

/* Kernels over one block. */
typedef struct sn_patch_kernels {
    /* W psi of each lane. Returns how many patches a POSITIVE_J law met with J <= 0. */
    int (*energy)(const sn_patches *patches, int block, const sn_element_view *view, double *energy);
    /* W P of each lane, with damping: [lane][9]. Returns as above. `cauchy`: Cauchy's stress P F^T / J, elastic. */
    int (*stress)(const sn_patches *patches, int block, const sn_element_view *view, bool cauchy, double *stress);
    /* W (k dP/dF + d dP/dF'), [81][SN_LANES]. */
    void (*linearise)(const sn_patches *patches, int block, const sn_element_view *view, double k, double d,
                      double *tangent);
    /* tangent : sum_i u_i (x) g_i, [lane][9]. */
    void (*product)(const sn_patches *patches, int block, const double *tangent, const double *u, double *stress);
    /* As that of sn_element_kernels. */
    void (*remember)(const sn_patches *patches, int block, const sn_element_view *view, const sn_memory_arrays *memory);
} sn_patch_kernels;
const sn_patch_kernels *sn_patch_kernels_for(const sn_context *context);

/* Makes the patches of a model whose batches are filled; model->patches stays NULL when no element has any. */
sn_status sn_patches_create(sn_context *context, sn_elements_model *model, sn_error *error);
void sn_patches_release(sn_context *context, sn_patches *patches);

/* The batch that settings->batch[index] belongs to. */
const sn_batch *sn_settings_batch(const sn_elements_model *model, int index);

/* Refuses materials that cannot be divided. */
sn_status sn_patch_check(const sn_element *element, const sn_law *law, const sn_material *material, sn_error *error);
/* The constants of a part of the law. Returns the share of the patches' bulk modulus that a body of Poisson's ratio
 * SN_PATCH_SOFT has too: 1 for softer bodies, near 0 for nearly incompressible ones. */
double sn_patch_divide(const sn_element *element, const sn_law *law, int part, double *constant);

/* The sums of batch.h over all patches of a model. */
sn_status sn_patches_energy(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                            double *energy, sn_error *error);
sn_status sn_patches_force(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                           double *f, sn_error *error);
void sn_patches_remember(const sn_context *context, const sn_patches *patches, const sn_element_view *view,
                         const sn_memory_arrays *memory);
/* tangent: tangent_size doubles. */
void sn_patches_linearise(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                          double k, double d, double *tangent);
/* Uses the scratch behind the tangents. */
void sn_patches_product(const sn_context *context, const sn_patches *patches, double *tangent, const double *u,
                        double *out);
/* Cauchy's stresses of all patches, into settings->patch_stress. Pressures around nodes can alternate from node to node
 * in a way that no displacement feels. So each patch gets the mean of the pressures that are interpolated between the
 * nodes, with L and W as above:
 *   p(q) = sum_a L_a(q) p_a,   p_a <- sum_q w_q L_a(q) p(q) / W_a.
 * A patch that is one element keeps its pressure. */
void sn_patches_stress(const sn_context *context, const sn_elements_model *model, const sn_element_view *view);
/* Adds these stresses ([point][9][SN_LANES]) and the energies ([point][SN_LANES]) of the patches of one element of a
 * block, each the mean at the point; NULL to skip one. */
void sn_patches_look(const sn_context *context, const sn_elements_model *model, const sn_batch *batch, int block,
                     int lane, const sn_element_view *view, double *cauchy, double *psi);

#endif
