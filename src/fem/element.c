/* The element types: linear and quadratic tets, and the plane linear triangle.
 *
 * Shape functions in barycentric coordinates L. Linear: N_i = L_i. Quadratic: corners N_i = L_i (2 L_i - 1), mid-edge nodes
 * N_ij = 4 L_i L_j, edges in the order 01 12 20 03 13 23. Rules have positive weights only, so that the stiffness keeps its sign:
 *   4 points, degree 2, and 14 points, degree 5 (the latter of
 *   N. J. Walkington, Quadrature on simplices of arbitrary dimension, 2000). */
#include "element.h"

#include <string.h>

#include "base/math3.h"

/* ---- Rules ---- */
#define THIRD (1.0 / 3.0)
static const double one_point[1][4] = {{0.25, 0.25, 0.25, 0.25}};
static const double one_weight[1] = {1};

#define A4 0.13819660112501051518 /* (5 - sqrt 5) / 20 */
#define B4 0.58541019662496845446
static const double four_point[4][4] = {{B4, A4, A4, A4}, {A4, B4, A4, A4}, {A4, A4, B4, A4}, {A4, A4, A4, B4}};
static const double four_weight[4] = {0.25, 0.25, 0.25, 0.25};

#define A14 0.31088591926330060980
#define B14 0.06734224221009817061 /* 1 - 3 a */
#define C14 0.09273525031089122629
#define D14 0.72179424906732632114
#define E14 0.04550370412564964949
#define F14 0.45449629587435035051 /* 1/2 - e */
static const double fourteen_point[14][4] = {{B14, A14, A14, A14}, {A14, B14, A14, A14}, {A14, A14, B14, A14}, {A14, A14, A14, B14},
                                             {D14, C14, C14, C14}, {C14, D14, C14, C14}, {C14, C14, D14, C14}, {C14, C14, C14, D14},
                                             {E14, E14, F14, F14}, {E14, F14, E14, F14}, {E14, F14, F14, E14}, {F14, E14, E14, F14},
                                             {F14, E14, F14, E14}, {F14, F14, E14, E14}};
#define U14 0.11268792571801585080
#define V14 0.07349304311636194934
#define W14 0.04254602077708146686
static const double fourteen_weight[14] = {U14, U14, U14, U14, V14, V14, V14, V14, W14, W14, W14, W14, W14, W14};

static const double plane_point[1][4] = {{THIRD, THIRD, THIRD, 0}};
/* The edge midpoints: degree 2 on a triangle. */
static const double plane_mass_point[3][4] = {{0.5, 0.5, 0, 0}, {0, 0.5, 0.5, 0}, {0.5, 0, 0.5, 0}};
static const double plane_mass_weight[3] = {THIRD, THIRD, THIRD};

/* ---- Shape functions ---- */
static void linear(int nodes, const double L[4], double *value, double *derivative) {
    for (int i = 0; i < nodes; ++i) {
        value[i] = L[i];
        for (int k = 0; k < 4; ++k) derivative[4 * i + k] = k == i;
    }
}
static void tet4_shape(const double L[4], double *value, double *derivative) { linear(4, L, value, derivative); }
static void tri3_shape(const double L[4], double *value, double *derivative) { linear(3, L, value, derivative); }

static void tet10_shape(const double L[4], double *value, double *derivative) {
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    memset(derivative, 0, 40 * sizeof *derivative);
    for (int i = 0; i < 4; ++i) {
        value[i] = L[i] * (2 * L[i] - 1);
        derivative[4 * i + i] = 4 * L[i] - 1;
    }
    for (int e = 0; e < 6; ++e) {
        const int a = edge[e][0], b = edge[e][1];
        value[4 + e] = 4 * L[a] * L[b];
        derivative[4 * (4 + e) + a] = 4 * L[b];
        derivative[4 * (4 + e) + b] = 4 * L[a];
    }
}

