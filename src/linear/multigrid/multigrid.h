/* Multigrid for the step matrix on unstructured tets: levels on lattices.
 *
 * Level 0 is the mesh. Coarse nodes are points of a regular lattice over it, of a spacing that doubles from level to level; a fine node in
 * a lattice cell takes its value from the cell's eight corners by trilinear weights, so rigid motions and all linear fields are kept
 * exactly. Three things make this work on any shape:
 *   - parts of the body that share a cell but do not touch inside it get corners of their own (two fingers do not stick together);
 *   - a node whose own neighbours are further away than the lattice spacing is carried to the coarse level as it is (graded meshes);
 *   - constraints act on the matrix (S A S), never on the transfer, so that they may change from step to step.
 * Coarse matrices are Galerkin products P^T A P; the first one takes most elements into one cell each, which leaves it 27 blocks per row
 * (multigrid_cells.c). The smoother is one Gauss-Seidel sweep forward before and one backward after the coarse
 * correction, which makes the cycle symmetric. The rows of large levels are ordered by colours of nodes and swept in slices of sixteen that
 * do not touch; those of small ones by colours of chunks and, inside a chunk, by colours of nodes. Threads share one colour at a time, and
 * the order of every sum is fixed. The last level is solved by dense inverses, one per
 * connected part.
 *
 * Coarse matrices are expensive and made rarely. Meanwhile they turn with the body (multigrid_frames.c).
 *
 * Vectors and coarse products are in single precision, with four floats per node, the last one unused. The sweeps read a copy of the matrix
 * scaled to a unit diagonal and rounded to 16 bits, half the bytes: rounding moves a smooth mode by some 1e-4 of the diagonal, which a
 * preconditioner does not notice. */
#ifndef SN_LINEAR_MULTIGRID_H
#define SN_LINEAR_MULTIGRID_H

#include <stdbool.h>

#include "base/context.h"
#include "linear/matrix/matrix.h"

/* The unit of the 16-bit matrix: a scaled positive definite matrix has entries of at most 3. */
#define SN_MG_UNIT 0x1p-13f

enum { SN_MG_PARENTS = 8, SN_MG_LEVELS = 12, SN_MG_COLUMNS = 512 };

/* Elements in lattice cells (multigrid_cells.c). Nodes are those of the matrix. */
enum { SN_MG_CELL = 16 * SN_MG_PARENTS * (SN_MG_PARENTS + 1) / 2 };

typedef struct sn_mg_cells {
    const sn_elements_model *elements;
    int32_t **group;                       /* batch -> element -> the group whose cell it is in; -1: it stays in R */
    int32_t *edge_group;                   /* block of the matrix's pattern -> one of the groups whose elements alone fill it, or -1 */
    double *at;                            /* nodes x 3, in spacings */
    int32_t (*cell)[3];                    /* of a group */
    int32_t *row_of;                       /* node -> level 0 row */
    int color_count, *color_begin, *chunk; /* chunks of elements by colour */
    int32_t *projection;                   /* node -> its place in the filter or -1, while an update runs */
    float *sum;                            /* groups x SN_MG_CELL: blocks p <= q of the cell, of sixteen numbers, the first nine count */
} sn_mg_cells;

/* Fine nodes with the same parents: those of one connected part inside one lattice cell, or one carried node. */
typedef struct sn_mg_group {
    int32_t node_begin, node_end;     /* in sn_mg_transfer.member */
    int32_t parent[SN_MG_PARENTS];    /* coarse nodes; -1 for none */
    int32_t column_begin, column_end; /* coarse nodes that its rows of A P reach, in sn_mg_transfer.column */
    int32_t near_begin, near_end;     /* groups that its rows of A reach, in sn_mg_transfer.near */
    int32_t color;
} sn_mg_group;

/* A group reached from another one: where its parents are among that group's columns. */
typedef struct sn_mg_near {
    int32_t group;
    int16_t column[SN_MG_PARENTS]; /* -1 for none */
} sn_mg_near;

