/* Assembly by edges, for systems of warped tets alone: the blocks of the matrix are not summed where the elements scatter them, but
 * gathered from the tets around each edge.
 *
 * With c_a = R g_a the turned gradients of a tet and w its volume, the block of the nodes a and b is (fem/kernel/element.c)
 *   K_ab = w (lambda c_a c_b^T + mu c_b c_a^T + mu (c_a . c_b) I) = l d_a d_b^T + d_b d_a^T + (d_a . d_b) I
 * for d_a = sqrt(w mu) c_a and l = lambda / mu: four numbers (d_a, l) per node of a tet, in single precision, are all that an edge reads.
 * Every block is written once, by one thread, with its mirror. Rigid translations cost nothing, so a block of the diagonal is minus the sum
 * of its row, plus the mass.
 *
 * Edges stand in groups of SN_LANES with about as many tets each; where one has fewer, an empty tet fills up. */
#ifndef SN_LINEAR_EDGES_H
#define SN_LINEAR_EDGES_H

#include <stdbool.h>

#include "matrix.h"

enum {
    SN_EDGES_ITEMS = 12, /* of a linearised tet: the c_a of nodes 1 to 3, w lambda, w mu, w mu */
    SN_EDGES_AHEAD = 16, /* rows of `end` ahead that memory is asked for their quads */
};

typedef struct sn_edges {
    int group_count;
    int64_t *begin; /* group_count + 1: rows of `end` */
    int32_t *end;   /* rows (and SN_EDGES_AHEAD more) x 2 x SN_LANES: which quads the first and the second end of each edge are */
    int32_t *place; /* group_count x SN_LANES: its block, right of the diagonal; -1: none */
    int64_t *first; /* per batch: its first quad */
    float *quad;    /* quads x 4: (d_a, l); the first one is empty */
} sn_edges;

/* Whether all batches are such tets, and the view wants a symmetric matrix. */
bool sn_edges_serve(const sn_elements_model *elements, const sn_element_view *view);
sn_status sn_edges_create(sn_context *context, const sn_elements_model *elements, const sn_pattern *pattern, sn_edges *edges,
                          sn_error *error);
void sn_edges_release(sn_context *context, sn_edges *edges);
/* Fills the blocks beside the diagonal from the linearised elements. False, and the matrix is not filled, when a tet has lambda but no mu.
 */
bool sn_edges_assemble(const sn_context *context, const sn_edges *edges, const sn_elements_model *elements, const double *linearised,
                       const sn_pattern *pattern, float *value);
/* Then the diagonal blocks of rows [begin, end): minus the sum of the others. */
void sn_edges_diagonal(const sn_context *context, const sn_pattern *pattern, int begin, int end, float *value);

/* ---- Kernels (kernel/edges.c) ---- */
typedef struct sn_edges_kernels {
    /* The quads of `blocks` blocks of SN_LANES linearised tets. Returns how many tets it cannot tell: those with weights, but
     * without a positive mu. */
    int (*pack)(int blocks, const double *linearised, float *quad);
    /* The blocks of the groups [begin, end) and their mirrors. */
    void (*sum)(const sn_edges *edges, const sn_pattern *pattern, int begin, int end, float *value);
    /* The diagonal of rows [begin, end). */
    void (*diagonal)(const sn_pattern *pattern, int begin, int end, float *value);
} sn_edges_kernels;

#endif
