/* Batches: elements of one kind (element type, law, rotation, differential) in blocks of SN_LANES, structure of arrays, ready for the
 * kernels; and the chunks that threads work on.
 *
 * A chunk is a run of blocks of one batch. Chunks of one colour share no node, so they may write to nodes at the same time; colours
 * follow each other in order. Hence every sum into a node or a matrix entry has one order, whatever the number of threads.
 * The last block of a chunk may be padded: padded lanes repeat a real element with weight 0 and are not scattered. */
#ifndef SN_FEM_BATCH_H
#define SN_FEM_BATCH_H

#include "element.h"
#include "law.h"

typedef struct sn_batch {
    const sn_element *element;
    const sn_law *law;
    const sn_rotation *rotation; /* NULL when the law needs none */
    sn_differential differential;
    int block_count;
    int32_t *node;     /* block_count x nodes x SN_LANES, compiled node numbers */
    double *gradient;  /* block_count x points x (nodes - 1) x 3 x SN_LANES, 1/m */
    double *weight;    /* block_count x points x SN_LANES, m^3; 0 in padded lanes */
    double *constant;  /* block_count x law->constant_count x SN_LANES: parameters, editable between steps */
    double *damping;   /* block_count x 3 x SN_LANES: d_lambda, d_mu, Rayleigh stiffness part b; NULL when all are zero */
    double *rest_edge; /* block_count x 9 x SN_LANES: Dm of the corners; only for rotations with history, else NULL */
    int32_t *element_of; /* block_count x SN_LANES: index of the element in its body's mesh, -1 in padded lanes */
    int32_t *material_of; /* block_count x SN_LANES: index of the material in the parameters */
    int64_t rotation_state; /* offset of its rotation state in the state's array, in doubles; -1 for none */
    double alpha, beta;     /* of the rotation */
} sn_batch;

typedef struct sn_chunk {
    int batch;
    int block_begin, block_end;
} sn_chunk;

/* The compiled elements of a system. Constant but for `constant` and `damping`. */
typedef struct sn_elements_model {
    int node_count;
    int batch_count;
    sn_batch *batch;
    int chunk_count;
    sn_chunk *chunk;   /* ordered by colour */
    int color_count;
    int *color_begin;  /* color_count + 1: chunks of colour c are [color_begin[c], color_begin[c + 1]) */
} sn_elements_model;

/* What the elements are evaluated at. Arrays are node_count x 3 in compiled numbering. */
typedef struct sn_element_view {
    const double *x;
    const double *v;             /* NULL: at rest, no damping forces */
    const double *x_before;      /* last accepted positions, for rotations with history; NULL otherwise */
    const double *rotation_state; /* NULL when no batch uses any */
} sn_element_view;

/* ---- Kernels over one chunk, for one instruction set (kernel/element.c) ---- */
typedef struct sn_element_kernels {
    /* Adds the chunk's elastic energy (J) to *energy. Returns how many real elements a POSITIVE_J law met with J <= 0. */
    int (*energy)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view, double *energy);
    /* Adds the forces of the chunk (elastic, viscous and Rayleigh stiffness damping) to f. Returns as above. */
    int (*force)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view, double *f);
    /* Adds (k K + d D) u to out, K = -df/dx, D = -df/dv: the assembly-free product. */
    void (*product)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view, double k, double d, const double *u,
                    double *out);
    /* Element matrices k K + d D of one block: out has nodes x nodes blocks of 3 x 3, [i][j][3 * column + row][SN_LANES] (column-major
     * blocks, as the sparse matrix wants them). With `upper` only the blocks i <= j are filled (K symmetric). */
    void (*stiffness)(const sn_batch *batch, int block, const sn_element_view *view, double k, double d, int upper, double *out);
    /* F, P and Cauchy stress at every quadrature point of one block: [point][9][SN_LANES] each; NULL to skip one. */
    void (*stress)(const sn_batch *batch, int block, const sn_element_view *view, double *F, double *P, double *cauchy);
    /* Only the rotations: [point][9][SN_LANES]. */
    void (*rotation)(const sn_batch *batch, int block, const sn_element_view *view, double *R);
    /* Accept hook of rotations with history: updates `state` (same layout as view->rotation_state). */
    void (*accept)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view, double *state);
} sn_element_kernels;

const sn_element_kernels *sn_element_kernels_for(const sn_context *context);

/* ---- Compilation ---- */
/* What a body contributes; node numbers are already compiled (global) ones. */
typedef struct sn_batch_source {
    const sn_element *element;
    int element_count;
    const int32_t *node;        /* element_count x element->nodes, compiled numbers */
    const double *rest;         /* rest positions of all compiled nodes, x 3 */
    const int32_t *material;    /* element_count: index into `materials` */
    const sn_material *materials;
    int material_count;
    int material_offset;        /* added to material_of */
    int element_offset;         /* added to element_of */
    const char *name;           /* the body's, for messages */
    const int64_t *label;       /* element labels for messages, or NULL */
} sn_batch_source;

/* Groups the elements of all sources by (element, law, rotation, differential), orders them for locality (by lowest node), cuts them into
 * chunks and colours these. Flat or inverted rest elements are an error that names the element. */
sn_status sn_elements_compile(sn_context *context, const sn_batch_source *source, int source_count, int node_count, sn_elements_model *model,
                              sn_error *error);
void sn_elements_release(sn_context *context, sn_elements_model *model);
/* Fills `constant` and `damping` again from edited or keyed materials at time t. */
sn_status sn_elements_parameters(sn_elements_model *model, const sn_material *materials, double time, sn_error *error);

/* Whole-model sums, parallel and in fixed order. `partial`: chunk_count doubles of scratch. Inverted counts: elements with J <= 0. */
sn_status sn_elements_energy(const sn_context *context, const sn_elements_model *model, const sn_element_view *view, double *partial, double *energy,
                             sn_error *error);
sn_status sn_elements_force(const sn_context *context, const sn_elements_model *model, const sn_element_view *view, double *f, sn_error *error);
void sn_elements_product(const sn_context *context, const sn_elements_model *model, const sn_element_view *view, double k, double d, const double *u,
                         double *out);

/* ---- Mass ---- */
/* Lumped: mass[i] per node (row sums for tet4, HRZ for tet10). Adds to `mass`. density per element. */
sn_status sn_mass_lumped(const sn_batch_source *source, double *mass, sn_error *error);
/* Consistent element mass: nodes x nodes scalars of element e (each times the 3x3 identity). */
void sn_mass_element(const sn_batch_source *source, int e, double *mass);

#endif
