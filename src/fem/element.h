/* Element types: shape functions on the reference element and quadrature.
 *
 * Everything the kernels need is per element and per quadrature point: the gradients g_i of the shape functions in the rest shape for
 * nodes 1..N-1 (that of node 0 is minus their sum) and the weight w (volume share). Then
 *   F = F0 + sum_{i>=1} (x_i - x_0) (x) g_i,      f_i = -sum_q w_q P g_i,      K_ij = sum_q w_q g_i . dP . g_j
 * with F0 = 0 for solids; a plane triangle has its rest shape in the xy plane and F0 = e_z (x) e_z (plane strain). */
#ifndef SN_FEM_ELEMENT_H
#define SN_FEM_ELEMENT_H

#include "sinew/base.h"

enum { SN_ELEMENT_NODES = 10, SN_ELEMENT_POINTS = 15 };

typedef struct sn_element {
    const char *name, *text;
    int nodes, points;
    int dimension; /* 3, or 2 for plane elements */
    /* Quadrature of the stiffness: barycentric coordinates (points x 4) and weights that sum to 1. */
    const double (*point)[4];
    const double *weight;
    /* Quadrature for the consistent mass, of degree twice the shape functions'. */
    int mass_points;
    const double (*mass_point)[4];
    const double *mass_weight;
    /* At barycentric coordinates L: values (nodes), and derivatives by L (nodes x 4). */
    void (*shape)(const double L[4], double *value, double *derivative);
} sn_element;

extern const sn_element sn_element_tet4, sn_element_tet10, sn_element_tet10_high, sn_element_tri3;
/* A spring between two nodes (springs.h): what the edges of a body of "springs" compile to; has no shape functions. */
extern const sn_element sn_element_springs;
const sn_element *sn_element_find(const char *name); /* NULL when unknown */
const sn_listing *sn_elements(int *count);

/* Gradients g_i (all nodes x 3) of the shape functions in the rest shape X (nodes x 3) at barycentric L, and optionally their values.
 * Returns the volume (area for plane elements, of thickness 1) of the whole element if this point's density of volume held everywhere:
 * times a quadrature weight it is the point's share. Not positive: flat or inverted; the gradients are then not set. */
double sn_element_gradient(const sn_element *element, const double *X, const double L[4], double *value, double *gradient);

#endif