typedef struct sn_mg_transfer {
    int group_count, color_count;
    sn_mg_group *group;
    int32_t *color_begin, *color_group; /* groups by colour: those of one colour share no parent */
    int32_t *member;                    /* fine nodes by group */
    int32_t *group_of;                  /* fine node -> group */
    float (*weight)[SN_MG_PARENTS];     /* fine node -> weights of its group's parents */
    int32_t *column;
    uint8_t *column_parents;          /* bits: the group's parents whose rows reach that column */
    int32_t (*parent)[SN_MG_PARENTS]; /* group -> parents, 0 for none, whose weights are 0 */
    int32_t *target;                  /* per group: 8 x columns places in the coarse matrix, -1 for none */
    int64_t *target_begin;
    sn_mg_near *near_;
    int16_t *near_of;                      /* fine block -> index into its row's group's near list; -1: the cells have it */
    float (*member_weight)[SN_MG_PARENTS]; /* the weights by member */
    float *sum;                            /* groups x SN_MG_PARENTS x 4: what the groups give to their parents */
    int32_t *giver_begin, *giver;          /* coarse node -> those sums */
    sn_mg_cells *cells;                    /* NULL: none */
} sn_mg_transfer;

/* The scaled matrix in 16 bits (multigrid_slices.c). A slab holds sixteen blocks: one of each of sixteen rows that do not touch, a slice,
 * or sixteen of one row. Where there are none, zeros point to a node behind the last. */
enum { SN_MG_SLICE = 16 };

typedef struct sn_mg_slab {
    int32_t column[SN_MG_SLICE];
    int16_t value[9][SN_MG_SLICE]; /* s_i A_ij s_j in units of SN_MG_UNIT */
} __attribute__((aligned(32))) sn_mg_slab;

typedef struct sn_mg_slices {
    int count, color_count; /* slices, or rows */
    int32_t *color_begin;   /* slices of a colour */
    int32_t *row;           /* slice -> its first row, count + 1; NULL: rows, not slices */
    int32_t *begin;         /* slabs of slice, or row, i: left of the diagonal from i, right of it from count + i; 2 count + 1 */
    sn_mg_slab *slab;
    int32_t *source;   /* slab x SN_MG_SLICE: place of the block among the values, -1 for none */
    int32_t *slice_of; /* row -> slice */
    float *inverse;    /* slice x 6 x SN_MG_SLICE: inverse of the scaled diagonal block, xx yy zz xy yz zx */
} sn_mg_slices;

typedef struct sn_mg_level {
    int nodes;
    int64_t blocks;
    int32_t *row_begin, *column, *diagonal; /* columns ascending: lower, diagonal, upper */
    int32_t *source;                        /* block -> its place among the values; NULL: the same */
    float *value;                           /* blocks x 9, column by column, and 8 more */
    float *scale, *unscale;                 /* nodes: s = 1 / sqrt(mean diagonal) and 1 / s; 0 where nothing can move */
    float *inverse;                         /* nodes x 12: inverse of the scaled diagonal block, columns padded to four */
    sn_mg_slices *slices;                   /* the scaled matrix; when it is in slices, `inverse` and the chunks are not there */
    int color_count;
    int32_t *color_begin; /* chunks of a colour */
    int32_t *chunk_begin; /* rows of a chunk */
    float *x, *b;         /* nodes x 4 and one slice more, scaled: x / s and s b */
    float *r;             /* nodes x 4, not scaled */
    double *position;     /* nodes x 3, set-up only */
    double *reach;        /* nodes: typical distance to its neighbours, set-up only */
    float *frame;         /* nodes x 12: rotations since the matrix was made, columns padded to four; NULL: none (level 1 has them) */
    sn_mg_transfer *down; /* to the next level; NULL on the last */
} sn_mg_level;

/* Dense inverses of the last level's connected parts (multigrid_last.c). */
typedef struct sn_mg_last {
    int count, largest;      /* parts; nodes of the largest one */
    int32_t *begin, *member; /* part -> its nodes */
    int32_t *local;          /* node -> its place in its part */
    int64_t *at;             /* part -> where its inverse begins */
    float *inverse;
    float *vector;
    double *factor, *work; /* of the size of the largest part, while an update runs */
} sn_mg_last;

