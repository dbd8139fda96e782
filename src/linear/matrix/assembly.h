/* Assembly of m M + d D + k K into the sparse matrix, and the mass matrix. */
#ifndef SN_LINEAR_ASSEMBLY_H
#define SN_LINEAR_ASSEMBLY_H

#include <stdbool.h>

#include "edges.h"
#include "matrix.h"

/* Where the elements' blocks go: per batch, block_count x pairs x SN_LANES places of the blocks (i, j), i <= j in the element's order; -1
 * in padded lanes. */
typedef struct sn_scatter_map {
    int batch_count;
    int32_t **place;
} sn_scatter_map;

sn_status sn_scatter_map_create(sn_context *context, const sn_elements_model *elements, const sn_pattern *pattern, sn_scatter_map *map,
                                sn_error *error);
void sn_scatter_map_release(sn_context *context, sn_scatter_map *map);

/* The mass: lumped per node, and when `coupled` is set one number per block of the pattern (its diagonal holds the lumped part too). */
typedef struct sn_mass {
    const sn_pattern *pattern;
    const double *lumped;
    double *coupled;
} sn_mass;

/* out = M v, or out = (m M + d a M) v with a per node (NULL for none; a coupling has the mean of its two nodes). */
void sn_mass_product(const sn_context *context, const sn_mass *mass, double m, double d, const double *a, const double *v, double *out);

typedef struct sn_assembly {
    const sn_context *context;
    const sn_elements_model *elements;
    const sn_scatter_map *map;
    const sn_mass *mass;
    const sn_element_view *view;
    const sn_block_list *stiffness, *damping; /* NULL for none */
    const double *rayleigh_mass;              /* NULL for none */
    double *linearised;                       /* of the element products, filled by sn_assemble on the way; NULL: not wanted */
    const sn_edges *edges;                    /* the matrix is made from `linearised`, which is there already; NULL: by elements */
    double m, d, k;
} sn_assembly;

/* Fills the matrix. *symmetric: whether it is; *missing: how many listed blocks the pattern has no place for (they are left out). */
void sn_assemble(const sn_assembly *assembly, const sn_matrix *matrix, bool *symmetric, int *missing);
/* Whether the operator is symmetric, to rounding, without assembling it. */
bool sn_assembly_symmetric(const sn_assembly *assembly);
/* The diagonal blocks alone, nodes x 9 column-major, without a matrix; from `linearised`, if that is set, where it holds them. */
void sn_assemble_diagonal(const sn_assembly *assembly, double *diagonal);
/* Copies the diagonal blocks out of a matrix. */
void sn_matrix_diagonal(const sn_context *context, const sn_matrix *matrix, double *diagonal);
/* A = (A + A^T) / 2. */
void sn_matrix_symmetrise(const sn_context *context, const sn_matrix *matrix);
/* out += (k K + d D of the lists) u. */
void sn_block_list_product(const sn_block_list *list, double factor, const double *u, double *out);

#endif
