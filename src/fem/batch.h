/* Batches: elements of one kind (element type, law, rotation, differential) in blocks of SN_LANES, structure of arrays,
 * ready for the kernels; and the chunks that threads work on.
 *
 * A chunk is a run of blocks of one batch. Chunks of one colour share no node, so they may write to nodes at the same
 * time; colours follow each other in order. So every sum into a node or a matrix entry has one order, for any number
 * of threads. The last block of a chunk may be padded: padded lanes repeat a real element with weight 0 and are not
 * scattered. */
#ifndef SN_FEM_BATCH_H
#define SN_FEM_BATCH_H

#include <stdbool.h>

#include "element.h"
#include "law.h"

enum { SN_DAMPED_VISCOUS = 1, SN_DAMPED_RAYLEIGH = 2, SN_DAMPED_MUSCLE = 4 };
enum { SN_WARPING_NONE = 0, SN_WARPING_EDGES, SN_WARPING_SVD }; /* warping.h */
enum { SN_MEMORY_ITEMS = 6 };                                   /* doubles per point and Prony term */
#define SN_TERM_ROWS(terms) (3 * (terms) + 1)                   /* of sn_batch_settings.term */
enum { SN_PART_WHOLE, SN_PART_OWN, SN_PART_PATCH };             /* patch.h */
enum { SN_MUSCLE_ITEMS = 5 };                                   /* numbers of a muscle (kernel/muscle.h) */
enum { SN_COMPACT_NONE, SN_COMPACT_WARPED, SN_COMPACT_BLENDED, SN_COMPACT_UPDATED, SN_COMPACT_TURNED };

typedef struct sn_batch {
    int index; /* of the batch in its model, and of its sn_batch_settings */
    const sn_element *element;
    const struct sn_element_kernels *kernels; /* of the element, for the instruction set of the context */
    const sn_law *law;
    int constants;               /* of an element: those of the law, or of a derived element */
    const sn_rotation *rotation; /* NULL when the law needs none */
    sn_differential differential;
    int projects; /* the exact differential was not asked for by name and can be indefinite: a view may ask for the
                     projected one */
    int part;     /* SN_PART_: the part of the law that counts here */
    int block_count;
    int32_t *node;        /* block_count x nodes x SN_LANES, compiled node numbers */
    double *gradient;     /* block_count x points x (nodes - 1) x 3 x SN_LANES, 1/m */
    double *weight;       /* block_count x points x SN_LANES, m^3; 0 in padded lanes */
    int warped;           /* its linearised stress is the warped stiffness R K0 R^T of SN_LAW_WARPED */
    int compact;          /* SN_COMPACT_: the closed forms of SN_LAW_WARPED hold; UPDATED: of SN_LAW_UPDATED; TURNED: of
                             SN_LAW_TURNED */
    double *rest_edge;    /* block_count x 9 x SN_LANES: Dm of the corners; only for rotations that use it, else NULL */
    int32_t *element_of;  /* block_count x SN_LANES: index of the element in its body's mesh, -1 in padded lanes */
    int32_t *material_of; /* block_count x SN_LANES: index of the material in the parameters */
    int32_t *source_of;   /* block_count x SN_LANES: index of the source, -1 in padded lanes */
    int64_t rotation_state; /* offset of its rotation state in the state's array, in doubles: block_count x points x
                               SN_ROTATION_STATE x SN_LANES; -1 for none */
    int64_t linearised;     /* offset of its part in a linearised buffer, in doubles: block_count x points x
                               linearised_items x SN_LANES */
    int linearised_items;
    int64_t kept;  /* offset of its part in the kept rotations, in doubles: block_count x points x 9 x SN_LANES; -1 for
                      none */
    int terms;     /* of the Prony series of its materials (prony.h); 0: no memory */
    bool on_shear; /* the series is on the deviatoric part of the stress */
    bool by_coefficient; /* the series is on the coefficients of the law: each term has a stress of its own */
    int64_t begins; /* by_coefficient: offset of these stresses at the begin of the step, behind those of all points in
                       the same array; block_count x points x terms x SN_MEMORY_ITEMS x SN_LANES */
    int64_t memory; /* offset of its memory in the state's array, in doubles: block_count x points x terms x
                       SN_MEMORY_ITEMS x SN_LANES */
    int64_t recalled; /* offset of its recalled stress, in doubles: block_count x points x SN_MEMORY_ITEMS x SN_LANES */
    double alpha, beta; /* of the rotation */
    double every;       /* s: how long frames stay; 0: the rotation follows at each evaluation */
    int level;          /* of the mesh whose shape gives the frames; -1: the element's own */
    bool green;         /* the tets of that level have Green's strain (coarse.h) */
    int64_t
        frames;  /* offset of the kept frames of its points, in doubles: block_count x points x 9 x SN_LANES; -1: none
                  */
    int warping; /* SN_WARPING_: frames per vertex, from view->vertex_rotation */
    bool vertex_matrix; /* warping: K_ij = R_i k_ij R_i^T, not symmetric; else R_e k_ij R_e^T (warping.h) */
    int32_t *patch;     /* block_count x element->patches x SN_LANES: the patches of the elements; NULL without */
    bool muscle;        /* its elements have fibres (muscle.h) */
    double *fibre;      /* block_count x 3 x SN_LANES: of a muscle: unit vectors at rest; else NULL */
    double *number;     /* derived elements: block_count x element->numbers x SN_LANES; they have no `gradient`, and
                           their `weight` is the factor of their source. Else NULL */
} sn_batch;