/* ---- The table ---- */
const sn_element sn_element_tet4 = {.name = "tet4",
                                    .text = "linear tet, one point",
                                    .nodes = 4,
                                    .points = 1,
                                    .dimension = 3,
                                    .point = one_point,
                                    .weight = one_weight,
                                    .mass_points = 4,
                                    .mass_point = four_point,
                                    .mass_weight = four_weight,
                                    .shape = tet4_shape};
const sn_element sn_element_tet10 = {.name = "tet10",
                                     .text = "quadratic tet, 4 points (degree 2)",
                                     .nodes = 10,
                                     .points = 4,
                                     .dimension = 3,
                                     .point = four_point,
                                     .weight = four_weight,
                                     .mass_points = 14,
                                     .mass_point = fourteen_point,
                                     .mass_weight = fourteen_weight,
                                     .shape = tet10_shape};
const sn_element sn_element_tet10_high = {.name = "tet10-high",
                                          .text = "quadratic tet, 14 points (degree 5)",
                                          .nodes = 10,
                                          .points = 14,
                                          .dimension = 3,
                                          .point = fourteen_point,
                                          .weight = fourteen_weight,
                                          .mass_points = 14,
                                          .mass_point = fourteen_point,
                                          .mass_weight = fourteen_weight,
                                          .shape = tet10_shape};
const sn_element sn_element_tri3 = {.name = "tri3",
                                    .text = "plane linear triangle (plane strain)",
                                    .nodes = 3,
                                    .points = 1,
                                    .dimension = 2,
                                    .point = plane_point,
                                    .weight = one_weight,
                                    .mass_points = 3,
                                    .mass_point = plane_mass_point,
                                    .mass_weight = plane_mass_weight,
                                    .shape = tri3_shape};

const sn_element sn_element_springs = {.name = "springs",
                                       .text = "a spring and a damper along every edge of the tets",
                                       .nodes = 2,
                                       .points = 1,
                                       .dimension = 1,
                                       .point = one_point,
                                       .weight = one_weight};

static const sn_element *const table[] = {&sn_element_tet4, &sn_element_tet10, &sn_element_tet10_high, &sn_element_tri3,
                                          &sn_element_springs};
enum { COUNT = sizeof table / sizeof *table };

const sn_element *sn_element_find(const char *name) {
    for (int i = 0; i < COUNT; ++i)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

const sn_listing *sn_elements(int *count) {
    static const sn_listing listing[COUNT] = {{"tet4", "linear tet, one point"},
                                              {"tet10", "quadratic tet, 4 points (degree 2)"},
                                              {"tet10-high", "quadratic tet, 14 points (degree 5)"},
                                              {"tri3", "plane linear triangle (plane strain)"},
                                              {"springs", "a spring and a damper along every edge of the tets"}};
    *count = COUNT;
    return listing;
}

double sn_element_gradient(const sn_element *element, const double *X, const double L[4], double *value, double *gradient) {
    const int nodes = element->nodes, plane = element->dimension == 2, axes = element->dimension;
    double local[SN_ELEMENT_NODES], derivative[SN_ELEMENT_NODES * 4];
    element->shape(L, value ? value : local, derivative);
    /* T = d X / d xi with xi_k = L_k+1, L_0 the rest; the third axis of a plane element is its own. */
    double T[9] = {0}, inverse[9];
    if (plane) T[8] = 1;
    for (int i = 0; i < nodes; ++i)
        for (int k = 0; k < axes; ++k) {
            const double slope = derivative[4 * i + k + 1] - derivative[4 * i];
            for (int a = 0; a < axes; ++a) T[3 * a + k] += X[3 * i + a] * slope;
        }
    const double determinant = sn_determinant3(T);
    if (!(determinant > 0)) return determinant;
    sn_inverse3(T, inverse);
    for (int i = 0; i < nodes; ++i)
        for (int a = 0; a < 3; ++a) {
            double sum = 0;
            for (int k = 0; k < axes; ++k) sum += inverse[3 * k + a] * (derivative[4 * i + k + 1] - derivative[4 * i]);
            gradient[3 * i + a] = sum;
        }
    return plane ? determinant / 2 : determinant / 6;
}
