/* Assembly of m M + d D + k K into the sparse matrix, and the mass matrix. */
#ifndef SN_LINEAR_ASSEMBLY_H
#define SN_LINEAR_ASSEMBLY_H

#include <stdbool.h>

#include "edges.h"
#include "matrix.h"

/* The places of the elements' blocks in the matrix. Per batch: block_count x pairs x SN_LANES places of the blocks (i,
 * j), i <= j in the element's order; -1 in padded lanes. */
typedef struct sn_scatter_map {
    int batch_count;
    int32_t **place;
} sn_scatter_map;

/* kept: places in rows that were taken over come from the map before; NULL: none. */
sn_status sn_scatter_map_create(sn_context *context, const sn_elements_model *elements, const sn_pattern *pattern,
                                const sn_kept_rows *kept, sn_scatter_map *map, sn_error *error);
void sn_scatter_map_release(sn_context *context, sn_scatter_map *map);

/* The mass matrix. It is lumped per node. With a consistent mass, `coupled` holds one number per block of the pattern;
 * its diagonal then includes the lumped part. */
typedef struct sn_mass {
    const sn_pattern *pattern;
    const double *lumped;
    double *coupled;
} sn_mass;

/* out = M v, or out = (m M + d a M) v with one a per node (NULL for none). A coupling between two nodes uses the mean
 * of their a. */
void sn_mass_product(const sn_context *context, const sn_mass *mass, double m, double d, const double *a,
                     const double *v, double *out);

typedef struct sn_assembly {
    const sn_context *context;
    const sn_elements_model *elements;
    const sn_scatter_map *map;
    const sn_mass *mass;
    const sn_element_view *view;
    const sn_block_list *stiffness, *damping; /* NULL for none */
    const double *rayleigh_mass;              /* NULL for none */
    /* Linearised elements for the element products. sn_assemble fills them on the way; NULL: not wanted. */
    double *linearised;
    /* When set, the matrix is made from `linearised`, which must be filled already; NULL: from the elements. */
    const sn_edges *edges;
    bool folded;  /* the matrix has slaves (slaves.h): it is not the sum of the matrices of the elements */
    bool patches; /* the patches of the elements count too */
    struct sn_volumes
        *volumes; /* takes the stiff volumes of the patches out of the matrix (volume.h); NULL: it is whole */
    double m, d, k;
} sn_assembly;

/* Fills the places of the pattern. *symmetric: whether this part of the matrix is symmetric. Listed blocks without a
 * place are left out: sn_coupling_build takes them (coupling.h). */
void sn_assemble(const sn_assembly *assembly, const sn_matrix *matrix, bool *symmetric);
/* Its two parts: everything but the listed blocks, and those. place: of sn_listed; NULL: places are looked for. */
/* false: nothing was done, because the edges do not serve and the map has no places. */
bool sn_assemble_elements(const sn_assembly *assembly, const sn_matrix *matrix);
void sn_assemble_lists(const sn_assembly *assembly, const sn_matrix *matrix, const int32_t *place, bool *symmetric);

/* The places of the listed blocks, and what the matrix had there before them. So a matrix that differs in its listed
 * blocks alone need not be assembled again. All zero: without memory. */
typedef struct sn_listed {
    int count, places, values; /* places and values: capacities */
    int32_t *place; /* of the blocks of K, then of D, as far as their factor is not 0; -1: a block without a place */
    double *value;  /* count x 9 */
} sn_listed;
/* Keeps what the matrix has at the places of the lists of the assembly, before sn_assemble_lists. */
sn_status sn_listed_keep(const sn_assembly *assembly, const sn_matrix *matrix, sn_listed *listed, sn_error *error);
/* Puts it back. */
void sn_listed_restore(const sn_listed *listed, const sn_matrix *matrix);
void sn_listed_release(const sn_context *context, sn_listed *listed);
/* Whether the operator is symmetric up to rounding. Does not assemble the matrix. */
bool sn_assembly_symmetric(const sn_assembly *assembly);
/* Only the diagonal blocks, nodes x 9 column-major, without a matrix. Blocks that `linearised` holds (if set) come from
 * there. */
void sn_assemble_diagonal(const sn_assembly *assembly, double *diagonal);
/* Copies the diagonal blocks out of a matrix. */
void sn_matrix_diagonal(const sn_context *context, const sn_matrix *matrix, double *diagonal);
/* A = (A + A^T) / 2. */
void sn_matrix_symmetrise(const sn_context *context, const sn_matrix *matrix);
/* out += factor L u, with L the matrix of the listed blocks. */
void sn_block_list_product(const sn_block_list *list, double factor, const double *u, double *out);

#endif
