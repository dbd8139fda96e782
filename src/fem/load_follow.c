/* Loads that follow a face: force and exact linearisation.
 *
 * At a quadrature point let a = dx/dxi, b = dx/deta, c = a x b, J = |c| and n = c / J. A change u of node j gives
 * da = N_j,xi u and db = N_j,eta u, and
 *
 *   dc = da x b + a x db,   dJ = n . dc,   dn = (dc - n dJ) / J
 *
 *   pressure   f_i = -p w N_i c       (Bonet and Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, 8.5)
 *   traction   f_i = w N_i R T J
 *
 * The rest frame E = (e1, e2, n0) makes F_s = A + n (x) n0 a 3x3 matrix G with G e1, G e2 in the plane. R follows from
 * the rotation by the angle atan2(A21 - A12, A11 + A22) in the plane, which is the polar one. With S = R^T G,
 *
 *   dR = R [w]x,   (tr S I - S) w = axial vector of (R^T dG - dG^T R). */
#include <string.h>

#include "base/math3.h"
#include "load_face.h"

/* Triangle rules: one point for three nodes (N_i linear, c constant); six points of degree 4 for six nodes (N_i c has
 * degree 4), Dunavant 1985. */
#define P1 0.44594849091596488632
#define W1 (0.5 * 0.22338158967801146570)
#define P2 0.09157621350977074346
#define W2 (0.5 * 0.10995174365532186764)
#define QUADRATIC(x, y)                                                                                                \
    {                                                                                                                  \
        (1 - (x) - (y)) * (1 - 2 * (x)-2 * (y)), (x) * (2 * (x)-1), (y) * (2 * (y)-1), 4 * (x) * (1 - (x) - (y)),      \
            4 * (x) * (y), 4 * (y) * (1 - (x) - (y))                                                                   \
    }
#define QUADRATIC_ALONG(x, y)                                                                                          \
    {                                                                                                                  \
        {4 * (x) + 4 * (y)-3, 4 * (x)-1, 0, 4 - 8 * (x)-4 * (y), 4 * (y), -4 * (y)}, {                                 \
            4 * (x) + 4 * (y)-3, 0, 4 * (y)-1, -4 * (x), 4 * (x), 4 - 4 * (x)-8 * (y)                                  \
        }                                                                                                              \
    }

static const sn_face_rule linear_rule = {.nodes = 3,
                                         .points = 1,
                                         .weight = {0.5},
                                         .value = {{1.0 / 3, 1.0 / 3, 1.0 / 3}},
                                         .along = {{{-1, 1, 0}, {-1, 0, 1}}}};
static const sn_face_rule quadratic_rule = {
    .nodes = 6,
    .points = 6,
    .weight = {W1, W1, W1, W2, W2, W2},
    .value = {QUADRATIC(P1, P1), QUADRATIC(1 - 2 * P1, P1), QUADRATIC(P1, 1 - 2 * P1), QUADRATIC(P2, P2),
              QUADRATIC(1 - 2 * P2, P2), QUADRATIC(P2, 1 - 2 * P2)},
    .along = {QUADRATIC_ALONG(P1, P1), QUADRATIC_ALONG(1 - 2 * P1, P1), QUADRATIC_ALONG(P1, 1 - 2 * P1),
              QUADRATIC_ALONG(P2, P2), QUADRATIC_ALONG(1 - 2 * P2, P2), QUADRATIC_ALONG(P2, 1 - 2 * P2)}};

const sn_face_rule *sn_face_rule_for(int nodes) { return nodes == 3 ? &linear_rule : &quadratic_rule; }

void sn_face_tangents(const sn_face_rule *rule, int q, const int32_t *face, const double *x, double a[3], double b[3]) {
    for (int c = 0; c < 3; ++c) a[c] = b[c] = 0;
    for (int i = 0; i < rule->nodes; ++i)
        for (int c = 0; c < 3; ++c) {
            a[c] += rule->along[q][0][i] * x[3 * face[i] + c];
            b[c] += rule->along[q][1][i] * x[3 * face[i] + c];
        }
}