typedef struct sn_multigrid {
    sn_context *context;
    int level_count;
    sn_mg_level level[SN_MG_LEVELS];
    int32_t *order; /* level 0 row -> node of the matrix */
    sn_mg_last last;
    uint8_t *fixed;    /* level 0 rows that are held altogether, while an update runs */
    double *partial;   /* per thread */
    bool sized;        /* a vector came in since the last update */
    int exponent;      /* its largest entry was about 2^exponent */
    bool waits;        /* the next step may do with these frames */
    bool framed;       /* positions were taken with the coarse matrices (multigrid_frames.c) */
    double *taken;     /* level 0 rows x 3: those positions */
    float *frame_then; /* level 1 nodes x 12: the frames at the last update */
    double *moment;    /* level 1 nodes x 16 */
    int updates;       /* Galerkin products so far */
} sn_multigrid;

typedef struct sn_multigrid_options {
    double spacing; /* of the first lattice in mean edges */
} sn_multigrid_options;

/* Sets up everything that depends on the pattern and the rest positions (nodes x 3). With `elements` (NULL: none) every update gets the
 * assembly. */
sn_status sn_multigrid_create(sn_context *context, const sn_pattern *pattern, const double *position, const sn_elements_model *elements,
                              const sn_multigrid_options *options, sn_multigrid **multigrid, sn_error *error);
void sn_multigrid_destroy(sn_multigrid *multigrid);

/* Takes new values of the matrix, linearised at the positions x (nodes x 3; NULL: unknown). With `coarse` the coarse matrices are made anew
 * as well; otherwise they stay as they are and turn with the body. `assembly`: what the matrix was made from. */
struct sn_filter;
struct sn_assembly;
void sn_multigrid_update(sn_multigrid *multigrid, const sn_matrix *matrix, const struct sn_assembly *assembly,
                         const struct sn_filter *filter, const double *x, bool coarse);

/* Leaves all matrices as they are, the coarse ones turn with the body. Returns false where the body has turned too far since the last
 * update for the smoother to serve. */
bool sn_multigrid_keep(sn_multigrid *multigrid, const double *x);

/* z = one cycle on r. */
void sn_multigrid_apply(sn_multigrid *multigrid, const double *r, double *z);

/* ---- Parts ---- */
sn_status sn_mg_order_rows(sn_context *context, sn_mg_level *level, int32_t *order, sn_error *error); /* multigrid_order.c */
/* A lattice over a level, and for the mesh the elements in it (else NULL). */
typedef struct sn_mg_site {
    sn_mg_level *level;
    double nominal;            /* spacing that is wanted */
    double low[3], spacing[3]; /* spacing 0: yet to be chosen */
    int32_t cells[3];
    int32_t (*cell)[3]; /* of a node */
    uint8_t *carried;   /* nodes that are */
    const sn_pattern *pattern;
    const int32_t *order; /* row -> node of the pattern */
    const sn_elements_model *elements;
} sn_mg_site;
sn_status sn_mg_build_transfer(sn_context *context, sn_mg_site *site, sn_mg_level *coarse, sn_error *error);      /* multigrid_lattice.c */
sn_status sn_mg_assign_cells(sn_context *context, const sn_mg_site *site, sn_mg_transfer *down, sn_error *error); /* multigrid_cells.c */
/* Sums the elements in cells, and takes them out of the values of level 0. */
void sn_mg_sum_cells(const sn_context *context, const sn_mg_transfer *down, const struct sn_assembly *assembly,
                     const struct sn_filter *filter, float *value);