typedef struct sn_chunk {
    int batch;
    int block_begin, block_end;
} sn_chunk;

/* Who an element belongs to, for messages. */
typedef struct sn_batch_origin {
    char name[64];
    int element_offset;
    int64_t *label; /* a copy, or NULL: labels are indices */
} sn_batch_origin;

/* The compiled elements of a system. Nothing in it changes after the compilation; the numbers that do are in
 * sn_element_settings. */
typedef struct sn_elements_model {
    int node_count;
    int64_t rotation_state_size; /* doubles of rotation state of all batches, all zero at rest */
    int64_t memory_size;         /* doubles of memory of all batches, all zero when nothing is remembered */
    int64_t recalled_size;       /* doubles of a recalled stress, 64-byte aligned */
    bool recalls;       /* some batch with a memory reads the recalled stress for its linearisation, or for a force with
                           view->remember. Else only energies, stresses and other forces read it */
    int64_t frame_size; /* doubles of kept frames of all batches, 64-byte aligned */
    int64_t linearised_size; /* doubles of a linearised buffer, 64-byte aligned */
    int turned;   /* all batches are tet4 of the warped stiffness with rotations: their linearisation is R g and three
                     weights */
    int positive; /* some law needs J > 0 */
    bool splits;  /* all batches are of elements that split: the linearised tension alone can be asked for */
    bool unsymmetric; /* some batch has a vertex_matrix, or `one_sided`: the view of a linearisation must be unsymmetric
                       */
    bool one_sided;   /* hanging nodes give no forces to their parents (linear/matrix/slaves.h) */
    int projects;     /* some batch `projects` */
    bool muscle;      /* some batch is muscle */
    int64_t kept_size; /* doubles of the kept rotations, 64-byte aligned */
    int source_count;
    sn_batch_origin *origin; /* source_count */
    int batch_count;
    sn_batch *batch;
    int chunk_count;
    sn_chunk *chunk; /* ordered by colour */
    int color_count;
    int *color_begin; /* color_count + 1: chunks of colour c are [color_begin[c], color_begin[c + 1]) */
    int made;         /* elements whose shapes were computed; all others took them over (sn_batch_source.before) */
    struct sn_patches *patches; /* NULL: none */
    struct sn_coarse *coarse;   /* coarse tets with Green's strain (coarse.h); NULL: none */
} sn_elements_model;

