/* Multigrid for the step matrix on unstructured tets: the coarse levels are lattices.
 *
 * Level 0 is the mesh. Coarse nodes are points of a regular lattice over the mesh. The spacing of the lattice doubles
 * from level to level. A fine node in a lattice cell takes its value from the eight corners of the cell with trilinear
 * weights P, so rigid motions and all linear fields are represented exactly. Three rules make this work on any shape:
 *   - Parts of the body that share a cell but do not touch inside it get separate corners: two fingers
 *     do not stick together.
 *   - A node whose neighbours are farther away than the lattice spacing is carried to the coarse level as it
 *     is. Graded meshes have such nodes.
 *   - Constraints act on the matrix (S A S), never on the transfer P, so they may change from step to step.
 *
 * Coarse matrices are Galerkin products P^T A P. For the first one, most elements lie in one cell each, so the matrix
 * has at most 27 blocks per row (multigrid_cells.c). Coarse matrices are expensive and are made rarely. In between they
 * rotate with the body (multigrid_frames.c).
 *
 * The smoother is one forward Gauss-Seidel sweep before the coarse correction and one backward sweep after it. This
 * makes the cycle symmetric. A colour is a set of rows, or of pieces (runs of rows), that do not touch. Large levels
 * order their rows by the colours of nodes and are swept in slices of sixteen rows that do not touch. Small levels are
 * ordered by the colours of pieces, and inside a piece by the colours of nodes. Threads share one colour at a time, and
 * the order of every sum is fixed. The last level is solved by dense inverses, one per connected part.
 *
 * Vectors and coarse products are in single precision, with four floats per node; the fourth is unused. The sweeps read
 * a copy of the matrix that is scaled to a unit diagonal and rounded to 16 bits, which halves the bytes. The rounding
 * moves a smooth mode by some 1e-4 of the diagonal. A preconditioner does not notice this. */
#ifndef SN_LINEAR_MULTIGRID_H
#define SN_LINEAR_MULTIGRID_H

#include <stdbool.h>

#include "base/archive.h"
#include "linear/matrix/matrix.h"

/* The unit of the 16-bit matrix. A scaled positive definite matrix has entries of at most 3. */
#define SN_MG_UNIT 0x1p-13f

enum { SN_MG_PARENTS = 8, SN_MG_LEVELS = 12, SN_MG_COLUMNS = 512 };

/* Elements in lattice cells (multigrid_cells.c). Nodes are those of the matrix. */
enum { SN_MG_CELL = 16 * SN_MG_PARENTS * (SN_MG_PARENTS + 1) / 2 };

typedef struct sn_mg_cells {
    const sn_elements_model *elements;
    int32_t **group; /* batch -> element -> the group whose cell holds the element; -1: in no cell, it stays in R */
    /* Block of the matrix's pattern -> a group; -1: none. Only elements in cells fill such a block, and this group is
     * one of theirs. */
    int32_t *edge_group;
    double *at;                            /* nodes x 3, positions in units of the spacing */
    int32_t (*cell)[3];                    /* of a group */
    int32_t *row_of;                       /* node -> level 0 row */
    int color_count, *color_begin, *chunk; /* chunks of elements by colour */
    int32_t *projection;                   /* node -> its place in the filter or -1; used during an update */
    /* Groups x SN_MG_CELL: the blocks p <= q of the cell. Each has sixteen numbers, of which the first nine count. */
    float *sum;
} sn_mg_cells;

/* Fine nodes with the same parents: the nodes of one connected part inside one lattice cell, or one carried node. */
typedef struct sn_mg_group {
    int32_t node_begin, node_end;     /* in sn_mg_transfer.member */
    int32_t parent[SN_MG_PARENTS];    /* coarse nodes; -1 for none */
    int32_t column_begin, column_end; /* coarse nodes that the group's rows of A P reach, in sn_mg_transfer.column */
    int32_t near_begin, near_end;     /* groups that the group's rows of A reach, in sn_mg_transfer.near_ */
    int32_t color;
} sn_mg_group;

/* A group that another group reaches: the places of its parents among the columns of that other group. */
typedef struct sn_mg_near {
    int32_t group;
    int16_t column[SN_MG_PARENTS]; /* -1 for none */
} sn_mg_near;

