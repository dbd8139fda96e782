/* Assembly by edges, for systems in which all elements are warped tets. The usual assembly adds each element to several
 * blocks of the matrix. This one computes each block once, from all tets around the edge.
 *
 * With c_a = R g_a the rotated gradients of a tet and w its volume, the block of the nodes a and b is
 * (fem/kernel/element_linear.h)
 *   K_ab = w (lambda c_a c_b^T + mu c_b c_a^T + mu (c_a . c_b) I) = l d_a d_b^T + d_b d_a^T + (d_a . d_b) I
 * for d_a = sqrt(w mu) c_a and l = lambda / mu. An edge therefore reads only four numbers (d_a, l), a quad, per node of
 * a tet, in single precision. One thread writes each block once, together with its mirror block. A rigid translation
 * causes no force, so a diagonal block is minus the sum of the other blocks in its row, plus the mass.
 *
 * Edges form groups of SN_LANES with nearly equal numbers of tets. An edge with fewer tets than its group is padded
 * with an empty tet. */
#ifndef SN_LINEAR_EDGES_H
#define SN_LINEAR_EDGES_H

#include <stdbool.h>

#include "matrix.h"

enum {
    SN_EDGES_ITEMS = 12, /* numbers of a linearised tet: the c_a of nodes 1 to 3, w lambda, w mu, w mu */
    SN_EDGES_AHEAD = 16, /* prefetch distance of the quads, in rows of `end` */
};

typedef struct sn_edges {
    int group_count;
    int64_t *begin; /* group_count + 1: rows of `end` */
    /* Rows (and SN_EDGES_AHEAD more) x 2 x SN_LANES: the quads of the first and of the second end of each edge. */
    int32_t *end;
    int32_t *place; /* group_count x SN_LANES: the edge's block right of the diagonal; -1: none */
    int64_t *first; /* per batch: the number of its first quad */
    float *quad;    /* quads x 4: (d_a, l); the first one is empty */
} sn_edges;

/* Whether all batches are warped tets and the view asks for a symmetric matrix. */
bool sn_edges_serve(const sn_elements_model *elements, const sn_element_view *view);
sn_status sn_edges_create(sn_context *context, const sn_elements_model *elements, const sn_pattern *pattern,
                          sn_edges *edges, sn_error *error);
void sn_edges_release(sn_context *context, sn_edges *edges);
/* Fills the off-diagonal blocks from the linearised elements. Returns false and does not fill the matrix when a tet has
 * a lambda but no mu. */
bool sn_edges_assemble(const sn_context *context, const sn_edges *edges, const sn_elements_model *elements,
                       const double *linearised, const sn_pattern *pattern, float *value);
/* Fills the diagonal blocks of rows [begin, end) afterwards: minus the sum of the other blocks. */
void sn_edges_diagonal(const sn_context *context, const sn_pattern *pattern, int begin, int end, float *value);

/* ---- Kernels (kernel/edges_kernel.c) ---- */
typedef struct sn_edges_kernels {
    /* Makes the quads of `blocks` blocks of SN_LANES linearised tets. Returns the number of tets that have weights but
     * no positive mu; a quad cannot express those. */
    int (*pack)(int blocks, const double *linearised, float *quad);
    /* The blocks of the groups [begin, end) and their mirrors. */
    void (*sum)(const sn_edges *edges, const sn_pattern *pattern, int begin, int end, float *value);
    /* The diagonal of rows [begin, end). */
    void (*diagonal)(const sn_pattern *pattern, int begin, int end, float *value);
} sn_edges_kernels;

#endif