/* The numbers of a batch that follow from its materials. */
typedef struct sn_batch_settings {
    double *constant; /* block_count x batch->constants x SN_LANES */
    double *damping; /* block_count x 3 x SN_LANES: d_lambda, d_mu, Rayleigh stiffness part b. Springs: their damper, 0,
                        b */
    unsigned damped; /* SN_DAMPED_ bits: which of them are not all zero */
    double *base; /* batches with memory: rows of law->constant_count x SN_LANES, the part of the law that has a memory;
                     by_coefficient: x terms, one part for each; else NULL */
    double *term; /* batches with memory: rows of (1 + terms x 3) x SN_LANES: the factor of the stress of `base` during
                     a step (not for on_shear and by_coefficient), then decay, gain and ratio; else NULL */
    int32_t *term_row; /* the row of each block in both. Neighbouring blocks of the same materials share a row, so that
                          the kernels find it in the cache */
    double *soft;   /* patches: per lane, the share of their bulk modulus that a softer body has (patch.h); else NULL */
    double *muscle; /* muscles: block_count x SN_MUSCLE_ITEMS x SN_LANES; else NULL */
} sn_batch_settings;

/* The numbers of a model that follow from its materials. They may change between evaluations (sn_elements_parameters);
 * several settings can belong to one model. */
typedef struct sn_element_settings {
    int batch_count;
    sn_batch_settings *batch; /* batch_count: those of the elements, then those of the patches */
    double *patch_stress;     /* scratch of the patches, 9 numbers each; NULL without patches */
    double *patch_tangent;    /* scratch of the patches, as in a linearised buffer; NULL without patches */
    double elapsed;           /* s since the memory was updated, for materials with a Prony series; default 0. The
                                 owner sets it before a filling */
    bool rate;                /* fill with derivatives by `elapsed` instead (of materials with a Prony series) */
    double share;             /* of activations without keys that acts; default 1. The owner sets it before a filling */
    double time;              /* s: of the last filling */
    int64_t revision;         /* 0 until the first filling, then another number after each */
} sn_element_settings;

/* Rotations are what a corotated force spends most of its time on, and a linearisation mostly follows at the same
 * place: `force` leaves them here. */
typedef struct sn_kept_rotations {
    double *value;      /* kept_size doubles; NULL for a model that is `turned` */
    double *linearised; /* instead: linearised_size doubles that take R g where `linearise` would put them, and no
                           weights */
} sn_kept_rotations;

/* The memory of a model (prony.h), for its update after a step. Arrays as in sn_elements_model. An update may write to
 * the arrays that it reads. */
typedef struct sn_memory_arrays {
    const double *old_before; /* recalled_size: the stress without rotation at the begin of the step */
    const double *old_memory; /* memory_size: the memory at the begin of the step */
    double *before;           /* recalled_size: the same stress at the end of the step */
    double *memory;           /* memory_size; NULL: only `before` is set */
    double *recalled;         /* recalled_size: the recalled stress of the next step; NULL: not wanted, and the model
                                 does not `recalls` */
} sn_memory_arrays;

/* What the elements are evaluated at, and what is asked of their linearisation. Arrays are node_count x 3 in compiled
 * numbering. */
typedef struct sn_element_view {
    const sn_element_settings *settings; /* never NULL */
    const double *x;
    const double *v;              /* NULL: at rest, no damping forces */
    const double *x_before;       /* last accepted positions, for rotations with history; NULL otherwise */
    const double *rotation_state; /* NULL when no batch uses any */
    const double *frame; /* frame_size: rotations of batches that keep theirs; NULL: all follow the positions */
    const double *vertex_rotation; /* node_count x 9, for warped batches; NULL when there are none */
    const double *recalled;        /* the recalled stress (prony.h), recalled_size doubles; NULL when there is none */
    const sn_memory_arrays *remember; /* `force` updates this memory: a step to this view was accepted, or may be. NULL:
                                         no update */
    double *next; /* with `remember`, node_count x 3: `force` also ADDS to it the forces of the next step at this view,
                     with the recalled stress of `remember`. NULL: the forces of the next step are those that are asked
                     for; `recalled` is then the array that `remember` fills */
    sn_kept_rotations *kept; /* `force` writes to it; the others read it: it is of this view. NULL: none */
    bool projected;          /* batches that `projects` take the projected differential; default: the exact one */
    bool tension;            /* K and D are those of the linearised tension alone; the elements must all split */
    bool unsymmetric; /* false: K is made symmetric, and the change of viscous stress with x is left out. true: the
                         Jacobian as it is: unsymmetrised, with that change (Green: always; corotated: where dR is at
                         hand, that is with the exact and the projected differential). The change of Rayleigh forces
                         with x, a second differential, is in neither. */
} sn_element_view;