typedef struct sn_mg_transfer {
    int group_count, color_count;
    sn_mg_group *group;
    int32_t *color_begin, *color_group; /* groups by colour; groups of one colour share no parent */
    int32_t *member;                    /* fine nodes by group */
    int32_t *group_of;                  /* fine node -> group */
    float (*weight)[SN_MG_PARENTS];     /* fine node -> weights of the parents of its group */
    int32_t *column;
    uint8_t *column_parents;          /* bits: the parents of the group whose rows reach the column */
    int32_t (*parent)[SN_MG_PARENTS]; /* group -> parents; 0 for none, with a weight of 0 */
    int32_t *target;                  /* per group: 8 x columns places in the coarse matrix; -1 for none */
    int64_t *target_begin;
    sn_mg_near *near_;
    /* Fine block -> index into the near list of its row's group; -1: the cells hold this block. */
    int16_t *near_of;
    float (*member_weight)[SN_MG_PARENTS]; /* member -> weights */
    float *sum;                   /* groups x SN_MG_PARENTS x 4: the contributions of the groups to their parents */
    int32_t *giver_begin, *giver; /* coarse node -> its contributions in `sum` */
    sn_mg_cells *cells;           /* NULL: none */
} sn_mg_transfer;

/* The scaled matrix in 16 bits (multigrid_slices.c). A slab holds sixteen blocks. In a slice, these are one block of
 * each of sixteen rows that do not touch; otherwise they are sixteen blocks of one row. Unused places hold zeros and
 * point to a node behind the last one. */
enum { SN_MG_SLICE = 16 };

typedef struct sn_mg_slab {
    int32_t column[SN_MG_SLICE];
    int16_t value[9][SN_MG_SLICE]; /* s_i A_ij s_j in units of SN_MG_UNIT */
} __attribute__((aligned(32))) sn_mg_slab;

typedef struct sn_mg_slices {
    int count, color_count; /* number of slices, or of rows */
    int32_t *color_begin;   /* slices of a colour */
    int32_t *row;           /* slice -> its first row, count + 1 numbers; NULL: rows, not slices */
    /* 2 count + 1 numbers. begin[i]: the slabs of slice (or row) i left of the diagonal; begin[count + i]: those right
     * of it. */
    int32_t *begin;
    sn_mg_slab *slab;
    int32_t *source;   /* slab x SN_MG_SLICE: the place of the block among the values; -1 for none */
    int32_t *slice_of; /* row -> slice */
    /* Slice x 6 x SN_MG_SLICE: the inverse of the scaled diagonal block, xx yy zz xy yz zx. */
    float *inverse;
} sn_mg_slices;

typedef struct sn_mg_level {
    int nodes;
    int64_t blocks;
    int32_t *row_begin, *column, *diagonal; /* columns ascending: lower part, diagonal, upper part */
    int32_t *source;                        /* block -> its place among the values; NULL: the same number */
    float *value;                           /* blocks x 9, column by column, and room for 8 more */
    float *scale, *unscale;                 /* nodes: s = 1 / sqrt(mean diagonal) and 1 / s; 0 where nothing can move */
    float *inverse;       /* nodes x 12: the inverse of the scaled diagonal block, columns padded to four */
    sn_mg_slices *slices; /* the scaled matrix; a level in slices has no `inverse` and no pieces */
    int color_count;
    int32_t *color_begin; /* pieces of a colour */
    int32_t *piece_begin; /* rows of a piece */
    float *x, *b;         /* nodes x 4 and one more slice, scaled: x / s and s b */
    float *r;             /* nodes x 4, not scaled */
    double *position;     /* nodes x 3, only for the set-up */
    double *reach;        /* nodes: typical distance to the neighbours of the node, only for the set-up */
    /* Nodes x 12: rotations since the matrix was made, columns padded to four. Level 1 has them; NULL: none. */
    float *frame;
    sn_mg_transfer *down; /* to the next level; NULL on the last */
} sn_mg_level;

/* Dense inverses of the last level's connected parts (multigrid_last.c). */
typedef struct sn_mg_last {
    int count, largest;      /* parts; nodes of the largest one */
    int32_t *begin, *member; /* part -> its nodes */
    int32_t *local;          /* node -> its place in the part */
    int64_t *at;             /* part -> the start of its inverse */
    float *inverse;
    float *vector;
    double *factor, *work; /* sized for the largest part; used during an update */
} sn_mg_last;

