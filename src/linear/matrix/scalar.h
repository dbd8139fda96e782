/* The scalar matrix: one number per pair of nodes, which stands for that number times the identity. It is the matrix of
 * the linearised tension of elements that split (fem/element.h; Hauth 4.2), a Laplacian with local coefficients:
 *
 *   A = m M + d D + k K,   A_ij = -(k modulus + d damping) of the edge ij,   A_ii = (m + d a_i) m_i - sum_j A_ij
 *
 * It does not depend on the place, so it is made again only when the constants or (m, d, k) change. A product takes a
 * third of the memory of a column of blocks, and there are fewer neighbours. */
#ifndef SN_LINEAR_SCALAR_H
#define SN_LINEAR_SCALAR_H

#include "matrix.h"

typedef struct sn_scalar {
    int nodes;
    int32_t *begin, *column; /* rows of neighbours, ascending, without the diagonal */
    double *value, *diagonal;
    double *stiffness, *damping; /* K and D of tension: the entries, then the diagonal */
    int32_t *place; /* per lane of the batches with tension: the places of its two entries; -1 in padded lanes */
    double *added;  /* nodes: what other blocks add to the diagonal in the mean, for preconditioners */
    bool valid;
    double m, d, k;
    int64_t taken;   /* revision of the settings whose constants it has; -1: none */
    int64_t version; /* counts the fillings and the changes of `added` */
} sn_scalar;

/* Without effect when it is there already. The elements must all split. */
sn_status sn_scalar_create(sn_context *context, const sn_elements_model *elements, sn_scalar *scalar, sn_error *error);
void sn_scalar_release(sn_context *context, sn_scalar *scalar);
/* Takes the constants of the elements, unless it has them already. */
void sn_scalar_take(const sn_elements_model *elements, const sn_element_settings *settings, sn_scalar *scalar);
/* Fills it, unless it is filled with the same numbers. `rayleigh`: a per node, or NULL. */
void sn_scalar_fill(const double *mass, const double *rayleigh, double m, double d, double k, sn_scalar *scalar);
/* y = (m M + d D + k K) x, for any numbers. */
void sn_scalar_product_of(const sn_scalar *scalar, const double *mass, const double *rayleigh, double m, double d,
                          double k, const double *x, double *y);
/* Notes the blocks that are multiplied beside it. */
void sn_scalar_note(const sn_block_list *stiffness, const sn_block_list *damping, sn_scalar *scalar);
/* y = A x, three columns at once. */
void sn_scalar_product(const sn_context *context, const sn_scalar *scalar, const double *x, double *y);

#endif