/* The quadrature points of an element of a batch; a patch counts as one point. */
static inline int sn_batch_points(const sn_batch *batch) {
    return batch->part == SN_PART_PATCH ? 1 : batch->element->points;
}

/* The view of the step that follows view->remember. */
static inline sn_element_view sn_view_after(const sn_element_view *view) {
    sn_element_view after = *view;
    if (view->recalled) after.recalled = view->remember->recalled;
    after.remember = NULL, after.next = NULL;
    return after;
}

/* The differential that a batch takes. */
static inline sn_differential sn_batch_differential(const sn_batch *batch, bool projected) {
    return projected && batch->projects ? SN_DIFFERENTIAL_PROJECTED : batch->differential;
}

/* ---- Kernels over one chunk, for one instruction set (kernel/element_kernel.c, kernel/spring_kernel.c). They return 0
 * where nothing is said. NULL: the batches of these elements never come there. ---- */
typedef struct sn_element_kernels {
    /* Whether there are kernels for this element. */
    int (*serves)(const sn_element *element);
    /* Adds the chunk's elastic energy (J) to *energy. Returns how many real elements a POSITIVE_J law met with J <= 0.
     */
    int (*energy)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view, double *energy);
    /* Adds the forces of the chunk (elastic, viscous and Rayleigh stiffness damping) to f. Returns as above. */
    int (*force)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view, double *f);
    /* What `product` needs of k K + d D, for all vectors u at one x: written to the chunk's part of `linearised`
     * (linearised_size doubles for the whole model). */
    int (*linearise)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view, double k,
                     double d, double *linearised);
    /* Only the weights, of a model that is `turned`. */
    int (*weigh)(const sn_batch *batch, int block_begin, int block_end, const sn_element_settings *settings, double k,
                 double d, double *linearised);
    /* Adds (k K + d D) u to out, K = -df/dx, D = -df/dv: the assembly-free product. With `linearised` (else NULL) the
     * view, k and d are not looked at; the bits are the same. */
    int (*product)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view, double k,
                   double d, const double *linearised, const double *u, double *out);
    /* Adds d D u to out. The same as `product` up to rounding, and faster: it needs no tensor. */
    int (*damp)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view, double d,
                const double *u, double *out);
    /* Element matrices k K + d D of one block: out has nodes x nodes blocks of 3 x 3, [i][j][3 * column +
     * row][SN_LANES] (column-major blocks, as the sparse matrix wants them), 64-byte aligned. With `upper` only the
     * blocks i <= j are filled (K symmetric). Also writes the block's part of `linearised` unless that is NULL. */
    int (*stiffness)(const sn_batch *batch, int block, const sn_element_view *view, double k, double d, int upper,
                     double *linearised, double *out);
    /* Their diagonal blocks alone, of a compact batch that is linearised: [i][3 * column + row][SN_LANES]. */
    int (*diagonal)(const sn_batch *batch, int block, const double *linearised, double *out);
    /* F, elastic P and Cauchy stress P F^T / J, [point][9][SN_LANES] each, and the energy density psi,
     * [point][SN_LANES], at every quadrature point of one block; NULL to skip one. For laws of the Cauchy strain, the
     * Cauchy stress is P. |J| counts as at least 1e-12 so that flat elements stay finite. */
    int (*stress)(const sn_batch *batch, int block, const sn_element_view *view, double *F, double *P, double *cauchy,
                  double *psi);
    /* Only the rotations: [point][9][SN_LANES]; the identity for laws without. */
    int (*rotation)(const sn_batch *batch, int block, const sn_element_view *view, double *R);
    /* Accept hook of rotations with history: updates `state` (same layout as view->rotation_state). */
    int (*accept)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view, double *state);
    /* After a step to view->x: memory = decay old_memory + gain (S - old_before) and before = S, with the stress S
     * without rotation (prony.h), then the recalled stress of the next step, which is as long as this one. */
    int (*remember)(const sn_batch *batch, int block_begin, int block_end, const sn_element_view *view,
                    const sn_memory_arrays *memory);
    /* The recalled stress at settings->elapsed. */
    int (*recall)(const sn_batch *batch, int block_begin, int block_end, const sn_element_settings *settings,
                  const double *before, const double *memory, double *recalled);
    /* Of elements of two nodes that split: the number a per element of one block for which k K + d D of the linearised
     * tension is a ((I, -I), (-I, I)). It does not depend on the place. */
    void (*tension)(const sn_batch *batch, int block, const sn_element_settings *settings, double k, double d,
                    double *out);
} sn_element_kernels;