typedef struct sn_multigrid {
    sn_context *context;
    int level_count;
    sn_mg_level level[SN_MG_LEVELS];
    int32_t *order; /* level 0 row -> node of the matrix */
    sn_mg_last last;
    uint8_t *fixed;    /* level 0 rows that cannot move at all; used during an update */
    double *partial;   /* per thread */
    bool sized;        /* a vector was passed in since the last update */
    int exponent;      /* the largest entry of that vector was about 2^exponent */
    bool waits;        /* the next step may use these frames */
    bool framed;       /* positions were stored with the coarse matrices (multigrid_frames.c) */
    double *taken;     /* level 0 rows x 3: the stored positions */
    float *frame_then; /* level 1 nodes x 12: the frames of the last update */
    double *moment;    /* level 1 nodes x 16 */
    int updates;       /* number of Galerkin products so far */
} sn_multigrid;

typedef struct sn_multigrid_options {
    double spacing; /* of the first lattice, in mean edge lengths */
} sn_multigrid_options;

/* Sets up everything that depends on the pattern and the rest positions (nodes x 3). When `elements` is given (NULL:
 * none), every update must pass the assembly. */
sn_status sn_multigrid_create(sn_context *context, const sn_pattern *pattern, const double *position,
                              const sn_elements_model *elements, const sn_multigrid_options *options,
                              sn_multigrid **multigrid, sn_error *error);
void sn_multigrid_destroy(sn_multigrid *multigrid);

/* Takes new values of the matrix, linearised at the positions x (nodes x 3; NULL: unknown). With `coarse`, the coarse
 * matrices are made anew as well. Otherwise they stay and rotate with the body. `assembly`: the parts that the matrix
 * was made from. */
struct sn_filter;
struct sn_assembly;
void sn_multigrid_update(sn_multigrid *multigrid, const sn_matrix *matrix, const struct sn_assembly *assembly,
                         const struct sn_filter *filter, const double *x, bool coarse);

/* Keeps all matrices; the coarse ones rotate with the body. Returns false when the body has turned so far since the
 * last update that the smoother no longer works. */
bool sn_multigrid_keep(sn_multigrid *multigrid, const double *x);

/* Visits the values of all levels in an archive. The structure of the levels is not in it. */
void sn_multigrid_archive(sn_multigrid *multigrid, sn_archive *archive);

/* z = one cycle on r. */
void sn_multigrid_apply(sn_multigrid *multigrid, const double *r, double *z);

/* ---- Parts ---- */
sn_status sn_mg_order_rows(sn_context *context, sn_mg_level *level, int32_t *order,
                           sn_error *error); /* multigrid_order.c */
/* A lattice over a level. For the mesh it also knows the elements in it; otherwise `elements` is NULL. */
typedef struct sn_mg_site {
    sn_mg_level *level;
    double nominal;            /* the wanted spacing */
    double low[3], spacing[3]; /* a spacing of 0 is not chosen yet */
    int32_t cells[3];
    int32_t (*cell)[3]; /* of a node */
    uint8_t *carried;   /* 1 for carried nodes */
    const sn_pattern *pattern;
    const int32_t *order; /* row -> node of the pattern */
    const sn_elements_model *elements;
} sn_mg_site;
sn_status sn_mg_build_transfer(sn_context *context, sn_mg_site *site, sn_mg_level *coarse,
                               sn_error *error); /* multigrid_lattice.c */
sn_status sn_mg_assign_cells(sn_context *context, const sn_mg_site *site, sn_mg_transfer *down,
                             sn_error *error); /* multigrid_cells.c */
/* Sums the elements in cells, and subtracts them from the values of level 0. */
void sn_mg_sum_cells(const sn_context *context, const sn_mg_transfer *down, const struct sn_assembly *assembly,
                     const struct sn_filter *filter, float *value);
/* The last level: find its parts and the sum of the cubes of their sizes (*work); allocate their inverses; compute the
 * inverses; compute x of the level from its b. */
sn_status sn_mg_find_parts(sn_context *context, const sn_mg_level *level, sn_mg_last *last, double *work,
                           sn_error *error);
