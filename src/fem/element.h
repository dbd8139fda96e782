/* Element types: shape functions on the reference element, quadrature, and the properties of elements that a body
 * needs.
 *
 * A type is one file element_<name>.c with one table, and one line in names.h. It names its table of kernels; those of
 * solids are compiled per number of nodes and points (kernel/element_kernel.c). When no kernels serve a type, the
 * compilation of its elements fails with a message.
 *
 * The kernels need these numbers of each element at each quadrature point: the gradients g_i of the shape functions in
 * the rest shape for nodes 1..N-1 (that of node 0 is minus their sum) and the weight w (share of the volume). Then
 *
 *   F    = F0 + sum_{i>=1} (x_i - x_0) (x) g_i
 *   f_i  = -sum_q w_q P g_i
 *   K_ij = sum_q w_q g_i . dP . g_j
 *
 * Solids have F0 = 0. A plane triangle has its rest shape in the xy plane and F0 = e_z (x) e_z (plane strain). A
 * triangle of cloth is laid into the xy plane at rest (`lay`) and has F0 = 0: the third column of its F is zero. */
#ifndef SN_FEM_ELEMENT_H
#define SN_FEM_ELEMENT_H

#include <stdbool.h>

#include "base/context.h"
#include "names.h"
#include "sinew/material.h"
#include "sinew/mesh.h"

enum { SN_ELEMENT_NODES = 10, SN_ELEMENT_POINTS = 15 };

struct sn_batch;
struct sn_batch_source;
struct sn_element_kernels;

typedef struct sn_element {
    const char *name, *text;
    int nodes, points;
    int corners;   /* the first nodes; so many barycentric coordinates are in use */
    int dimension; /* 3; 2 for triangles; 1 for springs and hinges */
    unsigned held; /* bits 1 << axis: along these axes its nodes do not move. The z axis: the element is plane */
    /* The kernels for the instruction set of a context. */
    const struct sn_element_kernels *(*kernels)(const sn_context *context);
    /* Quadrature of the stiffness: barycentric coordinates (points x 4) and weights that sum to 1. */
    const double (*point)[4];
    const double *weight;
    /* Quadrature for the consistent mass, of degree twice the shape functions'. */
    int mass_points;
    const double (*mass_point)[4];
    const double *mass_weight;
    /* At barycentric coordinates L: values (nodes), and derivatives by L (nodes x 4). */
    void (*shape)(const double L[4], double *value, double *derivative);
    /* Elements that do not lock: most of the bulk modulus counts on patches (patch.h), and so many of them share an
     * element: 1, the element is a patch; `corners`, a patch is the elements around a node. 0: no patches. */
    int patches;
    double patch_shear; /* the part of the shear modulus that counts on the patches, 0 to 1 */
    bool row_sums; /* its lumped mass: row sums of the consistent one; else the diagonal scaled to the mass (HRZ) */
    /* The parts of its mass and volume that go to its nodes, with the sum 1; X: its rest shape. It has then no
     * consistent mass. NULL: by the shape functions. */
    void (*divide)(const double *X, double *share);

    /* Boundary faces: three corners, outward, then the middles of their edges. 0 nodes: no faces, the boundary is the
     * rim of a plane body.
     */
    int face_nodes;
    const double *face_share;   /* face_nodes: the part of a face's area that goes to each node in contact */
    const uint8_t (*middle)[4]; /* the node between corners i and j; NULL without middles */

    /* Whether a mesh makes such elements, and a new mesh whose cells (tet, tet_nodes) are the elements. */
    sn_status (*fits)(const sn_mesh *mesh, sn_error *error);
    sn_status (*take)(const sn_mesh *mesh, sn_mesh **own, sn_error *error);

    /* Cloth: turns the rest shape X (3 x 3, a triangle in space) so that it lies in the plane z = 0 with the direction
     * `along`, projected on it, along x. It takes laws with SN_LAW_CLOTH alone. NULL: the rest shape stays as it is. */
    void (*lay)(const double along[3], double *X);
    const struct sn_element *const *beside; /* types that are derived from this one and count beside it; NULL: none */

    /* Elements that are derived from those of another type, the carrier, which has the mass, the loads and the surface.
     * They count in its place (the springs on the edges of tets) or beside it (the hinges on the edges of cloth). NULL:
     * an element is its own carrier. node_mass: per compiled node. `release` ends the derived source. */
    const struct sn_element *carrier;
    sn_status (*derive)(sn_context *context, const struct sn_batch_source *carrier, const double *node_mass,
                        struct sn_batch_source *derived, sn_error *error);
    void (*release)(sn_context *context, struct sn_batch_source *derived);
    /* Its stiffness is the tension of edges, of which sn_element_kernels.tension gives the linearised part, or there is
     * no tension in it (`tension` is NULL there). */
    bool splits;
    int numbers;    /* of derived elements: sn_batch_source.number per element */
    int linearised; /* of derived elements: numbers of a linearised one */
    /* SN_BAD_INPUT when it cannot take the material or an option has no effect; NULL: it takes those of its carrier. */
    sn_status (*check)(const sn_material *material, sn_error *error);
    int constants; /* of derived elements: constants that `settle` fills and the kernels read; 0: those of the law */
    /* Derived elements: constants and damping of the element in lane n, in place of those of the law that are there. */
    void (*settle)(const struct sn_batch *batch, int64_t n, const sn_material *material, double *constant,
                   double damping[3]);
} sn_element;