const sn_element_kernels *sn_element_kernels_for(const sn_context *context); /* of tets and triangles */
const sn_element_kernels *sn_spring_kernels_for(const sn_context *context);

/* ---- Compilation ---- */
/* The order of the elements of several sources in their batches. */
typedef struct sn_element_order {
    int rank_count; /* up to the last element of the last source */
    int32_t *rank;  /* per element, from element_offset of its source on: its number in its batch */
    int64_t *count; /* per material, from material_offset on: the elements of its batch */
    int64_t memory; /* the most doubles of memory that any part of the elements has */
} sn_element_order;

/* What a body contributes; node numbers are already compiled (global) ones. */
typedef struct sn_batch_source {
    const sn_element *element;
    double thickness; /* of triangles, m; 0 counts as 1 */
    int element_count;
    const int32_t *node;     /* element_count x element->nodes, compiled numbers */
    const double *rest;      /* rest positions of all compiled nodes, x 3 */
    const int32_t *material; /* element_count: index into `materials` */
    const sn_material *materials;
    int material_count;
    int material_offset;  /* added to material_of */
    int element_offset;   /* added to element_of */
    bool exact;           /* materials that leave the differential to their law take the exact one where there is one */
    const char *name;     /* the body's, for messages */
    const int64_t *label; /* element labels for messages, or NULL */
    const double *fibre;  /* element_count x 3: unit vectors, zero where there is no muscle; NULL: nowhere. All elements
                             of a material are muscle, or none */
    bool green;           /* the tets of a coarse level have Green's strain (coarse.h), */
    int green_level;      /* of this level, */
    double green_every;   /* and their frames stay for so many s */
    const double *factor, *number; /* derived elements: per element a weight, and element->numbers numbers */
    /* Elements that stand for a part of a larger set, whose order they take, so that a change of some of them changes
     * only the chunks around those. NULL: the elements are ordered by themselves. Sources that share a batch all have
     * an order, or none has. */
    const sn_element_order *order;
    const int32_t
        *stands_for; /* element_count: the element of the larger set, as `rank` counts, of the same material */
    const struct sn_elements_model *before; /* NULL: none. Elements with a place there take their shapes from it */
    const int64_t *place_before;            /* element_count: batch << 40 | block << 3 | lane; -1: the element is new */
} sn_batch_source;

/* Groups the elements of all sources by (element, law, rotation, differential), orders them for locality (by lowest
 * node), cuts them into chunks and colours these. Flat or inverted rest elements are an error that names the element.
 */
sn_status sn_elements_compile(sn_context *context, const sn_batch_source *source, int source_count, int node_count,
                              sn_elements_model *model, sn_error *error);
void sn_elements_release(sn_context *context, sn_elements_model *model);
/* The order that the elements of the sources would get. Release it also after a failure. */
sn_status sn_elements_order(sn_context *context, const sn_batch_source *source, int source_count, int node_count,
                            sn_element_order *order, sn_error *error);
void sn_element_order_release(const sn_context *context, sn_element_order *order);
/* Gives a batch its places in the arrays of the memory. */
void sn_batch_place_memory(sn_elements_model *model, sn_batch *batch);

/* Room for the settings of a model, and their first filling from `materials` (by sn_batch.material_of) at time t. */
sn_status sn_element_settings_create(sn_context *context, const sn_elements_model *model, const sn_material *materials,
                                     double time, sn_element_settings *settings, sn_error *error);