/* An orthonormal frame (e1, e2, n) of the plane spanned by a and b, as rows; returns |a x b|, 0 when degenerate. */
static double plane_frame(const double a[3], const double b[3], double frame[9]) {
    sn_cross3(a, b, frame + 6);
    const double area = sn_norm3(frame + 6), length = sn_norm3(a);
    if (!(area > 0) || !(length > 0)) return 0;
    for (int i = 0; i < 3; ++i) frame[i] = a[i] / length, frame[6 + i] /= area;
    sn_cross3(frame + 6, frame, frame + 3);
    return area;
}

/* What a point of a following face knows. Matrices row-major. */
typedef struct face_point {
    double a[3], b[3], n[3];
    double area, rest_area; /* |a x b| now and at rest */
    double dual[2][3]; /* rest vectors with dual . rest tangent = identity, in the rest plane: A = a (x) dual0 + b (x)
                          dual1 */
    double n0[3];
    double R[9], S[9];
    double traction[3]; /* at rest */
} face_point;

static void rest_dual(const double frame[9], const double a[3], const double b[3], double dual[2][3]) {
    const double a1 = sn_dot3(frame, a), a2 = sn_dot3(frame + 3, a), b1 = sn_dot3(frame, b), b2 = sn_dot3(frame + 3, b),
                 d = a1 * b2 - a2 * b1;
    for (int i = 0; i < 3; ++i) {
        dual[0][i] = (b2 * frame[i] - b1 * frame[3 + i]) / d;
        dual[1][i] = (a1 * frame[3 + i] - a2 * frame[i]) / d;
    }
}

/* False when the face has no area, at rest or now: then it carries no traction. */
static bool face_point_at(const sn_load_term *term, const sn_face_rule *rule, int q, const int32_t *face,
                          const double *x, face_point *p) {
    double A[3], B[3], E[9], e[9];
    sn_face_tangents(rule, q, face, term->rest, A, B);
    sn_face_tangents(rule, q, face, x, p->a, p->b);
    p->rest_area = plane_frame(A, B, E);
    p->area = plane_frame(p->a, p->b, e);
    if (p->rest_area == 0 || p->area == 0) return false;
    rest_dual(E, A, B, p->dual);
    memcpy(p->n, e + 6, sizeof p->n);
    memcpy(p->n0, E + 6, sizeof p->n0);

    /* G = a (x) dual0 + b (x) dual1 + n (x) n0; its 2x2 part in the frames gives the angle in the plane. */
    double G[9], m[2][2];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            G[3 * i + j] = p->a[i] * p->dual[0][j] + p->b[i] * p->dual[1][j] + p->n[i] * p->n0[j];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            double w[3];
            sn_multiply_vector3(G, E + 3 * j, w);
            m[i][j] = sn_dot3(e + 3 * i, w);
        }
    const double s = m[1][0] - m[0][1], c = m[0][0] + m[1][1], r = sqrt(s * s + c * c);
    const double cosine = r > 0 ? c / r : 1, sine = r > 0 ? s / r : 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            p->R[3 * i + j] = cosine * (e[i] * E[j] + e[3 + i] * E[3 + j]) +
                              sine * (e[3 + i] * E[j] - e[i] * E[3 + j]) + e[6 + i] * E[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) p->S[3 * i + j] = p->R[i] * G[j] + p->R[3 + i] * G[3 + j] + p->R[6 + i] * G[6 + j];

    const double along = term->kind == SN_LOAD_SHEAR ? sn_dot3(term->value, p->n0) : 0;
    for (int i = 0; i < 3; ++i) p->traction[i] = term->value[i] - along * p->n0[i];
    return true;
}