sn_status sn_mg_create_last(sn_context *context, sn_mg_last *last, sn_error *error);
void sn_mg_invert_last(sn_mg_last *last, const sn_mg_level *level);
void sn_mg_solve_last(const sn_mg_last *last, const sn_mg_level *level);
void sn_mg_release_last(sn_context *context, sn_mg_last *last);
void sn_mg_release_cells(sn_context *context, sn_mg_cells *cells);
sn_status sn_mg_create_frames(sn_multigrid *multigrid, sn_error *error); /* multigrid_frames.c */
void sn_mg_take_frames(sn_multigrid *multigrid, const double *x);
void sn_mg_turn_frames(sn_multigrid *multigrid, const double *x);
void sn_mg_note_frames(sn_multigrid *multigrid);
float sn_mg_turned(const sn_multigrid *multigrid); /* the largest change of an entry since the frames were noted */
void sn_mg_release_transfer(sn_context *context, sn_mg_transfer *transfer);
void sn_mg_release_level(sn_context *context, sn_mg_level *level);

/* Rows in slices. First find an order of the rows and the slices without slabs; *slices is NULL when the graph does not
 * suit slices. Then put the level into that order and make the slabs. */
sn_status sn_mg_order_slices(sn_context *context, const sn_mg_level *level, int32_t *order, sn_mg_slices **slices,
                             sn_error *error);
sn_status sn_mg_fill_slices(sn_context *context, sn_mg_level *level, sn_error *error);
/* Stores the inverse of a row's scaled diagonal block (columns padded to four). */
void sn_mg_slice_inverse(sn_mg_slices *slices, int row, const float *inverse);
void sn_mg_release_slices(sn_context *context, sn_mg_slices *slices);

/* ---- Kernels (kernel/multigrid_kernel.c), rows [begin, end) ---- */
typedef struct sn_mg_kernels {
    void (*forward)(const sn_mg_level *level, int begin, int end);  /* x = (D + L)^-1 b, from x = 0 */
    void (*residual)(const sn_mg_level *level, int begin, int end); /* r = -U x: the residual after `forward` */
    void (*backward)(const sn_mg_level *level, int begin,
                     int end); /* x = D^-1 (b - (L + U) x), rows in descending order */
    void (*collect)(const sn_mg_level *level, const sn_mg_level *coarse, int begin,
                    int end); /* sums of P^T r in groups [begin, end) */
    void (*restrict_)(const sn_mg_level *level, const sn_mg_level *coarse, int begin,
                      int end);                                    /* coarse b = Q^T of all its sums */
    void (*unscale)(const sn_mg_level *level, int begin, int end); /* r = the true x, Q x */
    void (*prolong)(const sn_mg_level *level, const sn_mg_level *coarse, int begin,
                    int end); /* x += P coarse r in groups [begin, end) */
    /* Convert from and to vectors of the matrix; order: row -> node. `take`: b = scale factor r, returns the largest
     * |factor r|. `give`: z = factor scale x. */
    float (*take)(const sn_mg_level *level, const int32_t *order, const double *r, double factor, int begin, int end);
    void (*give)(const sn_mg_level *level, const int32_t *order, double *z, double factor, int begin, int end);
    void (*galerkin)(const sn_mg_level *level, const sn_mg_level *coarse,
                     int group); /* coarse values += P^T A P of a group's rows */
    /* cell sum += P_e^T K_e P_e for the element in the first lane. matrix: [i][j][9][SN_LANES], blocks i <= j. f: the
     * positions of the nodes in the cell, in units of the spacing. */
    void (*cell)(int nodes, const double *matrix, const double (*f)[3], float *sum);
} sn_mg_kernels;
const sn_mg_kernels *sn_mg_kernels_for(const sn_context *context);

/* The same sweeps for the slices [begin, end) (kernel/multigrid_slices_kernel.c). quantise: makes the 16-bit blocks
 * from blocks of nine numbers. */
typedef struct sn_mg_slice_kernels {
    void (*forward)(const sn_mg_level *level, int begin, int end);
    void (*residual)(const sn_mg_level *level, int begin, int end);
    void (*backward)(const sn_mg_level *level, int begin, int end);
    void (*quantise)(const sn_mg_level *level, const float *value, int begin, int end);
    /* Makes the scales and the inverse diagonal blocks of the rows [begin, end), in slices or not. `fixed`: marks the
     * rows that cannot move at all, or NULL. */
    void (*invert)(const sn_mg_level *level, const float *value, const uint8_t *fixed, int begin, int end);
} sn_mg_slice_kernels;
const sn_mg_slice_kernels *sn_mg_slice_kernels_for(const sn_context *context);

#endif