void sn_element_settings_release(sn_context *context, sn_element_settings *settings);
/* Fills the settings again from edited or keyed materials at time t. Allocates nothing. The laws must be those of the
 * compilation. */
sn_status sn_elements_parameters(const sn_elements_model *model, const sn_material *materials, double time,
                                 sn_element_settings *settings, sn_error *error);
/* Fills only the numbers of muscles again, for activations at time t. */
void sn_elements_activate(const sn_elements_model *model, const sn_material *materials, double time,
                          sn_element_settings *settings);
/* Whether any element has a D. */
int sn_elements_damped(const sn_elements_model *model, const sn_element_settings *settings);

/* Calls task(data, chunk) for all chunks, in any order; each thread takes the chunks that the sums over colours give it
 * too, and finds them in its cache. */
void sn_elements_chunks(const sn_context *context, const sn_elements_model *model, void (*task)(void *data, int chunk),
                        void *data);

/* Whole-model sums, parallel and in fixed order. SN_INVERTED, with one element named, when a law that needs J > 0 meets
 * another J; the sums are then of no use. `partial`: chunk_count doubles of scratch. */
sn_status sn_elements_energy(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                             double *partial, double *energy, sn_error *error);
/* ADDS the forces to f (node_count x 3). */
sn_status sn_elements_force(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                            double *f, sn_error *error);
/* Fills `linearised` (model->linearised_size doubles) for products with k K + d D at this view. */
void sn_elements_linearise(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                           double k, double d, double *linearised);
/* Only the weights in it, of a model that is `turned`. */
void sn_elements_weigh(const sn_context *context, const sn_elements_model *model, const sn_element_settings *settings,
                       double k, double d, double *linearised);
/* What the kernel `stress` gives, with the share of the patches in the stress and the energy. Only one lane is of use.
 * sn_elements_look must have prepared the stresses at the same view. */
void sn_elements_look(const sn_context *context, const sn_elements_model *model, const sn_element_view *view);
void sn_elements_stress(const sn_context *context, const sn_elements_model *model, const sn_batch *batch, int block,
                        int lane, const sn_element_view *view, double *F, double *cauchy, double *psi);
/* ADDS (k K + d D) u to out; linearised may be NULL. */
void sn_elements_product(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                         double k, double d, const double *linearised, const double *u, double *out);
/* ADDS d D u to out; for one product at a place. */
void sn_elements_damp(const sn_context *context, const sn_elements_model *model, const sn_element_view *view, double d,
                      const double *u, double *out);
/* A step was accepted at view->x, from view->x_before: updates the rotation state (rotation_state_size doubles).
 * Nothing without history.
 */
void sn_elements_accept(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                        double *state);

/* The kernels `remember` and `recall` over all elements with a memory. */
void sn_elements_remember(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                          const sn_memory_arrays *memory);
void sn_elements_recall(const sn_context *context, const sn_elements_model *model, const sn_element_settings *settings,
                        const double *before, const double *memory, double *recalled);

/* Whether frames that stay for `every` seconds are taken anew on the way from time `from` to `to`: always for 0. */
bool sn_frames_due(double every, double from, double to);
/* Takes the frames of the batches of this level that are due anew, at view->x; view->frame is not looked at. frame:
 * frame_size doubles. Returns whether any was due. */
bool sn_elements_frames(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                        int level, double from, double to, double *frame);
/* The highest level of the batches with frames; -1: none has one. */
int sn_elements_frame_level(const sn_elements_model *model);

/* ---- Mass ---- */
/* Mass per rest volume of element e, kg/m^3. */
double sn_source_density(const sn_batch_source *source, int e);
/* Lumped: ADDS each element's share, with the density of its material, to mass[compiled node]. Row sums for tet4 and
 * tri3; HRZ for tet10: the diagonal of the consistent mass scaled to the element's mass, as row sums go negative there.
 * Triangles have the thickness of their source. */
sn_status sn_mass_lumped(const sn_batch_source *source, double *mass, sn_error *error);
/* Consistent element mass: nodes x nodes scalars of element e in kg (each times the 3x3 identity). */
void sn_mass_element(const sn_batch_source *source, int e, double *mass);

#endif