#define SN_DECLARE_ELEMENT(id) extern const sn_element sn_element_##id;
SN_ELEMENTS(SN_DECLARE_ELEMENT)
#undef SN_DECLARE_ELEMENT
const sn_element *sn_element_find(const char *name); /* NULL when unknown */
/* The type that has the mass, the loads and the surface. */
static inline const sn_element *sn_element_carrier(const sn_element *element) {
    return element->carrier ? element->carrier : element;
}
/* Plane strain: the nodes are held in z, F0 = e_z (x) e_z, and rotations are about z. */
static inline bool sn_element_is_plane(const sn_element *element) { return element->held >> 2 & 1; }
const sn_listing *sn_elements(int *count);

/* SN_BAD_INPUT when elements of this type cannot take the material, or when an option of it has no effect on them. */
sn_status sn_element_check_material(const sn_element *element, const sn_material *material, sn_error *error);

/* The rest shape X (nodes x 3) of element e of a source, as its shape functions see it: laid into a plane for cloth. */
void sn_element_rest(const struct sn_batch_source *source, int e, double *X);

/* Gradients g_i (all nodes x 3) of the shape functions in the rest shape X (nodes x 3) at barycentric L, and optionally
 * their values. Returns the volume (area for triangles, of thickness 1) of the whole element if this point's
 * density of volume held everywhere: times a quadrature weight it is the point's share. Not positive: flat or inverted;
 * the gradients are then not set. */
double sn_element_gradient(const sn_element *element, const double *X, const double L[4], double *value,
                           double *gradient);

/* Barycentric coordinates L of the point X in the element's corners (nodes x 3 positions by `node`). Returns the
 * smallest: at least 0 inside; minus infinity for a flat element. */
double sn_element_locate(const sn_element *element, const int32_t *node, const double *position, const double X[3],
                         double L[4]);

/* The boundary faces of a mesh as element->take made it, in its node numbers, face_nodes each; release with
 * sn_mesh_release. Without face nodes there are none. */
sn_status sn_element_faces(const sn_element *element, const sn_mesh *mesh, int *count, int32_t **face, sn_error *error);

/* ---- Shared by the types ---- */
extern const double sn_rule_one_point[1][4], sn_rule_one_weight[1];
extern const double sn_rule_four_point[4][4], sn_rule_four_weight[4];           /* degree 2 */
extern const double sn_rule_fourteen_point[14][4], sn_rule_fourteen_weight[14]; /* degree 5 */
/* N_i = L_i */
void sn_shape_linear(int nodes, const double L[4], double *value, double *derivative);
/* `fits` of solids: the mesh has tets. */
sn_status sn_element_fits_tets(const sn_mesh *mesh, sn_error *error);
/* `fits` and `take` of triangles: the mesh has triangles alone; the cells of the new mesh are its triangles. */
sn_status sn_element_fits_triangles(const char *element, const sn_mesh *mesh, sn_error *error);
sn_status sn_element_take_triangles(const sn_mesh *mesh, sn_mesh **own, sn_error *error);
extern const double sn_rule_triangle_point[1][4];                       /* the centroid */
extern const double sn_rule_edges_point[3][4], sn_rule_edges_weight[3]; /* edge midpoints: degree 2 */

#endif
