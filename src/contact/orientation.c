/* Exact signs; see orientation.h. */
#include "orientation.h"

#include <math.h>

#include "base/math3.h"

/* ---- Sums of doubles without rounding ---- */

/* The largest sum: 6 products of 3 differences, each difference 2 doubles, each product of 3 doubles 4 doubles. */
enum { TERMS = 192 };

typedef struct exact_sum {
    int count;
    double term[TERMS]; /* growing magnitudes, not overlapping, without zeros */
} exact_sum;

/* a + b = *sum + *error, exactly. */
static void two_sum(double a, double b, double *sum, double *error) {
    const double s = a + b, v = s - a;
    *error = (a - (s - v)) + (b - v);
    *sum = s;
}

/* a * b = *product + *error, exactly (Dekker's splitting into halves of 26 bits). */
static void two_product(double a, double b, double *product, double *error) {
    const double p = a * b, ca = 134217729.0 * a, cb = 134217729.0 * b;
    const double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    *error = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    *product = p;
}

static void add(exact_sum *sum, double value) {
    int count = 0;
    for (int i = 0; i < sum->count; ++i) {
        double rest;
        two_sum(value, sum->term[i], &value, &rest);
        if (rest != 0) sum->term[count++] = rest;
    }
    if (value != 0) sum->term[count++] = value;
    sum->count = count;
}

static int sign_of(const exact_sum *sum) {
    if (sum->count == 0) return 0;
    return sum->term[sum->count - 1] > 0 ? 1 : -1;
}

/* A difference of two doubles, as two doubles. */
typedef struct difference {
    double part[2];
} difference;

static difference minus(double a, double b) {
    difference d;
    two_sum(a, -b, &d.part[0], &d.part[1]);
    return d;
}

static void add_product3(exact_sum *sum, double sign, const difference *u, const difference *v, const difference *w) {
    for (int i = 0; i < 8; ++i) {
        const double a = u->part[i & 1], b = v->part[i >> 1 & 1], c = sign * w->part[i >> 2];
        if (a == 0 || b == 0 || c == 0) continue;
        double high, low, product, error;
        two_product(a, b, &high, &low);
        two_product(low, c, &product, &error);
        add(sum, error), add(sum, product);
        two_product(high, c, &product, &error);
        add(sum, error), add(sum, product);
    }
}

static void add_product2(exact_sum *sum, double sign, const difference *u, const difference *v) {
    for (int i = 0; i < 4; ++i) {
        double product, error;
        two_product(u->part[i & 1], sign * v->part[i >> 1], &product, &error);
        add(sum, error), add(sum, product);
    }
}

/* ---- Signs ---- */

static int exact_orientation(const double a[3], const double b[3], const double c[3], const double d[3]) {
    difference u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) u[k] = minus(b[k], a[k]), v[k] = minus(c[k], a[k]), w[k] = minus(d[k], a[k]);
    exact_sum sum = {.count = 0};
    for (int k = 0; k < 3; ++k) {
        add_product3(&sum, 1, &u[k], &v[(k + 1) % 3], &w[(k + 2) % 3]);
        add_product3(&sum, -1, &u[k], &v[(k + 2) % 3], &w[(k + 1) % 3]);
    }
    return sign_of(&sum);
}

int sn_orientation(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3];
    sn_subtract3(b, a, u);
    sn_subtract3(c, a, v);
    sn_subtract3(d, a, w);
    const double p = v[1] * w[2], q = v[2] * w[1], r = v[2] * w[0], s = v[0] * w[2], t = v[0] * w[1], o = v[1] * w[0];
    const double value = u[0] * (p - q) + u[1] * (r - s) + u[2] * (t - o);
    const double size =
        fabs(u[0]) * (fabs(p) + fabs(q)) + fabs(u[1]) * (fabs(r) + fabs(s)) + fabs(u[2]) * (fabs(t) + fabs(o));
    const double error = 8e-16 * size; /* Shewchuk's bound (7 + 56 e) e, e = 2^-53, rounded up */
    if (value > error) return 1;
    if (-value > error) return -1;
    return exact_orientation(a, b, c, d);
}

int sn_cross_sign(const double p[3], const double q[3], const double a[3], const double b[3], int axis) {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const difference u[2] = {minus(q[i], p[i]), minus(q[j], p[j])}, v[2] = {minus(b[i], a[i]), minus(b[j], a[j])};
    exact_sum sum = {.count = 0};
    add_product2(&sum, 1, &u[0], &v[1]);
    add_product2(&sum, -1, &u[1], &v[0]);
    return sign_of(&sum);
}

/* Moving p by s changes the volume of abcp by s . ((b - a) x (c - a)). */
int sn_side_of_triangle(const double a[3], const double b[3], const double c[3], const double p[3], int moved) {
    int sign = sn_orientation(a, b, c, p);
    for (int axis = 0; axis < 3 && sign == 0; ++axis) sign = moved * sn_cross_sign(a, b, a, c, axis);
    return sign < 0 ? -1 : 1;
}

/* Moving p and q by s changes the volume of pqab by s . ((q - p) x (b - a)). */
int sn_side_of_edges(const double p[3], const double q[3], const double a[3], const double b[3]) {
    int sign = sn_orientation(p, q, a, b);
    for (int axis = 0; axis < 3 && sign == 0; ++axis) sign = sn_cross_sign(p, q, a, b, axis);
    return sign < 0 ? -1 : 1;
}
