/* The factor of a sparse matrix E with one row of 6x6 blocks for each of some rigid bodies: E = L D L^T.
 *
 * The bodies are in parts, as the nodes of parts.h: no block of E couples two parts, and the joint comes last. Parts
 * are factored and substituted at the same time; what they give to the joint is added in the order of the parts. So the
 * result has the same bits on any number of threads. Within a part, bodies are in the order of minimum degree.
 *
 * E and its factor are in double precision. Substitutions read a copy of L in single precision. Both substitutions read
 * the same copy, so E^-1 stays symmetric and definite. */
#ifndef SN_LINEAR_RIGID_FACTOR_H
#define SN_LINEAR_RIGID_FACTOR_H

#include "parts.h"
#include "rigid_kernels.h"

typedef struct sn_rigid_factor {
    const sn_context *context;
    const sn_rigid_kernels *kernels;
    int count, parts;
    int32_t first[SN_PARTS_MOST + 2]; /* the first body of each part, of the joint, and the number of bodies */
    int32_t *begin, *column;          /* the lower triangle of E by rows, columns ascend, the diagonal comes last */
    double *value;                    /* its blocks: padded, column-major */
    int32_t *l_begin, *l_row;         /* L by columns, rows ascend */
    int32_t *l_joint;                 /* per column of a part: its first block in the joint; of the joint: the end */
    int32_t *r_begin, *r_column, *r_place; /* L by rows: column, and place in the columns */
    double *l_value;                       /* blocks of L */
    float *l_narrow;                       /* the same, padded */
    double *inverse;                       /* D^-1, padded blocks */
    double *work;                          /* the row that is computed: a padded block per body */
    double *joint;                         /* per part: what it gives to the lower triangle of the joint */
    double *vector;                        /* eight numbers per body: the right side, then the solution */
    double *given;                         /* per part: what it gives to the vector of the joint */
    bool good[SN_PARTS_MOST + 1];
} sn_rigid_factor;

/* Orders the bodies of a pattern (row_begin and column; both triangles and the diagonal) and finds the places of E and
 * L. part[i]: the part of body i, `parts` for the joint. Writes the place of each body in the new order, which all
 * arrays of the factor have. After a failure the caller releases the factor. */
sn_status sn_rigid_factor_create(sn_context *context, const sn_pattern *pattern, const int32_t *part, int parts,
                                 int32_t *place, sn_rigid_factor *f, sn_error *error);
/* Factors `value`. Returns false when E is not positive definite; the factor is then of no use. */
bool sn_rigid_factor_update(sn_rigid_factor *f);
/* Solves E y = y in `vector`: `forward` for each part, then `middle`, then `back` for each part. Calls for two parts
 * may run at the same time. */
void sn_rigid_factor_forward(const sn_rigid_factor *f, int part);
void sn_rigid_factor_middle(const sn_rigid_factor *f);
void sn_rigid_factor_back(const sn_rigid_factor *f, int part);
void sn_rigid_factor_release(sn_context *context, sn_rigid_factor *f);

#endif