/* The parts of a level, and the sum of the cubes of their sizes; room for their inverses; the inverses; x of the level from its b. */
sn_status sn_mg_find_parts(sn_context *context, const sn_mg_level *level, sn_mg_last *last, double *work, sn_error *error);
sn_status sn_mg_create_last(sn_context *context, sn_mg_last *last, sn_error *error);
void sn_mg_invert_last(sn_mg_last *last, const sn_mg_level *level);
void sn_mg_solve_last(const sn_mg_last *last, const sn_mg_level *level);
void sn_mg_release_last(sn_context *context, sn_mg_last *last);
void sn_mg_release_cells(sn_context *context, sn_mg_cells *cells);
sn_status sn_mg_create_frames(sn_multigrid *multigrid, sn_error *error); /* multigrid_frames.c */
void sn_mg_take_frames(sn_multigrid *multigrid, const double *x);
void sn_mg_turn_frames(sn_multigrid *multigrid, const double *x);
void sn_mg_note_frames(sn_multigrid *multigrid);
float sn_mg_turned(const sn_multigrid *multigrid); /* the largest change of an entry since they were noted */
void sn_mg_release_transfer(sn_context *context, sn_mg_transfer *transfer);
void sn_mg_release_level(sn_context *context, sn_mg_level *level);

/* Rows in slices: an order, and slices without slabs; or *slices = NULL when the graph does not suit. Then, with the level in that order,
 * the slabs. */
sn_status sn_mg_order_slices(sn_context *context, const sn_mg_level *level, int32_t *order, sn_mg_slices **slices, sn_error *error);
sn_status sn_mg_fill_slices(sn_context *context, sn_mg_level *level, sn_error *error);
/* Puts the inverse of a row's scaled diagonal block (columns padded to four) to its place. */
void sn_mg_slice_inverse(sn_mg_slices *slices, int row, const float *inverse);
void sn_mg_release_slices(sn_context *context, sn_mg_slices *slices);

/* ---- Kernels (kernel/multigrid.c), rows [begin, end) ---- */
typedef struct sn_mg_kernels {
    void (*forward)(const sn_mg_level *level, int begin, int end);  /* x = (D + L)^-1 b, from x = 0 */
    void (*residual)(const sn_mg_level *level, int begin, int end); /* r = -U x: what is left of b after `forward` */
    void (*backward)(const sn_mg_level *level, int begin, int end); /* x = D^-1 (b - (L + U) x), rows in descending order */
    void (*collect)(const sn_mg_level *level, const sn_mg_level *coarse, int begin, int end);   /* sums of P^T r in groups [begin, end) */
    void (*restrict_)(const sn_mg_level *level, const sn_mg_level *coarse, int begin, int end); /* coarse b = Q^T of all its sums */
    void (*unscale)(const sn_mg_level *level, int begin, int end);                              /* r = the true x, Q x */
    void (*prolong)(const sn_mg_level *level, const sn_mg_level *coarse, int begin, int end);   /* x += P coarse r in groups [begin, end) */
    /* From and to vectors of the matrix, order: row -> node. b = scale factor r, returns the largest |factor r|; z = factor scale x. */
    float (*take)(const sn_mg_level *level, const int32_t *order, const double *r, double factor, int begin, int end);
    void (*give)(const sn_mg_level *level, const int32_t *order, double *z, double factor, int begin, int end);
    void (*galerkin)(const sn_mg_level *level, const sn_mg_level *coarse, int group); /* coarse values += P^T A P of a group's rows */
    /* cell sum += P_e^T K_e P_e: [i][j][9][SN_LANES] in the first lane, blocks i <= j, and the nodes in the cell, in
     * spacings. */
    void (*cell)(int nodes, const double *matrix, const double (*f)[3], float *sum);
} sn_mg_kernels;
const sn_mg_kernels *sn_mg_kernels_for(const sn_context *context);

/* The same for the slices [begin, end) (kernel/multigrid_slices.c). quantise: from blocks of nine numbers. */
typedef struct sn_mg_slice_kernels {
    void (*forward)(const sn_mg_level *level, int begin, int end);
    void (*residual)(const sn_mg_level *level, int begin, int end);
    void (*backward)(const sn_mg_level *level, int begin, int end);
    void (*quantise)(const sn_mg_level *level, const float *value, int begin, int end);
    /* Scales and inverse diagonal blocks of the rows [begin, end), in slices or not; `fixed`: rows that are held altogether, or NULL. */
    void (*invert)(const sn_mg_level *level, const float *value, const uint8_t *fixed, int begin, int end);
} sn_mg_slice_kernels;
const sn_mg_slice_kernels *sn_mg_slice_kernels_for(const sn_context *context);

#endif