void sn_face_force(const sn_load_term *term, const int32_t *face, double factor, const double *x, double *f) {
    const sn_face_rule *rule = sn_face_rule_for(term->face_nodes);
    for (int q = 0; q < rule->points; ++q) {
        double t[3];
        if (term->kind == SN_LOAD_PRESSURE) {
            double a[3], b[3];
            sn_face_tangents(rule, q, face, x, a, b);
            sn_cross3(a, b, t);
            for (int i = 0; i < 3; ++i) t[i] *= -term->scalar;
        } else {
            face_point p;
            if (!face_point_at(term, rule, q, face, x, &p)) continue;
            sn_multiply_vector3(p.R, p.traction, t);
            for (int i = 0; i < 3; ++i) t[i] *= term->kind == SN_LOAD_FORCE ? p.rest_area : p.area;
        }
        for (int i = 0; i < rule->nodes; ++i)
            for (int c = 0; c < 3; ++c) f[3 * face[i] + c] += factor * rule->weight[q] * rule->value[q][i] * t[c];
    }
}

/* The change of (a x b) when node j moves along `axis`. */
static void area_change(const sn_face_rule *rule, int q, int j, int axis, const double a[3], const double b[3],
                        double out[3]) {
    double u[3] = {0}, first[3], second[3];
    u[axis] = rule->along[q][0][j];
    sn_cross3(u, b, first);
    u[axis] = rule->along[q][1][j];
    sn_cross3(a, u, second);
    for (int i = 0; i < 3; ++i) out[i] = first[i] + second[i];
}

/* The change of R T (times the area for tractions) when node j moves along `axis`. */
static void traction_change(const sn_load_term *term, const sn_face_rule *rule, int q, int j, int axis,
                            const face_point *p, double out[3]) {
    double dc[3], dn[3], dG[9], RdG[9], w[3], left[9], inverse[9] = {0}, turned[3], change[3];
    area_change(rule, q, j, axis, p->a, p->b, dc);
    const double dJ = sn_dot3(p->n, dc);
    for (int i = 0; i < 3; ++i) dn[i] = (dc[i] - p->n[i] * dJ) / p->area;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            dG[3 * i + k] =
                (i == axis ? rule->along[q][0][j] * p->dual[0][k] + rule->along[q][1][j] * p->dual[1][k] : 0) +
                dn[i] * p->n0[k];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            RdG[3 * i + k] = p->R[i] * dG[k] + p->R[3 + i] * dG[3 + k] + p->R[6 + i] * dG[6 + k];
    const double axial[3] = {RdG[7] - RdG[5], RdG[2] - RdG[6], RdG[3] - RdG[1]};
    const double trace = p->S[0] + p->S[4] + p->S[8];
    for (int i = 0; i < 9; ++i) left[i] = (i % 4 == 0 ? trace : 0) - p->S[i];
    sn_inverse3(left, inverse);
    sn_multiply_vector3(inverse, axial, w);
    sn_cross3(w, p->traction, turned);
    sn_multiply_vector3(p->R, turned, change);
    sn_multiply_vector3(p->R, p->traction, turned);
    for (int i = 0; i < 3; ++i)
        out[i] = term->kind == SN_LOAD_FORCE ? p->rest_area * change[i] : p->area * change[i] + dJ * turned[i];
}

void sn_face_stiffness(const sn_load_term *term, const int32_t *face, double factor, const double *x, double *K) {
    const sn_face_rule *rule = sn_face_rule_for(term->face_nodes);
    const int n = rule->nodes;
    memset(K, 0, (size_t)(n * n * 9) * sizeof *K);
    for (int q = 0; q < rule->points; ++q) {
        face_point p;
        const bool pressure = term->kind == SN_LOAD_PRESSURE;
        if (pressure)
            sn_face_tangents(rule, q, face, x, p.a, p.b);
        else if (!face_point_at(term, rule, q, face, x, &p))
            continue;
        for (int j = 0; j < n; ++j)
            for (int axis = 0; axis < 3; ++axis) {
                double change[3];
                if (pressure) {
                    area_change(rule, q, j, axis, p.a, p.b, change);
                    for (int i = 0; i < 3; ++i) change[i] *= -term->scalar;
                } else
                    traction_change(term, rule, q, j, axis, &p, change);
                for (int i = 0; i < n; ++i)
                    for (int row = 0; row < 3; ++row)
                        K[9 * (n * i + j) + 3 * row + axis] -=
                            factor * rule->weight[q] * rule->value[q][i] * change[row];
            }
    }
}
